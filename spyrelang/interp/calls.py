"""func.call: callees are compiled in place."""

from __future__ import annotations

from spyrelang.errors import interp as errors
from spyrelang.interp.compiler import Compiler
from spyrelang.interp.registry import Op, builds

_DEEPEST = 32


@builds("func.call")
def _call(c: Compiler, op: Op) -> None:
    name = str(op.attributes["callee"]).lstrip("@").strip('"')
    function = c.functions.get(name)
    if function is None or len(list(function.regions[0].blocks)) != 1:
        reason = "the module has no function of this name with a body of one block"
        raise errors.CALL.error(c.place(op), callee=name, reason=reason)
    if c.depth >= _DEEPEST:
        reason = f"it calls itself, or calls nest deeper than {_DEEPEST}"
        raise errors.CALL.error(c.place(op), callee=name, reason=reason)
    block = function.regions[0].blocks[0]
    for argument, slot in zip(block.arguments, c.operands(op), strict=True):
        c.alias(argument, slot)
    c.depth += 1
    c.ops(block)
    c.depth -= 1
    returned = list(block.operations)[-1].operation
    for value, result in zip(returned.operands, op.results, strict=True):
        c.alias(result, c.use(value))
