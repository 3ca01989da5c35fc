"""SPY560 to SPY579: what engine "ktir" finds while it runs."""

from __future__ import annotations

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from cases.registry import raises
from cases.texts import LOCAL, T, computing, copying, function, load, ran, store, tile, view


def ones(*shape: int, dtype: type = np.float16) -> np.ndarray:
    return np.ones(shape, dtype)


@raises("SPY560")
def tile_past_its_view() -> object:
    moved = tile("t", "xv", "%row, %c0").replace("%row", "%id")
    text = copying("%id = ktdp.get_compute_tile_id : index", moved).replace("[1]}", "[2]}")
    return ran(text)


@raises("SPY560", "constant")
def tile_at_a_constant_past_its_view() -> object:
    return spyre.load_ktir(copying(tile("t", "xv", "%c1, %c0")))


@raises("SPY561")
def view_past_its_array() -> object:
    text = copying(view("wv", "x").replace("strides: [64, 1]", "strides: [65, 1]"), tile("t", "wv"))
    return spyre.load_ktir(text).run({"x": ones(256), "n": ones(1)}, engine="ktir")


@raises("SPY562")
def view_at_an_address_without_an_array() -> object:
    text = function(
        "%far = arith.constant 524288 : index",
        view("xv", "far"),
        tile("t", "xv"),
        load("a", "t"),
        arguments="",
    )
    return spyre.load_ktir(text).run({}, memory={0: ones(4, 64)}, engine="ktir")


@raises("SPY563")
def view_of_another_type() -> object:
    text = function(view("xv", "c0"), tile("t", "xv"), load("a", "t"), arguments="")
    memory = {0: ones(4, 64, dtype=np.float32)}
    return spyre.load_ktir(text).run({}, memory=memory, engine="ktir")


@raises("SPY564")
def empty_tensor() -> object:
    return ran(computing(f"%z = arith.addf %a, %e : {T}"))


@raises("SPY565")
def output_read_before_it_is_written() -> object:
    role = '%x: index {spyrelang.role = "out"}'
    return ran(function(view("xv", "x"), tile("t", "xv"), load("a", "t"), arguments=role))


@raises("SPY566")
def tiles_that_write_one_row() -> object:
    @spyre.kernel(grid=2)
    def first_row(x: spy.In, out: spy.Out):
        out[0:1, :] = spy.load(x[spy.tile_id() : spy.tile_id() + 1, :])

    x = ones(2, 64)
    x[1] = 2
    return first_row(x, ones(1, 64), engine="ktir").warnings


@raises("SPY567")
def tiles_that_read_what_their_neighbour_writes() -> object:
    @spyre.kernel(grid=2)
    def shifted(x: spy.InOut):
        row = spy.tile_id()
        x[row : row + 1, :] = spy.load(x[row + 1 : row + 2, :])

    x = np.arange(3, dtype=np.float16).repeat(64).reshape(3, 64)
    return shifted(x, engine="ktir").warnings


@raises("SPY568")
def step_of_zero() -> object:
    loop = "scf.for %i = %c0 to %c4 step %id {\n}"
    return ran(function("%id = ktdp.get_compute_tile_id : index", loop))


@raises("SPY569")
def sum_into_an_empty_tensor() -> object:
    text = computing(
        "%r = tensor.empty() : tensor<4xf16>",
        f"%s = linalg.reduce {{ arith.addf }} ins(%a : {T}) outs(%r : tensor<4xf16>) "
        "dimensions = [1]",
        f"%z = linalg.broadcast ins(%s : tensor<4xf16>) outs(%e : {T}) dimensions = [1]",
    )
    return ran(text)


@raises("SPY570")
def result_without_a_parallel_loop() -> object:
    row = "affine_map<(d0, d1) -> (d1)>"
    text = computing(
        "%r = tensor.empty() : tensor<64xf16>",
        f"%s = linalg.generic {{indexing_maps = [#ids, {row}], "
        'iterator_types = ["parallel", "parallel"]}',
        f"    ins(%a : {T}) outs(%r : tensor<64xf16>) {{",
        "^bb0(%p: f16, %o: f16):",
        "  linalg.yield %p : f16",
        "} -> tensor<64xf16>",
        f"%z = linalg.broadcast ins(%s : tensor<64xf16>) outs(%e : {T}) dimensions = [0]",
    )
    return ran(text)


