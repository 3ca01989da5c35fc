"""State of the compiler of one class of units: frame, scopes, and what it has emitted so far."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spyrelang.engines.fast.counts import Count, entry, function, plus, times
from spyrelang.engines.fast.linear import Frame, Ints, Kind, Lin, Slot
from spyrelang.engines.fast.network import Endpoint, Inlet, Outlet, Wiring
from spyrelang.engines.fast.ports import Port
from spyrelang.engines.fast.spaces import DeviceSpace, LocalSpace, Spaces
from spyrelang.engines.fast.steps import PLAIN, Step
from spyrelang.errors import Location
from spyrelang.errors.engine import BAD_PROGRAM
from spyrelang.isa.program import Executable, ProgramUnit
from spyrelang.isa.validate import location

NET, WORK, MASK, RESERVED = 0, 1, 2, 3
"""Frame entries: the network, work done so far, positions of the active units (None: all)."""


class NotAxis(Exception):
    """This loop cannot be an array axis; it stays a loop."""


class Split(Exception):
    """Control differs between units: compile the units of each label on their own."""

    def __init__(self, labels: Ints) -> None:
        super().__init__("control differs between units")
        self.labels = labels


@dataclass(eq=False)
class Vector:
    """A vector register: arrays [units, one axis per enclosing array axis at `depth`, lanes], whose
    axes may have length 1 where the value does not vary."""

    index: int
    depth: int
    dtype: str
    lanes: int


@dataclass(eq=False)
class ViewValue:
    """A view as seen by the units of the class."""

    space: DeviceSpace | LocalSpace
    rows: tuple[tuple[int, int], ...]
    start: Lin  # bytes, base included
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # elements
    dtype: str


Value = Lin | Vector | ViewValue


@dataclass(eq=False)
class AxisLoop:
    """A loop that has become an array axis; `count` holds its current length (of a chunk, on the
    outermost axis), `trips` the whole of it where known, `most` the most it can be."""

    slot: Slot
    trips: int | None
    most: int | None
    count: Slot

    @property
    def length(self) -> Count:
        """Its current length."""
        return entry(self.count.index)


@dataclass(eq=False)
class Use:
    """One side of an access inside a nest, for the dependence tests. `lin` is its address with the
    axis terms; `inner` are (count, stride) of its own access pattern."""

    port: Port
    side: int
    lin: Lin
    inner: tuple[tuple[Count, int], ...]

    @property
    def writes(self) -> bool:
        return self.port.sides[self.side].writes

    def alike(self, other: Use) -> bool:
        """Whether both touch the same bytes in every trip."""
        mine, theirs = self.port.sides[self.side], other.port.sides[other.side]
        return (
            mine.rows == theirs.rows
            and self.inner == other.inner
            and all(isinstance(count, int) for count, _ in self.inner)
            and self.port.dtype.itemsize == other.port.dtype.itemsize
            and self.lin.same(other.lin)
        )


@dataclass(eq=False)
class Cell:
    """Memory that every trip of an axis writes before it reads it: a value of the trip. Only the
    last trip's goes to memory (`store`), at the end."""

    rows: tuple[tuple[int, int], ...]
    address: Lin
    inner: tuple[tuple[Count, int], ...]
    value: Vector
    store: Callable[[Frame], None]


@dataclass(eq=False)
class Level:
    """One array axis: receives per trip, who is sent to, cells; `uses` is where the accesses of the
    nest that are inside of it begin, `branching` counts the loops and branches around the current
    place, up to this axis."""

    uses: int
    inlets: dict[Inlet, Count] = field(default_factory=dict[Inlet, Count])
    outlets: dict[Outlet, None] = field(default_factory=dict[Outlet, None])
    cells: list[Cell] = field(default_factory=list[Cell])
    branching: int = 0

    def receive(self, inlet: Inlet, count: Count) -> None:
        """Add receives."""
        self.inlets[inlet] = plus(self.inlets.get(inlet, 0), count)


