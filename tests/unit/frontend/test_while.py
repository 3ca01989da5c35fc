"""`while` on traced values, plain and as `spy.while_`, and integers of Python that loops carry."""

import numpy as np

import spyrelang.language as spy
from spyrelang.frontend import coverage

from .conftest import trace_kernel
from .running import random, run


def test_binary_search():
    def kernel(x: spy.In, keys: spy.In, out: spy.Out):
        key = spy.load(keys[spy.tile_id()])
        low, high, steps = 0, x.shape[0], 0
        while low < high:
            middle = (low + high) // 2
            if spy.load(x[middle]) < key:
                low = middle + 1
            else:
                high = middle
            steps += 1
        spy.assert_(steps <= 6)
        out[spy.tile_id()] = spy.cast(low, spy.i32)

    x = np.sort(random(37, dtype=np.int32))
    keys, out = np.array([-9, 3, 8, 40], np.int32), np.zeros(4, np.int32)
    traced = run(kernel, x, keys, out, grid=4)
    np.testing.assert_array_equal(out, np.searchsorted(x, keys))
    assert "scf.while" in traced.module.text()
    assert "_spy_" not in traced.module.text()


def test_tensors_and_integers_that_tiles_leave_at_other_times():
    def kernel(x: spy.In, out: spy.Out, count: spy.Out):
        t = spy.tile_id()
        v, i = spy.load(x[t, :]), spy.tile_id() * 0
        while spy.max(v) > 1.0:
            v = v * 0.5
            i = i + 1
        out[t, :] = v
        count[t] = spy.cast(i, spy.i32)

    x = np.array([[0.5, 1], [3, 8], [100, 2]], np.float32)
    out, count = np.zeros_like(x), np.zeros(3, np.int32)
    run(kernel, x, out, count, grid=3)
    np.testing.assert_array_equal(count, [0, 3, 7])
    np.testing.assert_array_equal(out, x * 0.5 ** count[:, None])


def test_while_in_a_for_in_a_while():
    def kernel(n: spy.In, out: spy.Out):
        total, outer = spy.full((), 0, spy.i32), spy.tile_id()
        while outer < 3:
            for i in spy.range(2):
                j = i
                while j < spy.load(n[0]):
                    total = total + 1
                    j = j + 1
            outer += 1
        out[spy.tile_id()] = total

    out = np.zeros(4, np.int32)
    run(kernel, np.array([3], np.int32), out, grid=4)
    np.testing.assert_array_equal(out, [15, 10, 5, 0])


def test_python_decides_where_it_can():
    def kernel(x: spy.In, out: spy.Out):
        i, v = 0, spy.load(x[:])
        while i < 3:
            v, i = v + x[:], i + 1
        out[:] = v
        while spy.tile_id() < 0:
            out[:] = 0.0

    x, out = random(4), np.zeros(4, np.float32)
    traced = run(kernel, x, out)
    np.testing.assert_allclose(out, x * 4, rtol=1e-6)
    assert "scf" not in traced.module.text()


def test_else():
    def kernel(out: spy.Out):
        i = spy.tile_id()
        while i < 4:
            i = i + 3
        else:
            i = i * 10
        out[spy.tile_id()] = spy.cast(i, spy.i32)

    out = np.zeros(6, np.int32)
    run(kernel, out, grid=6)
    np.testing.assert_array_equal(out, [60, 40, 50, 60, 40, 50])


# --- without source -------------------------------------------------------------------------------

TYPED = """
import spyrelang.language as spy
def closure(x: spy.In, out: spy.Out):
    i, v = spy.tile_id(), spy.load(x[:])
    for _ in spy.while_(lambda: (spy.sum(v) < 100.0) & (i < 9)):
        v = v + v
        i += 1
    out[spy.tile_id(), :] = v * spy.cast(i, spy.f32)

def named(x: spy.In, out: spy.Out):
    start = spy.load(x[:])
    smaller = lambda i, v: (spy.sum(v) < 100.0) & (i < 9)
    for i, v in spy.while_(smaller, carry=(spy.tile_id(), start)):
        i, v = i + 1, v + v
    out[spy.tile_id(), :] = v * spy.cast(i, spy.f32)

def tile(x: spy.In, out: spy.Out):
    for v in spy.while_(lambda v: spy.sum(v) < 100.0, carry=x[:]):
        v = v + v
    out[spy.tile_id(), :] = v
"""


def typed(name):
    names = {}
    exec(compile(TYPED, "<typed>", "exec"), names)
    return names[name]


def doubled(v, tile):
    while v.sum() < 100 and tile < 9:
        v, tile = v * 2, tile + 1
    return v * tile


def test_spy_while():
    for name in ("closure", "named"):
        x, out = np.array([1, 2, 3], np.float32), np.zeros((8, 3), np.float32)
        run(typed(name), x, out, grid=8)
        np.testing.assert_array_equal(out, [doubled(x, t) for t in range(8)], err_msg=name)


def test_one_carried_tile():
    x, out = np.array([1, 2, 3], np.float32), np.zeros((1, 3), np.float32)
    run(typed("tile"), x, out)
    np.testing.assert_array_equal(out, [x * 32])


def test_python_runs_its_own_iterations():
    def kernel(out: spy.Out):
        n = 0
        for low, high in spy.while_(lambda low, high: low < high, carry=(0, 3)):
            low, n = low + 1, n + high
        out[0] = n

    out = np.zeros(1, np.int32)
    traced = run(kernel, out)
    assert out[0] == 9
    assert "scf" not in traced.module.text()


# --- integers of Python ---------------------------------------------------------------------------


def test_counters_are_carried():
    def kernel(x: spy.In, out: spy.Out):
        count, unchanged = 0, 7
        for i in spy.range(x.shape[0]):
            if spy.load(x[i]) > 0:
                count += 1
            unchanged = unchanged + 0 * i
        out[0] = spy.cast(count, spy.i32)
        out[1] = spy.cast(count + unchanged, spy.i32)

    x, out = random(20), np.zeros(2, np.int32)
    run(kernel, x, out)
    np.testing.assert_array_equal(out, [(x > 0).sum(), (x > 0).sum() + 7])


def test_branches_choose_integers():
    def kernel(x: spy.In, out: spy.Out):
        t, row = spy.tile_id(), 0
        if t % 2 == 0:
            row, other = 1, 2
        else:
            other = 3
        with spy.when(t == 3):
            row = 2
        out[t, :] = x[row, :] + x[other, :]

    x, out = random(4, 3), np.zeros((4, 3), np.float32)
    run(kernel, x, out, grid=4)
    np.testing.assert_array_equal(out, [x[1] + x[2], x[0] + x[3], x[1] + x[2], x[2] + x[3]])


def test_branches_in_unrolled_loops():
    def kernel(x: spy.In, out: spy.Out):
        t, v = spy.tile_id(), spy.load(x[0, :])
        for i in range(3):
            if t > i:
                v = v + x[i, :]
        out[t, :] = v

    x, out = random(3, 2), np.zeros((4, 2), np.float32)
    run(kernel, x, out, grid=4)
    want = [x[0] + x[:t].sum(0) for t in range(4)]
    np.testing.assert_allclose(out, want, rtol=1e-5)


def test_coverage_says_nothing_about_while():
    def kernel(out: spy.Out):
        i = spy.tile_id()
        while i < 4:
            out[i] = 1.0
            i += 1

    traced = trace_kernel(kernel, np.zeros(4, np.float32), grid=2)
    assert coverage(traced) == ()
