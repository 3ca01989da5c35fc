// merge two attention states, every operation on whole tensors; +inf and -inf both mean "no keys"
#S = affine_set<(t, h) : (t >= 0, -t + $t1 >= 0, h >= 0, -h + $h1 >= 0)>
#V = affine_set<(t, h, d) : (t >= 0, -t + $t1 >= 0, h >= 0, -h + $h1 >= 0, d >= 0, -d + $d1 >= 0)>
#v = affine_set<(t, h, d) : (t == 0, h >= 0, -h + $h1 >= 0, d >= 0, -d + $d1 >= 0)>
#s = affine_set<(t, h) : (t == 0, h >= 0, -h + $h1 >= 0)>
#i3 = affine_map<(a, b, c) -> (a, b, c)>
#i2 = affine_map<(a, b) -> (a, b)>
module {
  func.func private @weight(%lse: tensor<1x${h}xf32>, %max: tensor<1x${h}xf32>) -> tensor<1x${h}xf32> {
    %d = arith.subf %lse, %max : tensor<1x${h}xf32>
    %e = math.exp %d : tensor<1x${h}xf32>
    return %e : tensor<1x${h}xf32>
  }
  // +inf becomes -inf
  func.func private @tidy(%lse: tensor<1x${h}xf32>) -> tensor<1x${h}xf32> {
    %pinf = arith.constant dense<0x7F800000> : tensor<1x${h}xf32>
    %ninf = arith.constant dense<0xFF800000> : tensor<1x${h}xf32>
    %is = arith.cmpf oeq, %lse, %pinf : tensor<1x${h}xf32>
    %r = arith.select %is, %ninf, %lse : tensor<1x${h}xi1>, tensor<1x${h}xf32>
    return %r : tensor<1x${h}xf32>
  }
  func.func @merge_attn_states(%pa: index, %sa: index, %pb: index, %sb: index, %po: index, %so: index)
      attributes {grid = [$tokens]} {
    %t = ktdp.get_compute_tile_id : index
    %va = ktdp.construct_memory_view %pa, sizes: [$tokens, $h, $d], strides: [$hd, $d, 1] {coordinate_set = #V,
      memory_space = #ktdp.memory_space<global>} : memref<${tokens}x${h}x${d}x$t>
    %vb = ktdp.construct_memory_view %pb, sizes: [$tokens, $h, $d], strides: [$hd, $d, 1] {coordinate_set = #V,
      memory_space = #ktdp.memory_space<global>} : memref<${tokens}x${h}x${d}x$t>
    %vo = ktdp.construct_memory_view %po, sizes: [$tokens, $h, $d], strides: [$hd, $d, 1] {coordinate_set = #V,
      memory_space = #ktdp.memory_space<global>} : memref<${tokens}x${h}x${d}x$t>
    %la = ktdp.construct_memory_view %sa, sizes: [$tokens, $h], strides: [$h, 1] {coordinate_set = #S,
      memory_space = #ktdp.memory_space<global>} : memref<${tokens}x${h}xf32>
    %lb = ktdp.construct_memory_view %sb, sizes: [$tokens, $h], strides: [$h, 1] {coordinate_set = #S,
      memory_space = #ktdp.memory_space<global>} : memref<${tokens}x${h}xf32>
    %lo = ktdp.construct_memory_view %so, sizes: [$tokens, $h], strides: [$h, 1] {coordinate_set = #S,
      memory_space = #ktdp.memory_space<global>} : memref<${tokens}x${h}xf32>
    %ta = ktdp.construct_access_tile %va[%t, 0, 0] {access_tile_set = #v, access_tile_order = #i3}
      : memref<${tokens}x${h}x${d}x$t> -> !ktdp.access_tile<1x${h}x${d}xindex>
    %tb = ktdp.construct_access_tile %vb[%t, 0, 0] {access_tile_set = #v, access_tile_order = #i3}
      : memref<${tokens}x${h}x${d}x$t> -> !ktdp.access_tile<1x${h}x${d}xindex>
    %to = ktdp.construct_access_tile %vo[%t, 0, 0] {access_tile_set = #v, access_tile_order = #i3}
      : memref<${tokens}x${h}x${d}x$t> -> !ktdp.access_tile<1x${h}x${d}xindex>
    %ua = ktdp.construct_access_tile %la[%t, 0] {access_tile_set = #s, access_tile_order = #i2}
      : memref<${tokens}x${h}xf32> -> !ktdp.access_tile<1x${h}xindex>
    %ub = ktdp.construct_access_tile %lb[%t, 0] {access_tile_set = #s, access_tile_order = #i2}
      : memref<${tokens}x${h}xf32> -> !ktdp.access_tile<1x${h}xindex>
    %uo = ktdp.construct_access_tile %lo[%t, 0] {access_tile_set = #s, access_tile_order = #i2}
      : memref<${tokens}x${h}xf32> -> !ktdp.access_tile<1x${h}xindex>
    %a = ktdp.load %ta : <1x${h}x${d}xindex> -> tensor<1x${h}x${d}x$t>
    %b = ktdp.load %tb : <1x${h}x${d}xindex> -> tensor<1x${h}x${d}x$t>
    %x0 = ktdp.load %ua : <1x${h}xindex> -> tensor<1x${h}xf32>
    %y0 = ktdp.load %ub : <1x${h}xindex> -> tensor<1x${h}xf32>
    %x = call @tidy(%x0) : (tensor<1x${h}xf32>) -> tensor<1x${h}xf32>
    %y = func.call @tidy(%y0) : (tensor<1x${h}xf32>) -> tensor<1x${h}xf32>
    %top = arith.maximumf %x, %y : tensor<1x${h}xf32>
    // both without keys: exp(-inf - 0) keeps the weights zero
    %ninf = arith.constant dense<0xFF800000> : tensor<1x${h}xf32>
    %zero = arith.constant dense<0.0> : tensor<1x${h}xf32>
    %empty = arith.cmpf oeq, %top, %ninf : tensor<1x${h}xf32>
    %base = arith.select %empty, %zero, %top : tensor<1x${h}xi1>, tensor<1x${h}xf32>
    %p = call @weight(%x, %base) : (tensor<1x${h}xf32>, tensor<1x${h}xf32>) -> tensor<1x${h}xf32>
    %q = call @weight(%y, %base) : (tensor<1x${h}xf32>, tensor<1x${h}xf32>) -> tensor<1x${h}xf32>
    %sum = arith.addf %p, %q : tensor<1x${h}xf32>
    %log = math.log %sum : tensor<1x${h}xf32>         // -inf where both are empty
    %lse = arith.addf %log, %base : tensor<1x${h}xf32>
    ktdp.store %lse, %uo : tensor<1x${h}xf32>, <1x${h}xindex>
    %e = tensor.empty() : tensor<1x${h}x${d}x$t>
    %o = linalg.generic {indexing_maps = [#i3, #i3, affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b)>, #i3],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %b, %p, %q : tensor<1x${h}x${d}x$t>, tensor<1x${h}x${d}x$t>, tensor<1x${h}xf32>, tensor<1x${h}xf32>)
      outs(%e : tensor<1x${h}x${d}x$t>) {
    ^bb0(%u: $t, %w: $t, %pp: f32, %qq: f32, %_: $t):
      $widen_u
      $widen_w
      %r = arith.addf %pp, %qq : f32
      %f0 = arith.constant 0.0 : f32
      %any = arith.cmpf ogt, %r, %f0 : f32
      %res = scf.if %any -> (f32) {
        %m = arith.mulf %uw, %pp : f32
        %n = math.fma %ww, %qq, %m : f32
        %z = arith.divf %n, %r : f32
        scf.yield %z : f32
      } else {
        scf.yield %f0 : f32
      }
      $narrow
      linalg.yield %out : $t
    } -> tensor<1x${h}x${d}x$t>
    ktdp.store %o, %to : tensor<1x${h}x${d}x$t>, <1x${h}x${d}xindex>
    return
  }
}
