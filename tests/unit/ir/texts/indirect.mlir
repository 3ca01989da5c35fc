#map = affine_map<(d0) -> (d0, 0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0) -> (d0)>
#set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>
#set1 = affine_set<(d0) : (d0 == 0)>
module {
  func.func @indirect(%arg0: memref<16xindex>, %arg1: memref<8x32xf16>, %arg2: index, %arg3: index) {
    agen.composite_indirect_load_and_store indirect_src:%arg0[%arg2] direct_src:%arg1[0, 0] indirect_dst:%arg0[%arg3] direct_dst:%arg1[%arg2, 0]
     multicast_info = %arg3 time_symbols(), load_iv(%arg4:vector<32xf16>)
     {load_direct_time_addr_map = #map, load_order = #map1, load_set = #set, store_direct_time_addr_map = #map, store_order = #map1, store_set = #set, time_order = #map2, time_set = #set1}
    {
      agen.yield
    } : memref<16xindex>, memref<8x32xf16>, memref<16xindex>, memref<8x32xf16>
    agen.composite_indirect_load_and_store direct_src:%arg1[%arg2, 0] direct_dst:%arg1[0, 0]
     time_symbols(), load_iv(%arg4:vector<32xf16>)
     {load_direct_time_addr_map = #map, load_order = #map1, load_set = #set, store_direct_time_addr_map = #map, store_order = #map1, store_set = #set, time_order = #map2, time_set = #set1}
    {
      agen.yield
    } : memref<8x32xf16>, memref<8x32xf16>
    agen.composite_indirect_load indirect:%arg0[%arg2] direct:%arg1[%arg3, 0] multicast_info = %arg3 time_symbols(), load_iv(%arg4:vector<32xf16>)
     {load_order = #map1, load_set = #set, time_addr_map = #map, time_order = #map2, time_set = #set1}
    {
      agen.yield
    } : memref<16xindex>, memref<8x32xf16>
    agen.composite_indirect_store indirect:%arg0[%arg2] direct:%arg1[0, 0]
     multicast_info = %arg2 time_symbols()
     {dbgName = "s", store_order = #map1, store_set = #set, time_addr_map = #map, time_order = #map2, time_set = #set1}
    {
      agen.yield
    } : memref<16xindex>, memref<8x32xf16>
    %0 = agen.indirect_vector_load indirect:%arg0[%arg2] direct:%arg1[0, 0] multicast_info = %arg3
     {load_order = #map1, load_set = #set}
     : memref<16xindex>, memref<8x32xf16>, vector<32xf16>
    agen.indirect_vector_store %0 indirect:%arg0[%arg2 * 4] direct:%arg1[%arg3, 0]
     multicast_info = %arg3
     {store_order = #map1, store_set = #set}
     : vector<32xf16>, memref<16xindex>, memref<8x32xf16>
    return
  }
  func.func @special(%arg0: index, %arg1: index) {
    %0 = dataflow.get_logical_memory_view %arg0, %arg1 {layout_map = #map2} : index, index, memref<64xi8>
    %1 = agen.symbolic_vector_load %0[indices:(%arg0, %arg1), strides:(%arg1, %arg1)], multicast_info(%arg0) {load_order = #map2, load_set = #set1} : memref<64xi8>, vector<32xi8>
    agen.symbolic_vector_store %1, %0[indices:(%arg0), strides:(%arg1)] {dbgName = "s", store_order = #map2, store_set = #set1} : memref<64xi8>, vector<32xi8>
    %2 = agen.set_transfer_mask_state mask_value(%arg0) { num_slices = 2 : i32, slice_mask_map = "(A|B)(0)", maskA = "(unmasked = 5 : i32, masked = 3 : i32)", maskB = "(unmasked = 2 : i32, masked = 2 : i32)" } :  index , vector<32xf16>
    return
  }
}
