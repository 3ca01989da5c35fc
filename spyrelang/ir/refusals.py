"""What MLIR's parser refuses, said of the author's text: the piece meant, and in what way."""

from __future__ import annotations

import difflib
import importlib
import inspect
import re
from typing import Any

from mlir import ir

from spyrelang.errors import Location, Note, SpyreError
from spyrelang.errors.text import REFUSED, UNKNOWN_ALIAS
from spyrelang.ir import opdef, scan
from spyrelang.ir.malformed import unknown_op
from spyrelang.ir.reader import Converted
from spyrelang.ir.sourcemap import SourceMap, location_at
from spyrelang.ir.translate import to_public_text

_NOISE = ("Available dialects", "Registered dialects", "see current operation")
_NOT_FOUND = re.compile(r"Dialect `(\w+)' not found for custom op '([\w.]+)'")
_UNKNOWN_OP = re.compile(r"custom op '([\w.]+)' is unknown")
_ALIAS = re.compile(r"undefined symbol alias id '([^']+)'")
_LATE = ("floating point value not valid for specified type",)
"""Messages whose place MLIR gives as the word behind the one they are about."""
_PIECE = re.compile(r"\s?([%#!@^]?[\w.$\-]+)")
_NAMELESS = {
    "use of undeclared SSA value name": "'{}' is not defined above",
    "use of undeclared identifier": "'{}' is not declared",
}
"""Messages that do not say what they are about."""


_ELEMENTS = "i1, i8, i16, i32, i64, f32 and f64"
_ARRAY = re.compile(
    r"\barray<\s*(?!(?:i1|i8|i16|i32|i64|f32|f64|index)\b)(?P<element>[a-z]+[0-9]\w*)"
)
_ARRAY_OR_HIDDEN = re.compile(f"{scan.STRING}|{scan.COMMENT}|{_ARRAY.pattern}")


def check_arrays(text: str, filename: str) -> None:
    """Raise SPY106 for dense arrays of elements that MLIR reads, but whose Python bindings then
    fail at every access to the op's attributes."""
    if _ARRAY.search(text) is None:
        return
    for found in _ARRAY_OR_HIDDEN.finditer(text):
        if found["element"]:
            message = f"attributes hold no arrays of {found['element']}, but of {_ELEMENTS}"
            place = location_at(text, filename, found.start(), len(found.group()))
            raise REFUSED.error(place, message=message)


def refused(bad: Any, converted: Converted, wrap: bool, filename: str) -> SpyreError:
    """The error for what MLIR's parser says (`bad`) about the text that stands for the author's."""
    diagnostics = bad.error_diagnostics
    if not diagnostics:
        return REFUSED.error(Location(filename), message="MLIR refuses the text")
    places = _Places(converted, wrap, filename)
    first = diagnostics[0]
    place, piece = places.find(first.location)
    if first.message in _LATE:
        place = converted.map.before(place)
    ours = _about_ours(first.message, place, converted.map)
    if ours is not None:
        return ours
    notes = [
        Note(_clean(n.message), places.find(n.location)[0])
        for d in diagnostics
        for n in d.notes
        if not n.message.startswith(_NOISE)
    ]
    message, hint = _clean(first.message), None
    if not place.line:
        place = _unwritten_body(converted.map.text, filename, message) or place
        message = f"in the body of this op: {message}" if place.line else message
    if message in _NAMELESS and piece:
        message = _NAMELESS[message].format(piece)
        hint = "correct the name, or define it above"
    foreign = _UNKNOWN_OP.match(message)
    if foreign is not None:
        hint = _similar_op(foreign.group(1))
    return REFUSED.error(place, notes=notes[:4], message=message, hint=hint)


_NAMED = re.compile(
    r"\blinalg\.(?P<name>\w+)(?=[^%={]*(?:\{[^}]*\}\s*)?"
    r"ins\([^:()]*:(?P<ins>[^()]*)\)\s*outs\([^:()]*:(?P<outs>[^()]*)\))"
)
_INNER = re.compile(r"'\w+\.(\w+)' op ")


