"""The cycle model of the fast engine: an estimate from what each class of units did.

A unit spends one cycle on every vector it loads, stores, computes, sends or receives; a transfer
takes its bytes over the bandwidth of the link between the two memories (64 bytes a cycle where the
device does not state one). Units run side by side, so a program takes as long as its busiest unit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spyrelang.engines.fast.ports import Port
from spyrelang.isa.program import Machine

_BANDWIDTH = 64


@dataclass(eq=False)
class Work:
    """What one unit of a class has done so far in this call."""

    steps: int = 0
    moved: dict[Port, int] = field(default_factory=dict[Port, int])

    def transfer(self, port: Port, nbytes: int) -> None:
        """Count a transfer."""
        self.moved[port] = self.moved.get(port, 0) + nbytes

    def cycles(self, machine: Machine) -> int:
        """The unit's time."""
        total = self.steps
        for port, nbytes in self.moved.items():
            total += -(-nbytes // _bandwidth(port, machine))
        return total


def _bandwidth(port: Port, machine: Machine) -> int:
    kinds = [machine.memories[side.rows[0][0]].kind for side in port.sides]
    for link in machine.links:
        if [link.source, link.target] == kinds and link.bandwidth:
            return link.bandwidth
    return _BANDWIDTH
