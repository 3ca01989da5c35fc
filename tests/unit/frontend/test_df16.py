"""`spy.df16` as a type of its own: the same bits as f16 that is computed as DLFloat16."""

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang import interp
from spyrelang.errors import SpyreError
from spyrelang.semantics import df16

from .conftest import trace_kernel
from .running import random, run

ALL = np.arange(1 << 16, dtype=np.uint16)


def value_of(code: int) -> Fraction | None:
    """What the format says that a code means; None for the non-number."""
    exponent, fraction = code >> 9 & 63, code & 511
    if code & 0x7FFF == 0x7FFF:
        return None
    size = Fraction(0) if not code & 0x7FFF else (1 + Fraction(fraction, 512)) * power(exponent)
    return -size if code >> 15 else size


def power(exponent: int) -> Fraction:
    return Fraction(2) ** (exponent - 31)


# --- arithmetic -----------------------------------------------------------------------------------

# constants that f16 has, too: there they are rounded twice
EXPRESSIONS = {
    "sum": lambda a, b: a + b,
    "difference and product": lambda a, b: (a - b) * a,
    "quotient": lambda a, b: a / b,
    "negation": lambda a, b: -a + abs(b),
    "constants": lambda a, b: 0.12525 * a + b / 3.0 - 2.0**-20,
    "powers": lambda a, b: a**3 + abs(b) ** 0.5 + abs(b) ** 0.75,
    "fma": lambda a, b: spy.fma(a, b, 0.375),
    "extremes": lambda a, b: spy.maximum(a, 0.125) + spy.minimum(b, a),
    "where": lambda a, b: spy.where(a < b, a, 0.75),
    "comparisons": lambda a, b: spy.cast(a >= b, spy.i32),
    "exp": lambda a, b: spy.exp(a) + spy.exp2(b),
    "log and roots": lambda a, b: spy.log(abs(a)) + spy.sqrt(abs(b)) * spy.rsqrt(abs(a)),
    "device's": lambda a, b: spy.sigmoid(a) + spy.silu(b) + spy.gelu(a) + spy.reciprocal(b),
    "softplus": lambda a, b: spy.softplus(a) + spy.softplus(b, 2.0, 5.0),
    "others": lambda a, b: spy.tanh(a) + spy.erf(b) + spy.realdiv(a, b),
    "sums of rows": lambda a, b: spy.sum(a, axis=1, keepdims=True) + spy.mean(b),
    "largest of rows": lambda a, b: spy.max(a, axis=1, keepdims=True) * spy.min(b, axis=0),
    "largest with a start": lambda a, b: spy.max(a, axis=1, initial=0.125),
    "product of rows": lambda a, b: spy.prod(a[:, 0:3], axis=1),
    "matrices": lambda a, b: spy.dot(a, spy.transpose(b)),
    "softmax": lambda a, b: soft(a) - soft(b),
    "moments": lambda a, b: spy.exx2(a)[0] * spy.exx2(b)[1],
    "a pair": lambda a, b: spy.layernorm_scale(spy.exx2_fused(a)) + spy.sum(b, axis=1),
    "RMS": lambda a, b: a * spy.layernorm_scale(spy.exx2_fused(b, keepdims=True, zero_mean=True)),
    "layer norm": lambda a, b: spy.layernorm_norm(a, 0.125, 0.75, b, 0.375),
    "shapes": lambda a, b: spy.concat([spy.reshape(a, (35, 2)), spy.transpose(b[0:2, 0:7])], 0),
    "generic": lambda a, b: spy.generic(lambda x, y: x * y + 0.125, (a, b), "ij,ij->ij"),
    "casts": lambda a, b: spy.cast(a, spy.f32) + spy.cast(spy.cast(b, spy.i32), spy.f32),
    "integers": lambda a, b: a * spy.cast(spy.cast(b * 100.0, spy.i32), a.dtype),
}


def soft(v):
    v = spy.exp(v - spy.max(v, axis=1, keepdims=True))
    return v / spy.sum(v, axis=1, keepdims=True)


def of_type(function, dtype):
    def kernel(a: spy.In["M", "N", dtype], b: spy.In["M", "N", dtype], out: spy.Out):
        v = function(spy.load(a[...]), spy.load(b[...]))
        out[...] = v if v.dtype.name in ("i32", "f32") else spy.cast(v, spy.f32)

    return kernel


