"""What a run did: time by engine kind, bytes moved, coverage, findings."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from spyrelang.display import Report, Table
from spyrelang.engines import Coverage
from spyrelang.errors import SpyreError, SpyreWarning
from spyrelang.isa.program import Executable
from spyrelang.perf.timeline import WAITS


def run_report(executable: Executable | None, outcome: Any) -> Report:
    """Busy cycles of each unit kind (with engine "checked"), and which elements of each output were
    never or doubly written."""
    cycles = int(getattr(outcome, "cycles", 0))
    lines = [f"{cycles} cycles"] if cycles else []
    lines += [str(text) for text in getattr(outcome, "reports", ())]
    lines += _covered(outcome)
    lines += [_finding(warning) for warning in getattr(outcome, "warnings", ())]
    tables: list[Table] = []
    events = list(getattr(outcome, "events", ()))
    if executable is not None and events:
        tables.append(_busy(executable, events, cycles))
    name = executable.name if executable is not None else "kernel"
    return Report(f"{name}: run", tuple(lines), tuple(tables), {"cycles": cycles})


def _busy(executable: Executable, events: list[Any], cycles: int) -> Table:
    busy: dict[str, int] = defaultdict(int)
    moved: dict[str, int] = defaultdict(int)
    units: dict[str, set[int]] = defaultdict(set)
    for event in events:
        kind = executable.machine.units[event.unit].kind
        if event.op in WAITS:
            continue
        key = kind if event.lane == "unit" else f"{kind} {event.lane}"
        busy[key] += max(0, event.end - event.start)
        moved[key] += event.bytes
        units[key].add(event.unit)
    rows = tuple(
        (
            key,
            len(units[key]),
            busy[key],
            moved[key],
            _share(busy[key], units[key], cycles),
        )
        for key in sorted(busy, key=lambda k: -busy[k] / len(units[k]))
    )
    return Table("busiest first", ("engine", "units", "busy cycles", "bytes", "of the time"), rows)


def _share(busy: int, units: set[int], cycles: int) -> str:
    return f"{100.0 * busy / max(1, cycles) / max(1, len(units)):.0f} %"


def _finding(found: Any) -> str:
    """What did not stop the run, said as a warning."""
    return str(SpyreWarning(found)) if isinstance(found, SpyreError) else str(found)


def _covered(outcome: Any) -> list[str]:
    """A line for each argument. A run that simulated some cores only says so instead."""
    if not getattr(outcome, "complete", True):
        cores = ", ".join(map(str, getattr(outcome, "cores", ())))
        return [f"simulated cores {cores}; what the others wrote was computed by engine fast"]
    return [_coverage(item) for item in getattr(outcome, "coverage", ())]


def _coverage(item: Any) -> str:
    """Bytes (of the engines' masks) or elements (of the interpreter's) never or doubly written."""
    if not isinstance(item, Coverage):
        return _elements(item)
    written = np.asarray(item.written)
    missing = int((~written).sum())
    text = "every byte written"
    if missing:
        text = f"{missing} of {written.size} bytes never written"
    if len(item.twice):
        text += f", {len(item.twice)} ranges written by two cores"
    return f"{item.name}: {text}"


def _elements(item: Any) -> str:
    """An array of the interpreter: what of an input was never read, of an output never or more than
    once written."""
    parts: list[str] = []
    for verb, mask in (("read", np.asarray(item.read)), ("written", np.asarray(item.written))):
        wanted = item.role == "inout" or (item.role == "in") == (verb == "read")
        missing = int((~mask).sum())
        if wanted or (verb == "written" and mask.any()):
            parts.append(
                f"{missing} of {mask.size} elements never {verb}"
                if missing
                else f"every element {verb}"
            )
    twice = int(np.asarray(item.twice).sum())
    if twice:
        parts.append(f"{twice} written more than once")
    return f"{item.name}: {', '.join(parts)}"
