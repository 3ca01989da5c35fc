"""MLIR attributes and types as plain Python values."""

from __future__ import annotations

import re
from functools import lru_cache

from mlir import ir

from spyrelang.affine import Map, Set
from spyrelang.ir.values import attribute, integer, segments, string, to_map, to_set, value_of

__all__ = [
    "attribute",
    "element",
    "integer",
    "map_of",
    "memref",
    "segments",
    "set_of",
    "string",
    "value_of",
    "vector",
]

_CUSTOM_VECTOR = re.compile(r"!dataflow\.custom_vector<(\d+)x([^>]*>?)>")
_STAND_INS = {"tf32": "df16"}
"""Builtin element types that stand for types MLIR's containers cannot hold (see `ir`)."""


def map_of(op: ir.Operation, name: str) -> Map:
    """A map attribute; the map of no dims to no results where it is missing."""
    found = op.attributes.get(name)
    return Map(0, 0, ()) if found is None else to_map(found)


def set_of(op: ir.Operation, name: str) -> Set:
    """A set attribute; the set of one point of no dims where it is missing."""
    found = op.attributes.get(name)
    return Set(0, 0, ()) if found is None else to_set(found)


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
