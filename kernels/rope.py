"""Rotary position embedding in place, with one position for each token or one for each section of
the frequencies (MRoPE)."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.semantics.tolerance import Tolerance

T, H, D, F = spy.dims("T H D F")


def rotate(x: Any, t: Any, cos: Any, sin: Any) -> None:
    """Rotate the two halves of all heads of token t against each other."""
    half = x.shape[2] // 2
    a, b = spy.cast(x[t, :, :half], spy.f32), spy.cast(x[t, :, half:], spy.f32)
    x[t, :, :half] = spy.cast(a * cos - b * sin, x.dtype)
    x[t, :, half:] = spy.cast(b * cos + a * sin, x.dtype)


@spyre.kernel(grid=4)
def rope(x: spy.InOut[T, H, D], cos: spy.In[T, F, spy.f32], sin: spy.In[T, F, spy.f32]):
    for t in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
        rotate(x, t, spy.load(cos[t, :]), spy.load(sin[t, :]))


@spyre.kernel(grid=4)
def mrope(
    x: spy.InOut[T, H, D],
    cos: spy.In[3, T, F, spy.f32],
    sin: spy.In[3, T, F, spy.f32],
    sections: spy.Const = (2, 3, 3),
):
    """`sections`: how many eighths of the frequencies follow time, height and width."""
    ends = [x.shape[2] // 2 * sum(sections[:n]) // 8 for n in range(4)]
    for t in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
        c, s = (
            spy.concat([spy.load(v[n, t, ends[n] : ends[n + 1]]) for n in range(3)])
            for v in (cos, sin)
        )
        rotate(x, t, c, s)


def reference(x: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> np.ndarray:
    a, b = np.split(x.astype(np.float64), 2, axis=2)
    c, s = cos[:, None, :].astype(np.float64), sin[:, None, :].astype(np.float64)
    return np.concatenate([a * c - b * s, b * c + a * s], axis=2)


def mreference(x: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> np.ndarray:
    ends = [x.shape[2] // 2 * n // 8 for n in (0, 2, 5, 8)]
    parts = [slice(a, b) for a, b in itertools.pairwise(ends)]
    c, s = (np.concatenate([v[n][:, p] for n, p in enumerate(parts)], axis=1) for v in (cos, sin))
    return reference(x, c, s)


def angles(tokens: int, half: int) -> tuple[np.ndarray, np.ndarray]:
    angle = np.arange(tokens)[:, None] / 10000.0 ** (np.arange(half) / half)
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


def tolerance(x: np.ndarray) -> Tolerance:
    """Two products and their sum in f32, which may cancel; then one rounding."""
    return Tolerance(1, 4 * 2.0**-24 * float(np.abs(x).max()))


def check(
    tokens: int = 11, heads: int = 3, width: int = 64, dtype: Any = np.float16, seed: int = 0
) -> Any:
    rng = np.random.default_rng([seed, tokens, heads, width])
    x = rng.standard_normal((tokens, heads, width)).astype(dtype)
    inputs = [x, *angles(tokens, width // 2)]
    return {"ref": reference, "inputs": inputs, "tolerance": tolerance(x)}


def mcheck(
    tokens: int = 5, heads: int = 2, width: int = 32, dtype: Any = np.float16, seed: int = 0
) -> Any:
    rng = np.random.default_rng([seed, tokens, heads, width])
    x = rng.standard_normal((tokens, heads, width)).astype(dtype)
    cos, sin = angles(3 * tokens, width // 2)
    inputs = [x, *(v.reshape(3, tokens, -1) for v in (cos, sin))]
    return {"ref": mreference, "inputs": inputs, "tolerance": tolerance(x), "stages": ["ktir"]}


CHECKS = {"rope": check, "mrope": mcheck}
