#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 7 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 7 >= 0)>
module {
  func.func @in_place(%x: index {spyrelang.name = "x", spyrelang.role = "inout"}) attributes {grid = [1]} {
    %x_view = ktdp.construct_memory_view %x, sizes: [4, 8], strides: [16, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<4x8xf16>
    %x_tile = ktdp.construct_access_tile %x_view[0, 0] {access_tile_order = #map, access_tile_set = #set} : memref<4x8xf16> -> !ktdp.access_tile<4x8xindex>
    %x_0 = ktdp.load %x_tile : <4x8xindex> -> tensor<4x8xf16>
    %0 = tensor.empty() : tensor<4x8xf16>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x_0 : tensor<4x8xf16>) outs(%0 : tensor<4x8xf16>) {
    ^bb0(%in: f16, %out: f16):
      %cst_3 = arith.constant 2.000000e+00 : f16
      %4 = arith.mulf %in, %cst_3 : f16
      linalg.yield %4 : f16
    } -> tensor<4x8xf16>
    %x_tile_1 = ktdp.construct_access_tile %x_view[0, 0] {access_tile_order = #map, access_tile_set = #set} : memref<4x8xf16> -> !ktdp.access_tile<4x8xindex>
    ktdp.store %1, %x_tile_1 : tensor<4x8xf16>, <4x8xindex>
    %x_tile_2 = ktdp.construct_access_tile %x_view[0, 0] {access_tile_order = #map, access_tile_set = #set1} : memref<4x8xf16> -> !ktdp.access_tile<1x8xindex>
    %cst = arith.constant 5.000000e-01 : f16
    %2 = tensor.empty() : tensor<1x8xf16>
    %3 = linalg.fill ins(%cst : f16) outs(%2 : tensor<1x8xf16>) -> tensor<1x8xf16>
    ktdp.store %3, %x_tile_2 : tensor<1x8xf16>, <1x8xindex>
    return
  }
}
