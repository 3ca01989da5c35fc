module {
  // the caller's pages, updated in place; -1 marks padding tokens
  func.func @reshape_and_cache(%key: index, %slots: index, %cache: index {spyrelang.role = "inout"},
      %size: i32) attributes {grid = [$cores]} {
    %pid = ktdp.get_compute_tile_id : index
    %tokens = arith.constant $tokens : index
    %step = arith.constant $cores : index
    %k = ktdp.construct_memory_view %key, sizes: [$tokens, $heads, $width],
      strides: [${hw}, $width, 1] {coordinate_set = $kset, memory_space = #ktdp.memory_space<global>}
      : memref<${tokens}x${heads}x${width}x$t>
    %s = ktdp.construct_memory_view %slots, sizes: [$tokens], strides: [1]
      {coordinate_set = $sset, memory_space = #ktdp.memory_space<global>} : memref<${tokens}x$i>
    %c = ktdp.construct_memory_view %cache, sizes: [$pages, $page, $heads, $width],
      strides: [${phw}, ${hw}, $width, 1]
      {coordinate_set = $cset, memory_space = #ktdp.memory_space<global>}
      : memref<${pages}x${page}x${heads}x${width}x$t>
    scf.for %t = %pid to %tokens step %step {
      // a scalar load: a tile of one element and an extract
      %st = ktdp.construct_access_tile %s[%t] {access_tile_set = affine_set<(d0) : (d0 == 0)>,
        access_tile_order = affine_map<(d0) -> (d0)>} : memref<${tokens}x$i> -> !ktdp.access_tile<1xindex>
      %sv = ktdp.load %st : <1xindex> -> tensor<1x$i>
      %z = arith.constant 0 : index
      %slot = tensor.extract %sv[%z] : tensor<1x$i>
      $decompose
      scf.if %ok {
        %kt = ktdp.construct_access_tile %k[%t, 0, 0] {access_tile_set = $tset,
          access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>}
          : memref<${tokens}x${heads}x${width}x$t> -> !ktdp.access_tile<1x${heads}x${width}xindex>
        %x = ktdp.load %kt : <1x${heads}x${width}xindex> -> tensor<1x${heads}x${width}x$t>
        %x4 = tensor.expand_shape %x [[0, 1], [2], [3]] output_shape [1, 1, $heads, $width]
          : tensor<1x${heads}x${width}x$t> into tensor<1x1x${heads}x${width}x$t>
        %ct = ktdp.construct_access_tile %c[%p, %q, 0, 0] {access_tile_set = $dset,
          access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>}
          : memref<${pages}x${page}x${heads}x${width}x$t>
          -> !ktdp.access_tile<1x1x${heads}x${width}xindex>
        ktdp.store %x4, %ct : tensor<1x1x${heads}x${width}x$t>, <1x1x${heads}x${width}xindex>
      } else {
      }
    }
    return
  }
}
