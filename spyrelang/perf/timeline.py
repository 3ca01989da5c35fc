"""An ASCII timeline of a run: one row for each unit, time from left to right."""

from __future__ import annotations

from collections.abc import Sequence

from spyrelang.display import Report
from spyrelang.engines import Event, Outcome
from spyrelang.errors.perf import NO_EVENTS
from spyrelang.isa.program import Executable

_MARKS = " ░▒▓█"
_WAITING = "·"
WAITS = ("await",)
"""Events in which a unit only waits for another one."""
_MAX_ROWS = 64


def timeline(executable: Executable, outcome: Outcome, width: int = 100) -> Report:
    """How busy each unit was in each slice of time; DMA transfers have a row of their own.

    `width` is the number of slices. Raises SPY840 for a run without events.
    """
    if not getattr(outcome, "events", None):
        raise NO_EVENTS.error(engine=outcome.engine)
    end = max(event.end for event in outcome.events)
    slices = max(1, min(width, end))
    rows: dict[tuple[int, str], list[Event]] = {}
    for event in outcome.events:
        rows.setdefault((event.unit, event.lane), []).append(event)
    names = {key: _name(executable, *key) for key in rows}
    ordered = sorted(rows, key=lambda key: (_order(executable, key[0]), key[1]))
    room = max(len(name) for name in names.values())
    lines = [
        f"{names[key]:<{room}} |{_row(rows[key], end, slices)}|" for key in ordered[:_MAX_ROWS]
    ]
    if len(ordered) > _MAX_ROWS:
        lines.append(f"… and {len(ordered) - _MAX_ROWS} more units")
    lines.append(f"{'':<{room}} 0{'':<{max(0, slices - len(str(end)))}}{end} cycles")
    return Report(f"{executable.name}: timeline", tuple(lines))


def _name(executable: Executable, unit: int, lane: str) -> str:
    name = executable.machine.units[unit].name
    return name if lane == "unit" else f"{name} {lane}"


def _order(executable: Executable, unit: int) -> tuple[int, int]:
    """Cores one after the other, in each core in the order data flows."""
    return executable.machine.units[unit].core, unit


def _row(events: Sequence[Event], end: int, slices: int) -> str:
    """Share of each slice in which the unit was busy, as a shade; dots where it only waited."""
    busy = _shares([e for e in events if e.op not in WAITS], end, slices)
    waiting = _shares([e for e in events if e.op in WAITS], end, slices)
    return "".join(_mark(b, w) for b, w in zip(busy, waiting, strict=True))


def _mark(busy: float, waiting: float) -> str:
    if busy < 0.1 and waiting > busy:
        return _WAITING
    return _MARKS[min(4, round(min(1.0, busy) * 4 + 0.49))]


def _shares(events: Sequence[Event], end: int, slices: int) -> list[float]:
    shares = [0.0] * slices
    scale = slices / max(1, end)
    for event in events:
        start, stop = event.start * scale, max(event.start + 1, event.end) * scale
        for number in range(int(start), min(slices, int(stop) + 1)):
            shares[number] += max(0.0, min(stop, number + 1) - max(start, number))
    return shares
