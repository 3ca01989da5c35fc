"""DLFloat16 (`df16`): codes, values, and the one rounding between them.

A code is s[15] e[14:9] m[8:0] and stands for (-1)^s * 2^(e - 31) * (1 + m / 512), for every e from
0 to 63 but for two codes: there are no subnormals, e = m = 0 is zero, and e = 63, m = 511 is the
one non-number, for NaN and for infinities. Numbers reach from 2^-31 * (1 + 1 / 512) to 2^33 - 2^24.

Arrays of df16 are arrays of codes, `np.uint16`; f32 and f64 hold every value exactly. Rounding to
df16 is to nearest with ties away from zero. Results whose magnitude would round beyond the largest
number become the non-number, as infinities do, and come back as NaN; magnitudes below half the
smallest number become zero. What the format leaves open is decided so: the signs of zeros are kept,
and the non-number is written as 0x7FFF, without its sign. From df16 to an IEEE type the rounding is
that type's own, to nearest with ties to even; values beyond f16 become infinite there. IEEE
subnormals of f16 are ordinary numbers of df16.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from spyrelang.errors import semantics as errors

Array = np.ndarray[Any, np.dtype[Any]]

CODES = np.dtype(np.uint16)
"""The numpy dtype of arrays of df16."""

NON_NUMBER = 0x7FFF
"""The code of NaN and of infinities."""

ONE = 0x3E00
"""The code of 1.0."""

LARGEST = 2.0**33 - 2.0**24
"""The largest number."""

SMALLEST = 2.0**-31 * (1 + 2.0**-9)
"""The smallest number above zero."""

_BEYOND = 2.0**33 - 2.0**23  # where the numbers would go on: the place of the non-number
_SIGN = np.uint16(0x8000)


# --- values --------------------------------------------------------------------------------------


@np.errstate(all="ignore")
def round_df16(values: Array) -> Array:
    """f32 or f64 values, each rounded once to one that df16 has; NaN for the non-number.

    The result has the dtype of `values`, which stay as they are.
    """
    wide = values.dtype == np.float64
    bits = values.view(np.uint64 if wide else np.uint32)
    dropped = (52 if wide else 23) - 9
    kept = bits.dtype.type((1 << values.dtype.itemsize * 8) - (1 << dropped))
    # sign and magnitude: half a unit added to the bits moves ties away from zero
    rounded = ((bits + bits.dtype.type(1 << dropped - 1)) & kept).view(values.dtype)
    size = np.abs(values)
    whole = (size >= SMALLEST) & (size < _BEYOND - 2.0**22)
    if whole.all():
        return np.asarray(rounded)
    return np.asarray(np.where(whole, rounded, _outside(values, size)), values.dtype)


def _outside(values: Array, size: Array) -> Array:
    """What becomes of values below the smallest number or above the largest, and of non-numbers."""
    near = np.where(size >= SMALLEST / 2, values.dtype.type(SMALLEST), values.dtype.type(0))
    signed = np.copysign(near, values)
    return np.where(size < SMALLEST, signed, values.dtype.type(np.nan))


# --- codes ---------------------------------------------------------------------------------------


@np.errstate(all="ignore")
def encode(values: Array) -> Array:
    """The codes of f32 or f64 values, each rounded once."""
    exact = round_df16(np.asarray(values)).astype(np.float32, copy=False)
    bits = exact.view(np.uint32)
    # f32 has bias 127 and 23 fraction bits
    size = ((bits >> np.uint32(14)) & np.uint32(0x1FFFF)) - np.uint32((127 - 31) << 9)
    codes = (size | (bits >> np.uint32(16)) & np.uint32(0x8000)).astype(CODES)
    zero = exact == 0
    if zero.any():
        codes = np.where(zero, (bits >> np.uint32(16)).astype(CODES), codes)
    number = exact == exact
    return np.asarray(codes if number.all() else np.where(number, codes, CODES.type(NON_NUMBER)))


def literals(values: Array) -> Array:
    """The codes of numbers that stand in a program, from f32 or f64.

    An infinity there stands for what no number exceeds (where a maximum starts, what a mask puts
    in), so that it becomes the largest number of its sign and not the non-number.
    """
    return encode(np.clip(values, -LARGEST, LARGEST))


@cache
def _values() -> Array:
    """The f32 value of every code."""
    codes = np.arange(1 << 16, dtype=np.int64)
    exponent, fraction = (codes >> 9 & 63) - 31, codes & 511
    values = np.ldexp(1 + fraction / 512, exponent)
    size = codes & 0x7FFF
    values[size == 0] = 0
    values[size == NON_NUMBER] = np.nan
    table = np.where(codes >= 0x8000, -values, values).astype(np.float32)
    table.flags.writeable = False
    return table


def decode(codes: Array) -> Array:
    """The f32 values of codes, exactly; NaN for the non-number."""
    return np.asarray(_values().take(codes, mode="clip"))


def is_non_number(codes: Array) -> Array:
    """Whether codes are the non-number, of either sign."""
    return codes & ~_SIGN == NON_NUMBER


# --- what users convert -------------------------------------------------------------------------


def to_df16(values: Any) -> Array:
    """The DLFloat16 codes (`np.uint16`, of the same shape) of numbers, each rounded once: what
    arguments of type `spy.df16` hold in memory. Infinities and NaN become the one non-number.

    >>> spyre.to_df16([1.0, -2.0, 0.1])
    array([15872, 49152, 14131], dtype=uint16)

    Raises SPY586 for arrays that are no numbers, or of `np.uint16`, which are codes already.
    """
    array: Array = np.asarray(values)
    if array.dtype == np.float16:
        return from_f16(np.ascontiguousarray(array)).reshape(array.shape)
    if array.dtype == CODES or array.dtype.kind not in "biufV":
        reason, fix = "it holds no numbers", "pass floats"
        if array.dtype == CODES:
            reason, fix = "its elements pass for codes", "pass it as it is, or array.astype(float)"
        raise errors.ARRAY_DTYPE.error(dtype=array.dtype, reason=reason, hint=fix)
    wide = np.float32 if array.dtype == np.float32 else np.float64
    return encode(array.astype(wide, copy=False)).reshape(array.shape)


def from_df16(codes: Any) -> Array:
    """The numbers (f32, of the same shape) that DLFloat16 codes stand for, exactly; NaN for the
    non-number.

    >>> spyre.from_df16(spyre.to_df16([1.0, -2.0, 0.1]))
    array([ 1.        , -2.        ,  0.09997559], dtype=float32)

    Raises SPY586 for arrays that are not of `np.uint16`.
    """
    array: Array = np.asarray(codes)
    if array.dtype != CODES:
        reason, fix = "codes are np.uint16", "pass what a kernel wrote, or spyre.to_df16(array)"
        raise errors.ARRAY_DTYPE.error(dtype=array.dtype, reason=reason, hint=fix)
    return decode(array)


# --- f16 -----------------------------------------------------------------------------------------


@cache
def _of_f16() -> Array:
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    return encode(halves.astype(np.float32))


@cache
def _as_f16() -> Array:
    with np.errstate(over="ignore"):
        return _values().astype(np.float16)


def from_f16(values: Array) -> Array:
    """The codes of f16 values: one fraction bit is rounded away."""
    return np.asarray(_of_f16().take(values.view(np.uint16), mode="clip"))


def to_f16(codes: Array) -> Array:
    """Codes as f16: exact from 2^-14 to 65504, coarser below, infinite above."""
    return np.asarray(_as_f16().take(codes, mode="clip"))
