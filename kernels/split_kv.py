"""The second stage of split-KV decoding: one row for each share of the keys, its last value the
logarithm of the weights' sum, combined with a running maximum."""

from __future__ import annotations

from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.semantics.tolerance import Tolerance

B, H, S, W, D = spy.dims("B H S W D")


@spyre.kernel(grid=4)
def split_kv(parts: spy.In[B, H, S, W, spy.f32], out: spy.Out[B, H, D]):
    width = out.shape[2]
    for b in spy.range(spy.tile_id(), out.shape[0], spy.num_tiles()):
        first = spy.load(parts[b, :, 0, :])
        acc, top, total = (
            first[:, :width],
            first[:, width:],
            spy.full((out.shape[1], 1), 1.0, spy.f32),
        )
        for s in spy.range(1, parts.shape[2]):
            row = spy.load(parts[b, :, s, :])
            new = spy.maximum(top, row[:, width:])
            old, fresh = spy.exp(top - new), spy.exp(row[:, width:] - new)
            acc = acc * old + row[:, :width] * fresh
            total = total * old + fresh
            top = new
        out[b, :, :] = spy.cast(acc / total, out.dtype)


def reference(parts: np.ndarray) -> np.ndarray:
    values, sums = parts[..., :-1].astype(np.float64), parts[..., -1:].astype(np.float64)
    e = np.exp(sums - sums.max(axis=2, keepdims=True))
    return (values * e).sum(axis=2) / e.sum(axis=2)


def check(
    batch: int = 6, heads: int = 3, splits: int = 5, width: int = 64, seed: int = 0
) -> dict[str, Any]:
    rng = np.random.default_rng([seed, batch, heads, splits, width])
    parts = rng.standard_normal((batch, heads, splits, width + 1)).astype(np.float32)
    # each split scales what is there and adds to it; exponents up to 16
    absolute = (splits + 1) * 24 * 2.0**-24 * float(np.abs(parts).max())
    return {
        "ref": reference,
        "inputs": [parts],
        "tolerance": Tolerance(1, absolute),
        "stages": ["ktir"],
    }


CHECKS = {"split_kv": check}
