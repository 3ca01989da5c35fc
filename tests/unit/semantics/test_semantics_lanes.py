"""vectorchain ops that move data between lanes, against loops over lanes."""

from __future__ import annotations

import functools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from semantics_reference import array, bind, floats, nearest

from spyrelang.errors import SpyreError


def vector(*shape: int, dtype: str = "f16") -> np.ndarray:
    return array(np.arange(1, 1 + int(np.prod(shape))).reshape(shape), dtype)


def refused(code: str, run, *operands) -> None:
    with pytest.raises(SpyreError) as caught:
        run(*operands)
    assert caught.value.code == code


# --- shuffle -------------------------------------------------------------------------------------


def test_splat_of_one_lane():
    splat = bind("vectorchain.shuffle", "f16", "f16", indices=(0,), repetition=64)
    assert splat(vector(1)).tolist() == [1] * 64
    assert splat(vector(5, 3, 1)).shape == (5, 3, 64)
    assert splat(vector(2, 8))[1].tolist() == [9] * 64


@settings(max_examples=100, deadline=None)
@given(
    st.integers(1, 9).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.integers(-3, n - 1), min_size=1, max_size=12))
    ),
    st.integers(1, 3),
)
def test_shuffle_repeats_and_takes_variables_then_pads(case, repetition):
    lanes, indices = case
    x = vector(2, lanes)
    run = bind(
        "vectorchain.shuffle",
        "f16 index i32 f16",
        "f16",
        indices=tuple(indices),
        repetition=repetition,
        variables=2,
        pads=1,
    )
    scalars = [np.array(-100), np.array([-200, -201], np.int32), np.array(-300, np.float16)]
    got = run(x, *scalars)
    spread = [np.broadcast_to(s, (2,)) for s in scalars]
    for row in range(2):
        want = [float(x[row, i]) if i >= 0 else float(spread[-i - 1][row]) for i in indices]
        assert got[row].tolist() == want * repetition


def test_shuffle_mask_and_refusals():
    run = bind("vectorchain.shuffle", "f16 f16 i1", "f16", indices=(1, -1), repetition=1, pads=1)
    got = run(vector(3), np.array(9, np.float16), np.array([True, False]))
    assert got.tolist() == [2, 0]
    low = bind("vectorchain.shuffle", "f16", "f16", indices=(-1, 0))
    refused("SPY583", low, vector(3))
    high = bind("vectorchain.shuffle", "f16", "f16", indices=(3, 0))
    refused("SPY583", high, vector(3))
    for attrs in ({"indices": ()}, {"indices": (0.5,)}, {"indices": (0,), "repetition": 0}, {}):
        refused("SPY583", lambda a=attrs: bind("vectorchain.shuffle", "f16", "f16", **a))
    refused("SPY582", lambda: bind("vectorchain.shuffle", "f16", "f32", indices=(0,)))
    refused("SPY582", lambda: bind("vectorchain.shuffle", "f16 f16", "f16", indices=(0,)))


# --- select, pack, merge -------------------------------------------------------------------------


def test_select_by_text_or_tuple():
    x = vector(2, 8)
    text = bind(
        "vectorchain.select", "f16", "f16", selection_map="affine_map<(d0) -> (d0 * 2)>", lanes=4
    )
    assert text(x).tolist() == [[1, 3, 5, 7], [9, 11, 13, 15]]
    listed = bind("vectorchain.select", "f16", "f16", selection_map=(0, 2, 4, 6), lanes=4)
    np.testing.assert_array_equal(listed(x), text(x))
    modulo = bind("vectorchain.select", "f16", "f16", selection_map="(d0) -> (d0 mod 4)", lanes=6)
    assert modulo(x)[0].tolist() == [1, 2, 3, 4, 1, 2]
    refused("SPY583", text, vector(6))
    for attrs in (
        {"lanes": 4},
        {"selection_map": (0, 1), "lanes": 4},
        {"selection_map": "affine_map<(d0, d1) -> (d0)>", "lanes": 4},
        {"selection_map": (0, 1)},
    ):
        refused("SPY583", lambda a=attrs: bind("vectorchain.select", "f16", "f16", **a))


