"""SPY54x, SPY597, SPY598: what texts of KTIR say, store and compute that has no one
meaning."""

from __future__ import annotations

import numpy as np

import spyrelang as spyre
from cases.registry import raises
from cases.texts import function, load, store, tile, view


def run(text: str, **arrays: object) -> list[spyre.SpyreError]:
    """The findings of a run."""
    return spyre.load_ktir(text).run(arrays, engine="ktir").warnings


def f16(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float16)


@raises("SPY540")
def rows_that_overlap() -> object:
    body = [view("v", "x"), tile("t", "v"), load("a", "t")]
    body += [view("o", "out").replace("[64, 1]", "[32, 1]"), tile("u", "o"), store("a", "u")]
    rows = np.arange(256).astype(np.float16).reshape(4, 64)
    return run(function(*body), x=rows, out=f16(160))


@raises("SPY541")
def scratch_of_another_type() -> object:
    body = [view("wide", "c0", "#local", "f32"), view("narrow", "c0", "#local")]
    body += ["%one = arith.constant dense<1.0> : tensor<4x64xf32>", tile("a", "wide", dtype="f32")]
    body += [store("one", "a", "f32"), tile("b", "narrow"), load("v", "b")]
    body += [view("o", "out"), tile("t", "o"), store("v", "t")]
    return run(function(*body, arguments="%out: index"), out=f16(4, 64))


@raises("SPY542")
def divided_by_zero() -> object:
    body = [view("v", "x", dtype="i32"), tile("t", "v", dtype="i32"), load("a", "t", "i32")]
    body += ["%q = arith.divsi %a, %a : tensor<4x64xi32>", store("q", "t", "i32")]
    numbers = np.arange(256, dtype=np.int32).reshape(4, 64)
    return run(function(*body, arguments="%x: index"), x=numbers)


@raises("SPY543")
def rows_that_are_not_there() -> object:
    body = [view("v", "x", rows=8).replace("sizes: [8,", "sizes: [%n,").replace("<8x", "<?x")]
    body[0] = body[0].replace("(d0, d1) :", "(d0, d1)[s0] :").replace("-d0 + 7", "-d0 + s0 - 1")
    body += [tile("t", "v", rows=8).replace("memref<8x", "memref<?x"), load("a", "t")]
    body += [view("o", "out"), tile("u", "o"), store("a", "u")]
    text = function(*body, arguments="%x: index, %n: index, %out: index")
    return run(text, x=f16(6, 64), n=8, out=f16(4, 64))


TILES = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + 1 >= 0, s0 == 0)>"
FUTURE = "<(tensor<4x64xf16>), groups = affine_set<(d0) : (d0 == 0)>>"


@raises("SPY544")
def product_from_zero() -> object:
    body = [
        view("v", "x"),
        tile("t", "v"),
        load("a", "t"),
        "%zero = arith.constant dense<0.0> : tensor<4x64xf16>",
        f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {TILES} -> {FUTURE} {{\n"
        "^bb0(%g: index):\n  ktdp.yield_partial %a : tensor<4x64xf16>\n}",
        f"%r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = {TILES}, identity(%zero : "
        f"tensor<4x64xf16>) : {FUTURE} -> tensor<4x64xf16> {{\n"
        "^bb0(%p: tensor<4x64xf16>, %q: tensor<4x64xf16>):\n"
        "  %s = arith.mulf %p, %q : tensor<4x64xf16>\n"
        "  ktdp.yield_reduced %s : tensor<4x64xf16>\n}",
        view("o", "out"),
        tile("u", "o"),
        store("r", "u"),
    ]
    return run(function(*body, grid="[2]"), x=f16(4, 64), out=f16(4, 64))


@raises("SPY597")
def coordinates_of_half_a_view() -> object:
    text = function(
        view("v", "x").replace(
            "#box", "affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 31 >= 0)>"
        )
    )
    return spyre.load_ktir(text)


@raises("SPY598")
def one_name_for_two() -> object:
    named = '%{0}: index {{spyrelang.name = "x"}}'
    text = function(arguments=f"{named.format('a')}, {named.format('b')}")
    return run(text, x=f16(4))


@raises("SPY598", "role")
def input_that_is_stored_to() -> object:
    body = ["%a = arith.constant dense<1.0> : tensor<4x64xf16>", view("o", "out"), tile("u", "o")]
    arguments = '%out: index {spyrelang.role = "in"}'
    return run(function(*body, store("a", "u"), arguments=arguments), out=f16(4, 64))
