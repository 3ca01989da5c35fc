"""From operands of structured ops to arrays over their loops, and back to results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spyrelang.affine import Const, Dim, Map
from spyrelang.interp.body import check_range
from spyrelang.interp.frame import Frame
from spyrelang.interp.values import Array

Spread = Callable[[Array, tuple[int, ...], Frame], Array]
"""(value, loop extents, frame) -> array that broadcasts to the loops, after the batch axis."""


def spread(map_: Map, name: str, place: Any) -> Spread:
    """How an operand with this indexing map is read."""
    loops = map_.n_dims
    found = [r.index if isinstance(r, Dim) else None for r in map_.results]
    dims = [d for d in found if d is not None]
    plain = all(isinstance(r, Dim | Const) for r in map_.results) and len(set(dims)) == len(dims)
    if not plain:
        return _gathered(map_, name, place)
    if dims == list(range(loops)) and len(found) == loops:
        return lambda value, _extents, _frame: value
    return _projected(map_, found, dims, name, place)


def _projected(
    map_: Map, found: list[int | None], dims: list[int], name: str, place: Any
) -> Spread:
    """Axes put into the order of the loops, with axes of extent 1 for the others."""
    fixed: list[Any] = [r.value if isinstance(r, Const) else slice(None) for r in map_.results]
    order = [dims.index(d) for d in sorted(dims)]
    shown = [slice(None) if d in dims else None for d in range(map_.n_dims)]
    constants = [(i, v) for i, v in enumerate(fixed) if isinstance(v, int)]
    rank = len(found)

    def read(value: Array, _extents: tuple[int, ...], f: Frame) -> Array:
        lead = value.ndim - rank
        for axis, at in constants:
            check_range(at, 1, value.shape[lead + axis], axis, name, "index", place, f)
        if constants:
            value = value[(slice(None),) * lead + tuple(fixed)]
        value = value.transpose(*range(lead), *(lead + o for o in order))
        return value[(slice(None),) * lead + tuple(shown)]

    return read


def _gathered(map_: Map, name: str, place: Any) -> Spread:
    """Any map: elements are picked one by one."""
    rank, loops = map_.n_results, map_.n_dims

    def read(value: Array, extents: tuple[int, ...], f: Frame) -> Array:
        grids = list(np.ogrid[tuple(slice(0, n) for n in extents)])
        lead = value.ndim - rank
        index = [np.asarray(i) for i in map_.eval(grids)]
        for axis, i in enumerate(index):
            size = value.shape[lead + axis]
            check_range(i.min() if i.size else 0, 1, size, axis, name, "index", place, f)
            check_range(i.max() if i.size else 0, 1, size, axis, name, "index", place, f)
        if lead:
            rows = np.arange(len(value)).reshape(-1, *(1,) * loops)
            return value[(rows, *index)]
        return np.asarray(value[tuple(index)])

    return read


def gather_back(map_: Map, kept: Sequence[int]) -> Callable[[Array, int], Array] | None:
    """From an array over the loops `kept` (ascending) to the layout of a result.

    The second argument counts leading axes. None where the map does not define every element of
    the result once."""
    dims = [r.index if isinstance(r, Dim) else None for r in map_.results]
    used = [d for d in dims if d is not None]
    zeros = all(isinstance(r, Dim) or r.constant == 0 for r in map_.results)
    if not zeros or sorted(used) != list(kept):
        return None
    order = [list(kept).index(d) for d in used]
    shown = tuple(None if d is None else slice(None) for d in dims)
    if order == list(range(len(order))) and None not in dims:
        return lambda value, _lead: value

    def back(value: Array, lead: int) -> Array:
        value = value.transpose(*range(lead), *(lead + o for o in order))
        return value[(slice(None),) * lead + shown]

    return back


def extents_of(
    maps: Sequence[Map], shapes: Sequence[Sequence[int]], loops: int
) -> tuple[int, ...] | None:
    """The extents of the loops, from the operands whose map has them as plain results."""
    found: list[int | None] = [None] * loops
    for map_, shape in zip(maps, shapes, strict=True):
        for result, size in zip(map_.results, shape, strict=True):
            if isinstance(result, Dim) and found[result.index] is None:
                found[result.index] = size
    sizes = [n for n in found if n is not None]
    return tuple(sizes) if len(sizes) == loops else None
