// RUN: --stage programs --device spyre
// A loop-free add: one program, one orchestrator that calls it.
#whole = affine_set<(d0, d1) : (d0 >= 0, -d0 + 95 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @add(%a: index, %b: index, %c: index) attributes {grid = [32]} {
    %three = arith.constant 3 : index
    %zero = arith.constant 0 : index
    %core = ktdp.get_compute_tile_id : index
    %row = arith.muli %core, %three : index
    %va = ktdp.construct_memory_view %a, sizes: [96, 64], strides: [64, 1] {coordinate_set = #whole, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
    %vb = ktdp.construct_memory_view %b, sizes: [96, 64], strides: [64, 1] {coordinate_set = #whole, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
    %vc = ktdp.construct_memory_view %c, sizes: [96, 64], strides: [64, 1] {coordinate_set = #whole, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
    %ta = ktdp.construct_access_tile %va[%row, %zero] {access_tile_set = #tile, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<3x64xindex>
    %tb = ktdp.construct_access_tile %vb[%row, %zero] {access_tile_set = #tile, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<3x64xindex>
    %tc = ktdp.construct_access_tile %vc[%row, %zero] {access_tile_set = #tile, access_tile_order = #id} : memref<96x64xf16> -> !ktdp.access_tile<3x64xindex>
    %x = ktdp.load %ta : <3x64xindex> -> tensor<3x64xf16>
    %y = ktdp.load %tb : <3x64xindex> -> tensor<3x64xf16>
    %e = tensor.empty() : tensor<3x64xf16>
    %z = linalg.add ins(%x, %y : tensor<3x64xf16>, tensor<3x64xf16>) outs(%e : tensor<3x64xf16>) -> tensor<3x64xf16>
    ktdp.store %z, %tc : tensor<3x64xf16>, <3x64xindex>
    return
  }
}
// CHECK: func.func @add(
// CHECK-SAME: grid = [32]
// CHECK-NEXT: call @local_schedule_0(%arg0, %arg1, %arg2)
// CHECK-NEXT: return
// CHECK: ktdf_arch.device @spyre import("spyre.mlir")
// CHECK: module @local_schedule_0 {
// CHECK: [[ID:%.*]] = ktdp.get_compute_tile_id
// CHECK: ktdp.construct_access_tile %{{.*}}[[[ID]] * 3, 0]
// CHECK: linalg.generic
// CHECK: arith.addf
// CHECK: ktdp.store