def _unwritten_body(text: str, filename: str, message: str) -> Location | None:
    """MLIR writes the bodies of named structured ops; what is wrong in a body that nobody wrote has
    no place. The first of them that mixes element types, or that is named like the op inside."""
    inner = _INNER.match(message)
    for found in _NAMED.finditer(text):
        kinds = re.findall(r"<([^<>,]*)", found["ins"] + found["outs"])
        mixed = len({kind.rpartition("x")[2] for kind in kinds}) > 1
        if mixed or (inner is not None and inner[1] == found["name"]):
            return location_at(text, filename, found.start(), len(found.group()))
    return None


def _about_ours(message: str, place: Location, source: SourceMap) -> SpyreError | None:
    """The error about an op of our dialects or an alias, which MLIR does not know as we do."""
    unknown = _NOT_FOUND.match(message)
    if unknown is not None and unknown.group(1) in opdef.DIALECTS:
        return unknown_op(place, unknown.group(2))
    alias = _ALIAS.match(message)
    use = source.alias(alias.group(1)) if alias is not None else None
    return None if use is None else _unknown_alias(*use, source.text)


def _clean(message: str) -> str:
    return to_public_text(message.strip())


class _Places:
    """Finds in the author's text what MLIR points at in its own."""

    def __init__(self, converted: Converted, wrap: bool, filename: str) -> None:
        self.map = converted.map
        self.wrap = wrap
        self.filename = filename
        self.seen = converted.text(wrap).split("\n")

    def find(self, where: ir.Location) -> tuple[Location, str]:
        """The place, and the word that stands there where it is the author's own."""
        found = _file_of(where)
        if found is None or found.filename != self.filename:
            return Location(self.filename), ""
        line, col = found.start_line, found.start_col
        start = self.map.offset(line, col, self.wrap)
        piece = self._piece(line, col)
        at = self._search(piece, start) if piece else None
        if at is None:
            return location_at(self.map.text, self.filename, start), ""
        return location_at(self.map.text, self.filename, at, len(piece)), piece

    def _piece(self, line: int, col: int) -> str:
        text = self.seen[line - 1] if 0 < line <= len(self.seen) else ""
        found = _PIECE.match(text, col - 1) if 0 < col <= len(text) else None
        return found.group(1) if found is not None else ""

    def _search(self, piece: str, start: int) -> int | None:
        """Where a word stands on the line of an offset, or a name in the statement: ops of ours
        are rewritten whole."""
        end = self.map.text.find("\n", start)
        end = end if end >= 0 else len(self.map.text)
        word = re.compile(rf"(?<![\w.$\-]){re.escape(piece)}(?![\w.$\-])")
        last = end + _STATEMENT if piece[0] in "%#!@^" else end
        found = word.search(self.map.text, start, last)
        return found.start() if found is not None else None


_STATEMENT = 2000
"""How far behind the first line of a statement a name in it may stand."""


def _unknown_alias(place: Location, name: str, text: str) -> SpyreError:
    known = re.findall(rf"^\s*({name[0]}[\w.$\-]+)\s*=", text, re.MULTILINE)
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean '{near[0]}'?" if near else None
    return UNKNOWN_ALIAS.error(place, name=name, hint=hint)


def _file_of(where: ir.Location) -> Any:
    """The file range inside a location, or None."""
    for _ in range(16):
        if where.is_a_file():
            return where
        if where.is_a_name():
            where = where.child_loc
        elif where.is_a_fused() and where.locations:
            where = where.locations[0]
        else:
            return None
    return None


def _similar_op(name: str) -> str | None:
    """A hint with an op of MLIR's own whose name is close."""
    dialect = name.partition(".")[0]
    try:
        module = importlib.import_module(f"mlir.dialects._{dialect}_ops_gen")
    except ImportError:
        return None
    classes = (value for _, value in inspect.getmembers(module, inspect.isclass))
    known = [str(getattr(c, "OPERATION_NAME", "")) for c in classes]
    near = difflib.get_close_matches(name, known, 1)
    return f"did you mean '{near[0]}'?" if near else None
