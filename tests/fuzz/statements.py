"""Statements of every dialect with random parts, and modules made of them.

A statement is text that uses the arguments of the function and defines values of its own. `{n}` is
replaced by a number that makes its names unique; the other fields are drawn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from hypothesis import strategies as st
from rare_statements import DEVICE, RARE
from upstream_statements import CALLEE, UPSTREAM

ARGUMENTS = (
    "%i: index, %j: index, %f: f16, %w: f32, %k: i32, %l: i64, %m: memref<8x32xf16>, "
    "%u: memref<16xi32>, %t: tensor<8x32xf16>, %v: vector<32xf16>, %b: vector<32xi1>, "
    '%s: memref<2x32xf16>, %q: !ktdf.fifo.slot<"READ" -> "VEC", 32xf16>, %n: memref<16xindex>, '
    "%r: !ktdp.runtime_arg<i32, granularity=4, upperbound=512>"
)
# The same values made by ops, so that what uses them can run.
DEFINED: Mapping[str, str] = {
    "i": "%i = arith.constant 3 : index",
    "j": "%j = arith.constant 5 : index",
    "f": "%f = arith.constant 1.5 : f16",
    "w": "%w = arith.constant 2.5 : f32",
    "k": "%k = arith.constant -7 : i32",
    "l": "%l = arith.constant 11 : i64",
    "m": "%m = memref.alloc() : memref<8x32xf16>",
    "u": "%u = memref.alloc() : memref<16xi32>",
    "t": "%t = arith.constant dense<0.5> : tensor<8x32xf16>",
    "v": "%v = arith.constant dense<0.5> : vector<32xf16>",
    "b": "%b = arith.constant dense<true> : vector<32xi1>",
    "n": "%n = memref.alloc() : memref<16xindex>",
    "s": "%s = memref.alloc() : memref<2x32xf16>",
    "q": '%q = ktdf.fifo.allocate() -> !ktdf.fifo.slot<"READ" -> "VEC", 32xf16>',
}
BOX = "affine_set<(d0, d1) : (d0 >= 0, -d0 + {rows} >= 0, d1 >= 0, -d1 + 31 >= 0)>"
LINE = "affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 31 >= 0)>"
SAME = "affine_map<(d0, d1) -> (d0, d1)>"
ONE = "affine_map<(d0) -> (d0)>"
TIME = "affine_map<(d0) -> (d0 * {step}, 0)>"
MEMBERS = "affine_set<(d0)[s0] : (d0 - s0 * {step} >= 0, -d0 + s0 * {step} + {rows} >= 0)>"

COMMON: Mapping[str, tuple[str, ...]] = {
    "ktdp": (
        "%id{n}:2 = ktdp.get_compute_tile_id : index, index",
        "%v{n} = ktdp.construct_memory_view %i, sizes: [{size}, 32], strides: [32, {step}] "
        f"{{{{coordinate_set = {BOX}, memory_space = #ktdp.memory_space<{{space}}>}}}} : "
        "memref<{size}x32xf16>",
        "%v{n} = ktdp.construct_memory_view %i, sizes: [%j, 32], strides: [32, %j] "
        f"{{{{coordinate_set = {BOX}, memory_space = #ktdp.spyre_memory_space<{{old}}>}}}} : "
        "memref<?x32xf16>",
        "%d{n} = ktdp.construct_distributed_memory_view(%m, %m : memref<8x32xf16>, "
        "memref<8x32xf16>) : memref<16x32xf16>",
        "%t{n} = ktdp.construct_access_tile %m[{at}, %j] {{access_tile_set = "
        f"{BOX}, access_tile_order = {SAME}}}}} : memref<8x32xf16> -> "
        "!ktdp.access_tile<{size}x32xindex>\n"
        "%x{n} = ktdp.load %t{n} : <{size}x32xindex> -> tensor<{size}x32xf16>\n"
        "ktdp.store %x{n}, %t{n} : tensor<{size}x32xf16>, !ktdp.access_tile<{size}x32xindex>",
        "%t{n} = ktdp.construct_indirect_access_tile intermediate_variables(%a, %c) "
        "%m[ind(%u[%a + {step}]), (%c)] {{variables_space_set = " + BOX + ", "
        f"variables_space_order = {SAME}}}}} : memref<8x32xf16>, memref<16xi32> -> "
        "!ktdp.access_tile<{size}x32xindex>",
        "%p{n} = ktdp.inter_tile_produce producer_tiles_per_group = " + MEMBERS + " -> "
        "<(tensor<8x32xf16>), groups = affine_set<(d0) : (d0 == {big})>> {{\n^bb0(%g: index):\n"
        "ktdp.yield_partial %t : tensor<8x32xf16>\n}}\n"
        "%c{n} = ktdp.inter_tile_consume(%p{n}) consumer_tiles_per_group = " + MEMBERS + " : "
        "<(tensor<8x32xf16>), groups = affine_set<(d0) : (d0 == {big})>> -> tensor<8x32xf16>",
    ),
    "spyreop": (
        "%x{n} = spyreop.{unary} %f : f16",
        "%x{n} = spyreop.{unary} %w : f32",
        "%x{n} = spyreop.softplus %f beta {real} threshold 20.0 : f16",
        "%x{n} = spyreop.realdiv %f, %f : f16",
        "%x{n} = spyreop.compare <{relation}> %f, %f : f16",
        "%x{n} = spyreop.addi32toi32 %k, %k\n%y{n} = spyreop.addi64toi64 %l, %l",
        "%x{n} = spyreop.idx32toaddr %k base %k stride %k",
        "%x{n}, %y{n} = spyreop.exx2 %w : f32\n%z{n} = spyreop.layernormscale %x{n} squares "
        "%y{n} : f32",
        "%x{n} = spyreop.exx2_fused %f : f16 -> !spyreop.fp16_fused",
        "%x{n} = spyreop.constant {real} : f16",
        "%x{n} = spyreop.slice_reduction %t {{reduction_kind = #spyreop.reduction_kind<add>, "
        "reduction_scope = #spyreop.reduction_scope<in_slice>}} : tensor<8x32xf16> -> "
        "tensor<8x32xf16>",
    ),
    "ktdf": (
        "%o{n} = ktdf.create_token : !ktdf.token\nktdf.pipeline modulo(size : {size}) {{\n"
        'ktdf.stage depends_in(none) depends_out(%o{n}) {{\n}} {{applicable_units = ["READ"]}}\n'
        "ktdf.stage depends_in(%o{n}) depends_out(none) {{\n%x{n} = arith.addi %i, %j : index\n"
        "}}\n}}",
        "ktdf.data_transfer from %m[{at}, 0] size [2, 32] to %s[0, 0] size [2, 32] : "
        "memref<8x32xf16>, memref<2x32xf16>",
        '%r{n} = ktdf.read_from_fifo %q : <"READ" -> "VEC", 32xf16> -> tensor<32xf16>\n'
        'ktdf.write_to_fifo %r{n}, %q : tensor<32xf16>, <"READ" -> "VEC", 32xf16>',
        "%z{n} = ktdf.tiling.reserve_size {{divisibility = {size} : index, "
        "min_value = {size} : index}} : index",
        "%b{n} = ktdf.buffer_phase(%i, %j) {{num_phases = {phases} : i64}} : index",
        "ktdf.parallel (%a, %c) = (%i) to (%j) step (%i) distribute(num_instances = {size}) {{\n"
        "ktdf.parallel_yield\n}}",
    ),
    "ktdf_lowering": ("ktdf_lowering.execute_on %i, %j {{\nktdf_lowering.signal %i, %j\n}}",),
    "dataflow": (
        '%g{n} = dataflow.get_unit {{core = {step} : i32, name = "C{size}", type = "sfu"}} : index',
        "%g{n} = dataflow.create_group(%i, %j : index, index) : index",
        "dataflow.program_unit iter_arg : %a -> (%i, %j) : {{\ndataflow.sync_send %a : index\n"
        "dataflow.sync_recv %j : index\n}}",
        "%g{n} = dataflow.receive %i : vector<32xf16>\ndataflow.send %j, %g{n} : vector<32xf16>",
        "%g{n} = dataflow.get_logical_memory_view %i, %j {{layout_map = affine_map<(d0, d1) -> "
        '(d0 * {size} + d1)>}} : index, index, memref<3x32xf16, "L1">',
    ),
    "agen": (
        "%x{n} = agen.vector_load %m[{at}, 0] {{load_order = "
        + SAME
        + ", load_set = "
        + LINE
        + "}} : memref<8x32xf16>, vector<32xf16>\nagen.vector_store %x{n}, %m[%j, 0] "
        "{{store_order = " + SAME + ", store_set = " + LINE + "}} : memref<8x32xf16>, "
        "vector<32xf16>",
        "agen.composite_load %m[{at}, 0]\ntime_symbols()(%a:vector<32xf16>)\n{{load_order = "
        + SAME
        + ", load_set = "
        + LINE
        + ", time_addr_map = "
        + TIME
        + ", time_order = "
        + ONE
        + ", time_set = affine_set<(d0) : (d0 >= 0, -d0 + {rows} >= 0)>}}\n{{\nagen.yield\n}} : "
        "memref<8x32xf16>",
    ),
    "vectorchain": (
        "%x{n} = vectorchain.binary %v, %v[%b : vector<32xi1>] {{binary_op = "
        "#vectorchain<binary_operator {fold}>, op_specific_map = " + ONE + "}} : vector<32xf16>, "
        "vector<32xf16>, vector<32xf16>",
        "%x{n} = vectorchain.rotate %v, %i {{right_shift = false}} : vector<32xf16>, index, "
        "vector<32xf16>",
        "%x{n} = vectorchain.create_affine_mask {{mask_set = affine_set<(d0) : (d0 >= 0, "
        "-d0 + {rows} >= 0)>}} : vector<32xi1>",
        "%x{n} = vectorchain.neg %v : vector<32xf16>, vector<32xf16>",
        "%x{n} = vectorchain.constant_bitstream {{value = [0x3c00, {big}]}} : vector<2xf16>",
    ),
    "uniform": (
        "%c{n} = arith.constant {step} : index\n"
        "%x{n} = uniform.def_immutable_mapping([%i -> %c{n}]):index\n"
        "%y{n} = uniform.query_map(map:%x{n}, key:%i) : index",
        '%g{n} = dataflow.get_unit {{name = "p", type = "sfu"}} : index\n'
        '%h{n} = dataflow.get_unit {{name = "q", type = "sfu"}} : index\n'
        "uniform.equalize_pattern {{\n(%a -> %g{n}){{\n"
        "dataflow.sync_recv %a : index\nuniform.yield\n"
        "}}\n(%a -> %h{n}){{\ndataflow.sync_recv %a : index\nuniform.yield\n}}\n}}",
    ),
    "symbol": (
        "symbol.create_id %i {{symbol_id = -{size} : si64}} : index",
        "%x{n} = symbol.create_symbol {{SymbolId = -{size} : i64}} : index\n"
        "%k{n} = arith.constant {step} : index\n"
        "%y{n} = symbol.symbol_immutable_mapping ([%k{n} -> %x{n}]) : index",
    ),
    "upstream": (
        "%x{n} = arith.constant dense<{hex}> : tensor<8x32xf16>",
        "%e{n} = tensor.empty() : tensor<8x32xf16>\n%x{n} = linalg.add ins(%t, %t : "
        "tensor<8x32xf16>, tensor<8x32xf16>) outs(%e{n} : tensor<8x32xf16>) -> tensor<8x32xf16>",
        "scf.for %a = %i to %j step %i {{\n%x{n} = spyreop.exp %f : f16\n"
        "%y{n} = affine.apply affine_map<(d0) -> (d0 * {step} + {big})>(%a)\n}}",
        "%x{n} = index.ceildivs %i, %j\n%y{n} = math.tanh %t : tensor<8x32xf16>",
        "%x{n} = linalg.generic {{indexing_maps = [" + SAME + ", " + SAME + "], iterator_types = "
        '["parallel", "parallel"]}} ins(%t : tensor<8x32xf16>) outs(%t : tensor<8x32xf16>) {{\n'
        "^bb0(%a: f16, %c: f16):\n%y{n} = spyreop.{unary} %a : f16\n"
        "linalg.yield %y{n} : f16\n}} -> tensor<8x32xf16>",
    ),
}

DIALECTS: Mapping[str, tuple[str, ...]] = {
    name: (*COMMON.get(name, ()), *RARE.get(name, ()), *(UPSTREAM if name == "upstream" else ()))
    for name in (*COMMON, *(RARE.keys() - COMMON.keys()))
}
"""All statements of each dialect."""

_FIELDS = st.fixed_dictionaries(
    {
        "size": st.integers(1, 8),
        "phases": st.integers(2, 8),
        "step": st.integers(1, 9),
        "big": st.integers(0, 2**15),
        "at": st.sampled_from(["%i", "%i + 1", "%i * 2", "%i mod 4", "0", "%j floordiv 3"]),
        "space": st.sampled_from(["global", "ct_local", "ct_local, ct_id = 3"]),
        "old": st.sampled_from(["HBM", "LX", "LX, core = 7"]),
        "unary": st.sampled_from(["exp", "sigmoid", "silu", "sqrt", "rsqrt", "reciprocal"]),
        "relation": st.sampled_from(["equal", "notequal", "greaterthan", "lesserequal"]),
        "fold": st.sampled_from(["add", "max", "min", "abs_max"]),
        "real": st.sampled_from(["1.0", "0.5", "2.0e-1", "1.5e+1"]),
        "hex": st.sampled_from(["0x7C00", "0xFC00", "0x7E00", "-0.0", "1.0"]),
    }
)


FIELDS = {
    "size": 4, "phases": 3, "step": 2, "big": 7, "at": "%i + 1", "space": "global", "old": "HBM",
    "unary": "exp", "relation": "equal", "fold": "max", "real": "0.5", "hex": "0x7C00",
}  # fmt: skip
"""One choice for every field."""


def filled(statement: str, number: int) -> str:
    """A statement with these choices."""
    return statement.format(n=number, rows=FIELDS["size"] - 1, **FIELDS)


def function(body: str) -> str:
    """A module with one function around the body."""
    return f"{CALLEE}func.func @f({ARGUMENTS}) {{\n{body}\nreturn\n}}\n"


def defined(body: str) -> str:
    """The definitions of the arguments that a body uses."""
    return "\n".join(text for name, text in DEFINED.items() if re.search(rf"%{name}\b", body))


@st.composite
def statements(draw: st.DrawFn) -> str:
    """One statement of any dialect, with `@` for the number of the statement."""
    dialect = draw(st.sampled_from(sorted(DIALECTS)))
    fields = draw(_FIELDS)
    chosen = draw(st.sampled_from(DIALECTS[dialect]))
    return chosen.format(n="@", rows=fields["size"] - 1, **fields)


@st.composite
def modules(draw: st.DrawFn) -> str:
    """A module of one to three functions, with comments in between."""
    parts: list[str] = []
    for number in range(draw(st.integers(1, 3))):
        body = [s.replace("@", str(k)) for k, s in enumerate(draw(st.lists(statements())))]
        comment = draw(st.sampled_from(["", "// a comment\n", '  // > < { } " %x\n']))
        lines = "\n".join(body) + "\n" if body else ""
        parts.append(draw(st.sampled_from(["", "", DEVICE.format(n=number, **draw(_FIELDS))])))
        parts.append(f"func.func @f{number}({ARGUMENTS}) {{\n{comment}{lines}return\n}}\n")
    return "module {\n" + CALLEE + "".join(parts) + "}\n"
