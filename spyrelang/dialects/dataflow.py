"""dataflow: units, program units, signals, transfers and views of memories (DataflowIR)."""

from __future__ import annotations

import re

from spyrelang import affine
from spyrelang.dialects.inner import is_type
from spyrelang.errors import SpyreError
from spyrelang.ir import kinds as k
from spyrelang.ir import scan
from spyrelang.ir.assembly import block_label
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.opdef import Attr, OpDef, Region, many, one, opt, result
from spyrelang.ir.opref import OpRef
from spyrelang.ir.pieces import Custom, Draft, Open, RegionPiece

DIRECTIONS = ("PseudoRandom", "CounterClockwise", "Clockwise", "BothWays")
k.declare_enum("dataflow", {"direction": DIRECTIONS})
DIRECTION = k.enum("#dataflow<direction ", DIRECTIONS)

_CUSTOM = {"mxfp4": ("mxfp", 4), "mxfp8": ("mxfp", 8), "mxint4": ("mxint", 4)}
_SHORT = {pair: name for name, pair in _CUSTOM.items()}


def _custom(body: str | None) -> str | None:
    name = (body or "").strip()
    return f"!dataflow.custom<{name}>" if name in _CUSTOM else None


def _with_width(mnemonic: str) -> None:
    """The inner spelling of the custom types; the widths that have a name print by it."""

    def normalise(body: str | None) -> str | None:
        text = (body or "").strip()
        if not re.fullmatch(r"\d+", text):
            return None
        name = _SHORT.get((mnemonic, int(text)))
        return f"!dataflow.custom<{name}>" if name else f"!dataflow.{mnemonic}<{int(text)}>"

    k.declare_opaque(
        f"!dataflow.{mnemonic}", normalise, f"!dataflow.{mnemonic}<8>, with a width in bits"
    )


_CUSTOM_VECTOR = re.compile(r"\s*(\d+)\s*x\s*([A-Za-z!(].*)", re.DOTALL)


def _custom_vector(body: str | None) -> str | None:
    found = _CUSTOM_VECTOR.fullmatch(body or "")
    if found is None or not is_type(found[2]):
        return None
    return f"!dataflow.custom_vector<{found[1]}x{found[2].strip()}>"


k.declare_opaque("!dataflow.custom", _custom, f"!dataflow.custom<…> of {', '.join(_CUSTOM)}")
_with_width("mxfp")
_with_width("mxint")
k.declare_opaque("!dataflow.custom_vector", _custom_vector, "!dataflow.custom_vector<64xf16>")

CUSTOM_VECTOR = k.matching("a custom vector", r"!dataflow\.custom_vector<.*>")
VECTOR = k.matching("a vector or custom vector", r"(vector|!dataflow\.custom_vector)<.*>")
DBG_NAME = opt("dbgName", k.STRING)

GET_UNIT = OpDef(
    "dataflow.get_unit",
    attributes=[Attr("name", k.STRING), Attr("type", k.STRING)],
    results=[result("units", k.INDEX, "many")],
    assembly="$dict : $units:type",
    verify=lambda op: _at_least_one_result(op),
)


def _at_least_one_result(op: OpRef) -> None:
    if not op.result_types():
        raise op.fail("at least one result is needed")


GET_LOCAL_UNIT = OpDef(
    "dataflow.get_local_unit",
    operands=[one("unit")],
    attributes=[Attr("name", k.STRING)],
    results=[result("local", k.INDEX)],
    assembly=" $unit$dict : $local:type",
)

# --- program_unit ------------------------------------------------------------------------------

_PROGRAM_BODY = Region("body", args=None, terminator="dataflow.return", implicit=True, hidden=True)


class _ProgramUnit(RegionPiece):
    """`iter_arg : %u -> (%a, %b) {…} : { … }`, or `%a, %b {…} : { … }` without the handle."""

    def read_regions(self, c: Cursor, d: Draft):
        label = block_label(())
        if c.take("iter_arg"):
            c.expect(":")
            label = block_label([(c.value(), "index")])
            c.expect("->")
            c.expect("(")
            d.operands["units"] = c.values()
            c.expect(")")
        else:
            d.operands["units"] = c.values()
        if c.text.startswith("{", c.start()):
            d.attrs.update(c.dictionary())
        c.expect(":")
        yield Open(_PROGRAM_BODY, label)

    def write(self, d: Draft) -> str:
        body = d.bodies[0]
        units = d.values("units")
        head = f"iter_arg : {body.args[0][0]} -> ({units})" if body.args else units
        attrs = f" {{{scan.join_dict(d.attrs)}}}" if d.attrs else ""
        return f" {head}{attrs} : {{\n{body.text}{d.indent}}}"


def _unit_handle(op: OpRef) -> None:
    arguments = list(op.op.regions[0].blocks[0].arguments)
    if len(arguments) > 1:
        raise op.fail("the body takes one argument, the unit's own handle, or none")
    if arguments and str(arguments[0].type) != "index":
        raise op.fail(f"the unit's handle must be index, not {arguments[0].type}")


PROGRAM_UNIT = OpDef(
    "dataflow.program_unit",
    operands=[many("units")],
    attributes=[opt("precision", k.STRING)],
    regions=[_PROGRAM_BODY],
    assembly="$whole",
    custom={"whole": _ProgramUnit()},
    verify=_unit_handle,
)

