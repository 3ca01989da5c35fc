"""Families of kernels in Python that are not among the shipped ones: tiled products, causal
attention, softmax over blocks, rows across core borders, joins and cuts, masks, casts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy

from .kit import NUMPY, near, normal
from .test_text_attention import causal as causal_reference

M, N, K, H, G, T, D = spy.dims("M N K H G T D")

ALL = ("f16", "bf16", "f32", "i32")
FLOATS = ("f16", "bf16", "f32")


def runs(kernel: Any, *arrays: np.ndarray, grid: Any = None, **consts: Any) -> None:
    """Run on the arrays, without a finding; the kernel's own text gives the same bits, in IEEE
    and, where there is f16, in DLFloat16."""
    names = [p.name for p in kernel.signature.parameters][: len(arrays)]
    text = str(kernel.ir("ktir", *arrays, grid=grid, **consts))
    narrow = any(a.dtype == np.float16 for a in arrays)
    for numerics in ("df16", "ieee") if narrow else ("ieee",):
        again = {n: a.copy() for n, a in zip(names, arrays, strict=True)}
        run = kernel(*arrays, grid=grid, engine="ktir", numerics=numerics, **consts)
        found = spyre.load_ktir(text).run(again, engine="ktir", numerics=numerics)
        assert [str(w) for w in (*run.warnings, *found.warnings)] == []
        for name, array in zip(names, arrays, strict=True):
            assert array.tobytes() == again[name].tobytes(), f"{numerics} {name}"


# --- element-wise and row kernels ----------------------------------------------------------------


@spyre.kernel(grid=4)
def add(x: spy.In[N], y: spy.In[N], out: spy.Out[N]):
    for part in spy.blocks(x.shape[0], 65):
        out[part] = x[part] + y[part]


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("n", [1, 64, 65, 4097])
def test_add(n: int, dtype: str) -> None:
    x, y = (normal(n, dtype=dtype, seed=s) for s in (0, 1))
    out = np.empty_like(x)
    runs(add, x, y, out)
    np.testing.assert_array_equal(out, x + y)


@spyre.kernel(grid=3)
def softmax_blocks(x: spy.In[M, N], out: spy.Out[M, N], block: spy.Const = 512):
    for row in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
        top, total = spy.full((), -np.inf, spy.f32), spy.zeros((), spy.f32)
        for cols in spy.blocks(x.shape[1], block, axis=None):
            v = spy.cast(x[row, cols], spy.f32)
            new = spy.maximum(top, spy.max(v))
            total = total * spy.exp(top - new) + spy.sum(spy.exp(v - new))
            top = new
        for cols in spy.blocks(x.shape[1], block, axis=None):
            e = spy.exp(spy.cast(x[row, cols], spy.f32) - top)
            out[row, cols] = spy.cast(e / total, x.dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("sizes", [(7, 65, 32), (2, 4097, 512), (4, 1, 8), (3, 8, 8)])
def test_softmax_over_blocks(sizes: tuple[int, int, int], dtype: str) -> None:
    m, n, block = sizes
    x = normal(m, n, dtype=dtype)
    if n > 8:
        x[0, 5] = -np.inf
    out = np.empty_like(x)
    runs(softmax_blocks, x, out, block=block)
    e = np.exp(x.astype(float) - x.astype(float).max(axis=1, keepdims=True))
    near(out, e / e.sum(axis=1, keepdims=True), n + 10 + 2 * (n // block))


@spyre.kernel(grid=4)
def causal_mask(x: spy.In[M, N], out: spy.Out[M, N]):
    for rows in spy.blocks(x.shape[0], 8):
        keep = spy.iota((rows.stop - rows.start, 1)) + rows.start >= spy.iota(x.shape[1])
        out[rows, :] = spy.where(keep, x[rows, :], -np.inf)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(97, 65), (8, 8), (3, 1)])
def test_causal_mask(shape: tuple[int, int], dtype: str) -> None:
    x = normal(*shape, dtype=dtype)
    out = np.empty_like(x)
    runs(causal_mask, x, out)
    want = np.where(np.tri(*shape, dtype=bool), x, np.array(-np.inf, x.dtype))
    np.testing.assert_array_equal(out, want)


# --- products ------------------------------------------------------------------------------------


@spyre.kernel(grid=(2, 3))
def matmul_transposed(
    a: spy.In[M, K], b: spy.In[N, K], out: spy.Out[M, N], block: spy.Const = (64, 32, 32)
):
    bm, bn, bk = block
    for rows in spy.blocks(a.shape[0], bm, axis=0):
        for cols in spy.blocks(b.shape[0], bn, axis=1):
            acc = spy.zeros((rows.stop - rows.start, cols.stop - cols.start), spy.f32)
            for part in spy.blocks(a.shape[1], bk, axis=None):
                acc = spy.dot(a[rows, part], spy.load(b[cols, part]).T, acc)
            out[rows, cols] = spy.cast(acc, out.dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("sizes", [(127, 129, 65), (5, 1, 8), (1, 4096, 32), (64, 32, 96)])
def test_matmul_with_tails(sizes: tuple[int, int, int], dtype: str) -> None:
    m, k, n = sizes
    a, b = normal(m, k, dtype=dtype), normal(n, k, dtype=dtype, seed=1)
    out = np.empty((m, n), a.dtype)
    runs(matmul_transposed, a, b, out)
    x, y = a.astype(float), b.astype(float).T
    near(out, x @ y, k, np.abs(x) @ np.abs(y))


@spyre.kernel(grid=(4, 2))
def causal_attention(
    q: spy.In[H, T, D],
    k: spy.In[G, T, D],
    v: spy.In[G, T, D],
    out: spy.Out[H, T, D],
    block: spy.Const = 16,
):
    head = spy.tile_id()
    kv = head // (q.shape[0] // k.shape[0])
    for rows in spy.blocks(q.shape[1], 32, axis=1):
        query = spy.load(q[head, rows, :])
        one = (query.shape[0], 1)
        top, total = spy.full(one, -np.inf, spy.f32), spy.zeros(one, spy.f32)
        acc = spy.zeros(query.shape, spy.f32)
        for cols in spy.blocks(k.shape[1], block, axis=None):
            with spy.when(cols.start < rows.stop):
                s = spy.dot(query, spy.load(k[kv, cols, :]).T) * q.shape[2] ** -0.5
                i, j = spy.iota(s.shape, 0) + rows.start, spy.iota(s.shape, 1) + cols.start
                s = spy.where(i >= j, s, -np.inf)
                new = spy.maximum(top, spy.max(s, axis=1, keepdims=True))
                p, fix = spy.exp(s - new), spy.exp(top - new)
                total = total * fix + spy.sum(p, axis=1, keepdims=True)
                acc = spy.dot(spy.cast(p, v.dtype), v[kv, cols, :], acc * fix)
                top = new
        out[head, rows, :] = spy.cast(acc / total, q.dtype)


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("sizes", [(2, 97, 64), (4, 33, 65), (1, 8, 8), (4, 1, 1)])
def test_causal_attention(sizes: tuple[int, int, int], dtype: str) -> None:
    groups, n, d = sizes
    q, k, v = (normal(h, n, d, dtype=dtype, seed=s) for s, h in enumerate((4, groups, groups)))
    out = np.empty_like(q)
    runs(causal_attention, q, k, v, out)
    # the weights are rounded to the narrow type; scores are exact up to f32
    u = 2.0 ** -(11 if dtype == "f16" else 8)
    largest = float(np.abs(v.astype(float)).max())
    near(out, causal_reference(q, k, v), n + d, (u / 2.0**-24 / (n + d) + 16) * largest)


# --- across core borders -------------------------------------------------------------------------


@spyre.kernel(grid=4)
def three_rows(x: spy.In[M, N], out: spy.Out[K, N]):
    """Each core keeps a share of the rows; every three neighbours are summed."""
    share, columns = x.shape[0] // spy.num_tiles(), x.shape[1]
    first = spy.tile_id() * share
    parts = [
        spy.memory_view(0, (share, columns), space=spy.local(ct), dtype=x.dtype)
        for ct in range(spy.num_tiles())
    ]
    own = spy.memory_view(0, (share, columns), space=spy.local(), dtype=x.dtype)
    own[:, :] = x[first : first + share, :]
    spy.all_reduce(spy.zeros((1,), spy.i32))  # all of them have stored
    rows = spy.distributed_view(parts, axis=0)
    for r in spy.range(first, spy.minimum(first + share, x.shape[0] - 2)):
        out[r, :] = spy.cast(spy.sum(spy.cast(rows[r : r + 3, :], spy.f32), axis=0), x.dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(32, 65), (4, 1), (12, 8)])
def test_rows_across_core_borders(shape: tuple[int, int], dtype: str) -> None:
    x = normal(*shape, dtype=dtype)
    out = np.empty((shape[0] - 2, shape[1]), x.dtype)
    runs(three_rows, x, out)
    w = x.astype(float)
    near(out, w[:-2] + w[1:-1] + w[2:], 2, 3 * np.abs(w).max())


# --- joins, cuts, casts --------------------------------------------------------------------------


@spyre.kernel
def cat(a: spy.In[M, K], b: spy.In[M, N], out: spy.Out):
    out[:, : a.shape[1]] = a[:, :]
    out[:, a.shape[1] :] = b[:, :]


@spyre.kernel
def cat_values(a: spy.In[M, K], b: spy.In[M, N], out: spy.Out):
    out[:, :] = spy.concat([spy.load(a[:, :]), spy.load(b[:, :])], axis=1)


@spyre.kernel
def pad(x: spy.In[M, N], out: spy.Out, at: spy.Const = (1, 33)):
    out[:, :] = spy.full(out.shape, -7, out.dtype)
    out[at[0] : at[0] + x.shape[0], at[1] : at[1] + x.shape[1]] = x[:, :]


@spyre.kernel
def cut(x: spy.In[M, N], out: spy.Out, at: spy.Const = (1, 33)):
    out[:, :] = x[at[0] : at[0] + out.shape[0], at[1] : at[1] + out.shape[1]]


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("shape", [(3, 65), (97, 1), (2, 32)])
def test_joins_and_cuts(shape: tuple[int, int], dtype: str) -> None:
    a, b = normal(*shape, dtype=dtype), normal(shape[0], 33, dtype=dtype)
    for kernel in (cat, cat_values):
        out = np.empty((shape[0], shape[1] + 33), a.dtype)
        runs(kernel, a, b, out)
        np.testing.assert_array_equal(out, np.concatenate([a, b], axis=1))
    wide = np.empty((shape[0] + 2, shape[1] + 40), a.dtype)
    runs(pad, a, wide)
    want = np.full_like(wide, -7)
    want[1:-1, 33:-7] = a
    np.testing.assert_array_equal(wide, want)
    back = np.empty_like(a)
    runs(cut, wide, back)
    np.testing.assert_array_equal(back, a)


@spyre.kernel(grid=2)
def cast(x: spy.In[M, N], out: spy.Out[M, N]):
    for rows in spy.blocks(x.shape[0], 8):
        out[rows, :] = spy.cast(x[rows, :], out.dtype)


@pytest.mark.parametrize(
    ("source", "target"),
    [("f16", "f32"), ("f32", "f16"), ("f32", "bf16"), ("bf16", "f32"), ("f32", "i32"),
     ("f16", "i32"), ("i32", "f16"), ("i64", "i32"), ("i32", "i64"), ("i32", "f32")],
)  # fmt: skip
def test_casts(source: str, target: str) -> None:
    values = np.random.default_rng(0).standard_normal((9, 65)) * 900
    x = (np.trunc(values) if source[0] == "i" else values).astype(NUMPY[source])
    out = np.empty(x.shape, NUMPY[target])
    runs(cast, x, out)
    want = np.trunc(x.astype(float)).astype(NUMPY[target]) if target[0] == "i" else x
    assert out.tobytes() == want.astype(NUMPY[target]).tobytes()


@spyre.kernel(grid=2)
def transpose(x: spy.In[M, N], out: spy.Out[N, M]):
    for rows in spy.blocks(x.shape[0], 32):
        out[:, rows] = spy.load(x[rows, :]).T


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("shape", [(97, 65), (8, 1), (32, 64)])
def test_transpose(shape: tuple[int, int], dtype: str) -> None:
    x = normal(*shape, dtype=dtype)
    out = np.empty(shape[::-1], x.dtype)
    runs(transpose, x, out)
    np.testing.assert_array_equal(out, x.T)
