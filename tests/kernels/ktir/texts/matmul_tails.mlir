// any m, n, k: the last tile of each axis is short. Sizes are arguments, views are dynamic.
#A = affine_set<(d0, d1)[m, k] : (d0 >= 0, m - d0 - 1 >= 0, d1 >= 0, k - d1 - 1 >= 0)>
#I = affine_map<(d0, d1) -> (d0, d1)>
#left = affine_map<(d0)[s0, s1] -> (s0 - d0, s1)>
module {
  func.func @matmul(%a_ptr: index, %b_ptr: index, %c_ptr: index, %M: i32, %N: i32, %K: i32)
      attributes {grid = [$gm, $gn]} {
    %m = arith.index_cast %M : i32 to index
    %n = arith.index_cast %N : i32 to index
    %k = arith.index_cast %K : i32 to index
    %pid_m, %pid_n = ktdp.get_compute_tile_id : index, index
    %c0 = arith.constant 0 : index
    %bm = arith.constant $bm : index
    %bn = arith.constant $bn : index
    %bk = arith.constant $bk : index
    %zero = arith.constant $zero : $acc
    %a = ktdp.construct_memory_view %a_ptr, sizes: [%m, %k], strides: [%k, 1]
      {coordinate_set = #A, memory_space = #ktdp.memory_space<global>} : memref<?x?x$t>
    %b = ktdp.construct_memory_view %b_ptr, sizes: [%k, %n], strides: [%n, 1]
      {coordinate_set = #A, memory_space = #ktdp.memory_space<global>} : memref<?x?x$t>
    %c = ktdp.construct_memory_view %c_ptr, sizes: [%m, %n], strides: [%n, 1]
      {coordinate_set = #A, memory_space = #ktdp.memory_space<global>} : memref<?x?x$acc>
    %row = arith.muli %pid_m, %bm : index
    %col = arith.muli %pid_n, %bn : index
    %rows = affine.min #left(%row)[%m, %bm]
    %cols = affine.min #left(%col)[%n, %bn]
    %e = tensor.empty(%rows, %cols) : tensor<?x?x$acc>
    %init = linalg.fill ins(%zero : $acc) outs(%e : tensor<?x?x$acc>) -> tensor<?x?x$acc>
    %sum = scf.for %at = %c0 to %k step %bk iter_args(%acc = %init) -> (tensor<?x?x$acc>) {
      %rest = arith.subi %k, %at : index
      %len = arith.minsi %rest, %bk : index
      %at_ = ktdp.construct_access_tile %a[%row, %at] symbols(%rows, %len)
        {access_tile_set = #A, access_tile_order = #I} : memref<?x?x$t> -> !ktdp.access_tile<?x?xindex>
      %bt = ktdp.construct_access_tile %b[%at, %col] symbols(%len, %cols)
        {access_tile_set = #A, access_tile_order = #I} : memref<?x?x$t> -> !ktdp.access_tile<?x?xindex>
      %x = ktdp.load %at_ : <?x?xindex> -> tensor<?x?x$t>
      %y = ktdp.load %bt : <?x?xindex> -> tensor<?x?x$t>
      %next = linalg.matmul ins(%x, %y : tensor<?x?x$t>, tensor<?x?x$t>)
        outs(%acc : tensor<?x?x$acc>) -> tensor<?x?x$acc>
      scf.yield %next : tensor<?x?x$acc>
    }
    %ct = ktdp.construct_access_tile %c[%row, %col] symbols(%rows, %cols)
      {access_tile_set = #A, access_tile_order = #I} : memref<?x?x$acc> -> !ktdp.access_tile<?x?xindex>
    ktdp.store %sum, %ct : tensor<?x?x$acc>, <?x?xindex>
    return
  }
}
