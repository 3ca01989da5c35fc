"""How the pieces of DataflowIR fit together: symbols, orchestrators, programs, arguments."""

# ruff: noqa: E501 (IR text has long lines)

from __future__ import annotations

import numpy as np
from test_decode import ALU, LOAD, STORE, run_alu, view
from texts import Toy, body, decoded, handles, launch

from spyrelang import ir
from spyrelang.engines import DeviceMemory, run
from spyrelang.isa import program as p
from spyrelang.isa.decode import decode


def test_symbol_mappings_choose_at_run_time() -> None:
    text = body(
        f"""
        dataflow.program_unit iter_arg : %me -> (%u) : {{
          %s0 = symbol.create_symbol {{SymbolId = -1 : i64}} : index
          %s1 = symbol.create_symbol {{SymbolId = -2 : i64}} : index
          %map = symbol.symbol_immutable_mapping ([%c0 -> %s0], [%c1 -> %s1]) : index
          scf.for %i = %c0 to %c2 step %c1 {{
            %at = symbol.query_map(map:%map, key:%i) : index
            %x = dataflow.get_logical_memory_view %mem, %at {{layout_map = #row64}} : index, index, memref<1x64xf16>
            {LOAD.format("v", "x", "0, 0", "1x64xf16")}
            %n = vectorchain.neg %v : vector<64xf16>, vector<64xf16>
            {STORE.format("n", "x", "0, 0", "1x64xf16")}
          }}
        }}""",
        prelude=ALU,
        args="%p: index, %q: index",
    )
    exe = decoded(text)
    memory, arrays = DeviceMemory(), [np.full(64, n, np.float16) for n in (1, 2)]
    run(exe, memory, {-1 - i: memory.bind(a) for i, a in enumerate(arrays)}, engine="checked")
    assert (arrays[0] == -1).all()
    assert (arrays[1] == -2).all()


def test_nested_program_units_are_part_of_the_body() -> None:
    x, y = np.arange(64, dtype=np.float16), np.zeros(64, np.float16)
    run_alu(
        f"""
        {view("x", 0, "1x64xf16")}
        {view("y", 512, "1x64xf16")}
        dataflow.program_unit iter_arg : %again -> (%u) : {{
          {LOAD.format("v", "x", "0, 0", "1x64xf16")}
          {STORE.format("v", "y", "0, 0", "1x64xf16")}
        }}""",
        {0: x, 1024: y},
    )
    assert (y == x).all()


ORCHESTRATED = """
module {
  module {
    func.func @main() attributes {grid = [2]} {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c1 = arith.constant 1 : index
      %id = ktdp.get_compute_tile_id : index
      scf.for %i = %c0 to %c2 step %c1 {
        %twice = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
        %row = arith.addi %twice, %id : index
        func.call @work(%row) : (index) -> ()
      }
      return
    }
    func.func private @work(index)
  }
  module @work {
    func.func @work(%row: index) attributes {grid = [2]} {
      HANDLES
      %sixty = arith.constant 64 : index
      %at = arith.muli %row, %sixty : index
      dataflow.program_unit iter_arg : %me -> (%a, %b) : {
        %x = dataflow.get_logical_memory_view %mem, %at {layout_map = #row64} : index, index, memref<1x64xf16>
        LOAD
        %n = vectorchain.neg %v : vector<64xf16>, vector<64xf16>
        STORE
      }
      return
    }
  }
}
""".replace("HANDLES", handles(("a", "alu", 0), ("b", "alu", 1), ("mem", "mem", -1)))


def test_an_orchestrator_calls_in_a_loop_with_numbers_of_its_core() -> None:
    text = ORCHESTRATED.replace("LOAD", LOAD.format("v", "x", "0, 0", "1x64xf16")).replace(
        "STORE", STORE.format("n", "x", "0, 0", "1x64xf16")
    )
    exe = decoded(text)
    assert exe.programs[0].params == 1
    x = np.arange(256, dtype=np.float16).reshape(4, 64)
    before = x.copy()
    launch(exe, {0: x})
    assert (x == -before).all()