def shape_of(function, a, b):
    shapes = []

    def looked_at(x: spy.In, y: spy.In):
        v = function(spy.load(x[...]), spy.load(y[...]))
        shapes.append((v.shape, np.int32 if v.dtype.name == "i32" else np.float32))

    trace_kernel(looked_at, a, b)
    return shapes[0]


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_the_bits_are_those_of_f16_computed_as_df16(name: str) -> None:
    function = EXPRESSIONS[name]
    a, b = (df16.to_f16(spyre.to_df16(random(7, 10, seed=s))) for s in (1, 2))  # exact in both
    outs = [np.zeros(*shape_of(function, a, b)) for _ in range(2)]
    run(of_type(function, spy.df16), spyre.to_df16(a), spyre.to_df16(b), outs[0])
    traced = trace_kernel(of_type(function, spy.f16), a, b, outs[1])
    given = {"a": a, "b": b, "out": outs[1]}
    interp.compile(traced.module, numerics="df16").run(given)
    np.testing.assert_array_equal(outs[0].view(np.uint32), outs[1].view(np.uint32))
    assert np.isfinite(outs[0]).all()


def test_constants_are_rounded_once() -> None:
    def kernel(out: spy.Out[3, spy.df16], sums: spy.Out[1, spy.df16]):
        out[:] = 0.3
        sums[:] = spy.full((1,), 1.0, spy.df16) * 0.3

    out, total = np.zeros(3, np.uint16), np.zeros(1, np.uint16)
    run(kernel, out, total)
    np.testing.assert_array_equal(out, spyre.to_df16([0.3] * 3))
    assert total[0] == out[0] != df16.from_f16(np.float16([0.3]))[0]


def test_range_and_rounding_are_not_those_of_f16() -> None:
    def kernel(x: spy.In["N", spy.df16], out: spy.Out["N", spy.df16]):
        v = spy.load(x[:])
        out[:] = v * v / v

    x = spyre.to_df16([60000.0, 1e-4, 3.0, 1 + 2**-9])
    out = np.zeros(4, np.uint16)
    run(kernel, x, out)
    np.testing.assert_allclose(spyre.from_df16(out), spyre.from_df16(x), rtol=2**-9)
    assert df16.to_f16(spyre.to_df16([60000.0**2]))[0] == np.inf


# --- conversions ----------------------------------------------------------------------------------


def test_every_code_widens_exactly_and_comes_back() -> None:
    def kernel(x: spy.In["N", spy.df16], wide: spy.Out["N", spy.f32], out: spy.Out["N", spy.df16]):
        wide[:] = spy.cast(x[:], spy.f32)
        out[:] = spy.cast(wide[:], spy.df16)

    wide, out = np.zeros(1 << 16, np.float32), np.zeros(1 << 16, np.uint16)
    run(kernel, ALL, wide, out)
    for code in range(0, 1 << 16, 37):
        value = value_of(code)
        assert np.isnan(wide[code]) if value is None else Fraction(float(wide[code])) == value
    np.testing.assert_array_equal(out & 0x7FFF, ALL & 0x7FFF)
    np.testing.assert_array_equal(spyre.from_df16(ALL), wide)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, ml_dtypes.bfloat16, np.int32, np.int64])
def test_rounding_to_nearest_with_ties_away_from_zero(dtype) -> None:
    def kernel(x: spy.In, out: spy.Out["N", spy.df16]):
        out[:] = spy.cast(x[:], spy.df16)

    x = near_ties(np.dtype(dtype))
    out = np.zeros(x.shape, np.uint16)
    run(kernel, x, out)
    for given, code in zip(x.tolist(), out.tolist(), strict=True):
        assert nearest(Fraction(given), code), (given, hex(code))
    np.testing.assert_array_equal(spyre.to_df16(x), out)


def near_ties(dtype: np.dtype) -> np.ndarray:
    """Numbers of the type in the middle between two codes, or just beside it."""
    if dtype.kind == "i":
        ties = [(1024 + 2 * k + 1) << s for k in (0, 5, 511) for s in range(0, 20, 3)]
        beside = [t + d for t in ties for d in (-1, 0, 1)]
        return np.array([*beside, *(-b for b in beside), 2**31 - 2**20, 12345], dtype)
    codes = np.arange(0x2401, 0x5C00, 97, dtype=np.uint16)
    middle = (spyre.from_df16(codes) + spyre.from_df16(codes + 1)) / 2
    found = np.concatenate([middle, np.nextafter(middle, 0), np.nextafter(middle, 1e9)])
    return np.concatenate([found, -found]).astype(np.float32).astype(dtype)


