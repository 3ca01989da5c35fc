"""Binding of a call's arguments to a kernel's parameters, with all checks, and grids."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import EllipsisType, TracebackType
from typing import Any, NoReturn

from spyrelang.errors import ErrorKind, Location, SpyreError
from spyrelang.errors import signature as errors
from spyrelang.frontend.signature import MISSING, Parameter, Signature, hashable, signature
from spyrelang.frontend.specs import TensorSpec, spec_of
from spyrelang.language.annotations import Dim
from spyrelang.language.index import as_integer
from spyrelang.language.place import CodeInfo, is_author
from spyrelang.language.scalars import as_number
from spyrelang.language.tracing import active, fail, kind_of
from spyrelang.language.types import element_type


@dataclass(frozen=True)
class BoundArguments:
    """A call, bound. `values` has the argument of every parameter as it was given, `specs` the
    tensors', `consts` the constants (sizes declared `Dim` included), `dims` the named sizes."""

    signature: Signature
    values: Mapping[str, Any]
    specs: Mapping[str, TensorSpec]
    consts: Mapping[str, Any]
    dims: Mapping[str, int]

    @property
    def arguments(self) -> dict[str, Any]:
        """Specs and constants by parameter name, as `trace` takes them."""
        return {
            p.name: self.specs.get(p.name, self.consts.get(p.name))
            for p in self.signature.parameters
        }


