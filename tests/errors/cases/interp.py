"""SPY553 to SPY559, SPY59x: KTIR that cannot be compiled for engine "ktir", or is wrong on load."""

from __future__ import annotations

import warnings

import spyrelang as spyre
from cases.registry import raises, raising
from cases.texts import LOCAL, VIEW, T, copying, function, load, ran, store, tile, view

HALF = "affine_set<(d0, d1) : (d0 - {low} >= 0, -d0 + {high} >= 0, d1 >= 0, -d1 + 63 >= 0)>"
FUTURE = f"<({T}), groups = affine_set<(d0) : (d0 == 0)>>"


def halves(low: int, rows: int) -> str:
    """A distributed view of rows 0 to 3 and of four rows from `low`."""
    return function(
        view("v0", "x"),
        view("v1", "out").replace("#box", HALF.format(low=low, high=low + 3)),
        f"%d = ktdp.construct_distributed_memory_view(%v0, %v1 : {VIEW}, {VIEW}) "
        f": memref<{rows}x64xf16>",
        tile("t", "d", rows=rows),
        load("a", "t"),
        store("a", "t"),
    )


def exchanged(producers: str, before: str = "", grid: str = "[2]") -> str:
    """Tiles that add up %a, made by a set of `producers`."""
    return function(
        "%id = ktdp.get_compute_tile_id : index",
        view("xv", "x"),
        tile("t", "xv"),
        load("a", "t"),
        *([before] if before else []),
        f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {producers} -> {FUTURE} {{",
        "^bb0(%g: index):",
        f"  ktdp.yield_partial %a : {T}",
        "}",
        f"%m = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = {producers}, "
        f"identity(%a : {T}) : {FUTURE} -> {T} {{",
        f"^bb0(%l: {T}, %r: {T}):",
        f"  ktdp.yield_reduced %l : {T}",
        "}",
        grid=grid,
    )


EVERY = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + 1 >= 0, s0 == 0)>"
FOUR = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + 3 >= 0, s0 == 0)>"

raising(
    {
        "SPY553": function("%m = memref.alloc() : memref<64xf16>"),
        "SPY554": copying(
            view("pv", "c0", "#ktdp.memory_space<ct_local, ct_id = 4>"), tile("t", "pv")
        ).replace("grid = [1]", "grid = [4]"),
        "SPY555": function(grid="[]"),
        "SPY555-missing": function().replace(" attributes {grid = [1]}", ""),
        "SPY555-ids": function("%i, %j = ktdp.get_compute_tile_id : index, index", grid="[4]"),
        "SPY556": function("func.call @again() : () -> ()")
        + "func.func @again() {\n  func.call @again() : () -> ()\n  return\n}\n",
        "SPY556-absent": function("func.call @other() : () -> ()") + "func.func private @other()\n",
        "SPY557": function(arguments="%x: tensor<4xf16>"),
        "SPY557-element": function("%k = arith.constant 1 : i7"),
        "SPY558": function(
            view("xv", "x"),
            "%t = ktdp.construct_access_tile %xv[%c0] {access_tile_set = #row, access_tile_order = "
            f"affine_map<(d0) -> (d0)>}} : {VIEW} -> !ktdp.access_tile<64xindex>",
        ),
        "SPY559": exchanged(EVERY, "%odd = tensor.empty(%id) : tensor<?xf16>"),
        "SPY574": exchanged(FOUR),
        "SPY590": halves(3, 8),
        "SPY592": copying(
            view("wv", "x").replace("sizes: [4, 64]", "sizes: [4, 32]"), tile("t", "wv")
        ),
        "SPY592-tile": function(view("xv", "x"), tile("t", "xv").replace("<4x64xi", "<4x32xi")),
    },
    ran,
)


def warned(text: str) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(spyre.load_ktir(text).warnings)


raising(
    {
        "SPY591": halves(5, 9),
        "SPY593": function(
            "%c128 = arith.constant 128 : index",
            view("pv", "c0", LOCAL),
            view("qv", "c128", LOCAL),
        ),
    },
    warned,
)


@raises("SPY578")
def view_past_the_scratchpad() -> object:
    text = function("%far = arith.constant 1048576 : index", view("pv", "far", LOCAL))
    return spyre.load_ktir(text).compile()
