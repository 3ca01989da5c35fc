"""Units of neighbouring cores: declared from two public lines, so only what those show is read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spyrelang.affine import Map
from spyrelang.dialects.ktdf_arch.ops import UNIT_TYPE, resource_rules, short_type
from spyrelang.dialects.shapes import defining_op, types_yielded
from spyrelang.ir import kinds as k
from spyrelang.ir import scan
from spyrelang.ir.assembly import Dict
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.opdef import Attr, OpDef, Region, many, one, result
from spyrelang.ir.opref import OpRef
from spyrelang.ir.pieces import Custom, Draft, Open, RegionPiece

k.bare("!ktdf_arch.neighborhood")
HANDLE = k.exactly("!ktdf_arch.neighborhood", "a neighborhood")


class _Neighborhood(RegionPiece):
    """`%self, … : (exec_unit, …)[4] {…}? { … }`."""

    def __init__(self) -> None:
        self.rest = Dict()
        self.rest.hidden = frozenset({"size"})

    def read_regions(self, c: Cursor, d: Draft) -> Iterator[Open]:
        d.operands["units"] = c.values()
        c.expect(": (")
        types = [] if c.peek(")") else [short_type(c)]
        while c.take(","):
            types.append(short_type(c))
        d.types["units"] = types
        c.expect(") [")
        d.attrs["size"] = f"{c.integer()} : i64"
        c.expect("]")
        if c.take("attributes"):
            self.rest.read(c, d)
        d.types["handle"] = ["!ktdf_arch.neighborhood"]
        yield Open(NEIGHBORHOOD.regions[0])

    def write(self, d: Draft) -> str:
        types = ", ".join(t.removeprefix("!ktdf_arch.") for t in d.types["units"])
        size = (d.attrs["size"] or "").split(" ")[0]
        rest = self.rest.write(d)
        head = f" {d.values('units')} : ({types})[{size}]{' attributes' if rest else ''}{rest}"
        return f"{head} {{\n{d.bodies[0].text}{d.indent}}}"


def _neighborhood_rules(op: OpRef) -> None:
    resource_rules(op)
    if (op.integer("size") or 0) < 1:
        raise op.fail("its size must be at least 1")
    if types_yielded(op) != op.types("units"):
        raise op.fail(f"yields {len(types_yielded(op))} units for {len(op.types('units'))}")


NEIGHBORHOOD = OpDef(
    "ktdf_arch.neighborhood",
    operands=[many("units", UNIT_TYPE)],
    attributes=[Attr("size", k.I64_ATTR)],
    results=[result("handle", HANDLE)],
    regions=[
        Region(
            "body",
            terminator="ktdf_arch.yield",
            implicit=True,
            prefix="ktdf_arch",
            hidden=True,
        )
    ],
    assembly="$all",
    custom={"all": _Neighborhood()},
    verify=_neighborhood_rules,
    result_name=lambda op: "neighborhood",
)

_RESULTS = re.compile(
    rf"({scan.VALUE}(?::\d+)?(?:\s*,\s*{scan.VALUE}(?::\d+)?)*)\s*=\s*(?:ktdf_arch\.)?neighbor\s*$"
)


def _read_neighbor(c: Cursor, d: Draft) -> None:
    """`map in %n`: the types of the results stand nowhere, their number left of the `=`."""
    before = _RESULTS.search(c.text[max(0, c.pos - 2000) : c.pos])
    names = before.group(1).split(",") if before else []
    counts = [int(n.partition(":")[2] or 1) for n in names]
    d.attrs["map"] = c.plain_attribute()
    c.expect("in")
    d.operands["neighborhood"] = [c.value()]
    d.types["neighborhood"] = ["!ktdf_arch.neighborhood"]
    d.types["units"] = ["!ktdf_arch.exec_unit"] * min(sum(counts), 4096)


def _neighbor_rules(op: OpRef) -> None:
    resource_rules(op)
    found = Map.parse(op.text("map"))
    if (found.n_dims, found.n_syms, found.n_results) != (1, 0, 1):
        raise op.fail("its map takes one position to another: one dim, no symbol, one result")
    around = defining_op(op.op.operands[0])
    if around is None or around.name != "ktdf_arch.neighborhood":
        raise op.fail("its operand must come from ktdf_arch.neighborhood")
    if len(op.result_types()) != len(around.operands):
        raise op.fail(f"gives {len(op.result_types())} units, but each has {len(around.operands)}")


NEIGHBOR = OpDef(
    "ktdf_arch.neighbor",
    operands=[one("neighborhood", HANDLE)],
    attributes=[Attr("map", k.AFFINE_MAP)],
    results=[result("units", UNIT_TYPE, "many")],
    assembly=" $place$dict",
    custom={
        "place": Custom(
            _read_neighbor, lambda d: f"{d.attrs['map']} in {d.one('neighborhood')}", ["map"]
        )
    },
    verify=_neighbor_rules,
    result_name=lambda op: "neighbor",
)