def test_pack_joins_extends_and_truncates():
    a, b = np.array([-1, 2], np.int8), np.array([[3, -4]], np.int8)
    same = bind("vectorchain.pack", "i8 i8", "i8", indices=(3, 0), repetition=2)
    assert same(a, b).tolist() == [[-4, -1, -4, -1]]
    zeros = bind("vectorchain.pack", "i8 i8", "i16", indices=(0, 1, 3))
    assert zeros(a, b).tolist() == [[255, 2, 252]]
    signs = bind("vectorchain.pack", "i8 i8", "i16", indices=(0, 1, 3), sign_extend=True)
    assert signs(a, b).tolist() == [[-1, 2, -4]]
    refused("SPY583", bind("vectorchain.pack", "i8 i8", "i8", indices=(4,)), a, b)
    refused("SPY583", lambda: bind("vectorchain.pack", "i8 i8", "i8", indices=()))


def test_merge_interleaves():
    attrs = {
        "iteration_space_CA": "affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>",
        "iteration_space_CB": "affine_set<(d0) : (d0 >= 0, -d0 + 2 >= 0)>",
        "access_function_CA": "affine_map<(d0) -> (d0 * 2)>",
        "access_function_CB": "affine_map<(d0) -> (d0 * 2 + 1)>",
        "access_function_A": "affine_map<(d0) -> (d0)>",
        "access_function_B": "affine_map<(d0) -> (3 - d0)>",
        "lanes": 8,
    }
    run = bind("vectorchain.merge", "f16 f16", "f16", **attrs)
    got = run(vector(2, 4), array([10, 20, 30, 40], "f16"))
    assert got.tolist() == [[1, 40, 2, 30, 3, 20, 4, 0], [5, 40, 6, 30, 7, 20, 8, 0]]
    refused("SPY583", run, vector(3), vector(4))
    huge = "affine_set<(d0) : (d0 >= 0, -d0 + 1000000000 >= 0)>"
    for bad in ({"lanes": 6}, {"iteration_space_CA": huge}):
        refused("SPY583", lambda b=bad: bind("vectorchain.merge", "f16 f16", "f16", **attrs | b))


# --- rotate, scan --------------------------------------------------------------------------------


@pytest.mark.parametrize("position", [0, 1, 5, 7, 12, -3])
@pytest.mark.parametrize("right", [True, False])
def test_rotate(position, right):
    x = vector(2, 5)
    got = bind("vectorchain.rotate", "f16 index", "f16", right_shift=right)(x, np.array(position))
    step = position if right else -position
    assert got.tolist() == [[float(r[(i - step) % 5]) for i in range(5)] for r in x]
    per_row = np.array([position, position + 1])
    both = bind("vectorchain.rotate", "f16 index", "f16", right_shift=right)(x, per_row)
    assert both[0].tolist() == got[0].tolist()
    further = step + (1 if right else -1)
    assert both[1].tolist() == [float(x[1][(i - further) % 5]) for i in range(5)]


def test_rotate_is_to_the_right_by_default():
    assert bind("vectorchain.rotate", "f16 index", "f16")(vector(3), np.array(1)).tolist() == [
        3,
        1,
        2,
    ]


@pytest.mark.parametrize("lanes", [1, 5, 8, 16])
@pytest.mark.parametrize("gap", [1, 2, 3, 8, 20])
@pytest.mark.parametrize("order", ["left_to_right", "right_to_left"])
def test_scan(order, gap, lanes):
    rng = np.random.default_rng(gap)
    x = rng.standard_normal((2, 3, lanes)).astype(np.float16)
    kept = x.copy()
    got = bind("vectorchain.scan_with_gap.add", "f16", "f16", gap=gap, eval_order=order)(x)
    want = x.copy() if order == "left_to_right" else x[..., ::-1].copy()
    for i in range(gap, lanes):
        want[..., i] = want[..., i - gap] + want[..., i]
    np.testing.assert_array_equal(got, want if order == "left_to_right" else want[..., ::-1])
    np.testing.assert_array_equal(x, kept)


