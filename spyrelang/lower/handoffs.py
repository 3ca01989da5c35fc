"""Where units meet: the signals that order a buffer's filling, its use and its refilling.

A meeting is the public rendezvous: both sides send, then both receive. With two copies (or a buffer
filled once) one meeting an iteration is exact: when the consumer arrives to take tile k it is done
with tile k-1, whose copy the producer fills next. With one copy that is refilled, a second meeting
follows when the consumer is done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from spyrelang.ir.emit import Emitter
from spyrelang.ir.index import Value
from spyrelang.lower.context import UnitContext
from spyrelang.schedule.structure import HandOff, Structure


@dataclass
class Meetings:
    """The hand-offs of one unit kind. `seats(kind)` gives, for each unit of this program unit, the
    handles of its partners of another kind (several when that kind has one per corelet)."""

    context: UnitContext
    structure: Structure
    handoffs: Sequence[HandOff]
    partners: Callable[[str], list[list[Value]]]

    def peer(self, kind: str) -> Value:
        """The one unit of `kind` at the other end of this unit's FIFO."""
        return self.context.select([group[0] for group in self.partners(kind)])

    def consume(self, emitter: Emitter, level: int, side: str) -> None:
        """Before this unit uses what others filled at this level."""
        self._meet(
            emitter,
            [h for h in self._at(level, side) if h.consumer == self.context.kind],
            lambda h: h.producer,
        )

    def produce(self, emitter: Emitter, level: int, side: str) -> None:
        """After this unit filled buffers of this level."""
        self._meet(
            emitter,
            [h for h in self._at(level, side) if h.producer == self.context.kind],
            lambda h: h.consumer,
        )

    def release(self, emitter: Emitter, level: int) -> None:
        """At the end of a level: single buffers are free again only now."""
        single = [h for h in self.handoffs if h.level == level and self._refilled_single(h)]
        kind = self.context.kind
        self._meet(emitter, [h for h in single if h.consumer == kind], lambda h: h.producer)
        self._meet(emitter, [h for h in single if h.producer == kind], lambda h: h.consumer)

    def _at(self, level: int, side: str) -> list[HandOff]:
        return [h for h in self.handoffs if h.level == level and self._side(h) == side]

    def _side(self, handoff: HandOff) -> str:
        """Input buffers are filled before the inner part of their level, output buffers after."""
        operand = self.structure.buffers[handoff.buffers[0]].operand
        return "after" if self.context.program.operands[operand].role == "out" else "before"

    def _refilled_single(self, handoff: HandOff) -> bool:
        loops = self.structure.loops[: handoff.level]
        return handoff.copies == 1 and any(spec.trips != 1 for spec in loops)

    def _meet(
        self, emitter: Emitter, handoffs: Sequence[HandOff], other: Callable[[HandOff], str]
    ) -> None:
        for handoff in handoffs:
            peers = [
                self.context.select(list(column))
                for column in zip(*self.partners(other(handoff)), strict=True)
            ]
            for peer in peers:
                emitter.op(
                    "dataflow.sync_send", [peer], {"wait_immediately_for_async_transfers": "true"}
                )
            for peer in peers:
                emitter.op("dataflow.sync_recv", [peer])
