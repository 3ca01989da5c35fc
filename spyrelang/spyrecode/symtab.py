"""The symbol table of a correction: what the values patched at launch are.

    symtab = {"version": 1, "unit_bytes": n, "inputs": [input…], "values": [value…]}
    input  = {"id", "kind": "address", "arg", "name"}
           | {"id", "kind": "dimension", "arg", "dim", "min", "granularity", "max", "name"}
    value  = {"id", "expr", "bits", "exact"?}
    expr   = int | {"in": id} | {"sym": id} | [op, expr, expr]

Arithmetic is exact on signed integers and must stay within 64 bits. A value that comes from an
address is in words: its outermost division must have no remainder, unless `exact` is false.
A dimension with `dim` -1 is the integer argument itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from spyrelang.errors import launch
from spyrelang.errors.engine import SYMBOL_INEXACT, SYMBOL_RANGE

VERSION = 1
OPERATORS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: -(-a // b),
    "mod": lambda a, b: a % b,
    "min": min,
    "max": max,
}
_DIVISIONS = ("floordiv", "ceildiv")


class Ref(NamedTuple):
    """An input ("in") or an earlier value ("sym")."""

    kind: str
    id: int


class Operation(NamedTuple):
    op: str
    left: SymExpr
    right: SymExpr


SymExpr = int | Ref | Operation


@dataclass(frozen=True)
class AddressInput:
    """The byte address of launch argument `arg`."""

    id: int
    arg: int
    name: str = ""


@dataclass(frozen=True)
class DimensionInput:
    """The size of dimension `dim` of argument `arg` (-1: the integer argument itself)."""

    id: int
    arg: int
    dim: int
    minimum: int
    granularity: int
    maximum: int
    name: str = ""

    def admits(self, value: int) -> bool:
        return self.minimum <= value <= self.maximum and value % self.granularity == 0

    def nearest(self, value: int) -> tuple[int, ...]:
        """The legal sizes on both sides of `value`."""
        step = self.granularity
        low = -(-self.minimum // step) * step
        high = self.maximum // step * step
        around = {min(max(v, low), high) for v in (value // step * step, -(-value // step) * step)}
        return tuple(sorted(around))


SymbolInput = AddressInput | DimensionInput


@dataclass(frozen=True)
class SymbolValue:
    """A value written into the blob; it must fit `bits` unsigned bits."""

    id: int
    expr: SymExpr
    bits: int = 32
    exact: bool = True


@dataclass(frozen=True)
class SymbolTable:
    """Inputs in vector order, values in dependency order. `unit_bytes`: alignment of addresses."""

    unit_bytes: int
    inputs: tuple[SymbolInput, ...]
    values: tuple[SymbolValue, ...]

    def evaluate(self, inputs: Sequence[int]) -> dict[int, int]:
        """All values by id, inputs included. Raises SPY521, SPY522, SPY745, SPY746."""
        if len(inputs) != len(self.inputs):
            raise launch.INPUT_COUNT.error(expected=len(self.inputs), given=len(inputs))
        known = {symbol.id: value for symbol, value in zip(self.inputs, inputs, strict=True)}
        for value, parts, limit in self._steps:
            if parts is not None:
                base, offset, divisor = parts
                total = known[base] + offset
                # Everything that is not plainly right is left to the careful way.
                if 0 <= total < 1 << 63 and not total % divisor and total // divisor <= limit:
                    known[value.id] = total // divisor
                    continue
            known[value.id] = self._value(value, known)
        return known

    @cached_property
    def _steps(self) -> tuple[tuple[SymbolValue, tuple[int, int, int] | None, int], ...]:
        """Each value, its parts where it has the common form, and its largest value."""
        return tuple((v, _parts(v.expr), (1 << v.bits) - 1) for v in self.values)

    def _value(self, value: SymbolValue, known: Mapping[int, int]) -> int:
        expr = value.expr
        if isinstance(expr, Operation) and expr.op in _DIVISIONS and value.exact:
            left = _compute(expr.left, known, value.id)
            right = _compute(expr.right, known, value.id)
            if right and left % right and value.id in self.address_values:
                raise SYMBOL_INEXACT.error(id=value.id, value=left, divisor=right)
        result = _compute(expr, known, value.id)
        limit = (1 << value.bits) - 1
        if not 0 <= result <= limit:
            raise SYMBOL_RANGE.error(id=value.id, value=result, limit=limit)
        return result

    @cached_property
    def address_values(self) -> frozenset[int]:
        """Ids of the values that depend on an address."""
        return kinds_of(self)["address"]


def kinds_of(table: SymbolTable) -> dict[str, frozenset[int]]:
    """Ids of inputs and values by what they depend on: "address", "dimension"."""
    result: dict[str, set[int]] = {"address": set(), "dimension": set()}
    for symbol in table.inputs:
        result["address" if isinstance(symbol, AddressInput) else "dimension"].add(symbol.id)
    for value in table.values:
        ids = references(value.expr)
        for members in result.values():
            if not members.isdisjoint(ids):
                members.add(value.id)
    return {kind: frozenset(members) for kind, members in result.items()}


def _parts(expr: SymExpr) -> tuple[int, int, int] | None:
    """(base, offset, divisor) of (base + offset) / divisor; None for any other form."""
    if not isinstance(expr, Operation) or expr.op != "floordiv":
        return None
    left, divisor = expr.left, expr.right
    offset: SymExpr = 0
    if isinstance(left, Operation) and left.op == "add":
        left, offset = left.left, left.right
    if not isinstance(left, Ref) or not isinstance(offset, int) or not isinstance(divisor, int):
        return None
    return (left.id, offset, divisor) if divisor > 0 else None


def references(expr: SymExpr) -> set[int]:
    """Ids that an expression mentions."""
    if isinstance(expr, Operation):
        return references(expr.left) | references(expr.right)
    return {expr.id} if isinstance(expr, Ref) else set()


def _compute(expr: SymExpr, known: Mapping[int, int], symbol: int) -> int:
    if isinstance(expr, Operation):
        left = _compute(expr.left, known, symbol)
        right = _compute(expr.right, known, symbol)
        return _apply(expr.op, left, right, symbol)
    return known[expr.id] if isinstance(expr, Ref) else expr


def _apply(op: str, left: int, right: int, symbol: int) -> int:
    if right == 0 and op in ("floordiv", "ceildiv", "mod"):
        raise launch.SYMBOL_ARITHMETIC.error(symbol=symbol, detail=f"{op} of {left} by zero")
    result = OPERATORS[op](left, right)
    if not -(1 << 63) <= result < 1 << 63:
        detail = f"{op} of {left} and {right} leaves 64-bit signed integers"
        raise launch.SYMBOL_ARITHMETIC.error(symbol=symbol, detail=detail)
    return result
