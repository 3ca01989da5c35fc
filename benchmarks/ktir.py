"""How fast the KTIR interpreter is, as multiples of plain numpy measured in the same run.

    python benchmarks/ktir.py [CASE …]

Every case generates its kernel as KTIR text, checks the result against numpy, and prints one line:
times, the peak of memory during a run as a multiple of the arrays, and how long the text takes to
read. `long` reads a module of more than 400 lines.
"""

from __future__ import annotations

import re
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from ktir_text import box, load, memory_view, memref, module, store, tensor, tile

from spyrelang import interp, ir

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


# --- cases ---------------------------------------------------------------------------------------


def add() -> Case:
    """16M f16 elements on 32 tiles."""
    rows, columns = 4096, 4096
    extents = [rows // 32, columns]
    body = "".join(memory_view(n, [rows, columns]) for n in "abo")
    body += "%id = ktdp.get_compute_tile_id : index\n"
    body += f"%n = arith.constant {extents[0]} : index\n%r = arith.muli %id, %n : index\n"
    body += "".join(tile(n, [rows, columns], "%r, 0", extents) for n in "abo")
    body += load("a", extents) + load("b", extents)
    kind = tensor(extents, "f16")
    body += (
        f"%e = tensor.empty() : {kind}\n%z = linalg.add ins(%a_x, %b_x : {kind}, {kind}) "
        f"outs(%e : {kind}) -> {kind}\n"
    )
    body += store("%z", "o", extents)
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((rows, columns)).astype(np.float16) for _ in range(2))
    o = np.zeros_like(a)
    return Case(
        module("add", "abo", [32], body),
        {"a": a, "b": b, "o": o},
        lambda: a + b,
        lambda: np.testing.assert_array_equal(o, a + b),
        6.0,
    )


def _rows(
    name: str, rows: int, columns: int, compute: str, arguments: str, dtype: str = "f16"
) -> str:
    """A kernel that takes one row a step: `compute` makes %r from %x_x."""
    body = "".join(memory_view(n, [rows, columns], dtype) for n in "xo")
    body += "".join(memory_view(n, [columns]) for n in arguments)
    body += "%id = ktdp.get_compute_tile_id : index\n"
    body += "".join(tile(n, [columns], "0", [columns]) + load(n, [columns]) for n in arguments)
    body += f"%rows = arith.constant {rows} : index\nscf.for %i = %id to %rows step %c32 {{\n"
    body += "".join(tile(n, [rows, columns], "%i, 0", [1, columns], dtype) for n in "xo")
    body += load("x", [1, columns], dtype) + compute
    body += store("%r", "o", [1, columns], dtype) + "}\n"
    return module(name, ["x", "o", *arguments], [32], body)


def _reduce(result: str, source: str, combiner: str, start: str, n: int, dtype: str) -> str:
    return (
        f"%{result}_s = arith.constant {start} : {dtype}\n"
        f"%{result}_e = tensor.empty() : tensor<1x{dtype}>\n"
        f"%{result}_f = linalg.fill ins(%{result}_s : {dtype}) "
        f"outs(%{result}_e : tensor<1x{dtype}>) -> tensor<1x{dtype}>\n"
        f"%{result} = linalg.reduce ins(%{source} : tensor<1x{n}x{dtype}>) "
        f"outs(%{result}_f : tensor<1x{dtype}>) dimensions = [1] "
        f"(%left: {dtype}, %right: {dtype}) {{\n"
        f"%both = {combiner} %left, %right : {dtype}\nlinalg.yield %both : {dtype}\n}}\n"
    )


def _generic(
    result: str, operands: Sequence[tuple[str, str]], body: str, n: int, out: str = "f16"
) -> str:
    """A generic over 1 x n. Operands are (value, kind); kind is "row" (1xn), "one" (1) or
    "column" (n), with its element type after a colon."""
    maps = {"row": "(d0, d1)", "one": "(d0)", "column": "(d1)"}
    shapes = {"row": f"1x{n}x", "one": "1x", "column": f"{n}x"}
    pairs = [kind.split(":") for _, kind in operands]
    types = [f"tensor<{shapes[k]}{t}>" for k, t in pairs]
    listed = ", ".join(f"affine_map<(d0, d1) -> {maps[k]}>" for k, _ in [*pairs, ("row", out)])
    args = ", ".join(f"%a{i}: {t}" for i, (_, t) in enumerate(pairs))
    return (
        f"%{result}_e = tensor.empty() : tensor<1x{n}x{out}>\n%{result} = linalg.generic "
        f'{{indexing_maps = [{listed}], iterator_types = ["parallel", "parallel"]}} '
        f"ins({', '.join('%' + v for v, _ in operands)} : {', '.join(types)}) "
        f"outs(%{result}_e : tensor<1x{n}x{out}>) {{\n^bb0({args}, %o_: {out}):\n{body}}} "
        f"-> tensor<1x{n}x{out}>\n"
    )


