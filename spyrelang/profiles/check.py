"""Checking a kernel against a profile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir.ir import WalkOrder, WalkResult

from spyrelang.errors import SpyreError
from spyrelang.errors import profiles as errors
from spyrelang.ir import LOCK, Module, context, location_of
from spyrelang.profiles import interpreter, ours, scheduler_v1
from spyrelang.profiles.model import ProfileReport, Violation

Op = Any  # mlir.ir.Operation; the bindings ship no usable stub
Rules = Callable[[Op, Op], str | None]
"""(kernel function, op) -> why the consumer refuses the op, or None."""

PROFILES: dict[str, Rules] = {
    "scheduler-v1": scheduler_v1.refusal,
    "ours": ours.refusal,
    "interpreter": interpreter.refusal,
}
"""The profiles by name."""


def check_name(profile: str) -> None:
    """Raise SPY461 for a profile that is none."""
    if not isinstance(profile, str) or profile not in PROFILES:  # type: ignore[reportUnnecessaryIsInstance]
        raise errors.UNKNOWN.error(profile=profile, known=", ".join(PROFILES))


def check(
    module: Module, kernel: str, profile: str, attempt: Callable[[], object] | None = None
) -> ProfileReport:
    """Everything that the profile's consumer refuses of a kernel, in the order of the text.

    `attempt` hands the kernel to the consumer itself; what it raises is added where no rule found
    that place. Raises SPY461 for an unknown profile.
    """
    check_name(profile)
    with LOCK, context():
        found = _walk(module, kernel, PROFILES[profile])
    if attempt is not None:
        try:
            attempt()
        except SpyreError as error:
            if not any(v.location == error.location for v in found):
                found.append(Violation(error.code, error.message, error.location))
    return ProfileReport(profile, kernel, tuple(found))


def _walk(module: Module, kernel: str, rules: Rules) -> list[Violation]:
    found: list[Violation] = []
    functions = [f for f in module.funcs() if str(f.attributes["sym_name"]).strip('"') == kernel]
    for function in functions:

        def visit(op: Any, function: Op = function) -> Any:
            op = op.operation
            reason = rules(function, op)
            if reason is not None:
                name = "grid" if op.name == "func.func" else op.name
                found.append(Violation(name, reason, location_of(op, module)))
            return WalkResult.ADVANCE

        function.walk(visit, WalkOrder.PRE_ORDER)
    return found
