"""What a kernel may ask of the machine: sizes of tensors, trips of loops."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from spyrelang import settings
from spyrelang.errors import Location
from spyrelang.errors import interp as errors


def room() -> Room:
    """By the settings: for a tensor as large as this machine's memory, or a smaller one."""
    return Room(settings.current().memory_limit or _machine())


@cache
def _machine() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@dataclass(frozen=True)
class Room:
    """The largest tensor there is room for, in bytes."""

    limit: int

    def fits(self, shape: Sequence[int], width: int) -> bool:
        """Whether there is room for such a tensor of elements of `width` bytes."""
        return math.prod(shape) * width <= self.limit

    def check(self, shape: Sequence[int], width: int, op: str, where: Location | None) -> None:
        """Raise SPY594 where there is none."""
        if not self.fits(shape, width):
            size, spelled = math.prod(shape) * width, "x".join(map(str, shape))
            raise errors.TOO_LARGE.error(where, op=op, size=size, shape=spelled, limit=self.limit)


class Trips:
    """Counts the trips of all loops of a run. Raises SPY595 when there are too many."""

    __slots__ = ("left", "limit")

    def __init__(self) -> None:
        self.limit = self.left = settings.current().trip_limit

    def spend(self, count: int, where: Location | None) -> None:
        """`count` more trips are about to run."""
        self.left -= count
        if self.left < 0:
            raise errors.TOO_LONG.error(where, limit=self.limit)
