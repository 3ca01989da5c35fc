"""`route`: the hops of every operand over the device's datapaths, one route per operand."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from math import prod

from spyrelang.errors import internal_error
from spyrelang.errors import schedule as errors
from spyrelang.schedule.model import Hop, Operand, Program, Route
from spyrelang.schedule.pipeline import is_pinned
from spyrelang.schedule.structure import operand_dims
from spyrelang.schedule.target import Target


def route(program: Program, device: Target) -> Program:
    """Decide `routes`.

    Raises SPY431 (no datapath), SPY422 (scratchpad of another core), SPY432 (an operand that does
    not vary along the vector, and a load unit that cannot repeat one element).
    """
    routes = tuple(_route(program, operand, device) for operand in program.operands)
    return replace(program, routes=routes)


def _route(program: Program, operand: Operand, device: Target) -> Route:
    if program.vector is None:
        raise internal_error("routed", f"program {program.name} has no vector")
    _check_owner(program, operand, device)
    unit = program.vector.unit
    ends = (operand.memory, unit) if operand.role == "in" else (unit, operand.memory)
    hops = _hops(device.path(*ends), unit, device)
    if not hops:
        raise errors.NO_ROUTE.error(
            operand.location, device=device.name, source=ends[0], target=ends[1]
        )
    _check_splat(program, operand, hops, device)
    return Route(hops)


def _hops(path: Sequence[str], unit: str, device: Target) -> tuple[Hop, ...]:
    """Cut a path at its memories and compute unit; () when two of them have no unit between."""
    stops = [i for i, kind in enumerate(path) if kind == unit or device.is_memory(kind)]
    spans = list(itertools.pairwise(stops))
    if any(end - start != 2 for start, end in spans):
        return ()
    return tuple(Hop(path[start + 1], path[start], path[end]) for start, end in spans)


def _check_owner(program: Program, operand: Operand, device: Target) -> None:
    alone = prod(program.grid) == 1 and operand.ct == 0
    if is_pinned(operand, device) and operand.ct >= 0 and not alone:
        raise errors.REMOTE.error(operand.location, name=operand.name, core=operand.ct)


def _check_splat(program: Program, operand: Operand, hops: Sequence[Hop], device: Target) -> None:
    assert program.vector is not None
    varies = program.vector.dim in operand_dims(operand)
    if operand.role == "in" and not varies and not device.can_splat(hops[-1].unit):
        raise errors.NO_SPLAT.error(
            operand.location, name=operand.name, unit=hops[-1].unit, device=device.name
        )
