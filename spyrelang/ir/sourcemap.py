"""Where each piece of rewritten text came from."""

from __future__ import annotations

import bisect
import re
from functools import cached_property
from itertools import accumulate

from spyrelang.errors import Location
from spyrelang.ir import scan


def location_at(text: str, filename: str, pos: int, length: int = 1) -> Location:
    """The place of an offset in a text, with the text of its line."""
    pos = max(0, min(pos, len(text)))
    start = text.rfind("\n", 0, pos) + 1
    end = text.find("\n", pos)
    line_text = text[start : end if end >= 0 else len(text)]
    col = pos - start + 1
    stop = min(col + max(1, length), len(line_text) + 2)
    return Location(filename, text.count("\n", 0, pos) + 1, col, max(stop, col + 1), line_text)


class Chunks:
    """Output pieces with their origin: copied text, or made text that stands for one place."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.origins: list[int] = []
        self.is_copy: list[bool] = []

    def _add(self, text: str, origin: int, is_copy: bool) -> None:
        self.texts.append(text)
        self.origins.append(origin)
        self.is_copy.append(is_copy)

    def copied(self, text: str, origin: int) -> None:
        """Text taken over unchanged."""
        if text:
            self._add(text, origin, True)

    def made(self, text: str, origin: int) -> None:
        """New text that stands for the source at `origin`."""
        self._add(text, origin, False)

    def slot(self, origin: int) -> int:
        """Room for text that is known later; see `fill`."""
        self._add("", origin, False)
        return len(self.texts) - 1

    def fill(self, slot: int, text: str) -> None:
        """Put the text of a slot."""
        self.texts[slot] = text

    def text(self) -> str:
        """All of it."""
        return "".join(self.texts)

    @cached_property
    def offsets(self) -> list[int]:
        """The start of every piece (computed once, when everything is filled)."""
        return [0, *accumulate(len(t) for t in self.texts)]

    def origin(self, offset: int) -> int:
        """The source offset of an output offset."""
        if not self.texts:
            return 0
        i = min(max(bisect.bisect_right(self.offsets, offset) - 1, 0), len(self.texts) - 1)
        while i + 1 < len(self.texts) and not self.texts[i]:
            i += 1
        inside = offset - self.offsets[i] if self.is_copy[i] else 0
        return self.origins[i] + inside


class SourceMap:
    """Maps places of the text given to MLIR back to the author's text."""

    def __init__(self, text: str, filename: str, heads: Chunks, body: Chunks) -> None:
        self.text = text
        self.filename = filename
        self._heads = heads
        self._body = body
        self._head_length = sum(len(t) for t in heads.texts)

    def _lines(self, wrap: bool) -> list[int]:
        """Offsets in the body at which its lines start; the first line begins before the body."""
        body = self._body.text()
        starts = [-self._head_length - (len("module {") if wrap else 0)]
        pos = body.find("\n")
        while pos >= 0:
            starts.append(pos + 1)
            pos = body.find("\n", pos + 1)
        return starts

    @cached_property
    def _plain_lines(self) -> list[int]:
        return self._lines(False)

    @cached_property
    def _wrapped_lines(self) -> list[int]:
        return self._lines(True)

    def offset(self, line: int, col: int, wrap: bool) -> int:
        """The author's offset of a line and column (from 1) in the text MLIR saw."""
        lines = self._wrapped_lines if wrap else self._plain_lines
        if line > len(lines):
            return len(self.text)
        pos = lines[line - 1] + max(col, 1) - 1
        if pos < 0:
            return self._heads.origin(pos - lines[0]) if line == 1 else 0
        return self._body.origin(pos)

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        pos = self.text.find("\n")
        while pos >= 0:
            starts.append(pos + 1)
            pos = self.text.find("\n", pos + 1)
        return starts

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """The author's line and column (from 1) of an offset in the author's text."""
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def own_offset(self, line: int, col: int) -> int:
        """The other way round."""
        starts = self._starts
        return starts[line - 1] + col - 1 if line <= len(starts) else len(self.text)

    def location(self, line: int, col: int, wrap: bool) -> Location:
        """The author's place of a line and column in the text MLIR saw."""
        return location_at(self.text, self.filename, self.offset(line, col, wrap))

    def before(self, place: Location) -> Location:
        """The end of the last word before a place, comments left out."""
        pos = self._starts[place.line - 1] + place.col - 1
        words = re.finditer(rf"{scan.STRING}|(?P<comment>{scan.COMMENT})|\S", self.text[:pos])
        ends = [w.start() for w in words if w["comment"] is None]
        return location_at(self.text, self.filename, ends[-1]) if ends else place

    def alias(self, name: str) -> tuple[Location, str] | None:
        """Where an alias is used first, and how it is written there."""
        use = rf"(?P<use>[#!]{re.escape(name)}(?![\w$.\-]))"
        for found in re.finditer(rf"{scan.STRING}|{scan.COMMENT}|{use}", self.text):
            if found["use"]:
                where = location_at(self.text, self.filename, found.start(), len(found["use"]))
                return where, found["use"]
        return None
