"""vectorchain's lane-wise ops: operators, masks, comparisons, casts, estimates."""

from __future__ import annotations

import math
import operator
from fractions import Fraction

import numpy as np
import pytest
from semantics_reference import array, bind, floats, from_bits, nearest, random_floats, same

from spyrelang import semantics
from spyrelang.errors import SpyreError
from spyrelang.semantics import dtypes
from spyrelang.semantics.vectorchain import BINARY

LANES = 64


def vectors(dtype: str, seed: int, batch: tuple[int, ...] = (3,)) -> np.ndarray:
    kind = dtypes.get(dtype)
    rng = np.random.default_rng(seed)
    if kind.is_float:
        return rng.choice(random_floats(dtype, 200, seed), (*batch, LANES))
    if dtype == "i1":
        return rng.integers(0, 2, (*batch, LANES)).astype(np.bool_)
    codes = rng.integers(0, 1 << kind.bits, (*batch, LANES), dtype=np.uint64)
    return codes.astype(f"u{kind.bytes}").view(kind.numpy)


def equal(a: np.ndarray, b: np.ndarray) -> None:
    """Same numbers, same signs of zeros, NaN where NaN."""
    assert a.dtype == b.dtype
    with np.errstate(invalid="ignore"):
        x, y = a.astype(np.float64), b.astype(np.float64)
    np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(np.signbit(x[~np.isnan(x)]), np.signbit(y[~np.isnan(y)]))


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
@pytest.mark.parametrize(
    ("operator_", "arith"),
    [("add", "addf"), ("sub", "subf"), ("mul", "mulf"), ("max", "maximumf"), ("min", "minimumf")],
)
def test_float_operators_are_ariths(operator_, arith, dtype):
    a, b = vectors(dtype, 1), vectors(dtype, 2)
    kinds = f"{dtype} {dtype}"
    equal(
        bind(f"vectorchain.binary.{operator_}", kinds, dtype)(a, b),
        bind(f"arith.{arith}", kinds, dtype)(a, b),
    )


@pytest.mark.parametrize("dtype", ["i1", "i8", "i16", "i32", "i64"])
@pytest.mark.parametrize(
    ("operator_", "arith"),
    [
        ("add", "addi"),
        ("sub", "subi"),
        ("mul", "muli"),
        ("max", "maxsi"),
        ("min", "minsi"),
        ("and0", "andi"),
        ("or0", "ori"),
    ],
)
def test_integer_operators_are_ariths(operator_, arith, dtype):
    a, b = vectors(dtype, 3), vectors(dtype, 4)
    kinds = f"{dtype} {dtype}"
    np.testing.assert_array_equal(
        bind(f"vectorchain.binary.{operator_}", kinds, dtype)(a, b),
        bind(f"arith.{arith}", kinds, dtype)(a, b),
    )


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "i8", "i64", "i1"])
def test_bitwise_operators_work_on_raw_bits(dtype):
    a, b = vectors(dtype, 5), vectors(dtype, 6)
    x, y = dtypes.to_bits(a), dtypes.to_bits(b)
    ones = 1 if dtype == "i1" else (1 << dtypes.get(dtype).bits) - 1
    rules = {"and0": x & y, "or0": x | y, "xnor": (x ^ y) ^ ones, "and_not": x & (y ^ ones)}
    for name, want in rules.items():
        got = bind(f"vectorchain.binary.{name}", f"{dtype} {dtype}", dtype)(a, b)
        assert got.dtype == a.dtype
        np.testing.assert_array_equal(dtypes.to_bits(got), want)


def test_bitwise_operators_take_a_mask_of_bits_as_integers():
    a = array([-1.5, 2.0], "f16")
    rest = np.array([0x7FFF, 0x7FFF], np.int16)
    got = bind("vectorchain.binary.and0", "f16 i16", "f16")(a, rest)
    assert got.tolist() == [1.5, 2]
    with pytest.raises(SpyreError, match="width"):
        bind("vectorchain.binary.and0", "f16 i8", "f16")


def test_magnitudes():
    a = array([-3.0, 2.0, -0.0, math.nan, 1.0], "f16")
    b = array([1.0, -5.0, 0.0, 1.0, -math.inf], "f16")
    largest = bind("vectorchain.binary.abs_max", "f16 f16", "f16")(a, b)
    least = bind("vectorchain.binary.abs_min", "f16 f16", "f16")(a, b)
    np.testing.assert_array_equal(largest, array([3, 5, 0, math.nan, math.inf], "f16"))
    np.testing.assert_array_equal(least, array([1, 2, 0, math.nan, 1], "f16"))
    assert not np.signbit(largest[2])
    i, j = np.array([-3, 2], np.int8), np.array([1, -5], np.int8)
    assert bind("vectorchain.binary.abs_max", "i8 i8", "i8")(i, j).tolist() == [3, 5]


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
def test_half_products_round_once(dtype):
    a, b = random_floats(dtype, 300, 7), random_floats(dtype, 300, 8)
    got = bind("vectorchain.binary.mul_div2", f"{dtype} {dtype}", dtype)(a, b)
    for x, y, g in zip(floats(a), floats(b), floats(got), strict=True):
        if math.isfinite(x) and math.isfinite(y):
            exact = Fraction(x) * Fraction(y) / 2
            assert same(g, nearest(exact, dtype), signed_zero=exact != 0)
    top = np.array([127, -128, -1], np.int8)  # 127 * 127 >> 1 is 0x1F80
    assert bind("vectorchain.binary.mul_div2", "i8 i8", "i8")(top, top).tolist() == [-128, 0, 0]


