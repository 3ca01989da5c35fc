#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 9 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>
module {
  func.func @bias_gelu(%x: index {spyrelang.name = "x", spyrelang.role = "in"}, %bias: index {spyrelang.name = "bias", spyrelang.role = "in"}, %out: index {spyrelang.name = "out", spyrelang.role = "out"}) attributes {grid = [4]} {
    %c10 = arith.constant 10 : index
    %c4 = arith.constant 4 : index
    %x_view = ktdp.construct_memory_view %x, sizes: [10, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<10x64xf16>
    %bias_view = ktdp.construct_memory_view %bias, sizes: [64], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
    %out_view = ktdp.construct_memory_view %out, sizes: [10, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<10x64xf16>
    %bias_tile = ktdp.construct_access_tile %bias_view[0] {access_tile_order = #map, access_tile_set = #set1} : memref<64xf16> -> !ktdp.access_tile<64xindex>
    %b = ktdp.load %bias_tile : <64xindex> -> tensor<64xf16>
    %tile = ktdp.get_compute_tile_id : index
    scf.for %row = %tile to %c10 step %c4 {
      %x_tile = ktdp.construct_access_tile %x_view[%row, 0] {access_tile_order = #map1, access_tile_set = #set2} : memref<10x64xf16> -> !ktdp.access_tile<1x64xindex>
      %v = ktdp.load %x_tile : <1x64xindex> -> tensor<1x64xf16>
      %0 = tensor.empty() : tensor<1x64xf16>
      %1 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<1x64xf16>) outs(%0 : tensor<1x64xf16>) {
      ^bb0(%in: f16, %out_0: f16):
        %cst = arith.constant 5.000000e-01 : f16
        %6 = arith.mulf %in, %cst : f16
        linalg.yield %6 : f16
      } -> tensor<1x64xf16>
      %2 = tensor.empty() : tensor<1x64xf16>
      %3 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%1, %b : tensor<1x64xf16>, tensor<64xf16>) outs(%2 : tensor<1x64xf16>) {
      ^bb0(%in: f16, %in_0: f16, %out_1: f16):
        %6 = arith.addf %in, %in_0 : f16
        linalg.yield %6 : f16
      } -> tensor<1x64xf16>
      %4 = tensor.empty() : tensor<1x64xf16>
      %5 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<1x64xf16>) outs(%4 : tensor<1x64xf16>) {
      ^bb0(%in: f16, %out_0: f16):
        %6 = spyreop.gelu %in : f16
        linalg.yield %6 : f16
      } -> tensor<1x64xf16>
      %out_tile = ktdp.construct_access_tile %out_view[%row, 0] {access_tile_order = #map1, access_tile_set = #set2} : memref<10x64xf16> -> !ktdp.access_tile<1x64xindex>
      ktdp.store %5, %out_tile : tensor<1x64xf16>, <1x64xindex>
    }
    return
  }
}
