"""ktdf: ScheduleIR, pipelines of stages that move data between memories and FIFOs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from spyrelang.affine import Map
from spyrelang.dialects import shapes
from spyrelang.dialects.shapes import block_types, body, operand_types, parent_name, types_yielded
from spyrelang.dialects.subscripts import (
    DYNAMIC,
    index_list,
    read_i64_array,
    read_subscripts,
    write_subscripts,
)
from spyrelang.ir import kinds as k
from spyrelang.ir import scan
from spyrelang.ir.assembly import Custom, Dict, Draft, Open, Piece, RegionPiece, block_label
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.opdef import Attr, OpDef, Region, many, one, opt, result
from spyrelang.ir.opref import OpRef

# --- types and attributes --------------------------------------------------------------------

_SLOT = re.compile(
    r"(?P<ends>.+),\s*(?P<count>\?|-?\d+)\s*x\s*(?P<element>[a-zA-Z!(].*)", re.DOTALL
)


def _normal_slot(body: str | None) -> str | None:
    found = _SLOT.fullmatch((body or "").strip())
    ends = slot_ends(found["ends"]) if found else None
    if found is None or ends is None:
        return None
    count = "?" if found["count"] in ("?", str(DYNAMIC)) else str(int(found["count"]))
    element = scan.normal_blanks(found["element"])
    return f"!ktdf.fifo.slot<{ends[0]} -> {ends[1]}, {count}x{element}>"


_END = re.compile(rf"{scan.STRING}|[@#\[{{(]|-?\d|(?:true|false|unit)\b|!|affine_(?:map|set)<")


def slot_ends(text: str) -> tuple[str, str] | None:
    """The two ends of `a -> b`, which are attributes; None when the text is something else."""
    depth, position = 0, 0
    for found in re.finditer(rf"{scan.STRING}|->|[<({{\[]|[>)}}\]]", text):
        token = found.group()
        if token == "->" and depth == 0:
            position = found.start()
            break
        depth += (token in "<({[") - (token in ">)}]")
    ends = text[:position].strip(), text[position + 2 :].strip()
    if not position or not all(e and _END.match(e) for e in ends):
        return None
    return scan.normal_blanks(ends[0]), scan.normal_blanks(ends[1])


k.bare("!ktdf.token")
k.declare_opaque("!ktdf.fifo.slot", _normal_slot, '!ktdf.fifo.slot<"A" -> "B", 64xf16>')
LOOP_TYPES = ("parallel_loop", "reduction_loop")


def _normal_loop_type(body: str | None) -> str | None:
    case = (body or "").strip()
    return f"#ktdf.loop_type<{case}>" if case in LOOP_TYPES else None


k.declare_opaque("#ktdf.loop_type", _normal_loop_type, "#ktdf.loop_type<parallel_loop>")

TOKEN = k.exactly("!ktdf.token", "a token")
SLOT = k.matching("a FIFO slot", r"!ktdf\.fifo\.slot<.*")
TENSOR = k.matching("a ranked tensor", r"tensor<(?!\*).*")
BUFFER = TENSOR | k.MEMREF
ENDPOINT = k.MEMREF | SLOT

# --- pipeline --------------------------------------------------------------------------------


class _Trailing(RegionPiece):
    """A region in braces and the dictionary behind it."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.dict = Dict()

    def read_regions(self, c: Cursor, d: Draft) -> Iterator[Open]:
        yield Open(self.region)

    def write(self, d: Draft) -> str:
        return f"{{\n{d.bodies[0].text}{d.indent}}}"


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
    for index, value in enumerate(op.op.operands):
        if not _made_by_create_token(value):
            raise op.fail(
                f"token {index} must come from ktdf.create_token, or from a ktdf.private "
                "that yields one"
            )


def _made_by_create_token(value: object) -> bool:
    """Follow a token through the privates that yield it."""
    while True:
        owner = shapes.defining_op(value)
        if owner is None:
            return False
        if owner.name == "ktdf.create_token":
            return True
        if owner.name != "ktdf.private":
            return False
        value = shapes.yielded(owner, value)
        if value is None:
            return False


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


def _parent(name: str) -> object:
    def rule(op: OpRef) -> None:
        if parent_name(op) != name:
            raise op.fail(f"stands only in a {name}")

    return rule


