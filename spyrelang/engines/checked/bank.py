"""Bytes of one memory instance with their shadows: defined, last writer, readers, coverage."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from spyrelang.engines.memory import Bytes, Region

Select = slice | NDArray[np.int64]
"""Bytes of a bank: a range, or an array of offsets in any order."""

_FIRST_GROWTH = 4096


@dataclass(eq=False)
class Bank:
    """A memory or a region of device memory. `base` is the address of byte 0, for messages.

    `writer`/`written_at`: thread (plus one; 0 = none) and time of the last write to each byte.
    `readers`: for each thread, the time of its last read of each byte (0 = none).
    `stamps` (device memory only): who wrote each byte in which program run.
    """

    name: str
    data: Bytes = field(repr=False)
    base: int = 0
    writable: bool = True
    device: bool = False
    growing: bool = False
    defined: NDArray[np.bool_] | None = field(default=None, repr=False)
    writer: NDArray[np.int32] = field(init=False, repr=False)
    written_at: NDArray[np.int32] = field(init=False, repr=False)
    readers: dict[int, NDArray[np.int32]] = field(default_factory=dict, repr=False)
    stamps: NDArray[np.int64] | None = field(default=None, repr=False)
    twice: list[tuple[int, int, int, int]] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        # np.zeros commits pages only when they are touched, so idle memory costs nothing.
        self.writer = np.zeros(self.data.size, np.int32)
        self.written_at = np.zeros(self.data.size, np.int32)

    def reads_of(self, thread: int) -> NDArray[np.int32]:
        """The read times of one thread."""
        found = self.readers.get(thread)
        if found is None:
            found = self.readers[thread] = np.zeros(self.data.size, np.int32)
        return found

    def grow(self, nbytes: int) -> None:
        """Make room for `nbytes` bytes where the size is not known."""
        size = max(_FIRST_GROWTH, self.data.size)
        while size < nbytes:
            size *= 2
        more = size - self.data.size
        self.data = np.concatenate([self.data, np.full(more, 0xFF, np.uint8)])
        if self.defined is not None:
            self.defined = np.concatenate([self.defined, np.zeros(more, np.bool_)])
        self.writer = np.concatenate([self.writer, np.zeros(more, np.int32)])
        self.written_at = np.concatenate([self.written_at, np.zeros(more, np.int32)])
        for thread, times in self.readers.items():
            self.readers[thread] = np.concatenate([times, np.zeros(more, np.int32)])

    def gather(self, select: Select, size: int) -> tuple[Bytes, NDArray[np.bool_] | None]:
        """Copies of the bytes, and which elements of `size` bytes are poison (None: none)."""
        data = self.data[select].copy()
        if self.defined is None:
            return data, None
        defined = self.defined[select]
        if defined.all():
            return data, None
        poison: NDArray[np.bool_] = np.logical_not(defined.reshape(-1, size).all(axis=1))
        return data, poison

    def scatter(
        self, select: Select, data: Bytes, poison: NDArray[np.bool_] | None, size: int
    ) -> None:
        """Store bytes and their poison (per element of `size` bytes)."""
        self.data[select] = data
        if self.defined is not None:
            self.defined[select] = True if poison is None else np.repeat(~poison, size)


def scratch(name: str, nbytes: int) -> Bank:
    """Unwritten on-chip memory; of growing size where `nbytes` is 0."""
    data = np.full(nbytes, 0xFF, np.uint8)
    return Bank(name, data, growing=not nbytes, defined=np.zeros(nbytes, np.bool_))


def device(region: Region, *, trusted: bool) -> Bank:
    """A region of device memory; `trusted` takes all of it as written."""
    return Bank(
        region.name,
        region.data,
        base=region.address,
        writable=region.writable,
        device=True,
        defined=None if trusted else region.defined,
        stamps=np.zeros(region.nbytes, np.int64),
    )
