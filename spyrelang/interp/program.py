"""A compiled kernel and its runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from mlir.ir import WalkResult

from spyrelang.errors import Location, SpyreError
from spyrelang.errors import interp as errors
from spyrelang.errors.driver import NO_KERNEL, not_one_kernel, unknown_numerics
from spyrelang.interp import text
from spyrelang.interp.arguments import Binder, Bound, check_arguments, declared
from spyrelang.interp.compiler import BATCH_ELEMENTS, FACTOR_ELEMENTS, SMALL_BATCH, Compiler
from spyrelang.interp.frame import Frame, failed_step, run
from spyrelang.interp.memory import SCRATCHPAD, Region
from spyrelang.interp.registry import Op
from spyrelang.interp.state import State
from spyrelang.interp.values import Array
from spyrelang.ir import LOCK, Module, context, location_of
from spyrelang.semantics import NUMERICS


@dataclass
class Coverage:
    """What a run did to one argument. `unread`, `unwritten` and `twice` have the array's shape;
    `twice` marks elements that were stored more than once."""

    name: str
    role: str
    shape: tuple[int, ...]
    _region: Region = field(repr=False)
    location: Location | None = field(default=None, repr=False)

    def _shaped(self, mask: Array) -> Array:
        return mask.reshape(self.shape)

    @cached_property
    def read(self) -> Array:
        return self._shaped(self._region.read)

    @cached_property
    def written(self) -> Array:
        owner = self._region.owner
        return np.zeros(self.shape, np.bool_) if owner is None else self._shaped(owner != 0)

    @cached_property
    def twice(self) -> Array:
        found = self._region.twice
        return np.zeros(self.shape, np.bool_) if found is None else self._shaped(found)

    @property
    def complete(self) -> bool:
        """Whether every element was used as the role says: read, or written."""
        mask = self.read if self.role == "in" else self.written
        return bool(mask.all())


@dataclass
class InterpOutcome:
    """Result of a run. `cycles` is 0: KTIR has no time. `warnings`: races and what else did not
    stop the run. `coverage`: one entry for each array, arguments first. `prints`: what
    tiles printed, line by line."""

    cycles: int = 0
    warnings: list[SpyreError] = field(default_factory=list[SpyreError])
    coverage: list[Coverage] = field(default_factory=list[Coverage], repr=False)
    prints: list[str] = field(default_factory=list[str])
    engine: str = "ktir"


class Program:
    """A kernel that is ready to run; it holds no MLIR.

    `numerics` is the numeric mode it was compiled for.
    """

    def __init__(self, module: Module, function: Op, numerics: str = "ieee") -> None:
        self.name = text.string(function, "sym_name")
        self.place = location_of(function, module)
        self.grid = _grid(module, function)
        self.numerics = numerics
        c = Compiler(module, self.name, self.grid, numerics)
        c.communicates = _communicates(function)
        arguments = declared(c, function)
        blocks = list(function.regions[0].blocks)
        if len(blocks) != 1:
            leaving = list(blocks[0].operations)[-1].operation if blocks else function
            raise c.fail(leaving, "the body of a kernel must be one block")
        c.ops(blocks[0])
        check_arguments(self.name, arguments, c.uses)
        self._steps = c.steps
        self._origins = c.origins
        self._slots = len(c.slots)
        self._fixed_batch = self._batch_whatever_the_arrays(c)
        self._largest = c.largest
        self._largest_beside_factors = c.largest_beside_factors
        self._binder = Binder(self.name, arguments, c.uses, self.tiles, numerics)

    @property
    def tiles(self) -> int:
        return int(np.prod(self.grid, dtype=np.int64))

    @property
    def signature(self) -> Any:
        """The arguments, in the runtime's terms."""
        return self._binder.signature

    def _batch_whatever_the_arrays(self, c: Compiler) -> int | None:
        """How many tiles run together, where that does not depend on the sizes of arrays."""
        if c.communicates:
            return self.tiles
        return 1 if c.per_tile is not None or c.trip_loops else None

    def _batch(self, elements: int, factors: int) -> int:
        """How many tiles run together: so many elements of a value, or of a matrix that is only
        multiplied."""
        most = min(elements // self._largest_beside_factors, factors // self._largest)
        return max(elements // self._largest, most)

    def run(
        self,
        arrays: Mapping[str, object],
        *,
        memory: Mapping[int, object] | None = None,
        scratchpad: int = SCRATCHPAD,
    ) -> InterpOutcome:
        """Run on arrays by argument name; outputs are filled in place.

        `memory`: {address: array} for constant addresses, in elements of each array's dtype.
        `scratchpad`: bytes of each tile's own.
        Raises SPY700 to SPY726 for arguments and SPY560 to SPY578 for what the kernel does.
        """
        bound = self._binder.bind(arrays, memory)
        bound.memory.scratchpad = scratchpad
        quarter = sum(operand.array.size for operand, _, _ in bound.arrays) // 4
        elements = min(max(quarter, SMALL_BATCH), BATCH_ELEMENTS)
        state = State(self.grid, bound.memory, elements, bound.inputs)
        batch = self._fixed_batch or max(1, self._batch(elements, min(quarter, FACTOR_ELEMENTS)))
        try:
            for first in range(0, self.tiles, batch):
                last = min(first + batch, self.tiles)
                self._run_tiles(np.arange(first, last), state)
        except MemoryError as refused:
            if isinstance(refused, SpyreError):
                raise
            place = self.place_of(refused)
            detail = str(refused) or "the system gives no more"
            raise errors.NO_ROOM.error(place, kernel=self.name, detail=detail) from None
        finally:
            bound.copy_back()
        return _outcome(state, bound, self.place)

    def place_of(self, error: BaseException) -> Location | None:
        """The op that an exception came out of."""
        step = failed_step(error)
        return None if step is None else self._origins.get(id(step))

    def _run_tiles(self, tiles: Array, state: State) -> None:
        regs: list[Any] = [None] * self._slots
        regs[: len(state.inputs)] = state.inputs
        run(self._steps, Frame(regs, tiles, state))


def _communicates(function: Op) -> bool:
    """Whether the tiles of a kernel exchange data."""
    found: list[str] = []

    def visit(op: Any) -> Any:
        if op.name.startswith("ktdp.inter_tile"):
            found.append(op.name)
        return WalkResult.ADVANCE

    function.walk(visit)
    return bool(found)


def _grid(module: Module, function: Op) -> tuple[int, ...]:
    """The grid attribute. Raises SPY555."""
    found = text.grid(function)
    if found is not None:
        return found
    given = function.attributes.get("grid")
    what = "" if given is None else f"is {given}; "
    reason = f"{what}it must be a list of one to three positive numbers" if what else "is missing"
    raise errors.GRID.error(
        location_of(function, module), kernel=text.string(function, "sym_name"), reason=reason
    )


def _outcome(state: State, bound: Bound, place: Location | None) -> InterpOutcome:
    coverage: list[Coverage] = []
    for operand, region, _ in bound.arrays:
        param = operand.param
        coverage.append(Coverage(param.name, param.role, operand.array.shape, region, param.place))
        if param.role == "out" and param.index >= 0:
            _check_output(state, coverage[-1], place)
    return InterpOutcome(warnings=state.warnings, coverage=coverage, prints=state.prints)


def _check_output(state: State, found: Coverage, place: Location | None) -> None:
    missing = ~found.written
    count = int(missing.sum())
    if count:
        index = np.unravel_index(int(np.argmax(missing)), missing.shape) if missing.ndim else ()
        state.warnings.append(
            errors.UNWRITTEN_OUTPUT.error(
                found.location or place,
                count=count,
                total=missing.size,
                name=found.name,
                index=[int(i) for i in index],
            )
        )


def compile(module: Module, name: str | None = None, *, numerics: str = "ieee") -> Program:
    """Compile one kernel of a module: by name, or the only one.

    `numerics`: with "df16" every f16 of the kernel is computed as DLFloat16, as the hardware does;
    f16 arrays are converted when they are bound, and back. Raises SPY553 to SPY559 for what cannot
    be interpreted, SPY825 and SPY826 where the kernel is not there, SPY823 for unknown modes.
    """
    if numerics not in NUMERICS:
        raise unknown_numerics(numerics, NUMERICS)
    with LOCK, context():
        return Program(module, _kernel(module, name), numerics)


def _kernel(module: Module, name: str | None) -> Op:
    functions = {text.string(f, "sym_name"): f for f in module.funcs()}
    bodies = {n: f for n, f in functions.items() if len(list(f.regions[0].blocks))}
    kernels = {n: f for n, f in bodies.items() if "grid" in f.attributes} or bodies
    listed = ", ".join(sorted(kernels)) or "none"
    if name is not None:
        if name not in bodies:
            raise NO_KERNEL.error(name=name, file=module.name, names=listed)
        return bodies[name]
    if len(kernels) != 1:
        raise not_one_kernel(sorted(map(str, kernels)))
    return next(iter(kernels.values()))
