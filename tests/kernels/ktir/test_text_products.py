"""Products and exchanges as texts from other hands: matmul with tails on every axis, stacks with a
transposed operand, a feed-forward layer, a ring of cores, fused sticks at constant bases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spyrelang as spyre
from spyrelang.semantics import df16

from .kit import box, near, normal, run, template
from .kit import narrow_text as narrow

# --- matmul --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "i32"])
@pytest.mark.parametrize(
    "sizes",
    [
        (127, 129, 65, (64, 32, 32)),
        (5, 1, 8, (2, 4, 4)),
        (1, 4096, 32, (1, 512, 32)),
        (12, 100, 97, (12, 100, 32)),
        (3, 7, 1, (1, 1, 1)),
    ],
)
def test_matmul_with_tails(sizes: tuple[int, int, int, tuple[int, int, int]], dtype: str) -> None:
    m, k, n, (bm, bk, bn) = sizes
    acc = "i32" if dtype == "i32" else "f32"
    text = template(
        "matmul_tails", gm=-(-m // bm), gn=-(-n // bn), bm=bm, bk=bk, bn=bn, t=dtype, acc=acc,
        zero="0" if acc == "i32" else "0.0",
    )  # fmt: skip
    for seed in (0, 1):
        a, b = (normal(*s, dtype=dtype, seed=seed) for s in ((m, k), (k, n)))
        if dtype == "i32":
            a, b = a * 100, b * 100
        c = np.empty((m, n), np.int32 if acc == "i32" else np.float32)
        run(text, {"a_ptr": a, "b_ptr": b, "c_ptr": c, "M": m, "N": n, "K": k})
        want = a.astype(float) @ b.astype(float)
        near(c, want, k, np.abs(a.astype(float)) @ np.abs(b.astype(float)), ulp=0.5)


PRODUCTS = {
    "matmul": """%p = tensor.collapse_shape %x [[0, 1], [2]] : {x3} into {x2}
    %q = tensor.collapse_shape %y [[0, 1], [2]] : {y3} into {y2}
    %zz = tensor.collapse_shape %z [[0, 1], [2]] : {z3} into {z2}
    %s = linalg.matmul indexing_maps = [affine_map<(i, j, l) -> (i, l)>,
      affine_map<(i, j, l) -> (j, l)>, affine_map<(i, j, l) -> (i, j)>]
      ins(%p, %q : {x2}, {y2}) outs(%zz : {z2}) -> {z2}
    %r = tensor.expand_shape %s [[0, 1], [2]] output_shape [1, {m}, {n}] : {z2} into {z3}""",
    "batch": """%r = linalg.batch_matmul indexing_maps = [affine_map<(b, i, j, l) -> (b, i, l)>,
      affine_map<(b, i, j, l) -> (b, j, l)>, affine_map<(b, i, j, l) -> (b, i, j)>]
      ins(%x, %y : {x3}, {y3}) outs(%z : {z3}) -> {z3}""",
    "turned": """%te = tensor.empty() : tensor<1x{k}x{n}x{t}>
    %yt = linalg.transpose ins(%y : {y3}) outs(%te : tensor<1x{k}x{n}x{t}>) permutation = [0, 2, 1]
    %r = linalg.batch_matmul ins(%x, %yt : {x3}, tensor<1x{k}x{n}x{t}>) outs(%z : {z3}) -> {z3}""",
    "generic": """%r = linalg.generic {{indexing_maps = [affine_map<(b, i, j, l) -> (b, i, l)>,
      affine_map<(b, i, j, l) -> (b, j, l)>, affine_map<(b, i, j, l) -> (b, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}}
      ins(%x, %y : {x3}, {y3}) outs(%z : {z3}) {{
    ^bb0(%p: {t}, %q: {t}, %acc: f32):
      %pw = arith.extf %p : {t} to f32
      %qw = arith.extf %q : {t} to f32
      %s = math.fma %pw, %qw, %acc : f32
      linalg.yield %s : f32
    }} -> {z3}""",
}


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("form", PRODUCTS)
@pytest.mark.parametrize("sizes", [(4, 3, 1, 8), (6, 32, 129, 65), (2, 1, 14336, 1)])
def test_stacks_of_matrices(sizes: tuple[int, int, int, int], form: str, dtype: str) -> None:
    batch, m, k, n = sizes
    kinds = {"x": (m, k), "y": (n, k), "z": (m, n)}
    types = {
        f"{v}2": f"tensor<{p}x{q}x{'f32' if v == 'z' else dtype}>" for v, (p, q) in kinds.items()
    }
    types |= {v.replace("2", "3"): t.replace("<", "<1x") for v, t in types.items()}
    text = template(
        "batched_matmul", batch=batch, m=m, k=k, n=n, mk=m * k, nk=n * k, mn=m * n, t=dtype,
        aset=box([batch, m, k]), bset=box([batch, n, k]), cset=box([batch, m, n]),
        atile=box([1, m, k]), btile=box([1, n, k]), ctile=box([1, m, n]),
        product=PRODUCTS[form].format(m=m, k=k, n=n, t=dtype, **types),
    )  # fmt: skip
    a, b = normal(batch, m, k, dtype=dtype), normal(batch, n, k, dtype=dtype, seed=1)
    c = np.empty((batch, m, n), np.float32)
    run(text, {"a_ptr": a, "b_ptr": b, "c_ptr": c})
    x, y = a.astype(float), b.astype(float).swapaxes(1, 2)
    near(c, x @ y, k, np.abs(x) @ np.abs(y))


# --- feed-forward layer --------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
@pytest.mark.parametrize(
    "sizes", [(97, 64, 200, 64, 4), (97, 65, 33, 32, 1), (1, 8, 1, 4, 4), (12, 32, 128, 128, 3)]
)
def test_feed_forward_layer(sizes: tuple[int, int, int, int, int], dtype: str) -> None:
    m, n, k, bh, cores = sizes
    text = template(
        "ffn", m=m, n=n, k=k, n1=n - 1, bh=bh, block=-(-m // cores), cores=cores, t=dtype,
        xset=box([m, n]), uset=box([n, k]), dset=box([k, n]), narrow=narrow("%rt", "%r", dtype),
        narrow_sum=f"%result = tensor.cast %sum : tensor<?x{n}xf32> to tensor<?x{n}xf32>"
        if dtype == "f32"
        else f"%result = arith.truncf %sum : tensor<?x{n}xf32> to tensor<?x{n}x{dtype}>",
    )  # fmt: skip
    x = normal(m, n, dtype=dtype)
    w1, w3, w2 = (
        (normal(*s, dtype="f32", seed=i) / np.sqrt(s[0])).astype(x.dtype)
        for i, s in enumerate(((n, k), (n, k), (k, n)))
    )
    o = np.empty_like(x)
    run(text, {"x_ptr": x, "w1_ptr": w1, "w3_ptr": w3, "w2_ptr": w2, "o_ptr": o})
    v, g, u, d = (t.astype(float) for t in (x, w1, w3, w2))
    a = v @ g
    # one rounding of the hidden values to the narrow type, and f32 errors of both products
    sizes_ = (1.1 * np.abs(v) @ np.abs(g)) * (np.abs(v) @ np.abs(u)) @ np.abs(d)
    unit = {"f16": 2.0**13, "bf16": 2.0**16, "f32": 1.0}[dtype]
    near(o, (a / (1 + np.exp(-a)) * (v @ u)) @ d, 1, sizes_ * (unit + k + 3 * n + 12))


# --- a ring --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f32", "i32"])
@pytest.mark.parametrize(("cores", "n"), [(4, 65), (2, 1), (8, 32), (32, 8), (3, 97)])
def test_ring_of_cores(cores: int, n: int, dtype: str) -> None:
    text = template(
        "ring", cores=cores, last=cores - 1, rounds=cores - 1, n=n, t=dtype,
        view=box([cores, n]), tile=box([1, n]),
    )  # fmt: skip
    x = normal(cores, n, dtype=dtype)
    o = np.empty_like(x)
    run(text, {"x_ptr": x, "o_ptr": o})
    # each core adds in its own order: its own value first, then those of the cores before it
    want = x.copy()
    for step in range(1, cores):
        want = want + np.roll(x, step, axis=0)
    np.testing.assert_array_equal(o, want)


# --- sticks at constant bases --------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [(4, 96, 2, 4, 8), (6, 5, 3, 1, 3), (1, 64, 1, 32, 32)])
def test_fused_sticks(sizes: tuple[int, int, int, int, int]) -> None:
    x, y, o = fused(sizes, "ieee")
    e = np.exp((x + y).astype(np.float32)).astype(np.float16)
    near(o, (e * y).astype(float), 1, ulp=2)
    # in DLFloat16 every operation rounds to its ten bits: the sum, exp (or its neighbour), product
    x, y, o = fused(sizes, "df16")
    a, b = (df16.round_df16(v.astype(np.float32)) for v in (x, y))
    want = df16.round_df16(df16.round_df16(np.exp(df16.round_df16(a + b))) * b).astype(float)
    normal_ = np.abs(want) >= 2.0**-14  # below, f16 itself has fewer bits
    assert (np.abs(o - want) <= 2 * 2.0**-9 * np.abs(want))[normal_].all()
    np.testing.assert_array_equal(df16.round_df16(o.astype(np.float32))[normal_], o[normal_])


def fused(sizes: tuple[int, int, int, int, int], numerics: str) -> list[np.ndarray]:
    """Both inputs, and what the kernel makes of them."""
    s, r, outer, inner, cores = sizes
    text = template(
        "fused_sticks", s=s, s1=s - 1, r=r, r1=r - 1, rs=r * 64, outer=outer, inner=inner,
        cores=cores, block=r // inner, b1=r // inner - 1, per=s // outer,
    )  # fmt: skip
    arrays = [normal(s, r, 64, seed=i) for i in (0, 1)]
    arrays.append(np.empty_like(arrays[0]))
    memory: dict[int, Any] = dict(zip((0, 8589934592, 17179869184), arrays, strict=True))
    found = spyre.load_ktir(text).run(memory=memory, engine="ktir", numerics=numerics)
    assert not found.warnings
    return arrays
