"""Distances in ulp, tolerances of compiled paths, sums."""

from __future__ import annotations

import math

import numpy as np
import pytest
from semantics_reference import FLOATS, array, bind, from_bits, random_floats

from spyrelang.errors import SpyreError
from spyrelang.semantics import dtypes
from spyrelang.semantics.tolerance import (
    Tolerance,
    specials,
    sum_tolerance,
    tolerance,
    ulp_distance,
)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
def test_distance_counts_steps(dtype):
    kind = dtypes.get(dtype)
    x = random_floats(dtype, 500, 1)
    with np.errstate(invalid="ignore"):
        x = x[np.isfinite(x)]
    assert not ulp_distance(x, x, dtype).any()
    up = array(np.full(x.shape, np.inf), dtype)
    moved = x
    for steps in (1, 2, 3):
        moved = np.nextafter(moved, up)
        inside = np.isfinite(moved.astype(np.float64))
        assert (ulp_distance(moved, x, dtype)[inside] == steps).all()
        assert (ulp_distance(x, moved, dtype)[inside] == steps).all()
    zeros = ulp_distance(array([0.0, 0.0], dtype), array([-0.0, 0.0], dtype), dtype)
    assert zeros.tolist() == [0, 0]
    tiny = from_bits([1, 1 | 1 << kind.bits - 1], dtype)
    assert ulp_distance(tiny[:1], tiny[1:], dtype) == 2
    top = array(kind.limits[1], dtype)
    assert ulp_distance(top, array(math.inf, dtype), dtype) == 1


@pytest.mark.parametrize("dtype", FLOATS)
def test_distance_and_nan(dtype):
    nan, one = array(math.nan, dtype), array(1.0, dtype)
    assert ulp_distance(nan, nan, dtype) == 0
    assert ulp_distance(nan, one, dtype) == math.inf
    assert ulp_distance(one, nan, dtype) == math.inf


def test_distance_to_an_exact_value_is_a_fraction():
    got = array([1.0, 1.0, 2.0**-24, 65504, math.inf, math.inf, 0.0], "f16")
    want = np.array([1 + 2.0**-12, 1 - 2.0**-12, 2.0**-25, 65520, 65520, math.inf, 2.0**-26])
    assert ulp_distance(got, want, "f16").tolist() == [0.25, 0.5, 0.5, 0.5, 0.5, 0, 0.25]
    assert ulp_distance(array([1.0], "f16"), np.array([math.nan]), "f16") == math.inf


def test_distance_of_integers():
    assert ulp_distance(np.array([3, -2]), np.array([5, 2]), "i64").tolist() == [2, 4]


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_16_bit_intrinsics_are_within_one_step(dtype):
    for op in ("spyreop.exp", "spyreop.gelu", "spyreop.softplus", "spyreop.realdiv", "math.tanh"):
        assert tolerance(op, dtype).ulp == 1
    assert tolerance("arith.addf", dtype).ulp == 0
    assert tolerance("spyreop.compare", dtype).ulp == 0
    assert (tolerance("spyreop.exp", dtype).absolute == 0) == (dtype == "f16")


def test_f32_counts_roundings_and_chains_add_up():
    assert tolerance("spyreop.realdiv", "f32").ulp == 2
    assert tolerance(["spyreop.exp"], "f32") == tolerance("spyreop.exp", "f32")
    chain = tolerance(["spyreop.sigmoid", "arith.mulf", "arith.addf"], "f32")
    assert chain.ulp == 5
    assert chain.absolute == 2.0**-126
    assert tolerance(["arith.addf", "arith.mulf"], "f16").ulp == 2
    with pytest.raises(SpyreError):
        tolerance("spyreop.expp", "f16")
    with pytest.raises(SpyreError):
        tolerance("spyreop.exp", "f12")


def test_f32_expansions_stay_inside_their_tolerances():
    """The expansions that the derivations name, each step rounded to f32."""
    rng = np.random.default_rng(2)
    x = (rng.standard_normal(20_000) * 8).astype(np.float32)
    size = np.abs(x) + np.float32(1e-3)
    one = np.float32(1)

    def run(op, *operands):
        return bind(op, " ".join(["f32"] * len(operands)), "f32")(*operands)

    rec, exp = (lambda v: run("spyreop.reciprocal", v)), (lambda v: run("spyreop.exp", v))
    sigmoid = rec(one + exp(-x))
    half_log2 = run("math.exp", (x * np.float32(math.log(2))))
    paths = {
        "spyreop.sigmoid": (sigmoid, (x,)),
        "spyreop.silu": (x * sigmoid, (x,)),
        "spyreop.realdiv": (x * rec(size), (x, size)),
        "spyreop.sqrt": (size * run("spyreop.rsqrt", size), (size,)),
        "math.exp2": (half_log2, (x,)),
        "math.log2": (run("math.log", size) * np.float32(1 / math.log(2)), (size,)),
    }
    for op, (got, operands) in paths.items():
        accepted = tolerance(op, "f32").accepts(got, run(op, *operands), "f32")
        assert accepted.all(), op
    assert not Tolerance(0).accepts(paths["math.exp2"][0], run("math.exp2", x), "f32").all()


def test_an_f32_interior_meets_one_step_at_16_bits():
    for dtype in ("f16", "bf16"):
        x = random_floats(dtype, 4000, 3)
        wide = x.astype(np.float32)
        with np.errstate(all="ignore"):
            inner = bind("spyreop.reciprocal", "f32", "f32")(1 + np.exp(-wide))
        got = bind("arith.truncf", "f32", dtype)(inner)
        want = bind("spyreop.sigmoid", dtype, dtype)(x)
        assert tolerance("spyreop.sigmoid", dtype).accepts(got, want, dtype).all()


def test_absolute_part_takes_flushed_subnormals():
    rule = tolerance("spyreop.exp", "f32")
    tiny, zero = array([1e-40], "f32"), array([0.0], "f32")
    assert rule.accepts(zero, tiny, "f32").all()
    assert not rule.accepts(zero, array([2e-38], "f32"), "f32").any()
    assert not rule.accepts(array([math.nan], "f32"), tiny, "f32").any()
    assert rule.accepts(array([math.nan], "f32"), array([math.nan], "f32"), "f32").all()


def test_sums():
    assert sum_tolerance(1, "f16") == 0
    x = np.random.default_rng(4).standard_normal(1000).astype(np.float32)
    total = np.float32(0)
    for v in x:
        total += v
    bound = sum_tolerance(x.size, "f32") * np.abs(x.astype(np.float64)).sum()
    assert abs(float(total) - math.fsum(x)) <= bound
    assert sum_tolerance(10**6, "f16") == math.inf


def test_specials_have_a_nan_for_each_operand():
    assert specials("arith.addi", "i32") == ()
    listed = specials("spyreop.realdiv", "f16")
    assert ((65504.0, 0.5), math.inf) in listed
    assert sum(math.isnan(a) and b == 1 for (a, b), _ in listed) == 1
    assert sum(math.isnan(b) and a == 1 for (a, b), _ in listed) == 1
