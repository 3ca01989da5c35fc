"""uniform: tables with one entry per unit, and regions that differ by unit."""

from __future__ import annotations

from collections.abc import Iterator

from spyrelang.dialects.dataflow import CREATE_GROUP, GET_UNIT
from spyrelang.dialects.pairs import pairs
from spyrelang.ir import kinds as k
from spyrelang.ir import scan
from spyrelang.ir.assembly import block_label
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.opdef import Attr, OpDef, Region, many, one, opt, result
from spyrelang.ir.opref import OpRef, integer_of
from spyrelang.ir.pieces import Custom, Draft, Only, Open, RegionPiece, no_entries

# --- mappings ----------------------------------------------------------------------------------


def _read_value_type(c: Cursor, d: Draft) -> None:
    found = c.type() if c.take(",") else "index"
    d.types["values"] = [found] * len(d.operands["values"])


def _write_value_type(d: Draft) -> str:
    types = d.types["values"]
    return f", {types[0]}" if types and types[0] != "index" else ""


def _mapping(op: OpRef) -> None:
    keys, values = op.operands("keys"), op.operands("values")
    if not keys:
        raise op.fail("at least one pair is needed")
    if len(keys) != len(values):
        raise op.fail(f"{len(keys)} keys for {len(values)} values")
    if len({value.type for value in values}) > 1:
        raise op.fail("all values must have one type")
    if len(set(keys)) != len(keys):
        raise op.fail("a key is given twice")
    key_names = {op.defining_name(key) for key in keys}
    if GET_UNIT.name in key_names and len(key_names) > 1:
        raise op.fail("where one key is a unit (dataflow.get_unit), all must be")
    if len(keys) > 1 and None in key_names:
        raise op.fail("a block argument can only be the single key")
    value_names = {op.defining_name(value) for value in values}
    if None in value_names:
        raise op.fail("a value must not be a block argument")
    if len(value_names) > 1:
        raise op.fail(f"values come from different operations: {_listed(value_names)}")


def _listed(names: set[str | None]) -> str:
    return ", ".join(sorted(str(n) for n in names))


DEF_IMMUTABLE_MAPPING = OpDef(
    "uniform.def_immutable_mapping",
    operands=[many("keys"), many("values", k.ANY)],
    results=[result("map", k.INDEX)],
    segments=True,
    assembly="$plain($pairs):$map:type$value_type",
    custom={
        "plain": no_entries(),
        "pairs": pairs("keys", "values"),
        "value_type": Custom(_read_value_type, _write_value_type),
    },
    verify=_mapping,
)
QUERY_MAP = OpDef(
    "uniform.query_map",
    operands=[one("map"), one("key")],
    results=[result("value", k.ANY)],
    assembly="$plain(map:$map, key:$key) : $value:type",
    custom={"plain": no_entries()},
)

# --- regions per unit ----------------------------------------------------------------------------

_PER_UNITS = Region("bodies", args=(k.INDEX,), terminator="uniform.yield", implicit=True, many=True)
_HIDDEN = frozenset({"list_sizes", "newly_added"})


class _PerUnits(RegionPiece):
    """`{ (%u -> %a, %b){ … } (%w -> %c){ … } }`."""

    shows = frozenset({"list_sizes"})

    def read_regions(self, c: Cursor, d: Draft) -> Iterator[Open]:
        units = d.operands.setdefault("units", [])
        sizes: list[int] = []
        c.expect("{")
        while not c.take("}"):
            c.expect("(")
            label = block_label([(c.value(), "index")])
            c.expect("->")
            found = c.values()
            c.expect(")")
            units += found
            sizes.append(len(found))
            yield Open(_PER_UNITS, label)
        d.attrs["list_sizes"] = f"[{', '.join(f'{n} : i32' for n in sizes)}]"

    def write(self, d: Draft) -> str:
        lines = [" {"]
        units = iter(d.operands["units"])
        for body, item in zip(
            d.bodies, scan.split_list((d.attrs["list_sizes"] or "[]")[1:-1]), strict=False
        ):
            mine = ", ".join(next(units, "?") for _ in range(integer_of(item) or 0))
            own = body.args[0][0] if body.args else "%self"
            text = body.text.replace("\n", "\n  ").removesuffix("  ")
            lines.append(f"{d.indent}  ({own} -> {mine}){{\n  {text}{d.indent}  }}")
        return "\n".join([*lines, f"{d.indent}}}"])


