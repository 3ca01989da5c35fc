"""DLFloat16: the format, its rounding, and what ops compute on it, against rational arithmetic."""

from __future__ import annotations

import math
import operator
from fractions import Fraction

import numpy as np
import pytest
from semantics_reference import bind

from spyrelang import semantics
from spyrelang.semantics import df16
from spyrelang.semantics.tolerance import specials, tolerance, ulp_distance

CODES = np.arange(1 << 16, dtype=np.uint16)
NUMBERS = CODES[(CODES & 0x7FFF) != 0x7FFF]
INF, NAN = math.inf, math.nan


def exact(code: int) -> Fraction:
    """The number of a code by the definition of its fields."""
    size = code & 0x7FFF
    value = Fraction(2) ** ((size >> 9) - 31) * (1 + Fraction(size & 511, 512)) if size else 0
    return Fraction(-value if code >> 15 else value)


MAGNITUDES = [exact(code) for code in range(0x7FFF)]


def nearest(value: Fraction) -> int:
    """The code nearest to a number, by search: ties to the larger magnitude; zeros positive."""
    size = abs(value)
    low, high = 0, len(MAGNITUDES)  # numbers[low] <= size < numbers[high]
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if MAGNITUDES[middle] <= size else (low, middle)
    above = MAGNITUDES[high] if high < len(MAGNITUDES) else Fraction(2**33 - 2**23)
    code = low if size - MAGNITUDES[low] < above - size else low + 1
    if code >= 0x7FFF:
        return df16.NON_NUMBER
    return code | 0x8000 if value < 0 and code else code


def plain(codes: np.ndarray) -> np.ndarray:
    """Codes with both zeros and both non-numbers made one."""
    size = codes & 0x7FFF
    return np.where((size == 0) | (size == 0x7FFF), size, codes)


def random_codes(count: int, seed: int) -> np.ndarray:
    """All kinds of codes, half of them of moderate size."""
    rng = np.random.default_rng(seed)
    wild = rng.integers(0, 1 << 16, count).astype(np.uint16)
    tame = df16.encode(rng.standard_normal(count))
    return np.where(rng.random(count) < 0.5, wild, tame)


# --- format --------------------------------------------------------------------------------------


def test_every_code_has_the_value_of_its_fields():
    values = df16.decode(CODES)
    assert values.dtype == np.float32
    assert np.isnan(values[[0x7FFF, 0xFFFF]]).all()
    assert [Fraction(float(v)) for v in values[NUMBERS]] == [exact(int(c)) for c in NUMBERS]


@pytest.mark.parametrize("wide", [np.float32, np.float64])
def test_all_codes_round_trip(wide: type):
    back = df16.encode(df16.decode(CODES).astype(wide))
    np.testing.assert_array_equal(back[NUMBERS], NUMBERS)  # zeros keep their signs
    assert back[0x7FFF] == back[0xFFFF] == df16.NON_NUMBER
    np.testing.assert_array_equal(df16.is_non_number(CODES), (CODES & 0x7FFF) == 0x7FFF)


HALF_STEP = 2.0**-10  # of 1.0

TABLE = [
    (0.0, 0x0000),
    (1.0, 0x3E00),
    (-1.0, 0xBE00),
    (2.0, 0x4000),
    (1 + 2.0**-9, 0x3E01),
    (1 - 2.0**-10, 0x3DFF),
    (2.0**-31 * (1 + 2.0**-9), 0x0001),
    (2.0**33 - 2.0**24, 0x7FFE),
    (2.0**24 - 2.0**33, 0xFFFE),
    # ties go away from zero, whatever the last bit
    (1 + HALF_STEP, 0x3E01),
    (1 + 3 * HALF_STEP, 0x3E02),
    (-1 - HALF_STEP, 0xBE01),
    (-1 - 3 * HALF_STEP, 0xBE02),
    (2 - HALF_STEP, 0x4000),
    (1 + HALF_STEP * (1 - 2.0**-12), 0x3E00),
    (1 + HALF_STEP * (1 + 2.0**-12), 0x3E01),
    # where the numbers begin: 2^-31 itself is none of them
    (2.0**-31, 0x0001),
    (2.0**-32 * (1 + 2.0**-9), 0x0001),
    (-(2.0**-32) * (1 + 2.0**-9), 0x8001),
    (2.0**-32 * (1 + 2.0**-10), 0x0000),
    (2.0**-32, 0x0000),
    (1e-38, 0x0000),
    # where they end
    (2.0**33 - 2.0**24 + 2.0**21, 0x7FFE),
    (2.0**33 - 2.0**24 + 2.0**22, 0x7FFF),
    (2.0**33 - 2.0**23, 0x7FFF),
    (-(2.0**33), 0x7FFF),
    (3e38, 0x7FFF),
    (INF, 0x7FFF),
    (-INF, 0x7FFF),
    (NAN, 0x7FFF),
]


