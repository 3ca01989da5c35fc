"""Writing small KTIR kernels and running them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from spyrelang import interp, ir
from spyrelang.semantics import dtypes


def strides_of(shape: Sequence[int]) -> list[int]:
    found: list[int] = []
    step = 1
    for n in reversed(shape):
        found.insert(0, step)
        step *= n
    return found


def box(extents: Sequence[int]) -> str:
    """The set of a box at the origin."""
    dims = ", ".join(f"d{i}" for i in range(len(extents)))
    parts = [f"d{i} >= 0, -d{i} + {n - 1} >= 0" for i, n in enumerate(extents)]
    return f"affine_set<({dims}) : ({', '.join(parts) or '0 == 0'})>"


def identity(rank: int) -> str:
    dims = ", ".join(f"d{i}" for i in range(rank))
    return f"affine_map<({dims}) -> ({dims})>"


def tensor(shape: Sequence[int], dtype: str) -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}{dtype}>"


def view(
    name: str,
    shape: Sequence[int],
    dtype: str = "f16",
    base: str | None = None,
    strides: Sequence[int] | None = None,
    space: str = "global",
) -> str:
    """`%vNAME`: a view of the argument `%NAME`."""
    dims = "x".join([*map(str, shape), dtype])
    return (
        f"%v{name} = ktdp.construct_memory_view {base or '%' + name}, sizes: {list(shape)}, "
        f"strides: {list(strides or strides_of(shape))} {{coordinate_set = {box(shape)}, "
        f"memory_space = #ktdp.memory_space<{space}>}} : memref<{dims}>\n"
    )


def tile(
    name: str,
    shape: Sequence[int],
    extents: Sequence[int],
    at: str | None = None,
    dtype: str = "f16",
    result: str | None = None,
) -> str:
    """`%tNAME`: an access tile of `%vNAME`, at the origin unless told otherwise."""
    dims = "x".join([*map(str, shape), dtype])
    start = at if at is not None else ", ".join("0" for _ in shape)
    kind = "".join(f"{n}x" for n in extents)
    return (
        f"%t{result or name} = ktdp.construct_access_tile %v{name}[{start}] "
        f"{{access_tile_set = {box(extents)}, access_tile_order = {identity(len(extents))}}} : "
        f"memref<{dims}> -> !ktdp.access_tile<{kind}index>\n"
    )


def load(name: str, extents: Sequence[int], dtype: str = "f16", result: str | None = None) -> str:
    """`%NAMEx`: the contents of `%tNAME`."""
    kind = "".join(f"{n}x" for n in extents)
    return (
        f"%{result or name + 'x'} = ktdp.load %t{name} : "
        f"<{kind}index> -> {tensor(extents, dtype)}\n"
    )


def store(value: str, name: str, extents: Sequence[int], dtype: str = "f16") -> str:
    kind = "".join(f"{n}x" for n in extents)
    return f"ktdp.store {value}, %t{name} : {tensor(extents, dtype)}, <{kind}index>\n"


def kernel(
    body: str,
    arguments: Sequence[str] = ("x", "o"),
    grid: object = (1,),
    extra: str = "",
    roles: Mapping[str, str] | None = None,
) -> str:
    """A module with one kernel @k."""
    listed = ", ".join(
        f"%{a}: index"
        + (
            f' {{spyrelang.name = "{a}", spyrelang.role = "{roles[a]}"}}'
            if roles and a in roles
            else ""
        )
        for a in arguments
    )
    attributes = f" attributes {{grid = {list(grid)}}}" if grid else ""  # type: ignore[call-overload]
    return (
        f"module {{\nfunc.func @k({listed}){attributes} {{\n"
        f"%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n{body}"
        f"return\n}}\n{extra}}}\n"
    )


def compiled(text: str) -> interp.Program:
    return interp.compile(ir.parse(text, "k.mlir", guard=False, names=True))


def run(text: str, arrays: Mapping[str, Any] | None = None, **more: Any) -> interp.InterpOutcome:
    return compiled(text).run(arrays or {}, **more)


def whole(
    compute: str,
    inputs: Mapping[str, np.ndarray],
    out_shape: Sequence[int],
    out_dtype: str,
    result: str = "%r",
    grid: Sequence[int] = (1,),
) -> np.ndarray:
    """Load inputs whole as `%NAMEx`, run `compute`, store `result` whole; gives the output."""
    parts: list[str] = []
    for name, array in inputs.items():
        dtype = dtypes.from_numpy(array.dtype).name
        parts += [
            view(name, array.shape, dtype),
            tile(name, array.shape, array.shape, dtype=dtype),
            load(name, array.shape, dtype),
        ]
    parts += [view("o", out_shape, out_dtype), tile("o", out_shape, out_shape, dtype=out_dtype)]
    body = "".join(parts) + compute + "\n" + store(result, "o", out_shape, out_dtype)
    out = np.zeros(tuple(out_shape), dtypes.get(out_dtype).numpy)
    run(kernel(body, [*inputs, "o"], grid), {**inputs, "o": out})
    return out


def bits(values: np.ndarray) -> np.ndarray:
    """For comparing exactly, NaN and signs of zero included."""
    return np.ascontiguousarray(values).view(np.uint8)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)
