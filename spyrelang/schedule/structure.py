"""The loop and stage structure that the decisions of a program imply.

`levels(program)` derives it in one place; the ScheduleIR writer and `lower` walk it. The nest is a
chain of loops L0 … Ln-1 (absorbed outer loops, then tile loops). Level k is the body of the first
k loops: level 0 is outside of all loops, level n the innermost. Each level runs, in order: its
`before` bulk transfers, then the next loop (or, at level n, the vector part), then its `after`
bulk transfers. A bulk transfer fills or drains a staging buffer; buffers whose data does not change
in the inner loops sit at an outer level, so that they move once and are used often.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from spyrelang.errors import internal_error
from spyrelang.schedule.model import Operand, Program, Sizes, Vector
from spyrelang.semantics import dtypes

ROW_BYTES = 128
"""Rows of staging buffers are padded to whole words of this many bytes."""


@dataclass(frozen=True)
class Buffer:
    """A staging buffer in memory kind `memory` for operand `operand` (index into the program's
    operands), filled or drained at level `level`. `dims` are the program dims it spans, in layout
    order (the vector dim, when it depends on it, last and padded to whole vectors); `shape` the
    tile extents of those dims (None before `explore`)."""

    name: str
    operand: int
    memory: str
    level: int
    dims: tuple[int, ...]
    shape: tuple[int, ...] | None
    copies: int = 1
    address: int | None = None


@dataclass(frozen=True)
class LoopSpec:
    """One loop of the nest. `role`: "outer" (absorbed; bounds per core), "tile" or "point".
    `dim` is the program dim (or the outer loop's number). Trip count `trips` is None before
    `explore` and for outer loops whose count differs from core to core. Tile loop t covers
    elements [t * size, min((t + 1) * size, extent)); point loop p of the vector dim counts vectors.
    """

    role: str
    dim: int
    name: str
    trips: int | None = None


@dataclass(frozen=True)
class Bulk:
    """One memory-to-memory hop of an operand at one level: unit kind `unit` copies the tile from
    `source` to `target`, each the operand's own tensor (-1) or a buffer (index into buffers)."""

    unit: str
    operand: int
    source: int
    target: int


@dataclass(frozen=True)
class Level:
    before: tuple[Bulk, ...] = ()
    after: tuple[Bulk, ...] = ()


@dataclass(frozen=True)
class Port:
    """The FIFO end of an operand: unit kind `unit` moves one vector a point between `buffer`
    (-1: the operand's own pinned tensor) and the compute unit. `splat`: the operand does not vary
    along the lanes, so one element is read and copied to all lanes."""

    unit: str
    operand: int
    buffer: int
    splat: bool


@dataclass(frozen=True)
class Structure:
    """`loops` and `levels` (one more level than loops), the `points` loops of the vector part, its
    ports in the order vectors are sent (`reads`) and taken back (`writes`)."""

    buffers: tuple[Buffer, ...]
    loops: tuple[LoopSpec, ...]
    levels: tuple[Level, ...]
    points: tuple[LoopSpec, ...]
    reads: tuple[Port, ...]
    writes: tuple[Port, ...]


@dataclass(frozen=True)
class HandOff:
    """Producer and consumer of one buffer meet once per iteration of level `level`. Both run the
    same loops, so the meetings of one pair of units keep one static order."""

    producer: str
    consumer: str
    level: int
    buffers: tuple[int, ...]
    copies: int


# --- dependence ---------------------------------------------------------------------------------


def operand_dims(operand: Operand) -> frozenset[int]:
    """The program dims along which the operand varies."""
    return frozenset(dim for expr in operand.index for dim in expr.dims())


def may_skip(program: Program, number: int) -> bool:
    """Whether outer loop `number` may run not once on some core. Only bounds that depend on nothing
    but the core can be told beforehand."""
    loop = program.outer[number]
    span = (loop.upper - loop.lower).simplify()
    if any(symbol >= len(program.grid) for symbol in span.syms()):
        return True
    used = [range(n if axis in span.syms() else 1) for axis, n in enumerate(program.grid)]
    return any(span.eval((), core) <= 0 for core in itertools.product(*used))


def operand_loops(program: Program, operand: Operand) -> frozenset[int]:
    """The outer loops that the operand's transfers must stay in: those that move its tile, and
    those that may run not at all, so that nothing is stored where the kernel stores nothing."""
    first = len(program.grid) + len(program.scalars)
    moving = {s - first for e in operand.origin for s in e.syms() if s >= first}
    return frozenset(i for i in range(len(program.outer)) if i in moving or may_skip(program, i))


# --- the structure ------------------------------------------------------------------------------


def levels(program: Program) -> Structure:
    """The structure of a program at stage nested or later (routes and nest are decided).

    Before `explore` no trip count of a tile or point loop is known and all are there; afterwards
    loops that run once are left out, so buffers sit as far out as their data allows.
    """
    if program.vector is None or program.routes is None or program.nest is None:
        raise internal_error("nested", f"program {program.name} has no routes or no nest")
    loops = _loops(program)
    buffers = _buffers(program, loops)
    return Structure(
        buffers=buffers,
        loops=loops,
        levels=_transfers(program, buffers, len(loops)),
        points=_points(program, program.vector),
        reads=_ports(program, buffers, "in"),
        writes=_ports(program, buffers, "out"),
    )


def trips(program: Program, dim: int) -> int | None:
    """Tiles along a dim; None before `explore`."""
    if program.sizes is None:
        return None
    return -(-program.dims[dim].extent // program.sizes.tile[dim])


def points(program: Program, dim: int) -> int | None:
    """Points of a full tile along a dim (vectors for the vector dim); None before `explore`."""
    if program.sizes is None or program.vector is None:
        return None
    elements = min(program.sizes.tile[dim], program.dims[dim].extent)
    return -(-elements // program.vector.lanes) if dim == program.vector.dim else elements


def _dim_name(program: Program, dim: int) -> str:
    return program.dims[dim].name or f"d{dim}"


def _loops(program: Program) -> tuple[LoopSpec, ...]:
    outer = [LoopSpec("outer", i, loop.name) for i, loop in enumerate(program.outer)]
    order = program.nest.tiles if program.nest is not None else ()
    tiles = [LoopSpec("tile", d, f"{_dim_name(program, d)}_tile", trips(program, d)) for d in order]
    return (*outer, *(loop for loop in tiles if loop.trips != 1))


def _points(program: Program, vector: Vector) -> tuple[LoopSpec, ...]:
    order = program.nest.points if program.nest is not None else ()
    specs = [
        LoopSpec(
            "point",
            d,
            f"{_dim_name(program, d)}_{'vector' if d == vector.dim else 'point'}",
            points(program, d),
        )
        for d in order
    ]
    return tuple(spec for spec in specs if spec.trips != 1)


def operand_level(program: Program, operand: Operand, loops: Sequence[LoopSpec]) -> int:
    """The outermost level at which the operand's tile is fixed and surely used."""
    dims, outer = operand_dims(operand), operand_loops(program, operand)
    inside = [
        level + 1
        for level, loop in enumerate(loops)
        if loop.dim in (outer if loop.role == "outer" else dims)
    ]
    return max(inside, default=0)


def _buffers(program: Program, loops: Sequence[LoopSpec]) -> tuple[Buffer, ...]:
    buffers: list[Buffer] = []
    for number, operand in enumerate(program.operands):
        level = operand_level(program, operand, loops)
        for memory in staging(program, number):
            buffers.append(_buffer(program, number, memory, level, len(buffers)))
    return tuple(buffers)


def staging(program: Program, operand: int) -> tuple[str, ...]:
    """The memories in which the operand is staged, in the order its data passes them."""
    assert program.routes is not None
    hops = program.routes[operand].hops
    if program.operands[operand].role == "in":
        return tuple(hop.target for hop in hops[:-1])
    return tuple(hop.source for hop in hops[1:])


def _buffer(program: Program, number: int, memory: str, level: int, index: int) -> Buffer:
    operand, sizes = program.operands[number], program.sizes
    dims = buffer_dims(program, operand)
    return Buffer(
        name=re.sub(r"\W+", "_", f"{operand.name}_{memory.lower()}"),
        operand=number,
        memory=memory,
        level=level,
        dims=dims,
        shape=None if sizes is None else tuple(_tile_extent(program, sizes, d) for d in dims),
        copies=1 if sizes is None else sizes.copies[index],
        address=None if program.placement is None else program.placement.addresses[index],
    )


def _tile_extent(program: Program, sizes: Sizes, dim: int) -> int:
    """Elements of a full tile along a dim; the vector dim keeps whole vectors."""
    if program.vector is not None and dim == program.vector.dim:
        return sizes.tile[dim]
    return min(sizes.tile[dim], program.dims[dim].extent)


def padded_shape(program: Program, buffer: Buffer) -> tuple[int, ...]:
    """Elements of one copy of a buffer as it lies in memory: its shape, rows rounded up to whole
    128-byte words. A buffer of one element has one row. Valid after `explore`."""
    row = max(1, ROW_BYTES // dtypes.get(program.operands[buffer.operand].dtype).bytes)
    shape = buffer.shape or (1,)
    return (*shape[:-1], -(-shape[-1] // row) * row)


def copy_bytes(program: Program, buffer: Buffer) -> int:
    """Bytes of one copy of a buffer; the copies follow each other. A multiple of 128."""
    size = dtypes.get(program.operands[buffer.operand].dtype).bytes
    return prod(padded_shape(program, buffer)) * size


def buffer_dims(program: Program, operand: Operand) -> tuple[int, ...]:
    """The dims a staging buffer of the operand spans, the vector dim last."""
    vector = program.vector.dim if program.vector is not None else -1
    dims = operand_dims(operand)
    return (*sorted(dims - {vector}), *([vector] if vector in dims else []))


def _transfers(program: Program, buffers: Sequence[Buffer], depth: int) -> tuple[Level, ...]:
    before: list[list[Bulk]] = [[] for _ in range(depth + 1)]
    after: list[list[Bulk]] = [[] for _ in range(depth + 1)]
    for number, operand in enumerate(program.operands):
        own = [i for i, buffer in enumerate(buffers) if buffer.operand == number]
        side = before if operand.role == "in" else after
        for bulk in _bulks(program, number, own):
            side[buffers[own[0]].level].append(bulk)
    return tuple(Level(tuple(b), tuple(a)) for b, a in zip(before, after, strict=True))


def _bulks(program: Program, number: int, own: Sequence[int]) -> list[Bulk]:
    """The memory-to-memory hops of an operand, between its tensor (-1) and its buffers."""
    assert program.routes is not None
    hops = program.routes[number].hops
    if program.operands[number].role == "in":
        ends = [-1, *own]
        return [Bulk(h.unit, number, *e) for h, e in zip(hops, _pairs(ends), strict=False)]
    ends = [*own, -1]
    return [Bulk(h.unit, number, *e) for h, e in zip(hops[1:], _pairs(ends), strict=True)]


def _pairs(ends: Sequence[int]) -> list[tuple[int, int]]:
    return list(itertools.pairwise(ends))


def _ports(program: Program, buffers: Sequence[Buffer], role: str) -> tuple[Port, ...]:
    assert program.routes is not None
    assert program.vector is not None
    ports: list[Port] = []
    for number, operand in enumerate(program.operands):
        if operand.role != role:
            continue
        own = [i for i, buffer in enumerate(buffers) if buffer.operand == number]
        near = (own[-1] if role == "in" else own[0]) if own else -1
        hop = program.routes[number].hops[-1 if role == "in" else 0]
        splat = role == "in" and program.vector.dim not in operand_dims(operand)
        ports.append(Port(hop.unit, number, near, splat))
    return tuple(ports)


# --- hand-offs ----------------------------------------------------------------------------------


def handoffs(program: Program, structure: Structure) -> tuple[HandOff, ...]:
    """All meetings of units, outer levels first, in each level inputs before outputs.

    Buffers that one unit fills for another at one level, on the same side of the inner loops,
    share one meeting.
    """
    groups: dict[tuple[int, int, str, str], list[int]] = {}
    for index, buffer in enumerate(structure.buffers):
        producer, consumer = _ends(program, structure, index)
        side = 0 if program.operands[buffer.operand].role == "in" else 1
        groups.setdefault((buffer.level, side, producer, consumer), []).append(index)
    ordered = sorted(groups.items(), key=lambda item: item[0][:2])
    return tuple(
        HandOff(producer, consumer, level, tuple(own), structure.buffers[own[0]].copies)
        for (level, _, producer, consumer), own in ordered
    )


def _ends(program: Program, structure: Structure, index: int) -> tuple[str, str]:
    """The units that fill and that drain buffer `index`."""
    assert program.routes is not None
    buffer = structure.buffers[index]
    own = [i for i, other in enumerate(structure.buffers) if other.operand == buffer.operand]
    hops = program.routes[buffer.operand].hops
    position = own.index(index)
    return hops[position].unit, hops[position + 1].unit


def refilled(structure: Structure, level: int) -> bool:
    """Whether buffers of this level are filled more than once (or may be)."""
    return any(loop.trips != 1 for loop in structure.loops[:level])
