"""What the decoder refuses: by name, with its place in the text."""

# ruff: noqa: E501 (IR text has long lines)

from __future__ import annotations

import re

import pytest
from texts import MAPS, body, decoded, handles

from spyrelang.errors import SpyreError

ALU = handles(
    ("u", "alu", 0), ("w", "alu", 1), ("rd", "rd", 0), ("mem", "mem", -1), ("pad", "pad", 0)
)
X = "%x = dataflow.get_logical_memory_view %mem, %c0 {layout_map = #row64} : index, index, memref<4x64xf16>"


def refused(code: str, text: str, *says: str, check: bool = True) -> SpyreError:
    with pytest.raises(SpyreError) as caught:
        decoded(text, check=check)
    assert caught.value.code == code, str(caught.value)
    for part in says:
        assert part in str(caught.value), str(caught.value)
    return caught.value


def in_unit(
    code: str, lines: str, *says: str, units: str = "%u", prelude: str = "", check: bool = True
) -> None:
    """`lines` in a program unit are refused, at a line of the text that holds the first word."""
    program = f"dataflow.program_unit iter_arg : %me -> ({units}) : {{\n{lines}\n}}"
    text = body(program, prelude=ALU + "\n" + prelude, grid=2)
    error = refused(code, text, *says, check=check)
    assert error.location is not None
    assert 0 < error.location.line <= len((MAPS + text).split("\n"))


@pytest.mark.parametrize(
    "op",
    [
        'dataflow.opaque {func_name = "f", parameter_dictionary = {}, read_only_register_dictionary = {}, read_write_register_dictionary = {}}',
        "%g = dataflow.create_group(%u, %w : index, index) : index",
        '%g = dataflow.get_local_unit %u {name = "x"} : index',
        '%p, %q = dataflow.get_unit {core = 0 : i32, name = "n", type = "alu"} : index, index',
        'agen.set_transfer_mask_state mask_value(%c0) { num_slices = 8 : i32, slice_mask_map = "(0)(0)(0)(0)(1)(1)(1)(1)" } :  index , vector<64xf16>',
        '"some.other"() : () -> ()',
        "%s = vectorchain.constant_bitstream {is_symbol = true, value = [-3]} : vector<1xi32>",
        "dataflow.program_unit %w : {\n}",
    ],
)
def test_ops_without_a_meaning(op: str) -> None:
    name = next(w for w in op.replace('"', " ").split() if "." in w).split("(")[0]
    lines = op.replace("%s = vectorchain", "%s = vectorchain")
    if "set_transfer" in op:
        lines = f"%t = {op}"
    in_unit("SPY530", lines, name)


def test_indirect_and_multicast_accesses() -> None:
    load = "%v = agen.vector_load %x[0, 0] multicast_info = %u {load_order = #two, load_set = #line} : memref<4x64xf16>, vector<64xf16>"
    in_unit("SPY530", f"{X}\n{load}", "multicast")
    index = "%i = dataflow.get_logical_memory_view %mem, %c0 {layout_map = #one} : index, index, memref<8xindex>"
    indirect = "%v = agen.indirect_vector_load indirect:%i[%c0] direct:%x[0, 0]\n {load_order = #two, load_set = #line}\n : memref<8xindex>, memref<4x64xf16>, vector<64xf16>"
    in_unit("SPY530", f"{X}\n{index}\n{indirect}", "indirect accesses")


@pytest.mark.parametrize(
    ("layout", "shape"),
    [
        ("affine_map<(d0) -> (d0 mod 4)>", "8xf16"),
        ("affine_map<(d0) -> (d0 floordiv 2)>", "8xf16"),
        ("affine_map<(d0) -> (d0)>", "8x8xf16"),
    ],
)
def test_layouts_that_are_not_linear(layout: str, shape: str) -> None:
    in_unit(
        "SPY531",
        f"%x = dataflow.get_logical_memory_view %mem, %c0 {{layout_map = {layout}}} : index, index, memref<{shape}>",
        "layout_map",
    )


