"""uniform.uniformize_regions and equalize_pattern: a region for some of the units each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlir import ir

from spyrelang.errors.engine import MAPPING
from spyrelang.isa import program as p
from spyrelang.isa.decode import text
from spyrelang.isa.decode.values import Scalar, UnitHandle, VectorValue

if TYPE_CHECKING:
    from spyrelang.isa.decode.unit import UnitDecoder

Carried = Scalar | VectorValue


def decode(unit: UnitDecoder, op: ir.Operation) -> None:
    """Each unit runs the region that lists it: branches on a per-unit constant."""
    lists = _lists(unit, op)
    around = unit.active
    bodies: list[tuple[p.Instr, ...]] = []
    yields: list[list[Carried]] = []
    for region, positions in zip(op.regions, lists, strict=True):
        block = region.blocks[0]
        for argument in block.arguments:
            unit.env[argument] = UnitHandle(unit.units)
        unit.active = positions
        bodies.append(unit.collect(lambda b=block: unit.block(b)))
        yields.append(unit.yielded(block) if list(op.results) else [])
    unit.active = around
    results = _branches(unit, op, lists, bodies, yields)
    unit.env.update(zip(op.results, results, strict=True))


def _lists(unit: UnitDecoder, op: ir.Operation) -> list[tuple[int, ...]]:
    """For each region the positions of its units."""
    sizes = text.attribute(op, "list_sizes")
    operands = list(op.operands)
    if not isinstance(sizes, tuple) or sum(map(int, sizes)) != len(operands):
        raise MAPPING.error(unit.places.place(op), reason="list_sizes does not fit the units")
    numbers = [unit.meaning(v, op) for v in operands]
    lists: list[tuple[int, ...]] = []
    at = 0
    for size in map(int, sizes):
        listed = {m.units[0] for m in numbers[at : at + size] if isinstance(m, UnitHandle)}
        lists.append(tuple(i for i in unit.active if unit.units[i] in listed))
        at += size
    covered = [i for positions in lists for i in positions]
    if sorted(covered) != sorted(unit.active):
        reason = "each unit of the program unit must be listed for one region"
        raise MAPPING.error(unit.places.place(op), reason=reason)
    return lists


def _branches(
    unit: UnitDecoder,
    op: ir.Operation,
    lists: Sequence[tuple[int, ...]],
    bodies: Sequence[tuple[p.Instr, ...]],
    yields: Sequence[Sequence[Carried]],
) -> list[Carried]:
    """Nested Ifs, the last region being the innermost else."""
    body, values = bodies[-1], list(yields[-1])
    for positions, then, gives in list(zip(lists, bodies, yields, strict=True))[-2::-1]:
        mine = tuple(int(i in positions) for i in range(len(unit.units)))
        cond = unit.shared(op, p.Table, mine)
        results = [unit.like(v) for v in gives]
        branch = p.If(
            unit.places.number(op), cond, then, body,
            tuple(v.reg for v in gives), tuple(v.reg for v in values),
            tuple(v.reg for v in results),
        )  # fmt: skip
        body, values = (branch,), results
    unit.code.extend(body)
    return values
