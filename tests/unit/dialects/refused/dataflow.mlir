// ----- units
#b = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 63 >= 0)>
#tri = affine_set<(d0, d1) : (d0 - d1 >= 0, d1 >= 0, -d0 + 63 >= 0)>
#lay = affine_map<(d0, d1) -> (d0 * 64 + d1)>
func.func @f(%u: index, %i: index, %n: i32, %m: memref<4x64xf16>, %v: vector<64xf16>, %t: tensor<64xf16>) {
  CASE
  return
}
// expected-error SPY127: at least one result is needed
"dataflow.get_unit"() <{name = "a", type = "b"}> : () -> ()
// expected-error SPY122: 'dataflow.get_unit' needs the attribute 'type'
%0 = dataflow.get_unit {name = "a"} : index
// expected-error SPY123: attribute 'type' of 'dataflow.get_unit' must be a string, not '3 : i64'
%0 = dataflow.get_unit {name = "a", type = 3} : index
// accepted
%0 = dataflow.get_unit {core = "zero", name = "a", type = "b"} : index
// expected-error SPY122: 'dataflow.get_local_unit' needs the attribute 'name'
%0 = dataflow.get_local_unit %u : index
// expected-error SPY101: expected ':'
dataflow.program_unit %u { }
// expected-error SPY101: expected ':'
dataflow.program_unit (%u) : { }
// expected-error SPY101: expected '('
dataflow.program_unit iter_arg : %w -> %u : { }
// expected-error SPY101: expected '->'
dataflow.program_unit iter_arg : %w : index -> (%u) : { }
// expected-error SPY106: expected operation name in quotes
dataflow.program_unit iter_arg : %w -> (%u) : { } : index
// expected-error SPY106: expected operation name in quotes
dataflow.program_unit iter_arg : %w -> (%u) : { } {precision = "fp16"}
// expected-error SPY106: expected operation name in quotes
dataflow.program_unit iter_arg : %w -> (%u) : { }, { }
// expected-error SPY101: expected '{'
dataflow.program_unit %u :
// expected-error SPY123: attribute 'precision' of 'dataflow.program_unit' must be a string, not '16 : i64'
dataflow.program_unit iter_arg : %w -> (%u) {precision = 16} : { }
// accepted
dataflow.program_unit iter_arg : %w -> (%u, %u) : { }
// expected-error SPY101: 'dataflow.return' has no custom form: write "dataflow.return"() …
dataflow.program_unit iter_arg : %w -> (%u) : { dataflow.return }
// expected-error SPY124: 'dataflow.program_unit' needs a region of one block, not 0
"dataflow.program_unit"(%u) ({ }) : (index) -> ()
// expected-error SPY125: the body of 'dataflow.program_unit' must end with 'dataflow.return'
"dataflow.program_unit"(%u) ({ ^bb0(%x: index): }) : (index) -> ()
// expected-error SPY127: the body takes one argument, the unit's own handle, or none
"dataflow.program_unit"(%u) ({ ^bb0(%x: index, %y: f16): "dataflow.return"() : () -> () }) : (index) -> ()
// expected-error SPY101: expected '('
%0 = dataflow.create_group %u, %i : index, index
// expected-error SPY101: expected ')'
%0 = dataflow.create_group (%u : index, %i : index) : index
// expected-error SPY122: 'dataflow.create_multicast_group' needs the attribute 'num_consumers'
%0 = dataflow.create_multicast_group (%u -> (%i)) {count = 0 : i32, group_id = 1 : i32} : index
// expected-error SPY123: attribute 'count' of 'dataflow.create_multicast_group' must be an i32, not '0 : i64'
%0 = dataflow.create_multicast_group (%u -> (%i)) {count = 0, group_id = 1 : i32, num_consumers = 1 : i32} : index
// accepted
%0 = dataflow.create_multicast_group (%u -> (%i)) {count = 0 : i32, group_id = 1 : i32, num_consumers = 5 : i32} : index
// ----- signals, views, transfers
// expected-error SPY101: expected ':'
dataflow.sync_send %u
// expected-error SPY123: attribute 'wait_immediately_for_async_transfers' of 'dataflow.sync_send' must be a bool, not 'unit'
dataflow.sync_send %u {wait_immediately_for_async_transfers} : index
// expected-error SPY123: attribute 'dbgName' of 'dataflow.sync_recv' must be a string, not '3 : i64'
dataflow.sync_recv %u {dbgName = 3} : index
// expected-error SPY121: operand 'buffer' of 'dataflow.implicit_sync_on_streaming_buffer' must be a ranked memref, not 'index'
dataflow.implicit_sync_on_streaming_buffer %u, %u, %u : index, index, index
// expected-error SPY122: 'dataflow.get_logical_memory_view' needs the attribute 'layout_map'
%0 = dataflow.get_logical_memory_view %u, %i : index, index, memref<4x64xf16>
// expected-error SPY101: expected a value (%name)
%0 = dataflow.get_logical_memory_view (%u, %i) {layout_map = #lay} : index, index, memref<4x64xf16>
// expected-error SPY121: result 'view' of 'dataflow.get_logical_memory_view' must be a ranked memref, not 'memref<*xf16>'
%0 = dataflow.get_logical_memory_view %u, %i {layout_map = #lay} : index, index, memref<*xf16>
// accepted
%0 = dataflow.get_logical_memory_view %u, %i {layout_map = affine_map<(d0) -> (d0, d0)>} : index, index, memref<4x64xf16>
// expected-error SPY101: expected ', start_addr ='
%p = arith.constant 0 : index %0 = dataflow.get_paged_logical_memory_view %u, %i {layout_map = #lay} {segments = page0: (idx_set = #b, start_address = %p)} : index, index, memref<4x64xf16>
// expected-error SPY101: expected 'page0: (idx_set ='
%p = arith.constant 0 : index %0 = dataflow.get_paged_logical_memory_view %u, %i {layout_map = #lay} {segments = page1: (idx_set = #b, start_addr = %p)} : index, index, memref<4x64xf16>
// expected-error SPY127: a page address must be an arith.constant
%0 = dataflow.get_paged_logical_memory_view %u, %i {layout_map = #lay} {segments = page0: (idx_set = #b, start_addr = %i)} : index, index, memref<4x64xf16>
// expected-error SPY127: the index set of a page must be a hyper-rectangle, not affine_set<(d0, d1) : (d0 - d1 >= 0, d1 >= 0, -d0 + 63 >= 0)>
%p = arith.constant 0 : index %0 = dataflow.get_paged_logical_memory_view %u, %i {layout_map = #lay} {segments = page0: (idx_set = #tri, start_addr = %p)} : index, index, memref<4x64xf16>
// expected-error SPY127: 2 index sets for 1 page addresses
%p = arith.constant 0 : index %0 = "dataflow.get_paged_logical_memory_view"(%u, %i, %p) <{idx_sets = [#b, #b], layout_map = #lay}> : (index, index, index) -> memref<4x64xf16>
// expected-error SPY127: an entry of idx_sets must be an integer set, not '1'
%p = arith.constant 0 : index %0 = "dataflow.get_paged_logical_memory_view"(%u, %i, %p) <{idx_sets = [1], layout_map = #lay}> : (index, index, index) -> memref<4x64xf16>
// accepted
%0 = dataflow.get_paged_logical_memory_view %u, %i {layout_map = #lay} {segments = } : index, index, memref<4x64xf16>
// expected-error SPY121: operand 'value' of 'dataflow.send' must be a vector or custom vector, not 'tensor<64xf16>'
dataflow.send %u, %t : tensor<64xf16>
// expected-error SPY106: use of value '%v' expects different type than prior uses: 'index' vs 'vector<64xf16>'
dataflow.send %u, %v : index, vector<64xf16>
// expected-error SPY109: '#dataflow<direction Up>' is not a legal attribute of dialect 'dataflow'
dataflow.send %u, %v {dir = #dataflow<direction Up>} : vector<64xf16>
// expected-error SPY123: attribute 'dir' of 'dataflow.send' must be #dataflow<direction …> with one of PseudoRandom, CounterClockwise, Clockwise, BothWays, not '#agen<direction Clockwise>'
dataflow.send %u, %v {dir = #agen<direction Clockwise>} : vector<64xf16>
// expected-error SPY109: '#dataflow.direction<Clockwise>' is not a legal attribute of dialect 'dataflow'
dataflow.send %u, %v {dir = #dataflow.direction<Clockwise>} : vector<64xf16>
// expected-error SPY121: result 'value' of 'dataflow.receive' must be a vector or custom vector, not 'f16'
%0 = dataflow.receive %u : f16
// expected-error SPY122: 'dataflow.opaque' needs the attribute 'parameter_dictionary'
dataflow.opaque {func_name = "f"}
// expected-error SPY122: 'dataflow.opaque' needs the attribute 'func_name'
dataflow.opaque {parameter_dictionary = {}, read_only_register_dictionary = {}, read_write_register_dictionary = {}}
// ----- types
#b = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 63 >= 0)>
#tri = affine_set<(d0, d1) : (d0 - d1 >= 0, d1 >= 0, -d0 + 63 >= 0)>
#lay = affine_map<(d0, d1) -> (d0 * 64 + d1)>
func.func private @f(CASE)
// expected-error SPY109: '!dataflow.custom<mxfp16>' is not a legal type of dialect 'dataflow'
!dataflow.custom<mxfp16>
// expected-error SPY109: '!dataflow.custom<mxint8>' is not a legal type of dialect 'dataflow'
!dataflow.custom<mxint8>
// expected-error SPY109: '!dataflow.custom_vector<?xf16>' is not a legal type of dialect 'dataflow'
!dataflow.custom_vector<?xf16>
// expected-error SPY109: '!dataflow.custom_vector<4x4xf16>' is not a legal type of dialect 'dataflow'
!dataflow.custom_vector<4x4xf16>
// expected-error SPY109: '!dataflow.custom_vector<-1xf16>' is not a legal type of dialect 'dataflow'
!dataflow.custom_vector<-1xf16>
// expected-error SPY109: '!dataflow.mxfp' is not a legal type of dialect 'dataflow'
!dataflow.mxfp
// accepted
!dataflow.mxint<8>
// expected-error SPY109: 'vector<…x!dataflow.custom<mxfp4>>' is not a legal type of dialect 'dataflow'
vector<4x!dataflow.custom<mxfp4>>
// accepted
memref<4x!dataflow.custom<mxfp4>>
// ----- others
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
  CASE
  return
}
// expected-error SPY121: result 'units' of 'dataflow.get_unit' must be index, not 'i32'
%0 = dataflow.get_unit {name = "a", type = "b"} : i32
// expected-error SPY101: the block's arguments are written before the brace here
dataflow.program_unit iter_arg : %z -> (%u) : { ^bb0(%y: index): }
// expected-error SPY124: 'dataflow.program_unit' has 0 regions instead of 1
"dataflow.program_unit"(%u) : (index) -> ()
// expected-error SPY127: the unit's handle must be index, not f16
"dataflow.program_unit"(%u) ({ ^bb0(%y: f16): "dataflow.return"() : () -> () }) : (index) -> ()
// expected-error SPY127: the index set of a page must be a hyper-rectangle, not affine_set<(d0, d1) : (d0 + d1 >= 0, -d0 + 3 >= 0)>
%0 = dataflow.get_paged_logical_memory_view %u, %i {layout_map = #id2} {segments = page0: (idx_set = #bent, start_addr = %c0)} : index, index, memref<8x32xf16>
// ----- types inside types
func.func private @f(CASE)
// expected-error SPY109: '!dataflow.custom_vector<4xfoo>' is not a legal type of dialect 'dataflow'
!dataflow.custom_vector<4xfoo>
// accepted
!dataflow.custom_vector<4x!dataflow.custom<mxfp4>>
