"""Pieces of KTIR text for the benchmarks."""

from __future__ import annotations

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
