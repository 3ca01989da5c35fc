// As an inductor would print it: device layout (the last axis is one stick), constant bases in
// elements, a mixed-radix split of one core id, loops without carried values.
#set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + $s1 >= 0, d1 >= 0, -d1 + $r1 >= 0, d2 >= 0, -d2 + 63 >= 0)>
#tile = affine_set<(d0, d1, d2) : (d0 == 0, d1 >= 0, -d1 + $b1 >= 0, d2 >= 0, -d2 + 63 >= 0)>
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @ktir_fused_add_exp_mul_0() attributes {grid = [$cores]} {
    %base0 = arith.constant 0 : index
    %base1 = arith.constant 8589934592 : index     // 2^34 bytes / 2
    %base2 = arith.constant 17179869184 : index
    %id = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %inner = arith.constant $inner : index
    %outer = arith.constant $outer : index
    %q = arith.divui %id, %inner : index
    %stick0 = arith.remui %q, %outer : index
    %share = arith.remui %id, %inner : index
    %block = arith.constant $block : index
    %row = arith.muli %share, %block : index
    %0 = ktdp.construct_memory_view %base0, sizes: [$s, $r, 64], strides: [$rs, 64, 1]
      {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<${s}x${r}x64xf16>
    %1 = ktdp.construct_memory_view %base1, sizes: [$s, $r, 64], strides: [$rs, 64, 1]
      {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<${s}x${r}x64xf16>
    %2 = ktdp.construct_memory_view %base2, sizes: [$s, $r, 64], strides: [$rs, 64, 1]
      {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<${s}x${r}x64xf16>
    %n = arith.constant $per : index
    scf.for %i = %c0 to %n step %c1 {
      %o = arith.muli %i, %outer : index
      %stick = arith.addi %o, %stick0 : index
      %3 = ktdp.construct_access_tile %0[%stick, %row, %c0] {access_tile_set = #tile, access_tile_order = #map}
        : memref<${s}x${r}x64xf16> -> !ktdp.access_tile<1x${block}x64xindex>
      %4 = ktdp.construct_access_tile %1[%stick, %row, %c0] {access_tile_set = #tile, access_tile_order = #map}
        : memref<${s}x${r}x64xf16> -> !ktdp.access_tile<1x${block}x64xindex>
      %5 = ktdp.construct_access_tile %2[%stick, %row, %c0] {access_tile_set = #tile, access_tile_order = #map}
        : memref<${s}x${r}x64xf16> -> !ktdp.access_tile<1x${block}x64xindex>
      %6 = ktdp.load %3 : <1x${block}x64xindex> -> tensor<1x${block}x64xf16>
      %7 = ktdp.load %4 : <1x${block}x64xindex> -> tensor<1x${block}x64xf16>
      %8 = tensor.empty() : tensor<1x${block}x64xf16>
      %9 = linalg.add ins(%6, %7 : tensor<1x${block}x64xf16>, tensor<1x${block}x64xf16>) outs(%8 : tensor<1x${block}x64xf16>) -> tensor<1x${block}x64xf16>
      %10 = tensor.empty() : tensor<1x${block}x64xf16>
      %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%9 : tensor<1x${block}x64xf16>) outs(%10 : tensor<1x${block}x64xf16>) {
      ^bb0(%in: f16, %out: f16):
        %13 = spyreop.exp %in : f16
        linalg.yield %13 : f16
      } -> tensor<1x${block}x64xf16>
      %12 = linalg.mul ins(%11, %7 : tensor<1x${block}x64xf16>, tensor<1x${block}x64xf16>) outs(%8 : tensor<1x${block}x64xf16>) -> tensor<1x${block}x64xf16>
      ktdp.store %12, %5 : tensor<1x${block}x64xf16>, <1x${block}x64xindex>
    }
    return
  }
}
