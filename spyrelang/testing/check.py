"""`spyre.check`: run a kernel, compare it with a reference, and say where it first goes wrong."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from spyrelang import frontend
from spyrelang.driver.kernel import Kernel
from spyrelang.errors import SpyreError
from spyrelang.errors import testing as errors
from spyrelang.language.calls import at_call
from spyrelang.semantics import tolerance as tolerances
from spyrelang.semantics.tolerance import Tolerance
from spyrelang.testing.compare import Array, Comparison, compare
from spyrelang.testing.origin import origin_of, scalar_ops

if TYPE_CHECKING:
    from spyrelang.driver.compiled import Compiled

STAGES = ("ktir", "dataflow")
"""Where numbers can be looked at: the kernel's meaning, and what the device would do."""

_ENGINE_OF = {"ktir": "ktir", "dataflow": "checked"}


@dataclass(frozen=True)
class CheckResult:
    """The verdict. `stage` is the first stage whose numbers are wrong (None when all are right),
    `comparisons` are of that stage, or of the last one. True when everything agrees."""

    kernel: str
    ok: bool
    stage: str | None
    comparisons: tuple[Comparison, ...]
    origins: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    cycles: int = 0
    error: SpyreError | None = field(default=None, repr=False)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        wrong = f"WRONG at stage {self.stage}" if self.stage else "does not run"
        head = f"{self.kernel}: {'ok' if self.ok else wrong}"
        lines = [head]
        for item in self.comparisons:
            lines += _lines(item)
        lines += [f"  {text}" for text in (*self.origins, *self.notes)]
        if self.error is not None:
            lines.append(self.error.render())
        return "\n".join(lines)

    __repr__ = __str__

    def to_json(self) -> str:
        """The same for tools."""
        outputs = [
            {
                "name": item.name,
                "elements": item.elements,
                "misses": item.misses,
                "pattern": item.pattern,
                "tolerance_ulp": item.tolerance.ulp,
                "worst": None if item.worst is None else _worst(item),
            }
            for item in self.comparisons
        ]
        return json.dumps(
            {
                "kernel": self.kernel,
                "ok": self.ok,
                "stage": self.stage,
                "outputs": outputs,
                "origins": list(self.origins),
                "notes": list(self.notes),
                "cycles": self.cycles,
                "error": None if self.error is None else self.error.code,
            },
            indent=1,
        )


def _worst(item: Comparison) -> dict[str, object]:
    assert item.worst is not None
    return {
        "index": list(item.worst.index),
        "got": repr(item.worst.got),
        "want": repr(item.worst.want),
        "ulp": repr(item.worst.ulp),
    }


def _lines(item: Comparison) -> list[str]:
    if item.ok and item.worst is None:
        return [f"  {item.name}: bit-equal ({item.elements} elements)"]
    worst = item.worst
    assert worst is not None
    place = f"[{', '.join(map(str, worst.index))}]"
    off = f"{place}: got {worst.got!r}, want {worst.want!r}, {worst.ulp:g} ulp"
    if item.ok:
        return [f"  {item.name}: within {item.tolerance.ulp:g} ulp; furthest {off}"]
    return [f"  {item.name}: {item.pattern}", f"  worst {off}"]


def check(
    kernel: Kernel,
    *,
    ref: Callable[..., Any],
    inputs: Sequence[Any] | Mapping[str, Any],
    grid: Any = None,
    device: Any = None,
    engine: str = "checked",
    tolerance: float | Tolerance | None = None,
    stages: Sequence[str] | None = None,
    seed: int = 0,
    **consts: Any,
) -> CheckResult:
    """Run `kernel` on `inputs` and compare each output with `ref`.

    `inputs`: the In and InOut arrays, by position or by name. Outputs are allocated from the named
    dims and filled with a poison pattern. `ref` gets the In and InOut arrays by position and
    returns the outputs in order (InOut ones included). `tolerance`: ulp, or a `Tolerance`; default
    is derived from the ops the kernel uses. `stages`: where to look, of "ktir" and "dataflow";
    engine "ktir" looks at the first alone, as kernels need that cannot be scheduled.

    Raises SPY83x where the call itself is wrong; a kernel that is wrong is a result.
    """
    with at_call():
        if not isinstance(kernel, Kernel):  # type: ignore[reportUnnecessaryIsInstance]
            raise errors.NOT_A_KERNEL.error(got=f"{kernel!r:.60}")
        call = _Call(kernel, ref, inputs, consts)
        wanted = call.reference()
        above = ("ktir",) if engine == _ENGINE_OF["ktir"] else STAGES
        looked = tuple(stages) if stages is not None else above
        for stage in looked:
            if stage not in STAGES:
                raise errors.STAGE.error(stage=stage, known=", ".join(STAGES))
        compiled = kernel.compile(*call.specs(), grid=grid, device=device, **consts)
        result = CheckResult(kernel.name, True, None, ())
        for stage in looked:
            runner = _ENGINE_OF[stage] if stage == "ktir" else engine
            result = _stage(call, compiled, wanted, stage, runner, tolerance, seed)
            if not result.ok:
                return result
        return result


