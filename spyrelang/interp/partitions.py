"""Sets of coordinates against each other, with isl."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from spyrelang.affine import Add, CeilDiv, Const, Dim, Expr, FloorDiv, Mod, Mul, Set

Point = tuple[int, ...]


def overlap(parts: Sequence[Set]) -> tuple[int, int, Point] | None:
    """Two sets (by number) and a point of both, where there are such."""
    sets = [_set(p) for p in parts]
    for (i, a), (k, b) in combinations(enumerate(sets), 2):
        both = a & b
        if not both.is_empty():
            return i, k, _sample(both)
    return None


def hole(parts: Sequence[Set], sizes: Sequence[int]) -> Point | None:
    """A point of the box from zero that is in no set."""
    rest = _set(Set.between([(0, n - 1) for n in sizes]))
    for part in parts:
        rest = rest - _set(part)
    return None if rest.is_empty() else _sample(rest)


def bounds(points: Set) -> tuple[tuple[int, int], ...] | None:
    """The smallest box round all points of a set without symbols (inclusive ends); None when there
    is no point. Raises SPY112 where a dim is open."""
    found = points.bounding_box()
    if found is None or points.box() is not None:
        return found
    exact = _set(points)
    if exact.is_empty():
        return None
    return tuple(
        (exact.dim_min_val(i).to_python(), exact.dim_max_val(i).to_python())
        for i in range(points.n_dims)
    )


def _set(points: Set) -> Any:
    import islpy as isl  # slow to import, and only distributed views ask

    names = ", ".join(f"d{i}" for i in range(points.n_dims))
    rows = [f"{_text(e)} {'=' if eq else '>='} 0" for e, eq in points.constraints]
    return isl.Set.read_from_str(
        isl.DEFAULT_CONTEXT, f"{{ [{names}] : {' and '.join(rows) or 'true'} }}"
    )


def _sample(points: Any) -> Point:
    """The lowest point of a set, or any where there is none."""
    import islpy as isl

    found = points.lexmin().sample_point() if points.is_bounded() else points.sample_point()
    kind = isl.dim_type.set
    return tuple(
        int(found.get_coordinate_val(kind, i).to_python())
        for i in range(found.get_space().dim(kind))
    )


def _text(expr: Expr) -> str:
    """An expression as isl writes it."""
    if isinstance(expr, Const):
        return str(expr.value)
    if isinstance(expr, Dim):
        return f"d{expr.index}"
    if not isinstance(expr, Add | Mul | FloorDiv | CeilDiv | Mod):
        raise TypeError(expr)
    left, right = _text(expr.lhs), _text(expr.rhs)
    if isinstance(expr, FloorDiv):
        return f"floor(({left}) / {right})"
    if isinstance(expr, CeilDiv):
        return f"ceil(({left}) / {right})"
    if isinstance(expr, Mod):
        return f"(({left}) mod {right})"
    return f"({left} * {right})" if isinstance(expr, Mul) else f"({left} + {right})"
