"""Small questions about types, given as text, and about live ops."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from mlir import ir

from spyrelang.ir.opref import OpRef, type_text

_SHAPED = re.compile(r"(?:tensor|memref|vector)<(?P<dims>(?:[?\d]+x)*)(?P<element>.+)>", re.DOTALL)


# Types repeat, so what their text says is remembered.


def shape_of(text: str) -> list[int | None]:
    """The extents of a tensor, memref or vector type; None is dynamic."""
    return [*_extents(text)]


@lru_cache(maxsize=4096)
def _extents(text: str) -> tuple[int | None, ...]:
    found = _SHAPED.fullmatch(text)
    dims = found["dims"].split("x")[:-1] if found else []
    return tuple(None if d == "?" else int(d) for d in dims)


def rank_of(text: str) -> int | None:
    """The rank of a shaped type; None for an unranked one."""
    return None if "<*x" in text else len(shape_of(text))


@lru_cache(maxsize=4096)
def element_of(text: str) -> str:
    """The element type of a tensor, memref or vector type."""
    found = _SHAPED.fullmatch(text)
    if found is None:
        return text
    depth = 0
    for event in re.finditer(r"->|[<({\[]|[>)}\]]|,", found["element"]):
        token = event.group()
        if token == "," and depth == 0:
            return found["element"][: event.start()].strip()
        depth += (token in "<({[") - (token in ">)}]")
    return found["element"]


def operand_types(op: OpRef) -> list[str]:
    """The types of all operands, as public text."""
    return op.operand_types()


def parent_name(op: OpRef) -> str:
    """The name of the op around this one."""
    parent = op.op.parent
    return parent.operation.name if parent is not None else ""


def body(op: OpRef) -> list[ir.Operation]:
    """The ops of the first block."""
    return [inner.operation for inner in op.op.regions[0].blocks[0].operations]


def block_types(op: OpRef) -> list[str]:
    """The types of the arguments of the first block."""
    return [value_type(argument) for argument in op.op.regions[0].blocks[0].arguments]


def types_yielded(op: OpRef) -> list[str]:
    """The types of what the terminator of the first block yields."""
    return [value_type(value) for value in body(op)[-1].operands]


def value_type(value: Any) -> str:
    """The type of a value, as public text."""
    return type_text(value.type)


def defining_op(value: Any) -> Any:
    """The op that makes a value, or None for a block argument."""
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation


def yielded(op: Any, value: Any) -> Any:
    """What the terminator of `op`'s block yields for its result `value`; None when nothing."""
    number = ir.OpResult(value).result_number
    last = list(op.regions[0].blocks[0].operations)[-1:]
    operands = list(last[0].operation.operands) if last else []
    return operands[number] if number < len(operands) else None


def integer(op: Any, name: str) -> int | None:
    """The value of an integer attribute, or None."""
    found = op.attributes.get(name)
    return found.value if isinstance(found, ir.IntegerAttr) else None


def named_after(attribute: str) -> Callable[[ir.Operation], str | None]:
    """The name of an op's results: what its string attribute says."""

    def name(op: ir.Operation) -> str | None:
        found = op.attributes.get(attribute)
        return found.value if isinstance(found, ir.StringAttr) else None

    return name
