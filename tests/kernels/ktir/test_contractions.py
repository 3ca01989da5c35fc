"""Kernels around products: tiled matmul, split-K, attention, paged attention, the KV cache."""

from __future__ import annotations

import numpy as np
import pytest

from .kit import (
    box,
    close,
    constants,
    filled,
    identity,
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

# --- matmul --------------------------------------------------------------------------------------


def matmul(m: int, k: int, n: int, tiles: tuple[int, int, int], form: str) -> str:
    """Tiles bm x bn on a grid of rank 2, blocks of bk with a carried f32 accumulator."""
    bm, bk, bn = tiles
    acc, transposed = tensor([bm, bn], "f32"), form == "transpose_b"
    right = [n, k] if transposed else [k, n]
    part = [bn, bk] if transposed else [bk, bn]
    body = constants(0, k, bm, bk, bn) + "%i, %j = ktdp.get_compute_tile_id : index, index\n"
    body += f"%r = arith.muli %i, %c{bm} : index\n%c = index.mul %j, %c{bn}\n"
    body += view("a", [m, k]) + view("b", right) + view("o", [m, n])
    body += filled("%z", "0x00000000", [bm, bn], "f32")
    body += (
        f"%s = scf.for %l = %c0 to %c{k} step %c{bk} iter_args(%acc = %z) -> ({acc}) {{\n"
        + tile("a", [m, k], [bm, bk], "%r, %l")
        + load("a", [bm, bk])
        + tile("b", right, part, "%c, %l" if transposed else "%l, %c")
        + load("b", part)
    )
    inputs = [("%a_x", tensor([bm, bk])), ("%b_x", tensor(part))]
    maps = (
        " indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, "
        "affine_map<(m, n, k) -> (m, n)>]"
    )
    body += named("matmul", "%p", inputs, ("%acc", acc), combiner=maps if transposed else "")
    body += f"scf.yield %p : {acc}\n}}\n%h = arith.truncf %s : {acc} to {tensor([bm, bn])}\n"
    body += tile("o", [m, n], [bm, bn], "%r, %c") + store("%h", "o", [bm, bn])
    return kernel("matmul", "a, b, o", [m // bm, n // bn], body)


@pytest.mark.parametrize("form", ["plain", "transpose_b"])
@pytest.mark.parametrize(
    "sizes", [(4, 6, 8, (2, 3, 4)), (64, 512, 128, (32, 128, 64)), (65, 39, 22, (13, 13, 11))]
)
def test_matmul(sizes: tuple[int, int, int, tuple[int, int, int]], form: str) -> None:
    m, k, n, _ = sizes
    a, b = normal(m, k), normal(k, n, seed=1)
    o = np.empty((m, n), np.float16)
    given = np.ascontiguousarray(b.T) if form == "transpose_b" else b
    run(matmul(*sizes, form), {"a": a, "b": given, "o": o})
    close(o, a.astype(np.float64) @ b.astype(np.float64), 1e-2)


# --- split-K -------------------------------------------------------------------------------------


def split_k(m: int, k: int, n: int, parts: int, groups: int) -> str:
    """`parts` cores share the K of one block of columns; the first of each group stores."""
    bk, bn = k // parts, n // groups
    kind = tensor([m, bn], "f32")
    body = f"""
    %id = ktdp.get_compute_tile_id : index
    %parts = arith.constant {parts} : index
    %bk = arith.constant {bk} : index
    %bn = arith.constant {bn} : index
    %rank = arith.remui %id, %parts : index
    %group = arith.divui %id, %parts : index
    %l = arith.muli %rank, %bk : index
    %c = arith.muli %group, %bn : index
    """
    body += view("a", [m, k]) + view("b", [k, n]) + view("o", [m, n], "f32")
    body += tile("a", [m, k], [m, bk], "0, %l") + load("a", [m, bk])
    body += tile("b", [k, n], [bk, bn], "%l, %c") + load("b", [bk, bn])
    body += filled("%z", "0.0", [m, bn], "f32")
    body += named(
        "matmul", "%p", [("%a_x", tensor([m, bk])), ("%b_x", tensor([bk, bn]))], ("%z", kind)
    )
    producers = (
        f"affine_set<(d0)[s0] : (d0 - s0 * {parts} >= 0, -d0 + s0 * {parts} + {parts - 1} >= 0)>"
    )
    future = f"<({kind}), groups = affine_set<(d0) : (d0 >= 0, -d0 + {groups - 1} >= 0)>>"
    body += f"""
    %f = ktdp.inter_tile_produce producer_tiles_per_group = {producers} -> {future} {{
    ^bb0(%g: index):
      ktdp.yield_partial %p : {kind}
    }}
    %s = ktdp.inter_tile_reduce(%f)
      consumer_tiles_per_group = affine_set<(d0)[s0] : (d0 - s0 * {parts} == 0)>,
      identity(%z : {kind}) : {future} -> {kind} {{
    ^bb0(%x: {kind}, %y: {kind}):
      %t = linalg.add ins(%x, %y : {kind}, {kind}) outs(%x : {kind}) -> {kind}
      ktdp.yield_reduced %t : {kind}
    }}
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %rank, %c0 : index
    scf.if %first {{
    """
    body += tile("o", [m, n], [m, bn], "0, %c", "f32") + store("%s", "o", [m, bn], "f32") + "}\n"
    return kernel("split_k", "a, b, o", [parts * groups], body)


@pytest.mark.parametrize("sizes", [(3, 8, 6, 4, 2), (16, 1024, 65, 8, 1), (5, 12, 32, 2, 4)])
def test_split_k_reduces_to_one_core(sizes: tuple[int, int, int, int, int]) -> None:
    m, k, n, _, _ = sizes
    a, b, o = normal(m, k), normal(k, n), np.empty((m, n), np.float32)
    run(split_k(*sizes), {"a": a, "b": b, "o": o})
    close(o, a.astype(np.float64) @ b.astype(np.float64), 1e-3)


# --- attention with running max and sum ----------------------------------------------------------


def _step(rows: int, keys: int, width: int) -> str:
    """One block of keys: from %m, %l, %acc and %k_x, %v_x to %m1, %l1, %acc1."""
    score, one, row = tensor([rows, keys], "f32"), tensor([rows], "f32"), [rows, width]
    out = tensor(row, "f32")
    text = filled("%s0", "0.0", [rows, keys], "f32") + named(
        "matmul",
        "%raw",
        [("%q_x", tensor(row)), ("%k_t", tensor([width, keys]))],
        ("%s0", score),
    )
    text += filled("%scale", f"{width**-0.5:.8f}", [rows, keys], "f32")
    text += f"%s = arith.mulf %raw, %scale : {score}\n"
    text += named(
        "reduce", "%m1", [("%s", score)], ("%m", one), " dimensions = [1]", " { arith.maximumf }"
    )
    text += spread("%mb", "%m1", [rows, keys], 1, "f32")
    text += f"%d = arith.subf %s, %mb : {score}\n%p = math.exp %d : {score}\n"
    text += f"%fix0 = arith.subf %m, %m1 : {one}\n%fix = math.exp %fix0 : {one}\n"
    text += f"%l0 = arith.mulf %l, %fix : {one}\n"
    text += named(
        "reduce", "%l1", [("%p", score)], ("%l0", one), " dimensions = [1]", " { arith.addf }"
    )
    text += spread("%fb", "%fix", row, 1, "f32") + f"%acc0 = arith.mulf %acc, %fb : {out}\n"
    text += f"%p16 = arith.truncf %p : {score} to {tensor([rows, keys])}\n"
    return text + named(
        "matmul",
        "%acc1",
        [("%p16", tensor([rows, keys])), ("%v_x", tensor([keys, width]))],
        ("%acc0", out),
    )


def _finish(rows: int, width: int) -> str:
    row = [rows, width]
    text = spread("%lb", "%r#1", row, 1, "f32")
    text += f"%y = arith.divf %r#2, %lb : {tensor(row, 'f32')}\n"
    return text + f"%h = arith.truncf %y : {tensor(row, 'f32')} to {tensor(row)}\n"


def _carried(rows: int, width: int, to: str, step: str) -> tuple[str, str]:
    kinds = f"{tensor([rows], 'f32')}, {tensor([rows], 'f32')}, {tensor([rows, width], 'f32')}"
    start = filled("%m0", "0xFF800000", [rows], "f32") + filled("%z1", "0.0", [rows], "f32")
    start += filled("%z2", "0.0", [rows, width], "f32")
    start += (
        f"%r:3 = scf.for %i = %c0 to {to} step {step} "
        f"iter_args(%m = %m0, %l = %z1, %acc = %z2) -> ({kinds}) {{\n"
    )
    return start, f"scf.yield %m1, %l1, %acc1 : {kinds}\n}}\n"


def attention(heads: int, rows: int, length: int, width: int, block: int) -> str:
    """One head a core, keys in blocks."""
    q, kv = [heads, rows, width], [heads, length, width]
    body = constants(0, length, block) + "%id = ktdp.get_compute_tile_id : index\n"
    body += view("q", q) + view("k", kv) + view("v", kv) + view("o", q)
    body += tile("q", q, [1, rows, width], "%id, 0, 0")
    body += load("q", [1, rows, width]).replace("%q_x", "%q3")
    body += _flat("q", rows, width)
    start, end = _carried(rows, width, f"%c{length}", f"%c{block}")
    body += start
    for name in "kv":
        body += tile(name, kv, [1, block, width], "%id, %i, 0")
        body += load(name, [1, block, width]).replace(f"%{name}_x", f"%{name}3")
        body += _flat(name, block, width)
    body += _transposed(block, width) + _step(rows, block, width) + end + _finish(rows, width)
    body += (
        f"%h3 = tensor.expand_shape %h [[0, 1], [2]] output_shape [1, {rows}, {width}] : "
        f"{tensor([rows, width])} into {tensor([1, rows, width])}\n"
    )
    body += tile("o", q, [1, rows, width], "%id, 0, 0") + store("%h3", "o", [1, rows, width])
    return kernel("attention", "q, k, v, o", [heads], body)


def _flat(name: str, rows: int, width: int) -> str:
    return (
        f"%{name}_x = tensor.collapse_shape %{name}3 [[0, 1], [2]] : "
        f"{tensor([1, rows, width])} into {tensor([rows, width])}\n"
    )


def _transposed(rows: int, width: int) -> str:
    return named(
        "transpose",
        "%k_t",
        [("%k_x", tensor([rows, width]))],
        tensor([width, rows]),
        " permutation = [1, 0]",
    )


def softmax_of(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ v


@pytest.mark.parametrize("sizes", [(2, 3, 8, 5, 4), (4, 32, 256, 64, 64), (3, 1, 65, 32, 13)])
def test_attention(sizes: tuple[int, int, int, int, int]) -> None:
    heads, rows, length, width, _ = sizes
    q, k, v = normal(heads, rows, width), normal(heads, length, width), normal(heads, length, width)
    o = np.empty_like(q)
    run(attention(*sizes), {"q": q, "k": k, "v": v, "o": o})
    close(o, softmax_of(q, k, v), 4e-3)


# --- paged attention -----------------------------------------------------------------------------


def paged_attention(heads: int, rows: int, pages: int, size: int, width: int, used: int) -> str:
    """Keys and values of a head lie in pages; the page and the slot in it come from two indices."""
    q, kv, lists = [heads, rows, width], [pages, size, width], [heads, used * size]
    body = constants(0, used * size, size) + "%id = ktdp.get_compute_tile_id : index\n"
    body += view("q", q) + view("k", kv) + view("v", kv) + view("o", q)
    body += view("page", lists, "i32") + view("slot", lists, "i32")
    body += tile("q", q, [1, rows, width], "%id, 0, 0")
    body += load("q", [1, rows, width]).replace("%q_x", "%q3") + _flat("q", rows, width)
    start, end = _carried(rows, width, f"%c{used * size}", f"%c{size}")
    body += start
    for name in "kv":
        body += (
            f"%{name}_tile = ktdp.construct_indirect_access_tile intermediate_variables(%t, %w) "
            f"%{name}_view[ind(%page_view[%id, %i + %t]), ind(%slot_view[%id, %i + %t]), (%w)] "
            f"{{variables_space_set = {box([size, width])}, "
            f"variables_space_order = {identity(2)}}} : {shaped('memref', kv, 'f16')}, "
            f"{shaped('memref', lists, 'i32')}, {shaped('memref', lists, 'i32')} -> "
            f"{shaped('!ktdp.access_tile', [size, width], 'index')}\n"
        ) + load(name, [size, width])
    body += _transposed(size, width) + _step(rows, size, width) + end + _finish(rows, width)
    body += (
        f"%h3 = tensor.expand_shape %h [[0, 1], [2]] output_shape [1, {rows}, {width}] : "
        f"{tensor([rows, width])} into {tensor([1, rows, width])}\n"
    )
    body += tile("o", q, [1, rows, width], "%id, 0, 0") + store("%h3", "o", [1, rows, width])
    return kernel("paged", "q, k, v, page, slot, o", [heads], body)


@pytest.mark.parametrize("sizes", [(2, 1, 5, 4, 8, 2), (8, 4, 64, 16, 64, 8), (3, 2, 7, 5, 65, 3)])
def test_paged_attention(sizes: tuple[int, int, int, int, int, int]) -> None:
    heads, rows, pages, size, width, used = sizes
    rng = np.random.default_rng(5)
    q, k, v = normal(heads, rows, width), normal(pages, size, width), normal(pages, size, width)
    page = rng.integers(0, pages, (heads, used * size)).astype(np.int32)
    slot = rng.integers(0, size, (heads, used * size)).astype(np.int32)
    o = np.empty_like(q)
    run(paged_attention(*sizes), {"q": q, "k": k, "v": v, "page": page, "slot": slot, "o": o})
    close(o, softmax_of(q, k[page, slot], v[page, slot]), 4e-3)


# --- the KV cache --------------------------------------------------------------------------------


def scatter(tokens: int, heads: int, width: int, pages: int, size: int, index: str) -> str:
    """Token t of every head goes to page[t], slot[t]; one head a core."""
    new, cache = [tokens, heads, width], [pages, size, heads, width]
    body = "%id = ktdp.get_compute_tile_id : index\n" + view("x", new) + view("cache", cache)
    body += view("page", [tokens], index) + view("slot", [tokens], index)
    body += tile("x", new, [tokens, 1, width], "0, %id, 0") + load("x", [tokens, 1, width])
    lists = shaped("memref", [tokens], index)
    body += (
        "%t_tile = ktdp.construct_indirect_access_tile intermediate_variables(%t, %one, %w) "
        "%cache_view[ind(%page_view[%t]), ind(%slot_view[%t]), (%id + %one), (%w)] "
        f"{{variables_space_order = {identity(3)}, "
        f"variables_space_set = {box([tokens, 1, width])}}} : "
        f"{shaped('memref', cache, 'f16')}, {lists}, {lists} -> "
        f"{shaped('!ktdp.access_tile', [tokens, 1, width], 'index')}\n"
    )
    body += store("%x_x", "t", [tokens, 1, width])
    return kernel("scatter", "x, page, slot, cache", [heads], body)


@pytest.mark.parametrize("index", ["i32", "i64", "index"])
@pytest.mark.parametrize("sizes", [(3, 2, 8, 4, 2), (16, 8, 64, 32, 16), (5, 3, 1, 3, 7)])
def test_scatter_into_the_cache(sizes: tuple[int, int, int, int, int], index: str) -> None:
    tokens, heads, width, pages, size = sizes
    chosen = np.random.default_rng(2).permutation(pages * size)[:tokens]
    kind = np.int32 if index == "i32" else np.int64
    page, slot = (chosen // size).astype(kind), (chosen % size).astype(kind)
    x, cache = normal(tokens, heads, width), normal(pages, size, heads, width)
    want = cache.copy()
    want[page, slot] = x
    text = scatter(*sizes, index)
    text = text.replace("%cache: index", '%cache: index {spyrelang.role = "inout"}')
    run(text, {"x": x, "page": page, "slot": slot, "cache": cache})
    np.testing.assert_array_equal(cache, want)


# --- distributed views ---------------------------------------------------------------------------


def halo(rows: int, width: int, cores: int) -> str:
    """Each core keeps its rows in its scratchpad and sums every row with its two neighbours, which
    may lie in the scratchpads of other cores."""
    part = rows // cores
    body = constants(0, 1, part, rows - 2) + "%id = ktdp.get_compute_tile_id : index\n"
    body += f"%first = arith.muli %id, %c{part} : index\n"
    body += view("x", [rows, width]) + view("o", [rows - 2, width])
    body += view("own", [part, width], base="%c0", space="#ktdp.memory_space<ct_local>")
    body += tile("x", [rows, width], [part, width], "%first, 0") + load("x", [part, width])
    body += tile("own", [part, width], [part, width], "0, 0")
    body += store("%x_x", "own", [part, width])
    # a transfer orders the cores: all rows are there after it
    everyone = f"affine_set<(d0)[s0] : (d0 >= 0, -d0 + {cores - 1} >= 0, s0 == 0)>"
    future = "<(tensor<1xi32>), groups = affine_set<(d0) : (d0 == 0)>>"
    body += f"""
    %token = arith.constant dense<0> : tensor<1xi32>
    %f = ktdp.inter_tile_produce producer_tiles_per_group = {everyone} -> {future} {{
    ^bb0(%g: index):
      ktdp.yield_partial %token : tensor<1xi32>
    }}
    %met = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = {everyone},
      identity(%token : tensor<1xi32>) : {future} -> tensor<1xi32> {{
    ^bb0(%a: tensor<1xi32>, %b: tensor<1xi32>):
      %t = arith.addi %a, %b : tensor<1xi32>
      ktdp.yield_reduced %t : tensor<1xi32>
    }}
    """
    kinds = ", ".join([shaped("memref", [part, width], "f16")] * cores)
    for core in range(cores):
        body += view(
            f"p{core}",
            [part, width],
            base="%c0",
            space=f"#ktdp.spyre_memory_space<LX, core = {core}>",
            low=[core * part, 0],
        )
    names = ", ".join(f"%p{core}_view" for core in range(cores))
    body += (
        f"%all_view = ktdp.construct_distributed_memory_view ({names} : {kinds}) : "
        f"{shaped('memref', [rows, width], 'f16')}\n"
        f"%end = arith.addi %first, %c{part} : index\n"
        f"%last = arith.minui %end, %c{rows - 2} : index\n"
        "scf.for %r = %first to %last step %c1 {\n"
    )
    body += tile("all", [rows, width], [3, width], "%r, 0") + load("all", [3, width])
    body += reduced("%s", "%all_x", [3, width], 0, "arith.addf", "0.0", "f16")
    body += (
        f"%h = tensor.expand_shape %s [[0, 1]] output_shape [1, {width}] : {tensor([width])} "
        f"into {tensor([1, width])}\n"
    )
    body += tile("o", [rows - 2, width], [1, width], "%r, 0") + store("%h", "o", [1, width]) + "}\n"
    return kernel("halo", "x, o", [cores], body)


@pytest.mark.parametrize("sizes", [(6, 8, 2), (32, 65, 4), (9, 1, 3), (8, 64, 8)])
def test_rows_across_core_borders(sizes: tuple[int, int, int]) -> None:
    rows, width, _ = sizes
    x, o = normal(rows, width), np.empty((rows - 2, width), np.float16)
    run(halo(*sizes), {"x": x, "o": o})
    w = x.astype(np.float32)
    close(o, w[:-2] + w[1:-1] + w[2:], 2e-3)
