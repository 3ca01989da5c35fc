"""Into wider floats and back: f16 to f32, exactly and faster than numpy's own conversion.

Sign, exponent and fraction are moved to their places in an f32, which is then scaled by the
difference of the exponent biases; that also makes subnormals right. Infinities and NaN do not fit
this, so arrays that hold one go to numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spyrelang.interp.values import Array
from spyrelang.semantics import df16
from spyrelang.semantics.dtypes import DType

_BLOCK = 1 << 16
_FIELDS = np.int32(np.uint32(0x8FFFE000).view(np.int32))
_BIAS = np.float32(2.0**112)
_INFINITY, _MINUS_INFINITY = 0x7C00, 0xFC00
_SMALL = 1 << 15
"""Arrays of fewer elements go to numpy."""


def widen(values: Array, wide: np.dtype[Any]) -> Array:
    """The values as elements of a float type that holds them all, in the same layout."""
    if values.dtype == df16.CODES:
        order, back = _orders(values)
        return df16.decode(values.transpose(order)).transpose(back).astype(wide, copy=False)
    large = values.ndim > 0 and values.size >= _SMALL
    if values.dtype != np.float16 or wide != np.float32 or not large:
        return values.astype(wide, copy=False)
    order, back = _orders(values)
    return _widened(values.transpose(order)).transpose(back)


def narrow(values: Array, dtype: DType) -> Array:
    """Results in a wider type (f32 or f64 for floats), rounded once to `dtype`."""
    if dtype.is_df16:
        return df16.encode(values)
    return values.astype(dtype.numpy, copy=False)


def _orders(values: Array) -> tuple[list[int], list[int]]:
    """Axes with the furthest elements first, and the order that undoes it."""
    order = sorted(range(values.ndim), key=lambda axis: -abs(values.strides[axis]))
    return order, sorted(range(values.ndim), key=lambda axis: order[axis])


def _widened(values: Array) -> Array:
    """The conversion, in pieces along the axis whose elements are furthest apart."""
    result = np.empty(values.shape, np.float32)
    rows = max(1, _BLOCK * values.shape[0] // values.size)
    codes, places = values.view(np.int16), result.view(np.int32)
    for first in range(0, values.shape[0], rows):
        part = codes[first : first + rows]
        if part.max() >= _INFINITY or part.view(np.uint16).max() >= _MINUS_INFINITY:
            result[first : first + rows] = values[first : first + rows]
            continue
        target = places[first : first + rows]
        np.copyto(target, part)
        np.left_shift(target, 13, out=target)
        np.bitwise_and(target, _FIELDS, out=target)
        numbers = result[first : first + rows]
        np.multiply(numbers, _BIAS, out=numbers)
    return result
