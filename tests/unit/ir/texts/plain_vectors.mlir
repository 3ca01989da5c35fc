#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<() -> ()>
#set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>
#set1 = affine_set<() : (0 == 0)>
module {
  func.func @plain(%arg0: memref<8x32xf16>, %arg1: memref<f16>, %arg2: index, %arg3: index) {
    %0 = agen.vector_load %arg0[%arg2 * 2 + 3, 0] {load_order = #map, load_set = #set} : memref<8x32xf16>, vector<32xf16>
    %1 = agen.vector_load %arg0[%arg2 + symbol(%arg3), %arg2 floordiv 4] multicast_info = %arg3 {dbgName = "ld", load_order = #map, load_set = #set} : memref<8x32xf16>, vector<32xf16>
    %2 = agen.vector_load %arg1[] {load_order = #map1, load_set = #set1} : memref<f16>, vector<1xf16>
    agen.vector_store %0, %arg0[%arg3, %arg2 mod 8] {store_order = #map, store_set = #set} : memref<8x32xf16>, vector<32xf16>
    return
  }
}
