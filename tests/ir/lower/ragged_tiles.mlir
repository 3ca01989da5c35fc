// RUN: --stage dataflow --device sample_device
#map = affine_map<(d0, d1) -> (d0, d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 11 >= 0, d1 >= 0, -d1 + 4096 >= 0)>
module {
  func.func @ragged(%x: index {spyrelang.name = "x", spyrelang.role = "in"}, %out: index {spyrelang.name = "out", spyrelang.role = "out"}) attributes {grid = [1]} {
    %x_view = ktdp.construct_memory_view %x, sizes: [12, 4097], strides: [4097, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<12x4097xf16>
    %out_view = ktdp.construct_memory_view %out, sizes: [12, 4097], strides: [4097, 1] {coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<12x4097xf16>
    %x_tile = ktdp.construct_access_tile %x_view[0, 0] {access_tile_order = #map, access_tile_set = #set} : memref<12x4097xf16> -> !ktdp.access_tile<12x4097xindex>
    %v = ktdp.load %x_tile : <12x4097xindex> -> tensor<12x4097xf16>
    %0 = tensor.empty() : tensor<12x4097xf16>
    %1 = linalg.add ins(%v, %v : tensor<12x4097xf16>, tensor<12x4097xf16>) outs(%0 : tensor<12x4097xf16>) -> tensor<12x4097xf16>
    %out_tile = ktdp.construct_access_tile %out_view[0, 0] {access_tile_order = #map, access_tile_set = #set} : memref<12x4097xf16> -> !ktdp.access_tile<12x4097xindex>
    ktdp.store %1, %out_tile : tensor<12x4097xf16>, <12x4097xindex>
    return
  }
}
// 4,097 columns: whole vectors in time steps, then one element; two copies in turn; one meeting a tile
// with each corelet; nothing is written past the end of the tensor.
// CHECK: symbol.create_id %arg0 {symbol_id = -1 : si64} : index
// CHECK: arith.divsi %arg0, %c64
// CHECK: dataflow.program_unit iter_arg : %arg0 -> (%[[MNILU:.*]]) : {
// CHECK: scf.for %[[T:.*]] = %c0 to %c4
// CHECK: agen.composite_load_and_store src:%{{.*}}[%[[T]] * 3, 0] dst:%{{.*}}[%[[T]] mod 2, 0, 0]
// CHECK: load_iv(%{{.*}}:vector<64xf16>)
// CHECK: agen.composite_load_and_store src:%{{.*}}[%[[T]] * 3, 4096] dst:%{{.*}}[%[[T]] mod 2, 0, 4096]
// CHECK: load_iv(%{{.*}}:vector<1xf16>)
// CHECK: dataflow.sync_send
// CHECK-NEXT: dataflow.sync_send
// CHECK-NEXT: dataflow.sync_recv
// CHECK-NEXT: dataflow.sync_recv
// CHECK: dataflow.program_unit iter_arg : %arg0 -> (%[[LU0:.*]], %[[LU1:.*]]) : {
// CHECK: uniform.def_immutable_mapping([%[[LU0]] -> %c0], [%[[LU1]] -> %c33])
// CHECK: dataflow.sync_send
// CHECK-NEXT: dataflow.sync_recv
// CHECK: agen.vector_load
// CHECK-NEXT: dataflow.send
// CHECK: vectorchain.binary
// CHECK: agen.vector_store
