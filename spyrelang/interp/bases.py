"""What access tiles lie on: a view of memory, or a tensor value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from spyrelang.errors import Location, Note, SpyreError
from spyrelang.errors import interp as errors
from spyrelang.errors import interp_values as values
from spyrelang.interp import access
from spyrelang.interp.frame import Frame
from spyrelang.interp.indices import Index
from spyrelang.interp.memory import Region
from spyrelang.interp.places import Places, Window, listed
from spyrelang.interp.values import Array, take
from spyrelang.semantics.dtypes import DType
from spyrelang.spyrecode.layout import reach


class Base(Protocol):
    """Boxes start at `starts` (ints, or arrays over the batch); points are coordinate arrays that
    broadcast to the shape of the tile, after the batch axis where `batched`."""

    def load_box(
        self, f: Frame, starts: Sequence[Index], extents: Sequence[int], where: Any
    ) -> Array: ...

    def store_box(
        self, f: Frame, starts: Sequence[Index], extents: Sequence[int], value: Array, where: Any
    ) -> None: ...

    def load_points(self, f: Frame, coords: Sequence[Array], rank: int, where: Any) -> Array: ...

    def store_points(
        self, f: Frame, coords: Sequence[Array], rank: int, value: Array, where: Any
    ) -> None: ...

    def take(self, rows: Array) -> Base: ...

    @property
    def shape(self) -> tuple[int, ...]: ...


@dataclass
class View:
    """A strided view of memory. `tile` is the compute tile whose scratchpad it is in: None for
    memory that all tiles share, -1 for the executing tile's own."""

    offset: Index
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DType
    tile: int | None
    where: Location | None
    _found: tuple[Region, Index, Index] | None = field(default=None, repr=False)

    def take(self, rows: Array) -> View:
        offset = take(self.offset, 0, rows)
        return View(offset, self.sizes, self.strides, self.dtype, self.tile, self.where)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.sizes

    # --- where it is

    def region(self, f: Frame) -> tuple[Region, Index, Index]:
        """The memory, the element there where the view starts, and what to add for the tile."""
        if self._found is None:
            self._found = self._locate(f)
            self._check_extent(f, *self._found)
        return self._found

    def _check_extent(self, f: Frame, region: Region, start: Index, _: Index) -> None:
        """Report a view that reaches past its memory, whatever part of it is touched."""
        low, high = reach(self.sizes, self.strides)
        first, last = int(np.min(start)) + low, int(np.max(start)) + high
        if 0 in self.sizes or (first >= 0 and last < region.part):
            return
        f.state.warn(
            values.VIEW_PAST.error(
                self.where,
                first=first,
                last=last,
                memory=region.name,
                size=f"{region.part} elements",
            )
        )

    def _locate(self, f: Frame) -> tuple[Region, Index, Index]:
        memory, offset = f.state.memory, self.offset
        first = offset if isinstance(offset, int) else int(offset[0])
        if self.tile is not None and not memory.near_argument(first):
            return self._scratchpad(f)
        region, start = memory.resolve(first, self.dtype, self.where)
        if isinstance(offset, int):
            return region, start, 0
        for other in offset[1:].tolist():
            found, _ = memory.resolve(other, self.dtype, self.where)
            if found is not region:
                raise errors.SEVERAL_ARRAYS.error(self.where, first=region.name, second=found.name)
        return region, offset - first + start, 0

    def _scratchpad(self, f: Frame) -> tuple[Region, Index, Index]:
        pads = f.state.memory.scratchpads(self.dtype)
        tile = self.tile
        if tile == -1:
            shift = f.tiles * pads.part
            return pads, self.offset, int(shift[0]) if f.size == 1 else shift
        if tile is None or tile >= f.state.tiles:
            raise errors.NO_SUCH_TILE.error(self.where, tile=tile, tiles=f.state.tiles)
        return pads, self.offset, tile * pads.part

    def _check(self, f: Frame, dim: int, low: Any, high: Any, where: Any) -> None:
        """Raise SPY560 where coordinates leave the view; `low` and `high` for each tile or all."""
        size = self.sizes[dim]
        lows, highs = np.atleast_1d(low), np.atleast_1d(high)
        if lows.min() >= 0 and highs.max() < size:
            return
        row = int(np.argmax((lows < 0) | (highs >= size)))
        raise errors.TILE_BOUNDS.error(
            where,
            notes=[Note("the view is made here", self.where)],
            who=f"compute tile {f.tile(row)}",
            first=lows[row],
            last=highs[row],
            dim=dim,
            size=size,
        )

    def check_box(
        self,
        f: Frame,
        starts: Sequence[Index],
        extents: Sequence[int],
        steps: Sequence[int],
        where: Any,
    ) -> None:
        """Raise SPY560 where a strided box leaves the view."""
        if 0 in extents:
            return
        for dim, (start, extent, step) in enumerate(zip(starts, extents, steps, strict=True)):
            reach = (extent - 1) * step
            self._check(f, dim, start + min(0, reach), start + max(0, reach), where)

    def window(
        self, f: Frame, starts: Sequence[Index], extents: Sequence[int], where: Any
    ) -> tuple[Region, Places]:
        """The places of a box. Raises SPY560, SPY561, SPY562, SPY563, SPY578."""
        region, at, shift = self.region(f)
        if 0 not in extents:
            for dim, (start, extent) in enumerate(zip(starts, extents, strict=True)):
                if type(start) is not int or start < 0 or start + extent > self.sizes[dim]:
                    self._check(f, dim, start, start + (extent - 1), where)
        for start, stride in zip(starts, self.strides, strict=True):
            at = at + start * stride
        return self._placed(f, region, Window(at, extents, self.strides), shift, where)

    def _placed(
        self, f: Frame, region: Region, places: Places, shift: Index, where: Any
    ) -> tuple[Region, Places]:
        access.inside(places, region.part, region, f, where)
        return region, places if type(shift) is int and not shift else places.shifted(shift)

    def points(
        self, f: Frame, coords: Sequence[Array], rank: int, where: Any
    ) -> tuple[Region, Places]:
        """The places of listed points."""
        region, at, shift = self.region(f)
        batched = any(c.ndim > rank for c in coords) or isinstance(at, np.ndarray)
        index: Any = at if type(at) is int else at.reshape(-1, *(1,) * rank)
        for dim, coord in enumerate(coords):
            if coord.size:
                axes = tuple(range(1, coord.ndim)) if coord.ndim > rank else None
                self._check(f, dim, coord.min(axis=axes), coord.max(axis=axes), where)
        return self._placed(f, region, listed(index, coords, self.strides, batched), shift, where)

    # --- moving data

    def load_box(
        self, f: Frame, starts: Sequence[Index], extents: Sequence[int], where: Any
    ) -> Array:
        region, places = self.window(f, starts, extents, where)
        return access.load(region, places, f, where)

    def store_box(
        self, f: Frame, starts: Sequence[Index], extents: Sequence[int], value: Array, where: Any
    ) -> None:
        region, places = self.window(f, starts, extents, where)
        access.store(region, places, value, f, where)

    def load_points(self, f: Frame, coords: Sequence[Array], rank: int, where: Any) -> Array:
        region, places = self.points(f, coords, rank, where)
        return access.load(region, places, f, where)

    def store_points(
        self, f: Frame, coords: Sequence[Array], rank: int, value: Array, where: Any
    ) -> None:
        region, places = self.points(f, coords, rank, where)
        access.store(region, places, value, f, where)


