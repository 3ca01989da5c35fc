// Rows of x and y go through the scratchpad to the compute unit and back, two buffers for each.
#row = affine_map<(d0, d1) -> (d0 * 64 + d1)>
#same = affine_map<(d0, d1) -> (d0, d1)>
#lane = affine_map<(d0) -> (d0)>
#still = affine_map<(d0) -> (0, 0)>
#line = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 63 >= 0)>
#once = affine_set<(d0) : (d0 == 0)>
module {
  func.func @kernel(%x: index {spyrelang.dtype = "f16", spyrelang.name = "x", spyrelang.role = "in", spyrelang.shape = array<i64: 4, 64>, spyrelang.strides = array<i64: 64, 1>},
                    %y: index {spyrelang.dtype = "f16", spyrelang.name = "y", spyrelang.role = "in", spyrelang.shape = array<i64: 4, 64>, spyrelang.strides = array<i64: 64, 1>},
                    %out: index {spyrelang.dtype = "f16", spyrelang.name = "out", spyrelang.role = "out", spyrelang.shape = array<i64: 4, 64>, spyrelang.strides = array<i64: 64, 1>}) attributes {grid = [1]} {
    %c64 = arith.constant 64 : index
    %xw = arith.divsi %x, %c64 : index
    symbol.create_id %xw {symbol_id = -4 : si64} : index
    %yw = arith.divsi %y, %c64 : index
    symbol.create_id %yw {symbol_id = -5 : si64} : index
    %ow = arith.divsi %out, %c64 : index
    symbol.create_id %ow {symbol_id = -6 : si64} : index
    call @add() : () -> ()
    return
  }
  func.func @add() attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c256 = arith.constant 256 : index
    %c512 = arith.constant 512 : index
    %ddr = dataflow.get_unit {name = "ddr", type = "ddr"} : index
    %l1 = dataflow.get_unit {core = 0 : i32, name = "C0-l1", type = "l1"} : index
    %mnilu = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-mnilu", type = "mnilu"} : index
    %l1lu = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-l1lu", type = "l1lu"} : index
    %sfu = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-sfu", type = "sfu"} : index
    %l1su = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-l1su", type = "l1su"} : index
    %mnisu = dataflow.get_unit {core = 0 : i32, corelet = 0 : i32, name = "C0-mnisu", type = "mnisu"} : index
    // from device memory
    dataflow.program_unit iter_arg : %me -> (%mnilu) : {
      %xs = symbol.create_symbol {SymbolId = -4 : i64} : index
      %xv = dataflow.get_logical_memory_view %ddr, %xs {layout_map = #row} : index, index, memref<4x64xf16>
      %ys = symbol.create_symbol {SymbolId = -5 : i64} : index
      %yv = dataflow.get_logical_memory_view %ddr, %ys {layout_map = #row} : index, index, memref<4x64xf16>
      %xb = dataflow.get_logical_memory_view %l1, %c0 {layout_map = #row} : index, index, memref<2x64xf16>
      %yb = dataflow.get_logical_memory_view %l1, %c256 {layout_map = #row} : index, index, memref<2x64xf16>
      scf.for %i = %c0 to %c4 step %c1 {
        agen.composite_load_and_store src:%xv[%i, 0] dst:%xb[%i mod 2, 0]
         time_symbols(), load_iv(%v:vector<64xf16>)
         {load_order = #same, load_set = #line, load_time_addr_map = #still, store_order = #same, store_set = #line, store_time_addr_map = #still, time_order = #lane, time_set = #once}
        {
          agen.yield
        } : memref<4x64xf16>, memref<2x64xf16>
        agen.composite_load_and_store src:%yv[%i, 0] dst:%yb[%i mod 2, 0]
         time_symbols(), load_iv(%w:vector<64xf16>)
         {load_order = #same, load_set = #line, load_time_addr_map = #still, store_order = #same, store_set = #line, store_time_addr_map = #still, time_order = #lane, time_set = #once}
        {
          agen.yield
        } : memref<4x64xf16>, memref<2x64xf16>
        dataflow.sync_send %l1lu {wait_immediately_for_async_transfers = true} : index
        dataflow.sync_recv %l1lu : index
      }
    }
    // to the compute unit
    dataflow.program_unit iter_arg : %me -> (%l1lu) : {
      %xb = dataflow.get_logical_memory_view %l1, %c0 {layout_map = #row} : index, index, memref<2x64xf16>
      %yb = dataflow.get_logical_memory_view %l1, %c256 {layout_map = #row} : index, index, memref<2x64xf16>
      scf.for %i = %c0 to %c4 step %c1 {
        dataflow.sync_send %mnilu {wait_immediately_for_async_transfers = true} : index
        dataflow.sync_recv %mnilu : index
        %v = agen.vector_load %xb[%i mod 2, 0] {load_order = #same, load_set = #line} : memref<2x64xf16>, vector<64xf16>
        dataflow.send %sfu, %v : vector<64xf16>
        %w = agen.vector_load %yb[%i mod 2, 0] {load_order = #same, load_set = #line} : memref<2x64xf16>, vector<64xf16>
        dataflow.send %sfu, %w : vector<64xf16>
      }
    }
    dataflow.program_unit iter_arg : %me -> (%sfu) : {
      scf.for %i = %c0 to %c4 step %c1 {
        %v = dataflow.receive %l1lu : vector<64xf16>
        %w = dataflow.receive %l1lu : vector<64xf16>
        %z = vectorchain.binary %v, %w {binary_op = #vectorchain<binary_operator add>, op_specific_map = #lane} : vector<64xf16>, vector<64xf16>, vector<64xf16>
        dataflow.send %l1su, %z : vector<64xf16>
      }
    }
    // and back
    dataflow.program_unit iter_arg : %me -> (%l1su) : {
      %ob = dataflow.get_logical_memory_view %l1, %c512 {layout_map = #row} : index, index, memref<2x64xf16>
      scf.for %i = %c0 to %c4 step %c1 {
        %z = dataflow.receive %sfu : vector<64xf16>
        agen.vector_store %z, %ob[%i mod 2, 0] {store_order = #same, store_set = #line} : memref<2x64xf16>, vector<64xf16>
        dataflow.sync_send %mnisu {wait_immediately_for_async_transfers = true} : index
        dataflow.sync_recv %mnisu : index
      }
    }
    dataflow.program_unit iter_arg : %me -> (%mnisu) : {
      %ob = dataflow.get_logical_memory_view %l1, %c512 {layout_map = #row} : index, index, memref<2x64xf16>
      %os = symbol.create_symbol {SymbolId = -6 : i64} : index
      %ov = dataflow.get_logical_memory_view %ddr, %os {layout_map = #row} : index, index, memref<4x64xf16>
      scf.for %i = %c0 to %c4 step %c1 {
        dataflow.sync_send %l1su {wait_immediately_for_async_transfers = true} : index
        dataflow.sync_recv %l1su : index
        agen.composite_load_and_store src:%ob[%i mod 2, 0] dst:%ov[%i, 0]
         time_symbols(), load_iv(%v:vector<64xf16>)
         {load_order = #same, load_set = #line, load_time_addr_map = #still, store_order = #same, store_set = #line, store_time_addr_map = #still, time_order = #lane, time_set = #once}
        {
          agen.yield
        } : memref<2x64xf16>, memref<4x64xf16>
      }
    }
    return
  }
}
