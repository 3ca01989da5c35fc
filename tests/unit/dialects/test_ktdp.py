"""ktdp: both texts of every op, every accepted spelling, and what is refused."""

from __future__ import annotations

import pytest
from dialect_cases import check_round_trip, printed, refused

from spyrelang import ir
from spyrelang.dialects import ktdp

HEAD = """#box = affine_set<(d0, d1) : (d0 >= 0, -d0 + 6 >= 0, d1 >= 0, -d1 + 29 >= 0)>
#sym = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 29 >= 0)>
#line = affine_set<(d0) : (d0 >= 0, -d0 + 6 >= 0)>
#tile = affine_set<(d0)[s0] : (d0 - s0 == 0)>
#zero = affine_set<(d0) : (d0 == 0)>
#two = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>
#all = affine_set<(d0)[s0] : (d0 >= 0, -d0 + 3 >= 0)>
#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#g = #ktdp.memory_space<global>
func.func @f(%i: index, %j: index, %n: i32, %m: memref<7x30xf16>, %h: memref<7x30xf32>,
    %r: memref<7xf16>, %u: memref<*xf16>, %x: memref<7xi32>, %y: memref<7x7xi32>,
    %t: !ktdp.access_tile<7x30xindex>, %q: !ktdp.access_tile<?x30xindex>, %e: tensor<7x30xf16>,
    %a: !ktdp.runtime_arg<i32>, %b: !ktdp.runtime_arg<index, granularity=3>,
    %k: !ktdp.tile_future<(tensor<7x30xf16>), groups = #zero>) {
"""
LINE = HEAD.count("\n") + 1
TILE = "ktdp.construct_access_tile"
IND = "ktdp.construct_indirect_access_tile"
BOTH = "{access_tile_order = #id2, access_tile_set = #box}"
SPACE = "{variables_space_order = #id2, variables_space_set = #box}"
TO = "memref<7x30xf16> -> !ktdp.access_tile<7x30xindex>"


def around(line: str) -> str:
    return f"{HEAD}  {line}\n  return\n}}"


def test_round_trip() -> None:
    check_round_trip("ktdp")
    check_round_trip("ktdp_transfers")


def test_an_element_type_that_is_not_the_base_s() -> None:
    line = f"%0 = {TILE} %m[0, 0] {BOTH} : {TO}\n"
    line += "  %1 = ktdp.load %0 : <7x30xindex> -> tensor<7x30xf32>"
    assert "f16" in refused(around(line), "SPY127", LINE + 1).message


def produce(body: str, groups: str = "#zero", tiles: str = "#tile") -> str:
    return around(
        f"%0 = ktdp.inter_tile_produce producer_tiles_per_group = {tiles}"
        f" -> <(tensor<7x30xf16>), groups = {groups}> {{\n{body}\n  }}"
    )


def test_transfers_between_tiles() -> None:
    good = "^bb0(%z: index):\n ktdp.yield_partial %e : tensor<7x30xf16>"
    printed(produce(good, groups="#two"))
    refused(produce("ktdp.yield_partial %e : tensor<7x30xf16>"), "SPY124")
    refused(produce("^bb0(%z: index):\n %c = arith.constant 1 : index"), "SPY125")
    refused(
        produce(
            "^bb0(%z: index):\n ktdp.yield_partial %e, %e : tensor<7x30xf16>, tensor<7x30xf16>"
        ),
        "SPY127",
    )
    refused(produce(good, tiles="#zero"), "SPY127")
    # with two groups every tile would produce for both
    refused(produce(good, groups="#two", tiles="#all"), "SPY127")
    # sets that no device could have are read, and not listed
    endless = "affine_set<(d0)[s0] : (d0 - s0 * 4 >= 0, -d0 + 9223372036854775807 >= 0)>"
    printed(produce(good, tiles=endless))


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("!ktdp.access_tile< 4 x ?x index >", "!ktdp.access_tile<4x?xindex>"),
        ("!ktdp.access_tile<index>", "!ktdp.access_tile<index>"),
        ("!ktdp.runtime_arg<i32, upperbound = 9, granularity=3>",
         "!ktdp.runtime_arg<i32, granularity=3, upperbound=9>"),
        ("memref<4xf16, #ktdp.memory_space<ct_local, ct_id = -1>>",
         "memref<4xf16, #ktdp.memory_space<ct_local>>"),
        ("memref<4xf16, #ktdp<memory_space<global>>>", "memref<4xf16, #ktdp.memory_space<global>>"),
        ("memref<4xf16, #ktdp.spyre_memory_space<HBM>>",
         "memref<4xf16, #ktdp.memory_space<global>>"),
        ("memref<4xf16, #ktdp.spyre_memory_space<LX, core = 7>>",
         "memref<4xf16, #ktdp.memory_space<ct_local, ct_id = 7>>"),
    ],
)  # fmt: skip
def test_spellings_of_types(text: str, normal: str) -> None:
    assert f"@f({normal})" in printed(f"func.func private @f({text})")


