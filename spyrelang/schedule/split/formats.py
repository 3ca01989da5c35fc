"""Element types that no step after KTIR can hold."""

from __future__ import annotations

from typing import Any

from mlir.ir import WalkResult

from spyrelang.errors.schedule import ELEMENT_TYPE
from spyrelang.ir import LOCK, Module, location_of

_NAMES = ("!spyreop.df16", "xtf32")
"""The type itself, and what stands for it in views (see `ir.translate`)."""


def refuse_df16(module: Module) -> None:
    """Refuse values of df16, at the first op that makes one. Raises SPY438.

    To be asked before patterns run on the module: they make constants, which df16 has not.
    """

    found: list[Any] = []

    def visit(op: Any) -> Any:
        kinds = [str(result.type) for result in op.results]
        if any(name in kind for kind in kinds for name in _NAMES):
            found.append(op)
            return WalkResult.INTERRUPT
        return WalkResult.ADVANCE

    with LOCK:
        functions: list[Any] = list(module.funcs())
        for function in functions:
            function.walk(visit)
            if found:
                op = found[0]
                raise ELEMENT_TYPE.error(location_of(op, module), op=op.name)
