// "Inductor" shape: one rank-1 grid, mixed-radix split of the core id, static views, generics
#V = affine_set<(d0, d1) : (d0 >= 0, -d0 + ${m1} >= 0, d1 >= 0, -d1 + ${n1} >= 0)>
#W = affine_set<(d0) : (d0 >= 0, -d0 + ${n1} >= 0)>
#T = affine_set<(d0, d1) : (d0 >= 0, -d0 + ${b1} >= 0, d1 >= 0, -d1 + ${n1} >= 0)>
#P = affine_map<(d0, d1) -> (d0, d1)>
#R = affine_map<(d0, d1) -> (d0)>
#C = affine_map<(d0, d1) -> (d1)>
module {
  func.func @ktir_fused_rms_norm_0(%arg0: index, %arg1: index, %arg2: index) attributes {grid = [$cores]} {
    %id = "ktdp.get_compute_tile_id"() : () -> index
    %k = "arith.constant"() <{value = $block : index}> : () -> index
    %count = arith.constant $cores : index
    %core = arith.remui %id, %count : index
    %row = arith.muli %core, %k : index
    %0 = ktdp.construct_memory_view %arg0, sizes: [$m, $n], strides: [$n, 1] {
      coordinate_set = #V, memory_space = #ktdp.memory_space<global> } : memref<${m}x${n}x$t>
    %1 = ktdp.construct_memory_view %arg1, sizes: [$n], strides: [1] {
      coordinate_set = #W, memory_space = #ktdp.memory_space<global> } : memref<${n}x$t>
    %2 = ktdp.construct_memory_view %arg2, sizes: [$m, $n], strides: [$n, 1] {
      coordinate_set = #V, memory_space = #ktdp.memory_space<global> } : memref<${m}x${n}x$t>
    %3 = ktdp.construct_access_tile %0[%row, 0] {access_tile_order = #P, access_tile_set = #T}
      : memref<${m}x${n}x$t> -> !ktdp.access_tile<${block}x${n}xindex>
    %4 = ktdp.construct_access_tile %1[0] {access_tile_order = affine_map<(d0) -> (d0)>,
      access_tile_set = #W} : memref<${n}x$t> -> !ktdp.access_tile<${n}xindex>
    %5 = ktdp.construct_access_tile %2[%row, 0] {access_tile_order = #P, access_tile_set = #T}
      : memref<${m}x${n}x$t> -> !ktdp.access_tile<${block}x${n}xindex>
    %x = ktdp.load %3 : <${block}x${n}xindex> -> tensor<${block}x${n}x$t>
    %w = ktdp.load %4 : <${n}xindex> -> tensor<${n}x$t>
    %cst = arith.constant dense<0.0> : tensor<${block}xf32>
    %6 = linalg.generic {indexing_maps = [#P, #R], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<${block}x${n}x$t>) outs(%cst : tensor<${block}xf32>) {
    ^bb0(%a: $t, %s: f32):
      $widen
      %7 = arith.mulf %aw, %aw : f32
      %8 = arith.addf %s, %7 : f32
      linalg.yield %8 : f32
    } -> tensor<${block}xf32>
    %9 = tensor.empty() : tensor<${block}x${n}x$t>
    %10 = linalg.generic {indexing_maps = [#P, #R, #C, #P], iterator_types = ["parallel", "parallel"]}
      ins(%x, %6, %w : tensor<${block}x${n}x$t>, tensor<${block}xf32>, tensor<${n}x$t>)
      outs(%9 : tensor<${block}x${n}x$t>) {
    ^bb0(%a: $t, %s: f32, %g: $t, %_: $t):
      $widen
      $widen_g
      %n = arith.constant $n.0 : f32
      %eps = arith.constant 0x358637BD : f32  // 1e-6
      %11 = arith.divf %s, %n : f32
      %12 = arith.addf %11, %eps : f32
      %13 = spyreop.rsqrt %12 : f32
      %14 = arith.mulf %aw, %13 : f32
      %15 = arith.mulf %14, %gw : f32
      $narrow
      linalg.yield %16 : $t
    } -> tensor<${block}x${n}x$t>
    ktdp.store %10, %5 : tensor<${block}x${n}x$t>, <${block}x${n}xindex>
    return
  }
}
