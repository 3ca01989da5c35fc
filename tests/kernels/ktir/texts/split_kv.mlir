// Decode, stage 2. A row of the partial results holds $width values and the logarithm of their
// weights' sum: $w = $width + 1 values on the last axis. How many splits a sequence has is read
// from memory.
module {
  func.func @decode_stage2(%mid: index, %count: index, %out: index) attributes {grid = [$batch, $heads]} {
    %ids:2 = ktdp.get_compute_tile_id : index, index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %b = arith.addi %ids#0, %c0 : index   // two results of one op cannot stand in one subscript list
    %h = arith.addi %ids#1, %c0 : index
    %parts = ktdp.construct_memory_view %mid, sizes: [$batch, $heads, $splits, $w],
      strides: [$hsw, $sw, $w, 1] {coordinate_set = $pset,
      memory_space = #ktdp.memory_space<global>} : memref<${batch}x${heads}x${splits}x${w}xf32>
    %counts = ktdp.construct_memory_view %count, sizes: [$batch], strides: [1] {coordinate_set = $cset,
      memory_space = #ktdp.memory_space<global>} : memref<${batch}xi32>
    %result = ktdp.construct_memory_view %out, sizes: [$batch, $heads, $width], strides: [$hd, $width, 1]
      {coordinate_set = $oset, memory_space = #ktdp.memory_space<global>} : memref<${batch}x${heads}x${width}x$t>
    %ct = ktdp.construct_access_tile %counts[%b] {access_tile_set = affine_set<(d0) : (d0 == 0)>,
      access_tile_order = affine_map<(d0) -> (d0)>} : memref<${batch}xi32> -> !ktdp.access_tile<1xindex>
    %cv = ktdp.load %ct : <1xindex> -> tensor<1xi32>
    %n32 = tensor.extract %cv[%c0] : tensor<1xi32>
    %n = arith.index_cast %n32 : i32 to index

    %minus_inf = arith.constant 0xFF800000 : f32
    %none = arith.constant 0.0 : f32
    %acc0 = tensor.splat %none : tensor<${width}xf32>
    %acc, %max, %sum = scf.for %s = %c0 to %n step %c1
        iter_args(%acc_i = %acc0, %max_i = %minus_inf, %sum_i = %none)
        -> (tensor<${width}xf32>, f32, f32) {
      %t = ktdp.construct_access_tile %parts[%b, %h, %s, 0] {access_tile_set = $rset,
        access_tile_order = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>}
        : memref<${batch}x${heads}x${splits}x${w}xf32> -> !ktdp.access_tile<1x1x1x${w}xindex>
      %x = ktdp.load %t : <1x1x1x${w}xindex> -> tensor<1x1x1x${w}xf32>
      // rank-reducing slices: the values, and the last one
      %v = tensor.extract_slice %x[0, 0, 0, 0] [1, 1, 1, $width] [1, 1, 1, 1]
        : tensor<1x1x1x${w}xf32> to tensor<${width}xf32>
      %last = arith.constant $width : index
      %lse = tensor.extract %x[%c0, %c0, %c0, %last] : tensor<1x1x1x${w}xf32>
      // a split without keys takes no part
      %some = arith.cmpf one, %lse, %minus_inf : f32
      %a, %m, %z = scf.if %some -> (tensor<${width}xf32>, f32, f32) {
        %new = arith.maximumf %max_i, %lse : f32
        %d0 = arith.subf %max_i, %new : f32
        %d1 = arith.subf %lse, %new : f32
        %old = math.exp %d0 : f32
        %fresh = math.exp %d1 : f32
        %ob = tensor.splat %old : tensor<${width}xf32>
        %fb = tensor.splat %fresh : tensor<${width}xf32>
        %a0 = arith.mulf %acc_i, %ob : tensor<${width}xf32>
        %a1 = arith.mulf %v, %fb : tensor<${width}xf32>
        %a2 = arith.addf %a0, %a1 : tensor<${width}xf32>
        %z0 = math.fma %sum_i, %old, %fresh : f32
        scf.yield %a2, %new, %z0 : tensor<${width}xf32>, f32, f32
      } else {
        scf.yield %acc_i, %max_i, %sum_i : tensor<${width}xf32>, f32, f32
      }
      scf.yield %a, %m, %z : tensor<${width}xf32>, f32, f32
    }
    %sb = tensor.splat %sum : tensor<${width}xf32>
    %y = arith.divf %acc, %sb : tensor<${width}xf32>
    $narrow
    %y3 = tensor.expand_shape %yt [[0, 1, 2]] output_shape [1, 1, $width] : tensor<${width}x$t> into tensor<1x1x${width}x$t>
    %ot = ktdp.construct_access_tile %result[%b, %h, 0] {access_tile_set = $tset,
      access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>}
      : memref<${batch}x${heads}x${width}x$t> -> !ktdp.access_tile<1x1x${width}xindex>
    ktdp.store %y3, %ot : tensor<1x1x${width}x$t>, <1x1x${width}xindex>
    return
  }
}
