#X = affine_set<(d0, d1) : (d0 >= 0, -d0 + ${m1} >= 0, d1 >= 0, -d1 + ${n1} >= 0)>
#I = affine_set<(d0, d1) : (d0 >= 0, -d0 + ${m1} >= 0, d1 >= 0, -d1 + ${k1} >= 0)>
#M = affine_set<(d0) : (d0 >= 0, -d0 + ${m1} >= 0)>
#row = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + ${n1} >= 0)>
#few = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + ${k1} >= 0)>
#id  = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @topk_log_softmax(%x: index, %ids: index, %out: index, %rank: index)
      attributes {grid = [$m]} {
    %r = ktdp.get_compute_tile_id : index
    %vx = ktdp.construct_memory_view %x, sizes: [$m, $n], strides: [$n, 1] {coordinate_set = #X,
      memory_space = #ktdp.memory_space<global>} : memref<${m}x${n}x$t>
    %vi = ktdp.construct_memory_view %ids, sizes: [$m, $k], strides: [$k, 1] {coordinate_set = #I,
      memory_space = #ktdp.memory_space<global>} : memref<${m}x${k}x$i>
    %vo = ktdp.construct_memory_view %out, sizes: [$m, $k], strides: [$k, 1] {coordinate_set = #I,
      memory_space = #ktdp.memory_space<global>} : memref<${m}x${k}xf32>
    %vr = ktdp.construct_memory_view %rank, sizes: [$m], strides: [1] {coordinate_set = #M,
      memory_space = #ktdp.memory_space<global>} : memref<${m}xi32>
    %tx = ktdp.construct_access_tile %vx[%r, 0] {access_tile_set = #row, access_tile_order = #id}
      : memref<${m}x${n}x$t> -> !ktdp.access_tile<1x${n}xindex>
    %v = ktdp.load %tx : <1x${n}xindex> -> tensor<1x${n}x$t>
    // the chosen columns: gathered from memory by the ids of this row
    %tc = ktdp.construct_indirect_access_tile intermediate_variables(%a, %b)
      %vx[(%r + %a), ind(%vi[%r + %a, %b])] {variables_space_order = #id, variables_space_set = #few}
      : memref<${m}x${n}x$t>, memref<${m}x${k}x$i> -> !ktdp.access_tile<1x${k}xindex>
    %c = ktdp.load %tc : <1x${k}xindex> -> tensor<1x${k}x$t>

    %lowest = arith.constant $lowest : $t
    %s0 = tensor.empty() : tensor<1x$t>
    %s1 = linalg.fill ins(%lowest : $t) outs(%s0 : tensor<1x$t>) -> tensor<1x$t>
    %top = linalg.reduce { arith.maxnumf } ins(%v : tensor<1x${n}x$t>) outs(%s1 : tensor<1x$t>)
      dimensions = [1]
    %zero = arith.constant dense<0.0> : tensor<1xf32>
    %sum = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%v, %top : tensor<1x${n}x$t>, tensor<1x$t>) outs(%zero : tensor<1xf32>) {
    ^bb0(%p: $t, %q: $t, %acc: f32):
      $widen_p
      $widen_q
      %d = arith.subf %pw, %qw : f32
      %e = math.exp %d : f32
      %s = arith.addf %e, %acc : f32
      linalg.yield %s : f32
    } -> tensor<1xf32>
    %log = math.log %sum : tensor<1xf32>
    %o0 = tensor.empty() : tensor<1x${k}xf32>
    %o = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%c, %top, %log : tensor<1x${k}x$t>, tensor<1x$t>, tensor<1xf32>)
      outs(%o0 : tensor<1x${k}xf32>) {
    ^bb0(%p: $t, %q: $t, %l: f32, %_: f32):
      $widen_p
      $widen_q
      %d = arith.subf %pw, %qw : f32
      %e = arith.subf %d, %l : f32
      linalg.yield %e : f32
    } -> tensor<1x${k}xf32>
    %to = ktdp.construct_access_tile %vo[%r, 0] {access_tile_set = #few, access_tile_order = #id}
      : memref<${m}x${k}xf32> -> !ktdp.access_tile<1x${k}xindex>
    ktdp.store %o, %to : tensor<1x${k}xf32>, <1x${k}xindex>

    // rank of the first of them: how many are at least as large
    %f = arith.constant 0 : index
    %first = tensor.extract %c[%f, %f] : tensor<1x${k}x$t>
    %b0 = tensor.splat %first : tensor<1x${n}x$t>
    %ge = arith.cmpf oge, %v, %b0 : tensor<1x${n}x$t>
    %ones = arith.extui %ge : tensor<1x${n}xi1> to tensor<1x${n}xi32>
    %none = arith.constant dense<0> : tensor<1xi32>
    %n = linalg.reduce ins(%ones : tensor<1x${n}xi32>) outs(%none : tensor<1xi32>) dimensions = [1]
      (%in: i32, %init: i32) {
        %u = arith.addi %in, %init : i32
        linalg.yield %u : i32
      }
    %tr = ktdp.construct_access_tile %vr[%r] {access_tile_set = affine_set<(d0) : (d0 == 0)>,
      access_tile_order = affine_map<(d0) -> (d0)>} : memref<${m}xi32> -> !ktdp.access_tile<1xindex>
    ktdp.store %n, %tr : tensor<1xi32>, <1xindex>
    return
  }
}
