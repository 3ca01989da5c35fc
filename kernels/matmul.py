"""A matrix product in tiles of the result on a grid of 2 x 16, with an f32 accumulator carried over
blocks of K; no size need be a multiple of the block."""

from __future__ import annotations

from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.semantics.tolerance import Tolerance, sum_tolerance

M, N, K = spy.dims("M N K")


@spyre.kernel(grid=(2, 16))
def matmul(a: spy.In[M, K], b: spy.In[K, N], out: spy.Out[M, N], block: spy.Const = 64):
    for rows in spy.blocks(out.shape[0], block, axis=0):
        for cols in spy.blocks(out.shape[1], block, axis=1):
            acc = spy.zeros(out[rows, cols].shape, spy.f32)
            for ks in spy.blocks(a.shape[1], block, axis=None):
                acc = spy.dot(a[rows, ks], b[ks, cols], acc)
            out[rows, cols] = spy.cast(acc, out.dtype)


def reference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a.astype(np.float64) @ b.astype(np.float64)


def check() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    a = rng.standard_normal((200, 300)).astype(np.float16)
    b = rng.standard_normal((300, 1100)).astype(np.float16)
    sums = np.abs(a).astype(np.float64) @ np.abs(b)
    tolerance = Tolerance(1, sum_tolerance(300, "f32") * float(sums.max()))
    return {"ref": reference, "inputs": [a, b], "tolerance": tolerance, "stages": ["ktir"]}


CHECKS = {"matmul": check}
