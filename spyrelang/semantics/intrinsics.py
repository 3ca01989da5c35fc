"""spyreop: the device's intrinsics as exact functions, rounded once.

Where the public description leaves a choice: gelu is the erf form; softplus is the usual
log(1 + e^(beta x)) / beta and the identity above the threshold; comparisons are ordered; a NaN
condition selects the first value; integer overflow wraps.
"""

# pyright: reportUnknownLambdaType=false
# (lambdas here are kernels: their parameters are arrays)

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from spyrelang.semantics import bits, floats
from spyrelang.semantics.casts import build_constant
from spyrelang.semantics.dtypes import DType, get
from spyrelang.semantics.erf import erfc, erfc_fast
from spyrelang.semantics.mathops import rsqrt
from spyrelang.semantics.op import Array, Kernel, Site, register
from spyrelang.semantics.rounding import from_f64, to_f64
from spyrelang.semantics.wide import Function, unary, wide

COMPARISONS = ("equal", "notequal", "greaterthan", "greaterequal", "lesserthan", "lesserequal")
"""Predicates of spyreop.compare in the order of their numbers."""

EPSILON = 1e-5
"""What layernormscale adds to the variance when no `epsilon` is given."""

_HALVES = {"fp16_fused": get("f16"), "df16_fused": get("df16"), "fp32_fused": get("f32")}
"""The type of both halves of a pair."""

_RELATIONS: dict[str, str] = dict(
    zip(COMPARISONS, ("eq", "ne", "gt", "ge", "lt", "le"), strict=True)
)


# --- functions of one value, on f64 --------------------------------------------------------------


def sigmoid(x: Array) -> Array:
    """1 / (1 + e^-x), without overflow on either side."""
    decay = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, decay) / (1.0 + decay)


def silu(x: Array) -> Array:
    """x sigmoid(x), with the limit -0 at -inf."""
    return np.where(x == -np.inf, -0.0, x * sigmoid(x))


def _gelu_by(tail: Function, x: Array) -> Array:
    return np.where(x == -np.inf, -0.0, 0.5 * x * tail(x * -np.sqrt(0.5)))


gelu: Function = partial(_gelu_by, erfc)
"""x times the normal distribution function, by erfc so that the left tail keeps its digits."""

gelu_fast: Function = partial(_gelu_by, erfc_fast)
"""gelu, good enough for f32."""


def softplus(x: Array, beta: float, threshold: float) -> Array:
    """log(1 + e^(beta x)) / beta, and x itself where beta x is above the threshold."""
    z = beta * x
    return np.where(z > threshold, x, np.logaddexp(0.0, z) / beta)


def _one(function: Function, for_f32: Function | None, site: Site) -> Kernel:
    site.need_floats()
    return unary(function, site, for_f32)


def _softplus(site: Site) -> Kernel:
    site.need_floats()
    beta = float(np.float32(site.number("beta", 1.0)))
    threshold = float(np.float32(site.number("threshold", 20.0)))
    if beta == 0:
        raise site.bad("beta", "must not be 0")
    return unary(partial(softplus, beta=beta, threshold=threshold), site)


# --- comparison and choice -----------------------------------------------------------------------


def _compare(site: Site) -> Kernel:
    """1.0 where the ordered predicate holds, else 0.0."""
    site.need_floats()
    site.need_same()
    relation = _RELATIONS[site.choice("predicate", COMPARISONS)]
    holds = bits.compare(site.out, relation, False)
    one, zero = (from_f64(np.array(value), site.out) for value in (1.0, 0.0))
    return lambda a, b: np.where(holds(a, b), one, zero)


def truth(dtype: DType) -> Kernel:
    """Whether a condition of any type holds: not zero (a NaN is not)."""
    if dtype.name == "i1":
        return lambda c: c
    if dtype.is_int:
        return lambda c: c != 0
    rest = ~bits.sign_bit(dtype)
    return lambda c: (bits.to_bits(c) & rest) != 0


def choose(site: Site) -> Kernel:
    """cond ? a : b for a condition of any type."""
    if site.ins[1] != site.out or site.ins[2] != site.out:
        raise site.refuse("both values and the result have one type")
    holds, pick = truth(site.ins[0]), bits.select(site.out)
    if site.ins[0].name == "i1":
        return pick
    return lambda c, a, b: pick(np.asarray(holds(c)), a, b)


# --- integers ------------------------------------------------------------------------------------


def _integers(name: str, ufunc: Any, site: Site) -> Kernel:
    if {d.name for d in (*site.ins, *site.outs)} != {name}:
        raise site.refuse(f"it works on {name}")
    return ufunc


