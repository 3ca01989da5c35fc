"""Reductions along axes: exact where order cannot matter, wide where it can.

Sums and products of floats are accumulated in f32 (f64 for f64) and rounded once. Every other
combiner here gives the same in any order, and is folded pairwise with the table's own kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from spyrelang.interp.values import Array
from spyrelang.interp.widen import narrow, widen
from spyrelang.semantics import lookup
from spyrelang.semantics.dtypes import DType

NEUTRAL: dict[str, str] = {
    "arith.addf": "0",
    "arith.subf": "0",
    "arith.mulf": "1",
    "arith.maximumf": "-infinity",
    "arith.minimumf": "infinity",
    "arith.maxnumf": "-infinity",
    "arith.minnumf": "infinity",
    "arith.addi": "0",
    "arith.subi": "0",
    "arith.muli": "1",
    "arith.maxsi": "the lowest integer",
    "arith.minsi": "the highest integer",
    "arith.maxui": "0",
    "arith.minui": "the highest integer",
    "arith.andi": "all bits set",
    "arith.ori": "0",
    "arith.xori": "0",
}
"""Combiners that can be folded along an axis, with what they start from."""

_WIDE: dict[str, tuple[Any, Any]] = {
    "arith.addf": (np.add, np.add),
    "arith.subf": (np.add, np.subtract),
    "arith.mulf": (np.multiply, np.multiply),
}
_EXTREMES: dict[str, Any] = {"arith.maximumf": np.maximum, "arith.minimumf": np.minimum}

Fold = Callable[[Array, tuple[int, ...], Any], Array]
"""(values, axes to fold, initial value or None for the neutral one) -> result; axes are kept with
extent 1 and the initial value broadcasts against that."""


def fold(name: str, dtype: DType) -> Fold:
    """The fold with combiner `name` on elements of one type."""
    if name in _WIDE:
        return _wide(*_WIDE[name], dtype)
    combine = lookup("arith.addi" if name == "arith.subi" else name).bind(
        {}, [dtype.name] * 2, [dtype.name]
    )
    join = lookup(name).bind({}, [dtype.name] * 2, [dtype.name])
    shortcut = _EXTREMES.get(name) if dtype.bits > 16 else None

    def run(values: Array, axes: tuple[int, ...], initial: Any) -> Array:
        found = None
        if shortcut is not None:
            found = _extreme(shortcut, values, axes)
        if found is None:
            found = _tree(combine, values, axes)
        if initial is None:
            return join(np.zeros((), dtype.numpy), found) if name == "arith.subi" else found
        return join(initial, found)

    return run


def _wide(total: Any, join: Any, dtype: DType) -> Fold:
    wide = np.dtype(np.float64 if dtype.name == "f64" else np.float32)

    def run(values: Array, axes: tuple[int, ...], initial: Any) -> Array:
        with np.errstate(all="ignore"):
            found = total.reduce(widen(values, wide), axis=axes, keepdims=True)
            if initial is not None:
                found = join(widen(initial, wide), found)
            elif join is np.subtract:
                found = -found
            return narrow(np.asarray(found), dtype)

    return run


def _extreme(ufunc: Any, values: Array, axes: tuple[int, ...]) -> Array | None:
    """numpy's own reduction, which is right but for the sign of zeros."""
    with np.errstate(all="ignore"):
        found = ufunc.reduce(values, axis=axes, keepdims=True)
    return None if bool((found == 0).any()) else found


def _tree(combine: Callable[..., Any], values: Array, axes: tuple[int, ...]) -> Array:
    """Halve the folded axes, made one, until one element is left."""
    kept = [a for a in range(values.ndim) if a not in axes]
    moved = values.transpose(*kept, *axes)
    count = math.prod(values.shape[a] for a in axes)
    found = moved.reshape((*moved.shape[: len(kept)], count))
    while found.shape[-1] > 1:
        half = found.shape[-1] // 2
        odd = found[..., 2 * half :]
        found = combine(found[..., :half], found[..., half : 2 * half])
        if odd.size:
            found = np.concatenate([combine(found[..., :1], odd), found[..., 1:]], axis=-1)
    shape = [1 if a in axes else n for a, n in enumerate(values.shape)]
    return found.reshape(shape)