def test_types_may_differ_and_round_once():
    a, b = array([2048.0, 1.0], "f16"), array([1.0, 2.0**-12], "f16")
    wide = bind("vectorchain.binary.add", "f16 f16", "f32")(a, b)
    assert wide.dtype == np.float32
    assert wide.tolist() == [2049, 1 + 2.0**-12]
    mixed = bind("vectorchain.binary.mul", "f32 f16", "bf16")(
        array([1 / 3], "f32"), array([3.0], "f16")
    )
    assert floats(mixed) == [1.0]
    assert floats(
        bind("vectorchain.binary.max", "f16 f32", "f32")(a, array([1.0, 2.0], "f32"))
    ) == [2048, 2]
    with pytest.raises(SpyreError, match="mix"):
        bind("vectorchain.binary.add", "f16 i16", "f16")


def test_only_the_identity_is_known_as_op_specific_map():
    attrs = {"op_specific_map": "affine_map<(d0) -> (d0)>", "dbgName": "a"}
    bind("vectorchain.binary.add", "f16 f16", "f16", **attrs)
    for text in ("affine_map<(d0) -> (d0 floordiv 2)>", "affine_map<(d0, d1) -> (d0)>", 3):
        with pytest.raises(SpyreError) as caught:
            bind("vectorchain.binary.add", "f16 f16", "f16", op_specific_map=text)
        assert caught.value.code == "SPY583"


@pytest.mark.parametrize("name", BINARY)
def test_masked_lanes_keep_the_first_operand(name):
    for dtype in ("f16", "i32"):
        a, b = vectors(dtype, 9), vectors(dtype, 10)
        mask = np.random.default_rng(11).integers(0, 2, LANES).astype(np.bool_)
        kinds = f"{dtype} {dtype}"
        plain = bind(f"vectorchain.binary.{name}", kinds, dtype)(a, b)
        got = bind(f"vectorchain.binary.{name}", f"{kinds} i1", dtype)(a, b, mask)
        equal(got[:, mask], plain[:, mask])
        np.testing.assert_array_equal(dtypes.to_bits(got[:, ~mask]), dtypes.to_bits(a[:, ~mask]))


def test_masks_elsewhere():
    a, b = array(np.arange(1, 5), "f16"), array([5, 6, 7, 8], "f16")
    mask = np.array([1, 0, 0, 1], np.bool_)

    def run(op, ins, outs, *operands):
        return bind(f"vectorchain.{op}", f"{ins} i1", outs)(*operands, mask).tolist()

    assert run("neg", "f16", "f16", a) == [-1, 2, 3, -4]
    assert run("cast", "f16", "f32", a) == [1, 0, 0, 4]
    assert run("element_wise_compare.compare_lt", "f16 f16", "i1", a, b) == [1, 0, 0, 1]
    assert run("multiply_and_accumulate", "f16 f16 f32", "f32", a, b, array([1] * 4, "f32")) == [
        6,
        1,
        1,
        33,
    ]
    cond = np.array([1, 1, 0, 0], np.bool_)
    assert run("element_wise_selection", "i1 f16 f16", "f16", cond, a, b) == [1, 6, 7, 8]
    with pytest.raises(SpyreError, match="mask"):
        bind("vectorchain.neg", "f16 i8", "f16")


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "i8", "i64", "i1"])
@pytest.mark.parametrize(
    ("name", "relation"),
    [
        ("eq", operator.eq),
        ("neq", operator.ne),
        ("lt", operator.lt),
        ("le", operator.le),
        ("gt", operator.gt),
        ("ge", operator.ge),
    ],
)
def test_comparisons(name, relation, dtype):
    a, b = vectors(dtype, 12), vectors(dtype, 13)
    b[:, ::3] = a[:, ::3]
    key = f"vectorchain.element_wise_compare.compare_{name}"
    got = bind(key, f"{dtype} {dtype}", "i1")(a, b)
    numbers = bind(key, f"{dtype} {dtype}", "f16")(a, b)
    np.testing.assert_array_equal(numbers, got.astype(np.float16))
    if dtypes.get(dtype).is_float:
        pairs = zip(floats(a), floats(b), strict=True)
        want = [not (math.isnan(x) or math.isnan(y)) and relation(x, y) for x, y in pairs]
    else:
        sign = -1 if dtype == "i1" else 1
        pairs = zip(a.ravel(), b.ravel(), strict=True)
        want = [relation(sign * int(x), sign * int(y)) for x, y in pairs]
    assert got.ravel().tolist() == want