RETURN = OpDef("dataflow.return", terminator=True)

# --- groups and signals ------------------------------------------------------------------------

CREATE_GROUP = OpDef(
    "dataflow.create_group",
    operands=[many("units")],
    results=[result("group", k.INDEX)],
    assembly="({?$units : $units:type?})$dict : $group:type",
)
CREATE_MULTICAST_GROUP = OpDef(
    "dataflow.create_multicast_group",
    operands=[one("producer"), many("consumers")],
    attributes=[
        Attr("count", k.I32_ATTR),
        Attr("group_id", k.I32_ATTR),
        Attr("num_consumers", k.I32_ATTR),
    ],
    results=[result("group", k.INDEX)],
    assembly="($producer -> ($consumers))$dict : $group:type",
)
SYNC_SEND = OpDef(
    "dataflow.sync_send",
    operands=[one("unit")],
    attributes=[opt("wait_immediately_for_async_transfers", k.BOOL), DBG_NAME],
    assembly=" $unit$dict : $unit:type",
)
SYNC_RECV = OpDef(
    "dataflow.sync_recv",
    operands=[one("unit")],
    attributes=[DBG_NAME],
    assembly=" $unit$dict : $unit:type",
)
IMPLICIT_SYNC_ON_STREAMING_BUFFER = OpDef(
    "dataflow.implicit_sync_on_streaming_buffer",
    operands=[one("buffer", k.MEMREF), one("unit"), one("size")],
    attributes=[DBG_NAME],
    assembly=" $buffer, $unit, $size$dict : $buffer:type, $unit:type, $size:type",
)

# --- views -------------------------------------------------------------------------------------

GET_LOGICAL_MEMORY_VIEW = OpDef(
    "dataflow.get_logical_memory_view",
    operands=[one("unit"), one("start")],
    attributes=[Attr("layout_map", k.AFFINE_MAP)],
    results=[result("view", k.MEMREF)],
    assembly=" $unit, $start$dict : $unit:type, $start:type, $view:type",
)


def _read_pages(c: Cursor, d: Draft) -> None:
    sets: list[str] = []
    starts: list[str] = []
    c.expect("{segments =")
    while not c.take("}"):
        if sets:
            c.take(",")
        c.expect(f"page{len(sets)}: (idx_set =")
        sets.append(c.plain_attribute())
        c.expect(", start_addr =")
        starts.append(c.value())
        c.expect(")")
    d.operands["pages"] = starts
    d.attrs["idx_sets"] = f"[{', '.join(sets)}]"


def _write_pages(d: Draft) -> str:
    sets = scan.split_list((d.attrs["idx_sets"] or "[]")[1:-1])
    pages = [
        f"\n{d.indent}    page{i}: (idx_set = {s}, start_addr = {start})"
        for i, (s, start) in enumerate(zip(sets, d.operands["pages"], strict=False))
    ]
    return f"\n{d.indent}  {{segments = {','.join(pages)}}}"


def _pages(op: OpRef) -> None:
    sets, starts = op.items("idx_sets"), op.operands("pages")
    if len(sets) != len(starts):
        raise op.fail(f"{len(sets)} index sets for {len(starts)} page addresses")
    for start in starts:
        if op.defining_name(start) != "arith.constant":
            raise op.fail("a page address must be an arith.constant")
    for text in sets:
        if not text.startswith("affine_set<"):
            raise op.fail(f"an entry of idx_sets must be an integer set, not '{text}'")
        if not _is_box(text):
            raise op.fail(f"the index set of a page must be a hyper-rectangle, not {text}")


def _is_box(text: str) -> bool:
    """Does every constraint bound one dim by a constant?"""
    try:
        found = affine.Set.parse(text)
    except SpyreError:
        return False
    return all(len(e.dims()) <= 1 and not e.syms() for e, _ in found.constraints)


GET_PAGED_LOGICAL_MEMORY_VIEW = OpDef(
    "dataflow.get_paged_logical_memory_view",
    operands=[one("unit"), one("start"), many("pages")],
    attributes=[Attr("layout_map", k.AFFINE_MAP), Attr("idx_sets", k.ARRAY)],
    results=[result("view", k.MEMREF)],
    assembly=" $unit, $start$dict$page_list : $unit:type, $start:type, $view:type",
    custom={"page_list": Custom(_read_pages, _write_pages, shows=["idx_sets"])},
    verify=_pages,
)

# --- transfers ---------------------------------------------------------------------------------

SEND = OpDef(
    "dataflow.send",
    operands=[one("unit"), one("value", VECTOR)],
    attributes=[opt("dir", DIRECTION), DBG_NAME],
    assembly=" $unit, $value$dict : $value:type",
)
RECEIVE = OpDef(
    "dataflow.receive",
    operands=[one("unit")],
    attributes=[DBG_NAME],
    results=[result("value", VECTOR)],
    assembly=" $unit$dict : $value:type",
)
OPAQUE = OpDef(
    "dataflow.opaque",
    attributes=[
        Attr("func_name", k.STRING),
        Attr("parameter_dictionary", k.DICT),
        Attr("read_only_register_dictionary", k.DICT),
        Attr("read_write_register_dictionary", k.DICT),
        DBG_NAME,
    ],
    assembly="$dict",
)