def _address(site: Site) -> Kernel:
    """base + stride * index in wrapping i32; base and stride are operands, or the attributes
    `base_address` and `stride`."""
    if {d.name for d in (*site.ins, *site.outs)} != {"i32"}:
        raise site.refuse("it works on i32")
    if len(site.ins) == 3:
        return lambda index, base, stride: base + stride * index
    if len(site.ins) == 2:
        raise site.refuse("base and stride are both operands or both attributes")
    base = _wrapped(site.integer("base_address"))
    stride = _wrapped(site.integer("stride"))
    return lambda index: base + stride * index


def _wrapped(value: int) -> Array:
    return np.array(value & 0xFFFFFFFF, np.uint32).view(np.int32)


# --- layer norm ----------------------------------------------------------------------------------


def _average(site: Site) -> Function:
    """How exx2 averages: over the attribute `axes`, or as the share of one element of `count`."""
    axes = site.integers("axes") if "axes" in site.attrs else None
    count = site.integer("count", 1)
    if count < 1:
        raise site.bad("count", "must be positive")

    def share(x: Array) -> Array:
        return x / count if axes is None else np.mean(x, axis=axes)

    return share


def _exx2(site: Site) -> Kernel:
    """Mean and mean of squares (see `_average`)."""
    site.need_floats()
    share = _average(site)

    def kernel(x: Array) -> tuple[Array, Array]:
        wide_x = to_f64(x)
        parts = share(wide_x), share(wide_x * wide_x)
        return from_f64(parts[0], site.outs[0]), from_f64(parts[1], site.outs[1])

    return kernel


def _exx2_fused(zero_mean: bool, site: Site) -> Kernel:
    """The same as one value; `zero_mean` leaves 0 in the mean half (RMS norm)."""
    if not site.ins[0].is_float or not site.out.is_pair:
        raise site.refuse("it makes a pair of a float")
    share = _average(site)
    out, half = site.out.numpy, _HALVES[site.out.name]

    def kernel(x: Array) -> Array:
        wide_x = to_f64(x)
        squares = np.asarray(share(wide_x * wide_x))
        pair = np.zeros(squares.shape, out)
        pair["squares"] = from_f64(squares, half)
        if not zero_mean:
            pair["mean"] = from_f64(np.asarray(share(wide_x)), half)
        return pair

    return kernel


def _scale(site: Site) -> Kernel:
    """1 / sqrt(squares - mean^2 + epsilon); with one operand that is the variance."""
    site.need_floats()
    epsilon = site.number("epsilon", EPSILON)
    if len(site.ins) == 1:
        return unary(lambda v: rsqrt(v + epsilon), site)
    return wide(lambda m, q: rsqrt(q - m * m + epsilon), site)


def _scale_fused(site: Site) -> Kernel:
    if not site.ins[0].is_pair or not site.out.is_float:
        raise site.refuse("it makes a float of a pair")
    epsilon = site.number("epsilon", EPSILON)

    def kernel(pair: Array) -> Array:
        m, q = to_f64(pair["mean"]), to_f64(pair["squares"])
        return from_f64(rsqrt(q - m * m + epsilon), site.out)

    return kernel


def _norm(site: Site) -> Kernel:
    """(x - mean) * scale * weight + bias; the second operand is the mean."""
    site.need_floats()
    return wide(lambda x, m, s, w, b: (x - m) * s * w + b, site)


register("spyreop.exp", 1, partial(_one, np.exp, None))
register("spyreop.gelu", 1, partial(_one, gelu, gelu_fast))
register("spyreop.sigmoid", 1, partial(_one, sigmoid, None))
register("spyreop.silu", 1, partial(_one, silu, None))
register("spyreop.softplus", 1, _softplus)
register("spyreop.sqrt", 1, partial(_one, np.sqrt, None))
register("spyreop.rsqrt", 1, partial(_one, rsqrt, None))
register("spyreop.reciprocal", 1, partial(_one, np.reciprocal, None))
register("spyreop.realdiv", 2, partial(floats.binary, np.true_divide))
register("spyreop.compare", 2, _compare)
register("spyreop.select", 3, choose)
register("spyreop.constant", 0, build_constant)
register("spyreop.addi32toi32", 2, partial(_integers, "i32", np.add))
register("spyreop.addi64toi64", 2, partial(_integers, "i64", np.add))
register("spyreop.muli32toi32", 2, partial(_integers, "i32", np.multiply))
register("spyreop.idx32toaddr", 1, _address, extra=2)
register("spyreop.exx2", 1, _exx2, results=2)
register("spyreop.exx2_fused", 1, partial(_exx2_fused, False))
register("spyreop.exx2_zeromean_fused", 1, partial(_exx2_fused, True))
register("spyreop.layernormscale", 1, _scale, extra=1)
register("spyreop.layernormscale_fused", 1, _scale_fused)
register("spyreop.layernormnorm", 5, _norm)
