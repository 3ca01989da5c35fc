"""x transposed, plus y."""

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
def transpose_add(x: spy.In[N, M], y: spy.In[M, N], out: spy.Out[M, N]):
    rows = own_rows(y.shape[0])
    out[rows, :] = spy.transpose(spy.load(x[:, rows])) + y[rows, :]


def reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return x.T + y


def inputs() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [
        rng.standard_normal((70, 12)).astype(np.float16),
        rng.standard_normal((12, 70)).astype(np.float16),
    ]


CHECKS = {"transpose_add": lambda: {"ref": reference, "inputs": inputs()}}
