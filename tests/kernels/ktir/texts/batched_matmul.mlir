// one product a compute tile, b stored transposed; K may be 1
module {
  func.func @bmm(%a_ptr: index, %b_ptr: index, %c_ptr: index) attributes {grid = [$batch]} {
    %i = ktdp.get_compute_tile_id : index
    %a = ktdp.construct_memory_view %a_ptr, sizes: [$batch, $m, $k], strides: [$mk, $k, 1]
      {coordinate_set = $aset, memory_space = #ktdp.memory_space<global>} : memref<${batch}x${m}x${k}x$t>
    %b = ktdp.construct_memory_view %b_ptr, sizes: [$batch, $n, $k], strides: [$nk, $k, 1]
      {coordinate_set = $bset, memory_space = #ktdp.memory_space<global>} : memref<${batch}x${n}x${k}x$t>
    %c = ktdp.construct_memory_view %c_ptr, sizes: [$batch, $m, $n], strides: [$mn, $n, 1]
      {coordinate_set = $cset, memory_space = #ktdp.memory_space<global>} : memref<${batch}x${m}x${n}xf32>
    %at = ktdp.construct_access_tile %a[%i, 0, 0] {access_tile_set = $atile,
      access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<${batch}x${m}x${k}x$t> -> !ktdp.access_tile<1x${m}x${k}xindex>
    %bt = ktdp.construct_access_tile %b[%i, 0, 0] {access_tile_set = $btile,
      access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<${batch}x${n}x${k}x$t> -> !ktdp.access_tile<1x${n}x${k}xindex>
    %ct = ktdp.construct_access_tile %c[%i, 0, 0] {access_tile_set = $ctile,
      access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>} : memref<${batch}x${m}x${n}xf32> -> !ktdp.access_tile<1x${m}x${n}xindex>
    %x = ktdp.load %at : <1x${m}x${k}xindex> -> tensor<1x${m}x${k}x$t>
    %y = ktdp.load %bt : <1x${n}x${k}xindex> -> tensor<1x${n}x${k}x$t>
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x${m}x${n}xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x${m}x${n}xf32>) -> tensor<1x${m}x${n}xf32>
    $product
    ktdp.store %r, %ct : tensor<1x${m}x${n}xf32>, <1x${m}x${n}xindex>
    return
  }
}
