"""Where the text of a schedule and what the model would say part."""

from __future__ import annotations

import re
from dataclasses import replace

from spyrelang import ir as our_ir
from spyrelang.errors import Location
from spyrelang.errors.schedule_text import NOT_EXPRESSIBLE
from spyrelang.ir import Module

_WORD = re.compile(r"%[\w$.#]+|\w+|\S")
_AROUND = 4
"""How many words are shown on both sides of a difference."""


def difference(module: Module, number: int, line: str, other: str, stage: str) -> Exception:
    """SPY441 for line `number` (from 0) of a module as it is printed, and what it should be."""
    first, last = _differing(line, other)
    place = _narrowed(_place(module, number, line), line, first, len(_words(line)) - last)
    got, want = (_excerpt(text, first, last) for text in (line, other))
    return NOT_EXPRESSIBLE.error(place, stage=stage, got=got, want=want)


def _words(line: str) -> list[re.Match[str]]:
    """What a line is made of; a value is one word whatever its name is."""
    return list(_WORD.finditer(line))


def _differing(line: str, other: str) -> tuple[int, int]:
    """How many words two lines have in common at their beginning and at their end."""
    a, b = ([word.group() for word in _words(text)] for text in (line, other))
    first = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
    if first is None:
        first = min(len(a), len(b))
    rest = min(len(a), len(b)) - first
    pairs = zip(a[::-1], b[::-1], strict=False)
    last = next((i for i, (x, y) in enumerate(pairs) if x != y or i == rest), rest)
    return first, last


def _excerpt(line: str, first: int, last: int) -> str:
    """What differs, with some words around it."""
    words = _words(line)
    start, stop = max(0, first - _AROUND), min(len(words), len(words) - last + _AROUND)
    if start >= stop:
        return line.strip()
    shown = line[words[start].start() : words[stop - 1].end()]
    return "…" * (start > 0) + shown + "…" * (stop < len(words))


def _narrowed(place: Location, line: str, first: int, stop: int) -> Location:
    """The words of the author's line that differ, where its words are those of the printed one."""
    words = _words(place.source or "")
    if len(words) != len(_words(line)) or not first < stop <= len(words):
        return place
    return replace(place, col=words[first].start() + 1, end_col=words[stop - 1].end() + 1)


def _place(module: Module, number: int, line: str) -> Location:
    """The line in the author's text: where the same words stand, else the printed number."""
    source = (module.source or "").splitlines()
    named = our_ir.print_module(module).splitlines()
    wanted = (named[number] if number < len(named) else line).strip()
    matches = [i for i, text in enumerate(source) if text.strip() == wanted]
    if matches:
        best = min(matches, key=lambda i: abs(i - number))
        text = source[best]
        start = len(text) - len(text.lstrip()) + 1
        return Location(module.name, best + 1, start, len(text) + 1, text)
    return Location(module.name, number + 1)