def softmax(dtype: str = "f16") -> Case:
    """4096 x 1024, one row a step."""
    rows, n = 4096, 1024
    lowest = "0xFC00" if dtype == "f16" else "0xFF800000"
    compute = _reduce("m", "x_x", "arith.maximumf", lowest, n, dtype)
    compute += _generic(
        "d",
        [("x_x", f"row:{dtype}"), ("m", f"one:{dtype}")],
        f"%y = arith.subf %a0, %a1 : {dtype}\n%z = math.exp %y : {dtype}\n"
        f"linalg.yield %z : {dtype}\n",
        n,
        dtype,
    )
    compute += _reduce("s", "d", "arith.addf", "0.0", n, dtype)
    compute += _generic(
        "r",
        [("d", f"row:{dtype}"), ("s", f"one:{dtype}")],
        f"%y = arith.divf %a0, %a1 : {dtype}\nlinalg.yield %y : {dtype}\n",
        n,
        dtype,
    )
    kind = np.float16 if dtype == "f16" else np.float32
    x = np.random.default_rng(0).standard_normal((rows, n)).astype(kind)
    o = np.zeros_like(x)

    def reference() -> np.ndarray:
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    return Case(
        _rows("softmax", rows, n, compute, "", dtype),
        {"x": x, "o": o},
        reference,
        lambda: np.testing.assert_allclose(o, reference(), rtol=4e-3, atol=1e-6),
        6.0,
    )


def layernorm() -> Case:
    """1151 x 8192 f16 with f32 inside, one row a step."""
    rows, n = 1151, 8192
    compute = _generic(
        "w",
        [("x_x", "row:f16")],
        "%y = arith.extf %a0 : f16 to f32\nlinalg.yield %y : f32\n",
        n,
        "f32",
    )
    compute += _reduce("t", "w", "arith.addf", "0.0", n, "f32")
    centre = (
        f"%k = arith.constant {1 / n} : f32\n%u = arith.mulf %a1, %k : f32\n"
        "%y = arith.subf %a0, %u : f32\nlinalg.yield %y : f32\n"
    )
    compute += _generic("c", [("w", "row:f32"), ("t", "one:f32")], centre, n, "f32")
    compute += _generic(
        "q", [("c", "row:f32")], "%y = arith.mulf %a0, %a0 : f32\nlinalg.yield %y : f32\n", n, "f32"
    )
    compute += _reduce("v", "q", "arith.addf", "0.0", n, "f32")
    scale = (
        f"%k = arith.constant {1 / n} : f32\n%h = arith.constant 1.0e-5 : f32\n"
        "%u = arith.mulf %a1, %k : f32\n%j = arith.addf %u, %h : f32\n%l = math.rsqrt %j : f32\n"
        "%y = arith.mulf %a0, %l : f32\n%gain = arith.extf %a2 : f16 to f32\n"
        "%z = arith.mulf %y, %gain : f32\n%bias = arith.extf %a3 : f16 to f32\n"
        "%s = arith.addf %z, %bias : f32\n%i_ = arith.truncf %s : f32 to f16\n"
        "linalg.yield %i_ : f16\n"
    )
    operands = [("c", "row:f32"), ("v", "one:f32"), ("g_x", "column:f16"), ("b_x", "column:f16")]
    compute += _generic("r", operands, scale, n)
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows, n)).astype(np.float16)
    g, b = (rng.standard_normal(n).astype(np.float16) for _ in range(2))
    o = np.zeros_like(x)

    def reference() -> np.ndarray:
        w = x.astype(np.float32)
        c = w - w.mean(axis=1, keepdims=True)
        scaled = c / np.sqrt((c * c).mean(axis=1, keepdims=True) + np.float32(1e-5))
        return (scaled * g.astype(np.float32) + b.astype(np.float32)).astype(np.float16)

    return Case(
        _rows("layernorm", rows, n, compute, "gb"),
        {"x": x, "o": o, "g": g, "b": b},
        reference,
        lambda: np.testing.assert_allclose(o, reference(), rtol=2e-3, atol=2e-3),
        6.0,
    )


