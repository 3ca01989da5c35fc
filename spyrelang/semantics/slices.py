"""spyreop.slice_reduction: reducing one register row of lanes within or across its slices.

The last axis is the row, cut into `slices` (8) equal slices. in_slice leaves the reduction of each
slice in the slice's first lane; across_slice leaves the lane by lane reduction over all slices in
the first slice. What the other lanes hold is not public: here they keep their values. Floats are
reduced in f64 from the first lane (or slice) on and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spyrelang.semantics import ints
from spyrelang.semantics.op import Array, Kernel, Site, register
from spyrelang.semantics.rounding import from_f64, to_f64

KINDS = ("add", "sub", "max", "min", "mul", "abs_max")
"""reduction_kind in the order of its numbers."""

SCOPES = ("in_slice", "across_slice")
"""reduction_scope in the order of its numbers."""

_STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
    "abs_max": np.maximum,
}


def _fold(kind: str, parts: Array) -> Array:
    """The parts along the last axis, combined from the first to the last."""
    parts = np.abs(parts) if kind == "abs_max" else parts
    total = parts[..., 0]
    for k in range(1, parts.shape[-1]):
        total = _STEPS[kind](total, parts[..., k])
    return np.asarray(total)


def _slice_reduction(site: Site) -> Kernel:
    site.need_same()
    kind = site.choice("reduction_kind", KINDS)
    scope = site.choice("reduction_scope", SCOPES)
    count, out = site.count("slices", 8), site.out

    def reduce(parts: Array) -> Array:
        if out.is_float:
            return from_f64(_fold(kind, to_f64(parts)), out)
        return ints.pack(_fold(kind, ints.signed(parts)), out)

    def kernel(x: Array) -> Array:
        if x.ndim == 0 or x.shape[-1] % count:
            raise site.bad("slices", f"({count}) must divide the lanes of the row")
        result = x.copy()
        rows = result.reshape((*x.shape[:-1], count, x.shape[-1] // count))
        if scope == "in_slice":
            rows[..., 0] = reduce(rows)
        else:
            rows[..., 0, :] = reduce(rows.swapaxes(-1, -2))
        return rows.reshape(x.shape)

    return kernel


register("spyreop.slice_reduction", 1, _slice_reduction)
