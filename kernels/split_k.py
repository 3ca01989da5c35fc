"""a @ b with K shared out among the tiles along one axis of the grid."""

from __future__ import annotations

from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.semantics.tolerance import Tolerance, sum_tolerance

M, N, K = spy.dims("M N K")


@spyre.kernel(grid=(2, 4))
def split_k(a: spy.In[M, K], b: spy.In[K, N], out: spy.Out[M, N]):
    height, share = a.shape[0] // spy.num_tiles(0), a.shape[1] // spy.num_tiles(1)
    top, first = spy.tile_id(0) * height, spy.tile_id(1) * share
    rows, part = slice(top, top + height), slice(first, first + share)
    total = spy.reduce_to_one(spy.dot(a[rows, part], b[part, :]), group=1)
    with spy.when(spy.tile_id(1) == 0):
        out[rows, :] = spy.cast(total, a.dtype)


def reference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a.astype(np.float64) @ b.astype(np.float64)


def check(
    m: int = 6, k: int = 260, n: int = 65, dtype: Any = np.float16, seed: int = 0
) -> dict[str, Any]:
    rng = np.random.default_rng([seed, m, k, n])
    inputs = [rng.standard_normal(s).astype(dtype) for s in ((m, k), (k, n))]
    magnitudes = reference(*map(np.abs, inputs))
    return {
        "ref": reference,
        "inputs": inputs,
        "tolerance": Tolerance(1, sum_tolerance(k, "f32") * float(magnitudes.max())),
        "stages": ["ktir"],
    }


CHECKS = {"split_k": check}
