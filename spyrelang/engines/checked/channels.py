"""FIFOs and signals between ordered pairs of units."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spyrelang.engines.checked.clocks import Clock
from spyrelang.engines.checked.vectors import Vector

if TYPE_CHECKING:
    from spyrelang.engines.checked.unit import UnitRun


@dataclass(slots=True)
class Packet:
    """A vector under way: with what its sender knew, the cycle it is there, and its place."""

    vector: Vector
    clock: Clock
    time: int
    loc: int


@dataclass(slots=True)
class Signal:
    """A signal under way."""

    clock: Clock
    time: int
    loc: int


@dataclass(eq=False)
class Fifo:
    """Vectors from one unit to another, at most `depth` at a time. `freed` holds the cycles at
    which the latest slots became free."""

    depth: int
    queue: deque[Packet] = field(default_factory=deque[Packet])
    freed: deque[int] = field(default_factory=deque[int])
    reader: UnitRun | None = None
    writer: UnitRun | None = None

    def __post_init__(self) -> None:
        self.freed.extend([0] * self.depth)

    @property
    def full(self) -> bool:
        return len(self.queue) >= self.depth

    def put(self, packet: Packet) -> None:
        self.queue.append(packet)

    def slot_free_at(self) -> int:
        """Cycle at which the slot that the next vector takes became free."""
        return self.freed.popleft()

    def take(self, time: int) -> Packet:
        """The oldest vector; its slot is free from cycle `time` or the vector's arrival on."""
        packet = self.queue.popleft()
        self.freed.append(max(time, packet.time))
        return packet


@dataclass(eq=False)
class Wire:
    """Signals from one unit to another; they count."""

    queue: deque[Signal] = field(default_factory=deque[Signal])
    reader: UnitRun | None = None
