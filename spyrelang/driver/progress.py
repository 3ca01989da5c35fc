"""A progress bar for runs that take more than two seconds, on terminals only."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spyrelang.engines import Progress

PATIENCE = 2.0
"""Seconds before anything is shown."""


@contextmanager
def progress_bar(name: str, given: Progress | None) -> Generator[Progress | None]:
    """The caller's own callback, or one that draws a bar on the error stream; None where that is
    no terminal."""
    if given is not None or not sys.stderr.isatty():
        yield given
        return
    bar = _Bar(name)
    try:
        yield bar.update
    finally:
        bar.close()


class _Bar:
    """Made when the first update after the patience arrives."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._start = time.monotonic()
        self._progress: Any = None
        self._task: Any = None

    def update(self, done: int, expected: int) -> None:
        if self._progress is None and time.monotonic() - self._start >= PATIENCE:
            self._progress = self._open(expected)
        if self._progress is not None:
            self._progress.update(self._task, completed=done, total=max(done, expected))

    def _open(self, expected: int) -> Any:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:,}/{task.total:,} vector steps"),
            TimeRemainingColumn(),
        )
        progress = Progress(*columns, console=Console(stderr=True), transient=True)
        progress.start()
        self._task = progress.add_task(f"checking {self._name}", total=expected)
        return progress

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()
