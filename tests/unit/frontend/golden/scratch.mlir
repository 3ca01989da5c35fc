#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
module {
  func.func @scratch(%p: index {spyrelang.name = "p", spyrelang.role = "inout"}, %out: index {spyrelang.name = "out", spyrelang.role = "out"}) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %out_view = ktdp.construct_memory_view %out, sizes: [4, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
    %first = ktdp.construct_memory_view %p, sizes: [4, 64], strides: [128, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
    %pad = ktdp.construct_memory_view %c0, sizes: [4, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<ct_local>} : memref<4x64xf16>
    %other = ktdp.construct_memory_view %c256, sizes: [4, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<ct_local, ct_id = 3>} : memref<4x64xf16>
    %first_tile = ktdp.construct_access_tile %first[0, 0] {access_tile_order = #map, access_tile_set = #set} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    %first_0 = ktdp.load %first_tile : <4x64xindex> -> tensor<4x64xf16>
    %pad_tile = ktdp.construct_access_tile %pad[0, 0] {access_tile_order = #map, access_tile_set = #set} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    ktdp.store %first_0, %pad_tile : tensor<4x64xf16>, <4x64xindex>
    %tile = ktdp.construct_access_tile %other[0, 0] {access_tile_order = #map, access_tile_set = #set} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    %pad_tile_1 = ktdp.construct_access_tile %pad[0, 0] {access_tile_order = #map, access_tile_set = #set} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    %pad_2 = ktdp.load %pad_tile_1 : <4x64xindex> -> tensor<4x64xf16>
    %0 = tensor.empty() : tensor<4x64xf16>
    %1 = linalg.negf ins(%pad_2 : tensor<4x64xf16>) outs(%0 : tensor<4x64xf16>) -> tensor<4x64xf16>
    %2 = tensor.empty() : tensor<4x64xf16>
    %3 = linalg.abs ins(%1 : tensor<4x64xf16>) outs(%2 : tensor<4x64xf16>) -> tensor<4x64xf16>
    ktdp.store %3, %tile : tensor<4x64xf16>, <4x64xindex>
    %out_tile = ktdp.construct_access_tile %out_view[0, 0] {access_tile_order = #map, access_tile_set = #set} : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    %other_3 = ktdp.load %tile : <4x64xindex> -> tensor<4x64xf16>
    ktdp.store %other_3, %out_tile : tensor<4x64xf16>, <4x64xindex>
    return
  }
}
