"""gelu(a * b + c), the tail of a dense layer."""

from __future__ import annotations

import math

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
def gelu_affine(a: spy.In[M, N], b: spy.In[M, N], c: spy.In[M, N], out: spy.Out[M, N]):
    rows = own_rows(a.shape[0])
    out[rows, :] = spy.gelu(a[rows, :] * b[rows, :] + c[rows, :])


def reference(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    x = (a * b + c).astype(np.float64)
    erf = np.vectorize(math.erf, otypes=[float])
    return (0.5 * x * (1 + erf(x / math.sqrt(2)))).astype(a.dtype)


def inputs() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [
        rng.standard_normal((24, 192)).astype(np.float16),
        rng.standard_normal((24, 192)).astype(np.float16),
        rng.standard_normal((24, 192)).astype(np.float16),
    ]


CHECKS = {"gelu_affine": lambda: {"ref": reference, "inputs": inputs()}}
