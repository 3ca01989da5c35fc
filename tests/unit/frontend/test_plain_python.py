"""Plain Python on traced values, where the source can be read: every form decides by value."""

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.errors import SpyreError

from .running import random, run


def test_range_counts_to_traced_integers():
    def kernel(x: spy.In, out: spy.Out):
        t, total = spy.tile_id(), spy.zeros((4,), spy.f32)
        for i in range(t + 1):
            for _ in range(2):  # Python's own
                total = total + x[i, :]
        out[t, :] = total

    x, out = random(3, 4), np.zeros((3, 4), np.float32)
    traced = run(kernel, x, out, grid=3)
    np.testing.assert_allclose(out, 2 * np.cumsum(x, 0), rtol=1e-5)
    assert traced.module.text().count("scf.for") == 1


def test_conditional_expressions():
    def kernel(x: spy.In, out: spy.Out):
        t = spy.tile_id()
        row = 0 if t < 1 else t - 1
        v = x[row, :] if t != 2 else spy.load(x[0, :]) * 2.0
        count = 0
        for i in spy.range(3):
            count = count + 1 if i < t else count
        out[t, :] = v + (spy.cast(count, spy.f32) if x.shape[0] == 3 else 0.0)

    x, out = random(3, 4), np.zeros((4, 4), np.float32)
    run(kernel, x, out, grid=4)
    np.testing.assert_allclose(out, [x[0], x[0] + 1, x[0] * 2 + 2, x[2] + 3], rtol=1e-6)


def test_logic_and_chains():
    def kernel(x: spy.In, out: spy.Out, last: spy.Const = 6):
        t = spy.tile_id()
        if 0 < t < 3 or (t == 5 and last == 6):
            out[t, :] = x[t, :]
        elif (not t < 1) and not (t > last or last > 100):
            out[t, :] = x[t, :] * 2.0
        else:
            out[t, :] = 0.0

    x, out = random(8, 4), np.zeros((8, 4), np.float32)
    run(kernel, x, out, grid=8)
    factors = np.array([0, 1, 1, 2, 2, 1, 2, 0], np.float32)
    np.testing.assert_array_equal(out, x * factors[:, None])


def test_while_with_logic():
    def kernel(x: spy.In, out: spy.Out):
        i, v = spy.tile_id(), spy.load(x[:])
        while spy.max(v) < 100.0 and i < 3:
            i += 1
            if i == 2:
                continue
            v = v * 2.0
        out[spy.tile_id(), :] = v

    x, out = np.array([1, 3], np.float32), np.zeros((4, 2), np.float32)
    run(kernel, x, out, grid=4)
    np.testing.assert_array_equal(out, [x * 4, x * 2, x * 2, x])


def test_returns_and_continues():
    def sign(t, v):
        if t == 0:
            return -v
        if t == 1:
            v = v * 2.0
        elif t == 2:
            return v * 0.0
        return v + 1.0

    def kernel(x: spy.In, out: spy.Out):
        t = spy.tile_id()
        if t >= x.shape[0]:
            return
        for i in spy.range(2):
            if i == t:
                continue
            out[t, i, :] = sign(t, spy.load(x[t, :]))

    x, out = random(4, 3), np.zeros((6, 2, 3), np.float32)
    run(kernel, x, out, grid=6)
    signed = np.stack([-x[0], x[1] * 2 + 1, x[2] * 0, x[3] + 1])
    want = np.zeros((6, 2, 3), np.float32)
    want[:4] = signed[:, None]
    want[0, 0] = want[1, 1] = 0
    np.testing.assert_allclose(out, want, rtol=1e-6)


def test_extremes():
    def kernel(x: spy.In, out: spy.Out):
        t = spy.tile_id()
        out[t, :] = x[min(t, 1, 5), :] + x[max(t - 3, 0), :] * float(max(1, 2))

    x, out = random(2, 4), np.zeros((5, 4), np.float32)
    run(kernel, x, out, grid=5)
    np.testing.assert_allclose(out, [x[min(t, 1)] + 2 * x[max(t - 3, 0)] for t in range(5)])


def test_python_short_circuits_what_it_knows():
    def kernel(x: spy.In, out: spy.Out, table: spy.Const = None):
        t = spy.tile_id()
        if t > 0 or t < 9:  # makes this function a rewritten one
            out[t, :] = x[t, :] if table is None or table[5] else x[0, :]
        if table is not None and table[5] > t:
            out[t, :] = 0.0

    x, out = random(3, 4), np.zeros((3, 4), np.float32)
    run(kernel, x, out, grid=3)
    np.testing.assert_array_equal(out, x)


def test_variables_that_each_of_several_sides_makes():
    def kernel(x: spy.In, out: spy.Out):
        t = spy.tile_id()
        if t == 0:
            v = spy.load(x[0, :])
        elif t == 1:
            v = x[1, :] * 2.0
        else:
            v = -spy.load(x[0, :])
        out[t, :] = v

    x, out = random(2, 4), np.zeros((3, 4), np.float32)
    run(kernel, x, out, grid=3)
    np.testing.assert_array_equal(out, [x[0], x[1] * 2, -x[0]])


def test_values_that_do_not_fit():
    def kernel(x: spy.In, out: spy.Out):
        scale = 0.5 if spy.tile_id() < 1 else 2.0
        out[...] = spy.load(x) * scale

    with pytest.raises(SpyreError, match=r"SPY257.*0\.5"):
        run(kernel, random(2), np.zeros(2, np.float32), grid=2)


def test_a_return_in_a_loop_stays_refused():
    def kernel(x: spy.In, out: spy.Out):
        for i in spy.range(2):
            if spy.tile_id() == i:
                return
            out[i, :] = x[i, :]

    with pytest.raises(SpyreError, match="SPY201"):
        spyre.kernel(kernel, grid=2)(random(2, 2), np.zeros((2, 2), np.float32), engine="ktir")
