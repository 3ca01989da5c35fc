"""Comparing one array with what it should be: the worst element and the pattern of the misses."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spyrelang.semantics.dtypes import held_by
from spyrelang.semantics.tolerance import Tolerance, ulp_distance

Array = NDArray[Any]


@dataclass(frozen=True)
class Worst:
    """The element that is furthest off. `ulp` is infinite where NaN or infinity meets a number."""

    index: tuple[int, ...]
    got: float
    want: float
    ulp: float


@dataclass(frozen=True)
class Comparison:
    """One output. `misses` counts elements outside of the tolerance; `pattern` describes where
    they are in words; `mask` marks them."""

    name: str
    elements: int
    misses: int
    worst: Worst | None
    pattern: str
    tolerance: Tolerance
    mask: NDArray[np.bool_]

    @property
    def ok(self) -> bool:
        return self.misses == 0


def compare(
    name: str,
    got: Array,
    want: Array,
    tolerance: Tolerance,
    where: NDArray[np.bool_] | None = None,
) -> Comparison:
    """Compare `got` with `want` (equal shapes, of one type); `where` limits the comparison."""
    dtype = held_by(got.dtype).name
    wanted = np.asarray(want).astype(got.dtype)
    distance = np.asarray(ulp_distance(got, wanted, dtype), dtype=np.float64)
    missed = ~np.asarray(tolerance.accepts(got, wanted, dtype), dtype=bool)
    if where is not None:
        missed &= where
        distance = np.where(where, distance, 0.0)
    worst = _worst(got, wanted, np.where(missed, distance, -1.0)) if missed.any() else None
    if worst is None and distance.size and float(distance.max()) > 0:
        worst = _worst(got, wanted, distance)
    return Comparison(name, got.size, int(missed.sum()), worst, describe(missed), tolerance, missed)


def _worst(got: Array, want: Array, distance: Array) -> Worst:
    flat = int(np.argmax(np.where(np.isnan(distance), np.inf, distance)))
    index = tuple(int(i) for i in np.unravel_index(flat, got.shape))
    ulp = float(distance[index])
    return Worst(index, float(got[index]), float(want[index]), ulp)


def describe(missed: NDArray[np.bool_]) -> str:
    """Where the missed elements are: everything, a range of each axis, every n-th index."""
    count = int(missed.sum())
    if not count:
        return "none"
    if count == missed.size:
        return "every element"
    share = f"{count} of {missed.size} elements"
    axes = [_axis(missed, axis) for axis in range(missed.ndim)]
    told = [text for text in axes if text]
    return f"{share}: {', '.join(told)}" if told else f"{share}, scattered"


def _axis(missed: NDArray[np.bool_], axis: int) -> str:
    """Which indices along one axis have misses; empty when all have."""
    others = tuple(a for a in range(missed.ndim) if a != axis)
    hit = np.flatnonzero(missed.any(axis=others))
    size = missed.shape[axis]
    if len(hit) == size:
        return ""
    return f"axis {axis} at {_indices(hit.tolist(), size)}"


def _indices(hit: Sequence[int], size: int) -> str:
    if len(hit) == 1:
        return str(hit[0])
    steps = {b - a for a, b in itertools.pairwise(hit)}
    if steps == {1}:
        tail = " (the tail)" if hit[-1] == size - 1 else ""
        return f"{hit[0]} to {hit[-1]}{tail}"
    if len(steps) == 1:
        return f"every {steps.pop()}th from {hit[0]} to {hit[-1]}"
    shown = ", ".join(map(str, hit[:6]))
    return f"{shown}{', …' if len(hit) > 6 else ''}"
