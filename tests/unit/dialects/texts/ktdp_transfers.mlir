#set = affine_set<(d0) : (d0 >= 0, -d0 + 2 >= 0)>
#set1 = affine_set<(d0)[s0] : (d0 - s0 * 2 >= 0, -d0 + s0 * 2 + 1 >= 0)>
#set2 = affine_set<(d0)[s0, s1] : (d0 - s0 - s1 == 0)>
module {
  func.func @transfers(%arg0: tensor<3x8xf16>, %arg1: tensor<8xi32>, %arg2: !ktdp.tile_future<(tensor<3x8xf16>), groups = #set>) {
    %0 = ktdp.inter_tile_produce producer_tiles_per_group = #set1 {tag} -> <(tensor<3x8xf16>, tensor<8xi32>), groups = #set> {
    ^bb0(%arg3: index):
      ktdp.yield_partial %arg0, %arg1 : tensor<3x8xf16>, tensor<8xi32>
    }
    %1:2 = ktdp.inter_tile_consume(%0) consumer_tiles_per_group = #set1, producer_dependency_per_consumer = #set2 : <(tensor<3x8xf16>, tensor<8xi32>), groups = #set> -> tensor<3x8xf16>, tensor<8xi32>
    %2 = ktdp.inter_tile_consume(%arg2) consumer_tiles_per_group = #set1 {tag} : <(tensor<3x8xf16>), groups = #set> -> tensor<3x8xf16>
    %3 = ktdp.inter_tile_reduce(%arg2) consumer_tiles_per_group = #set1, identity(%arg0 : tensor<3x8xf16>) : <(tensor<3x8xf16>), groups = #set> -> tensor<3x8xf16> {
    ^bb0(%arg3: tensor<3x8xf16>, %arg4: tensor<3x8xf16>):
      %4 = arith.maximumf %arg3, %arg4 : tensor<3x8xf16>
      ktdp.yield_reduced %4 : tensor<3x8xf16>
    }
    return
  }
}
