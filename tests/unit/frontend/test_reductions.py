"""Reductions give numpy's numbers at odd shapes, whatever order the value lies in memory."""

import ml_dtypes
import numpy as np
import pytest

import spyrelang.language as spy
from spyrelang.errors import SpyreError

from .conftest import trace_kernel
from .running import random, run

FUNCTIONS = {"sum": np.sum, "max": np.max, "min": np.min, "prod": np.prod, "mean": np.mean}
AXES = [None, 0, 1, -1, (0, 2), (2, 1), (0, 1, 2), ()]


def reduced(name, x, dtype=None, **options):
    def kernel(x: spy.In, out: spy.Out):
        out[...] = getattr(spy, name)(x[...], **options)

    plain = {k: v for k, v in options.items() if k != "dtype"}
    wanted = FUNCTIONS[name](x.astype(np.float64) if x.dtype.kind == "f" else x, **plain)
    out = np.zeros(np.shape(wanted), dtype or x.dtype)
    traced = run(kernel, x, out)
    return out, np.asarray(wanted), traced


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_f32(name, axis):
    for keepdims in (False, True):
        out, wanted, _ = reduced(name, random(3, 5, 7), axis=axis, keepdims=keepdims)
        np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["sum", "max", "min", "prod"])
def test_integers(name):
    out, wanted, _ = reduced(name, random(4, 3, dtype=np.int32), axis=1)
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_narrow_floats_are_added_in_f32_and_rounded_once(dtype):
    x = np.full((1, 4096), 1.0, dtype)
    x[0, 0] = 2048.0
    out, _, traced = reduced("sum", x, axis=1)
    assert out[0] == np.float32(2048 + 4095).astype(dtype)
    assert "arith.extf" in traced.module.text()


def test_result_type():
    x = np.full((2, 4096), 40.0, np.float16)

    def kernel(x: spy.In, out: spy.Out):
        out[...] = spy.sum(x[...], axis=1, dtype=spy.f32)

    out = np.zeros(2, np.float32)
    traced = run(kernel, x, out)
    assert (out == x.astype(np.float32).sum(axis=1)).all()
    assert "arith.truncf" not in traced.module.text()


def test_initial_values():
    def kernel(x: spy.In, out: spy.Out):
        out[0, :] = spy.sum(x[...], axis=0, initial=5)
        out[1, :] = spy.max(x[...], axis=0, initial=2.5)
        out[2, :] = spy.min(x[...], axis=0, initial=-2.5)
        out[3, :] = spy.prod(x[...], axis=0, initial=2)

    x, out = random(3, 4), np.zeros((4, 4), np.float32)
    run(kernel, x, out)
    np.testing.assert_allclose(out[0], x.sum(0) + 5, rtol=1e-6)
    np.testing.assert_array_equal(out[1], np.maximum(x.max(0), 2.5))
    np.testing.assert_array_equal(out[2], np.minimum(x.min(0), -2.5))
    np.testing.assert_allclose(out[3], x.prod(0) * 2, rtol=1e-6)


def test_values_in_other_orders():
    """Transposed, dropped, added and repeated axes."""

    def kernel(x: spy.In, a: spy.Out, b: spy.Out, c: spy.Out, d: spy.Out):
        v = spy.load(x)
        a[...] = spy.sum(spy.transpose(v), axis=1)
        b[...] = spy.sum(spy.broadcast_to(v, (3, *v.shape)), axis=(0, 2))
        c[...] = spy.sum(x[2, :], keepdims=True)
        d[...] = spy.sum(v[:, None, :], axis=(1, 2))

    x = random(5, 7)
    a, b, c, d = (np.zeros(n, np.float32) for n in (7, 5, 1, 5))
    run(kernel, x, a, b, c, d)
    np.testing.assert_allclose(a, x.sum(0), rtol=1e-5)
    np.testing.assert_allclose(b, 3 * x.sum(1), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(c, x[2].sum(keepdims=True), rtol=1e-5)
    np.testing.assert_allclose(d, x.sum(1), rtol=1e-5, atol=1e-5)


def test_constants_and_scalars():
    def kernel(out: spy.Out):
        out[0] = spy.sum(spy.full((3, 4), 2.0, spy.f32))
        out[1] = spy.max(spy.full((), 2.0, spy.f32))

    out = np.zeros(2, np.float32)
    run(kernel, out)
    assert out.tolist() == [24, 2]


def test_softmax_in_seven_lines():
    def softmax(x: spy.In, out: spy.Out):
        for row in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
            v = spy.cast(x[row, :], spy.f32)
            e = spy.exp(v - spy.max(v))
            out[row, :] = spy.cast(e / spy.sum(e), spy.f16)

    x = random(13, 97, dtype=np.float16)
    out = np.zeros_like(x)
    run(softmax, x, out, grid=4)
    e = np.exp(x.astype(np.float32) - x.astype(np.float32).max(1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=2e-3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_layer_norm(dtype):
    def kernel(x: spy.In, w: spy.In, b: spy.In, out: spy.Out):
        v = spy.load(x)
        mean, squares = spy.exx2(v, keepdims=True)
        scale = spy.layernorm_scale(mean, squares, epsilon=1e-3)
        out[...] = spy.layernorm_norm(v, mean, scale, w[:], b[:])

    x, w, b = random(9, 33, dtype=dtype), random(33, dtype=dtype), random(33, dtype=dtype)
    out = np.zeros_like(x)
    traced = run(kernel, x, w, b, out)
    wide = x.astype(np.float64)
    mean, var = wide.mean(1, keepdims=True), wide.var(1, keepdims=True)
    wanted = (wide - mean) / np.sqrt(var + 1e-3) * w + b
    np.testing.assert_allclose(out, wanted, atol=1e-2 if dtype == np.float16 else 1e-5)
    assert "spyreop.exx2" in traced.module.text()


MISTAKES = {
    "axis": (lambda v: spy.sum(v, axis=2), "SPY239"),
    "axis twice": (lambda v: spy.sum(v, axis=(0, -2)), "SPY239"),
    "axis of another kind": (lambda v: spy.max(v, axis="rows"), "SPY239"),
    "initial": (lambda v: spy.sum(v, initial="0"), "SPY236"),
    "keepdims": (lambda v: spy.sum(v, keepdims=2), "SPY236"),
    "dtype": (lambda v: spy.sum(v, dtype=spy.i32), "SPY231"),
    "narrower dtype": (lambda v: spy.sum(v, dtype=spy.f16), "SPY231"),
    "mean of integers": (lambda v: spy.mean(spy.cast(v, spy.i32)), "SPY232"),
    "sum of booleans": (lambda v: spy.sum(v > 0), "SPY232"),
    "max of nothing": (lambda v: spy.max(spy.zeros((3, 0), spy.f32), axis=1), "SPY248"),
    "mean of nothing": (lambda v: spy.mean(spy.zeros((0,), spy.f32)), "SPY248"),
    "a number": (lambda v: spy.sum(3.0), "SPY236"),
    "exx2 of bf16": (lambda v: spy.exx2(spy.cast(v, spy.bf16)), "SPY232"),
    "epsilon": (lambda v: spy.layernorm_scale(v, v, epsilon=-1), "SPY236"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    mistake, code = MISTAKES[name]

    def kernel(x: spy.In, out: spy.Out):
        mistake(spy.load(x))

    with pytest.raises(SpyreError) as found:
        trace_kernel(kernel, np.zeros((4, 8), np.float32), np.zeros(1, np.float32))
    assert found.value.code == code
    assert found.value.location.file == __file__
