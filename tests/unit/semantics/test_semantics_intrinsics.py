"""spyreop: special values, parameters, comparisons, integers, layer norm."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest
from semantics_reference import array, bind, floats, random_floats, same

from spyrelang.errors import SpyreError
from spyrelang.semantics import names
from spyrelang.semantics.tolerance import specials

WITH_SPECIALS = [op for op in names() if specials(op, "f16")]


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("op", WITH_SPECIALS)
def test_the_results_that_must_be_met(op, dtype):
    for operands, want in specials(op, dtype):
        ins = " ".join([dtype] * len(operands))
        (got,) = floats(bind(op, ins, dtype)(*(array([v], dtype) for v in operands)))
        assert same(got, want), (op, operands, got, want)


def test_the_list_of_specials_covers_the_intrinsics():
    ops = {op for op in WITH_SPECIALS if op.startswith("spyreop.")}
    assert {f"spyreop.{n}" for n in ("exp", "gelu", "softplus", "rsqrt", "realdiv")} <= ops


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
def test_tails_and_subnormals(dtype):
    x = array([-20.0, -12.0, -9.0], dtype)
    sigmoid, silu, gelu = (
        floats(bind(f"spyreop.{n}", dtype, dtype)(x)) for n in ("sigmoid", "silu", "gelu")
    )
    for v, s, u, g in zip(floats(x), sigmoid, silu, gelu, strict=True):
        exact = math.exp(v) / (1 + math.exp(v))
        for got, want in ((s, exact), (u, v * exact), (g, v * math.erfc(-v / math.sqrt(2)) / 2)):
            assert got == pytest.approx(float(array(want, dtype)), rel=3e-7, abs=1e-44)
    tiny = array([2.0**-24, -(2.0**-24)] if dtype == "f16" else [1e-38, -1e-40], dtype)
    assert floats(bind("spyreop.exp", dtype, dtype)(tiny)) == [1, 1]
    assert floats(bind("spyreop.sigmoid", dtype, dtype)(tiny)) == [0.5, 0.5]


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
@pytest.mark.parametrize(("beta", "threshold"), [(1.0, 20.0), (2.0, 20.0), (0.5, 3.0), (-1.5, 2.0)])
def test_softplus(beta, threshold, dtype):
    x = array(np.linspace(-30, 30, 241), dtype)
    got = floats(bind("spyreop.softplus", dtype, dtype, beta=beta, threshold=threshold)(x))
    for v, g in zip(floats(x), got, strict=True):
        z = beta * v
        want = v if z > threshold else (max(z, 0) + math.log1p(math.exp(-abs(z)))) / beta
        assert g == pytest.approx(float(array(want, dtype)), rel=2e-7)


def test_softplus_parameters_are_f32_and_beta_is_not_zero():
    x = array([1.0], "f16")
    third = bind("spyreop.softplus", "f16", "f16", beta=1 / 3)(x)
    assert third == bind("spyreop.softplus", "f16", "f16", beta=float(np.float32(1 / 3)))(x)
    for beta in (0.0, -0.0, 1e-60):
        with pytest.raises(SpyreError, match="beta"):
            bind("spyreop.softplus", "f16", "f16", beta=beta)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
@pytest.mark.parametrize(
    ("number", "name", "relation"),
    [
        (0, "equal", operator.eq),
        (1, "notequal", operator.ne),
        (2, "greaterthan", operator.gt),
        (3, "greaterequal", operator.ge),
        (4, "lesserthan", operator.lt),
        (5, "lesserequal", operator.le),
    ],
)
def test_comparisons_are_ordered(number, name, relation, dtype):
    a, b = random_floats(dtype, 400, 1), random_floats(dtype, 400, 2)
    b[::4] = a[::4]
    got = bind("spyreop.compare", f"{dtype} {dtype}", dtype, predicate=name)(a, b)
    assert got.dtype == a.dtype
    by_number = bind("spyreop.compare", f"{dtype} {dtype}", dtype, predicate=number)(a, b)
    np.testing.assert_array_equal(got, by_number)
    for x, y, g in zip(floats(a), floats(b), floats(got), strict=True):
        nan = math.isnan(x) or math.isnan(y)
        assert g == (0.0 if nan else float(relation(x, y))), (name, x, y)


def test_select_on_zeros_and_nan():
    cond = array([0.0, -0.0, math.nan, 2.0**-24, -math.inf], "f16")
    got = bind("spyreop.select", "f16 f16 f16", "f16")(cond, array(1.0, "f16"), array(2.0, "f16"))
    assert got.tolist() == [2, 2, 1, 1, 1]


def test_integers_wrap():
    top = np.array([2**31 - 1], np.int32)
    assert bind("spyreop.addi32toi32", "i32 i32", "i32")(top, top) == -2
    assert bind("spyreop.muli32toi32", "i32 i32", "i32")(top, top) == 1
    wide = np.array([2**63 - 1])
    assert bind("spyreop.addi64toi64", "i64 i64", "i64")(wide, wide) == -2
    with pytest.raises(SpyreError, match="i32"):
        bind("spyreop.addi32toi32", "i64 i64", "i64")


def test_addresses_from_operands_or_attributes():
    index = np.array([0, 1, 3, 2**30], np.int32)
    fixed = bind("spyreop.idx32toaddr", "i32", "i32", base_address=0x1F00, stride=-4)(index)
    assert fixed.tolist() == [0x1F00, 0x1F00 - 4, 0x1F00 - 12, 0x1F00]
    high = bind("spyreop.idx32toaddr", "i32", "i32", base_address=0xFFFFFFFF, stride=1)(index)
    assert high.tolist() == [-1, 0, 2, 2**30 - 1]
    base, stride = np.array(0x1F00, np.int32), np.array(-4, np.int32)
    given = bind("spyreop.idx32toaddr", "i32 i32 i32", "i32")(index, base, stride)
    np.testing.assert_array_equal(given, fixed)
    with pytest.raises(SpyreError) as caught:
        bind("spyreop.idx32toaddr", "i32 i32", "i32")
    assert caught.value.code == "SPY582"
    with pytest.raises(SpyreError, match="stride"):
        bind("spyreop.idx32toaddr", "i32", "i32", base_address=1)


@pytest.mark.parametrize("dtype", ["f16", "f32"])
def test_moments_layer_norm_and_their_fused_forms(dtype):
    x = np.random.default_rng(3).standard_normal((5, 96)).astype(array(0, dtype).dtype)
    exact = x.astype(np.float64)
    m, q = bind("spyreop.exx2", dtype, f"{dtype} {dtype}", axes=(-1,))(x)
    np.testing.assert_array_equal(m, exact.mean(-1).astype(x.dtype))
    np.testing.assert_array_equal(q, (exact**2).mean(-1).astype(x.dtype))
    pair_type = {"f16": "fp16_fused", "f32": "fp32_fused"}[dtype]
    pair = bind("spyreop.exx2_fused", dtype, pair_type, axes=(1,))(x)
    np.testing.assert_array_equal(pair["mean"], m)
    np.testing.assert_array_equal(pair["squares"], q)
    rms = bind("spyreop.exx2_zeromean_fused", dtype, pair_type, axes=(1,))(x)
    assert not rms["mean"].any()
    np.testing.assert_array_equal(rms["squares"], q)
    scale = bind("spyreop.layernormscale", f"{dtype} {dtype}", dtype)(m, q)
    np.testing.assert_array_equal(
        bind("spyreop.layernormscale_fused", pair_type, dtype)(pair), scale
    )
    w, b = array(1.5, dtype), array(-0.25, dtype)
    norm = bind("spyreop.layernormnorm", " ".join([dtype] * 5), dtype)
    got = norm(x, m[:, None], scale[:, None], w, b)
    want = (exact - exact.mean(-1, keepdims=True)) / np.sqrt(exact.var(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(
        got.astype(np.float64), want * 1.5 - 0.25, atol=0.01 if dtype == "f16" else 1e-5
    )


def test_shares_of_one_element_sum_to_the_moments():
    x = array(np.arange(8), "f16")
    m, q = bind("spyreop.exx2", "f16", "f32 f32", count=8)(x)
    assert (m.sum(), q.sum()) == (3.5, 17.5)
    with pytest.raises(SpyreError, match="count"):
        bind("spyreop.exx2", "f16", "f32 f32", count=0)


def test_epsilon_shows_at_variance_zero():
    one = array([1.0], "f32")
    scale = bind("spyreop.layernormscale", "f32 f32", "f32")(one, one)
    assert scale[0] == np.float32(1 / math.sqrt(1e-5))
    other = bind("spyreop.layernormscale", "f32", "f32", epsilon=0.25)(array([0.0], "f32"))
    assert other[0] == 2


def test_scalar_parts_refuse_what_they_are_not_for():
    for op, ins, outs in (
        ("spyreop.exp", "i32", "i32"),
        ("spyreop.exx2_fused", "f16", "f16"),
        ("spyreop.layernormscale_fused", "f16", "f16"),
        ("spyreop.select", "f16 f32 f16", "f16"),
    ):
        with pytest.raises(SpyreError) as caught:
            bind(op, ins, outs)
        assert caught.value.code == "SPY582"
