"""Launch-time values: evaluates the symbol expressions of an executable once per launch."""

from __future__ import annotations

from collections.abc import Mapping

from spyrelang.affine import CeilDiv, Expr, FloorDiv
from spyrelang.errors import Location, SpyreError
from spyrelang.errors.engine import SYMBOL_INEXACT, SYMBOL_MISSING, SYMBOL_RANGE
from spyrelang.isa.program import Executable, Symbol, SymbolValue
from spyrelang.isa.validate import location
from spyrelang.isa.visit import instructions

_INPUT_LIMIT = 2**63 - 1


def evaluate(executable: Executable, values: Mapping[int, int]) -> dict[int, int]:
    """All symbols by id: `values` (inputs, and derived values taken as given), then the rest in
    order. Raises SPY520 (missing), SPY521 (inexact division), SPY522 (does not fit its field),
    SPY111 (division by zero)."""
    result: dict[int, int] = {}
    for symbol in executable.inputs:
        if symbol.id in values:
            result[symbol.id] = _ranged(symbol.id, int(values[symbol.id]), _INPUT_LIMIT)
    for symbol in executable.symbols:
        try:
            result[symbol.id] = _value(symbol, result, values)
        except SpyreError as error:
            error.location = error.location or _first_use(executable, symbol.id)
            raise
    return result


def _value(symbol: SymbolValue, known: Mapping[int, int], values: Mapping[int, int]) -> int:
    if symbol.id in values:
        value = int(values[symbol.id])
    else:
        value = _compute(symbol, [_known(known, i, values) for i in symbol.inputs])
    return _ranged(symbol.id, value, 2**symbol.bits - 1)


def _first_use(executable: Executable, symbol: int) -> Location | None:
    """Where a program reads the symbol; where it is defined is not kept."""
    for program in executable.programs:
        for unit in program.units:
            for i in instructions(unit.body):
                if isinstance(i, Symbol) and symbol in i.ids:
                    return location(executable, i.loc)
    return None


def _known(result: Mapping[int, int], symbol_id: int, values: Mapping[int, int]) -> int:
    if symbol_id not in result:
        given = ", ".join(map(str, sorted(values, reverse=True))) or "none"
        raise SYMBOL_MISSING.error(id=symbol_id, given=given)
    return result[symbol_id]


def _compute(symbol: SymbolValue, inputs: list[int]) -> int:
    if symbol.exact:
        for node in symbol.expr.walk():
            if isinstance(node, FloorDiv | CeilDiv):
                _demand_exact(symbol.id, node.lhs, node.rhs, inputs)
    return int(symbol.expr.eval(inputs))


def _demand_exact(symbol_id: int, lhs: Expr, rhs: Expr, inputs: list[int]) -> None:
    value, divisor = int(lhs.eval(inputs)), int(rhs.eval(inputs))
    if divisor and value % divisor:
        raise SYMBOL_INEXACT.error(id=symbol_id, value=value, divisor=divisor)


def _ranged(symbol_id: int, value: int, limit: int) -> int:
    if not 0 <= value <= limit:
        raise SYMBOL_RANGE.error(id=symbol_id, value=value, limit=limit)
    return value
