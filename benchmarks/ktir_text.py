"""Pieces of KTIR text for the benchmarks."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np


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


def row_block(names: str, shape: Sequence[int], extents: Sequence[int]) -> str:
    """Views of f16 arguments, and the tile of each at the rows of a compute tile, all but "o"
    loaded."""
    origin = ", ".join(["%r", *"0" * (len(shape) - 1)])
    body = "".join(memory_view(n, shape) for n in names)
    body += "%id = ktdp.get_compute_tile_id : index\n"
    body += f"%n = arith.constant {extents[0]} : index\n%r = arith.muli %id, %n : index\n"
    body += "".join(tile(n, shape, origin, extents) for n in names)
    return body + "".join(load(n, extents) for n in names if n != "o")


def by_rows(
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


def reduction(result: str, source: str, combiner: str, start: str, n: int, dtype: str) -> str:
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


def generic(
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


def multiply(result: str, left: str, right: str, sizes: Sequence[int], into: str) -> str:
    """m x k by k x n, f16 into f32."""
    m, k, n = sizes
    return (
        f"%{result} = linalg.matmul ins(%{left}, %{right} : {tensor([m, k], 'f16')}, "
        f"{tensor([k, n], 'f16')}) outs(%{into} : {tensor([m, n], 'f32')}) -> "
        f"{tensor([m, n], 'f32')}\n"
    )


def binary(result: str, op: str, left: str, right: str, kind: str) -> str:
    return f"%{result} = arith.{op} %{left}, %{right} : {kind}\n"


def long_module(lines: int = 437, first: int = 0) -> str:
    """A kernel of many lines: loads and adds, tile after tile from a row on."""
    extents = [4, 64]
    body = memory_view("x", [4096, 64]) + memory_view("o", [4096, 64])
    kind = tensor(extents, "f16")
    step = 0
    while body.count("\n") < lines - 10:
        loaded = tile("x", [4096, 64], f"{first + step * 4}, 0", extents) + load("x", extents)
        stored = tile("o", [4096, 64], f"{first + step * 4}, 0", extents) + store(
            "%z", "o", extents
        )
        part = (
            f"{loaded}%e = tensor.empty() : {kind}\n%z = linalg.add ins(%x_x, %x_x : {kind}, "
            f"{kind}) outs(%e : {kind}) -> {kind}\n{stored}"
        )
        for name in ("x_tile", "o_tile", "x_x", "e", "z"):
            part = re.sub(rf"%{name}\b", f"%{name}{step}", part)
        body, step = body + part, step + 1
    return module("long", "xo", [1], body)
