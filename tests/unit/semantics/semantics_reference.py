"""Independent references: exact rationals and 50-digit decimals, rounded bit by bit in Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from spyrelang import semantics
from spyrelang.semantics import dtypes

# significant bits, exponent of the lowest bit of the smallest number, largest exponent
FORMATS = {
    "f16": (11, -24, 15),
    "bf16": (8, -133, 127),
    "f32": (24, -149, 127),
    "f64": (53, -1074, 1023),
}
FLOATS = tuple(FORMATS)
INTS = ("i1", "i8", "i16", "i32", "i64", "index")
CONTEXT = Context(prec=60)


def bind(op: str, ins: str, outs: str, **attrs: object) -> Callable[..., Any]:
    return semantics.lookup(op).bind(attrs, ins.split(), outs.split())


def array(values: Any, dtype: str) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.array(values).astype(dtypes.get(dtype).numpy)


def from_bits(codes: Any, dtype: str) -> np.ndarray:
    kind = dtypes.get(dtype)
    return np.array(codes, f"u{kind.bytes}").view(kind.numpy)


def random_floats(dtype: str, count: int, seed: int = 0) -> np.ndarray:
    """Every kind of float: random bits, so all exponents, NaNs and infinities, and plain ones."""
    rng = np.random.default_rng(seed)
    kind = dtypes.get(dtype)
    bits = rng.integers(0, 1 << kind.bits, count, dtype=np.uint64).astype(f"u{kind.bytes}")
    plain = rng.standard_normal(count).astype(kind.numpy)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0]).astype(kind.numpy)
    return rng.permutation(np.concatenate([bits.view(kind.numpy), plain, special]))


def floats(values: np.ndarray) -> list[float]:
    with np.errstate(invalid="ignore"):  # signalling NaNs
        return [float(v) for v in values.astype(np.float64).ravel()]


def nearest(exact: Fraction, dtype: str) -> float:
    """The value of the format nearest to `exact`, ties to even; 0.0 for zero."""
    precision, lowest, top = FORMATS[dtype]
    if exact == 0:
        return 0.0
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - precision + 1, lowest)
    steps = round(size / unit)  # Python rounds ties to even
    value = steps * unit
    result = math.inf if value >= Fraction(2) ** (top + 1) else float(value)
    return result if exact > 0 else -result


def same(got: Any, want: float, *, signed_zero: bool = True) -> bool:
    """Equal as floats, NaN to NaN, and zeros by sign."""
    got = float(got)
    if math.isnan(want):
        return math.isnan(got)
    if want == 0 and signed_zero:
        return got == 0 and math.copysign(1, got) == math.copysign(1, want)
    return got == want


# --- transcendental functions in decimals ---------------------------------------------------------


def _dec(x: float) -> Decimal:
    return Decimal(x)  # exact


def _exp(x: Decimal) -> Decimal:
    return x.exp(CONTEXT)


def _series(first: Decimal, ratio: Callable[[int, Decimal], Decimal]) -> Decimal:
    """A sum of terms, the next being ratio(k, term)."""
    total, term, k = first, first, 0
    while term and abs(term) > abs(total) * Decimal(10) ** -55:
        k += 1
        term = ratio(k, term)
        total = CONTEXT.add(total, term)
    return total


def _sin(x: Decimal) -> Decimal:
    return _series(x, lambda k, t: CONTEXT.divide(-t * x * x, Decimal(2 * k * (2 * k + 1))))


def _cos(x: Decimal) -> Decimal:
    return _series(
        Decimal(1), lambda k, t: CONTEXT.divide(-t * x * x, Decimal(2 * k * (2 * k - 1)))
    )


_PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


def _erf(x: Decimal) -> Decimal:
    """2/sqrt(pi) e^(-x^2) sum of 2^k x^(2k+1) / (2k+1)!!, all terms of one sign."""
    total = _series(x, lambda k, t: CONTEXT.divide(t * 2 * x * x, Decimal(2 * k + 1)))
    return CONTEXT.divide(2 * total * _exp(-x * x), _PI.sqrt(CONTEXT))


def _sigmoid(x: Decimal) -> Decimal:
    return CONTEXT.divide(Decimal(1), 1 + _exp(-x))


def _tanh(x: Decimal) -> Decimal:
    e = _exp(2 * x)
    return CONTEXT.divide(e - 1, e + 1)


def _gelu(x: Decimal) -> Decimal:
    """Right of -3.5, where 1 + erf keeps 50 digits."""
    return CONTEXT.multiply(x / 2, 1 + _erf(CONTEXT.divide(x, Decimal(2).sqrt(CONTEXT))))


_LN2 = Decimal(2).ln(CONTEXT)

DECIMAL: dict[str, Callable[[Decimal], Decimal]] = {
    "math.exp": _exp,
    "math.exp2": lambda x: _exp(CONTEXT.multiply(x, _LN2)),
    "math.expm1": lambda x: CONTEXT.subtract(_exp(x), Decimal(1)),
    "math.log": lambda x: x.ln(CONTEXT),
    "math.log2": lambda x: CONTEXT.divide(x.ln(CONTEXT), _LN2),
    "math.log10": lambda x: x.log10(CONTEXT),
    "math.log1p": lambda x: CONTEXT.add(x, Decimal(1)).ln(CONTEXT),
    "math.sqrt": lambda x: x.sqrt(CONTEXT),
    "math.rsqrt": lambda x: CONTEXT.divide(Decimal(1), x.sqrt(CONTEXT)),
    "math.sin": _sin,
    "math.cos": _cos,
    "math.tanh": _tanh,
    "math.erf": _erf,
    "spyreop.exp": _exp,
    "spyreop.sigmoid": _sigmoid,
    "spyreop.silu": lambda x: CONTEXT.multiply(x, _sigmoid(x)),
    "spyreop.gelu": _gelu,
    "spyreop.sqrt": lambda x: x.sqrt(CONTEXT),
    "spyreop.rsqrt": lambda x: CONTEXT.divide(Decimal(1), x.sqrt(CONTEXT)),
    "spyreop.reciprocal": lambda x: CONTEXT.divide(Decimal(1), x),
    "vectorchain.fast_exp": _exp,
    "vectorchain.sigmoid_estimate": _sigmoid,
    "vectorchain.tanh_estimate": _tanh,
    "vectorchain.ln_estimate": lambda x: x.ln(CONTEXT),
}
"""Exact functions, for arguments of moderate size inside the domain."""

POSITIVE = {"math.log", "math.log2", "math.log10", "math.log1p", "math.sqrt", "math.rsqrt"} | {
    "spyreop.sqrt",
    "spyreop.rsqrt",
    "vectorchain.ln_estimate",
}
"""Functions for positive arguments only."""


def exactly(op: str, x: float) -> Fraction:
    return Fraction(DECIMAL[op](_dec(x)))
