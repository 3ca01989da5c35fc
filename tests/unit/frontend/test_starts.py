"""Numbers that a loop turns into tensors: their type and shape are those of what the body makes."""

import math

import numpy as np
import pytest

import spyrelang.language as spy
from spyrelang.errors import SpyreError

from .conftest import trace_kernel
from .running import random, run

X = random(6, 8)


def floats(x, out):
    total = 0.0
    for i in spy.range(6):
        total = total + x[i, :]
    out[:] = total


def whole_number(x, out):
    total = 0
    for i in spy.range(6):
        total += x[i, :]
    out[:] = total


def nested(x, out):
    total = 0.0
    for i in spy.range(6):
        for j in spy.range(8):
            total = total + x[i, j]
    out[:] = spy.broadcast_to(total, (8,))


def nested_whole_number(x, out):
    total = 0
    for i in spy.range(2):
        for j in spy.range(3):
            total = total + x[i * 3 + j, :]
    out[:] = total


def begun_anew(x, out):
    kept = spy.zeros((8,), spy.f32)
    for i in spy.range(2):
        total = 0.0
        for j in spy.range(3):
            total = total + x[i * 3 + j, :]
        kept = kept + total
    out[:] = kept


def blocks(x, out):
    total = 0.0
    for rows in spy.blocks(6, 4, axis=None):
        total = total + spy.sum(x[rows, :], axis=0)
    out[:] = total


def in_a_while(x, out):
    total, i = 0.0, spy.tile_id()
    while i < 6:
        total = total + x[i, :]
        i = i + 1
    out[:] = total


def by_while_(x, out):
    total, i = 0.0, spy.tile_id()
    for _ in spy.while_(lambda: i < 6):  # noqa: B023  (what is asked each time)
        total = total + x[i, :]
        i = i + 1
    out[:] = total


def beside_others(x, out):
    total, kept, count = 0.0, [spy.zeros((8,), spy.f32)], 0
    for i in spy.range(6):
        total = total + x[i, :] * 0.5
        kept[0] = kept[0] + x[i, :] * 0.5
        count = count + 1
        out[:] = 0.0
    with spy.when(count == 6):
        out[:] = total + kept[0]


SUMS = [
    floats, whole_number, nested_whole_number, begun_anew, blocks, in_a_while, by_while_,
    beside_others,
]  # fmt: skip


@pytest.mark.parametrize("body", SUMS, ids=lambda f: f.__name__)
def test_sums_that_start_as_numbers(body) -> None:
    def kernel(x: spy.In, out: spy.Out):
        body(x, out)

    if body is in_a_while:  # which is rewritten, and so stands in the kernel itself

        def kernel(x: spy.In, out: spy.Out):
            total, i = 0.0, spy.tile_id()
            while i < 6:
                total = total + x[i, :]
                i = i + 1
            out[:] = total

    out = np.zeros(8, np.float32)
    run(kernel, X, out)
    np.testing.assert_allclose(out, X.sum(axis=0), rtol=1e-5, atol=1e-6)


def test_a_sum_of_everything() -> None:
    def kernel(x: spy.In, out: spy.Out):
        nested(x, out)

    out = np.zeros(8, np.float32)
    run(kernel, X, out)
    np.testing.assert_allclose(out, X.sum(), rtol=1e-5)


def test_the_same_kernel_with_tensors_is_the_same_text() -> None:
    def number(x: spy.In, out: spy.Out):
        total = 0.0
        for i in spy.range(6):
            total = total + x[i, :]
        out[:] = total

    def tensor(x: spy.In, out: spy.Out):
        total = spy.full((8,), 0.0, spy.f32)
        for i in spy.range(6):
            total = total + x[i, :]
        out[:] = total

    texts = [trace_kernel(k, X, X[0]).module.text() for k in (number, tensor)]
    assert texts[0].replace("@number", "@tensor") == texts[1]


def test_online_softmax() -> None:
    def kernel(x: spy.In, out: spy.Out):
        most, total, acc = -math.inf, 0.0, 0.0
        for i in spy.range(6):
            row = spy.load(x[i, :])
            now = spy.maximum(most, spy.max(row))
            scale = spy.exp(most - now)
            p = spy.exp(row - now)
            total, acc, most = total * scale + spy.sum(p), acc * scale + p * row, now
        out[:] = acc / total

    out = np.zeros(8, np.float32)
    run(kernel, X, out)
    p = np.exp(X.astype(np.float64) - X.max())
    np.testing.assert_allclose(out, (p * X).sum(axis=0) / p.sum(), rtol=1e-5)


@pytest.mark.parametrize(("start", "dtype"), [(0.25, np.float16), (3, np.int32), (False, np.bool_)])
def test_numbers_take_the_type_of_what_the_body_makes(start, dtype) -> None:
    def kernel(x: spy.In, out: spy.Out):
        total = start
        for i in spy.range(3):
            total = total ^ x[i, :] if x.dtype.name == "i1" else total + x[i, :]
        out[:] = total

    x = np.array([[1, 0], [0, 0], [1, 1]]).astype(dtype)
    out = np.zeros(2, dtype)
    run(kernel, x, out)
    wanted = np.logical_xor.reduce(x) if dtype is np.bool_ else start + x.sum(axis=0)
    np.testing.assert_array_equal(out, wanted)


def test_a_loop_without_iterations_leaves_the_number() -> None:
    def kernel(n: spy.In, x: spy.In, out: spy.Out):
        total = 2.5
        for i in spy.range(n[0]):
            total = total + x[i, :]
        out[:] = total

    out = np.zeros(8, np.float32)
    run(kernel, np.zeros(1, np.int32), X, out)
    assert (out == 2.5).all()


# --- what has no one meaning ----------------------------------------------------------------------


def no_constant_of_the_type(x, out):
    total = 300
    for i in spy.range(6):
        total = total + spy.cast(x[i, :], spy.i8)
    out[:] = spy.cast(total, spy.f32)


def grows(x, out):
    total = 0.0
    for i in spy.range(6):
        total = spy.expand_dims(total + spy.sum(x[i, :]), 0)
    out[0] = spy.sum(total)


def another_type_at_last(x, out):
    total = 0.0
    for i in spy.range(6):
        total = spy.cast(total + spy.cast(x[i, :], spy.f16), spy.f32)
    out[:] = total


def collects(x, out):
    total, seen = 0.0, []
    for i in spy.range(6):
        total = total + x[i, :]
        seen.append(total)
    out[:] = total


def stays_a_number(x, out):
    scale = 1.0
    for i in spy.range(6):
        out[:] = x[i, :] * scale
        scale = scale / 2


def counts(x, out):
    count = 0
    for i in spy.range(6):
        out[:] = x[i, :] * count
        count = count + 1


MISTAKES = {
    no_constant_of_the_type: ("SPY219", "'total'"),
    grows: ("SPY219", "of shape (1,)"),
    another_type_at_last: ("SPY231", "f16"),
    collects: ("SPY219", "0.0"),
    stays_a_number: ("SPY213", "1.0 to 0.5"),
    counts: ("SPY237", "spy.cast(i, spy.f32)"),
}


@pytest.mark.parametrize("body", MISTAKES, ids=lambda f: f.__name__)
def test_mistakes(body) -> None:
    code, fragment = MISTAKES[body]

    def kernel(x: spy.In, out: spy.Out):
        body(x, out)

    with pytest.raises(SpyreError) as found:
        trace_kernel(kernel, X, X[0])
    assert found.value.code == code
    assert fragment in str(found.value)
