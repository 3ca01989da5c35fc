"""Conversions against exact rationals and Python's integers."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from semantics_reference import (
    FLOATS,
    FORMATS,
    INTS,
    array,
    bind,
    floats,
    from_bits,
    nearest,
    random_floats,
    same,
)

from spyrelang.errors import SpyreError
from spyrelang.semantics import dtypes

NARROWING = [(a, b) for a, b in itertools.permutations(FLOATS, 2) if FORMATS[a][0] > FORMATS[b][0]]


def cast_name(source: str, target: str) -> str:
    a, b = dtypes.get(source).bits, dtypes.get(target).bits
    return "truncf" if a > b else "extf" if a < b else "convertf"


@pytest.mark.parametrize(("source", "target"), list(itertools.permutations(FLOATS, 2)))
def test_between_floats(source, target):
    x = random_floats(source, 1500, 1)
    got = bind(f"arith.{cast_name(source, target)}", source, target)(x)
    assert got.dtype == dtypes.get(target).numpy
    for a, b in zip(floats(x), floats(got), strict=True):
        want = nearest(Fraction(a), target) if math.isfinite(a) and a else a
        assert same(b, want), (a, b, want)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(NARROWING), st.integers(0, (1 << 64) - 1), st.integers(-3, 3))
def test_near_ties(types, code, away):
    """Values on and right beside the middle between two neighbours of the target."""
    source, target = types
    kind = dtypes.get(target)
    low = from_bits([code & ((1 << kind.bits - 1) - 1)], target)
    high = from_bits([(code & ((1 << kind.bits - 1) - 1)) + 1], target)
    a, b = floats(low)[0], floats(high)[0]
    if not (math.isfinite(a) and math.isfinite(b)):
        return
    x = array([(a + b) / 2], source)
    for _ in range(abs(away)):
        x = np.nextafter(x, array([math.copysign(math.inf, away)], source))
    x = x * np.array(1 if code & 1 else -1, x.dtype)
    (got,) = floats(bind(f"arith.{cast_name(source, target)}", source, target)(x))
    value = float(x[0])
    want = nearest(Fraction(value), target) if math.isfinite(value) and value else value
    assert same(got, want)


def integers(dtype: str) -> np.ndarray:
    width = dtypes.get(dtype).bits
    rng = np.random.default_rng(2)
    edges = [(1 << k) + d for k in range(width) for d in (-1, 0, 1)]
    ties = [(1 << 62) + (1 << 54) + d for d in (-1, 0, 1)]
    some = [int(v) for v in rng.integers(0, 1 << 63, 200)]
    codes = [v & ((1 << width) - 1) for v in (*edges, *ties, *some, -1, -2)]
    if dtype == "i1":
        return np.array(codes, np.bool_)
    return np.array(codes, np.uint64).astype(f"u{width // 8}").view(dtypes.get(dtype).numpy)


def values(x: np.ndarray, dtype: str, signs: bool) -> list[int]:
    width = dtypes.get(dtype).bits
    codes = [int(v) & ((1 << width) - 1) for v in x]
    return [c - (1 << width) if signs and c >> width - 1 else c for c in codes]


@pytest.mark.parametrize(("source", "target"), list(itertools.product(INTS, FLOATS)))
@pytest.mark.parametrize("op", ["sitofp", "uitofp"])
def test_integers_to_floats_round_once(op, source, target):
    x = integers(source)
    got = bind(f"arith.{op}", source, target)(x)
    for v, g in zip(values(x, source, op == "sitofp"), floats(got), strict=True):
        assert same(g, nearest(Fraction(v), target)), (v, g)


@pytest.mark.parametrize(("source", "target"), list(itertools.product(FLOATS, INTS)))
@pytest.mark.parametrize("op", ["fptosi", "fptoui"])
def test_floats_to_integers_saturate(op, source, target):
    x = np.concatenate([random_floats(source, 200, 3), array([0.5, -0.99, 127.9, -128.9], source)])
    x = np.concatenate([x, array([2.0**k for k in range(66)], source)])
    width, signs = dtypes.get(target).bits, op == "fptosi"
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signs else (0, (1 << width) - 1)
    got = bind(f"arith.{op}", source, target)(x)
    for a, g in zip(floats(x), values(got, target, signs), strict=True):
        if math.isnan(a):
            want = 0
        elif math.isinf(a):
            want = high if a > 0 else low
        else:
            want = min(max(math.trunc(a), low), high)
        assert g == want, (a, g, want)


@pytest.mark.parametrize(("source", "target"), list(itertools.product(INTS, INTS)))
@pytest.mark.parametrize("op", ["index_cast", "index_castui"])
def test_between_integers(op, source, target):
    x = integers(source)
    got = values(bind(f"arith.{op}", source, target)(x), target, False)
    mask = (1 << dtypes.get(target).bits) - 1
    assert got == [v & mask for v in values(x, source, op == "index_cast")]
    a, b = dtypes.get(source).bits, dtypes.get(target).bits
    name = {"index_cast": "arith.extsi", "index_castui": "arith.extui"}[op]
    if a < b:
        assert values(bind(name, source, target)(x), target, False) == got
    if a > b:
        assert values(bind("arith.trunci", source, target)(x), target, False) == got


@pytest.mark.parametrize(("source", "target"), [("f16", "i16"), ("bf16", "f16"), ("i64", "f64")])
def test_bitcast_and_back(source, target):
    rng = np.random.default_rng(4)
    width = dtypes.get(source).bytes
    x = from_bits(rng.integers(0, 1 << 16, (3, 5)), source)
    got = bind("arith.bitcast", source, target)(x)
    np.testing.assert_array_equal(got.view(f"u{width}"), x.view(f"u{width}"))
    back = bind("arith.bitcast", target, source)(got)
    np.testing.assert_array_equal(back.view(f"u{width}"), x.view(f"u{width}"))


def test_constants():
    assert bind("arith.constant", "", "i8", value=255)() == -1
    assert bind("arith.constant", "", "i1", value=-1)().dtype == np.bool_
    assert bind("arith.constant", "", "f16", value=((1, 2), (3, 4)))().tolist() == [[1, 2], [3, 4]]
    minus, plus = (bind("arith.constant", "", "f32", value=v)() for v in (-0.0, 0.0))
    assert np.signbit(minus)
    assert not np.signbit(plus)
    assert bind("spyreop.constant", "", "f16", value=1 + 2.0**-11 + 2.0**-40)() == 1 + 2.0**-10
    first = bind("arith.constant", "", "f16", value=(1.0, 2.0))
    first()[0] = 7
    assert first().tolist() == [1, 2]
    assert bind("arith.constant", "", "index", value=(1 << 64) - 1)() == -1


@pytest.mark.parametrize(
    ("op", "ins", "outs", "attrs"),
    [
        ("arith.extf", "f32", "f16", {}),
        ("arith.extf", "f16", "bf16", {}),
        ("arith.truncf", "f16", "f32", {}),
        ("arith.extsi", "i32", "i16", {}),
        ("arith.trunci", "i16", "i32", {}),
        ("arith.bitcast", "f16", "f32", {}),
        ("arith.sitofp", "f16", "f32", {}),
        ("arith.fptosi", "i16", "i32", {}),
        ("arith.addi", "f16 f16", "f16", {}),
        ("arith.addi", "i16 i32", "i32", {}),
        ("arith.addf", "i16 i16", "i16", {}),
        ("arith.cmpf", "f16 f32", "i1", {"predicate": 1}),
        ("arith.cmpf", "f16 f16", "f16", {"predicate": 1}),
        ("arith.select", "i8 f16 f16", "f16", {}),
        ("arith.maximumf", "f16 f32", "f32", {}),
    ],
)
def test_types_that_do_not_fit(op, ins, outs, attrs):
    with pytest.raises(SpyreError) as caught:
        bind(op, ins, outs, **attrs)
    assert caught.value.code == "SPY582"
    assert op in caught.value.message


@pytest.mark.parametrize(
    ("op", "ins", "outs", "attrs"),
    [
        ("arith.truncf", "f32", "f16", {"roundingmode": 2}),
        ("arith.constant", "", "f16", {}),
        ("arith.constant", "", "i8", {"value": "many"}),
        ("arith.constant", "", "i8", {"value": math.inf}),
        ("arith.cmpi", "i8 i8", "i1", {"predicate": 10}),
        ("arith.cmpi", "i8 i8", "i1", {"predicate": "oeq"}),
        ("arith.cmpi", "i8 i8", "i1", {}),
    ],
)
def test_attributes_that_do_not_fit(op, ins, outs, attrs):
    with pytest.raises(SpyreError) as caught:
        bind(op, ins, outs, **attrs)
    assert caught.value.code == "SPY583"