def test_full_types_and_any_order_are_read() -> None:
    text = printed(around("%0 = ktdp.load %t : !ktdp.access_tile<7x30xindex> -> tensor<7x30xf16>"))
    assert ": <7x30xindex> -> tensor<7x30xf16>" in text
    line = (
        f"%0 = {TILE} %m[3 + %i, -%j] {{access_tile_set = #box, access_tile_order = #id2}} : {TO}"
    )
    assert "[%arg0 + 3, -%arg1] {access_tile_order" in printed(around(line))


def test_comments_stand_anywhere() -> None:
    c = "// a comment: > } ) #y\n"
    space = f"%0 = {IND} intermediate_variables(%i, %j) %m[(%i) {c}, (%j) {c}] {SPACE} : {TO}"
    text = printed(around(space))
    assert "[(%arg15), (%arg16)]" in text
    future = f"!ktdp.tile_future<(tensor<7x30xf16>), {c} groups {c} = {c} #zero {c}>"
    plain = "!ktdp.tile_future<(tensor<7x30xf16>), groups = #zero>"
    assert printed(HEAD.replace(plain, future) + "return\n}") == printed(HEAD + "return\n}")
    view = f"func.func private @f(memref<4xf16, {c} #ktdp.memory_space<global> {c}>)"
    assert "@f(memref<4xf16, #ktdp.memory_space<global>>)" in printed(view)


def test_orders_have_no_symbols() -> None:
    order = "affine_map<(d0, d1)[s0] -> (d0 floordiv s0, d1)>"
    tile = f"%0 = {TILE} %m[%i, %j] {BOTH} : {TO}"
    space = f"%0 = {IND} intermediate_variables(%i, %j) %m[(%i), (%j)] {SPACE} : {TO}"
    for line in (tile, space):
        printed(around(line))
        error = refused(around(line.replace("#id2", order)), "SPY127", LINE)
        assert "_order affine_map<(d0, d1)[s0]" in error.message


def test_variables_may_hide_outer_values() -> None:
    line = f"%0 = {IND} intermediate_variables(%i, %j) %m[(%i), (%j)] {SPACE} : {TO}"
    text = printed(around(line))
    assert "per_dim" not in text
    assert "[(%arg15), (%arg16)]" in text


def test_text_helpers() -> None:
    assert ktdp.tile_shape("!ktdp.access_tile<?x30xindex>") == [None, 30]
    assert ktdp.tile_type([None, 30]) == "!ktdp.access_tile<?x30xindex>"
    assert ktdp.tile_shape(ktdp.tile_type([])) == []
    assert ktdp.space_text("ct_local", 0) == "#ktdp.memory_space<ct_local, ct_id = 0>"


def test_builders() -> None:
    from mlir import ir as mlir

    from spyrelang.affine import Map, Set

    module = ir.parse("func.func @f(%i: index) {\n  return\n}", "t.mlir", guard=False)
    (func,) = module.funcs()
    block = func.regions[0].blocks[0]
    with ir.context(), mlir.Location.unknown(), mlir.InsertionPoint.at_block_begin(block):
        view = ktdp.CONSTRUCT_MEMORY_VIEW.build(
            offset=block.arguments[0],
            sizes=[block.arguments[0]],
            static_sizes=f"array<i64: {-(2**63)}, 8>",
            static_strides="array<i64: 8, 1>",
            coordinate_set=Set.box_of((4, 8)),
            memory_space=ktdp.space_text("global"),
            results=["memref<?x8xf16>"],
        )
        tile = ktdp.CONSTRUCT_ACCESS_TILE.build(
            base=view.results[0],
            base_map=Map.parse("() -> (0, 0)"),
            access_tile_set=Set.box_of((4, 8)),
            access_tile_order=Map.identity(2),
            results=[ktdp.tile_type([4, 8])],
        )
        ktdp.LOAD.build(tile=tile.results[0], results=["tensor<4x8xf16>"])
    ir.verify(module)
    assert ktdp.CONSTRUCT_MEMORY_VIEW.operands(view, "sizes") == [block.arguments[0]]
    assert ktdp.CONSTRUCT_MEMORY_VIEW.operands(view, "strides") == []
    assert "sizes: [%arg0, 8], strides: [8, 1]" in ir.print_module(module)
