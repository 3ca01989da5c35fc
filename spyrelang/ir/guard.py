"""Trying foreign text in a child process before MLIR sees it in ours.

MLIR's parser aborts the process on a few malformed texts. A forked child parses, verifies and
canonicalises the text; only when it lives is the text parsed here.
"""

from __future__ import annotations

import os
import re
import resource
import signal

from mlir import ir, passmanager

from spyrelang.errors import Location
from spyrelang.errors.text import DEADLY
from spyrelang.ir.context import context
from spyrelang.ir.sourcemap import location_at

CPU_SECONDS = 60
"""Time the child may take before the text is refused."""


_USUAL_CAUSES = re.compile(r"array<\s*(?!i\d|f\d|bf16)\w*|iterator_types\s*=\s*\[(?!\s*[\"\]])")


def survives(text: str, filename: str, source: str) -> None:
    """Raise SPY107 when MLIR would abort or hang on this text, made from the author's `source`."""
    context()
    child = os.fork()
    if child == 0:
        try:
            _try(text)
        finally:
            os._exit(0)
    try:
        _, status = os.waitpid(child, 0)
    except ChildProcessError:  # the program ignores SIGCHLD: the system has reaped the child
        return
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        hangs = number in (signal.SIGXCPU, signal.SIGKILL)
        raise DEADLY.error(
            _suspect(source, filename), how="runs without end" if hangs else "aborts"
        )


def _suspect(source: str, filename: str) -> Location:
    """The first of the texts known to kill the parser, or the file alone."""
    found = _USUAL_CAUSES.search(source)
    if found is None:
        return Location(filename)
    return location_at(source, filename, found.start(), len(found.group()))


def _try(text: str) -> None:
    """In the child: everything that is later done with the text; ordinary failures are fine."""
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL):
        signal.signal(number, signal.SIG_DFL)
    try:
        op = ir.Operation.parse(text, context=context())
        op.operation.verify()
        str(op)
        with context():
            passmanager.PassManager.parse("builtin.module(canonicalize)").run(op.operation)
    except BaseException:
        return
