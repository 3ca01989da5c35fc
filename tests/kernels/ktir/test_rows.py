"""Kernels that work row by row: add, softmax, layer norm, RMS norm, RoPE, SwiGLU."""

from __future__ import annotations

import numpy as np
import pytest

from .kit import (
    close,
    constants,
    filled,
    kernel,
    load,
    named,
    normal,
    reduced,
    run,
    shaped,
    spread,
    store,
    tensor,
    tile,
    view,
)

# --- vector add with a dynamic size --------------------------------------------------------------

DYNAMIC_ADD = """
// the last block of a core may be short, down to nothing
#set  = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#ord  = affine_map<(d0) -> (d0)>
module {{
  func.func @add(%a: index, %b: index, %o: index, %n: {kind}) attributes {{grid = [{cores}]}} {{
    %c0 = arith.constant 0 : index  // first element
    {size}
    %block = arith.constant {block} : index
    %step  = arith.constant {step} : index
    %id = ktdp.get_compute_tile_id : index
    %first = index.mul %id, %block
    %va = ktdp.construct_memory_view %a, sizes: [%size], strides: [1]
      {{coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>}} : memref<?xf16>
    %vb = ktdp.construct_memory_view %b, sizes: [%size], strides: [1]
      {{memory_space = #ktdp.memory_space<global>, coordinate_set = #set}} : memref<?xf16>
    %vo = ktdp.construct_memory_view %o, sizes: [%size], strides: [1]
      {{coordinate_set = #set, memory_space = #ktdp.memory_space<global>}} : memref<?xf16>
    scf.for %i = %first to %size step %step {{
      %m = affine.min affine_map<(d0)[s0, s1] -> (s0 - d0, s1)>(%i)[%size, %block]
      %ta = ktdp.construct_access_tile %va[%i] symbols(%m) {{access_tile_set = #set,
        access_tile_order = #ord}} : memref<?xf16> -> !ktdp.access_tile<?xindex>
      %tb = ktdp.construct_access_tile %vb[%i + 0] symbols(%m) {{access_tile_set = #set,
        access_tile_order = #ord}} : memref<?xf16> -> !ktdp.access_tile<?xindex>
      %to = ktdp.construct_access_tile %vo[%c0 + %i] symbols(%m) {{access_tile_set = #set,
        access_tile_order = #ord}} : memref<?xf16> -> !ktdp.access_tile<?xindex>
      %x = ktdp.load %ta : <?xindex> -> tensor<?xf16>
      %y = ktdp.load %tb : !ktdp.access_tile<?xindex> -> tensor<?xf16>
      %e = tensor.empty(%m) : tensor<?xf16>
      %z = linalg.add ins(%x, %y : tensor<?xf16>, tensor<?xf16>) outs(%e : tensor<?xf16>)
        -> tensor<?xf16>
      ktdp.store %z, %to : tensor<?xf16>, <?xindex>
    }}
    return
  }}
}}
"""

SIZES = {
    "index": "%size = arith.addi %n, %c0 : index",
    "i32": "%size = arith.index_cast %n : i32 to index",
    "i64": "%size = arith.index_castui %n : i64 to index",
    "!ktdp.runtime_arg<index, granularity=1, upperbound=100000>": (
        "%size = ktdp.runtime_arg_extract value from %n : "
        "<index, granularity=1, upperbound=100000> -> index"
    ),
}


@pytest.mark.parametrize("n", [1, 63, 64, 1000, 4097])
@pytest.mark.parametrize("kind", SIZES)
def test_vector_add_of_dynamic_size(n: int, kind: str) -> None:
    cores, block = 4, 65
    text = DYNAMIC_ADD.format(
        kind=kind, size=SIZES[kind], cores=cores, block=block, step=cores * block
    )
    a, b = normal(n), normal(n, seed=1)
    o = np.empty_like(a)
    run(text, {"a": a, "b": b, "o": o, "n": n})
    np.testing.assert_array_equal(o, a + b)


# --- softmax -------------------------------------------------------------------------------------


