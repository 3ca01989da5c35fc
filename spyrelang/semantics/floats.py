"""arith on floats: addf subf mulf divf remf negf, maxima, minima, cmpf, constant.

f16 and bf16 sums, differences, products and quotients are computed in f32 and rounded, by numpy
itself: f32 has at least 2p + 2 bits for both types, so the second rounding never matters. The same
holds for df16, whatever it does with ties: a sum, difference, product or quotient that f32 cannot
hold is never so near to the middle between two of its values that rounding to f32 reaches it.
"""

# pyright: reportUnknownLambdaType=false
# (lambdas here are kernels: their parameters are arrays)

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from spyrelang.semantics import bits, df16
from spyrelang.semantics.blocks import blocked, by_size
from spyrelang.semantics.dtypes import DType
from spyrelang.semantics.op import Array, Kernel, Site, register
from spyrelang.semantics.wide import wide

_UNORDERED = ("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true")
PREDICATES = ("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", *_UNORDERED)
"""Predicates of arith.cmpf in the order of their numbers."""


def binary(ufunc: Callable[..., Any], site: Site) -> Kernel:
    """One of + - * / and remainder, rounded once. Types may differ (vectorchain allows it)."""
    site.need_floats()
    if len({*site.ins, site.out}) > 1:
        return wide(ufunc, site)
    if site.out.is_df16:
        return blocked(_on_codes(ufunc), site.out.numpy)
    if site.out.name == "f16":  # numpy converts it to f64 faster than its f16 loops do to f32
        return by_size(ufunc, wide(ufunc, site))
    return ufunc


def _on_codes(ufunc: Callable[..., Any]) -> Kernel:
    return lambda a, b: df16.encode(ufunc(df16.decode(a), df16.decode(b)))


def extremum(largest: bool, numbers_win: bool, site: Site) -> Kernel:
    site.need_floats()
    site.need_same()
    return bits.extremum(site.out, largest, numbers_win)


def on_bits(make: Callable[..., Kernel], site: Site) -> Kernel:
    site.need_floats()
    site.need_same()
    return make(site.out)


def compare(site: Site, predicate: str) -> Kernel:
    """A predicate of cmpf as a kernel with i1 results."""
    source = site.ins[0]
    if not source.is_float or site.ins[1] != source:
        raise site.refuse("it compares two floats of one type")
    if predicate in ("true", "false"):
        return lambda a, b: np.full(np.broadcast_shapes(a.shape, b.shape), predicate == "true")
    if predicate in ("ord", "uno"):
        return _orderable(source, predicate == "uno")
    return bits.compare(source, predicate[1:], predicate[0] == "u")


def _orderable(dtype: DType, negated: bool) -> Kernel:
    """Whether both operands are numbers, or `negated`, one of them is none."""
    isnan = bits.classify(dtype, "isnan") if dtype.is_df16 else np.isnan
    if negated:
        return lambda a, b: isnan(a) | isnan(b)
    return lambda a, b: ~(isnan(a) | isnan(b))


def _cmpf(site: Site) -> Kernel:
    if site.out.name != "i1":
        raise site.refuse("a comparison gives i1")
    return compare(site, site.choice("predicate", PREDICATES))


def remainder(a: Array, b: Array) -> Any:
    """C's fmod: exact, with the sign of the dividend."""
    return np.fmod(a, b)


def _remf(site: Site) -> Kernel:
    """fmod is exact, so f32 serves the 16-bit types; bf16 has no fmod of its own."""
    site.need_floats()
    site.need_same()
    return wide(remainder, site) if site.out.bits == 16 else remainder


for _name, _ufunc in (
    ("addf", np.add),
    ("subf", np.subtract),
    ("mulf", np.multiply),
    ("divf", np.true_divide),
):
    register(f"arith.{_name}", 2, partial(binary, _ufunc))
register("arith.remf", 2, _remf)
register("arith.negf", 1, partial(on_bits, bits.negate))
register("arith.maximumf", 2, partial(extremum, True, False))
register("arith.minimumf", 2, partial(extremum, False, False))
register("arith.maxnumf", 2, partial(extremum, True, True))
register("arith.minnumf", 2, partial(extremum, False, True))
register("arith.cmpf", 2, _cmpf)
