module {
  func.func @pipelines(%arg0: index, %arg1: index) {
    %0 = ktdf.create_token {tag} : !ktdf.token
    ktdf.pipeline modulo(size : 3) {
      %1:2 = ktdf.private -> (memref<2x8xf32, "SPM">, !ktdf.token) {
        %2 = ktdf.create_token : !ktdf.token
        %alloc = memref.alloc() : memref<2x8xf32, "SPM">
        ktdf.private_yield %alloc, %2 : memref<2x8xf32, "SPM">, !ktdf.token
      } attributes {tag = "p"}
      ktdf.stage depends_in(none) depends_out(%0, %1#1) {
        %2 = arith.addi %arg0, %arg1 : index
      } {applicable_units = ["READ"]}
      ktdf.stage depends_in(%1#1) depends_out(none) {
        ktdf.pipeline {
          ktdf.private {
          }
          ktdf.stage depends_in(none) depends_out(none) {
          }
        } {tag}
      }
    }
    ktdf.parallel (%arg2, %arg3, %arg4) = (%arg0, %arg1) to (%arg1, %arg1) step (%arg0, %arg0) distribute(num_instances = 5) {
      %1 = arith.muli %arg2, %arg4 : index
      ktdf.parallel_yield {tag}
    } {tag}
    scf.for %arg2 = %arg0 to %arg1 step %arg0 {
    } {loop_type = #ktdf.loop_type<reduction_loop>}
    return
  }
  func.func @transfers(%arg0: memref<9x8xf32, "HOST">, %arg1: memref<2x8xf32, "SPM">, %arg2: !ktdf.fifo.slot<"READ" -> "VEC", 8xf32>, %arg3: !ktdf.fifo.slot<"READ" -> "VEC", ?xf32>, %arg4: index) {
    ktdf.data_transfer from %arg0[%arg4 * 2, 0] size [2, 8] to %arg1[0, 0] size [2, 8] : memref<9x8xf32, "HOST">, memref<2x8xf32, "SPM">
    ktdf.data_transfer from %arg1[%arg4 mod 2, 0] size [1, %arg4] to %arg3 size [%arg4] {tag} : memref<2x8xf32, "SPM">, !ktdf.fifo.slot<"READ" -> "VEC", ?xf32>
    ktdf.data_transfer from %arg2 to %arg1[1, 0] size [1, 8] : !ktdf.fifo.slot<"READ" -> "VEC", 8xf32>, memref<2x8xf32, "SPM">
    %0:2 = ktdf.fifo.allocate(%arg4) -> !ktdf.fifo.slot<"VEC" -> "WRITE", ?xf32>, !ktdf.fifo.slot<2 : i32 -> [@a], 4xvector<2xf16>>
    %1 = ktdf.read_from_fifo %arg2 : <"READ" -> "VEC", 8xf32> -> tensor<2x4xf32>
    %2 = ktdf.read_from_fifo %arg2 {tag} : <"READ" -> "VEC", 8xf32> -> memref<8xf32>
    ktdf.write_to_fifo %1, %arg2 : tensor<2x4xf32>, <"READ" -> "VEC", 8xf32>
    return
  }
  func.func @gather(%arg0: memref<32xi32, "IAB">, %arg1: memref<9x8xf32, "HOST">, %arg2: memref<2x8xf32, "SPM">, %arg3: index) {
    ktdf.ind_data_transfer
      ind_src = %arg0[%arg3]
      dir_src = %arg1[0, 0] size [1, 8]
      ind_dst = none
      dir_dst = %arg2[%arg3, 0] size [1, 8] : memref<32xi32, "IAB">, memref<9x8xf32, "HOST">, none, memref<2x8xf32, "SPM">
    ktdf.ind_data_transfer
      ind_src = none
      dir_src = %arg2[1, 0] size [1, %arg3]
      ind_dst = %arg0[%arg3]
      dir_dst = %arg1[0, 0] size [1, %arg3] {tag} : none, memref<2x8xf32, "SPM">, memref<32xi32, "IAB">, memref<9x8xf32, "HOST">
    ktdf.data_transfer from %arg1[0, 0] size [1, 8] to %arg2[0, 0] size [1, 8] via ["L2"] {tag} : memref<9x8xf32, "HOST">, memref<2x8xf32, "SPM">
    return
  }
  func.func @sizes(%arg0: index, %arg1: index, %arg2: memref<4xf16, "SPM">) {
    %0 = ktdf.tiling.reserve_size {divisibility = 2 : index, min_value = 4 : index} : index
    %1 = ktdf.tiling.derive_size [%arg0 : %0], [%arg1 : %0], total_size = %arg1 : index
    %2 = ktdf.tiling.linearize_index [%arg0 : %0], [%arg1 : %arg1] {tag} : index
    %3 = ktdf.buffer_phase(%arg0, %arg1) {num_phases = 3 : i64} : index
    %4 = ktdf.select_memref %3[%arg2, %arg2, %arg2] : memref<4xf16, "SPM">
    return
  }
  func.func @templates(%arg0: tensor<8xf16>, %arg1: memref<8xf16>, %arg2: i32) {
    %GATE, %GATE_0 = ktdf.opaque "GATE" {func_name = "gate"} -> tensor<8xf16>, tensor<8xf16>
      ins(%arg0, %arg2: tensor<8xf16>, i32)
      outs(%arg0, %arg0: tensor<8xf16>, tensor<8xf16>)
    ktdf.opaque "in place"
      ins()
      outs(%arg1: memref<8xf16>)
    return
  }
  func.func @units(%arg0: index, %arg1: index) {
    ktdf_lowering.execute_on %arg0, %arg1 {
      ktdf_lowering.signal %arg0, %arg1
      ktdf_lowering.signal %arg1 {tag}
    } {applicable_units = ["VEC"]}
    return
  }
}
