"""Trying foreign text in a child process before MLIR sees it in ours.

MLIR's parser aborts the process on a few malformed texts. A forked child parses the text (which
verifies it), prints and canonicalises it, and reports how far it got; the process does each step
only after the child has survived it, and is done only when the child has survived all.
"""

from __future__ import annotations

import os
import resource
import select
import signal
from bisect import bisect_left
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from typing import Any

from mlir import ir, passmanager

from spyrelang.errors import Location
from spyrelang.errors.text import DEADLY
from spyrelang.ir.context import context

CPU_SECONDS = 60
"""Time the child may take before the text is refused."""

PARSED, PRINTED = 1, 2
"""How far a child got: MLIR has parsed (and so verified) the text; it has also printed it."""

SEARCH_SECONDS = 2
"""Time for one part of a text while the place of what is deadly is searched."""

_PATIENCE = 0.05
"""Seconds after which a silent child is looked after: another process may hold its pipe open."""


class Trial:
    """A child that tries a text."""

    def __init__(self, read: Callable[[], ir.Operation]) -> None:
        _passes()  # made before the fork, so that no child has to
        self._pipe, report = os.pipe()
        self._status: int | None = None
        self._reached = 0
        self._child = os.fork()
        if self._child == 0:
            try:
                _try(read, report)
            finally:
                os._exit(0)
        os.close(report)

    def passed(self, step: int) -> None:
        """Wait until the child has done the step, or has ended: by an ordinary failure, which the
        process will meet as well, or by its death, which `end` reports."""
        while self._reached < step and self._status is None:
            if select.select([self._pipe], [], [], _PATIENCE)[0]:
                told = os.read(self._pipe, 1)
                if told:
                    self._reached = told[0]
                else:
                    self._wait(0)
            else:
                self._wait(os.WNOHANG)
        if self.death:
            raise Dead

    def end(self) -> None:
        """Wait for the child's end."""
        os.close(self._pipe)
        if self._status is None:
            self._wait(0)

    def _wait(self, how: int) -> None:
        try:
            pid, status = os.waitpid(self._child, how)
        except ChildProcessError:  # the program ignores SIGCHLD: the system has reaped the child
            pid, status = self._child, 0
        if pid:
            self._status = status

    @property
    def death(self) -> int:
        """The signal that killed the child, or 0."""
        status = self._status or 0
        return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def ends(action: Callable[[], object], seconds: int) -> str | None:
    """Do something in a forked child, which may take so many seconds. None where the child lives,
    also when `action` raises; else "aborts" or "runs without end". What it changes is not seen
    here."""
    context()
    child = os.fork()
    if child == 0:
        try:
            _confine(seconds)
            action()
        finally:
            os._exit(0)
    try:
        _, status = os.waitpid(child, 0)
    except ChildProcessError:  # the program ignores SIGCHLD: the system has reaped the child
        return None
    return _manner(os.WTERMSIG(status)) if os.WIFSIGNALED(status) else None


def _manner(number: int) -> str:
    """How a process ends that a signal kills."""
    return "runs without end" if number in (signal.SIGXCPU, signal.SIGKILL) else "aborts"


class Dead(Exception):
    """The child is dead; what the process does with the text must stop here."""


@contextmanager
def tried(
    read: Callable[[], ir.Operation], suspect: Callable[[], Location]
) -> Generator[Trial, None, None]:
    """Try `read` (and what follows) in a child, which runs beside the body of the `with`. The body
    waits with `Trial.passed` before each step.

    Raises SPY107 where MLIR would abort or hang on the text, at the place that `suspect` finds;
    that goes before any error of the body.
    """
    context()
    trial = Trial(read)
    try:
        yield trial
    finally:
        trial.end()
        if trial.death:
            place = suspect()
            hint = "correct or remove what stands at the marked place" if place.line else None
            raise DEADLY.error(place, how=_manner(trial.death), hint=hint) from None


class Survivors:
    """The last texts that a child has survived: MLIR does the same with them every time, so who
    loads a text again need not wait for another child. A text that was forgotten is tried again."""

    def __init__(self, room: int = 256) -> None:
        self.room = room
        self._digests: dict[bytes, None] = {}

    def __contains__(self, text: str) -> bool:
        return self._digest(text) in self._digests

    def __len__(self) -> int:
        return len(self._digests)

    def add(self, text: str) -> None:
        """Note a text, and forget the oldest when there is no room."""
        if len(self) >= self.room:
            del self._digests[next(iter(self._digests))]
        self._digests[self._digest(text)] = None

    @staticmethod
    def _digest(text: str) -> bytes:
        return sha256(text.encode()).digest()


def deadly_line(lines: Sequence[str], read: Callable[[str], object]) -> int | None:
    """The number of the line, from 1, with which a text begins to kill the child that reads it;
    None where it survives its lines: then only the checks at the end of the whole text are deadly.
    """

    def kills(count: int) -> bool:
        return ends(lambda: read("\n".join(lines[:count])), SEARCH_SECONDS) is not None

    if not kills(len(lines)):
        return None
    return bisect_left(range(len(lines)), True, lo=1, key=kills)


@lru_cache(maxsize=1)
def _passes() -> Any:
    """The passes of the trial, made ready by a first run on an empty module."""
    with context():
        found = passmanager.PassManager.parse("builtin.module(canonicalize)")
        found.run(ir.Module.create(ir.Location.unknown()).operation)
        return found


def _confine(seconds: int) -> None:
    """In the child: no output, no core file, little time, and signals that end it."""
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL):
        signal.signal(number, signal.SIG_DFL)


def _try(read: Callable[[], ir.Operation], report: int) -> None:
    """In the child: everything that is later done with the text; ordinary failures are fine."""
    _confine(CPU_SECONDS)
    try:
        op = read()
        os.write(report, bytes([PARSED]))
        op.get_asm(assume_verified=True)
        os.write(report, bytes([PRINTED]))
        with context():
            _passes().run(op)
    except BaseException:
        return
