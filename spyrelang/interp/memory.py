"""The memories of a run: one region for each array, the scratchpads, and where an address leads.

An address counts elements of the view's type. The arguments of a kernel lie far apart, so that an
address says which of them it is near; arrays given by constant address lie where they are given.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spyrelang.errors import Location
from spyrelang.errors import interp as errors
from spyrelang.interp.places import Places, Window, rescaled
from spyrelang.interp.values import Array
from spyrelang.semantics import dtypes

SPACING = 48
"""Arguments start at multiples of 2^48 elements."""

NARROW = 31
"""Where a kernel computes addresses in fewer than 64 bits, all arguments lie below 2^31."""

SCRATCHPAD = 2 << 20
"""Bytes of one compute tile's scratchpad, unless a device says otherwise."""

MANY = -1
"""In `readers`: more than one tile."""

SETTLED = -2
"""In `owner`: written before the last exchange between tiles, which orders tiles."""

_NOTES = 1024
"""So many loads are kept before the elements that they read are marked."""


RETYPED = -3
"""In `owner`: the bytes were last written as elements of another type."""


class Region:
    """One flat memory of one element type, and what happened to its elements.

    `owner` holds for each element 1 + the tile that wrote it last (0: none), `readers` 1 + the tile
    that read it (only kept where the kernel also writes), `twice` what was written again.
    `local`: it is the scratchpads of all tiles, `part` elements each. `undefined`: unwritten
    elements have no contents. `stable`: nothing stores here during the run. `shape`: of the array
    that lies here row by row, if one does.
    """

    def __init__(
        self,
        name: str,
        data: Array,
        tiles: int,
        *,
        undefined: bool = False,
        stable: bool = False,
        part: int | None = None,
        shape: tuple[int, ...] = (),
    ) -> None:
        self.name = name
        self.data = data
        self.undefined = undefined
        self.stable = stable
        self.shape = shape
        self.local = part is not None
        self.part = data.size if part is None else part
        self._read: Array | None = None
        self._noted: list[Places] = []
        self.stored = False
        self.reported: set[str] = set()
        self._tiles = tiles
        self.owner: Array | None = None
        self.readers: Array | None = None
        self.twice: Array | None = None

    def element(self, number: int) -> str:
        """What an author calls an element: its coordinates in the array, or its number."""
        if len(self.shape) < 2:
            return str(number % self.part)
        return str([int(i) for i in np.unravel_index(number, self.shape)])

    def note_read(self, places: Places) -> None:
        """Remember what was read; boxes are cheap to keep until someone asks."""
        self._noted.append(places)
        if not isinstance(places, Window) or len(self._noted) >= _NOTES:
            self._mark_reads()

    def _mark_reads(self) -> Array:
        if self._read is None:
            self._read = np.zeros(self.data.size, np.bool_)
        for places in self._noted:
            places.write(self._read, True)
        self._noted.clear()
        return self._read

    @property
    def read(self) -> Array:
        """Whether each element was read."""
        return self._mark_reads()

    def _map(self) -> Array:
        return np.zeros(self.data.size, np.int16 if self._tiles < 32766 else np.int32)

    def owners(self) -> Array:
        if self.owner is None:
            self.owner = self._map()
        return self.owner

    def reader_map(self) -> Array:
        if self.readers is None:
            self.readers = self._map()
        return self.readers

    def rewritten(self) -> Array:
        if self.twice is None:
            self.twice = np.zeros(self.data.size, np.bool_)
        return self.twice

    def settle(self) -> None:
        """All tiles have met: what was written is ordered before what comes."""
        if self.owner is not None:
            self.owner[self.owner > 0] = SETTLED
        if self.readers is not None:
            self.readers[:] = 0


class Memory:
    """Everything a kernel can address."""

    def __init__(self, tiles: int, spacing: int = SPACING) -> None:
        self.tiles = tiles
        self.spacing = spacing
        self.scratchpad = SCRATCHPAD
        self.arguments: dict[int, Region] = {}
        self.constants: list[tuple[int, int, Region]] = []
        self._pads: dict[np.dtype, Region] = {}  # type: ignore[type-arg]
        self._pad_bytes: Array | None = None

    def base(self, argument: int) -> int:
        """The address of an argument."""
        return (argument + 1) << self.spacing

    def near_argument(self, address: int) -> bool:
        """Whether an address is one of an argument, not a constant."""
        return address >= 1 << self.spacing - 1

    def regions(self) -> list[Region]:
        found = [*self.arguments.values(), *(r for _, _, r in self.constants)]
        return [*dict.fromkeys(found), *self._pads.values()]

    def resolve(
        self, address: int, dtype: dtypes.DType, where: Location | None
    ) -> tuple[Region, int]:
        """The region at an address in elements of `dtype`, and the element of it.

        Raises SPY562 where there is none, SPY563 where it has another element type.
        """
        number = ((address + (1 << self.spacing - 1)) >> self.spacing) - 1
        if number >= 0:
            region = self.arguments.get(number)
            start = address - self.base(number)
        else:
            region, start = self._constant(address * dtype.bytes, dtype.bytes)
        if region is None:
            shown = address if number < 0 else start
            raise errors.NO_MEMORY.error(where, address=shown, dtype=dtype, known=self._known())
        if region.data.dtype != dtype.numpy:
            raise errors.VIEW_TYPE.error(
                where, view=dtype, memory=region.name, array=region.data.dtype
            )
        return region, start

    def _constant(self, byte: int, size: int) -> tuple[Region | None, int]:
        for first, last, region in self.constants:
            if first <= byte < max(last, first + 1):
                return region, (byte - first) // size
        return None, 0

    def _known(self) -> str:
        return ", ".join(r.name for r in self.regions()) or "no arrays"

    def scratchpads(self, dtype: dtypes.DType) -> Region:
        """The scratchpads of all tiles, one after the other, as elements of `dtype`."""
        kind = dtype.numpy
        if kind not in self._pads:
            if self._pad_bytes is None:
                self._pad_bytes = np.zeros(self.tiles * self.scratchpad, np.uint8)
            data = self._pad_bytes.view(kind)
            words = self.scratchpad // kind.itemsize
            self._pads[kind] = Region(
                "the scratchpad", data, self.tiles, undefined=True, part=words
            )
        return self._pads[kind]

    @property
    def mixed(self) -> bool:
        """Whether scratchpads are used as elements of several types."""
        return len(self._pads) > 1

    def retype(self, region: Region, places: Places) -> None:
        """Note that the scratchpads' bytes at these places are elements of this region's type."""
        for other in self._pads.values():
            if other is not region:
                size = region.data.dtype.itemsize
                moved = rescaled(places, size, other.data.dtype.itemsize)
                moved.write(other.owners(), RETYPED)

    def settle(self) -> None:
        for region in self.regions():
            region.settle()


def shape_text(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape)) or "scalar"
