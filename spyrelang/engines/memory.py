"""Simulated memory: named regions of bytes at device addresses.

A `DeviceMemory` holds non-overlapping regions. Between regions lie gaps, so that an access past the
end of a buffer meets no other buffer. Addresses are bytes.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from spyrelang.errors import Location
from spyrelang.errors.engine import (
    BAD_REGION,
    NO_REGION,
    OUT_OF_BOUNDS,
    REGION_OVERLAP,
)

Bytes = NDArray[np.uint8]
ALIGNMENT = 128
"""Base addresses are multiples of this many bytes (one flit)."""


@dataclass(eq=False)
class Region:
    """A buffer at `address`. `data` views its bytes; writes go to the owner's array. `defined`
    marks the bytes that hold a value (None: all of them)."""

    address: int
    nbytes: int
    data: Bytes = field(repr=False)
    name: str
    writable: bool = True
    defined: NDArray[np.bool_] | None = field(default=None, repr=False)

    @property
    def end(self) -> int:
        """First byte address after the region."""
        return self.address + self.nbytes

    def describe(self) -> str:
        """Name and byte range, for messages."""
        if not self.nbytes:
            return f"{self.name} (empty, at {self.address:#x})"
        return f"{self.name} ({self.address:#x} to {self.end - 1:#x})"


class DeviceMemory:
    """Device memory of `size` bytes (0: unlimited). `start` is the lowest address that
    `allocate` hands out; `bind` may place regions anywhere."""

    def __init__(self, *, name: str = "device memory", size: int = 0, start: int = 4096) -> None:
        self.name = name
        self.size = size
        self._start = start
        self._regions: list[Region] = []
        self._addresses: list[int] = []

    @property
    def regions(self) -> tuple[Region, ...]:
        """All regions by address."""
        return tuple(self._regions)

    def allocate(
        self, nbytes: int, *, align: int = ALIGNMENT, name: str = "", guard: bool = True
    ) -> int:
        """Reserve `nbytes` undefined bytes and return their address, a multiple of `align`.

        With `guard`, at least one alignment unit stays free on both sides.
        """
        name = name or f"buffer {len(self._regions)}"
        address = self._find(nbytes, align, ALIGNMENT if guard else 0, name)
        defined = np.zeros(nbytes, np.bool_)
        return self._insert(Region(address, nbytes, _poison(nbytes), name, True, defined))

    def bind(
        self,
        array: NDArray[np.generic],
        *,
        address: int | None = None,
        name: str = "",
        writable: bool = True,
        defined: bool = True,
    ) -> int:
        """Place a C-contiguous array, without a copy, and return its address.

        With `defined=False` its contents count as unwritten until a program writes them.
        """
        name = name or f"buffer {len(self._regions)}"
        if not array.flags.c_contiguous:
            raise BAD_REGION.error(name=name, reason="the array is not C-contiguous")
        if writable and not array.flags.writeable:
            raise BAD_REGION.error(name=name, reason="the array is read-only")
        nbytes = array.nbytes
        if address is None:
            address = self._find(nbytes, ALIGNMENT, ALIGNMENT, name)
        elif address < 0:
            raise BAD_REGION.error(name=name, reason=f"its address is {address}")
        data = array.reshape(-1).view(np.uint8)
        mask = None if defined else np.zeros(nbytes, np.bool_)
        return self._insert(Region(address, nbytes, data, name, writable, mask))

    def free(self, address: int) -> None:
        """Remove the region that starts at `address`."""
        region = self.at(address)
        position = self._regions.index(region)
        del self._regions[position], self._addresses[position]

    def at(self, address: int) -> Region:
        """The region that starts at `address`; SPY508 where there is none."""
        position = bisect_right(self._addresses, address) - 1
        if position >= 0 and self._addresses[position] == address:
            return self._regions[position]
        raise NO_REGION.error(memory=self.name, address=address, nearest=self.nearest(address))

    def find(self, address: int, nbytes: int) -> Region | None:
        """The region that holds all of the bytes, or None."""
        position = bisect_right(self._addresses, address) - 1
        if position < 0:
            return None
        region = self._regions[position]
        return region if address + nbytes <= region.end and nbytes >= 0 else None

    def region(self, address: int, nbytes: int, location: Location | None = None) -> Region:
        """The region that holds `nbytes` bytes from `address`; SPY501 where none does."""
        region = self.find(address, nbytes)
        if region is None:
            raise OUT_OF_BOUNDS.error(
                location,
                first=address,
                last=address + max(nbytes, 1) - 1,
                memory=self.name,
                nearest=self.nearest(address),
            )
        return region

    def nearest(self, address: int) -> str:
        """The region whose range is closest to `address`, described."""
        if not self._regions:
            return "nothing: no region exists"
        return min(self._regions, key=lambda r: _distance(r, address)).describe()

    def read(self, address: int, nbytes: int) -> Bytes:
        """A copy of `nbytes` bytes."""
        region = self.region(address, nbytes)
        offset = address - region.address
        return region.data[offset : offset + nbytes].copy()

    def write(self, address: int, data: Bytes) -> None:
        """Store bytes, as the host does: they count as defined."""
        region = self.region(address, data.nbytes)
        offset = address - region.address
        region.data[offset : offset + data.nbytes] = data
        if region.defined is not None:
            region.defined[offset : offset + data.nbytes] = True

    def copy(self) -> DeviceMemory:
        """An independent memory with the same regions and contents."""
        other = DeviceMemory(name=self.name, size=self.size, start=self._start)
        for r in self._regions:
            defined = None if r.defined is None else r.defined.copy()
            other._insert(Region(r.address, r.nbytes, r.data.copy(), r.name, r.writable, defined))
        return other

    def _find(self, nbytes: int, align: int, guard: int, name: str) -> int:
        if nbytes < 0:
            raise BAD_REGION.error(name=name, reason=f"its size is {nbytes}")
        if align < 1 or align & (align - 1):
            raise BAD_REGION.error(name=name, reason=f"its alignment is {align}")
        address = -(-self._start // align) * align
        for region in self._regions:
            if address + max(nbytes, 1) + guard <= region.address:
                break
            address = max(address, -(-(region.end + guard) // align) * align)
        return address

    def _insert(self, region: Region) -> int:
        if self.size and region.end > self.size:
            reason = f"it ends at {region.end:#x}, {self.name} has {self.size} bytes"
            raise BAD_REGION.error(name=region.name, reason=reason)
        position = bisect_right(self._addresses, region.address)
        for other in self._regions[max(0, position - 1) : position + 1]:
            if region.address < other.end and other.address < region.end:
                raise REGION_OVERLAP.error(
                    name=region.name,
                    address=region.address,
                    nbytes=region.nbytes,
                    other=other.describe(),
                )
        self._regions.insert(position, region)
        self._addresses.insert(position, region.address)
        return region.address


def _distance(region: Region, address: int) -> int:
    if region.address <= address < region.end:
        return 0
    return min(abs(region.address - address), abs(region.end - address))


def _poison(nbytes: int) -> Bytes:
    # All ones is a NaN in every float type, so a value that escapes every check still shows.
    return np.full(nbytes, 0xFF, np.uint8)
