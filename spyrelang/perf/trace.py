"""The events of a run as a Chrome trace: a process for each core, a thread for each engine."""

from __future__ import annotations

import json
import os
from pathlib import Path

from spyrelang.engines import Outcome
from spyrelang.errors import usage
from spyrelang.errors.perf import NO_EVENTS
from spyrelang.isa.program import Executable


def write_trace(executable: Executable, outcome: Outcome, path: Path) -> Path:
    """Write `path` (JSON, one model cycle shown as a microsecond); returns it.

    Raises SPY840 for a run without events. The file is written whole or not at all.
    """
    if not getattr(outcome, "events", None):
        raise NO_EVENTS.error(engine=outcome.engine)
    document = {
        "displayTimeUnit": "ns",
        "otherData": {
            "kernel": executable.name,
            "device": executable.machine.name,
            "time": "model cycles",
        },
        "traceEvents": [*_names(executable, outcome), *_events(executable, outcome)],
    }
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_text(json.dumps(document), encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        raise usage.WRITE.error(path=path, reason=error.strerror or error) from None
    return path


def _thread(unit: int, lane: str) -> int:
    """A thread number; transfers of a unit have a thread beside it."""
    return unit * 2 + (lane != "unit")


def _names(executable: Executable, outcome: Outcome) -> list[dict[str, object]]:
    units = executable.machine.units
    cores = sorted({max(0, units[event.unit].core) for event in outcome.events})
    named = [_meta("process_name", core, 0, f"core {core}") for core in cores]
    for unit, lane in sorted({(event.unit, event.lane) for event in outcome.events}):
        name = units[unit].name if lane == "unit" else f"{units[unit].name} {lane}"
        named.append(_meta("thread_name", max(0, units[unit].core), _thread(unit, lane), name))
    return named


def _meta(name: str, process: int, thread: int, value: str) -> dict[str, object]:
    return {"name": name, "ph": "M", "pid": process, "tid": thread, "args": {"name": value}}


def _events(executable: Executable, outcome: Outcome) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for event in outcome.events:
        place = executable.locs[event.loc]
        found.append(
            {
                "name": event.op,
                "cat": event.lane,
                "ph": "X",
                "ts": event.start,
                "dur": max(0, event.end - event.start),
                "pid": max(0, executable.machine.units[event.unit].core),
                "tid": _thread(event.unit, event.lane),
                "args": {"bytes": event.bytes, "line": f"{place.file}:{place.line}"},
            }
        )
    return found