@dataclass
class TensorBase:
    """A tensor value as the base of an access tile; it can only be loaded from."""

    value: Array
    rank: int
    where: Location | None

    def take(self, rows: Array) -> TensorBase:
        return TensorBase(take(self.value, self.rank, rows), self.rank, self.where)

    def load_box(
        self, f: Frame, starts: Sequence[Index], extents: Sequence[int], where: Any
    ) -> Array:
        grids = np.ogrid[tuple(slice(0, n) for n in extents)] if extents else []
        coords = [
            g + (s if type(s) is int else s.reshape(-1, *(1,) * len(extents)))
            for g, s in zip(grids, starts, strict=True)
        ]
        return self.load_points(f, coords, len(extents), where)

    def load_points(self, f: Frame, coords: Sequence[Array], rank: int, where: Any) -> Array:
        for dim, (coord, size) in enumerate(zip(coords, self.shape, strict=True)):
            if coord.size and not (coord.min() >= 0 and coord.max() < size):
                outside = (coord < 0) | (coord >= size)
                at = np.unravel_index(int(np.argmax(outside)), coord.shape)
                raise errors.TILE_BOUNDS.error(
                    where,
                    who=f"compute tile {f.tile(int(at[0]) if coord.ndim > rank else 0)}",
                    first=coord[at],
                    last=coord[at],
                    dim=dim,
                    size=size,
                )
        if self.value.ndim == self.rank:
            return np.asarray(self.value[tuple(coords)])
        rows = f.rows().reshape(-1, *(1,) * rank)
        return np.asarray(self.value[(rows, *coords)])

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape[self.value.ndim - self.rank :]

    def store_box(
        self, f: Frame, starts: Sequence[Index], extents: Sequence[int], value: Array, where: Any
    ) -> None:
        raise self._refuse()

    def store_points(
        self, f: Frame, coords: Sequence[Array], rank: int, value: Array, where: Any
    ) -> None:
        raise self._refuse()

    def _refuse(self) -> SpyreError:
        return errors.TILE_SHAPE.error(
            self.where, op="ktdp.store", reason="a tensor is a value and cannot be stored to"
        )
