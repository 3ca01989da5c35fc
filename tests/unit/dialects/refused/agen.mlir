// ----- plain vector ops
#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#line = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 63 >= 0)>
#one = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#t = affine_set<(d0) : (d0 == 0)>
#off = affine_map<(d0) -> (d0, 0)>
#z2 = affine_map<() -> (0, 0)>
func.func @f(%u: index, %i: index, %m: memref<4x64xf16>, %o: memref<64xf16>, %v: vector<64xf16>, %t: tensor<64xf16>, %x: memref<8xindex>, %f: f16) {
  CASE
  return
}
// expected-error SPY122: 'agen.vector_load' needs the attribute 'load_order'
%0 = agen.vector_load %m[%i, 0] {load_set = #line} : memref<4x64xf16>, vector<64xf16>
// expected-error SPY121: result 'value' of 'agen.vector_load' must be a vector or custom vector, not 'tensor<64xf16>'
%0 = agen.vector_load %m[%i, 0] {load_order = #id2, load_set = #line} : memref<4x64xf16>, tensor<64xf16>
// expected-error SPY101: expected ':'
%0 = agen.vector_load %m[%i, 0], multicast_info = %u {load_order = #id2, load_set = #line} : memref<4x64xf16>, vector<64xf16>
// expected-error SPY127: 'affine_map' takes 2 inputs but gets 1 operands
"agen.vector_load"(%m, %i) <{affine_map = #id2, load_order = #id2, load_set = #line, operandSegmentSizes = array<i32: 1, 1, 0>}> : (memref<4x64xf16>, index) -> vector<64xf16>
// accepted
%0 = agen.vector_load %m[%i] {load_order = #id, load_set = #line} : memref<4x64xf16>, vector<3xf32>
// expected-error SPY121: operand 'value' of 'agen.vector_store' must be a vector or custom vector, not 'tensor<64xf16>'
agen.vector_store %t, %m[%i, 0] {store_order = #id2, store_set = #line} : memref<4x64xf16>, tensor<64xf16>
// expected-error SPY106: use of value '%v' expects different type than prior uses: 'memref<4x64xf16>' vs 'vector<64xf16>'
agen.vector_store %v, %m[%i, 0] {store_order = #id2, store_set = #line} : vector<64xf16>, memref<4x64xf16>
// expected-error SPY101: results of '%p' stand twice in one subscript list, which no public tool reads: give each result a name (%a, %b = …)
%p:2 = dataflow.get_unit {name = "x", type = "y"} : index, index %0 = agen.vector_load %m[%p#0, %p#1] {load_order = #id2, load_set = #line} : memref<4x64xf16>, vector<64xf16>
// ----- composite ops
// expected-error SPY127: load_set has 1 dims but 'src_map' gives 2
agen.composite_load_and_store src:%m[%i, 0] dst:%m[%i, 0] time_symbols(), load_iv(%w:vector<64xf16>) {load_order = #id, load_set = #one, store_order = #id2, store_set = #line, time_order = #id, time_set = #t, load_time_addr_map = #off, store_time_addr_map = #off} { agen.yield } : memref<4x64xf16>, memref<4x64xf16>
// expected-error SPY127: load_set has 2 dims, load_order 1
agen.composite_load_and_store src:%m[%i, 0] dst:%m[%i, 0] time_symbols(), load_iv(%w:vector<64xf16>) {load_order = #id, load_set = #line, store_order = #id2, store_set = #line, time_order = #id, time_set = #t, load_time_addr_map = #off, store_time_addr_map = #off} { agen.yield } : memref<4x64xf16>, memref<4x64xf16>
// expected-error SPY122: 'agen.composite_load_and_store' needs the attribute 'load_time_addr_map'
agen.composite_load_and_store src:%m[%i, 0] dst:%m[%i, 0] time_symbols(), load_iv(%w:vector<64xf16>) {load_order = #id2, load_set = #line, store_order = #id2, store_set = #line, time_order = #id, time_set = #t} { agen.yield } : memref<4x64xf16>, memref<4x64xf16>
// expected-error SPY121: block argument of 'agen.composite_load_and_store' must be a vector or custom vector, not 'f16'
agen.composite_load_and_store src:%m[%i, 0] dst:%m[%i, 0] time_symbols(%i), load_iv(%w:f16) {load_order = #id2, load_set = #line, store_order = #id2, store_set = #line, time_order = #id2, time_set = #t, load_time_addr_map = #off, store_time_addr_map = #off} { agen.yield %f : f16 } : memref<4x64xf16>, memref<4x64xf16>
// expected-error SPY123: attribute 'dir' of 'agen.composite_load_and_store' must be #agen<direction …> with one of PseudoRandom, CounterClockwise, Clockwise, BothWays, not '#dataflow<direction Clockwise>'
agen.composite_load_and_store src:%m[%i, 0] dst:%m[%i, 0] time_symbols(), load_iv(%w:vector<64xf16>) {dir = #dataflow<direction Clockwise>, load_order = #id2, load_set = #line, store_order = #id2, store_set = #line, time_order = #id, time_set = #t, load_time_addr_map = #off, store_time_addr_map = #off} { agen.yield } : memref<4x64xf16>, memref<4x64xf16>
// expected-error SPY125: the body of 'agen.composite_load_and_store' must end with 'agen.yield'
agen.composite_load_and_store src:%m[%i, 0] dst:%m[%i, 0] time_symbols(), load_iv(%w:vector<64xf16>) {load_order = #id2, load_set = #line, store_order = #id2, store_set = #line, time_order = #id, time_set = #t, load_time_addr_map = #off, store_time_addr_map = #off} { } : memref<4x64xf16>, memref<4x64xf16>
// expected-error SPY101: expected ':'
agen.composite_load_and_store src:%m[%i, 0] dst:%m[%i, 0] time_symbols(), load_iv(%w) {load_order = #id2, load_set = #line, store_order = #id2, store_set = #line, time_order = #id, time_set = #t, load_time_addr_map = #off, store_time_addr_map = #off} { agen.yield } : memref<4x64xf16>, memref<4x64xf16>
// expected-error SPY101: expected '{'
agen.composite_load_and_store src:%m[%i, 0] dst:%m[%i, 0] time_symbols(), load_iv(%w:vector<64xf16>) { agen.yield } : memref<4x64xf16>, memref<4x64xf16>
// expected-error SPY127: 'src_map' takes 2 inputs but gets 0 operands
"agen.composite_load_and_store"(%m, %m) <{dst_map = #id2, load_order = #id2, load_set = #line, load_time_addr_map = #off, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0>, src_map = #id2, store_order = #id2, store_set = #line, store_time_addr_map = #off, time_order = #id, time_set = #t}> ({ ^bb0(%w: vector<64xf16>): "agen.yield"() : () -> () }) : (memref<4x64xf16>, memref<4x64xf16>) -> ()
// expected-error SPY124: 'agen.composite_load_and_store' needs 1 block arguments, not 0
"agen.composite_load_and_store"(%m, %m) <{dst_map = #z2, load_order = #id2, load_set = #line, load_time_addr_map = #off, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0>, src_map = #z2, store_order = #id2, store_set = #line, store_time_addr_map = #off, time_order = #id, time_set = #t}> ({ "agen.yield"() : () -> () }) : (memref<4x64xf16>, memref<4x64xf16>) -> ()
// expected-error SPY127: load_set has 1 dims but 'affine_map' gives 2
agen.composite_load %m[%i, 0] time_symbols()(%w:vector<64xf16>) {load_order = #id, load_set = #one, time_addr_map = #off, time_order = #id, time_set = #t} { agen.yield } : memref<4x64xf16>
// expected-error SPY127: load_set has 2 dims, load_order 1
agen.composite_load %m[%i, 0] time_symbols()(%w:vector<64xf16>) {load_order = #id, load_set = #line, time_addr_map = #off, time_order = #id, time_set = #t} { agen.yield } : memref<4x64xf16>
// expected-error SPY101: expected ')('
agen.composite_load %m[%i, 0] time_symbols(), load_iv(%w:vector<64xf16>) {load_order = #id2, load_set = #line, time_addr_map = #off, time_order = #id, time_set = #t} { agen.yield } : memref<4x64xf16>
// expected-error SPY127: store_set has 1 dims but 'affine_map' gives 2
agen.composite_store %m[%i, 0] time_symbols() {store_order = #id, store_set = #one, time_addr_map = #off, time_order = #id, time_set = #t} { agen.yield } : memref<4x64xf16>
// expected-error SPY127: store_set and store_order, or an input vector, are needed
agen.composite_store %m[%i, 0] time_symbols() {time_addr_map = #off, time_order = #id, time_set = #t} { agen.yield } : memref<4x64xf16>
// expected-error SPY101: an input vector has no custom form: write the op in generic form
agen.composite_store %m[%i, 0] input_vector=%v time_symbols() {time_addr_map = #off, time_order = #id, time_set = #t} : memref<4x64xf16> , vector<64xf16>
// expected-error SPY127: an input vector excludes store_order
"agen.composite_store"(%m, %v) <{affine_map = #z2, operandSegmentSizes = array<i32: 1, 0, 1, 0>, store_order = #id2, time_addr_map = #off, time_order = #id, time_set = #t}> ({ "agen.yield"() : () -> () }) : (memref<4x64xf16>, vector<64xf16>) -> ()
// accepted
"agen.composite_store"(%m, %v) <{affine_map = #z2, operandSegmentSizes = array<i32: 1, 0, 1, 0>, time_addr_map = #off, time_order = #id, time_set = #t}> ({ }) : (memref<4x64xf16>, vector<64xf16>) -> ()
// ----- indirect ops (parser checks only)
// expected-error SPY122: 'agen.composite_indirect_load_and_store' needs the attribute 'load_set'
agen.composite_indirect_load_and_store direct_src:%m[%i, 0] direct_dst:%m[%i, 0] time_symbols(), load_iv(%w:vector<64xf16>) {load_order = #id2, store_order = #id2, store_set = #line, time_order = #id, time_set = #t, load_direct_time_addr_map = #off, store_direct_time_addr_map = #off} { agen.yield } : memref<4x64xf16>, memref<4x64xf16>
// expected-error SPY127: load_set has 2 dims, load_order 1
agen.composite_indirect_load_and_store direct_src:%m[%i, 0] direct_dst:%m[%i, 0] time_symbols(), load_iv(%w:vector<64xf16>) {load_order = #id, load_set = #line, store_order = #id2, store_set = #line, time_order = #id, time_set = #t, load_direct_time_addr_map = #off, store_direct_time_addr_map = #off} { agen.yield } : memref<4x64xf16>, memref<4x64xf16>
// expected-error SPY101: expected 'direct_dst:'
agen.composite_indirect_load_and_store direct_src:%m[%i, 0] time_symbols(), load_iv(%w:vector<64xf16>) {load_order = #id2, load_set = #line, store_order = #id2, store_set = #line, time_order = #id, time_set = #t, load_direct_time_addr_map = #off, store_direct_time_addr_map = #off} { agen.yield } : memref<4x64xf16>
// accepted
agen.composite_indirect_load_and_store indirect_src:%x[%i] direct_src:%m[%i, 0] direct_dst:%m[%i, 0] time_symbols(), load_iv(%w:vector<64xf16>) {load_order = #id2, load_set = #line, store_order = #id2, store_set = #line, time_order = #id, time_set = #t, load_direct_time_addr_map = #off, store_direct_time_addr_map = #off} { agen.yield } : memref<8xindex>, memref<4x64xf16>, memref<4x64xf16>
// expected-error SPY127: load_set has 1 dims but 'direct_map' gives 2
agen.composite_indirect_load indirect:%x[%i] direct:%m[0, 0] time_symbols(), load_iv(%w:vector<64xf16>) {load_order = #id, load_set = #one, time_addr_map = #off, time_order = #id, time_set = #t} { agen.yield } : memref<8xindex>, memref<4x64xf16>
// expected-error SPY123: attribute 'load_set' of 'agen.composite_indirect_load' must be an integer set, not 'affine_map<(d0, d1) -> (d0, d1)>'
agen.composite_indirect_load indirect:%x[%i] direct:%m[0, 0] time_symbols(), load_iv(%w:vector<64xf16>) {load_order = #id2, load_set = #id2, time_addr_map = #off, time_order = #id, time_set = #t} { agen.yield } : memref<8xindex>, memref<4x64xf16>
// expected-error SPY127: load_set has 1 dims but 'direct_map' gives 2
"agen.composite_indirect_load"(%x, %m) <{direct_map = #z2, indirect_map = affine_map<() -> (0)>, load_order = #id, load_set = #one, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0>, time_addr_map = #off, time_order = #id, time_set = #t}> ({ ^bb0(%w: vector<64xf16>): "agen.yield"() : () -> () }) : (memref<8xindex>, memref<4x64xf16>) -> ()
// expected-error SPY122: 'agen.composite_indirect_store' needs the attribute 'store_order'
agen.composite_indirect_store indirect:%x[%i] direct:%m[0, 0] time_symbols() {store_set = #line, time_addr_map = #off, time_order = #id, time_set = #t} { agen.yield } : memref<8xindex>, memref<4x64xf16>
// expected-error SPY127: load_set has 2 dims, load_order 1
%0 = agen.indirect_vector_load indirect:%x[%i] direct:%m[0, 0] {load_order = #id, load_set = #line} : memref<8xindex>, memref<4x64xf16>, vector<64xf16>
// expected-error SPY101: expected 'indirect:'
agen.indirect_vector_store %v, indirect:%x[%i] direct:%m[0, 0] {store_order = #id2, store_set = #line} : vector<64xf16>, memref<8xindex>, memref<4x64xf16>
// expected-error SPY121: operand 'value' of 'agen.indirect_vector_store' must be a vector or custom vector, not 'f16'
agen.indirect_vector_store %f indirect:%x[%i] direct:%m[0, 0] {store_order = #id2, store_set = #line} : f16, memref<8xindex>, memref<4x64xf16>
// ----- symbolic ops
// expected-error SPY127: the memref must come from dataflow.get_logical_memory_view
%0 = agen.symbolic_vector_load %o[indices:(%i), strides:(%i)] {load_order = #id, load_set = #one} : memref<64xf16>, vector<64xf16>
// expected-error SPY127: the memref must come from dataflow.get_logical_memory_view
%0 = agen.symbolic_vector_load %m[indices:(%i), strides:(%i)] {load_order = #id, load_set = #one} : memref<4x64xf16>, vector<64xf16>
// expected-error SPY127: the layout of the view must be the identity
%w = dataflow.get_logical_memory_view %u, %i {layout_map = affine_map<(d0) -> (d0 * 2)>} : index, index, memref<64xf16> %0 = agen.symbolic_vector_load %w[indices:(%i), strides:(%i)] {load_order = #id, load_set = #one} : memref<64xf16>, vector<64xf16>
// expected-error SPY127: the vector must have one dim, not vector<8x8xf16>
%w = dataflow.get_logical_memory_view %u, %i {layout_map = #id} : index, index, memref<64xf16> %0 = agen.symbolic_vector_load %w[indices:(%i), strides:(%i)] {load_order = #id, load_set = #one} : memref<64xf16>, vector<8x8xf16>
// expected-error SPY127: memref<64xf16> and vector<64xf32> have different element types
%w = dataflow.get_logical_memory_view %u, %i {layout_map = #id} : index, index, memref<64xf16> %0 = agen.symbolic_vector_load %w[indices:(%i), strides:(%i)] {load_order = #id, load_set = #one} : memref<64xf16>, vector<64xf32>
// expected-error SPY127: 2 indices and 1 strides: as many, and at least one
%w = dataflow.get_logical_memory_view %u, %i {layout_map = #id} : index, index, memref<64xf16> %0 = agen.symbolic_vector_load %w[indices:(%i, %i), strides:(%i)] {load_order = #id, load_set = #one} : memref<64xf16>, vector<64xf16>
// expected-error SPY127: 0 indices and 0 strides: as many, and at least one
%w = dataflow.get_logical_memory_view %u, %i {layout_map = #id} : index, index, memref<64xf16> %0 = agen.symbolic_vector_load %w[indices:(), strides:()] {load_order = #id, load_set = #one} : memref<64xf16>, vector<64xf16>
// expected-error SPY121: operand 'value' of 'agen.symbolic_vector_store' must be a vector or custom vector, not 'f16'
%w = dataflow.get_logical_memory_view %u, %i {layout_map = #id} : index, index, memref<64xf16> agen.symbolic_vector_store %f, %w[indices:(%i), strides:(%i)] {store_order = #id, store_set = #one} : memref<64xf16>, f16
// expected-error SPY101: expected ':'
%w = dataflow.get_logical_memory_view %u, %i {layout_map = #id} : index, index, memref<64xf16> agen.symbolic_vector_store %v, %w[indices:(%i), strides:(%i)], multicast_info(%u) {store_order = #id, store_set = #one} : memref<64xf16>, vector<64xf16>
// ----- interleave, mask, direction
// expected-error SPY101: expected '{'
agen.composite_memory_interleave { agen.yield }
// expected-error SPY123: attribute 'granularity' of 'agen.composite_memory_interleave' must be an i32, not '64 : i64'
agen.composite_memory_interleave {granularity = 64} { }
// accepted
agen.composite_memory_interleave {} { %q = arith.constant 1 : index }
// expected-error SPY101: expected 'mask_value('
%0 = agen.set_transfer_mask_state mask_unit(%u) mask_value(%i) {num_slices = 8 : i32, slice_mask_map = "(0)"} : index, index, vector<64xf16>
// expected-error SPY122: 'agen.set_transfer_mask_state' needs the attribute 'slice_mask_map'
%0 = agen.set_transfer_mask_state mask_value(%i) {num_slices = 8 : i32} : index, vector<64xf16>
// expected-error SPY127: 'num_masked_elements' without the other list
%0 = agen.set_transfer_mask_state mask_value(%i) {num_slices = 8 : i32, slice_mask_map = "(0)", num_masked_elements = [1 : i32]} : index, vector<64xf16>
// expected-error SPY127: the two lists of mask elements differ in length
%0 = agen.set_transfer_mask_state mask_value(%i) {num_slices = 8 : i32, slice_mask_map = "(0)", num_unmasked_elements = [1 : i32], num_masked_elements = [1 : i32, 2 : i32]} : index, vector<64xf16>
// expected-error SPY101: maskA must be "(unmasked = N, masked = N)"
%0 = agen.set_transfer_mask_state mask_value(%i) {num_slices = 8 : i32, slice_mask_map = "(A)", maskA = 3} : index, vector<64xf16>
// expected-error SPY101: masks must be named maskA, maskB, … without a gap
%0 = agen.set_transfer_mask_state mask_value(%i) {num_slices = 8 : i32, slice_mask_map = "(A)", maskB = "(unmasked = 1, masked = 2)"} : index, vector<64xf16>
// expected-error SPY101: maskA must be "(unmasked = N, masked = N)"
%0 = agen.set_transfer_mask_state mask_value(%i) {num_slices = 8 : i32, slice_mask_map = "(A)", maskA = "(unmasked = x, masked = 2)"} : index, vector<64xf16>
// accepted
%0 = agen.set_transfer_mask_state mask_value(%i) {num_slices = 8 : i32, slice_mask_map = "(Z)(9)"} : index, vector<64xf16>
// ----- interleave, mask, direction
#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#line = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 63 >= 0)>
#one = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#t = affine_set<(d0) : (d0 == 0)>
#off = affine_map<(d0) -> (d0, 0)>
#z2 = affine_map<() -> (0, 0)>
func.func private @f() attributes {a = CASE}
// expected-error SPY109: '#agen.direction<Clockwise>' is not a legal attribute of dialect 'agen'
#agen.direction<Clockwise>
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
// expected-error SPY101: expected a value (%name), a number or brackets
%0 = agen.vector_load %m[%i, ] {load_order = #id2, load_set = #line} : memref<8x32xf16>, vector<32xf16>
// expected-error SPY101: '[' is never closed
%0 = agen.vector_load %m[%i, 0 {load_order = #id2, load_set = #line} : memref<8x32xf16>, vector<32xf16>
// expected-error SPY127: 'affine_map' takes 2 inputs but gets 1 operands
"agen.vector_store"(%v, %m, %i) {affine_map = #id2, store_order = #id2, store_set = #line} : (vector<32xf16>, memref<8x32xf16>, index) -> ()
// expected-error SPY120: 'agen.vector_load' has the wrong number of operands: 2 operands do not fit (mem_ref, map_operands…, multicast_info?)
%0 = "agen.vector_load"(%m, %i) {affine_map = #row, load_order = #id2, load_set = #line} : (memref<8x32xf16>, index) -> vector<32xf16>
// expected-error SPY127: store_set has 2 dims, store_order 1
agen.composite_load_and_store src:%m[%i, 0] dst:%m[%j, 0] time_symbols(), load_iv(%z:vector<32xf16>) {load_order = #id2, load_set = #line, store_order = #id, store_set = #line, time_order = #id, time_set = #once, load_time_addr_map = #row, store_time_addr_map = #row} { agen.yield } : memref<8x32xf16>, memref<8x32xf16>
// expected-error SPY127: time_set has 1 dims, time_order 2
agen.composite_load_and_store src:%m[%i, 0] dst:%m[%j, 0] time_symbols(), load_iv(%z:vector<32xf16>) {load_order = #id2, load_set = #line, store_order = #id2, store_set = #line, time_order = #id2, time_set = #once, load_time_addr_map = #row, store_time_addr_map = #row} { agen.yield } : memref<8x32xf16>, memref<8x32xf16>
// expected-error SPY127: time_set has 0 symbols but time_symbols binds 1
agen.composite_load_and_store src:%m[%i, 0] dst:%m[%j, 0] time_symbols(%i), load_iv(%z:vector<32xf16>) {load_order = #id2, load_set = #line, store_order = #id2, store_set = #line, time_order = #id, time_set = #once, load_time_addr_map = #row, store_time_addr_map = #row} { agen.yield } : memref<8x32xf16>, memref<8x32xf16>
// expected-error SPY129: 'agen.yield' cannot stand in the body of 'func.func'
agen.yield
// ----- each rule on the other side too
#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#line = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 63 >= 0)>
#one = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#t = affine_set<(d0) : (d0 == 0)>
#off = affine_map<(d0) -> (d0, 0)>
#z2 = affine_map<() -> (0, 0)>
func.func @f(%i: index, %j: index, %n: i32, %m: memref<4x64xf16>, %o: memref<64xf16>, %v: vector<64xf16>, %t: tensor<64xf16>, %x: memref<8xindex>, %f: f16, %k: vector<64xi1>, %cv: !dataflow.custom_vector<64xf16>, %vf: vector<64xf32>) {
  %u = dataflow.get_unit {name = "a", type = "s"} : index
  %w = dataflow.get_unit {name = "b", type = "s"} : index
  %c0 = arith.constant 0 : index
  %lv = dataflow.get_logical_memory_view %u, %c0 {layout_map = #id} : index, index, memref<64xf16>
  CASE
  return
}
// expected-error SPY123: attribute 'load_set' of 'agen.vector_load' must be an integer set, not 'affine_map<(d0, d1) -> (d0, d1)>'
%0 = agen.vector_load %m[%i, 0] {load_order = #id2, load_set = #id2} : memref<4x64xf16>, vector<64xf16>
// expected-error SPY121: operand 'mem_ref' of 'agen.vector_load' must be a ranked memref, not 'tensor<64xf16>'
%0 = agen.vector_load %t[%i] {load_order = #id, load_set = #one} : tensor<64xf16>, vector<64xf16>
// accepted
%0 = agen.vector_load %m[%i, 0] multicast_info = %u {load_order = #id2, load_set = #line, dbgName = "x"} : memref<4x64xf16>, vector<64xf16>
// expected-error SPY127: 'agen.vector_store': 'affine_map' takes 2 inputs but gets 1 operands
"agen.vector_store"(%v, %m, %i) <{affine_map = #id2, store_order = #id2, store_set = #line}> : (vector<64xf16>, memref<4x64xf16>, index) -> ()
// expected-error SPY122: 'agen.vector_store' needs the attribute 'store_order'
agen.vector_store %v, %m[%i, 0] {store_set = #line} : memref<4x64xf16>, vector<64xf16>
// expected-error SPY122: 'agen.vector_store' needs the attribute 'store_set'
agen.vector_store %v, %m[%i, 0] {store_order = #id2} : memref<4x64xf16>, vector<64xf16>
// expected-error SPY127: 'agen.composite_load_and_store': store_set has 1 dims but 'dst_map' gives 2
agen.composite_load_and_store src:%m[%i, 0] dst:%m[%i, 0] time_symbols(), load_iv(%q:vector<64xf16>) {load_order = #id2, load_set = #line, store_order = #id2, store_set = #one, time_order = #id, time_set = #t, load_time_addr_map = #off, store_time_addr_map = #off} { agen.yield } : memref<4x64xf16>, memref<4x64xf16>
// expected-error SPY127: 'agen.composite_load_and_store': store_set has 2 dims, store_order 1
agen.composite_load_and_store src:%m[%i, 0] dst:%m[%i, 0] time_symbols(), load_iv(%q:vector<64xf16>) {load_order = #id2, load_set = #line, store_order = #id, store_set = #line, time_order = #id, time_set = #t, load_time_addr_map = #off, store_time_addr_map = #off} { agen.yield } : memref<4x64xf16>, memref<4x64xf16>
// expected-error SPY122: 'agen.composite_load' needs the attribute 'time_set'
agen.composite_load %m[%i, 0] time_symbols()(%q:vector<64xf16>) {load_order = #id2, load_set = #line, time_addr_map = #off, time_order = #id} { agen.yield } : memref<4x64xf16>
// expected-error SPY127: 'agen.composite_store': store_set has 2 dims, store_order 1
agen.composite_store %m[%i, 0] time_symbols() {store_order = #id, store_set = #line, time_addr_map = #off, time_order = #id, time_set = #t} { agen.yield } : memref<4x64xf16>
// expected-error SPY127: 'agen.composite_store': store_set and store_order, or an input vector, are needed
agen.composite_store %m[%i, 0] time_symbols() {store_set = #line, time_addr_map = #off, time_order = #id, time_set = #t} { agen.yield } : memref<4x64xf16>
// accepted
agen.composite_store %m[%i, 0] time_symbols() {store_order = #id2, store_set = #line, time_addr_map = #off, time_order = #id, time_set = #t} : memref<4x64xf16>
// expected-error SPY127: 'agen.composite_store': an input vector excludes store_set and store_order
"agen.composite_store"(%m, %v) <{affine_map = #z2, operandSegmentSizes = array<i32: 1, 0, 1, 0>, store_order = #id2, store_set = #line, time_addr_map = #off, time_order = #id, time_set = #t}> ({ }) : (memref<4x64xf16>, vector<64xf16>) -> ()
// expected-error SPY122: 'agen.composite_indirect_load' needs the attribute 'time_addr_map'
agen.composite_indirect_load indirect:%x[%i] direct:%m[0, 0] time_symbols(), load_iv(%q:vector<64xf16>) {load_order = #id2, load_set = #line, time_order = #id, time_set = #t} { agen.yield } : memref<8xindex>, memref<4x64xf16>
// expected-error SPY127: 'agen.composite_indirect_store': store_set has 2 dims, store_order 1
agen.composite_indirect_store indirect:%x[%i] direct:%m[0, 0] time_symbols() {store_order = #id, store_set = #line, time_addr_map = #off, time_order = #id, time_set = #t} { agen.yield } : memref<8xindex>, memref<4x64xf16>
// expected-error SPY127: 'agen.indirect_vector_store': store_set has 1 dims but 'direct_map' gives 2
agen.indirect_vector_store %v indirect:%x[%i] direct:%m[0, 0] {store_order = #id, store_set = #one} : vector<64xf16>, memref<8xindex>, memref<4x64xf16>
// expected-error SPY122: 'agen.indirect_vector_load' needs the attribute 'load_set'
%0 = agen.indirect_vector_load indirect:%x[%i] direct:%m[0, 0] {load_order = #id2} : memref<8xindex>, memref<4x64xf16>, vector<64xf16>
// expected-error SPY124: 'agen.composite_load' needs 1 block arguments, not 0
"agen.composite_load"(%m) <{affine_map = #z2, load_order = #id2, load_set = #line, operandSegmentSizes = array<i32: 1, 0, 0>, time_addr_map = #off, time_order = #id, time_set = #t}> ({ "agen.yield"() : () -> () }) : (memref<4x64xf16>) -> ()
// expected-error SPY127: 'agen.composite_load': 'affine_map' takes 0 inputs but gets 1 operands
"agen.composite_load"(%m, %i) <{affine_map = #z2, load_order = #id2, load_set = #line, operandSegmentSizes = array<i32: 1, 1, 0>, time_addr_map = #off, time_order = #id, time_set = #t}> ({ ^bb0(%q: vector<64xf16>): "agen.yield"() : () -> () }) : (memref<4x64xf16>, index) -> ()
// accepted
agen.symbolic_vector_store %v, %lv[indices:(%i), strides:(%i)] {store_order = #id, store_set = #one} : memref<64xf16>, vector<64xf16>
// expected-error SPY127: 'agen.symbolic_vector_store': memref<64xf16> and vector<64xf32> have different element types
agen.symbolic_vector_store %vf, %lv[indices:(%i), strides:(%i)] {store_order = #id, store_set = #one} : memref<64xf16>, vector<64xf32>
// expected-error SPY127: 'agen.symbolic_vector_store': 1 indices and 0 strides: as many, and at least one
agen.symbolic_vector_store %v, %lv[indices:(%i), strides:()] {store_order = #id, store_set = #one} : memref<64xf16>, vector<64xf16>
// expected-error SPY127: 'agen.symbolic_vector_store': 0 indices and 0 strides: as many, and at least one
agen.symbolic_vector_store %v, %lv[indices:(), strides:()] {store_order = #id, store_set = #one} : memref<64xf16>, vector<64xf16>
// expected-error SPY127: 'agen.symbolic_vector_store': the memref must come from dataflow.get_logical_memory_view
agen.symbolic_vector_store %v, %o[indices:(%i), strides:(%i)] {store_order = #id, store_set = #one} : memref<64xf16>, vector<64xf16>
// expected-error SPY120: 'agen.symbolic_vector_load' has the wrong number of operands: 3 operands do not fit (mem_ref, indices…, strides…, multicast_info?)
"agen.symbolic_vector_load"(%lv, %i, %i) <{load_order = #id, load_set = #one, num_indices = 2 : i32, num_strides = 1 : i32}> : (memref<64xf16>, index, index) -> vector<64xf16>
// expected-error SPY101: maskA must be "(unmasked = N, masked = N)"
%0 = agen.set_transfer_mask_state mask_value(%i) { num_slices = 8 : i32, slice_mask_map = "(A)", maskA = "(unmasked = x : i32, masked = 2 : i32)" } : index, vector<64xf16>
// expected-error SPY101: masks must be named maskA, maskB, … without a gap
%0 = agen.set_transfer_mask_state mask_value(%i) { num_slices = 8 : i32, slice_mask_map = "(B)", maskB = "(unmasked = 1 : i32, masked = 2 : i32)" } : index, vector<64xf16>
// expected-error SPY127: 'agen.set_transfer_mask_state': 'num_unmasked_elements' without the other list
%0 = "agen.set_transfer_mask_state"(%i) <{num_slices = 2 : i32, num_unmasked_elements = [6 : i32], slice_mask_map = "(A)"}> : (index) -> vector<64xf16>
// expected-error SPY127: 'agen.set_transfer_mask_state': the two lists of mask elements differ in length
%0 = "agen.set_transfer_mask_state"(%i) <{num_slices = 2 : i32, num_masked_elements = [6 : i32, 2 : i32], num_unmasked_elements = [6 : i32], slice_mask_map = "(A)"}> : (index) -> vector<64xf16>
