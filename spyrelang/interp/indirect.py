"""Indirect access tiles: coordinates read from index views when the tile is constructed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spyrelang.affine import Map
from spyrelang.dialects.ktdp import tile_shape
from spyrelang.errors import Location
from spyrelang.errors import interp as errors
from spyrelang.interp import text
from spyrelang.interp.bases import Base
from spyrelang.interp.compiler import Compiler
from spyrelang.interp.frame import Frame
from spyrelang.interp.registry import Op, builds
from spyrelang.interp.tiles import PartialTile, PointTile, Space, base_of, read_space
from spyrelang.interp.values import Array, lift

Coordinates = Callable[[Frame, list[Any], int], Array]
"""(frame, captured values and variables, rank of the tile) -> the coordinates of one dimension."""


@builds("ktdp.construct_indirect_access_tile")
def _indirect(c: Compiler, op: Op) -> None:
    (base,), views, captured, symbols = c.segments(op, 4)
    _, at = base_of(c, op, op.operands[0], base)
    space_of = read_space(c, op, "variables_space_set", symbols)
    maps = text.maps_of(op, "per_dim_subscript_maps")
    kinds: Any = text.value_of(op.attributes["per_dim_subscript_kinds"])
    sources = iter(v.index for v in views)
    place = c.place(op)
    subscripts = [
        _indexed(map_, next(sources), place) if kind else _direct(map_)
        for map_, kind in zip(maps, kinds, strict=True)
    ]
    order = text.map_of(op, "variables_space_order").as_permutation()
    slot = c.result(op, base, *views, *captured, *symbols)
    slot.roots, out = base.roots, slot.index
    for view in views:
        c.uses.load(view.roots)
    outside = [s.index for s in captured]
    shape = tuple(n or 0 for n in tile_shape(str(op.results[0].type)))

    def step(f: Frame) -> None:
        space, target = space_of(f), at(f)
        grids, extents = _variables(space)
        rank = len(extents)
        values = [lift(f.regs[s], 0, rank) for s in outside] + grids
        coords = [read(f, values, rank) for read in subscripts]
        for dim, (coord, indexed) in enumerate(zip(coords, kinds, strict=True)):
            if indexed:
                _check(target, coord, dim, rank, f, place)
        if space.points is None:
            f.regs[out] = PointTile(target, coords, extents, order)
            return
        places = space.at or np.unravel_index(np.arange(len(space.points)), shape)
        f.regs[out] = PartialTile(PointTile(target, coords, extents), places, shape)

    c.emit(step)


def _variables(space: Space) -> tuple[list[Array], tuple[int, ...]]:
    """The values of the variables, as arrays that broadcast to the returned extents."""
    if space.points is not None:
        return list(space.points.T), (len(space.points),)
    grids = np.ogrid[tuple(slice(0, n) for n in space.extents)] if space.extents else []
    return [g + lo for g, lo in zip(grids, space.low, strict=True)], tuple(space.extents)


def _direct(map_: Map) -> Coordinates:
    expr = map_.results[0]
    return lambda _f, values, _rank: np.asarray(expr.eval(values), np.int64)


def _indexed(map_: Map, view: int, place: Location | None) -> Coordinates:
    def read(f: Frame, values: list[Any], rank: int) -> Array:
        at = [np.asarray(e.eval(values), np.int64) for e in map_.results]
        found = f.regs[view].load_points(f, at, rank, place)
        return found.astype(np.int64)

    return read


def _check(base: Base, coord: Array, dim: int, rank: int, f: Frame, place: Any) -> None:
    size = base.shape[dim]
    outside = (coord < 0) | (coord >= size)
    if outside.any():
        at = np.unravel_index(int(np.argmax(outside)), outside.shape)
        tile = f.tile(int(at[0]) if coord.ndim > rank else 0)
        raise errors.INDIRECT.error(place, tile=tile, index=int(coord[at]), dim=dim, size=size)
