"""Row kernels as texts from other hands: softmax over rows longer than a tile, layer norm with its
statistics, RMS norm, log-softmax at chosen columns, ranks by counting."""

from __future__ import annotations

import numpy as np
import pytest

from .kit import narrow_text as narrow
from .kit import near, normal, run, template
from .kit import widen_text as widen

FLOATS = ("f16", "bf16", "f32")

# --- softmax over blocks of columns, running maximum and sum -------------------------------------


def casts(t: str) -> dict[str, str]:
    """Between `t` and f32, of which there are none for f32 itself."""
    wide = t == "f32"
    return {
        "widen": "%zz = arith.constant 0.0 : f32\n%ee = tensor.empty(%len) : tensor<1x?xf32>\n"
        "%z1 = linalg.fill ins(%zz : f32) outs(%ee : tensor<1x?xf32>) -> tensor<1x?xf32>\n"
        "%w = arith.addf %v, %z1 : tensor<1x?xf32>"
        if wide
        else f"%w = arith.extf %v : tensor<1x?x{t}> to tensor<1x?xf32>",
        "widen_one": "%a1 = arith.bitcast %a : f32 to f32"
        if wide
        else f"%a1 = arith.extf %a : {t} to f32",
        "narrow_one": "%h = arith.bitcast %g : f32 to f32"
        if wide
        else f"%h = arith.truncf %g : f32 to {t}",
    }


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "sizes", [(7, 65, 32, 3), (3, 4097, 512, 2), (97, 8, 8, 4), (2, 1, 4, 2), (5, 33, 1, 1)]
)
def test_softmax_over_blocks(sizes: tuple[int, int, int, int], dtype: str) -> None:
    m, n, block, cores = sizes
    text = template("softmax_blocks", m=m, n=n, block=block, cores=cores, t=dtype, **casts(dtype))
    for seed in (0, 1):
        x = normal(m, n, dtype=dtype, seed=seed)
        if n > 8:
            x[0, 5] = -np.inf
        y = np.empty_like(x)
        run(text, {"x_ptr": x, "y_ptr": y})
        e = np.exp(x.astype(float) - x.astype(float).max(axis=1, keepdims=True))
        # exponents up to 10 in size, each rescaled once a block
        near(y, e / e.sum(axis=1, keepdims=True), n + 10 + 2 * (n // block))


# --- layer norm with mean and rstd ---------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("sizes", [(97, 65, 4), (9, 8192, 3), (5, 1, 2), (3, 4097, 1)])
def test_layer_norm_with_statistics(sizes: tuple[int, int, int], dtype: str) -> None:
    m, n, cores = sizes
    text = template(
        "layer_norm",
        m=m,
        n=n,
        m1=m - 1,
        n1=n - 1,
        cores=cores,
        t=dtype,
        init=f", %init: {dtype}",
        widen=widen("%aw", "%a", dtype),
        widen_g=widen("%gw", "%gain", dtype),
        widen_b=widen("%bw", "%bias", dtype),
        narrow=narrow("%on", "%o", dtype),
    )
    x, w, b = normal(m, n, dtype=dtype), normal(n, dtype=dtype), normal(n, dtype=dtype, seed=1)
    y, mean, rstd = np.empty_like(x), np.empty(m, np.float32), np.empty(m, np.float32)
    run(text, {"X": x, "W": w, "B": b, "Y": y, "Mean": mean, "Rstd": rstd})
    v, g, h = (a.astype(float) for a in (x, w, b))
    near(mean, v.mean(axis=1), n, np.abs(v).mean(axis=1))
    deviation = 1 / np.sqrt(v.var(axis=1) + 1e-5)
    near(rstd, deviation, n + 8)
    centred = (v - v.mean(axis=1, keepdims=True)) * deviation[:, None]
    spread = np.abs(v).max() * deviation[:, None] * np.abs(g) + np.abs(h)
    near(y, centred * g + h, n + 8, spread)


# --- RMS norm, every operation on whole tensors --------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("sizes", [(32, 4096, 8), (97, 1, 1), (6, 65, 3), (32, 1, 32)])
def test_rms_norm(sizes: tuple[int, int, int], dtype: str) -> None:
    m, n, cores = sizes
    text = template(
        "rms_norm",
        m=m,
        n=n,
        m1=m - 1,
        n1=n - 1,
        block=m // cores,
        b1=m // cores - 1,
        cores=cores,
        t=dtype,
        widen=widen("%aw", "%a", dtype),
        widen_g=widen("%gw", "%g", dtype),
        narrow=narrow("%16", "%15", dtype),
    )
    x, w = normal(m, n, dtype=dtype), normal(n, dtype=dtype)
    y = np.empty_like(x)
    run(text, {"arg0": x, "arg1": w, "arg2": y})
    v = x.astype(float)
    near(y, v / np.sqrt((v**2).mean(axis=1, keepdims=True) + 1e-6) * w.astype(float), n + 6)


# --- log-softmax at chosen columns, and ranks ----------------------------------------------------

LOWEST = {"f16": "0xFC00", "bf16": "0xFF80", "f32": "0xFF800000"}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("sizes", "index"),
    [((4, 4097, 5), "i32"), ((3, 65, 1), "si64"), ((2, 1, 1), "index"), ((5, 32, 8), "i64")],
)
def test_log_softmax_and_ranks(sizes: tuple[int, int, int], index: str, dtype: str) -> None:
    m, n, k = sizes
    text = template(
        "log_softmax",
        m=m,
        n=n,
        k=k,
        m1=m - 1,
        n1=n - 1,
        k1=k - 1,
        t=dtype,
        i=index,
        lowest=LOWEST[dtype],
        widen_p=widen("%pw", "%p", dtype),
        widen_q=widen("%qw", "%q", dtype),
    )
    x = normal(m, n, dtype=dtype)
    ids = np.random.default_rng(3).integers(0, n, (m, k))
    ids = ids.astype(np.int32 if index == "i32" else np.int64)
    out, rank = np.empty((m, k), np.float32), np.empty(m, np.int32)
    run(text, {"x": x, "ids": ids, "out": out, "rank": rank})
    v = x.astype(float)
    v -= v.max(axis=1, keepdims=True)
    total = np.log(np.exp(v).sum(axis=1, keepdims=True))
    chosen = np.take_along_axis(v, ids, axis=1)
    # a relative error of the sum is an absolute one of its logarithm
    near(out, chosen - total, n + 12, np.abs(chosen) + np.abs(total) + 1)
    first = np.take_along_axis(x, ids[:, :1], axis=1)
    np.testing.assert_array_equal(rank, (x >= first).sum(axis=1))


def test_results_off_by_more_than_their_rounding_are_told() -> None:
    want = np.array([1.0, 1e-3])
    near(np.array([1.0, 1e-3], np.float16), want, 64)
    near(np.array([1 + 2.0**-10, 1e-3], np.float16), want, 64)
    for wrong in ([1 + 2.0**-9, 1e-3], [1.0, 0.0], [1.0, np.nan]):
        with pytest.raises(AssertionError, match="1 of 2"):
            near(np.array(wrong, np.float16), want, 64)
