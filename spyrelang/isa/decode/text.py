"""MLIR attributes and types as plain Python values."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from mlir import ir

from spyrelang.affine import Map, Set

_ENUM = re.compile(r"#\w+<\w+ (\w+)>")
_CUSTOM_VECTOR = re.compile(r"!dataflow\.custom_vector<(\d+)x([^>]*>?)>")
_STAND_INS = {"tf32": "df16"}
"""Builtin element types that stand for types MLIR's containers cannot hold (see `ir`)."""


@lru_cache(maxsize=8192)
def value_of(attr: ir.Attribute) -> object:
    """An int, float, string, or tuple of them; maps, sets and whatever else as MLIR text."""
    if isinstance(attr, ir.BoolAttr):
        return int(attr.value)
    if isinstance(attr, ir.IntegerAttr):
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


def attribute(op: ir.Operation, name: str) -> object | None:
    """The value of an attribute, or None where it is missing."""
    found = op.attributes.get(name)
    return None if found is None else value_of(found)


def integer(op: ir.Operation, name: str, default: int) -> int:
    """An integer attribute; `default` where it is missing or something else."""
    found = op.attributes.get(name)
    value = None if found is None else value_of(found)
    return value if isinstance(value, int) else default


def string(op: ir.Operation, name: str) -> str:
    """A string attribute; empty where it is missing or something else."""
    found = op.attributes.get(name)
    value = None if found is None else value_of(found)
    return value if isinstance(value, str) else ""


# MLIR uniques attributes, so they are cheap keys; their text is not.
@lru_cache(maxsize=4096)
def _map(attr: ir.Attribute) -> Map:
    return Map.parse(str(attr))


@lru_cache(maxsize=4096)
def _set(attr: ir.Attribute) -> Set:
    return Set.parse(str(attr))


def map_of(op: ir.Operation, name: str) -> Map:
    """A map attribute; the map of no dims to no results where it is missing."""
    found = op.attributes.get(name)
    return Map(0, 0, ()) if found is None else _map(found)


def set_of(op: ir.Operation, name: str) -> Set:
    """A set attribute; the set of one point of no dims where it is missing."""
    found = op.attributes.get(name)
    return Set(0, 0, ()) if found is None else _set(found)


@lru_cache(maxsize=256)
def element(type_: ir.Type) -> str:
    """The name of an element type."""
    text = str(type_)
    return _STAND_INS.get(text, text)


@lru_cache(maxsize=1024)
def vector(type_: ir.Type) -> tuple[int, str] | None:
    """(lanes, element type) of a vector of one dimension, else None."""
    if isinstance(type_, ir.VectorType):
        if len(type_.shape) != 1 or any(type_.scalable_dims):
            return None
        return int(type_.shape[0]), element(type_.element_type)
    found = _CUSTOM_VECTOR.fullmatch(str(type_))
    return (int(found[1]), found[2]) if found else None


def memref(type_: ir.Type) -> tuple[tuple[int, ...], str] | None:
    """(shape with -1 for unknown sizes, element type) of a memref, else None."""
    if not isinstance(type_, ir.MemRefType):
        return None
    sizes = tuple(
        -1 if type_.is_dynamic_dim(i) else int(type_.get_dim_size(i)) for i in range(type_.rank)
    )
    return sizes, element(type_.element_type)


def segments(op: ir.Operation, count: int) -> list[list[Any]]:
    """Operands cut at `operandSegmentSizes`; without it all of them are the first segment."""
    operands = list(op.operands)
    sizes = attribute(op, "operandSegmentSizes")
    if not isinstance(sizes, tuple):
        return [operands] + [[] for _ in range(count - 1)]
    result: list[list[Any]] = []
    at = 0
    for size in sizes:
        result.append(operands[at : at + int(size)])
        at += int(size)
    return result + [[] for _ in range(count - len(result))]
