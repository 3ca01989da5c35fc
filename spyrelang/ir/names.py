"""Keeping the names that an author's text gives to values.

MLIR's parser forgets them. They are found again at the places of ops and block arguments and kept
as name locations, which the printer can show.
"""

from __future__ import annotations

import re

from mlir import ir

from spyrelang.ir import scan
from spyrelang.ir.context import context
from spyrelang.ir.module import Module

_NAME = r"%[A-Za-z$._\-][\w$.\-]*"
_ANY_RESULT = rf"{scan.VALUE}(?::\d+)?"
_RESULTS = re.compile(rf"({scan.VALUE})(?::\d+)?(?:\s*,\s*{_ANY_RESULT})*\s*=\s*$")
_ARGUMENT = re.compile(_NAME)
_LOOK_BACK = 400


def keep_names(module: Module, text: str) -> None:
    """Give every op and block argument whose value has a name in `text` a name location."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def offset(where: ir.Location) -> int | None:
        if not where.is_a_file() or where.filename != module.name:
            return None
        line = where.start_line
        return starts[line - 1] + where.start_col - 1 if 0 < line <= len(starts) else None

    def visit(op: ir.Operation) -> ir.WalkResult:
        if len(op.results):
            _name_op(op, offset(op.location), text)
        for region in op.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    _name_argument(argument, offset(argument.location), text)
        return ir.WalkResult.ADVANCE

    with context():
        module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)


def _name_op(op: ir.Operation, offset: int | None, text: str) -> None:
    if offset is None:
        return
    before = text[max(0, offset - _LOOK_BACK) : offset]
    found = _RESULTS.search(before[before.rfind("\n") + 1 :])
    if found is not None and not found.group(1)[1:].isdigit():
        op.location = ir.Location.name(found.group(1)[1:], op.location)


def _name_argument(argument: ir.BlockArgument, offset: int | None, text: str) -> None:
    found = _ARGUMENT.match(text, offset) if offset is not None else None
    if found is not None:
        argument.set_location(ir.Location.name(found.group()[1:], argument.location))
