"""Invariants of a placed program. A violation is a bug of a pass, or of an edited schedule."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from spyrelang.errors import internal_error
from spyrelang.schedule import structure as structures
from spyrelang.schedule.model import Program
from spyrelang.schedule.sizes import ALIGNMENT, buffer_bytes
from spyrelang.schedule.structure import HandOff, Structure

Meeting = tuple[str, str, int, str]
"""Producer, consumer, level, and "fill" or "release"."""


def check(program: Program) -> None:
    """Raise SPY900 unless buffers keep apart, FIFOs keep their order and all units meet in one
    order."""
    structure = structures.levels(program)
    for problem in problems(program, structure):
        raise internal_error("placed", f"program {program.name}: {problem}", program.location)


def problems(program: Program, structure: Structure) -> Iterator[str]:
    """What is wrong, in words; nothing for a sound program."""
    yield from _overlaps(program, structure)
    yield from _fifos(program, structure)
    yield from _meetings(program, structure)


def _overlaps(program: Program, structure: Structure) -> Iterator[str]:
    for a, b in combinations(structure.buffers, 2):
        if a.memory != b.memory or a.address is None or b.address is None:
            continue
        ends = a.address + buffer_bytes(program, a), b.address + buffer_bytes(program, b)
        if a.address < ends[1] and b.address < ends[0]:
            yield f"buffers {a.name} and {b.name} overlap in {a.memory}"
    for buffer in structure.buffers:
        if buffer.address is not None and buffer.address % ALIGNMENT:
            yield f"buffer {buffer.name} is not aligned"


def _fifos(program: Program, structure: Structure) -> Iterator[str]:
    """The compute unit takes and gives vectors in operand order; so must the units round it."""
    roles = {"in": structure.reads, "out": structure.writes}
    for role, ports in roles.items():
        wanted = [i for i, operand in enumerate(program.operands) if operand.role == role]
        if [port.operand for port in ports] != wanted:
            yield f"the FIFO slots of the '{role}' operands are out of order"


def _meetings(program: Program, structure: Structure) -> Iterator[str]:
    handoffs = structures.handoffs(program, structure)
    units = sorted({h.producer for h in handoffs} | {h.consumer for h in handoffs})
    orders = {unit: _order(program, structure, handoffs, unit) for unit in units}
    for one, other in combinations(units, 2):
        if _between(orders[one], one, other) != _between(orders[other], one, other):
            yield f"{one} and {other} meet in different orders"
    for handoff in handoffs:
        if len({structure.buffers[i].copies for i in handoff.buffers}) > 1:
            yield f"buffers of one hand-off at level {handoff.level} differ in their copies"


def _between(order: list[Meeting], one: str, other: str) -> list[Meeting]:
    return [meeting for meeting in order if {meeting[0], meeting[1]} == {one, other}]


def _order(
    program: Program, structure: Structure, handoffs: tuple[HandOff, ...], unit: str
) -> list[Meeting]:
    """The meetings of one unit in one pass through the nest, as the unit lives through it."""
    before: list[Meeting] = []
    after: list[Meeting] = []
    for level in range(len(structure.levels)):
        own = [h for h in handoffs if h.level == level and unit in (h.producer, h.consumer)]
        inputs = [h for h in own if _is_input(program, structure, h)]
        outputs = [h for h in own if h not in inputs]
        before += _side(inputs, unit)
        closing = _side(outputs, unit)
        closing += [_meeting(h, "release") for h in own if _releases(structure, h)]
        after[:0] = closing
    return before + after


def _side(handoffs: list[HandOff], unit: str) -> list[Meeting]:
    """A unit takes what it moves on before it gives it."""
    taken = [_meeting(h, "fill") for h in handoffs if h.consumer == unit]
    return taken + [_meeting(h, "fill") for h in handoffs if h.producer == unit]


def _meeting(handoff: HandOff, kind: str) -> Meeting:
    return handoff.producer, handoff.consumer, handoff.level, kind


def _is_input(program: Program, structure: Structure, handoff: HandOff) -> bool:
    return program.operands[structure.buffers[handoff.buffers[0]].operand].role == "in"


def _releases(structure: Structure, handoff: HandOff) -> bool:
    return handoff.copies == 1 and structures.refilled(structure, handoff.level)


def footprint(program: Program, structure: Structure) -> dict[str, int]:
    """Bytes of staging by memory kind."""
    used: dict[str, int] = {}
    for buffer in structure.buffers:
        used[buffer.memory] = used.get(buffer.memory, 0) + buffer_bytes(program, buffer)
    return used
