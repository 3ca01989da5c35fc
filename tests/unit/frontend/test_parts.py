"""Other shapes, parts and joins of values."""

import numpy as np
import pytest

import spyrelang.language as spy
from spyrelang.errors import SpyreError
from spyrelang.frontend.emit_shapes import common

from .conftest import trace_kernel
from .running import random, run


def computed(function, *arrays, grid=1, shape=None, dtype=None):
    """`function` of the loaded arrays, stored whole."""

    def kernel(a: spy.In, b: spy.In, out: spy.Out):
        out[...] = function(*(spy.load(v) for v in (a, b)[: len(arrays)]))

    plain = function(*arrays) if shape is None else np.zeros(shape, dtype or np.float32)
    out = np.zeros(plain.shape, plain.dtype)
    padded = (*arrays, *[np.zeros(1, np.float32)] * (2 - len(arrays)))
    traced = run(kernel, *padded, out, grid=grid)
    return out, plain, traced.module.text()


SHAPES = [
    ((4, 6), (24,)),
    ((4, 6), (2, 2, 3, 2)),
    ((4, 6), (6, 4)),
    ((4, 6), (-1, 1, 3)),
    ((2, 3, 4), (2, 12)),
    ((2, 3, 4), (1, 6, 4, 1)),
    ((1, 1), ()),
    ((), (1, 1)),
    ((1, 5, 1), (5,)),
    ((0, 3), (3, 0, 2)),
    ((6,), (3, 2)),
]


@pytest.mark.parametrize(("source", "target"), SHAPES)
def test_reshape(source, target):
    x = random(*source)
    wanted = x.reshape(target)
    out, _, text = computed(lambda v: spy.reshape(v, target), x, shape=wanted.shape)
    np.testing.assert_array_equal(out, wanted)
    assert "linalg" not in text


@pytest.mark.parametrize(("source", "target"), SHAPES)
def test_common_shapes_are_refinements(source, target):
    wanted = np.zeros(source).reshape(target).shape
    middle, collapsed, expanded = common(source, wanted)
    for shape, groups in ((source, collapsed), (wanted, expanded)):
        if middle not in (source, wanted):
            assert [a for g in groups for a in g] == list(range(len(shape)))
        assert all(groups)


def test_reshape_of_transposed_and_repeated_values():
    x = random(3, 4)
    out, _, _ = computed(lambda v: spy.reshape(v.T, (2, 6)), x, shape=(2, 6))
    np.testing.assert_array_equal(out, x.T.reshape(2, 6))
    out, _, _ = computed(lambda v: spy.reshape(spy.broadcast_to(v, (2, 3, 4)), 24), x, shape=(24,))
    np.testing.assert_array_equal(out, np.broadcast_to(x, (2, 3, 4)).reshape(24))
    out, _, _ = computed(lambda v: spy.reshape(spy.zeros((4, 3), spy.f32), 12), x, shape=(12,))
    assert (out == 0).all()


PARTS = {
    "box": np.s_[1:3, 2:5],
    "row": np.s_[1, :],
    "column": np.s_[:, 4],
    "element": np.s_[2, 3],
    "new axes": np.s_[None, 1:2, None, :],
    "dots": np.s_[..., 1:3],
    "the first axis": np.s_[1],
    "everything": np.s_[:, :],
}


@pytest.mark.parametrize("key", PARTS.values(), ids=PARTS)
def test_parts(key):
    x = random(3, 5)
    out, wanted, _ = computed(lambda v: v[key], x)
    np.testing.assert_array_equal(out, wanted)
    out, wanted, _ = computed(lambda v: v.T[key[::-1]] if key == PARTS["box"] else v[key], x)
    np.testing.assert_array_equal(out, wanted)


def test_parts_of_repeated_values_and_constants():
    x = random(1, 5)
    out, _, _ = computed(lambda v: spy.broadcast_to(v, (4, 5))[1:3, 2:], x, shape=(2, 3))
    np.testing.assert_array_equal(out, np.broadcast_to(x[:, 2:], (2, 3)))
    out, _, _ = computed(lambda v: spy.full((4, 5), 3.0, spy.f32)[1:3, 0], x, shape=(2,))
    assert (out == 3).all()


