"""The math dialect on integers: absi, ctlz, cttz, ctpop, ipowi."""

# pyright: reportUnknownLambdaType=false
# (lambdas here are kernels: their parameters are arrays)

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from spyrelang.semantics.ints import pack, signed, unsigned
from spyrelang.semantics.op import Array, Kernel, Site, register

_ONES = np.array([code.bit_count() for code in range(256)], np.uint8)


def _count(x: Array) -> Array:
    """Set bits of each unsigned integer."""
    octets = np.ascontiguousarray(x).reshape((*x.shape, 1)).view(np.uint8)
    return _ONES[octets].sum(axis=-1, dtype=np.int64)


def _ones(x: Array, width: int) -> Array:
    del width
    return _count(x)


def _leading(x: Array, width: int) -> Array:
    """Zeros above the highest set bit: fill below it, and count what is left."""
    filled = x
    for step in (1, 2, 4, 8, 16, 32):
        if step < width:
            filled = filled | (filled >> x.dtype.type(step))
    return width - _count(filled)


def _trailing(x: Array, width: int) -> Array:
    """Zeros below the lowest set bit: the bits that x - 1 turns on."""
    return np.minimum(_count(~x & (x - x.dtype.type(1))), width)


def _counter(function: Callable[[Array, int], Array], site: Site) -> Kernel:
    site.need_ints()
    site.need_same()
    out = site.out
    return lambda x: pack(function(unsigned(x), out.bits), out)


def _absi(site: Site) -> Kernel:
    site.need_ints()
    site.need_same()
    return lambda x: pack(np.abs(signed(x)), site.out)


def _power(base: Array, exponent: Array) -> Any:
    """By squaring, wrapping at 64 bits (of which any narrower result is a part)."""
    power = np.ones(np.broadcast_shapes(base.shape, exponent.shape), np.int64)
    while exponent.any():
        power = np.where(exponent & 1 != 0, power * base, power)
        exponent, base = exponent >> 1, base * base
    return power


def _ipowi(site: Site) -> Kernel:
    """A negative exponent gives the power's reciprocal rounded towards zero, and 0 for base 0."""
    site.need_ints()
    site.need_same()
    out = site.out

    def kernel(x: Array, n: Array) -> Array:
        base, exponent = signed(x).astype(np.int64), signed(n).astype(np.int64)
        negative = exponent < 0
        power = _power(base, np.where(negative, exponent & 1, exponent))
        return pack(np.where(negative & (np.abs(base) != 1), 0, power), out)

    return kernel


register("math.absi", 1, _absi)
register("math.ipowi", 2, _ipowi)
register("math.ctpop", 1, partial(_counter, _ones))
register("math.ctlz", 1, partial(_counter, _leading))
register("math.cttz", 1, partial(_counter, _trailing))
