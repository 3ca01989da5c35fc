module {
  func.func @units(%arg0: index, %arg1: index) {
    %0 = dataflow.get_unit {core = 1 : i32, corelet = 0 : i32, name = "C1-sfu", type = "sfu"} : index
    %1:3 = dataflow.get_unit {name = "many", type = "SFU"} : index, index, index
    %2 = dataflow.get_local_unit %1#2 {name = "near"} : index
    %3 = dataflow.create_group() : index
    %4 = dataflow.create_group(%0, %2 : index, index) {tag = [1, "two"]} : index
    %5 = dataflow.create_multicast_group(%0 -> (%1#0, %1#1)) {count = 3 : i32, group_id = 4 : i32, num_consumers = 2 : i32} : index
    dataflow.program_unit iter_arg : %arg2 -> (%0, %arg1) {precision = "fp16"} : {
      dataflow.sync_send %arg2 {wait_immediately_for_async_transfers = true} : index
      dataflow.program_unit %arg2 : {
        dataflow.sync_recv %arg2 {dbgName = "inner"} : index
      }
    }
    dataflow.program_unit iter_arg : %arg2 -> () : {
      "dataflow.return"() {mark} : () -> ()
    }
    return
  }
}
