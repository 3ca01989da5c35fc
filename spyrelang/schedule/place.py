"""`place`: byte addresses of the staging buffers, first fit round what the kernel pinned.

Every program starts anew: programs follow each other, so their buffers may share bytes. Within a
program all staging buffers are in use at once, since loads of the next tile overlap the last one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from spyrelang.errors import schedule as errors
from spyrelang.schedule import structure as structures
from spyrelang.schedule.checks import check, footprint
from spyrelang.schedule.model import Kernel, Operand, Placement, Program
from spyrelang.schedule.pipeline import is_pinned
from spyrelang.schedule.sizes import align, buffer_bytes, element_bytes, view_span
from spyrelang.schedule.structure import Structure
from spyrelang.schedule.target import Target


@dataclass(frozen=True, order=True)
class Range:
    """Bytes [start, end) of a memory that are in use in steps [first, last] of a program."""

    start: int
    end: int
    first: int = 0
    last: int = 0

    def meets(self, other: Range) -> bool:
        """Whether both want some byte at some step."""
        together = self.first <= other.last and other.first <= self.last
        return together and self.start < other.end and other.start < self.end


Reserved = Mapping[str, tuple[Range, ...]]
"""Ranges no staging buffer may use, by memory kind."""


def reserved_ranges(programs: Iterable[Program], device: Target) -> Reserved:
    """What the programs pin in scratchpad. Raises SPY434 for ranges outside of it."""
    found: dict[str, set[Range]] = {}
    for program in programs:
        for operand in program.operands:
            if operand.base.param < 0 and is_pinned(operand, device):
                found.setdefault(operand.memory, set()).add(_pinned(operand, device))
    return {memory: tuple(sorted(ranges)) for memory, ranges in found.items()}


def _pinned(operand: Operand, device: Target) -> Range:
    size = element_bytes(operand.dtype)
    start = operand.base.constant * size
    end = start + view_span(operand) * size
    capacity = device.capacity(operand.memory)
    if start < 0 or end > capacity:
        raise errors.PINNED_RANGE.error(
            operand.location,
            name=operand.name,
            start=start,
            end=end,
            memory=operand.memory,
            capacity=capacity,
        )
    return Range(start, end)


def first_fit(
    sizes: Sequence[int], taken: Sequence[Range], capacity: int, lives: Sequence[tuple[int, int]]
) -> tuple[int, ...] | None:
    """An address for each size, the lowest that is free during its life; None when one has none.

    Sizes and addresses are bytes and multiples of the buffer alignment."""
    used = list(taken)
    addresses: list[int] = []
    for size, (first, last) in zip(sizes, lives, strict=True):
        candidates = sorted({0, *(align(r.end) for r in used)})
        wanted = (Range(start, start + size, first, last) for start in candidates)
        free = next((w for w in wanted if not any(w.meets(r) for r in used)), None)
        if free is None or free.end > capacity:
            return None
        used.append(free)
        addresses.append(free.start)
    return tuple(addresses)


def assign(
    program: Program, structure: Structure, device: Target, reserved: Reserved
) -> tuple[int, ...] | None:
    """Addresses of all staging buffers, in their order; None when some memory is too small."""
    addresses = [0] * len(structure.buffers)
    for memory in dict.fromkeys(buffer.memory for buffer in structure.buffers):
        own = [i for i, buffer in enumerate(structure.buffers) if buffer.memory == memory]
        sizes = [buffer_bytes(program, structure.buffers[i]) for i in own]
        taken = [replace(r, last=0) for r in reserved.get(memory, ())]
        found = first_fit(sizes, taken, device.capacity(memory), [(0, 0)] * len(own))
        if found is None:
            return None
        for index, address in zip(own, found, strict=True):
            addresses[index] = address
    return tuple(addresses)


def free_bytes(device: Target, memory: str, reserved: Reserved) -> int:
    """Bytes of a memory that nothing is pinned to (overlapping pins count once)."""
    free, end = device.capacity(memory), 0
    for r in sorted(reserved.get(memory, ())):
        free -= max(0, r.end - max(r.start, end))
        end = max(end, r.end)
    return free


def place(program: Program, device: Target, reserved: Reserved | None = None) -> Program:
    """Decide `placement`. `reserved`: what the whole kernel pins (default: this program's pins).

    Raises SPY433 where sizes given by hand do not fit, SPY434 for pins outside of their memory.
    """
    pins = reserved_ranges([program], device) if reserved is None else reserved
    structure = structures.levels(program)
    addresses = assign(program, structure, device, pins)
    if addresses is None:
        raise capacity_error(program, device, pins)
    placed = replace(program, placement=Placement(addresses))
    check(placed)
    return placed


def capacity_error(program: Program, device: Target, reserved: Reserved) -> Exception:
    """SPY433 for the memory that the program's sizes overflow most."""
    structure = structures.levels(program)
    needs = footprint(program, structure)
    free = {memory: free_bytes(device, memory, reserved) for memory in needs}
    memory = max(needs, key=lambda m: needs[m] - free[m])
    detail = " in pieces" if needs[memory] <= free[memory] else ""
    return errors.CAPACITY.error(
        program.location, need=needs[memory], memory=memory, capacity=free[memory], detail=detail
    )


def reserve(kernel: Kernel, device: Target) -> Reserved:
    """What all programs of a kernel pin: data may live from one program to a later one."""
    return reserved_ranges(kernel.programs, device)
