"""DataflowIR texts -> executables that compute what the text says."""

# ruff: noqa: E501 (IR text has long lines)

from __future__ import annotations

import numpy as np
import pytest
from texts import MAPS, body, decoded, handles, launch

from spyrelang.engines import DeviceMemory, run
from spyrelang.isa import program as p
from spyrelang.isa.visit import instructions

ALU = handles(("u", "alu", 0), ("mem", "mem", -1))

TWICE = """
module @twice {
  func.func private @twice_body()
  func.func @twice(%x: index, %flag: f32, %y: index) {
    symbol.create_id %x {symbol_id = -1 : si64} : index
    symbol.create_id %y {symbol_id = -3 : si64} : index
    %w = arith.constant 32 : index
    %tile = arith.constant 256 : index
    %x0 = arith.divsi %x, %w : index
    symbol.create_id %x0 {symbol_id = -4 : si64} : index
    %xt = arith.addi %x, %tile : index
    %x1 = arith.divsi %xt, %w : index
    symbol.create_id %x1 {symbol_id = -5 : si64} : index
    %y0 = arith.divsi %y, %w : index
    symbol.create_id %y0 {symbol_id = -6 : si64} : index
    %yt = arith.addi %y, %tile : index
    %y1 = arith.divsi %yt, %w : index
    symbol.create_id %y1 {symbol_id = -7 : si64} : index
    call @twice_body() : () -> ()
    return
  }
  module {
    func.func @twice_body() attributes {grid = [2]} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c256 = arith.constant 256 : index
      HANDLES
      dataflow.program_unit iter_arg : %me -> (%i0, %i1) : {
        %s0 = symbol.create_symbol {SymbolId = -4 : i64} : index
        %s1 = symbol.create_symbol {SymbolId = -5 : i64} : index
        %sm = uniform.def_immutable_mapping([%i0 -> %s0], [%i1 -> %s1]):index
        %at = uniform.query_map(map:%sm, key:%me) : index
        %mm = uniform.def_immutable_mapping([%i0 -> %p0], [%i1 -> %p1]):index
        %pad = uniform.query_map(map:%mm, key:%me) : index
        %pm = uniform.def_immutable_mapping([%i0 -> %r0], [%i1 -> %r1]):index
        %peer = uniform.query_map(map:%pm, key:%me) : index
        %src = dataflow.get_logical_memory_view %mem, %at {layout_map = #row64} : index, index, memref<2x64xf16>
        %dst = dataflow.get_logical_memory_view %pad, %c0 {layout_map = #row64} : index, index, memref<2x64xf16>
        agen.composite_load_and_store src:%src[0, 0] dst:%dst[0, 0]
         time_symbols(), load_iv(%v:vector<64xf16>)
         {load_order = #two, load_set = #line, load_time_addr_map = #down, store_order = #two, store_set = #line, store_time_addr_map = #down, time_order = #one, time_set = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>}
        {
          agen.yield
        } : memref<2x64xf16>, memref<2x64xf16>
        dataflow.sync_send %peer {wait_immediately_for_async_transfers = true} : index
      }
      dataflow.program_unit iter_arg : %me -> (%r0, %r1) : {
        %mm = uniform.def_immutable_mapping([%r0 -> %p0], [%r1 -> %p1]):index
        %pad = uniform.query_map(map:%mm, key:%me) : index
        %fm = uniform.def_immutable_mapping([%r0 -> %i0], [%r1 -> %i1]):index
        %from = uniform.query_map(map:%fm, key:%me) : index
        %tm = uniform.def_immutable_mapping([%r0 -> %a0], [%r1 -> %a1]):index
        %to = uniform.query_map(map:%tm, key:%me) : index
        %in = dataflow.get_logical_memory_view %pad, %c0 {layout_map = #row64} : index, index, memref<2x64xf16>
        dataflow.sync_recv %from : index
        scf.for %r = %c0 to %c2 step %c1 {
          %v = agen.vector_load %in[%r, 0] {load_order = #two, load_set = #line} : memref<2x64xf16>, vector<64xf16>
          dataflow.send %to, %v : vector<64xf16>
        }
      }
      dataflow.program_unit iter_arg : %me -> (%a0, %a1) : {
        %fm = uniform.def_immutable_mapping([%a0 -> %r0], [%a1 -> %r1]):index
        %from = uniform.query_map(map:%fm, key:%me) : index
        %tm = uniform.def_immutable_mapping([%a0 -> %w0], [%a1 -> %w1]):index
        %to = uniform.query_map(map:%tm, key:%me) : index
        scf.for %r = %c0 to %c2 step %c1 {
          %a = dataflow.receive %from : vector<64xf16>
          %s = vectorchain.binary %a, %a {binary_op = #vectorchain<binary_operator add>, op_specific_map = #one} : vector<64xf16>, vector<64xf16>, vector<64xf16>
          dataflow.send %to, %s : vector<64xf16>
        }
      }
      dataflow.program_unit iter_arg : %me -> (%w0, %w1) : {
        %mm = uniform.def_immutable_mapping([%w0 -> %p0], [%w1 -> %p1]):index
        %pad = uniform.query_map(map:%mm, key:%me) : index
        %fm = uniform.def_immutable_mapping([%w0 -> %a0], [%w1 -> %a1]):index
        %from = uniform.query_map(map:%fm, key:%me) : index
        %pm = uniform.def_immutable_mapping([%w0 -> %o0], [%w1 -> %o1]):index
        %peer = uniform.query_map(map:%pm, key:%me) : index
        %out = dataflow.get_logical_memory_view %pad, %c256 {layout_map = #row64} : index, index, memref<2x64xf16>
        scf.for %r = %c0 to %c2 step %c1 {
          %v = dataflow.receive %from : vector<64xf16>
          agen.vector_store %v, %out[%r, 0] {store_order = #two, store_set = #line} : memref<2x64xf16>, vector<64xf16>
        }
        dataflow.sync_send %peer : index
      }
      dataflow.program_unit iter_arg : %me -> (%o0, %o1) : {
        %s0 = symbol.create_symbol {SymbolId = -6 : i64} : index
        %s1 = symbol.create_symbol {SymbolId = -7 : i64} : index
        %sm = uniform.def_immutable_mapping([%o0 -> %s0], [%o1 -> %s1]):index
        %at = uniform.query_map(map:%sm, key:%me) : index
        %mm = uniform.def_immutable_mapping([%o0 -> %p0], [%o1 -> %p1]):index
        %pad = uniform.query_map(map:%mm, key:%me) : index
        %fm = uniform.def_immutable_mapping([%o0 -> %w0], [%o1 -> %w1]):index
        %from = uniform.query_map(map:%fm, key:%me) : index
        %src = dataflow.get_logical_memory_view %pad, %c256 {layout_map = #row64} : index, index, memref<2x64xf16>
        %dst = dataflow.get_logical_memory_view %mem, %at {layout_map = #row64} : index, index, memref<2x64xf16>
        dataflow.sync_recv %from : index
        scf.for %r = %c0 to %c2 step %c1 {
          agen.composite_load_and_store src:%src[%r, 0] dst:%dst[%r, 0]
           time_symbols(), load_iv(%v:vector<64xf16>)
           {load_order = #two, load_set = #line, load_time_addr_map = #still, store_order = #two, store_set = #line, store_time_addr_map = #still, time_order = #one, time_set = #once}
          {
            agen.yield %v : vector<64xf16>
          } : memref<2x64xf16>, memref<2x64xf16>
        }
      }
      return
    }
  }
}
""".replace(
    "HANDLES",
    handles(
        *(
            (f"{v}{c}", k, c)
            for v, k in zip("irawop", ("IN", "rd", "Alu", "wr", "out", "pad"), strict=True)
            for c in range(2)
        ),
        ("mem", "MEM", -1),
    ),
)


