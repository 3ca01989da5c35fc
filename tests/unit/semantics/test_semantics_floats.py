"""Arithmetic, order, comparison and choice of floats, against exact rationals."""

from __future__ import annotations

import math
import operator
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from semantics_reference import FLOATS, array, bind, floats, from_bits, nearest, random_floats, same

from spyrelang.semantics import blocks, dtypes
from spyrelang.semantics.floats import PREDICATES

ARITH = {
    "arith.addf": operator.add,
    "arith.subf": operator.sub,
    "arith.mulf": operator.mul,
    "arith.divf": operator.truediv,
}


def exact_binary(op: str, a: float, b: float, dtype: str) -> float | None:
    """The correctly rounded result of finite operands; None where IEEE has special rules."""
    if not (math.isfinite(a) and math.isfinite(b)) or (op == "arith.divf" and b == 0):
        return None
    exact = ARITH[op](Fraction(a), Fraction(b))
    if exact == 0:
        return None
    return nearest(exact, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ARITH)
def test_arithmetic_is_correctly_rounded(op, dtype):
    a, b = random_floats(dtype, 700, 1), random_floats(dtype, 700, 2)
    got = bind(op, f"{dtype} {dtype}", dtype)(a, b)
    assert got.dtype == a.dtype
    for x, y, z in zip(floats(a), floats(b), floats(got), strict=True):
        want = exact_binary(op, x, y, dtype)
        assert want is None or same(z, want), (op, x, y, z, want)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(ARITH)), st.integers(0, 65535), st.integers(0, 65535))
def test_f16_arithmetic_at_any_bits(op, a, b):
    x, y = from_bits([a], "f16"), from_bits([b], "f16")
    (got,) = floats(bind(op, "f16 f16", "f16")(x, y))
    want = exact_binary(op, float(x[0]), float(y[0]), "f16")
    if want is None:  # special operands: Python's floats, guarded for division by zero
        with np.errstate(all="ignore"):
            want = float(np.float16(ARITH[op](np.float64(x[0]), np.float64(y[0]))))
    assert same(got, want)


@pytest.mark.parametrize("dtype", FLOATS)
def test_large_operands_take_the_same_values_as_small_ones(dtype):
    """Both sizes of operands that choose another way: bits are equal but for those of NaNs."""
    a, b = random_floats(dtype, 20_000, 3), random_floats(dtype, 20_000, 4)
    b[::7] = a[::7]
    kinds = f"{dtype} {dtype}"
    runs = [bind(op, kinds, dtype) for op in ARITH]
    runs += [
        bind(f"arith.{op}", kinds, dtype) for op in ("maximumf", "minimumf", "maxnumf", "minnumf")
    ]
    runs += [bind("arith.cmpf", kinds, "i1", predicate=p) for p in PREDICATES]
    for run in runs:
        got = run(a, b)
        pieces = [run(a[i : i + 500], b[i : i + 500]) for i in range(0, a.size, 500)]
        small = np.concatenate(pieces)
        with np.errstate(invalid="ignore"):
            nan = got != got
            np.testing.assert_array_equal(nan, small != small)
        np.testing.assert_array_equal(dtypes.to_bits(got)[~nan], dtypes.to_bits(small)[~nan])


@pytest.mark.parametrize("dtype", FLOATS)
def test_large_selections_keep_bits(dtype):
    a, b = random_floats(dtype, 30_000, 5), random_floats(dtype, 30_000, 6)
    cond = np.random.default_rng(7).integers(0, 2, a.size).astype(np.bool_)
    got = bind("arith.select", f"i1 {dtype} {dtype}", dtype)(cond, a, b)
    want = np.where(cond, dtypes.to_bits(a), dtypes.to_bits(b))
    np.testing.assert_array_equal(dtypes.to_bits(got), want)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["maximumf", "minimumf", "maxnumf", "minnumf"])
def test_extremes(op, dtype):
    a, b = random_floats(dtype, 3000, 5), random_floats(dtype, 3000, 6)
    got = bind(f"arith.{op}", f"{dtype} {dtype}", dtype)(a, b)
    pick = max if op.startswith("max") else min
    for x, y, z in zip(floats(a), floats(b), floats(got), strict=True):
        if math.isnan(x) or math.isnan(y):
            numbers = [v for v in (x, y) if not math.isnan(v)]
            want = numbers[0] if numbers and "num" in op else math.nan
        else:
            want = pick((x, y), key=lambda v: (v, math.copysign(1, v)))
        assert same(z, want), (op, x, y, z)


@pytest.mark.parametrize("dtype", FLOATS)
def test_extremes_of_zeros(dtype):
    plus, minus = array([0.0, -0.0, 0.0, -0.0], dtype), array([-0.0, 0.0, 0.0, -0.0], dtype)
    for op, negative in (("max", [0, 0, 0, 1]), ("min", [1, 1, 0, 1])):
        for kind in ("imumf", "numf"):
            got = bind(f"arith.{op}{kind}", f"{dtype} {dtype}", dtype)(plus, minus)
            np.testing.assert_array_equal(np.signbit(got.astype(np.float64)), negative)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("number", range(16))
