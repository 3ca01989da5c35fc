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
_INDIRECT = "ktdp.construct_indirect_access_tile"
_VARIABLES = re.compile(rf"{_INDIRECT}{scan.BLANK}intermediate_variables\(([^)]*)\)")
_VALUE = re.compile(scan.VALUE)


def restore(op: ir.Operation, source: SourceMap, wrap: bool, names: bool, moved: bool) -> None:
    """Correct the locations of all ops and block arguments where MLIR saw them `moved` (or inside
    a module that was put around, `wrap`); with `names`, those whose value has a name get a name
    location."""
    text, filename = source.text, source.filename
    moved = moved or wrap

    def corrected(where: ir.Location, name: Callable[[str, int], str | None] | None) -> ir.Location:
        if not where.is_a_file() or where.filename != filename:
            return where
        line, col = where.start_line, where.start_col
        offset = source.offset(line, col, wrap) if moved else source.own_offset(line, col)
        named = name(text, offset) if name is not None else None
        if moved:
            own = source.line_and_column(offset)
            where = where if own == (line, col) else ir.Location.file(filename, *own)
        return where if named is None else ir.Location.name(named, where)

    argument = argument_name if names else None

    def variables(op: ir.Operation) -> bool:
        """Whether the text shows no block: then its arguments stand where the op does, under the
        names that the text gives them."""
        where = op.location.child_loc if op.location.is_a_name() else op.location
        found = None
        if where.is_a_file() and where.filename == filename:
            offset = source.own_offset(where.start_line, where.start_col)
            found = _VARIABLES.match(text, offset)
        if found is None:
            return False
        listed = _VALUE.findall(scan.strip_comments(found[1]))
        for value, name in zip(op.regions[0].blocks[0].arguments, listed, strict=False):
            known = names and not name[1:].isdigit()
            value.set_location(ir.Location.name(name[1:], where) if known else where)
        return True

    def visit(op: ir.Operation) -> ir.WalkResult:
        naming = names and len(op.results) > 0
        if moved or naming:
            where = op.location
            new = corrected(where, result_name if naming else None)
            if new is not where:
                op.location = new
        if len(op.regions) and (op.name != _INDIRECT or not variables(op)):
            for region in op.regions:
                for block in region.blocks:
                    for value in block.arguments:
                        value.set_location(corrected(value.location, argument))
        return _ADVANCE

    with context():
        op.walk(visit, ir.WalkOrder.PRE_ORDER)


_ADVANCE = ir.WalkResult.ADVANCE


def result_name(text: str, offset: int) -> str | None:
    """The name of the first result of the op at `offset`; None for none and for numbers."""
    start = max(text.rfind("\n", 0, offset) + 1, offset - _LOOK_BACK)
    found = _RESULTS.search(text, start, offset)
    return None if found is None or found[1][1:].isdigit() else found[1][1:]


def argument_name(text: str, offset: int) -> str | None:
    """The name of the block argument at `offset`; None for numbers."""
    found = _ARGUMENT.match(text, offset)
    return None if found is None else found[1]
