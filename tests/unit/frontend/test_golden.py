"""What a person sees: whole KTIR texts. Run with SPYRELANG_UPDATE_GOLDEN=1 to rewrite them."""

import os
from pathlib import Path

import numpy as np
import pytest

import spyrelang.language as spy
from spyrelang import ir

GOLDEN = Path(__file__).parent / "golden"
M, N = spy.dims("M N")


def add(x: spy.In[M, N, spy.f16], y: spy.In[M, N, spy.f16], out: spy.Out[M, N, spy.f16]):
    row = spy.tile_id() * 4
    a = spy.load(x[row : row + 4, :])
    b = spy.load(y[row : row + 4, :])
    total = a + b
    out[row : row + 4, :] = total


def bias_gelu(x: spy.In, bias: spy.In, out: spy.Out, scale: spy.Const):
    """A loop over rows with a dropped axis, a row broadcast and an intrinsic."""
    b = spy.load(bias[:])
    for row in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
        v = spy.load(x[row, :])
        out[row, :] = spy.gelu(v * scale + b)


def outer(col: spy.In, row: spy.In, out: spy.Out):
    """Column by row, on a grid of two axes, with types, comparison and choice."""
    i, j = spy.tile_id(0) * 8, spy.tile_id(1)
    c = spy.load(col[i : i + 8])[:, None]
    r = spy.cast(spy.load(row[j * 32 : j * 32 + 32]), spy.f32)
    product = c * r
    out[i : i + 8, j * 32 : j * 32 + 32] = spy.where(product > 1.0, 1.0, product)


def transpose(x: spy.In, out: spy.Out):
    """A transpose in blocks with a tail."""
    for part in spy.blocks(x.shape[0], 24):
        block = spy.load(x[part, :])
        out[:, part] = spy.transpose(block)


def in_place(x: spy.InOut):
    x[...] *= 2.0
    x[0, :] = 0.5


def scratch(p: spy.Ptr[spy.f16], out: spy.Out):
    """Explicit views: an address parameter with strides, and a scratchpad."""
    first = spy.memory_view(p, (4, 64), strides=(128, 1))
    pad = spy.memory_view(0, (4, 64), space=spy.local(), dtype=spy.f16)
    other = spy.memory_view(256, (4, 64), space=spy.local(3), dtype=spy.f16)
    spy.store(pad, spy.load(first))
    tile = spy.access_tile(other, (0, 0), (4, 64))
    spy.store(tile, abs(-spy.load(pad)))
    out[:, :] = tile


def integers(n: spy.In, out: spy.Out):
    """Index arithmetic and integer values."""
    id = spy.tile_id()
    start = (id % 3) * 8 + id // 3
    low = spy.minimum(start, 16)
    v = spy.load(n[low : low + 8])
    out[id, :] = ~((v % 3 << 2) | v // 2) & 7


def softmax(x: spy.In, out: spy.Out):
    for row in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
        v = spy.cast(x[row, :], spy.f32)
        e = spy.exp(v - spy.max(v))
        out[row, :] = spy.cast(e / spy.sum(e), spy.f16)


def matmul(a: spy.In, b: spy.In, c: spy.Out):
    """Two carried values, one of them a position; a transposed operand."""
    row = spy.tile_id() * 8
    acc = spy.zeros((8, 24), spy.f32)
    for _i, k in spy.range(4, carry=0):
        acc = spy.dot(a[row : row + 8, k : k + 16], spy.load(b[:, k : k + 16]).T, acc)
        k = k + 16
    c[row : row + 8, :] = spy.cast(acc, spy.f16)


def pages(cache: spy.In, table: spy.In, out: spy.Out):
    """A gather of pages, parts, a join, a reshape, and what one tile stores for all."""
    i = spy.tile_id()
    rows = spy.load(cache[spy.ind(table[i, 0:2]), :, :])
    both = spy.concat([rows[:, 0:1, :], rows[:, 2:3, :]], axis=1)
    total = spy.all_reduce(spy.sum(spy.reshape(both, (4, 8)), axis=0), group=0)
    if i == 0:
        total = total * 2.0
    out[i, :] = total


def z(*shape, dtype=np.float16):
    return np.zeros(shape, dtype)


CASES = {
    "add": (add, (z(96, 64), z(96, 64), z(96, 64)), 24),
    "bias_gelu": (bias_gelu, (z(10, 64), z(64), z(10, 64), 0.5), 4),
    "outer": (outer, (z(16, dtype="f4"), z(64), z(16, 64, dtype="f4")), (2, 2)),
    "transpose": (transpose, (z(64, 10), z(10, 64)), 2),
    "in_place": (in_place, (z(8, 8)[::2],), 1),
    "scratch": (scratch, (None, z(4, 64)), 1),
    "softmax": (softmax, (z(13, 97), z(13, 97)), 4),
    "matmul": (matmul, (z(16, 64), z(24, 64), z(16, 24)), 2),
    "pages": (pages, (z(6, 4, 8), z(2, 3, dtype="i4"), z(2, 8)), 2),
    "integers": (integers, (z(24, dtype="i4"), z(6, 8, dtype="i4")), 6),
}


@pytest.mark.parametrize("name", CASES)
def test_golden(name, trace):
    kernel, args, grid = CASES[name]
    text = trace(kernel, *args, grid=grid).module.text()
    path = GOLDEN / f"{name}.mlir"
    if os.environ.get("SPYRELANG_UPDATE_GOLDEN"):
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize("name", CASES)
def test_golden_text_reads_back(name, trace):
    kernel, args, grid = CASES[name]
    module = trace(kernel, *args, grid=grid).module
    again = ir.parse(module.text(), f"{name}.mlir")
    assert ir.print_module(again, names=False) == module.text(names=False)


@pytest.mark.parametrize("name", CASES)
def test_tracing_is_deterministic(name, trace):
    kernel, args, grid = CASES[name]
    texts = {trace(kernel, *args, grid=grid).module.text(locs=True) for _ in range(3)}
    assert len(texts) == 1
