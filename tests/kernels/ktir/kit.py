"""Pieces of KTIR text, and running them in engine "ktir"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from ml_dtypes import bfloat16

import spyrelang as spyre
from spyrelang.driver.run import Run
from spyrelang.semantics.dtypes import from_numpy
from spyrelang.semantics.tolerance import Tolerance, sum_tolerance

NUMPY: dict[str, Any] = {
    "f16": np.float16,
    "bf16": bfloat16,
    "f32": np.float32,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
}


def box(extents: Sequence[int | str], low: Sequence[int] | None = None) -> str:
    """The set of a box; an extent may be the name of a symbol."""
    low = low or [0] * len(extents)
    names = [n for n in extents if isinstance(n, str)]
    dims = ", ".join(f"d{i}" for i in range(len(extents)))
    parts = [
        f"d{i} - {lo} >= 0, -d{i} + {n if isinstance(n, str) else n + lo} - 1 >= 0"
        for i, (n, lo) in enumerate(zip(extents, low, strict=True))
    ]
    symbols = f"[{', '.join(names)}]" if names else ""
    return f"affine_set<({dims}){symbols} : ({', '.join(parts) or '0 == 0'})>"


def identity(rank: int) -> str:
    dims = ", ".join(f"d{i}" for i in range(rank))
    return f"affine_map<({dims}) -> ({dims})>"


def shaped(kind: str, shape: Sequence[int | str], dtype: str) -> str:
    """`tensor<4x?xf16>` and the like; names stand for unknown sizes."""
    return f"{kind}<{''.join(f'{n if isinstance(n, int) else chr(63)}x' for n in shape)}{dtype}>"


def tensor(shape: Sequence[int | str], dtype: str = "f16") -> str:
    return shaped("tensor", shape, dtype)


def view(
    name: str,
    shape: Sequence[int],
    dtype: str = "f16",
    *,
    base: str | None = None,
    space: str = "#ktdp.memory_space<global>",
    low: Sequence[int] | None = None,
) -> str:
    """`%NAME_view`: a row-major view at `base` (the argument `%NAME`)."""
    strides = [int(np.prod(shape[k + 1 :])) for k in range(len(shape))]
    return (
        f"%{name}_view = ktdp.construct_memory_view {base or '%' + name}, sizes: {list(shape)}, "
        f"strides: {strides} {{ coordinate_set = {box(shape, low)}, memory_space = {space} }} : "
        f"{shaped('memref', shape, dtype)}\n"
    )


def tile(
    name: str,
    shape: Sequence[int],
    extents: Sequence[int],
    at: str,
    dtype: str = "f16",
    *,
    result: str | None = None,
) -> str:
    """`%RESULT_tile`: a box of `%NAME_view`; the extents have the rank of the view."""
    return (
        f"%{result or name}_tile = ktdp.construct_access_tile %{name}_view[{at}] "
        f"{{ access_tile_set = {box(extents)}, access_tile_order = {identity(len(extents))} }} : "
        f"{shaped('memref', shape, dtype)} -> {shaped('!ktdp.access_tile', extents, 'index')}\n"
    )


def load(name: str, extents: Sequence[int], dtype: str = "f16") -> str:
    """`%NAME_x`: what the tile `%NAME_tile` holds."""
    kind = shaped("!ktdp.access_tile", extents, "index")
    return f"%{name}_x = ktdp.load %{name}_tile : {kind} -> {tensor(extents, dtype)}\n"


def store(value: str, name: str, extents: Sequence[int], dtype: str = "f16") -> str:
    kind = shaped("", extents, "index")
    return f"ktdp.store {value}, %{name}_tile : {tensor(extents, dtype)}, {kind}\n"


def named(
    op: str,
    result: str,
    inputs: Sequence[tuple[str, str]],
    out: tuple[str, str] | str,
    attributes: str = "",
    combiner: str = "",
) -> str:
    """A named linalg op. `out` is a (value, type), or a type for a fresh tensor.empty; `combiner`
    is the body of a reduce in short form."""
    before = ""
    if isinstance(out, str):
        before, out = f"{result}_e = tensor.empty() : {out}\n", (f"{result}_e", out)
    values, kinds = ", ".join(v for v, _ in inputs), ", ".join(k for _, k in inputs)
    arrow = "" if op in ("reduce", "broadcast", "transpose") else f" -> {out[1]}"
    return (
        f"{before}{result} = linalg.{op}{combiner} ins({values} : {kinds}) "
        f"outs({out[0]} : {out[1]}){attributes}{arrow}\n"
    )


def filled(result: str, value: str, shape: Sequence[int], dtype: str) -> str:
    """A tensor of one number, in the spelling of an arith constant."""
    kind = tensor(shape, dtype)
    return f"{result}_c = arith.constant {value} : {dtype}\n" + named(
        "fill", result, [(f"{result}_c", dtype)], kind
    )


def reduced(
    result: str,
    source: str,
    shape: Sequence[int],
    axis: int,
    combiner: str,
    start: str,
    dtype: str,
) -> str:
    """linalg.reduce along one axis, from an initial value."""
    kept = [n for d, n in enumerate(shape) if d != axis]
    return filled(f"{result}_s", start, kept, dtype) + named(
        "reduce",
        result,
        [(source, tensor(shape, dtype))],
        (f"{result}_s", tensor(kept, dtype)),
        f" dimensions = [{axis}]",
        f" {{ {combiner} }}",
    )


def spread(result: str, source: str, shape: Sequence[int], axis: int, dtype: str) -> str:
    """linalg.broadcast of a tensor that lacks one axis of `shape`."""
    kept = [n for d, n in enumerate(shape) if d != axis]
    return named(
        "broadcast",
        result,
        [(source, tensor(kept, dtype))],
        tensor(shape, dtype),
        f" dimensions = [{axis}]",
    )


def constants(*numbers: int) -> str:
    return "".join(f"%c{n} = arith.constant {n} : index\n" for n in dict.fromkeys(numbers))


def kernel(name: str, arguments: str, grid: Sequence[int], body: str) -> str:
    """A module of one kernel; `arguments` are address names, or `name: type` in full."""
    parts = [a.strip() for a in arguments.split(",")]
    listed = ", ".join(f"%{a}" if ":" in a else f"%{a}: index" for a in parts)
    return (
        f"module {{\nfunc.func @{name}({listed}) attributes {{grid = {list(grid)}}} {{\n"
        f"{body}return\n}}\n}}\n"
    )


def template(name: str, /, **values: Any) -> str:
    """The text of texts/NAME.mlir with `$value` and `${value}` filled in."""
    path = Path(__file__).with_name("texts") / f"{name}.mlir"
    return Template(path.read_text()).substitute(values)


def widen_text(result: str, value: str, dtype: str) -> str:
    """`value` as f32; something harmless where it is one already."""
    if dtype == "f32":
        return f"{result} = arith.bitcast {value} : f32 to f32"
    return f"{result} = arith.extf {value} : {dtype} to f32"


def narrow_text(result: str, value: str, dtype: str) -> str:
    """The f32 `value` as `dtype`."""
    return (
        widen_text(result, value, "f32")
        if dtype == "f32"
        else (f"{result} = arith.truncf {value} : f32 to {dtype}")
    )


def run(text: str, arrays: Mapping[str, Any], **more: Any) -> Run:
    """Run the only kernel; no finding is expected."""
    found = spyre.load_ktir(text).run(dict(arrays), engine="ktir", **more)
    assert [str(w) for w in found.warnings] == []
    return found


def normal(*shape: int, dtype: str = "f16", seed: int = 0) -> np.ndarray:
    values = np.random.default_rng([seed, *shape]).standard_normal(shape)
    return values.astype(NUMPY[dtype])


def close(got: np.ndarray, want: np.ndarray, tolerance: float = 4e-3) -> None:
    np.testing.assert_allclose(
        got.astype(np.float64), want.astype(np.float64), rtol=tolerance, atol=tolerance
    )


def near(got: np.ndarray, want: np.ndarray, steps: int, scale: Any = None, ulp: float = 1) -> None:
    """Compare with exact results (in f64) of a kernel that computes in f32 and rounds once to the
    type of `got`: `steps` roundings of f32 on values as large as `scale` (default: the result
    itself, where nothing cancels), and `ulp` for the last."""
    dtype = from_numpy(got.dtype).name
    size = np.abs(want) if scale is None else scale
    found = Tolerance(ulp, sum_tolerance(steps + 1, "f32") * size)  # type: ignore[arg-type]
    accepted = np.asarray(found.accepts(got, want, dtype))
    at = tuple(np.argwhere(~accepted)[0]) if not accepted.all() else ()
    assert accepted.all(), f"{(~accepted).sum()} of {got.size}: {at} {got[at]} for {want[at]}"
