"""The error function and what is built on it, on f64 arrays.

`erf` and `erfc` are exact to f64 (the C library's, one element at a time); `erf_fast` and
`erfc_fast` are good to about 1e-13 relative, for f32 results. They are Chebyshev interpolants that
are made from the exact functions when first used:

* for |x| < 1/2, erf(x) / x as a function of x^2;
* elsewhere erfcx(x) = exp(x^2) erfc(x), which falls slowly from 1 to 0.05 between 0 and 11, as a
  function of (x - 3) / (x + 3). Beyond 11, erfc is 0 to f32.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev

from spyrelang.semantics.op import Array
from spyrelang.semantics.wide import pointwise

_FAR = 11.0
_PIVOT = 3.0

erf = pointwise(math.erf)
erfc = pointwise(math.erfc)


def _scaled(t: Array) -> Array:
    """erfcx at x = 3 (1 + t) / (1 - t)."""
    x = _PIVOT * (1 + t) / (1 - t)
    return erfc(x) * np.exp(x * x)


def _ratio(squared: Array) -> Array:
    x = np.sqrt(squared)
    return erf(x) / x


@cache
def _far_fit() -> Any:
    end = (_FAR - _PIVOT) / (_FAR + _PIVOT)
    return Chebyshev.interpolate(_scaled, 24, domain=[-1.0, end])


@cache
def _near_fit() -> Any:
    return Chebyshev.interpolate(_ratio, 9, domain=[0.0, 0.25])


def _tail(x: Array) -> Array:
    """erfc of x >= 0 (NaN stays)."""
    x = np.where(x > _FAR, _FAR, x)
    value = np.exp(-x * x) * _far_fit()((x - _PIVOT) / (x + _PIVOT))
    return np.where(x == _FAR, 0.0, value)


def erf_fast(x: Array) -> Array:
    """erf to about 1e-13 relative."""
    size = np.abs(x)
    near = x * _near_fit()(np.minimum(size * size, 0.25))
    return np.where(size < 0.5, near, np.copysign(1.0 - _tail(size), x))


def erfc_fast(x: Array) -> Array:
    """erfc to about 1e-13 relative, 0 below 1e-54."""
    tail = _tail(np.abs(x))
    return np.where(x < 0, 2.0 - tail, tail)
