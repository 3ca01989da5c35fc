"""The math dialect on floats, computed in f64 and rounded once (see `wide`)."""

# pyright: reportUnknownLambdaType=false
# (lambdas here are kernels: their parameters are arrays)

from __future__ import annotations

from functools import partial

import numpy as np

from spyrelang.semantics import bits, fused
from spyrelang.semantics.casts import convert
from spyrelang.semantics.dtypes import get
from spyrelang.semantics.erf import erf, erf_fast, erfc, erfc_fast
from spyrelang.semantics.ints import signed
from spyrelang.semantics.op import Array, Kernel, Site, register
from spyrelang.semantics.wide import Function, unary, wide

_F64 = get("f64")


def rsqrt(x: Array) -> Array:
    """1 / sqrt(x): infinite with the sign of x at zeros, NaN below."""
    return 1.0 / np.sqrt(x)


def round_away(x: Array) -> Array:
    """To the nearest integer, halves away from zero."""
    whole = np.trunc(x)
    return np.copysign(np.abs(whole) + (np.abs(x - whole) >= 0.5), x)


def _one(function: Function, for_f32: Function | None, site: Site) -> Kernel:
    site.need_floats()
    return unary(function, site, for_f32)


def _several(function: Function, site: Site) -> Kernel:
    site.need_floats()
    return wide(function, site)


def _on_bits(make: bits.Maker, site: Site) -> Kernel:
    site.need_floats()
    site.need_same()
    return make(site.out)


def _classify(name: str, site: Site) -> Kernel:
    if not site.ins[0].is_float or site.out.name != "i1":
        raise site.refuse("it tests a float and gives i1")
    return bits.classify(site.ins[0], name)


def _fpowi(site: Site) -> Kernel:
    if not site.ins[0].is_float or not site.ins[1].is_int:
        raise site.refuse("it raises a float to an integer")
    widen, narrow = convert(site.ins[0], _F64), convert(_F64, site.out)
    return lambda x, n: narrow(np.asarray(np.power(widen(x), signed(n).astype(np.float64))))


def _clamp(site: Site) -> Kernel:
    """max(min(x, high), low) with NaN winning."""
    site.need_floats()
    site.need_same()
    least, most = (bits.extremum(site.out, largest, False) for largest in (False, True))
    return lambda x, low, high: most(least(x, high), low)


def _fma(site: Site) -> Kernel:
    site.need_floats()
    return fused.multiply_add(site)


def _sincos(site: Site) -> Kernel:
    site.need_floats()
    sin, cos = unary(np.sin, site), unary(np.cos, site)
    return lambda x: (sin(x), cos(x))


_UNARY: dict[str, Function] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "cos": np.cos,
    "cosh": np.cosh,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "floor": np.floor,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "round": round_away,
    "roundeven": np.rint,
    "rsqrt": rsqrt,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
}
_EXACT_IN_F32 = {"ceil", "floor", "roundeven", "sqrt", "trunc"}


def _plain(ufunc: Function, site: Site) -> Kernel:
    """Functions that numpy computes exactly, or correctly rounded, in f32 itself."""
    site.need_floats()
    same = site.ins[0] == site.out and site.out.bits >= 32
    return ufunc if same else unary(ufunc, site)


for _name, _function in _UNARY.items():
    _build = (
        partial(_plain, _function) if _name in _EXACT_IN_F32 else partial(_one, _function, None)
    )
    register(f"math.{_name}", 1, _build)
register("math.erf", 1, partial(_one, erf, erf_fast))
register("math.erfc", 1, partial(_one, erfc, erfc_fast))
register("math.absf", 1, partial(_on_bits, bits.absolute))
register("math.copysign", 2, partial(_on_bits, bits.copysign))
register("math.powf", 2, partial(_several, np.power))
register("math.atan2", 2, partial(_several, np.arctan2))
register("math.fpowi", 2, _fpowi)
register("math.clampf", 3, _clamp)
register("math.fma", 3, _fma)
register("math.sincos", 1, _sincos, results=2)
for _name in ("isfinite", "isinf", "isnan", "isnormal"):
    register(f"math.{_name}", 1, partial(_classify, _name))
