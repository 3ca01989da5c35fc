#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (0)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 12 >= 0, d1 >= 0, -d1 + 96 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 96 >= 0)>
module {
  func.func @softmax(%x: index {spyrelang.name = "x", spyrelang.role = "in"}, %out: index {spyrelang.name = "out", spyrelang.role = "out"}) attributes {grid = [4]} {
    %c13 = arith.constant 13 : index
    %c4 = arith.constant 4 : index
    %x_view = ktdp.construct_memory_view %x, sizes: [13, 97], strides: [97, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<13x97xf16>
    %out_view = ktdp.construct_memory_view %out, sizes: [13, 97], strides: [97, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<13x97xf16>
    %tile = ktdp.get_compute_tile_id : index
    scf.for %row = %tile to %c13 step %c4 {
      %x_tile = ktdp.construct_access_tile %x_view[%row, 0] {access_tile_order = #map, access_tile_set = #set1} : memref<13x97xf16> -> !ktdp.access_tile<1x97xindex>
      %v = ktdp.load %x_tile : <1x97xindex> -> tensor<1x97xf16>
      %0 = tensor.empty() : tensor<1x97xf32>
      %v_0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<1x97xf16>) outs(%0 : tensor<1x97xf32>) {
      ^bb0(%in: f16, %out_3: f32):
        %12 = arith.extf %in : f16 to f32
        linalg.yield %12 : f32
      } -> tensor<1x97xf32>
      %cst = arith.constant 0xFF800000 : f32
      %1 = tensor.empty() : tensor<1xf32>
      %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<1xf32>) -> tensor<1xf32>
      %reduced = linalg.reduce ins(%v_0 : tensor<1x97xf32>) outs(%2 : tensor<1xf32>) dimensions = [1] 
        (%in: f32, %init: f32) {
          %12 = arith.maximumf %in, %init : f32
          linalg.yield %12 : f32
        }
      %3 = tensor.empty() : tensor<1x97xf32>
      %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%v_0, %reduced : tensor<1x97xf32>, tensor<1xf32>) outs(%3 : tensor<1x97xf32>) {
      ^bb0(%in: f32, %in_3: f32, %out_4: f32):
        %12 = arith.subf %in, %in_3 : f32
        linalg.yield %12 : f32
      } -> tensor<1x97xf32>
      %5 = tensor.empty() : tensor<1x97xf32>
      %e = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<1x97xf32>) outs(%5 : tensor<1x97xf32>) {
      ^bb0(%in: f32, %out_3: f32):
        %12 = spyreop.exp %in : f32
        linalg.yield %12 : f32
      } -> tensor<1x97xf32>
      %cst_1 = arith.constant 0.000000e+00 : f32
      %6 = tensor.empty() : tensor<1xf32>
      %7 = linalg.fill ins(%cst_1 : f32) outs(%6 : tensor<1xf32>) -> tensor<1xf32>
      %reduced_2 = linalg.reduce ins(%e : tensor<1x97xf32>) outs(%7 : tensor<1xf32>) dimensions = [1] 
        (%in: f32, %init: f32) {
          %12 = arith.addf %in, %init : f32
          linalg.yield %12 : f32
        }
      %8 = tensor.empty() : tensor<1x97xf32>
      %9 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%e, %reduced_2 : tensor<1x97xf32>, tensor<1xf32>) outs(%8 : tensor<1x97xf32>) {
      ^bb0(%in: f32, %in_3: f32, %out_4: f32):
        %12 = arith.divf %in, %in_3 : f32
        linalg.yield %12 : f32
      } -> tensor<1x97xf32>
      %10 = tensor.empty() : tensor<1x97xf16>
      %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<1x97xf32>) outs(%10 : tensor<1x97xf16>) {
      ^bb0(%in: f32, %out_3: f16):
        %12 = arith.truncf %in : f32 to f16
        linalg.yield %12 : f16
      } -> tensor<1x97xf16>
      %out_tile = ktdp.construct_access_tile %out_view[%row, 0] {access_tile_order = #map, access_tile_set = #set1} : memref<13x97xf16> -> !ktdp.access_tile<1x97xindex>
      ktdp.store %11, %out_tile : tensor<1x97xf16>, <1x97xindex>
    }
    return
  }
}