def unit_code(exe: p.Executable, kind: str = "alu") -> list[p.Instr]:
    unit = next(u for u in exe.programs[0].units if u.kind.lower() == kind)
    return list(instructions(unit.body))


def test_symbols_units_and_transfers_of_a_whole_kernel() -> None:
    exe = decoded(TWICE)
    assert exe.name == "twice"
    assert [(i.id, i.arg) for i in exe.inputs] == [(-1, 0), (-3, 2)]
    assert [s.id for s in exe.symbols] == [-4, -5, -6, -7]
    assert [(a.role, a.dtype) for a in exe.arguments] == [
        ("in", "f16"),
        ("index", "index"),
        ("out", "f16"),
    ]
    memory, x = DeviceMemory(), np.random.default_rng(0).standard_normal((4, 64))
    x = x.astype(np.float16)
    y = np.zeros_like(x)
    values = {-1: memory.bind(x, writable=False), -3: memory.bind(y, defined=False)}
    outcome = run(exe, memory, values, engine="checked")
    assert (y == x + x).all()
    assert outcome.cores == (0, 1)


def test_places_are_those_of_the_text() -> None:
    exe = decoded(TWICE)
    lines = (MAPS + TWICE).split("\n")
    for instr in unit_code(exe, "in"):
        place = exe.locs[instr.loc]
        assert place.file == "toy.mlir"
        if isinstance(instr, p.Transfer):
            assert lines[place.line - 1][place.col - 1 :].startswith("agen.composite_load_and")