LOAD = "%v = agen.vector_load %x[0, 0] {{load_order = {0}, load_set = {1}}} : memref<4x64xf16>, vector<{2}>"


@pytest.mark.parametrize(
    ("code", "order", "set_", "type_"),
    [
        ("SPY532", "#two", "affine_set<(d0, d1) : (d0 - d1 >= 0, d0 >= 0)>", "64xf16"),
        ("SPY532", "#two", "affine_set<(d0, d1) : (d0 >= 0, d1 >= 0)>", "64xf16"),
        ("SPY532", "#one", "#vec", "64xf16"),
        ("SPY533", "affine_map<(d0, d1) -> (d0, d0)>", "#line", "64xf16"),
        ("SPY533", "affine_map<(d0, d1) -> (d1)>", "#line", "64xf16"),
        ("SPY538", "#two", "#line", "32xf16"),
        ("SPY537", "#two", "#line", "64xf32"),
    ],
)
def test_sets_orders_and_lengths(code: str, order: str, set_: str, type_: str) -> None:
    in_unit(code, f"{X}\n{LOAD.format(order, set_, type_)}")


def test_mappings() -> None:
    again = handles(("again", "alu", 0))
    query = "%q = uniform.query_map(map:%m, key:%me) : index\nscf.for %i = %c0 to %q step %c1 {\n}"
    for mapping, says in (
        ("([%u -> %c0])", "no entry for C1-alu"),
        ("([%u -> %c0], [%again -> %c1], [%w -> %c1])", "C0-alu is listed twice"),
        ("([%u -> %c0], [%w -> %rd])", "different kinds"),
        ("([%c0 -> %c0], [%c1 -> %c1])", "keys of a mapping must all be units"),
    ):
        in_unit(
            "SPY534",
            f"%m = uniform.def_immutable_mapping{mapping}:index\n{query}",
            says,
            units="%u, %w",
            prelude=again,
            check=False,  # the verifier refuses most of these first
        )


def test_handles_used_as_the_wrong_thing() -> None:
    in_unit("SPY537", "dataflow.sync_send %mem : index", "peer is not a unit")
    in_unit("SPY537", "dataflow.sync_send %me : index", "its own peer")
    in_unit("SPY537", X.replace("%mem", "%rd"), "not a memory")
    in_unit("SPY537", X.replace("%c0", "%rd"), "a number is needed")
    in_unit("SPY537", "", "several kinds", units="%u, %rd")
    in_unit("SPY537", "", "listed twice", units="%u, %u")
    in_unit("SPY537", "", "an operand is not a unit", units="%mem")
    far = handles(("far", "alu", 2))
    in_unit("SPY537", "", "on core 2, the grid has 2", units="%far", prelude=far)
    pad = 'dataflow.get_unit {name = "pad", type = "pad"} : index'
    in_unit("SPY537", f"%p = {pad}\n" + X.replace("%mem", "%p"), "needs the attribute `core`")


def test_unknown_kinds() -> None:
    in_unit(
        "SPY536",
        '%p = dataflow.get_unit {core = 0 : i32, name = "n", type = "ALUX"} : index',
        "ALUX",
        "toy",
    )


def test_ops_the_semantics_table_refuses_at_their_place() -> None:
    lines = f"{X}\n{LOAD.format('#two', '#line', '64xf16')}\n%s = vectorchain.shuffle input(%v) {{indices = [0 : i32], repetition = 0 : i32}} : vector<64xf16>, vector<64xf16>"
    with pytest.raises(SpyreError) as caught:
        decoded(body(f"dataflow.program_unit %u : {{\n{lines}\n}}", prelude=ALU, grid=2))
    assert caught.value.location is not None
    assert "shuffle" in str(caught.value)


