"""The ops of a device description."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from spyrelang.dialects.ktdf_arch import attributes as rules
from spyrelang.dialects.shapes import body, parent_name, types_yielded
from spyrelang.ir import kinds as k
from spyrelang.ir import scan
from spyrelang.ir.assembly import Dict
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.opdef import FOREIGN_RULES, Attr, OpDef, Region, many, one, opt, result
from spyrelang.ir.opref import OpRef, attr_text
from spyrelang.ir.pieces import Custom, Draft, Open, Piece, RegionPiece

MEMORY_TYPE = k.exactly("!ktdf_arch.memory", "a memory")
UNIT_TYPE = k.exactly("!ktdf_arch.exec_unit", "an execution unit")
PORT_TYPE = k.exactly("!ktdf_arch.port", "a port")
ENDPOINT = k.matching(
    "a memory, an execution unit or a port", r"!ktdf_arch\.(memory|exec_unit|port)"
)
KIND = k.matching(
    "a memory space: an integer, a string, a dictionary or an attribute of a dialect",
    r'-?\d+ : \w+|true|false|"[^"].*|\{.*|#.*',
)

_NESTED = ("group", "neighborhood")
_RESOURCES = (*_NESTED, "memory", "exec_unit", "switch", "datapath", "neighbor")
_PARENTS = ("ktdf_arch.device", *(f"ktdf_arch.{name}" for name in _RESOURCES))


def entries_of(op: Any) -> dict[str, str | None]:
    """All attributes of a live op, as text (None: unit)."""
    found = {name: attr_text(op.attributes[name]) for name in op.attributes.keys()}  # noqa: SIM118
    return {name: None if text == "unit" else text for name, text in found.items()}


def _properties(op: OpRef, where: str) -> None:
    try:
        rules.check_properties(entries_of(op.op), where)
    except rules.Broken as broken:
        raise op.fail(str(broken)) from None


def resource_rules(op: OpRef, where: str = rules.ON_MEMORY) -> None:
    """Where a resource stands, and its properties."""
    if parent_name(op) not in _PARENTS:
        raise op.fail("stands only in a ktdf_arch.device or in another resource")
    _properties(op, where)


def _on_other_op(op: Any) -> str | None:
    try:
        rules.check_properties(entries_of(op), rules.ON_OTHER)
    except rules.Broken as broken:
        return str(broken)
    return None


FOREIGN_RULES[rules.PROPERTY] = _on_other_op

# --- ids and dictionaries --------------------------------------------------------------------

_BARE_ID = re.compile(r"[A-Za-z_][\w$.]*")


def symbol(name: str) -> str:
    """`@name`, quoted where it must be; `name` is a string attribute's text."""
    inner = name[1:-1]
    return f"@{inner}" if _BARE_ID.fullmatch(inner) else f"@{name}"


def _read_symbol(c: Cursor) -> str:
    text = c.plain_attribute()[1:]
    return text if text.startswith('"') else f'"{text}"'


class _IdAndDict(Piece):
    """` @id? {…}?`: the dictionary holds everything, and wins over the id in front of it."""

    def __init__(self, repeated: bool) -> None:
        self.repeated = repeated  # is the id shown in the dictionary too?

    def read(self, c: Cursor, d: Draft) -> None:
        if c.peek("@"):
            d.attrs["id"] = _read_symbol(c)
        if c.text[c.start() : c.start() + 1] in ("{", "#"):
            d.attrs.update(c.dictionary())
        if not (d.attrs.get("id") or "").startswith('"'):
            d.attrs.pop("id", None)

    def write(self, d: Draft) -> str:
        name = d.attrs.get("id")
        text = f" {symbol(name)}" if name else ""
        shown = {n: v for n, v in d.attrs.items() if self.repeated or n != "id"}
        shown = {n: v for n, v in shown.items() if not _hidden(d, n)}
        return f"{text} {{{scan.join_dict(shown)}}}" if shown else text


def _hidden(d: Draft, name: str) -> bool:
    return name == "connectivity" and _all_ones(d.attrs[name] or "")


def _all_ones(text: str) -> bool:
    return text.startswith("dense<true>") or re.match(r"(dense|sparse)<>", text) is not None


_WITH_ID = {"rest": _IdAndDict(repeated=True)}

# --- memories and units ----------------------------------------------------------------------


def _memory_rules(op: OpRef) -> None:
    resource_rules(op, rules.ON_MEMORY)
    if op.has("size") and (op.integer("size") or 0) < 1:
        raise op.fail("size must be at least 1")


MEMORY = OpDef(
    "ktdf_arch.memory",
    attributes=[Attr("kind", KIND), opt("size", k.I64_ATTR), opt("id", k.STRING)],
    results=[result("result", MEMORY_TYPE)],
    assembly="$rest",
    custom=_WITH_ID,
    verify=_memory_rules,
    result_name=lambda op: "memory",
)
EXEC_UNIT = OpDef(
    "ktdf_arch.exec_unit",
    attributes=[opt("kind"), opt("id", k.STRING)],
    results=[result("result", UNIT_TYPE)],
    assembly="$rest",
    custom=_WITH_ID,
    verify=lambda op: resource_rules(op, rules.ON_UNIT),
    result_name=lambda op: "exec_unit",
)