def test_kinds_and_words_come_from_the_device() -> None:
    exe = decoded(TWICE)
    views = [i for i in unit_code(exe, "in") if isinstance(i, p.View)]
    assert sorted(v.scale for v in views) == [2, 32]
    scopes = {m.kind.lower(): m.scope for m in exe.machine.memories}
    assert scopes == {"mem": "device", "pad": "core"}
    assert p.Link("RD", "ALU", 4) in exe.machine.links


def run_alu(program: str, arrays: dict[int, np.ndarray], prelude: str = ALU) -> None:
    text = body(
        f"dataflow.program_unit iter_arg : %me -> (%u) : {{\n{program}\n}}", prelude=prelude
    )
    launch(decoded(text), arrays)


VIEW = (
    "%{0} = dataflow.get_logical_memory_view %mem, {1} {{layout_map = {3}}} : "
    "index, index, memref<{2}>"
)


def view(name: str, at: int, type_: str, layout: str = "#row64") -> str:
    constant = f"%{name}_at = arith.constant {at} : index\n"
    return constant + VIEW.format(name, f"%{name}_at", type_, layout)


LOAD = "%{0} = agen.vector_load %{1}[{2}] {{load_order = #two, load_set = #line}} : memref<{3}>, vector<64xf16>"
STORE = "agen.vector_store %{0}, %{1}[{2}] {{store_order = #two, store_set = #line}} : memref<{3}>, vector<64xf16>"


def test_constant_starts_count_elements() -> None:
    x = np.arange(64, dtype=np.float16)
    y = np.zeros(64, np.float16)
    run_alu(
        "\n".join(
            [
                view("x", 128, "1x64xf16"),
                view("y", 512, "1x64xf16"),
                LOAD.format("v", "x", "0, 0", "1x64xf16"),
                STORE.format("v", "y", "0, 0", "1x64xf16"),
            ]
        ),
        {256: x, 1024: y},
    )
    assert (y == x).all()


def test_an_order_map_permutes_lanes() -> None:
    x, y = np.arange(64, dtype=np.float16).reshape(4, 16), np.zeros((16, 4), np.float16)
    run_alu(
        view("x", 0, "4x16xf16", "affine_map<(d0, d1) -> (d0 * 16 + d1)>")
        + "\n"
        + view("y", 128, "64xf16", "#one")
        + """
        %v = agen.vector_load %x[0, 0] {load_order = #swap, load_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0)>} : memref<4x16xf16>, vector<64xf16>
        agen.vector_store %v, %y[0] {store_order = #one, store_set = #vec} : memref<64xf16>, vector<64xf16>""",
        {0: x, 256: y},
    )
    assert (y == x.T).all()


