"""Texts that move and choose: gathers and scatters, joins and cuts at unaligned offsets, masks,
casts, transposes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .kit import (
    NUMPY,
    box,
    identity,
    kernel,
    load,
    normal,
    run,
    store,
    template,
    tensor,
    tile,
    view,
)

ALL = ("f16", "bf16", "f32", "i32")

# --- embedding -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize(
    ("sizes", "index"),
    [((97, 5000, 65, 32, 4), "i32"), ((5, 2, 8, 2, 2), "i64"), ((3, 9, 1, 8, 2), "si32"),
     ((40, 70, 32, 7, 5), "index")],
)  # fmt: skip
def test_embedding(sizes: tuple[int, int, int, int, int], index: str, dtype: str) -> None:
    tokens, words, width, block, cores = sizes
    text = template(
        "embedding",
        tokens=tokens,
        last=tokens - 1,
        words=words,
        words1=words - 1,
        width=width,
        width1=width - 1,
        block=block,
        stride=block * cores,
        cores=cores,
        t=dtype,
        i=index,
    )
    table = normal(words, width, dtype=dtype)
    ids = np.random.default_rng(1).integers(0, words, tokens)
    ids[0] = words - 1
    ids = ids.astype(np.int32 if "32" in index else np.int64)
    out = np.empty((tokens, width), table.dtype)
    run(text, {"ids": ids, "table": table, "out": out})
    np.testing.assert_array_equal(out, table[ids])


# --- scatter into a cache, negative slots skipped ------------------------------------------------

SLOTS = {
    "i32": """%none = arith.constant 0 : i32
      %ok = arith.cmpi sge, %slot, %none : i32
      %p32 = arith.divsi %slot, %size : i32
      %q32 = arith.remsi %slot, %size : i32
      %p = arith.index_cast %p32 : i32 to index
      %q = arith.index_cast %q32 : i32 to index""",
    "i64": """%none = arith.constant -1 : i64
      %ok = arith.cmpi sgt, %slot, %none : i64
      %at = arith.index_cast %slot : i64 to index
      %n = arith.index_cast %size : i32 to index
      %p = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%at)[%n]
      %q = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%at)[%n]""",
    "index": """%none = index.constant 0
      %ok = index.cmp sge(%slot, %none)
      %n = index.casts %size : i32 to index
      %p = index.floordivs %slot, %n
      %q = index.remu %slot, %n""",
}


@pytest.mark.parametrize("index", SLOTS)
@pytest.mark.parametrize(
    "sizes", [(13, 2, 64, 300, 16, 4), (5, 3, 65, 4, 7, 2), (4, 1, 1, 9, 1, 1)]
)
def test_scatter_skips_negative_slots(
    sizes: tuple[int, int, int, int, int, int], index: str
) -> None:
    tokens, heads, width, pages, page, cores = sizes
    text = template(
        "kv_cache",
        tokens=tokens,
        heads=heads,
        width=width,
        pages=pages,
        page=page,
        cores=cores,
        t="bf16",
        i=index,
        hw=heads * width,
        phw=page * heads * width,
        kset=box([tokens, heads, width]),
        sset=box([tokens]),
        cset=box([pages, page, heads, width]),
        tset=box([1, heads, width]),
        dset=box([1, 1, heads, width]),
        decompose=SLOTS[index],
    )
    slots = np.random.default_rng(4).permutation(pages * page)[:tokens]
    slots[::3] = -1
    slots = slots.astype(np.int32 if index == "i32" else np.int64)
    key = normal(tokens, heads, width, dtype="bf16")
    cache = normal(pages, page, heads, width, dtype="bf16", seed=1)
    want = cache.copy()
    want.reshape(-1, heads, width)[slots[slots >= 0]] = key[slots >= 0]
    run(text, {"key": key, "slots": slots, "cache": cache, "size": page})
    np.testing.assert_array_equal(cache.astype(np.float32), want.astype(np.float32))


# --- cat, slice, pad, copy, fill -----------------------------------------------------------------


def joined(m: int, a: int, b: int, how: str, dtype: str) -> str:
    """o = [a, b] along the last axis, by one of several routes."""
    n = a + b
    body = view("a", [m, a], dtype) + view("b", [m, b], dtype) + view("o", [m, n], dtype)
    body += tile("a", [m, a], [m, a], "0, 0", dtype) + load("a", [m, a], dtype)
    body += tile("b", [m, b], [m, b], "0, 0", dtype) + load("b", [m, b], dtype)
    ka, kb, ko = tensor([m, a], dtype), tensor([m, b], dtype), tensor([m, n], dtype)
    body += tile("o", [m, n], [m, n], "0, 0", dtype)
    if how == "tiles":
        body += tile("o", [m, n], [m, a], "0, 0", dtype, result="l")
        body += tile("o", [m, n], [m, b], f"0, {a}", dtype, result="r")
        return kernel(
            "cat",
            "a, b, o",
            [1],
            body + store("%a_x", "l", [m, a], dtype) + store("%b_x", "r", [m, b], dtype),
        )
    if how == "concat":
        body += f"%r = tensor.concat dim(1) %a_x, %b_x : ({ka}, {kb}) -> {ko}\n"
    elif how == "insert":
        body += (
            f"%e = tensor.empty() : {ko}\n%c = arith.constant {a} : index\n"
            f"%p = tensor.insert_slice %b_x into %e[0, %c] [{m}, {b}] [1, 1] : {kb} into {ko}\n"
            f"%r = tensor.insert_slice %a_x into %p[0, 0] [{m}, {a}] [1, 1] : {ka} into {ko}\n"
        )
    elif how == "pad":
        zero = "0" if dtype == "i32" else "0.0"
        add = "arith.addi" if dtype == "i32" else "arith.addf"
        body += (
            f"%z = arith.constant {zero} : {dtype}\n%w = arith.constant {b} : index\n"
            f"%p = tensor.pad %a_x low[0, 0] high[0, %w] {{\n^bb0(%i: index, %j: index):\n"
            f"tensor.yield %z : {dtype}\n}} : {ka} to tensor<{m}x?x{dtype}>\n"
            f"%q = tensor.pad %b_x nofold low[0, {a}] high[0, 0] {{\n^bb0(%i: index, %j: index):\n"
            f"tensor.yield %z : {dtype}\n}} : {kb} to {ko}\n"
            f"%s = tensor.cast %p : tensor<{m}x?x{dtype}> to {ko}\n"
            f"%r = {add} %s, %q : {ko}\n"
        )
    elif how == "generate":
        body += (
            f"%w = arith.constant {a} : index\n%r = tensor.generate {{\n"
            "^bb0(%i: index, %j: index):\n%left = arith.cmpi slt, %j, %w : index\n"
            f"%v = scf.if %left -> ({dtype}) {{\n%t = tensor.extract %a_x[%i, %j] : {ka}\n"
            f"scf.yield %t : {dtype}\n}} else {{\n%k = arith.subi %j, %w : index\n"
            f"%t = tensor.extract %b_x[%i, %k] : {kb}\nscf.yield %t : {dtype}\n}}\n"
            f"tensor.yield %v : {dtype}\n}} : {ko}\n"
        )
    return kernel("cat", "a, b, o", [1], body + store("%r", "o", [m, n], dtype))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("how", ["tiles", "concat", "insert", "pad", "generate"])
@pytest.mark.parametrize("sizes", [(3, 65, 63), (97, 1, 8), (2, 32, 33)])
def test_cat(sizes: tuple[int, int, int], how: str, dtype: str) -> None:
    m, left, right = sizes
    a, b = normal(m, left, dtype=dtype), normal(m, right, dtype=dtype)
    o = np.empty((m, left + right), a.dtype)
    run(joined(*sizes, how, dtype), {"a": a, "b": b, "o": o})
    np.testing.assert_array_equal(o, np.concatenate([a, b], axis=1))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize(
    ("shape", "at", "size"), [((5, 100), (1, 33), (3, 65)), ((9, 8), (2, 7), (4, 1))]
)
def test_slice_copy_and_fill(
    shape: tuple[int, int], at: tuple[int, int], size: tuple[int, int], dtype: str
) -> None:
    """A part of x lands at the same place of o, whose rest is filled first."""
    value = "-7" if dtype == "i32" else "-7.0"
    body = view("x", shape, dtype) + view("o", shape, dtype)
    body += tile("o", shape, shape, "0, 0", dtype, result="all")
    kind, small = tensor(shape, dtype), tensor(size, dtype)
    body += f"%c = arith.constant {value} : {dtype}\n%e = tensor.empty() : {kind}\n"
    body += f"%f = linalg.fill ins(%c : {dtype}) outs(%e : {kind}) -> {kind}\n"
    body += store("%f", "all", shape, dtype)
    body += tile("x", shape, shape, "0, 0", dtype) + load("x", shape, dtype)
    body += (
        f"%s = tensor.extract_slice %x_x[{at[0]}, {at[1]}] [{size[0]}, {size[1]}] [1, 1] : {kind} "
        f"to {small}\n%d = tensor.empty() : {small}\n"
        f"%y = linalg.copy ins(%s : {small}) outs(%d : {small}) -> {small}\n"
    )
    body += tile("o", shape, size, f"{at[0]}, {at[1]}", dtype) + store("%y", "o", size, dtype)
    x = normal(*shape, dtype=dtype)
    o = np.zeros_like(x)
    run(kernel("cut", "x, o", [1], body), {"x": x, "o": o})
    want = np.full_like(x, -7)
    part = tuple(slice(a, a + n) for a, n in zip(at, size, strict=True))
    want[part] = x[part]
    np.testing.assert_array_equal(o, want)


# --- causal mask ---------------------------------------------------------------------------------

MASKS = {
    # row and column by linalg.index
    "index": """%r = linalg.generic {{indexing_maps = [{id}, {id}], iterator_types = ["parallel",
      "parallel"]}} ins(%x_x : {kind}) outs(%e : {kind}) {{
    ^bb0(%v: {t}, %old: {t}):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %k = arith.addi %i, %first : index
      %m = arith.cmpi ule, %j, %k : index
      %y = arith.select %m, %v, %low : {t}
      linalg.yield %y : {t}
    }} -> {kind}
    """,
    # an iota made by tensor.generate, compared as whole tensors
    "iota": """%rows = tensor.generate {{
    ^bb0(%i: index, %j: index):
      %k = index.add %i, %first
      %l = arith.index_cast %k : index to i32
      tensor.yield %l : i32
    }} : {ints}
    %cols = tensor.generate {{
    ^bb0(%i: index, %j: index):
      %l = arith.index_cast %j : index to i32
      tensor.yield %l : i32
    }} : {ints}
    %m = arith.cmpi sle, %cols, %rows : {ints}
    %lows = tensor.splat %low : {kind}
    %r = arith.select %m, %x_x, %lows : tensor<{m}x{n}xi1>, {kind}
    """,
    # 0 or -inf added, which linalg.select chooses
    "select": """%ei = tensor.empty() : tensor<{m}x{n}xi1>
    %m = linalg.generic {{indexing_maps = [{id}], iterator_types = ["parallel", "parallel"]}}
      outs(%ei : tensor<{m}x{n}xi1>) {{
    ^bb0(%old: i1):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %d = affine.apply affine_map<(d0, d1)[s0] -> (d0 + s0 - d1)>(%i, %j)[%first]
      %z = arith.constant 0 : index
      %p = arith.cmpi sge, %d, %z : index
      linalg.yield %p : i1
    }} -> tensor<{m}x{n}xi1>
    %lows = arith.constant dense<{low}> : {kind}
    %r = linalg.select ins(%m, %x_x, %lows : tensor<{m}x{n}xi1>, {kind}, {kind})
      outs(%e : {kind}) -> {kind}
    """,
}


@pytest.mark.parametrize("how", MASKS)
@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("sizes", [(96, 65, 32), (8, 8, 1), (4, 129, 2)])
def test_causal_mask(sizes: tuple[int, int, int], dtype: str, how: str) -> None:
    rows, n, block = sizes
    shape, part = [rows, n], [block, n]
    low = {"f16": "0xFC00", "bf16": "0xFF80", "f32": "0xFF800000"}[dtype]
    body = "%id = ktdp.get_compute_tile_id : index\n" + view("x", shape, dtype)
    body += view("o", shape, dtype) + f"%b = arith.constant {block} : index\n"
    body += f"%first = arith.muli %id, %b : index\n%low = arith.constant {low} : {dtype} // -inf\n"
    body += tile("x", shape, part, "%first, 0", dtype) + load("x", part, dtype)
    body += f"%e = tensor.empty() : {tensor(part, dtype)}\n"
    body += MASKS[how].format(
        id=identity(2),
        kind=tensor(part, dtype),
        ints=tensor(part, "i32"),
        t=dtype,
        m=block,
        n=n,
        low=low,
    )
    body += tile("o", shape, part, "%first, 0", dtype) + store("%r", "o", part, dtype)
    x = normal(*shape, dtype=dtype)
    o = np.empty_like(x)
    run(kernel("mask", "x, o", [rows // block], body), {"x": x, "o": o})
    keep = np.arange(n) <= np.arange(rows)[:, None]
    np.testing.assert_array_equal(o, np.where(keep, x, np.array(-np.inf, x.dtype)))


# --- casts ---------------------------------------------------------------------------------------

CASTS: list[tuple[str, str, str]] = [
    ("f16", "f32", "arith.extf"),
    ("bf16", "f32", "arith.extf"),
    ("f32", "f16", "arith.truncf"),
    ("f32", "bf16", "arith.truncf"),
    ("f16", "i32", "arith.fptosi"),
    ("f32", "i64", "arith.fptosi"),
    ("i32", "f16", "arith.sitofp"),
    ("i64", "f32", "arith.sitofp"),
    ("i32", "bf16", "arith.sitofp"),
    ("i32", "i64", "arith.extsi"),
    ("i64", "i32", "arith.trunci"),
    ("i32", "index", "arith.index_cast"),
    ("index", "i32", "arith.index_cast"),
]


def rounded(x: np.ndarray, target: Any) -> np.ndarray:
    if np.dtype(target).kind in "iu" and x.dtype.kind not in "iu":
        return np.trunc(x.astype(np.float64)).astype(target)
    return x.astype(target)


@pytest.mark.parametrize("body", ["whole", "generic"])
@pytest.mark.parametrize(("source", "target", "op"), CASTS)
def test_casts(source: str, target: str, op: str, body: str) -> None:
    shape = [5, 65]
    first, last = tensor(shape, source), tensor(shape, target)
    text = view("x", shape, source) + view("o", shape, target)
    text += tile("x", shape, shape, "0, 0", source) + load("x", shape, source)
    if body == "whole":
        text += f"%r = {op} %x_x : {first} to {last}\n"
    else:
        text += (
            f"%e = tensor.empty() : {last}\n%r = linalg.generic {{indexing_maps = "
            f'[{identity(2)}, {identity(2)}], iterator_types = ["parallel", "parallel"]}} '
            f"ins(%x_x : {first}) outs(%e : {last}) {{\n^bb0(%a: {source}, %b: {target}):\n"
            f"%c = {op} %a : {source} to {target}\nlinalg.yield %c : {target}\n}} -> {last}\n"
        )
    text += tile("o", shape, shape, "0, 0", target) + store("%r", "o", shape, target)
    x = np.random.default_rng(0).standard_normal(shape) * 900
    given = rounded(x, NUMPY[source])
    o = np.empty(shape, NUMPY[target])
    run(kernel("cast", "x, o", [1], text), {"x": given, "o": o})
    assert o.tobytes() == rounded(given, NUMPY[target]).tobytes()


# --- transposes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("how", ["named", "generic", "order", "strides"])
@pytest.mark.parametrize("sizes", [(65, 32), (8, 97), (1, 33)])
def test_transpose(sizes: tuple[int, int], how: str, dtype: str) -> None:
    m, n = sizes
    first, last = tensor([m, n], dtype), tensor([n, m], dtype)
    text = view("x", [m, n], dtype) + view("o", [n, m], dtype)
    text += tile("x", [m, n], [m, n], "0, 0", dtype) + load("x", [m, n], dtype)
    text += f"%e = tensor.empty() : {last}\n"
    if how == "named":
        text += (
            f"%r = linalg.transpose ins(%x_x : {first}) outs(%e : {last}) permutation = [1, 0]\n"
        )
    elif how == "generic":
        text += (
            "%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, "
            'affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} '
            f"ins(%x_x : {first}) outs(%e : {last}) {{\n^bb0(%a: {dtype}, %b: {dtype}):\n"
            f"linalg.yield %a : {dtype}\n}} -> {last}\n"
        )
    elif how == "order":
        # an indirect tile without indices; a direct one with another order is not settled
        text = view("o", [n, m], dtype) + view("x", [m, n], dtype)
        text += (
            "%x_tile = ktdp.construct_indirect_access_tile intermediate_variables(%a, %b) "
            f"%x_view[(%a), (%b)] {{variables_space_set = {box([m, n])}, variables_space_order = "
            f"affine_map<(a, b) -> (b, a)>}} : memref<{m}x{n}x{dtype}> -> "
            f"!ktdp.access_tile<{n}x{m}xindex>\n"
            f"%r = ktdp.load %x_tile : <{n}x{m}xindex> -> {last}\n"
        )
    else:
        text = view("o", [n, m], dtype) + (
            f"%x_view = ktdp.construct_memory_view %x, sizes: [{n}, {m}], strides: [1, {n}] "
            f"{{coordinate_set = {box([n, m])}, memory_space = #ktdp.memory_space<global>}} : "
            f"memref<{n}x{m}x{dtype}>\n"
        )
        text += tile("x", [n, m], [n, m], "0, 0", dtype) + load("x", [n, m], dtype)
        text += "%r = tensor.cast %x_x : " + f"{last} to {last}\n"
    text += tile("o", [n, m], [n, m], "0, 0", dtype) + store("%r", "o", [n, m], dtype)
    x = normal(m, n, dtype=dtype)
    o = np.empty((n, m), x.dtype)
    run(kernel("turn", "x, o", [1], text), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x.T)
