"""arith on integers: two's complement, wrapping, of 1 to 64 bits.

What MLIR leaves undefined is defined here: division and remainder by zero give 0, the one
overflowing quotient wraps, a shift by the width or more gives 0. An i1 read as signed is 0 or -1.
"""

# pyright: reportUnknownLambdaType=false
# (lambdas here are kernels: their parameters are arrays)

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from spyrelang.semantics import bits
from spyrelang.semantics.dtypes import DType, to_bits
from spyrelang.semantics.op import Array, Kernel, Site, register

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
"""Predicates of arith.cmpi in the order of their numbers."""


def signed(x: Array) -> Array:
    """The elements as signed integers (i1: 0 and -1)."""
    return np.negative(x.view(np.int8)) if x.dtype == np.bool_ else x


def unsigned(x: Array) -> Array:
    """The elements as unsigned integers (i1: 0 and 1)."""
    return to_bits(x)


def pack(values: Any, dtype: DType) -> Array:
    """Integers of at least the width of `dtype`, wrapped to it."""
    if dtype.name == "i1":
        return np.asarray(values & 1).astype(np.bool_)
    return np.asarray(values).astype(dtype.numpy, copy=False)


def two(view: Callable[[Array], Array], function: Callable[..., Any], site: Site) -> Kernel:
    """A function of two integers of one type, read as signed or unsigned by `view`."""
    site.need_ints()
    site.need_same()
    out = site.out
    if out.name != "i1" and view is signed:
        return function
    return lambda a, b: pack(function(view(a), view(b)), out)


# --- division ------------------------------------------------------------------------------------


def divide(a: Array, b: Array) -> Any:
    """Quotient towards zero."""
    return np.floor_divide(a - np.fmod(a, b), b)


def divide_up(a: Array, b: Array) -> Any:
    """Quotient towards plus infinity."""
    return np.floor_divide(a, b) + (np.fmod(a, b) != 0)


# --- shifts --------------------------------------------------------------------------------------


def shift(view: Callable[[Array], Array], function: Callable[..., Any], site: Site) -> Kernel:
    site.need_ints()
    site.need_same()
    width = site.out.bits

    def kernel(a: Array, by: Array) -> Array:
        x, fits = view(a), unsigned(by) < width
        shifted = function(x, np.where(fits, by, by.dtype.type(0)).astype(x.dtype))
        return pack(np.where(fits, shifted, x.dtype.type(0)), site.out)

    return kernel


# --- comparison ----------------------------------------------------------------------------------


def compare(site: Site, predicate: str) -> Kernel:
    """A predicate of cmpi as a kernel with i1 results."""
    if not site.ins[0].is_int or site.ins[1] != site.ins[0]:
        raise site.refuse("it compares two integers of one type")
    function = bits.RELATIONS.get(predicate) or bits.RELATIONS[predicate[1:]]
    view = unsigned if predicate[0] == "u" else signed
    return lambda a, b: function(view(a), view(b))


def _cmpi(site: Site) -> Kernel:
    if site.out.name != "i1":
        raise site.refuse("a comparison gives i1")
    return compare(site, site.choice("predicate", PREDICATES))


def _select(site: Site) -> Kernel:
    if site.ins[0].name != "i1":
        raise site.refuse("the condition is i1")
    if not site.ins[1] == site.ins[2] == site.out:
        raise site.refuse("both values and the result have one type")
    return bits.select(site.out)


# --- two results ---------------------------------------------------------------------------------


def _add_extended(site: Site) -> Kernel:
    """Sum and carry."""
    site.need_ints()
    out = site.out

    def kernel(a: Array, b: Array) -> tuple[Array, Array]:
        total = pack(unsigned(a) + unsigned(b), out)
        if out.name == "i1":
            return total, a & b
        return total, np.asarray(unsigned(total) < unsigned(a))

    return kernel


def _multiply_extended(view: Callable[[Array], Array], site: Site) -> Kernel:
    """Low and high half of the product."""
    site.need_ints()
    site.need_same()
    out, double = site.out, np.int64 if view is signed else np.uint64

    def kernel(a: Array, b: Array) -> tuple[Array, Array]:
        x, y = view(a).astype(double), view(b).astype(double)
        high = _high64(x, y) if out.bits == 64 else (x * y) >> double(out.bits)
        return pack(x * y, out), pack(high, out)

    return kernel


def _high64(x: Array, y: Array) -> Array:
    """The upper 64 bits of the 128-bit product, from 32-bit halves."""
    half = x.dtype.type(32)
    low = x.dtype.type(0xFFFFFFFF)
    x1, x0, y1, y0 = x >> half, x & low, y >> half, y & low
    corner = (x0.view(np.uint64) * y0.view(np.uint64)) >> np.uint64(32)
    middle = x1 * y0 + corner.astype(x.dtype)
    other = x0 * y1 + (middle & low)
    return x1 * y1 + (middle >> half) + (other >> half)


for _name, _view, _function in (
    ("addi", signed, np.add),
    ("subi", signed, np.subtract),
    ("muli", signed, np.multiply),
    ("andi", signed, np.bitwise_and),
    ("ori", signed, np.bitwise_or),
    ("xori", signed, np.bitwise_xor),
    ("divsi", signed, divide),
    ("divui", unsigned, np.floor_divide),
    ("floordivsi", signed, np.floor_divide),
    ("ceildivsi", signed, divide_up),
    ("ceildivui", unsigned, divide_up),
    ("remsi", signed, np.fmod),
    ("remui", unsigned, np.fmod),
    ("maxsi", signed, np.maximum),
    ("minsi", signed, np.minimum),
    ("maxui", unsigned, np.maximum),
    ("minui", unsigned, np.minimum),
):
    register(f"arith.{_name}", 2, partial(two, _view, _function))
register("arith.shli", 2, partial(shift, unsigned, np.left_shift))
register("arith.shrui", 2, partial(shift, unsigned, np.right_shift))
register("arith.shrsi", 2, partial(shift, signed, np.right_shift))
register("arith.cmpi", 2, _cmpi)
register("arith.select", 3, _select)
register("arith.addui_extended", 2, _add_extended, results=2)
register("arith.mulsi_extended", 2, partial(_multiply_extended, signed), results=2)
register("arith.mului_extended", 2, partial(_multiply_extended, unsigned), results=2)
