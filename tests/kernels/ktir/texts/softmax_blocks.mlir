// one program per row; the last block of a row may be short
#row_set = affine_set<(d0, d1)[s0] : (d0 == 0, d1 >= 0, d1 <= s0 - 1)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#next = affine_map<(d0)[s0] -> (d0 + s0)>

module attributes {test.origin = "by hand"} {
  // length of the block that begins at %at
  func.func private @length(%at: index) -> index {
    %n = arith.constant $n : index
    %block = arith.constant $block : index
    %left = arith.subi %n, %at : index
    %short = arith.cmpi slt, %left, %block : index
    %len = arith.select %short, %left, %block : index
    return %len : index
  }

  func.func @softmax(%x_ptr: index, %y_ptr: index) attributes {grid = [$cores, 1]} {
    %pid:2 = ktdp.get_compute_tile_id : index, index
    %c0 = arith.constant 0 : index
    %n = arith.constant $n : index       // columns
    %block = arith.constant $block : index
    %rows = arith.constant $m : index
    %cores = arith.constant $cores : index
    %x = ktdp.construct_memory_view %x_ptr, sizes: [$m, $n], strides: [$n, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, $m - d0 - 1 >= 0, d1 >= 0, $n - d1 - 1 >= 0)>,
      memory_space = #ktdp.spyre_memory_space<HBM>
    } : memref<${m}x${n}x$t>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [$m, $n], strides: [$n, 1] {
      coordinate_set = affine_set<(d0, d1) : (d0 >= 0, $m - d0 - 1 >= 0, d1 >= 0, $n - d1 - 1 >= 0)>,
      memory_space = #ktdp.spyre_memory_space<HBM>
    } : memref<${m}x${n}x$t>

    scf.for %r = %pid#0 to %rows step %cores {
      %minus_inf = arith.constant 0xFF800000 : f32   // -inf
      %zero = arith.constant 0x00000000 : f32
      %m0 = tensor.splat %minus_inf : tensor<1xf32>
      %l0 = tensor.from_elements %zero : tensor<1xf32>
      // pass one: maximum and sum. %at counts up in a while loop
      %end, %top, %sum = scf.while (%at = %c0, %m = %m0, %l = %l0)
          : (index, tensor<1xf32>, tensor<1xf32>) -> (index, tensor<1xf32>, tensor<1xf32>) {
        %more = arith.cmpi ult, %at, %n : index
        scf.condition(%more) %at, %m, %l : index, tensor<1xf32>, tensor<1xf32>
      } do {
      ^bb0(%at: index, %m: tensor<1xf32>, %l: tensor<1xf32>):
        %len = func.call @length(%at) : (index) -> index
        %tile = ktdp.construct_access_tile %x[%r, %at] symbols(%len) {
          access_tile_set = #row_set, access_tile_order = #id2
        } : memref<${m}x${n}x$t> -> !ktdp.access_tile<1x?xindex>
        %v = ktdp.load %tile : !ktdp.access_tile<1x?xindex> -> tensor<1x?x$t>
        $widen
        %m1 = linalg.reduce ins(%w : tensor<1x?xf32>) outs(%m : tensor<1xf32>) dimensions = [1]
          (%in: f32, %acc: f32) {
            %big = arith.maximumf %in, %acc : f32
            linalg.yield %big : f32
          }
        %e0 = tensor.empty(%len) : tensor<1x?xf32>
        %mb = linalg.broadcast ins(%m1 : tensor<1xf32>) outs(%e0 : tensor<1x?xf32>) dimensions = [1]
        %d = arith.subf %w, %mb : tensor<1x?xf32>
        %p = math.exp %d : tensor<1x?xf32>
        %dm = arith.subf %m, %m1 : tensor<1xf32>
        %fix = math.exp %dm : tensor<1xf32>
        %l1 = arith.mulf %l, %fix : tensor<1xf32>
        %l2 = linalg.reduce { arith.addf } ins(%p : tensor<1x?xf32>) outs(%l1 : tensor<1xf32>)
          dimensions = [1]
        %on = affine.apply #next(%at)[%block]
        scf.yield %on, %m1, %l2 : index, tensor<1xf32>, tensor<1xf32>
      }
      // pass two
      scf.for %at = %c0 to %n step %block {
        %len = func.call @length(%at) : (index) -> index
        %tile = ktdp.construct_access_tile %x[%r, %at] symbols(%len) {
          access_tile_set = #row_set, access_tile_order = #id2
        } : memref<${m}x${n}x$t> -> !ktdp.access_tile<1x?xindex>
        %v = ktdp.load %tile : <1x?xindex> -> tensor<1x?x$t>
        %e = tensor.empty(%len) : tensor<1x?x$t>
        %q = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                           affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]
        } ins(%v, %top, %sum : tensor<1x?x$t>, tensor<1xf32>, tensor<1xf32>)
          outs(%e : tensor<1x?x$t>) {
        ^bb0(%a: $t, %b: f32, %c: f32, %old: $t):
          $widen_one
          %u = arith.subf %a1, %b : f32
          %z = math.exp %u : f32
          %g = arith.divf %z, %c : f32
          $narrow_one
          linalg.yield %h : $t
        } -> tensor<1x?x$t>
        %out = ktdp.construct_access_tile %y[%r, %at] symbols(%len) {
          access_tile_set = #row_set, access_tile_order = #id2
        } : memref<${m}x${n}x$t> -> !ktdp.access_tile<1x?xindex>
        ktdp.store %q, %out : tensor<1x?x$t>, <1x?xindex>
      } // columns
    }   // rows
    func.return
  }
}