@pytest.mark.parametrize("wide", [np.float32, np.float64])
def test_chosen_values(wide: type):
    values, codes = (list(column) for column in zip(*TABLE, strict=True))
    assert [hex(c) for c in df16.encode(np.array(values, wide))] == [hex(c) for c in codes]


def test_rounding_f64_happens_once():
    """Just below a tie: f32 would round to the tie, and that away from zero."""
    below = np.array([1 + HALF_STEP - 2.0**-40, 1e300, 5e-324, -1e-200])
    assert df16.encode(below).tolist() == [0x3E00, 0x7FFF, 0x0000, 0x8000]


@pytest.mark.parametrize("wide", [np.float32, np.float64])
def test_rounding_against_fractions(wide: type):
    rng = np.random.default_rng(3)
    scaled = rng.standard_normal(3000) * 2.0 ** rng.integers(-36, 36, 3000)
    values = df16.decode(NUMBERS).astype(np.float64)
    ordered = np.sort(values)
    middles = rng.choice((ordered[1:] + ordered[:-1]) / 2, 2000)
    given = np.concatenate([scaled, middles, np.nextafter(middles, 0)]).astype(wide)
    kept = given.copy()
    want = np.array([nearest(Fraction(float(v))) for v in given], np.uint16)
    np.testing.assert_array_equal(plain(df16.encode(given)), want)
    rounded = df16.round_df16(given)
    assert rounded.dtype == wide
    np.testing.assert_array_equal(rounded, df16.decode(want).astype(wide))
    np.testing.assert_array_equal(df16.round_df16(rounded), rounded)
    np.testing.assert_array_equal(given, kept)


def test_scalars_and_empty_arrays():
    assert df16.encode(np.float64(1.0)).shape == ()
    assert df16.encode(np.zeros((0, 3), np.float32)).shape == (0, 3)
    assert df16.decode(np.uint16(0x3E00)).shape == ()
    strided = df16.encode(np.arange(12, dtype=np.float32).reshape(3, 4).T)
    np.testing.assert_array_equal(df16.decode(strided), np.arange(12).reshape(3, 4).T)


# --- f16 -----------------------------------------------------------------------------------------


def test_f16_to_codes_is_one_rounding():
    halves = CODES.view(np.float16)
    found = df16.from_f16(halves)
    for code, half in zip(found.tolist(), halves.astype(np.float64).tolist(), strict=True):
        want = nearest(Fraction(half)) if math.isfinite(half) else df16.NON_NUMBER
        assert (code if half else code & 0x7FFF) == want
    tiny = np.array([2.0**-24, -3 * 2.0**-24, 2.0**-14], np.float16)  # subnormals are numbers
    np.testing.assert_array_equal(df16.decode(df16.from_f16(tiny)), tiny.astype(np.float32))


def test_codes_to_f16():
    found, values = df16.to_f16(CODES), df16.decode(CODES)
    size = np.abs(values)
    inside = (size >= 2.0**-14) & (size <= 65504)
    np.testing.assert_array_equal(found[inside].astype(np.float32), values[inside])
    assert np.isinf(found[(size >= 65520) & (size <= df16.LARGEST)]).all()
    assert np.isnan(found[df16.is_non_number(CODES)]).all()
    np.testing.assert_array_equal(np.signbit(found[NUMBERS]), NUMBERS >= 0x8000)


def test_f16_round_trips_with_one_bit_less():
    halves = CODES.view(np.float16)
    back = df16.to_f16(df16.from_f16(halves))
    finite = np.isfinite(halves)
    even = finite & (CODES & 1 == 0) & (np.abs(halves) >= 2.0**-14)
    np.testing.assert_array_equal(back[even], halves[even])
    assert np.isnan(back[~finite]).all()
    some = finite & (np.abs(halves) < 65504)
    assert (np.abs(back[some] - halves[some]) <= 2.0**-10 * np.abs(halves[some])).all()
    assert np.isinf(back[halves == 65504]).all()  # rounds up to 65536


