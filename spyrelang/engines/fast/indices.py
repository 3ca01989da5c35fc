"""Instructions that compute numbers: folded into linear forms, or evaluated as the program runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spyrelang import affine
from spyrelang.engines.fast import scalars
from spyrelang.engines.fast.builder import Builder, NotAxis
from spyrelang.engines.fast.linear import Frame, Lin, Slot, compile_value, merge_labels, tidy
from spyrelang.errors import Location
from spyrelang.isa.program import Affine, Arith, Const, Symbol, Table


def const(b: Builder, op: Const) -> None:
    """dst = value."""
    b.env[op.dst] = Lin(op.value)


def table(b: Builder, op: Table) -> None:
    """dst = my entry."""
    b.env[op.dst] = Lin(tidy(np.array(b.each(op.values), np.int64)))


def symbol(b: Builder, op: Symbol) -> None:
    """dst = the launch value of my symbol."""
    ids = b.each(op.ids)
    if ids not in b.symbols:
        if len(set(ids)) == 1:
            b.symbols[ids] = b.slot("uniform", fixed=True)
        else:
            labels = merge_labels([np.array(ids, np.int64)])
            b.symbols[ids] = b.slot("units", fixed=True, labels=labels)
    b.env[op.dst] = Lin(0, {b.symbols[ids]: 1})


def arith(b: Builder, op: Arith) -> None:
    """dst = op(operands)."""
    operands = [b.lin(r) for r in op.operands]
    b.env[op.dst] = combine(b, op.op, operands, b.location(op.loc))


def affine_apply(b: Builder, op: Affine) -> None:
    """dst = expr(operands)."""
    operands = [b.lin(r) for r in op.operands]
    b.env[op.dst] = evaluate(b, op.expr, operands, b.location(op.loc))


def evaluate(
    b: Builder, expr: affine.Expr, operands: Sequence[Lin], location: Location | None
) -> Lin:
    """An affine expression over linear forms."""
    if isinstance(expr, affine.Dim):
        return operands[expr.index]
    if isinstance(expr, affine.Const):
        return Lin(expr.value)
    linear = expr.linear()
    if linear is not None and not linear.syms:
        total = Lin(linear.constant)
        for index, factor in linear.dims.items():
            total = total.plus(operands[index], factor)
        return total
    if not isinstance(expr, affine.Binary):
        raise AssertionError(f"unknown affine node {expr!r}")
    lhs = evaluate(b, expr.lhs, operands, location)
    rhs = evaluate(b, expr.rhs, operands, location)
    return combine(b, _NODES[type(expr)], [lhs, rhs], location)


_NODES: dict[type[affine.Expr], str] = {
    affine.Add: "add",
    affine.Mul: "mul",
    affine.FloorDiv: "floordivsi",
    affine.CeilDiv: "ceildivsi",
    affine.Mod: "floormod",
}


def combine(b: Builder, op: str, operands: list[Lin], location: Location | None) -> Lin:
    """`op` on linear forms: folded where the result is linear, else a new runtime number."""
    if op == "add":
        return operands[0].plus(operands[1])
    if op == "sub":
        return operands[0].plus(operands[1], -1)
    if op == "mul":
        for one, other in (operands, reversed(operands)):
            factor = other.value
            if factor is not None:
                return one.scaled(factor)
    if all(o.is_const for o in operands):
        return Lin(tidy(scalars.evaluate(op, [o.const for o in operands], location)))
    if op == "select" and operands[0].value is not None:
        return operands[1] if operands[0].value else operands[2]
    return _runtime(b, op, operands, location)


def _runtime(b: Builder, op: str, operands: list[Lin], location: Location | None) -> Lin:
    if any(o.on_axis for o in operands):
        raise NotAxis
    uniform = all(o.is_uniform for o in operands)
    slot = b.slot("uniform" if uniform else "units", fixed=all(_fixed(o) for o in operands))
    if not uniform:
        slot.labels = merge_labels([o.labels(b.size) for o in operands])
    slot.low, slot.high = _bounds(op, operands)
    safe = op not in scalars.DIVISIONS or bool(operands[1].value)
    place(b, slot, operands, _computation(op, operands, location), safe)
    return Lin(0, {slot: 1})


def place(
    b: Builder, slot: Slot, operands: Sequence[Lin], compute: Callable[[Frame], Any], safe: bool
) -> None:
    """Emit the computation of `slot`: before the nest where its operands are known there."""
    index = slot.index

    def step(f: Frame) -> None:
        f[index] = compute(f)

    nest = b.nest
    if nest is None:
        b.emit(step)
    elif safe and all(o.nest != nest.number for o in operands):
        nest.prologue.append((0, step))
    else:
        slot.nest = nest.number
        b.emit(step)


def _fixed(lin: Lin) -> bool:
    return all(s.fixed for s in lin.terms)


def _computation(op: str, operands: list[Lin], location: Location | None) -> Callable[[Frame], Any]:
    values = [compile_value(o) for o in operands]
    quick = scalars.QUICK.get(op)
    divides = op in scalars.DIVISIONS
    if quick is not None and len(values) == 2 and all(o.is_uniform for o in operands):
        first, second = values
        divisor = operands[1].value
        if not divides or divisor:
            return lambda f: quick(first(f), second(f))
    return lambda f: scalars.evaluate(op, [value(f) for value in values], location)


_BETWEEN = {"select": min, "minsi": min, "maxsi": max}
_BETWEEN_HIGH = {"select": max, "minsi": min, "maxsi": max}


def _bounds(op: str, operands: list[Lin]) -> tuple[int | None, int | None]:
    """What the result lies between, as far as a few rules tell."""
    if op.startswith("cmp_"):
        return 0, 1
    divisor = operands[1].value if len(operands) > 1 else None
    if op == "floormod" and divisor is not None and divisor > 0:
        return 0, divisor - 1
    ranges = [o.bounds() for o in operands]
    if op in _BETWEEN:
        known = [r for r in (ranges[1:] if op == "select" else ranges) if r is not None]
        if len(known) == 2:
            (a, b), (c, d) = known
            return _BETWEEN[op](a, c), _BETWEEN_HIGH[op](b, d)
        return None, None
    first = ranges[0]
    if first is None or divisor is None or divisor <= 0:
        return None, None
    if op in ("remsi", "remui") and first[0] >= 0:
        return 0, min(first[1], divisor - 1)
    if op == "floordivsi" or (op in ("divsi", "divui") and first[0] >= 0):
        return first[0] // divisor, first[1] // divisor
    if op == "ceildivsi":
        return -(-first[0] // divisor), -(-first[1] // divisor)
    return None, None
