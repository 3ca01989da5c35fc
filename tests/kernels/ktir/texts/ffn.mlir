// (silu(x @ w1) * (x @ w3)) @ w2 on $cores core(s); $m rows in shares of $block, the last one short
#rows = affine_set<(d0, d1)[s0] : (d0 >= 0, s0 - d0 - 1 >= 0, d1 >= 0, -d1 + $n1 >= 0)>
#part = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + $n1 >= 0, d1 >= 0, s0 - d1 - 1 >= 0)>
#down = affine_set<(d0, d1)[s0] : (d0 >= 0, s0 - d0 - 1 >= 0, d1 >= 0, -d1 + $n1 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @swiglu(%x_ptr: index, %w1_ptr: index, %w3_ptr: index, %w2_ptr: index, %o_ptr: index)
      attributes {grid = [$cores]} {
    %core = ktdp.get_compute_tile_id : index
    %m = arith.constant $m : index
    %k = arith.constant $k : index
    %c0 = arith.constant 0 : index
    %bh = arith.constant $bh : index
    %block = arith.constant $block : index
    %first = arith.muli %core, %block : index
    %left = arith.subi %m, %first : index
    %some = arith.minsi %left, %block : index
    %rows = arith.maxsi %some, %c0 : index      // a core may have nothing to do
    %x = ktdp.construct_memory_view %x_ptr, sizes: [$m, $n], strides: [$n, 1] {coordinate_set = $xset,
      memory_space = #ktdp.memory_space<global>} : memref<${m}x${n}x$t>
    %o = ktdp.construct_memory_view %o_ptr, sizes: [$m, $n], strides: [$n, 1] {coordinate_set = $xset,
      memory_space = #ktdp.memory_space<global>} : memref<${m}x${n}x$t>
    %w1 = ktdp.construct_memory_view %w1_ptr, sizes: [$n, $k], strides: [$k, 1] {coordinate_set = $uset,
      memory_space = #ktdp.memory_space<global>} : memref<${n}x${k}x$t>
    %w3 = ktdp.construct_memory_view %w3_ptr, sizes: [$n, $k], strides: [$k, 1] {coordinate_set = $uset,
      memory_space = #ktdp.memory_space<global>} : memref<${n}x${k}x$t>
    %w2 = ktdp.construct_memory_view %w2_ptr, sizes: [$k, $n], strides: [$n, 1] {coordinate_set = $dset,
      memory_space = #ktdp.memory_space<global>} : memref<${k}x${n}x$t>
    %xt = ktdp.construct_access_tile %x[%first, 0] symbols(%rows) {access_tile_set = #rows, access_tile_order = #id}
      : memref<${m}x${n}x$t> -> !ktdp.access_tile<?x${n}xindex>
    %v = ktdp.load %xt : <?x${n}xindex> -> tensor<?x${n}x$t>
    %zero = arith.constant 0.0 : f32
    %e0 = tensor.empty(%rows) : tensor<?x${n}xf32>
    %acc0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x${n}xf32>) -> tensor<?x${n}xf32>
    %sum = scf.for %h = %c0 to %k step %bh iter_args(%acc = %acc0) -> (tensor<?x${n}xf32>) {
      %rest = index.sub %k, %h
      %len = index.minu %rest, %bh
      %t1 = ktdp.construct_access_tile %w1[0, %h] symbols(%len) {access_tile_set = #part, access_tile_order = #id}
        : memref<${n}x${k}x$t> -> !ktdp.access_tile<${n}x?xindex>
      %t3 = ktdp.construct_access_tile %w3[0, %h] symbols(%len) {access_tile_set = #part, access_tile_order = #id}
        : memref<${n}x${k}x$t> -> !ktdp.access_tile<${n}x?xindex>
      %t2 = ktdp.construct_access_tile %w2[%h, 0] symbols(%len) {access_tile_set = #down, access_tile_order = #id}
        : memref<${k}x${n}x$t> -> !ktdp.access_tile<?x${n}xindex>
      %a = ktdp.load %t1 : <${n}x?xindex> -> tensor<${n}x?x$t>
      %b = ktdp.load %t3 : <${n}x?xindex> -> tensor<${n}x?x$t>
      %d = ktdp.load %t2 : <?x${n}xindex> -> tensor<?x${n}x$t>
      %e1 = tensor.empty(%rows, %len) : tensor<?x?xf32>
      %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x?xf32>) -> tensor<?x?xf32>
      %g = linalg.matmul ins(%v, %a : tensor<?x${n}x$t>, tensor<${n}x?x$t>) outs(%z1 : tensor<?x?xf32>) -> tensor<?x?xf32>
      %u = linalg.matmul ins(%v, %b : tensor<?x${n}x$t>, tensor<${n}x?x$t>) outs(%z1 : tensor<?x?xf32>) -> tensor<?x?xf32>
      %e2 = tensor.empty(%rows, %len) : tensor<?x?x$t>
      %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%g, %u : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e2 : tensor<?x?x$t>) {
      ^bb0(%p: f32, %q: f32, %_: $t):
        // silu spelled out
        %one = arith.constant 1.0 : f32
        %n0 = arith.negf %p : f32
        %ex = math.exp %n0 : f32
        %de = arith.addf %ex, %one : f32
        %si = arith.divf %p, %de : f32
        %r = arith.mulf %si, %q : f32
        $narrow
        linalg.yield %rt : $t
      } -> tensor<?x?x$t>
      %next = linalg.matmul ins(%y, %d : tensor<?x?x$t>, tensor<?x${n}x$t>)
        outs(%acc : tensor<?x${n}xf32>) -> tensor<?x${n}xf32>
      scf.yield %next : tensor<?x${n}xf32>
    }
    $narrow_sum
    %ot = ktdp.construct_access_tile %o[%first, 0] symbols(%rows) {access_tile_set = #rows, access_tile_order = #id}
      : memref<${m}x${n}x$t> -> !ktdp.access_tile<?x${n}xindex>
    ktdp.store %result, %ot : tensor<?x${n}x$t>, <?x${n}xindex>
    return
  }
}
