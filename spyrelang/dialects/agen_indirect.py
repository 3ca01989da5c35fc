"""agen ops whose addresses come from a memory: the value read there is added to the direct side."""

from __future__ import annotations

from spyrelang.dialects import agen_parts as parts
from spyrelang.dialects.agen_parts import LOAD, LOADED, STORE, TIME
from spyrelang.dialects.dataflow import DBG_NAME, VECTOR
from spyrelang.dialects.subscripts import subscripts
from spyrelang.ir import kinds as k
from spyrelang.ir.opdef import Attr, OpDef, many, one, opt, optional, result
from spyrelang.ir.opref import OpRef

_SIDES = ("indirect_src", "direct_src", "indirect_dst", "direct_dst")


def _four_maps(op: OpRef) -> None:
    parts.check_maps(op, [(f"{side}_map_operands", f"{side}_map") for side in _SIDES])
    for side in _SIDES:
        if op.has(f"{side}_map") != bool(op.operands(side)):
            raise op.fail(f"'{side}' and '{side}_map' go together")
    parts.check_set(op, "load", "direct_src_map")
    parts.check_set(op, "store", "direct_dst_map")
    parts.check_time(op)


COMPOSITE_INDIRECT_LOAD_AND_STORE = OpDef(
    "agen.composite_indirect_load_and_store",
    operands=[
        optional("indirect_src", k.MEMREF),
        one("direct_src", k.MEMREF),
        optional("indirect_dst", k.MEMREF),
        one("direct_dst", k.MEMREF),
        *(many(f"{side}_map_operands") for side in _SIDES),
        optional("multicast_info"),
        many("time_symbols"),
    ],
    attributes=[
        *(opt(f"{side}_map", k.AFFINE_MAP) for side in _SIDES),
        *LOAD,
        *STORE,
        *TIME,
        Attr("load_direct_time_addr_map", k.AFFINE_MAP),
        Attr("store_direct_time_addr_map", k.AFFINE_MAP),
        opt("load_indirect_time_addr_map", k.AFFINE_MAP),
        opt("store_indirect_time_addr_map", k.AFFINE_MAP),
        DBG_NAME,
    ],
    regions=[parts.WITH_VECTOR],
    segments=True,
    assembly="{? indirect_src:$indirect_src$indirect_src_at?} direct_src:$direct_src$direct_src_at"
    "{? indirect_dst:$indirect_dst$indirect_dst_at?} direct_dst:$direct_dst$direct_dst_at\n"
    " {?multicast_info = $multicast_info ?}time_symbols($time_symbols), load_iv($loaded)\n"
    "$entries\n$body : {?$indirect_src:type, ?}$direct_src:type"
    ", {?$indirect_dst:type, ?}$direct_dst:type",
    custom={
        **{f"{side}_at": subscripts(f"{side}_map_operands", f"{side}_map") for side in _SIDES},
        "loaded": LOADED,
        "entries": parts.entries(),
        "body": parts.body(parts.WITH_VECTOR),
    },
    verify=_four_maps,
)

_BOTH = {
    "indirect_at": subscripts("indirect_map_operands", "indirect_map"),
    "direct_at": subscripts("direct_map_operands", "direct_map"),
}
_MEMORIES = (one("indirect", k.MEMREF), one("direct", k.MEMREF))
_INDICES = (many("indirect_map_operands"), many("direct_map_operands"))
_MAPS = (Attr("indirect_map", k.AFFINE_MAP), Attr("direct_map", k.AFFINE_MAP))
_ADDRESS = "indirect:$indirect$indirect_at direct:$direct$direct_at"


def _two_maps(op: OpRef, side: str, in_time: bool) -> None:
    parts.check_maps(
        op,
        [("indirect_map_operands", "indirect_map"), ("direct_map_operands", "direct_map")],
    )
    parts.check_set(op, side, "direct_map")
    if in_time:
        parts.check_time(op)


COMPOSITE_INDIRECT_LOAD = OpDef(
    "agen.composite_indirect_load",
    operands=[*_MEMORIES, *_INDICES, optional("multicast_info"), many("time_symbols")],
    attributes=[*_MAPS, *LOAD, *TIME, Attr("time_addr_map", k.AFFINE_MAP), DBG_NAME],
    regions=[parts.WITH_VECTOR],
    segments=True,
    assembly=f" {_ADDRESS}{{? multicast_info = $multicast_info?}}"
    " time_symbols($time_symbols), load_iv($loaded)\n$entries\n$body"
    " : $indirect:type, $direct:type",
    custom={
        **_BOTH,
        "loaded": LOADED,
        "entries": parts.entries(),
        "body": parts.body(parts.WITH_VECTOR),
    },
    verify=lambda op: _two_maps(op, "load", True),
)
COMPOSITE_INDIRECT_STORE = OpDef(
    "agen.composite_indirect_store",
    operands=[*_MEMORIES, *_INDICES, optional("multicast_info"), many("time_symbols")],
    attributes=[*_MAPS, *STORE, *TIME, Attr("time_addr_map", k.AFFINE_MAP), DBG_NAME],
    regions=[parts.WITHOUT_VECTOR],
    segments=True,
    assembly=f" {_ADDRESS}\n {{?multicast_info = $multicast_info ?}}time_symbols($time_symbols)\n"
    "$entries\n$body : $indirect:type, $direct:type",
    custom={
        **_BOTH,
        "entries": parts.entries(),
        "body": parts.body(parts.WITHOUT_VECTOR),
    },
    verify=lambda op: _two_maps(op, "store", True),
)
INDIRECT_VECTOR_LOAD = OpDef(
    "agen.indirect_vector_load",
    operands=[*_MEMORIES, *_INDICES, optional("multicast_info")],
    attributes=[*_MAPS, *LOAD, DBG_NAME],
    results=[result("value", VECTOR)],
    segments=True,
    assembly=f" {_ADDRESS}{{? multicast_info = $multicast_info?}}\n$entries\n"
    " : $indirect:type, $direct:type, $value:type",
    custom={**_BOTH, "entries": parts.entries()},
    verify=lambda op: _two_maps(op, "load", False),
)
INDIRECT_VECTOR_STORE = OpDef(
    "agen.indirect_vector_store",
    operands=[one("value", VECTOR), *_MEMORIES, *_INDICES, optional("multicast_info")],
    attributes=[*_MAPS, *STORE, DBG_NAME],
    segments=True,
    assembly=f" $value {_ADDRESS}{{?\n multicast_info = $multicast_info?}}\n$entries\n"
    " : $value:type, $indirect:type, $direct:type",
    custom={**_BOTH, "entries": parts.entries()},
    verify=lambda op: _two_maps(op, "store", False),
)
