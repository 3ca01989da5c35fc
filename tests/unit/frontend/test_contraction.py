"""Matrix products: every orientation, batches, accumulators, types."""

import ml_dtypes
import numpy as np
import pytest

import spyrelang.language as spy
from spyrelang.errors import SpyreError

from .conftest import trace_kernel
from .running import random, run


def product(function, a, b, dtype=np.float32):
    def kernel(a: spy.In, b: spy.In, out: spy.Out):
        out[...] = function(spy.load(a), spy.load(b))

    shape = np.matmul(*(np.zeros_like(v, np.float32) for v in (a, b))).shape
    out = np.zeros(shape, dtype)
    traced = run(kernel, a, b, out)
    return out, traced.module.text()


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32])
def test_matrices(dtype):
    a, b = random(5, 7).astype(dtype), random(7, 3).astype(dtype)
    out, text = product(spy.dot, a, b)
    wanted = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-6)
    assert "linalg.matmul ins" in text
    assert "linalg.fill" in text


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("right", [False, True])
def test_transposed_operands_are_not_moved(left, right):
    def turned(a, b):
        return spy.dot(a.T if left else a, spy.transpose(b) if right else b)

    def kernel(a: spy.In, b: spy.In, out: spy.Out):
        out[...] = turned(spy.load(a), spy.load(b))

    a, b = random(5, 7), random(7, 3)
    out = np.zeros((5, 3), np.float32)
    text = run(kernel, a.T.copy() if left else a, b.T.copy() if right else b, out).module.text()
    np.testing.assert_allclose(out, a @ b, rtol=1e-5, atol=1e-6)
    assert text.count("linalg.") == 2  # the fill and the product
    assert ("indexing_maps" in text) == (left or right)


def test_vectors():
    def kernel(a: spy.In, b: spy.In, mv: spy.Out, vm: spy.Out, vv: spy.Out, rows: spy.Out):
        mv[...] = spy.dot(a[...], b[:, 0])
        vm[...] = spy.dot(a[1, :], b[...])
        vv[...] = spy.dot(a[1, :], b[:, 2], acc=1.0)
        rows[...] = a[1:2, :] @ b[:, 0:2]

    a, b = random(5, 7), random(7, 3)
    mv, vm, vv, rows = (np.zeros(s, np.float32) for s in (5, 3, (), (1, 2)))
    run(kernel, a, b, mv, vm, vv, rows)
    np.testing.assert_allclose(mv, a @ b[:, 0], rtol=1e-5)
    np.testing.assert_allclose(vm, a[1] @ b, rtol=1e-5)
    np.testing.assert_allclose(vv, a[1] @ b[:, 2] + 1, rtol=1e-5)
    np.testing.assert_allclose(rows, a[1:2] @ b[:, :2], rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_integers(dtype):
    a, b = random(5, 7, dtype=dtype), random(7, 3, dtype=dtype)
    wide = np.int64 if dtype == np.int64 else np.int32
    out, _ = product(spy.dot, a, b, wide)
    np.testing.assert_array_equal(out, a.astype(wide) @ b.astype(wide))


def test_rounded_result():
    a, b = random(5, 7, dtype=np.float16), random(7, 3, dtype=np.float16)
    out, _ = product(lambda x, y: spy.dot(x, y, dtype=spy.f16), a, b, np.float16)
    wanted = (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
    np.testing.assert_allclose(out, wanted, rtol=1e-3)


def test_accumulator_of_dropped_axes():
    def kernel(a: spy.In, b: spy.In, c: spy.In, out: spy.Out):
        out[...] = spy.dot(a[1, :, :], b[:, 0, :], acc=c[2, :, :])

    a, b, c = random(2, 4, 6), random(6, 2, 3), random(3, 4, 3)
    out = np.zeros((4, 3), np.float32)
    run(kernel, a, b, c, out)
    np.testing.assert_allclose(out, a[1] @ b[:, 0] + c[2], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("lead", [(2,), (2, 3), (2, 1, 3)])
def test_batches(lead):
    a, b = random(*lead, 4, 6), random(*lead, 6, 5)
    out, text = product(spy.batch_dot, a, b)
    np.testing.assert_allclose(out, a @ b, rtol=1e-5, atol=1e-6)
    assert "linalg.batch_matmul" in text


def test_batches_that_broadcast():
    a, b = random(3, 1, 4, 6), random(2, 6, 5)
    out, _ = product(spy.batch_dot, a, b)
    np.testing.assert_allclose(out, a @ b, rtol=1e-5, atol=1e-6)


def test_batches_transposed_and_accumulated():
    def kernel(a: spy.In, b: spy.In, c: spy.In, out: spy.Out):
        turned = spy.transpose(spy.load(b), (0, 2, 1))
        out[...] = spy.batch_dot(a[...], turned, acc=c[...])

    a, b, c = random(2, 4, 6), random(2, 5, 6), random(2, 4, 5)
    out = np.zeros((2, 4, 5), np.float32)
    text = run(kernel, a, b, c, out).module.text()
    np.testing.assert_allclose(out, a @ b.transpose(0, 2, 1) + c, rtol=1e-5, atol=1e-6)
    assert text.count("linalg.") == 1


def test_heads_in_the_middle_are_moved():
    def kernel(q: spy.In, k: spy.In, out: spy.Out):
        out[...] = spy.batch_dot(
            spy.transpose(spy.load(q), (1, 0, 2)), spy.transpose(spy.load(k), (1, 2, 0))
        )

    q, k = random(5, 2, 6), random(7, 2, 6)
    out = np.zeros((2, 5, 7), np.float32)
    run(kernel, q, k, out)
    np.testing.assert_allclose(out, np.einsum("shd,thd->hst", q, k), rtol=1e-5, atol=1e-6)


MISTAKES = {
    "inner sizes": (lambda a, b: spy.dot(a, a), "SPY249"),
    "rank": (lambda a, b: spy.dot(a[None], b), "SPY249"),
    "rank of a batch": (lambda a, b: spy.batch_dot(a, b), "SPY249"),
    "batches": (
        lambda a, b: spy.batch_dot(spy.zeros((2, 4, 4), spy.f16), spy.zeros((3, 4, 4), spy.f16)),
        "SPY230",
    ),
    "types": (lambda a, b: spy.dot(a, spy.cast(b, spy.f32)), "SPY231"),
    "booleans": (lambda a, b: spy.dot(a > 0, b > 0), "SPY232"),
    "result type": (lambda a, b: spy.dot(a, b, dtype=spy.i32), "SPY231"),
    "accumulator": (lambda a, b: spy.dot(a, b, acc=spy.zeros((4, 3), spy.f16)), "SPY255"),
    "its shape": (lambda a, b: spy.dot(a, b, acc=spy.zeros((4, 4), spy.f32)), "SPY255"),
    "a number": (lambda a, b: spy.dot(a, 2.0), "SPY236"),
    "@ of a number": (lambda a, b: a @ 2.0, "SPY236"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    mistake, code = MISTAKES[name]

    def kernel(a: spy.In, b: spy.In):
        mistake(spy.load(a), spy.load(b))

    with pytest.raises(SpyreError) as found:
        trace_kernel(kernel, np.zeros((4, 8), np.float16), np.zeros((8, 3), np.float16))
    assert found.value.code == code
    assert found.value.location.file == __file__
