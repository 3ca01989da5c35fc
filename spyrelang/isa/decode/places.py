"""The table of places, filled as instructions are made."""

from __future__ import annotations

from mlir import ir

from spyrelang.errors import Location
from spyrelang.ir import Module, location_of
from spyrelang.isa.program import SourceLoc


class Places:
    """Numbers the places of ops; equal places share a number."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._numbers: dict[SourceLoc, int] = {}
        self._known: dict[ir.Location, int] = {}

    def place(self, op: ir.Operation | ir.OpView) -> Location | None:
        """The place of an op, for errors."""
        return location_of(op, self._module)

    def number(self, op: ir.Operation | ir.OpView) -> int:
        """The number of the place of an op."""
        where = op.location
        number = self._known.get(where)
        if number is None:
            number = self._known[where] = self._new(where)
        return number

    def _new(self, where: ir.Location) -> int:
        found = location_of(where, self._module) or Location(self._module.name)
        # The line's text stays with the file: binaries would carry the whole program twice.
        loc = SourceLoc(found.file, found.line, found.col, found.end_col)
        return self._numbers.setdefault(loc, len(self._numbers))

    def numbered(self, number: int) -> Location:
        """The place with this number, for errors."""
        loc = list(self._numbers)[number]
        return Location(
            loc.file, loc.line, loc.col, loc.end_col, self._module.source_line(loc.line)
        )

    def table(self) -> tuple[SourceLoc, ...]:
        """All places by number."""
        return tuple(self._numbers)
