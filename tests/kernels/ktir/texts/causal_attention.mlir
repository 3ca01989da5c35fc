// Triton style: program (head, block of queries); keys up to the diagonal only.
// Several query heads share one head of keys and values.
#q_box = affine_set<(h, r, d) : (h >= 0, -h + $heads1 >= 0, r >= 0, -r + $n1 >= 0, d >= 0, -d + $d1 >= 0)>
#k_box = affine_set<(h, r, d) : (h >= 0, -h + $kv1 >= 0, r >= 0, -r + $n1 >= 0, d >= 0, -d + $d1 >= 0)>
#q_tile = affine_set<(h, r, d) : (h == 0, r >= 0, -r + $bm1 >= 0, d >= 0, -d + $d1 >= 0)>
#k_tile = affine_set<(h, r, d) : (h == 0, r >= 0, -r + $bn1 >= 0, d >= 0, -d + $d1 >= 0)>
#id3 = affine_map<(a, b, c) -> (a, b, c)>
#id2 = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
module {
  func.func @causal_attention(%q_ptr: index, %k_ptr: index, %v_ptr: index, %o_ptr: index)
      attributes {grid = [$heads, $programs]} {
    %head, %block = ktdp.get_compute_tile_id : index, index
    %zero = arith.constant 0 : index
    %group = arith.constant $group : index
    %bm = arith.constant $bm : index
    %bn = arith.constant $bn : index
    %kv = arith.divui %head, %group : index
    %row = arith.muli %block, %bm : index
    // keys after the last row of this block are masked anyway
    %past = arith.addi %row, %bm : index
    %hi = affine.min affine_map<(d0) -> (d0, $n)>(%past)

    %q = ktdp.construct_memory_view %q_ptr, sizes: [$heads, $n, $d], strides: [$nd, $d, 1]
      {coordinate_set = #q_box, memory_space = #ktdp.memory_space<global>} : memref<${heads}x${n}x${d}x$t>
    %k = ktdp.construct_memory_view %k_ptr, sizes: [$kvs, $n, $d], strides: [$nd, $d, 1]
      {coordinate_set = #k_box, memory_space = #ktdp.memory_space<global>} : memref<${kvs}x${n}x${d}x$t>
    %v = ktdp.construct_memory_view %v_ptr, sizes: [$kvs, $n, $d], strides: [$nd, $d, 1]
      {coordinate_set = #k_box, memory_space = #ktdp.memory_space<global>} : memref<${kvs}x${n}x${d}x$t>
    %o = ktdp.construct_memory_view %o_ptr, sizes: [$heads, $n, $d], strides: [$nd, $d, 1]
      {coordinate_set = #q_box, memory_space = #ktdp.memory_space<global>} : memref<${heads}x${n}x${d}x$t>

    %qt = ktdp.construct_access_tile %q[%head, %row, %zero] {access_tile_set = #q_tile, access_tile_order = #id3}
      : memref<${heads}x${n}x${d}x$t> -> !ktdp.access_tile<1x${bm}x${d}xindex>
    %q3 = ktdp.load %qt : <1x${bm}x${d}xindex> -> tensor<1x${bm}x${d}x$t>
    %q2 = tensor.collapse_shape %q3 [[0, 1], [2]] : tensor<1x${bm}x${d}x$t> into tensor<${bm}x${d}x$t>

    %ninf = arith.constant dense<0xFF800000> : tensor<${bm}xf32>
    %none = arith.constant dense<0.0> : tensor<${bm}xf32>
    %acc0 = arith.constant dense<0.0> : tensor<${bm}x${d}xf32>
    %m, %l, %acc = scf.for %col = %zero to %hi step %bn
        iter_args(%m_i = %ninf, %l_i = %none, %acc_i = %acc0)
        -> (tensor<${bm}xf32>, tensor<${bm}xf32>, tensor<${bm}x${d}xf32>) {
      %kt = ktdp.construct_access_tile %k[%kv, %col, 0] {access_tile_set = #k_tile, access_tile_order = #id3}
        : memref<${kvs}x${n}x${d}x$t> -> !ktdp.access_tile<1x${bn}x${d}xindex>
      %k3 = ktdp.load %kt : <1x${bn}x${d}xindex> -> tensor<1x${bn}x${d}x$t>
      %k2 = tensor.collapse_shape %k3 [[0, 1], [2]] : tensor<1x${bn}x${d}x$t> into tensor<${bn}x${d}x$t>
      %ke = tensor.empty() : tensor<${d}x${bn}x$t>
      %kT = linalg.transpose ins(%k2 : tensor<${bn}x${d}x$t>) outs(%ke : tensor<${d}x${bn}x$t>) permutation = [1, 0]
      %s0 = arith.constant dense<0.0> : tensor<${bm}x${bn}xf32>
      %qk = linalg.matmul ins(%q2, %kT : tensor<${bm}x${d}x$t>, tensor<${d}x${bn}x$t>)
        outs(%s0 : tensor<${bm}x${bn}xf32>) -> tensor<${bm}x${bn}xf32>
      %scale = arith.constant dense<$scale> : tensor<${bm}x${bn}xf32>
      %scaled = arith.mulf %qk, %scale : tensor<${bm}x${bn}xf32>
      // offs_m[:, None] >= offs_n[None, :]
      %me = tensor.empty() : tensor<${bm}x${bn}xi1>
      %mask = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]}
        outs(%me : tensor<${bm}x${bn}xi1>) {
      ^bb0(%_: i1):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %gi = arith.addi %i, %row : index
        %gj = arith.addi %j, %col : index
        %keep = arith.cmpi uge, %gi, %gj : index
        linalg.yield %keep : i1
      } -> tensor<${bm}x${bn}xi1>
      %low = arith.constant dense<0xFF800000> : tensor<${bm}x${bn}xf32>   // -inf
      %s = arith.select %mask, %scaled, %low : tensor<${bm}x${bn}xi1>, tensor<${bm}x${bn}xf32>
      %m_ij = linalg.reduce ins(%s : tensor<${bm}x${bn}xf32>) outs(%m_i : tensor<${bm}xf32>) dimensions = [1]
        (%a: f32, %b: f32) {
          %c = arith.maxnumf %a, %b : f32
          linalg.yield %c : f32
        }
      %pe = tensor.empty() : tensor<${bm}x${bn}xf32>
      %p = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]}
        ins(%s, %m_ij : tensor<${bm}x${bn}xf32>, tensor<${bm}xf32>) outs(%pe : tensor<${bm}x${bn}xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %d = arith.subf %a, %b : f32
        %e = math.exp %d : f32
        linalg.yield %e : f32
      } -> tensor<${bm}x${bn}xf32>
      %dm = arith.subf %m_i, %m_ij : tensor<${bm}xf32>
      %alpha = math.exp %dm : tensor<${bm}xf32>
      %l_a = arith.mulf %l_i, %alpha : tensor<${bm}xf32>
      %l_ij = linalg.reduce { arith.addf } ins(%p : tensor<${bm}x${bn}xf32>) outs(%l_a : tensor<${bm}xf32>) dimensions = [1]
      %ae = tensor.empty() : tensor<${bm}x${d}xf32>
      %ab = linalg.broadcast ins(%alpha : tensor<${bm}xf32>) outs(%ae : tensor<${bm}x${d}xf32>) dimensions = [1]
      %acc_a = arith.mulf %acc_i, %ab : tensor<${bm}x${d}xf32>
      %vt = ktdp.construct_access_tile %v[%kv, %col, 0] {access_tile_set = #k_tile, access_tile_order = #id3}
        : memref<${kvs}x${n}x${d}x$t> -> !ktdp.access_tile<1x${bn}x${d}xindex>
      %v3 = ktdp.load %vt : <1x${bn}x${d}xindex> -> tensor<1x${bn}x${d}x$t>
      %v2 = tensor.collapse_shape %v3 [[0, 1], [2]] : tensor<1x${bn}x${d}x$t> into tensor<${bn}x${d}x$t>
      %pt = arith.truncf %p : tensor<${bm}x${bn}xf32> to tensor<${bm}x${bn}x$t>
      %acc_ij = linalg.matmul ins(%pt, %v2 : tensor<${bm}x${bn}x$t>, tensor<${bn}x${d}x$t>)
        outs(%acc_a : tensor<${bm}x${d}xf32>) -> tensor<${bm}x${d}xf32>
      scf.yield %m_ij, %l_ij, %acc_ij : tensor<${bm}xf32>, tensor<${bm}xf32>, tensor<${bm}x${d}xf32>
    } {tt.num_stages = 2 : i32}
    %oe = tensor.empty() : tensor<${bm}x${d}x$t>
    %res = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%acc, %l : tensor<${bm}x${d}xf32>, tensor<${bm}xf32>) outs(%oe : tensor<${bm}x${d}x$t>) {
    ^bb0(%a: f32, %b: f32, %c: $t):
      %d = arith.divf %a, %b : f32
      %e = arith.truncf %d : f32 to $t
      linalg.yield %e : $t
    } -> tensor<${bm}x${d}x$t>
    %o3 = tensor.expand_shape %res [[0, 1], [2]] output_shape [1, $bm, $d] : tensor<${bm}x${d}x$t> into tensor<1x${bm}x${d}x$t>
    %ot = ktdp.construct_access_tile %o[%head, %row, %zero] {access_tile_set = #q_tile, access_tile_order = #id3}
      : memref<${heads}x${n}x${d}x$t> -> !ktdp.access_tile<1x${bm}x${d}xindex>
    ktdp.store %o3, %ot : tensor<1x${bm}x${d}x$t>, <1x${bm}x${d}xindex>
    return
  }
}
