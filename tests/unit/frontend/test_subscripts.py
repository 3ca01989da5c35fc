"""Subscripts with fewer items than axes, and augmented assignment to them, mean what numpy's do."""

import operator

import numpy as np
import pytest

import spyrelang.language as spy

from .running import random, run

KEYS = {
    "one row": lambda r: (1,),
    "some rows": lambda r: (slice(0, 2),),
    "two of three": lambda r: (2, slice(1, 3)),
    "all three": lambda r: (2, 1, slice(0, 4)),
    "dots": lambda r: (Ellipsis,),
    "dots at the left": lambda r: (Ellipsis, slice(1, 3)),
    "dots in the middle": lambda r: (1, Ellipsis, 0),
    "dots for nothing": lambda r: (0, 1, 2, Ellipsis),
    "nothing": lambda r: (),
    "new axes": lambda r: (None, 1),
    "a new axis behind": lambda r: (1, slice(0, 2), None),
    "a traced row": lambda r: (r,),
}


@pytest.mark.parametrize("name", KEYS)
def test_axes_without_a_subscript_are_whole(name) -> None:
    key = KEYS[name]

    def kernel(x: spy.In, out: spy.Out, part: spy.Out):
        tile = x[key(spy.tile_id())]
        out[key(spy.tile_id())] = tile
        part[...] = spy.load(x[...])[key(spy.tile_id())]

    x = random(3, 4, 5)
    wanted = x[key(0)]
    out, part = np.zeros_like(x), np.zeros_like(wanted)
    run(kernel, x, out, part)
    np.testing.assert_array_equal(part, wanted)
    expected = np.zeros_like(x)
    expected[key(0)] = wanted
    np.testing.assert_array_equal(out, expected)


def test_rows_of_a_gather_are_whole() -> None:
    def kernel(x: spy.In, rows: spy.In, out: spy.Out, scattered: spy.Out):
        out[...] = x[spy.ind(rows[...])]
        scattered[spy.ind(rows[...])] = out[...]

    x, rows = random(6, 3, 2), np.array([4, 1, 5], np.int32)
    out, scattered = np.zeros((3, 3, 2), np.float32), np.zeros_like(x)
    run(kernel, x, rows, out, scattered)
    np.testing.assert_array_equal(out, x[rows])
    np.testing.assert_array_equal(scattered[rows], x[rows])
    assert not scattered[[0, 2, 3]].any()


def test_a_view_without_axes() -> None:
    def kernel(x: spy.In, out: spy.Out):
        out[()] = x[()] + x[...]

    out = np.zeros((), np.float32)
    run(kernel, np.array(2.5, np.float32), out)
    assert out == 5


FLOATS = [
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ipow,
]  # fmt: skip
INTEGERS = [
    operator.iadd, operator.isub, operator.imul, operator.ifloordiv, operator.imod, operator.ipow,
    operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift,
]  # fmt: skip


@pytest.mark.parametrize(
    ("op", "dtype"),
    [*((o, np.float32) for o in FLOATS), *((o, np.int32) for o in INTEGERS)],
    ids=lambda v: v.__name__,
)
def test_augmented_assignment_loads_computes_and_stores(op, dtype) -> None:
    def kernel(x: spy.In, out: spy.InOut):
        for i in spy.range(4):
            key = (i, slice(0, 3))
            out[key] = op(out[key], x[i, 0:3])

    x = (np.arange(12).reshape(4, 3) % 4 + 1).astype(dtype)
    out = (np.arange(16).reshape(4, 4) + 5).astype(dtype)
    wanted = out.copy()
    wanted[:, 0:3] = op(wanted[:, 0:3], x)
    run(kernel, x, out)
    np.testing.assert_allclose(out, wanted, rtol=1e-6)


def test_statements_of_augmented_assignment() -> None:
    def kernel(x: spy.In, w: spy.In, out: spy.InOut):
        for i in spy.range(4):
            out[i] += x[i]
            out[i, :] *= 2.0
            out[i, 1:3] -= out[i, 0:2]
        out[...] @= w[...]

    x, w, out = random(4, 4), random(4, 4, seed=8), random(4, 4, seed=9)
    wanted = (out + x) * np.float32(2)
    wanted[:, 1:3] -= wanted[:, 0:2].copy()
    wanted = wanted @ w
    run(kernel, x, w, out)
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-6)
