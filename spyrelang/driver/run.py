"""What a run gives back."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spyrelang.errors import SpyreWarning
from spyrelang.errors.interp import UNWRITTEN_OUTPUT
from spyrelang.language.place import author_frame

if TYPE_CHECKING:
    from spyrelang import display
    from spyrelang.driver.compiled import Compiled
    from spyrelang.engines import Event


class Run:
    """One finished run. `outcome` is what the engine reported.

    `events`, `timeline` and `trace` need engine "checked"; `cycles` is the model's time, from
    "fast" an estimate, from "ktir" 0. `known`: so many of the warnings are older than the run.
    """

    def __init__(self, compiled: Compiled, engine: str, outcome: Any, known: int = 0) -> None:
        self.compiled = compiled
        self.engine = engine
        self.outcome = outcome
        self._known = known

    @property
    def cycles(self) -> int:
        """Model cycles from start to end."""
        return int(getattr(self.outcome, "cycles", 0))

    @property
    def events(self) -> list[Event]:
        """What each unit did and when; empty unless the engine was "checked"."""
        return list(getattr(self.outcome, "events", ()))

    @property
    def warnings(self) -> list[Any]:
        """Findings that did not stop the run."""
        return list(getattr(self.outcome, "warnings", ()))

    @property
    def prints(self) -> list[str]:
        """The lines that `spy.print_` has printed."""
        return list(getattr(self.outcome, "prints", ()))

    def told(self, known: bool = False) -> Run:
        """This run, with what engine "ktir" found told as Python warnings at the author's call;
        with `known` also what was found before it ran.

        Outputs that were not fully written are left to `report()`: scatters and kernels that work
        in place never write everything.
        """
        frame = author_frame()
        if self.engine != "ktir" or frame is None:
            return self
        seen = frame.f_globals.setdefault("__warningregistry__", {})
        place = (frame.f_code.co_filename, frame.f_lineno)
        for error in self.warnings[0 if known else self._known :]:
            if error.kind is not UNWRITTEN_OUTPUT:
                warnings.warn_explicit(SpyreWarning(error), SpyreWarning, *place, registry=seen)
        return self

    def timeline(self, width: int = 100) -> display.Report:
        """One row a unit, time from left to right."""
        from spyrelang.perf import timeline

        return timeline(self.compiled.executable, self.outcome, width)

    def trace(self, path: str | Path) -> Path:
        """Write the events as a Chrome trace (chrome://tracing, Perfetto); returns the path."""
        from spyrelang.perf import write_trace

        return write_trace(self.compiled.executable, self.outcome, Path(path))

    def report(self) -> display.Report:
        """Where the time went, and which elements were read and written."""
        from spyrelang.perf import run_report

        return run_report(self.compiled.executable if self.engine != "ktir" else None, self.outcome)

    def __repr__(self) -> str:
        return f"<Run {self.compiled.name}, engine {self.engine}, {self.cycles} cycles>"