def bind(
    kernel: Signature | Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> BoundArguments:
    """Bind positional and keyword arguments; raises SPY27x and SPY28x where they do not fit."""
    target = kernel if isinstance(kernel, Signature) else signature(kernel)
    if active() is not None:
        fail(errors.NESTED_KERNEL, kernel=target.name)
    values = _by_name(target, args, kwargs)
    binder = _Binder(target)
    for parameter in target.parameters:
        binder.take(parameter, values[parameter.name])
    return BoundArguments(target, values, binder.specs, binder.consts, binder.sizes())


def _by_name(target: Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Every parameter's value, defaults included."""
    names = [p.name for p in target.parameters]
    known = ", ".join(names) or "none"
    if len(args) > len(names):
        fail(
            errors.TOO_MANY_ARGUMENTS,
            kernel=target.name, expected=len(names), known=known, given=len(args),
        )  # fmt: skip
    values = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            hint = f"did you mean '{near[0]}'?" if near else None
            fail(errors.UNKNOWN_ARGUMENT, kernel=target.name, name=name, known=known, hint=hint)
        if name in values:
            fail(errors.ARGUMENT_TWICE, kernel=target.name, name=name)
        values[name] = value
    for parameter in target.parameters:
        if parameter.name not in values:
            if parameter.default is MISSING:
                declared = parameter.declared()
                fail(
                    errors.MISSING_ARGUMENT,
                    kernel=target.name, name=parameter.name, declared=declared,
                    hint=f"pass {parameter.name}",
                )  # fmt: skip
            values[parameter.name] = parameter.default
    return values


@dataclass(frozen=True)
class _Use:
    """Where a named size got its value."""

    value: int
    name: str
    shape: tuple[int, ...] | str


class _Binder:
    """Checks the arguments one after the other; named sizes tie them together."""

    def __init__(self, target: Signature) -> None:
        self.kernel = target.name
        self.specs: dict[str, TensorSpec] = {}
        self.consts: dict[str, Any] = {}
        self._uses: dict[str, _Use] = {}

    def sizes(self) -> dict[str, int]:
        return {name: use.value for name, use in self._uses.items()}

    def _fail(self, kind: ErrorKind, parameter: Parameter, **values: Any) -> NoReturn:
        fail(kind, kernel=self.kernel, name=parameter.name, **values)

    def take(self, parameter: Parameter, value: Any) -> None:
        if parameter.kind == "tensor":
            self._tensor(parameter, value)
        elif parameter.kind == "const":
            self._constant(parameter, value)
        elif parameter.kind == "dim":
            self._size(parameter, value)
        else:
            self._address(parameter, value)

    # --- constants

    def _constant(self, parameter: Parameter, value: Any) -> None:
        array = getattr(value, "shape", ()) != () or hasattr(value, "__array_interface__")
        if array and as_number(value) is None:
            self._fail(errors.NOT_A_CONSTANT, parameter, got=_described(value))
        if not hashable(value):
            self._fail(errors.UNHASHABLE, parameter, got=type(value).__name__)
        number = as_number(value)
        self.consts[parameter.name] = value if number is None else number

    def _size(self, parameter: Parameter, value: Any) -> None:
        number = as_integer(value)
        assert parameter.dim is not None
        if value is None and parameter.dim.max is not None:
            self.consts[parameter.name] = None
            return
        if number is None:
            rule = "an int, or None for one that is given at launch and has a max"
            fail(
                errors.DIM_VALUE,
                kernel=self.kernel, dim=parameter.dim.name, value=repr(value), rule=rule,
            )  # fmt: skip
        self.consts[parameter.name] = number
        self._tie(parameter.dim, number, _Use(number, parameter.name, ""))

    def _address(self, parameter: Parameter, value: Any) -> None:
        """An int, or an array whose address is meant; None stands for one given at launch."""
        number = as_integer(value)
        if value is None or (number is not None and number >= 0):
            return
        if getattr(value, "dtype", None) is None or number is not None:
            self._fail(errors.NOT_AN_ADDRESS, parameter, got=_described(value))
        spec = self._spec(parameter, value)
        self._check_type(parameter, spec)
        self.specs[parameter.name] = spec

    # --- tensors

    def _tensor(self, parameter: Parameter, value: Any) -> None:
        spec = self._spec(parameter, value)
        self._check_type(parameter, spec)
        if parameter.role != "in":
            self._check_distinct(parameter, spec)
        if parameter.dims is not None:
            self._check_dims(parameter, parameter.dims, spec)
        self.specs[parameter.name] = spec

    def _spec(self, parameter: Parameter, value: Any) -> TensorSpec:
        try:
            spec = spec_of(value, parameter.dtype)
        except SpyreError as bad:
            hint = (bad.hint or "").replace("array.", f"pass {parameter.name}.")
            self._fail(errors.ARGUMENT_TYPE, parameter, reason=bad.message, hint=hint or None)
        except ValueError as bad:
            hint = f"pass a copy: {parameter.name}.copy()"
            self._fail(errors.STRIDES, parameter, strides=value.strides, reason=bad, hint=hint)
        if spec is None:
            self._fail(errors.NOT_A_TENSOR, parameter, got=_described(value))
        try:
            element_type(spec.dtype)
        except SpyreError as bad:
            self._fail(errors.ARGUMENT_TYPE, parameter, reason=bad.message)
        return spec

    def _check_type(self, parameter: Parameter, spec: TensorSpec) -> None:
        if parameter.dtype is not None and spec.dtype != parameter.dtype:
            hint = _conversion(parameter)
            self._fail(
                errors.ARGUMENT_DTYPE, parameter, want=parameter.dtype, got=spec.dtype, hint=hint
            )

    def _check_distinct(self, parameter: Parameter, spec: TensorSpec) -> None:
        """An output whose axis has stride 0 has several elements in one place."""
        pairs = zip(spec.shape, spec.element_strides, strict=True)
        if any(size > 1 and stride == 0 for size, stride in pairs):
            reason = "and is written, but several elements share one place"
            hint = f"pass an array of its own: np.empty({spec.shape}, …)"
            self._fail(
                errors.STRIDES, parameter,
                strides=spec.element_strides, reason=reason, hint=hint,
            )  # fmt: skip

    def _check_dims(
        self,
        parameter: Parameter,
        dims: tuple[int | str | EllipsisType | Dim, ...],
        spec: TensorSpec,
    ) -> None:
        """Rank and sizes; `...` stands for any number of axes."""
        given = [d for d in dims if d is not Ellipsis]
        spare = spec.rank - len(given)
        if spare < 0 or (spare and len(given) == len(dims)):
            want = len(given) if len(given) == len(dims) else f"at least {len(given)}"
            self._fail(
                errors.ARGUMENT_RANK, parameter,
                want=want, dims=parameter.declared(), got=spec.shape,
            )  # fmt: skip
        axis = 0
        for dim in dims:
            if isinstance(dim, EllipsisType):
                axis += spare
                continue
            self._check_size(parameter, dim, axis, spec)
            axis += 1

    def _check_size(
        self, parameter: Parameter, dim: int | str | Dim, axis: int, spec: TensorSpec
    ) -> None:
        size = spec.shape[axis]
        if isinstance(dim, int):
            if size != dim:
                self._fail(errors.ARGUMENT_SIZE, parameter, axis=axis, want=dim, got=size)
            return
        self._tie(dim, size, _Use(size, parameter.name, spec.shape))

    def _tie(self, dim: str | Dim, value: int, use: _Use) -> None:
        name = dim if isinstance(dim, str) else dim.name
        if isinstance(dim, Dim):
            self._check_rule(dim, value)
        first = self._uses.setdefault(name, use)
        if first.value != value:
            fail(
                errors.DIM_CONFLICT,
                kernel=self.kernel, dim=name,
                first=first.value, first_name=first.name, first_shape=first.shape,
                second=value, second_name=use.name, second_shape=use.shape,
            )  # fmt: skip

    def _check_rule(self, dim: Dim, value: int) -> None:
        rule = None
        if dim.max is not None and value > dim.max:
            rule = f"at most {dim.max}"
        elif value % dim.granularity or value <= 0:
            rule = f"a positive multiple of {dim.granularity}"
        if rule:
            fail(errors.DIM_VALUE, kernel=self.kernel, dim=dim.name, value=value, rule=rule)


def _conversion(parameter: Parameter) -> str:
    if parameter.dtype is not None and parameter.dtype.is_df16 and parameter.role == "in":
        return f"pass spyre.to_df16({parameter.name}), which gives its codes"
    storage = parameter.dtype.storage if parameter.dtype is not None else None
    convert = f"{parameter.name}.astype(np.{storage.name})" if storage is not None else "a copy"
    return f"pass {convert}" if parameter.role == "in" else _allocation(parameter)


def _allocation(parameter: Parameter) -> str:
    codes = parameter.dtype is not None and parameter.dtype.is_df16
    return f"allocate it as {'np.uint16, which holds codes of ' * codes}{parameter.dtype}"


def _described(value: object) -> str:
    if value is None:
        return "None"
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return f"an array of shape {shape}"
    return f"{value!r}" if isinstance(value, (int, float, str)) else kind_of(value)


# --- grids ----------------------------------------------------------------------------------------

Grid = int | tuple[int, ...] | Callable[..., Any] | None


def resolve_grid(grid: Grid, bound: BoundArguments) -> tuple[int, ...]:
    """The grid of a call: None is one tile; a callable gets specs, constants and named sizes by
    parameter name."""
    kernel = bound.signature.name
    if callable(grid):
        grid = _called(grid, bound)
    items = (1,) if grid is None else grid if isinstance(grid, (tuple, list)) else (grid,)
    sizes = tuple(as_integer(item) for item in items)
    found = tuple(s for s in sizes if s is not None and 0 < s < 1 << 16)
    if not 1 <= len(items) <= 3 or len(found) != len(items):
        halves = any(isinstance(item, float) for item in items)
        hint = "divide integers with //" if halves else None
        fail(errors.GRID, kernel=kernel, got=grid, hint=hint)
    return found


def _called(grid: Callable[..., Any], bound: BoundArguments) -> Any:
    kernel = bound.signature.name
    known = {**bound.dims, **bound.consts, **bound.specs}
    given: dict[str, Any] = {}
    for parameter in inspect.signature(grid).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            given |= known
        elif parameter.name in known:
            given[parameter.name] = known[parameter.name]
        elif parameter.default is MISSING:
            near = difflib.get_close_matches(parameter.name, known, 1)
            hint = f"did you mean '{near[0]}'?" if near else None
            problem = (
                f"has the parameter '{parameter.name}', which is no tensor or size of the kernel"
            )
            fail(errors.GRID_FUNCTION, kernel=kernel, problem=problem, hint=hint)
    try:
        return grid(**given)
    except Exception as bad:
        problem = f"raised {type(bad).__name__}: {bad}"
        hint = "correct the function; shapes are tuples: x.shape[0]"
        where = _raised_at(bad.__traceback__)
        raise errors.GRID_FUNCTION.error(where, kernel=kernel, problem=problem, hint=hint) from bad


def _raised_at(traceback: TracebackType | None) -> Location | None:
    """The line of the author's function that was running, not that of what it called."""
    while traceback is not None and not is_author(traceback.tb_frame):
        traceback = traceback.tb_next
    if traceback is None:
        return None
    return CodeInfo(traceback.tb_frame.f_code).location(traceback.tb_lasti)
