"""x * scale + shift, a row and a column broadcast."""

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


@spyre.kernel(grid=2)
def scale_shift(x: spy.In[M, N], scale: spy.In[N], shift: spy.In[M], out: spy.Out[M, N]):
    rows = own_rows(x.shape[0])
    out[rows, :] = x[rows, :] * scale[:] + shift[rows, None]


def reference(x: np.ndarray, scale: np.ndarray, shift: np.ndarray) -> np.ndarray:
    return x * scale + shift[:, None]


def inputs() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [
        rng.standard_normal((10, 130)).astype(np.float16),
        rng.standard_normal((130,)).astype(np.float16),
        rng.standard_normal((10,)).astype(np.float16),
    ]


CHECKS = {"scale_shift": lambda: {"ref": reference, "inputs": inputs()}}
