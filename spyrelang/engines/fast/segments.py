"""Unit offsets as strided axes: what lets one numpy copy serve all units at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Segment:
    """Units start … stop-1 (positions in the class) at `bases[k] + sum(i_j * strides[k][j])`, for
    each side k; `dims` are the extents of i_j."""

    start: int
    stop: int
    dims: tuple[int, ...]
    bases: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]


def segment(columns: list[Ints]) -> list[Segment]:
    """Cover all units with as few segments as a simple search finds.

    `columns[k][u]` is the offset of unit u on side k.
    """
    table = np.stack(columns)
    whole = _factor(table)
    if whole is not None:
        return [_make(0, table.shape[1], table, *whole)]
    found: list[Segment] = []
    start, end = 0, table.shape[1]
    while start < end:
        stop = start + _run(table[:, start:])
        dims = (stop - start,)
        strides = _steps(table[:, start:stop])
        found.append(_make(start, stop, table, dims, strides))
        start = stop
    return found


def _make(start: int, stop: int, table: Ints, dims: Any, strides: Any) -> Segment:
    return Segment(start, stop, dims, tuple(int(v) for v in table[:, start]), strides)


def _steps(table: Ints) -> tuple[tuple[int, ...], ...]:
    if table.shape[1] == 1:
        return tuple((0,) for _ in table)
    return tuple((int(row[1] - row[0]),) for row in table)


def _run(table: Ints) -> int:
    """How many leading units lie at equal distances."""
    steps = table[:, 1:] - table[:, :-1]
    if not steps.shape[1]:
        return 1
    differs = (steps != steps[:, :1]).any(axis=0)
    return int(differs.argmax()) + 1 if differs.any() else table.shape[1]


def _factor(table: Ints) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]] | None:
    """All units as a product of axes, outermost first, or None."""
    sides, units = table.shape
    length = _run(table)
    if length == units:
        return (units,), _steps(table)
    if units % length or length == 1:
        return None
    parts = table.reshape(sides, units // length, length)
    if (parts - parts[:, :, :1] != parts[:, :1] - parts[:, :1, :1]).any():
        return None
    outer = _factor(np.ascontiguousarray(parts[:, :, 0]))
    if outer is None:
        return None
    dims, strides = outer
    inner = _steps(table[:, :length])
    joined = tuple((*o, *i) for o, i in zip(strides, inner, strict=True))
    return (*dims, length), joined
