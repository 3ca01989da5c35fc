"""MLIR attributes, types and operand segments as plain Python values."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from mlir import ir

from spyrelang.affine import Map, Set
from spyrelang.interp.registry import Op

_SIGNED = re.compile(r"si(8|16|32|64)")
_ENUM = re.compile(r"#\w+(?:\.\w+)?<(?:\w+ )?(\w+)>")


def value_of(attr: Any) -> object:
    """An int, float, string, or tuple of them; the word of an enum; else MLIR's text."""
    if isinstance(attr, ir.BoolAttr | ir.IntegerAttr):
        return int(attr.value)
    if isinstance(attr, ir.FloatAttr):
        return float(attr.value)
    if isinstance(attr, ir.StringAttr):
        return attr.value
    if isinstance(attr, ir.ArrayAttr):
        return tuple(value_of(entry) for entry in attr)
    if isinstance(attr, ir.DenseI64ArrayAttr | ir.DenseI32ArrayAttr):
        return tuple(int(entry) for entry in attr)
    spelled = str(attr)
    found = _ENUM.fullmatch(spelled)
    return found[1] if found else spelled


def attribute(op: Op, name: str) -> object | None:
    """The value of an attribute, or None where it is missing."""
    return value_of(op.attributes[name]) if name in op.attributes else None


def integer(op: Op, name: str, default: int) -> int:
    """An integer attribute; `default` where it is missing or something else."""
    value = attribute(op, name)
    return value if isinstance(value, int) else default


def string(op: Op, name: str) -> str:
    """A string attribute; empty where it is missing or something else."""
    value = attribute(op, name)
    return value if isinstance(value, str) else ""


def integers(op: Op, name: str) -> list[int]:
    """An array attribute of integers; empty where it is missing."""
    return [int(n) for n in op.attributes[name]] if name in op.attributes else []


@lru_cache(maxsize=4096)
def _map(spelled: str) -> Map:
    return Map.parse(spelled)


@lru_cache(maxsize=4096)
def _set(spelled: str) -> Set:
    return Set.parse(spelled)


def map_of(op: Op, name: str) -> Map:
    """A map attribute."""
    return _map(str(op.attributes[name]))


def maps_of(op: Op, name: str) -> list[Map]:
    """An array attribute of maps."""
    return [_map(str(entry)) for entry in op.attributes[name]]


def set_of(op: Op, name: str) -> Set:
    """A set attribute."""
    return _set(str(op.attributes[name]))


def element(kind: Any) -> str:
    """The name of an element type ("tf32" stands for df16 in views, see `ir`). Signed integers are
    held like those without a sign."""
    spelled = str(kind).removeprefix("!spyreop.")
    if spelled == "tf32":
        return "df16"
    return spelled.removeprefix("s") if _SIGNED.fullmatch(spelled) else spelled


def segments(op: Op, count: int) -> list[list[Any]]:
    """Operands cut at `operandSegmentSizes`; without it all of them are the first segment."""
    operands = list(op.operands)
    result: list[list[Any]] = []
    for size in integers(op, "operandSegmentSizes") or [len(operands)]:
        result.append(operands[:size])
        operands = operands[size:]
    return result + [[] for _ in range(count - len(result))]