def nearest(value: Fraction, code: int) -> bool:
    found = value_of(code)
    assert found is not None
    size = abs(value)
    if (found < 0) != (value < 0):
        return False
    below, above = (value_of((code & 0x7FFF) + d) for d in (-1, 1))
    assert below is not None
    assert above is not None
    middles = (below + abs(found)) / 2, (abs(found) + above) / 2
    return middles[0] <= size < middles[1]


def test_integers_are_rounded_once() -> None:
    """In f32 the number would become a tie, and that the next code."""

    def kernel(x: spy.In, out: spy.Out["N", spy.df16]):
        out[:] = spy.cast(x[:], spy.df16)

    x = np.array([(1025 << 16) - 1, (1027 << 18) - 1], np.int32)
    assert np.float32(x[0]) == 1025 << 16
    out = np.zeros(2, np.uint16)
    run(kernel, x, out)
    np.testing.assert_array_equal(spyre.from_df16(out), [1024 << 16, 1026 << 18])


def test_numbers_become_codes_of_their_shape() -> None:
    assert spyre.to_df16(np.float16([[1.0]])).shape == (1, 1)
    assert spyre.to_df16(np.ones((4, 6), np.float16).T[::2]).tolist() == [[0x3E00] * 4] * 3
    assert spyre.to_df16(1.0) == 0x3E00
    assert spyre.to_df16([np.inf, np.nan]).tolist() == [0x7FFF] * 2
    assert spyre.to_df16(np.array([True, False])).tolist() == [0x3E00, 0]


@pytest.mark.parametrize(
    ("convert", "given"),
    [
        (spyre.to_df16, np.zeros(2, np.uint16)),
        (spyre.to_df16, np.zeros(2, np.complex64)),
        (spyre.to_df16, ["a"]),
        (spyre.from_df16, np.zeros(2, np.float16)),
        (spyre.from_df16, [1, 2]),
    ],
)
def test_what_is_not_converted(convert, given) -> None:
    with pytest.raises(SpyreError, match="SPY586"):
        convert(given)


# --- memory, control, other tiles -----------------------------------------------------------------


def test_scratch_gather_loops_branches_and_exchanges() -> None:
    def kernel(x: spy.In[8, 6, spy.df16], rows: spy.In[4, spy.i32], out: spy.Out[2, 6, spy.df16]):
        kept = spy.memory_view(0, (4, 6), space=spy.local(), dtype=spy.df16)
        kept[...] = x[spy.ind(rows[:]), :]
        total = spy.full((6,), 0.25, spy.df16)
        for i in spy.range(4):
            total = total + kept[i, :]
        most = spy.full((6,), float("-inf"), spy.df16)
        for i in spy.range(4):
            with spy.when(i > 0):
                most = spy.maximum(most, kept[i, :])
        joined = spy.all_reduce(total, op="sum") + spy.all_reduce(most, op="max")
        out[spy.tile_id(), :] = joined

    x, rows = spyre.to_df16(random(8, 6)), np.array([5, 0, 7, 2], np.int32)
    out = np.zeros((2, 6), np.uint16)
    run(kernel, x, rows, out, grid=2)
    picked = spyre.from_df16(x[rows])
    total = np.full(6, 0.25, np.float32)
    for row in picked:
        total = df16.round_df16(total + row)
    total = df16.round_df16(total + total)
    wanted = spyre.to_df16(total + picked[1:].max(axis=0))
    np.testing.assert_array_equal(out, [wanted, wanted])


def test_base_addresses_of_codes() -> None:
    def kernel(p: spy.Ptr[spy.df16], out: spy.Out[3, spy.df16]):
        out[:] = spy.load(spy.memory_view(p, (3,), strides=(2,))[:]) + 1.0

    x, out = spyre.to_df16([0.5, 1.0, 2.0, 3.0, 4.0, 5.0]), np.zeros(3, np.uint16)
    run(kernel, x, out)
    assert spyre.from_df16(out).tolist() == [1.5, 3.0, 5.0]


def test_literal_infinities_are_the_largest_numbers() -> None:
    def kernel(out: spy.Out[2, spy.df16]):
        out[0] = float("inf")
        out[1] = spy.maximum(spy.full((), float("-inf"), spy.df16), -1.0)

    out = np.zeros(2, np.uint16)
    run(kernel, out)
    assert spyre.from_df16(out).tolist() == [df16.LARGEST, -1.0]


