"""The indexing maps and reduction loops of every structured op of linalg."""

from __future__ import annotations

from collections.abc import Sequence

from spyrelang.affine import Dim, Map
from spyrelang.interp import text
from spyrelang.interp.registry import Op

Shape = tuple[list[Map], tuple[int, ...]]
"""A map for each operand, and the loops that are reductions."""

_PRODUCTS: dict[str, tuple[int, tuple[tuple[int, ...], ...]]] = {
    "linalg.dot": (1, ((0,), (0,), ())),
    "linalg.matvec": (2, ((0, 1), (1,), (0,))),
    "linalg.vecmat": (2, ((1,), (1, 0), (0,))),
    "linalg.batch_matvec": (3, ((0, 1, 2), (0, 2), (0, 1))),
    "linalg.batch_vecmat": (3, ((0, 2), (0, 2, 1), (0, 1))),
    "linalg.batch_reduce_matmul": (4, ((0, 1, 3), (0, 3, 2), (1, 2))),
    "linalg.matmul": (3, ((0, 2), (2, 1), (0, 1))),
    "linalg.batch_matmul": (4, ((0, 1, 3), (0, 3, 2), (0, 1, 2))),
}
"""Loops, and those of each operand, of products that do not say their maps."""


_ARITHMETIC = ("add", "div", "div_unsigned", "max", "min", "mul", "powf", "select", "sub")
_FUNCTIONS = (
    *("abs", "ceil", "erf", "exp", "floor", "log", "negf", "reciprocal", "round"),
    *("rsqrt", "sqrt", "square", "tanh"),
)
_ELEMENTWISE = frozenset((*_ARITHMETIC, *_FUNCTIONS, "copy", "fill", "map"))
"""Named ops whose maps are identities."""


def _pick(loops: int, dims: Sequence[int]) -> Map:
    return Map(loops, 0, tuple(Dim(d) for d in dims))


def maps_of(op: Op) -> Shape | None:
    """The maps and reductions of an op; None for one that is not known."""
    special = _SPECIAL.get(op.name)
    if special is not None:
        return special(op)
    if "indexing_maps" in op.attributes:
        maps = text.maps_of(op, "indexing_maps")
        return maps, _reduced(op, maps)
    if op.name in _PRODUCTS:
        loops, operands = _PRODUCTS[op.name]
        maps = [_pick(loops, dims) for dims in operands]
        return maps, _missing(maps)
    return _elementwise(op)


def _rank(value: object) -> int:
    return int(getattr(getattr(value, "type", None), "rank", 0))


def _reduced(op: Op, maps: list[Map]) -> tuple[int, ...]:
    if "iterator_types" not in op.attributes:
        return _missing(maps)
    kinds = [str(kind) for kind in op.attributes["iterator_types"]]
    return tuple(d for d, kind in enumerate(kinds) if "reduction" in kind)


def _missing(maps: list[Map]) -> tuple[int, ...]:
    """The loops that the last map does not have."""
    there = {d for r in maps[-1].results for d in r.dims()}
    return tuple(d for d in range(maps[-1].n_dims) if d not in there)


def _elementwise(op: Op) -> Shape | None:
    """Named ops whose operands are scalars or have the shape of the result."""
    if op.name.removeprefix("linalg.") not in _ELEMENTWISE:
        return None
    loops = _rank(op.results[0]) if len(op.results) else 0
    ranks = [_rank(v) for v in op.operands]
    if any(rank not in (0, loops) for rank in ranks):
        return None
    same = [Map.identity(loops) if rank else Map(loops, 0, ()) for rank in ranks]
    return same, ()


def _broadcast(op: Op) -> Shape:
    loops = _rank(op.results[0])
    added = text.value_of(op.attributes["dimensions"])
    kept = [d for d in range(loops) if d not in _integers(added)]
    return [_pick(loops, kept), Map.identity(loops)], ()


def _transpose(op: Op) -> Shape:
    """Axis i of the result is axis permutation[i] of the input."""
    order = _integers(text.value_of(op.attributes["permutation"]))
    source = [order.index(axis) for axis in range(len(order))]
    return [_pick(len(order), source), Map.identity(len(order))], ()


def _reduce(op: Op) -> Shape:
    results = len(op.results)
    loops = _rank(op.operands[0])
    reduced = _integers(text.value_of(op.attributes["dimensions"]))
    kept = [d for d in range(loops) if d not in reduced]
    inputs = len(op.operands) - results
    maps = [Map.identity(loops)] * inputs + [_pick(loops, kept)] * results
    return maps, tuple(sorted(reduced))


def _integers(value: object) -> list[int]:
    return [int(str(v)) for v in value] if isinstance(value, tuple) else []


_SPECIAL = {
    "linalg.broadcast": _broadcast,
    "linalg.transpose": _transpose,
    "linalg.reduce": _reduce,
}
