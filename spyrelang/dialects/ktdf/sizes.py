"""Tokens, tile sizes and buffer phases: values that a schedule is wired up with."""

from __future__ import annotations

from spyrelang.dialects import shapes
from spyrelang.dialects.ktdf.types import (
    TOKEN,
)
from spyrelang.dialects.shapes import operand_types
from spyrelang.ir import kinds as k
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.opdef import Attr, OpDef, many, one, result
from spyrelang.ir.opref import OpRef
from spyrelang.ir.pieces import Custom, Draft, Piece

_UNIQUE_ID = Attr("unique_id", k.INDEX_ATTR, required=False, drop=True)

CREATE_TOKEN = OpDef(
    "ktdf.create_token",
    attributes=[_UNIQUE_ID],
    results=[result("result", TOKEN)],
    assembly="$dict : $result:type",
)
RESERVE_SIZE = OpDef(
    "ktdf.tiling.reserve_size",
    attributes=[Attr("min_value", k.INDEX_ATTR), Attr("divisibility", k.INDEX_ATTR), _UNIQUE_ID],
    results=[result("result", k.INDEX)],
    assembly="$dict : $result:type",
)


def _pairs(first: str, second: str, required: str = "at least one [%iv : %size] pair") -> Piece:
    """`[%i : %t], [%j : %u]`; the commas between may be missing."""

    def read(c: Cursor, d: Draft) -> None:
        d.operands[first], d.operands[second] = [], []
        while c.take("["):
            d.operands[first].append(c.value())
            c.expect(":")
            d.operands[second].append(c.value())
            c.expect("]")
            if not c.peek(", total_size"):
                c.take(",")
        if not d.operands[first]:
            raise c.fail(f"expected {required}")

    def write(d: Draft) -> str:
        found = zip(d.operands[first], d.operands[second], strict=True)
        return ", ".join(f"[{a} : {b}]" for a, b in found)

    return Custom(read, write)


def _halves_and_one(total: int, integer: object) -> list[int] | None:
    del integer
    return [total // 2, total // 2, 1] if total % 2 else None


def _halves(total: int, integer: object) -> list[int] | None:
    del integer
    return [total // 2, total // 2] if total % 2 == 0 else None


def _pair_rules(op: OpRef) -> None:
    if len(operand_types(op)) < 2:
        raise op.fail("needs at least one pair")


DERIVE_SIZE = OpDef(
    "ktdf.tiling.derive_size",
    operands=[many("ivs"), many("tile_sizes"), one("total_size")],
    results=[result("result", k.INDEX)],
    counts=_halves_and_one,
    assembly=" $pairs, total_size = $total_size$dict : $result:type",
    custom={"pairs": _pairs("ivs", "tile_sizes")},
    verify=_pair_rules,
)
LINEARIZE_INDEX = OpDef(
    "ktdf.tiling.linearize_index",
    operands=[many("ivs"), many("strides")],
    results=[result("result", k.INDEX)],
    counts=_halves,
    assembly=" $pairs$dict : $result:type",
    custom={"pairs": _pairs("ivs", "strides")},
    verify=_pair_rules,
)


def _phase_rules(op: OpRef) -> None:
    if not operand_types(op):
        raise op.fail("needs at least one induction variable")
    if int(op.text("num_phases").split()[0]) < 2:
        raise op.fail("num_phases must be at least 2")


BUFFER_PHASE = OpDef(
    "ktdf.buffer_phase",
    operands=[many("ivs")],
    attributes=[Attr("num_phases", k.I64_ATTR)],
    results=[result("result", k.INDEX)],
    assembly="($ivs)$dict : $result:type",
    verify=_phase_rules,
)


def _candidate_type() -> Piece:
    def read(c: Cursor, d: Draft) -> None:
        found = c.type()
        d.types["result"] = [found]
        d.types["candidates"] = [found] * len(d.operands["candidates"])

    return Custom(read, lambda d: d.types["result"][0])


def _select_rules(op: OpRef) -> None:
    candidates = op.types("candidates")
    if len(candidates) < 2:
        raise op.fail("needs at least two candidates")
    if {*candidates, *op.result_types()} != {op.result_types()[0]}:
        raise op.fail("the candidates and the result must have one type")
    phase = shapes.defining_op(op.op.operands[0])
    if phase is not None and phase.name == "ktdf.buffer_phase":
        phases = shapes.integer(phase, "num_phases")
        if phases is not None and phases != len(candidates):
            raise op.fail(f"has {len(candidates)} candidates but the phase counts {phases}")


SELECT_MEMREF = OpDef(
    "ktdf.select_memref",
    operands=[one("phase"), many("candidates", k.MEMREF)],
    results=[result("result", k.MEMREF)],
    assembly=" $phase[$candidates]$dict : $type",
    custom={"type": _candidate_type()},
    verify=_select_rules,
)
