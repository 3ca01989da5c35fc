"""silu(x) * y, the gate of a transformer's feed-forward layer."""

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


@spyre.kernel(grid=8)
def swiglu(x: spy.In[M, N], y: spy.In[M, N], out: spy.Out[M, N]):
    rows = own_rows(x.shape[0])
    out[rows, :] = spy.silu(x[rows, :]) * y[rows, :]


def reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    wide = x.astype(np.float64)
    return (wide / (1 + np.exp(-wide))).astype(x.dtype) * y


def inputs() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [
        rng.standard_normal((16, 300)).astype(np.float16),
        rng.standard_normal((16, 300)).astype(np.float16),
    ]


CHECKS = {"swiglu": lambda: {"ref": reference, "inputs": inputs()}}