def test_argument_attributes_are_read() -> None:
    text = body(
        "dataflow.program_unit iter_arg : %me -> (%u) : {\n}",
        prelude=ALU,
        args='%p: index {spyrelang.name = "x", spyrelang.role = "inout", spyrelang.dtype = "f16",'
        " spyrelang.shape = array<i64: 4, 8>, spyrelang.strides = array<i64: 8, 1>}",
    )
    assert decoded(text).arguments == (p.Argument("x", "inout", "f16", (4, 8), (8, 1)),)
    given = (p.Argument("other", "in", "f32"),)
    assert decoded(text, arguments=given).arguments == given


def test_one_of_several_kernels_is_chosen_by_name() -> None:
    one = "func.func @{0}() attributes {{grid = [{1}]}} {{\n return\n}}\n"
    module = ir.parse(f"module {{ {one.format('a', 1)} {one.format('b', 3)} }}", guard=False)
    assert decode(module, device=Toy(), name="b").grid == (3,)


OWN_SYMBOLS = """
module {
  func.func @main(%p: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %i = %c0 to %c3 step %c1 {
      func.call @work(%p, %i) : (index, index) -> ()
    }
    return
  }
  func.func @work(%p: index, %i: index) {
    %unit = dataflow.get_unit {core = 0 : i32, name = "C0-in", type = "in"} : index
    %mem = dataflow.get_unit {name = "mem", type = "mem"} : index
    %word = arith.constant 32 : index
    %words = arith.divsi %p, %word : index
    symbol.create_id %words {symbol_id = -7 : si64} : index
    dataflow.program_unit iter_arg : %me -> (%unit) : {
      %at = symbol.create_symbol {SymbolId = -7 : i64} : index
      %x = dataflow.get_logical_memory_view %mem, %at {layout_map = #row64} : index, index, memref<3x64xf16>
      LOAD
      %n = vectorchain.neg %v : vector<64xf16>, vector<64xf16>
      STORE
    }
    return
  }
}
""".replace("LOAD", LOAD.format("v", "x", "%i, 0", "3x64xf16")).replace(
    "STORE", STORE.format("n", "x", "%i, 0", "3x64xf16")
)


def test_a_program_in_a_loop_defines_its_own_symbols() -> None:
    exe = decoded(OWN_SYMBOLS)
    assert [(s.id, s.inputs) for s in exe.symbols] == [(-7, (-1,))]
    memory, x = DeviceMemory(), np.arange(192, dtype=np.float16).reshape(3, 64)
    before = x.copy()
    run(exe, memory, {-1: memory.bind(x)}, engine="checked")
    assert (x == -before).all()


def test_a_kernel_may_hold_the_program_units_itself() -> None:
    text = body(
        f"""
        %word = arith.constant 32 : index
        %words = arith.divsi %p, %word : index
        symbol.create_id %words {{symbol_id = -7 : si64}} : index
        dataflow.program_unit iter_arg : %me -> (%u) : {{
          %at = symbol.create_symbol {{SymbolId = -7 : i64}} : index
          %x = dataflow.get_logical_memory_view %mem, %at {{layout_map = #row64}} : index, index, memref<1x64xf16>
          {LOAD.format("v", "x", "0, 0", "1x64xf16")}
          %n = vectorchain.neg %v : vector<64xf16>, vector<64xf16>
          {STORE.format("n", "x", "0, 0", "1x64xf16")}
        }}""",
        prelude=handles(("u", "in", 0), ("mem", "mem", -1)),
        args="%p: index",
    )
    memory, x = DeviceMemory(), np.ones(64, np.float16)
    run(decoded(text), memory, {-1: memory.bind(x)}, engine="checked")
    assert (x == -1).all()
