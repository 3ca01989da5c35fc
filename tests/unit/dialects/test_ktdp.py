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
VIEW = "ktdp.construct_memory_view"
TILE = "ktdp.construct_access_tile"
IND = "ktdp.construct_indirect_access_tile"
BOTH = "{access_tile_order = #id2, access_tile_set = #box}"
SPACE = "{variables_space_order = #id2, variables_space_set = #box}"
TO = "memref<7x30xf16> -> !ktdp.access_tile<7x30xindex>"
VARS = "intermediate_variables(%v, %w)"


def around(line: str) -> str:
    return f"{HEAD}  {line}\n  return\n}}"


def test_round_trip() -> None:
    check_round_trip("ktdp")
    check_round_trip("ktdp_transfers")


@pytest.mark.parametrize(
    "line",
    [
        '"ktdp.get_compute_tile_id"() : () -> ()',
        "%0 = ktdp.get_compute_tile_id : i64",
        f"%0 = {VIEW} %i, sizes: [7, 30], strides: [1] {{coordinate_set = #box, memory_space = #g}}"
        " : memref<7x30xf16>",
        f"%0 = {VIEW} %i, sizes: [7, 30], strides: [30, 1] {{coordinate_set = #box,"
        " memory_space = #g} : memref<7xf16>",
        f"%0 = {VIEW} %i, sizes: [7, 30], strides: [30, 1] {{coordinate_set = #box}}"
        " : memref<7x30xf16>",
        f"%0 = {VIEW} %i, sizes: [7, 30], strides: [30, 1] {{coordinate_set = #box,"
        ' memory_space = "DDR"} : memref<7x30xf16>',
        f"%0 = {VIEW} %i, sizes: [7, x], strides: [30, 1] {{coordinate_set = #box,"
        " memory_space = #g} : memref<7x30xf16>",
        f"%0 = {VIEW} %n, sizes: [7, 30], strides: [30, 1] {{coordinate_set = #box,"
        " memory_space = #g} : memref<7x30xf16>",
        '%0 = "ktdp.construct_memory_view"(%i, %j) {coordinate_set = #box, memory_space = #g,'
        " operandSegmentSizes = array<i32: 1, 1, 0>, static_sizes = array<i64: 7, 30>,"
        " static_strides = array<i64: 30, 1>} : (index, index) -> memref<7x30xf16>",
        "%0 = ktdp.construct_distributed_memory_view(%m, %h : memref<7x30xf16>, memref<7x30xf32>)"
        " : memref<14x30xf16>",
        "%0 = ktdp.construct_distributed_memory_view(%r : memref<7xf16>) : memref<7x30xf16>",
        "%0 = ktdp.construct_distributed_memory_view(%u : memref<*xf16>) : memref<7x30xf16>",
        f"%0 = {TILE} %m[%i, 0] {{access_tile_order = #id2}} : {TO}",
        f"%0 = {TILE} %m[%i] {BOTH} : {TO}",
        f"%0 = {TILE} %m[%i, 0] symbols(%j) {BOTH} : {TO}",
        f"%0 = {TILE} %m[%i * %j, 0] {BOTH} : {TO}",
        f"%0 = {TILE} %m[%i +, 0] {BOTH} : {TO}",
        f"%0 = {TILE} %m[%i floordiv 0, 0] {BOTH} : {TO}",
        f"%0 = {TILE} %u[%i, 0] {BOTH} : memref<*xf16> -> !ktdp.access_tile<7x30xindex>",
        f"%0 = {TILE} %m[%i, 0] {BOTH} : memref<7x30xf16> -> <7x30xindex>",
        f"%0 = {TILE} %m[%i, 0] {BOTH} : memref<7x30xf16> -> !ktdp.access_tile<7xindex>",
        f"%0 = {TILE} %m[%i, 0] {{access_tile_order = #id, access_tile_set = #box}} : {TO}",
        f"%0 = {TILE} %m[%i, 0] {{access_tile_order = #box, access_tile_set = #box}} : {TO}",
        f"%0 = {IND} {VARS} %m[ind(%x[%v]), (%w)] {{variables_space_order = #id2}}"
        f" : memref<7x30xf16>, memref<7xi32> -> !ktdp.access_tile<7x30xindex>",
        f"%0 = {IND} intermediate_variables(%v) %m[(%v), (%v)] {SPACE} : {TO}",
        f"%0 = {IND} {VARS} %m[(%w)] {SPACE} : {TO}",
        f"%0 = {IND} {VARS} %m[ind(%x[%v]), (%w)] {SPACE} : {TO}",
        f"%0 = {IND} {VARS} %m[ind(%x[%v]) + 1, (%w)] {SPACE}"
        " : memref<7x30xf16>, memref<7xi32> -> !ktdp.access_tile<7x30xindex>",
        f"%0 = {IND} {VARS} %m[ind(%y[%v]), (%w)] {SPACE}"
        " : memref<7x30xf16>, memref<7x7xi32> -> !ktdp.access_tile<7x30xindex>",
        f"%0 = {IND} {VARS} %m[%v, (%w)] {SPACE} : {TO}",
        f"%0 = {IND} {VARS} %m[(%v, %w), (%w)] {SPACE} : {TO}",
        f"%0 = {IND} {VARS} %m[(%v + symbol(%i)), (%w)] {SPACE} : {TO}",
        "%0 = ktdp.load %t : <7x30xindex> -> tensor<7x31xf16>",
        "%0 = ktdp.load %q : <?x30xindex> -> tensor<7x30xf16>",
        "%0 = ktdp.load %t : <7x30xindex> -> vector<7x30xf16>",
        "ktdp.store %e, %q : tensor<7x30xf16>, <?x30xindex>",
        "%0 = ktdp.runtime_arg_extract value from %a : <i32> -> index",
        "%0 = ktdp.runtime_arg_extract granularity from %a : <i32> -> index",
        "%0 = ktdp.runtime_arg_extract granularity from %b : <index, granularity=3> -> i64",
        "%0 = ktdp.runtime_arg_extract size from %a : <i32> -> index",
        '%0 = "ktdp.runtime_arg_extract"(%a) {kind = 3 : i32} : (!ktdp.runtime_arg<i32>) -> i32',
        "ktdp.yield_partial %e : tensor<7x30xf16>",
        "%0 = ktdp.inter_tile_consume(%k) consumer_tiles_per_group = #tile"
        " : <(tensor<7x30xf16>), groups = #zero> -> tensor<7x30xf32>",
        "%0 = ktdp.inter_tile_consume(%k) consumer_tiles_per_group = #zero"
        " : <(tensor<7x30xf16>), groups = #zero> -> tensor<7x30xf16>",
    ],
)
def test_refusals(line: str) -> None:
    refused(around(line), line=LINE)


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