COPY = """
 agen.composite_load_and_store src:%x[{src}] dst:%y[{dst}]
  time_symbols({symbols}), load_iv(%v:vector<{lanes}xf16>)
  {{load_order = #two, load_set = {load}, load_time_addr_map = {ltime}, store_order = {sorder}, store_set = {store}, store_time_addr_map = {stime}, time_order = {torder}, time_set = {time}}}
 {{
   {region}agen.yield{value}
 }} : memref<{xt}>, memref<{yt}>
"""


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_time_symbols_bound_the_steps(rows: int) -> None:
    x, y = np.arange(256, dtype=np.float16).reshape(4, 64), np.zeros((4, 64), np.float16)
    copy = COPY.format(
        src="0, 0",
        dst="1, 0",
        symbols="%n",
        lanes=64,
        load="#line",
        ltime="#down",
        sorder="#two",
        store="#line",
        stime="#down",
        torder="#one",
        time="#some",
        region="",
        value="",
        xt="4x64xf16",
        yt="4x64xf16",
    )
    run_alu(
        f"%n = arith.constant {rows} : index\n"
        + view("x", 0, "4x64xf16")
        + "\n"
        + view("y", 512, "4x64xf16")
        + copy,
        {0: x, 1024: y},
    )
    assert (y[1 : 1 + rows] == x[:rows]).all()
    assert not y[1 + rows :].any()


def test_a_transfer_with_two_time_dims_in_swapped_order_and_other_lane_cuts() -> None:
    x, y = np.arange(256, dtype=np.float16).reshape(4, 64), np.zeros(256, np.float16)
    copy = COPY.format(
        src="0, 0",
        dst="0",
        symbols="",
        lanes=32,
        load="affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 15 >= 0)>",
        ltime="affine_map<(d0, d1) -> (d0 * 2, d1 * 16)>",
        sorder="#one",
        store="affine_set<(d0) : (d0 >= 0, -d0 + 31 >= 0)>",
        stime="affine_map<(d0, d1) -> (d0 * 128 + d1 * 32)>",
        torder="#swap",
        time="affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 3 >= 0)>",
        region="",
        value="",
        xt="4x64xf16",
        yt="256xf16",
    )
    run_alu(
        view("x", 0, "4x64xf16") + "\n" + view("y", 256, "256xf16", "#one") + copy, {0: x, 512: y}
    )
    expected = x.reshape(2, 2, 4, 16).transpose(0, 2, 1, 3).reshape(-1)
    assert (y == expected).all()


def test_a_region_that_computes_is_a_loop_of_loads_and_stores() -> None:
    x, y = np.arange(256, dtype=np.float16).reshape(4, 64), np.zeros((4, 64), np.float16)
    copy = COPY.format(
        src="0, 0",
        dst="0, 0",
        symbols="",
        lanes=64,
        load="#line",
        ltime="#down",
        sorder="#two",
        store="#line",
        stime="affine_map<(d0) -> (-d0 + 3, 0)>",
        torder="#one",
        time="affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>",
        region="%w = vectorchain.neg %v : vector<64xf16>, vector<64xf16>\n",
        value=" %w : vector<64xf16>",
        xt="4x64xf16",
        yt="4x64xf16",
    )
    run_alu(view("x", 0, "4x64xf16") + "\n" + view("y", 512, "4x64xf16") + copy, {0: x, 1024: y})
    assert (y == -x[::-1]).all()