@raises("SPY571")
def slice_past_the_end() -> object:
    text = computing(
        "%id = ktdp.get_compute_tile_id : index",
        "%at = arith.addi %id, %c1 : index",
        f"%z = tensor.extract_slice %a[%at, 0] [4, 64] [1, 1] : {T} to {T}",
    )
    return ran(text)


@raises("SPY572")
def row_that_the_table_lacks() -> object:
    @spyre.kernel
    def gathered(table: spy.In[8, 64, spy.f16], rows: spy.In[4, spy.i32], out: spy.Out[4, 64]):
        out[:, :] = spy.load(table[spy.ind(rows[:]), :])

    rows = np.array([0, 3, 5000, 1], np.int32)
    return gathered(ones(8, 64), rows, ones(4, 64), engine="ktir")


@raises("SPY573")
def coordinates_between_the_partitions() -> object:
    upper = "affine_set<(d0, d1) : (d0 - 6 >= 0, -d0 + 9 >= 0, d1 >= 0, -d1 + 63 >= 0)>"
    text = function(
        view("v0", "x"),
        view("v1", "out").replace("#box", upper),
        "%d = ktdp.construct_distributed_memory_view(%v0, %v1 : memref<4x64xf16>, memref<4x64xf16>)"
        " : memref<10x64xf16>",
        tile("t", "d", "%c4, %c0", rows=10),
        load("a", "t"),
    )
    return ran(text)


@raises("SPY575")
def rows_that_no_tile_stores() -> object:
    text = function(
        view("ov", "out", rows=8),
        tile("ot", "ov", rows=8),
        f"%z = arith.constant dense<1.0> : {T}",
        store("z", "ot"),
        arguments='%x: index, %out: index {spyrelang.role = "out"}',
    )
    return ran(text)


@raises("SPY576")
def view_of_two_arrays() -> object:
    every = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + 1 >= 0)>"
    future = f"<({T}), groups = affine_set<(d0) : (d0 == 0)>>"
    text = function(
        "%id = ktdp.get_compute_tile_id : index",
        "%first = arith.cmpi eq, %id, %c0 : index",
        "%base = arith.select %first, %x, %out : index",
        view("bv", "base"),
        tile("t", "bv"),
        load("a", "t"),
        f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {every} -> {future} {{",
        "^bb0(%g: index):",
        f"  ktdp.yield_partial %a : {T}",
        "}",
        f"%m = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = {every}, "
        f"identity(%a : {T}) : {future} -> {T} {{",
        f"^bb0(%l: {T}, %r: {T}):",
        f"  ktdp.yield_reduced %l : {T}",
        "}",
        grid="[2]",
    )
    return ran(text)


@raises("SPY577")
def sizes_that_disagree_when_it_runs() -> object:
    text = function(
        "%one = arith.constant 1.0 : f16",
        "%p = tensor.splat %one[%c1] : tensor<?xf16>",
        "%q = tensor.splat %one[%c4] : tensor<?xf16>",
        "%r = arith.addf %p, %q : tensor<?xf16>",
    )
    return ran(text)


@raises("SPY578", "computed")
def view_past_the_scratchpad_at_a_computed_address() -> object:
    text = function(
        "%id = ktdp.get_compute_tile_id : index",
        "%far = arith.constant 1048576 : index",
        "%at = arith.addi %far, %id : index",
        view("pv", "at", LOCAL),
        tile("t", "pv"),
        f"%z = arith.constant dense<1.0> : {T}",
        store("z", "t"),
    )
    return ran(text)


@raises("SPY579")
def assertion_of_the_kernel() -> object:
    text = function(
        "%id = ktdp.get_compute_tile_id : index",
        "%ok = arith.cmpi ult, %id, %c1 : index",
        'cf.assert %ok, "more tiles than rows of the table"',
        grid="[2]",
    )
    return ran(text)
