"""Reading IR text: guard, MLIR's parser, places, verification."""

from __future__ import annotations

import re
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlir import ir

from spyrelang.errors import Location
from spyrelang.errors.text import MISSING_FILE, NOT_UTF8
from spyrelang.ir.context import LOCK, MLIRError, context
from spyrelang.ir.guard import PARSED, PRINTED, Survivors, deadly_line, tried
from spyrelang.ir.module import Module, adopt
from spyrelang.ir.names import restore
from spyrelang.ir.reader import Converted, convert
from spyrelang.ir.refusals import check_arrays, refused
from spyrelang.ir.sourcemap import location_at
from spyrelang.ir.verify import verify

_SINGLE = "source must contain a single top-level operation"


def parse(
    text: str,
    filename: str = "<text>",
    *,
    guard: bool = True,
    check: bool = True,
    names: bool = False,
) -> Module:
    """Read custom or generic text of any stage.

    `guard` tries MLIR's parser on it in a child process first; pass False only for text that
    spyrelang has just printed itself. `check` runs `verify`. Every op gets its place in the text;
    with `names` also a name location for each named value (`%row`, not `%0`).
    Raises a catalogue error (SPY1xx) with file, line and column for anything wrong with the text.
    """
    try:
        text.encode()
    except UnicodeEncodeError as bad:
        raise NOT_UTF8.error(Location(filename), file=filename, offset=bad.start) from None
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    check_arrays(text, filename)
    converted = convert(text, filename)

    def read() -> ir.Operation:
        return _read(converted, filename)[0]

    def suspect() -> Location:
        return _suspect(converted, filename)

    wrap = not converted.is_module
    guard = guard and converted.text(wrap) not in _SURVIVED
    with LOCK, tried(read, suspect) if guard else nullcontext() as trial:
        if trial is not None:
            trial.passed(PARSED)
        module = _in_process(converted, filename, names)
        module.source = text
        if trial is not None:
            trial.passed(PRINTED)
        if check:
            verify(module, just_parsed=True)
    if guard:
        _SURVIVED.add(converted.text(wrap))
    return module


_SURVIVED = Survivors()


def parse_file(path: str | Path, **flags: bool) -> Module:
    """`parse` of a file; a missing, unreadable or binary file is a catalogue error."""
    return parse(read_text(path), str(path), **flags)


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file."""
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as bad:
        why = getattr(bad, "strerror", None) or str(bad)
        raise MISSING_FILE.error(Location(str(path)), file=str(path), why=why) from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as bad:
        raise NOT_UTF8.error(Location(str(path)), file=str(path), offset=bad.start) from None


def _in_process(converted: Converted, filename: str, names: bool) -> Module:
    try:
        op, wrap = _read(converted, filename)
    except _Refusal as bad:
        raise refused(bad.diagnosed, converted, bad.wrap, filename) from None
    if converted.moved or wrap or names:
        restore(op, converted.map, wrap, names, converted.moved)
    return Module(adopt(op), filename)


@dataclass
class _Refusal(Exception):
    """MLIR's error about a text, and whether a module was put around it."""

    diagnosed: Any
    wrap: bool


def _read(converted: Converted, filename: str) -> tuple[ir.Operation, bool]:
    """The op that MLIR reads, and whether it is a module put around the text."""
    wrap = not converted.is_module
    try:
        return _parse(converted.text(wrap), filename), wrap
    except MLIRError as bad:
        if wrap or not any(_SINGLE in d.message for d in bad.error_diagnostics):
            raise _Refusal(bad, wrap) from None
    try:
        return _parse(converted.text(True), filename), True
    except MLIRError as bad:
        raise _Refusal(bad, True) from None


_USUAL_CAUSES = re.compile(r"array<\s*(?!i\d|f\d|bf16)\w*|iterator_types\s*=\s*\[(?!\s*[\"\]])")


def _suspect(converted: Converted, filename: str) -> Location:
    """Where a text begins to kill MLIR's parser, or the file alone."""
    wrap = not converted.is_module
    lines = converted.text(wrap).split("\n")
    line = deadly_line(lines, lambda part: _parse(part, filename))
    text = converted.map.text
    start = converted.map.offset(line, 1, wrap) if line is not None else 0
    end = text.find("\n", start) if line is not None else -1
    end = end if end >= 0 else len(text)
    usual = _USUAL_CAUSES.search(text, start, end)
    if usual is not None:
        return location_at(text, filename, usual.start(), len(usual.group()))
    if line is None:
        return Location(filename)
    statement = text[start:end].lstrip()
    return location_at(text, filename, end - len(statement), len(statement.rstrip()))


def _parse(text: str, filename: str) -> ir.Operation:
    return ir.Operation.parse(text, source_name=filename, context=context()).operation
