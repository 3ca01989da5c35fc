// A ring: in every round each core hands what it got last to the next one and adds what arrives.
// $cores cores, $rounds rounds, then every core has the sum.
#everyone = affine_set<(d0)[s0] : (d0 >= 0, -d0 + $last >= 0, s0 == 0)>
#before   = affine_set<(d0)[c, g] : (d0 - (c + $last) mod $cores == 0)>
#one      = affine_set<(d0) : (d0 == 0)>
module {
  func.func @ring_all_reduce(%x_ptr: index, %o_ptr: index) attributes {grid = [$cores]} {
    %id = ktdp.get_compute_tile_id : index
    %x = ktdp.construct_memory_view %x_ptr, sizes: [$cores, $n], strides: [$n, 1] {coordinate_set = $view,
      memory_space = #ktdp.memory_space<global>} : memref<${cores}x${n}x$t>
    %o = ktdp.construct_memory_view %o_ptr, sizes: [$cores, $n], strides: [$n, 1] {coordinate_set = $view,
      memory_space = #ktdp.memory_space<global>} : memref<${cores}x${n}x$t>
    %xt = ktdp.construct_access_tile %x[%id, 0] {access_tile_set = $tile,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<${cores}x${n}x$t> -> !ktdp.access_tile<1x${n}xindex>
    %v = ktdp.load %xt : <1x${n}xindex> -> tensor<1x${n}x$t>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rounds = arith.constant $rounds : index
    %got, %sum = scf.for %r = %c0 to %rounds step %c1 iter_args(%pass = %v, %acc = %v)
        -> (tensor<1x${n}x$t>, tensor<1x${n}x$t>) {
      %f = ktdp.inter_tile_produce producer_tiles_per_group = #everyone
        -> <(tensor<1x${n}x$t>), groups = #one> {
      ^bb0(%g: index):
        ktdp.yield_partial %pass : tensor<1x${n}x$t>
      }
      %in = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #everyone,
        producer_dependency_per_consumer = #before
        : <(tensor<1x${n}x$t>), groups = #one> -> tensor<1x${n}x$t>
      %e = tensor.empty() : tensor<1x${n}x$t>
      %s = linalg.add ins(%acc, %in : tensor<1x${n}x$t>, tensor<1x${n}x$t>)
        outs(%e : tensor<1x${n}x$t>) -> tensor<1x${n}x$t>
      scf.yield %in, %s : tensor<1x${n}x$t>, tensor<1x${n}x$t>
    }
    %ot = ktdp.construct_access_tile %o[%id, 0] {access_tile_set = $tile,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<${cores}x${n}x$t> -> !ktdp.access_tile<1x${n}xindex>
    ktdp.store %sum, %ot : tensor<1x${n}x$t>, <1x${n}xindex>
    return
  }
}
