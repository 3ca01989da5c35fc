"""x * cos + rotated(x) * sin, the rotary position embedding, half by half."""

from __future__ import annotations

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy

M, N = spy.dims("M N")


def own_rows(extent: int) -> slice:
    """An equal share of the rows for each compute tile."""
    share = extent // spy.num_tiles()
    start = spy.tile_id() * share
    return slice(start, start + share)


@spyre.kernel(grid=2)
def rotate_half(x: spy.In[M, N], cos: spy.In, sin: spy.In, out: spy.Out[M, N]):
    half = x.shape[1] // 2
    rows = own_rows(x.shape[0])
    first, second = spy.load(x[rows, :half]), spy.load(x[rows, half:])
    c, s = spy.load(cos[rows, :]), spy.load(sin[rows, :])
    out[rows, :half] = first * c - second * s
    out[rows, half:] = second * c + first * s


def reference(x: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> np.ndarray:
    first, second = np.split(x, 2, axis=1)
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=1)


def inputs() -> list[np.ndarray]:
    angles = np.arange(10)[:, None] / 10000 ** (np.arange(64) / 64)
    x = np.random.default_rng(0).standard_normal((10, 128))
    return [a.astype(np.float16) for a in (x, np.cos(angles), np.sin(angles))]


CHECKS = {"rotate_half": lambda: {"ref": reference, "inputs": inputs()}}
