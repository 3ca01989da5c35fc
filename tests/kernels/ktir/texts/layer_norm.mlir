#whole = affine_set<(d0, d1) : (d0 >= 0, -d0 + ${m1} >= 0, d1 >= 0, -d1 + ${n1} >= 0)>
#line  = affine_set<(d0) : (d0 >= 0, -d0 + ${n1} >= 0)>
#stats = affine_set<(d0) : (d0 >= 0, -d0 + ${m1} >= 0)>
#one   = affine_set<(d0) : (d0 == 0)>
#row   = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + ${n1} >= 0)>
#i1 = affine_map<(d0) -> (d0)>
#i2 = affine_map<(d0, d1) -> (d0, d1)>
module {
  // x, weight, bias -> y, mean, rstd; whole rows in scratchpad
  func.func @layer_norm(%X: index, %W: index, %B: index, %Y: index, %Mean: index, %Rstd: index)
      attributes {grid = [$cores]} {
    %pid = ktdp.get_compute_tile_id : index
    %pid_i32 = arith.index_cast %pid : index to i32   // the program id as Triton has it
    %rows = arith.constant $m : i32
    %cores = arith.constant $cores : i32
    %vx = ktdp.construct_memory_view %X, sizes: [$m, $n], strides: [$n, 1]
      {coordinate_set = #whole, memory_space = #ktdp.memory_space<global>} : memref<${m}x${n}x$t>
    %vy = ktdp.construct_memory_view %Y, sizes: [$m, $n], strides: [$n, 1]
      {coordinate_set = #whole, memory_space = #ktdp.memory_space<global>} : memref<${m}x${n}x$t>
    %vw = ktdp.construct_memory_view %W, sizes: [$n], strides: [1]
      {coordinate_set = #line, memory_space = #ktdp.memory_space<global>} : memref<${n}x$t>
    %vb = ktdp.construct_memory_view %B, sizes: [$n], strides: [1]
      {coordinate_set = #line, memory_space = #ktdp.memory_space<global>} : memref<${n}x$t>
    %vm = ktdp.construct_memory_view %Mean, sizes: [$m], strides: [1]
      {coordinate_set = #stats, memory_space = #ktdp.memory_space<global>} : memref<${m}xf32>
    %vr = ktdp.construct_memory_view %Rstd, sizes: [$m], strides: [1]
      {coordinate_set = #stats, memory_space = #ktdp.memory_space<global>} : memref<${m}xf32>
    %c0 = arith.constant 0 : index
    %tw = ktdp.construct_access_tile %vw[%c0] {access_tile_set = #line, access_tile_order = #i1}
      : memref<${n}x$t> -> !ktdp.access_tile<${n}xindex>
    %tb = ktdp.construct_access_tile %vb[0] {access_tile_set = #line, access_tile_order = #i1}
      : memref<${n}x$t> -> !ktdp.access_tile<${n}xindex>
    %w = ktdp.load %tw : <${n}xindex> -> tensor<${n}x$t>
    %b = ktdp.load %tb : <${n}xindex> -> tensor<${n}x$t>

    scf.for %i = %pid_i32 to %rows step %cores : i32 {
      %r = arith.index_castui %i : i32 to index
      %tx = ktdp.construct_access_tile %vx[%r, 0] {access_tile_set = #row, access_tile_order = #i2}
        : memref<${m}x${n}x$t> -> !ktdp.access_tile<1x${n}xindex>
      %x = ktdp.load %tx : <1x${n}xindex> -> tensor<1x${n}x$t>
      %flat = tensor.collapse_shape %x [[0, 1]] : tensor<1x${n}x$t> into tensor<${n}x$t>
      %zero = arith.constant dense<0.000000e+00> : tensor<f32>
      // sum over the row, down to rank 0, with the widening in the body
      %sum = linalg.generic {
        indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>],
        iterator_types = ["reduction"]
      } ins(%flat : tensor<${n}x$t>) outs(%zero : tensor<f32>) {
      ^bb0(%a: $t, %acc: f32):
        $widen
        %s = arith.addf %acc, %aw : f32
        linalg.yield %s : f32
      } -> tensor<f32>
      %total = tensor.extract %sum[] : tensor<f32>
      %n = arith.constant $n.0 : f32
      %mean = arith.divf %total, %n : f32
      %sq = linalg.generic {
        indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>],
        iterator_types = ["reduction"]
      } ins(%flat : tensor<${n}x$t>) outs(%zero : tensor<f32>) {
      ^bb0(%a: $t, %acc: f32):
        $widen
        %d = arith.subf %aw, %mean : f32   // from outside of the body
        %s = math.fma %d, %d, %acc : f32
        linalg.yield %s : f32
      } -> tensor<f32>
      %total2 = tensor.extract %sq[] : tensor<f32>
      %var = arith.divf %total2, %n : f32
      %eps = arith.constant 9.99999974E-6 : f32
      %ve = arith.addf %var, %eps : f32
      %rstd = math.rsqrt %ve : f32
      %e = tensor.empty() : tensor<${n}x$t>
      %y = linalg.map ins(%flat, %w, %b : tensor<${n}x$t>, tensor<${n}x$t>, tensor<${n}x$t>)
        outs(%e : tensor<${n}x$t>)
        (%a: $t, %gain: $t, %bias: $t$init) {
          $widen
          $widen_g
          $widen_b
          %d = arith.subf %aw, %mean : f32
          %h = arith.mulf %d, %rstd : f32
          %g = arith.mulf %h, %gw : f32
          %o = arith.addf %g, %bw : f32
          $narrow
          linalg.yield %on : $t
        }
      %y2 = tensor.expand_shape %y [[0, 1]] output_shape [1, $n] : tensor<${n}x$t> into tensor<1x${n}x$t>
      %ty = ktdp.construct_access_tile %vy[%r, 0] {access_tile_set = #row, access_tile_order = #i2}
        : memref<${m}x${n}x$t> -> !ktdp.access_tile<1x${n}xindex>
      ktdp.store %y2, %ty : tensor<1x${n}x$t>, <1x${n}xindex>
      %tm = ktdp.construct_access_tile %vm[%r] {access_tile_set = #one, access_tile_order = #i1}
        : memref<${m}xf32> -> !ktdp.access_tile<1xindex>
      %tr = ktdp.construct_access_tile %vr[%r] {access_tile_set = #one, access_tile_order = #i1}
        : memref<${m}xf32> -> !ktdp.access_tile<1xindex>
      %m1 = tensor.from_elements %mean : tensor<1xf32>
      %r1 = tensor.splat %rstd : tensor<1xf32>
      ktdp.store %m1, %tm : tensor<1xf32>, <1xindex>
      ktdp.store %r1, %tr : tensor<1xf32>, <1xindex>
    }
    return
  }
}
