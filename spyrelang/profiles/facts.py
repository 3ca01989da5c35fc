"""Questions about ops that several profiles ask."""

from __future__ import annotations

from typing import Any

from spyrelang.interp.compiler import TERMINATORS

Op = Any  # mlir.ir.Operation; the bindings ship no usable stub

NO_GRID = "a grid of one to three positive numbers must be present"


def parent(op: Op) -> str:
    """The name of the op around an op."""
    around = op.parent
    return "" if around is None else str(around.operation.name)


def ends_region(op: Op) -> bool:
    """Whether an op ends a region: it belongs to the op around it."""
    return op.name in TERMINATORS


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