def _per_units(op: OpRef, least: int) -> list[list[str]]:
    """Check units against regions; the names of each region's ops, terminators apart."""
    units, sizes = op.operands("units"), [integer_of(i) for i in op.items("list_sizes")]
    regions = list(op.op.regions)
    if len(regions) < least:
        raise op.fail(f"at least {least} regions are needed")
    if len(sizes) != len(regions) or sum(n or 0 for n in sizes) != len(units):
        raise op.fail("list_sizes must give each region's number of units")
    if any(n is None or n < 0 for n in sizes):
        raise op.fail("list_sizes must hold counts")
    if len(set(units)) != len(units):
        raise op.fail("a unit is listed twice")
    at = 0
    for size in sizes:
        _check_units(op, [op.defining_name(u) for u in units[at : at + (size or 0)]])
        at += size or 0
    return [[o.operation.name for o in r.blocks[0].operations] for r in regions]


def _check_units(op: OpRef, makers: list[str | None]) -> None:
    legal = (GET_UNIT.name, CREATE_GROUP.name) if len(makers) == 1 else (GET_UNIT.name,)
    for maker in makers:
        if maker not in legal:
            raise op.fail(f"a region's units must come from {' or '.join(legal)}")


def _yields(op: OpRef) -> None:
    for region in op.op.regions:
        found = list(region.blocks[0].operations)[-1].operation
        if len(found.operands) != len(op.op.results):
            raise op.fail(
                f"a region yields {len(found.operands)} values for {len(op.op.results)} results"
            )


def _uniformize(op: OpRef) -> None:
    _per_units(op, 1)
    _yields(op)
    expected = op.result_types()
    for region in op.op.regions:
        found = list(region.blocks[0].operations)[-1].operation
        types = [str(v.type) for v in found.operands]
        if types != [str(r.type) for r in op.op.results]:
            raise op.fail(f"a region yields {', '.join(types)} for results {', '.join(expected)}")


def _equalize(op: OpRef) -> None:
    first, *others = _per_units(op, 2)
    _yields(op)
    for other in others:
        if other != first:
            raise op.fail("the regions must hold the same sequence of operations")


def _read_results(c: Cursor, d: Draft) -> None:
    if not c.take("->"):
        d.types["results"] = []
    elif c.take("("):
        d.types["results"] = [] if c.peek(")") else c.types()
        c.expect(")")
    else:
        d.types["results"] = [c.type()]


def _write_results(d: Draft) -> str:
    types = d.types["results"]
    return f" -> {types[0]}" if len(types) == 1 else f" -> ({', '.join(types)})"


def _read_entries(c: Cursor, d: Draft) -> None:
    start = c.start()
    if not c.text.startswith("{", start):
        return
    entries = c.dictionary()
    if "list_sizes" in entries:
        raise c.fail("list_sizes follows from the regions and cannot be written", start)
    d.attrs.update(entries)


def _write_entries(d: Draft) -> str:
    shown = {key: value for key, value in d.attrs.items() if key not in _HIDDEN}
    return f" {{{scan.join_dict(shown)}}}" if shown else ""


UNIFORMIZE_REGIONS = OpDef(
    "uniform.uniformize_regions",
    operands=[many("units")],
    attributes=[
        Attr("list_sizes", k.ARRAY),
        opt("regIndices", k.ARRAY),
        opt("regLocales", k.ARRAY),
    ],
    results=[result("results", k.ANY, "many")],
    regions=[_PER_UNITS],
    assembly="$plain$result_types$bodies$entries",
    custom={
        "plain": Only(lambda d: "newly_added" not in d.attrs),
        "result_types": Custom(_read_results, _write_results),
        "bodies": _PerUnits(),
        "entries": Custom(_read_entries, _write_entries),
    },
    verify=_uniformize,
)
EQUALIZE_PATTERN = OpDef(
    "uniform.equalize_pattern",
    operands=[many("units")],
    attributes=[Attr("list_sizes", k.ARRAY)],
    regions=[_PER_UNITS],
    assembly="$plain$bodies",
    custom={"plain": no_entries("list_sizes"), "bodies": _PerUnits()},
    verify=_equalize,
)
YIELD = OpDef(
    "uniform.yield",
    operands=[many("values", k.ANY)],
    assembly="$dict{? $values : $values:type?}",
    terminator=True,
)
