"""`@spyre.kernel`: a Python function that compiles itself for what it is called with."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from spyrelang import frontend, settings
from spyrelang.driver.bases import Bases, element_addresses
from spyrelang.driver.cache import COMPILED, fingerprint
from spyrelang.driver.compiled import check_engine, check_numerics
from spyrelang.driver.stages import check_stage
from spyrelang.errors import SpyreError
from spyrelang.errors.driver import NO_SPECIALISATION
from spyrelang.language.calls import at_call

if TYPE_CHECKING:
    from spyrelang import display
    from spyrelang.device import Device
    from spyrelang.driver.compiled import Compiled
    from spyrelang.driver.run import Run

Grid = int | tuple[int, ...] | Callable[..., Any] | None
DeviceLike = "Device | str | Path | None"


class Kernel:
    """A kernel: call it with arrays, or look at what it becomes.

    `grid` is an int, a tuple of up to three ints, or a callable that gets the specs by parameter
    name; the default is one tile.
    """

    def __init__(
        self, function: Callable[..., Any], grid: Grid = None, name: str | None = None
    ) -> None:
        self.function = function
        self.grid = grid
        self.signature = frontend.signature(function, name)
        self._latest: Compiled | None = None
        functools.update_wrapper(self, function)

    @property
    def name(self) -> str:
        """The kernel's symbol."""
        return self.signature.name

    def __call__(
        self,
        *args: Any,
        grid: Grid = None,
        device: Any = None,
        engine: str = "fast",
        numerics: str = "ieee",
        seed: int | None = None,
        bases: Bases = None,
        **named: Any,
    ) -> Run:
        """Compile for these arguments (or take it from the cache) and run.

        Arrays are bound by position or name; `Out` and `InOut` arrays are filled in place. For
        `bases` see `compile`. Raises SPY2xx for the kernel's own faults, SPY4xx where the device
        cannot run it, SPY5xx for what the engine finds, SPY7xx for the arrays.
        """
        with at_call():
            check_engine(engine)
            check_numerics(numerics)
            bound = _row_major(frontend.bind(self.signature, args, named))
            compiled = self._compile(bound, grid, device, bases)
            arrays = {name: bound.values[name] for name in bound.specs}
            number = settings.current().seed if seed is None else seed
            run = compiled.execute(arrays, engine=engine, numerics=numerics, seed=number)
            return run.told(known=True)

    def compile(
        self,
        *args: Any,
        grid: Grid = None,
        device: Any = None,
        profile: str | None = None,
        bases: Bases = None,
        **named: Any,
    ) -> Compiled:
        """Compile for arrays or `spyre.spec`s.

        `bases` fixes where tensors lie, {name: address in bytes}: these are then constants of the
        KTIR and no arguments of it, and a run takes their arrays as before. "segments" puts every
        tensor at the start of a segment of 16 GiB, in order. Raises SPY837.

        `profile`: "scheduler-v1", "ours" or "interpreter"; then `Compiled.profile` lists, with
        lines, what that consumer of the KTIR refuses. Raises SPY461 for another name.
        """
        with at_call():
            given = self._or_declared(args, named)
            bound = _row_major(frontend.bind(self.signature, given, named))
            return self._compile(bound, grid, device, bases).with_profile(profile)

    def ir(
        self, stage: str = "ktir", *args: Any, locs: bool = False, **named: Any
    ) -> display.IRText:
        """The text of a stage; without arguments of the latest specialisation."""
        with at_call():
            check_stage(stage)
            return self._specialised(args, named).ir(stage, locs=locs)

    def show_ir(
        self, stage: str = "ktir", *args: Any, diff: bool = False, locs: bool = False, **named: Any
    ) -> None:
        """Print a stage in colour; `diff`: what changed since the stage before."""
        with at_call():
            check_stage(stage)
            self._specialised(args, named).show_ir(stage, diff=diff, locs=locs)

    def export(self, path: str | Path, *args: Any, **named: Any) -> Path:
        """Compile and write the SpyreCode artifact; returns its path."""
        with at_call():
            return self._specialised(args, named).export(path)

    def __repr__(self) -> str:
        return f"<Kernel {self.name}>"

    # --- specialisation ---------------------------------------------------------------------------

    def _specialised(self, args: Sequence[Any], named: Mapping[str, Any]) -> Compiled:
        if args or any(p.name in named for p in self.signature.parameters):
            return self.compile(*args, **named)
        if self._declared() is not None:
            return self.compile(**named)
        if self._latest is None:
            raise NO_SPECIALISATION.error(self.signature.location, kernel=self.name)
        return self._latest

    def _or_declared(self, args: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
        """Where a call gives no tensors but the annotations say everything, those."""
        if args or any(p.name in named for p in self.signature.parameters):
            return args
        return self._declared() or args

    def _declared(self) -> tuple[Any, ...] | None:
        """Specs from annotations alone, or None."""
        specs: list[Any] = []
        for parameter in self.signature.parameters:
            dims, dtype = parameter.dims, parameter.dtype
            if dims is None or dtype is None or not all(isinstance(d, int) for d in dims):
                return None
            specs.append(frontend.tensor_spec(dims, dtype))
        return tuple(specs) or None

    def _compile(
        self, bound: frontend.BoundArguments, grid: Grid, device: Any, bases: Bases
    ) -> Compiled:
        from spyrelang.device import Device

        chosen = (
            Device.load(device or settings.current().device)
            if not isinstance(device, Device)
            else device
        )
        shape = frontend.resolve_grid(self.grid if grid is None else grid, bound)
        addresses = element_addresses(bases, bound)
        key = self._key(bound, shape, chosen, addresses)
        compiled = COMPILED.get(key) if settings.current().cache else None
        if compiled is None:
            compiled = self._build(bound, shape, chosen, addresses)
            if settings.current().cache:
                COMPILED.put(key, compiled)
        self._latest = compiled
        return compiled

    def _key(
        self,
        bound: frontend.BoundArguments,
        grid: tuple[int, ...],
        device: Device,
        addresses: Mapping[str, int],
    ) -> Hashable:
        """All that a compilation depends on: code, closure, globals, specs, grid, device text."""
        specs = tuple(bound.specs.items())
        consts = tuple((name, type(value), value) for name, value in bound.consts.items())
        places = tuple(sorted(addresses.items()))
        return fingerprint(self.function), self.name, specs, consts, grid, device.text, places

    def _build(
        self,
        bound: frontend.BoundArguments,
        grid: tuple[int, ...],
        device: Device,
        addresses: Mapping[str, int],
    ) -> Compiled:
        from spyrelang.driver.build import build_traced
        from spyrelang.isa.program import Argument

        traced = frontend.trace(
            self.signature, bound.arguments, grid=grid, name=self.name, bases=addresses
        )
        for warning in (*traced.warnings, *frontend.warnings(traced)):
            warnings.warn(warning, stacklevel=4)
        given = [p.name for p in self.signature.parameters if p.name in bound.specs]
        compiled = build_traced(traced, device, given, addresses)
        compiled.fixed = tuple(
            Argument(n, self.signature[n].role, s.dtype.mlir, s.shape, s.element_strides)
            for n, s in bound.specs.items()
            if n in addresses
        )
        return compiled


def _row_major(bound: frontend.BoundArguments) -> frontend.BoundArguments:
    """Arrays as the device sees them: strided ones are copied there, so one compilation serves all
    layouts of a shape. A `spyre.spec` with a layout keeps it."""
    specs = {
        name: spec
        if spec.strides is None or isinstance(bound.values[name], frontend.TensorSpec)
        else replace(spec, strides=None)
        for name, spec in bound.specs.items()
    }
    return replace(bound, specs=specs)


@overload
def kernel(fn: Callable[..., Any], *, grid: Grid = None, name: str | None = None) -> Kernel: ...
@overload
def kernel(
    fn: None = None, *, grid: Grid = None, name: str | None = None
) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(
    fn: Callable[..., Any] | None = None, *, grid: Grid = None, name: str | None = None
) -> Kernel | Callable[[Callable[..., Any]], Kernel]:
    """Make a `Kernel` of a function: `@spyre.kernel` or `@spyre.kernel(grid=32)`.

    `grid`: an int, a tuple, or a callable of the specs by parameter name. `name`: the symbol,
    where the function's own name will not do. Raises SPY27x for a signature that no kernel can
    have.
    """
    if fn is None:
        return lambda function: Kernel(function, grid, name)
    return Kernel(fn, grid, name)


__all__ = ["Kernel", "SpyreError", "kernel"]
