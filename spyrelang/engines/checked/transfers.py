"""The transfer queue of one unit: transfers complete in order, as late or as early as asked."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from spyrelang.engines.checked.accesses import Accesses, Actor, ViewValue
from spyrelang.engines.checked.clocks import Clock
from spyrelang.engines.checked.machine import Machine
from spyrelang.engines.checked.pattern import Pattern
from spyrelang.isa.program import Transfer


@dataclass(slots=True)
class Pending:
    """A transfer that was issued: both ends, and what its unit knew then."""

    instr: Transfer
    source: tuple[ViewValue, list[int], Pattern]
    target: tuple[ViewValue, list[int], Pattern]
    clock: Clock


class TransferQueue:
    """Transfers of `unit`. `time` is the cycle at which the last one is complete."""

    def __init__(self, machine: Machine, accesses: Accesses, unit: int, core: int) -> None:
        self.machine = machine
        self.accesses = accesses
        self.unit = unit
        self.core = core
        self.thread = 2 * unit + 2
        self.pending: deque[Pending] = deque()
        self.time = 0
        self._busy_until = 0

    def issue(self, transfer: Pending, now: int) -> None:
        """Enter a transfer at cycle `now`; with early timing it completes at once."""
        self._account(transfer, now)
        self.pending.append(transfer)
        if self.machine.options.timing == "early":
            self.complete_all()

    def complete_all(self) -> None:
        """Complete everything that is pending."""
        while self.pending:
            self.complete_one()

    def complete_one(self) -> None:
        """Complete the oldest: only now is the source read and the target written."""
        transfer = self.pending.popleft()
        self.machine.clocks.join(self.thread, transfer.clock)
        actor = Actor(self.unit, self.core, self.thread, transfer.instr.loc)
        source = self.accesses.window(*transfer.source, actor)
        target = self.accesses.window(*transfer.target, actor)
        if source is None or target is None:
            return
        data, poison, origin = self.accesses.read(source, actor)
        self.accesses.write(target, data, poison, origin, actor)

    def check(self, transfer: Pending) -> None:
        """Raise bounds and alignment faults at issue, where the author looks for them."""
        actor = Actor(self.unit, self.core, self.thread, transfer.instr.loc)
        self.accesses.window(*transfer.source, actor)
        self.accesses.window(*transfer.target, actor)

    def _account(self, transfer: Pending, now: int) -> None:
        view, _, pattern = transfer.source
        nbytes = pattern.count * pattern.size
        rate, latency = self.machine.path(view.memory, self.unit, transfer.target[0].memory)
        start = max(self._busy_until, now)
        self._busy_until = start + -(-nbytes // rate)
        self.time = self._busy_until + latency
        self.machine.event(
            self.unit, "transfer", start, self.time, nbytes, transfer.instr.loc, "dma"
        )
