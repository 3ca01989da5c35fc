"""Which functions of a module are kernels."""

from __future__ import annotations

from typing import Any

from mlir.ir import WalkResult

from spyrelang import ir
from spyrelang.ir.values import symbol


def names(module: ir.Module, stage: str) -> list[str]:
    """Kernel names in order: public functions with a body that no function calls. Of DataflowIR
    those in the declaration module come first, so programs do not count."""
    with ir.LOCK:
        defined: list[str] = []
        called: set[str] = set()
        for func in module.funcs():
            blocks = list(func.regions[0].blocks) if len(func.regions) else []
            if not blocks:
                continue
            if not _is_helper(func):
                defined.append(_symbol(func))
            _calls(func, called)
    del stage
    return [name for name in defined if name not in called]


def _is_helper(func: Any) -> bool:
    """Private functions without a grid are there for others."""
    attributes = func.attributes
    hidden = "sym_visibility" in attributes and symbol(attributes["sym_visibility"]) == "private"
    return hidden and "grid" not in attributes


def _symbol(func: Any) -> str:
    return symbol(func.attributes["sym_name"])


def _calls(op: Any, called: set[str]) -> None:
    def visit(inner: Any) -> WalkResult:
        if inner.name == "func.call":
            called.add(symbol(inner.attributes["callee"]))
        return WalkResult.ADVANCE

    op.walk(visit)
