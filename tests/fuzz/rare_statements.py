"""Statements of the ops that kernels seldom use; `statements` says how they are written."""

from __future__ import annotations

from collections.abc import Mapping

SAME = "affine_map<(d0, d1) -> (d0, d1)>"
ONE = "affine_map<(d0) -> (d0)>"
TIME = "affine_map<(d0) -> (d0 * {step}, 0)>"
LINE = "affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>"
ALWAYS = "affine_set<(d0) : (d0 >= 0, -d0 + {rows} >= 0)>"
GROUP = "affine_set<(d0)[s0] : (d0 - s0 * {step} >= 0, -d0 + s0 * {step} + {rows} >= 0)>"
LOADS = f"load_order = {SAME}, load_set = {LINE}"
STORES = f"store_order = {SAME}, store_set = {LINE}"
TIMES = f"time_addr_map = {TIME}, time_order = {ONE}, time_set = {ALWAYS}"
FUTURE = "<(tensor<8x32xf16>), groups = affine_set<(d0) : (d0 == {big})>>"
V = "vector<32xf16>"
ESTIMATES = ("rec", "rsqrt", "ln", "tanh", "sigmoid")

RARE: Mapping[str, tuple[str, ...]] = {
    "ktdp": (
        "%p{n} = ktdp.inter_tile_produce producer_tiles_per_group = " + GROUP + " -> " + FUTURE
        + " {{\n^bb0(%g: index):\nktdp.yield_partial %t : tensor<8x32xf16>\n}}\n"
        "%c{n} = ktdp.inter_tile_reduce(%p{n}) consumer_tiles_per_group = " + GROUP
        + ", identity(%t : tensor<8x32xf16>) : " + FUTURE + " -> tensor<8x32xf16> {{\n"
        "^bb0(%a: tensor<8x32xf16>, %c: tensor<8x32xf16>):\n"
        "%x{n} = arith.maximumf %a, %c : tensor<8x32xf16>\n"
        "ktdp.yield_reduced %x{n} : tensor<8x32xf16>\n}}",
        "%x{n} = ktdp.runtime_arg_extract value from %r : <i32, granularity=4, upperbound=512> "
        "-> i32",
    ),
    "spyreop": (
        "%x{n} = spyreop.exx2_zeromean_fused %w : f32 -> !spyreop.fp32_fused\n"
        "%y{n} = spyreop.layernormscale_fused %x{n} : !spyreop.fp32_fused -> f32",
        "%x{n} = spyreop.layernormnorm %w squares %w scale %w weight %w bias %w : f32",
        "%x{n} = spyreop.select %f, %f, %f : f16",
        "%x{n} = spyreop.muli32toi32 %k, %k",
        *(f"%x{{n}} = spyreop.{op} %f : f16" for op in
          ("gelu", "reciprocal", "rsqrt", "sigmoid", "silu", "sqrt")),
    ),
    "spyrelang": ('spyrelang.print "at {{}}: {{}}" %i, %w : index, f32',),
    "ktdf": (
        "%a{n} = ktdf.fifo.allocate() -> !ktdf.fifo.slot<\"VEC\" -> \"WRITE\", 32xf16>",
        "ktdf.ind_data_transfer\nind_src = %u[%i]\ndir_src = %m[0, 0] size [1, 32]\n"
        "ind_dst = none\ndir_dst = %s[%j, 0] size [1, 32] : memref<16xi32>, memref<8x32xf16>, "
        "none, memref<2x32xf16>",
        '%x{n} = ktdf.opaque "GATE" {{func_name = "gate"}} -> tensor<8x32xf16>\n'
        "ins(%t, %k: tensor<8x32xf16>, i32)\nouts(%t: tensor<8x32xf16>)",
        "ktdf.pipeline {{\n%a{n}, %c{n} = ktdf.private -> (memref<2x32xf16>, !ktdf.token) {{\n"
        "%d{n} = ktdf.create_token : !ktdf.token\n"
        "ktdf.private_yield %s, %d{n} : memref<2x32xf16>, !ktdf.token\n}}\n"
        "ktdf.stage depends_in(none) depends_out(%c{n}) {{\n}}\n}}",
        "%x{n} = ktdf.buffer_phase(%i, %j) {{num_phases = 2 : i64}} : index\n"
        "%y{n} = ktdf.select_memref %x{n}[%s, %s] : memref<2x32xf16>",
        "%z{n} = ktdf.tiling.reserve_size {{divisibility = {size} : index, "
        "min_value = {size} : index}} : index\n"
        "%x{n} = ktdf.tiling.derive_size [%i : %z{n}], [%j : %z{n}], total_size = %j : index\n"
        "%y{n} = ktdf.tiling.linearize_index [%i : %z{n}], [%j : %i] : index",
    ),
    "dataflow": (
        '%g{n} = dataflow.get_unit {{name = "many", type = "SFU"}} : index\n'
        '%h{n} = dataflow.get_local_unit %g{n} {{name = "near"}} : index',
        "%g{n} = dataflow.create_multicast_group(%i -> (%i, %j)) {{count = {size} : i32, "
        "group_id = {step} : i32, num_consumers = 2 : i32}} : index",
        "%k{n} = arith.constant {big} : index\n"
        "%g{n} = dataflow.get_paged_logical_memory_view %i, %j {{layout_map = "
        "affine_map<(d0, d1) -> (d0 * 32 + d1)>}}\n{{segments =\npage0: (idx_set = "
        "affine_set<(d0, d1) : (d0 >= 0, -d0 + {rows} >= 0)>, start_addr = %k{n})}} : index, "
        "index, memref<4x32xf16>",
        "dataflow.implicit_sync_on_streaming_buffer %m, %i, %j : memref<8x32xf16>, index, index",
        'dataflow.opaque {{func_name = "g", parameter_dictionary = {{a = "{big}"}}, '
        "read_only_register_dictionary = {{}}, read_write_register_dictionary = {{}}}}",
    ),
    "agen": (
        "agen.composite_load_and_store src:%m[{at}, 0] dst:%m[%j, 0]\ntime_symbols(), "
        f"load_iv(%a:{V})\n{{{{{LOADS}, load_time_addr_map = {TIME}, {STORES}, "
        f"store_time_addr_map = {TIME}, time_order = {ONE}, time_set = {ALWAYS}}}}}\n"
        "{{\nagen.yield\n}} : memref<8x32xf16>, memref<8x32xf16>",
        f"agen.composite_store %m[{{at}}, 0]\ntime_symbols()\n{{{{{STORES}, {TIMES}}}}}\n{{{{\n"
        f"%x{{n}} = dataflow.receive %i : {V}\nagen.yield %x{{n}} : {V}\n}}}} : memref<8x32xf16>",
        "agen.composite_memory_interleave {{granularity = {step} : i32}}{{\n}}",
        f"agen.composite_indirect_load indirect:%n[%i] direct:%m[%j, 0] time_symbols(), "
        f"load_iv(%a:{V})\n{{{{{LOADS}, {TIMES}}}}}\n{{{{\nagen.yield\n}}}} : memref<16xindex>, "
        "memref<8x32xf16>",
        "agen.composite_indirect_store indirect:%n[%i] direct:%m[0, 0]\ntime_symbols()\n"
        f"{{{{{STORES}, {TIMES}}}}}\n{{{{\nagen.yield\n}}}} : memref<16xindex>, memref<8x32xf16>",
        "agen.composite_indirect_load_and_store indirect_src:%n[%i] direct_src:%m[0, 0] "
        f"direct_dst:%m[%i, 0]\ntime_symbols(), load_iv(%a:{V})\n{{{{load_direct_time_addr_map = "
        f"{TIME}, {LOADS}, store_direct_time_addr_map = {TIME}, {STORES}, time_order = {ONE}, "
        f"time_set = {ALWAYS}}}}}\n{{{{\nagen.yield\n}}}} : memref<16xindex>, memref<8x32xf16>, "
        "memref<8x32xf16>",
        f"%x{{n}} = agen.indirect_vector_load indirect:%n[%i] direct:%m[0, 0]\n{{{{{LOADS}}}}}\n"
        f": memref<16xindex>, memref<8x32xf16>, {V}",
        f"agen.indirect_vector_store %v indirect:%n[{{at}}] direct:%m[%j, 0]\n{{{{{STORES}}}}}\n"
        f": {V}, memref<16xindex>, memref<8x32xf16>",
        f"%y{{n}} = dataflow.get_logical_memory_view %i, %j {{{{layout_map = {ONE}}}}} : index, "
        "index, memref<64xf16>\n%x{n} = agen.symbolic_vector_load %y{n}[indices:(%i, %j), "
        f"strides:(%j, %j)] {{{{load_order = {ONE}, load_set = affine_set<(d0) : (d0 == 0)>}}}} : "
        f"memref<64xf16>, {V}\nagen.symbolic_vector_store %x{{n}}, %y{{n}}[indices:(%i), "
        f"strides:(%j)] {{{{store_order = {ONE}, store_set = affine_set<(d0) : (d0 == 0)>}}}} : "
        f"memref<64xf16>, {V}",
        "%x{n} = agen.set_transfer_mask_state mask_value(%i) {{ num_slices = 2 : i32, "
        'slice_mask_map = "(A|B)(0)", maskA = "(unmasked = 5 : i32, masked = 3 : i32)", '
        f'maskB = "(unmasked = 2 : i32, masked = 2 : i32)" }}}} :  index , {V}',
    ),
    "vectorchain": (
        f"%x{{n}} = vectorchain.multiply %v, %v {{{{reduction_map = {ONE}}}}} : {V}, {V}, {V}",
        f"%x{{n}} = vectorchain.multiply_and_accumulate %v, %v, %v {{{{reduction_map = {ONE}}}}} : "
        f"{V}, {V}, {V}, {V}",
        "%x{n} = vectorchain.element_wise_compare %v, %v {{compare_op = "
        f"#vectorchain<element_wise_compare_operator compare_ge>}}}} : {V}, {V}, vector<32xi1>\n"
        f"%y{{n}} = vectorchain.element_wise_selection %x{{n}} ? %v : %v : vector<32xi1>, {V}, "
        f"{V}, {V}",
        "%x{n} = vectorchain.select %v {{selection_map = affine_map<(d0) -> (d0 floordiv 4)>}} : "
        f"{V}, vector<8xf16>",
        "%x{n} = vectorchain.merge %v, %v {{access_function_A = " + ONE + ", access_function_B = "
        + ONE + ", access_function_CA = affine_map<(d0) -> (d0 floordiv 4)>, access_function_CB = "
        "affine_map<(d0) -> (d0 floordiv 4)>, iteration_space_CA = " + ALWAYS
        + f", iteration_space_CB = {ALWAYS}}}}} : {V}, {V}, {V}",
        "%x{n} = vectorchain.pack %v, %v {{indices = [0, 31], repetition = {step} : index}} : "
        f"{V}, {V}, {V}",
        f"%x{{n}} = vectorchain.cast %v : {V}, vector<4x8xf32>",
        "%x{n} = vectorchain.shuffle input(%v) {{indices = [0 : i32], repetition = 32 : i32}} : "
        f"{V}, {V}",
        "%x{n} = vectorchain.scan_with_gap %v {{eval_order = #vectorchain<eval_order "
        "right_to_left>, gap = {size} : index, reduction_op = #vectorchain<binary_operator {fold}>"
        f"}}}} : {V}, {V}",
        f"%x{{n}} = vectorchain.exp_estimate %v {{{{version = #vectorchain<exp_estimate b>}}}} : "
        f"{V}, {V}",
        f"%x{{n}} = vectorchain.floor %v : {V}, {V}\n%y{{n}} = vectorchain.fast_exp %v : {V}, {V}",
        *(f"%x{{n}} = vectorchain.{op}_estimate %v {{{{version = #vectorchain<estimate_versions "
          f"offset>}}}} : {V}, {V}" for op in ESTIMATES),
        '%x{n} = "vectorchain.select_dynamic"(%v, %v) : (' + f"{V}, {V}) -> {V}",
    ),
    "uniform": (
        '%g{n} = dataflow.get_unit {{name = "p", type = "sfu"}} : index\n'
        "%x{n} = uniform.uniformize_regions -> (index) {{\n(%a -> %g{n}){{\n"
        "uniform.yield %a : index\n}}\n}}",
    ),
    "symbol": (
        "%x{n} = symbol.create_symbol {{SymbolId = -{size} : i64}} : index\n"
        "%k{n} = arith.constant {step} : index\n"
        "%y{n} = symbol.symbol_immutable_mapping ([%k{n} -> %x{n}]) : index\n"
        "scf.for %a = %i to %j step %i {{\n"
        "%z{n} = symbol.query_map(map:%y{n}, key:%a) : index\n}}",
    ),
}  # fmt: skip

DEVICE = """ktdf_arch.device @d{n} attributes {{version = {size} : i64}} {{
  %m = memory {{kind = "RAM", size = {big} : i64}}
  group @g {{kind = "core"}} share(%m) {{
    %e = exec_unit {{kind = "load unit"}}
    %s:2 = switch [2]
    datapath @first {{kind = "link"}} %m to %e : memory, exec_unit
    datapath %e to %s#0 : exec_unit, port
    %c = group {{note = "inner"}} share(%m) {{
      %v = exec_unit {{kind = "ALU"}}
      yield %v
    }} -> exec_unit
    datapath %s#1 to %c : port, exec_unit
    %h = neighborhood %c : (exec_unit)[{size}] {{
      yield %c
    }}
    %n = neighbor affine_map<(d0) -> (d0 + 1)> in %h
  }}
  patterns ["pre_mapping"] {{
  }}
}}
"""
"""A device, for the top level of a module."""