def test_unordered_predicates_can_be_said_with_ordered_comparisons():
    """une is not eq, ult is not ge, and so on: what a lowering relies on."""
    a, b = vectors("f16", 14), vectors("f16", 15)
    for predicate, key in (("une", "eq"), ("ult", "ge"), ("ugt", "le"), ("ueq", "neq")):
        want = bind("arith.cmpf", "f16 f16", "i1", predicate=predicate)(a, b)
        got = bind(f"vectorchain.element_wise_compare.compare_{key}", "f16 f16", "i1")(a, b)
        np.testing.assert_array_equal(~got, want)


def test_selection_by_bits_or_numbers():
    a, b = array([1.0, 2.0, 3.0], "f16"), array([4.0, 5.0, 6.0], "f16")
    key = "vectorchain.element_wise_selection"
    assert bind(key, "i1 f16 f16", "f16")(np.array([1, 0, 1], np.bool_), a, b).tolist() == [1, 5, 3]
    number = array([-0.0, math.nan, 2.0], "f32")
    assert bind(key, "f32 f16 f16", "f16")(number, a, b).tolist() == [4, 2, 3]
    assert bind(key, "i32 f16 f16", "f16")(np.array([0, 5, -1], np.int32), a, b).tolist() == [
        4,
        2,
        3,
    ]


@pytest.mark.parametrize(
    ("op", "exact", "domain"),
    [
        ("fast_exp", "math.exp", "f16"),
        ("exp_estimate", "math.exp", "f16"),
        ("floor", "math.floor", "f16"),
        ("ln_estimate", "math.log", "f16"),
        ("rec_estimate", "spyreop.reciprocal", "f16"),
        ("rsqrt_estimate", "math.rsqrt", "f16"),
        ("sigmoid_estimate", "spyreop.sigmoid", "f16"),
        ("tanh_estimate", "math.tanh", "f16"),
        ("neg", "arith.negf", "f16"),
        ("fast_exp", "math.exp", "f32"),
        ("rec_estimate", "spyreop.reciprocal", "bf16"),
    ],
)
def test_estimates_give_the_exact_function(op, exact, domain):
    x = vectors(domain, 16)
    equal(bind(f"vectorchain.{op}", domain, domain)(x), bind(exact, domain, domain)(x))


def test_versions_are_checked_and_change_nothing():
    x = vectors("f16", 17)
    plain = bind("vectorchain.tanh_estimate", "f16", "f16")(x)
    equal(bind("vectorchain.tanh_estimate", "f16", "f16", version="offset")(x), plain)
    equal(
        bind("vectorchain.exp_estimate", "f16", "f16", version="b")(x),
        bind("vectorchain.fast_exp", "f16", "f16")(x),
    )
    with pytest.raises(SpyreError, match="version"):
        bind("vectorchain.exp_estimate", "f16", "f16", version="slope")
    with pytest.raises(SpyreError, match="floats"):
        bind("vectorchain.floor", "i32", "i32")


def test_casts():
    x = vectors("f32", 18)
    equal(bind("vectorchain.cast", "f32", "bf16")(x), bind("arith.truncf", "f32", "bf16")(x))
    i = vectors("i16", 19)
    equal(bind("vectorchain.cast", "i16", "f16")(i), bind("arith.sitofp", "i16", "f16")(i))
    np.testing.assert_array_equal(bind("vectorchain.cast", "i16", "i64")(i), i.astype(np.int64))
    np.testing.assert_array_equal(
        bind("vectorchain.neg", "i16", "i16")(i), (-i.astype(np.int64)).astype(np.int16)
    )


def test_every_key_of_the_docstring_exists():
    for name in BINARY:
        assert semantics.known(f"vectorchain.binary.{name}")
        assert semantics.known(f"vectorchain.scan_with_gap.{name}")
    listed = "multiply multiply_and_accumulate select merge pack shuffle rotate constant_bitstream"
    for name in (*listed.split(), "create_affine_mask", "element_wise_selection", "cast", "neg"):
        assert semantics.known(f"vectorchain.{name}")


def test_constant_bits():
    got = bind("vectorchain.constant_bitstream", "", "f16", value=(0x3C00, 0x8000, 0x7C00))()
    assert got.tolist() == [1, 0, math.inf]
    assert np.signbit(got[1])
    for dtype, codes in (
        ("i8", (0, 255)),
        ("f32", (0x3F800000,)),
        ("i1", (1, 0)),
        ("bf16", (0x3F80,)),
    ):
        made = bind("vectorchain.constant_bitstream", "", dtype, value=codes)()
        np.testing.assert_array_equal(
            made, from_bits(codes, dtype) if dtype != "i1" else [True, False]
        )
    for codes in ((0x10000,), (-1,), (1.5,)):
        with pytest.raises(SpyreError) as caught:
            bind("vectorchain.constant_bitstream", "", "f16", value=codes)
        assert caught.value.code == "SPY583"
