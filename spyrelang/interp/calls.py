"""func.call: callees are compiled in place."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from spyrelang.errors import interp as errors
from spyrelang.interp import text
from spyrelang.interp.compiler import Compiler
from spyrelang.interp.registry import Op, builds
from spyrelang.ir.values import symbol

_DEEPEST = 32


@builds("func.call")
def _call(c: Compiler, op: Op) -> None:
    with callee(c, op) as block:
        for argument, slot in zip(block.arguments, c.operands(op), strict=True):
            c.alias(argument, slot)
        c.ops(block)
    returned = list(block.operations)[-1].operation
    for value, result in zip(returned.operands, op.results, strict=True):
        c.alias(result, c.use(value))


def _function(op: Op, name: str) -> Op | None:
    """The function of that name in the module around an op; other modules may have one too."""
    while op.name != "builtin.module":
        op = op.parent.operation
    for entry in op.regions[0].blocks[0].operations:
        found = entry.operation
        if found.name == "func.func" and text.string(found, "sym_name") == name:
            return found
    return None


@contextmanager
def callee(c: Compiler, op: Op) -> Generator[Any]:
    """The only block of the function that is called, while it is compiled. Raises SPY556 where
    there is no such function, and for calls that nest without end."""
    name = symbol(op.attributes["callee"])
    function = _function(op, name)
    if function is None or len(list(function.regions[0].blocks)) != 1:
        reason = "the module has no function of this name with a body of one block"
        raise errors.CALL.error(c.place(op), callee=name, reason=reason)
    if c.depth >= _DEEPEST:
        reason = f"it calls itself, or calls nest deeper than {_DEEPEST}"
        raise errors.CALL.error(c.place(op), callee=name, reason=reason)
    c.depth += 1
    yield function.regions[0].blocks[0]
    c.depth -= 1
