"""A program's schedule in words, for reports."""

from __future__ import annotations

from collections.abc import Iterator

from spyrelang.schedule import structure as structures
from spyrelang.schedule.checks import footprint
from spyrelang.schedule.model import (
    CallProgram,
    Kernel,
    Operand,
    OrchestratorLoop,
    OrchestratorOp,
    OuterLoop,
    Program,
)
from spyrelang.schedule.sizes import buffer_bytes
from spyrelang.schedule.structure import Buffer, Structure


def describe(program: Program) -> str:
    """What is known of a program at its stage: operands, vector, routes, tiles, buffers, reasons.

    Sizes of tiles count elements, sizes of buffers bytes."""
    return "\n".join(_lines(program))


def describe_kernel(kernel: Kernel) -> str:
    """The orchestrator, then each program."""
    parts = [f"kernel {kernel.name} on grid {_by(kernel.grid)}"]
    parts += [f"  {line}" for op in kernel.orchestrator for line in _orchestrator(kernel, op)]
    for first, second in kernel.no_share:
        names = f"{kernel.params[first].name} and {kernel.params[second].name}"
        parts.append(f"  {names} must not share memory")
    return "\n".join([*parts, *(describe(program) for program in kernel.programs)])


def _lines(program: Program) -> Iterator[str]:
    box = ", ".join(f"{_dim(program, d)} < {dim.extent}" for d, dim in enumerate(program.dims))
    yield f"program {program.name}: {box}"
    symbols = _symbols(program)
    for loop in program.outer:
        yield f"  each core loops {_loop(loop, symbols)}"
    for operand in program.operands:
        yield f"  {_operand(program, operand, symbols)}"
    names = ", ".join(op.name for op in program.body.ops) or "copy"
    yield f"  computes {names}"
    yield from _decisions(program)


def _decisions(program: Program) -> Iterator[str]:
    vector = program.vector
    if vector is not None:
        yield f"  vectors of {vector.lanes} along {_dim(program, vector.dim)} on {vector.unit}"
    if program.routes is not None:
        for operand, route in zip(program.operands, program.routes, strict=True):
            path = [route.hops[0].source]
            for hop in route.hops:
                path += [hop.unit, hop.target]
            yield f"  route of {operand.name}: {' > '.join(path)}"
    if program.nest is None or vector is None or program.routes is None:
        return
    structure = structures.levels(program)
    yield f"  loops {_nest(structure)}"
    if program.sizes is not None:
        yield f"  tile {_by(program.sizes.tile)}, {program.sizes.instances} instance(s)"
        for buffer in structure.buffers:
            yield f"  buffer {_buffer(program, buffer)}"
        for memory, used in footprint(program, structure).items():
            yield f"  {used} bytes of {memory}"
        yield from (f"  because {reason}" for reason in program.sizes.why)


def _nest(structure: Structure) -> str:
    loops = [f"{loop.name}{_trips(loop.trips)}" for loop in structure.loops]
    points = [f"{loop.name}{_trips(loop.trips)}" for loop in structure.points]
    return f"{', '.join(loops) or 'none'}; points {', '.join(points) or 'one'}"


def _trips(trips: int | None) -> str:
    return "" if trips is None else f" x {trips}"


def _buffer(program: Program, buffer: Buffer) -> str:
    size = buffer_bytes(program, buffer)
    copies = "" if buffer.copies == 1 else f" in {buffer.copies} copies"
    at = "" if buffer.address is None else f" at {buffer.address}"
    shape = _by(buffer.shape or ()) or "1"
    return f"{buffer.name}: {shape}, {size} bytes{copies}{at}, filled at level {buffer.level}"


def _operand(program: Program, operand: Operand, symbols: list[str]) -> str:
    dims = [_dim(program, d) for d in range(len(program.dims))]
    spots = [
        (origin + index).render(dims, symbols)
        for origin, index in zip(operand.origin, operand.index, strict=True)
    ]
    arrow = "reads" if operand.role == "in" else "writes"
    kind = f"{_by(operand.shape)} {operand.dtype} in {operand.memory}"
    return f"{arrow} {operand.name}[{', '.join(spots)}] of {kind}"


def _loop(loop: OuterLoop, symbols: list[str]) -> str:
    lower, upper = loop.lower.render((), symbols), loop.upper.render((), symbols)
    return f"{loop.name} from {lower} to {upper} by {loop.step}"


def _symbols(program: Program) -> list[str]:
    """Names of the symbols of a program's environment."""
    axes = len(program.grid)
    grid = ["core"] if axes == 1 else [f"core{axis}" for axis in range(axes)]
    return [*grid, *(p.name for p in program.scalars), *(loop.name for loop in program.outer)]


def _dim(program: Program, dim: int) -> str:
    return program.dims[dim].name or f"d{dim}"


def _by(extents: tuple[int, ...]) -> str:
    return "x".join(map(str, extents))


def _orchestrator(kernel: Kernel, op: OrchestratorOp, depth: int = 0) -> Iterator[str]:
    indent = "  " * depth
    if isinstance(op, CallProgram):
        yield f"{indent}run {kernel.programs[op.program].name}"
    if isinstance(op, OrchestratorLoop):
        yield f"{indent}for {op.name} from {op.lower} to {op.upper} by {op.step}:"
        for inner in op.body:
            yield from _orchestrator(kernel, inner, depth + 1)