@pytest.mark.parametrize(
    "text",
    [
        "!ktdp.access_tile<4xf16>",
        "!ktdp.access_tile<-1xindex>",
        "!ktdp.access_tile",
        "!ktdp.runtime_arg<index, granularity=0>",
        "!ktdp.runtime_arg<index, granularity=3, granularity=3>",
        "!ktdp.runtime_arg<index, least=3>",
        "!ktdp.runtime_arg<tensor<4xf16>>",
        "!ktdp.tile_future<tensor<4xf16>, groups = affine_set<(d0) : (d0 == 0)>>",
        "!ktdp.tile_future<(), groups = affine_set<(d0) : (d0 == 0)>>",
        "!ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(d0, d1) : (d0 == 0)>>",
        "!ktdp.tile_future<(memref<4xf16>), groups = affine_set<(d0) : (d0 == 0)>>",
        "memref<4xf16, #ktdp.memory_space<global, ct_id = 3>>",
        "memref<4xf16, #ktdp.memory_space<ct_local, ct_id = -5>>",
        "memref<4xf16, #ktdp.memory_space<HBM>>",
        "memref<4xf16, #ktdp.spyre_memory_space<L0>>",
    ],
)
def test_illegal_types(text: str) -> None:
    refused(f"func.func private @f({text})", "SPY109")


def test_full_types_and_any_order_are_read() -> None:
    text = printed(around("%0 = ktdp.load %t : !ktdp.access_tile<7x30xindex> -> tensor<7x30xf16>"))
    assert ": <7x30xindex> -> tensor<7x30xf16>" in text
    line = (
        f"%0 = {TILE} %m[3 + %i, -%j] {{access_tile_set = #box, access_tile_order = #id2}} : {TO}"
    )
    assert "[%arg0 + 3, -%arg1] {access_tile_order" in printed(around(line))


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
