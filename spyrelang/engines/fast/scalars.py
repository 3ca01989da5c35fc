"""Integer arithmetic on ints and, unit by unit, on arrays: 64 bits, as `index` has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spyrelang.errors import Location
from spyrelang.errors.engine import BAD_ARITHMETIC, BAD_PROGRAM
from spyrelang.isa.arith import OPERATIONS, signed


def evaluate(op: str, operands: list[Any], location: Location | None = None) -> Any:
    """`op` of isa.program.Arith (or "floormod") on ints and int64 arrays. Raises SPY514, SPY524."""
    single = _floormod if op == "floormod" else OPERATIONS.get(op)
    if single is None:
        raise BAD_PROGRAM.error(location, reason=f"unknown arithmetic {op!r}")
    if op in DIVISIONS and not np.all(operands[1]):
        raise BAD_ARITHMETIC.error(location, reason="division by zero")
    if all(isinstance(value, int) for value in operands):
        return single(*operands)
    many = _ARRAYS.get(op)
    return _each(single, operands) if many is None else many(*operands)


def _floormod(a: int, b: int) -> int:
    return signed(a % b)


def _each(function: Callable[..., int], operands: list[Any]) -> Any:
    columns = np.broadcast_arrays(*[np.asarray(o, np.int64) for o in operands])
    rows = zip(*(c.tolist() for c in columns), strict=True)
    return np.array([function(*row) for row in rows], np.int64)


def _compare(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: function(a, b).astype(np.int64)


def _select(c: Any, a: Any, b: Any) -> Any:
    return np.where(np.asarray(c) != 0, a, b).astype(np.int64)


DIVISIONS = frozenset(
    ("divsi", "divui", "floordivsi", "ceildivsi", "ceildivui", "remsi", "remui", "floormod")
)
"""Ops whose second operand must not be zero."""

_ARRAYS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "floordivsi": np.floor_divide,
    "floormod": np.mod,
    "minsi": np.minimum,
    "maxsi": np.maximum,
    "andi": np.bitwise_and,
    "ori": np.bitwise_or,
    "xori": np.bitwise_xor,
    "select": _select,
    "cmp_eq": _compare(np.equal),
    "cmp_ne": _compare(np.not_equal),
    "cmp_slt": _compare(np.less),
    "cmp_sle": _compare(np.less_equal),
    "cmp_sgt": _compare(np.greater),
    "cmp_sge": _compare(np.greater_equal),
}

QUICK: dict[str, Callable[[int, int], int]] = {
    "floormod": lambda a, b: a % b,
    "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b),
    "minsi": min,
    "maxsi": max,
    "cmp_eq": lambda a, b: int(a == b),
    "cmp_ne": lambda a, b: int(a != b),
    "cmp_slt": lambda a, b: int(a < b),
    "cmp_sge": lambda a, b: int(a >= b),
}
"""Two-operand ops on ints that need no check but that of the divisor."""
