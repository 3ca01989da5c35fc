"""How fast the KTIR interpreter is, as multiples of plain numpy measured in the same run.

    python benchmarks/ktir.py [CASE …]

Every case generates its kernel as KTIR text, checks the result against numpy, and prints one line.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from spyrelang import interp, ir

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """A kernel, its arrays, the same computation in numpy, and the ratio it must stay below."""

    text: str
    arrays: Arrays
    numpy: Callable[[], object]
    check: Callable[[], None]
    limit: float


# --- text ----------------------------------------------------------------------------------------


def box(extents: Sequence[int]) -> str:
    dims = ", ".join(f"d{i}" for i in range(len(extents)))
    parts = ", ".join(f"d{i} >= 0, -d{i} + {n - 1} >= 0" for i, n in enumerate(extents))
    return f"affine_set<({dims}) : ({parts})>"


def memory_view(name: str, shape: Sequence[int], dtype: str = "f16") -> str:
    steps = [int(np.prod(shape[k + 1 :])) for k in range(len(shape))]
    return (
        f"%{name}_view = ktdp.construct_memory_view %{name}, sizes: {list(shape)}, "
        f"strides: {steps} {{coordinate_set = {box(shape)}, "
        f"memory_space = #ktdp.memory_space<global>}} : {memref(shape, dtype)}\n"
    )


def memref(shape: Sequence[int], dtype: str) -> str:
    return f"memref<{'x'.join([*map(str, shape), dtype])}>"


def tensor(shape: Sequence[int], dtype: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), dtype])}>"


def tile(
    name: str, shape: Sequence[int], at: str, extents: Sequence[int], dtype: str = "f16"
) -> str:
    dims = ", ".join(f"d{i}" for i in range(len(extents)))
    kind = "x".join([*map(str, extents), "index"])
    return (
        f"%{name}_tile = ktdp.construct_access_tile %{name}_view[{at}] {{access_tile_set = "
        f"{box(extents)}, access_tile_order = affine_map<({dims}) -> ({dims})>}} : "
        f"{memref(shape, dtype)} -> !ktdp.access_tile<{kind}>\n"
    )


def load(name: str, extents: Sequence[int], dtype: str = "f16") -> str:
    kind = "x".join([*map(str, extents), "index"])
    return f"%{name}_x = ktdp.load %{name}_tile : <{kind}> -> {tensor(extents, dtype)}\n"


def store(value: str, name: str, extents: Sequence[int], dtype: str = "f16") -> str:
    kind = "x".join([*map(str, extents), "index"])
    return f"ktdp.store {value}, %{name}_tile : {tensor(extents, dtype)}, <{kind}>\n"


def module(name: str, arguments: Sequence[str], grid: Sequence[int], body: str) -> str:
    listed = ", ".join(f"%{a}: index" for a in arguments)
    constants = "".join(f"%c{n} = arith.constant {n} : index\n" for n in (0, 1, 32))
    return (
        f"module {{\nfunc.func @{name}({listed}) attributes {{grid = {list(grid)}}} {{\n"
        f"{constants}{body}return\n}}\n}}\n"
    )


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


CASES: dict[str, Callable[[], Case]] = {
    "add": add,
    "softmax": softmax,
    "softmax32": lambda: softmax("f32"),
    "layernorm": layernorm,
    "matmul": matmul,
}


def best(work: Callable[[], object], times: int = 5) -> float:
    """The shortest of several runs, in seconds."""
    found: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def measure(name: str) -> bool:
    """Run one case; True if it meets its limit."""
    case = CASES[name]()
    start = time.perf_counter()
    program = interp.compile(ir.parse(case.text, f"{name}.mlir", guard=False))
    compiling = time.perf_counter() - start
    argument_names = [p.name for p in program.signature.given]
    arrays = dict(zip(argument_names, case.arrays.values(), strict=True))
    program.run(arrays)
    case.check()
    ours, theirs = best(lambda: program.run(arrays)), best(case.numpy)
    ratio = ours / theirs
    print(
        f"{name:10} {ours * 1e3:8.1f} ms, numpy {theirs * 1e3:8.1f} ms, ratio {ratio:5.2f} "
        f"(limit {case.limit}), compile {compiling * 1e3:.1f} ms"
    )
    return ratio <= case.limit


def main() -> int:
    names = sys.argv[1:] or list(CASES)
    met = [measure(name) for name in names]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
