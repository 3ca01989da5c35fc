#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1, d0)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 9 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 9 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 23 >= 0, d1 >= 0, -d1 + 9 >= 0)>
#set3 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 9 >= 0, d1 >= 0, -d1 + 23 >= 0)>
#set4 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 9 >= 0)>
#set5 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 9 >= 0, d1 >= 0, -d1 + 15 >= 0)>
module {
  func.func @transpose(%x: index {spyrelang.name = "x", spyrelang.role = "in"}, %out: index {spyrelang.name = "out", spyrelang.role = "out"}) attributes {grid = [2]} {
    %c2 = arith.constant 2 : index
    %c24 = arith.constant 24 : index
    %c3 = arith.constant 3 : index
    %x_view = ktdp.construct_memory_view %x, sizes: [64, 10], strides: [10, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<64x10xf16>
    %out_view = ktdp.construct_memory_view %out, sizes: [10, 64], strides: [64, 1] {coordinate_set = #set1, memory_space = #ktdp.memory_space<global>} : memref<10x64xf16>
    %tile = ktdp.get_compute_tile_id : index
    scf.for %block = %tile to %c2 step %c2 {
      %part_1 = arith.muli %block, %c24 : index
      %x_tile = ktdp.construct_access_tile %x_view[%part_1, 0] {access_tile_order = #map, access_tile_set = #set2} : memref<64x10xf16> -> !ktdp.access_tile<24x10xindex>
      %block_2 = ktdp.load %x_tile : <24x10xindex> -> tensor<24x10xf16>
      %out_tile = ktdp.construct_access_tile %out_view[0, %part_1] {access_tile_order = #map, access_tile_set = #set3} : memref<10x64xf16> -> !ktdp.access_tile<10x24xindex>
      %0 = tensor.empty() : tensor<10x24xf16>
      %block_3 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%block_2 : tensor<24x10xf16>) outs(%0 : tensor<10x24xf16>) {
      ^bb0(%in: f16, %out_4: f16):
        linalg.yield %in : f16
      } -> tensor<10x24xf16>
      ktdp.store %block_3, %out_tile : tensor<10x24xf16>, <10x24xindex>
    }
    %tile_0 = ktdp.get_compute_tile_id : index
    %part = arith.subi %c3, %tile_0 : index
    scf.for %tail = %part to %c3 step %c2 {
      %x_tile = ktdp.construct_access_tile %x_view[48, 0] {access_tile_order = #map, access_tile_set = #set4} : memref<64x10xf16> -> !ktdp.access_tile<16x10xindex>
      %block = ktdp.load %x_tile : <16x10xindex> -> tensor<16x10xf16>
      %out_tile = ktdp.construct_access_tile %out_view[0, 48] {access_tile_order = #map, access_tile_set = #set5} : memref<10x64xf16> -> !ktdp.access_tile<10x16xindex>
      %0 = tensor.empty() : tensor<10x16xf16>
      %block_1 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%block : tensor<16x10xf16>) outs(%0 : tensor<10x16xf16>) {
      ^bb0(%in: f16, %out_2: f16):
        linalg.yield %in : f16
      } -> tensor<10x16xf16>
      ktdp.store %block_1, %out_tile : tensor<10x16xf16>, <10x16xindex>
    }
    return
  }
}
