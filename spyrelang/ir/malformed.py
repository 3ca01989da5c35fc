"""What the reader refuses, said of the author's text: where it is, and how to mend it."""

from __future__ import annotations

import difflib
import re

from spyrelang.errors import Location, Note, SpyreError
from spyrelang.errors.text import BAD_OPAQUE, MALFORMED, TOO_DEEP, UNKNOWN_ALIAS, UNKNOWN_OP
from spyrelang.ir import opdef, scan
from spyrelang.ir.kinds import spellings
from spyrelang.ir.sourcemap import location_at
from spyrelang.ir.translate import BadText


def unbalanced(text: str, filename: str, bad: scan.Unbalanced) -> SpyreError:
    """The error about a bracket that is not closed, or about too many of them."""
    where = location_at(text, filename, bad.pos)
    if bad.deep:
        return TOO_DEEP.error(where, limit=scan.MAX_DEPTH)
    return malformed(text, filename, bad.pos, bad.message)


def malformed(
    text: str, filename: str, pos: int, message: str, opened: int | None = None
) -> SpyreError:
    """The error about the grammar, with the fix where it is known what goes wrong. `opened`: where
    a bracket stands that is not closed."""
    line = text[text.rfind("\n", 0, pos) + 1 : pos]
    if message.startswith("'>' closes nothing") and _OPEN_SET.search(line):
        message = "a set cannot have a constraint with '>'"
    notes: list[Note] = []
    if opened is not None:
        where = location_at(text, filename, opened)
        notes.append(Note("this bracket is open", where))
    hint = next((fix for end, fix in _FIXES.items() if message.endswith(end)), None)
    where = location_at(text, filename, pos)
    return MALFORMED.error(where, notes=notes, hint=hint, message=message)


_OPEN_SET = re.compile(r"affine_set<[^>]*(?:>=[^>]*)*$")
_FIXES = {
    "closes nothing here": "remove it, or write the bracket that it closes",
    "is expected": "write that bracket here or before",
    "is missing": "write it, or remove the bracket that it would close",
    "is never closed": "write the bracket that closes it",
    "does not end": "end it on its line; if it does end, a quote before it is missing",
    "is defined twice": "give the second definition a name of its own, or remove it",
    "a constraint with '>'": "write constraints with >= or ==: d0 > 0 is d0 - 1 >= 0",
}
"""The fix, by the end of the message."""


def bad_text(text: str, filename: str, bad: BadText) -> SpyreError:
    """The error about a piece of text that is no type, attribute, alias or op."""
    length = len(bad.text)
    if bad.what == "op":
        quotes = 2 if text.startswith('"', bad.pos) else 0
        length += len(bad.dialect) + 1 + quotes
    where = location_at(text, filename, bad.pos, length)
    if bad.what == "op":
        return unknown_op(where, f"{bad.dialect}.{bad.text}")
    if bad.what == "alias":
        return UNKNOWN_ALIAS.error(where, name=bad.text)
    if bad.what == "set":
        what = f"'>=' cannot stand inside '{bad.text}<…>', where MLIR takes it for a bracket"
        return MALFORMED.error(where, message=f"{what}: name the set first (#s = affine_set<…>)")
    if bad.what == "affine text":
        return _affine(text, filename, bad)
    hint = spellings(bad.text)
    return BAD_OPAQUE.error(where, text=bad.text, what=bad.what, dialect=bad.dialect, hint=hint)


def _affine(text: str, filename: str, bad: BadText) -> SpyreError:
    """The error about an affine map or set inside a type or attribute, placed in the whole text."""
    cause = bad.__cause__
    assert isinstance(cause, SpyreError)
    start = max(text.find(bad.text, bad.pos), text.rfind(bad.text, 0, bad.pos + len(bad.text)))
    inner, length = cause.location, len(bad.text)
    if start >= 0 and inner is not None and inner.line == 1:
        start, length = start + inner.col - 1, 1
    cause.location = location_at(text, filename, max(start, 0) or bad.pos, length)
    return cause


def unknown_op(where: Location, name: str) -> SpyreError:
    """The error for an op name that a dialect of ours does not have."""
    dialect, _, short = name.partition(".")
    return UNKNOWN_OP.error(where, op=short, dialect=dialect, hint=_similar(dialect, short))


def _similar(dialect: str, short: str) -> str | None:
    known = [n.partition(".")[2] for n in opdef.REGISTRY if n.startswith(f"{dialect}.")]
    close = difflib.get_close_matches(short, known, 1)
    return f"did you mean '{dialect}.{close[0]}'?" if close else None
