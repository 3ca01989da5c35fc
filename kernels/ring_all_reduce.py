"""The sum of all tiles' rows on every tile: each hands what it got last to the next one in a
ring."""

from __future__ import annotations

from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy

T, N = spy.dims("T N")


@spyre.kernel(grid=8)
def ring_all_reduce(x: spy.In[T, N], out: spy.Out[T, N]):
    passed = total = spy.load(x[spy.tile_id(), :])
    for _ in spy.range(spy.num_tiles() - 1):
        passed = spy.shift(passed)
        total += passed
    out[spy.tile_id(), :] = total


def reference(x: np.ndarray) -> np.ndarray:
    """Each tile adds in its own order: its own row, then those of the tiles before it."""
    total = x.copy()
    for step in range(1, x.shape[0]):
        total = total + np.roll(x, step, axis=0)
    return total


def check(columns: int = 65, dtype: Any = np.float16, seed: int = 0) -> dict[str, Any]:
    x = np.random.default_rng([seed, columns]).standard_normal((8, columns)).astype(dtype)
    return {"ref": reference, "inputs": [x], "tolerance": 0, "stages": ["ktir"]}


CHECKS = {"ring_all_reduce": check}
