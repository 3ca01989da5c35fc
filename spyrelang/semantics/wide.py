"""Computing a float function in f64 and rounding once: correct rounding for 16-bit types.

The f64 functions of numpy are good to about an ulp of f64. A 16-bit operand has 65,536 values,
whose exact results come no closer than about 2^-30 to the middle between two 16-bit neighbours
(unless they are on it, where f64 is exact), so rounding the f64 value rounds the exact one. For f32
the result is within 0.5000001 ulp.
"""

# pyright: reportUnknownLambdaType=false
# (lambdas here are kernels: their parameters are arrays)

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from spyrelang.semantics.blocks import blocked
from spyrelang.semantics.dtypes import DType
from spyrelang.semantics.op import Array, Kernel, Silent, Site
from spyrelang.semantics.rounding import from_f64, to_f64

Function = Callable[..., Any]
"""f64 arrays in, f64 array out."""


def wide(function: Function, site: Site) -> Kernel:
    """The element-wise `function` in f64, rounded once to the result type of `site`."""
    out = site.out

    def kernel(*operands: Array) -> Array:
        return from_f64(function(*map(to_f64, operands)), out)

    return blocked(kernel, out.numpy)


def unary(function: Function, site: Site, for_f32: Function | None = None) -> Kernel:
    """A function of one operand. 16-bit operands go through a table of all their results;
    `for_f32` is a faster form of `function` that is good enough for f32 results."""
    source = site.ins[0]
    if source.bits == 16:
        return _tabled(function, source, site.out)
    if for_f32 is not None and site.out.bits <= 32:
        return wide(for_f32, site)
    return wide(function, site)


def _tabled(function: Function, source: DType, out: DType) -> Kernel:
    @cache
    def table() -> Array:
        codes = np.arange(1 << 16, dtype=np.uint16).view(source.numpy)
        with np.errstate(all="ignore"):
            return from_f64(function(to_f64(codes)), out)

    def kernel(x: Array) -> Array:
        return np.asarray(table().take(x.view(np.uint16), mode="clip"))

    return Silent(kernel)


def pointwise(function: Callable[..., float]) -> Function:
    """A function of Python floats as one of f64 arrays."""
    loop = np.frompyfunc(function, 1, 1)
    return lambda x: np.asarray(loop(x)).astype(np.float64)
