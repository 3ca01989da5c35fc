"""Attention by blocks of queries and keys, with running maximum and sum: scores are never in memory
as a whole. Heads go along the first axis of the grid, blocks of queries along the second."""

from __future__ import annotations

import math

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.semantics.tolerance import Tolerance

H, S, T, D = spy.dims("H S T D")


@spyre.kernel(grid=(4, 8))
def flash_attention(
    q: spy.In[H, S, D], k: spy.In[H, T, D], v: spy.In[H, T, D], out: spy.Out[H, S, D],
    block: spy.Const = 64,
):  # fmt: skip
    scale = 1 / math.sqrt(q.shape[2])
    for head in spy.range(spy.tile_id(0), q.shape[0], spy.num_tiles(0)):
        for rows in spy.blocks(q.shape[1], block, axis=1):
            query = spy.load(q[head, rows, :])
            acc = spy.zeros(query.shape, spy.f32)
            top = spy.full((query.shape[0], 1), -math.inf, spy.f32)
            total = spy.zeros((query.shape[0], 1), spy.f32)
            for keys in spy.blocks(k.shape[1], block, axis=None):
                scores = spy.dot(query, spy.transpose(k[head, keys, :]), dtype=spy.f32) * scale
                new = spy.maximum(top, spy.max(scores, axis=1, keepdims=True))
                weights, old = spy.exp(scores - new), spy.exp(top - new)
                total = total * old + spy.sum(weights, axis=1, keepdims=True)
                acc = spy.dot(spy.cast(weights, v.dtype), v[head, keys, :], acc * old)
                top = new
            out[head, rows, :] = spy.cast(acc / total, out.dtype)


def reference(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    q, k, v = (array.astype(np.float64) for array in (q, k, v))
    scores = q @ k.swapaxes(1, 2) / math.sqrt(q.shape[2])
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    return (weights / weights.sum(axis=2, keepdims=True)) @ v


def inputs() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    shapes = (6, 200, 64), (6, 333, 64), (6, 333, 64)
    return [rng.standard_normal(shape).astype(np.float16) for shape in shapes]


CHECKS = {
    "flash_attention": lambda: {
        "ref": reference,
        "inputs": inputs(),
        "stages": ["ktir"],
        "tolerance": Tolerance(2, 2.0**-10),  # weights are rounded to f16: 2^-11 of |v| <= 2
    }
}