def test_composite_load_sends_and_composite_store_receives() -> None:
    units = handles(("a", "rd", 0), ("b", "alu", 0), ("mem", "mem", -1))
    times = "time_addr_map = #down, time_order = #one, time_set = affine_set<(d0) : (d0 >= 0, -d0 + 2 >= 0)>"
    text = body(
        f"""
        dataflow.program_unit %a : {{
          {view("x", 0, "3x64xf16")}
          agen.composite_load %x[0, 0]
           time_symbols()(%v:vector<64xf16>)
           {{load_order = #two, load_set = #line, {times}}}
          {{
            dataflow.send %b, %v : vector<64xf16>
            agen.yield
          }} : memref<3x64xf16>
        }}
        dataflow.program_unit %b : {{
          {view("y", 256, "3x64xf16")}
          agen.composite_store %y[0, 0]
           time_symbols()
           {{store_order = #two, store_set = #line, {times}}}
          {{
            %w = dataflow.receive %a : vector<64xf16>
            agen.yield %w : vector<64xf16>
          }} : memref<3x64xf16>
        }}""",
        prelude=units,
    )
    x, y = np.arange(192, dtype=np.float16).reshape(3, 64), np.zeros((3, 64), np.float16)
    launch(decoded(text), {0: x, 512: y})
    assert (y == x).all()


def test_a_loop_may_carry_the_start_of_a_view() -> None:
    """The public double buffer: each trip uses the other of two addresses."""
    x, y = np.arange(256, dtype=np.float16).reshape(4, 64), np.zeros((4, 64), np.float16)
    program = f"""
      %zero = arith.constant 0 : index
      %next = arith.constant 64 : index
      {view("y", 512, "4x64xf16")}
      %last:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%cur = %zero, %other = %next) -> (index, index) {{
        %x = dataflow.get_logical_memory_view %mem, %cur {{layout_map = #row64}} : index, index, memref<1x64xf16>
        {LOAD.format("v", "x", "0, 0", "1x64xf16")}
        {STORE.format("v", "y", "%i", "4x64xf16").replace("[%i]", "[%i, 0]")}
        scf.yield %other, %cur : index, index
      }}"""
    run_alu(program, {0: x, 1024: y})
    assert (y[:3] == x[[0, 1, 0]]).all()


def test_branches_with_results_arithmetic_and_affine_ops() -> None:
    x, y = np.arange(256, dtype=np.float16).reshape(4, 64), np.zeros((4, 64), np.float16)
    program = f"""
      {view("x", 0, "4x64xf16")}
      {view("y", 512, "4x64xf16")}
      scf.for %i = %c0 to %c3 step %c1 {{
        %t = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0)>(%i)[%c1]
        %low = affine.min affine_map<(d0) -> (d0, 3)>(%t)
        %odd = arith.cmpi eq, %i, %c1 : index
        %row = scf.if %odd -> (index) {{
          %z = arith.subi %c3, %low : index
          scf.yield %z : index
        }} else {{
          scf.yield %low : index
        }}
        {LOAD.format("v", "x", "%row, 0", "4x64xf16")}
        {STORE.format("v", "y", "%i, 0", "4x64xf16")}
      }}"""
    run_alu(program, {0: x, 1024: y})
    assert (y[:3] == x[[1, 0, 3]]).all()


def test_a_carried_vector_and_register_memory() -> None:
    x, y = np.ones((1, 64), np.float16), np.zeros((1, 64), np.float16)
    program = f"""
      {view("x", 0, "1x64xf16")}
      {view("y", 512, "1x64xf16")}
      %reg = dataflow.get_logical_memory_view %regs, %c0 {{layout_map = #one}} : index, index, memref<64xf16>
      {LOAD.format("v", "x", "0, 0", "1x64xf16")}
      %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %v) -> (vector<64xf16>) {{
        %n = vectorchain.binary %acc, %acc {{binary_op = #vectorchain<binary_operator add>, op_specific_map = #one}} : vector<64xf16>, vector<64xf16>, vector<64xf16>
        scf.yield %n : vector<64xf16>
      }}
      agen.vector_store %sum, %reg[0] {{store_order = #one, store_set = #vec}} : memref<64xf16>, vector<64xf16>
      %back = agen.vector_load %reg[0] {{load_order = #one, load_set = #vec}} : memref<64xf16>, vector<64xf16>
      {STORE.format("back", "y", "0, 0", "1x64xf16")}"""
    run_alu(program, {0: x, 1024: y}, ALU + "\n" + handles(("regs", "reg", -1)))
    assert (y == 8).all()


