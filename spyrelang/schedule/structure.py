"""The loop and stage structure that the decisions of a program imply.

`levels(program)` derives it in one place; the ScheduleIR writer and `lower` walk it. The nest is a
chain of loops L0 … Ln-1 (absorbed outer loops, then tile loops). Level k is the body of the first
k loops: level 0 is outside of all loops, level n the innermost. Each level runs, in order: its
`before` bulk transfers, then the next loop (or, at level n, the vector part), then its `after`
bulk transfers. A bulk transfer fills or drains a staging buffer; buffers whose data does not change
in the inner loops sit at an outer level, so that they move once and are used often.
"""

from __future__ import annotations

from dataclasses import dataclass

from spyrelang.affine import Expr


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


Extent = int | Expr
