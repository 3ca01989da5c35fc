"""Races by vector clocks: every access is ordered against earlier ones by what its thread has seen.

A thread is a unit, or the transfer queue of a unit (its transfers are not ordered with the unit
itself until it waits for them). A vector clock says, for each thread, up to which of its accesses
one knows to be done. Slot 0 stands for "nobody".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spyrelang.engines.checked.bank import Bank, Select

Clock = NDArray[np.int32]


class Conflict(NamedTuple):
    """An earlier access that is not ordered before the present one. `first` and `last` are offsets
    in the bank, `loc` the earlier access's place, `write` whether that was a write."""

    thread: int
    loc: int
    write: bool
    first: int
    last: int


class Clocks:
    """The vector clocks of all threads. A unit's thread is 2u + 1, its transfer queue 2u + 2."""

    def __init__(self, units: int) -> None:
        self._size = 2 * units + 1
        self._of = [np.zeros(self._size, np.int32) for _ in range(self._size)]
        self._places: list[list[int]] = [[-1] for _ in range(self._size)]

    def snapshot(self, thread: int) -> Clock:
        """What the thread knows now."""
        return self._of[thread].copy()

    def join(self, thread: int, seen: Clock) -> None:
        """Let the thread know all that `seen` does."""
        np.maximum(self._of[thread], seen, out=self._of[thread])

    def join_thread(self, thread: int, other: int) -> None:
        """Let one thread know all that another does."""
        self.join(thread, self._of[other])

    def barrier(self) -> None:
        """All threads know everything: a program has ended."""
        everything = np.max(np.stack(self._of), axis=0)
        for clock in self._of:
            clock[:] = everything

    def place(self, thread: int, time: int) -> int:
        """Where in the text the access of `thread` at `time` stands."""
        return self._places[thread][time]

    def read(self, thread: int, bank: Bank, select: Select, loc: int) -> Conflict | None:
        """Record a read; the conflict it has with an earlier write."""
        found = self._unseen_write(thread, bank, select)
        bank.reads_of(thread)[select] = self._tick(thread, loc)
        return found

    def write(self, thread: int, bank: Bank, select: Select, loc: int) -> Conflict | None:
        """Record a write; the conflict it has with an earlier write or read."""
        found = self._unseen_write(thread, bank, select) or self._unseen_read(thread, bank, select)
        bank.written_at[select] = self._tick(thread, loc)
        bank.writer[select] = thread
        return found

    def _tick(self, thread: int, loc: int) -> int:
        self._places[thread].append(loc)
        time = len(self._places[thread]) - 1
        self._of[thread][thread] = time
        return time

    def _unseen_write(self, thread: int, bank: Bank, select: Select) -> Conflict | None:
        times, writers = bank.written_at[select], bank.writer[select]
        unseen = times > self._of[thread][writers]
        if not unseen.any():
            return None
        where = np.flatnonzero(unseen)
        other = int(writers[where[0]])
        where = where[writers[where] == other]
        return self._conflict(other, int(times[where[0]]), True, where, select)

    def _unseen_read(self, thread: int, bank: Bank, select: Select) -> Conflict | None:
        clock = self._of[thread]
        for other, reads in bank.readers.items():
            if other == thread:
                continue
            times = reads[select]
            unseen = times > clock[other]
            if unseen.any():
                where = np.flatnonzero(unseen)
                return self._conflict(other, int(times[where[0]]), False, where, select)
        return None

    def _conflict(
        self, other: int, time: int, write: bool, where: NDArray[np.intp], select: Select
    ) -> Conflict:
        offsets = where + select.start if isinstance(select, slice) else select[where]
        first, last = int(offsets.min()), int(offsets.max())
        return Conflict(other, self.place(other, time), write, first, last)
