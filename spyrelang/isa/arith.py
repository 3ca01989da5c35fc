"""What the integer ops of `isa.program.Arith` compute, on Python ints as 64-bit values."""

from __future__ import annotations

from collections.abc import Callable

_WIDTH = 64
_SPAN = 1 << _WIDTH
_HALF = _SPAN >> 1

Binary = Callable[[int, int], int]
Operation = Callable[..., int]


def signed(value: int) -> int:
    """`value` wrapped to 64 bits, signed."""
    return (value + _HALF) % _SPAN - _HALF


def unsigned(value: int) -> int:
    """`value` wrapped to 64 bits, unsigned."""
    return value % _SPAN


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _on_unsigned(function: Binary) -> Binary:
    return lambda a, b: function(unsigned(a), unsigned(b))


_PLAIN: dict[str, Binary] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "divsi": _truncated,
    "divui": _on_unsigned(lambda a, b: a // b),
    "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b),
    "ceildivui": _on_unsigned(lambda a, b: -(-a // b)),
    "remsi": lambda a, b: a - b * _truncated(a, b),
    "remui": _on_unsigned(lambda a, b: a % b),
    "minsi": lambda a, b: min(a, b),
    "maxsi": lambda a, b: max(a, b),
    "minui": _on_unsigned(lambda a, b: min(a, b)),
    "maxui": _on_unsigned(lambda a, b: max(a, b)),
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "cmp_eq": lambda a, b: int(a == b),
    "cmp_ne": lambda a, b: int(a != b),
    "cmp_slt": lambda a, b: int(a < b),
    "cmp_sle": lambda a, b: int(a <= b),
    "cmp_sgt": lambda a, b: int(a > b),
    "cmp_sge": lambda a, b: int(a >= b),
    "cmp_ult": _on_unsigned(lambda a, b: int(a < b)),
    "cmp_ule": _on_unsigned(lambda a, b: int(a <= b)),
    "cmp_ugt": _on_unsigned(lambda a, b: int(a > b)),
    "cmp_uge": _on_unsigned(lambda a, b: int(a >= b)),
}


def _wrapped(function: Binary) -> Binary:
    return lambda a, b: signed(function(a, b))


def _select(condition: int, a: int, b: int) -> int:
    return a if condition else b


OPERATIONS: dict[str, Operation] = {name: _wrapped(f) for name, f in _PLAIN.items()} | {
    "select": _select
}
"""By name; results wrap to signed 64 bits. Division by zero raises ZeroDivisionError."""