PRIVATE_YIELD = OpDef(
    "ktdf.private_yield",
    operands=[many("values", k.ANY)],
    assembly="$dict{? $values : $values:type?}",
    terminator=True,
    verify=_parent("ktdf.private"),
)

# --- parallel --------------------------------------------------------------------------------


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
    "ktdf.parallel_yield", assembly="$dict", terminator=True, verify=_parent("ktdf.parallel")
)

# --- data_transfer ---------------------------------------------------------------------------


class _Side(Piece):
    """One side of a transfer: `%m[subscripts] size [extents]`, or `%slot size [extents]`."""

    def __init__(self, value: str, prefix: str) -> None:
        self.value = value
        self.indices, self.sizes = f"{prefix}_indices", f"{prefix}_sizes"
        self.map, self.static = f"{value if prefix == 'source' else 'dest'}_map", ""
        self.static = f"static_{prefix}_sizes"
        self.list = index_list(self.sizes, self.static)
        self.shows = frozenset({self.map, self.static})

    def read(self, c: Cursor, d: Draft) -> None:
        d.operands[self.value] = [c.value()]
        if c.peek("["):
            at = c.start()
            found, names = read_subscripts(c)
            if found.n_syms:
                raise c.fail("symbols are not allowed in these subscripts", at)
            d.operands[self.indices], d.attrs[self.map] = names, str(found)
        if c.take("size"):
            self.list.read(c, d)

    def write(self, d: Draft) -> str:
        text = d.one(self.value)
        if self.map in d.attrs:
            text += write_subscripts(d.attrs[self.map] or "", d.operands.get(self.indices, ()))
        if self.static in d.attrs:
            text += f" size {self.list.write(d)}"
        return text


_SOURCE, _DESTINATION = _Side("source", "source"), _Side("destination", "dest")


def _transfer_rules(op: OpRef) -> None:
    source, destination = op.types("source")[0], op.types("destination")[0]
    for side, kind in ((_SOURCE, source), (_DESTINATION, destination)):
        _side_rules(op, side, kind)
    if element_type(source) != element_type(destination):
        raise op.fail(
            f"element types differ: {element_type(source)} and {element_type(destination)}"
        )


def _side_rules(op: OpRef, side: _Side, kind: str) -> None:
    indices, sizes = len(op.types(side.indices)), len(op.types(side.sizes))
    static = read_i64_array(op.text(side.static)) if op.has(side.static) else None
    if static is None and sizes:
        raise op.fail(f"{side.static} is missing although there are {side.sizes}")
    if static is not None and static.count(DYNAMIC) != sizes:
        raise op.fail(f"{side.static} has {static.count(DYNAMIC)} dynamic sizes, not {sizes}")
    if kind.startswith("!"):
        if indices or op.has(side.map):
            raise op.fail(f"the {side.value} is a slot, which has no subscripts")
        return
    _memref_side(op, side, len(shapes.shape_of(kind)), indices, static)


def _memref_side(op: OpRef, side: _Side, rank: int, indices: int, static: list[int] | None) -> None:
    if not op.has(side.map):
        raise op.fail(f"the {side.value} is a memref, which needs subscripts")
    found = Map.parse(op.text(side.map))
    if found.n_syms:
        raise op.fail(f"{side.map} must have no symbols")
    if found.n_results != rank:
        raise op.fail(f"the {side.value} has rank {rank} but {found.n_results} subscripts")
    if found.n_dims != indices:
        raise op.fail(f"{side.map} has {found.n_dims} dims but there are {indices} indices")
    if len(static or ()) != rank:
        raise op.fail(f"the {side.value} has rank {rank} but {len(static or ())} sizes")


def element_type(text: str) -> str:
    """The element type of a shaped type or slot."""
    if text.startswith("!ktdf.fifo.slot<"):
        return slot_of(text)[3]
    return shapes.element_of(text)


def slot_of(text: str) -> tuple[str, str, int | None, str]:
    """Source, destination, count (None: dynamic) and element type of a slot type's text."""
    found = _SLOT.fullmatch(text.removeprefix("!ktdf.fifo.slot<").removesuffix(">"))
    ends = slot_ends(found["ends"]) if found else None
    if found is None or ends is None:
        raise ValueError(text)
    count = None if found["count"] == "?" else int(found["count"])
    return ends[0], ends[1], count, found["element"]


