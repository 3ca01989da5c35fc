// ----- mapping
func.func @f(%i: index, %j: index, %f: f16) {
  %a = dataflow.get_unit {name = "a", type = "s"} : index
  %b = dataflow.get_unit {name = "b", type = "s"} : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cf = arith.constant 1.0 : f16
  %s = symbol.create_symbol {SymbolId = -1 : i64} : index
  %g = dataflow.create_group (%a, %b : index, index) : index
  CASE
  return
}
// expected-error SPY127: where one key is a unit (dataflow.get_unit), all must be
%0 = uniform.def_immutable_mapping([%a -> %c0], [%c0 -> %c1]):index
// expected-error SPY127: where one key is a unit (dataflow.get_unit), all must be
%0 = uniform.def_immutable_mapping([%c0 -> %c0], [%a -> %c1]):index
// expected-error SPY127: values come from different operations: arith.constant, symbol.create_symbol
%0 = uniform.def_immutable_mapping([%a -> %c0], [%b -> %s]):index
// expected-error SPY127: values come from different operations: arith.constant, symbol.create_symbol
%0 = uniform.def_immutable_mapping([%a -> %s], [%b -> %c0]):index
// expected-error SPY127: a key is given twice
%0 = uniform.def_immutable_mapping([%a -> %c0], [%a -> %c1]):index
// accepted
%0 = uniform.def_immutable_mapping([%i -> %c0]):index
// expected-error SPY127: where one key is a unit (dataflow.get_unit), all must be
%0 = uniform.def_immutable_mapping([%a -> %c0], [%i -> %c1]):index
// expected-error SPY127: a value must not be a block argument
%0 = uniform.def_immutable_mapping([%a -> %i]):index
// expected-error SPY127: at least one pair is needed
%0 = uniform.def_immutable_mapping():index
// expected-error SPY127: 2 keys for 1 values
%0 = "uniform.def_immutable_mapping"(%a, %b, %c0) <{operandSegmentSizes = array<i32: 2, 1>}> : (index, index, index) -> index
// expected-error SPY121: result 'map' of 'uniform.def_immutable_mapping' must be index, not 'i32'
%0 = uniform.def_immutable_mapping([%a -> %c0]):i32
// expected-error SPY101: expected '):'
%0 = uniform.def_immutable_mapping([%a -> %c0]) {note} :index
// expected-error SPY101: expected ') :'
%0 = uniform.query_map(map:%i, key:%j) {note} : index
// expected-error SPY101: expected '(map:'
%0 = uniform.query_map(%i, %j) : index
// accepted
%0 = uniform.query_map(map:%i, key:%j) : f16
// ----- regions
// expected-error SPY127: a unit is listed twice
uniform.uniformize_regions { (%u -> %a, %a) { uniform.yield } }
// expected-error SPY127: a region's units must come from dataflow.get_unit or dataflow.create_group
uniform.uniformize_regions { (%u -> %c0) { uniform.yield } }
// expected-error SPY127: a region's units must come from dataflow.get_unit
uniform.uniformize_regions { (%u -> %a, %g) { uniform.yield } }
// expected-error SPY127: a region yields 1 values for 0 results
uniform.uniformize_regions { (%u -> %a) { uniform.yield %u : index } }
// expected-error SPY127: a region yields 0 values for 1 results
%0 = uniform.uniformize_regions -> (index) { (%u -> %a) { } }
// expected-error SPY127: a region yields f16 for results index
%0 = uniform.uniformize_regions -> (index) { (%u -> %a) { uniform.yield %cf : f16 } }
// accepted
uniform.uniformize_regions { (%u -> ) { uniform.yield } }
// expected-error SPY101: list_sizes follows from the regions and cannot be written
uniform.uniformize_regions { (%u -> %a) { } } {list_sizes = [5 : i32]}
// expected-error SPY127: a region's units must come from dataflow.get_unit or dataflow.create_group
uniform.uniformize_regions { (%u -> %i) { uniform.yield } }
// expected-error SPY127: at least 1 regions are needed
uniform.uniformize_regions { }
// expected-error SPY127: list_sizes must give each region's number of units
"uniform.uniformize_regions"(%a, %b) <{list_sizes = [1 : i32]}> ({ ^bb0(%u: index): "uniform.yield"() : () -> () }) : (index, index) -> ()
// expected-error SPY124: 'uniform.uniformize_regions' needs 1 block arguments, not 0
"uniform.uniformize_regions"(%a) <{list_sizes = [1 : i32]}> ({ "uniform.yield"() : () -> () }) : (index) -> ()
// expected-error SPY127: at least 2 regions are needed
uniform.equalize_pattern { (%u -> %a) { uniform.yield } }
// expected-error SPY127: a unit is listed twice
uniform.equalize_pattern { (%u -> %a) { } (%w -> %a) { } }
// expected-error SPY127: the regions must hold the same sequence of operations
uniform.equalize_pattern { (%u -> %a) { dataflow.sync_send %u : index } (%w -> %b) { } }
// expected-error SPY127: the regions must hold the same sequence of operations
uniform.equalize_pattern { (%u -> %a) { dataflow.sync_send %u : index } (%w -> %b) { dataflow.sync_recv %w : index } }
// expected-error SPY106: expected operation name in quotes
uniform.equalize_pattern { (%u -> %a) { } (%w -> %b) { } } {note}
// expected-error SPY129: 'uniform.yield' cannot stand in the body of 'func.func'
uniform.yield
