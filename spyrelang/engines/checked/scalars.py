"""Integer instructions, shared by units and the orchestrator, and the control flow around them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, TypeVar

from spyrelang.errors import SpyreError
from spyrelang.errors.engine import BAD_ARITHMETIC
from spyrelang.isa import program as p
from spyrelang.isa.arith import OPERATIONS, signed
from spyrelang.isa.validate import location

Registers = dict[int, Any]

T = TypeVar("T")
Walk = Generator[T, None, None]
Block = Callable[[Sequence[p.Instr]], Walk[T]]


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


def loop(executable: p.Executable, i: p.For, regs: Registers, block: Block[T]) -> Walk[T]:
    """The body once for each value of the loop's variable, its carried values passed on."""
    carried = [regs[r] for r in i.inits]
    for value in trips(executable, i, regs):
        regs[i.iv] = value
        regs.update(zip(i.args, carried, strict=True))
        yield from block(i.body)
        carried = [regs[r] for r in i.yields]
    regs.update(zip(i.results, carried, strict=True))


def branch(i: p.If, regs: Registers, block: Block[T]) -> Walk[T]:
    """The side that the condition takes, and its values."""
    taken = bool(regs[i.cond])
    yield from block(i.then_body if taken else i.else_body)
    yields = i.then_yields if taken else i.else_yields
    regs.update(zip(i.results, [regs[r] for r in yields], strict=True))


def impossible(executable: p.Executable, i: p.Instr, reason: str) -> SpyreError:
    """The error for arithmetic that has no result."""
    return BAD_ARITHMETIC.error(location(executable, i.loc), reason=reason)
