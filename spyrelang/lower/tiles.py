"""Where the current tile lies and how much of it is inside the iteration box."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from spyrelang.ir.emit import Emitter
from spyrelang.ir.index import Index, Value
from spyrelang.lower.context import UnitContext
from spyrelang.schedule.model import Sizes, Vector


@dataclass
class TileDim:
    """The tile along one program dim: elements `offset` … of `full` elements, or of `tail` in the
    last trip; `last` is the i1 value that says so (None: every trip is full)."""

    offset: Index
    full: int
    tail: int
    last: Value | None = None


@dataclass
class Tiles:
    """The tile loops a unit is inside of."""

    context: UnitContext
    vector: Vector
    sizes: Sizes
    dims: list[TileDim] = field(default_factory=list)

    def __post_init__(self) -> None:
        for number, dim in enumerate(self.context.program.dims):
            tile = min(self.sizes.tile[number], dim.extent)
            trips = -(-dim.extent // tile)
            tail = dim.extent - (trips - 1) * tile
            self.dims.append(TileDim(Index.const(0), tile, tail if trips > 1 else tile))

    def enter(self, emitter: Emitter, dim: int, trip: Value, trips: int) -> None:
        """Inside the tile loop of `dim`: fix the offset and, for a ragged tile, the test."""
        state = self.dims[dim]
        state.offset = Index.of(trip).scaled(state.full)
        if state.tail != state.full:
            state.last = emitter.value(
                "arith.cmpi",
                [trip, self.context.const(trips - 1)],
                {"predicate": "0 : i64"},
                "i1",
            )

    def leave(self, dim: int) -> None:
        self.dims[dim].offset = Index.const(0)
        self.dims[dim].last = None

    def count(self, emitter: Emitter, dim: int, measure: Callable[[int], int]) -> Value | int:
        """`measure(elements)` of the current tile along `dim`: an int, or a value where the last
        tile differs."""
        state = self.dims[dim]
        full, tail = measure(state.full), measure(state.tail)
        if state.last is None or full == tail:
            return full
        const = self.context.const
        return emitter.value("arith.select", [state.last, const(tail), const(full)])

    def points(self, emitter: Emitter, dim: int) -> Value | int:
        """Points of the current tile along `dim`; vectors for the vector dim."""
        lanes = self.vector.lanes if dim == self.vector.dim else 1
        return self.count(emitter, dim, lambda elements: -(-elements // lanes))
