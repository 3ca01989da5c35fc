"""Stacks of matrices: a @ b, and a @ b with b stored transposed."""

from __future__ import annotations

from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.semantics.tolerance import Tolerance, sum_tolerance

B, M, N, K = spy.dims("B M N K")


@spyre.kernel(grid=4)
def batched_matmul(a: spy.In[B, M, K], b: spy.In[B, K, N], out: spy.Out[B, M, N]):
    for at in spy.range(spy.tile_id(), a.shape[0], spy.num_tiles()):
        out[at, :, :] = spy.cast(spy.dot(a[at, :, :], b[at, :, :]), a.dtype)


@spyre.kernel(grid=4)
def batched_matmul_transposed(a: spy.In[B, M, K], b: spy.In[B, N, K], out: spy.Out[B, M, N]):
    for stack in spy.blocks(a.shape[0], 3):
        turned = spy.transpose(spy.load(b[stack, :, :]), (0, 2, 1))
        out[stack, :, :] = spy.cast(spy.batch_dot(a[stack, :, :], turned), a.dtype)


def reference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a.astype(np.float64) @ b.astype(np.float64)


def reference_transposed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return reference(a, b.swapaxes(1, 2))


def check(
    batch: int = 7,
    m: int = 5,
    k: int = 65,
    n: int = 33,
    dtype: Any = np.float16,
    seed: int = 0,
    transposed: bool = False,
) -> dict[str, Any]:
    rng = np.random.default_rng([seed, batch, m, k, n])
    a, b = (rng.standard_normal(s).astype(dtype) for s in ((batch, m, k), (batch, k, n)))
    magnitudes = reference(np.abs(a), np.abs(b))
    return {
        "ref": reference_transposed if transposed else reference,
        "inputs": [a, np.ascontiguousarray(b.swapaxes(1, 2)) if transposed else b],
        "tolerance": Tolerance(1, sum_tolerance(k, "f32") * float(magnitudes.max())),
        "stages": ["ktir"],
    }


def check_transposed(**sizes: Any) -> dict[str, Any]:
    return check(**sizes, transposed=True)


CHECKS = {"batched_matmul": check, "batched_matmul_transposed": check_transposed}
