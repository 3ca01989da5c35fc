"""The places and names of an author's text on the ops that MLIR made of it.

MLIR saw rewritten text, so its columns are off, and its parser forgets the names of values. They
are found again at the places of ops and block arguments and kept as name locations, which the
printer can show.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from mlir import ir

from spyrelang.ir import scan
from spyrelang.ir.context import context
from spyrelang.ir.sourcemap import SourceMap

_ANY_RESULT = rf"{scan.VALUE}(?::\d+)?"
_RESULTS = re.compile(rf"({scan.VALUE})(?::\d+)?(?:\s*,\s*{_ANY_RESULT})*\s*=\s*$")
_ARGUMENT = re.compile(r"%([A-Za-z$._\-][\w$.\-]*)")
_LOOK_BACK = 400


def restore(op: ir.Operation, source: SourceMap, wrap: bool, names: bool) -> None:
    """Correct the locations of all ops and block arguments; with `names`, those whose value has a
    name get a name location."""
    text, filename = source.text, source.filename

    def corrected(where: ir.Location, name: Callable[[str, int], str | None] | None) -> ir.Location:
        if not where.is_a_file() or where.filename != filename:
            return where
        line, col = where.start_line, where.start_col
        offset = source.offset(line, col, wrap)
        own = source.line_and_column(offset)
        found = where if own == (line, col) else ir.Location.file(filename, *own)
        named = name(text, offset) if name is not None else None
        return found if named is None else ir.Location.name(named, found)

    def visit(op: ir.Operation) -> ir.WalkResult:
        where = op.location
        new = corrected(where, result_name if names and len(op.results) else None)
        if new is not where:
            op.location = new
        for region in op.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    argument.set_location(
                        corrected(argument.location, argument_name if names else None)
                    )
        return ir.WalkResult.ADVANCE

    with context():
        op.walk(visit, ir.WalkOrder.PRE_ORDER)


def result_name(text: str, offset: int) -> str | None:
    """The name of the first result of the op at `offset`; None for none and for numbers."""
    start = max(text.rfind("\n", 0, offset) + 1, offset - _LOOK_BACK)
    found = _RESULTS.search(text, start, offset)
    return None if found is None or found[1][1:].isdigit() else found[1][1:]


def argument_name(text: str, offset: int) -> str | None:
    """The name of the block argument at `offset`; None for numbers."""
    found = _ARGUMENT.match(text, offset)
    return None if found is None else found[1]
