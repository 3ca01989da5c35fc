"""What the five dialects of DataflowIR refuse, each with its code and its place."""

from __future__ import annotations

import pytest

from spyrelang import ir
from spyrelang.errors import SpyreError

HEAD = """\
#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0) -> (d0, 0)>
#none = affine_map<() -> ()>
#at = affine_map<() -> (0, 0)>
#line = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>
#span = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
#once = affine_set<(d0) : (d0 == 0)>
#bent = affine_set<(d0, d1) : (d0 + d1 >= 0, -d0 + 3 >= 0)>
func.func @f(%i: index, %j: index, %n: i32, %h: f16, %m: memref<8x32xf16>,
    %x: memref<16xindex>, %v: vector<32xf16>, %b: vector<32xi1>, %b2: vector<4x8xi1>,
    %c: !dataflow.custom_vector<32xf16>, %t: tensor<32xf16>) {
  %u = dataflow.get_unit {name = "p", type = "sfu"} : index
  %w = dataflow.get_unit {name = "q", type = "sfu"} : index
  %g = dataflow.create_group(%u, %w : index, index) : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = symbol.create_symbol {SymbolId = -1 : i64} : index
  %l = dataflow.get_logical_memory_view %u, %c0 {layout_map = #id} : index, index, memref<64xf16>
"""
LINE = HEAD.count("\n") + 1

TIME = "time_order = #id, time_set = #once"
LOAD = "load_order = #id2, load_set = #line"
STORE = "store_order = #id2, store_set = #line"
BOTH = f"{LOAD}, {STORE}, {TIME}, load_time_addr_map = #row, store_time_addr_map = #row"
MOVE = "agen.composite_load_and_store src:%m[%i, 0] dst:%m[%j, 0] time_symbols()"
V = "vector<32xf16>"
M = "memref<8x32xf16>"

