#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 31 >= 0)>
module {
  func.func @ops(%arg0: index, %arg1: index, %arg2: f16, %arg3: f32, %arg4: i32, %arg5: i64, %arg6: memref<8x32xf16>, %arg7: memref<16xi32>, %arg8: tensor<8x32xf16>, %arg9: vector<32xf16>, %arg10: vector<32xi1>, %arg11: memref<2x32xf16>, %arg12: !ktdf.fifo.slot<"READ" -> "VEC", 32xf16>, %arg13: !ktdp.runtime_arg<i32, granularity=4, upperbound=512>) {
    %0:2 = ktdp.get_compute_tile_id : index, index
    %1 = ktdp.construct_memory_view %arg0, sizes: [4, 32], strides: [32, 2] {coordinate_set = #set, memory_space = #ktdp.memory_space<ct_local, ct_id = 3>} : memref<4x32xf16>
    %2 = ktdp.construct_memory_view %arg0, sizes: [%arg1, 32], strides: [32, %arg1] {coordinate_set = #set, memory_space = #ktdp.memory_space<ct_local, ct_id = 7>} : memref<?x32xf16>
    %3 = ktdp.construct_distributed_memory_view(%arg6, %arg6 : memref<8x32xf16>, memref<8x32xf16>) : memref<16x32xf16>
    %4 = ktdp.construct_access_tile %arg6[%arg0 + 1, %arg1] {access_tile_order = #map, access_tile_set = #set} : memref<8x32xf16> -> !ktdp.access_tile<4x32xindex>
    %5 = ktdp.load %4 : <4x32xindex> -> tensor<4x32xf16>
    ktdp.store %5, %4 : tensor<4x32xf16>, <4x32xindex>
    %6 = ktdp.construct_indirect_access_tile intermediate_variables(%arg14, %arg15) %arg6[ind(%arg7[%arg14 + 2]), (%arg15)] {variables_space_order = #map, variables_space_set = #set} : memref<8x32xf16>, memref<16xi32> -> !ktdp.access_tile<4x32xindex>
    %7 = ktdp.runtime_arg_extract value from %arg13 : <i32, granularity=4, upperbound=512> -> i32
    %8 = ktdp.runtime_arg_extract granularity from %arg13 : <i32, granularity=4, upperbound=512> -> index
    return
  }
}
