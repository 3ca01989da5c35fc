"""Access tiles: which points of a base, in which order, and loads and stores of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrelang.affine import Map, Set
from spyrelang.dialects.ktdp import tile_shape
from spyrelang.errors import Location, SpyreError
from spyrelang.errors import interp as errors
from spyrelang.interp import text
from spyrelang.interp.bases import Base, TensorBase
from spyrelang.interp.compiler import Compiler, Slot
from spyrelang.interp.elementwise import defined
from spyrelang.interp.frame import Frame
from spyrelang.interp.indices import Index, affine_values
from spyrelang.interp.registry import Op, builds
from spyrelang.interp.values import Array, Undefined, take


@dataclass
class BoxTile:
    """The box of `extents` at `starts`; axis i of the tile is axis order[i] of the box."""

    base: Base
    starts: list[Index]
    extents: list[int]
    order: tuple[int, ...] | None

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.extents if self.order is None else (self.extents[i] for i in self.order))

    def take(self, rows: Array) -> BoxTile:
        starts = [take(s, 0, rows) for s in self.starts]
        return BoxTile(self.base.take(rows), starts, self.extents, self.order)

    def load(self, f: Frame, where: Any) -> Array:
        found = self.base.load_box(f, self.starts, self.extents, where)
        return found if self.order is None else _permuted(found, self.order)

    def store(self, f: Frame, value: Array, where: Any) -> None:
        if self.order is not None:
            value = _permuted(value, tuple(int(i) for i in np.argsort(self.order)))
        self.base.store_box(f, self.starts, self.extents, value, where)


@dataclass
class PointTile:
    """Points listed by their coordinates, arrays that broadcast to `extents` (after the batch);
    axis i of the tile is axis order[i] of those."""

    base: Base
    coords: list[Array]
    extents: tuple[int, ...]
    order: tuple[int, ...] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.extents if self.order is None else tuple(self.extents[i] for i in self.order)

    def take(self, rows: Array) -> PointTile:
        rank = len(self.extents)
        coords = [np.asarray(take(c, rank, rows) if c.ndim >= rank else c) for c in self.coords]
        return PointTile(self.base.take(rows), coords, self.extents, self.order)

    def load(self, f: Frame, where: Any) -> Array:
        rank = len(self.extents)
        found = self.base.load_points(f, self.coords, rank, where)
        lead = found.shape[: max(0, found.ndim - rank)]
        found = np.broadcast_to(found, (*lead, *self.extents))
        return found if self.order is None else _permuted(found, self.order)

    def store(self, f: Frame, value: Array, where: Any) -> None:
        if self.order is not None:
            value = _permuted(value, tuple(int(i) for i in np.argsort(self.order)))
        rank = len(self.extents)
        batch = max([c.shape[0] for c in self.coords if c.ndim > rank], default=0)
        shape = (batch, *self.extents) if batch else self.extents
        coords = [np.broadcast_to(c, shape) for c in self.coords]
        self.base.store_points(f, coords, rank, value, where)


@dataclass
class PartialTile:
    """A tile of which only some places are points: `at` are their coordinates in the tile. What is
    loaded of the others is undefined, and they are not stored."""

    points: PointTile
    at: tuple[Array, ...]
    shape: tuple[int, ...]

    def take(self, rows: Array) -> PartialTile:
        return PartialTile(self.points.take(rows), self.at, self.shape)

    def load(self, f: Frame, where: Any) -> Array | Undefined:
        found = self.points.load(f, where)
        data = np.zeros((*found.shape[:-1], *self.shape), found.dtype)
        missing = np.ones(data.shape, np.bool_)
        data[..., *self.at], missing[..., *self.at] = found, False
        return Undefined.of(data, missing)

    def chosen(self, value: Array | Undefined) -> Array | Undefined:
        """The elements of a value that are stored."""
        if not isinstance(value, Undefined):
            return value[..., *self.at]
        return Undefined.of(value.data[..., *self.at], value.mask[..., *self.at])

    def store(self, f: Frame, value: Array, where: Any) -> None:
        """Store what `chosen` gave."""
        self.points.store(f, value, where)


def _permuted(value: Array, order: tuple[int, ...]) -> Array:
    lead = value.ndim - len(order)
    return value.transpose(*range(lead), *(lead + i for i in order))


# --- the points of a tile ------------------------------------------------------------------------


@dataclass
class Space:
    """The points of a tile relative to its anchor: a box (its low ends and extents), or a list.
    `at`: where in the tile the listed points are (None: they fill it)."""

    low: list[int]
    extents: list[int]
    points: Array | None = None
    at: tuple[Array, ...] | None = None


def read_space(c: Compiler, op: Op, set_name: str, symbols: list[Slot]) -> Callable[[Frame], Space]:
    """The points of the set of an op. Raises SPY558 where it does not agree with the tile type."""
    points = text.set_of(op, set_name)
    order = text.map_of(op, set_name.replace("_set", "_order"))
    c.uniform(op, "a symbol of the set of an access tile", *symbols)
    place, name = c.place(op), op.name
    shape = tile_shape(str(op.results[0].type))

    def space(symbols: tuple[int, ...]) -> Space:
        try:
            found = _space(points, symbols, order)
        except SpyreError as error:
            error.location = error.location or place
            raise
        if found is None:
            reason = f"the order {order} does not tell the points of the set apart"
            raise errors.TILE_SHAPE.error(place, op=name, reason=reason)
        _check_extents(found, order, shape, name, place)
        return found

    if not symbols:
        fixed = space(())
        return lambda _: fixed
    slots = [s.index for s in symbols]
    return lambda f: space(tuple(int(f.regs[s]) for s in slots))


def _space(points: Set, symbols: tuple[int, ...], order: Map) -> Space | None:
    """None where two points have the same place in the order."""
    bound = points.bind(symbols) if symbols else points
    box = bound.box()
    if box is not None and (order.is_permutation or order.n_dims == 0):
        ends = [(int(str(lo)), int(str(hi))) for lo, hi in box]
        extents = [max(0, hi - lo + 1) for lo, hi in ends]
        return Space([lo for lo, _ in ends], extents)
    listed = np.array(list(bound.points()), np.int64).reshape(-1, points.n_dims)
    keys = [np.broadcast_to(k, len(listed)) for k in order.eval(list(listed.T))]
    sequence = np.lexsort(keys[::-1]) if keys else np.arange(len(listed))
    ranked = np.stack([k[sequence] for k in keys]) if keys else np.empty((0, len(listed)))
    if (ranked[:, 1:] == ranked[:, :-1]).all(axis=0).any():
        return None
    ranks = [np.unique(k[sequence], return_inverse=True) for k in keys]
    extents = [len(values) for values, _ in ranks]
    full = len(listed) == math.prod(extents)
    return Space([], extents, listed[sequence], None if full else tuple(at for _, at in ranks))


def _check_extents(
    space: Space, order: Map, shape: Sequence[int | None], name: str, place: Location | None
) -> None:
    if space.points is None:
        axes = order.as_permutation() or ()
        found = [space.extents[i] for i in axes]
        fits = all(n is None or n == m for n, m in zip(shape, found, strict=True))
    else:
        found = [len(space.points)]
        sizes = [n for n in shape if n is not None]
        fits = len(sizes) == len(shape) and int(np.prod(sizes)) == found[0]
        if not fits and space.at is not None and list(shape) == space.extents:
            return
        space.at = None
    if not fits:
        want = "x".join("?" if n is None else str(n) for n in shape)
        reason = f"the set has {'x'.join(map(str, found))} points, the tile's type says {want}"
        raise errors.TILE_SHAPE.error(place, op=name, reason=reason)


# --- ops -----------------------------------------------------------------------------------------


def base_of(c: Compiler, op: Op, value: Any, slot: Slot) -> tuple[int, Callable[[Frame], Base]]:
    """The rank of a tile's base and what gives it at run time."""
    rank = int(value.type.rank)
    index, place, name = slot.index, c.place(op), op.name

    def read(f: Frame) -> Base:
        found = f.regs[index]
        return TensorBase(defined(found, name, place), rank, place) if slot.rank >= 0 else found

    return rank, read


