"""Runs the units of one program call until all have finished, in a seeded order."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from spyrelang.engines.checked.machine import Machine
from spyrelang.engines.checked.unit import UnitRun
from spyrelang.errors import Note
from spyrelang.errors.engine import DEADLOCK, SIGNALS_LEFT, VECTORS_LEFT

_REPORT_EVERY = 0.1  # seconds between calls of the progress function
_EARLY_CHANCE = 0.25


class Scheduler:
    """Runs `units`. `tick` is called at most ten times a second."""

    def __init__(
        self, machine: Machine, units: Sequence[UnitRun], tick: Callable[[], None]
    ) -> None:
        self.machine = machine
        self.units = units
        self._tick = tick
        self._ready = list(units)
        self._random = machine.random
        self._current: UnitRun | None = None
        self._next_report = time.monotonic() + _REPORT_EVERY
        for unit in units:
            unit.wake = self._wake

    def run(self) -> int:
        """Run to the end and return the latest cycle. Raises SPY510 when units block for good."""
        running = len(self._ready)
        try:
            while running:
                if not self._ready:
                    self._deadlock()
                running -= self._step(self._pick())
        finally:
            for unit in self.units:
                unit.steps.close()
        for unit in self.units:
            unit.finish()
        self.machine.raise_deferred()
        self._check_leftovers()
        self.machine.clocks.barrier()
        return max((u.time for u in self.units), default=0)

    def _wake(self, unit: UnitRun) -> None:
        unit.blocked = None
        self._ready.append(unit)
        if self.machine.options.order == "pipeline" and self._current is not None:
            self._current.grant(1)  # a consumer that can go on goes first

    def _pick(self) -> UnitRun:
        ready = self._ready
        if self.machine.options.order == "pipeline":
            position = max(range(len(ready)), key=lambda i: ready[i].rank)
        else:
            position = self._random.randrange(len(ready))
        ready[position], ready[-1] = ready[-1], ready[position]
        return ready.pop()

    def _step(self, unit: UnitRun) -> bool:
        """Run a unit until it blocks, gives way, or ends (True)."""
        if self.machine.options.timing == "random" and self._random.random() < _EARLY_CHANCE:
            self._complete_some()
        most = self.machine.options.burst
        in_order = self.machine.options.order == "pipeline"
        self._current = unit
        unit.grant(most if in_order else self._random.randint(1, max(1, most)))
        try:
            unit.blocked = next(unit.steps)
        except StopIteration:
            return True
        if unit.blocked is None:
            self._ready.append(unit)
        if time.monotonic() > self._next_report:
            self._next_report = time.monotonic() + _REPORT_EVERY
            self._tick()
        return False

    def _complete_some(self) -> None:
        waiting = [u for u in self.units if u.transfers.pending]
        if waiting:
            self._random.choice(waiting).transfers.complete_one()

    # --- what can be wrong ----------------------------------------------------------------------

    def _deadlock(self) -> None:
        stuck = [u for u in self.units if u.blocked is not None]
        notes = [
            Note(
                f"{u.name} waits for {u.blocked}{self._fate(u.peer)}", self.machine.location(u.loc)
            )
            for u in stuck
        ]
        place = self.machine.location(stuck[0].loc)
        raise DEADLOCK.error(place, notes=notes, program=self.machine.program, count=len(stuck))

    def _fate(self, unit: int) -> str:
        """What became of a unit that others wait for, where it cannot help any more."""
        found = next((u for u in self.units if u.unit == unit), None)
        if found is None:
            return ", which has no part in this program"
        return ", which has ended" if found.blocked is None else ""

    def _check_leftovers(self) -> None:
        machine, policy = self.machine, self.machine.options.leftovers
        for channels, kind in ((machine.wires, SIGNALS_LEFT), (machine.fifos, VECTORS_LEFT)):
            for (sender, receiver), channel in channels.items():
                if not channel.queue:
                    continue
                count, loc = len(channel.queue), channel.queue[0].loc
                channel.queue.clear()
                if policy == "off":
                    continue
                error = kind.error(
                    machine.location(loc),
                    count=count,
                    sender=machine.unit_name(sender),
                    receiver=machine.unit_name(receiver),
                    program=machine.program,
                )
                machine.found(policy, error, (sender, receiver))
        machine.fifos.clear()