def _stage(
    call: _Call,
    compiled: Compiled,
    wanted: Mapping[str, Array],
    stage: str,
    engine: str,
    tolerance: float | Tolerance | None,
    seed: int,
) -> CheckResult:
    """Run one stage on fresh arrays and compare."""
    arrays = call.fresh()
    try:
        run = compiled.execute(arrays, engine=engine, seed=seed)
    except SpyreError as error:
        if not error.code.startswith("SPY5"):
            raise  # the call is wrong, or the device cannot run it: no verdict on the numbers
        return CheckResult(compiled.name, False, stage, (), error=error)
    found = tuple(
        compare(name, arrays[name], want, _tolerance(tolerance, compiled, want))
        for name, want in wanted.items()
    )
    wrong = [item for item in found if not item.ok]
    origins = tuple(text for item in wrong for text in origin_of(compiled, item))
    notes = tuple(str(warning) for warning in run.warnings)
    failed = stage if wrong else None
    return CheckResult(compiled.name, not wrong, failed, found, origins, notes, run.cycles)


def _tolerance(given: float | Tolerance | None, compiled: Compiled, want: Array) -> Tolerance:
    if isinstance(given, Tolerance):
        return given
    if isinstance(given, (int, float)):
        return Tolerance(float(given))
    if given is not None:
        raise errors.TOLERANCE.error(got=f"{given!r:.60}")
    from spyrelang.semantics.dtypes import held_by

    dtype = held_by(want.dtype).name
    inexact = [op for op in scalar_ops(compiled) if tolerances.tolerance(op, dtype).ulp > 0]
    if not inexact:
        return Tolerance(0)
    chain = [op for op in scalar_ops(compiled) if op != "arith.constant"]
    return tolerances.tolerance(chain, dtype)


def _outputs(count: int) -> str:
    return f"{count} output{'s' * (count != 1)}"