def test_every_predicate(number, dtype):
    a, b = random_floats(dtype, 500, 7), random_floats(dtype, 500, 8)
    b[::5] = a[::5]
    got = bind("arith.cmpf", f"{dtype} {dtype}", "i1", predicate=number)(a, b)
    assert got.dtype == np.bool_
    name = PREDICATES[number]
    np.testing.assert_array_equal(
        got, bind("arith.cmpf", f"{dtype} {dtype}", "i1", predicate=name)(a, b)
    )
    for x, y, z in zip(floats(a), floats(b), got, strict=True):
        nan = math.isnan(x) or math.isnan(y)
        if name in ("true", "false"):
            want = name == "true"
        elif name in ("ord", "uno"):
            want = nan == (name == "uno")
        elif nan:
            want = name[0] == "u"
        else:
            want = getattr(operator, name[1:])(x, y)
        assert z == want, (name, x, y)


@pytest.mark.parametrize("dtype", FLOATS)
def test_negation_magnitude_and_sign_touch_only_the_sign_bit(dtype):
    x, y = random_floats(dtype, 300, 9), random_floats(dtype, 300, 10)
    bits, sign = dtypes.to_bits(x), 1 << dtypes.get(dtype).bits - 1
    neg = bind("arith.negf", dtype, dtype)(x)
    np.testing.assert_array_equal(dtypes.to_bits(neg), bits ^ sign)
    size = bind("math.absf", dtype, dtype)(x)
    np.testing.assert_array_equal(dtypes.to_bits(size), bits & (sign - 1))
    signed = bind("math.copysign", f"{dtype} {dtype}", dtype)(x, y)
    want = (bits & (sign - 1)) | (dtypes.to_bits(y) & sign)
    np.testing.assert_array_equal(dtypes.to_bits(signed), want)


@pytest.mark.parametrize("dtype", FLOATS)
def test_remainder_is_cs(dtype):
    a, b = random_floats(dtype, 200, 11), random_floats(dtype, 200, 12)
    got = bind("arith.remf", f"{dtype} {dtype}", dtype)(a, b)
    for x, y, z in zip(floats(a), floats(b), floats(got), strict=True):
        invalid = math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0
        assert same(z, math.nan if invalid else math.fmod(x, y))


@pytest.mark.parametrize("dtype", [*FLOATS, "i1", "i8", "i16", "i32", "i64", "index"])
def test_select_keeps_bits_and_broadcasts(dtype):
    rng = np.random.default_rng(13)
    kind = dtypes.get(dtype)
    a, b = (rng.integers(0, 2, (3, 1, 5)).astype(kind.numpy) for _ in range(2))
    if kind.is_float:
        a.flat[0], b.flat[1] = np.nan, -0.0
    cond = rng.integers(0, 2, (4, 5)).astype(np.bool_)
    got = bind("arith.select", f"i1 {dtype} {dtype}", dtype)(cond, a, b)
    want = np.where(cond, dtypes.to_bits(a), dtypes.to_bits(b))
    assert got.shape == (3, 4, 5)
    np.testing.assert_array_equal(dtypes.to_bits(got), want)


def test_no_warning_escapes_and_scalars_stay_arrays():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for dtype in FLOATS:
            top = array(dtypes.get(dtype).limits[1], dtype)
            for op in (*ARITH, "arith.remf", "arith.maximumf", "math.powf"):
                got = bind(op, f"{dtype} {dtype}", dtype)(top, array(0.0, dtype))
                assert isinstance(got, np.ndarray)
                assert got.shape == ()
                assert got.dtype == top.dtype
            bind("arith.mulf", f"{dtype} {dtype}", dtype)(top, top)
            bind("math.log", dtype, dtype)(array([-1.0, 0.0, np.inf], dtype))


@pytest.mark.parametrize(
    "shape", [(3, blocks.BLOCK + 7), (blocks.BLOCK // 2 + 1, 3), (2, 3, 40_000)]
)
def test_pieces_cover_broadcast_operands(shape):
    rng = np.random.default_rng(14)
    a = rng.standard_normal(shape).astype(np.float16)
    row = rng.standard_normal(shape[-1]).astype(np.float16)
    for left, right in ((a, row), (a[..., ::-1], a), (a, a)):
        got = bind("arith.maximumf", "f16 f16", "f16")(left, right)
        np.testing.assert_array_equal(got, np.maximum(left, right))


def test_empty_operands():
    empty = np.zeros((0, 4), np.float16)
    for op in ("arith.addf", "arith.maximumf"):
        assert bind(op, "f16 f16", "f16")(empty, empty).shape == (0, 4)
    assert bind("spyreop.exp", "f16", "f16")(empty).shape == (0, 4)
