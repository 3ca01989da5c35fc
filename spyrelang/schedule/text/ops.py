"""Looking at ScheduleIR ops: attributes, children, what a value is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir import ir

from spyrelang.affine import Expr, Map
from spyrelang.errors.schedule_text import NOT_SCHEDULE_IR
from spyrelang.schedule.split.source import Op, Value, place, reading, segments, text_attribute

__all__ = [
    "Op",
    "Value",
    "children",
    "exprs",
    "fail",
    "integer",
    "integers",
    "made_by",
    "only_function",
    "place",
    "reading",
    "required",
    "segments",
    "text",
    "walk",
]


def children(op: Op) -> list[Op]:
    """The ops directly inside an op's regions."""
    return [
        inner.operation
        for region in op.regions
        for block in region.blocks
        for inner in block.operations
    ]


def walk(op: Op) -> Iterator[Op]:
    """All ops inside, outer ones first."""
    for inner in children(op):
        yield inner
        yield from walk(inner)


def text(op: Op, name: str) -> str | None:
    """A string attribute, or None."""
    return text_attribute(op.attributes, name)


def fail(op: Op, stage: str, what: str) -> Exception:
    """The error for an op that does not belong there."""
    hint = "undo the edit of the marked op, or give the text that kernel.ir(stage) printed"
    return NOT_SCHEDULE_IR.error(place(op), stage=stage, what=what, hint=hint)


def required(op: Op, name: str, stage: str) -> Any:
    """An attribute that must be there."""
    if name not in op.attributes:
        raise fail(op, stage, f"{op.name} has no {name}")
    return op.attributes[name]


def integer(op: Op, name: str, stage: str) -> int:
    """An integer attribute that must be there."""
    attribute = required(op, name, stage)
    if not isinstance(attribute, ir.IntegerAttr):
        raise fail(op, stage, f"{name} is not a number")
    return int(attribute.value)


def integers(op: Op, name: str, stage: str) -> tuple[int, ...]:
    """An array of integers that must be there."""
    attribute = required(op, name, stage)
    try:
        return tuple(int(i) for i in attribute)
    except (TypeError, ValueError):
        raise fail(op, stage, f"{name} is not a list of numbers") from None


def exprs(op: Op, name: str, stage: str) -> tuple[Expr, ...]:
    """The results of an affine map attribute that must be there."""
    attribute = required(op, name, stage)
    if not isinstance(attribute, ir.AffineMapAttr):
        raise fail(op, stage, f"{name} is not an affine map")
    return Map.parse(str(attribute)).results


def made_by(value: Value) -> Op | None:
    """The op that makes a value; None for block arguments."""
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation


def only_function(module: Op, stage: str) -> Op:
    """The one function with a body directly in a module."""
    functions = [
        op for op in children(module) if op.name == "func.func" and len(op.regions[0].blocks)
    ]
    if len(functions) != 1:
        raise fail(module, stage, f"the module has {len(functions)} functions with a body, not one")
    return functions[0]
