"""Checks of views and indirect tiles that need no run: what is declared against what it says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from mlir import ir

from spyrelang.affine import Const, Dim, Expr, Map, Set
from spyrelang.errors import Location, SpyreError
from spyrelang.errors import checks as errors
from spyrelang.errors import interp as run_errors
from spyrelang.interp import partitions, text
from spyrelang.interp.indices import DYNAMIC
from spyrelang.interp.registry import Op
from spyrelang.interp.views import tile_of
from spyrelang.ir.opref import type_text

Ends = tuple[int, int]


def constant_of(value: Any) -> int | None:
    """The number that a value is, where a constant makes it."""
    owner = value.owner
    made = None if isinstance(owner, ir.Block) else owner.operation
    if made is None or made.name not in ("arith.constant", "index.constant"):
        return None
    found = text.attribute(made, "value")
    return found if isinstance(found, int) else None


def shape_of(kind: Any) -> list[int | None]:
    """The extents of a memref or tensor; None for unknown ones."""
    return [*_extents(kind)]


@lru_cache(maxsize=4096)
def _extents(kind: Any) -> tuple[int | None, ...]:
    shaped: Any = ir.ShapedType(kind)
    return tuple(
        None if shaped.is_dynamic_dim(i) else int(shaped.get_dim_size(i))
        for i in range(shaped.rank)
    )


def lies(op: Op, place: Location | None, what: str) -> SpyreError:
    """The error for a result type that does not fit (to be raised by the caller)."""
    kind = type_text(op.results[0].type)
    return errors.DECLARED_TYPE.error(place, op=op.name, type=kind, what=what)


# --- views ---------------------------------------------------------------------------------------


def check_view(op: Op, place: Location | None, tiles: int | None) -> SpyreError | None:
    """The finding that leaves the meaning unique: a coordinate set other than the view's own box.

    Raises SPY554 for the scratchpad of a tile that the grid does not have, SPY592 for sizes, ranks
    and spaces that contradict the type, and for sets larger than their partition.
    """
    sizes = text.integers(op, "static_sizes")
    for dim, (size, declared) in enumerate(zip(sizes, shape_of(op.results[0].type), strict=True)):
        wrong = size != DYNAMIC and (size < 0 or declared not in (None, size))
        if wrong:
            raise lies(op, place, f"size {size} of dimension {dim}")
    points = text.set_of(op, "coordinate_set")
    if points.n_dims != len(sizes):
        raise lies(op, place, f"its coordinate set of {points.n_dims} dims")
    _check_space(op, place, tiles)
    return _check_coordinates(op, place, sizes, points)


def _check_space(op: Op, place: Location | None, tiles: int | None) -> None:
    space, kind = str(op.attributes["memory_space"]), type_text(op.results[0].type)
    typed = kind.partition("#ktdp.")[2].rstrip(">")
    if typed and typed != space.partition("#ktdp.")[2].rstrip(">"):
        raise lies(op, place, f"the memory space {space}")
    tile = tile_of(op)
    if tile is not None and tiles is not None and tile >= tiles:
        raise run_errors.NO_SUCH_TILE.error(place, tile=tile, tiles=tiles)


def _check_coordinates(
    op: Op, place: Location | None, sizes: list[int], points: Set
) -> SpyreError | None:
    box = None if points.n_syms or DYNAMIC in sizes else partitions.bounds(points)
    if box is None:
        return None
    extents = [hi - lo + 1 for lo, hi in box]
    uses = [use.owner.name for use in op.results[0].uses]
    if "ktdp.construct_distributed_memory_view" in uses:
        if any(n > size for n, size in zip(extents, sizes, strict=True)):
            raise lies(op, place, f"a coordinate set of {_by(extents)} points")
        return None
    if extents == sizes:
        return None
    return errors.COORDINATES.error(place, extents=_by(extents), sizes=_by(sizes))


def _by(extents: Sequence[int]) -> str:
    return "x".join(map(str, extents))


# --- indirect tiles ----------------------------------------------------------------------------


def check_indirect(op: Op, place: Location | None) -> None:
    """Raise SPY560 where subscripts that are known leave the base or an index view, SPY592 for
    index views whose elements are no integers."""
    (base,), views, captured, _ = text.segments(op, 4)
    for view in views:
        element: Any = ir.MemRefType(view.type).element_type
        if not isinstance(element, ir.IntegerType | ir.IndexType):
            what = f"an index view of {text.element(element)}"
            raise lies(op, place, what)
    box = text.set_of(op, "variables_space_set").box()
    if box is None or not all(isinstance(end, int) for ends in box for end in ends):
        return
    ends: list[Ends] = [(int(str(lo)), int(str(hi))) for lo, hi in box]
    if any(lo > hi for lo, hi in ends):
        return
    known = [constant_of(v) for v in captured]
    kinds: Any = text.value_of(op.attributes["per_dim_subscript_kinds"])
    sources = iter(views)
    shape = shape_of(base.type)
    for dim, (map_, kind) in enumerate(
        zip(text.maps_of(op, "per_dim_subscript_maps"), kinds, strict=True)
    ):
        if kind:
            inside(place, map_, known, ends, shape_of(next(sources).type))
        else:
            inside(place, map_, known, ends, [shape[dim]], dim)


def inside(
    place: Location | None,
    map_: Map,
    known: Sequence[int | None],
    ends: Sequence[Ends],
    sizes: Sequence[int | None],
    first_dim: int = 0,
) -> None:
    """Raise SPY560 where results of a map over (known values, variables) leave `sizes`."""
    values: list[Expr] = [Dim(i) if v is None else Const(v) for i, v in enumerate(known)]
    values += [Dim(len(known) + i) for i in range(len(ends))]
    bounds = {len(known) + i: pair for i, pair in enumerate(ends)}
    for dim, (result, size) in enumerate(zip(map_.results, sizes, strict=True)):
        found = _range(result.substitute(values), bounds)
        if found is None or size is None or (found[0] >= 0 and found[1] < size):
            continue
        raise run_errors.TILE_BOUNDS.error(
            place, who="the kernel", first=found[0], last=found[1], dim=first_dim + dim, size=size
        )


def _range(expr: Expr, bounds: dict[int, Ends]) -> Ends | None:
    """The lowest and highest value of a linear expression of bounded dims."""
    linear = expr.linear()
    if linear is None or linear.syms or not linear.dims.keys() <= bounds.keys():
        return None
    low = high = linear.constant
    for dim, factor in linear.dims.items():
        reach = sorted(factor * end for end in bounds[dim])
        low, high = low + reach[0], high + reach[1]
    return low, high
