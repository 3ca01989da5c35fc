"""What moves data: transfers, FIFOs, and opaque templates."""

from __future__ import annotations

from math import prod

from spyrelang.affine import Map
from spyrelang.dialects import shapes
from spyrelang.dialects.ktdf.types import (
    BUFFER,
    ENDPOINT,
    SLOT,
    TENSOR,
    element_type,
    slot_of,
)
from spyrelang.dialects.shapes import operand_types
from spyrelang.dialects.subscripts import (
    DYNAMIC,
    index_list,
    read_i64_array,
    read_subscripts,
    write_subscripts,
)
from spyrelang.ir import kinds as k
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.opdef import Attr, OpDef, many, one, opt, result
from spyrelang.ir.opref import OpRef
from spyrelang.ir.pieces import Custom, Draft, Only, Piece

_RANK_0 = "affine_map<() -> ()>"


class Side(Piece):
    """One side of a transfer: `%m[subscripts] size [extents]`, or `%slot size [extents]`.

    `value` is the segment of the memref or slot; the other names begin with `prefix`.
    """

    def __init__(self, value: str, prefix: str) -> None:
        self.value = value
        self.indices, self.sizes = f"{prefix}_indices", f"{prefix}_sizes"
        self.map, self.static = f"{prefix}_map", f"static_{prefix}_sizes"
        self.list = index_list(self.sizes, self.static)
        self.shows = frozenset({self.map, self.static})

    def read(self, c: Cursor, d: Draft) -> None:
        d.operands[self.value] = [c.value()]
        if c.peek("["):
            at = c.start()
            found, names = read_subscripts(c)
            if found.n_syms:
                raise c.fail("symbols are not allowed in these subscripts", at)
            if not found.n_results:
                raise c.fail("a memref of rank 0 has no custom form: write the op in generic", at)
            d.operands[self.indices], d.attrs[self.map] = names, str(found)
        if c.take("size"):
            self.list.read(c, d)

    def write(self, d: Draft) -> str:
        text = d.one(self.value)
        if self.map in d.attrs:
            if d.attrs[self.map] == _RANK_0:
                raise ValueError("a memref of rank 0")
            text += write_subscripts(d.attrs[self.map] or "", d.operands.get(self.indices, ()))
        if self.static in d.attrs:
            text += f" size {self.list.write(d)}"
        return text


_SOURCE, _DESTINATION = Side("source", "source"), Side("destination", "dest")


def _transfer_rules(op: OpRef) -> None:
    source, destination = op.types("source")[0], op.types("destination")[0]
    for side, kind in ((_SOURCE, source), (_DESTINATION, destination)):
        side_rules(op, side, kind)
    if element_type(source) != element_type(destination):
        raise op.fail(
            f"element types differ: {element_type(source)} and {element_type(destination)}"
        )


def side_rules(op: OpRef, side: Side, kind: str) -> None:
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


def _memref_side(op: OpRef, side: Side, rank: int, indices: int, static: list[int] | None) -> None:
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
        opt("via", k.STRING_ARRAY),
    ],
    segments=True,
    assembly=" from $from to $to{? via $via?}$dict : $source:type, $destination:type",
    custom={"from": _SOURCE, "to": _DESTINATION},
    verify=_transfer_rules,
)


def _allocate_rules(op: OpRef) -> None:
    dynamic = sum(slot_of(t)[2] is None for t in op.result_types())
    if dynamic != len(operand_types(op)):
        raise op.fail(f"has {len(operand_types(op))} sizes for {dynamic} dynamic slots")


FIFO_ALLOCATE = OpDef(
    "ktdf.fifo.allocate",
    operands=[many("dynamic_sizes")],
    results=[result("slots", SLOT, "many")],
    assembly="$some($dynamic_sizes)$dict -> $slots:type",
    custom={"some": Only(lambda d: bool(d.types["slots"]))},
    verify=_allocate_rules,
)


def _fifo_rules(op: OpRef) -> None:
    slot, data = [*operand_types(op), *op.result_types()][:2]
    if not slot.startswith("!"):
        slot, data = data, slot
    count, shape = slot_of(slot)[2], shapes.shape_of(data)
    if element_type(slot) != element_type(data):
        raise op.fail(f"element types differ: {element_type(slot)} and {element_type(data)}")
    if count is None or None in shape:
        raise op.fail("slot and data must have static sizes: public tools die of dynamic ones")
    size = prod(n for n in shape if n is not None)
    if size != count:
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
