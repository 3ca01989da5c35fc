"""Values combined over compute tiles, on grids of one to three axes."""

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.errors import SpyreError

from .conftest import trace_kernel
from .running import random, run

OPS = {"sum": np.sum, "max": np.max, "min": np.min, "prod": np.prod}
GRIDS = [
    ((4,), None),
    ((4,), 0),
    ((2, 3), None),
    ((2, 3), 0),
    ((2, 3), 1),
    ((2, 3), (1, 0)),
    ((2, 2, 3), 1),
    ((2, 2, 3), (0, 2)),
    ((2, 1, 3), 2),
    ((3, 1), 1),
]


def tile(rank):
    return [spy.tile_id(a) for a in range(rank)]


@pytest.mark.parametrize(("grid", "group"), GRIDS)
@pytest.mark.parametrize("op", OPS)
def test_all_reduce(grid, group, op):
    def kernel(x: spy.In, out: spy.Out):
        at = (*tile(len(grid)), slice(None))
        out[at] = spy.all_reduce(x[at], op, group)

    x = random(*grid, 5)
    out = np.zeros_like(x)
    run(kernel, x, out, grid=grid)
    axes = tuple(range(len(grid))) if group is None else group
    wanted = np.broadcast_to(OPS[op](x, axis=axes, keepdims=True), x.shape)
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("grid", "group", "root"), [((4,), None, 0), ((4,), None, 2), ((2, 3), 1, 1), ((2, 3), 0, 1)]
)
def test_reduce_to_one(grid, group, root):
    def kernel(x: spy.In, out: spy.Out):
        at = (*tile(len(grid)), slice(None))
        total = spy.reduce_to_one(x[at], group=group, root=root)
        with spy.when(spy.tile_id(group or 0) == root):
            out[at] = total

    x = random(*grid, 5)
    out = np.zeros_like(x)
    run(kernel, x, out, grid=grid)
    axis = group or 0
    wanted = np.zeros_like(x)
    chosen = (slice(None),) * axis + (root,)
    wanted[chosen] = x.sum(axis=axis)
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("grid", "group"), GRIDS)
@pytest.mark.parametrize("by", [1, 2, -1, 12])
def test_shift(grid, group, by):
    def kernel(x: spy.In, out: spy.Out):
        at = (*tile(len(grid)), slice(None))
        out[at] = spy.shift(x[at], by, group)

    x = random(*grid, 5)
    out = np.zeros_like(x)
    run(kernel, x, out, grid=grid)
    axes = sorted(range(len(grid)) if group is None else np.atleast_1d(group).tolist())
    others = [a for a in range(len(grid)) if a not in axes]
    rows = x.transpose(*others, *axes, -1)
    turned = np.roll(rows.reshape(*(grid[a] for a in others), -1, 5), by, axis=len(others))
    back = np.argsort([*others, *axes, len(grid)])
    np.testing.assert_array_equal(out, turned.reshape(rows.shape).transpose(*back))


@pytest.mark.parametrize(
    ("grid", "group", "root"), [((4,), None, 0), ((4,), 0, 3), ((2, 3), 1, 1), ((2, 3), 0, 1)]
)
def test_from_one(grid, group, root):
    def kernel(x: spy.In, out: spy.Out):
        at = (*tile(len(grid)), slice(None))
        out[at] = spy.from_one(x[at], root, group)

    x = random(*grid, 5)
    out = np.zeros_like(x)
    run(kernel, x, out, grid=grid)
    np.testing.assert_array_equal(
        out, np.broadcast_to(np.take(x, [root], axis=group or 0), x.shape)
    )


def test_ring_all_reduce():
    def kernel(x: spy.In, out: spy.Out):
        passed = total = spy.load(x[spy.tile_id(), :])
        for _ in spy.range(spy.num_tiles() - 1):
            passed = spy.shift(passed)
            total = total + passed
        out[spy.tile_id(), :] = total

    x = random(5, 7, dtype=np.int32)
    out = np.zeros_like(x)
    run(kernel, x, out, grid=5)
    np.testing.assert_array_equal(out, np.broadcast_to(x.sum(0), x.shape))


