"""The KTIR interpreter: everything that some builder of it reads."""

from __future__ import annotations

from typing import Any

from spyrelang.interp import text
from spyrelang.interp.registry import builder
from spyrelang.profiles.facts import NO_GRID, ends_region, in_body

Op = Any  # mlir.ir.Operation; the bindings ship no usable stub

_INSIDE = frozenset({"linalg.index", "tensor.parallel_insert_slice"})
"""Ops that belong to the one around them."""


def refusal(function: Op, op: Op) -> str | None:
    """Why the interpreter refuses an op."""
    if op.name == "func.func":
        return None if text.grid(op) is not None else NO_GRID
    if op.name in _INSIDE or ends_region(op):
        return None
    if builder(op.name) is None:
        return (
            f"it cannot stand in a body of {op.parent.operation.name}"
            if in_body(op)
            else ("the interpreter has no meaning for it")
        )
    return None
