// ----- ops
#id = affine_map<(d0) -> (d0)>
#s = affine_set<(d0) : (d0 >= 0)>
func.func @f(%a: vector<64xf16>, %b: vector<32xf16>, %m: vector<64xi1>, %m2: vector<8x8xi1>, %mi: vector<64xi8>, %i: index, %n: i32, %c: !dataflow.custom_vector<64xf16>, %t: tensor<64xf16>, %f: f16) {
  CASE
  return
}
// expected-error SPY122: 'vectorchain.binary' needs the attribute 'op_specific_map'
%0 = vectorchain.binary %a, %a {binary_op = #vectorchain<binary_operator add>} : vector<64xf16>, vector<64xf16>, vector<64xf16>
// expected-error SPY109: '#vectorchain<binary_operator div>' is not a legal attribute of dialect 'vectorchain'
%0 = vectorchain.binary %a, %a {binary_op = #vectorchain<binary_operator div>, op_specific_map = #id} : vector<64xf16>, vector<64xf16>, vector<64xf16>
// expected-error SPY109: '#vectorchain.binary_operator<add>' is not a legal attribute of dialect 'vectorchain'
%0 = vectorchain.binary %a, %a {binary_op = #vectorchain.binary_operator<add>, op_specific_map = #id} : vector<64xf16>, vector<64xf16>, vector<64xf16>
// expected-error SPY121: operand 'lhs' of 'vectorchain.binary' must be a vector or custom vector, not 'tensor<64xf16>'
%0 = vectorchain.binary %t, %t {binary_op = #vectorchain<binary_operator add>, op_specific_map = #id} : tensor<64xf16>, tensor<64xf16>, tensor<64xf16>
// accepted
%0 = vectorchain.binary %a, %b[%m2 : vector<8x8xi1>] {binary_op = #vectorchain<binary_operator add>, op_specific_map = #id} : vector<64xf16>, vector<32xf16>, vector<7xi8>
// expected-error SPY122: 'vectorchain.multiply' needs the attribute 'reduction_map'
%0 = vectorchain.multiply %a, %a : vector<64xf16>, vector<64xf16>, vector<64xf16>
// expected-error SPY101: expected ','
%0 = vectorchain.multiply_and_accumulate %a, %a, %a {reduction_map = #id} : vector<64xf16>, vector<64xf16>, vector<64xf16>
// expected-error SPY121: operand 'mask' of 'vectorchain.element_wise_compare' must be a 1-D vector of i1, not 'vector<8x8xi1>'
%0 = vectorchain.element_wise_compare %a, %a [%m2 : vector<8x8xi1>] {compare_op = #vectorchain<element_wise_compare_operator compare_lt>} : vector<64xf16>, vector<64xf16>, vector<64xi1>
// expected-error SPY121: operand 'lhs' of 'vectorchain.element_wise_compare' must be a vector, not '!dataflow.custom_vector<64xf16>'
%0 = vectorchain.element_wise_compare %c, %c {compare_op = #vectorchain<element_wise_compare_operator compare_lt>} : !dataflow.custom_vector<64xf16>, !dataflow.custom_vector<64xf16>, vector<64xi1>
// expected-error SPY109: '#vectorchain<element_wise_compare_operator lt>' is not a legal attribute of dialect 'vectorchain'
%0 = vectorchain.element_wise_compare %a, %a {compare_op = #vectorchain<element_wise_compare_operator lt>} : vector<64xf16>, vector<64xf16>, vector<64xi1>
// expected-error SPY121: operand 'condition' of 'vectorchain.element_wise_selection' must be a vector, not '!dataflow.custom_vector<64xf16>'
%0 = vectorchain.element_wise_selection %c ? %a : %a : !dataflow.custom_vector<64xf16>, vector<64xf16>, vector<64xf16>, vector<64xf16>
// expected-error SPY123: attribute 'selection_map' of 'vectorchain.select' must be an affine map, not 'affine_set<(d0) : (d0 >= 0)>'
%0 = vectorchain.select %a {selection_map = #s} : vector<64xf16>, vector<4xf16>
// expected-error SPY121: result 'mask' of 'vectorchain.create_affine_mask' must be a 1-D vector of i1, not 'vector<8x8xi1>'
%0 = vectorchain.create_affine_mask {mask_set = #s} : vector<8x8xi1>
// expected-error SPY101: expected ':'
%0 = vectorchain.create_affine_mask (%i) {mask_set = #s} : vector<64xi1>
// expected-error SPY123: attribute 'repetition' of 'vectorchain.pack' must be an index integer, not '1 : i64'
%0 = vectorchain.pack %a, %a {indices = [0], repetition = 1} : vector<64xf16>, vector<64xf16>, vector<1xf16>
// accepted
%0 = vectorchain.pack %a, %a {indices = [900], repetition = 7 : index} : vector<64xf16>, vector<64xf16>, vector<2xf16>
// expected-error SPY127: vector<64xf16> and vector<32xf32> have different element counts
%0 = vectorchain.cast %a : vector<64xf16>, vector<32xf32>
// expected-error SPY127: 1 indices times 63 are not 64 lanes
%0 = vectorchain.shuffle input(%a) {indices = [0 : i32], repetition = 63 : i32} : vector<64xf16>, vector<64xf16>
// expected-error SPY127: vector<64xf16> and vector<64xf32> have different element types
%0 = vectorchain.shuffle input(%a) {indices = [0 : i32], repetition = 64 : i32} : vector<64xf16>, vector<64xf32>
// expected-error SPY127: index 64 is outside 0 to 63
%0 = vectorchain.shuffle input(%a) {indices = [64 : i32], repetition = 64 : i32} : vector<64xf16>, vector<64xf16>
// expected-error SPY127: index -2 is outside -1 to 63
%0 = vectorchain.shuffle input(%a), pad(%f) {indices = [-2 : i32], repetition = 64 : i32} : vector<64xf16>, f16, vector<64xf16>
// expected-error SPY127: index 0.000000e+00 is not an integer
%0 = vectorchain.shuffle input(%a) {indices = [0.0], repetition = 64 : i32} : vector<64xf16>, vector<64xf16>
// expected-error SPY123: attribute 'repetition' of 'vectorchain.shuffle' must be an i32, not '64 : i64'
%0 = vectorchain.shuffle input(%a) {indices = [0], repetition = 64} : vector<64xf16>, vector<64xf16>
// expected-error SPY121: operand 'pad' of 'vectorchain.shuffle' must be an integer, float or index, not 'vector<32xf16>'
%0 = vectorchain.shuffle input(%a), pad(%b) {indices = [0], repetition = 64 : i32} : vector<64xf16>, vector<32xf16>, vector<64xf16>
// expected-error SPY101: expected one of variable(…), pad(…), mask(…), each once
%0 = vectorchain.shuffle input(%a), pad(%f), pad(%f) {indices = [0], repetition = 64 : i32} : vector<64xf16>, f16, f16, vector<64xf16>
// expected-error SPY121: operand 'position' of 'vectorchain.rotate' must be index, not 'i32'
%0 = vectorchain.rotate %a, %n : vector<64xf16>, i32, vector<64xf16>
// expected-error SPY123: attribute 'gap' of 'vectorchain.scan_with_gap' must be an index integer, not '8 : i64'
%0 = vectorchain.scan_with_gap %a {eval_order = #vectorchain<eval_order left_to_right>, gap = 8, reduction_op = #vectorchain<binary_operator add>} : vector<64xf16>, vector<64xf16>
// expected-error SPY122: 'vectorchain.exp_estimate' needs the attribute 'version'
%0 = vectorchain.exp_estimate %a : vector<64xf16>, vector<64xf16>
// expected-error SPY123: attribute 'version' of 'vectorchain.exp_estimate' must be #vectorchain<exp_estimate …> with one of a, b, not '#vectorchain<estimate_versions slope>'
%0 = vectorchain.exp_estimate %a {version = #vectorchain<estimate_versions slope>} : vector<64xf16>, vector<64xf16>
// accepted
%0 = vectorchain.floor %a : vector<64xf16>, vector<3xi8>
// expected-error SPY127: 1 values for 2 lanes
%0 = vectorchain.constant_bitstream {value = [0]} : vector<2xf16>
// expected-error SPY127: value 65536 does not fit a lane of 16 bits
%0 = vectorchain.constant_bitstream {value = [0x10000]} : vector<1xf16>
// expected-error SPY127: value -1 does not fit a lane of 16 bits
%0 = vectorchain.constant_bitstream {value = [-1]} : vector<1xf16>
// expected-error SPY127: value -1 : i8 does not fit a lane of 8 bits
%0 = vectorchain.constant_bitstream {value = [255 : i8]} : vector<1xi8>
// expected-error SPY127: value 1 does not fit a lane of 64 bits
%0 = vectorchain.constant_bitstream {value = [1]} : vector<1xi64>
// expected-error SPY127: value 1.000000e+00 is not a signless integer
%0 = vectorchain.constant_bitstream {value = [1.0]} : vector<1xf16>
// expected-error SPY123: attribute 'value' of 'vectorchain.constant_bitstream' must be an array, not '0 : i64'
%0 = vectorchain.constant_bitstream {value = 0} : vector<1xf16>
// expected-error SPY127: value 255 : ui8 is not a signless integer
%0 = vectorchain.constant_bitstream {value = [255 : ui8]} : vector<1xi8>
// expected-error SPY127: the result must be a vector of integers or floats of a known width
%0 = vectorchain.constant_bitstream {value = [0]} : vector<1xindex>
// expected-error SPY123: attribute 'is_symbol' of 'vectorchain.constant_bitstream' must be a bool, not '1 : i64'
%0 = vectorchain.constant_bitstream {value = [0], is_symbol = 1} : vector<1xf16>
// accepted
%0 = vectorchain.constant_bitstream {value = [-1, 0], is_symbol = true} : vector<2xf16>
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
// expected-error SPY121: operand 'mask' of 'vectorchain.floor' must be a 1-D vector of i1, not 'vector<4x8xi1>'
%0 = vectorchain.floor %v[%b2 : vector<4x8xi1>] : vector<32xf16>, vector<32xf16>
// expected-error SPY127: index 5.000000e-01 is not an integer
%0 = vectorchain.shuffle input(%v) {indices = [0.5], repetition = 32 : i32} : vector<32xf16>, vector<32xf16>
// ----- known by name only
func.func @f(%a: vector<64xf16>, %i: index, %f: f16) {
  CASE
  return
}
// accepted
%0 = "vectorchain.select_dynamic"(%a, %i) {note} : (vector<64xf16>, index) -> vector<4xf16>
// expected-error SPY101: has no custom form
%0 = vectorchain.select_dynamic %a, %i : vector<64xf16>, index, vector<4xf16>
// expected-error SPY121: operand 'operands' of 'vectorchain.select_dynamic' must be
%0 = "vectorchain.select_dynamic"(%a, %f) : (vector<64xf16>, f16) -> vector<4xf16>
