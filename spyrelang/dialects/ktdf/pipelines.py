"""Pipelines, their stages and private resources, and loops spread over instances."""

from __future__ import annotations

from collections.abc import Iterator

from spyrelang.dialects.ktdf.tokens import token_rules
from spyrelang.dialects.ktdf.types import (
    TOKEN,
    stands_in,
)
from spyrelang.dialects.shapes import block_types, body, operand_types, parent_name, types_yielded
from spyrelang.ir import kinds as k
from spyrelang.ir.assembly import Dict, block_label
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.opdef import Attr, OpDef, Region, many, opt, result
from spyrelang.ir.opref import OpRef
from spyrelang.ir.pieces import Custom, Draft, Open, Piece, RegionPiece


def _read_modulo(c: Cursor, d: Draft) -> None:
    if c.take("modulo(size"):
        c.expect(":")
        d.attrs["modulo"] = f"{c.integer()} : i64"
        c.expect(")")


def _write_modulo(d: Draft) -> str:
    modulo = d.attrs.get("modulo")
    return f" modulo(size : {modulo.split()[0]})" if modulo else ""


def _pipeline_rules(op: OpRef) -> None:
    if op.has("modulo") and int(op.text("modulo").split()[0]) < 1:
        raise op.fail("modulo must be at least 1")
    names = [child.name for child in body(op)]
    for name in names:
        if name not in ("ktdf.stage", "ktdf.private"):
            raise op.fail(f"holds only ktdf.stage and ktdf.private, not {name}")
    if names.count("ktdf.private") > 1:
        raise op.fail("holds at most one ktdf.private")


PIPELINE = OpDef(
    "ktdf.pipeline",
    attributes=[opt("modulo", k.I64_ATTR)],
    regions=[Region("body")],
    assembly="$size $body$dict",
    custom={"size": Custom(_read_modulo, _write_modulo, shows=["modulo"])},
    verify=_pipeline_rules,
)


def _tokens(segment: str) -> Piece:
    """`(%a, %b)` or `(none)`."""

    def read(c: Cursor, d: Draft) -> None:
        c.expect("(")
        d.operands[segment] = []
        if not c.take("none"):
            d.operands[segment] = c.values()
            if not d.operands[segment]:
                raise c.fail("expected a token or 'none'")
        c.expect(")")

    def write(d: Draft) -> str:
        return f"({d.values(segment) or 'none'})"

    return Custom(read, write)


def _stage_rules(op: OpRef) -> None:
    if parent_name(op) != "ktdf.pipeline":
        raise op.fail("stands only in a ktdf.pipeline")
    token_rules(op)


STAGE = OpDef(
    "ktdf.stage",
    operands=[many("depends_in", TOKEN), many("depends_out", TOKEN)],
    attributes=[opt("applicable_units", k.ARRAY)],
    regions=[Region("body")],
    segments=True,
    assembly=" depends_in$inputs depends_out$outputs $body$dict",
    custom={"inputs": _tokens("depends_in"), "outputs": _tokens("depends_out")},
    verify=_stage_rules,
)


def _read_private_types(c: Cursor, d: Draft) -> None:
    if c.take("->"):
        c.expect("(")
        d.types["results"] = c.types()
        c.expect(")")


def _write_private_types(d: Draft) -> str:
    types = d.type_list("results")
    return f" -> ({types})" if types else ""


def _private_rules(op: OpRef) -> None:
    if parent_name(op) != "ktdf.pipeline":
        raise op.fail("stands only in a ktdf.pipeline")
    yielded = types_yielded(op)
    if list(yielded) != list(op.result_types()):
        raise op.fail(
            f"yields ({', '.join(yielded)}) but has the results ({', '.join(op.result_types())})"
        )


PRIVATE = OpDef(
    "ktdf.private",
    results=[result("results", k.ANY, "many")],
    regions=[Region("body", terminator="ktdf.private_yield", implicit=True, hidden=True)],
    assembly="$types $body$dict",
    custom={
        "types": Custom(_read_private_types, _write_private_types),
        "dict": Dict(word="attributes"),
    },
    verify=_private_rules,
)


PRIVATE_YIELD = OpDef(
    "ktdf.private_yield",
    operands=[many("values", k.ANY)],
    assembly="$dict{? $values : $values:type?}",
    terminator=True,
    verify=stands_in("ktdf.private"),
)


class _Parallel(RegionPiece):
    """`(%m, %id) = (%lb) to (%ub) step (%st) distribute(num_instances = 2) { … }`."""

    shows = frozenset({"num_instances"})

    def read_regions(self, c: Cursor, d: Draft) -> Iterator[Open]:
        c.expect("(")
        start = c.start()
        names = c.values()
        if len(names) < 2:
            raise c.fail("expected a loop variable and the instance id", start)
        c.expect(")")
        for before, segment in (("=", "lower"), ("to", "upper"), ("step", "step")):
            c.expect(before)
            c.expect("(")
            at = c.start()
            d.operands[segment] = c.values()
            if len(d.operands[segment]) != len(names) - 1:
                raise c.fail(f"expected {len(names) - 1} values, one for each loop", at)
            c.expect(")")
        c.expect("distribute(num_instances =")
        d.attrs["num_instances"] = f"{c.integer()} : i64"
        c.expect(")")
        yield Open(PARALLEL.regions[0], block_label([(n, "index") for n in names]))

    def write(self, d: Draft) -> str:
        body = d.bodies[0]
        names = ", ".join(name for name, _, _ in body.args)
        lower, upper, step = (d.values(s) for s in ("lower", "upper", "step"))
        count = (d.attrs["num_instances"] or "0").split()[0]
        head = f"({names}) = ({lower}) to ({upper}) step ({step})"
        return f"{head} distribute(num_instances = {count}) {{\n{body.text}{d.indent}}}"


def _thirds(total: int, integer: object) -> list[int] | None:
    del integer
    return [total // 3] * 3 if total % 3 == 0 else None


def _parallel_rules(op: OpRef) -> None:
    loops = len(operand_types(op)) // 3
    if loops < 1:
        raise op.fail("needs at least one loop")
    if int(op.text("num_instances").split()[0]) < 1:
        raise op.fail("num_instances must be at least 1")
    if list(block_types(op)) != ["index"] * (loops + 1):
        raise op.fail(f"its block must have {loops + 1} arguments of type index")


PARALLEL = OpDef(
    "ktdf.parallel",
    operands=[many("lower"), many("upper"), many("step")],
    attributes=[Attr("num_instances", k.I64_ATTR)],
    regions=[Region("body", args=None, terminator="ktdf.parallel_yield")],
    counts=_thirds,
    assembly=" $loops$dict",
    custom={"loops": _Parallel()},
    verify=_parallel_rules,
)
PARALLEL_YIELD = OpDef(
    "ktdf.parallel_yield", assembly="$dict", terminator=True, verify=stands_in("ktdf.parallel")
)