def softmax(rows: int, columns: int, cores: int, dtype: str) -> str:
    shape, one = [rows, columns], [1, columns]
    kind = tensor(one, dtype)
    lowest = {"f16": "0xFC00", "f32": "0xFF800000", "bf16": "0xFF80"}[dtype]
    body = constants(rows, cores) + "%id = ktdp.get_compute_tile_id : index\n"
    body += view("x", shape, dtype) + view("o", shape, dtype)
    body += f"scf.for %r = %id to %c{rows} step %c{cores} {{\n"
    body += tile("x", shape, one, "%r, 0", dtype) + load("x", one, dtype)
    body += reduced("%m", "%x_x", one, 1, "arith.maximumf", lowest, dtype)
    body += spread("%mm", "%m", one, 1, dtype)
    body += named("sub", "%d", [("%x_x", kind), ("%mm", kind)], kind)
    body += named("exp", "%p", [("%d", kind)], kind)
    body += reduced("%s", "%p", one, 1, "arith.addf", "0.0", dtype)
    body += spread("%ss", "%s", one, 1, dtype)
    body += named("div", "%q", [("%p", kind), ("%ss", kind)], kind)
    body += tile("o", shape, one, "%r, 0", dtype) + store("%q", "o", one, dtype) + "}\n"
    return kernel("softmax", "x, o", [cores], body)


@pytest.mark.parametrize("dtype", ["f16", "f32", "bf16"])
@pytest.mark.parametrize("shape", [(5, 65), (97, 32), (33, 8), (3, 1), (64, 1024)])
def test_softmax(shape: tuple[int, int], dtype: str) -> None:
    x = normal(*shape, dtype=dtype)
    if shape[1] > 2:
        x[0, 1] = -np.inf
    o = np.empty_like(x)
    run(softmax(*shape, 3, dtype), {"x": x, "o": o})
    w = x.astype(np.float32)
    e = np.exp(w - w.max(axis=1, keepdims=True))
    close(o, e / e.sum(axis=1, keepdims=True), 2e-2 if dtype == "bf16" else 4e-3)


# --- layer norm in two passes --------------------------------------------------------------------


