"""MLIR attributes, types and operand segments as plain Python values."""

from __future__ import annotations

import re
from typing import Any

from mlir import ir

from spyrelang.affine import Map, Set
from spyrelang.interp.registry import Op
from spyrelang.ir.values import attribute, integer, segments, string, to_map, to_set, value_of

__all__ = [
    "attribute",
    "element",
    "grid",
    "integer",
    "integers",
    "map_of",
    "maps_of",
    "segments",
    "set_of",
    "string",
    "value_of",
]

_SIGNED = re.compile(r"si(8|16|32|64)")


def grid(function: Op) -> tuple[int, ...] | None:
    """The extents of the grid; None where it is missing or no grid of one to three axes."""
    given: Any = function.attributes.get("grid")
    entries: list[Any] = list(given) if isinstance(given, ir.ArrayAttr) else []
    if not 1 <= len(entries) <= 3 or not all(isinstance(e, ir.IntegerAttr) for e in entries):
        return None
    sizes = tuple(int(e.value) for e in entries)
    return sizes if min(sizes) > 0 else None


def integers(op: Op, name: str) -> list[int]:
    """An array attribute of integers; empty where it is missing."""
    found = attribute(op, name)
    return list(found) if isinstance(found, tuple) else []


def map_of(op: Op, name: str) -> Map:
    """A map attribute."""
    return to_map(op.attributes[name])


def maps_of(op: Op, name: str) -> list[Map]:
    """An array attribute of maps."""
    return [to_map(entry) for entry in op.attributes[name]]


def set_of(op: Op, name: str) -> Set:
    """A set attribute."""
    return to_set(op.attributes[name])


def element(kind: Any) -> str:
    """The name of an element type ("tf32" stands for df16 in views, see `ir`). Signed integers are
    held like those without a sign."""
    spelled = str(kind).removeprefix("!spyreop.")
    if spelled == "tf32":
        return "df16"
    return spelled.removeprefix("s") if _SIGNED.fullmatch(spelled) else spelled
