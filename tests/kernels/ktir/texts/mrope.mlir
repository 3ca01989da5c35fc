// in place, on tiles of half a head: the position of a frequency comes from one of three rows
// (time, height, width), whichever section of the frequencies it lies in
#x   = affine_set<(t, h, d) : (t >= 0, -t + $t1 >= 0, h >= 0, -h + $h1 >= 0, d >= 0, -d + $w1 >= 0)>
#tab = affine_set<(s, t, f) : (s >= 0, -s + 2 >= 0, t >= 0, -t + $t1 >= 0, f >= 0, -f + $f1 >= 0)>
#halfrow = affine_set<(t, h, d) : (t == 0, h >= 0, -h + $h1 >= 0, d >= 0, -d + $f1 >= 0)>
#three = affine_set<(s, t, f) : (s >= 0, -s + 2 >= 0, t == 0, f >= 0, -f + $f1 >= 0)>
#id = affine_map<(a, b, c) -> (a, b, c)>
#freq = affine_map<(a, b, c) -> (c)>
module {
  func.func @mrope(%x_ptr: index {spyrelang.role = "inout"}, %cos_ptr: index, %sin_ptr: index) attributes {grid = [$tokens, 1, 1]} {
    %t, %_y, %_z = ktdp.get_compute_tile_id : index, index, index
    %half = arith.constant $f : index
    %view = ktdp.construct_memory_view %x_ptr, sizes: [$tokens, $h, $w], strides: [$hw, $w, 1]
      {coordinate_set = #x, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<${tokens}x${h}x${w}x$t>
    %cv = ktdp.construct_memory_view %cos_ptr, sizes: [3, $tokens, $f], strides: [$tf, $f, 1]
      {coordinate_set = #tab, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3x${tokens}x${f}xf32>
    %sv = ktdp.construct_memory_view %sin_ptr, sizes: [3, $tokens, $f], strides: [$tf, $f, 1]
      {coordinate_set = #tab, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<3x${tokens}x${f}xf32>
    %ct = ktdp.construct_access_tile %cv[0, %t, 0] {access_tile_set = #three, access_tile_order = #id}
      : memref<3x${tokens}x${f}xf32> -> !ktdp.access_tile<3x1x${f}xindex>
    %st = ktdp.construct_access_tile %sv[0, %t, 0] {access_tile_set = #three, access_tile_order = #id}
      : memref<3x${tokens}x${f}xf32> -> !ktdp.access_tile<3x1x${f}xindex>
    %call = ktdp.load %ct : <3x1x${f}xindex> -> tensor<3x1x${f}xf32>
    %sall = ktdp.load %st : <3x1x${f}xindex> -> tensor<3x1x${f}xf32>
    %pick = tensor.empty() : tensor<${f}xf32>
    %cos = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%pick : tensor<${f}xf32>) {
    ^bb0(%_: f32):
      %i = linalg.index 0 : index
      %s = func.call @section(%i) : (index) -> index
      %z = arith.constant 0 : index
      %c = tensor.extract %call[%s, %z, %i] : tensor<3x1x${f}xf32>
      linalg.yield %c : f32
    } -> tensor<${f}xf32>
    %sin = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%pick : tensor<${f}xf32>) {
    ^bb0(%_: f32):
      %i = linalg.index 0 : index
      %s = func.call @section(%i) : (index) -> index
      %z = arith.constant 0 : index
      %c = tensor.extract %sall[%s, %z, %i] : tensor<3x1x${f}xf32>
      linalg.yield %c : f32
    } -> tensor<${f}xf32>
    %lo = ktdp.construct_access_tile %view[%t, 0, 0] {access_tile_set = #halfrow, access_tile_order = #id}
      : memref<${tokens}x${h}x${w}x$t> -> !ktdp.access_tile<1x${h}x${f}xindex>
    %hi = ktdp.construct_access_tile %view[%t, 0, %half] {access_tile_set = #halfrow, access_tile_order = #id}
      : memref<${tokens}x${h}x${w}x$t> -> !ktdp.access_tile<1x${h}x${f}xindex>
    %a = ktdp.load %lo : <1x${h}x${f}xindex> -> tensor<1x${h}x${f}x$t>
    %b = ktdp.load %hi : <1x${h}x${f}xindex> -> tensor<1x${h}x${f}x$t>
    %e = tensor.empty() : tensor<1x${h}x${f}x$t>
    // both halves at once
    %out:2 = linalg.generic {indexing_maps = [#id, #id, #freq, #freq, #id, #id],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %b, %cos, %sin : tensor<1x${h}x${f}x$t>, tensor<1x${h}x${f}x$t>, tensor<${f}xf32>, tensor<${f}xf32>)
      outs(%e, %e : tensor<1x${h}x${f}x$t>, tensor<1x${h}x${f}x$t>) {
    ^bb0(%p: $t, %q: $t, %c: f32, %s: f32, %e0: $t, %e1: $t):
      $widen_p
      $widen_q
      %pc = arith.mulf %pw, %c : f32
      %qs = arith.mulf %qw, %s : f32
      %qc = arith.mulf %qw, %c : f32
      %ps = arith.mulf %pw, %s : f32
      %l = arith.subf %pc, %qs : f32
      %r = arith.addf %qc, %ps : f32
      $narrow_l
      $narrow_r
      linalg.yield %lt, %rt : $t, $t
    } -> (tensor<1x${h}x${f}x$t>, tensor<1x${h}x${f}x$t>)
    ktdp.store %out#0, %lo : tensor<1x${h}x${f}x$t>, <1x${h}x${f}xindex>
    ktdp.store %out#1, %hi : tensor<1x${h}x${f}x$t>, <1x${h}x${f}xindex>
    return
  }
  // which row a frequency follows; declared behind its use
  func.func private @section(%i: index) -> index {
    %e0 = arith.constant $first : index
    %e1 = arith.constant $second : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %p = arith.cmpi ult, %i, %e0 : index
    %q = arith.cmpi ult, %i, %e1 : index
    %late = arith.select %q, %c1, %c2 : index
    %s = arith.select %p, %c0, %late : index
    return %s : index
  }
}
