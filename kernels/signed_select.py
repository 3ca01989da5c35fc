"""where(x > y, x, -y)."""

from __future__ import annotations

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy

M, N = spy.dims("M N")


@spyre.kernel(grid=(2, 4))
def signed_select(x: spy.In[M, N], y: spy.In[M, N], out: spy.Out[M, N]):
    height, width = x.shape[0] // spy.num_tiles(0), x.shape[1] // spy.num_tiles(1)
    top, left = spy.tile_id(0) * height, spy.tile_id(1) * width
    here = (slice(top, top + height), slice(left, left + width))
    a, b = spy.load(x[here]), spy.load(y[here])
    out[here] = spy.where(a > b, a, -b)


def reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(x > y, x, -y)


def inputs() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [
        rng.standard_normal((6, 400)).astype(np.float32),
        rng.standard_normal((6, 400)).astype(np.float32),
    ]


CHECKS = {"signed_select": lambda: {"ref": reference, "inputs": inputs()}}
