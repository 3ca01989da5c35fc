"""The cost model `explore` minimises: estimated cycles of one core for one choice of sizes.

Deliberately small: bytes over bandwidth and a fixed price for every transfer and meeting of the
bulk units, vectors over instances for the compute part, and overlap where there are two copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from spyrelang.errors import internal_error
from spyrelang.schedule.model import OuterLoop, Program
from spyrelang.schedule.sizes import element_bytes, unit_stride_dim
from spyrelang.schedule.structure import operand_dims, operand_loops
from spyrelang.schedule.target import Target

WORD = 128
"""Bytes a bulk unit touches at least for each separate run of memory."""

TRANSFER_CYCLES = 64
"""Starting one bulk transfer."""

RUN_CYCLES = 1
"""Starting one more separate run of memory within a transfer: long rows are preferred."""

MEETING_CYCLES = 32
"""One meeting of producer and consumer, with filling the vector pipeline behind it."""

UNKNOWN_TRIPS = 8
"""Iterations assumed of an outer loop whose count differs from core to core."""

RAGGED_PENALTY = 1.02
"""Per dim whose last tile is not full: full ones are preferred where they cost about the same."""


@dataclass(frozen=True)
class Mover:
    """What the cost model knows of one operand. `inner` is the dim that runs along a row of its
    staging buffer, `rates` the bytes a cycle of its bulk hops."""

    role: str
    size: int
    dims: frozenset[int]
    outer: int
    inner: int
    contiguous: bool
    rates: tuple[int, ...]


@dataclass(frozen=True)
class Problem:
    """A program reduced to numbers. `outer` has the trips of the outer loops."""

    extents: tuple[int, ...]
    order: tuple[int, ...]
    points: tuple[int, ...]
    vector: int
    lanes: int
    movers: tuple[Mover, ...]
    outer: tuple[int, ...]
    work: int


@dataclass(frozen=True)
class Choice:
    """Tile sizes in elements, instances and the dim whose points they share, and whether input
    and output buffers have two copies."""

    tile: tuple[int, ...]
    instances: int
    split: int
    double_in: bool
    double_out: bool


@dataclass(frozen=True)
class Cost:
    """Estimated cycles: bulk loads, vector part, bulk stores, and all together with overlap."""

    load: float
    vector: float
    store: float
    total: float
    tiles: int


class Parts(NamedTuple):
    """The cycles of a tile shape by stage, over all tiles; what ragged tiles multiply them by."""

    load: float
    vector: float
    store: float
    factor: float
    tiles: int


def problem(program: Program, device: Target) -> Problem:
    """The numbers of a program whose routes and nest are decided."""
    if program.vector is None or program.routes is None or program.nest is None:
        raise internal_error("explored", f"program {program.name} has no nest")
    reads = sum(1 for operand in program.operands if operand.role == "in")
    writes = len(program.operands) - reads
    return Problem(
        extents=tuple(dim.extent for dim in program.dims),
        order=program.nest.tiles,
        points=program.nest.points,
        vector=program.vector.dim,
        lanes=program.vector.lanes,
        movers=tuple(_mover(program, i, device) for i in range(len(program.operands))),
        outer=tuple(outer_trips(loop) or UNKNOWN_TRIPS for loop in program.outer),
        work=max(reads, writes, len(program.body.ops), 1),
    )


def outer_trips(loop: OuterLoop) -> int | None:
    """Iterations of an outer loop with constant bounds, else None."""
    lower, upper = loop.lower.constant, loop.upper.constant
    if lower is None or upper is None:
        return None
    return max(0, -(-(upper - lower) // loop.step))


def _mover(program: Program, number: int, device: Target) -> Mover:
    assert program.vector is not None
    assert program.routes is not None
    operand, vector = program.operands[number], program.vector.dim
    dims = operand_dims(operand)
    hops = program.routes[number].hops
    bulk = hops[:-1] if operand.role == "in" else hops[1:]
    inner = vector if vector in dims else max(dims, default=-1)
    return Mover(
        role=operand.role,
        size=element_bytes(operand.dtype),
        dims=dims,
        outer=max(operand_loops(program, operand), default=-1) + 1,
        inner=inner,
        contiguous=inner == unit_stride_dim(operand),
        rates=tuple(_rate(hop.unit, hop.source, hop.target, device) for hop in bulk),
    )


def _rate(unit: str, source: str, target: str, device: Target) -> int:
    return max(1, min(device.bandwidth(unit, source), device.bandwidth(unit, target)))


def trips(p: Problem, tile: Sequence[int]) -> tuple[int, ...]:
    """Tiles along each dim."""
    return tuple(-(-extent // size) for extent, size in zip(p.extents, tile, strict=True))


def tile_points(p: Problem, tile: Sequence[int]) -> tuple[int, ...]:
    """Points of a full tile along each dim; vectors along the vector dim."""
    sizes = [min(size, extent) for size, extent in zip(tile, p.extents, strict=True)]
    sizes[p.vector] = -(-sizes[p.vector] // p.lanes)
    return tuple(sizes)


def parts_of(p: Problem, tile: Sequence[int], instances: int, split: int) -> Parts:
    """What does not depend on the copies: the same for all choices of one tile shape."""
    counts = trips(p, tile)
    repeats = prod(p.outer)
    load = sum(_bulk(p, m, counts) for m in p.movers if m.role == "in")
    store = sum(_bulk(p, m, counts) for m in p.movers if m.role == "out")
    points = tile_points(p, tile)
    shared = prod(points)
    if split >= 0:
        own = points[split]
        shared = shared // own * -(-own // instances)
    tiles = prod(counts) * repeats
    vector = tiles * (shared * p.work + MEETING_CYCLES)
    ragged = sum(e % t != 0 for e, t in zip(p.extents, tile, strict=True) if t < e)
    return Parts(load, vector, store, RAGGED_PENALTY**ragged, tiles)


def evaluate(choice: Choice, parts: Parts) -> Cost:
    """The cost of a choice, in cycles of one core for the whole program."""
    load, vector, store, factor, tiles = parts
    total = _overlapped(choice, tiles, load, vector, store)
    return Cost(load, vector, store, total * factor, tiles)


def _overlapped(choice: Choice, tiles: int, load: float, vector: float, store: float) -> float:
    """Stages with two copies between them run at once, but for the first and the last tile."""
    if tiles <= 1:
        return load + vector + store
    ends = (load + store) / tiles
    if choice.double_in and choice.double_out:
        return max(load, vector, store) + ends
    if choice.double_in:
        return max(load, vector + store) + ends
    if choice.double_out:
        return max(load + vector, store) + ends
    return vector + max(load, store) + ends


def _bulk(p: Problem, mover: Mover, counts: Sequence[int]) -> float:
    """Cycles of one operand's bulk transfers."""
    if not mover.rates:
        return 0.0
    fetches = _fetches(p, mover, counts)
    size = {d: p.extents[d] / counts[d] for d in mover.dims}
    row = size.get(mover.inner, 1.0) if mover.contiguous else 1.0
    rows = prod(size.values()) / row
    words = max(1.0, row * mover.size / WORD)
    cycles = max(rows * words * WORD / rate for rate in mover.rates)
    return fetches * (cycles + rows * RUN_CYCLES + TRANSFER_CYCLES)


def _fetches(p: Problem, mover: Mover, counts: Sequence[int]) -> int:
    """How often the operand's tile is moved: every iteration of its innermost loop."""
    depth = 0
    for position, dim in enumerate(p.order):
        if dim in mover.dims and counts[dim] > 1:
            depth = position + 1
    inner = prod(counts[d] for d in p.order[:depth])
    return inner * prod(p.outer if depth and inner > 1 else p.outer[: mover.outer])
