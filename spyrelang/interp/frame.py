"""What a running kernel works on: registers for a batch of compute tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spyrelang.interp.values import Array, Value, take

if TYPE_CHECKING:
    from spyrelang.interp.state import State


class Dependent(Exception):
    """Trips of a loop that run together turn out to write the same elements."""


class Frame:
    """Registers of some tiles. `tiles` holds their flat ids, `state` what all tiles share.

    `trips`: the batch is of trips of a loop, and holds the stores to make when all have run.
    """

    __slots__ = ("regs", "size", "state", "tiles", "trips")

    def __init__(
        self, regs: list[Value], tiles: Array, state: State, trips: list[Any] | None = None
    ) -> None:
        self.regs = regs
        self.tiles = tiles
        self.size = len(tiles)
        self.state = state
        self.trips = trips

    def sub(self, rows: Array, captured: Sequence[tuple[int, int]]) -> Frame:
        """A frame of some of the tiles with the (register, rank) pairs that a region needs."""
        regs: list[Value] = [None] * len(self.regs)
        for slot, rank in captured:
            regs[slot] = take(self.regs[slot], rank, rows)
        return Frame(regs, self.tiles[rows], self.state, self.trips)

    def tile(self, row: int) -> int:
        """The flat id of one tile of the batch."""
        return int(self.tiles[row if row < self.size else 0])

    def rows(self) -> Array:
        return np.arange(self.size)


Step = Callable[[Frame], None]


def run(steps: Sequence[Step], frame: Frame) -> None:
    """Run a region's steps in order."""
    for step in steps:
        step(frame)


def failed_step(error: BaseException) -> Step | None:
    """The innermost step that an exception came out of."""
    found: Step | None = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is run.__code__:
            found = trace.tb_frame.f_locals["step"]
        trace = trace.tb_next
    return found
