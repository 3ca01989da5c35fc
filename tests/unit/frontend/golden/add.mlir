#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 95 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
module {
  func.func @add(%x: index {spyrelang.name = "x", spyrelang.role = "in"}, %y: index {spyrelang.name = "y", spyrelang.role = "in"}, %out: index {spyrelang.name = "out", spyrelang.role = "out"}) attributes {grid = [24]} {
    %c4 = arith.constant 4 : index
    %x_view = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
    %y_view = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
    %out_view = ktdp.construct_memory_view %out, sizes: [96, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
    %tile = ktdp.get_compute_tile_id : index
    %row = arith.muli %tile, %c4 : index
    %x_tile = ktdp.construct_access_tile %x_view[%row, 0] {access_tile_order = #map, access_tile_set = #set1} : memref<96x64xf16> -> !ktdp.access_tile<4x64xindex>
    %a = ktdp.load %x_tile : <4x64xindex> -> tensor<4x64xf16>
    %y_tile = ktdp.construct_access_tile %y_view[%row, 0] {access_tile_order = #map, access_tile_set = #set1} : memref<96x64xf16> -> !ktdp.access_tile<4x64xindex>
    %b = ktdp.load %y_tile : <4x64xindex> -> tensor<4x64xf16>
    %0 = tensor.empty() : tensor<4x64xf16>
    %total = linalg.add ins(%a, %b : tensor<4x64xf16>, tensor<4x64xf16>) outs(%0 : tensor<4x64xf16>) -> tensor<4x64xf16>
    %out_tile = ktdp.construct_access_tile %out_view[%row, 0] {access_tile_order = #map, access_tile_set = #set1} : memref<96x64xf16> -> !ktdp.access_tile<4x64xindex>
    ktdp.store %total, %out_tile : tensor<4x64xf16>, <4x64xindex>
    return
  }
}