def slot_type(source: str, destination: str, count: int | None, element: str) -> str:
    """The text of a slot type between two unit kinds."""
    size = "?" if count is None else count
    return f'!ktdf.fifo.slot<"{source}" -> "{destination}", {size}x{element}>'


DATA_TRANSFER = OpDef(
    "ktdf.data_transfer",
    operands=[
        one("source", ENDPOINT),
        many("source_indices"),
        many("source_sizes"),
        one("destination", ENDPOINT),
        many("dest_indices"),
        many("dest_sizes"),
    ],
    attributes=[
        opt("static_source_sizes", k.I64_ARRAY),
        opt("static_dest_sizes", k.I64_ARRAY),
        opt("source_map", k.AFFINE_MAP),
        opt("dest_map", k.AFFINE_MAP),
    ],
    segments=True,
    assembly=" from $from to $to$dict : $source:type, $destination:type",
    custom={"from": _SOURCE, "to": _DESTINATION},
    verify=_transfer_rules,
)

# --- FIFOs -----------------------------------------------------------------------------------


def _allocate_rules(op: OpRef) -> None:
    dynamic = sum(slot_of(t)[2] is None for t in op.result_types())
    if dynamic != len(operand_types(op)):
        raise op.fail(f"has {len(operand_types(op))} sizes for {dynamic} dynamic slots")


FIFO_ALLOCATE = OpDef(
    "ktdf.fifo.allocate",
    operands=[many("dynamic_sizes")],
    results=[result("slots", SLOT, "many")],
    assembly="($dynamic_sizes)$dict -> $slots:type",
    verify=_allocate_rules,
)


def _fifo_rules(op: OpRef) -> None:
    slot, data = [*operand_types(op), *op.result_types()][:2]
    if not slot.startswith("!"):
        slot, data = data, slot
    count, shape = slot_of(slot)[2], shapes.shape_of(data)
    if element_type(slot) != element_type(data):
        raise op.fail(f"element types differ: {element_type(slot)} and {element_type(data)}")
    if (count is None) != (None in shape):
        raise op.fail("slot and data must both be static or both dynamic")
    size = prod(n for n in shape if n is not None)
    if count is not None and size != count:
        raise op.fail(f"the data has {size} elements but the slot {count}")


READ_FROM_FIFO = OpDef(
    "ktdf.read_from_fifo",
    operands=[one("slot", SLOT)],
    results=[result("result", BUFFER)],
    assembly=" $slot$dict : $slot:short(!ktdf.fifo.slot) -> $result:type",
    verify=_fifo_rules,
)
WRITE_TO_FIFO = OpDef(
    "ktdf.write_to_fifo",
    operands=[one("value", BUFFER), one("slot", SLOT)],
    assembly=" $value, $slot$dict : $value:type, $slot:short(!ktdf.fifo.slot)",
    verify=_fifo_rules,
)

# --- tokens and tile sizes -------------------------------------------------------------------

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

# --- double buffering ------------------------------------------------------------------------


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

# --- opaque ----------------------------------------------------------------------------------


def _values_with_types(segment: str) -> Piece:
    """`(%a, %b: tensor<4xf16>, f16)`, or `()`."""

    def read(c: Cursor, d: Draft) -> None:
        c.expect("(")
        d.operands[segment] = c.values()
        if d.operands[segment]:
            c.expect(":")
            d.types[segment] = c.types()
        c.expect(")")

    def write(d: Draft) -> str:
        values = d.values(segment)
        return f"({values}: {d.type_list(segment)})" if values else "()"

    return Custom(read, write)


def _opaque_rules(op: OpRef) -> None:
    made = [t for t in op.types("outputs") if t.startswith("tensor")]
    if made != list(op.result_types()):
        raise op.fail("the results must have the types of the output tensors")


OPAQUE = OpDef(
    "ktdf.opaque",
    operands=[many("inputs", k.ANY), many("outputs", BUFFER)],
    attributes=[Attr("template_name", k.STRING)],
    results=[result("results", TENSOR, "many")],
    segments=True,
    assembly=" $template_name$dict{? -> $results:type?}\n  ins$ins\n  outs$outs",
    custom={"ins": _values_with_types("inputs"), "outs": _values_with_types("outputs")},
    verify=_opaque_rules,
    result_name=shapes.named_after("template_name"),
    name_each_result=True,
)
