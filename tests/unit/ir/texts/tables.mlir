module {
  func.func @tables(%arg0: index, %arg1: f16, %arg2: memref<4xf16>) {
    symbol.create_id %arg0 {symbol_id = -7 : si64} : index
    symbol.create_id %arg2 {note, symbol_id = 3 : si64} : memref<4xf16>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 2.000000e+00 : f16
    %0 = dataflow.get_unit {name = "p", type = "sfu"} : index
    %1 = dataflow.get_unit {name = "q", type = "sfu"} : index
    %2 = symbol.create_symbol {SymbolId = -7 : i64} : index
    %3 = symbol.create_symbol : index
    %4 = uniform.def_immutable_mapping([%0 -> %c0], [%1 -> %c1]):index
    %5 = uniform.def_immutable_mapping([%0 -> %cst]):index, f16
    %6 = uniform.def_immutable_mapping([%0 -> %2], [%1 -> %3]):index
    %7 = uniform.query_map(map:%5, key:%0) : f16
    %8 = symbol.symbol_immutable_mapping () : index
    %9 = symbol.symbol_immutable_mapping ([%c0 -> %2], [%c1 -> %3]) {note} : index
    scf.for %arg3 = %c0 to %c1 step %c1 {
      %11 = symbol.query_map(map:%9, key:%arg3) : index
    }
    %10:2 = uniform.uniformize_regions -> (index, f16) {
      (%arg3 -> %0){
        uniform.yield %arg3, %7 : index, f16
      }
      (%arg3 -> %1){
        %11 = arith.addf %7, %cst : f16
        uniform.yield %4, %11 : index, f16
      }
    } {regIndices = [0 : i32]}
    uniform.uniformize_regions -> () {
      (%arg3 -> %0, %1){
        dataflow.sync_send %arg3 : index
        uniform.yield
      }
    }
    uniform.equalize_pattern {
      (%arg3 -> %0){
        dataflow.sync_recv %arg3 : index
        uniform.yield
      }
      (%arg3 -> %1){
        dataflow.sync_recv %0 : index
        uniform.yield
      }
    }
    return
  }
}
