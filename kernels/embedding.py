"""Rows of a table, by their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy

T, V, N = spy.dims("T V N")


@spyre.kernel(grid=4)
def embedding(ids: spy.In[T], table: spy.In[V, N], out: spy.Out[T, N]):
    for rows in spy.blocks(ids.shape[0], 32):
        out[rows, :] = table[spy.ind(ids[rows]), :]


def reference(ids: np.ndarray, table: np.ndarray) -> np.ndarray:
    return table[ids]


def check(
    tokens: int = 97, words: int = 5000, width: int = 65, dtype: Any = np.float16, seed: int = 0
) -> Any:
    rng = np.random.default_rng([seed, tokens, words, width])
    ids = rng.integers(0, words, tokens).astype(np.int32)
    ids[0] = words - 1
    table = rng.standard_normal((words, width)).astype(dtype)
    return {"ref": reference, "inputs": [ids, table], "tolerance": 0, "stages": ["ktir"]}


CHECKS = {"embedding": check}