def test_tiles_meet_in_an_exchange_whose_result_is_not_used():
    """What others stored in their scratchpads before it may be read after it."""

    def kernel(x: spy.In, out: spy.Out, meet: spy.Const):
        i = spy.tile_id()
        own = spy.memory_view(0, (1, 5), space=spy.local(), dtype=spy.f32)
        own[...] = x[i : i + 1, :]
        if meet:
            spy.all_reduce(spy.zeros((1,), spy.i32))
        parts = [
            spy.memory_view(0, (1, 5), space=spy.local(ct), dtype=spy.f32)
            for ct in range(spy.num_tiles())
        ]
        out[i, :] = spy.sum(spy.distributed_view(parts, axis=0)[:, :], axis=0)

    x, out = random(4, 5), np.zeros((4, 5), np.float32)
    for meet in (True, False):
        traced = trace_kernel(kernel, x, out, grid=4, meet=meet)
        found = spyre.load_ktir(traced.module.text()).run({"x": x, "out": out}, engine="ktir")
        assert bool(found.warnings) is not meet
        assert ("inter_tile" in traced.module.text()) is meet
    np.testing.assert_allclose(out, np.broadcast_to(x.sum(0), x.shape), rtol=1e-5, atol=1e-6)


def test_split_k():
    """Each tile multiplies a share of K; the first of each group stores the sum."""

    def kernel(a: spy.In, b: spy.In, c: spy.Out):
        row, k = spy.tile_id(0) * 4, spy.tile_id(1) * 8
        partial = spy.dot(a[row : row + 4, k : k + 8], b[k : k + 8, :])
        total = spy.reduce_to_one(partial, group=1)
        with spy.when(spy.tile_id(1) == 0):
            c[row : row + 4, :] = total

    a, b, c = random(8, 24), random(24, 5), np.zeros((8, 5), np.float32)
    run(kernel, a, b, c, grid=(2, 3))
    np.testing.assert_allclose(c, a @ b, rtol=1e-5, atol=1e-5)


def test_rms_norm_sharded_over_columns():
    def kernel(x: spy.In, w: spy.In, out: spy.Out):
        rows, cols = spy.tile_id(0) * 3, spy.tile_id(1) * 4
        v = spy.cast(x[rows : rows + 3, cols : cols + 4], spy.f32)
        squares = spy.all_reduce(spy.sum(v * v, axis=1, keepdims=True), group=1)
        scaled = v * spy.rsqrt(squares / float(x.shape[1]) + 1e-5)
        out[rows : rows + 3, cols : cols + 4] = spy.cast(scaled, spy.f16) * w[cols : cols + 4]

    x, w = random(6, 8, dtype=np.float16), random(8, dtype=np.float16)
    out = np.zeros_like(x)
    run(kernel, x, w, out, grid=(2, 2))
    wide = x.astype("f4")
    wanted = wide / np.sqrt((wide * wide).mean(1, keepdims=True) + 1e-5) * w.astype("f4")
    np.testing.assert_allclose(out, wanted, atol=4e-3)


def test_integers_and_one_tile():
    def kernel(x: spy.In, out: spy.Out):
        out[spy.tile_id(), :] = spy.all_reduce(x[spy.tile_id(), :], "max")

    for tiles in (1, 3):
        x = random(tiles, 5, dtype=np.int32)
        out = np.zeros_like(x)
        text = run(kernel, x, out, grid=tiles).module.text()
        np.testing.assert_array_equal(out, np.broadcast_to(x.max(0), x.shape))
        assert ("inter_tile" in text) == (tiles > 1)


MISTAKES = {
    "op": (lambda v: spy.all_reduce(v, "mean"), "SPY297"),
    "op of another kind": (lambda v: spy.all_reduce(v, max), "SPY297"),
    "group": (lambda v: spy.all_reduce(v, group=1), "SPY216"),
    "group twice": (lambda v: spy.all_reduce(v, group=(0, 0)), "SPY216"),
    "group of another kind": (lambda v: spy.all_reduce(v, group="rows"), "SPY216"),
    "no group": (lambda v: spy.all_reduce(v, group=()), "SPY216"),
    "root": (lambda v: spy.reduce_to_one(v, root=4), "SPY297"),
    "shift of no number": (lambda v: spy.shift(v, 1.5), "SPY297"),
    "shift in no group": (lambda v: spy.shift(v, group=2), "SPY216"),
    "root of a copy": (lambda v: spy.from_one(v, -1), "SPY297"),
    "booleans": (lambda v: spy.all_reduce(v > 0), "SPY232"),
    "a number": (lambda v: spy.all_reduce(1.0), "SPY236"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    mistake, code = MISTAKES[name]

    def kernel(x: spy.In):
        mistake(spy.load(x))

    with pytest.raises(SpyreError) as found:
        trace_kernel(kernel, random(4, 6), grid=4)
    assert found.value.code == code
    assert found.value.location.file == __file__
