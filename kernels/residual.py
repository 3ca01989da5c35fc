"""(x + y) * w + x; the sum waits in the core's own scratchpad."""

from __future__ import annotations

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy

M, N = spy.dims("M N")


@spyre.kernel(grid=2)
def residual(x: spy.In[M, N], y: spy.In[M, N], w: spy.In[N], out: spy.Out[M, N]):
    row = spy.memory_view(0, (x.shape[1],), space=spy.local(), dtype=x.dtype)
    for i in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
        row[:] = x[i, :] + y[i, :]
        out[i, :] = spy.load(row[:]) * w[:] + x[i, :]


def reference(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
    return (x + y) * w + x


def inputs() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [
        rng.standard_normal((7, 96)).astype(np.float16),
        rng.standard_normal((7, 96)).astype(np.float16),
        rng.standard_normal((96,)).astype(np.float16),
    ]


CHECKS = {"residual": lambda: {"ref": reference, "inputs": inputs()}}