def test_scan_order_matters_and_attributes_are_checked():
    x = np.array([5, 3, 1], np.int32)
    sub = bind("vectorchain.scan_with_gap.sub", "i32", "i32", gap=1)
    assert sub(x).tolist() == [5, 2, 1]
    back = bind("vectorchain.scan_with_gap.sub", "i32", "i32", gap=1, eval_order=1)
    assert back(x).tolist() == [-7, -2, 1]
    top = bind("vectorchain.scan_with_gap.max", "f16", "f32", gap=1)(vector(3))
    assert top.dtype == np.float32
    assert top.tolist() == [1, 2, 3]
    for attrs in ({}, {"gap": 0}, {"gap": 1, "eval_order": "up"}):
        refused("SPY583", lambda a=attrs: bind("vectorchain.scan_with_gap.add", "f16", "f16", **a))


# --- products ------------------------------------------------------------------------------------

HALVES = "affine_map<(d0) -> (d0 floordiv 2)>"


def test_multiply_sums_lanes_and_rounds_once():
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal((3, 8)).astype(np.float16) for _ in range(2))
    got = bind("vectorchain.multiply", "f16 f16", "f16", reduction_map=HALVES)(a, b)
    assert got.shape == (3, 4)
    for row in range(3):
        for lane in range(4):
            parts = [
                Fraction(float(a[row, k])) * Fraction(float(b[row, k]))
                for k in (2 * lane, 2 * lane + 1)
            ]
            assert float(got[row, lane]) == nearest(sum(parts), "f16")


def test_multiply_with_other_maps():
    a, b = vector(4), vector(4)
    identity = "affine_map<(d0) -> (d0)>"
    for attrs in ({}, {"reduction_map": identity}, {"reduction_map": (0, 1, 2, 3)}):
        got = bind("vectorchain.multiply", "f16 f16", "f16", **attrs)(a, b)
        assert got.tolist() == [1, 4, 9, 16]
    scattered = bind("vectorchain.multiply", "f16 f16", "f32", reduction_map=(3, 0, 3, 0), lanes=5)
    assert scattered(a, b).tolist() == [20, 0, 0, 10, 0]
    ints = bind("vectorchain.multiply", "i8 i8", "i32", reduction_map=HALVES)
    assert ints(
        np.array([100, 100, -128, 1], np.int8), np.array([100, 100, 2, 1], np.int8)
    ).tolist() == [20000, -255]
    narrow = bind("vectorchain.multiply", "f16 f16", "f16", reduction_map=identity, lanes=2)
    refused("SPY583", narrow, a, b)
    refused("SPY583", bind("vectorchain.multiply", "f16 f16", "f16", reduction_map=(0, 0)), a, b)
    masked = bind("vectorchain.multiply", "f16 f16 i1", "f16", reduction_map=HALVES)
    assert masked(a, b, np.array([True, False])).tolist() == [5, 0]


def test_multiply_and_accumulate():
    a = array([1 + 2.0**-10, 2.0], "f16")
    c = array([-(1 + 2.0**-9), 1.0], "f16")
    key = "vectorchain.multiply_and_accumulate"
    fused = bind(key, "f16 f16 f16", "f16")(a, a, c)
    assert floats(fused) == [2.0**-20, 5.0]
    into_f32 = bind(key, "f16 f16 f32", "f32", reduction_map="(d0) -> (0)", lanes=1)
    assert floats(into_f32(a, a, array([1.0], "f32"))) == [
        float(np.float32(6 + 2.0**-9 + 2.0**-20))
    ]
    with_map = bind(key, "f16 f16 f16", "f16", reduction_map="affine_map<(d0) -> (d0)>")
    assert floats(with_map(a, a, c)) == floats(fused)
    wide = np.array([2**15, -1], np.int32)
    total = bind(key, "i32 i32 i64", "i64")(wide, wide, np.array([1, 1]))
    assert total.tolist() == [2**30 + 1, 2]


