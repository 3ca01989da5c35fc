"""The elements an access touches: coordinates -> byte offsets, and the reach in every dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spyrelang.affine import Expr

Index = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pattern:
    """Elements relative to a start coordinate, in order. `offsets`: the first byte of each;
    `bytes_index`: every byte; `low` to `high` (exclusive): the byte range; `reach`: the smallest
    and largest coordinate step of each view dimension; `contiguous`: bytes follow each other."""

    count: int
    size: int
    offsets: Index
    bytes_index: Index
    low: int
    high: int
    reach: tuple[tuple[int, int], ...]
    contiguous: bool


def pattern(
    extents: Sequence[int],
    steps: Sequence[tuple[int, ...]],
    strides: Sequence[int],
    size: int,
) -> Pattern:
    """`extents[a]` steps of `steps[a]` (one entry per view dim), slowest axis first, in a view with
    `strides` in elements of `size` bytes."""
    offsets: Index = np.zeros(1, np.int64)
    for extent, step in zip(extents, steps, strict=True):
        move = sum(s * t for s, t in zip(step, strides, strict=True)) * size
        along: Index = np.arange(extent, dtype=np.int64) * move
        offsets = (offsets[:, None] + along[None, :]).reshape(-1)
    count = offsets.size
    every: Index = (offsets[:, None] + np.arange(size, dtype=np.int64)[None, :]).reshape(-1)
    low, high = (int(offsets.min()), int(offsets.max()) + size) if count else (0, 0)
    contiguous = bool(count) and bool((every == np.arange(count * size)).all())
    reach = tuple(_reach(extents, [s[d] for s in steps]) for d in range(len(strides)))
    return Pattern(count, size, offsets, every, low, high, reach, contiguous)


def _reach(extents: Sequence[int], steps: Sequence[int]) -> tuple[int, int]:
    moves = [(max(e, 1) - 1) * s for e, s in zip(extents, steps, strict=True)]
    return sum(min(m, 0) for m in moves), sum(max(m, 0) for m in moves)


Evaluate = Callable[[Sequence[Any]], int]


def evaluator(expr: Expr) -> Evaluate:
    """A fast function of the dims of `expr`; linear expressions avoid the tree walk."""
    linear = expr.linear()
    if linear is None or linear.syms:
        return lambda dims: int(expr.eval(dims))
    constant, terms = linear.constant, tuple(linear.dims.items())
    if not terms:
        return lambda dims: constant
    if len(terms) == 1:
        ((position, factor),) = terms
        return lambda dims: dims[position] * factor + constant
    return lambda dims: sum(dims[p] * f for p, f in terms) + constant
