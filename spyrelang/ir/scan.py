"""Finding the extent of things in IR text: brackets, strings, comments, lists and dictionaries.

Everything here is regex-driven and linear: no loop runs per character. The `>` of `->`, `>=` and
`<=` closes nothing, strings and comments hide what they hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_DEPTH = 200
"""Deepest nesting of brackets accepted in text (MLIR's own parser recurses without a limit)."""

STRING = r'"(?:[^"\\\n]|\\.)*"'
COMMENT = r"//[^\n]*"
BLANK = r"\s*+(?://[^\n]*+\s*+)*+"  # possessive: a failed match must not retry splits of the blanks
VALUE = r"%(?:[0-9]+|[A-Za-z$._\-][\w$.\-]*)(?:#[0-9]+)?"
WORD = r"[A-Za-z_][\w$.]*"
HASH_WORD = r"(?:[0-9]+|[A-Za-z$._\-][\w$.\-]*)"

PLAIN = r"<[\w\s?*,]*+>|\((?:[\w\s%?*,:]|<[\w\s?*,]*+>)*+\)"
"""Brackets that hold nothing which needs a look: most of those in types and operand lists."""

_ATOM = r'[^<>(){}\[\]"/-]++|->|>=|<=|-|"(?:[^"\\\n]|\\.)*+"'
_FLAT = rf"(?:{_ATOM})*+"
_BRACKETS = rf"(?:{_ATOM}|\({_FLAT}\)|<{_FLAT}>|\[{_FLAT}\])*+"
INSIDE = rf"(?:{_ATOM}|\({_BRACKETS}\)|<{_BRACKETS}>|\[{_BRACKETS}\])*+"
_EVENT = re.compile(rf"{STRING}|{COMMENT}|->|>=|<=|[<>(){{}}\[\],\"]")
_SPLIT_EQ = re.compile(rf"\s*({STRING}|[\w$.\-]+)\s*(?:=(?!=)\s*)?")
_OPEN = frozenset("<({[")
_CLOSE = frozenset(">)}]")
_PARTNER = {"<": ">", "(": ")", "{": "}", "[": "]"}
_SHALLOW = {o: re.compile(INSIDE + re.escape(c)) for o, c in _PARTNER.items()}
"""The rest of a bracket, for those of little depth without comments: most of them."""


class Unbalanced(Exception):
    """Brackets do not match; `pos` is where, `deep` says that the cap was hit instead."""

    def __init__(self, pos: int, message: str, deep: bool = False) -> None:
        super().__init__(message)
        self.pos = pos
        self.message = message
        self.deep = deep


def extent(text: str, pos: int, commas: bool = True) -> int:
    """The end of the item that starts at `pos`: the next comma or closing bracket outside it."""
    stack: list[str] = []
    for found in _EVENT.finditer(text, pos):
        c = found.group()
        if c in _OPEN:
            stack.append(_PARTNER[c])
            if len(stack) > MAX_DEPTH:
                raise Unbalanced(found.start(), "nested too deeply", deep=True)
        elif c in _CLOSE:
            if not stack:
                return found.start()
            if stack.pop() != c:
                raise Unbalanced(found.start(), f"'{c}' closes nothing here")
        elif c == ",":
            if not stack and commas:
                return found.start()
        elif c == '"':
            raise Unbalanced(found.start(), "this string does not end")
    if stack:
        raise Unbalanced(pos, f"'{stack[-1]}' is missing")
    return len(text)


def closing(text: str, pos: int) -> int:
    """The end (exclusive) of the bracket that opens at `pos`."""
    shallow = _SHALLOW[text[pos]].match(text, pos + 1)
    if shallow is not None:
        return shallow.end()
    end = extent(text, pos + 1, commas=False)
    if end >= len(text) or text[end] != _PARTNER[text[pos]]:
        raise Unbalanced(pos, f"'{text[pos]}' is never closed")
    return end + 1


def pieces(text: str) -> Iterator[tuple[int, str]]:
    """The comma-separated items of `text` with their offsets, brackets respected."""
    pos = 0
    while True:
        end = extent(text, pos)
        yield pos, text[pos:end]
        if end >= len(text):
            return
        if text[end] != ",":
            raise Unbalanced(end, f"'{text[end]}' closes nothing here")
        pos = end + 1


def split_list(text: str) -> list[str]:
    """The items of a comma-separated list, blanks trimmed; an empty text has none."""
    if not text.strip():
        return []
    if not any(c in text for c in '<({["'):
        return [item.strip() for item in text.split(",")]
    return [item.strip() for _, item in pieces(text)]


def split_dict(text: str) -> dict[str, str | None]:
    """The entries of the inside of a dictionary; a unit entry has the value None.

    Raises `Unbalanced` on a malformed or repeated entry.
    """
    entries: dict[str, str | None] = {}
    if not strip_comments(text).strip():
        return entries
    for pos, raw in pieces(text):
        item = strip_comments(raw)
        found = _SPLIT_EQ.match(item)
        if found is None:
            raise Unbalanced(pos, "expected an attribute name")
        key, value = found.group(1), item[found.end() :].strip()
        unit = "=" not in found.group()[len(key) :]
        if unit == bool(value):
            raise Unbalanced(pos, f"malformed entry '{item.strip()}'")
        if key.startswith('"') and re.fullmatch(WORD, key[1:-1]):
            key = key[1:-1]
        if key in entries:
            raise Unbalanced(pos, f"'{key}' is given twice")
        entries[key] = None if unit else value
    return entries


_COMMENT_OR_STRING = re.compile(rf"{STRING}|{COMMENT}")


def strip_comments(text: str) -> str:
    """`text` without its comments."""
    if "//" not in text:
        return text
    return _COMMENT_OR_STRING.sub(lambda m: m.group() if m.group().startswith('"') else " ", text)


def join_dict(entries: dict[str, str | None]) -> str:
    """The inside of a dictionary text."""
    return ", ".join(k if v is None else f"{k} = {v}" for k, v in entries.items())


def normal_blanks(text: str) -> str:
    """`text` with every run of blanks as one blank, none at the ends; strings are kept."""
    if "\n" not in text and "  " not in text:
        return text.strip()
    return _BLANKS.sub(lambda m: m.group() if m.group().startswith('"') else " ", text).strip()


_BLANKS = re.compile(rf"{STRING}|\s+")