@builds("ktdp.construct_access_tile")
def _tile(c: Compiler, op: Op) -> None:
    (base,), indices, symbols = c.segments(op, 3)
    rank, at = base_of(c, op, op.operands[0], base)
    map_ = text.map_of(op, "base_map")
    if map_.n_results != rank:
        raise errors.subscripts_of_another_rank(c.place(op), op.name, map_.n_results, rank)
    starts = affine_values(c, op, map_, indices)
    space_of = read_space(c, op, "access_tile_set", symbols)
    axes = text.map_of(op, "access_tile_order").as_permutation()
    order = None if axes is None or axes == tuple(range(rank)) else axes
    shape = tile_shape(str(op.results[0].type))
    slot = c.result(op, base, *indices, *symbols)
    slot.roots, out = base.roots, slot.index

    def step(f: Frame) -> None:
        space, anchor = space_of(f), starts(f)
        if space.points is None:
            at_low = [s + lo if lo else s for s, lo in zip(anchor, space.low, strict=True)]
            f.regs[out] = BoxTile(at(f), at_low, space.extents, order)
        elif space.at is None:
            f.regs[out] = _listed(at(f), anchor, space.points, shape)
        else:
            listed = _listed(at(f), anchor, space.points, (len(space.points),))
            f.regs[out] = PartialTile(listed, space.at, tuple(space.extents))

    c.emit(step)


def _listed(
    base: Base, anchor: list[Index], points: Array, shape: Sequence[int | None]
) -> PointTile:
    sizes = tuple(n or 0 for n in shape)
    coords: list[Array] = []
    for dim, start in enumerate(anchor):
        offsets = points[:, dim].reshape(sizes)
        by = start if type(start) is int else start.reshape(-1, *(1,) * len(sizes))
        coords.append(np.asarray(offsets + by))
    return PointTile(base, coords, sizes)


@builds("ktdp.load")
def _load(c: Compiler, op: Op) -> None:
    (tile,) = c.operands(op)
    slot = c.result(op, tile)
    c.uses.load(tile.roots)
    index, out, place = tile.index, slot.index, c.place(op)

    def step(f: Frame) -> None:
        f.regs[out] = f.regs[index].load(f, place)

    c.emit(step)


@builds("ktdp.store")
def _store(c: Compiler, op: Op) -> None:
    value, tile = c.operands(op)
    c.uses.store(tile.roots, c.loops)
    source, index, place = value.index, tile.index, c.place(op)
    rank = value.rank

    def step(f: Frame) -> None:
        data, target = f.regs[source], f.regs[index]
        if isinstance(target, PartialTile):
            target.store(f, defined(target.chosen(data), "ktdp.store", place), place)
            return
        data = defined(data, "ktdp.store", place)
        if data.shape[data.ndim - rank :] != target.shape:
            raise errors.SHAPES_DIFFER.error(
                place, op="ktdp.store", got=list(data.shape[-rank:]), want=list(target.shape)
            )
        target.store(f, data, place)

    c.emit(step)
