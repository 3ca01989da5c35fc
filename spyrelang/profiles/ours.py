"""Our own scheduler, see `schedule.split`: its checks of single ops, each on every op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spyrelang.errors import SpyreError
from spyrelang.errors.schedule import CARRIED
from spyrelang.profiles.facts import ends_region, in_body, parent
from spyrelang.schedule.split import bodies, legality, reshapes, views

Op = Any  # mlir.ir.Operation; the bindings ship no usable stub

_NAMED = frozenset(
    {
        "func.func", "ktdp.get_compute_tile_id", "ktdp.load", "ktdp.store",
        "tensor.empty", "tensor.splat",
    }
)  # fmt: skip
_CONSTANTS = ("arith.constant", "spyreop.constant")


def refusal(function: Op, op: Op) -> str | None:
    """Why our scheduler refuses an op, as far as that shows in the op itself."""
    del function
    try:
        _checks(op)(op)
    except SpyreError as error:
        return error.message
    return None


def _checks(op: Op) -> Callable[[Op], object]:
    if in_body(op):
        computes = op.name not in (*_CONSTANTS, "linalg.yield")
        used = computes and parent(op) == "linalg.generic" and _used(op.parent.operation)
        return bodies.check_operation if used else _nothing
    if op.name in _NAMED or ends_region(op):
        return _nothing
    if op.name.startswith("tensor."):
        return reshapes.check if _used(op) else _nothing
    if op.name == "scf.for":
        return _loop
    if op.name.startswith("linalg."):
        return _structured if _used(op) else legality.check_named
    if op.name == "ktdp.construct_access_tile":
        return views.check_tile
    return legality.check


def _nothing(op: Op) -> None:
    del op


def _used(op: Op) -> bool:
    """What nobody needs is not looked at by the scheduler either."""
    return any(len(list(result.uses)) for result in op.results)


def _loop(op: Op) -> None:
    if len(op.results):
        raise CARRIED.error(count=len(op.results))


def _structured(op: Op) -> None:
    legality.check_named(op)
    if op.name == "linalg.generic":
        bodies.check_generic(op)
