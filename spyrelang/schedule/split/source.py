"""Reading MLIR ops: places, names, shapes. What the bindings return is checked here."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from mlir import ir

from spyrelang.errors import Location
from spyrelang.ir import Module, location_of

Op = Any  # mlir.ir.Operation; the bindings ship no usable stub
Value = Any  # mlir.ir.Value

DYNAMIC = -(1 << 63)
"""What MLIR writes for a size or stride that is a run-time value."""


_module: ContextVar[Module | None] = ContextVar("module", default=None)


@contextmanager
def reading(module: Module) -> Generator[None]:
    """While active, places carry the lines of this module's text."""
    token = _module.set(module)
    try:
        yield
    finally:
        _module.reset(token)


def place(op: Op) -> Location | None:
    """Where the author wrote an op, or None where nothing knows it."""
    return location_of(op, _module.get())


def value_name(value: Value) -> str | None:
    """The name the author gave a value, kept in its location."""
    owner = value.owner
    location = value.location if isinstance(owner, ir.Block) else owner.location
    return location.name_str if location.is_a_name() else None


def text_attribute(attributes: Any, name: str) -> str | None:
    """A string attribute; None when it is missing or something else."""
    if name not in attributes:
        return None
    attribute = attributes[name]
    return attribute.value if isinstance(attribute, ir.StringAttr) else None


def integers(op: Op, name: str) -> tuple[int, ...]:
    """An array attribute of integers."""
    return tuple(int(i) for i in op.attributes[name])


def shape(type_: Any) -> tuple[int, ...]:
    """The extents of a shaped type; DYNAMIC for unknown ones. Scalars have none."""
    if not isinstance(type_, ir.ShapedType) or not type_.has_rank:
        return ()
    return tuple(
        DYNAMIC if type_.is_dynamic_dim(i) else type_.get_dim_size(i) for i in range(type_.rank)
    )


def is_tensor(value: Value) -> bool:
    """Whether a value is a ranked tensor."""
    return isinstance(value.type, ir.RankedTensorType)


def element_type(type_: Any) -> str:
    """MLIR's spelling of the element type; a scalar's own type."""
    return str(type_.element_type) if isinstance(type_, ir.ShapedType) else str(type_)


_TILE = re.compile(r"access_tile<(?P<dims>(?:\s*(?:\d+|\?)\s*x)*)\s*index\s*>$")


def tile_shape(type_: Any) -> tuple[int, ...] | None:
    """The extents of an access tile type; None when it is no such type."""
    match = _TILE.search(str(type_))
    if match is None:
        return None
    parts = [part.strip() for part in match["dims"].split("x")[:-1]]
    return tuple(DYNAMIC if part == "?" else int(part) for part in parts)


def segments(op: Op) -> list[list[Value]]:
    """The operands of an op by its operand segments."""
    operands = list(op.operands)
    if "operandSegmentSizes" not in op.attributes:
        return [operands]
    parts: list[list[Value]] = []
    for size in integers(op, "operandSegmentSizes"):
        parts.append(operands[:size])
        operands = operands[size:]
    return parts


def attribute_texts(op: Op, skip: Sequence[str] = ()) -> tuple[tuple[str, str], ...]:
    """All attributes as (name, text), by name."""
    pairs = ((name, str(op.attributes[name])) for name in op.attributes)
    return tuple(sorted((name, text) for name, text in pairs if name not in skip))
