"""Distributed memory views: several views that hold parts of one logical tensor.

A coordinate is served by the last partition whose coordinate set holds it; there it is counted from
the low corner of the set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir import ir

from spyrelang.affine import Set
from spyrelang.errors import Location
from spyrelang.errors import interp as errors
from spyrelang.interp import access, partitions, text
from spyrelang.interp.bases import View
from spyrelang.interp.compiler import Compiler
from spyrelang.interp.frame import Dependent, Frame
from spyrelang.interp.indices import DYNAMIC, Index
from spyrelang.interp.memory import Region
from spyrelang.interp.places import Places
from spyrelang.interp.registry import Op, builds
from spyrelang.interp.values import Array


@dataclass
class Partition:
    """One view with its coordinates: `low` and `high` are the corners (inclusive), `points` the set
    where it is not a box."""

    view: View
    low: tuple[int, ...]
    high: tuple[int, ...]
    points: Set | None

    def holds(self, coords: Sequence[Array]) -> Array:
        inside: Any = np.True_
        for coord, lo, hi in zip(coords, self.low, self.high, strict=True):
            inside = inside & (coord >= lo) & (coord <= hi)
        return inside if self.points is None else inside & self.points.contains(coords)


@dataclass
class Distributed:
    """The base of access tiles over several partitions."""

    parts: list[Partition]
    shape: tuple[int, ...]
    where: Location | None

    def take(self, rows: Array) -> Distributed:
        parts = [Partition(p.view.take(rows), p.low, p.high, p.points) for p in self.parts]
        return Distributed(parts, self.shape, self.where)

    # --- boxes

    def _owner(self, starts: Sequence[Index], extents: Sequence[int]) -> Partition | None:
        """The one partition that holds the boxes of all tiles."""
        found: Partition | None = None
        for part in self.parts:
            apart, within = False, part.points is None
            for start, n, lo, hi in zip(starts, extents, part.low, part.high, strict=True):
                first, last = int(np.min(start)), int(np.max(start)) + n - 1
                within = within and first >= lo and last <= hi
                apart = apart or last < lo or first > hi
            if not apart:
                found = part if within else None
        return found

    def load_box(
        self, f: Frame, starts: Sequence[Index], extents: Sequence[int], where: Any
    ) -> Array:
        part = self._owner(starts, extents)
        if part is not None:
            local = [s - lo for s, lo in zip(starts, part.low, strict=True)]
            return part.view.load_box(f, local, extents, where)
        return self.load_points(f, _grid(starts, extents), len(extents), where)

    def store_box(
        self, f: Frame, starts: Sequence[Index], extents: Sequence[int], value: Array, where: Any
    ) -> None:
        part = self._owner(starts, extents)
        if part is not None:
            local = [s - lo for s, lo in zip(starts, part.low, strict=True)]
            part.view.store_box(f, local, extents, value, where)
            return
        coords = np.broadcast_arrays(*_grid(starts, extents)) if extents else []
        self.store_points(f, list(coords), len(extents), value, where)

    # --- points

    def load_points(self, f: Frame, coords: Sequence[Array], rank: int, where: Any) -> Array:
        if self._batched(coords, rank, f):
            rows = [
                self.take(row).load_points(g, self._of_row(coords, rank, row[0]), rank, where)
                for row, g in _each(f)
            ]
            return np.stack(rows)
        full = _broadcast(coords)
        result = np.empty(full[0].shape if full else (), self.parts[0].view.dtype.numpy)
        for part, mask in self._served(full, where):
            chosen = [c[mask] - lo for c, lo in zip(full, part.low, strict=True)]
            result[mask] = part.view.load_points(f, chosen, 1, where)
        return result

    def store_points(
        self, f: Frame, coords: Sequence[Array], rank: int, value: Array, where: Any
    ) -> None:
        if self._batched(coords, rank, f) or (value.ndim > rank and f.size > 1):
            for row, g in _each(f):
                mine = value[row[0]] if value.ndim > rank else value
                chosen = self._of_row(coords, rank, row[0])
                self.take(row).store_points(g, chosen, rank, mine, where)
            return
        full = _broadcast(coords)
        stored: list[tuple[Region, Places, Array]] = []
        served = self._served(full, where)
        if f.trips is not None and len(served) > 1:
            raise Dependent  # whether the parts share memory is only known once all is stored
        for part, mask in served:
            chosen = [c[mask] - lo for c, lo in zip(full, part.low, strict=True)]
            mine = np.broadcast_to(value, mask.shape)[mask]
            region, places = part.view.points(f, chosen, 1, where)
            access.store(region, places, mine, f, where)
            stored.append((region, places, mine))
        for region, places, mine in stored[:-1]:  # parts may share memory
            access.check_kept(region, places, mine, f, where)

    def _batched(self, coords: Sequence[Array], rank: int, f: Frame) -> bool:
        if f.size == 1:
            return False
        own = any(p.view.tile == -1 or isinstance(p.view.offset, np.ndarray) for p in self.parts)
        return own or any(c.ndim > rank for c in coords)

    def _of_row(self, coords: Sequence[Array], rank: int, row: int) -> list[Array]:
        return [c[row] if c.ndim > rank else c for c in coords]

    def _served(self, coords: list[Array], where: Any) -> list[tuple[Partition, Array]]:
        """Which points each partition serves. Raises SPY573 for points without any."""
        left = np.ones(coords[0].shape if coords else (), np.bool_)
        found: list[tuple[Partition, Array]] = []
        for part in reversed(self.parts):
            mask = left & part.holds(coords)
            if mask.any():
                found.append((part, mask))
                left &= ~mask
        if left.any():
            at = np.unravel_index(int(np.argmax(left)), left.shape)
            raise errors.HOLE.error(where, coordinate=[int(c[at]) for c in coords])
        return found


def _grid(starts: Sequence[Index], extents: Sequence[int]) -> list[Array]:
    """The coordinates of boxes as arrays that broadcast, after the batch axis."""
    grids = np.ogrid[tuple(slice(0, n) for n in extents)] if extents else []
    rank = len(extents)
    return [
        np.asarray(g + (s if type(s) is int else s.reshape(-1, *(1,) * rank)))
        for g, s in zip(grids, starts, strict=True)
    ]


def _broadcast(coords: Sequence[Array]) -> list[Array]:
    return list(np.broadcast_arrays(*coords)) if coords else []


def _each(f: Frame) -> list[tuple[Array, Frame]]:
    """Every tile of a batch on its own; the frames hold no registers."""
    rows = [np.array([row]) for row in range(f.size)]
    return [(row, f.sub(row, [])) for row in rows]


@builds("ktdp.construct_distributed_memory_view")
def _distributed(c: Compiler, op: Op) -> None:
    views = c.operands(op)
    if not views:
        raise errors.TILE_SHAPE.error(
            c.place(op), op=op.name, reason="there are no views to build it from"
        )
    corners = [_coordinates(c, op, value) for value in op.operands]
    kind = ir.MemRefType(op.results[0].type)
    shape = tuple(
        DYNAMIC if kind.is_dynamic_dim(i) else int(kind.get_dim_size(i)) for i in range(kind.rank)
    )
    slot = c.result(op, *views)
    slot.roots = frozenset[int]().union(*(v.roots for v in views))
    indices, out, place = [v.index for v in views], slot.index, c.place(op)

    def step(f: Frame) -> None:
        found = [f.regs[i] for i in indices]
        parts = [corner(view) for corner, view in zip(corners, found, strict=True)]
        sizes = tuple(
            max(p.high[d] for p in parts) + 1 if n == DYNAMIC else n for d, n in enumerate(shape)
        )
        f.regs[out] = Distributed(parts, sizes, place)

    c.emit(step)


def _coordinates(c: Compiler, op: Op, value: Any) -> Callable[[View], Partition]:
    """The coordinate set of the op that makes a view, with its dynamic sizes for the symbols."""
    owner = value.owner
    made = None if isinstance(owner, ir.Block) else owner.operation
    if made is None or made.name != "ktdp.construct_memory_view":
        raise errors.TILE_SHAPE.error(
            c.place(op), op=op.name, reason="a partition must come from a construct_memory_view"
        )
    points = text.set_of(made, "coordinate_set")
    dynamic = [i for i, n in enumerate(made.attributes["static_sizes"]) if int(n) == DYNAMIC]
    known: dict[tuple[int, ...], tuple[tuple[tuple[int, int], ...], Set | None]] = {}

    def partition(view: View) -> Partition:
        symbols = tuple(view.sizes[i] for i in dynamic) if points.n_syms else ()
        if symbols not in known:
            bound = points.bind(symbols) if symbols else points
            ends = partitions.bounds(bound) or ((0, -1),) * points.n_dims
            known[symbols] = ends, None if bound.box() is not None else bound
        ends, within = known[symbols]
        return Partition(view, tuple(lo for lo, _ in ends), tuple(hi for _, hi in ends), within)

    return partition
