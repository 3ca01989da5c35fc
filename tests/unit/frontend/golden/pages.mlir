#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d1)>
#set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 7 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 2 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#set3 = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 7 >= 0)>
#set4 = affine_set<(d0)[s0] : (d0 >= 0, -d0 + 1 >= 0)>
#set5 = affine_set<(d0) : (d0 >= 0, -d0 >= 0)>
#set6 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 7 >= 0)>
module {
  func.func @pages(%cache: index {spyrelang.name = "cache", spyrelang.role = "in"}, %table: index {spyrelang.name = "table", spyrelang.role = "in"}, %out: index {spyrelang.name = "out", spyrelang.role = "out"}) attributes {grid = [2]} {
    %c0 = arith.constant 0 : index
    %cache_view = ktdp.construct_memory_view %cache, sizes: [6, 4, 8], strides: [32, 8, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<6x4x8xf16>
    %table_view = ktdp.construct_memory_view %table, sizes: [2, 3], strides: [3, 1] {coordinate_set = #set1, memory_space = #ktdp.memory_space<global>} : memref<2x3xi32>
    %out_view = ktdp.construct_memory_view %out, sizes: [2, 8], strides: [8, 1] {coordinate_set = #set2, memory_space = #ktdp.memory_space<global>} : memref<2x8xf16>
    %i = ktdp.get_compute_tile_id : index
    %cache_tile = ktdp.construct_indirect_access_tile intermediate_variables(%iv0, %iv1, %iv2) %cache_view[ind(%table_view[%i, %iv0]), (%iv1), (%iv2)] {variables_space_order = #map, variables_space_set = #set3} : memref<6x4x8xf16>, memref<2x3xi32> -> !ktdp.access_tile<2x4x8xindex>
    %rows = ktdp.load %cache_tile : <2x4x8xindex> -> tensor<2x4x8xf16>
    %extracted_slice = tensor.extract_slice %rows[0, 0, 0] [2, 1, 8] [1, 1, 1] : tensor<2x4x8xf16> to tensor<2x1x8xf16>
    %extracted_slice_0 = tensor.extract_slice %rows[0, 2, 0] [2, 1, 8] [1, 1, 1] : tensor<2x4x8xf16> to tensor<2x1x8xf16>
    %both = tensor.concat dim(1) %extracted_slice, %extracted_slice_0 : (tensor<2x1x8xf16>, tensor<2x1x8xf16>) -> tensor<2x2x8xf16>
    %collapsed = tensor.collapse_shape %both [[0, 1], [2]] : tensor<2x2x8xf16> into tensor<4x8xf16>
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<8xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
    %reduced = linalg.reduce ins(%collapsed : tensor<4x8xf16>) outs(%1 : tensor<8xf32>) dimensions = [0] 
      (%in: f16, %init: f32) {
        %9 = arith.extf %in : f16 to f32
        %10 = arith.addf %9, %init : f32
        linalg.yield %10 : f32
      }
    %2 = tensor.empty() : tensor<8xf16>
    %3 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%reduced : tensor<8xf32>) outs(%2 : tensor<8xf16>) {
    ^bb0(%in: f32, %out_4: f16):
      %9 = arith.truncf %in : f32 to f16
      linalg.yield %9 : f16
    } -> tensor<8xf16>
    %cst_1 = arith.constant 0.000000e+00 : f16
    %4 = tensor.empty() : tensor<8xf16>
    %5 = linalg.fill ins(%cst_1 : f16) outs(%4 : tensor<8xf16>) -> tensor<8xf16>
    %6 = ktdp.inter_tile_produce producer_tiles_per_group = #set4 -> <(tensor<8xf16>), groups = #set5> {
    ^bb0(%group: index):
      ktdp.yield_partial %3 : tensor<8xf16>
    }
    %total = ktdp.inter_tile_reduce(%6) consumer_tiles_per_group = #set4, identity(%5 : tensor<8xf16>) : <(tensor<8xf16>), groups = #set5> -> tensor<8xf16> {
    ^bb0(%lhs: tensor<8xf16>, %rhs: tensor<8xf16>):
      %9 = tensor.empty() : tensor<8xf16>
      %10 = linalg.add ins(%lhs, %rhs : tensor<8xf16>, tensor<8xf16>) outs(%9 : tensor<8xf16>) -> tensor<8xf16>
      ktdp.yield_reduced %10 : tensor<8xf16>
    }
    %7 = arith.cmpi eq, %i, %c0 : index
    %total_2 = scf.if %7 -> (tensor<8xf16>) {
      %9 = tensor.empty() : tensor<8xf16>
      %total_4 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%total : tensor<8xf16>) outs(%9 : tensor<8xf16>) {
      ^bb0(%in: f16, %out_5: f16):
        %cst_6 = arith.constant 2.000000e+00 : f16
        %10 = arith.mulf %in, %cst_6 : f16
        linalg.yield %10 : f16
      } -> tensor<8xf16>
      scf.yield %total_4 : tensor<8xf16>
    } else {
      scf.yield %total : tensor<8xf16>
    }
    %out_tile = ktdp.construct_access_tile %out_view[%i, 0] {access_tile_order = #map2, access_tile_set = #set6} : memref<2x8xf16> -> !ktdp.access_tile<1x8xindex>
    %8 = tensor.empty() : tensor<1x8xf16>
    %total_3 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel"]} ins(%total_2 : tensor<8xf16>) outs(%8 : tensor<1x8xf16>) {
    ^bb0(%in: f16, %out_4: f16):
      linalg.yield %in : f16
    } -> tensor<1x8xf16>
    ktdp.store %total_3, %out_tile : tensor<1x8xf16>, <1x8xindex>
    return
  }
}
