#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 23 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 23 >= 0)>
#set3 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#set4 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 23 >= 0, d1 >= 0, -d1 + 15 >= 0)>
#set5 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 23 >= 0)>
module {
  func.func @matmul(%a: index {spyrelang.name = "a", spyrelang.role = "in"}, %b: index {spyrelang.name = "b", spyrelang.role = "in"}, %c: index {spyrelang.name = "c", spyrelang.role = "out"}) attributes {grid = [2]} {
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %a_view = ktdp.construct_memory_view %a, sizes: [16, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<16x64xf16>
    %b_view = ktdp.construct_memory_view %b, sizes: [24, 64], strides: [64, 1] {coordinate_set = #set1, memory_space = #ktdp.memory_space<global>} : memref<24x64xf16>
    %c_view = ktdp.construct_memory_view %c, sizes: [16, 24], strides: [24, 1] {coordinate_set = #set2, memory_space = #ktdp.memory_space<global>} : memref<16x24xf16>
    %tile = ktdp.get_compute_tile_id : index
    %row = arith.muli %tile, %c8 : index
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<8x24xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<8x24xf32>) -> tensor<8x24xf32>
    %2:2 = scf.for %_i = %c0 to %c4 step %c1 iter_args(%k = %c0, %acc = %1) -> (index, tensor<8x24xf32>) {
      %a_tile = ktdp.construct_access_tile %a_view[%row, %k] {access_tile_order = #map, access_tile_set = #set3} : memref<16x64xf16> -> !ktdp.access_tile<8x16xindex>
      %b_tile = ktdp.construct_access_tile %b_view[0, %k] {access_tile_order = #map, access_tile_set = #set4} : memref<24x64xf16> -> !ktdp.access_tile<24x16xindex>
      %b_0 = ktdp.load %b_tile : <24x16xindex> -> tensor<24x16xf16>
      %acc_1 = ktdp.load %a_tile : <8x16xindex> -> tensor<8x16xf16>
      %acc_2 = linalg.matmul indexing_maps = [#map1, #map2, #map3] ins(%acc_1, %b_0 : tensor<8x16xf16>, tensor<24x16xf16>) outs(%acc : tensor<8x24xf32>) -> tensor<8x24xf32>
      %k_3 = arith.addi %k, %c16 : index
      scf.yield %k_3, %acc_2 : index, tensor<8x24xf32>
    }
    %3 = tensor.empty() : tensor<8x24xf16>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%2#1 : tensor<8x24xf32>) outs(%3 : tensor<8x24xf16>) {
    ^bb0(%in: f32, %out: f16):
      %5 = arith.truncf %in : f32 to f16
      linalg.yield %5 : f16
    } -> tensor<8x24xf16>
    %c_tile = ktdp.construct_access_tile %c_view[%row, 0] {access_tile_order = #map, access_tile_set = #set5} : memref<16x24xf16> -> !ktdp.access_tile<8x24xindex>
    ktdp.store %4, %c_tile : tensor<8x24xf16>, <8x24xindex>
    return
  }
}
