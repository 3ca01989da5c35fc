"""The kernels that benchmarks of the KTIR interpreter run, each with the same in numpy."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from ktir_text import (
    binary,
    box,
    by_rows,
    generic,
    load,
    memory_view,
    memref,
    module,
    multiply,
    reduction,
    row_block,
    store,
    tensor,
    tile,
)

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """A kernel, its arrays, the same computation in numpy, and the ratio it must stay below; or
    milliseconds it must stay below."""

    text: str
    arrays: Arrays
    numpy: Callable[[], object]
    check: Callable[[], None]
    limit: float
    milliseconds: float | None = None


def normal(shape: Sequence[int], dtype: Any = np.float16, seed: int = 0) -> np.ndarray:
    """Normal numbers, row by row: numpy makes them in f64, which would be the peak of memory."""
    rng, found = np.random.default_rng(seed), np.empty(shape, dtype)
    for row in found.reshape(-1, shape[-1]):
        row[...] = rng.standard_normal(shape[-1])
    return found


def add(rows: int, columns: int, tiles: int = 32, limit: float = 6.0) -> Case:
    """f16 elements, some rows for each tile."""
    shape, extents = [rows, columns], [rows // tiles, columns]
    body = row_block("abo", shape, extents)
    body += binary("z", "addf", "a_x", "b_x", tensor(extents, "f16"))
    body += store("%z", "o", extents)
    a, b, o = normal(shape), normal(shape, seed=1), np.zeros(shape, np.float16)
    return Case(
        module("add", "abo", [tiles], body),
        {"a": a, "b": b, "o": o},
        lambda: a + b,
        lambda: np.testing.assert_array_equal(o, a + b),
        limit,
    )


def softmax(dtype: str = "f16") -> Case:
    """4096 x 1024, one row a step."""
    rows, n = 4096, 1024
    lowest = "0xFC00" if dtype == "f16" else "0xFF800000"
    compute = reduction("m", "x_x", "arith.maximumf", lowest, n, dtype)
    compute += generic(
        "d",
        [("x_x", f"row:{dtype}"), ("m", f"one:{dtype}")],
        f"%y = arith.subf %a0, %a1 : {dtype}\n%z = math.exp %y : {dtype}\n"
        f"linalg.yield %z : {dtype}\n",
        n,
        dtype,
    )
    compute += reduction("s", "d", "arith.addf", "0.0", n, dtype)
    compute += generic(
        "r",
        [("d", f"row:{dtype}"), ("s", f"one:{dtype}")],
        f"%y = arith.divf %a0, %a1 : {dtype}\nlinalg.yield %y : {dtype}\n",
        n,
        dtype,
    )
    x = normal([rows, n], np.float16 if dtype == "f16" else np.float32)
    o = np.zeros_like(x)

    def reference() -> np.ndarray:
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    return Case(
        by_rows("softmax", rows, n, compute, "", dtype),
        {"x": x, "o": o},
        reference,
        lambda: np.testing.assert_allclose(o, reference(), rtol=4e-3, atol=1e-6),
        6.0,
    )


def layernorm() -> Case:
    """1151 x 8192 f16 with f32 inside, one row a step."""
    rows, n = 1151, 8192
    compute = generic(
        "w",
        [("x_x", "row:f16")],
        "%y = arith.extf %a0 : f16 to f32\nlinalg.yield %y : f32\n",
        n,
        "f32",
    )
    compute += reduction("t", "w", "arith.addf", "0.0", n, "f32")
    centre = (
        f"%k = arith.constant {1 / n} : f32\n%u = arith.mulf %a1, %k : f32\n"
        "%y = arith.subf %a0, %u : f32\nlinalg.yield %y : f32\n"
    )
    compute += generic("c", [("w", "row:f32"), ("t", "one:f32")], centre, n, "f32")
    compute += generic(
        "q", [("c", "row:f32")], "%y = arith.mulf %a0, %a0 : f32\nlinalg.yield %y : f32\n", n, "f32"
    )
    compute += reduction("v", "q", "arith.addf", "0.0", n, "f32")
    scale = (
        f"%k = arith.constant {1 / n} : f32\n%h = arith.constant 1.0e-5 : f32\n"
        "%u = arith.mulf %a1, %k : f32\n%j = arith.addf %u, %h : f32\n%l = math.rsqrt %j : f32\n"
        "%y = arith.mulf %a0, %l : f32\n%gain = arith.extf %a2 : f16 to f32\n"
        "%z = arith.mulf %y, %gain : f32\n%bias = arith.extf %a3 : f16 to f32\n"
        "%s = arith.addf %z, %bias : f32\n%i_ = arith.truncf %s : f32 to f16\n"
        "linalg.yield %i_ : f16\n"
    )
    operands = [("c", "row:f32"), ("v", "one:f32"), ("g_x", "column:f16"), ("b_x", "column:f16")]
    compute += generic("r", operands, scale, n)
    x, g, b = normal([rows, n]), normal([n], seed=1), normal([n], seed=2)
    o = np.zeros_like(x)

    def reference() -> np.ndarray:
        w = x.astype(np.float32)
        c = w - w.mean(axis=1, keepdims=True)
        scaled = c / np.sqrt((c * c).mean(axis=1, keepdims=True) + np.float32(1e-5))
        return (scaled * g.astype(np.float32) + b.astype(np.float32)).astype(np.float16)

    return Case(
        by_rows("layernorm", rows, n, compute, "gb"),
        {"x": x, "o": o, "g": g, "b": b},
        reference,
        lambda: np.testing.assert_allclose(o, reference(), rtol=2e-3, atol=2e-3),
        6.0,
    )


def product(name: str, sizes: Sequence[int], grid: Sequence[int], block: int) -> Case:
    """m x k by k x n, f16 with f32 accumulators carried over blocks of k; a grid of tiles over the
    rows and columns of the result."""
    m, k, n = sizes
    rows, columns = m // grid[0], n // grid[1]
    kind, shape = tensor([rows, columns], "f32"), [rows, columns]
    body = memory_view("a", [m, k]) + memory_view("b", [k, n]) + memory_view("o", [m, n], "f32")
    body += (
        f"%i, %j = ktdp.get_compute_tile_id : index, index\n%cr = arith.constant {rows} : index\n"
        f"%cc = arith.constant {columns} : index\n%r = arith.muli %i, %cr : index\n"
        f"%c = arith.muli %j, %cc : index\n%n = arith.constant {k} : index\n"
        f"%s = arith.constant {block} : index\n%z = arith.constant dense<0.0> : {kind}\n"
        f"%f = scf.for %k = %c0 to %n step %s iter_args(%acc = %z) -> ({kind}) {{\n"
    )
    body += tile("a", [m, k], "%r, %k", [rows, block]) + load("a", [rows, block])
    body += tile("b", [k, n], "%k, %c", [block, columns]) + load("b", [block, columns])
    body += multiply("p", "a_x", "b_x", (rows, block, columns), "acc")
    body += f"scf.yield %p : {kind}\n}}\n"
    body += tile("o", [m, n], "%r, %c", shape, "f32") + store("%f", "o", shape, "f32")
    a, b, o = normal([m, k]), normal([k, n], seed=1), np.zeros((m, n), np.float32)
    left, right = a.astype(np.float32), b.astype(np.float32)
    return Case(
        module(name, "abo", grid, body),
        {"a": a, "b": b, "o": o},
        lambda: left @ right,
        lambda: np.testing.assert_allclose(o, left @ right, rtol=1e-3, atol=1e-2),
        4.0,
    )


def paged() -> Case:
    """Attention of 8 heads x 32 rows x 128, keys and values in pages found by two indices."""
    heads, rows, width, pages, size, used = 8, 32, 128, 64, 16, 16
    length, kv, lists = used * size, [pages, size, width], [heads, used * size]
    one, wide = tensor([rows], "f32"), tensor([rows, width], "f32")
    score, narrow = tensor([rows, length], "f32"), tensor([rows, length], "f16")
    body = memory_view("q", [heads * rows, width]) + memory_view("o", [heads * rows, width], "f32")
    body += memory_view("k", kv) + memory_view("v", kv)
    body += memory_view("p", lists, "i32") + memory_view("s", lists, "i32")
    body += f"%id = ktdp.get_compute_tile_id : index\n%r = arith.muli %id, %c{rows} : index\n"
    body += tile("q", [heads * rows, width], "%r, 0", [rows, width]) + load("q", [rows, width])
    for name in "kv":
        body += (
            f"%{name}_tile = ktdp.construct_indirect_access_tile intermediate_variables(%t, %w) "
            f"%{name}_view[ind(%p_view[%id, %t]), ind(%s_view[%id, %t]), (%w)] "
            f"{{variables_space_set = {box([length, width])}, "
            f"variables_space_order = affine_map<(a, b) -> (a, b)>}} : {memref(kv, 'f16')}, "
            f"{memref(lists, 'i32')}, {memref(lists, 'i32')} -> "
            f"!ktdp.access_tile<{length}x{width}xindex>\n"
        ) + load(name, [length, width])
    body += (
        f"%te = tensor.empty() : {tensor([width, length], 'f16')}\n%kt = linalg.transpose "
        f"ins(%k_x : {tensor([length, width], 'f16')}) outs(%te : "
        f"{tensor([width, length], 'f16')}) permutation = [1, 0]\n"
        f"%z = arith.constant dense<0.0> : {score}\n%y = arith.constant dense<0.0> : {wide}\n"
    )
    body += multiply("raw", "q_x", "kt", (rows, width, length), "z")
    body += (
        f"%l = arith.constant dense<0xFF800000> : {one}\n%n = arith.constant dense<0.0> : {one}\n"
        f"%m = linalg.reduce {{ arith.maximumf }} ins(%raw : {score}) outs(%l : {one}) "
        f"dimensions = [1]\n%be = tensor.empty() : {score}\n%b = linalg.broadcast ins(%m : {one}) "
        f"outs(%be : {score}) dimensions = [1]\n%d = arith.subf %raw, %b : {score}\n"
        f"%e = math.exp %d : {score}\n%sum = linalg.reduce {{ arith.addf }} ins(%e : {score}) "
        f"outs(%n : {one}) dimensions = [1]\n%h = arith.truncf %e : {score} to {narrow}\n"
    )
    body += multiply("w", "h", "v_x", (rows, length, width), "y")
    body += (
        f"%ce = tensor.empty() : {wide}\n%c = linalg.broadcast ins(%sum : {one}) outs(%ce : {wide})"
        f" dimensions = [1]\n%f = arith.divf %w, %c : {wide}\n"
    )
    body += tile("o", [heads * rows, width], "%r, 0", [rows, width], "f32")
    body += store("%f", "o", [rows, width], "f32")
    rng = np.random.default_rng(0)
    q = normal([heads * rows, width]) / np.float16(8)
    k, v = normal(kv, seed=1), normal(kv, seed=2)
    p = rng.integers(0, pages, lists).astype(np.int32)
    s = rng.integers(0, size, lists).astype(np.int32)
    o = np.zeros((heads * rows, width), np.float32)

    def reference() -> np.ndarray:
        raw = q.reshape(heads, rows, width).astype(np.float32) @ k[p, s].astype(
            np.float32
        ).swapaxes(1, 2)
        e = np.exp(raw - raw.max(axis=2, keepdims=True))
        found = e @ v[p, s].astype(np.float32) / e.sum(axis=2, keepdims=True)
        return found.reshape(heads * rows, width)

    return Case(
        module("paged", "qopskv", [heads], body),
        {"q": q, "o": o, "p": p, "s": s, "k": k, "v": v},
        reference,
        lambda: np.testing.assert_allclose(o, reference(), rtol=4e-3, atol=4e-3),
        0.0,
    )


def rmsnorm() -> Case:
    """32 x 4096 f16 with f32 inside, one row for each tile."""
    rows, n = 32, 4096
    square = (
        "%w = arith.extf %a0 : f16 to f32\n%y = arith.mulf %w, %w : f32\nlinalg.yield %y : f32\n"
    )
    scale = (
        f"%k = arith.constant {1 / n} : f32\n%h = arith.constant 1.0e-5 : f32\n"
        "%w = arith.extf %a0 : f16 to f32\n%u = arith.mulf %a1, %k : f32\n"
        "%j = arith.addf %u, %h : f32\n%l = math.rsqrt %j : f32\n%y = arith.mulf %w, %l : f32\n"
        "%gain = arith.extf %a2 : f16 to f32\n%z = arith.mulf %y, %gain : f32\n"
        "%s = arith.truncf %z : f32 to f16\nlinalg.yield %s : f16\n"
    )
    compute = generic("q", [("x_x", "row:f16")], square, n, "f32")
    compute += reduction("v", "q", "arith.addf", "0.0", n, "f32")
    operands = [("x_x", "row:f16"), ("v", "one:f32"), ("g_x", "column:f16")]
    compute += generic("r", operands, scale, n)
    x, g = normal([rows, n]), normal([n], seed=1)
    o = np.zeros_like(x)

    def reference() -> np.ndarray:
        w = x.astype(np.float32)
        mean = (w * w).mean(axis=1, keepdims=True)
        return (w / np.sqrt(mean + np.float32(1e-5)) * g.astype(np.float32)).astype(np.float16)

    return Case(
        by_rows("rmsnorm", rows, n, compute, "g"),
        {"x": x, "o": o, "g": g},
        reference,
        lambda: np.testing.assert_allclose(o, reference(), rtol=2e-3, atol=2e-3),
        10.0,
    )


def rope() -> Case:
    """40 heads x 4096 x 128, f16: each half of a row turned with the other."""
    heads, rows, width = 40, 4096, 128
    shape, half, part = [heads, rows, width], width // 2, [1, rows, width // 2]
    kind = tensor(part, "f16")
    body = memory_view("x", shape) + memory_view("o", shape)
    body += "".join(memory_view(n, [rows, half]) for n in "cs")
    body += "%id = ktdp.get_compute_tile_id : index\n"
    for name in "cs":
        body += tile(name, [rows, half], "0, 0", part[1:]) + load(name, part[1:])
        body += (
            f"%{name}w = tensor.expand_shape %{name}_x [[0, 1], [2]] output_shape {part} : "
            f"{tensor(part[1:], 'f16')} into {kind}\n"
        )
    for name, at in (("l", 0), ("h", half)):
        moved = tile("x", shape, f"%id, 0, {at}", part) + load("x", part)
        body += re.sub(r"%x_(tile|x)\b", rf"%{name}_\1", moved)
    for result, first, second, op in (("u", "cw", "sw", "subf"), ("w", "sw", "cw", "addf")):
        body += binary(f"{result}l", "mulf", "l_x", first, kind)
        body += binary(f"{result}h", "mulf", "h_x", second, kind)
        body += binary(result, op, f"{result}l", f"{result}h", kind)
    for name, at in (("u", 0), ("w", half)):
        stored = tile("o", shape, f"%id, 0, {at}", part) + store(f"%{name}", "o", part)
        body += stored.replace("%o_tile", f"%{name}_tile")
    x, c, s = normal(shape), normal([rows, half], seed=1), normal([rows, half], seed=2)
    o = np.zeros_like(x)

    def reference() -> np.ndarray:
        low, high = x[..., :half], x[..., half:]
        return np.concatenate([low * c - high * s, low * s + high * c], axis=-1)

    return Case(
        module("rope", "xocs", [heads], body),
        {"x": x, "o": o, "c": c, "s": s},
        reference,
        lambda: np.testing.assert_array_equal(o, reference()),
        10.0,
    )


def swiglu() -> Case:
    """12 x 14336, f16: a row for each tile."""
    shape, extents = [12, 14336], [1, 14336]
    kind = tensor(extents, "f16")
    body = row_block("gho", shape, extents)
    body += f"%one = arith.constant dense<1.0> : {kind}\n%m = arith.negf %g_x : {kind}\n"
    body += f"%e = math.exp %m : {kind}\n" + binary("d", "addf", "e", "one", kind)
    body += binary("s", "divf", "g_x", "d", kind) + binary("z", "mulf", "s", "h_x", kind)
    body += store("%z", "o", extents)
    g, h, o = normal(shape), normal(shape, seed=1), np.zeros(shape, np.float16)

    def reference() -> np.ndarray:
        return g / (np.exp(-g) + np.float16(1)) * h

    return Case(
        module("swiglu", "gho", [12], body),
        {"g": g, "h": h, "o": o},
        reference,
        lambda: np.testing.assert_allclose(o, reference(), rtol=4e-3, atol=1e-3),
        10.0,
    )


def branches() -> Case:
    """4M elements on 32 tiles that take two ways: even tiles add, odd ones subtract."""
    shape, extents = [1024, 4096], [32, 4096]
    kind = tensor(extents, "f16")
    body = row_block("abo", shape, extents)
    body += (
        "%two = arith.constant 2 : index\n%odd = arith.remui %id, %two : index\n"
        "%even = arith.cmpi eq, %odd, %c0 : index\n"
        f"%z = scf.if %even -> ({kind}) {{\n"
    )
    body += binary("p", "addf", "a_x", "b_x", kind) + f"scf.yield %p : {kind}\n}} else {{\n"
    body += binary("q", "subf", "a_x", "b_x", kind) + f"scf.yield %q : {kind}\n}}\n"
    body += store("%z", "o", extents)
    a, b, o = normal(shape), normal(shape, seed=1), np.zeros(shape, np.float16)

    def reference() -> np.ndarray:
        found, parts = np.empty(shape, np.float16), [32, 32, 4096]
        for at, ufunc in ((0, np.add), (1, np.subtract)):
            left, right = (v.reshape(parts)[at::2] for v in (a, b))
            ufunc(left, right, out=found.reshape(parts)[at::2])
        return found

    return Case(
        module("branches", "abo", [32], body),
        {"a": a, "b": b, "o": o},
        reference,
        lambda: np.testing.assert_array_equal(o, reference()),
        10.0,
    )


CASES: dict[str, Callable[[], Case]] = {
    "add": lambda: add(4096, 4096),
    "add8k": lambda: add(2048, 8192, 2048),
    "add4096": lambda: milliseconds(add(32, 128), 3.0),
    "softmax": softmax,
    "softmax32": lambda: softmax("f32"),
    "layernorm": layernorm,
    "rmsnorm": rmsnorm,
    "rope": rope,
    "swiglu": swiglu,
    "branches": branches,
    "matmul": lambda: product("matmul", [64, 8192, 2048], [1, 4], 1024),
    "square": lambda: product("square", [2048, 2048, 2048], [2, 4], 512),
    "paged": lambda: milliseconds(paged(), 150.0),
}


def milliseconds(case: Case, limit: float) -> Case:
    """The case with a limit in milliseconds: numpy is over too soon for a ratio."""
    return replace(case, milliseconds=limit)
