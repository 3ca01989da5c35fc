"""One rounding to a float type, to nearest with ties to even, from f64 or from integers.

numpy rounds f64 to f16 and f32 in one step; ml_dtypes rounds f64 to bf16 through f32, which is two
roundings, so bf16 is done here. DLFloat16 has its own rounding (see `df16`).
"""

from __future__ import annotations

import numpy as np

from spyrelang.semantics import df16
from spyrelang.semantics.dtypes import BF16, DType
from spyrelang.semantics.op import Array

_DROPPED = np.uint64(53 - 8)  # f64 significand bits that bf16 does not have
_HALF = np.uint64((1 << 44) - 1)
_KEPT = np.uint64(0xFFFF_FFFF_FFFF_FFFF << 45 & 0xFFFF_FFFF_FFFF_FFFF)
_SMALLEST_NORMAL = 2.0**-126
_SUBNORMAL_GRID = 1.5 * 2.0 ** (52 - 133)  # adding it leaves multiples of 2^-133


def to_f64(values: Array) -> Array:
    """Float values of any type, exactly; codes of df16 are the only unsigned ones."""
    if values.dtype == df16.CODES:
        return df16.decode(values).astype(np.float64)
    return values.astype(np.float64, copy=False)


def from_f64(values: Array, dtype: DType) -> Array:
    """f64 values rounded once to `dtype`."""
    if dtype.is_df16:
        return df16.encode(np.asarray(values, np.float64))
    if dtype.numpy == BF16:
        return _to_bf16(np.asarray(values, np.float64))
    return np.asarray(values).astype(dtype.numpy, copy=False)


def _to_bf16(values: Array) -> Array:
    bits = values.view(np.uint64)
    lowest = (bits >> _DROPPED) & np.uint64(1)
    rounded = ((bits + _HALF + lowest) & _KEPT).view(np.float64)
    tiny = np.abs(values) < _SMALLEST_NORMAL
    if tiny.any():
        grid = np.copysign((np.abs(values) + _SUBNORMAL_GRID) - _SUBNORMAL_GRID, values)
        rounded = np.where(tiny, grid, rounded)
    # adding to the bits of a NaN may run over into the exponent: take NaNs as they are
    rounded = np.where(np.isnan(values), values, rounded)
    return rounded.astype(np.float32).astype(BF16)


def from_integers(values: Array, dtype: DType) -> Array:
    """int64 or uint64 values rounded once to `dtype`."""
    if dtype.numpy != BF16 and not dtype.is_df16:
        return values.astype(dtype.numpy)
    return from_f64(_sticky(values).astype(np.float64), dtype)


def _sticky(values: Array) -> Array:
    """Integers with at most 53 significant bits that round to bf16 or df16 as `values` do.

    Beyond 2^53 the low 12 bits can only break a tie, so any of them set is as good as one.
    """
    low = values & values.dtype.type(0xFFF)
    folded = values - low + np.where(low != 0, values.dtype.type(0x800), values.dtype.type(0))
    large = values > values.dtype.type(1 << 53)
    if values.dtype.kind == "i":
        large |= values < values.dtype.type(-(1 << 53))
    return np.where(large, folded, values)
