#whole = affine_set<(d0, d1) : (d0 >= 0, -d0 + 95 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#part = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#order = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @add(%x: index, %y: index, %out: index) attributes {grid = [32]} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %core = ktdp.get_compute_tile_id : index
    %row = arith.muli %core, %c3 : index
    %vx = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {
      coordinate_set = #whole, memory_space = #ktdp.memory_space<global>
    } : memref<96x64xf16>
    %vy = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {
      coordinate_set = #whole, memory_space = #ktdp.memory_space<global>
    } : memref<96x64xf16>
    %vo = ktdp.construct_memory_view %out, sizes: [96, 64], strides: [64, 1] {
      coordinate_set = #whole, memory_space = #ktdp.memory_space<global>
    } : memref<96x64xf16>
    %tx = ktdp.construct_access_tile %vx[%row, %c0] {
      access_tile_set = #part, access_tile_order = #order
    } : memref<96x64xf16> -> !ktdp.access_tile<3x64xindex>
    %ty = ktdp.construct_access_tile %vy[%row, %c0] {
      access_tile_set = #part, access_tile_order = #order
    } : memref<96x64xf16> -> !ktdp.access_tile<3x64xindex>
    %to = ktdp.construct_access_tile %vo[%row, %c0] {
      access_tile_set = #part, access_tile_order = #order
    } : memref<96x64xf16> -> !ktdp.access_tile<3x64xindex>
    %a = ktdp.load %tx : !ktdp.access_tile<3x64xindex> -> tensor<3x64xf16>
    %b = ktdp.load %ty : !ktdp.access_tile<3x64xindex> -> tensor<3x64xf16>
    %e = tensor.empty() : tensor<3x64xf16>
    %s = linalg.add ins(%a, %b : tensor<3x64xf16>, tensor<3x64xf16>)
                    outs(%e : tensor<3x64xf16>) -> tensor<3x64xf16>
    ktdp.store %s, %to : tensor<3x64xf16>, !ktdp.access_tile<3x64xindex>
    return
  }
}
