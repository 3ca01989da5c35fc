// ----- pipeline, stage, private
func.func @f(%i: index, %j: index, %n: i32, %a: memref<128x128xf16, "DDR">, %l: memref<4x64xf16, "L1">, %h: memref<4x64xf32, "L1">, %z: memref<f16>, %s: !ktdf.fifo.slot<"A" -> "B", 64xf16>, %d: !ktdf.fifo.slot<"A" -> "B", ?xf16>, %k: !ktdf.token, %t: tensor<64xf16>, %o: tensor<64xf16>, %w: tensor<?xf16>, %v: vector<64xf16>) {
  CASE
  return
}
// expected-error SPY127: modulo must be at least 1
ktdf.pipeline modulo(size : 0) { }
// expected-error SPY123: attribute 'modulo' of 'ktdf.pipeline' must be an i64, not '2 : i32'
"ktdf.pipeline"() <{modulo = 2 : i32}> ({ ^bb0: }) : () -> ()
// expected-error SPY124: 'ktdf.pipeline' needs a region of one block, not 0
"ktdf.pipeline"() ({ }) : () -> ()
// expected-error SPY127: holds only ktdf.stage and ktdf.private, not arith.constant
ktdf.pipeline { %c = arith.constant 1 : index }
// expected-error SPY127: holds only ktdf.stage and ktdf.private, not ktdf.pipeline
ktdf.pipeline { ktdf.pipeline { } }
// expected-error SPY127: holds at most one ktdf.private
ktdf.pipeline { ktdf.private { } ktdf.private { } }
// expected-error SPY127: stands only in a ktdf.pipeline
ktdf.stage depends_in(none) depends_out(none) { }
// expected-error SPY127: stands only in a ktdf.pipeline
ktdf.private { }
// expected-error SPY101: expected 'depends_in'
ktdf.pipeline { ktdf.stage { } }
// expected-error SPY101: expected a token or 'none'
ktdf.pipeline { ktdf.stage depends_in() depends_out() { } }
// expected-error SPY106: custom op 'attributes' is unknown (tried 'func.attributes' as well)
ktdf.pipeline { ktdf.stage depends_in(none) depends_out(none) { } attributes {applicable_units = ["SFU"]} }
// expected-error SPY106: expected operation name in quotes
ktdf.pipeline { ktdf.private { } {note} }
// expected-error SPY106: custom op 'note' is unknown (tried 'func.note' as well)
ktdf.pipeline {note} { }
// expected-error SPY123: attribute 'applicable_units' of 'ktdf.stage' must be an array, not '"SFU"'
ktdf.pipeline { ktdf.stage depends_in(none) depends_out(none) { } {applicable_units = "SFU"} }
// expected-error SPY127: token 0 must come from ktdf.create_token, or from a ktdf.private that yields one
%c = builtin.unrealized_conversion_cast %i : index to !ktdf.token ktdf.pipeline { ktdf.stage depends_in(%c) depends_out(none) { } }
// expected-error SPY127: token 0 must come from ktdf.create_token, or from a ktdf.private that yields one
ktdf.pipeline { ktdf.stage depends_in(%k) depends_out(none) { } }
// expected-error SPY127: token 0 must come from ktdf.create_token, or from a ktdf.private that yields one
ktdf.pipeline { %p = ktdf.private -> (!ktdf.token) { ktdf.private_yield %k : !ktdf.token } ktdf.stage depends_in(%p) depends_out(none) { } }
// expected-error SPY127: releases a token that another stage releases too
%c = ktdf.create_token : !ktdf.token ktdf.pipeline { ktdf.stage depends_in(%c) depends_out(%c) { } ktdf.stage depends_in(none) depends_out(%c) { } }
// expected-error SPY127: waits, over the stages before it, for itself
%c = ktdf.create_token : !ktdf.token ktdf.pipeline { ktdf.stage depends_in(%c) depends_out(%c) { } }
// expected-error SPY127: waits, over the stages before it, for itself
%c = ktdf.create_token : !ktdf.token %e = ktdf.create_token : !ktdf.token ktdf.pipeline { ktdf.stage depends_in(%c) depends_out(%e) { } ktdf.stage depends_in(%e) depends_out(%c) { } }
// expected-error SPY127: waits for a token that no stage releases
%c = ktdf.create_token : !ktdf.token ktdf.pipeline { ktdf.stage depends_in(%c) depends_out(none) { } }
// expected-error SPY127: waits for a token that no stage releases
ktdf.pipeline { %p:2 = ktdf.private -> (!ktdf.token, !ktdf.token) { %c = ktdf.create_token : !ktdf.token %e = ktdf.create_token : !ktdf.token ktdf.private_yield %c, %e : !ktdf.token, !ktdf.token } ktdf.stage depends_in(none) depends_out(%p#0) { } ktdf.stage depends_in(%p#1) depends_out(none) { } }
// accepted
%c = ktdf.create_token : !ktdf.token ktdf.pipeline { ktdf.stage depends_in(none) depends_out(%c) { } ktdf.stage depends_in(%c) depends_out(none) { } ktdf.stage depends_in(%c) depends_out(none) { } }
// accepted
ktdf.pipeline modulo(size : 1) { ktdf.stage depends_in(none) depends_out(none) { ktdf.pipeline modulo(size : 2) { } } } ktdf.pipeline { }
// expected-error SPY127: yields () but has the results (index)
ktdf.pipeline { %p = ktdf.private -> (index) { } }
// expected-error SPY127: yields (i32) but has the results (index)
ktdf.pipeline { %p = ktdf.private -> (index) { ktdf.private_yield %n : i32 } }
// expected-error SPY101: expected '('
ktdf.pipeline { %p = ktdf.private -> index { ktdf.private_yield %i : index } }
// expected-error SPY129: 'ktdf.private_yield' cannot stand in the body of 'func.func'
ktdf.private_yield
// ----- parallel
// expected-error SPY101: expected a loop variable and the instance id
ktdf.parallel (%x) = () to () step () distribute(num_instances = 2) { ktdf.parallel_yield }
// expected-error SPY127: num_instances must be at least 1
ktdf.parallel (%x, %y) = (%i) to (%j) step (%i) distribute(num_instances = 0) { ktdf.parallel_yield }
// expected-error SPY101: expected 1 values, one for each loop
ktdf.parallel (%x, %y) = (%i, %i) to (%j) step (%i) distribute(num_instances = 2) { ktdf.parallel_yield }
// expected-error SPY125: the body of 'ktdf.parallel' must end with 'ktdf.parallel_yield'
ktdf.parallel (%x, %y) = (%i) to (%j) step (%i) distribute(num_instances = 2) { }
// expected-error SPY125: the body of 'ktdf.parallel' must end with 'ktdf.parallel_yield'
ktdf.parallel (%x, %y) = (%i) to (%j) step (%i) distribute(num_instances = 2) { %c = arith.constant 1 : index }
// expected-error SPY101: expected a loop variable and the instance id
ktdf.parallel (%x: index, %y: index) = (%i) to (%j) step (%i) distribute(num_instances = 2) { ktdf.parallel_yield }
// expected-error SPY101: expected ')'
ktdf.parallel (%x, %y) = (%i) to (%j) step (%i) distribute(num_instances = 2 : i64) { ktdf.parallel_yield }
// expected-error SPY127: its block must have 2 arguments of type index
"ktdf.parallel"(%i, %j, %i) <{num_instances = 2 : i64}> ({ ^bb0(%x: index): "ktdf.parallel_yield"() : () -> () }) : (index, index, index) -> ()
// expected-error SPY127: its block must have 2 arguments of type index
"ktdf.parallel"(%i, %j, %i) <{num_instances = 2 : i64}> ({ ^bb0(%x: index, %y: i32): "ktdf.parallel_yield"() : () -> () }) : (index, index, index) -> ()
// expected-error SPY120: 'ktdf.parallel' has the wrong number of operands: 2 operands do not fit (lower…, upper…, step…)
"ktdf.parallel"(%i, %j) <{num_instances = 2 : i64}> ({ ^bb0(%x: index, %y: index): "ktdf.parallel_yield"() : () -> () }) : (index, index) -> ()
// expected-error SPY129: 'ktdf.parallel_yield' cannot stand in the body of 'func.func'
ktdf.parallel_yield
// ----- data_transfer
// expected-error SPY127: the source has rank 2 but 1 subscripts
ktdf.data_transfer from %l[%i] size [1, 64] to %s : memref<4x64xf16, "L1">, !ktdf.fifo.slot<"A" -> "B", 64xf16>
// expected-error SPY127: the source has rank 2 but 0 sizes
ktdf.data_transfer from %l[%i, 0] to %s : memref<4x64xf16, "L1">, !ktdf.fifo.slot<"A" -> "B", 64xf16>
// expected-error SPY127: the source has rank 2 but 1 sizes
ktdf.data_transfer from %l[%i, 0] size [64] to %s : memref<4x64xf16, "L1">, !ktdf.fifo.slot<"A" -> "B", 64xf16>
// expected-error SPY127: the source is a memref, which needs subscripts
ktdf.data_transfer from %l size [1, 64] to %s : memref<4x64xf16, "L1">, !ktdf.fifo.slot<"A" -> "B", 64xf16>
// expected-error SPY101: symbols are not allowed in these subscripts
ktdf.data_transfer from %l[%i + symbol(%j), 0] size [1, 64] to %s : memref<4x64xf16, "L1">, !ktdf.fifo.slot<"A" -> "B", 64xf16>
// expected-error SPY127: the source is a slot, which has no subscripts
ktdf.data_transfer from %s[0] to %l[0, 0] size [1, 64] : !ktdf.fifo.slot<"A" -> "B", 64xf16>, memref<4x64xf16, "L1">
// expected-error SPY127: element types differ: f32 and f16
ktdf.data_transfer from %h[0, 0] size [1, 64] to %s : memref<4x64xf32, "L1">, !ktdf.fifo.slot<"A" -> "B", 64xf16>
// expected-error SPY121: operand 'source' of 'ktdf.data_transfer' must be a ranked memref or a FIFO slot, not 'tensor<64xf16>'
ktdf.data_transfer from %t to %s : tensor<64xf16>, !ktdf.fifo.slot<"A" -> "B", 64xf16>
// expected-error SPY127: the source is a slot, which has no subscripts
"ktdf.data_transfer"(%s, %i, %s) <{operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0>}> : (!ktdf.fifo.slot<"A" -> "B", 64xf16>, index, !ktdf.fifo.slot<"A" -> "B", 64xf16>) -> ()
// expected-error SPY127: source_map has 1 dims but there are 0 indices
"ktdf.data_transfer"(%l, %s) <{operandSegmentSizes = array<i32: 1, 0, 0, 1, 0, 0>, source_map = affine_map<(d0) -> (d0, 0)>, static_source_sizes = array<i64: 1, 64>}> : (memref<4x64xf16, "L1">, !ktdf.fifo.slot<"A" -> "B", 64xf16>) -> ()
// expected-error SPY127: static_source_sizes has 0 dynamic sizes, not 1
"ktdf.data_transfer"(%l, %j, %s) <{operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0>, source_map = affine_map<() -> (0, 0)>, static_source_sizes = array<i64: 1, 64>}> : (memref<4x64xf16, "L1">, index, !ktdf.fifo.slot<"A" -> "B", 64xf16>) -> ()
// accepted
ktdf.data_transfer from %l[0, 0] size [9, 999] to %s size [3] : memref<4x64xf16, "L1">, !ktdf.fifo.slot<"A" -> "B", 64xf16>
// accepted
ktdf.data_transfer from %s to %s : !ktdf.fifo.slot<"A" -> "B", 64xf16>, !ktdf.fifo.slot<"A" -> "B", 64xf16>
// expected-error SPY101: a memref of rank 0 has no custom form: write the op in generic
ktdf.data_transfer from %z[] size [] to %s : memref<f16>, !ktdf.fifo.slot<"A" -> "B", 64xf16>
// expected-error SPY101: results of '%p' stand twice in one subscript list, which no public tool reads: give each result a name (%a, %b = …)
%p:2 = ktdp.get_compute_tile_id : index, index ktdf.data_transfer from %l[%p#0, %p#1] size [1, 64] to %s : memref<4x64xf16, "L1">, !ktdf.fifo.slot<"A" -> "B", 64xf16>
// ----- FIFOs
// expected-error SPY127: has 0 sizes for 1 dynamic slots
%p = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"A" -> "B", ?xf16>
// expected-error SPY127: has 1 sizes for 0 dynamic slots
%p = ktdf.fifo.allocate(%i) -> !ktdf.fifo.slot<"A" -> "B", 4xf16>
// expected-error SPY101: expected a type
%p = ktdf.fifo.allocate(%i) -> <"A" -> "B", ?xf16>
// expected-error SPY106: expected non-function type
ktdf.fifo.allocate() ->
// expected-error SPY127: the data has 63 elements but the slot 64
%p = ktdf.read_from_fifo %s : <"A" -> "B", 64xf16> -> tensor<63xf16>
// expected-error SPY127: element types differ: f16 and f32
%p = ktdf.read_from_fifo %s : <"A" -> "B", 64xf16> -> tensor<64xf32>
// expected-error SPY127: slot and data must have static sizes: public tools die of dynamic ones
%p = ktdf.read_from_fifo %s : <"A" -> "B", 64xf16> -> tensor<?xf16>
// expected-error SPY127: slot and data must have static sizes: public tools die of dynamic ones
%p = ktdf.read_from_fifo %d : <"A" -> "B", ?xf16> -> tensor<64xf16>
// expected-error SPY127: slot and data must have static sizes: public tools die of dynamic ones
%p = ktdf.read_from_fifo %d : <"A" -> "B", ?xf16> -> tensor<?xf16>
// expected-error SPY127: slot and data must have static sizes: public tools die of dynamic ones
ktdf.write_to_fifo %w, %d : tensor<?xf16>, <"A" -> "B", ?xf16>
// expected-error SPY121: operand 'value' of 'ktdf.write_to_fifo' must be a ranked tensor or a ranked memref, not 'vector<64xf16>'
ktdf.write_to_fifo %v, %s : vector<64xf16>, <"A" -> "B", 64xf16>
// ----- tokens, sizes, phases, opaque
// expected-error SPY101: attribute 'unique_id' must be an index integer
%p = "ktdf.create_token"() <{unique_id = 7 : i64}> : () -> !ktdf.token
// accepted
%p = "ktdf.create_token"() : () -> !ktdf.token
// accepted
%p = "ktdf.create_token"() {unique_id = 7 : index} : () -> !ktdf.token
// expected-error SPY122: 'ktdf.tiling.reserve_size' needs the attribute 'divisibility'
%p = ktdf.tiling.reserve_size {min_value = 8 : index} : index
// expected-error SPY123: attribute 'min_value' of 'ktdf.tiling.reserve_size' must be an index integer, not '8 : i64'
%p = ktdf.tiling.reserve_size {min_value = 8, divisibility = 4 : index} : index
// accepted
%p = ktdf.tiling.reserve_size {min_value = -8 : index, divisibility = 0 : index} : index
// expected-error SPY101: expected at least one [%iv : %size] pair
%p = ktdf.tiling.derive_size total_size = %i : index
// expected-error SPY121: result 'result' of 'ktdf.tiling.derive_size' must be index, not 'i32'
%p = ktdf.tiling.derive_size [%i : %j], total_size = %i : i32
// expected-error SPY101: expected at least one [%iv : %size] pair
%p = ktdf.tiling.linearize_index : index
// expected-error SPY127: needs at least one induction variable
%p = ktdf.buffer_phase() {num_phases = 2 : i64} : index
// expected-error SPY127: num_phases must be at least 2
%p = ktdf.buffer_phase(%i) {num_phases = 1 : i64} : index
// expected-error SPY122: 'ktdf.buffer_phase' needs the attribute 'num_phases'
%p = ktdf.buffer_phase(%i) : index
// expected-error SPY127: needs at least two candidates
%p = ktdf.select_memref %i[%l] : memref<4x64xf16, "L1">
// expected-error SPY106: use of value '%a' expects different type than prior uses: 'memref<4x64xf16, "L1">' vs 'memref<128x128xf16, "DDR">'
%p = ktdf.select_memref %i[%l, %a] : memref<4x64xf16, "L1">
// expected-error SPY127: has 2 candidates but the phase counts 3
%ph = ktdf.buffer_phase(%i) {num_phases = 3 : i64} : index %p = ktdf.select_memref %ph[%l, %l] : memref<4x64xf16, "L1">
// accepted
%c = arith.constant 7 : index %p = ktdf.select_memref %c[%l, %l] : memref<4x64xf16, "L1">
// expected-error SPY127: the results must have the types of the output tensors
%p = ktdf.opaque "X" -> tensor<64xf16> ins(%t: tensor<64xf16>) outs()
// expected-error SPY127: the results must have the types of the output tensors
%p = ktdf.opaque "X" -> tensor<64xf32> ins(%t: tensor<64xf16>) outs(%o: tensor<64xf16>)
// expected-error SPY121: operand 'outputs' of 'ktdf.opaque' must be a ranked tensor or a ranked memref, not 'index'
ktdf.opaque "X" ins(%t: tensor<64xf16>) outs(%i: index)
// expected-error SPY121: operand 'outputs' of 'ktdf.opaque' must be a ranked tensor or a ranked memref, not 'vector<64xf16>'
ktdf.opaque "X" ins() outs(%v: vector<64xf16>)
// expected-error SPY101: expected 'ins'
ktdf.opaque "X" outs() ins()
// expected-error SPY109: '#ktdf.loop_type<other>' is not a legal attribute of dialect 'ktdf'
scf.for %x = %i to %j step %i { } {loop_type = #ktdf.loop_type<other>}
// ----- types
func.func private @f(CASE)
// expected-error SPY109: '!ktdf.fifo.slot<L1LU -> SFU, 64xf16>' is not a legal type of dialect 'ktdf'
!ktdf.fifo.slot<L1LU -> SFU, 64xf16>
// expected-error SPY109: '!ktdf.fifo.slot<"A" -> "B", 64>' is not a legal type of dialect 'ktdf'
!ktdf.fifo.slot<"A" -> "B", 64>
// expected-error SPY109: '!ktdf.fifo.slot<"A" -> "B", f16>' is not a legal type of dialect 'ktdf'
!ktdf.fifo.slot<"A" -> "B", f16>
// expected-error SPY109: '!ktdf.fifo.slot<"A" -> "B", 4x4xf16>' is not a legal type of dialect 'ktdf'
!ktdf.fifo.slot<"A" -> "B", 4x4xf16>
// accepted
!ktdf.fifo.slot<"A" -> "B", -5xf16>
// accepted
!ktdf.fifo.slot<"A"->"B",64 x f16>
// ----- ktdf_lowering
func.func @f(%i: index, %j: index, %n: i32, %a: memref<128x128xf16, "DDR">, %l: memref<4x64xf16, "L1">, %h: memref<4x64xf32, "L1">, %z: memref<f16>, %s: !ktdf.fifo.slot<"A" -> "B", 64xf16>, %d: !ktdf.fifo.slot<"A" -> "B", ?xf16>, %k: !ktdf.token, %t: tensor<64xf16>, %o: tensor<64xf16>, %w: tensor<?xf16>, %v: vector<64xf16>) {
  CASE
  return
}
// expected-error SPY101: an empty body has no custom form: write the op in generic form
ktdf_lowering.execute_on %i { }
// expected-error SPY101: expected '{'
ktdf_lowering.execute_on(%i) { %c = arith.constant 1 : index }
// expected-error SPY106: expected operation name in quotes
ktdf_lowering.signal(%i, %j)
// expected-error SPY106: use of value '%n' expects different type than prior uses: 'index' vs 'i32'
ktdf_lowering.signal %n
// ----- forms with a readable text
func.func @f(%i: index, %j: index, %l: memref<4x64xf16, "L1">, %s: !ktdf.fifo.slot<"A" -> "B", 64xf16>) {
  CASE
  return
}
// accepted
ktdf_lowering.execute_on  { ktdf_lowering.signal }
// accepted
ktdf_lowering.execute_on %i, %j { ktdf_lowering.execute_on %i { ktdf_lowering.signal %i {note} } } {applicable_units = ["SFU"]}
// accepted
ktdf.data_transfer from %l[%i * 2 + 1, 0] size [%j, 64] to %s size [%i] : memref<4x64xf16, "L1">, !ktdf.fifo.slot<"A" -> "B", 64xf16>
// accepted
%x = ktdf.read_from_fifo %s : <"A" -> "B", 64xf16> -> memref<1x64xf16>
// accepted
ktdf.parallel (%x, %y, %id) = (%i, %j) to (%j, %i) step (%i, %i) distribute(num_instances = 2) { %z = arith.addi %x, %id : index ktdf.parallel_yield } {note}
// accepted
ktdf.opaque "no inputs" {func_name = "f"} ins() outs(%l: memref<4x64xf16, "L1">)
// ----- others
func.func @f(%i: index, %j: index, %n: i32, %a: memref<9x8xf16, "HOST">,
    %b: memref<32xi32>, %l: memref<2x8xf16, "SPM">, %h: memref<2x8xf32, "SPM">,
    %k: !ktdf.token, %t: tensor<8xf16>,
    %s: !ktdf.fifo.slot<"A" -> "B", 8xf16>, %d: !ktdf.fifo.slot<"A" -> "B", ?xf16>) {
  CASE
  return
}
// expected-error SPY106: cannot name an operation with no results
ktdf.pipeline { %p = ktdf.private { } {note} }
// expected-error SPY106: use of value '%i' expects different type than prior uses: '!ktdf.token' vs 'index'
ktdf.pipeline { ktdf.stage depends_in(%i) depends_out(none) { } }
// expected-error SPY120: 'ktdf.tiling.linearize_index' has the wrong number of operands: 3 operands do not fit (ivs…, strides…)
%p = "ktdf.tiling.linearize_index"(%i, %i, %j) : (index, index, index) -> index
// expected-error SPY127: exactly one of ind_src and ind_dst is an index buffer
ktdf.ind_data_transfer ind_src = none dir_src = %l[0, 0] size [1, 8] ind_dst = none dir_dst = %l[1, 0] size [1, 8] : none, memref<2x8xf16, "SPM">, none, memref<2x8xf16, "SPM">
// expected-error SPY127: the index buffer must have rank 1
ktdf.ind_data_transfer ind_src = %l[%i] dir_src = %l[0, 0] size [1, 8] ind_dst = none dir_dst = %l[1, 0] size [1, 8] : memref<2x8xf16, "SPM">, memref<2x8xf16, "SPM">, none, memref<2x8xf16, "SPM">
// expected-error SPY106: use of value '%b' expects different type than prior uses: 'none' vs 'memref<32xi32>'
ktdf.ind_data_transfer ind_src = %b[%i] dir_src = %l[0, 0] size [1, 8] ind_dst = none dir_dst = %l[1, 0] size [1, 8] : none, memref<2x8xf16, "SPM">, none, memref<2x8xf16, "SPM">
// expected-error SPY102: there is no operation 'transfer' in dialect 'ktdf'
ktdf.transfer %i
// ----- others
func.func private @f(CASE)
// expected-error SPY109: '!ktdf.token<1>' is not a legal type of dialect 'ktdf'
!ktdf.token<1>
// ----- each rule on the other side too
func.func @f(%i: index, %j: index, %n: i32, %a: memref<128x128xf16, "DDR">, %l: memref<4x64xf16, "L1">, %h: memref<4x64xf32, "L1">, %z: memref<f16>, %s: !ktdf.fifo.slot<"A" -> "B", 64xf16>, %d: !ktdf.fifo.slot<"A" -> "B", ?xf16>, %s3: !ktdf.fifo.slot<"A" -> "B", 64xf32>, %k: !ktdf.token, %t: tensor<64xf16>, %o: tensor<64xf16>, %w: tensor<?xf16>, %v: vector<64xf16>) {
  CASE
  return
}
// accepted
ktdf.pipeline modulo(size: 2) { }
// expected-error SPY127: 'ktdf.pipeline': modulo must be at least 1
ktdf.pipeline modulo(size : -1) { }
// expected-error SPY101: expected ')'
ktdf.pipeline modulo(size : 2 : i64) { }
// expected-error SPY127: 'ktdf.private': yields (index) but has the results ()
ktdf.pipeline { ktdf.private { ktdf.private_yield %i : index } }
// expected-error SPY127: 'ktdf.private': yields (index) but has the results (index, index)
ktdf.pipeline { %p:2 = ktdf.private -> (index, index) { ktdf.private_yield %i : index } }
// expected-error SPY127: 'ktdf.parallel': needs at least one loop
"ktdf.parallel"() <{num_instances = 2 : i64}> ({ ^bb0(%x: index): "ktdf.parallel_yield"() : () -> () }) : () -> ()
// expected-error SPY122: 'ktdf.parallel' needs the attribute 'num_instances'
"ktdf.parallel"(%i, %j, %i) ({ ^bb0(%x: index, %y: index): "ktdf.parallel_yield"() : () -> () }) : (index, index, index) -> ()
// expected-error SPY123: attribute 'num_instances' of 'ktdf.parallel' must be an i64, not '2 : i32'
"ktdf.parallel"(%i, %j, %i) <{num_instances = 2 : i32}> ({ ^bb0(%x: index, %y: index): "ktdf.parallel_yield"() : () -> () }) : (index, index, index) -> ()
// expected-error SPY106: 'func.return' op expects parent op 'func.func'
"ktdf.parallel"(%i, %j, %i) <{num_instances = 2 : i64}> ({ ^bb0(%x: index, %y: index): "func.return"() : () -> () }) : (index, index, index) -> ()
// expected-error SPY121: operand 'step' of 'ktdf.parallel' must be index, not 'i32'
"ktdf.parallel"(%i, %j, %n) <{num_instances = 2 : i64}> ({ ^bb0(%x: index, %y: index): "ktdf.parallel_yield"() : () -> () }) : (index, index, i32) -> ()
// expected-error SPY127: 'ktdf.data_transfer': the destination has rank 2 but 1 subscripts
ktdf.data_transfer from %s to %l[%i] size [1, 64] : !ktdf.fifo.slot<"A" -> "B", 64xf16>, memref<4x64xf16, "L1">
// expected-error SPY127: 'ktdf.data_transfer': the destination has rank 2 but 0 sizes
ktdf.data_transfer from %s to %l[%i, 0] : !ktdf.fifo.slot<"A" -> "B", 64xf16>, memref<4x64xf16, "L1">
// expected-error SPY127: 'ktdf.data_transfer': the destination has rank 2 but 1 sizes
ktdf.data_transfer from %s to %l[%i, 0] size [64] : !ktdf.fifo.slot<"A" -> "B", 64xf16>, memref<4x64xf16, "L1">
// expected-error SPY127: 'ktdf.data_transfer': the destination is a memref, which needs subscripts
ktdf.data_transfer from %s to %l size [1, 64] : !ktdf.fifo.slot<"A" -> "B", 64xf16>, memref<4x64xf16, "L1">
// expected-error SPY101: symbols are not allowed in these subscripts
ktdf.data_transfer from %s to %l[symbol(%i), 0] size [1, 64] : !ktdf.fifo.slot<"A" -> "B", 64xf16>, memref<4x64xf16, "L1">
// expected-error SPY127: 'ktdf.data_transfer': the destination is a slot, which has no subscripts
ktdf.data_transfer from %l[%i, 0] size [1, 64] to %s[0] : memref<4x64xf16, "L1">, !ktdf.fifo.slot<"A" -> "B", 64xf16>
// expected-error SPY127: 'ktdf.data_transfer': element types differ: f16 and f32
ktdf.data_transfer from %l[%i, 0] size [1, 64] to %s3 : memref<4x64xf16, "L1">, !ktdf.fifo.slot<"A" -> "B", 64xf32>
// expected-error SPY121: operand 'destination' of 'ktdf.data_transfer' must be a ranked memref or a FIFO slot, not 'tensor<64xf16>'
ktdf.data_transfer from %l[%i, 0] size [1, 64] to %t : memref<4x64xf16, "L1">, tensor<64xf16>
// expected-error SPY127: 'ktdf.data_transfer': dest_map has 1 dims but there are 0 indices
"ktdf.data_transfer"(%s, %l) <{operandSegmentSizes = array<i32: 1, 0, 0, 1, 0, 0>, dest_map = affine_map<(d0) -> (d0, 0)>, static_dest_sizes = array<i64: 1, 64>}> : (!ktdf.fifo.slot<"A" -> "B", 64xf16>, memref<4x64xf16, "L1">) -> ()
// expected-error SPY127: 'ktdf.data_transfer': static_dest_sizes has 0 dynamic sizes, not 1
"ktdf.data_transfer"(%s, %l, %i) <{operandSegmentSizes = array<i32: 1, 0, 0, 1, 0, 1>, dest_map = affine_map<() -> (0, 0)>, static_dest_sizes = array<i64: 1, 64>}> : (!ktdf.fifo.slot<"A" -> "B", 64xf16>, memref<4x64xf16, "L1">, index) -> ()
// expected-error SPY127: 'ktdf.data_transfer': dest_map must have no symbols
"ktdf.data_transfer"(%s, %l, %i) <{operandSegmentSizes = array<i32: 1, 0, 0, 1, 1, 0>, dest_map = affine_map<()[s0] -> (s0, 0)>, static_dest_sizes = array<i64: 1, 64>}> : (!ktdf.fifo.slot<"A" -> "B", 64xf16>, memref<4x64xf16, "L1">, index) -> ()
// expected-error SPY127: 'ktdf.data_transfer': static_dest_sizes is missing although there are dest_sizes
"ktdf.data_transfer"(%s, %l, %i) <{operandSegmentSizes = array<i32: 1, 0, 0, 1, 0, 1>, dest_map = affine_map<() -> (0, 0)>}> : (!ktdf.fifo.slot<"A" -> "B", 64xf16>, memref<4x64xf16, "L1">, index) -> ()
// accepted
"ktdf.data_transfer"(%z, %s) <{operandSegmentSizes = array<i32: 1, 0, 0, 1, 0, 0>, source_map = affine_map<() -> ()>}> : (memref<f16>, !ktdf.fifo.slot<"A" -> "B", 64xf16>) -> ()
// accepted
ktdf.data_transfer from %l[0, 0] size [%i, 64] to %l[1, 0] size [1, %j] : memref<4x64xf16, "L1">, memref<4x64xf16, "L1">
// accepted
ktdf.data_transfer from %l[0, 0] size [1, 64] to %s via ["L1"] : memref<4x64xf16, "L1">, !ktdf.fifo.slot<"A" -> "B", 64xf16>
// expected-error SPY127: 'ktdf.read_from_fifo': the data has 72 elements but the slot 64
%p = ktdf.read_from_fifo %s : <"A" -> "B", 64xf16> -> tensor<8x9xf16>
// accepted
%p = ktdf.read_from_fifo %s : <"A" -> "B", 64xf16> -> memref<8x8xf16>
// expected-error SPY127: 'ktdf.read_from_fifo': element types differ: f16 and f32
%p = ktdf.read_from_fifo %s : <"A" -> "B", 64xf16> -> memref<8x8xf32>
// expected-error SPY121: result 'result' of 'ktdf.read_from_fifo' must be a ranked tensor or a ranked memref, not 'vector<64xf16>'
%p = ktdf.read_from_fifo %s : <"A" -> "B", 64xf16> -> vector<64xf16>
// expected-error SPY121: operand 'slot' of 'ktdf.read_from_fifo' must be a FIFO slot, not 'tensor<64xf16>'
%p = ktdf.read_from_fifo %t : tensor<64xf16> -> tensor<64xf16>
// accepted
%p = ktdf.read_from_fifo %s : !ktdf.fifo.slot<"A" -> "B", 64xf16> -> tensor<64xf16>
// expected-error SPY127: 'ktdf.write_to_fifo': element types differ: f32 and f16
ktdf.write_to_fifo %t, %s3 : tensor<64xf16>, <"A" -> "B", 64xf32>
// expected-error SPY127: 'ktdf.write_to_fifo': slot and data must have static sizes: public tools die of dynamic ones
ktdf.write_to_fifo %w, %s : tensor<?xf16>, <"A" -> "B", 64xf16>
// expected-error SPY127: 'ktdf.write_to_fifo': slot and data must have static sizes: public tools die of dynamic ones
ktdf.write_to_fifo %t, %d : tensor<64xf16>, <"A" -> "B", ?xf16>
// expected-error SPY127: 'ktdf.write_to_fifo': the data has 256 elements but the slot 64
ktdf.write_to_fifo %l, %s : memref<4x64xf16, "L1">, <"A" -> "B", 64xf16>
// expected-error SPY127: 'ktdf.tiling.derive_size': needs at least one pair
%p = "ktdf.tiling.derive_size"(%i) : (index) -> index
// expected-error SPY120: 'ktdf.tiling.derive_size' has the wrong number of operands: 2 operands do not fit (ivs…, tile_sizes…, total_size)
%p = "ktdf.tiling.derive_size"(%i, %i) : (index, index) -> index
// expected-error SPY127: 'ktdf.tiling.linearize_index': needs at least one pair
%p = "ktdf.tiling.linearize_index"() : () -> index
// expected-error SPY106: use of value '%n' expects different type than prior uses: 'index' vs 'i32'
%p = ktdf.tiling.linearize_index [%i : %n] : index
// accepted
%p = ktdf.tiling.linearize_index [%i : %j] [%j : %i] : index
// accepted
%p = ktdf.buffer_phase(%i, %j) {num_phases = 3 : i64} : index
// expected-error SPY123: attribute 'num_phases' of 'ktdf.buffer_phase' must be an i64, not '2 : i32'
%p = ktdf.buffer_phase(%i) {num_phases = 2 : i32} : index
// expected-error SPY106: use of value '%n' expects different type than prior uses: 'index' vs 'i32'
%p = ktdf.buffer_phase(%n) {num_phases = 2 : i64} : index
// accepted
%c = arith.constant 1 : index %p = ktdf.buffer_phase(%i, %c) {num_phases = 3 : i64} : index %q = ktdf.select_memref %p[%l, %l, %l] : memref<4x64xf16, "L1">
// expected-error SPY127: 'ktdf.select_memref': the candidates and the result must have one type
%p = "ktdf.select_memref"(%i, %l, %h) : (index, memref<4x64xf16, "L1">, memref<4x64xf32, "L1">) -> memref<4x64xf16, "L1">
// expected-error SPY127: 'ktdf.select_memref': the candidates and the result must have one type
%p = "ktdf.select_memref"(%i, %l, %l) : (index, memref<4x64xf16, "L1">, memref<4x64xf16, "L1">) -> memref<4x64xf32, "L1">
// expected-error SPY121: operand 'candidates' of 'ktdf.select_memref' must be a ranked memref, not 'tensor<64xf16>'
%p = "ktdf.select_memref"(%i, %t, %t) : (index, tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
// accepted
ktdf.opaque "X" ins() outs()
// accepted
%p, %q = ktdf.opaque "X" -> tensor<64xf16>, tensor<64xf16> ins(%t, %n: tensor<64xf16>, i32) outs(%o, %l, %o: tensor<64xf16>, memref<4x64xf16, "L1">, tensor<64xf16>)
// expected-error SPY123: attribute 'template_name' of 'ktdf.opaque' must be a string, not '3 : i64'
ktdf.opaque 3 ins() outs()
// expected-error SPY122: 'ktdf.opaque' needs the attribute 'template_name'
"ktdf.opaque"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> ()
// expected-error SPY121: result 'results' of 'ktdf.opaque' must be a ranked tensor, not 'memref<4x64xf16, "L1">'
%p = ktdf.opaque "X" -> memref<4x64xf16, "L1"> ins() outs(%l: memref<4x64xf16, "L1">)
// expected-error SPY127: 'ktdf.opaque': the results must have the types of the output tensors
ktdf.opaque "X" ins(%t: tensor<64xf16>) outs(%o: tensor<64xf16>)
// expected-error SPY124: 'ktdf_lowering.execute_on' needs a region of one block, not 0
"ktdf_lowering.execute_on"(%i) ({ }) : (index) -> ()
// accepted
"ktdf_lowering.execute_on"(%i) ({ ^bb0: }) : (index) -> ()
// ----- types
func.func private @f(CASE)
// expected-error SPY109: '!ktdf.fifo.slot<"A" -> "B", 4xfoo>' is not a legal type of dialect 'ktdf'
!ktdf.fifo.slot<"A" -> "B", 4xfoo>
// expected-error SPY109: '!ktdf.fifo.slot<[1,] -> "B", 4xf16>' is not a legal type of dialect 'ktdf'
!ktdf.fifo.slot<[1,] -> "B", 4xf16>
// expected-error SPY109: '!ktdf.fifo.slot<"A", 4xf16>' is not a legal type of dialect 'ktdf'
!ktdf.fifo.slot<"A", 4xf16>
// expected-error SPY109: '!ktdf.fifo.slot<"A" -> "B", 4xi99999999>' is not a legal type of dialect 'ktdf'
!ktdf.fifo.slot<"A" -> "B", 4xi99999999>
// accepted
!ktdf.fifo.slot<#ktdp.memory_space<global> -> 1, ?xvector<[4]x2xf16>>
// accepted
!ktdf.fifo.slot<affine_map<(d0) -> (d0)> -> array<i64: 1>, 4xmemref<?xtuple<f32, complex<f8E4M3FN>>, "L1">>
