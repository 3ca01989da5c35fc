"""MLIR attributes and operand segments as plain Python values."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from mlir import ir

from spyrelang.affine import Map, Set

_ENUM = re.compile(r"#\w+(?:\.\w+)?<(?:\w+ )?(\w+)>")


# MLIR uniques attributes, so they are cheap keys; their text is not.


@lru_cache(maxsize=8192)
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
    text = str(attr)
    found = _ENUM.fullmatch(text)
    return found[1] if found else text


def attribute(op: Any, name: str) -> object | None:
    """The value of an attribute, or None where it is missing."""
    found = op.attributes.get(name)
    return None if found is None else value_of(found)


def inner_ops(op: Any) -> list[Any]:
    """The ops in the first region of an op; a region may have no block."""
    return [inner.operation for block in op.regions[0].blocks for inner in block.operations]


def pairs(op: Any, name: str, below: int) -> tuple[tuple[int, int], ...] | None:
    """An attribute of pairs of numbers under a limit, the smaller first; () where it is missing,
    None where it is something else."""
    listed = attribute(op, name)
    if listed is None:
        return ()
    if not isinstance(listed, tuple):
        return None
    found: list[tuple[int, int]] = []
    for pair in listed:
        match pair:
            case (int(one), int(other)) if 0 <= one < below and 0 <= other < below:
                found.append((min(one, other), max(one, other)))
            case _:
                return None
    return tuple(found)


def integer(op: Any, name: str, default: int) -> int:
    """An integer attribute; `default` where it is missing or something else."""
    value = attribute(op, name)
    return value if isinstance(value, int) else default


def string(op: Any, name: str) -> str:
    """A string attribute; empty where it is missing or something else."""
    value = attribute(op, name)
    return value if isinstance(value, str) else ""


def symbol(attr: Any) -> str:
    """The name that a flat symbol reference refers to, or that a string attribute holds."""
    return str(attr.value)


@lru_cache(maxsize=4096)
def to_map(attr: Any) -> Map:
    """A map attribute."""
    return Map.parse(str(attr))


@lru_cache(maxsize=4096)
def to_set(attr: Any) -> Set:
    """A set attribute."""
    return Set.parse(str(attr))


def segments(op: Any, count: int) -> list[list[Any]]:
    """Operands cut at `operandSegmentSizes`; without it all of them are the first segment."""
    operands = list(op.operands)
    sizes = attribute(op, "operandSegmentSizes")
    result: list[list[Any]] = []
    for size in sizes if isinstance(sizes, tuple) and sizes else (len(operands),):
        result.append(operands[:size])
        operands = operands[size:]
    return result + [[] for _ in range(count - len(result))]
