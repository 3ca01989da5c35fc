"""The table of cases, and what the author reads of one."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import spyrelang as spyre
from spyrelang.cli.main import main
from spyrelang.errors import SpyreError, SpyreWarning


@dataclass(frozen=True)
class Case:
    """A mistake that leads to an error or a warning of one code.

    `run` takes nothing, or a directory for files of its own. It raises, warns, returns errors (of
    things that list what they find) or returns what a command printed.
    """

    code: str
    name: str
    run: Callable[..., object]
    source: Callable[..., object]  # the function that the author of the mistake wrote

    @property
    def key(self) -> str:
        return f"{self.code}-{self.name}" if self.name else self.code


CASES: dict[str, Case] = {}
Run = Callable[..., object]


def raises(code: str, name: str = "") -> Callable[[Run], Run]:
    """Enter a function into the table."""

    def enter(run: Run) -> Run:
        _enter(Case(code, name, run, run))
        return run

    return enter


def _enter(case: Case) -> None:
    assert case.key not in CASES, f"two cases {case.key}: give one of them a name"
    CASES[case.key] = case


def traced(code: str, name: str = "", **options: Any) -> Callable[[Run], Run]:
    """Enter a kernel that is called with the arrays its parameters name."""

    def enter(function: Run) -> Run:
        def run() -> object:
            arrays = {name: ARRAYS[name].copy() for name in inspect.signature(function).parameters}
            return spyre.kernel(function, **options)(**arrays, engine="ktir")

        _enter(Case(code, name, run, function))
        return function

    return enter


ARRAYS = {
    "x": np.ones((8, 64), np.float16),
    "y": np.ones((8, 64), np.float16),
    "wide": np.ones((8, 64), np.float32),
    "rows": np.arange(8, dtype=np.int32),
    "out": np.zeros((8, 64), np.float16),
}
"""What `traced` passes, by the name of the parameter."""


def raising(texts: dict[str, str], run: Callable[[str], object]) -> None:
    """Enter one case for each text; the keys are those of golden files: "SPY101", "SPY101-name"."""
    for key, text in texts.items():
        code, _, name = key.partition("-")

        def case(text: str = text) -> object:
            return run(text)

        _enter(Case(code, name, case, run))


def command(*words: object) -> str:
    """What a command line prints on stderr; it must not succeed."""
    printed = io.StringIO()
    with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(io.StringIO()):
        assert main([str(word) for word in words]) != 0
    return printed.getvalue().rstrip()


def rendering(case: Case, folder: Path) -> str:
    """What the author reads, in a form that no machine and no other case has a part in."""
    parameters = [
        p for p in inspect.signature(case.run).parameters.values() if p.default is p.empty
    ]
    found = _found(case, [folder] if parameters else [])
    return "\n".join(_stable(text, case, folder) for text in found)


def _found(case: Case, arguments: list[Path]) -> list[str]:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            result = case.run(*arguments)
        except SpyreError as error:
            return [error.render()]
    told: list[Any] = [warning.message for warning in warned]
    known = [id(warning.error) for warning in told if isinstance(warning, SpyreWarning)]
    findings = told + [finding for finding in _listed(result) if id(finding) not in known]
    return [
        finding.render() if isinstance(finding, SpyreError) else str(finding)
        for finding in findings
        if isinstance(finding, (SpyreError, SpyreWarning, str))
        and (isinstance(finding, str) or finding.code == case.code)
    ]


def _listed(result: object) -> Iterable[Any]:
    if isinstance(result, (str, SpyreError, SpyreWarning)):
        return [result]
    return result if isinstance(result, (list, tuple)) else []


def _stable(text: str, case: Case, folder: Path) -> str:
    """Lines of a case counted from its first one (of other lines of its file no number), paths
    without directories, no addresses."""
    text = text.replace(str(folder), "/tmp")
    source = case.source.__code__
    file = Path(source.co_filename).name
    place = re.compile(rf"(/{re.escape(file)}:)(\d+)((?::\d+)?(?:\n|$))( *\d+)?")

    def counted(match: re.Match[str]) -> str:
        line = int(match[2]) - source.co_firstlineno + 1
        number = str(line) if line > 0 else "*"
        return f"{match[1]}{number}{match[3]}" + (f"{number:>5}" if match[4] else "")

    return normalised(place.sub(counted, text))


def normalised(message: str) -> str:
    """Paths without their directories, addresses of objects blanked."""
    message = re.sub(r"(?<![\w<])(?:/[\w.\-]+)+/([\w.\-]+)", r"\1", message)
    return re.sub(r"0x[0-9a-f]{9,}", "0x…", message) + "\n"
