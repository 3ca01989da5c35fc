"""Which elements of a flat memory a load or store touches: strided windows, or listed points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from spyrelang.interp.values import Array


class Places(Protocol):
    """`batched`: there is one set of places for each tile of the batch (a leading axis)."""

    batched: bool

    def read(self, flat: Array) -> Array:
        """The elements of `flat`: a view where that is possible."""
        ...

    def write(self, flat: Array, value: Any) -> None:
        """Store what broadcasts to the shape of the places."""
        ...

    def mark(self, flat: Array, where: Array) -> None:
        """Set the elements at which `where` (of the shape of the places) holds to True."""
        ...

    def span(self) -> tuple[Array, Array]:
        """The first and the last element, for each tile if batched."""
        ...

    def shifted(self, by: int | Array) -> Places:
        """The same places further up."""
        ...

    @property
    def disjoint(self) -> bool:
        """Whether no element is certain to occur only once."""
        ...

    @property
    def shape(self) -> tuple[int, ...]: ...


def window(flat: Array, start: int, shape: Sequence[int], strides: Sequence[int]) -> Array:
    """A strided view of a contiguous flat array; it must lie inside."""
    if 0 in shape:
        return np.empty(tuple(shape), flat.dtype)
    size = flat.dtype.itemsize
    steps = tuple(s * size for s in strides)
    return np.ndarray(tuple(shape), flat.dtype, flat.view(np.uint8), start * size, steps)


class Window:
    """Boxes of one shape and one set of strides that start at `start` (for each tile, if it is an
    array). Strides count elements."""

    def __init__(self, start: int | Array, shape: Sequence[int], strides: Sequence[int]) -> None:
        self.start = start
        self.box = tuple(shape)
        self.strides = tuple(strides)
        self.batched = not isinstance(start, int)
        self.step = None if isinstance(start, int) else _common_step(start)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.box if isinstance(self.start, int) else (len(self.start), *self.box)

    def _whole(self, flat: Array) -> Array | None:
        if isinstance(self.start, int):
            return window(flat, self.start, self.box, self.strides)
        if self.step is None:
            return None
        return window(flat, int(self.start[0]), self.shape, (self.step, *self.strides))

    def _each(self, flat: Array) -> list[Array]:
        starts: Any = self.start
        return [window(flat, s, self.box, self.strides) for s in starts.tolist()]

    def read(self, flat: Array) -> Array:
        found = self._whole(flat)
        if found is not None:
            return found
        result = np.empty(self.shape, flat.dtype)
        for row, part in enumerate(self._each(flat)):
            result[row] = part
        return result

    def write(self, flat: Array, value: Any) -> None:
        target = self._whole(flat)
        if target is not None:
            target[...] = value
            return
        spread = np.broadcast_to(value, self.shape)
        for row, part in enumerate(self._each(flat)):
            part[...] = spread[row]

    def mark(self, flat: Array, where: Array) -> None:
        if not self.batched:
            self.read(flat)[where] = True
            return
        for row, part in enumerate(self._each(flat)):
            part[where[row]] = True

    def span(self) -> tuple[Array, Array]:
        low = high = 0
        for extent, stride in zip(self.box, self.strides, strict=True):
            reach = (extent - 1) * stride
            low, high = low + min(0, reach), high + max(0, reach)
        start = np.asarray(self.start)
        return start + low, start + high

    def shifted(self, by: int | Array) -> Window:
        return Window(self.start + by, self.box, self.strides)  # type: ignore[arg-type]

    @property
    def disjoint(self) -> bool:
        """Exact where every stride steps over what the smaller ones reach."""
        steps = [(abs(s), n) for s, n in zip(self.strides, self.box, strict=True) if n > 1]
        if self.batched:
            if self.step is None:
                return False
            steps.append((abs(self.step), self.shape[0]))
        reach = 0
        for step, extent in sorted(steps):
            if step <= reach:
                return False
            reach += step * (extent - 1)
        return True


def _common_step(starts: Array) -> int | None:
    """How far apart neighbouring starts are; None where that changes."""
    first = int(starts[1] - starts[0])
    last = int(starts[-1] - starts[0])
    if last != first * (len(starts) - 1):
        return None
    return first if bool((starts[1:] - starts[:-1] == first).all()) else None


class Points:
    """Elements listed one by one: `index` has the shape of the tile, after the batch if batched."""

    disjoint = False

    def __init__(self, index: Array, batched: bool) -> None:
        self.index = index
        self.batched = batched

    @property
    def shape(self) -> tuple[int, ...]:
        return self.index.shape

    def read(self, flat: Array) -> Array:
        return flat[self.index]

    def write(self, flat: Array, value: Any) -> None:
        flat[self.index] = value

    def mark(self, flat: Array, where: Array) -> None:
        flat[self.index[where]] = True

    def span(self) -> tuple[Array, Array]:
        axes = tuple(range(1, self.index.ndim)) if self.batched else None
        if not math.prod(self.index.shape):
            return np.array(0), np.array(0)
        return np.asarray(self.index.min(axis=axes)), np.asarray(self.index.max(axis=axes))

    def shifted(self, by: int | Array) -> Points:
        if isinstance(by, int):
            return Points(self.index + by, self.batched)
        shift = by.reshape(-1, *(1,) * (self.index.ndim - self.batched))
        return Points(self.index + shift, True)


class Rows(Points):
    """Rows of `n` neighbouring elements each, listed by their first elements: those have the shape
    of the tile with a last axis of extent 1."""

    def __init__(self, first: Array, n: int, batched: bool) -> None:
        self.first = first
        self.n = n
        self.batched = batched

    @property
    def index(self) -> Array:
        """Every element (not kept: it takes more memory than what is moved)."""
        return self.first + np.arange(self.n)

    @property
    def shape(self) -> tuple[int, ...]:
        return (*self.first.shape[:-1], self.n)

    def _at_each(self, flat: Array) -> Array:
        """A view whose row i starts at element i."""
        return window(flat, 0, (flat.size - self.n + 1, self.n), (1, 1))

    def read(self, flat: Array) -> Array:
        return self._at_each(flat)[self.first[..., 0]]

    def write(self, flat: Array, value: Any) -> None:
        self._at_each(flat)[self.first[..., 0]] = value

    def span(self) -> tuple[Array, Array]:
        axes = tuple(range(1, self.first.ndim)) if self.batched else None
        if not math.prod(self.shape):
            return np.array(0), np.array(0)
        last = self.first.max(axis=axes) + (self.n - 1)
        return np.asarray(self.first.min(axis=axes)), np.asarray(last)

    def shifted(self, by: int | Array) -> Rows:
        if isinstance(by, int):
            return Rows(self.first + by, self.n, self.batched)
        shift = by.reshape(-1, *(1,) * (self.first.ndim - self.batched))
        return Rows(self.first + shift, self.n, True)


def listed(at: Any, coords: Sequence[Array], strides: Sequence[int], batched: bool) -> Points:
    """The elements at `at` + sum(coords * strides): as rows where the last axis of the coordinates
    only counts neighbours."""
    along = _row_axis(coords, strides)
    if along is None:
        for coord, stride in zip(coords, strides, strict=True):
            at = at + coord * stride
        return Points(np.asarray(at), batched)
    n = coords[along].size
    for dim, (coord, stride) in enumerate(zip(coords, strides, strict=True)):
        at = at + (coord[..., :1] if dim == along else coord) * stride
    return Rows(np.asarray(at), n, batched)


def _row_axis(coords: Sequence[Array], strides: Sequence[int]) -> int | None:
    """The dimension that alone varies along the last axis of a tile, in steps of one element."""
    found = [i for i, c in enumerate(coords) if c.ndim and c.shape[-1] > 1]
    if len(found) != 1 or strides[found[0]] != 1:
        return None
    coord = coords[found[0]]
    if coord.size != coord.shape[-1] or not bool((np.diff(coord.reshape(-1)) == 1).all()):
        return None
    return found[0]


def rescaled(places: Places, size: int, other: int) -> Places:
    """The elements of `other` bytes each that lie at places counted in elements of `size` bytes."""
    found: Any = places
    if size == other:
        return places
    if size < other:
        index = found.index if isinstance(places, Points) else _every(found)
        return Points(index // (other // size), places.batched)
    ratio = size // other
    if isinstance(places, Window):
        steps = (*(s * ratio for s in places.strides), 1)
        return Window(places.start * ratio, (*places.box, ratio), steps)
    return Points(found.index[..., None] * ratio + np.arange(ratio), places.batched)


def _every(places: Window) -> Array:
    """Every element of a window."""
    rank = len(places.box)
    starts = np.asarray(places.start)
    index: Any = starts.reshape(*starts.shape, *(1,) * rank)
    for dim, (extent, stride) in enumerate(zip(places.box, places.strides, strict=True)):
        index = index + (np.arange(extent) * stride).reshape(-1, *(1,) * (rank - dim - 1))
    return np.asarray(index)