def layer_norm(rows: int, columns: int, block: int, step: int) -> str:
    """Pass one sums x and x*x over blocks of columns, pass two scales block by block."""
    shape, part, wide = [rows, columns], [block, step], [block, step]
    narrow, kind, sums = tensor(part), tensor(wide, "f32"), tensor([block], "f32")
    body = constants(0, columns, step, block) + "%id = ktdp.get_compute_tile_id : index\n"
    body += f"%r = arith.muli %id, %c{block} overflow<nsw> : index\n"
    body += "".join(view(n, shape) for n in "xo") + view("g", [columns]) + view("b", [columns])
    body += filled("%zero", "0.0", [block], "f32")
    loop = f"scf.for %i = %c0 to %c{columns} step %c{step}"
    body += (
        f"%sums:2 = {loop} iter_args(%p = %zero, %q = %zero) -> ({sums}, {sums}) {{\n"
        + tile("x", shape, part, "%r, %i")
        + load("x", part)
        + f"%w = arith.extf %x_x : {narrow} to {kind}\n"
        + named(
            "reduce",
            "%p1",
            [("%w", kind)],
            ("%p", sums),
            " dimensions = [1]",
            " { arith.addf }",
        )
        + f"%ww = arith.mulf %w, %w fastmath<contract> : {kind}\n"
        + named(
            "reduce", "%q1", [("%ww", kind)], ("%q", sums), " dimensions = [1]", " { arith.addf }"
        )
        + f"scf.yield %p1, %q1 : {sums}, {sums}\n}}\n"
    )
    body += filled("%n", f"{columns}.0", [block], "f32") + filled("%eps", "1.0e-5", [block], "f32")
    body += (
        f"%mean = arith.divf %sums#0, %n : {sums}\n%sq = arith.divf %sums#1, %n : {sums}\n"
        f"%mm = arith.mulf %mean, %mean : {sums}\n%var = arith.subf %sq, %mm : {sums}\n"
        f"%ve = arith.addf %var, %eps : {sums}\n%inv = math.rsqrt %ve : {sums}\n"
        f"{loop} {{\n"
    )
    body += tile("x", shape, part, "%r, %i") + load("x", part)
    body += tile("g", [columns], [step], "%i") + load("g", [step])
    body += tile("b", [columns], [step], "%i") + load("b", [step])
    body += (
        f"%e = tensor.empty() : {narrow}\n"
        "%y = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>, "
        "affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (c)>, "
        "affine_map<(r, c) -> (c)>, affine_map<(r, c) -> (r, c)>], "
        'iterator_types = ["parallel", "parallel"]} ins(%x_x, %mean, %inv, %g_x, %b_x : '
        f"{narrow}, {sums}, {sums}, {tensor([step])}, {tensor([step])}) outs(%e : {narrow}) {{\n"
        "^bb0(%u: f16, %m: f32, %s: f32, %gg: f16, %bb: f16, %old: f16):\n"
        "%u1 = arith.extf %u : f16 to f32\n%u2 = arith.subf %u1, %m : f32\n"
        "%u3 = arith.mulf %u2, %s : f32\n%g1 = arith.extf %gg : f16 to f32\n"
        "%b1 = arith.extf %bb : f16 to f32\n%u4 = math.fma %u3, %g1, %b1 : f32\n"
        f"%u5 = arith.truncf %u4 : f32 to f16\nlinalg.yield %u5 : f16\n}} -> {narrow}\n"
    )
    body += tile("o", shape, part, "%r, %i") + store("%y", "o", part) + "}\n"
    return kernel("layer_norm", "x, g, b, o", [rows // block], body)


@pytest.mark.parametrize("sizes", [(6, 65, 2, 65), (96, 512, 3, 128), (4, 24, 1, 8), (7, 5, 1, 1)])
def test_layer_norm(sizes: tuple[int, int, int, int]) -> None:
    rows, columns, _, _ = sizes
    x, g, b = normal(rows, columns), normal(columns), normal(columns, seed=2)
    o = np.empty_like(x)
    run(layer_norm(*sizes), {"x": x, "g": g, "b": b, "o": o})
    w = x.astype(np.float64)
    centred = w - w.mean(axis=1, keepdims=True)
    want = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5) * g + b
    close(o, want)


# --- RMS norm over 2 x 2 cores -------------------------------------------------------------------


def rms_norm(rows: int, columns: int) -> str:
    """Cores (i, j): rows in halves by i, columns in halves by j; sums meet along j."""
    half, part = columns // 2, [rows // 2, columns // 2]
    sums, kind = tensor([rows // 2], "f32"), tensor(part, "f32")
    body = f"""
    %i, %j = ktdp.get_compute_tile_id : index, index
    %hr = arith.constant {rows // 2} : index
    %hc = arith.constant {half} : index
    %r = arith.muli %i, %hr : index
    %c = affine.apply affine_map<(d0)[s0] -> (d0 * s0)>(%j)[%hc]
    """
    body += view("x", [rows, columns]) + view("w", [columns]) + view("o", [rows, columns])
    body += tile("x", [rows, columns], part, "%r, %c") + load("x", part)
    body += tile("w", [columns], [half], "%c") + load("w", [half])
    body += f"%x32 = arith.extf %x_x : {tensor(part)} to {kind}\n"
    body += f"%w32 = arith.extf %w_x : {tensor([half])} to {tensor([half], 'f32')}\n"
    body += named("square", "%xx", [("%x32", kind)], kind)
    body += reduced("%part", "%xx", part, 1, "arith.addf", "0.0", "f32")
    members = "affine_set<(d0)[s0] : (d0 - s0 * 2 >= 0, -d0 + s0 * 2 + 1 >= 0)>"
    body += f"""
    %f = ktdp.inter_tile_produce producer_tiles_per_group = {members}
      -> <({sums}), groups = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>> {{
    ^bb0(%g: index):
      ktdp.yield_partial %part : {sums}
    }}
    %all = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = {members},
      identity(%part_s : {sums})
      : <({sums}), groups = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>> -> {sums} {{
    ^bb0(%a: {sums}, %b: {sums}):
      %t = arith.addf %a, %b : {sums}
      ktdp.yield_reduced %t : {sums}
    }}
    %n = arith.constant dense<{columns}.0> : {sums}
    %eps = arith.constant dense<1.0e-6> : {sums}
    %m = arith.divf %all, %n : {sums}
    %me = arith.addf %m, %eps : {sums}
    %s = math.rsqrt %me : {sums}
    """
    body += spread("%sb", "%s", part, 1, "f32") + spread("%wb", "%w32", part, 0, "f32")
    body += named("mul", "%y", [("%x32", kind), ("%sb", kind)], kind)
    body += named("mul", "%z", [("%y", kind), ("%wb", kind)], kind)
    body += f"%h = arith.truncf %z : {kind} to {tensor(part)}\n"
    body += tile("o", [rows, columns], part, "%r, %c") + store("%h", "o", part)
    return kernel("rms_norm", "x, w, o", [2, 2], body)


@pytest.mark.parametrize("shape", [(2, 2), (6, 130), (32, 256), (10, 16)])
def test_rms_norm_on_two_by_two_cores(shape: tuple[int, int]) -> None:
    x, w = normal(*shape), normal(shape[1])
    o = np.empty_like(x)
    run(rms_norm(*shape), {"x": x, "w": w, "o": o})
    wide = x.astype(np.float64)
    close(o, wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-6) * w)


# --- rotary embedding ----------------------------------------------------------------------------


def rope(rows: int, heads: int, width: int) -> str:
    """out = [a*cos - b*sin, b*cos + a*sin] of the halves a, b of each row, in place."""
    half, shape, one = width // 2, [rows, heads, width], [1, heads, width]
    table, piece = [rows, width // 2], [heads, width // 2]
    body = "%id = ktdp.get_compute_tile_id : index\n" + view("x", shape)
    body += view("cos", table, "f32") + view("sin", table, "f32")
    body += tile("x", shape, one, "%id, 0, 0") + load("x", one)
    for name in ("cos", "sin"):
        body += tile(name, table, [1, half], "%id, 0", "f32") + load(name, [1, half], "f32")
        body += (
            f"%{name}_r = tensor.collapse_shape %{name}_x [[0, 1]] : "
            f"{tensor([1, half], 'f32')} into {tensor([half], 'f32')}\n"
        )
        body += spread(f"%{name}_b", f"%{name}_r", piece, 0, "f32")
    kind = tensor(piece, "f32")
    for name, start in (("a", 0), ("b", half)):
        body += (
            f"%{name}16 = tensor.extract_slice %x_x[0, 0, {start}] [1, {heads}, {half}] [1, 1, 1]"
            f" : {tensor(one)} to {tensor(piece)}\n"
            f"%{name} = arith.extf %{name}16 : {tensor(piece)} to {kind}\n"
        )
    body += f"""
    %ac = arith.mulf %a, %cos_b : {kind}
    %bs = arith.mulf %b, %sin_b : {kind}
    %bc = arith.mulf %b, %cos_b : {kind}
    %as = arith.mulf %a, %sin_b : {kind}
    %lo = arith.subf %ac, %bs : {kind}
    %hi = arith.addf %bc, %as : {kind}
    %both = tensor.concat dim(1) %lo, %hi : ({kind}, {kind}) -> {tensor([heads, width], "f32")}
    %r16 = arith.truncf %both : {tensor([heads, width], "f32")} to {tensor([heads, width])}
    %r = tensor.expand_shape %r16 [[0, 1], [2]] output_shape [1, {heads}, {width}]
      : {tensor([heads, width])} into {tensor(one)}
    """
    body += store("%r", "x", one)
    return kernel("rope", "x, cos, sin", [rows], body)


@pytest.mark.parametrize("sizes", [(4, 2, 64), (7, 3, 16), (32, 8, 128), (3, 1, 2)])
def test_rope_in_place(sizes: tuple[int, int, int]) -> None:
    rows, _, width = sizes
    x = normal(*sizes)
    angle = np.arange(rows)[:, None] / 10000.0 ** (np.arange(width // 2) / (width // 2))
    cos, sin = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
    a, b = np.split(x.astype(np.float32), 2, axis=2)
    c, s = cos[:, None], sin[:, None]
    want = np.concatenate([a * c - b * s, b * c + a * s], axis=2)
    run(rope(*sizes), {"x": x, "cos": cos, "sin": sin})
    close(x, want, 1e-3)


# --- SwiGLU --------------------------------------------------------------------------------------


def swiglu(rows: int, inner: int, hidden: int, step: int) -> str:
    """out = (silu(x @ w1) * (x @ w3)) @ w2, hidden columns in blocks of `step`."""
    x, w, y = [rows, inner], [inner, hidden], [hidden, inner]
    acc, mid = tensor([rows, inner], "f32"), tensor([rows, step], "f32")
    body = constants(0, hidden, step) + view("x", x) + view("w1", w) + view("w3", w)
    body += view("w2", y) + view("o", x) + tile("x", x, x, "0, 0") + load("x", x)
    body += filled("%z", "0.0", [rows, inner], "f32") + filled("%y0", "0.0", [rows, step], "f32")
    body += (
        f"%r = scf.for %k = %c0 to %c{hidden} step %c{step} iter_args(%acc = %z) -> ({acc}) {{\n"
    )
    for name in ("w1", "w3"):
        body += tile(name, w, [inner, step], "0, %k") + load(name, [inner, step])
        body += named(
            "matmul",
            f"%{name}_p",
            [("%x_x", tensor(x)), (f"%{name}_x", tensor([inner, step]))],
            ("%y0", mid),
        )
    body += (
        f"%g = linalg.generic {{indexing_maps = [{IDENT}, {IDENT}, {IDENT}], "
        f'iterator_types = ["parallel", "parallel"]}} ins(%w1_p, %w3_p : {mid}, {mid}) '
        f"outs(%ge : {tensor([rows, step])}) {{\n^bb0(%u: f32, %v: f32, %_: f16):\n"
        "%a = spyreop.silu %u : f32\n%b = arith.mulf %a, %v : f32\n"
        f"%c = arith.truncf %b : f32 to f16\nlinalg.yield %c : f16\n}} -> {tensor([rows, step])}\n"
    ).replace("%g = ", f"%ge = tensor.empty() : {tensor([rows, step])}\n%g = ", 1)
    body += tile("w2", y, [step, inner], "%k, 0") + load("w2", [step, inner])
    body += named(
        "matmul",
        "%n",
        [("%g", tensor([rows, step])), ("%w2_x", tensor([step, inner]))],
        ("%acc", acc),
    )
    body += f"scf.yield %n : {acc}\n}}\n%h = arith.truncf %r : {acc} to {tensor(x)}\n"
    body += tile("o", x, x, "0, 0") + store("%h", "o", x)
    return kernel("swiglu", "x, w1, w3, w2, o", [1], body)


IDENT = "affine_map<(a, b) -> (a, b)>"


@pytest.mark.parametrize("sizes", [(5, 33, 66, 22), (16, 64, 256, 64), (1, 8, 8, 1)])
def test_swiglu(sizes: tuple[int, int, int, int]) -> None:
    rows, inner, hidden, _ = sizes
    x, w1, w3 = normal(rows, inner), normal(inner, hidden), normal(inner, hidden, seed=3)
    w2, o = normal(hidden, inner), np.empty((rows, inner), np.float16)
    w1, w2, w3 = (w / np.float16(8) for w in (w1, w2, w3))
    run(swiglu(*sizes), {"x": x, "w1": w1, "w3": w3, "w2": w2, "o": o})
    a, b = (x.astype(np.float64) @ w.astype(np.float64) for w in (w1, w3))
    close(o, (a / (1 + np.exp(-a)) * b) @ w2.astype(np.float64), 1e-2)


def test_shapes_of_text() -> None:
    assert shaped("tensor", [2, "n"], "f16") == "tensor<2x?xf16>"
