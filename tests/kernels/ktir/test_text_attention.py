"""Attention as texts from other hands: causal with shared heads, stages of split decoding, merged
states, rotary embedding by sections in place."""

from __future__ import annotations

import numpy as np
import pytest

from .kit import NUMPY, box, near, normal, run, template
from .kit import narrow_text as narrow
from .kit import widen_text as widen

# --- causal attention ----------------------------------------------------------------------------


def causal(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    group = q.shape[0] // k.shape[0]
    wide = (q, np.repeat(k, group, axis=0), np.repeat(v, group, axis=0))
    q, k, v = (x.astype(float) for x in wide)
    s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    s = np.where(np.tri(s.shape[1], dtype=bool), s, -np.inf)
    e = np.exp(s - s.max(axis=2, keepdims=True))
    return e / e.sum(axis=2, keepdims=True) @ v


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize(
    "sizes",
    [(4, 2, 96, 64, 32, 16), (2, 2, 97, 65, 97, 97), (3, 1, 6, 8, 1, 3), (8, 1, 128, 128, 64, 32)],
)
def test_causal_attention(sizes: tuple[int, int, int, int, int, int], dtype: str) -> None:
    heads, kvs, n, d, bm, bn = sizes
    text = template(
        "causal_attention", heads=heads, heads1=heads - 1, kvs=kvs, kv1=kvs - 1, n=n, n1=n - 1,
        d=d, d1=d - 1, nd=n * d, bm=bm, bm1=bm - 1, bn=bn, bn1=bn - 1, group=heads // kvs,
        programs=n // bm, scale=f"{d**-0.5:.9e}", t=dtype,
    )  # fmt: skip
    q, k, v = (normal(h, n, d, dtype=dtype, seed=s) for s, h in enumerate((heads, kvs, kvs)))
    o = np.empty_like(q)
    run(text, {"q_ptr": q, "k_ptr": k, "v_ptr": v, "o_ptr": o})
    # the weights are rounded to the narrow type; scores are exact up to f32
    u = 2.0 ** -(11 if dtype == "f16" else 8)
    largest = float(np.abs(v.astype(float)).max())
    near(o, causal(q, k, v), n + d, (u / 2.0**-24 / (n + d) + 16) * largest)


# --- split decoding ------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("sizes", [(3, 4, 8, 64), (2, 2, 1, 1), (4, 1, 5, 31)])
def test_second_stage_of_split_decoding(sizes: tuple[int, int, int, int], dtype: str) -> None:
    batch, heads, splits, width = sizes
    w = width + 1
    text = template(
        "split_kv", batch=batch, heads=heads, splits=splits, width=width, w=w, sw=splits * w,
        hsw=heads * splits * w, hd=heads * width, pset=box([batch, heads, splits, w]),
        cset=box([batch]), oset=box([batch, heads, width]), rset=box([1, 1, 1, w]),
        tset=box([1, 1, width]), t=dtype,
        narrow=f"%yt = tensor.cast %y : tensor<{width}xf32> to tensor<{width}xf32>"
        if dtype == "f32"
        else f"%yt = arith.truncf %y : tensor<{width}xf32> to tensor<{width}x{dtype}>",
    )  # fmt: skip
    mid = normal(batch, heads, splits, w, dtype="f32")
    count = np.random.default_rng(0).integers(1, splits + 1, batch).astype(np.int32)
    if splits > 2:
        mid[0, 0, 1, -1] = -np.inf
    out = np.empty((batch, heads, width), NUMPY[dtype])
    run(text, {"mid": mid, "count": count, "out": out})
    wide = mid.astype(float)
    lse = np.where(np.arange(splits)[:, None] < count[:, None, None, None], wide[..., -1:], -np.inf)
    e = np.exp(lse - lse.max(axis=2, keepdims=True))
    near(out, (wide[..., :-1] * e).sum(axis=2) / e.sum(axis=2), 24 * splits, np.abs(mid).max())


# --- merged states -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("sizes", [(12, 4, 128), (5, 3, 65), (4, 1, 1)])
def test_merged_attention_states(sizes: tuple[int, int, int], dtype: str) -> None:
    tokens, h, d = sizes
    text = template(
        "merge_states", tokens=tokens, t1=tokens - 1, h=h, h1=h - 1, d=d, d1=d - 1, hd=h * d,
        t=dtype, widen_u=widen("%uw", "%u", dtype), widen_w=widen("%ww", "%w", dtype),
        narrow=narrow("%out", "%res", dtype),
    )  # fmt: skip
    a, b = (normal(*sizes, dtype=dtype, seed=s) for s in (0, 1))
    x, y = (4 * normal(tokens, h, dtype="f32", seed=s) for s in (2, 3))
    for n, (p, q) in enumerate([(np.inf, 1), (-np.inf, 1), (1, -np.inf), (np.inf, -np.inf)]):
        x[n, 0], y[n, 0] = p, q
    o, lse = np.empty_like(a), np.empty_like(x)
    run(text, {"pa": a, "sa": x, "pb": b, "sb": y, "po": o, "so": lse})
    p, q = (np.where(v == np.inf, -np.inf, v).astype(float) for v in (x, y))
    total = np.logaddexp(p, q)
    with np.errstate(invalid="ignore"):
        p, q = (np.where(total == -np.inf, 0, np.exp(v - total))[..., None] for v in (p, q))
    finite = np.isfinite(total)
    assert (lse[~finite] == -np.inf).all()
    near(lse[finite], total[finite], 8, np.abs(total[finite]) + 1)
    near(o, a.astype(float) * p + b.astype(float) * q, 40, np.abs(a).max() + np.abs(b).max())


# --- rotary embedding ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("sizes", [(5, 3, 64), (32, 8, 128), (2, 1, 2), (7, 2, 130)])
def test_rotary_embedding_by_sections(sizes: tuple[int, int, int], dtype: str) -> None:
    tokens, h, w = sizes
    f = w // 2
    first, second = f // 4, f // 4 + (f * 3) // 8
    text = template(
        "mrope", tokens=tokens, t1=tokens - 1, h=h, h1=h - 1, w=w, w1=w - 1, f=f, f1=f - 1,
        hw=h * w, tf=tokens * f, first=first, second=second, t=dtype,
        widen_p=widen("%pw", "%p", dtype), widen_q=widen("%qw", "%q", dtype),
        narrow_l=narrow("%lt", "%l", dtype), narrow_r=narrow("%rt", "%r", dtype),
    )  # fmt: skip
    x = normal(*sizes, dtype=dtype)
    angle = np.random.default_rng(1).random((3, tokens, f)) * 6
    cos, sin = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
    section = np.where(np.arange(f) < first, 0, np.where(np.arange(f) < second, 1, 2))
    c, s = (
        np.take_along_axis(v, np.broadcast_to(section, (1, tokens, f)), axis=0)[0].astype(float)
        for v in (cos, sin)
    )
    a, b = np.split(x.astype(float), 2, axis=2)
    want = [a * c[:, None] - b * s[:, None], b * c[:, None] + a * s[:, None]]
    scale = np.abs(x.astype(float)).max() * 2
    run(text, {"x_ptr": x, "cos_ptr": cos, "sin_ptr": sin})
    near(x, np.concatenate(want, axis=2), 3, scale)
