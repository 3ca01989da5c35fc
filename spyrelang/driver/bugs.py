"""When a step of ours fails: say so, and leave a file that fails the same way."""

from __future__ import annotations

import os
import tempfile
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from spyrelang import settings
from spyrelang.errors import Location, Note, SpyreError, SpyreWarning
from spyrelang.errors.core import INTERNAL

PASSED = (SpyreError, SpyreWarning, OSError)
"""Refusals; findings, where warnings are errors; and what files and pipes do. All no bugs."""


@dataclass(frozen=True)
class Subject:
    """What a step works on. `text` gives it as MLIR, at `stage`; `device` is "" where the step asks
    for none."""

    name: str
    stage: str
    device: str
    text: Callable[[], str]


@contextmanager
def guarded(
    step: str, subject: Subject, place: Callable[[BaseException], Location | None] | None = None
) -> Generator[None]:
    """Makes a SPY900 error of an exception that no input should be able to cause; `place` tells
    what the step was at."""
    try:
        yield
    except PASSED:
        raise
    except Exception as bug:
        raise report_bug(subject, step, bug, place(bug) if place is not None else None) from bug


def report_bug(
    subject: Subject, step: str, bug: Exception, place: Location | None = None
) -> SpyreError:
    """A SPY900 error naming the step, with a reproducer written beside it."""
    detail = f"{type(bug).__name__}: {bug}".splitlines()[0]
    path = _reproducer(subject, step, bug)
    notes = [Note(f"reproducer: {path}")] if path is not None else []
    return INTERNAL.error(place, stage=step, detail=detail, notes=notes)


def _reproducer(subject: Subject, step: str, bug: Exception) -> Path | None:
    """The text the step started from, with the traceback as comments. None where nothing can be
    written: the error matters more than its file."""
    try:
        lines = "".join(traceback.format_exception(bug)).splitlines()
        head = [f"step: {step}", f"device: {subject.device or 'any'}", f"stage: {subject.stage}"]
        text = "\n".join([*(f"// {line}" for line in (*head, *lines)), subject.text()])
        folder = settings.current().dump or Path(tempfile.gettempdir())
        handle, name = tempfile.mkstemp(".mlir", f"spyrelang-{subject.name}-", folder)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        return Path(name)
    except Exception:
        return None
