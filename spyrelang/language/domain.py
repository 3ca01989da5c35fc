"""The values that traced integers take: exactly, by enumeration, or as intervals."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spyrelang.language.graph import Block, IndexNode, IndexOp, Loop, LoopVar, TileId
from spyrelang.language.tracing import Trace

MOST_POINTS = 1 << 20
"""More iteration points than this are not enumerated; intervals decide alone."""

Ints = np.ndarray[Any, np.dtype[np.int64]]

_OPS: dict[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "floordiv": np.floor_divide,
    "mod": np.mod,
    "min": np.minimum,
    "max": np.maximum,
}


@dataclass(frozen=True, eq=False)
class Points:
    """Every execution of a block, in order per tile: grid coordinates and loop variables."""

    tiles: tuple[Ints, ...]
    loops: dict[LoopVar, Ints]
    count: int
    known: dict[IndexNode, Ints] = field(default_factory=dict[IndexNode, Ints], repr=False)

    def eval(self, value: IndexNode | int) -> Ints:
        """The value at every point."""
        if isinstance(value, int):
            return np.full(self.count, value, np.int64)
        if isinstance(value, TileId):
            return self.tiles[value.axis]
        if isinstance(value, LoopVar):
            return self.loops[value]
        assert isinstance(value, IndexOp)
        if value not in self.known:
            self.known[value] = _OPS[value.op](self.eval(value.lhs), self.eval(value.rhs))
        return self.known[value]

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
    if block.parent is None or block.loop is None:
        return _grid_points(trace.grid)
    outer = points(trace, block.parent)
    return None if outer is None else _enter(outer, block.loop)


def _grid_points(grid: tuple[int, ...]) -> Points | None:
    count = int(np.prod(grid, dtype=object))
    if count > MOST_POINTS:
        return None
    coordinates = np.indices(grid, dtype=np.int64).reshape(len(grid), -1)
    return Points(tuple(coordinates), {}, count)


def _enter(outer: Points, loop: Loop) -> Points | None:
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


def interval(trace: Trace, value: IndexNode | int) -> Interval:
    """Bounds of `value` over all tiles and loop iterations; never too narrow."""
    if isinstance(value, int):
        return Interval(value, value)
    if isinstance(value, TileId):
        return Interval(0, trace.grid[value.axis] - 1)
    if isinstance(value, LoopVar):
        return _loop_interval(trace, value.loop)
    assert isinstance(value, IndexOp)
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
