"""Copies from the device that a plan asks for."""

from __future__ import annotations

from spyrelang.errors.launch import COPY_BOUNDS, COPY_RANGE
from spyrelang.runtime.placement import Bound
from spyrelang.runtime.program import ProgramMemory
from spyrelang.spyrecode.plan import DataTransfer
from spyrelang.spyrecode.segments import PROGRAM_SEGMENT, SEGMENT


def copy_from_device(
    command: DataTransfer, program: ProgramMemory, bound: Bound, *, bound_mode: bool
) -> bytes:
    """The bytes a transfer to the host moves: from the program's memory, or, when addresses are
    bound, from a tensor. Raises SPY733, SPY734."""
    address, size = command.dev_ptr, command.size
    if address >= PROGRAM_SEGMENT:
        return program.load(address, size)
    region = next(
        (r for r in bound.memory.regions if r.address <= address < max(r.end, r.address + 1)), None
    )
    if region is None or not bound_mode:
        raise COPY_RANGE.error(
            address=address, segment=address // SEGMENT, count=len(bound.operands)
        )
    offset = address - region.address
    if offset + size > region.nbytes:
        raise COPY_BOUNDS.error(address=address, size=size, limit=region.nbytes - offset)
    return region.data[offset : offset + size].tobytes()
