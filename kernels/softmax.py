"""Softmax of every row: rows go to 32 compute tiles in turn."""

from __future__ import annotations

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy

M, N = spy.dims("M N")


@spyre.kernel(grid=32)
def softmax(x: spy.In[M, N], out: spy.Out[M, N]):
    for row in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
        v = spy.cast(x[row, :], spy.f32)
        e = spy.exp(v - spy.max(v))
        out[row, :] = spy.cast(e / spy.sum(e), out.dtype)


def reference(x: np.ndarray) -> np.ndarray:
    wide = x.astype(np.float64)
    e = np.exp(wide - wide.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def inputs() -> list[np.ndarray]:
    return [(4 * np.random.default_rng(0).standard_normal((97, 200))).astype(np.float16)]


CHECKS = {"softmax": lambda: {"ref": reference, "inputs": inputs(), "stages": ["ktir"]}}
