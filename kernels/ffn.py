"""A whole feed-forward layer, (silu(x @ gate) * (x @ up)) @ down, one block of hidden columns at a
time."""

from __future__ import annotations

from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.semantics.tolerance import Tolerance, sum_tolerance

M, N, K = spy.dims("M N K")


@spyre.kernel(grid=4)
def ffn(
    x: spy.In[M, N],
    gate: spy.In[N, K],
    up: spy.In[N, K],
    down: spy.In[K, N],
    out: spy.Out[M, N],
    block: spy.Const = 64,
):
    for rows in spy.blocks(x.shape[0], 32):
        v = spy.load(x[rows, :])
        acc = spy.zeros(v.shape, spy.f32)
        for cols in spy.blocks(gate.shape[1], block, axis=None):
            hidden = spy.silu(v @ gate[:, cols]) * (v @ up[:, cols])
            acc = spy.dot(spy.cast(hidden, x.dtype), down[cols, :], acc)
        out[rows, :] = spy.cast(acc, x.dtype)


def reference(x: np.ndarray, gate: np.ndarray, up: np.ndarray, down: np.ndarray) -> np.ndarray:
    v, g, u, d = (t.astype(np.float64) for t in (x, gate, up, down))
    gated = v @ g
    return (gated / (1 + np.exp(-gated)) * (v @ u)) @ d


def check(
    rows: int = 97, width: int = 65, hidden: int = 200, dtype: Any = np.float16, seed: int = 0
) -> dict[str, Any]:
    rng = np.random.default_rng([seed, rows, width, hidden])
    shapes = [(rows, width), (width, hidden), (width, hidden), (hidden, width)]
    inputs = [
        (rng.standard_normal(s) / np.sqrt(s[0] if n else 1)).astype(dtype)
        for n, s in enumerate(shapes)
    ]
    x, gate, up, down = (np.abs(v).astype(np.float64) for v in inputs)
    # an error of the products, and the rounding of the hidden values, reach each result through
    # `down`; the slope of silu is at most 1.1
    u = 2.0 ** -{"float16": 11, "bfloat16": 8, "float32": 24}[np.dtype(dtype).name]
    inner = u + 3 * sum_tolerance(width + 4, "f32") + sum_tolerance(hidden, "f32")
    magnitude = ((1.1 * x @ gate) * (x @ up)) @ down
    return {
        "ref": reference,
        "inputs": inputs,
        "tolerance": Tolerance(1, inner * float(magnitude.max())),
        "stages": ["ktir"],
    }


CHECKS = {"ffn": check}