COPY = """agen.composite_load_and_store src:%x[0, 0] dst:%x[0, 0]
     time_symbols(), load_iv(%v:vector<12xf16>)
     {load_order = #two, load_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 2 >= 0)>, load_time_addr_map = #still, store_order = #two, store_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 3 >= 0)>, store_time_addr_map = #still, time_order = #one, time_set = #once}
    {
      agen.yield
    } : memref<4x64xf16>, memref<4x64xf16>"""


def test_lanes_that_cannot_be_matched() -> None:
    in_unit("SPY530", f"{X}\n{COPY}", "do not match")


def test_time_steps_of_another_rank() -> None:
    rows = "affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 11 >= 0)>"
    copy = re.sub(r"affine_set<\(d0, d1\) .*?>(?=, (load|store)_time)", rows, COPY)
    moved = copy.replace("store_time_addr_map = #still", f"store_time_addr_map = {STILL3}")
    in_unit("SPY530", f"{X}\n{moved}", "3 coordinates of a view of rank 2")


STILL3 = "affine_map<(d0) -> (0, 0, 0)>"


def test_symbols_without_or_with_two_definitions() -> None:
    use = (
        "%s = symbol.create_symbol {SymbolId = -9 : i64} : index\n"
        + X.replace("%c0", "%s")
        + "\n"
        + LOAD.format("#two", "#line", "64xf16")
    )
    in_unit("SPY539", use, "-9", "no create_id")
    wrapper = """
    module {{
      func.func @k(%a: index, %b: index) {{
        {0}
        call @w() : () -> ()
        return
      }}
      func.func @w() attributes {{grid = [1]}} {{
        {1}
        dataflow.program_unit %u : {{
        }}
        return
      }}
    }}"""
    twice = "symbol.create_id %a {symbol_id = -5 : si64} : index\nsymbol.create_id %b {symbol_id = -5 : si64} : index"
    refused("SPY539", wrapper.format(twice, ALU), "-5", "twice")
    refused(
        "SPY539",
        wrapper.format("symbol.create_id %b {symbol_id = -1 : si64} : index", ALU),
        "twice",
    )
    loop = """%c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %c1 step %c1 {
      symbol.create_id %i {symbol_id = -5 : si64} : index
    }"""
    refused("SPY539", wrapper.format(loop, ALU), "not known at launch")
    refused(
        "SPY539",
        wrapper.format("symbol.create_id %a {symbol_id = 5 : si64} : index", ALU),
        "negative",
    )


def test_modules_without_a_kernel() -> None:
    refused("SPY535", "module {\n}", "no other calls")
    two = "func.func @a() attributes {grid = [1]} {\n return\n}\n"
    refused("SPY535", f"module {{ {two} {two.replace('@a', '@b')} }}", "@a, @b")
    refused("SPY535", "module { func.func @a() {\n return\n} }", "grid")
    call = "module { func.func @a() attributes {grid = [1]} {\n call @gone() : () -> ()\n return\n}\n func.func private @gone() }"
    refused("SPY535", call, "@gone")
    with pytest.raises(SpyreError) as caught:
        decoded(call, name="b")
    assert caught.value.code == "SPY535"


def test_functions_that_call_themselves() -> None:
    text = "module { func.func @k() attributes {grid = [1]} {\n call @a() : () -> ()\n return\n}\n func.func @a() {\n call @a() : () -> ()\n return\n} }"
    refused("SPY530", text, "too deeply")


def test_two_bodies_for_one_unit() -> None:
    unit = "dataflow.program_unit %u : {\n}\n"
    refused("SPY535", body(unit + unit, prelude=ALU), "two bodies")


def test_ops_in_an_orchestrator() -> None:
    text = "module { func.func @k() attributes {grid = [1]} {\n %v = vectorchain.constant_bitstream {value = [0x0]} : vector<1xf16>\n return\n} }"
    refused("SPY530", text, "orchestrator")


def test_grids_larger_than_any_device() -> None:
    text = body("", prelude=ALU, grid=2**31)
    refused("SPY535", text, "grid of 2147483648 cores")
