// RUN: --stage programs --prefix PROGRAMS
// RUN: --stage dataflow
#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 9 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>
module {
  func.func @loop1(%x: index {spyrelang.name = "x", spyrelang.role = "in"}, %out: index {spyrelang.name = "out", spyrelang.role = "out"}) attributes {grid = [3]} {
    %c10 = arith.constant 10 : index
    %c3 = arith.constant 3 : index
    %x_view = ktdp.construct_memory_view %x, sizes: [10, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<10x64xf16>
    %out_view = ktdp.construct_memory_view %out, sizes: [10, 64], strides: [64, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<10x64xf16>
    %tile = ktdp.get_compute_tile_id : index
    scf.for %i = %tile to %c10 step %c3 {
      %x_tile = ktdp.construct_access_tile %x_view[%i, 0] {access_tile_order = #map, access_tile_set = #set1} : memref<10x64xf16> -> !ktdp.access_tile<1x64xindex>
      %v = ktdp.load %x_tile : <1x64xindex> -> tensor<1x64xf16>
      %0 = tensor.empty() : tensor<1x64xf16>
      %1 = linalg.sub ins(%v, %v : tensor<1x64xf16>, tensor<1x64xf16>) outs(%0 : tensor<1x64xf16>) -> tensor<1x64xf16>
      %out_tile = ktdp.construct_access_tile %out_view[%i, 0] {access_tile_order = #map, access_tile_set = #set1} : memref<10x64xf16> -> !ktdp.access_tile<1x64xindex>
      ktdp.store %1, %out_tile : tensor<1x64xf16>, <1x64xindex>
    }
    return
  }
}
// A loop around one group becomes part of its program; cores run it a different number of times.
// PROGRAMS: call @local_schedule_0(%arg0, %arg1)
// PROGRAMS: module @local_schedule_0
// PROGRAMS: %[[ID:.*]] = ktdp.get_compute_tile_id
// PROGRAMS: scf.for %{{.*}} = %[[ID]] to %c10 step %c3
// PROGRAMS: linalg.generic
// PROGRAMS: loop_role = "outer"
// CHECK: dataflow.program_unit
// CHECK: uniform.def_immutable_mapping([%{{.*}} -> %c4], [%{{.*}} -> %c3], [%{{.*}} -> %c3])
// CHECK-NEXT: %[[N:.*]] = uniform.query_map
// CHECK: scf.for %{{.*}} = %c0 to %[[N]] step %c1
