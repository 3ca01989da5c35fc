#map = affine_map<(d0, d1) -> (d0 * 32 + d1)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 - 2 >= 0, -d0 + 3 >= 0)>
module {
  func.func @views(%arg0: index, %arg1: index, %arg2: memref<8xi8>) {
    %c0 = arith.constant 0 : index
    %c96 = arith.constant 96 : index
    %0 = dataflow.get_logical_memory_view %arg0, %c96 {layout_map = #map} : index, index, memref<3x32xf16, "L1">
    %1 = dataflow.get_paged_logical_memory_view %arg0, %arg1 {layout_map = #map}
      {segments = 
        page0: (idx_set = #set, start_addr = %c0),
        page1: (idx_set = #set1, start_addr = %c96)} : index, index, memref<4x32xf16>
    dataflow.implicit_sync_on_streaming_buffer %arg2, %arg0, %arg1 {dbgName = "b"} : memref<8xi8>, index, index
    %2 = dataflow.receive %arg0 : !dataflow.custom_vector<32x!dataflow.custom<mxint4>>
    dataflow.send %arg1, %2 {dir = #dataflow<direction CounterClockwise>} : !dataflow.custom_vector<32x!dataflow.custom<mxint4>>
    dataflow.opaque {func_name = "g", parameter_dictionary = {a = "1"}, read_only_register_dictionary = {}, read_write_register_dictionary = {r = "R7"}}
    return
  }
  func.func private @stand_ins(memref<4x!dataflow.custom<mxfp8>>, vector<8x!spyreop.df16>, memref<2x?x!spyreop.df16, #ktdp.memory_space<ct_local, ct_id = 5>>, !dataflow.mxfp<6>)
}
