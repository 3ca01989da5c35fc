"""symbol: values that are known at launch, by negative ids."""

from __future__ import annotations

from spyrelang.dialects.pairs import pairs
from spyrelang.ir import kinds as k
from spyrelang.ir.opdef import Attr, OpDef, many, one, result
from spyrelang.ir.opref import OpRef

CREATE_SYMBOL = OpDef(
    "symbol.create_symbol",
    results=[result("symbol", k.INDEX)],
    assembly="$dict : $symbol:type",
)
CREATE_ID = OpDef(
    "symbol.create_id",
    operands=[one("value", k.ANY)],
    attributes=[Attr("symbol_id", k.SI64_ATTR)],
    assembly=" $value$dict : $value:type",
)


def _mapping(op: OpRef) -> None:
    for key in op.operands("keys"):
        if op.defining_name(key) != "arith.constant":
            raise op.fail("keys must be constants")
    for value in op.operands("values"):
        if op.defining_name(value) != CREATE_SYMBOL.name:
            raise op.fail("values must come from symbol.create_symbol")


SYMBOL_IMMUTABLE_MAPPING = OpDef(
    "symbol.symbol_immutable_mapping",
    operands=[many("keys"), many("values")],
    results=[result("map", k.INDEX)],
    counts=lambda total, _: [total // 2, total - total // 2] if total % 2 == 0 else [total, 1],
    assembly=" ($pairs)$dict : $map:type",
    custom={"pairs": pairs("keys", "values")},
    verify=_mapping,
)


def _query(op: OpRef) -> None:
    if op.defining_name(op.operands("map")[0]) != SYMBOL_IMMUTABLE_MAPPING.name:
        raise op.fail("the map must come from symbol.symbol_immutable_mapping")
    key = op.operands("key")[0]
    if op.defining(key) is None and not _is_loop_variable(key):
        raise op.fail("a block argument as key must belong to a loop")


def _is_loop_variable(key: object) -> bool:
    parent = key.owner.owner.operation  # type: ignore[attr-defined]
    return parent.name in ("scf.for", "scf.forall", "scf.parallel", "affine.for", "affine.parallel")


QUERY_MAP = OpDef(
    "symbol.query_map",
    operands=[one("map"), one("key")],
    results=[result("value", k.INDEX)],
    assembly="(map:$map, key:$key)$dict : $value:type",
    verify=_query,
)
