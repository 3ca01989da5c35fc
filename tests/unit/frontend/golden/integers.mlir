#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d1)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 23 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#set2 = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#set3 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 7 >= 0)>
module {
  func.func @integers(%n: index {spyrelang.name = "n", spyrelang.role = "in"}, %out: index {spyrelang.name = "out", spyrelang.role = "out"}) attributes {grid = [6]} {
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %n_view = ktdp.construct_memory_view %n, sizes: [24], strides: [1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<24xi32>
    %out_view = ktdp.construct_memory_view %out, sizes: [6, 8], strides: [8, 1] {coordinate_set = #set1, memory_space = #ktdp.memory_space<global>} : memref<6x8xi32>
    %id = ktdp.get_compute_tile_id : index
    %0 = arith.remui %id, %c3 : index
    %1 = arith.muli %0, %c8 : index
    %2 = arith.divui %id, %c3 : index
    %start = arith.addi %1, %2 : index
    %low = arith.minsi %start, %c16 : index
    %n_tile = ktdp.construct_access_tile %n_view[%low] {access_tile_order = #map, access_tile_set = #set2} : memref<24xi32> -> !ktdp.access_tile<8xindex>
    %v = ktdp.load %n_tile : <8xindex> -> tensor<8xi32>
    %3 = tensor.empty() : tensor<8xi32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%v : tensor<8xi32>) outs(%3 : tensor<8xi32>) {
    ^bb0(%in: i32, %out_0: i32):
      %c3_i32 = arith.constant 3 : i32
      %17 = arith.floordivsi %in, %c3_i32 : i32
      %18 = arith.muli %17, %c3_i32 : i32
      %19 = arith.subi %in, %18 : i32
      linalg.yield %19 : i32
    } -> tensor<8xi32>
    %5 = tensor.empty() : tensor<8xi32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%4 : tensor<8xi32>) outs(%5 : tensor<8xi32>) {
    ^bb0(%in: i32, %out_0: i32):
      %c2_i32 = arith.constant 2 : i32
      %17 = arith.shli %in, %c2_i32 : i32
      linalg.yield %17 : i32
    } -> tensor<8xi32>
    %7 = tensor.empty() : tensor<8xi32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%v : tensor<8xi32>) outs(%7 : tensor<8xi32>) {
    ^bb0(%in: i32, %out_0: i32):
      %c1_i32 = arith.constant 1 : i32
      %17 = arith.shrsi %in, %c1_i32 : i32
      linalg.yield %17 : i32
    } -> tensor<8xi32>
    %9 = tensor.empty() : tensor<8xi32>
    %10 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%6, %8 : tensor<8xi32>, tensor<8xi32>) outs(%9 : tensor<8xi32>) {
    ^bb0(%in: i32, %in_0: i32, %out_1: i32):
      %17 = arith.ori %in, %in_0 : i32
      linalg.yield %17 : i32
    } -> tensor<8xi32>
    %11 = tensor.empty() : tensor<8xi32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%10 : tensor<8xi32>) outs(%11 : tensor<8xi32>) {
    ^bb0(%in: i32, %out_0: i32):
      %c-1_i32 = arith.constant -1 : i32
      %17 = arith.xori %in, %c-1_i32 : i32
      linalg.yield %17 : i32
    } -> tensor<8xi32>
    %13 = tensor.empty() : tensor<8xi32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%12 : tensor<8xi32>) outs(%13 : tensor<8xi32>) {
    ^bb0(%in: i32, %out_0: i32):
      %c7_i32 = arith.constant 7 : i32
      %17 = arith.andi %in, %c7_i32 : i32
      linalg.yield %17 : i32
    } -> tensor<8xi32>
    %out_tile = ktdp.construct_access_tile %out_view[%id, 0] {access_tile_order = #map1, access_tile_set = #set3} : memref<6x8xi32> -> !ktdp.access_tile<1x8xindex>
    %15 = tensor.empty() : tensor<1x8xi32>
    %16 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<8xi32>) outs(%15 : tensor<1x8xi32>) {
    ^bb0(%in: i32, %out_0: i32):
      linalg.yield %in : i32
    } -> tensor<1x8xi32>
    ktdp.store %16, %out_tile : tensor<1x8xi32>, <1x8xindex>
    return
  }
}
