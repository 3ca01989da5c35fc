"""`pipeline`: which dim runs along the lanes of the compute unit, and how many lanes a vector has.

All values of a program share one width: the smallest lane count of all types it touches, so that
one vector of every operand holds the same points.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd, prod

from spyrelang.errors import Location, internal_error
from spyrelang.errors import schedule as errors
from spyrelang.schedule.model import Operand, Program, Vector
from spyrelang.schedule.sizes import element_bytes, unit_stride_dim
from spyrelang.schedule.structure import operand_dims
from spyrelang.schedule.target import Target

WORD = 128
"""Bytes of a memory word: what a strided element costs to move."""

_MASKS = {"i1", "index"}


def pipeline(program: Program, device: Target) -> Program:
    """Decide `vector`. Raises SPY430 (type without lanes)."""
    unit = compute_unit(device)
    lanes = _lanes(program, device, unit)
    last = len(program.dims) - 1
    widths = {d: _fitting(program, device, d, lanes) for d in range(len(program.dims))}
    best = min(widths, key=lambda d: (_cost(program, d, widths[d]), last - d))
    return replace(program, vector=Vector(best, widths[best], unit))


def compute_unit(device: Target) -> str:
    """The one kind of unit that computes; a device description must have exactly one."""
    units = device.compute_units
    if len(units) != 1:
        detail = f"device {device.name} has {len(units)} kinds of compute units"
        raise internal_error("pipeline", detail)
    return units[0]


def _lanes(program: Program, device: Target, unit: str) -> int:
    """The smallest lane count of all types in the program (masks take the width of the rest)."""
    places: dict[str, Location | None] = {}
    for operand in program.operands:
        places.setdefault(operand.dtype, operand.location)
    for op in program.body.ops:
        if op.dtype not in _MASKS:
            places.setdefault(op.dtype, op.location)
    counts: list[int] = []
    for dtype, place in places.items():
        count = device.lanes(unit, dtype)
        if count < 1:
            raise errors.LANES.error(place, unit=unit, device=device.name, dtype=dtype)
        counts.append(count)
    return min(counts)


def _fitting(program: Program, device: Target, dim: int, lanes: int) -> int:
    """Lanes usable along `dim`. Rows of a pinned tensor have no padding behind them, so whole
    vectors must end with the row."""
    for operand in program.operands:
        if is_pinned(operand, device) and dim in operand_dims(operand):
            return gcd(program.dims[dim].extent, lanes)
    return lanes


def is_pinned(operand: Operand, device: Target) -> bool:
    """Whether the operand lives in the core's scratchpad: it needs no bulk transfer."""
    return operand.memory == device.spaces.get("ct_local")


def _cost(program: Program, dim: int, lanes: int) -> float:
    """Vectors computed, or words moved when that is more."""
    extents = [d.extent for d in program.dims]
    vectors = prod(extents[:dim] + extents[dim + 1 :]) * -(-extents[dim] // lanes)
    reads = sum(1 for operand in program.operands if operand.role == "in")
    words = sum(_words(program, operand, dim) for operand in program.operands)
    return max(vectors * max(reads, len(program.body.ops), 1), words) + 0.1 * vectors


def _words(program: Program, operand: Operand, dim: int) -> int:
    """Words of memory that moving the operand once touches, rows running along `dim`."""
    dims = operand_dims(operand)
    inner = dim if dim in dims else max(dims, default=-1)
    elements = prod(program.dims[d].extent for d in dims)
    if inner != unit_stride_dim(operand):
        return elements
    row = program.dims[inner].extent if inner >= 0 else 1
    return elements // row * -(-row * element_bytes(operand.dtype) // WORD)