# --- ops -----------------------------------------------------------------------------------------

ARITHMETIC = {
    "arith.addf": operator.add,
    "arith.subf": operator.sub,
    "arith.mulf": operator.mul,
    "arith.divf": operator.truediv,
    "spyreop.realdiv": operator.truediv,
    "vectorchain.binary.add": operator.add,
    "vectorchain.binary.mul": operator.mul,
}


@pytest.mark.parametrize("op", ARITHMETIC)
def test_arithmetic_against_fractions(op: str):
    a, b = random_codes(4000, 1), random_codes(4000, 2)
    near = a[:1000] + np.random.default_rng(5).integers(-900, 900, 1000)  # sums that cancel
    b[:1000] = near.astype(np.uint16) ^ np.uint16(0x8000)
    found = bind(op, "df16 df16", "df16")(a, b)
    assert found.dtype == np.uint16
    for x, y, got in zip(a.tolist(), b.tolist(), plain(found).tolist(), strict=True):
        non_number = 0x7FFF in (x & 0x7FFF, y & 0x7FFF)
        if non_number or (ARITHMETIC[op] is operator.truediv and y & 0x7FFF == 0):
            assert got == df16.NON_NUMBER
        else:
            assert got == nearest(ARITHMETIC[op](exact(x), exact(y)))


@pytest.mark.parametrize("op", ["math.fma", "vectorchain.multiply_and_accumulate"])
def test_fused_multiply_add_rounds_once(op: str):
    a, b, c = (random_codes(3000, seed) for seed in (7, 8, 9))
    c[:500] = bind("arith.mulf", "df16 df16", "df16")(a, b)[:500] ^ np.uint16(0x8000)
    found = plain(bind(op, "df16 df16 df16", "df16")(a, b, c))
    for x, y, z, got in zip(a.tolist(), b.tolist(), c.tolist(), found.tolist(), strict=True):
        if 0x7FFF in (x & 0x7FFF, y & 0x7FFF, z & 0x7FFF):
            assert got == df16.NON_NUMBER
        else:
            assert got == nearest(exact(x) * exact(y) + exact(z))


def test_square_roots_against_integers():
    """Each root lies between the middles of its neighbours, checked by squaring."""
    root = bind("spyreop.sqrt", "df16", "df16")(CODES)
    assert (root[0x8001:] == df16.NON_NUMBER).all()
    for code in range(1, 0x7FFF, 37):
        found = int(root[code])
        below = (MAGNITUDES[found - 1] + MAGNITUDES[found]) / 2
        above = (MAGNITUDES[found] + MAGNITUDES[found + 1]) / 2
        assert below * below <= MAGNITUDES[code] < above * above


