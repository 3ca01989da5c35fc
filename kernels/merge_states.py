"""Two attention states over the same queries into one. A state is the output and, for each row,
the logarithm of its weights' sum; that is -inf (some producers write +inf) where there were no
keys."""

from __future__ import annotations

from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.semantics.tolerance import Tolerance

T, H, D = spy.dims("T H D")


@spyre.kernel(grid=4)
def merge_states(
    a: spy.In[T, H, D],
    a_sum: spy.In[T, H, spy.f32],
    b: spy.In[T, H, D],
    b_sum: spy.In[T, H, spy.f32],
    out: spy.Out[T, H, D],
    out_sum: spy.Out[T, H, spy.f32],
):
    for rows in spy.blocks(a.shape[0], 32):
        x, y = (spy.where(s[rows, :] == np.inf, -np.inf, s[rows, :]) for s in (a_sum, b_sum))
        top = spy.maximum(x, y)
        base = spy.where(top == -np.inf, 0.0, top)
        p, q = spy.exp(x - base), spy.exp(y - base)
        total = p + q
        share = spy.where(total > 0.0, 1.0 / spy.maximum(total, 1e-30), 0.0)
        out_sum[rows, :] = spy.log(total) + base
        u, v = spy.cast(a[rows, :, :], spy.f32), spy.cast(b[rows, :, :], spy.f32)
        out[rows, :, :] = spy.cast(
            u * (p * share)[:, :, None] + v * (q * share)[:, :, None], a.dtype
        )


def reference(
    a: np.ndarray, a_sum: np.ndarray, b: np.ndarray, b_sum: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    x, y = (np.where(s == np.inf, -np.inf, s).astype(np.float64) for s in (a_sum, b_sum))
    total = np.logaddexp(x, y)
    with np.errstate(invalid="ignore"):
        p, q = (np.where(total == -np.inf, 0, np.exp(s - total))[:, :, None] for s in (x, y))
    return (a.astype(np.float64) * p + b.astype(np.float64) * q).astype(a.dtype), total


def check(
    tokens: int = 33, heads: int = 2, width: int = 65, dtype: Any = np.float16, seed: int = 0
) -> dict[str, Any]:
    rng = np.random.default_rng([seed, tokens, heads, width])
    a, b = (rng.standard_normal((tokens, heads, width)).astype(dtype) for _ in range(2))
    a_sum, b_sum = (rng.standard_normal((tokens, heads)).astype(np.float32) * 4 for _ in range(2))
    for n, (x, y) in enumerate([(np.inf, 1), (-np.inf, 1), (1, -np.inf), (np.inf, -np.inf)]):
        a_sum[n % tokens, n % heads], b_sum[n % tokens, n % heads] = x, y
    # f32 inside: exponents up to 50 in size, their difference rounded once, eight more steps
    absolute = 64 * 2.0**-24 * max(float(np.abs(v.astype(float)).max()) for v in (a, b))
    return {
        "ref": reference,
        "inputs": [a, a_sum, b, b_sum],
        "tolerance": Tolerance(1, absolute),
    }


CHECKS = {"merge_states": check}
