#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0 * 2, 0)>
#map2 = affine_map<(d0) -> (d0)>
#set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>
#set1 = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 >= 0)>
#set2 = affine_set<(d0) : (d0 >= 0, -d0 + 2 >= 0)>
module {
  func.func @composite(%arg0: memref<8x32xf16>, %arg1: index, %arg2: index, %arg3: vector<32xf16>) {
    scf.for %arg4 = %arg1 to %arg2 step %arg2 {
      agen.composite_load_and_store src:%arg0[%arg4, 0] dst:%arg0[%arg4 + 1, 0]
       time_symbols(%arg1), load_iv(%arg5:vector<32xf16>), multicast_info = %arg2
       {dir = #agen<direction Clockwise>, load_order = #map, load_set = #set, load_time_addr_map = #map1, store_order = #map, store_set = #set, store_time_addr_map = #map1, time_order = #map2, time_set = #set1}
      {
        agen.yield {tag} %arg5 : vector<32xf16>
      } : memref<8x32xf16>, memref<8x32xf16>
    }
    agen.composite_load %arg0[%arg1, 0]
     time_symbols()(%arg4:vector<32xf16>)
     {load_order = #map, load_set = #set, time_addr_map = #map1, time_order = #map2, time_set = #set2}
    {
      dataflow.send %arg2, %arg4 : vector<32xf16>
      agen.yield
    } : memref<8x32xf16>
    agen.composite_store %arg0[%arg1, 0]
     time_symbols(%arg2)
     {store_order = #map, store_set = #set, time_addr_map = #map1, time_order = #map2, time_set = #set1}
    {
      %0 = dataflow.receive %arg2 : vector<32xf16>
      agen.yield %0 : vector<32xf16>
    } : memref<8x32xf16>
    agen.composite_memory_interleave {granularity = 16 : i32}{
      agen.composite_load %arg0[%arg1, 0]
       time_symbols()(%arg4:vector<32xf16>)
       {load_order = #map, load_set = #set, time_addr_map = #map1, time_order = #map2, time_set = #set2}
      {
        agen.yield
      } : memref<8x32xf16>
    }
    agen.composite_memory_interleave {}{
    }
    return
  }
}
