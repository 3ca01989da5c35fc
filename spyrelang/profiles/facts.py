"""Questions about ops that several profiles ask."""

from __future__ import annotations

from typing import Any

Op = Any  # mlir.ir.Operation; the bindings ship no usable stub


def parent(op: Op) -> str:
    """The name of the op around an op."""
    around = op.parent
    return "" if around is None else str(around.operation.name)


_ENDS = ("yield", "condition", "reduce", "in_parallel", "terminator", "return")


def ends_region(op: Op) -> bool:
    """Whether an op ends a region: it belongs to the op around it."""
    name = op.name.partition(".")[2]
    return any(word in name for word in _ENDS) and not op.name.startswith(("linalg.", "ktdp.inter"))


def in_body(op: Op) -> bool:
    """Whether an op stands in the body of a structured op."""
    return parent(op).startswith("linalg.")


def maker(value: Any) -> Op | None:
    """The op that makes a value; None for block arguments."""
    owner = value.owner
    return None if not hasattr(owner, "operation") else owner.operation


def types(op: Op) -> list[str]:
    """The types of the results."""
    return [str(value.type) for value in op.results]


def grid(function: Op) -> list[int] | None:
    """The grid; None where it is missing or not made of positive numbers."""
    if "grid" not in function.attributes:
        return None
    try:
        sizes = [int(getattr(n, "value", 0)) for n in function.attributes["grid"]]
    except TypeError:
        return None
    return sizes if sizes and min(sizes) > 0 else None
