"""Access sets, orders and time maps -> loops of an access pattern."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from spyrelang.affine import Const, Expr, Map, Set
from spyrelang.affine.expr import as_expr
from spyrelang.errors import Location
from spyrelang.errors.engine import LAYOUT, NOT_A_BOX, ORDER


@dataclass(frozen=True)
class Side:
    """Loops over one view, slowest first: (extent, coordinate steps). `start` moves the first
    coordinate. Extents and starts are expressions over the symbols of the set."""

    loops: tuple[tuple[Expr, tuple[int, ...]], ...]
    start: tuple[Expr, ...]


def lanes(set_: Set, order: Map, rank: int, what: str, place: Location | None) -> Side:
    """The lanes of a vector: points of `set_` relative to the start coordinate, in `order`."""
    if set_.n_dims != rank:
        raise NOT_A_BOX.error(place, what=what, set=f"{set_} of a view of {rank} dimensions")
    box = _box(set_, what, place)
    loops: list[tuple[Expr, tuple[int, ...]]] = []
    for dim in _permutation(order, set_.n_dims, what, place):
        low, high = box[dim]
        loops.append((high - low + 1, tuple(int(d == dim) for d in range(rank))))
    return Side(_without_units(loops), tuple(low for low, _ in box))


def times(
    set_: Set, order: Map, moves: Sequence[Map], place: Location | None
) -> tuple[tuple[Expr, ...], tuple[tuple[Expr, Expr], ...], list[list[tuple[int, ...]]]]:
    """Time steps: (extents in order, (low, high) of each dim in order, for each map the coordinate
    steps of each loop)."""
    box = _box(set_, "time_set", place)
    dims = _permutation(order, set_.n_dims, "time_order", place)
    extents = tuple(box[d][1] - box[d][0] + 1 for d in dims)
    steps = [[_steps(m, d, place) for d in dims] for m in moves]
    return extents, tuple(box[d] for d in dims), steps


def offsets(move: Map, order: Sequence[int], lows: Sequence[Expr]) -> tuple[Expr, ...]:
    """The coordinate move at the first time step."""
    at: list[Expr] = [Const(0)] * move.n_dims
    for dim, low in zip(order, lows, strict=True):
        at[dim] = low
    return tuple(r.substitute(at) for r in move.results)


def permutation_of(order: Map, dims: int, what: str, place: Location | None) -> tuple[int, ...]:
    """The dims of a set in the order that `order` asks for."""
    return _permutation(order, dims, what, place)


def strides(layout: Map, rank: int, place: Location | None) -> tuple[tuple[int, ...], int]:
    """Strides and base of a layout, in elements."""
    linear = layout.results[0].linear() if layout.n_results == 1 else None
    if linear is None or linear.syms or layout.n_dims != rank:
        raise LAYOUT.error(place, what="layout_map", map=f"{layout} of {rank} dimensions")
    return tuple(linear.dims.get(d, 0) for d in range(rank)), linear.constant


Loops = tuple[tuple[int, tuple[int, ...]], ...]


def refine(
    source: Loops, target: Loops
) -> list[tuple[int, tuple[int, ...], tuple[int, ...]]] | None:
    """Both enumerations as one loop nest (extent, source step, target step), slowest first; None
    where their sizes do not cut into each other evenly."""
    a, b = list(source), list(target)
    result: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = []
    while a and b:
        (m, step_a), (n, step_b) = a.pop(), b.pop()
        common = gcd(m, n)
        if common not in (m, n):
            return None
        result.insert(0, (common, step_a, step_b))
        if m > common:
            a.append((m // common, tuple(s * common for s in step_a)))
        if n > common:
            b.append((n // common, tuple(s * common for s in step_b)))
    return None if a or b else result


def _without_units(
    loops: Sequence[tuple[Expr, tuple[int, ...]]],
) -> tuple[tuple[Expr, tuple[int, ...]], ...]:
    return tuple((e, s) for e, s in loops if e.constant != 1)


def _box(set_: Set, what: str, place: Location | None) -> list[tuple[Expr, Expr]]:
    box = set_.box()
    if box is None:
        raise NOT_A_BOX.error(place, what=what, set=set_)
    return [(as_expr(low), as_expr(high)) for low, high in box]


def _permutation(order: Map, dims: int, what: str, place: Location | None) -> tuple[int, ...]:
    found = order.as_permutation()
    if found is None or order.n_dims != dims:
        raise ORDER.error(place, what=f"the order of {what}", map=order)
    return found


def _steps(move: Map, dim: int, place: Location | None) -> tuple[int, ...]:
    steps: list[int] = []
    for result in move.results:
        linear = result.linear()
        if linear is None or linear.syms:
            raise LAYOUT.error(place, what="time_addr_map", map=move)
        steps.append(linear.dims.get(dim, 0))
    return tuple(steps)
