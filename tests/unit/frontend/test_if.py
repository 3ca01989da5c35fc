"""`if` on traced values: both sides are traced where the source can be read."""

import numpy as np
import pytest

import spyrelang.language as spy
from spyrelang.errors import SpyreError

from .conftest import trace_kernel
from .running import random, run


def test_stores_and_values():
    def kernel(x: spy.In, out: spy.Out):
        i = spy.tile_id()
        v, row = spy.load(x[i, :]), i
        if i > 1:
            v = v * 2.0
        elif i == 1:
            v = v + 1.0
            row = row + 3
        else:
            out[5, :] = v
        out[row, :] = v

    x, out = random(4, 4), np.zeros((6, 4), np.float32)
    run(kernel, x, out, grid=4)
    np.testing.assert_array_equal(out, [x[0], 0 * x[0], x[2] * 2, x[3] * 2, x[1] + 1, x[0]])


def test_variables_that_both_sides_make():
    def kernel(x: spy.In, out: spy.Out):
        i = spy.tile_id()
        if i == 0:
            v = spy.load(x[1, :])
            w = v
        else:
            v = spy.load(x[0, :]) * 2.0
            w = v + 1.0
        out[i, :] = v + w

    x, out = random(2, 4), np.zeros((2, 4), np.float32)
    run(kernel, x, out, grid=2)
    np.testing.assert_allclose(out, [x[1] * 2, x[0] * 4 + 1], rtol=1e-6)


def test_in_loops_with_carried_values():
    def kernel(x: spy.In, n: spy.In, out: spy.Out):
        total, count = spy.zeros((4,), spy.f32), spy.zeros((), spy.i32)
        for i in spy.range(3):
            if spy.load(n[i]) > 0:
                total = total + x[i, :]
                count = count + 1
        out[0, :] = total
        out[1, :] = spy.cast(count, spy.f32) + spy.zeros((4,), spy.f32)

    x, out = random(3, 4), np.zeros((2, 4), np.float32)
    run(kernel, x, np.array([1, 0, 1], np.int32), out)
    np.testing.assert_allclose(out, [x[0] + x[2], np.full(4, 2)], rtol=1e-6)


def clamp(v, i):
    if i == 1:
        v = v * 0.0
    return v


def test_helpers_are_rewritten_too():
    before = clamp.__code__

    def kernel(x: spy.In, out: spy.Out):
        i = spy.tile_id()
        out[i, :] = clamp(spy.load(x[i, :]), i)

    x, out = random(3, 4), np.zeros((3, 4), np.float32)
    run(kernel, x, out, grid=3)
    np.testing.assert_array_equal(out, x * np.array([1, 0, 1], np.float32)[:, None])
    assert clamp.__code__ is before


def test_functions_inside_the_kernel():
    def kernel(x: spy.In, out: spy.Out):
        i = spy.tile_id()

        def turned(v):
            if i == 1:
                v = -v
            return v

        out[i, :] = turned(spy.load(x[i, :]))

    x, out = random(2, 4), np.zeros((2, 4), np.float32)
    run(kernel, x, out, grid=2)
    np.testing.assert_array_equal(out, [x[0], -x[1]])


def test_plain_conditions_stay_plain():
    flag, seen = True, []

    def kernel(x: spy.In, out: spy.Out):
        i = spy.tile_id()
        if flag and x.shape[0] == 3:
            seen.append("then")
            v = spy.load(x[i, :])
        else:
            seen.append("else")
        if i == 0:
            v = -v
        out[i, :] = v

    x, out = random(3, 4), np.zeros((3, 4), np.float32)
    run(kernel, x, out, grid=3)
    np.testing.assert_array_equal(out, [-x[0], x[1], x[2]])
    assert "else" not in seen


def test_lists():
    def kernel(x: spy.In, out: spy.Out):
        i = spy.tile_id()
        kept = [spy.load(x[i, :])]
        if i == 1:
            kept[0] = kept[0] * 3.0
        out[i, :] = kept[0]

    x, out = random(2, 4), np.zeros((2, 4), np.float32)
    run(kernel, x, out, grid=2)
    np.testing.assert_array_equal(out, [x[0], x[1] * 3])


def returns_from_a_loop(x, out):
    for i in range(3):
        if spy.tile_id() == i:
            return
        out[i, :] = 1.0


def scales(x, out):
    n = 0.5
    if spy.tile_id() == 0:
        n = 1.0
    out[0, :] = n


def one_side(x, out):
    if spy.tile_id() == 0:
        v = spy.load(x[0, :])
    out[0, :] = v


def types_differ(x, out):
    v = spy.load(x[0, :])
    if spy.tile_id() == 0:
        v = spy.cast(v, spy.f16)
    out[0, :] = spy.cast(v, spy.f32)


def of_many(x, out):
    if spy.load(x[0, :]) > 0:
        out[0, :] = 1.0


MISTAKES = {
    returns_from_a_loop: "SPY201",
    scales: "SPY257",
    one_side: "SPY207",
    types_differ: "SPY207",
    of_many: "SPY256",
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake):
    def kernel(x: spy.In, out: spy.Out):
        mistake(x, out)

    with pytest.raises(SpyreError) as found:
        trace_kernel(kernel, random(4, 8), random(4, 8), grid=2)
    assert found.value.code == MISTAKES[mistake]
    assert found.value.location.file == __file__
    assert found.value.location.source is None


def test_code_without_source_says_so():
    text = """
def kernel(x, out):
    if spy.tile_id() == 0:
        out[0, :] = 1.0
"""
    scope = {"spy": spy}
    exec(text, scope)
    scope["kernel"].__annotations__ = {"x": spy.In, "out": spy.Out}
    with pytest.raises(SpyreError, match="SPY201") as found:
        trace_kernel(scope["kernel"], random(4, 8), random(4, 8), grid=2)
    assert "spy.when" in str(found.value)
