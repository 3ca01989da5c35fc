"""RMS norm: by rows, and with rows and columns sharded over a grid of two axes."""

from __future__ import annotations

from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.semantics.tolerance import Tolerance, sum_tolerance

M, N = spy.dims("M N")
EPS = 1e-6


@spyre.kernel(grid=4)
def rms_norm(x: spy.In[M, N], weight: spy.In[N], out: spy.Out[M, N]):
    w = spy.cast(weight[:], spy.f32)
    for rows in spy.blocks(x.shape[0], 32):
        v = spy.cast(x[rows, :], spy.f32)
        scale = spy.rsqrt(spy.mean(v * v, axis=1, keepdims=True) + EPS)
        out[rows, :] = spy.cast(v * scale * w, x.dtype)


@spyre.kernel(grid=(2, 2))
def rms_norm_sharded(x: spy.In[M, N], weight: spy.In[N], out: spy.Out[M, N]):
    height, width = x.shape[0] // spy.num_tiles(0), x.shape[1] // spy.num_tiles(1)
    top, left = spy.tile_id(0) * height, spy.tile_id(1) * width
    rows, cols = slice(top, top + height), slice(left, left + width)
    v, w = spy.cast(x[rows, cols], spy.f32), spy.cast(weight[cols], spy.f32)
    squares = spy.all_reduce(spy.sum(v * v, axis=1, keepdims=True), group=1)
    scale = spy.rsqrt(squares / float(x.shape[1]) + EPS)
    out[rows, cols] = spy.cast(v * scale * w, x.dtype)


def reference(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    wide = x.astype(np.float64)
    return wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + EPS) * weight.astype(np.float64)


def check(rows: int = 98, columns: int = 130, dtype: Any = np.float16, seed: int = 0) -> Any:
    rng = np.random.default_rng([seed, rows, columns])
    inputs = [rng.standard_normal(s).astype(dtype) for s in ((rows, columns), (columns,))]
    # no term cancels: all errors are relative, of the sum and of five more operations
    absolute = sum_tolerance(columns + 6, "f32") * float(np.abs(reference(*inputs)).max())
    return {
        "ref": reference,
        "inputs": inputs,
        "tolerance": Tolerance(1, absolute),
        "stages": ["ktir"],
    }


CHECKS = {"rms_norm": check, "rms_norm_sharded": check}
