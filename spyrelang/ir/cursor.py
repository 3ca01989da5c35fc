"""A position in an author's text with the small readers that custom assembly is made of."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from spyrelang.ir import scan


class Malformed(Exception):
    """Text that does not follow the grammar; `pos` is an offset into the text, and `opened` that
    of a bracket which is not closed."""

    def __init__(self, pos: int, message: str, opened: int | None = None) -> None:
        super().__init__(message)
        self.pos = pos
        self.message = message
        self.opened = opened


_BLANK = re.compile(scan.BLANK)
ONE_VALUE = f"{scan.BLANK}({scan.VALUE})"
_VALUE = re.compile(ONE_VALUE)
_VALUES = re.compile(f"{scan.BLANK}({scan.VALUE}(?:{scan.BLANK},{scan.BLANK}{scan.VALUE})*)")
_ONE_VALUE = re.compile(scan.VALUE)
_FLAT = r"<[^<>()\[\]{}\"!#/=-]*>"
ONE_FLAT_TYPE = rf"{scan.BLANK}(!?[A-Za-z][\w$.]*(?:{_FLAT})?)(?![<\w$.])"
ONE_FLAT_SHORT = rf"{scan.BLANK}({_FLAT})"
"""A type that holds nothing which needs a look, with its name and without."""
_FLAT_TYPE, _FLAT_SHORT = re.compile(ONE_FLAT_TYPE), re.compile(ONE_FLAT_SHORT)
_TYPE_HEAD = re.compile(rf"!?[A-Za-z][\w$.]*|!{scan.HASH_WORD}")
_ATTR_HEAD = re.compile(
    rf"{scan.STRING}|@(?:{scan.STRING}|[\w$.\-]+)(?:::@(?:{scan.STRING}|[\w$.\-]+))*"
    rf"|-?0x[0-9a-fA-F]+|-?\d+(?:\.\d*(?:[eE][-+]?\d+)?)?|#{scan.HASH_WORD}|!?[A-Za-z_][\w$.]*"
)
_WORD = re.compile(f"{scan.BLANK}({scan.WORD})")
_INTEGER = re.compile(rf"{scan.BLANK}(-?(?:0x[0-9a-fA-F]+|\d+))(?![\w.])")


@lru_cache(maxsize=1024)
def literal(text: str) -> re.Pattern[str]:
    """A pattern for literal text: blanks in it may be any blanks, words end at a boundary."""
    parts = re.findall(r"->|[A-Za-z_][\w$.]*|[^\sA-Za-z_]", text)
    out = ""
    for part in parts:
        out += scan.BLANK + re.escape(part)
        if re.match(r"[A-Za-z_]", part):
            out += r"(?![\w$])"
    return re.compile(out)


class Cursor:
    """Reads pieces of custom assembly from `text` at `pos`, skipping blanks and comments.

    `places` holds where single values were read. `translate` rewrites a piece of text (aliases,
    memory spaces, spellings of types) for MLIR; `flat` remembers what it made of simple types, and
    is emptied by whoever changes what it makes.
    """

    def __init__(
        self, text: str, translate: Callable[[int, str], str], flat: dict[str, str] | None = None
    ) -> None:
        self.text = text
        self._flat = {} if flat is None else flat
        self.pos = 0
        self.places: dict[str, int] = {}
        self._translate = translate

    def fail(self, message: str, pos: int | None = None) -> Malformed:
        """The error for this place (to be raised by the caller).

        What a line lacks at its end is missing there, not before the first word of the next.
        """
        if pos is None:
            pos = self.start()
            if "\n" in self.text[self.pos : pos]:
                pos = self.pos
        return Malformed(pos, message)

    def start(self) -> int:
        """The position of the next thing that is neither blank nor comment."""
        found = _BLANK.match(self.text, self.pos)
        return found.end() if found else self.pos

    def peek(self, text: str) -> bool:
        """Does the literal come next?"""
        return literal(text).match(self.text, self.pos) is not None

    def take(self, text: str) -> bool:
        """Consume the literal if it comes next."""
        found = literal(text).match(self.text, self.pos)
        if found is None:
            return False
        self.pos = found.end()
        return True

    def expect(self, text: str) -> None:
        """Consume the literal; anything else is an error."""
        found = literal(text).match(self.text, self.pos)
        if found is None:
            raise self.fail(f"expected '{text.strip()}'")
        self.pos = found.end()

    def _match(self, pattern: re.Pattern[str], what: str) -> str:
        found = pattern.match(self.text, self.pos)
        if found is None:
            raise self.fail(f"expected {what}")
        self.pos = found.end()
        return found.group(1)

    def word(self) -> str:
        """An identifier, dots included."""
        return self._match(_WORD, "a name")

    def integer(self) -> str:
        """A decimal or hexadecimal integer without type."""
        return self._match(_INTEGER, "an integer")

    def value(self) -> str:
        """One SSA value: `%name` or `%name#1`; `places` remembers where it stood last."""
        found = self._match(_VALUE, "a value (%name)")
        self.places[found] = self.pos - len(found)
        return found

    def values(self) -> list[str]:
        """Values separated by commas; none is legal."""
        found = _VALUES.match(self.text, self.pos)
        if found is None:
            return []
        self.pos = found.end()
        return _ONE_VALUE.findall(scan.strip_comments(found.group(1)))

    def _bracket(self, pos: int) -> int:
        try:
            return scan.closing(self.text, pos)
        except scan.Unbalanced as bad:
            raise Malformed(bad.pos, bad.message) from None

    def raw_bracket(self, opening: str) -> tuple[int, str]:
        """A whole bracketed text: offset of its inside, and the inside."""
        self.expect(opening)
        start = self.pos
        self.pos = self._bracket(start - 1)
        return start, self.text[start : self.pos - 1]

    def _raw_type_end(self) -> int:
        text, pos = self.text, self.start()
        if text.startswith("(", pos):
            end = self._bracket(pos)
            arrow = literal("->").match(text, end)
            if arrow is None:
                raise self.fail("expected '->'", end)
            self.pos = arrow.end()
            results = self.start()
            if text.startswith("(", results):
                return self._bracket(results)
            return self._raw_type_end()
        head = _TYPE_HEAD.match(text, pos)
        if head is None:
            raise self.fail("expected a type", pos)
        end = head.end()
        return self._bracket(end) if text.startswith("<", end) else end

    def type(self) -> str:
        """One type, translated for MLIR."""
        flat = _FLAT_TYPE.match(self.text, self.pos)
        if flat is not None:
            self.pos = flat.end()
            return self.flat_type(flat.group(1), flat.start(1))
        start = self.start()
        end = self._raw_type_end()
        self.pos = end
        return self._translate(start, self.text[start:end])

    def flat_type(self, text: str, pos: int) -> str:
        """A type that stood at `pos`, translated for MLIR."""
        if text[0] not in "!#":
            return text
        found = self._flat.get(text)
        if found is None:
            found = self._flat[text] = self._translate(pos, text)
        return found

    def types(self) -> list[str]:
        """Types separated by commas, at least one."""
        found = [self.type()]
        while self.take(","):
            found.append(self.type())
        return found

    def short_type(self, name: str) -> str:
        """A type printed without its name: `<4xindex>` for `!ktdp.access_tile<4xindex>`.

        The full spelling is accepted too.
        """
        flat = _FLAT_SHORT.match(self.text, self.pos)
        if flat is not None:
            self.pos = flat.end()
            return self.flat_type(name + flat.group(1), flat.start(1))
        start = self.start()
        if not self.text.startswith("<", start):
            return self.type()
        self.pos = self._bracket(start)
        return self._translate(start, name + self.text[start : self.pos])

    def attribute(self) -> str:
        """One attribute with its type if one is written, translated for MLIR."""
        start = self.start()
        text = self.text
        if text[start : start + 1] in ("[", "{"):
            self.pos = self._bracket(start)
        else:
            head = _ATTR_HEAD.match(text, start)
            if head is None:
                raise self.fail("expected an attribute", start)
            self.pos = head.end()
            if text.startswith("<", self.pos):
                self.pos = self._bracket(self.pos)
            colon = re.compile(rf"{scan.BLANK}:(?!:)").match(text, self.pos)
            if colon is not None and head.group()[0] not in "@#":
                self.pos = colon.end()
                self.pos = self._raw_type_end()
        return self._translate(start, text[start : self.pos])

    def plain_attribute(self) -> str:
        """One attribute; a colon behind it is left alone."""
        start = self.start()
        head = _ATTR_HEAD.match(self.text, start)
        if head is None:
            if self.text[start : start + 1] not in ("[", "{"):
                raise self.fail("expected an attribute", start)
            self.pos = self._bracket(start)
        else:
            self.pos = head.end()
            if self.text.startswith("<", self.pos):
                self.pos = self._bracket(self.pos)
        return self._translate(start, self.text[start : self.pos])

    def dictionary(self) -> dict[str, str | None]:
        """A dictionary in braces, its values translated for MLIR; an alias of one is accepted."""
        start = self.start()
        if self.text.startswith("#", start):
            text = self.plain_attribute()
            if not text.startswith("{"):
                raise self.fail("expected a dictionary", start)
            return self.entries(start, text[1:-1])
        if not self.text.startswith("{", start):
            raise self.fail("expected '{'", start)
        end = self._bracket(start)
        self.pos = end
        return self.inside(self.text[start + 1 : end - 1], start + 1)

    def inside(self, text: str, pos: int) -> dict[str, str | None]:
        """The entries of a dictionary whose inside stands at `pos`, translated for MLIR."""
        return self.entries(pos, self._translate(pos, text))

    def entries(self, pos: int, text: str) -> dict[str, str | None]:
        """The entries of a dictionary's (already translated) inside."""
        try:
            return _split_dict(text).copy()
        except scan.Unbalanced as bad:
            raise Malformed(min(pos + bad.pos, len(self.text)), bad.message) from None


@lru_cache(maxsize=4096)
def _split_dict(text: str) -> dict[str, str | None]:
    return scan.split_dict(text)
