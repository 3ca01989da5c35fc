"""How far each unit is from the units that read device memory, for order="pipeline"."""

from __future__ import annotations

from collections import deque

from spyrelang.engines.checked.scalars import at
from spyrelang.isa import program as p
from spyrelang.isa.visit import instructions


def ranks(executable: p.Executable, program: int) -> dict[int, int]:
    """For each unit the number of hand-offs between it and the nearest reader of device memory.
    Units without a path to one have the highest rank."""
    bodies = executable.programs[program].units
    near = _neighbours(bodies)
    first = [u for body in bodies if _reads_device(executable, body) for u in body.units]
    found = dict.fromkeys(first, 0)
    pending = deque(first)
    while pending:
        unit = pending.popleft()
        for other in sorted(near.get(unit, ())):
            if other not in found:
                found[other] = found[unit] + 1
                pending.append(other)
    last = max(found.values(), default=0) + 1
    return {u: found.get(u, last) for body in bodies for u in body.units}


def _neighbours(bodies: tuple[p.ProgramUnit, ...]) -> dict[int, set[int]]:
    near: dict[int, set[int]] = {}
    for body in bodies:
        for i in instructions(body.body):
            if isinstance(i, p.Send | p.Receive | p.SyncSend | p.SyncReceive):
                for position, unit in enumerate(body.units):
                    other = at(i.peers, position)
                    near.setdefault(unit, set()).add(other)
                    near.setdefault(other, set()).add(unit)
    return near


def _reads_device(executable: p.Executable, body: p.ProgramUnit) -> bool:
    memories = executable.machine.memories
    on_device = {
        i.dst
        for i in instructions(body.body)
        if isinstance(i, p.View) and all(memories[m].scope == "device" for m in i.memories)
    }
    return any(
        (isinstance(i, p.Transfer) and i.source.view in on_device)
        or (isinstance(i, p.Load) and i.access.view in on_device)
        for i in instructions(body.body)
    )
