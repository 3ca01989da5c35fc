"""agen: address generation. Vectors between memories, with explicit coordinates and time steps."""

from __future__ import annotations

from collections.abc import Iterator

from spyrelang.dialects import agen_parts as parts
from spyrelang.dialects.agen_indirect import (
    COMPOSITE_INDIRECT_LOAD,
    COMPOSITE_INDIRECT_LOAD_AND_STORE,
    COMPOSITE_INDIRECT_STORE,
    INDIRECT_VECTOR_LOAD,
    INDIRECT_VECTOR_STORE,
)
from spyrelang.dialects.agen_parts import DIRECTION, LOAD, LOADED, STORE, TIME
from spyrelang.dialects.agen_special import (
    COMPOSITE_MEMORY_INTERLEAVE,
    SET_TRANSFER_MASK_STATE,
    SYMBOLIC_VECTOR_LOAD,
    SYMBOLIC_VECTOR_STORE,
)
from spyrelang.dialects.dataflow import DBG_NAME, VECTOR
from spyrelang.dialects.subscripts import subscripts
from spyrelang.ir import kinds as k
from spyrelang.ir.assembly import block_label
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.opdef import Attr, OpDef, Region, many, one, opt, optional, result
from spyrelang.ir.opref import OpRef
from spyrelang.ir.pieces import Draft, Open, Piece, RegionPiece

__all__ = [
    "COMPOSITE_INDIRECT_LOAD",
    "COMPOSITE_INDIRECT_LOAD_AND_STORE",
    "COMPOSITE_INDIRECT_STORE",
    "COMPOSITE_LOAD",
    "COMPOSITE_LOAD_AND_STORE",
    "COMPOSITE_MEMORY_INTERLEAVE",
    "COMPOSITE_STORE",
    "INDIRECT_VECTOR_LOAD",
    "INDIRECT_VECTOR_STORE",
    "SET_TRANSFER_MASK_STATE",
    "SYMBOLIC_VECTOR_LOAD",
    "SYMBOLIC_VECTOR_STORE",
    "VECTOR_LOAD",
    "VECTOR_STORE",
    "YIELD",
]

_AT = subscripts("map_operands", "affine_map")


def _plain(op: OpRef) -> None:
    parts.check_inputs(op, "map_operands", "affine_map")


VECTOR_LOAD = OpDef(
    "agen.vector_load",
    operands=[one("mem_ref", k.MEMREF), many("map_operands"), optional("multicast_info")],
    attributes=[Attr("affine_map", k.AFFINE_MAP), *LOAD, DBG_NAME],
    results=[result("value", VECTOR)],
    segments=True,
    assembly=" $mem_ref$at{? multicast_info = $multicast_info?}$dict : $mem_ref:type, $value:type",
    custom={"at": _AT},
    verify=_plain,
)
VECTOR_STORE = OpDef(
    "agen.vector_store",
    operands=[one("value", VECTOR), one("mem_ref", k.MEMREF), many("map_operands")],
    attributes=[Attr("affine_map", k.AFFINE_MAP), *STORE, DBG_NAME],
    assembly=" $value, $mem_ref$at$dict : $mem_ref:type, $value:type",
    custom={"at": _AT},
    verify=_plain,
)

# --- composite ops -----------------------------------------------------------------------------


def _load_and_store(op: OpRef) -> None:
    parts.check_maps(op, [("src_map_operands", "src_map"), ("dst_map_operands", "dst_map")])
    parts.check_set(op, "load", "src_map")
    parts.check_set(op, "store", "dst_map")
    parts.check_time(op)


