#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#set3 = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#set4 = affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>
#set5 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 31 >= 0)>
module {
  func.func @outer(%col: index {spyrelang.name = "col", spyrelang.role = "in"}, %row: index {spyrelang.name = "row", spyrelang.role = "in"}, %out: index {spyrelang.name = "out", spyrelang.role = "out"}) attributes {grid = [2, 2]} {
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %col_view = ktdp.construct_memory_view %col, sizes: [16], strides: [1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<16xf32>
    %row_view = ktdp.construct_memory_view %row, sizes: [64], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.memory_space<global>} : memref<64xf16>
    %out_view = ktdp.construct_memory_view %out, sizes: [16, 64], strides: [64, 1] {coordinate_set = #set2, memory_space = #ktdp.memory_space<global>} : memref<16x64xf32>
    %tile:2 = ktdp.get_compute_tile_id : index, index
    %0 = arith.muli %tile#0, %c8 : index
    %j:2 = ktdp.get_compute_tile_id : index, index
    %col_tile = ktdp.construct_access_tile %col_view[%0] {access_tile_order = #map, access_tile_set = #set3} : memref<16xf32> -> !ktdp.access_tile<8xindex>
    %col_0 = ktdp.load %col_tile : <8xindex> -> tensor<8xf32>
    %1 = arith.muli %j#1, %c32 : index
    %row_tile = ktdp.construct_access_tile %row_view[%1] {access_tile_order = #map, access_tile_set = #set4} : memref<64xf16> -> !ktdp.access_tile<32xindex>
    %row_1 = ktdp.load %row_tile : <32xindex> -> tensor<32xf16>
    %2 = tensor.empty() : tensor<32xf32>
    %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%row_1 : tensor<32xf16>) outs(%2 : tensor<32xf32>) {
    ^bb0(%in: f16, %out_2: f32):
      %9 = arith.extf %in : f16 to f32
      linalg.yield %9 : f32
    } -> tensor<32xf32>
    %3 = tensor.empty() : tensor<8x32xf32>
    %product = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%col_0, %r : tensor<8xf32>, tensor<32xf32>) outs(%3 : tensor<8x32xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out_3: f32):
      %9 = arith.mulf %in, %in_2 : f32
      linalg.yield %9 : f32
    } -> tensor<8x32xf32>
    %4 = tensor.empty() : tensor<8x32xi1>
    %5 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%product : tensor<8x32xf32>) outs(%4 : tensor<8x32xi1>) {
    ^bb0(%in: f32, %out_2: i1):
      %cst = arith.constant 1.000000e+00 : f32
      %9 = arith.cmpf ogt, %in, %cst : f32
      linalg.yield %9 : i1
    } -> tensor<8x32xi1>
    %6 = tensor.empty() : tensor<8x32xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%5, %product : tensor<8x32xi1>, tensor<8x32xf32>) outs(%6 : tensor<8x32xf32>) {
    ^bb0(%in: i1, %in_2: f32, %out_3: f32):
      %cst = arith.constant 1.000000e+00 : f32
      %9 = arith.select %in, %cst, %in_2 : f32
      linalg.yield %9 : f32
    } -> tensor<8x32xf32>
    %8 = arith.muli %j#1, %c32 : index
    %out_tile = ktdp.construct_access_tile %out_view[%0, %8] {access_tile_order = #map3, access_tile_set = #set5} : memref<16x64xf32> -> !ktdp.access_tile<8x32xindex>
    ktdp.store %7, %out_tile : tensor<8x32xf32>, <8x32xindex>
    return
  }
}
