"""Layer norm with the mean and the reciprocal deviation of each row as further outputs; whole rows
at a time, and in two passes over rows too long for that."""

from __future__ import annotations

from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.semantics.tolerance import Tolerance, sum_tolerance

M, N = spy.dims("M N")
EPS = 1e-5


@spyre.kernel(grid=4)
def layer_norm(
    x: spy.In[M, N],
    gain: spy.In[N],
    bias: spy.In[N],
    out: spy.Out[M, N],
    mean: spy.Out[M, spy.f32],
    rstd: spy.Out[M, spy.f32],
):
    g, b = spy.cast(gain[:], spy.f32), spy.cast(bias[:], spy.f32)
    for rows in spy.blocks(x.shape[0], 32):
        v = spy.cast(x[rows, :], spy.f32)
        centred = v - spy.mean(v, axis=1, keepdims=True)
        scale = spy.rsqrt(spy.mean(centred * centred, axis=1, keepdims=True) + EPS)
        mean[rows] = spy.mean(v, axis=1)
        rstd[rows] = scale[:, 0]
        out[rows, :] = spy.cast(centred * scale * g + b, x.dtype)


@spyre.kernel(grid=4)
def layer_norm_long(
    x: spy.In[M, N],
    gain: spy.In[N],
    bias: spy.In[N],
    out: spy.Out[M, N],
    mean: spy.Out[M, spy.f32],
    rstd: spy.Out[M, spy.f32],
    block: spy.Const = 512,
):
    for row in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
        total, squares = spy.zeros((), spy.f32), spy.zeros((), spy.f32)
        for cols in spy.blocks(x.shape[1], block, axis=None):
            v = spy.cast(x[row, cols], spy.f32)
            total += spy.sum(v)
            squares += spy.sum(v * v)
        mu = total / float(x.shape[1])
        scale = spy.rsqrt(squares / float(x.shape[1]) - mu * mu + EPS)
        mean[row] = mu
        rstd[row] = scale
        for cols in spy.blocks(x.shape[1], block, axis=None):
            v, g, b = (spy.cast(t, spy.f32) for t in (x[row, cols], gain[cols], bias[cols]))
            out[row, cols] = spy.cast((v - mu) * scale * g + b, x.dtype)


def reference(x: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> tuple[np.ndarray, ...]:
    wide, g, b = (v.astype(np.float64) for v in (x, gain, bias))
    mean = wide.mean(axis=1)
    rstd = 1 / np.sqrt(wide.var(axis=1) + EPS)
    return ((wide - mean[:, None]) * rstd[:, None] * g + b, mean, rstd)


def check(rows: int = 97, columns: int = 200, dtype: Any = np.float16, seed: int = 0) -> Any:
    rng = np.random.default_rng([seed, rows, columns])
    shapes = ((rows, columns), (columns,), (columns,))
    inputs = [rng.standard_normal(s).astype(dtype) for s in shapes]
    # f32 inside, then one rounding; where terms cancel, what is left of the sums' errors
    out, _, rstd = reference(*inputs)
    largest = max(float(np.abs(v).max()) for v in (*inputs, out)) ** 2
    spread = float(rstd.max()) ** 2 * largest
    absolute = sum_tolerance(columns + 8, "f32") * largest * max(1.0, spread)
    return {
        "ref": reference,
        "inputs": inputs,
        "tolerance": Tolerance(1, absolute),
        "stages": ["ktir"],
    }


CHECKS = {"layer_norm": check, "layer_norm_long": check}
