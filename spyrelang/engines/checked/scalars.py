"""Integer instructions, shared by units and the orchestrator, and the control flow around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spyrelang.errors import SpyreError
from spyrelang.errors.engine import BAD_ARITHMETIC
from spyrelang.isa import program as p
from spyrelang.isa.arith import OPERATIONS, signed
from spyrelang.isa.validate import location

Registers = dict[int, Any]


def at(values: tuple[int, ...], position: int) -> int:
    """The entry of a per-unit tuple that belongs to `position`."""
    return values[0] if len(values) == 1 else values[position]


def scalar(i: p.Instr, regs: Registers, position: int, symbols: Mapping[int, int]) -> int | None:
    """The value of a scalar instruction; None for any other instruction."""
    match i:
        case p.Const():
            return i.value
        case p.Table():
            return at(i.values, position)
        case p.Symbol():
            return symbols[at(i.ids, position)]
        case p.Arith():
            return OPERATIONS[i.op](*[regs[r] for r in i.operands])
        case p.Affine():
            return signed(int(i.expr.eval([regs[r] for r in i.operands])))
        case _:
            return None


def trips(executable: p.Executable, i: p.For, regs: Registers) -> range:
    """The values of a loop's variable."""
    lower, upper, step = regs[i.lower], regs[i.upper], regs[i.step]
    if step < 1:
        raise impossible(executable, i, f"a loop has step {step}")
    return range(lower, upper, step)


def impossible(executable: p.Executable, i: p.Instr, reason: str) -> SpyreError:
    """The error for arithmetic that has no result."""
    return BAD_ARITHMETIC.error(location(executable, i.loc), reason=reason)
