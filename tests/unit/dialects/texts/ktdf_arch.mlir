#ALU = {kind = "ALU", ktdf_arch.features = {ktdf_arch.feature.compute, ktdf_arch.feature.simd = {lanes = #ktdf_arch.map<f16 = 8 : i64, i1 = 8 : i64>}}}
#L1 = {kind = "L1", size = 64 : i64}
#L1_1 = {id = "b", kind = "L1", size = 32 : i64}
#RAM = {kind = "RAM", size = 4096 : i64}
#core = {kind = "core", spyrelang.cores = 4 : i64}
#link = {id = "first", kind = "link", ktdf_arch.bandwidth = 16 : i64}
#load_unit = {kind = "load unit", ktdf_arch.features = {ktdf_arch.feature.load = {access_granularity = #ktdf_arch.map<"RAM" = [{align_in_words = 2 : i64, size_in_words = 4 : i64}]>, word_size = #ktdf_arch.map<"RAM" = 2 : i64>}, other.feature = 3 : i32}}
#map = affine_map<(d0) -> (-d0 + 1)>
module {
  ktdf_arch.device @whole attributes {mem_space_mapping = #ktdf_arch.map<#ktdp.memory_space<global> = "RAM", #ktdp.memory_space<ct_local> = "L1">, version = 2 : i64} {
    %memory = memory #RAM
    group @g #core share(%memory) {
      %memory_0 = memory #L1
      %memory_1 = memory @b #L1_1
      %exec_unit = exec_unit #load_unit
      %switch:2 = switch [2]
      %switch_2 = switch [1] {connectivity = dense<false> : tensor<1x1xi1>, id = "s"}
      datapath @first #link %memory to %exec_unit : memory, exec_unit
      datapath %exec_unit to %switch#0 : exec_unit, port
      %exec_unit_3:2 = group {note = "pair"} share(%memory_0, %memory) {
        %exec_unit_4 = exec_unit #ALU
        %exec_unit_5 = exec_unit
        datapath {ktdf_arch.features = {ktdf_arch.feature.queue = {depth = 2 : i64, ordered}}, ktdf_arch.transfer_granularity = array<i64: 16, 2>} %memory to %exec_unit_4 : memory, exec_unit
        yield %exec_unit_4, %exec_unit_5
      } -> exec_unit, exec_unit
      datapath %switch#1 to %exec_unit_3#0 : port, exec_unit
      %neighborhood = neighborhood %exec_unit_3#0, %exec_unit_3#1 : (exec_unit, exec_unit)[4] {
        yield %exec_unit_3#1, %exec_unit_3#0
      }
      %neighbor:2 = neighbor #map in %neighborhood
      datapath %exec_unit_3#1 to %neighbor#0 : exec_unit, exec_unit
    }
    patterns {
    }
    patterns ["pre_mapping", "mine"] attributes {note} {
      pdl.pattern : benefit(3) {
        %0 = type : f16
        %1 = operand : %0
        %2 = operation "spyreop.exp"(%1 : !pdl.value)  -> (%0 : !pdl.type)
        %3 = apply_native_constraint "ktdf_arch.mapped_to"(%2 : !pdl.operation) : !pdl.attribute {isNegated = true}
        rewrite %2 {
          %4 = attribute = #spyreop.reduction_kind<add>
          apply_native_rewrite "ktdf_arch.map_to"(%2, %4 : !pdl.operation, !pdl.attribute)
        }
      }
    }
  }
  ktdf_arch.device @elsewhere attributes {note = 1 : i32} import("dir/file.mlir")
  func.func @user(%arg0: f16) attributes {ktdf_arch.maps_to = @whole} {
    %0 = arith.negf %arg0 {ktdf_arch.features = {ktdf_arch.feature.compute}} : f16
    return
  }
}
