"""SPY530 to SPY539: DataflowIR texts that cannot be decoded."""

from __future__ import annotations

from pathlib import Path

import spyrelang as spyre
from cases.registry import raises

STAGED = Path(__file__).with_name("staged_add.mlir")


def changed(*edits: tuple[str, str]) -> str:
    """The staged add with the first place of each text exchanged."""
    text = STAGED.read_text()
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def decoded(*edits: tuple[str, str]) -> object:
    return spyre.load_dataflow(changed(*edits), device="sample_device").compiled.executable


LOAD = (
    "%v = agen.vector_load %xb[%i mod 2, 0] {load_order = #same, load_set = #line} "
    ": memref<2x64xf16>, vector<64xf16>"
)

FIRST = "        dataflow.send %sfu, %v : vector<64xf16>\n"


@raises("SPY530")
def opaque_op() -> object:
    opaque = (
        'dataflow.opaque {func_name = "f", parameter_dictionary = {}, '
        "read_only_register_dictionary = {}, read_write_register_dictionary = {}}"
    )
    return decoded(("      %os = symbol", f"      {opaque}\n      %os = symbol"))


@raises("SPY531")
def layout_with_a_remainder() -> object:
    remainder = "affine_map<(d0, d1) -> (d0 mod 4 + d1)>"
    return decoded(("%xs {layout_map = #row}", f"%xs {{layout_map = {remainder}}}"))


@raises("SPY532")
def set_that_is_a_triangle() -> object:
    triangle = "affine_set<(d0, d1) : (d0 - d1 >= 0, d0 >= 0)>"
    return decoded((LOAD, LOAD.replace("#line", triangle)))


@raises("SPY533")
def order_with_a_dimension_twice() -> object:
    return decoded((LOAD, LOAD.replace("#same", "affine_map<(d0, d1) -> (d0, d0)>")))


@raises("SPY534")
def mapping_without_this_unit() -> object:
    query = (
        "      %m = uniform.def_immutable_mapping([%mnilu -> %c0], [%mnisu -> %c1]):index\n"
        "      %q = uniform.query_map(map:%m, key:%me) : index\n"
        "      scf.for %j = %c0 to %q step %c1 {\n      }\n"
    )
    unit = "    dataflow.program_unit iter_arg : %me -> (%sfu) : {\n"
    return decoded((unit, unit + query))


@raises("SPY535")
def two_bodies_for_one_unit() -> object:
    again = "    dataflow.program_unit %sfu : {\n    }\n"
    return decoded(("    // and back\n", again))


@raises("SPY536")
def misspelt_kind() -> object:
    return decoded(('type = "mnilu"', 'type = "mnilux"'))


@raises("SPY537")
def signal_to_a_memory() -> object:
    return decoded(("dataflow.sync_send %l1lu", "dataflow.sync_send %l1"))


@raises("SPY538")
def vector_shorter_than_its_set() -> object:
    return decoded((LOAD, LOAD.replace("vector<64", "vector<32")), (FIRST, ""))


@raises("SPY539")
def symbol_without_a_definition() -> object:
    return decoded(("SymbolId = -4", "SymbolId = -9"))
