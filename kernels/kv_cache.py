"""Keys and values of new tokens into the slots of a paged cache; tokens with a negative slot are
left out."""

from __future__ import annotations

from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy

T, H, D, P, S = spy.dims("T H D P S")


@spyre.kernel(grid=4)
def kv_cache(
    key: spy.In[T, H, D],
    value: spy.In[T, H, D],
    slots: spy.In[T, spy.i64],
    keys: spy.InOut[P, S, H, D],
    values: spy.InOut[P, S, H, D],
):
    size = keys.shape[1]
    for t in spy.range(spy.tile_id(), key.shape[0], spy.num_tiles()):
        slot = slots[t]
        with spy.when(slot >= 0):
            keys[slot // size, slot % size, :, :] = key[t, :, :]
            values[slot // size, slot % size, :, :] = value[t, :, :]


def reference(
    key: np.ndarray, value: np.ndarray, slots: np.ndarray, keys: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    kept, size = slots >= 0, keys.shape[1]
    page, at = slots[kept] // size, slots[kept] % size
    keys[page, at], values[page, at] = key[kept], value[kept]
    return keys, values


def check(
    tokens: int = 13,
    heads: int = 2,
    width: int = 64,
    pages: int = 300,
    size: int = 16,
    dtype: Any = np.float16,
    seed: int = 0,
) -> Any:
    rng = np.random.default_rng([seed, tokens, heads, width])
    slots = rng.permutation(pages * size)[:tokens].astype(np.int64)
    slots[::3] = -1
    shapes = [(tokens, heads, width)] * 2 + [(pages, size, heads, width)] * 2
    key, value, keys, values = (rng.standard_normal(s).astype(dtype) for s in shapes)
    inputs = [key, value, slots, keys, values]
    return {"ref": reference, "inputs": inputs, "tolerance": 0, "stages": ["ktir"]}


CHECKS = {"kv_cache": check}
