// RUN: --stage pipeline --device sample_device --prefix PIPELINE
// RUN: --stage routed --device sample_device --prefix ROUTED
// RUN: --stage nested --device sample_device --prefix NESTED
// RUN: --stage explored --device sample_device --prefix EXPLORED
// RUN: --stage placed --device sample_device --prefix PLACED
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 9 >= 0, d1 >= 0, -d1 + 199 >= 0)>
#set1 = affine_set<(d0) : (d0 >= 0, -d0 + 199 >= 0)>
#set2 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 4 >= 0, d1 >= 0, -d1 + 199 >= 0)>
module {
  func.func @rowscale(%x: index {spyrelang.name = "x", spyrelang.role = "in"}, %row: index {spyrelang.name = "row", spyrelang.role = "in"}, %out: index {spyrelang.name = "out", spyrelang.role = "out"}) attributes {grid = [2]} {
    %c5 = arith.constant 5 : index
    %x_view = ktdp.construct_memory_view %x, sizes: [10, 200], strides: [200, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<10x200xf16>
    %row_view = ktdp.construct_memory_view %row, sizes: [200], strides: [1] {coordinate_set = #set1, memory_space = #ktdp.memory_space<global>} : memref<200xf16>
    %out_view = ktdp.construct_memory_view %out, sizes: [10, 200], strides: [200, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<10x200xf16>
    %tile = ktdp.get_compute_tile_id : index
    %i = arith.muli %tile, %c5 : index
    %x_tile = ktdp.construct_access_tile %x_view[%i, 0] {access_tile_order = #map, access_tile_set = #set2} : memref<10x200xf16> -> !ktdp.access_tile<5x200xindex>
    %x_0 = ktdp.load %x_tile : <5x200xindex> -> tensor<5x200xf16>
    %row_tile = ktdp.construct_access_tile %row_view[0] {access_tile_order = #map1, access_tile_set = #set1} : memref<200xf16> -> !ktdp.access_tile<200xindex>
    %row_1 = ktdp.load %row_tile : <200xindex> -> tensor<200xf16>
    %0 = tensor.empty() : tensor<5x200xf16>
    %1 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%x_0, %row_1 : tensor<5x200xf16>, tensor<200xf16>) outs(%0 : tensor<5x200xf16>) {
    ^bb0(%in: f16, %in_2: f16, %out_3: f16):
      %2 = arith.mulf %in, %in_2 : f16
      linalg.yield %2 : f16
    } -> tensor<5x200xf16>
    %out_tile = ktdp.construct_access_tile %out_view[%i, 0] {access_tile_order = #map, access_tile_set = #set2} : memref<10x200xf16> -> !ktdp.access_tile<5x200xindex>
    ktdp.store %1, %out_tile : tensor<5x200xf16>, <5x200xindex>
    return
  }
}
// Three stages on one vector; the last vector of 200 columns is partial.
// PIPELINE: scf.for %[[I:.*]] = %c0 to %c5
// PIPELINE: scf.for %[[J:.*]] = %c0 to %c4
// PIPELINE: ktdf.fifo.allocate() -> !ktdf.fifo.slot<"DDR" -> "SFU", 64xf16>
// PIPELINE: ktdf.stage depends_in(none)
// PIPELINE: %[[N:.*]] = ktdf.tiling.derive_size [%[[J]] : %c64], total_size = %c200
// PIPELINE: ktdf.data_transfer from %{{.*}}[%[[I]], %[[J]] * 64] size [1, %[[N]]]
// PIPELINE: ktdf.data_transfer from %{{.*}}[%[[J]] * 64] size [%[[N]]]
// PIPELINE: linalg.generic
// PIPELINE: {applicable_units = ["SFU"]}
//
// Five stages, one unit each.
// ROUTED: {applicable_units = ["MNILU"]}
// ROUTED: {applicable_units = ["L1LU"]}
// ROUTED: {applicable_units = ["SFU"]}
// ROUTED: {applicable_units = ["L1SU"]}
// ROUTED: {applicable_units = ["MNISU"]}
//
// The row depends on the column loop only, so it is fetched outside of the row loop.
// NESTED: ktdf.tiling.reserve_size {divisibility = 1 : index, min_value = 1 : index}
// NESTED: %[[SIZE:.*]] = ktdf.tiling.reserve_size {divisibility = 64 : index, min_value = 64 : index}
// NESTED: scf.for
// NESTED: %[[ROW:.*]] = memref.alloc(%[[SIZE]]) : memref<?xf16, "L1">
// NESTED: ktdf.data_transfer from %{{.*}} to %[[ROW]][0]
// NESTED: scf.for
// NESTED: ktdf.pipeline
// NESTED: {loop_role = "tile"{{.*}}spyrelang.dim = 0 : i64}
// NESTED: {loop_role = "tile"{{.*}}spyrelang.dim = 1 : i64}
//
// One tile holds all, so no tile loop is left; both corelets share the vectors.
// EXPLORED-NOT: reserve_size
// EXPLORED-NOT: loop_role = "tile"
// EXPLORED: memref.alloc() : memref<256xf16, "L1">
// EXPLORED: distribute(num_instances = 2)
// EXPLORED-NOT: unrealized_conversion_cast
//
// PLACED: builtin.unrealized_conversion_cast %c{{.*}} : index to memref<256xf16, "L1">
// PLACED-NOT: memref.alloc
