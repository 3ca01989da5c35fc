"""Whether decisions that were read from text are possible on the device.

Passes decide within the device's limits; a person who edits text may not.
"""

from __future__ import annotations

from math import prod

from spyrelang.errors import Location
from spyrelang.errors import schedule as limits
from spyrelang.errors import schedule_text as errors
from spyrelang.schedule import structure as structures
from spyrelang.schedule.checks import problems
from spyrelang.schedule.model import Program
from spyrelang.schedule.place import Reserved
from spyrelang.schedule.sizes import buffer_bytes
from spyrelang.schedule.structure import Structure
from spyrelang.schedule.target import Target
from spyrelang.schedule.text import ops
from spyrelang.schedule.text.ops import Op


def check_fit(program: Program, function: Op, device: Target, reserved: Reserved) -> None:
    """Raise SPY435, SPY442 or SPY443 at the op that asks for too much."""
    _check_cores(program, function, device)
    _check_lanes(program, function, device)
    if program.sizes is None:
        return
    _check_whole(program, function)
    if program.placement is None:
        return
    structure = structures.levels(program)
    for problem in (*problems(program, structure), *_outside(program, structure, device, reserved)):
        raise errors.PLACEMENT.error(_place(function, "unrealized_conversion_cast"), what=problem)


def _place(function: Op, suffix: str) -> Location | None:
    """Where the first op whose name ends so stands; the function where there is none."""
    found = (op for op in ops.walk(function) if str(op.name).endswith(suffix))
    return ops.place(next(found, function))


def _check_cores(program: Program, function: Op, device: Target) -> None:
    cores = prod(program.grid)
    if cores > device.cores:
        raise limits.CORES.error(
            ops.place(function),
            kernel=program.name,
            cores=cores,
            device=device.name,
            available=device.cores,
        )


def _check_lanes(program: Program, function: Op, device: Target) -> None:
    vector = program.vector
    if vector is None:
        return
    for dtype in sorted({d for d in program.body.dtypes() if d not in ("i1", "index")}):
        most = device.lanes(vector.unit, dtype)
        if vector.lanes > most:
            raise errors.LANES.error(
                _place(function, "fifo.allocate"),
                lanes=vector.lanes,
                dtype=dtype,
                unit=vector.unit,
                device=device.name,
                most=most,
            )


def _check_whole(program: Program, function: Op) -> None:
    """What is read and written at different places must be read whole before it is written."""
    assert program.sizes is not None
    tiles = zip(program.sizes.tile, program.dims, strict=True)
    if program.whole_tile and any(size < dim.extent for size, dim in tiles):
        what = "the program reads and writes one tensor at different places, so its tile must cover"
        raise errors.PLACEMENT.error(ops.place(function), what=f"{what} the whole tensor")


def _outside(
    program: Program, structure: Structure, device: Target, reserved: Reserved
) -> list[str]:
    """Buffers that leave their memory, or meet what the kernel pinned."""
    found: list[str] = []
    for buffer in structure.buffers:
        if buffer.address is None:
            continue
        end = buffer.address + buffer_bytes(program, buffer)
        capacity = device.capacity(buffer.memory)
        span = f"buffer {buffer.name} takes bytes {buffer.address} to {end}"
        if buffer.address < 0 or end > capacity:
            found.append(f"{span} of {buffer.memory}, which has {capacity}")
        found += [
            f"{span}, where the kernel keeps data at {pin.start} to {pin.end}"
            for pin in reserved.get(buffer.memory, ())
            if buffer.address < pin.end and pin.start < end
        ]
    return found