TEXTS = [
    # units
    ('"dataflow.get_unit"() {name = "a", type = "b"} : () -> ()', "SPY127"),
    ('%0 = dataflow.get_unit {type = "b"} : index', "SPY122"),
    ('%0 = dataflow.get_unit {name = "a", type = 1} : index', "SPY123"),
    ('%0 = dataflow.get_unit {name = "a", type = "b"} : i32', "SPY121"),
    ("dataflow.program_unit %u { }", "SPY101"),
    ("dataflow.program_unit (%u) : { }", "SPY101"),
    ("dataflow.program_unit iter_arg : %z -> %u : { }", "SPY101"),
    ("dataflow.program_unit iter_arg : %z : index -> (%u) : { }", "SPY101"),
    ("dataflow.program_unit iter_arg : %z -> (%u) : { } : index", "SPY106"),
    ("dataflow.program_unit iter_arg : %z -> (%u) {precision = 16} : { }", "SPY123"),
    ("dataflow.program_unit iter_arg : %z -> (%u) : { dataflow.return }", "SPY101"),
    ("dataflow.program_unit iter_arg : %z -> (%u) : { ^bb0(%y: index): }", "SPY101"),
    ('"dataflow.program_unit"(%u) ({ }) : (index) -> ()', "SPY124"),
    ('"dataflow.program_unit"(%u) ({ ^bb0(%z: index): }) : (index) -> ()', "SPY125"),
    ('"dataflow.program_unit"(%u) : (index) -> ()', "SPY124"),
    (
        '"dataflow.program_unit"(%u) ({ ^bb0(%y: f16): "dataflow.return"() : () -> () })'
        " : (index) -> ()",
        "SPY127",
    ),
    ("%0 = dataflow.create_group %u : index", "SPY101"),
    ("%0 = dataflow.create_group (%u : index, %w : index) : index", "SPY101"),
    (
        "%0 = dataflow.create_multicast_group (%u -> (%w)) {count = 0 : i32, group_id = 1 : i32}"
        " : index",
        "SPY122",
    ),
    # signals, views, transfers
    ("dataflow.sync_send %u {wait_immediately_for_async_transfers} : index", "SPY123"),
    ("dataflow.sync_recv %u {dbgName = 3} : index", "SPY123"),
    ("dataflow.implicit_sync_on_streaming_buffer %u, %u, %u : index, index, index", "SPY121"),
    (f"%0 = dataflow.get_logical_memory_view %u, %i : index, index, {M}", "SPY122"),
    (
        "%0 = dataflow.get_logical_memory_view %u, %i {layout_map = #id} : index, index,"
        " memref<*xf16>",
        "SPY121",
    ),
    (
        "%0 = dataflow.get_paged_logical_memory_view %u, %i {layout_map = #id2}"
        f" {{segments = page0: (idx_set = #line, start_address = %c0)}} : index, index, {M}",
        "SPY101",
    ),
    (
        "%0 = dataflow.get_paged_logical_memory_view %u, %i {layout_map = #id2}"
        f" {{segments = page1: (idx_set = #line, start_addr = %c0)}} : index, index, {M}",
        "SPY101",
    ),
    (
        "%0 = dataflow.get_paged_logical_memory_view %u, %i {layout_map = #id2}"
        f" {{segments = page0: (idx_set = #line, start_addr = %i)}} : index, index, {M}",
        "SPY127",
    ),
    (
        "%0 = dataflow.get_paged_logical_memory_view %u, %i {layout_map = #id2}"
        f" {{segments = page0: (idx_set = #bent, start_addr = %c0)}} : index, index, {M}",
        "SPY127",
    ),
    ("dataflow.send %u, %t : tensor<32xf16>", "SPY121"),
    (f"dataflow.send %u, %v : index, {V}", "SPY106"),
    (f"dataflow.send %u, %v {{dir = #agen<direction Clockwise>}} : {V}", "SPY123"),
    (f"dataflow.send %u, %v {{dir = #dataflow.direction<Clockwise>}} : {V}", "SPY109"),
    (f"dataflow.send %u, %v {{dir = #dataflow<direction clockwise>}} : {V}", "SPY109"),
    ("%0 = dataflow.receive %u : f16", "SPY121"),
    ('dataflow.opaque {func_name = "g"}', "SPY122"),
    # vectors and memories
    (f"%0 = agen.vector_load %m[%i, 0] {{load_set = #line}} : {M}, {V}", "SPY122"),
    (f"%0 = agen.vector_load %m[%i, 0], multicast_info = %u {{{LOAD}}} : {M}, {V}", "SPY101"),
    (f"%0 = agen.vector_load %m[%i, ] {{{LOAD}}} : {M}, {V}", "SPY101"),
    (f"%0 = agen.vector_load %m[%i, 0 {{{LOAD}}} : {M}, {V}", "SPY101"),
    (f"%0 = agen.vector_load %m[%i, 0] {{{LOAD}}} : {M}, tensor<32xf16>", "SPY121"),
    (f"agen.vector_store %v, %m[%i, 0] {{{STORE}}} : {V}, {M}", "SPY106"),
    (
        f'"agen.vector_store"(%v, %m, %i) {{affine_map = #id2, {STORE}}} : ({V}, {M}, index) -> ()',
        "SPY127",
    ),
    (
        f'%0 = "agen.vector_load"(%m, %i) {{affine_map = #row, {LOAD}}} : ({M}, index) -> {V}',
        "SPY120",
    ),
    (
        f'%0 = "agen.vector_load"(%m, %i) {{affine_map = #row, {LOAD}, operandSegmentSizes ='
        f" array<i32: 1, 2, 0>}} : ({M}, index) -> {V}",
        "SPY120",
    ),
    (f"{MOVE}, load_iv(%z:{V}) {{ }} {{ agen.yield }} : {M}, {M}", "SPY122"),
    (f"{MOVE}, load_iv(%z:{V}) {{{BOTH}}} {{ }} : {M}, {M}", "SPY125"),
    (f"{MOVE}, load_iv(%z:f16) {{{BOTH}}} {{ agen.yield }} : {M}, {M}", "SPY121"),
    (f"{MOVE}, load_iv(%z) {{{BOTH}}} {{ agen.yield }} : {M}, {M}", "SPY101"),
    (f"{MOVE}, load_iv(%z:{V}) {{ agen.yield }} : {M}, {M}", "SPY101"),
    (
        f"{MOVE}, load_iv(%z:{V}) {{{BOTH.replace('load_set = #line', 'load_set = #span')}}}"
        f" {{ agen.yield }} : {M}, {M}",
        "SPY127",
    ),
    (
        f"{MOVE}, load_iv(%z:{V}) {{{BOTH.replace('store_order = #id2', 'store_order = #id')}}}"
        f" {{ agen.yield }} : {M}, {M}",
        "SPY127",
    ),
    (
        f"{MOVE}, load_iv(%z:{V}) {{{BOTH.replace('time_order = #id,', 'time_order = #id2,')}}}"
        f" {{ agen.yield }} : {M}, {M}",
        "SPY127",
    ),
    (
        f"{MOVE.replace('symbols()', 'symbols(%i)')}, load_iv(%z:{V}) {{{BOTH}}} {{ agen.yield }}"
        f" : {M}, {M}",
        "SPY127",
    ),
    (
        f"{MOVE}, load_iv(%z:{V}) {{{BOTH}, dir = #dataflow<direction Clockwise>}}"
        f" {{ agen.yield }} : {M}, {M}",
        "SPY123",
    ),
    (
        f"agen.composite_load %m[%i, 0] time_symbols(), load_iv(%z:{V}) {{{LOAD}, {TIME},"
        f" time_addr_map = #row}} {{ agen.yield }} : {M}",
        "SPY101",
    ),
    (
        f"agen.composite_store %m[%i, 0] time_symbols() {{{TIME}, time_addr_map = #row}}"
        f" {{ agen.yield }} : {M}",
        "SPY127",
    ),
    (
        f"agen.composite_store %m[%i, 0] input_vector=%v time_symbols() {{{TIME}, {STORE},"
        f" time_addr_map = #row}} : {M}, {V}",
        "SPY101",
    ),
    (
        "agen.composite_indirect_load indirect:%x[%i] direct:%m[0, 0] time_symbols(),"
        f" load_iv(%z:{V}) {{load_order = #id2, load_set = #id2, {TIME}, time_addr_map = #row}}"
        f" {{ agen.yield }} : memref<16xindex>, {M}",
        "SPY123",
    ),
    (
        f"agen.indirect_vector_store %v, indirect:%x[%i] direct:%m[0, 0] {{{STORE}}}"
        f" : {V}, memref<16xindex>, {M}",
        "SPY101",
    ),
    (
        f"%0 = agen.indirect_vector_load indirect:%x[%i] direct:%m[0, 0] {{load_order = #id,"
        f" load_set = #line}} : memref<16xindex>, {M}, {V}",
        "SPY127",
    ),
    (
        "%0 = agen.symbolic_vector_load %x[indices:(%i), strides:(%j)] {load_order = #id,"
        " load_set = #span} : memref<16xindex>, vector<32xindex>",
        "SPY127",
    ),
    (
        "%0 = agen.symbolic_vector_load %l[indices:(%i, %j), strides:(%j)] {load_order = #id,"
        f" load_set = #span}} : memref<64xf16>, {V}",
        "SPY127",
    ),
    (
        "%0 = agen.symbolic_vector_load %l[indices:(), strides:()] {load_order = #id,"
        f" load_set = #span}} : memref<64xf16>, {V}",
        "SPY127",
    ),
    (
        "%0 = agen.symbolic_vector_load %l[indices:(%i), strides:(%j)] {load_order = #id,"
        " load_set = #span} : memref<64xf16>, vector<32xf32>",
        "SPY127",
    ),
    (
        "agen.symbolic_vector_store %h, %l[indices:(%i), strides:(%j)] {store_order = #id,"
        " store_set = #span} : memref<64xf16>, f16",
        "SPY121",
    ),
    ("agen.composite_memory_interleave { agen.yield }", "SPY101"),
    ("agen.composite_memory_interleave {granularity = 64} { }", "SPY123"),
    (
        "%0 = agen.set_transfer_mask_state mask_value(%i) {num_slices = 1 : i32, slice_mask_map ="
        f' "(B)", maskB = "(unmasked = 1, masked = 2)"}} : index, {V}',
        "SPY101",
    ),
    (
        "%0 = agen.set_transfer_mask_state mask_value(%i) {num_slices = 1 : i32, slice_mask_map ="
        f' "(A)", maskA = "(unmasked = x, masked = 2)"}} : index, {V}',
        "SPY101",
    ),
    (
        "%0 = agen.set_transfer_mask_state mask_value(%i) {num_slices = 1 : i32, slice_mask_map ="
        f' "(0)", num_masked_elements = [1 : i32]}} : index, {V}',
        "SPY127",
    ),
    (
        "%0 = agen.set_transfer_mask_state mask_value(%i) {num_slices = 1 : i32, slice_mask_map ="
        ' "(0)", num_masked_elements = [1 : i32], num_unmasked_elements = [1 : i32, 2 : i32]}'
        f" : index, {V}",
        "SPY127",
    ),
    ("agen.yield", "SPY129"),
    # vector chains
    (
        "%0 = vectorchain.binary %v, %v {binary_op = #vectorchain<binary_operator add>}"
        f" : {V}, {V}, {V}",
        "SPY122",
    ),
    (
        "%0 = vectorchain.binary %v, %v {binary_op = #vectorchain<binary_operator pow>,"
        f" op_specific_map = #id}} : {V}, {V}, {V}",
        "SPY109",
    ),
    (
        "%0 = vectorchain.binary %t, %t {binary_op = #vectorchain<binary_operator add>,"
        " op_specific_map = #id} : tensor<32xf16>, tensor<32xf16>, tensor<32xf16>",
        "SPY121",
    ),
    (
        f"%0 = vectorchain.multiply_and_accumulate %v, %v, %v {{reduction_map = #id}} : {V}, {V}",
        "SPY101",
    ),
    (f"%0 = vectorchain.floor %v[%b2 : vector<4x8xi1>] : {V}, {V}", "SPY121"),
    (f"%0 = vectorchain.floor %c : !dataflow.custom_vector<32xf16>, {V}", "SPY121"),
    (f"%0 = vectorchain.select %v {{selection_map = #span}} : {V}, {V}", "SPY123"),
    ("%0 = vectorchain.create_affine_mask {mask_set = #span} : vector<4x8xi1>", "SPY121"),
    (f"%0 = vectorchain.pack %v, %v {{indices = [0], repetition = 1}} : {V}, {V}, {V}", "SPY123"),
    (f"%0 = vectorchain.cast %v : {V}, vector<16xf32>", "SPY127"),
    (
        f"%0 = vectorchain.shuffle input(%v) {{indices = [0], repetition = 31 : i32}} : {V}, {V}",
        "SPY127",
    ),
    (
        f"%0 = vectorchain.shuffle input(%v) {{indices = [32], repetition = 32 : i32}} : {V}, {V}",
        "SPY127",
    ),
    (
        "%0 = vectorchain.shuffle input(%v), pad(%h) {indices = [-2], repetition = 32 : i32}"
        f" : {V}, f16, {V}",
        "SPY127",
    ),
    (
        f"%0 = vectorchain.shuffle input(%v) {{indices = [0.5], repetition = 32 : i32}} : {V}, {V}",
        "SPY127",
    ),
    (
        "%0 = vectorchain.shuffle input(%v), pad(%h), pad(%h) {indices = [0], repetition = 32 :"
        f" i32}} : {V}, f16, f16, {V}",
        "SPY101",
    ),
    (f"%0 = vectorchain.rotate %v, %n : {V}, i32, {V}", "SPY121"),
    (f"%0 = vectorchain.exp_estimate %v : {V}, {V}", "SPY122"),
    (
        "%0 = vectorchain.exp_estimate %v {version = #vectorchain<estimate_versions slope>}"
        f" : {V}, {V}",
        "SPY123",
    ),
    ("%0 = vectorchain.constant_bitstream {value = [0]} : vector<2xf16>", "SPY127"),
    ("%0 = vectorchain.constant_bitstream {value = [0x10000]} : vector<1xf16>", "SPY127"),
    ("%0 = vectorchain.constant_bitstream {value = [-1]} : vector<1xf16>", "SPY127"),
    ("%0 = vectorchain.constant_bitstream {value = [255 : ui8]} : vector<1xi8>", "SPY127"),
    ("%0 = vectorchain.constant_bitstream {value = [0]} : vector<1xindex>", "SPY127"),
    ("%0 = vectorchain.constant_bitstream {value = [1]} : vector<1xi64>", "SPY127"),
    ("%0 = vectorchain.constant_bitstream {value = 1} : vector<1xf16>", "SPY123"),
    ("%0 = vectorchain.constant_bitstream {value = [0], is_symbol = 1} : vector<1xf16>", "SPY123"),
    # tables and regions
    ("%0 = uniform.def_immutable_mapping([%u -> %c0], [%c0 -> %c1]):index", "SPY127"),
    ("%0 = uniform.def_immutable_mapping([%u -> %c0], [%w -> %s]):index", "SPY127"),
    ("%0 = uniform.def_immutable_mapping([%u -> %c0], [%i -> %c1]):index", "SPY127"),
    ("%0 = uniform.def_immutable_mapping([%u -> %i]):index", "SPY127"),
    ("%0 = uniform.def_immutable_mapping():index", "SPY127"),
    ("%0 = uniform.def_immutable_mapping([%u -> %c0]) {note} :index", "SPY101"),
    (
        '%0 = "uniform.def_immutable_mapping"(%u, %w, %c0) {operandSegmentSizes ='
        " array<i32: 2, 1>} : (index, index, index) -> index",
        "SPY127",
    ),
    ("%0 = uniform.query_map(%i, %j) : index", "SPY101"),
    ("uniform.uniformize_regions { (%z -> %u, %u) { uniform.yield } }", "SPY127"),
    ("uniform.uniformize_regions { (%z -> %c0) { uniform.yield } }", "SPY127"),
    ("uniform.uniformize_regions { (%z -> %u, %g) { uniform.yield } }", "SPY127"),
    ("uniform.uniformize_regions { (%z -> %i) { uniform.yield } }", "SPY127"),
    ("uniform.uniformize_regions { (%z -> %u) { uniform.yield %z : index } }", "SPY127"),
    (
        "%0 = uniform.uniformize_regions -> (index) { (%z -> %u) { uniform.yield %h : f16 } }",
        "SPY127",
    ),
    ("uniform.uniformize_regions { (%z -> %u) { } } {list_sizes = [5 : i32]}", "SPY101"),
    ("uniform.uniformize_regions { }", "SPY127"),
    ("uniform.equalize_pattern { (%z -> %u) { uniform.yield } }", "SPY127"),
    (
        "uniform.equalize_pattern { (%z -> %u) { dataflow.sync_send %z : index }"
        " (%y -> %w) { dataflow.sync_recv %y : index } }",
        "SPY127",
    ),
    ("uniform.yield", "SPY129"),
    ("%0 = symbol.create_symbol {SymbolId = -1 : i64} : i32", "SPY121"),
    ("symbol.create_id %i {symbol_id = -1} : index", "SPY123"),
    ("symbol.create_id %i : index", "SPY122"),
    ("symbol.create_id %i {symbol_id = 9223372036854775808 : si64} : index", "SPY106"),
    ("%0 = symbol.symbol_immutable_mapping ([%i -> %s]) : index", "SPY127"),
    ("%0 = symbol.symbol_immutable_mapping ([%c0 -> %c1]) : index", "SPY127"),
    ("%0 = symbol.symbol_immutable_mapping ([%c0 -> %s],) : index", "SPY101"),
    (
        '%0 = "symbol.symbol_immutable_mapping"(%c0, %s, %s) : (index, index, index) -> index',
        "SPY120",
    ),
    (
        "%0 = symbol.symbol_immutable_mapping ([%c0 -> %s]) : index"
        " %1 = symbol.query_map(map:%0, key:%i) : index",
        "SPY127",
    ),
    ("%0 = symbol.query_map(map:%i, key:%c0) : index", "SPY127"),
]


@pytest.mark.parametrize(("text", "code"), TEXTS)
def test_refused_with_a_place(text: str, code: str) -> None:
    source = f"{HEAD}  {text}\n  return\n}}\n"
    with pytest.raises(SpyreError) as caught:
        ir.parse(source, "bad.mlir", guard=False)
    error = caught.value
    assert error.code == code, error.render()
    assert error.location is not None
    assert error.location.line in (LINE, LINE + 1)
    assert error.location.col > 0
    assert "^" in error.render()


def test_the_head_itself_is_fine() -> None:
    ir.parse(f"{HEAD}  return\n}}\n", "good.mlir", guard=False)
