"""The resource sheet of a compiled kernel."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from spyrelang.display import Report, Table
from spyrelang.driver.stages import SCHEDULE_STAGES
from spyrelang.schedule import structure as structures
from spyrelang.schedule.model import Kernel, Program

if TYPE_CHECKING:
    from spyrelang.device import Device
    from spyrelang.driver.ladder import Ladder
    from spyrelang.isa.program import Executable


def report(ladder: Ladder) -> Report:
    """Units, FIFO depths, memory against capacity, tile sizes and why, copies, instances.

    A kernel that was resumed from DataflowIR has no schedule to report; then the sheet says what
    the decoded program tells.
    """
    executable = ladder.executable()
    placed = SCHEDULE_STAGES[-1]
    kernel = ladder.kernel(placed) if placed in ladder.stages else None
    title = f"{executable.name} on {ladder.device.name}"
    lines = [
        f"grid {_times(executable.grid)}: {prod(executable.grid)} of {ladder.device.cores} cores"
    ]
    tables: list[Table] = []
    if kernel is not None:
        for program in kernel.programs:
            tables += _program_tables(program, ladder.device)
            lines += [
                f"{program.name}: {why}" for why in (program.sizes.why if program.sizes else ())
            ]
    tables += [_units(executable), _fifos(executable)]
    return Report(title, tuple(lines), tuple(tables), _data(kernel, executable, ladder.device))


def _times(numbers: tuple[int, ...]) -> str:
    return " x ".join(map(str, numbers))


def _program_tables(program: Program, device: Device) -> list[Table]:
    return [_loops(program), _buffers(program), _memory(program, device)]


def _loops(program: Program) -> Table:
    assert program.sizes is not None
    assert program.vector is not None
    rows: list[tuple[object, ...]] = []
    for number, dim in enumerate(program.dims):
        tile = min(program.sizes.tile[number], dim.extent)
        trips = -(-dim.extent // tile)
        rest = dim.extent - (trips - 1) * tile
        notes: list[str] = []
        if number == program.vector.dim:
            notes.append(f"vectors of {program.vector.lanes}")
        if number == program.sizes.split:
            notes.append(f"shared by {program.sizes.instances} corelets")
        if rest != tile:
            notes.append(f"last tile {rest}")
        rows.append((dim.name or f"d{number}", dim.extent, tile, trips, ", ".join(notes)))
    columns = ("dim", "extent", "tile", "tiles", "")
    return Table(f"{program.name}: tiles", columns, tuple(rows))


def _buffers(program: Program) -> Table:
    found = structures.levels(program)
    rows: list[tuple[object, ...]] = []
    for buffer in found.buffers:
        operand = program.operands[buffer.operand]
        shape = "x".join(map(str, structures.padded_shape(program, buffer)))
        size = structures.copy_bytes(program, buffer) * buffer.copies
        loops = found.loops[: buffer.level]
        moved = " * ".join(str(loop.trips or loop.name) for loop in loops) or "once"
        rows.append(
            (operand.name, operand.role, buffer.memory, f"{shape}x{operand.dtype}",
             buffer.copies, size, buffer.address, moved)
        )  # fmt: skip
    columns = ("operand", "role", "memory", "shape", "copies", "bytes", "address", "moved")
    return Table(f"{program.name}: staging buffers", columns, tuple(rows))


def memory_use(program: Program) -> dict[str, int]:
    """Highest byte in use in each memory, by kind."""
    used: dict[str, int] = {}
    for buffer in structures.levels(program).buffers:
        end = (buffer.address or 0) + structures.copy_bytes(program, buffer) * buffer.copies
        used[buffer.memory] = max(used.get(buffer.memory, 0), end)
    return used


def _memory(program: Program, device: Device) -> Table:
    rows = tuple(
        (memory, used, device.capacity(memory), f"{100 * used / device.capacity(memory):.1f} %")
        for memory, used in memory_use(program).items()
    )
    return Table(f"{program.name}: memory of one core", ("memory", "bytes", "capacity", ""), rows)


def _units(executable: Executable) -> Table:
    rows: list[tuple[object, ...]] = []
    for program in executable.programs:
        for unit in program.units:
            corelets = {executable.machine.units[n].corelet for n in unit.units}
            rows.append((program.name, unit.kind, len(unit.units), max(1, len(corelets))))
    return Table("units", ("program", "kind", "units", "per core"), tuple(rows))


def _fifos(executable: Executable) -> Table:
    kinds = {unit.kind for program in executable.programs for unit in program.units}
    rows = tuple(
        (link.source, link.target, link.depth)
        for link in executable.machine.links
        if link.depth and {link.source.lower(), link.target.lower()} <= {k.lower() for k in kinds}
    )
    return Table("FIFOs", ("from", "to", "depth"), rows)


def _data(kernel: Kernel | None, executable: Executable, device: Device) -> dict[str, object]:
    data: dict[str, object] = {
        "kernel": executable.name,
        "device": device.name,
        "grid": list(executable.grid),
    }
    if kernel is not None:
        data["memory"] = {
            program.name: {
                memory: {"bytes": used, "capacity": device.capacity(memory)}
                for memory, used in memory_use(program).items()
            }
            for program in kernel.programs
        }
    return data