# --- masks ---------------------------------------------------------------------------------------


def test_affine_masks():
    below = "affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>"
    key = "vectorchain.create_affine_mask"
    assert bind(key, "", "i1", mask_set=below, lanes=64)().tolist() == [True] * 8 + [False] * 56
    every = "affine_set<(d0) : (d0 mod 4 - 1 == 0)>"
    assert np.flatnonzero(bind(key, "", "i1", mask_set=every, lanes=10)()).tolist() == [1, 5, 9]
    listed = bind(key, "", "i1", mask_set=(1, 0, 1), lanes=3)
    assert listed().tolist() == [True, False, True]
    run = bind(key, "index", "i1", mask_set="affine_set<(d0)[s0] : (-d0 + s0 - 1 >= 0)>", lanes=4)
    assert run(np.array(3)).tolist() == [True, True, True, False]
    assert run(np.array([0, 2, 9])).sum(axis=-1).tolist() == [0, 2, 4]
    for attrs in ({"lanes": 4}, {"mask_set": below}, {"mask_set": (1, 0), "lanes": 3}):
        refused("SPY583", lambda a=attrs: bind(key, "", "i1", **a))
    refused("SPY583", lambda: bind(key, "index", "i1", mask_set=below, lanes=4))
    refused("SPY582", lambda: bind(key, "f16", "i1", mask_set=below, lanes=4))


# --- slices --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f16", "f32", "i32"])
@pytest.mark.parametrize("kind", ["add", "sub", "max", "min", "mul", "abs_max"])
def test_slice_reduction(kind, dtype):
    x = array(np.random.default_rng(2).integers(-3, 4, (2, 32)), dtype)
    steps = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "max": max,
        "min": min,
        "mul": lambda a, b: a * b,
        "abs_max": lambda a, b: max(abs(a), abs(b)),
    }
    for scope in ("in_slice", "across_slice"):
        got = bind(
            "spyreop.slice_reduction", dtype, dtype, reduction_kind=kind, reduction_scope=scope
        )(x)
        for row, result in zip(x.astype(float), got.astype(float), strict=True):
            slices, want = row.reshape(8, 4), row.reshape(8, 4).copy()
            if scope == "in_slice":
                want[:, 0] = [functools.reduce(steps[kind], s) for s in slices]
            else:
                want[0] = [functools.reduce(steps[kind], s) for s in slices.T]
            assert result.tolist() == want.ravel().tolist(), (kind, scope)


def test_slice_reduction_refuses_rows_that_do_not_divide():
    attrs = {"reduction_kind": 0, "reduction_scope": 1}
    run = bind("spyreop.slice_reduction", "f16", "f16", **attrs, slices=5)
    refused("SPY583", run, vector(64))
    refused("SPY583", run, np.array(1, np.float16))
    for bad in ({"slices": 0}, {"reduction_kind": 6}, {"reduction_scope": "all"}):
        refused(
            "SPY583", lambda a=bad: bind("spyreop.slice_reduction", "f16", "f16", **{**attrs, **a})
        )


@pytest.mark.parametrize("lanes", [0, -1, 10**9, 10**30, 2.0])
def test_lane_counts_are_bounded(lanes):
    below = "affine_set<(d0) : (d0 >= 0)>"
    refused(
        "SPY583",
        lambda: bind("vectorchain.create_affine_mask", "", "i1", mask_set=below, lanes=lanes),
    )
    refused(
        "SPY583",
        lambda: bind("vectorchain.shuffle", "f16", "f16", indices=(0,), repetition=lanes),
    )


def test_indices_beyond_any_vector():
    run = bind("vectorchain.shuffle", "f16", "f16", indices=(0, 2**40))
    refused("SPY583", run, vector(4))
    refused("SPY583", lambda: bind("vectorchain.shuffle", "f16", "f16", indices=(0, 10**30)))