def test_traced_parts():
    def kernel(x: spy.In, out: spy.Out):
        v, i = spy.load(x), spy.tile_id()
        for j in spy.range(2):
            out[i, 2 * j : 2 * j + 2] = v[i, 2 * j : 2 * j + 2] + spy.slice(v, (i, 0), (1, 2))[0]

    x, out = random(3, 4), np.zeros((3, 4), np.float32)
    run(kernel, x, out, grid=3)
    np.testing.assert_array_equal(out, x + np.tile(x[:, :2], 2))


def test_concat():
    a, b = random(2, 3), random(4, 3)
    out, _, _ = computed(lambda v, w: spy.concat([v, w, v]), a, b, shape=(8, 3))
    np.testing.assert_array_equal(out, np.concatenate([a, b, a]))
    out, _, _ = computed(
        lambda v, w: spy.concat([v.T, w[0:2].T, spy.zeros((3, 1), spy.f32)], axis=-1), a, b,
        shape=(3, 5),
    )  # fmt: skip
    np.testing.assert_array_equal(out, np.concatenate([a.T, b[:2].T, np.zeros((3, 1))], 1))


@pytest.mark.parametrize("dtype", ["i32", "i64", "f32", "f16", "i8"])
def test_iota(dtype):
    target = getattr(spy, dtype)
    out, _, _ = computed(lambda: spy.iota((3, 5), 1, target), shape=(3, 5), dtype=target.numpy)
    np.testing.assert_array_equal(out, np.tile(np.arange(5), (3, 1)))


def test_causal_mask():
    def kernel(x: spy.In, out: spy.Out):
        for i in spy.range(2):
            rows = spy.iota((2, 4), 0) + i * 2
            out[i * 2 : i * 2 + 2, :] = spy.where(
                spy.iota((2, 4), 1) <= rows, spy.load(x[i * 2 : i * 2 + 2, :]), 0.0
            )

    x, out = random(4, 4), np.zeros((4, 4), np.float32)
    run(kernel, x, out)
    np.testing.assert_array_equal(out, np.tril(x))


def test_empty_is_refused_where_it_is_read():
    def kernel(out: spy.Out):
        out[...] = spy.empty((3,), spy.f32) + 1.0

    with pytest.raises(SpyreError):
        run(kernel, np.zeros(3, np.float32))


MISTAKES = {
    "reshape": (lambda v: spy.reshape(v, (5, 5)), "SPY295"),
    "unknown size": (lambda v: spy.reshape(v, (-1, 5)), "SPY295"),
    "two unknown sizes": (lambda v: spy.reshape(v, (-1, -1)), "SPY245"),
    "concat of nothing": (lambda v: spy.concat([]), "SPY236"),
    "concat of shapes": (lambda v: spy.concat([v, v[:, 0:2]]), "SPY296"),
    "concat of ranks": (lambda v: spy.concat([v, v[0]]), "SPY296"),
    "concat of types": (lambda v: spy.concat([v, spy.cast(v, spy.f16)]), "SPY231"),
    "concat along": (lambda v: spy.concat([v, v], axis=2), "SPY239"),
    "iota of booleans": (lambda v: spy.iota(4, dtype=spy.i1), "SPY232"),
    "iota along": (lambda v: spy.iota(4, 1), "SPY239"),
    "past the value": (lambda v: v[0, 3:7], "SPY224"),
    "traced past the value": (lambda v: v[spy.tile_id() * 2, 0], "SPY224"),
    "negative": (lambda v: v[-1], "SPY221"),
    "step": (lambda v: v[::2], "SPY222"),
    "too many": (lambda v: v[0, 0, 0], "SPY220"),
    "a string": (lambda v: v["row"], "SPY225"),
    "slice of another rank": (lambda v: spy.slice(v, (0,), (1, 1)), "SPY220"),
    "slice past": (lambda v: spy.slice(v, (3, 0), (2, 1)), "SPY224"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    mistake, code = MISTAKES[name]

    def kernel(x: spy.In):
        mistake(spy.load(x))

    with pytest.raises(SpyreError) as found:
        trace_kernel(kernel, random(4, 6), grid=3)
    assert found.value.code == code
    assert found.value.location.file == __file__
