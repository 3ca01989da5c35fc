"""Attention of one new token per sequence over keys and values that lie in pages: the page and the
slot in it of every earlier token come from two tables."""

from __future__ import annotations

from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.semantics.tolerance import Tolerance, sum_tolerance

B, H, D, P, S, L = spy.dims("B H D P S L")


@spyre.kernel(grid=4)
def paged_attention(
    q: spy.In[B, H, D],
    keys: spy.In[P, S, H, D],
    values: spy.In[P, S, H, D],
    page: spy.In[B, L, spy.i32],
    slot: spy.In[B, L, spy.i32],
    length: spy.In[B, spy.i32],
    out: spy.Out[B, H, D],
    block: spy.Const = 16,
):
    heads, width = q.shape[1:]
    for b in spy.range(spy.tile_id(), q.shape[0], spy.num_tiles()):
        query = spy.cast(q[b, :, :] * width**-0.5, q.dtype)
        top, total = spy.full((heads, 1), -np.inf, spy.f32), spy.zeros((heads, 1), spy.f32)
        acc = spy.zeros((heads, width), spy.f32)
        for part in spy.blocks(page.shape[1], block, axis=None):
            here = spy.ind(page[b, part]), spy.ind(slot[b, part])
            k, v = (spy.transpose(spy.load(t[*here, :, :]), (1, 0, 2)) for t in (keys, values))
            s = spy.batch_dot(k, query[:, :, None])[:, :, 0]
            past = spy.iota(s.shape, axis=1) + part.start >= length[b]
            s = spy.where(past, -np.inf, s)
            new = spy.maximum(top, spy.max(s, axis=1, keepdims=True))
            e, fix = spy.exp(s - new), spy.exp(top - new)
            total = total * fix + spy.sum(e, axis=1, keepdims=True)
            weights = spy.cast(e, q.dtype)[:, None, :]
            acc = acc * fix + spy.batch_dot(weights, v)[:, 0, :]
            top = new
        out[b, :, :] = spy.cast(acc / total, q.dtype)


def reference(
    q: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    page: np.ndarray,
    slot: np.ndarray,
    length: np.ndarray,
) -> np.ndarray:
    k, v = (t[page, slot].astype(np.float64) for t in (keys, values))
    s = np.einsum("bhd,blhd->bhl", q.astype(np.float64), k) * q.shape[2] ** -0.5
    s[np.arange(s.shape[2]) + 0 * s >= length[:, None, None]] = -np.inf
    e = np.exp(s - s.max(axis=2, keepdims=True))
    return np.einsum("bhl,blhd->bhd", e / e.sum(axis=2, keepdims=True), v)


def check(
    batch: int = 5,
    heads: int = 3,
    width: int = 64,
    pages: int = 7,
    size: int = 16,
    longest: int = 43,
    dtype: Any = np.float16,
    seed: int = 0,
) -> Any:
    rng = np.random.default_rng([seed, batch, heads, width])
    shapes = [(batch, heads, width)] + [(pages, size, heads, width)] * 2
    q, keys, values = (rng.standard_normal(s).astype(dtype) for s in shapes)
    page = rng.integers(0, pages, (batch, longest)).astype(np.int32)
    slot = rng.integers(0, size, (batch, longest)).astype(np.int32)
    length = rng.integers(1, longest + 1, batch).astype(np.int32)
    return {
        "ref": reference,
        "inputs": [q, keys, values, page, slot, length],
        "tolerance": tolerance(q, keys, values, dtype),
        "stages": ["ktir"],
    }


def tolerance(q: np.ndarray, keys: np.ndarray, values: np.ndarray, dtype: Any) -> Tolerance:
    """Queries and weights are rounded to the type of the arrays. An error of the scores is one of
    the weights' exponents; the weights sum to one."""
    u = 2.0 ** -{"float16": 11, "bfloat16": 8, "float32": 24}[np.dtype(dtype).name]
    dots = np.abs(q.astype(float)).sum(axis=2).max() * np.abs(keys.astype(float)).max()
    scores = dots * q.shape[2] ** -0.5 * (2 * u + sum_tolerance(q.shape[2], "f32"))
    return Tolerance(1, (2 * scores + 2 * u) * float(np.abs(values.astype(float)).max()))


CHECKS = {"paged_attention": check}
