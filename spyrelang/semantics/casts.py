"""Conversions: arith's casts, and `convert` between any two element types.

A float that does not fit the integer type goes to the nearest end of its range, a NaN to 0 (MLIR
leaves both undefined).
"""

# pyright: reportUnknownLambdaType=false
# (lambdas here are kernels: their parameters are arrays)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spyrelang.semantics import df16
from spyrelang.semantics.blocks import blocked
from spyrelang.semantics.dtypes import DType
from spyrelang.semantics.ints import pack, signed, unsigned
from spyrelang.semantics.op import Array, Kernel, Site, register
from spyrelang.semantics.rounding import from_f64, from_integers, to_f64


def convert(source: DType, target: DType, *, signs: bool = True) -> Kernel:
    """From `source` to `target`, rounded once; `signs` says how integers are read."""
    if source == target:
        return lambda x: x
    if source.is_int and target.is_int:
        return _resize(target, signs)
    if source.is_int:
        return _to_float(target, signs)
    if target.is_int:
        return blocked(_to_integer(target, signs), target.numpy)
    return _to_other_float(source, target)


def _resize(target: DType, signs: bool) -> Kernel:
    view = signed if signs else unsigned
    return lambda x: pack(view(x), target)


def _to_float(target: DType, signs: bool) -> Kernel:
    view, most = (signed, np.int64) if signs else (unsigned, np.uint64)
    return lambda x: from_integers(view(x).astype(most, copy=False), target)


def _to_other_float(source: DType, target: DType) -> Kernel:
    if source.is_df16 or target.is_df16:
        return _with_df16(source, target)
    if source.name == "f64" and target.name == "bf16":
        return blocked(lambda x: from_f64(x, target), target.numpy)
    if {source.name, target.name} == {"f16", "bf16"}:  # f32 holds both
        return lambda x: x.astype(np.float32).astype(target.numpy)
    return lambda x: x.astype(target.numpy)


def _with_df16(source: DType, target: DType) -> Kernel:
    """From or to DLFloat16. f32 holds its values, and those of f16 and bf16."""
    if source.name == "f16":
        return df16.from_f16
    if target.name == "f16":
        return df16.to_f16
    if target.is_df16:
        wide = np.float64 if source.name == "f64" else np.float32
        return blocked(lambda x: df16.encode(x.astype(wide, copy=False)), target.numpy)
    return lambda x: df16.decode(x).astype(target.numpy, copy=False)


def _to_integer(target: DType, signs: bool) -> Callable[[Array], Array]:
    bits = target.bits
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signs else (0, (1 << bits) - 1)
    most: Any = np.int64 if signs else np.uint64

    def kernel(x: Array) -> Array:
        whole = np.trunc(to_f64(x))
        over, under = whole >= float(high) + 1, whole < float(low)
        inside = np.where(over | under | np.isnan(whole), 0.0, whole).astype(most)
        ends = np.where(over, most(high), most(low))
        return pack(np.where(over | under, ends, inside), target)

    return kernel


# --- arith ---------------------------------------------------------------------------------------


def _cast(
    fits: Callable[[DType, DType], bool], signs: bool, reason: str
) -> Callable[[Site], Kernel]:
    def build(site: Site) -> Kernel:
        if not fits(site.ins[0], site.out):
            raise site.refuse(reason)
        _check_rounding(site)
        return convert(site.ins[0], site.out, signs=signs)

    return build


def _check_rounding(site: Site) -> None:
    """Of MLIR's rounding modes only the first, to nearest with ties to even, is defined."""
    mode = site.attrs.get("roundingmode")
    if mode not in (None, 0, "to_nearest_even"):
        raise site.bad("roundingmode", "can only be to_nearest_even")


def _bitcast(site: Site) -> Kernel:
    source, target = site.ins[0], site.out
    if source.bits != target.bits or source.is_pair or target.is_pair:
        raise site.refuse("both types must have one width")
    return lambda x: x.view(target.numpy)


def constant(value: object, site: Site, dtype: DType) -> Array:
    """A number, or nested tuples of numbers, as an array of `dtype`, rounded or wrapped once."""
    try:
        numbers = np.asarray(value, object)
        if dtype.is_float:
            return from_f64(numbers.astype(np.float64), dtype)
        wrapped = np.vectorize(lambda v: int(v) & ((1 << dtype.bits) - 1), otypes=[np.uint64])
        return pack(wrapped(numbers), dtype)
    except (TypeError, ValueError, OverflowError) as err:
        raise site.bad("value", f"is not a constant of type {dtype}") from err


def build_constant(site: Site) -> Kernel:
    """The attribute `value`, as a fresh array at each call."""
    if site.out.is_pair:
        raise site.refuse("a pair has no constants")
    if "value" not in site.attrs:
        raise site.bad("value", "is required")
    made = constant(site.attrs["value"], site, site.out)
    return lambda: made.copy()


def _integers(a: DType, b: DType) -> bool:
    return a.is_int and b.is_int


def _floats(a: DType, b: DType) -> bool:
    return a.is_float and b.is_float


def _from_integer(a: DType, b: DType) -> bool:
    return a.is_int and b.is_float


def _to_integers(a: DType, b: DType) -> bool:
    return a.is_float and b.is_int


_Fits = Callable[[DType, DType], bool]
_CASTS: tuple[tuple[str, _Fits, bool, str], ...] = (
    ("extf", lambda a, b: _floats(a, b) and a.bits < b.bits, True, "to a wider float"),
    ("truncf", lambda a, b: _floats(a, b) and a.bits > b.bits, True, "to a narrower float"),
    ("convertf", lambda a, b: _floats(a, b) and a.bits == b.bits, True, "floats of one width"),
    ("extsi", lambda a, b: _integers(a, b) and a.bits < b.bits, True, "to a wider integer"),
    ("extui", lambda a, b: _integers(a, b) and a.bits < b.bits, False, "to a wider integer"),
    ("trunci", lambda a, b: _integers(a, b) and a.bits > b.bits, True, "to a narrower integer"),
    ("index_cast", _integers, True, "between integers"),
    ("index_castui", _integers, False, "between integers"),
    ("sitofp", _from_integer, True, "from an integer to a float"),
    ("uitofp", _from_integer, False, "from an integer to a float"),
    ("fptosi", _to_integers, True, "from a float to an integer"),
    ("fptoui", _to_integers, False, "from a float to an integer"),
)
for _name, _fits, _signs, _reason in _CASTS:
    register(f"arith.{_name}", 1, _cast(_fits, _signs, f"it converts {_reason}"))
register("arith.bitcast", 1, _bitcast)
# arith has no conversions of df16, whose type MLIR does not take for a float
register(
    "builtin.unrealized_conversion_cast",
    1,
    _cast(
        lambda a, b: _floats(a, b) and (a.is_df16 or b.is_df16),
        True,
        "here, only floats from or to df16 are converted so",
    ),
)
register("arith.constant", 0, build_constant)