COMPOSITE_LOAD_AND_STORE = OpDef(
    "agen.composite_load_and_store",
    operands=[
        one("src", k.MEMREF),
        one("dst", k.MEMREF),
        many("src_map_operands"),
        many("dst_map_operands"),
        many("time_symbols"),
        optional("multicast_info"),
    ],
    attributes=[
        Attr("src_map", k.AFFINE_MAP),
        Attr("dst_map", k.AFFINE_MAP),
        *LOAD,
        *STORE,
        *TIME,
        Attr("load_time_addr_map", k.AFFINE_MAP),
        Attr("store_time_addr_map", k.AFFINE_MAP),
        opt("dir", DIRECTION),
        DBG_NAME,
    ],
    regions=[parts.WITH_VECTOR],
    segments=True,
    assembly=" src:$src$from dst:$dst$to\n time_symbols($time_symbols), load_iv($loaded)"
    "{?, multicast_info = $multicast_info?}\n$entries\n$body : $src:type, $dst:type",
    custom={
        "from": subscripts("src_map_operands", "src_map"),
        "to": subscripts("dst_map_operands", "dst_map"),
        "loaded": LOADED,
        "entries": parts.entries(),
        "body": parts.body(parts.WITH_VECTOR),
    },
    verify=_load_and_store,
)


def _load(op: OpRef) -> None:
    parts.check_inputs(op, "map_operands", "affine_map")
    parts.check_set(op, "load", "affine_map")
    parts.check_time(op)


COMPOSITE_LOAD = OpDef(
    "agen.composite_load",
    operands=[one("mem_ref", k.MEMREF), many("map_operands"), many("time_symbols")],
    attributes=[
        Attr("affine_map", k.AFFINE_MAP),
        *LOAD,
        *TIME,
        Attr("time_addr_map", k.AFFINE_MAP),
        DBG_NAME,
    ],
    regions=[parts.WITH_VECTOR],
    segments=True,
    assembly=" $mem_ref$at\n time_symbols($time_symbols)($loaded)\n$entries\n$body : $mem_ref:type",
    custom={
        "at": _AT,
        "loaded": LOADED,
        "entries": parts.entries(),
        "body": parts.body(parts.WITH_VECTOR),
    },
    verify=_load,
)

_STORE_BODY = Region("body", args=(), terminator="agen.yield", optional=True)


class _MaybeBody(RegionPiece):
    """The body on a line of its own; it may be left out."""

    def read_regions(self, c: Cursor, d: Draft) -> Iterator[Open]:
        if c.peek("{"):
            yield Open(_STORE_BODY, block_label(()))

    def write(self, d: Draft) -> str:
        text = d.bodies[0].text
        return f"\n{d.indent}{{\n{text}{d.indent}}}" if text else ""


class _NoVector(Piece):
    """An input vector has no custom form that public tools read."""

    def read(self, c: Cursor, d: Draft) -> None:
        if c.peek("input_vector"):
            raise c.fail("an input vector has no custom form: write the op in generic form")

    def write(self, d: Draft) -> str:
        if d.operands.get("input_vector"):
            raise ValueError("an input vector")
        return ""


def _store(op: OpRef) -> None:
    parts.check_inputs(op, "map_operands", "affine_map")
    has_vector = bool(op.operands("input_vector"))
    given = [name for name in ("store_set", "store_order") if op.has(name)]
    if has_vector and given:
        raise op.fail(f"an input vector excludes {' and '.join(given)}")
    if has_vector and list(op.op.regions[0].blocks):
        raise op.fail("an input vector excludes a body")
    if not has_vector and len(given) != 2:
        raise op.fail("store_set and store_order, or an input vector, are needed")
    if not has_vector:
        parts.check_set(op, "store", "affine_map")
    parts.check_time(op)


COMPOSITE_STORE = OpDef(
    "agen.composite_store",
    operands=[
        one("mem_ref", k.MEMREF),
        many("map_operands"),
        optional("input_vector", VECTOR),
        many("time_symbols"),
    ],
    attributes=[
        Attr("affine_map", k.AFFINE_MAP),
        opt("store_set", k.AFFINE_SET),
        opt("store_order", k.AFFINE_MAP),
        *TIME,
        Attr("time_addr_map", k.AFFINE_MAP),
        DBG_NAME,
    ],
    regions=[_STORE_BODY],
    segments=True,
    assembly=" $mem_ref$at$no_vector\n time_symbols($time_symbols)\n$entries$body : $mem_ref:type",
    custom={
        "at": _AT,
        "no_vector": _NoVector(),
        "entries": parts.entries(),
        "body": _MaybeBody(),
    },
    verify=_store,
)

YIELD = OpDef(
    "agen.yield",
    operands=[many("values", k.ANY)],
    assembly="$dict{? $values : $values:type?}",
    terminator=True,
)