# --- what is refused ------------------------------------------------------------------------------


@spyre.kernel
def doubled(x: spy.In["N", spy.df16], out: spy.Out["N", spy.df16]):
    out[:] = x[:] + x[:]


@pytest.mark.parametrize(
    ("array", "fix"),
    [(np.zeros(4, np.float32), "spyre.to_df16(x)"), (np.zeros(4, np.int16), "spyre.to_df16(x)")],
)
def test_arrays_of_other_types_are_no_codes(array, fix) -> None:
    with pytest.raises(SpyreError, match="SPY275") as caught:
        doubled(array, np.zeros(4, np.uint16), engine="ktir")
    assert fix in str(caught.value)


def test_an_output_of_another_type() -> None:
    with pytest.raises(SpyreError, match="SPY275") as caught:
        doubled(np.zeros(4, np.uint16), np.zeros(4, np.float16), engine="ktir")
    assert "np.uint16" in str(caught.value)


def test_codes_say_nothing_without_a_declaration() -> None:
    @spyre.kernel
    def bare(x: spy.In, out: spy.Out):
        out[:] = x[:]

    with pytest.raises(SpyreError, match="SPY283") as caught:
        bare(np.zeros(4, np.uint16), np.zeros(4, np.uint16), engine="ktir")
    assert "spy.df16" in str(caught.value)
    spec = spyre.spec((4,), "df16")
    assert "memref<4x!spyreop.df16>" in bare.ir("ktir", spec, spec)


def test_the_scheduler_refuses_the_type_by_name() -> None:
    with pytest.raises(SpyreError, match="SPY438") as caught:
        doubled(np.zeros(4, np.uint16), np.zeros(4, np.uint16))
    assert "!spyreop.df16" in str(caught.value)


@pytest.mark.parametrize("value", [1e10, -(2.0**33)])
def test_numbers_that_the_type_cannot_hold(value: float) -> None:
    def kernel(out: spy.Out[2, spy.df16]):
        out[:] = value

    with pytest.raises(SpyreError, match="SPY234"):
        trace_kernel(kernel, np.zeros(2, np.uint16))


def test_check_compares_codes() -> None:
    def twice(x):
        return spyre.to_df16(spyre.from_df16(x) * 2)

    def wrong(x):
        return spyre.from_df16(x) * 3  # a reference may give numbers, too

    x = spyre.to_df16(random(50))
    assert spyre.check(doubled, ref=twice, inputs=[x], engine="ktir").ok
    result = spyre.check(doubled, ref=wrong, inputs=[x], engine="ktir")
    assert not result.ok


# --- pairs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "use",
    [
        lambda p: p + 1.0,
        lambda p: spy.sum(p),
        lambda p: spy.cast(p, spy.f32),
        lambda p: spy.where(spy.full((), True, spy.i1), p, p),
        lambda p: -p,
        lambda p: spy.transpose(p),
    ],
)
def test_pairs_are_only_scaled(use) -> None:
    def kernel(x: spy.In, out: spy.Out):
        out[...] = use(spy.exx2_fused(spy.load(x[:])))

    with pytest.raises(SpyreError, match="SPY232") as caught:
        trace_kernel(kernel, np.zeros(4, np.float32), np.zeros((), np.float32))
    assert "spy.layernorm_scale" in str(caught.value)


def test_pairs_are_not_stored() -> None:
    def kernel(x: spy.In, out: spy.Out):
        out[...] = spy.exx2_fused(spy.load(x[:]))

    with pytest.raises(SpyreError, match="SPY232"):
        trace_kernel(kernel, np.zeros(4, np.float32), np.zeros((), np.float32))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_pairs_and_two_values_give_the_same_scale(dtype) -> None:
    def kernel(x: spy.In, out: spy.Out, other: spy.Out):
        v = spy.load(x[:, :])
        out[:] = spy.layernorm_scale(spy.exx2_fused(v), epsilon=1e-3)
        mean, squares = spy.exx2(v)
        other[:] = spy.layernorm_scale(mean, squares, 1e-3)

    out, other = np.zeros(9, dtype), np.zeros(9, dtype)
    traced = run(kernel, random(9, 65, dtype=dtype), out, other)
    np.testing.assert_array_equal(out, other)
    assert "spyreop.exx2_fused" in traced.module.text()
    assert "spyreop.layernormscale_fused" in traced.module.text()
