"""Values that the public text names after their op (`%memory`, `%RELU6`) instead of numbering.

The names are put on a copy of the module as name locations, so that MLIR makes them unique in its
own order. An op whose results are named one by one gets a helper op per further result; the lines
of the helpers are folded away after printing.
"""

from __future__ import annotations

import re

from mlir import ir

from spyrelang.ir import opdef
from spyrelang.ir.context import context
from spyrelang.ir.module import Module, adopt

_HELPER = "spyrelang.result"
_HELPER_LINE = re.compile(rf'^ *(%[^ ]+) = "{re.escape(_HELPER)}"\(\).*\n', re.MULTILINE)


def with_default_names(op: ir.Operation, text: str, names: bool) -> Module | None:
    """A copy of a module with default names, or None where no op has any."""
    named = [d for d in opdef.REGISTRY.values() if d.result_name is not None]
    if op.name != "builtin.module" or not any(f'"{d.name}"' in text for d in named):
        return None
    copy = Module(adopt(op.clone()))
    with context():
        ops: list[ir.Operation] = []

        def collect(found: ir.Operation) -> ir.WalkResult:
            ops.append(found)
            return ir.WalkResult.ADVANCE

        copy.operation.walk(collect, ir.WalkOrder.PRE_ORDER)
        for found in ops:
            _name(found, names)
    return copy


def _name(op: ir.Operation, names: bool) -> None:
    if not names:
        _forget(op)
    definition = opdef.lookup(op.name)
    if definition is None or definition.result_name is None or op.location.is_a_name():
        return
    name = definition.result_name(op)
    results = list(op.results)
    if name is None or not results:
        return
    where = ir.Location.name(name, op.location)
    op.location = where
    if not definition.name_each_result:
        return
    after = op
    for extra in results[1:]:
        helper = ir.Operation.create(_HELPER, results=[extra.type], loc=where, ip=False)
        helper.move_after(after) if after.parent is None else _insert_after(after, helper)
        extra.replace_all_uses_with(helper.results[0])
        after = helper


def _insert_after(op: ir.Operation, new: ir.Operation) -> None:
    ir.InsertionPoint.after(op).insert(new)


def _forget(op: ir.Operation) -> None:
    """Drop the author's names, which were not asked for."""
    while op.location.is_a_name():
        op.location = op.location.child_loc
    for region in op.regions:
        for block in region.blocks:
            for argument in block.arguments:
                if argument.location.is_a_name():
                    argument.set_location(argument.location.child_loc)


def join_results(text: str) -> str:
    """Fold the helpers' names into the result lists of the ops they belong to."""
    if _HELPER not in text:
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        found = _HELPER_LINE.match(line + "\n")
        if found is None:
            lines.append(line)
            continue
        head, _, rest = lines[-1].partition(" = ")
        lines[-1] = f"{re.sub(r':[0-9]+$', '', head)}, {found.group(1)} = {rest}"
    return "\n".join(lines)
