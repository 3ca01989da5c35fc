"""Values combined over compute tiles, on grids of one to three axes."""

import numpy as np
import pytest

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