# --- switches and datapaths ------------------------------------------------------------------


def _read_ports(c: Cursor, d: Draft) -> None:
    c.expect("[")
    start = c.start()
    count = int(c.integer(), 0)
    if not 0 <= count <= 4096:
        raise c.fail("expected a number of ports between 0 and 4096", start)
    c.expect("]")
    d.types["ports"] = ["!ktdf_arch.port"] * count
    if c.text[c.start() : c.start() + 1] in ("{", "#"):
        d.attrs.update(c.dictionary())
    d.attrs.setdefault("connectivity", f"dense<true> : tensor<{count}x{count}xi1>")


def _write_ports(d: Draft) -> str:
    shown = {n: v for n, v in d.attrs.items() if not _hidden(d, n)}
    text = f"[{len(d.types['ports'])}]"
    return f"{text} {{{scan.join_dict(shown)}}}" if shown else text


def _switch_rules(op: OpRef) -> None:
    resource_rules(op)
    ports = len(op.result_types())
    expected = f"tensor<{ports}x{ports}xi1>"
    if op.text("connectivity").rsplit(" : ", 1)[-1] != expected:
        raise op.fail(f"connectivity must be elements of type {expected}")


SWITCH = OpDef(
    "ktdf_arch.switch",
    attributes=[
        Attr("connectivity", k.matching("dense or sparse elements", r"(dense|sparse)<.*")),
        opt("kind"),
        opt("id", k.STRING),
    ],
    results=[result("ports", PORT_TYPE, "many")],
    assembly=" $ports_and_rest",
    custom={"ports_and_rest": Custom(_read_ports, _write_ports)},
    verify=_switch_rules,
    result_name=lambda op: "switch",
)


def _short_types() -> Piece:
    """`memory, exec_unit`."""

    def read(c: Cursor, d: Draft) -> None:
        d.types["source"] = [short_type(c)]
        c.expect(",")
        d.types["target"] = [short_type(c)]

    def write(d: Draft) -> str:
        types = (*d.types["source"], *d.types["target"])
        return ", ".join(t.removeprefix("!ktdf_arch.") for t in types)

    return Custom(read, write)


def short_type(c: Cursor) -> str:
    """`exec_unit` or `!ktdf_arch.exec_unit`."""
    return c.type() if c.peek("!") else f"!ktdf_arch.{_short(c)}"


def _short(c: Cursor) -> str:
    start = c.start()
    word = c.word()
    if word not in ("memory", "exec_unit", "port"):
        raise c.fail("expected memory, exec_unit or port", start)
    return word


def _datapath_rules(op: OpRef) -> None:
    resource_rules(op, rules.ON_LINK)
    if op.op.operands[0] == op.op.operands[1]:
        raise op.fail("a datapath has two different ends")


DATAPATH = OpDef(
    "ktdf_arch.datapath",
    operands=[one("source", ENDPOINT), one("target", ENDPOINT)],
    attributes=[opt("kind"), opt("id", k.STRING)],
    assembly="$rest $source to $target : $types",
    custom={**_WITH_ID, "types": _short_types()},
    verify=_datapath_rules,
)

# --- groups ----------------------------------------------------------------------------------


class _Group(RegionPiece):
    """`@id? {…}? share(%m) { … } -> exec_unit, …`."""

    def __init__(self) -> None:
        self.head = _IdAndDict(repeated=False)

    def read_regions(self, c: Cursor, d: Draft) -> Iterator[Open]:
        self.head.read(c, d)
        c.expect("share(")
        start = c.start()
        names = d.operands["shared"] = c.values()
        if len(set(names)) < len(names):
            raise c.fail("a memory is shared twice", start)
        c.expect(")")
        yield Open(GROUP.regions[0])
        if c.take("->"):
            d.types["results"] = [short_type(c)]
            while c.take(","):
                d.types["results"].append(short_type(c))

    def write(self, d: Draft) -> str:
        head = f"{self.head.write(d)} share({d.values('shared')})"
        types = ", ".join(t.removeprefix("!ktdf_arch.") for t in d.types["results"])
        tail = f" -> {types}" if types else ""
        return f"{head} {{\n{d.bodies[0].text}{d.indent}}}{tail}"


def _children(op: OpRef, extra: tuple[str, ...] = ()) -> None:
    allowed = {f"ktdf_arch.{name}" for name in (*_RESOURCES, "yield", *extra)}
    for child in body(op):
        if child.name not in allowed:
            raise op.fail(f"holds only resources, not {child.name}")


def _group_rules(op: OpRef) -> None:
    resource_rules(op)
    _children(op)
    arguments = list(op.op.regions[0].blocks[0].arguments)
    if len(arguments) != len(op.op.operands):
        raise op.fail(f"shares {len(op.op.operands)} memories but has {len(arguments)} arguments")
    if types_yielded(op) != op.result_types():
        raise op.fail(
            f"yields {len(types_yielded(op))} units but has {len(op.result_types())} results"
        )
    _isolated(op)


