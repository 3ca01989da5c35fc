// ----- ops
func.func @f(%i: index) {
  %a = dataflow.get_unit {name = "a", type = "s"} : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = symbol.create_symbol {SymbolId = -1 : i64} : index
  CASE
  return
}
// accepted
%0 = symbol.create_symbol {SymbolId = "x"} : index
// expected-error SPY121: result 'symbol' of 'symbol.create_symbol' must be index, not 'i32'
%0 = symbol.create_symbol {SymbolId = -1 : i64} : i32
// expected-error SPY123: attribute 'symbol_id' of 'symbol.create_id' must be an si64 integer (written -3 : si64), not '-1 : i64'
symbol.create_id %i {symbol_id = -1} : index
// expected-error SPY123: attribute 'symbol_id' of 'symbol.create_id' must be an si64 integer (written -3 : si64), not '-1 : si32'
symbol.create_id %i {symbol_id = -1 : si32} : index
// expected-error SPY122: 'symbol.create_id' needs the attribute 'symbol_id'
symbol.create_id %i : index
// expected-error SPY101: expected ':'
symbol.create_id %i {symbol_id = -1 : si64}
// expected-error SPY106: integer constant out of range for attribute
symbol.create_id %i {symbol_id = 9223372036854775808 : si64} : index
// expected-error SPY127: keys must be constants
%0 = symbol.symbol_immutable_mapping ([%i -> %s]) : index
// expected-error SPY127: keys must be constants
%0 = symbol.symbol_immutable_mapping ([%a -> %s]) : index
// expected-error SPY127: values must come from symbol.create_symbol
%0 = symbol.symbol_immutable_mapping ([%c0 -> %c1]) : index
// expected-error SPY127: values must come from symbol.create_symbol
%0 = symbol.symbol_immutable_mapping ([%c0 -> %i]) : index
// expected-error SPY101: expected '['
%0 = symbol.symbol_immutable_mapping ([%c0 -> %s],) : index
// expected-error SPY127: a block argument as key must belong to a loop
%m = symbol.symbol_immutable_mapping ([%c0 -> %s]) : index %0 = symbol.query_map(map:%m, key:%i) : index
// expected-error SPY127: a block argument as key must belong to a loop
%m = symbol.symbol_immutable_mapping ([%c0 -> %s]) : index dataflow.program_unit iter_arg : %u -> (%a) : { %0 = symbol.query_map(map:%m, key:%u) : index }
// expected-error SPY127: the map must come from symbol.symbol_immutable_mapping
%0 = symbol.query_map(map:%i, key:%c0) : index
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
// expected-error SPY120: 'symbol.symbol_immutable_mapping' has the wrong number of operands: 3 operands do not fit (keys…, values…)
%0 = "symbol.symbol_immutable_mapping"(%c0, %s, %s) : (index, index, index) -> index
