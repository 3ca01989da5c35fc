"""Loops with carried values, branches and conditions as `scf` and `arith` ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlir import ir

from spyrelang.ir import build, type_of
from spyrelang.ir.build import i64, tensor
from spyrelang.language.graph import (
    BoolNode,
    Branch,
    Compare,
    Extracted,
    ExtractedBool,
    Logic,
    Loop,
    Node,
    Repeating,
    Slot,
    ValueNode,
)
from spyrelang.language.statements import While

if TYPE_CHECKING:
    from spyrelang.frontend.emit import Emitter

_PREDICATES = {"eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5}  # signed


def loop(emitter: Emitter, node: Loop, ip: ir.InsertionPoint) -> None:
    """`scf.for`; its live slots are `iter_args`."""
    from spyrelang.frontend.emit import file_location, location

    slots = _live(emitter, node.slots)
    _pass_through(emitter, node)
    bounds = [emitter.index(v) for v in (node.start, node.stop, node.step)]
    starts = [_value(emitter, s.before) for s in slots]
    where = file_location(node.place.location)
    types = [v.type for v in starts]
    op = build("scf.for", [*bounds, *starts], results=types, regions=1, loc=_named(where, slots),
               ip=ip)  # fmt: skip
    body = op.regions[0].blocks[0]
    emitter.values[node.var] = body.add_argument(type_of("index"), location(node.var))
    _arguments(emitter, slots, body, types)
    emitter.block(node.body, body)
    _yield(emitter, body, [s.after for s in slots], where)
    _results(emitter, slots, op)


def while_loop(emitter: Emitter, node: While, ip: ir.InsertionPoint) -> None:
    """`scf.while`; its first region hands on all that is carried."""
    from spyrelang.frontend.emit import file_location

    assert node.condition is not None
    slots = _live(emitter, node.slots)
    _pass_through(emitter, node)
    starts = [_value(emitter, s.before) for s in slots]
    where, types = file_location(node.place.location), [v.type for v in starts]
    op = build("scf.while", starts, results=types, regions=2, loc=_named(where, slots), ip=ip)
    test, run = (region.blocks[0] for region in op.regions)
    _arguments(emitter, slots, test, types)
    emitter.block(node.test, test)
    passed = [emitter.value(node.condition), *test.arguments]
    build("scf.condition", passed, loc=where, ip=ir.InsertionPoint(test))
    _arguments(emitter, slots, run, types)
    emitter.block(node.run, run)
    _yield(emitter, run, [s.after for s in slots], where)
    _results(emitter, slots, op)


def _arguments(
    emitter: Emitter, slots: Sequence[Slot], block: ir.Block, types: Sequence[ir.Type]
) -> None:
    """Arguments of a block for what is carried."""
    from spyrelang.frontend.emit import location

    for slot, kind in zip(slots, types, strict=True):
        assert slot.arg is not None
        emitter.values[slot.arg] = block.add_argument(kind, location(slot.arg))


def branch(emitter: Emitter, node: Branch, ip: ir.InsertionPoint) -> None:
    """`scf.if`; without results and without an else part where there is nothing to do."""
    from spyrelang.frontend.emit import file_location

    slots = _live(emitter, node.slots)
    where = file_location(node.place.location)
    operands = [emitter.value(node.condition)]
    types = [_type(s) for s in slots]
    with ip:
        op = ir.Operation.create(
            "scf.if", results=types, operands=operands, regions=2, loc=_named(where, slots)
        )
    chosen: tuple[Sequence[Node | int | None], ...] = (
        [s.after for s in slots],
        [s.before for s in slots],
    )
    for region, block, values in zip(op.regions, node.blocks(), chosen, strict=True):
        used = any(n in emitter.live for n in block.nodes)
        if not slots and not used and block is node.other:
            continue
        target = region.blocks.append()
        emitter.block(block, target)
        _yield(emitter, target, values, where)
    _results(emitter, slots, op)


def _live(emitter: Emitter, slots: Sequence[Slot]) -> list[Slot]:
    """The slots that anything needs."""
    return [
        s
        for s in slots
        if s.after is not None and any(n in emitter.live for n in (s.arg, s.result))
    ]


def _pass_through(emitter: Emitter, node: Repeating) -> None:
    """Arguments that the body does not change are what enters."""
    for slot in node.entered:
        if slot.after is None and slot.arg is not None and slot.arg in emitter.live:
            emitter.values[slot.arg] = _value(emitter, slot.before)


def _named(where: ir.Location, slots: Sequence[Slot]) -> ir.Location:
    """The location of an op; its name is that of its only result."""
    name = slots[0].result.name if len(slots) == 1 and slots[0].result is not None else None
    return ir.Location.name(name, where) if name else where


def _results(emitter: Emitter, slots: Sequence[Slot], op: ir.Operation) -> None:
    for slot, result in zip(slots, op.results, strict=True):
        if slot.result is not None:
            emitter.values[slot.result] = result


def _yield(
    emitter: Emitter, block: ir.Block, values: Sequence[Node | int | None], where: ir.Location
) -> None:
    operands = [_value(emitter, v) for v in values if v is not None]
    build("scf.yield", operands, loc=where, ip=ir.InsertionPoint(block))


def _value(emitter: Emitter, value: Node | int) -> ir.Value:
    return emitter.index(value) if isinstance(value, int) else emitter.value(value)


def _type(slot: Slot) -> ir.Type:
    node = slot.result
    if isinstance(node, ValueNode):
        return tensor(node.shape, node.dtype.mlir)
    return type_of("index")


# --- conditions -----------------------------------------------------------------------------------


def condition(emitter: Emitter, node: BoolNode, ip: ir.InsertionPoint) -> ir.Value:
    """An i1 value."""
    from spyrelang.frontend.emit import location

    loc = location(node)
    if isinstance(node, ExtractedBool):
        return _element(emitter, node.value, loc, ip)
    if isinstance(node, Compare):
        operands = [emitter.index(node.lhs), emitter.index(node.rhs)]
        attributes = {"predicate": i64(_PREDICATES[node.op])}
        return build("arith.cmpi", operands, attributes, ["i1"], loc=loc, ip=ip).results[0]
    assert isinstance(node, Logic)
    sides = [_truth(emitter, v, loc, ip) for v in (node.lhs, node.rhs)]
    return build(f"arith.{node.op}i", sides, {}, ["i1"], loc=loc, ip=ip).results[0]


def _truth(
    emitter: Emitter, value: BoolNode | bool, loc: ir.Location, ip: ir.InsertionPoint
) -> ir.Value:
    if isinstance(value, BoolNode):
        return emitter.value(value)
    attributes = {"value": "true" if value else "false"}
    return build("arith.constant", [], attributes, ["i1"], loc=loc, ip=ip).results[0]


def extracted(emitter: Emitter, node: Extracted, ip: ir.InsertionPoint) -> ir.Value:
    """The one element of a tensor as an index."""
    from spyrelang.frontend.emit import location

    loc = location(node)
    value = _element(emitter, node.value, loc, ip)
    if node.value.dtype.name == "index":
        return value
    return build("arith.index_cast", [value], {}, ["index"], loc=loc, ip=ip).results[0]


def _element(
    emitter: Emitter, node: ValueNode, loc: ir.Location, ip: ir.InsertionPoint
) -> ir.Value:
    zeros = [emitter.index(0) for _ in node.shape]
    operands = [emitter.value(node), *zeros]
    return build("tensor.extract", operands, {}, [node.dtype.mlir], loc=loc, ip=ip).results[0]
