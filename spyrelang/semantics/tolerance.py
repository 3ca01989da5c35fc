"""How far a compiled path may be from the exact function: per op and type, in ulp, and the results
that must be met exactly.

Where the numbers come from
---------------------------
Let u = 2^-p be the relative error of one rounding (p = 11 for f16, 10 for df16, 8 for bf16, 24 for
f32). An ulp of x is larger than u |x|, so a relative error of k u is less than k ulp.

* f16, df16 and bf16: an intrinsic is expanded over an f32 interior with one rounding at the end.
  As long as the interior's error is below 2^-13 (a hundred f32 roundings are 2^-17), the rounded
  result is the correctly rounded one or its neighbour: 1 ulp.
* f32: count the roundings of the expansion, weighted by how they reach the result.
  exp, reciprocal, rsqrt, tanh, log are one unit function: 1.
  realdiv is a * rec(b): 2. sqrt is x * rsqrt(x): 2.
  sigmoid is rec(1 + exp(-x)): 3; silu multiplies by x: 4.
  log2 and log10 scale log by a rounded constant: 3.
  exp2 is exp(x ln 2): the argument, up to 88 in size, has two roundings, which become absolute in
  the exponent: 2 * 88 + 1 = 177.
  gelu needs e^(-x^2 / 2) in its left tail, where x^2 / 2 reaches 88: 88 for the square, and 8 for
  the rest: 96. erfc has the same tail: 96. powf is exp(y log x), three roundings of an exponent up
  to 88: 265.
  softplus, expm1, log1p, erf are piecewise polynomials of a few steps: 6.
  layernormscale is five roundings: 5, and layernormnorm four: 4, each where the differences do not
  cancel.
* What vectorchain computes directly (add, mul, sub, max, min, comparisons, choices, integers): 0.

Subnormal numbers of f32 (and bf16, which has the same exponents) may be flushed by an expansion:
`Tolerance.absolute` is then the smallest normal number, and an operand that is subnormal may count
as zero. f16 subnormals are normal in the f32 interior and must be right; df16 has none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrelang.semantics.dtypes import DType, get
from spyrelang.semantics.op import Array, lookup
from spyrelang.semantics.rounding import to_f64

INF, NAN = math.inf, math.nan

_SIGNIFICANT = {"f16": 11, "df16": 10, "bf16": 8, "f32": 24, "f64": 53}
_SMALLEST_NORMAL = {
    "f16": 2.0**-14,
    "df16": 2.0**-31,
    "bf16": 2.0**-126,
    "f32": 2.0**-126,
    "f64": 2.0**-1022,
}

_F32_ULP: dict[str, float] = {
    "exp": 1,
    "exp2": 177,
    "expm1": 6,
    "log": 1,
    "log2": 3,
    "log10": 3,
    "log1p": 6,
    "sqrt": 2,
    "rsqrt": 1,
    "cbrt": 6,
    "tanh": 1,
    "erf": 6,
    "erfc": 96,
    "powf": 265,
    "reciprocal": 1,
    "realdiv": 2,
    "divf": 2,
    "sigmoid": 3,
    "silu": 4,
    "gelu": 96,
    "softplus": 6,
    "layernormscale": 5,
    "layernormscale_fused": 5,
    "layernormnorm": 4,
}
"""Ops that are expanded on the way to a device, by the last part of their name."""


@dataclass(frozen=True)
class Tolerance:
    """A result is accepted within `ulp` steps of the wanted one, or within `absolute` of it."""

    ulp: float
    absolute: float = 0.0

    def accepts(self, got: Array, want: Array, dtype: str) -> Any:
        """Element-wise: is `got` near enough to `want`?"""
        with np.errstate(all="ignore"):
            near = np.abs(to_f64(got) - to_f64(want)) <= self.absolute
        return near | (ulp_distance(got, want, dtype) <= self.ulp)


def tolerance(op: str | Sequence[str], dtype: str) -> Tolerance:
    """The tolerance of one op's compiled path, or of a chain of ops on well-conditioned values.

    In a chain every op also rounds, so each counts at least 1. `dtype` is the type of the results.
    Raises SPY580 for ops and SPY585 for types that do not exist.
    """
    if isinstance(op, str):
        return _single(op, get(dtype))
    parts = [_single(name, get(dtype)) for name in op]
    total = sum(max(1.0, part.ulp) for part in parts) if len(parts) > 1 else parts[0].ulp
    return Tolerance(total, max(part.absolute for part in parts))


def _single(op: str, dtype: DType) -> Tolerance:
    lookup(op)
    dialect, _, name = op.rpartition(".")
    expanded = dialect in ("arith", "math", "spyreop") and name in _F32_ULP
    if not expanded or not dtype.is_float:
        return Tolerance(0)
    absolute = 0.0 if dtype.name in ("f16", "df16") else _SMALLEST_NORMAL[dtype.name]
    return Tolerance(1 if dtype.bits == 16 else _F32_ULP[name], absolute)


def sum_tolerance(terms: int, dtype: str) -> float:
    """The largest error of a sum of `terms` values in any order, each step rounded to `dtype`,
    as a multiple of the sum of their magnitudes."""
    steps = max(0, terms - 1) * 2.0 ** -_SIGNIFICANT[get(dtype).name]
    return steps / (1 - steps) if steps < 1 else INF


def ulp_distance(got: Array, want: Array, dtype: str) -> Array:
    """How many representable values of `dtype` lie between `got` and `want`, as f64.

    Both zeros are one value, infinity is the step after the largest number, two NaNs are equal and
    a NaN is infinitely far from a number. A `want` of a wider float type is taken as exact: the
    distance is then a fraction, in units of the spacing of `dtype` at `want`. For integers it is
    |got - want|.
    """
    kind = get(dtype)
    got, want = np.asarray(got), np.asarray(want)
    if kind.is_int:
        return np.abs(got.astype(np.float64) - want.astype(np.float64))
    if want.dtype != kind.numpy:
        return _fraction(to_f64(got), to_f64(want), kind)
    steps = np.abs(_ordinal(got) - _ordinal(want))
    return _with_nans(steps, np.isnan(to_f64(got)), np.isnan(to_f64(want)))


def _ordinal(values: Array) -> Array:
    """Consecutive numbers for consecutive floats, as f64 (exact for types of up to 32 bits)."""
    width = values.dtype.itemsize * 8
    bits = np.ascontiguousarray(values).view(np.dtype(f"i{width // 8}")).reshape(values.shape)
    magnitude = bits & np.array((1 << width - 1) - 1, bits.dtype)
    return np.where(bits < 0, -magnitude.astype(np.float64), magnitude.astype(np.float64))


def _fraction(got: Array, want: Array, kind: DType) -> Array:
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(np.maximum(np.abs(want), _SMALLEST_NORMAL[kind.name]))
        spacing = np.ldexp(1.0, exponent - _SIGNIFICANT[kind.name])
        # beyond the largest number, infinity stands one spacing further
        top = np.float64(kind.limits[1])
        over = np.isinf(got) & np.isfinite(want)
        step = np.copysign(top + np.ldexp(1.0, np.frexp(top)[1] - _SIGNIFICANT[kind.name]), got)
        steps = np.abs(np.where(over, step, got) - want) / spacing
        steps = np.where(got == want, 0.0, steps)
    return _with_nans(steps, np.isnan(got), np.isnan(want))


def _with_nans(steps: Array, got: Array, want: Array) -> Array:
    return np.where(got & want, 0.0, np.where(got | want, INF, steps))


# --- results that must be met exactly ------------------------------------------------------------

Special = tuple[tuple[float, ...], float]
"""Operands and the result, signs of zeros included."""


def _one(*pairs: tuple[float | str, float]) -> tuple[tuple[tuple[float | str, ...], float], ...]:
    return tuple(((operand,), result) for operand, result in pairs)


# "max" stands for the largest finite number of the type
_SPECIAL: dict[str, tuple[tuple[tuple[float | str, ...], float], ...]] = {
    "exp": _one((0.0, 1), (-0.0, 1), (INF, INF), (-INF, 0.0), ("max", INF), ("-max", 0.0)),
    "sigmoid": _one((0.0, 0.5), (-0.0, 0.5), (INF, 1), (-INF, 0.0), ("max", 1), ("-max", 0.0)),
    "silu": _one((0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -0.0), ("-max", -0.0)),
    "gelu": _one((0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -0.0), ("-max", -0.0)),
    "softplus": _one((INF, INF), (-INF, 0.0), ("-max", 0.0)),
    "sqrt": _one((0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, NAN), (-1.0, NAN)),
    "rsqrt": _one((0.0, INF), (-0.0, -INF), (INF, 0.0), (-INF, NAN), (-1.0, NAN)),
    "reciprocal": _one((0.0, INF), (-0.0, -INF), (INF, 0.0), (-INF, -0.0)),
    "tanh": _one((0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), ("max", 1)),
    "erf": _one((0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), ("max", 1)),
    "log": _one((0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF), (-1.0, NAN)),
    "realdiv": (
        ((1.0, 0.0), INF),
        ((1.0, -0.0), -INF),
        ((-1.0, 0.0), -INF),
        ((0.0, 0.0), NAN),
        ((INF, INF), NAN),
        ((1.0, INF), 0.0),
        ((-1.0, INF), -0.0),
        ((0.0, -1.0), -0.0),
        ((INF, 1.0), INF),
        ((INF, 0.0), INF),
        (("max", 0.5), INF),
    ),
}
_SPECIAL["divf"] = _SPECIAL["realdiv"]


def specials(op: str, dtype: str) -> tuple[Special, ...]:
    """Operands of `op` at which every path must give exactly the result named: zeros, infinities,
    overflow, and a NaN in each operand. Empty for ops without such a list."""
    lookup(op)
    listed = _SPECIAL.get(op.rpartition(".")[2], ())
    top = float(get(dtype).limits[1])
    words = {"max": top, "-max": -top}
    fixed = [
        (tuple(words[v] if isinstance(v, str) else v for v in operands), float(result))
        for operands, result in listed
    ]
    if dtype == "df16":  # has no infinities but one non-number for all
        fixed = [(v, NAN if any(map(math.isinf, (*v, result))) else result) for v, result in fixed]
    count = len(fixed[0][0]) if fixed else 0
    nans = [(tuple(NAN if i == k else 1.0 for i in range(count)), NAN) for k in range(count)]
    return (*fixed, *nans)
