"""max(x, 0), block by block; the last block is shorter."""

from __future__ import annotations

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy

M, N = spy.dims("M N")


@spyre.kernel(grid=4)
def relu(x: spy.In[M, N], out: spy.Out[M, N]):
    for rows in spy.blocks(x.shape[0], 4):
        out[rows, :] = spy.maximum(x[rows, :], 0)


def reference(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, np.float16(0))


def inputs() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal((26, 100)).astype(np.float16)]


CHECKS = {"relu": lambda: {"ref": reference, "inputs": inputs()}}
