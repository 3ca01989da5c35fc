"""x + y and x - y: two outputs that share their loads."""

from __future__ import annotations

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy

M, N = spy.dims("M N")


def own_rows(extent: int) -> slice:
    """An equal share of the rows for each compute tile."""
    share = extent // spy.num_tiles()
    start = spy.tile_id() * share
    return slice(start, start + share)


@spyre.kernel(grid=4)
def sum_difference(x: spy.In[M, N], y: spy.In[M, N], total: spy.Out[M, N], rest: spy.Out[M, N]):
    rows = own_rows(x.shape[0])
    a, b = spy.load(x[rows, :]), spy.load(y[rows, :])
    total[rows, :] = a + b
    rest[rows, :] = a - b


def reference(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return x + y, x - y


def inputs() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [
        rng.integers(-99, 99, (8, 65)).astype(np.int32),
        rng.integers(-99, 99, (8, 65)).astype(np.int32),
    ]


CHECKS = {"sum_difference": lambda: {"ref": reference, "inputs": inputs()}}
