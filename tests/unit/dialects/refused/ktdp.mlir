// ----- identity and views
#box = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#sym = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#line = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#t1 = affine_set<(d0)[s0] : (d0 - s0 >= 0)>
#g0 = affine_set<(d0) : (d0 == 0)>
#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#g = #ktdp.memory_space<global>
func.func @f(%i: index, %j: index, %n: i32, %m: memref<4x64xf16>, %h: memref<4x64xf32>, %r1: memref<4xf16>, %u: memref<*xf16>, %x: memref<32xi32>, %y: memref<8x8xi32>, %t: !ktdp.access_tile<4x64xindex>, %q: !ktdp.access_tile<?x64xindex>, %e: tensor<4x64xf16>, %d: tensor<?x64xf16>, %a: !ktdp.runtime_arg<i32>, %b: !ktdp.runtime_arg<index, granularity=3>, %f: !ktdp.tile_future<(tensor<4x64xf16>), groups = #g0>) {
  CASE
  return
}
// expected-error SPY127: needs at least one result
"ktdp.get_compute_tile_id"() : () -> ()
// expected-error SPY121: result 'results' of 'ktdp.get_compute_tile_id' must be index, not 'i32'
%0 = ktdp.get_compute_tile_id : i32
// expected-error SPY127: has 2 sizes but 1 strides
%0 = ktdp.construct_memory_view %i, sizes: [4, 64], strides: [1] {coordinate_set = #box, memory_space = #g} : memref<4x64xf16>
// expected-error SPY127: the result has rank 1 but there are 2 sizes
%0 = ktdp.construct_memory_view %i, sizes: [4, 64], strides: [64, 1] {coordinate_set = #box, memory_space = #g} : memref<4xf16>
// expected-error SPY127: has 0 dynamic sizes but 1 values
%0 = "ktdp.construct_memory_view"(%i, %j) <{coordinate_set = #box, memory_space = #g, operandSegmentSizes = array<i32: 1, 1, 0>, static_sizes = array<i64: 4, 64>, static_strides = array<i64: 64, 1>}> : (index, index) -> memref<4x64xf16>
// expected-error SPY127: has 0 dynamic strides but 1 values
%0 = "ktdp.construct_memory_view"(%i, %j) <{coordinate_set = #box, memory_space = #g, operandSegmentSizes = array<i32: 1, 0, 1>, static_sizes = array<i64: 4, 64>, static_strides = array<i64: 64, 1>}> : (index, index) -> memref<4x64xf16>
// expected-error SPY120: 'ktdp.construct_memory_view' has the wrong number of operands: 2 operands do not fit (offset, sizes…, strides…)
%0 = "ktdp.construct_memory_view"(%i, %j) <{coordinate_set = #box, memory_space = #g, operandSegmentSizes = array<i32: 1, 1, 1>, static_sizes = array<i64: 4, 64>, static_strides = array<i64: 64, 1>}> : (index, index) -> memref<4x64xf16>
// expected-error SPY122: 'ktdp.construct_memory_view' needs the attribute 'memory_space'
%0 = ktdp.construct_memory_view %i, sizes: [4, 64], strides: [64, 1] {coordinate_set = #box} : memref<4x64xf16>
// expected-error SPY122: 'ktdp.construct_memory_view' needs the attribute 'coordinate_set'
%0 = ktdp.construct_memory_view %i, sizes: [4, 64], strides: [64, 1] {memory_space = #g} : memref<4x64xf16>
// expected-error SPY123: attribute 'memory_space' of 'ktdp.construct_memory_view' must be a ktdp memory space, not '"DDR"'
%0 = ktdp.construct_memory_view %i, sizes: [4, 64], strides: [64, 1] {coordinate_set = #box, memory_space = "DDR"} : memref<4x64xf16>
// expected-error SPY121: result 'result' of 'ktdp.construct_memory_view' must be a ranked memref, not 'memref<*xf16>'
%0 = ktdp.construct_memory_view %i, sizes: [4, 64], strides: [64, 1] {coordinate_set = #box, memory_space = #g} : memref<*xf16>
// expected-error SPY106: use of value '%n' expects different type than prior uses: 'index' vs 'i32'
%0 = ktdp.construct_memory_view %n, sizes: [4, 64], strides: [64, 1] {coordinate_set = #box, memory_space = #g} : memref<4x64xf16>
// accepted
%0 = ktdp.construct_memory_view %i, sizes: [9, %j], strides: [0, -5] {coordinate_set = #line, memory_space = #g} : memref<4x64xf16, "L1">
// accepted
%0 = ktdp.construct_memory_view %i, sizes: [4, 64], strides: [64, 1] {coordinate_set = #sym, memory_space = #g} : memref<4x64xf16>
// expected-error SPY127: element types differ: memref<4x64xf32> and memref<8x64xf16>
%0 = ktdp.construct_distributed_memory_view (%m, %h : memref<4x64xf16>, memref<4x64xf32>) : memref<8x64xf16>
// expected-error SPY127: ranks differ: memref<4xf16> and memref<8x64xf16>
%0 = ktdp.construct_distributed_memory_view (%m, %r1 : memref<4x64xf16>, memref<4xf16>) : memref<8x64xf16>
// expected-error SPY121: operand 'views' of 'ktdp.construct_distributed_memory_view' must be a ranked memref, not 'memref<*xf16>'
%0 = ktdp.construct_distributed_memory_view (%u : memref<*xf16>) : memref<8x64xf16>
// accepted
%0 = ktdp.construct_distributed_memory_view (%m, %m : memref<4x64xf16>, memref<4x64xf16>) : memref<1x1xf16>
// ----- access tiles
// expected-error SPY122: 'ktdp.construct_access_tile' needs the attribute 'access_tile_set'
%0 = ktdp.construct_access_tile %m[%i, 0] {access_tile_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY122: 'ktdp.construct_access_tile' needs the attribute 'access_tile_order'
%0 = ktdp.construct_access_tile %m[%i, 0] {access_tile_set = #box} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: 1 subscripts, but the set has 2 dims
%0 = ktdp.construct_access_tile %m[%i] {access_tile_set = #box, access_tile_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// accepted
%0 = ktdp.construct_access_tile %m[%i] {access_tile_set = #line, access_tile_order = #id} : memref<4x64xf16> -> !ktdp.access_tile<4xindex>
// expected-error SPY127: the set has 1 symbols but 0 values are given
%0 = ktdp.construct_access_tile %m[%i, 0] {access_tile_set = #sym, access_tile_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<?x64xindex>
// expected-error SPY127: the set has 0 symbols but 1 values are given
%0 = ktdp.construct_access_tile %m[%i, 0] symbols(%j) {access_tile_set = #box, access_tile_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: access_tile_order must have as many results as dims
%0 = ktdp.construct_access_tile %m[%i, 0] {access_tile_set = #box, access_tile_order = affine_map<(d0, d1) -> (d0)>} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: access_tile_order has 1 results, the set 2 dims
%0 = ktdp.construct_access_tile %m[%i, 0] {access_tile_set = #box, access_tile_order = #id} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// accepted
%0 = ktdp.construct_access_tile %m[%i, 0] {access_tile_set = #box, access_tile_order = affine_map<(d0, d1) -> (d0, d0)>} : memref<4x64xf16> -> !ktdp.access_tile<9x9xindex>
// expected-error SPY127: the tile has rank 1 but the set 2 dims
%0 = ktdp.construct_access_tile %m[%i, 0] {access_tile_set = #box, access_tile_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<4xindex>
// expected-error SPY101: expected a type
%0 = ktdp.construct_access_tile %m[%i, 0] {access_tile_set = #box, access_tile_order = #id2} : memref<4x64xf16> -> <4x64xindex>
// expected-error SPY121: operand 'base' of 'ktdp.construct_access_tile' must be a ranked memref or a tensor, not 'memref<*xf16>'
%0 = ktdp.construct_access_tile %u[%i, 0] {access_tile_set = #box, access_tile_order = #id2} : memref<*xf16> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: base_map has 2 inputs, not 0
%0 = "ktdp.construct_access_tile"(%m) <{access_tile_order = #id2, access_tile_set = #box, base_map = #id2, operandSegmentSizes = array<i32: 1, 0, 0>}> : (memref<4x64xf16>) -> !ktdp.access_tile<4x64xindex>
// expected-error SPY101: (d0) * (d0) is not affine: both factors hold dims
%0 = ktdp.construct_access_tile %m[%i * %i, 0] {access_tile_set = #box, access_tile_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY101: results of '%p' stand twice in one subscript list, which no public tool reads: give each result a name (%a, %b = …)
%p:2 = ktdp.get_compute_tile_id : index, index %0 = ktdp.construct_access_tile %m[%p#0, %p#1] {access_tile_set = #box, access_tile_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY123: attribute 'access_tile_set' of 'ktdp.construct_access_tile' must be an integer set, not 'affine_map<(d0, d1) -> (d0, d1)>'
%0 = ktdp.construct_access_tile %m[%i, 0] {access_tile_set = #id2, access_tile_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY122: 'ktdp.construct_indirect_access_tile' needs the attribute 'variables_space_set'
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[ind(%x[%v]), (%w)] {variables_space_order = #id2} : memref<4x64xf16>, memref<32xi32> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: variables_space_order has 1 results, the set 2 dims
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[ind(%x[%v]), (%w)] {variables_space_set = #box, variables_space_order = #id} : memref<4x64xf16>, memref<32xi32> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: variables_space_order must have as many results as dims
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[ind(%x[%v]), (%w)] {variables_space_set = #box, variables_space_order = affine_map<(d0, d1) -> (d0)>} : memref<4x64xf16>, memref<32xi32> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: needs 2 variables of type index, one for each set dim
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v) %m[ind(%x[%v]), (%v)] {variables_space_set = #box, variables_space_order = #id2} : memref<4x64xf16>, memref<32xi32> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: 1 kinds and 1 maps for a base of rank 2
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[ind(%x[%v])] {variables_space_set = #box, variables_space_order = #id2} : memref<4x64xf16>, memref<32xi32> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: the set has 1 symbols but 0 values are given
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[ind(%x[%v]), (%w)] {variables_space_set = #sym, variables_space_order = #id2} : memref<4x64xf16>, memref<32xi32> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY101: expected 2 types: the base and one for each 'ind'
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[ind(%x[%v]), (%w)] {variables_space_set = #box, variables_space_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: subscript 0 has 1 results instead of 2
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[ind(%y[%v]), (%w)] {variables_space_set = #box, variables_space_order = #id2} : memref<4x64xf16>, memref<8x8xi32> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY101: a direct subscript is one expression
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[(%v, %w), (%w)] {variables_space_set = #box, variables_space_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: the tile has rank 1 but the set 2 dims
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[ind(%x[%v]), (%w)] {variables_space_set = #box, variables_space_order = #id2} : memref<4x64xf16>, memref<32xi32> -> !ktdp.access_tile<4xindex>
// expected-error SPY101: an indirect subscript stands alone
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[ind(%x[%v]) + 1, (%w)] {variables_space_set = #box, variables_space_order = #id2} : memref<4x64xf16>, memref<32xi32> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY101: expected 'ind(%view[…])' or '(expression)'
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[%v, (%w)] {variables_space_set = #box, variables_space_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY101: expected a value (%name), a number or brackets
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[(%v + symbol(%i)), (%w)] {variables_space_set = #box, variables_space_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: per_dim_subscript_kinds must hold bools
%0 = "ktdp.construct_indirect_access_tile"(%m) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, per_dim_subscript_kinds = [false, 1], per_dim_subscript_maps = [#id2, #id2], variables_space_order = #id2, variables_space_set = #box}> ({ ^bb0(%v: index, %w: index): "ktdp.region_terminator"() : () -> () }) : (memref<4x64xf16>) -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: 1 kinds and 2 maps for a base of rank 2
%0 = "ktdp.construct_indirect_access_tile"(%m) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, per_dim_subscript_kinds = [false], per_dim_subscript_maps = [#id2, #id2], variables_space_order = #id2, variables_space_set = #box}> ({ ^bb0(%v: index, %w: index): "ktdp.region_terminator"() : () -> () }) : (memref<4x64xf16>) -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: 1 indirect subscripts but 0 index views
%0 = "ktdp.construct_indirect_access_tile"(%m) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, per_dim_subscript_kinds = [false, true], per_dim_subscript_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], variables_space_order = #id2, variables_space_set = #box}> ({ ^bb0(%v: index, %w: index): "ktdp.region_terminator"() : () -> () }) : (memref<4x64xf16>) -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: subscript 0 must be a map of 2 dims and no symbols
%0 = "ktdp.construct_indirect_access_tile"(%m) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, per_dim_subscript_kinds = [false, false], per_dim_subscript_maps = [#id, #id2], variables_space_order = #id2, variables_space_set = #box}> ({ ^bb0(%v: index, %w: index): "ktdp.region_terminator"() : () -> () }) : (memref<4x64xf16>) -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: subscript 1 must be a map of 2 dims and no symbols
%0 = "ktdp.construct_indirect_access_tile"(%m) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, per_dim_subscript_kinds = [false, false], per_dim_subscript_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1)[s0] -> (d0 + s0)>], variables_space_order = #id2, variables_space_set = #box}> ({ ^bb0(%v: index, %w: index): "ktdp.region_terminator"() : () -> () }) : (memref<4x64xf16>) -> !ktdp.access_tile<4x64xindex>
// accepted
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %v) %m[(%v), (%v)] {variables_space_set = #box, variables_space_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// accepted
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%i, %j) %m[(%i), (%j)] {variables_space_set = #box, variables_space_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// accepted
%p:2 = ktdp.get_compute_tile_id : index, index %0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[(%v + %p#0), (%w + %p#1)] {variables_space_set = #box, variables_space_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// ----- load, store, runtime arguments
// expected-error SPY127: the shapes of tensor<4x63xf16> and !ktdp.access_tile<4x64xindex> differ
%0 = ktdp.load %t : <4x64xindex> -> tensor<4x63xf16>
// expected-error SPY127: the shapes of tensor<4x64xf16> and !ktdp.access_tile<?x64xindex> differ
%0 = ktdp.load %q : <?x64xindex> -> tensor<4x64xf16>
// expected-error SPY121: result 'result' of 'ktdp.load' must be a ranked tensor, not 'tensor<*xf16>'
%0 = ktdp.load %t : <4x64xindex> -> tensor<*xf16>
// expected-error SPY121: result 'result' of 'ktdp.load' must be a ranked tensor, not 'vector<4x64xf16>'
%0 = ktdp.load %t : <4x64xindex> -> vector<4x64xf16>
// accepted
%0 = ktdp.load %t : <4x64xindex> -> tensor<4x64xi1>
// expected-error SPY127: the shapes of tensor<?x64xf16> and !ktdp.access_tile<4x64xindex> differ
ktdp.store %d, %t : tensor<?x64xf16>, <4x64xindex>
// expected-error SPY127: the shapes of tensor<4x64xf16> and !ktdp.access_tile<?x64xindex> differ
ktdp.store %e, %q : tensor<4x64xf16>, <?x64xindex>
// expected-error SPY127: the result must be i32, not index
%0 = ktdp.runtime_arg_extract value from %a : <i32> -> index
// expected-error SPY127: the type of the argument has no granularity
%0 = ktdp.runtime_arg_extract granularity from %a : <i32> -> index
// expected-error SPY127: the type of the argument has no upperbound
%0 = ktdp.runtime_arg_extract upperbound from %b : <index, granularity=3> -> index
// expected-error SPY127: the result must be index, not i64
%0 = ktdp.runtime_arg_extract granularity from %b : <index, granularity=3> -> i64
// expected-error SPY101: expected one of value, granularity, upperbound
%0 = ktdp.runtime_arg_extract size from %b : <index, granularity=3> -> index
// expected-error SPY123: attribute 'kind' of 'ktdp.runtime_arg_extract' must be 0, 1 or 2 as i32, not '3 : i32'
%0 = "ktdp.runtime_arg_extract"(%a) <{kind = 3 : i32}> : (!ktdp.runtime_arg<i32>) -> i32
// ----- inter-tile (only what declarations give: the tool lacks the hand-written rules of ktdp.md §7.4)
// expected-error SPY129: 'ktdp.yield_partial' cannot stand in the body of 'func.func'
ktdp.yield_partial %e : tensor<4x64xf16>
// expected-error SPY127: results: (tensor<4x64xf32>) instead of (tensor<4x64xf16>)
%0 = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #t1 : <(tensor<4x64xf16>), groups = #g0> -> tensor<4x64xf32>
// expected-error SPY101: expected ') consumer_tiles_per_group ='
%0 = ktdp.inter_tile_consume(%f) producer_dependency_per_consumer = #t1, consumer_tiles_per_group = #t1 : <(tensor<4x64xf16>), groups = #g0> -> tensor<4x64xf16>
// expected-error SPY101: expected ':'
%0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #t1, identity() : <(tensor<4x64xf16>), groups = #g0> -> tensor<4x64xf16> { }
// expected-error SPY101: expected ', identity('
%0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #t1 identity(%e : tensor<4x64xf16>) : <(tensor<4x64xf16>), groups = #g0> -> tensor<4x64xf16> { }
// expected-error SPY101: expected 'producer_tiles_per_group ='
%0 = ktdp.inter_tile_produce(tensor<4x64xf16>) producer_tiles_per_group = #t1 -> <(tensor<4x64xf16>), groups = #g0> { }
// expected-error SPY124: 'ktdp.inter_tile_produce' needs 1 block arguments, not 0
%0 = ktdp.inter_tile_produce producer_tiles_per_group = #line -> <(tensor<4x64xf16>), groups = #g0> { }
// ----- types and attributes
#box = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#sym = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#line = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#t1 = affine_set<(d0)[s0] : (d0 - s0 >= 0)>
#g0 = affine_set<(d0) : (d0 == 0)>
#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#g = #ktdp.memory_space<global>
func.func private @f(CASE)
// expected-error SPY109: '!ktdp.access_tile<4xf16>' is not a legal type of dialect 'ktdp'
!ktdp.access_tile<4xf16>
// expected-error SPY109: '!ktdp.access_tile<-1xindex>' is not a legal type of dialect 'ktdp'
!ktdp.access_tile<-1xindex>
// accepted
!ktdp.access_tile<4 x 64 x index>
// expected-error SPY109: '!ktdp.runtime_arg<index, granularity=0>' is not a legal type of dialect 'ktdp'
!ktdp.runtime_arg<index, granularity=0>
// expected-error SPY109: '!ktdp.runtime_arg<index, granularity=3, granularity=3>' is not a legal type of dialect 'ktdp'
!ktdp.runtime_arg<index, granularity=3, granularity=3>
// expected-error SPY109: '!ktdp.runtime_arg<index, min=3>' is not a legal type of dialect 'ktdp'
!ktdp.runtime_arg<index, min=3>
// expected-error SPY109: '!ktdp.runtime_arg<tensor<4xf16>>' is not a legal type of dialect 'ktdp'
!ktdp.runtime_arg<tensor<4xf16>>
// expected-error SPY109: '!ktdp.tile_future<tensor<4xf16>, groups = #g0>' is not a legal type of dialect 'ktdp'
!ktdp.tile_future<tensor<4xf16>, groups = #g0>
// expected-error SPY109: '!ktdp.tile_future<(tensor<4xf16>), #g0>' is not a legal type of dialect 'ktdp'
!ktdp.tile_future<(tensor<4xf16>), #g0>
// expected-error SPY109: '!ktdp.tile_future<(), groups = #g0>' is not a legal type of dialect 'ktdp'
!ktdp.tile_future<(), groups = #g0>
// expected-error SPY109: '!ktdp.tile_future<(tensor<4xf16>), groups = #box>' is not a legal type of dialect 'ktdp'
!ktdp.tile_future<(tensor<4xf16>), groups = #box>
// expected-error SPY109: '!ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(d0)[s0] : (d0 == 0)>>' is not a legal type of dialect 'ktdp'
!ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(d0)[s0] : (d0 == 0)>>
// expected-error SPY109: '!ktdp.tile_future<(memref<4xf16>), groups = #g0>' is not a legal type of dialect 'ktdp'
!ktdp.tile_future<(memref<4xf16>), groups = #g0>
// expected-error SPY101: '>=' cannot stand inside '!ktdp.tile_future<…>', where MLIR takes it for a bracket: name the set first (#s = affine_set<…>)
!ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(d0) : (d0 >= 0)>>
// expected-error SPY109: '#ktdp.memory_space<global, ct_id = 3>' is not a legal attribute of dialect 'ktdp'
memref<4xf16, #ktdp.memory_space<global, ct_id = 3>>
// expected-error SPY109: '#ktdp.memory_space<ct_local, ct_id = -5>' is not a legal attribute of dialect 'ktdp'
memref<4xf16, #ktdp.memory_space<ct_local, ct_id = -5>>
// expected-error SPY109: '#ktdp.memory_space<HBM>' is not a legal attribute of dialect 'ktdp'
memref<4xf16, #ktdp.memory_space<HBM>>
// accepted
memref<4xf16, #ktdp.spyre_memory_space<HBM>>
// accepted
memref<4xf16, #ktdp<memory_space<global>>>
// ----- forms with a readable text
#box = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#sym = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#none = affine_set<(d0, d1) : (d0 >= 0, -d0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#turn = affine_map<(d0, d1) -> (d1, d0)>
#t1 = affine_set<(d0)[s0] : (d0 - s0 >= 0)>
func.func @f(%i: index, %j: index, %m: memref<4x64xf16>, %z: memref<f16>, %x: memref<32xsi32>, %y: memref<8x8xi64>, %e: tensor<4x64xf16>, %h: !ktdp.runtime_arg<f16, upperbound=3>) {
  CASE
  return
}
// accepted
%0 = ktdp.construct_access_tile %m[%i + 1, 3] symbols(%j) {access_tile_set = #sym, access_tile_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<?x64xindex>
// accepted
%0 = ktdp.construct_access_tile %m[symbol(%i) - %j, -%j] symbols() {access_tile_order = #turn, access_tile_set = #box} : memref<4x64xf16> -> !ktdp.access_tile<64x4xindex>
// accepted
%0 = ktdp.construct_access_tile %z[] {access_tile_set = affine_set<() : ()>, access_tile_order = affine_map<() -> ()>} : memref<f16> -> !ktdp.access_tile<index>
// accepted
%0 = ktdp.construct_access_tile %e[0, 0] {access_tile_set = #none, access_tile_order = #id2} : tensor<4x64xf16> -> !ktdp.access_tile<0x64xindex> %1 = ktdp.load %0 : <0x64xindex> -> tensor<0x64xf16>
// accepted
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[ind(%x[%v + %i]), ind(%y[%w floordiv 8 + %i, %w mod 8])] symbols(%j) {variables_space_set = #sym, variables_space_order = #turn} : memref<4x64xf16>, memref<32xsi32>, memref<8x8xi64> -> !ktdp.access_tile<64x?xindex>
// accepted
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[(%v + %i), (%w + %i)] {variables_space_set = #box, variables_space_order = #id2} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
// accepted
%0 = ktdp.runtime_arg_extract value from %h : !ktdp.runtime_arg<f16, upperbound=3> -> f16 %1 = ktdp.runtime_arg_extract upperbound from %h : <f16, upperbound=3> -> index
// accepted
%0 = ktdp.construct_distributed_memory_view() : memref<4x64xf16>
// accepted
%f = ktdp.inter_tile_produce producer_tiles_per_group = #t1 -> <(tensor<4x64xf16>), groups = affine_set<(d0) : (d0 >= 0, -d0 >= 0)>> { ^bb0(%g: index): ktdp.yield_partial %e : tensor<4x64xf16> } %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #t1 : <(tensor<4x64xf16>), groups = affine_set<(d0) : (d0 >= 0, -d0 >= 0)>> -> tensor<4x64xf16>
// expected-error SPY101: '>=' cannot stand inside
%f = ktdp.inter_tile_produce producer_tiles_per_group = #t1 -> !ktdp.tile_future<(tensor<4x64xf16>), groups = affine_set<(d0) : (d0 >= 0, -d0 >= 0)>> { ^bb0(%g: index): ktdp.yield_partial %e : tensor<4x64xf16> }
// ----- others
#box = affine_set<(d0, d1) : (d0 >= 0, -d0 + 6 >= 0, d1 >= 0, -d1 + 29 >= 0)>
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
  CASE
  return
}
// expected-error SPY101: expected a number or a value, not 'x'
%0 = ktdp.construct_memory_view %i, sizes: [7, x], strides: [30, 1] {coordinate_set = #box, memory_space = #g} : memref<7x30xf16>
// expected-error SPY101: (d0) floordiv 0 is not affine: the divisor is zero
%0 = ktdp.construct_access_tile %m[%i floordiv 0, 0] {access_tile_order = #id2, access_tile_set = #box} : memref<7x30xf16> -> !ktdp.access_tile<7x30xindex>
// expected-error SPY123: attribute 'access_tile_order' of 'ktdp.construct_access_tile' must be an affine map, not 'affine_set<(d0, d1) : (d0 >= 0, -d0 + 6 >= 0, d1 >= 0, -d1 + 29 >= 0)>'
%0 = ktdp.construct_access_tile %m[%i, 0] {access_tile_order = #box, access_tile_set = #box} : memref<7x30xf16> -> !ktdp.access_tile<7x30xindex>
// expected-error SPY127: consumer_tiles_per_group must have one dim and 1 symbols
%0 = ktdp.inter_tile_consume(%k) consumer_tiles_per_group = #zero : <(tensor<7x30xf16>), groups = #zero> -> tensor<7x30xf16>
// ----- others
func.func private @f(CASE)
// expected-error SPY109: '#ktdp.spyre_memory_space<L0>' is not a legal attribute of dialect 'ktdp'
memref<4xf16, #ktdp.spyre_memory_space<L0>>
// ----- inter-tile ops rule by rule, and rules of the generic form
#box = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#sym = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#line = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
#t1 = affine_set<(d0)[s0] : (d0 - s0 >= 0)>
#t2 = affine_set<(d0)[s0, s1] : (d0 - s0 - s1 >= 0)>
#t3 = affine_set<(d0)[s0, s1, s2] : (d0 - s0 - s1 >= 0)>
#g0 = affine_set<(d0) : (d0 == 0)>
#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#g = #ktdp.memory_space<global>
func.func @f(%i: index, %j: index, %n: i32, %m: memref<4x64xf16>, %h: memref<4x64xf32>, %r1: memref<4xf16>, %u: memref<*xf16>, %x: memref<32xi32>, %y: memref<8x8xi32>, %t: !ktdp.access_tile<4x64xindex>, %q: !ktdp.access_tile<?x64xindex>, %e: tensor<4x64xf16>, %ei: tensor<4xi32>, %d: tensor<?x64xf16>, %a: !ktdp.runtime_arg<i32>, %b: !ktdp.runtime_arg<index, granularity=3>, %f: !ktdp.tile_future<(tensor<4x64xf16>), groups = #g0>, %f2: !ktdp.tile_future<(tensor<4x64xf16>, tensor<4xi32>), groups = #g0>) {
  CASE
  return
}
// expected-error SPY127: 'ktdp.construct_memory_view': has 1 dynamic sizes but 0 values
%0 = "ktdp.construct_memory_view"(%i) <{coordinate_set = #box, memory_space = #g, operandSegmentSizes = array<i32: 1, 0, 0>, static_sizes = array<i64: 4, -9223372036854775808>, static_strides = array<i64: 64, 1>}> : (index) -> memref<4x64xf16>
// expected-error SPY127: 'ktdp.construct_memory_view': has 1 dynamic strides but 0 values
%0 = "ktdp.construct_memory_view"(%i) <{coordinate_set = #box, memory_space = #g, operandSegmentSizes = array<i32: 1, 0, 0>, static_sizes = array<i64: 4, 64>, static_strides = array<i64: -9223372036854775808, 1>}> : (index) -> memref<4x64xf16>
// expected-error SPY123: attribute 'static_sizes' of 'ktdp.construct_memory_view' must be an i64 array, not 'array<i32: 4, 64>'
%0 = "ktdp.construct_memory_view"(%i) <{coordinate_set = #box, memory_space = #g, operandSegmentSizes = array<i32: 1, 0, 0>, static_sizes = array<i32: 4, 64>, static_strides = array<i64: 64, 1>}> : (index) -> memref<4x64xf16>
// expected-error SPY122: 'ktdp.construct_memory_view' needs the attribute 'static_sizes'
%0 = "ktdp.construct_memory_view"(%i) <{coordinate_set = #box, memory_space = #g, operandSegmentSizes = array<i32: 1, 0, 0>, static_strides = array<i64: 64, 1>}> : (index) -> memref<4x64xf16>
// expected-error SPY123: attribute 'coordinate_set' of 'ktdp.construct_memory_view' must be an integer set, not 'affine_map<(d0, d1) -> (d0, d1)>'
%0 = "ktdp.construct_memory_view"(%i) <{coordinate_set = #id2, memory_space = #g, operandSegmentSizes = array<i32: 1, 0, 0>, static_sizes = array<i64: 4, 64>, static_strides = array<i64: 64, 1>}> : (index) -> memref<4x64xf16>
// accepted
%0 = ktdp.construct_memory_view %i, sizes: [4, 64], strides: [64, 1] {coordinate_set = #box, memory_space = #ktdp.spyre_memory_space<LX, core = 7>} : memref<4x64xf16, #ktdp.spyre_memory_space<LX, core = 7>>
// expected-error SPY109: '#ktdp.spyre_memory_space<HBM, core = 7>' is not a legal attribute of dialect 'ktdp'
%0 = ktdp.construct_memory_view %i, sizes: [4, 64], strides: [64, 1] {memory_space = #ktdp.spyre_memory_space<HBM, core = 7>, coordinate_set = #box} : memref<4x64xf16>
// expected-error SPY109: '#ktdp.spyre_memory_space<LX, core = -2>' is not a legal attribute of dialect 'ktdp'
%0 = ktdp.construct_memory_view %i, sizes: [4, 64], strides: [64, 1] {memory_space = #ktdp.spyre_memory_space<LX, core = -2>, coordinate_set = #box} : memref<4x64xf16>
// expected-error SPY109: '#ktdp.spyre_memory_space<L0, core = 1>' is not a legal attribute of dialect 'ktdp'
%0 = ktdp.construct_memory_view %i, sizes: [4, 64], strides: [64, 1] {memory_space = #ktdp.spyre_memory_space<L0, core = 1>, coordinate_set = #box} : memref<4x64xf16>
// expected-error SPY109: '#ktdp.spyre_memory_space<unspecified>' is not a legal attribute of dialect 'ktdp'
%0 = ktdp.construct_memory_view %i, sizes: [4, 64], strides: [64, 1] {memory_space = #ktdp.spyre_memory_space<unspecified>, coordinate_set = #box} : memref<4x64xf16>
// expected-error SPY121: result 'result' of 'ktdp.construct_distributed_memory_view' must be a ranked memref, not 'memref<*xf16>'
%0 = ktdp.construct_distributed_memory_view(%m : memref<4x64xf16>) : memref<*xf16>
// expected-error SPY127: 'ktdp.construct_access_tile': base_map has 2 inputs, not 1
%0 = "ktdp.construct_access_tile"(%m, %i) <{access_tile_order = #id2, access_tile_set = #box, base_map = affine_map<(d0)[s0] -> (d0, s0)>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (memref<4x64xf16>, index) -> !ktdp.access_tile<4x64xindex>
// accepted
%0 = "ktdp.construct_access_tile"(%m, %i, %j) <{access_tile_order = #id2, access_tile_set = #box, base_map = affine_map<(d0)[s0] -> (d0, s0)>, operandSegmentSizes = array<i32: 1, 2, 0>}> : (memref<4x64xf16>, index, index) -> !ktdp.access_tile<4x64xindex>
// expected-error SPY122: 'ktdp.construct_access_tile' needs the attribute 'base_map'
%0 = "ktdp.construct_access_tile"(%m) <{access_tile_order = #id2, access_tile_set = #box, operandSegmentSizes = array<i32: 1, 0, 0>}> : (memref<4x64xf16>) -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: must have no symbols: no values are given for them
%0 = "ktdp.construct_access_tile"(%m) <{access_tile_order = affine_map<(d0, d1)[s0] -> (d0, d1)>, access_tile_set = #box, base_map = affine_map<() -> (0, 0)>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (memref<4x64xf16>) -> !ktdp.access_tile<4x64xindex>
// expected-error SPY121: operand 'base' of 'ktdp.construct_indirect_access_tile' must be a ranked memref or a tensor, not 'memref<*xf16>'
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %u[(%v), (%w)] {variables_space_order = #id2, variables_space_set = #box} : memref<*xf16> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY121: operand 'indirect_memrefs' of 'ktdp.construct_indirect_access_tile' must be a ranked memref, not 'memref<*xf16>'
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[ind(%u[%v]), (%w)] {variables_space_order = #id2, variables_space_set = #box} : memref<4x64xf16>, memref<*xf16> -> !ktdp.access_tile<4x64xindex>
// expected-error SPY106: '%v' is not defined above
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[(%v), (%w)] {variables_space_order = #id2, variables_space_set = #box} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex> %1 = arith.addi %v, %w : index
// expected-error SPY127: 'ktdp.construct_indirect_access_tile': needs 2 variables of type index, one for each set dim
%0 = "ktdp.construct_indirect_access_tile"(%m) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, per_dim_subscript_kinds = [false, false], per_dim_subscript_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], variables_space_order = #id2, variables_space_set = #box}> ({ ^bb0(%v: index, %w: i32): "ktdp.region_terminator"() : () -> () }) : (memref<4x64xf16>) -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: 'ktdp.construct_indirect_access_tile': subscript 1 must be a map of 2 dims and no symbols
%0 = "ktdp.construct_indirect_access_tile"(%m) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, per_dim_subscript_kinds = [false, false], per_dim_subscript_maps = [affine_map<(d0, d1) -> (d0)>, 3], variables_space_order = #id2, variables_space_set = #box}> ({ ^bb0(%v: index, %w: index): "ktdp.region_terminator"() : () -> () }) : (memref<4x64xf16>) -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: 'ktdp.construct_indirect_access_tile': subscript 1 has 2 results instead of 1
%0 = "ktdp.construct_indirect_access_tile"(%m) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, per_dim_subscript_kinds = [false, false], per_dim_subscript_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], variables_space_order = #id2, variables_space_set = #box}> ({ ^bb0(%v: index, %w: index): "ktdp.region_terminator"() : () -> () }) : (memref<4x64xf16>) -> !ktdp.access_tile<4x64xindex>
// expected-error SPY106: 'func.return' op expects parent op 'func.func'
%0 = "ktdp.construct_indirect_access_tile"(%m) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, per_dim_subscript_kinds = [false, false], per_dim_subscript_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], variables_space_order = #id2, variables_space_set = #box}> ({ ^bb0(%v: index, %w: index): "func.return"() : () -> () }) : (memref<4x64xf16>) -> !ktdp.access_tile<4x64xindex>
// expected-error SPY127: 'ktdp.store': the shapes of tensor<4xi32> and !ktdp.access_tile<4x64xindex> differ
ktdp.store %ei, %t : tensor<4xi32>, <4x64xindex>
// expected-error SPY127: 'ktdp.store': the tile's base holds f16, not i32
%0 = ktdp.construct_access_tile %m[0, 0] {access_tile_order = #id2, access_tile_set = #box} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex> %c = arith.constant dense<1> : tensor<4x64xi32> ktdp.store %c, %0 : tensor<4x64xi32>, <4x64xindex>
// expected-error SPY127: 'ktdp.load': the tile's base holds f16, not f32
%0 = ktdp.construct_indirect_access_tile intermediate_variables(%v, %w) %m[ind(%x[%v]), (%w)] {variables_space_order = #id2, variables_space_set = #box} : memref<4x64xf16>, memref<32xi32> -> !ktdp.access_tile<4x64xindex> %1 = ktdp.load %0 : <4x64xindex> -> tensor<4x64xf32>
// expected-error SPY123: attribute 'kind' of 'ktdp.runtime_arg_extract' must be 0, 1 or 2 as i32, not '0 : i64'
%0 = "ktdp.runtime_arg_extract"(%a) <{kind = 0 : i64}> : (!ktdp.runtime_arg<i32>) -> i32
// expected-error SPY122: 'ktdp.runtime_arg_extract' needs the attribute 'kind'
%0 = "ktdp.runtime_arg_extract"(%a) : (!ktdp.runtime_arg<i32>) -> i32
// expected-error SPY121: block argument of 'ktdp.inter_tile_produce' must be index, not 'i32'
%0 = ktdp.inter_tile_produce producer_tiles_per_group = #t1 -> <(tensor<4x64xf16>), groups = #g0> { ^bb0(%z: i32): ktdp.yield_partial %e : tensor<4x64xf16> }
// expected-error SPY127: 'ktdp.inter_tile_produce': producer_tiles_per_group must have one dim and 1 symbols
%0 = ktdp.inter_tile_produce producer_tiles_per_group = #t2 -> <(tensor<4x64xf16>), groups = #g0> { ^bb0(%z: index): ktdp.yield_partial %e : tensor<4x64xf16> }
// expected-error SPY127: 'ktdp.inter_tile_produce': yields: (tensor<4xi32>) instead of (tensor<4x64xf16>)
%0 = ktdp.inter_tile_produce producer_tiles_per_group = #t1 -> <(tensor<4x64xf16>), groups = #g0> { ^bb0(%z: index): ktdp.yield_partial %ei : tensor<4xi32> }
// accepted
%0 = ktdp.inter_tile_produce producer_tiles_per_group = #t1 -> <(tensor<4x64xf16>, tensor<4xi32>), groups = #g0> { ^bb0(%z: index): ktdp.yield_partial %e, %ei : tensor<4x64xf16>, tensor<4xi32> }
// expected-error SPY125: the body of 'ktdp.inter_tile_produce' must end with 'ktdp.yield_partial'
%0 = ktdp.inter_tile_produce producer_tiles_per_group = #t1 -> <(tensor<4x64xf16>), groups = #g0> { ^bb0(%z: index): ktdp.yield_reduced %e : tensor<4x64xf16> }
// expected-error SPY127: 'ktdp.inter_tile_consume': producer_dependency_per_consumer must have one dim and 1 or 2 symbols
%0 = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #t1, producer_dependency_per_consumer = #t3 : <(tensor<4x64xf16>), groups = #g0> -> tensor<4x64xf16>
// expected-error SPY127: 'ktdp.inter_tile_consume': producer_dependency_per_consumer must have one dim and 1 or 2 symbols
%0 = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #t1, producer_dependency_per_consumer = #g0 : <(tensor<4x64xf16>), groups = #g0> -> tensor<4x64xf16>
// accepted
%0 = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #t1, producer_dependency_per_consumer = #t2 : <(tensor<4x64xf16>), groups = #g0> -> tensor<4x64xf16>
// accepted
%0:2 = ktdp.inter_tile_consume(%f2) consumer_tiles_per_group = #t1 : <(tensor<4x64xf16>, tensor<4xi32>), groups = #g0> -> tensor<4x64xf16>, tensor<4xi32>
// expected-error SPY127: 'ktdp.inter_tile_consume': results: (tensor<4x64xf16>) instead of (tensor<4x64xf16>, tensor<4xi32>)
%0 = ktdp.inter_tile_consume(%f2) consumer_tiles_per_group = #t1 : <(tensor<4x64xf16>, tensor<4xi32>), groups = #g0> -> tensor<4x64xf16>
// accepted
%0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #t1, identity(%e : tensor<4x64xf16>) : <(tensor<4x64xf16>), groups = #g0> -> tensor<4x64xf16> { ^bb0(%p: tensor<4x64xf16>, %q1: tensor<4x64xf16>): ktdp.yield_reduced %p : tensor<4x64xf16> }
// expected-error SPY127: 'ktdp.inter_tile_reduce': consumer_tiles_per_group must have one dim and 1 symbols
%0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #t2, identity(%e : tensor<4x64xf16>) : <(tensor<4x64xf16>), groups = #g0> -> tensor<4x64xf16> { ^bb0(%p: tensor<4x64xf16>, %q1: tensor<4x64xf16>): ktdp.yield_reduced %p : tensor<4x64xf16> }
// accepted
%0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #t1, producer_dependency_per_consumer = #t1, identity(%e : tensor<4x64xf16>) : <(tensor<4x64xf16>), groups = #g0> -> tensor<4x64xf16> { ^bb0(%p: tensor<4x64xf16>, %q1: tensor<4x64xf16>): ktdp.yield_reduced %p : tensor<4x64xf16> }
// expected-error SPY127: 'ktdp.inter_tile_reduce': identity: (tensor<4xi32>) instead of (tensor<4x64xf16>)
%0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #t1, identity(%ei : tensor<4xi32>) : <(tensor<4x64xf16>), groups = #g0> -> tensor<4x64xf16> { ^bb0(%p: tensor<4x64xf16>, %q1: tensor<4x64xf16>): ktdp.yield_reduced %p : tensor<4x64xf16> }
// expected-error SPY127: 'ktdp.inter_tile_reduce': block arguments: (tensor<4x64xf16>) instead of (tensor<4x64xf16>, tensor<4x64xf16>)
%0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #t1, identity(%e : tensor<4x64xf16>) : <(tensor<4x64xf16>), groups = #g0> -> tensor<4x64xf16> { ^bb0(%p: tensor<4x64xf16>): ktdp.yield_reduced %p : tensor<4x64xf16> }
// expected-error SPY127: 'ktdp.inter_tile_reduce': block arguments: (tensor<4x64xf16>, tensor<4xi32>) instead of (tensor<4x64xf16>, tensor<4x64xf16>)
%0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #t1, identity(%e : tensor<4x64xf16>) : <(tensor<4x64xf16>), groups = #g0> -> tensor<4x64xf16> { ^bb0(%p: tensor<4x64xf16>, %q1: tensor<4xi32>): ktdp.yield_reduced %p : tensor<4x64xf16> }
// expected-error SPY127: 'ktdp.inter_tile_reduce': yields: (tensor<4xi32>) instead of (tensor<4x64xf16>)
%0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #t1, identity(%e : tensor<4x64xf16>) : <(tensor<4x64xf16>), groups = #g0> -> tensor<4x64xf16> { ^bb0(%p: tensor<4x64xf16>, %q1: tensor<4x64xf16>): ktdp.yield_reduced %ei : tensor<4xi32> }
// expected-error SPY125: the body of 'ktdp.inter_tile_reduce' must end with 'ktdp.yield_reduced'
%0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #t1, identity(%e : tensor<4x64xf16>) : <(tensor<4x64xf16>), groups = #g0> -> tensor<4x64xf16> { ^bb0(%p: tensor<4x64xf16>, %q1: tensor<4x64xf16>): ktdp.yield_partial %e : tensor<4x64xf16> }
// expected-error SPY127: 'ktdp.inter_tile_reduce': results: (tensor<4xi32>) instead of (tensor<4x64xf16>)
%0 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #t1, identity(%e : tensor<4x64xf16>) : <(tensor<4x64xf16>), groups = #g0> -> tensor<4xi32> { ^bb0(%p: tensor<4x64xf16>, %q1: tensor<4x64xf16>): ktdp.yield_reduced %p : tensor<4x64xf16> }
// ----- types inside types
func.func private @f(CASE)
// expected-error SPY109: '!ktdp.tile_future<(tensor<4xfoo>), groups = affine_set<(d0) : (d0 == 0)>>' is not a legal type of dialect 'ktdp'
!ktdp.tile_future<(tensor<4xfoo>), groups = affine_set<(d0) : (d0 == 0)>>
// expected-error SPY109: '!ktdp.tile_future<(tensor<*xf16>), groups = affine_set<(d0) : (d0 == 0)>>' is not a legal type of dialect 'ktdp'
!ktdp.tile_future<(tensor<*xf16>), groups = affine_set<(d0) : (d0 == 0)>>
// expected-error SPY109: '!ktdp.runtime_arg<f12>' is not a legal type of dialect 'ktdp'
!ktdp.runtime_arg<f12>
// expected-error SPY109: '!ktdp.runtime_arg<vector<4xf32>>' is not a legal type of dialect 'ktdp'
!ktdp.runtime_arg<vector<4xf32>>
// expected-error SPY109: '!ktdp.runtime_arg<index, upperbound=-1>' is not a legal type of dialect 'ktdp'
!ktdp.runtime_arg<index, upperbound=-1>
// accepted
!ktdp.runtime_arg<tf32, upperbound=3>
// expected-error SPY109: '#ktdp.memory_space<ct_local, ct_id = 4294967296>' is not a legal attribute of dialect 'ktdp'
memref<4xf16, #ktdp.memory_space<ct_local, ct_id = 4294967296>>
