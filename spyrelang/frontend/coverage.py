"""Which elements of outputs are written, and by how many compute tiles: exactly, by counting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrelang.errors import SpyreWarning
from spyrelang.errors import trace as errors
from spyrelang.frontend.kernel import Param, TracedKernel, stores_by_param
from spyrelang.language.domain import Points, points
from spyrelang.language.graph import DistributedNode, Store, TileNode
from spyrelang.language.tracing import Trace

_MOST_CELLS = 1 << 22
_MOST_TILES = 1 << 10  # their squares, times MOST_POINTS twice, fit 64 bits
_SHOWN = 4
Box = tuple[tuple[int, int], ...]
"""First and last element along each axis."""


@dataclass(frozen=True)
class Coverage:
    """What is known about one output. `uncovered` and `doubled` are boxes of elements that no
    tile, or more than one tile, writes; the counts are of elements."""

    name: str
    shape: tuple[int, ...]
    uncovered: tuple[Box, ...]
    doubled: tuple[Box, ...]
    uncovered_count: int
    doubled_count: int


def coverage(traced: TracedKernel) -> tuple[Coverage, ...]:
    """One entry per Out and InOut tensor that is stored to.

    Outputs written through other views than their own, and kernels with too many iterations to
    enumerate, have no entry: nothing is claimed about them.
    """
    stores = stores_by_param(traced.recorded)
    found = (_covered(traced.recorded, p, stores.get(p.name, [])) for p in traced.params)
    return tuple(entry for entry in found if entry is not None)


def warnings(traced: TracedKernel) -> list[SpyreWarning]:
    """What coverage finds, to be shown by whoever compiles the kernel, after `traced.warnings`."""
    found: list[SpyreWarning] = []
    roles = {p.name: p.role for p in traced.params}
    for entry in coverage(traced):
        if entry.uncovered_count and roles[entry.name] == "out":
            found.append(_warning(traced, entry, errors.NOT_COVERED, entry.uncovered))
        if entry.doubled_count:
            found.append(_warning(traced, entry, errors.DOUBLY_COVERED, entry.doubled))
    return found


def _warning(
    traced: TracedKernel, entry: Coverage, kind: errors.ErrorKind, boxes: Sequence[Box]
) -> SpyreWarning:
    place = stores_by_param(traced.recorded)[entry.name][0].place
    lost = kind is errors.NOT_COVERED
    error = kind.error(
        place.location,
        name=entry.name,
        count=entry.uncovered_count if lost else entry.doubled_count,
        total=int(np.prod(entry.shape, dtype=object)),
        where=_boxes_text(entry.name, entry.shape, boxes),
    )
    return SpyreWarning(error)


def _boxes_text(name: str, shape: tuple[int, ...], boxes: Sequence[Box]) -> str:
    """Boxes as the author would slice them."""
    texts: list[str] = []
    for box in boxes[:_SHOWN]:
        parts = [
            ":"
            if (low, high) == (0, size - 1)
            else str(low)
            if low == high
            else f"{low}:{high + 1}"
            for (low, high), size in zip(box, shape, strict=True)
        ]
        texts.append(f"{name}[{', '.join(parts)}]")
    more = f" and {len(boxes) - _SHOWN} more ranges" if len(boxes) > _SHOWN else ""
    return ", ".join(texts) + more


# --- counting -------------------------------------------------------------------------------------

Ints = np.ndarray[Any, np.dtype[np.int64]]


def _covered(recorded: Trace, param: Param, stores: list[Store]) -> Coverage | None:
    if param.role == "in" or param.kind != "tensor" or not stores or 0 in param.shape:
        return None
    if np.prod(recorded.grid, dtype=object) > _MOST_TILES:
        return None
    writes = [_writes(recorded, param, store) for store in stores]
    known = [w for w in writes if w is not None]
    if len(known) != len(writes):
        return None
    origins = np.concatenate([w[0] for w in known])
    extents = np.concatenate([w[1] for w in known])
    tiles = np.concatenate([w[2] for w in known])
    return _counted(param, origins, extents, tiles)


def _writes(recorded: Trace, param: Param, store: Store) -> tuple[Ints, Ints, Ints] | None:
    """Origins [n, rank], extents [n, rank] and flat tile ids [n] of every execution of a store."""
    view = store.tile.view
    tile = store.tile
    if not isinstance(tile, TileNode) or tile.points is not None or tile.order is not None:
        return None
    if isinstance(view, DistributedNode) or view.offset != 0:
        return None
    found = points(recorded, store.block)
    if found is None or (view.shape, view.strides) != (param.shape, param.strides):
        return None
    if not all(found.knows(start) for start in tile.origin):
        return None
    columns = [found.eval(start) for start in tile.origin]
    origins = np.stack(columns, axis=1) if columns else np.zeros((found.count, 0), np.int64)
    extents = np.broadcast_to(np.asarray(tile.extents, np.int64), origins.shape)
    return origins, extents, _flat_tiles(recorded, found)


def _flat_tiles(recorded: Trace, found: Points) -> Ints:
    flat = np.zeros(found.count, np.int64)
    for size, coordinate in zip(recorded.grid, found.tiles, strict=True):
        flat = flat * size + coordinate
    return flat


def _counted(param: Param, origins: Ints, extents: Ints, tiles: Ints) -> Coverage | None:
    """Cut every axis where some box begins or ends; all elements of such a cell fare alike."""
    cuts = [
        _cuts(size, origins[:, axis], origins[:, axis] + extents[:, axis])
        for axis, size in enumerate(param.shape)
    ]
    cells = tuple(len(c) - 1 for c in cuts)
    if int(np.prod(cells, dtype=object)) > _MOST_CELLS:
        return None
    lows = [np.searchsorted(c, origins[:, a]) for a, c in enumerate(cuts)]
    highs = [np.searchsorted(c, origins[:, a] + extents[:, a]) for a, c in enumerate(cuts)]
    count, first, second = (_sums(cells, lows, highs, tiles**power) for power in (0, 1, 2))
    lost, shared = count == 0, count * second != first * first  # tile ids that vary
    sizes = _cell_sizes(cuts)
    return Coverage(
        param.name,
        param.shape,
        tuple(_boxes(lost, cuts)),
        tuple(_boxes(shared, cuts)),
        int(sizes[lost].sum()),
        int(sizes[shared].sum()),
    )


def _cuts(size: int, starts: Ints, ends: Ints) -> Ints:
    """The sorted distinct positions where something begins or ends."""
    if size > _MOST_CELLS:
        return np.unique(np.concatenate([[0, size], starts, ends]))
    marked = np.zeros(size + 1, bool)
    for positions in ([0, size], starts, ends):
        marked[positions] = True
    return np.flatnonzero(marked)


def _sums(cells: tuple[int, ...], lows: list[Ints], highs: list[Ints], weights: Ints) -> Ints:
    """The weights of the boxes that hold each cell, added up: corners, then running sums."""
    rank = len(cells)
    corners = np.zeros(tuple(n + 1 for n in cells), np.int64)
    for corner in range(1 << rank):
        ends = [(corner >> axis) & 1 for axis in range(rank)]
        at = tuple(highs[a] if end else lows[a] for a, end in enumerate(ends))
        signed = -weights if sum(ends) % 2 else weights
        np.add.at(corners, at, signed if rank else signed.sum())
    for axis in range(rank):
        corners = np.cumsum(corners, axis=axis)
    return corners[tuple(slice(0, n) for n in cells)]


def _cell_sizes(cuts: list[Ints]) -> Ints:
    sizes: Any = np.ones((), np.int64)
    for c in cuts:
        sizes = np.multiply.outer(sizes, np.diff(c))
    return sizes


def _boxes(marked: np.ndarray[Any, Any], cuts: list[Ints]) -> Iterator[Box]:
    """Marked cells as boxes, each grown as far as it goes: last axis first."""
    left = np.array(marked)
    for start in np.argwhere(marked):
        if not left[tuple(start)]:
            continue
        ends = list(start + 1)
        for axis in range(len(ends) - 1, -1, -1):
            ends[axis] = _grown(left, start, ends, axis)
        left[tuple(slice(s, e) for s, e in zip(start, ends, strict=True))] = False
        yield tuple((int(c[s]), int(c[e]) - 1) for c, s, e in zip(cuts, start, ends, strict=True))


def _grown(left: np.ndarray[Any, Any], start: Ints, ends: list[int], axis: int) -> int:
    """How far the box reaches along `axis`."""
    end = ends[axis]
    while end < left.shape[axis]:
        at = [slice(s, e) for s, e in zip(start, ends, strict=True)]
        at[axis] = slice(end, end + 1)
        if not left[tuple(at)].all():
            break
        end += 1
    return end
