"""When a step of ours fails: say so, and leave a file that fails the same way."""

from __future__ import annotations

import os
import tempfile
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from spyrelang import settings
from spyrelang.errors import Note, SpyreError
from spyrelang.errors.core import INTERNAL

if TYPE_CHECKING:
    from spyrelang.driver.ladder import Ladder


def report_bug(ladder: Ladder, step: str, bug: Exception) -> SpyreError:
    """A SPY900 error naming the step, with a reproducer written beside it."""
    detail = f"{type(bug).__name__}: {bug}".splitlines()[0]
    path = _reproducer(ladder, step, bug)
    notes = [Note(f"reproducer: {path}")] if path is not None else []
    return INTERNAL.error(stage=step, detail=detail, notes=notes)


def _reproducer(ladder: Ladder, step: str, bug: Exception) -> Path | None:
    """The text the kernel started from, with the traceback as comments. None where nothing can be
    written: the error matters more than its file."""
    try:
        text = ladder.module(ladder.start).text()
        lines = "".join(traceback.format_exception(bug)).splitlines()
        head = [f"// step: {step}", f"// device: {ladder.device.name}", f"// stage: {ladder.start}"]
        folder = settings.current().dump or Path(tempfile.gettempdir())
        handle, name = tempfile.mkstemp(".mlir", f"spyrelang-{ladder.name}-", folder)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write("\n".join([*head, *(f"// {line}" for line in lines), text]))
        return Path(name)
    except Exception:
        return None