def matmul() -> Case:
    """64 x 8192 x 2048, f16 with an f32 accumulator carried over blocks of K."""
    m, k, n, tiles, block = 64, 8192, 2048, 4, 1024
    width = n // tiles
    kind = f"tensor<{m}x{width}xf32>"
    body = memory_view("a", [m, k]) + memory_view("b", [k, n]) + memory_view("o", [m, n], "f32")
    body += (
        f"%id = ktdp.get_compute_tile_id : index\n%w = arith.constant {width} : index\n"
        f"%j = arith.muli %id, %w : index\n%k = arith.constant {k} : index\n"
        f"%s = arith.constant {block} : index\n%z = arith.constant 0.0 : f32\n"
        f"%e = tensor.empty() : {kind}\n"
        f"%f = linalg.fill ins(%z : f32) outs(%e : {kind}) -> {kind}\n"
        f"%r = scf.for %i = %c0 to %k step %s iter_args(%acc = %f) -> ({kind}) {{\n"
    )
    body += tile("a", [m, k], "0, %i", [m, block]) + load("a", [m, block])
    body += tile("b", [k, n], "%i, %j", [block, width]) + load("b", [block, width])
    body += (
        f"%p = linalg.matmul ins(%a_x, %b_x : tensor<{m}x{block}xf16>, "
        f"tensor<{block}x{width}xf16>) outs(%acc : {kind}) -> {kind}\nscf.yield %p : {kind}\n}}\n"
    )
    body += tile("o", [m, n], "0, %j", [m, width], "f32") + store("%r", "o", [m, width], "f32")
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(s).astype(np.float16) for s in ((m, k), (k, n)))
    o = np.zeros((m, n), np.float32)
    left, right = a.astype(np.float32), b.astype(np.float32)
    return Case(
        module("matmul", "abo", [tiles], body),
        {"a": a, "b": b, "o": o},
        lambda: left @ right,
        lambda: np.testing.assert_allclose(o, left @ right, rtol=1e-3, atol=1e-2),
        4.0,
    )


def square() -> Case:
    """2048^3, f16 with f32 accumulators, a grid of 2 x 4 tiles, blocks of 512 along K."""
    n, rows, columns, block = 2048, 1024, 512, 512
    kind = tensor([rows, columns], "f32")
    body = memory_view("a", [n, n]) + memory_view("b", [n, n]) + memory_view("o", [n, n], "f32")
    body += (
        f"%i, %j = ktdp.get_compute_tile_id : index, index\n%cr = arith.constant {rows} : index\n"
        f"%cc = arith.constant {columns} : index\n%r = arith.muli %i, %cr : index\n"
        f"%c = arith.muli %j, %cc : index\n%n = arith.constant {n} : index\n"
        f"%s = arith.constant {block} : index\n%z = arith.constant dense<0.0> : {kind}\n"
        f"%f = scf.for %k = %c0 to %n step %s iter_args(%acc = %z) -> ({kind}) {{\n"
    )
    body += tile("a", [n, n], "%r, %k", [rows, block]) + load("a", [rows, block])
    body += tile("b", [n, n], "%k, %c", [block, columns]) + load("b", [block, columns])
    body += (
        f"%p = linalg.matmul ins(%a_x, %b_x : {tensor([rows, block], 'f16')}, "
        f"{tensor([block, columns], 'f16')}) outs(%acc : {kind}) -> {kind}\n"
        f"scf.yield %p : {kind}\n}}\n"
    )
    body += tile("o", [n, n], "%r, %c", [rows, columns], "f32")
    body += store("%f", "o", [rows, columns], "f32")
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((n, n)).astype(np.float16) for _ in range(2))
    o = np.zeros((n, n), np.float32)
    left, right = a.astype(np.float32), b.astype(np.float32)
    return Case(
        module("square", "abo", [2, 4], body),
        {"a": a, "b": b, "o": o},
        lambda: left @ right,
        lambda: np.testing.assert_allclose(o, left @ right, rtol=1e-3, atol=1e-2),
        4.0,
    )