@pytest.mark.parametrize(
    ("op", "function"),
    [("spyreop.exp", math.exp), ("math.tanh", math.tanh), ("spyreop.reciprocal", lambda v: 1 / v)],
)
def test_functions_are_rounded_once(op: str, function):
    codes = df16.encode(np.linspace(-15, 15, 1001) + 0.003)
    found = bind(op, "df16", "df16")(codes)
    want = df16.encode(np.array([function(float(v)) for v in df16.decode(codes)]))
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("count", [1, 500, 5000])
def test_order_and_choice(count: int):
    a, b = random_codes(count, 11), random_codes(count, 12)
    a[: count // 8] = 0x8000
    x, y = df16.decode(a), df16.decode(b)
    nan = np.isnan(x) | np.isnan(y)
    for op, ufunc in (("maximumf", np.maximum), ("minimumf", np.minimum)):
        found = bind(f"arith.{op}", "df16 df16", "df16")(a, b)
        np.testing.assert_array_equal(df16.decode(found), ufunc(x, y))
    for op, ufunc in (("maxnumf", np.fmax), ("minnumf", np.fmin)):
        found = bind(f"arith.{op}", "df16 df16", "df16")(a, b)
        np.testing.assert_array_equal(df16.decode(found), ufunc(x, y))
    for relation, ufunc in (("lt", np.less), ("ge", np.greater_equal), ("eq", np.equal)):
        for prefix, unordered in (("o", False), ("u", True)):
            compare = bind("arith.cmpf", "df16 df16", "i1", predicate=prefix + relation)
            np.testing.assert_array_equal(compare(a, b), np.where(nan, unordered, ufunc(x, y)))
    np.testing.assert_array_equal(bind("arith.cmpf", "df16 df16", "i1", predicate="uno")(a, b), nan)
    np.testing.assert_array_equal(
        bind("arith.cmpf", "df16 df16", "i1", predicate="ord")(a, b), ~nan
    )
    pick = bind("arith.select", "i1 df16 df16", "df16")(x > 0, a, b)
    np.testing.assert_array_equal(pick, np.where(x > 0, a, b))


def test_zeros_are_ordered_by_sign():
    zeros = np.array([0, 0x8000], np.uint16)
    assert bind("arith.maximumf", "df16 df16", "df16")(zeros, zeros[::-1]).tolist() == [0, 0]
    assert bind("arith.minimumf", "df16 df16", "df16")(zeros, zeros[::-1]).tolist() == [0x8000] * 2


def test_signs_and_classes():
    np.testing.assert_array_equal(bind("arith.negf", "df16", "df16")(CODES), CODES ^ 0x8000)
    np.testing.assert_array_equal(bind("math.absf", "df16", "df16")(CODES), CODES & 0x7FFF)
    np.testing.assert_array_equal(
        bind("math.copysign", "df16 df16", "df16")(CODES, ~CODES), CODES ^ 0x8000
    )
    values = df16.decode(CODES)
    np.testing.assert_array_equal(bind("math.isnan", "df16", "i1")(CODES), np.isnan(values))
    np.testing.assert_array_equal(bind("math.isfinite", "df16", "i1")(CODES), ~np.isnan(values))
    assert not bind("math.isinf", "df16", "i1")(CODES).any()
    normal = ~np.isnan(values) & (values != 0)
    np.testing.assert_array_equal(bind("math.isnormal", "df16", "i1")(CODES), normal)


@pytest.mark.parametrize("key", ["spyreop.compare", "vectorchain.element_wise_compare.compare_gt"])
def test_comparisons_that_give_numbers(key: str):
    attrs = {"predicate": "greaterthan"} if key == "spyreop.compare" else {}
    a = df16.encode(np.array([2.0, 1.0, NAN, 0.0]))
    b = df16.encode(np.array([1.0, 1.0, 1.0, -1.0]))
    assert bind(key, "df16 df16", "df16", **attrs)(a, b).tolist() == [df16.ONE, 0, 0, df16.ONE]


CASTS = [("arith.extf", "f32"), ("arith.extf", "f64"), ("arith.convertf", "f16")]


@pytest.mark.parametrize(("op", "wide"), [*CASTS, ("arith.convertf", "bf16")])
def test_casts_of_floats(op: str, wide: str):
    out = bind(op, "df16", wide)(CODES)
    kind = semantics.dtypes.get(wide).numpy
    assert out.dtype == kind
    with np.errstate(over="ignore"):
        want = df16.decode(CODES).astype(kind)
    np.testing.assert_array_equal(out.astype(np.float64), want.astype(np.float64))
    back = bind("arith.convertf" if kind.itemsize == 2 else "arith.truncf", wide, "df16")(out)
    np.testing.assert_array_equal(back, df16.encode(out.astype(np.float64)))


def test_casts_of_integers():
    numbers = np.array([0, 1, -513, 1025, 2**40, -(2**63), 2**33 - 2**24 + 1], np.int64)
    found = plain(bind("arith.sitofp", "i64", "df16")(numbers))
    assert found.tolist() == [nearest(Fraction(int(n))) for n in numbers]
    codes = df16.encode(np.array([0.0, -1.5, 1000.0, 3e9, NAN]))
    assert bind("arith.fptosi", "df16", "i32")(codes).tolist() == [0, -1, 1000, 2**31 - 1, 0]
    bits = bind("arith.bitcast", "df16", "i16")(np.array([0x3E00], np.uint16))
    assert bits.tolist() == [0x3E00]


def test_constants():
    assert int(bind("arith.constant", "", "df16", value=1.0)()) == df16.ONE
    assert int(bind("arith.constant", "", "df16", value=-INF)()) == df16.NON_NUMBER
    nested = bind("arith.constant", "", "df16", value=((1.0, 2.0), (1 + HALF_STEP, 0.0)))()
    assert nested.tolist() == [[0x3E00, 0x4000], [0x3E01, 0]]
    assert bind("vectorchain.constant_bitstream", "", "df16", value=(1, 2))().tolist() == [1, 2]


def test_layer_norm():
    x = df16.encode(np.random.default_rng(4).standard_normal((3, 64)) + 2)
    wide = df16.decode(x).astype(np.float64)
    mean, squares = bind("spyreop.exx2", "df16", "df16 df16", axes=(-1,))(x)
    np.testing.assert_array_equal(mean, df16.encode(wide.mean(-1)))
    np.testing.assert_array_equal(squares, df16.encode((wide * wide).mean(-1)))
    pair = bind("spyreop.exx2_fused", "df16", "df16_fused", axes=(-1,))(x)
    np.testing.assert_array_equal(pair["mean"], mean)
    np.testing.assert_array_equal(pair["squares"], squares)
    scale = bind("spyreop.layernormscale_fused", "df16_fused", "df16")(pair)
    np.testing.assert_array_equal(
        scale, bind("spyreop.layernormscale", "df16 df16", "df16")(mean, squares)
    )


def test_lanes():
    codes = df16.encode(np.arange(64, dtype=np.float32))
    assert np.array_equal(
        bind("vectorchain.rotate", "df16 i32", "df16")(codes, np.array(1, np.int32)),
        np.roll(codes, 1),
    )
    kept = bind("vectorchain.binary.add", "df16 df16 i1", "df16")(
        codes, codes, np.arange(64) % 2 == 0
    )
    want = df16.encode(np.where(np.arange(64) % 2 == 0, 2.0, 1.0) * np.arange(64))
    np.testing.assert_array_equal(kept, want)
    sums = bind("vectorchain.scan_with_gap.add", "df16", "df16", gap=1, eval_order=0)(codes)
    total = np.float32(0)
    for k in range(64):
        total = df16.round_df16(np.array(total + np.float32(k), np.float32))
        assert df16.decode(sums[k]) == total
    attrs = {"reduction_kind": "add", "reduction_scope": "in_slice"}
    sliced = bind("spyreop.slice_reduction", "df16", "df16", **attrs)(codes)
    assert df16.decode(sliced[::8]).tolist() == [28 + 64 * k for k in range(8)]


def test_the_mode_reads_f16_as_df16():
    for op in ("arith.addf", "math.powf", "arith.maximumf"):
        found = semantics.lookup(op).bind({}, ["f16", "f16"], ["f16"], "df16")
        a, b = random_codes(3000, 21), random_codes(3000, 22)
        np.testing.assert_array_equal(found(a, b), bind(op, "df16 df16", "df16")(a, b))
    cast = semantics.lookup("arith.truncf").bind({}, ["f32"], ["f16"], "df16")
    assert int(cast(np.array(1.0, np.float32))) == df16.ONE


# --- tolerance -----------------------------------------------------------------------------------


def test_tolerances_and_distances():
    assert tolerance("spyreop.exp", "df16").ulp == 1
    assert tolerance("arith.addf", "df16").ulp == 0
    assert ulp_distance(CODES[0x3E02], CODES[0x3E00], "df16") == 2
    assert ulp_distance(
        CODES[[0x8000, 0xFFFF, 1]], CODES[[0, 0x7FFF, 0x8001]], "df16"
    ).tolist() == [
        0,
        0,
        2,
    ]
    fraction = ulp_distance(CODES[0x3E01], np.float64(1 + 2.0**-11), "df16")
    assert fraction == 0.75


@pytest.mark.parametrize("op", ["exp", "sigmoid", "silu", "gelu", "sqrt", "rsqrt", "reciprocal"])
def test_specials(op: str):
    kernel = bind(f"spyreop.{op}", "df16", "df16")
    for operands, want in specials(f"spyreop.{op}", "df16"):
        codes = [df16.encode(np.float64(v)) for v in operands]
        got = float(df16.decode(kernel(*codes)))
        assert got == want or (math.isnan(got) and math.isnan(want)), (operands, want, got)
