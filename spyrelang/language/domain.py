"""The values that traced integers take: exactly, by enumeration, or as intervals."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spyrelang.language.graph import (
    Block,
    BoolNode,
    Branch,
    Chosen,
    Compare,
    IndexNode,
    IndexOp,
    LaunchSize,
    Logic,
    Loop,
    LoopVar,
    Node,
    TileId,
    Variable,
)
from spyrelang.language.statements import While
from spyrelang.language.tracing import Trace
from spyrelang.semantics.bits import RELATIONS

MOST_POINTS = 1 << 20
"""More iteration points than this are not enumerated; intervals decide alone."""

MOST = 1 << 48
"""No size, stride or position of a kernel is larger."""

Ints = np.ndarray[Any, np.dtype[np.int64]]

_OPS: dict[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "floordiv": np.floor_divide,
    "mod": np.mod,
    "min": np.minimum,
    "max": np.maximum,
    **RELATIONS,
    "and": np.logical_and,
    "or": np.logical_or,
    "xor": np.logical_xor,
}


@dataclass(frozen=True, eq=False)
class Points:
    """Every execution of a block, in order per tile: grid coordinates and loop variables. Sizes
    that are given at launch have their largest value."""

    tiles: tuple[Ints, ...]
    loops: dict[LoopVar, Ints]
    count: int
    known: dict[Node, Ints] = field(default_factory=dict[Node, Ints], repr=False)

    def knows(self, value: Node | int) -> bool:
        """Whether the value follows from the points: not so for what is read from memory or
        carried by loops."""
        if isinstance(value, int | TileId | LaunchSize):
            return True
        if isinstance(value, LoopVar):
            return value in self.loops
        computed = isinstance(value, IndexOp | Compare | Logic | Chosen)
        return computed and all(self.knows(v) for v in value.operands())

    def eval(self, value: IndexNode | BoolNode | int) -> Ints:
        """The value at every point."""
        if isinstance(value, int):
            return np.full(self.count, value, np.int64)
        if isinstance(value, TileId):
            return self.tiles[value.axis]
        if isinstance(value, LaunchSize):
            return np.full(self.count, value.info.bounds[1], np.int64)
        if isinstance(value, LoopVar):
            return self.loops[value]
        if isinstance(value, Chosen):
            sides = self.eval(value.lhs), self.eval(value.rhs)
            return np.where(self.eval(value.condition), *sides)
        assert isinstance(value, IndexOp | Compare | Logic)
        if value not in self.known:
            self.known[value] = _OPS[value.op](self.eval(value.lhs), self.eval(value.rhs))
        return self.known[value]

    def only(self, mask: Ints) -> Points:
        """The points where a truth value holds."""
        loops = {var: values[mask] for var, values in self.loops.items()}
        return Points(tuple(t[mask] for t in self.tiles), loops, int(mask.sum()))

    def repeated(self, trips: Ints) -> Points:
        """Each point `trips` times."""
        loops = {var: np.repeat(values, trips) for var, values in self.loops.items()}
        tiles = tuple(np.repeat(t, trips) for t in self.tiles)
        return Points(tiles, loops, int(trips.sum()))

    def describe(self, at: int) -> str:
        """Point number `at` in words, e.g. "tile 3, i = 4"."""
        ids = ", ".join(str(int(t[at])) for t in self.tiles)
        names = [f"{var.name or 'loop variable'} = {int(v[at])}" for var, v in self.loops.items()]
        tile = f"tile {ids}" if len(self.tiles) == 1 else f"tile ({ids})"
        return ", ".join([tile, *names])


def points(trace: Trace, block: Block) -> Points | None:
    """The executions of `block`, or None when there are more than MOST_POINTS."""
    key = ("points", block)
    if key not in trace.cache:
        trace.cache[key] = _points(trace, block)
    found = trace.cache[key]
    assert found is None or isinstance(found, Points)
    return found


def _points(trace: Trace, block: Block) -> Points | None:
    if block.parent is None:
        return _grid_points(trace.grid)
    outer = points(trace, block.parent)
    if outer is None:
        return None
    if isinstance(block.owner, Branch):
        return _chosen(outer, block.owner, block)
    if isinstance(block.owner, While):
        return None
    return outer if block.loop is None else _enter(outer, block.loop)


def _chosen(outer: Points, branch: Branch, block: Block) -> Points | None:
    if not outer.knows(branch.condition):
        return None
    mask = outer.eval(branch.condition).astype(bool)
    return outer.only(mask if block is branch.then else ~mask)


def _grid_points(grid: tuple[int, ...]) -> Points | None:
    count = int(np.prod(grid, dtype=object))
    if count > MOST_POINTS:
        return None
    coordinates = np.indices(grid, dtype=np.int64).reshape(len(grid), -1)
    return Points(tuple(coordinates), {}, count)


def _enter(outer: Points, loop: Loop) -> Points | None:
    if not outer.knows(loop.start) or not outer.knows(loop.stop):
        return None
    start, stop = outer.eval(loop.start), outer.eval(loop.stop)
    trips = np.maximum(0, -((start - stop) // loop.step))
    if int(trips.sum()) > MOST_POINTS:
        return None
    inner = outer.repeated(trips)
    first = np.repeat(np.cumsum(trips) - trips, trips)
    nth = np.arange(inner.count, dtype=np.int64) - first
    inner.loops[loop.var] = np.repeat(start, trips) + nth * loop.step
    return inner


@dataclass(frozen=True)
class Interval:
    """All integers from `low` to `high`, both included."""

    low: int
    high: int

    @property
    def unknown(self) -> bool:
        """Whether one end is only the limit of all positions."""
        return self.low <= -MOST or self.high >= MOST


UNKNOWN = Interval(-MOST, MOST)


def interval(trace: Trace, value: IndexNode | int) -> Interval:
    """Bounds of `value` over all tiles and loop iterations; never too narrow."""
    if isinstance(value, int):
        return Interval(value, value)
    if isinstance(value, TileId):
        return Interval(0, trace.grid[value.axis] - 1)
    if isinstance(value, LoopVar):
        return _loop_interval(trace, value.loop)
    if isinstance(value, Chosen):
        a, b = interval(trace, value.lhs), interval(trace, value.rhs)
        return Interval(min(a.low, b.low), max(a.high, b.high))
    if isinstance(value, LaunchSize):
        return Interval(*value.info.bounds)
    if isinstance(value, Variable):
        return Interval(0, max(value.extent - 1, 0))
    if not isinstance(value, IndexOp):
        return UNKNOWN
    key = ("interval", value)
    if key not in trace.cache:
        sides = interval(trace, value.lhs), interval(trace, value.rhs)
        trace.cache[key] = _combined(value.op, *sides)
    found = trace.cache[key]
    assert isinstance(found, Interval)
    return found


def _loop_interval(trace: Trace, loop: Loop) -> Interval:
    start, stop = interval(trace, loop.start), interval(trace, loop.stop)
    high = max(start.low, stop.high - 1)
    if start.low == start.high:  # the last value of the sequence, not just the last below `stop`
        high = start.low + (high - start.low) // loop.step * loop.step
    return Interval(start.low, high)


def _combined(op: str, a: Interval, b: Interval) -> Interval:
    found = _computed(op, a, b)
    if a.unknown or b.unknown:
        return Interval(max(found.low, -MOST), min(found.high, MOST))
    return found


def _computed(op: str, a: Interval, b: Interval) -> Interval:
    if op == "add":
        return Interval(a.low + b.low, a.high + b.high)
    if op == "sub":
        return Interval(a.low - b.high, a.high - b.low)
    if op in ("min", "max"):
        pick = min if op == "min" else max
        return Interval(pick(a.low, b.low), pick(a.high, b.high))
    if op == "mod":
        inside = a.low >= 0 and a.high < b.low
        return a if inside else Interval(0, b.high - 1)
    function = operator.mul if op == "mul" else operator.floordiv  # by a positive constant
    corners = [function(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return Interval(min(corners), max(corners))
