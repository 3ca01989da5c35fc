"""Which line and which cores a wrong element comes from, by the schedule."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from spyrelang.driver.stages import SCHEDULE_STAGES
from spyrelang.errors import SpyreError
from spyrelang.schedule.model import Operand, Program

if TYPE_CHECKING:
    from spyrelang.driver.compiled import Compiled
    from spyrelang.testing.compare import Comparison


def scalar_ops(compiled: Compiled) -> tuple[str, ...]:
    """Names of the scalar ops of all bodies, as the author wrote them (before any expansion)."""
    from spyrelang import ir

    if "ktir" not in compiled.stages:
        return ()
    module = compiled.ladder.module("ktir")
    found: list[str] = []
    with ir.LOCK:
        for function in module.funcs():
            _scan(function, found)
    return tuple(found)


def _scan(op: object, found: list[str]) -> None:
    for region in op.regions:  # type: ignore[attr-defined]
        for block in region.blocks:
            for inner in block.operations:
                inner = inner.operation
                name = str(inner.name)
                if name in _NAMED:
                    found.append(_NAMED[name])
                elif op.name == "linalg.generic" and name != "linalg.yield":  # type: ignore[attr-defined]
                    found.append(name)
                _scan(inner, found)


_NAMED = {
    "linalg.exp": "math.exp",
    "linalg.log": "math.log",
    "linalg.sqrt": "math.sqrt",
    "linalg.rsqrt": "math.rsqrt",
    "linalg.tanh": "math.tanh",
    "linalg.erf": "math.erf",
    "linalg.div": "arith.divf",
    "linalg.reciprocal": "spyreop.reciprocal",
}


def origin_of(compiled: Compiled, item: Comparison) -> list[str]:
    """Sentences that name the line of the store and the cores whose tiles hold the misses."""
    if SCHEDULE_STAGES[0] not in compiled.stages or item.worst is None:
        return []
    try:
        kernel = compiled.ladder.kernel(SCHEDULE_STAGES[0])
    except SpyreError:  # one that is interpreted only
        return []
    found: list[str] = []
    for program in kernel.programs:
        for operand in program.operands:
            if operand.role == "out" and _argument(operand) == item.name:
                found += _sentences(program, operand, item)
    return found


def _argument(operand: Operand) -> str:
    """The argument an operand belongs to: repeated names carry a number."""
    name, _, number = operand.name.rpartition("_")
    return name if number.isdigit() and name else operand.name


def _sentences(program: Program, operand: Operand, item: Comparison) -> list[str]:
    lines: list[str] = []
    if operand.location is not None:
        lines.append(f"stored at {operand.location}")
    cores = _cores(program, operand, item.mask)
    total = prod(program.grid)
    if cores and len(cores) < total:
        shown = ", ".join(map(str, cores[:8])) + (", …" if len(cores) > 8 else "")
        lines.append(f"by core {shown} of {total}")
    return lines


def _cores(program: Program, operand: Operand, mask: np.ndarray) -> list[int]:
    """Cores whose tile has a miss; empty when tiles move with loops."""
    if program.outer or program.scalars or mask.shape != operand.shape:
        return []
    found: list[int] = []
    for core in range(prod(program.grid)):
        coords = [int(c) for c in np.unravel_index(core, program.grid)]
        window = tuple(
            slice(start, start + _extent(program, index))
            for start, index in (
                (int(origin.eval((), coords)), index)
                for origin, index in zip(operand.origin, operand.index, strict=True)
            )
        )
        if mask[window].any():
            found.append(core)
    return found


def _extent(program: Program, index: object) -> int:
    dims = index.dims()  # type: ignore[attr-defined]
    return max((program.dims[d].extent for d in dims), default=1)
