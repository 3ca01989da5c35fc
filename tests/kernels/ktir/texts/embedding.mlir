#ids  = affine_set<(t) : (t >= 0, -t + $last >= 0)>
#tab  = affine_set<(w, d) : (w >= 0, -w + ${words1} >= 0, d >= 0, -d + ${width1} >= 0)>
#out  = affine_set<(t, d) : (t >= 0, -t + $last >= 0, d >= 0, -d + ${width1} >= 0)>
// a block of tokens; its length is the symbol
#part = affine_set<(t, d)[n] : (t >= 0, n - t - 1 >= 0, d >= 0, -d + ${width1} >= 0)>
#same = affine_map<(a, b) -> (a, b)>
"builtin.module"() ({
  func.func @embedding(%ids: index, %table: index, %out: index) attributes {grid = [$cores : index]} {
    %core = ktdp.get_compute_tile_id : index
    %tokens = index.constant $tokens
    %block = index.constant $block
    %stride = arith.constant $stride : index
    %i = ktdp.construct_memory_view %ids, sizes: [$tokens], strides: [1]
      {memory_space = #ktdp.spyre_memory_space<HBM>, coordinate_set = #ids} : memref<${tokens}x$i>
    %t = ktdp.construct_memory_view %table, sizes: [$words, $width], strides: [$width, 1]
      {memory_space = #ktdp.spyre_memory_space<HBM>, coordinate_set = #tab}
      : memref<${words}x${width}x$t>
    %o = ktdp.construct_memory_view %out, sizes: [$tokens, $width], strides: [$width, 1]
      {memory_space = #ktdp.spyre_memory_space<HBM>, coordinate_set = #out}
      : memref<${tokens}x${width}x$t>
    %begin = index.mul %core, %block
    scf.for %at = %begin to %tokens step %stride {
      %rest = arith.subi %tokens, %at : index
      %n = arith.minui %rest, %block : index
      %rows = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k)
        %t[ind(%i[%at + %m]), (%k)] symbols(%n) {variables_space_set = #part,
        variables_space_order = #same} : memref<${words}x${width}x$t>, memref<${tokens}x$i>
        -> !ktdp.access_tile<?x${width}xindex>
      %x = ktdp.load %rows : <?x${width}xindex> -> tensor<?x${width}x$t>
      %to = ktdp.construct_access_tile %o[%at, 0] symbols(%n) {access_tile_set = #part,
        access_tile_order = #same} : memref<${tokens}x${width}x$t>
        -> !ktdp.access_tile<?x${width}xindex>
      ktdp.store %x, %to : tensor<?x${width}x$t>, <?x${width}xindex>
    }
    return
  }
}) : () -> ()
