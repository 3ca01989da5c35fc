"""Our own scheduler, see `schedule.split`."""

from __future__ import annotations

from typing import Any

from spyrelang.errors import SpyreError
from spyrelang.profiles.facts import in_body
from spyrelang.schedule.split import legality

Op = Any  # mlir.ir.Operation; the bindings ship no usable stub

_NAMED = frozenset({"linalg.yield", "func.func", "ktdp.load", "ktdp.store"})


def refusal(function: Op, op: Op) -> str | None:
    """Why our scheduler refuses an op, as far as its name says."""
    del function
    if op.name in _NAMED or in_body(op):
        return None
    try:
        legality.check_named(op)
        if not op.name.startswith("linalg.") and op.name != "scf.for":
            legality.check(op)
    except SpyreError as error:
        return error.message
    if op.name == "scf.for" and len(op.results):
        return "loops with carried values are not scheduled"
    return None
