"""a * b + c with one rounding.

The product of two operands of up to 32 bits is exact in f64; the sum need not be, and rounding it
twice goes wrong where the product is the middle between two results and the addend, too small for
the sum to show, breaks the tie. So the f64 sum is rounded to odd first, which keeps that trace.
"""

# pyright: reportUnknownLambdaType=false
# (lambdas here are kernels: their parameters are arrays)

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from spyrelang.semantics.blocks import blocked
from spyrelang.semantics.op import Array, Kernel, Site
from spyrelang.semantics.rounding import from_f64, to_f64


def multiply_add(site: Site) -> Kernel:
    """The fused operation for float operands and result of any types."""
    if site.out.name == "f64" or any(d.name == "f64" for d in site.ins):
        return _exactly(site)
    return _odd(site)


def _odd(site: Site) -> Kernel:
    def kernel(a: Array, b: Array, c: Array) -> Array:
        total = sum_to_odd(to_f64(a) * to_f64(b), to_f64(c))
        return from_f64(total, site.out)

    return blocked(kernel, site.out.numpy)


def sum_to_odd(x: Array, y: Array) -> Array:
    """x + y in f64; an inexact sum is the one of its two neighbours whose last bit is 1."""
    total = np.asarray(x + y)
    part = total - x
    error = (x - (total - part)) + (y - part)
    bits = total.view(np.int64)
    even = np.isfinite(total) & np.isfinite(error) & (error != 0) & (bits & 1 == 0)
    step = np.where((error > 0) == (total > 0), 1, -1)
    return np.where(even, bits + step, bits).view(np.float64)


def _exactly(site: Site) -> Kernel:
    """One element at a time in rationals: f64 is on no device, so this need not be fast."""
    loop = np.frompyfunc(_fma, 3, 1)

    def kernel(*operands: Array) -> Any:
        return from_f64(np.asarray(loop(*map(to_f64, operands))).astype(np.float64), site.out)

    return kernel


def _fma(a: float, b: float, c: float) -> float:
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return float(np.float64(a) * np.float64(b) + np.float64(c))
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:  # the sign of a zero is that of the float sum
        return a * b + c
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
