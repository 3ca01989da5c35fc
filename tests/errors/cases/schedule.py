"""SPY400 to SPY429: kernels that engine "ktir" runs and the scheduler cannot place."""

from __future__ import annotations

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from cases.registry import raises, raising
from cases.texts import VIEW, T, computing, copying, function, load, schedule, store, tile, view

ONES = np.ones((4, 64), np.float16)


def generic(*body: str, maps: str = "#ids, #ids", kinds: str = "parallel") -> str:
    return (
        f"%z = linalg.generic {{indexing_maps = [{maps}], "
        f'iterator_types = ["parallel", "{kinds}"]}}\n'
        f"    ins(%a : {T}) outs(%e : {T}) {{\n"
        "^bb0(%p: f16, %o: f16):\n" + "\n".join(f"  {line}" for line in body) + f"\n}} -> {T}"
    )


raising(
    {
        "SPY400": computing(
            f"%h = tensor.extract_slice %a[0, 0] [2, 64] [1, 1] : {T} to tensor<2x64xf16>",
            f"%z = tensor.concat dim(0) %h, %h : (tensor<2x64xf16>, tensor<2x64xf16>) -> {T}",
        ),
        "SPY401": computing(
            "%zero = arith.constant dense<0.0> : tensor<4xf16>",
            f"%s = linalg.reduce {{ arith.addf }} ins(%a : {T}) outs(%zero : tensor<4xf16>) "
            "dimensions = [1]",
            f"%z = linalg.broadcast ins(%s : tensor<4xf16>) outs(%e : {T}) dimensions = [1]",
        ),
        "SPY402": computing(
            "%b = arith.constant dense<1.0> : tensor<64x64xf16>",
            f"%zero = arith.constant dense<0.0> : {T}",
            f"%z = linalg.matmul ins(%a, %b : {T}, tensor<64x64xf16>) outs(%zero : {T}) -> {T}",
        ),
        "SPY403": computing(
            f"%z = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %a) -> ({T}) {{",
            f"  %w = arith.addf %v, %v : {T}",
            f"  scf.yield %w : {T}",
            "}",
        ),
        "SPY424": computing(
            'spyrelang.print "here {}" %c0 : index', f"%z = arith.addf %a, %a : {T}"
        ),
        "SPY404": computing(
            "%yes = arith.cmpi eq, %c0, %c1 : index",
            f"%z = scf.if %yes -> ({T}) {{",
            f"  scf.yield %a : {T}",
            "} else {",
            f"  scf.yield %a : {T}",
            "}",
        ),
        "SPY405": copying(
            "%iv = ktdp.construct_memory_view %n, sizes: [4], strides: [1] {coordinate_set = "
            "affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>, memory_space = #global} : memref<4xi32>",
            "%t = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) "
            "%xv[ind(%iv[%m]), (%k)] {variables_space_set = #box, variables_space_order = #ids} "
            f": {VIEW}, memref<4xi32> -> !ktdp.access_tile<4x64xindex>",
        ),
        "SPY406": function(
            view("v0", "x"),
            view("v1", "out").replace(
                "#box", "affine_set<(d0, d1) : (d0 - 4 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>"
            ),
            f"%d = ktdp.construct_distributed_memory_view(%v0, %v1 : {VIEW}, {VIEW}) "
            ": memref<8x64xf16>",
            tile("t", "d", rows=8),
            load("a", "t"),
            store("a", "t"),
        ),
        "SPY407": copying(
            "%dv = ktdp.construct_memory_view %x, sizes: [%n, 64], strides: [64, 1] "
            "{coordinate_set = affine_set<(d0, d1)[s0] : "
            "(d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>, "
            "memory_space = #global} : memref<?x64xf16>",
            tile("t", "dv").replace(VIEW, "memref<?x64xf16>"),
        ),
        "SPY408": function(
            view("xv", "x"),
            "%i, %j = ktdp.get_compute_tile_id : index, index",
            "%row = arith.muli %i, %j : index",
            tile("t", "xv", "%row, %c0"),
            tile("ot", "xv"),
            load("a", "t"),
            store("a", "ot"),
            grid="[2, 3]",
        ),
        "SPY409": copying(
            tile("t", "xv").replace(
                "#box", "affine_set<(d0, d1) : (d0 >= 0, 3 - d0 >= 0, d1 - d0 >= 0, 63 - d1 >= 0)>"
            )
        ),
        "SPY410": function(
            view("xv", "x"),
            tile("t", "xv")
            .replace("#ids", "affine_map<(d0, d1) -> (d1, d0)>")
            .replace("4x64xindex", "64x4xindex"),
            "%a = ktdp.load %t : !ktdp.access_tile<64x4xindex> -> tensor<64x4xf16>",
            "ktdp.store %a, %t : tensor<64x4xf16>, !ktdp.access_tile<64x4xindex>",
        ),
        "SPY411": computing(
            "%square = arith.constant dense<1.0> : tensor<4x4xf16>",
            generic("linalg.yield %p : f16", maps="affine_map<(d0, d1) -> (d0, d0)>, #ids").replace(
                f"ins(%a : {T})", "ins(%square : tensor<4x4xf16>)"
            ),
        ),
        "SPY412": computing(
            generic(
                "%i = linalg.index 1 : index",
                "%n = arith.index_cast %i : index to i32",
                "%f = arith.sitofp %n : i32 to f16",
                "linalg.yield %f : f16",
            )
        ),
        "SPY413": computing(result="e"),
        "SPY414": computing(
            "%k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf16>",
            f"%w = linalg.broadcast ins(%k : tensor<4xf16>) outs(%e : {T}) dimensions = [1]",
            f"%z = arith.addf %a, %w : {T}",
        ),
        "SPY415": copying(
            "%c64 = arith.constant 64 : index",
            "%b = arith.addi %x, %c64 : index",
            view("bv", "b"),
            tile("t", "bv"),
        ),
        "SPY416": copying(tile("t", "xv", "%n, %c0")),
        "SPY421": copying(view("pv", "n", "#local"), tile("t", "pv")),
        "SPY422": copying(
            view("pv", "c0", "#ktdp.memory_space<ct_local, ct_id = 3>"), tile("t", "pv")
        ).replace("[1]}", "[4]}"),
        "SPY423": computing(
            f"%f = tensor.expand_shape %a [[0], [1, 2]] output_shape [4, 2, 32] : {T} "
            "into tensor<4x2x32xf16>",
            "%g = arith.addf %f, %f : tensor<4x2x32xf16>",
            f"%z = tensor.collapse_shape %g [[0], [1, 2]] : tensor<4x2x32xf16> into {T}",
        ),
        "SPY426": function(
            "%minus = arith.constant -1 : index",
            view("xv", "x"),
            tile("t", "xv"),
            "scf.for %i = %c4 to %c0 step %minus {",
            load("a", "t"),
            store("a", "t"),
            "}",
        ),
        "SPY427": function(arguments="%x: tensor<4xf16>"),
        "SPY429": copying(view("nv", "x").replace("[64, 1]", "[64, -1]"), tile("t", "nv")),
    },
    schedule,
)


@raises("SPY418")
def shifted_in_place() -> object:
    @spyre.kernel(grid=2)
    def shift(x: spy.InOut[5, 64]):
        start = spy.tile_id() * 2
        x[start + 1 : start + 3, :] = spy.load(x[start : start + 2, :])

    return shift.compile(spyre.spec((5, 64), "f16")).executable


@raises("SPY419")
def overwritten_before_its_use() -> object:
    @spyre.kernel
    def swap(x: spy.InOut, out: spy.Out, y: spy.In):
        early = spy.load(x[:, :])
        x[:, :] = spy.load(y[:, :]) * 3
        out[:, :] = early * spy.load(x[:, :])

    return swap(ONES.copy(), ONES.copy(), ONES)