def test_vector_ops_with_their_attributes() -> None:
    x, y = np.arange(64, dtype=np.float16), np.zeros((5, 64), np.float16)
    program = f"""
      {view("x", 0, "1x64xf16")}
      {view("y", 512, "5x64xf16")}
      {LOAD.format("v", "x", "0, 0", "1x64xf16")}
      %one = vectorchain.constant_bitstream {{value = [0x3c00]}} : vector<1xf16>
      %ones = vectorchain.shuffle input(%one) {{indices = [0 : i32], repetition = 64 : i32}} : vector<1xf16>, vector<64xf16>
      %m = vectorchain.create_affine_mask %c3 {{mask_set = #some}} : vector<64xi1>
      %s = vectorchain.element_wise_selection %m ? %ones : %v : vector<64xi1>, vector<64xf16>, vector<64xf16>, vector<64xf16>
      {STORE.format("s", "y", "0, 0", "5x64xf16")}
      %r = vectorchain.rotate %v, %c2 {{right_shift = false}} : vector<64xf16>, index, vector<64xf16>
      {STORE.format("r", "y", "1, 0", "5x64xf16")}
      %g = vectorchain.scan_with_gap %v {{eval_order = #vectorchain<eval_order right_to_left>, gap = 32 : index, reduction_op = #vectorchain<binary_operator max>}} : vector<64xf16>, vector<64xf16>
      {STORE.format("g", "y", "2, 0", "5x64xf16")}
      %c = vectorchain.element_wise_compare %v, %ones {{compare_op = #vectorchain<element_wise_compare_operator compare_gt>}} : vector<64xf16>, vector<64xf16>, vector<64xi1>
      %p = vectorchain.binary %v, %ones[%c : vector<64xi1>] {{binary_op = #vectorchain<binary_operator sub>, op_specific_map = #one}} : vector<64xf16>, vector<64xf16>, vector<64xf16>
      {STORE.format("p", "y", "3, 0", "5x64xf16")}
      %e = vectorchain.rec_estimate %ones : vector<64xf16>, vector<64xf16>
      {STORE.format("e", "y", "4, 0", "5x64xf16")}"""
    run_alu(program, {0: x, 1024: y})
    assert (y[0] == np.where(np.arange(64) < 3, 1, x)).all()
    assert (y[1] == np.roll(x, -2)).all()
    assert (y[2, :32] == x[32:]).all()
    assert (y[3] == np.where(x > 1, x - 1, x)).all()
    assert (y[4] == 1).all()


def test_uniform_regions_give_each_unit_its_own_code() -> None:
    units = handles(("a", "alu", 0), ("b", "alu", 1), ("mem", "mem", -1))
    text = body(
        f"""
        dataflow.program_unit iter_arg : %me -> (%a, %b) : {{
          {view("x", 0, "2x64xf16")}
          {view("y", 512, "2x64xf16")}
          %rows = uniform.def_immutable_mapping([%a -> %c0], [%b -> %c1]):index
          %row = uniform.query_map(map:%rows, key:%me) : index
          {LOAD.format("v", "x", "%row, 0", "2x64xf16")}
          uniform.uniformize_regions -> () {{
            (%p -> %a){{
              {STORE.format("v", "y", "1, 0", "2x64xf16")}
              uniform.yield
            }}
            (%q -> %b){{
              %only = uniform.def_immutable_mapping([%b -> %c0]):index
              %mine = uniform.query_map(map:%only, key:%q) : index
              %n = vectorchain.neg %v : vector<64xf16>, vector<64xf16>
              {STORE.format("n", "y", "%mine, 0", "2x64xf16")}
              uniform.yield
            }}
          }}
        }}""",
        prelude=units,
        grid=2,
    )
    x, y = np.arange(1, 129, dtype=np.float16).reshape(2, 64), np.zeros((2, 64), np.float16)
    launch(decoded(text), {0: x, 1024: y})
    assert (y[1] == x[0]).all()
    assert (y[0] == -x[1]).all()
