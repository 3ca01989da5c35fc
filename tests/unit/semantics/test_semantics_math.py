"""Functions against 50-digit decimals: correctly rounded at 16 bits, within 1 ulp at f32."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from semantics_reference import (
    DECIMAL,
    FLOATS,
    FORMATS,
    POSITIVE,
    array,
    bind,
    exactly,
    floats,
    from_bits,
    nearest,
    random_floats,
    same,
)

from spyrelang.semantics import dtypes, erf
from spyrelang.semantics.tolerance import ulp_distance


def arguments(op: str, dtype: str, count: int) -> np.ndarray:
    """Arguments of sizes from 2^-12 to about 16 (3 for gelu's left side, where decimals cancel)."""
    rng = np.random.default_rng(len(op))
    x = rng.standard_normal(count) * np.exp2(rng.uniform(-12, 2.5, count))
    x = np.abs(x) if op in POSITIVE else x
    if op == "spyreop.gelu":
        x = np.maximum(x, -3.5)
    x = array(x, dtype)
    return x[x != 0]


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("op", sorted(DECIMAL))
def test_16_bit_results_are_correctly_rounded(op, dtype):
    x = arguments(op, dtype, 250)
    for a, got in zip(floats(x), floats(bind(op, dtype, dtype)(x)), strict=True):
        assert same(got, nearest(exactly(op, a), dtype)), (op, a, got)


@pytest.mark.parametrize("op", sorted(DECIMAL))
def test_f32_results_are_within_an_ulp(op):
    x = arguments(op, "f32", 250)
    got = bind(op, "f32", "f32")(x)
    want = array([nearest(exactly(op, a), "f64") for a in floats(x)], "f64")
    assert ulp_distance(got, want, "f32").max() < 0.51


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("name", ["erf", "erfc", "exp", "sin", "log1p", "tanh", "cosh", "atan"])
def test_wider_types_follow_the_c_library(name, dtype):
    x = np.abs(random_floats(dtype, 50, 1))
    x = np.concatenate([x[np.isfinite(x) & (x < 80)], array(np.linspace(0, 30, 400), dtype)])
    got = floats(bind(f"math.{name}", dtype, dtype)(x))
    for a, g in zip(floats(x), got, strict=True):
        want = getattr(math, name)(a)
        step = 4 * 2.0 ** -FORMATS[dtype][0]
        assert math.isclose(g, want, rel_tol=step, abs_tol=1e-44 if dtype == "f32" else 0), (a, g)


def test_the_fast_error_function_on_both_sides_of_its_seams():
    x = np.concatenate([np.linspace(-12, 12, 4001), [0.5, -0.5, 11.0, 11.1, 0.0]])
    exact = np.array([math.erf(v) for v in x])
    np.testing.assert_allclose(erf.erf_fast(x), exact, rtol=1e-13)
    inside = x < 10.9
    exact = np.array([math.erfc(v) for v in x[inside]])
    np.testing.assert_allclose(erf.erfc_fast(x[inside]), exact, rtol=1e-12)
    edge = erf.erfc_fast(np.array([np.inf, -np.inf, np.nan, 12.0]))
    np.testing.assert_array_equal(edge, [0.0, 2.0, np.nan, 0.0])


@pytest.mark.parametrize("dtype", FLOATS)
def test_roundings_to_whole_numbers(dtype):
    halves = array([k / 2 for k in range(-9, 10)] + [0.49999, 0.3, -0.3, -0.0], dtype)
    below = np.nextafter(array([0.5, -0.5], dtype), array([0.0, 0.0], dtype))
    x = np.concatenate([random_floats(dtype, 300, 2), halves, below])
    rules = {
        "floor": math.floor,
        "ceil": math.ceil,
        "trunc": math.trunc,
        "roundeven": round,
        "round": lambda v: int(math.copysign(math.floor(Fraction(abs(v)) + Fraction(1, 2)), v)),
    }
    for op, rule in rules.items():
        for a, g in zip(floats(x), floats(bind(f"math.{op}", dtype, dtype)(x)), strict=True):
            want = math.copysign(float(rule(a)), a) if math.isfinite(a) else a
            assert same(g, want), (op, a, g)


@pytest.mark.parametrize("dtype", FLOATS)
def test_fused_multiply_add_rounds_once(dtype):
    a, b, c = (random_floats(dtype, 400, seed) for seed in (3, 4, 5))
    with np.errstate(all="ignore"):
        c[::3] = -(a[::3] * b[::3])  # cancel: only the rounding error of the product is left
        plain = [float(v) for v in (a.astype("f8") * b.astype("f8") + c.astype("f8"))]
    got = floats(bind("math.fma", f"{dtype} {dtype} {dtype}", dtype)(a, b, c))
    for x, y, z, g, p in zip(floats(a), floats(b), floats(c), got, plain, strict=True):
        if all(map(math.isfinite, (x, y, z))):
            exact = Fraction(x) * Fraction(y) + Fraction(z)
            assert same(g, nearest(exact, dtype), signed_zero=exact != 0), (x, y, z, g)
        else:
            assert same(g, p)


def test_fused_multiply_add_of_f32_where_two_roundings_go_wrong():
    """a b + c lies just above the middle between two f32, by less than f64 can hold."""
    a = array([1 + 2.0**-23], "f32")
    c = array([2.0**-24 * (1 - 2.0**-23)], "f32")
    b = array([1.0], "f32")
    tiny = array([2.0**-100], "f32")
    fma = bind("math.fma", "f32 f32 f32", "f32")
    assert fma(tiny, tiny, array([1.0], "f32"))[0] == 1
    for x, y, z in ((a, b, c), (array([2.0**30], "f32"), array([1 + 2.0**-23], "f32"), tiny)):
        exact = Fraction(float(x[0])) * Fraction(float(y[0])) + Fraction(float(z[0]))
        assert float(fma(x, y, z)[0]) == nearest(exact, "f32")
    middle = Fraction(1) + Fraction(1, 2**24)  # between 1 and its successor
    p = Fraction(float(array([1 + 2.0**-12], "f32")[0])) ** 2
    rest = array([float(middle - p)], "f32")
    root = array([1 + 2.0**-12], "f32")
    exact = p + Fraction(float(rest[0]))
    assert float(fma(root, root, rest)[0]) == nearest(exact, "f32")


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_powers_with_exact_results(dtype):
    x = array([1.5, 2.0, 0.5, 3.0, 1.25, -1.5, -2.0], dtype)
    power = bind("math.powf", f"{dtype} {dtype}", dtype)
    for n in (2.0, 3.0, -1.0, -2.0, 0.0):
        got = floats(power(x, array(n, dtype)))
        whole = floats(bind("math.fpowi", f"{dtype} i32", dtype)(x, np.array(int(n), np.int32)))
        for a, g, w in zip(floats(x), got, whole, strict=True):
            want = nearest(Fraction(a) ** int(n), dtype)
            assert g == w == want, (a, n)
    assert math.isnan(floats(power(x[-1:], array(0.5, dtype)))[0])


def test_several_operands_and_results():
    x, y = array([1.0, -1.0, 0.0, 0.0], "f32"), array([1.0, -1.0, -0.0, 0.0], "f32")
    np.testing.assert_allclose(
        bind("math.atan2", "f32 f32", "f32")(x, y), np.arctan2(x, y), rtol=1e-7
    )
    sin, cos = bind("math.sincos", "f16", "f16 f16")(array([0.5, 1.0], "f16"))
    np.testing.assert_array_equal(sin, bind("math.sin", "f16", "f16")(array([0.5, 1.0], "f16")))
    np.testing.assert_array_equal(cos, bind("math.cos", "f16", "f16")(array([0.5, 1.0], "f16")))
    clamp = bind("math.clampf", "f16 f16 f16", "f16")
    low, high = array(-1.0, "f16"), array(2.0, "f16")
    got = clamp(array([-5, -1, 0.5, 3, np.nan, np.inf], "f16"), low, high)
    np.testing.assert_array_equal(got, array([-1, -1, 0.5, 2, np.nan, 2], "f16"))


@pytest.mark.parametrize("dtype", FLOATS)
def test_classes_of_floats(dtype):
    x = np.concatenate([random_floats(dtype, 400, 6), from_bits([1, 2], dtype)])
    smallest = 2.0 ** (FORMATS[dtype][1] + FORMATS[dtype][0] - 1)
    rules = {
        "isnan": math.isnan,
        "isinf": math.isinf,
        "isfinite": math.isfinite,
        "isnormal": lambda v: math.isfinite(v) and abs(v) >= smallest,
    }
    for op, rule in rules.items():
        got = bind(f"math.{op}", dtype, "i1")(x)
        assert got.tolist() == [rule(v) for v in floats(x)], op


def test_results_may_be_wider_or_narrower():
    x = array([0.5, 1.0, 2.0], "f16")
    wide = bind("math.exp", "f16", "f32")(x)
    np.testing.assert_array_equal(wide, np.exp(x.astype("f8")).astype("f4"))
    narrow = bind("math.exp", "f32", "bf16")(array([0.5, 1.0], "f32"))
    assert floats(narrow) == [nearest(exactly("math.exp", v), "bf16") for v in (0.5, 1.0)]
    assert narrow.dtype == dtypes.BF16
