"""Loads and stores of tiles, and runtime arguments."""

from __future__ import annotations

from spyrelang.dialects import shapes
from spyrelang.dialects.ktdp.types import (
    RUNTIME_ARG,
    TENSOR,
    TILE,
    tile_shape,
)
from spyrelang.ir import kinds as k
from spyrelang.ir import scan
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.opdef import Attr, OpDef, one, result
from spyrelang.ir.opref import OpRef
from spyrelang.ir.pieces import Custom, Draft


def _moved(op: OpRef) -> tuple[str, str]:
    """The types of the tensor and of the tile."""
    types = [*op.operand_types(), *op.result_types()]
    return next(t for t in types if t[0] == "t"), next(t for t in types if t[0] == "!")


def _moved_rules(op: OpRef) -> None:
    value, tile = _moved(op)
    if shapes.shape_of(value) != tile_shape(tile):
        raise op.fail(f"the shapes of {value} and {tile} differ")


def _element_rules(op: OpRef) -> None:
    """The public verifier does not compare element types; a mismatch moves wrong bytes."""
    made = shapes.defining_op(op.operands("tile")[0])
    if made is None or not made.name.endswith("access_tile"):
        return
    base = shapes.element_of(shapes.value_type(made.operands[0]))
    element = shapes.element_of(_moved(op)[0])
    if base != element:
        raise op.fail(f"the tile's base holds {base}, not {element}")


LOAD = OpDef(
    "ktdp.load",
    operands=[one("tile", TILE)],
    results=[result("result", TENSOR)],
    assembly=" $tile$dict : $tile:short(!ktdp.access_tile) -> $result:type",
    verify=_moved_rules,
    verify_use=_element_rules,
)
STORE = OpDef(
    "ktdp.store",
    operands=[one("value", TENSOR), one("tile", TILE)],
    assembly=" $value, $tile$dict : $value:type, $tile:short(!ktdp.access_tile)",
    verify=_moved_rules,
    verify_use=_element_rules,
)

EXTRACTS = ("value", "granularity", "upperbound")


def _read_extract(c: Cursor, d: Draft) -> None:
    start = c.start()
    word = c.word()
    if word not in EXTRACTS:
        raise c.fail(f"expected one of {', '.join(EXTRACTS)}", start)
    d.attrs["kind"] = f"{EXTRACTS.index(word)} : i32"


def _write_extract(d: Draft) -> str:
    return EXTRACTS[int((d.attrs["kind"] or "0").split()[0])]


def _extract_rules(op: OpRef) -> None:
    held, *bounds = scan.split_list(op.types("arg")[0].removeprefix("!ktdp.runtime_arg<")[:-1])
    which = EXTRACTS[op.integer("kind") or 0]
    if which != "value" and not any(b.startswith(which) for b in bounds):
        raise op.fail(f"the type of the argument has no {which}")
    expected = held if which == "value" else "index"
    if op.result_types()[0] != expected:
        raise op.fail(f"the result must be {expected}, not {op.result_types()[0]}")


RUNTIME_ARG_EXTRACT = OpDef(
    "ktdp.runtime_arg_extract",
    operands=[one("arg", RUNTIME_ARG)],
    attributes=[Attr("kind", k.matching("0, 1 or 2 as i32", r"[012] : i32"))],
    results=[result("result", k.ANY)],
    assembly=" $what from $arg : $arg:short(!ktdp.runtime_arg)$dict -> $result:type",
    custom={"what": Custom(_read_extract, _write_extract, shows=["kind"])},
    verify=_extract_rules,
)
