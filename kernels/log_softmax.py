"""The log-softmax of a few columns of each row; a row is longer than a tile."""

from __future__ import annotations

from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.semantics.tolerance import Tolerance, sum_tolerance

M, N, K = spy.dims("M N K")


@spyre.kernel(grid=4)
def log_softmax(
    x: spy.In[M, N], ids: spy.In[M, K], out: spy.Out[M, K, spy.f32], block: spy.Const = 1024
):
    for row in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
        top, total = spy.full((), -np.inf, spy.f32), spy.zeros((), spy.f32)
        for cols in spy.blocks(x.shape[1], block, axis=None):
            v = spy.cast(x[row, cols], spy.f32)
            new = spy.maximum(top, spy.max(v))
            total = total * spy.exp(top - new) + spy.sum(spy.exp(v - new))
            top = new
        chosen = spy.cast(x[row, spy.ind(ids[row, :])], spy.f32)
        out[row, :] = chosen - top - spy.log(total)


def reference(x: np.ndarray, ids: np.ndarray) -> np.ndarray:
    wide = x.astype(np.float64)
    wide -= wide.max(axis=1, keepdims=True)
    wide -= np.log(np.exp(wide).sum(axis=1, keepdims=True))
    return np.take_along_axis(wide, ids, axis=1)


def check(
    rows: int = 9, columns: int = 4097, top: int = 5, dtype: Any = np.float16, seed: int = 0
) -> dict[str, Any]:
    rng = np.random.default_rng([seed, rows, columns, top])
    x = (4 * rng.standard_normal((rows, columns))).astype(dtype)
    ids = np.argsort(-x.astype(np.float32), axis=1)[:, :top].astype(np.int32)
    # a relative error of the sum is an absolute one of its logarithm
    absolute = sum_tolerance(columns + 8, "f32") * 2 + 2.0**-22 * float(np.abs(x).max())
    return {
        "ref": reference,
        "inputs": [x, ids],
        "tolerance": Tolerance(1, absolute),
        "stages": ["ktir"],
    }


CHECKS = {"log_softmax": check}