def _isolated(op: OpRef) -> None:
    """Only the shared memories are visible inside."""
    block = op.op.regions[0].blocks[0]
    visible = set(block.arguments)
    for child in block.operations:
        for value in child.operation.operands:
            if value not in visible:
                raise op.fail(f"{child.operation.name} uses a value that the group does not share")
        visible.update(child.operation.results)


GROUP = OpDef(
    "ktdf_arch.group",
    operands=[many("shared", MEMORY_TYPE)],
    attributes=[opt("kind"), opt("id", k.STRING)],
    results=[result("results", UNIT_TYPE, "many")],
    regions=[
        Region(
            "body",
            args=None,
            terminator="ktdf_arch.yield",
            implicit=True,
            prefix="ktdf_arch",
            hidden=True,
            outer_names=True,
        )
    ],
    assembly="$all",
    custom={"all": _Group()},
    verify=_group_rules,
    result_name=lambda op: "exec_unit",
)


def _yield_rules(op: OpRef) -> None:
    if parent_name(op).removeprefix("ktdf_arch.") not in _NESTED:
        raise op.fail("stands only in a ktdf_arch.group or ktdf_arch.neighborhood")


YIELD = OpDef(
    "ktdf_arch.yield",
    operands=[many("units", UNIT_TYPE)],
    assembly="{? $units?}$dict",
    terminator=True,
    verify=_yield_rules,
)

# --- patterns --------------------------------------------------------------------------------


def _read_groups(c: Cursor, d: Draft) -> None:
    if c.peek("["):
        d.attrs["groups"] = c.plain_attribute()


def _write_groups(d: Draft) -> str:
    groups = d.attrs.get("groups")
    return f" {groups}" if groups and groups != "[]" else ""


def _patterns_rules(op: OpRef) -> None:
    if parent_name(op) != "ktdf_arch.device":
        raise op.fail("stands only in a ktdf_arch.device")
    for child in body(op):
        if child.name != "pdl.pattern":
            raise op.fail(f"holds only pdl.pattern, not {child.name}")
        if "sym_name" in child.attributes:
            raise op.fail("a pattern in here has no name")


PATTERNS = OpDef(
    "ktdf_arch.patterns",
    attributes=[Attr("groups", k.STRING_ARRAY, default="[]")],
    regions=[Region("body")],
    assembly="$names$dict $body",
    custom={
        "names": Custom(_read_groups, _write_groups, shows=["groups"]),
        "dict": Dict(word="attributes"),
    },
    verify=_patterns_rules,
)

# --- devices ---------------------------------------------------------------------------------


class _Device(RegionPiece):
    """`@name (attributes {…})? ({ … } | import("path"))`."""

    shows = frozenset({"sym_name", "import_path"})

    def read_regions(self, c: Cursor, d: Draft) -> Iterator[Open]:
        if not c.peek("@"):
            raise c.fail("expected the device's name (@name)")
        d.attrs["sym_name"] = _read_symbol(c)
        if c.take("attributes"):
            d.attrs.update(c.dictionary())
        if c.take("import("):
            d.attrs["import_path"] = c.plain_attribute()
            c.expect(")")
            return
        if not c.peek("{"):
            raise c.fail("expected '{' or 'import'")
        yield Open(DEVICE.regions[0])

    def write(self, d: Draft) -> str:
        shown = {n: v for n, v in d.attrs.items() if n not in self.shows}
        text = f" {symbol(d.attrs['sym_name'] or '')}"
        if shown:
            text += f" attributes {{{scan.join_dict(shown)}}}"
        if "import_path" in d.attrs:
            return f"{text} import({d.attrs['import_path']})"
        return f"{text} {{\n{d.bodies[0].text}{d.indent}}}"


def _device_rules(op: OpRef) -> None:
    _properties(op, "device")
    blocks = list(op.op.regions[0].blocks)
    empty = not blocks or not list(blocks[0].operations)
    if op.has("import_path"):
        if not empty:
            raise op.fail("has a body and an import; one of them must go")
        return
    if empty:
        raise op.fail('needs a body, or import("path")')
    _children(op, ("patterns",))
    _unique_ids(op)


def _unique_ids(op: OpRef) -> None:
    seen: set[str] = set()
    for found in _resources(op.op):
        name = entries_of(found).get("id")
        if name is not None and name in seen:
            raise op.fail(f"the id {name} stands on two resources")
        if name is not None:
            seen.add(name)


def _resources(op: Any) -> Iterator[Any]:
    for region in op.regions:
        for block in region.blocks:
            for child in block.operations:
                found = child.operation
                if found.name.startswith("ktdf_arch."):
                    yield found
                    if found.name.removeprefix("ktdf_arch.") in _NESTED:
                        yield from _resources(found)


DEVICE = OpDef(
    "ktdf_arch.device",
    attributes=[
        Attr("sym_name", k.STRING),
        opt("import_path", k.STRING),
        opt("version", k.I64_ATTR),
    ],
    regions=[Region("body", optional=True, prefix="ktdf_arch")],
    assembly="$all",
    custom={"all": _Device()},
    verify=_device_rules,
)