@dataclass(eq=False)
class NestState:
    """What is collected while an axis nest is compiled."""

    number: int
    prologue: list[Step] = field(default_factory=list[Step])
    uses: list[Use] = field(default_factory=list[Use])
    counters: dict[Slot, Count] = field(default_factory=dict[Slot, Count])
    vector_bytes: int = 0


@dataclass(eq=False)
class Builder:
    """Compiles for the units at `positions` of `unit`."""

    executable: Executable
    spaces: Spaces
    unit: ProgramUnit
    positions: tuple[int, ...]
    fifos: Wiring
    signals: Wiring
    mixed: frozenset[tuple[int, ...]]
    numerics: str = "ieee"
    template: Frame = field(default_factory=lambda: [None] * RESERVED)
    env: dict[int, Value] = field(default_factory=dict[int, Value])
    steps: list[Step] = field(default_factory=list[Step])
    axes: list[AxisLoop] = field(default_factory=list[AxisLoop])
    levels: list[Level] = field(default_factory=list[Level])
    nest: NestState | None = None
    masked: bool = False
    ports: list[Port] = field(default_factory=list[Port])
    symbols: dict[tuple[int, ...], Slot] = field(default_factory=dict[Any, Slot])
    cursors: dict[tuple[Inlet | Outlet, int], int] = field(default_factory=dict[Any, int])
    endpoints: dict[tuple[str, tuple[int, ...]], Inlet | Outlet | Any] = field(
        default_factory=dict[Any, Any]
    )
    expected: dict[Inlet, tuple[tuple[str, int], Location | None]] = field(
        default_factory=dict[Any, Any]
    )
    nests: int = 0
    tally: int = 0  # vector instructions of the current block

    @property
    def size(self) -> int:
        """How many units."""
        return len(self.positions)

    @property
    def depth(self) -> int:
        """How many array axes enclose the current place."""
        return len(self.axes)

    @property
    def units(self) -> tuple[int, ...]:
        """Machine units of the class."""
        return tuple(self.unit.units[p] for p in self.positions)

    def each(self, values: tuple[int, ...]) -> tuple[int, ...]:
        """The entries of a per-unit tuple that belong to the class."""
        if len(values) == 1:
            return values * self.size
        try:
            return tuple(values[p] for p in self.positions)
        except IndexError:
            reason = f"a table of {len(values)} entries for {len(self.unit.units)} units"
            raise BAD_PROGRAM.error(self.location(self.unit.loc), reason=reason) from None

    def location(self, loc: int) -> Location | None:
        """The place of an instruction."""
        return location(self.executable, loc)

    # --- frame -----------------------------------------------------------------------------------

    def new(self, value: Any = None) -> int:
        """A new frame entry."""
        self.template.append(value)
        return len(self.template) - 1

    def slot(self, kind: Kind = "uniform", **facts: Any) -> Slot:
        """A new runtime number; axis slots have no entry."""
        index = -1 if kind == "axis" else self.new(0)
        if kind == "units" and self.size == 1:
            kind = "uniform"
        return Slot(index, kind, **facts)

    def cursor(self, end: Inlet | Outlet, depth: int) -> int:
        """Frame entry of the stream (or the list of blocks sent) of `end` inside `depth` axes."""
        key = (end, depth)
        if key not in self.cursors:
            self.cursors[key] = self.new()
        return self.cursors[key]

    # --- registers -------------------------------------------------------------------------------

    def lin(self, reg: int) -> Lin:
        """The number in a register."""
        value = self.env.get(reg)
        if isinstance(value, Lin):
            return value
        raise self._no(reg, "a number")

    def vector(self, reg: int) -> Vector:
        """The vector in a register."""
        value = self.env.get(reg)
        if isinstance(value, Vector):
            return value
        raise self._no(reg, "a vector")

    def view(self, reg: int) -> ViewValue:
        """The view in a register."""
        value = self.env.get(reg)
        if isinstance(value, ViewValue):
            return value
        raise self._no(reg, "a view")

    def _no(self, reg: int, what: str) -> Exception:
        place = self.location(self.unit.loc)
        return BAD_PROGRAM.error(place, reason=f"register {reg} does not hold {what} here")

    def read(self, vector: Vector) -> Callable[[Frame], Any]:
        """The function that gives the array of a vector register at the current depth."""
        index, missing = vector.index, self.depth - vector.depth
        if not missing:
            return lambda f: f[index]
        where = (Ellipsis, *([None] * missing), slice(None))
        return lambda f: f[index][where]

    def define(self, reg: int, dtype: str, lanes: int, itemsize: int) -> int:
        """Make `reg` a vector at the current depth; returns its frame entry."""
        vector = Vector(self.new(), self.depth, dtype, lanes)
        self.env[reg] = vector
        if self.nest is not None:
            inner = 1
            for axis in self.axes[1:]:
                inner *= axis.most or 16
            self.nest.vector_bytes = max(self.nest.vector_bytes, lanes * itemsize * inner)
        return vector.index

    # --- emission --------------------------------------------------------------------------------

    def emit(self, function: Callable[[Frame], Any], kind: int = PLAIN) -> None:
        """Append a step."""
        self.steps.append((kind, function))

    @contextmanager
    def block(self) -> Generator[list[Step]]:
        """Collect what is emitted inside; registers defined inside end with it."""
        outer, env, tally = self.steps, dict(self.env), self.tally
        self.steps, self.tally = [], 0
        try:
            yield self.steps
            if self.tally:
                self._count(self.tally)
        finally:
            self.steps, self.env, self.tally = outer, env, tally

    def _count(self, tally: int) -> None:
        """Emit the count of the vector steps of a block, for all trips of the enclosing axes."""
        total: Count = tally
        for axis in self.axes:
            total = times(total, axis.length)
        number = function(total)

        def step(f: Frame) -> None:
            f[WORK].steps += number(f)

        self.emit(step)

    @contextmanager
    def repeated(self, count: Count) -> Generator[None]:
        """Receives inside happen `count` times for each trip of the enclosing axis."""
        if not self.levels:
            yield
            return
        level = self.levels[-1]
        before, level.inlets = level.inlets, {}
        yield
        inside, level.inlets = level.inlets, before
        for inlet, number in inside.items():
            level.receive(inlet, times(number, count))

    @contextmanager
    def conditional(self) -> Generator[None]:
        """What is compiled inside does not run exactly once in every trip of the enclosing axis."""
        level = self.levels[-1] if self.levels else None
        if level is not None:
            level.branching += 1
        yield
        if level is not None:
            level.branching -= 1

    @contextmanager
    def under_mask(self) -> Generator[None]:
        """What is compiled inside looks at frame[MASK]."""
        outer, self.masked = self.masked, True
        try:
            yield
        finally:
            self.masked = outer

    # --- connections -----------------------------------------------------------------------------

    def inlet(self, peers: tuple[int, ...]) -> Inlet:
        """The receiving end for FIFOs from `peers`."""
        pairs = tuple(zip(self.each(peers), self.units, strict=True))
        return self._end("inlet", pairs, Inlet, self.fifos, True)

    def outlet(self, peers: tuple[int, ...]) -> Outlet:
        """The sending end for FIFOs to `peers`."""
        pairs = tuple(zip(self.units, self.each(peers), strict=True))
        return self._end("outlet", pairs, Outlet, self.fifos, False)

    def signal(self, peers: tuple[int, ...], sends: bool) -> Endpoint:
        """The end of the signals to or from `peers`."""
        others = self.each(peers)
        sides = (self.units, others) if sends else (others, self.units)
        pairs = zip(*sides, strict=True)
        return self._end(
            "send" if sends else "receive", tuple(pairs), Endpoint, self.signals, not sends
        )

    def _end(self, sort: str, pairs: Any, kind: Any, wiring: Wiring, receives: bool) -> Any:
        key = (sort, pairs)
        if key not in self.endpoints:
            end = kind(pairs, receives)
            self.endpoints[key] = end
            wiring.ends.append(end)
        return self.endpoints[key]


def all_positions(size: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """0 … size-1: labels under which no two units are alike."""
    return np.arange(size, dtype=np.int64)
