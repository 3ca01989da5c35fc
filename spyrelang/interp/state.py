"""What all tiles of one run share."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from spyrelang.errors import SpyreError
from spyrelang.interp.limits import Trips
from spyrelang.interp.memory import Memory, Region
from spyrelang.interp.values import Array


@dataclass
class State:
    """`grid`: its extents; `inputs`: the value of each kernel argument; `elements`: so many of the
    largest value may make a batch."""

    grid: tuple[int, ...]
    memory: Memory
    elements: int
    inputs: list[object] = field(default_factory=list[object])
    warnings: list[SpyreError] = field(default_factory=list[SpyreError])
    prints: list[str] = field(default_factory=list[str])
    trips: Trips = field(default_factory=Trips)

    @property
    def tiles(self) -> int:
        return self.memory.tiles

    def coordinates(self, tiles: Array) -> list[Array]:
        """The grid coordinates of tiles, outermost first."""
        return list(np.unravel_index(tiles, self.grid)) if self.grid else []

    def say(self, tile: int, text: str) -> None:
        """Print what a tile says, and keep it."""
        at = [int(n) for n in np.unravel_index(tile, self.grid)]
        line = f"tile {at[0] if len(at) == 1 else tuple(at)}: {text}"
        self.prints.append(line)
        print(line)

    def warn(self, error: SpyreError, region: Region | None = None) -> None:
        """Keep a finding; of one kind only the first for each region (or place)."""
        if region is not None:
            if error.code in region.reported:
                return
            region.reported.add(error.code)
        elif any(w.code == error.code and w.location == error.location for w in self.warnings):
            return
        self.warnings.append(error)