class _Call:
    """The arguments of one check: what is given, what is allocated, what the reference says."""

    def __init__(
        self,
        kernel: Kernel,
        ref: Callable[..., Any],
        inputs: Sequence[Any] | Mapping[str, Any],
        consts: Mapping[str, Any],
    ) -> None:
        self.kernel = kernel
        self.ref = ref
        self.consts = dict(consts)
        tensors = [p for p in kernel.signature.parameters if p.kind in ("tensor", "ptr")]
        self.read = [p.name for p in tensors if p.role != "out"]
        self.written = [p.name for p in tensors if p.role != "in"]
        self.order = [p.name for p in tensors]
        self.given = self._named(inputs)
        self.allocated: dict[str, tuple[tuple[int, ...], Any]] = {}

    def _named(self, inputs: Any) -> dict[str, Array]:
        if not isinstance(inputs, (Mapping, Sequence)):
            raise errors.INPUTS.error(
                kernel=self.kernel.name, want=", ".join(self.read), got=f"{inputs!r:.60}"
            )
        if isinstance(inputs, Mapping):
            given = {name: np.asarray(value) for name, value in inputs.items()}
        else:
            given = dict(zip(self.read, (np.asarray(v) for v in inputs), strict=False))
            if len(inputs) != len(self.read):
                count = f"{len(inputs)} array{'s' * (len(inputs) != 1)}"
                raise errors.INPUTS.error(
                    kernel=self.kernel.name, want=", ".join(self.read), got=count
                )
        missing = [name for name in self.read if name not in given]
        unknown = [name for name in given if name not in self.order]
        if missing or unknown:
            raise errors.INPUTS.error(
                kernel=self.kernel.name, want=", ".join(self.read), got=", ".join(given)
            )
        return given

    def reference(self) -> dict[str, Array]:
        """What the outputs should be; also fixes their shapes and types."""
        self._check_reference()
        results = self.ref(*(self.given[name].copy() for name in self.read))
        listed = list(results) if isinstance(results, (tuple, list)) else [results]
        if len(listed) != len(self.written):
            raise errors.REFERENCE.error(
                kernel=self.kernel.name,
                want=_outputs(len(self.written)),
                got=_outputs(len(listed)),
            )
        wanted: dict[str, Array] = {}
        for name, value in zip(self.written, listed, strict=True):
            wanted[name] = self._fit(name, np.asarray(value))
        return wanted

    def _check_reference(self) -> None:
        """Whether the reference can be called with the arrays the kernel reads."""
        try:
            inspect.signature(self.ref).bind(*self.read)
        except TypeError as error:
            raise errors.REFERENCE_CALL.error(
                kernel=self.kernel.name, want=", ".join(self.read), reason=error
            ) from None
        except ValueError:
            return  # a builtin without a signature, such as a numpy function

    def _fit(self, name: str, value: Array) -> Array:
        """The reference in the type the kernel writes."""
        if name in self.given:
            shape, dtype = self.given[name].shape, self.given[name].dtype
        else:
            shape, dtype = self._declared(name, value)
            self.allocated[name] = (shape, dtype)
        if value.shape != shape:
            raise errors.REFERENCE_SHAPE.error(
                kernel=self.kernel.name, name=name, want=shape, got=value.shape
            )
        declared = self.kernel.signature[name].dtype
        if declared is not None and declared.is_df16 and value.dtype != dtype:
            from spyrelang.semantics.df16 import to_df16

            return to_df16(value)
        return value.astype(dtype)

    def _declared(self, name: str, value: Array) -> tuple[tuple[int, ...], Any]:
        """Shape and type of an output from its annotation; what that leaves open, from the
        reference, where an input of the kernel has that type (numpy computes wider types), else
        from the inputs that are floats, or integers, as the reference is."""
        parameter = self.kernel.signature[name]
        dtype: Any = parameter.dtype.numpy if parameter.dtype is not None else value.dtype
        read = {array.dtype for array in self.given.values()}
        if parameter.dtype is None and dtype not in read:
            alike = {d for d in read if _whole(d) == _whole(dtype)} if len(read) > 1 else read
            dtype = next(iter(alike)) if len(alike) == 1 else dtype
        sizes = self._sizes()
        known = [
            d if isinstance(d, int) else sizes.get(str(getattr(d, "name", d)))
            for d in parameter.dims or (None,)
        ]
        if any(size is None for size in known):
            return value.shape, dtype
        return tuple(int(size) for size in known if size is not None), dtype

    def _sizes(self) -> dict[str, int]:
        """The named sizes that the inputs fix."""
        sizes: dict[str, int] = {}
        for name, array in self.given.items():
            dims = self.kernel.signature[name].dims or ()
            if len(dims) == array.ndim and Ellipsis not in dims:
                named = zip(dims, array.shape, strict=True)
                sizes.update({str(getattr(d, "name", d)): n for d, n in named})
        return sizes

    def fresh(self) -> dict[str, Array]:
        """Arguments for one run: copies of the inputs, poisoned outputs."""
        arrays = {name: value.copy() for name, value in self.given.items()}
        for name, (shape, dtype) in self.allocated.items():
            arrays[name] = poisoned(shape, dtype)
        return {name: arrays[name] for name in self.order}

    def specs(self) -> list[Any]:
        declared = self.kernel.signature
        return [frontend.spec_of(v, declared[name].dtype) for name, v in self.fresh().items()]


def _whole(dtype: Any) -> bool:
    return np.dtype(dtype).kind in "iub"


def poisoned(shape: Sequence[int], dtype: Any) -> Array:
    """An array no result can be mistaken for: NaN, or a rare bit pattern for integers."""
    array = np.empty(tuple(shape), dtype)
    array.view(np.uint8).reshape(-1)[...] = 0xFF
    if array.dtype.kind in "iu":
        array.view(np.uint8).reshape(-1)[...] = 0xA5
    return array