def _product(result: str, left: str, right: str, m: int, k: int, n: int, into: str) -> str:
    return (
        f"%{result} = linalg.matmul ins(%{left}, %{right} : {tensor([m, k], 'f16')}, "
        f"{tensor([k, n], 'f16')}) outs(%{into} : {tensor([m, n], 'f32')}) -> "
        f"{tensor([m, n], 'f32')}\n"
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
    body += _product("raw", "q_x", "kt", rows, width, length, "z")
    body += (
        f"%l = arith.constant dense<0xFF800000> : {one}\n%n = arith.constant dense<0.0> : {one}\n"
        f"%m = linalg.reduce {{ arith.maximumf }} ins(%raw : {score}) outs(%l : {one}) "
        f"dimensions = [1]\n%be = tensor.empty() : {score}\n%b = linalg.broadcast ins(%m : {one}) "
        f"outs(%be : {score}) dimensions = [1]\n%d = arith.subf %raw, %b : {score}\n"
        f"%e = math.exp %d : {score}\n%sum = linalg.reduce {{ arith.addf }} ins(%e : {score}) "
        f"outs(%n : {one}) dimensions = [1]\n%h = arith.truncf %e : {score} to {narrow}\n"
    )
    body += _product("w", "h", "v_x", rows, length, width, "y")
    body += (
        f"%ce = tensor.empty() : {wide}\n%c = linalg.broadcast ins(%sum : {one}) outs(%ce : {wide})"
        f" dimensions = [1]\n%f = arith.divf %w, %c : {wide}\n"
    )
    body += tile("o", [heads * rows, width], "%r, 0", [rows, width], "f32")
    body += store("%f", "o", [rows, width], "f32")
    rng = np.random.default_rng(0)
    q = (rng.standard_normal((heads * rows, width)) / 8).astype(np.float16)
    k, v = (rng.standard_normal(kv).astype(np.float16) for _ in range(2))
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
        150.0,
    )


CASES: dict[str, Callable[[], Case]] = {
    "add": add,
    "softmax": softmax,
    "softmax32": lambda: softmax("f32"),
    "layernorm": layernorm,
    "matmul": matmul,
    "square": square,
    "paged": paged,
}
MEMORY = 3.0
"""Peak of memory during a run, arrays included, as a multiple of the arrays."""
READING = 30.0
"""Milliseconds for a module of 437 lines."""


def best(work: Callable[[], object], times: int = 5) -> float:
    """The shortest of several runs, in seconds."""
    found: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def peak(program: interp.Program, arrays: Arrays) -> float:
    """The most memory in use during a run, with the arrays, as a multiple of the arrays."""
    size = sum(a.nbytes for a in arrays.values())
    tracemalloc.start()
    try:
        program.run(arrays)
        return (tracemalloc.get_traced_memory()[1] + size) / size
    finally:
        tracemalloc.stop()


def measure(name: str) -> bool:
    """Run one case; True if it meets its limits."""
    case = CASES[name]()
    start = time.perf_counter()
    read = ir.parse(case.text, f"{name}.mlir", guard=False)
    reading = time.perf_counter() - start
    program = interp.compile(read)
    argument_names = [p.name for p in program.signature.given]
    arrays = dict(zip(argument_names, case.arrays.values(), strict=True))
    program.run(arrays)
    case.check()
    ours, theirs = best(lambda: program.run(arrays)), best(case.numpy)
    ratio, memory = ours / theirs, peak(program, arrays)
    limit = f"limit {case.limit}" if case.milliseconds is None else f"limit {case.milliseconds} ms"
    print(
        f"{name:10} {ours * 1e3:8.1f} ms, numpy {theirs * 1e3:8.1f} ms, ratio {ratio:5.2f} "
        f"({limit}), memory {memory:4.2f} (limit {MEMORY}), read {reading * 1e3:.1f} ms"
    )
    fast = ratio <= case.limit if case.milliseconds is None else ours * 1e3 <= case.milliseconds
    return fast and memory <= MEMORY


def long_module(lines: int = 437) -> str:
    """A kernel of many lines: loads and adds, tile after tile."""
    extents = [4, 64]
    body = memory_view("x", [4096, 64]) + memory_view("o", [4096, 64])
    kind = tensor(extents, "f16")
    step = 0
    while body.count("\n") < lines - 10:
        loaded = tile("x", [4096, 64], f"{step * 4}, 0", extents) + load("x", extents)
        stored = tile("o", [4096, 64], f"{step * 4}, 0", extents) + store("%z", "o", extents)
        part = (
            f"{loaded}%e = tensor.empty() : {kind}\n%z = linalg.add ins(%x_x, %x_x : {kind}, "
            f"{kind}) outs(%e : {kind}) -> {kind}\n{stored}"
        )
        for name in ("x_tile", "o_tile", "x_x", "e", "z"):
            part = re.sub(rf"%{name}\b", f"%{name}{step}", part)
        body, step = body + part, step + 1
    return module("long", "xo", [1], body)


def reading() -> bool:
    """How long a long module takes to read, with the guard for foreign text and without."""
    text = long_module()
    plain = best(lambda: ir.parse(text, "long.mlir", guard=False)) * 1e3
    guarded = best(lambda: ir.parse(text, "long.mlir")) * 1e3
    lines = text.count("\n")
    print(
        f"long       {lines} lines read in {plain:.1f} ms, guarded {guarded:.1f} ms "
        f"(limit {READING} ms)"
    )
    return guarded <= READING


def main() -> int:
    names = sys.argv[1:] or [*CASES, "long"]
    met = [reading() if name == "long" else measure(name) for name in names]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
