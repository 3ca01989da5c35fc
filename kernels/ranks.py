"""For one chosen column of each row, how many values of the row are at least as large."""

from __future__ import annotations

from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy

M, N = spy.dims("M N")


@spyre.kernel(grid=4)
def ranks(x: spy.In[M, N], chosen: spy.In[M], out: spy.Out[M, spy.i32], block: spy.Const = 1024):
    for row in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
        value, count = spy.load(x[row, chosen[row]]), spy.zeros((), spy.i32)
        for cols in spy.blocks(x.shape[1], block, axis=None):
            count += spy.sum(spy.cast(x[row, cols] >= value, spy.i32))
        out[row] = count


def reference(x: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    return (x >= np.take_along_axis(x, chosen[:, None], axis=1)).sum(axis=1)


def check(
    rows: int = 9, columns: int = 4097, dtype: Any = np.float16, seed: int = 0
) -> dict[str, Any]:
    rng = np.random.default_rng([seed, rows, columns])
    x = rng.standard_normal((rows, columns)).astype(dtype)
    chosen = rng.integers(0, columns, rows).astype(np.int32)
    return {"ref": reference, "inputs": [x, chosen], "tolerance": 0, "stages": ["ktir"]}


CHECKS = {"ranks": check}
