"""What an error is: a kind from the catalogue, a place in the author's text, notes and one fix."""

from __future__ import annotations

import importlib
import linecache
import pkgutil
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Location:
    """A range in the author's text. Lines and columns count from 1; `end_col` is exclusive.

    `source` is the text of the line where the file system cannot supply it (a prompt, a string);
    empty where it is known that nothing can.
    """

    file: str
    line: int = 0
    col: int = 0
    end_col: int = 0
    source: str | None = None

    def __str__(self) -> str:
        if not self.line:
            return self.file
        span = f":{self.col}" if self.col else ""
        if self.source_line() is None and self.end_col > self.col:
            span += f"-{self.end_col - 1}"
        return f"{self.file}:{self.line}{span}"

    def source_line(self) -> str | None:
        """The text of the line, or None where nothing knows it."""
        if self.source is not None:
            return self.source or None
        text = linecache.getline(self.file, self.line) if self.line else ""
        return text.rstrip("\n") or None

    def with_source(self, text: str | None) -> Location:
        """The same place with the text of its line; where no end is known, that of the word."""
        stop = self.end_col
        if text is not None and self.col and not stop:
            word = _WORD.match(text, self.col - 1)
            stop = self.col + (len(word.group()) if word else 1)
        return replace(self, end_col=stop, source=text)

    def frame(self) -> str:
        """The source line with a caret under the range; empty where there is no text. Of a very
        long line only the part around the caret is shown."""
        text = self.source_line()
        if text is None:
            return ""
        start = max(0, self.col - 1)
        stop = min(max(self.end_col - 1, start + 1), len(text) + 1)
        cut, text = _window(text, start)
        gutter = f"{self.line:>5} | "
        lines = [gutter + text]
        if self.col:
            width = max(1, min(stop - cut, len(text) + 1) - (start - cut))
            margin = " " * (len(gutter) - 2) + "| "
            lines.append(margin + _blank(text[: start - cut]) + "^" * width)
        return "\n".join(lines)


_LONGEST = 160
_WORD = re.compile(r"[\w.\"$]+")


def _window(text: str, start: int) -> tuple[int, str]:
    """The part of a line to show, and how many characters were cut before it."""
    if len(text) <= _LONGEST:
        return 0, text
    cut = max(0, min(start - _LONGEST // 3, len(text) - _LONGEST))
    part = text[cut : cut + _LONGEST]
    if cut:
        part = "…" + part[1:]
    return cut, part + ("…" if cut + _LONGEST < len(text) else "")


def _blank(prefix: str) -> str:
    return "".join("\t" if c == "\t" else " " for c in prefix)


@dataclass(frozen=True)
class Note:
    """A related place or fact printed below the error."""

    message: str
    location: Location | None = None


class SpyreError(Exception):
    """Base of every error spyrelang raises on purpose.

    Attributes: `code` (stable, e.g. "SPY101"), `message`, `location` (or None), `notes`, `hint`.
    """

    code: str = "SPY000"

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        location: Location | None = None,
        notes: Sequence[Note] = (),
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.code = kind.code
        self.message = message
        self.location = location
        self.notes = tuple(notes)
        self.hint = hint

    def supply(self, file: str, line_of: Callable[[int], str | None]) -> None:
        """Put the text of its line into each place in `file` that lacks it (a text is no file)."""

        def supplied(place: Location | None) -> Location | None:
            if place is None or place.file != file or place.source_line() is not None:
                return place
            return place.with_source(line_of(place.line))

        self.location = supplied(self.location)
        self.notes = tuple(replace(n, location=supplied(n.location)) for n in self.notes)

    def render(self) -> str:
        """The whole report: code and message, place, caret, notes, fix."""
        parts = [f"error[{self.code}]: {self.message}"]
        parts += _place(self.location)
        for note in self.notes:
            parts.append(f"note: {note.message}")
            parts += _place(note.location)
        if self.hint:
            parts.append(f"fix: {self.hint}")
        return "\n".join(parts)

    def __str__(self) -> str:
        return self.render()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.code, self.message, self.location, self.notes, self.hint)


def _rebuild(*args: Any) -> SpyreError:
    if args[0] not in CATALOGUE:
        load_catalogue()
    kind = CATALOGUE[args[0]]
    return kind.exception(kind, *args[1:])


def _place(location: Location | None) -> list[str]:
    if location is None:
        return []
    frame = location.frame()
    return [f"  --> {location}"] + ([frame] if frame else [])


class SpyreWarning(UserWarning):
    """A finding that does not stop the work; same codes and rendering as the errors.

    Made from an error. Tools that move warnings between processes make it again from its text; then
    `error` is None.
    """

    def __init__(self, error: SpyreError | str) -> None:
        text = error if isinstance(error, str) else error.render().replace("error[", "warning[", 1)
        super().__init__(text)
        self.error = None if isinstance(error, str) else error
        self.code = text.partition("[")[2].partition("]")[0]


@dataclass(frozen=True)
class ErrorKind:
    """One catalogue entry. `template` is formatted with the keywords given to `error`."""

    code: str
    title: str
    template: str
    cause: str
    example: str
    fix: str
    exception: type[SpyreError] = field(default=SpyreError, repr=False)

    def error(
        self,
        location: Location | None = None,
        *,
        notes: Sequence[Note] = (),
        hint: str | None = None,
        **values: object,
    ) -> SpyreError:
        """Make (not raise) the exception; `hint` overrides the entry's general fix."""
        message = self.template.format(**values)
        fix = hint if hint is not None else self.fix
        return self.exception(self, message, location, notes, fix)


CATALOGUE: dict[str, ErrorKind] = {}
"""The entries by code, of the areas imported so far; `load_catalogue` imports all."""


def load_catalogue() -> dict[str, ErrorKind]:
    """Every entry there is, by code."""
    import spyrelang.errors

    for module in pkgutil.iter_modules(spyrelang.errors.__path__):
        importlib.import_module(f"spyrelang.errors.{module.name}")
    return CATALOGUE


def define(
    code: str,
    title: str,
    template: str,
    *,
    cause: str,
    example: str,
    fix: str,
    also: type[Exception] | None = None,
) -> ErrorKind:
    """Enter one kind into the catalogue.

    `also` makes the exception an instance of a builtin class too (`TypeError`, `ValueError`), so
    that code which knows nothing of spyrelang can catch it.
    """
    if code in CATALOGUE:
        raise AssertionError(f"{code} is defined twice")
    exception: type[SpyreError] = SpyreError
    if also is not None:
        exception = _EXCEPTIONS.setdefault(
            also, type(f"Spyre{also.__name__}", (SpyreError, also), {})
        )
    kind = ErrorKind(code, title, template, cause, example, fix, exception)
    CATALOGUE[code] = kind
    return kind


_EXCEPTIONS: dict[type[Exception], type[SpyreError]] = {}

INTERNAL = define(
    "SPY900",
    "bug in spyrelang",
    "bug in spyrelang, in stage '{stage}': {detail}",
    cause="A step of spyrelang failed in a way that no input should be able to cause.",
    example="(none is known: each one found is fixed)",
    fix="report it, with the reproducer where one is named",
)


def internal_error(
    stage: str, detail: str, location: Location | None = None, **extra: Mapping[str, object]
) -> SpyreError:
    """An error for a broken invariant of ours; never the author's fault."""
    del extra
    return INTERNAL.error(location, stage=stage, detail=detail)
