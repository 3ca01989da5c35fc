"""The rules by which expressions are built and printed; the same ones MLIR applies."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from spyrelang.affine import errors
from spyrelang.affine import expr as x


def add(lhs: x.Expr, rhs: x.Expr) -> x.Expr:
    """`lhs + rhs` with constants last and equal terms collected."""
    a, b = lhs.constant, rhs.constant
    if a is not None and b is not None:
        return x.Const(a + b)
    if a is not None or (lhs.is_symbolic and not rhs.is_symbolic):
        return add(rhs, lhs)
    if b == 0:
        return lhs
    if _out_of_order(lhs, rhs):
        lhs, rhs = rhs, lhs
    inner = lhs.rhs.constant if isinstance(lhs, x.Add) else None
    if isinstance(lhs, x.Add) and inner is not None and b is not None:
        return lhs.lhs + (inner + b)
    (first, p), (second, q) = _scaled(lhs), _scaled(rhs)
    if first == second:
        return first * (p + q)
    if isinstance(lhs, x.Add) and inner is not None:
        return lhs.lhs + rhs + inner
    return _as_mod(lhs, rhs) or _into_lhs(lhs, rhs) or x.Add(lhs, rhs)


def _out_of_order(lhs: x.Expr, rhs: x.Expr) -> bool:
    """Two dims, or two symbols, stand by their numbers."""
    if isinstance(lhs, x.Dim) and isinstance(rhs, x.Dim):
        return lhs.index > rhs.index
    return isinstance(lhs, x.Sym) and isinstance(rhs, x.Sym) and lhs.index > rhs.index


def _scaled(e: x.Expr) -> tuple[x.Expr, int]:
    factor = e.rhs.constant if isinstance(e, x.Mul) else None
    return (e.lhs, factor) if isinstance(e, x.Mul) and factor is not None else (e, 1)


def _as_mod(lhs: x.Expr, rhs: x.Expr) -> x.Expr | None:
    """`e + (e floordiv q) * -q` is `e mod q`."""
    if not (isinstance(rhs, x.Mul) and isinstance(rhs.lhs, x.FloorDiv)):
        return None
    quotient = rhs.lhs
    if quotient.lhs == lhs and quotient.rhs == -rhs.rhs:
        return lhs % quotient.rhs
    return None


def _into_lhs(lhs: x.Expr, rhs: x.Expr) -> x.Expr | None:
    """`(a + b) + (e floordiv q) * c` is `a + (b + …)` where `b` and the quotient combine."""
    quotient = isinstance(rhs, x.Mul) and isinstance(rhs.lhs, x.FloorDiv)
    if not (quotient and isinstance(lhs, x.Add)):
        return None
    combined = add(lhs.rhs, rhs)
    plain = isinstance(combined, x.Add) and (combined.lhs, combined.rhs) == (lhs.rhs, rhs)
    return None if plain else lhs.lhs + combined


def mul(lhs: x.Expr, rhs: x.Expr) -> x.Expr:
    """`lhs * rhs` with the constant or symbolic factor last."""
    a, b = lhs.constant, rhs.constant
    if a is not None and b is not None:
        return x.Const(a * b)
    if not lhs.is_symbolic and not rhs.is_symbolic:
        raise errors.not_affine(f"({lhs}) * ({rhs})", "both factors hold dims")
    if not rhs.is_symbolic or a is not None:
        return mul(rhs, lhs)
    if b == 1:
        return lhs
    if b == 0:
        return rhs
    if _out_of_order(lhs, rhs):
        lhs, rhs = rhs, lhs
    inner = lhs.rhs.constant if isinstance(lhs, x.Mul) else None
    if isinstance(lhs, x.Mul) and inner is not None:
        return lhs.lhs * (inner * b) if b is not None else lhs.lhs * rhs * inner
    return x.Mul(lhs, rhs)


def _check_divisor(op: str, lhs: x.Expr, rhs: x.Expr) -> None:
    if not rhs.is_symbolic:
        raise errors.not_affine(f"({lhs}) {op} ({rhs})", "the divisor holds dims")
    if rhs.constant == 0:
        raise errors.not_affine(f"({lhs}) {op} 0", "the divisor is zero")


def _exact_quotient(lhs: x.Expr, by: int) -> x.Expr | None:
    """`lhs / by` where `lhs` is something times a multiple of `by`."""
    factor = lhs.rhs.constant if isinstance(lhs, x.Mul) else None
    if isinstance(lhs, x.Mul) and factor is not None and factor % by == 0:
        return lhs.lhs * (factor // by)
    return None


def floordiv(lhs: x.Expr, rhs: x.Expr) -> x.Expr:
    """The quotient rounded down."""
    _check_divisor("floordiv", lhs, rhs)
    a, b = lhs.constant, rhs.constant
    if b is None:
        return x.FloorDiv(lhs, rhs)
    if a is not None:
        return x.Const(a // b)
    if b == 1:
        return lhs
    exact = _exact_quotient(lhs, b)
    if exact is not None:
        return exact
    if isinstance(lhs, x.Add) and (divisor(lhs.lhs) % b == 0 or divisor(lhs.rhs) % b == 0):
        return lhs.lhs // b + lhs.rhs // b
    return x.FloorDiv(lhs, rhs)


def ceildiv(lhs: x.Expr, rhs: x.Expr) -> x.Expr:
    """The quotient rounded up."""
    _check_divisor("ceildiv", lhs, rhs)
    a, b = lhs.constant, rhs.constant
    if b is None:
        return x.CeilDiv(lhs, rhs)
    if a is not None:
        return x.Const(-(-a // b))
    if b == 1:
        return lhs
    exact = _exact_quotient(lhs, b)
    return exact if exact is not None else x.CeilDiv(lhs, rhs)


def mod(lhs: x.Expr, rhs: x.Expr) -> x.Expr:
    """The remainder; only for divisors that are not known to be negative."""
    _check_divisor("mod", lhs, rhs)
    a, b = lhs.constant, rhs.constant
    if b is not None and b < 0:
        raise errors.not_affine(f"({lhs}) mod {b}", "the divisor is negative")
    if b is None:
        return x.Mod(lhs, rhs)
    if a is not None:
        return x.Const(a % b)
    if divisor(lhs) % b == 0:
        return x.Const(0)
    if isinstance(lhs, x.Add):
        if divisor(lhs.lhs) % b == 0:
            return lhs.rhs % b
        if divisor(lhs.rhs) % b == 0:
            return lhs.lhs % b
    inner = lhs.rhs.constant if isinstance(lhs, x.Mod) else None
    if isinstance(lhs, x.Mod) and inner is not None and inner % b == 0:
        return lhs.lhs % b
    return x.Mod(lhs, rhs)


def divisor(e: x.Expr) -> int:
    """The largest integer known to divide `e`, whatever its dims and symbols."""
    if isinstance(e, x.Const):
        return abs(e.value)
    if isinstance(e, x.Mul):
        return divisor(e.lhs) * divisor(e.rhs)
    if isinstance(e, x.Add | x.Mod):
        return gcd(divisor(e.lhs), divisor(e.rhs))
    if isinstance(e, x.FloorDiv | x.CeilDiv):
        by = e.rhs.constant
        inner = divisor(e.lhs)
        return abs(inner // by) if by and inner % by == 0 else 1
    return 1


def render(e: x.Expr, dims: Sequence[str] | None = None, syms: Sequence[str] | None = None) -> str:
    """MLIR's spelling of `e`."""
    return _Printer(dims, syms).show(e, strong=False)


class _Printer:
    def __init__(self, dims: Sequence[str] | None, syms: Sequence[str] | None) -> None:
        self.dims = dims
        self.syms = syms

    def show(self, e: x.Expr, *, strong: bool) -> str:
        """`strong`: inside an operator that binds tightly, so every operation takes brackets."""
        if isinstance(e, x.Binary):
            text = self.sum(e) if isinstance(e, x.Add) else self.product(e)
            return f"({text})" if strong else text
        if isinstance(e, x.Dim):
            return self.dims[e.index] if self.dims is not None else f"d{e.index}"
        if isinstance(e, x.Sym):
            return self.syms[e.index] if self.syms is not None else f"s{e.index}"
        return str(e.constant)

    def product(self, e: x.Binary) -> str:
        if isinstance(e, x.Mul) and e.rhs.constant == -1:
            return "-" + self.show(e.lhs, strong=True)
        left, right = self.show(e.lhs, strong=True), self.show(e.rhs, strong=True)
        return f"{left} {e.spelling} {right}"

    def sum(self, e: x.Add) -> str:
        left = self.show(e.lhs, strong=False)
        constant = e.rhs.constant
        if constant is not None and constant < 0:
            return f"{left} - {-constant}"
        factor = e.rhs.rhs.constant if isinstance(e.rhs, x.Mul) else None
        if isinstance(e.rhs, x.Mul) and factor is not None and factor < 0:
            return f"{left} - {self.negated(e.rhs.lhs, -factor)}"
        return f"{left} + {self.show(e.rhs, strong=False)}"

    def negated(self, e: x.Expr, factor: int) -> str:
        if factor == 1:
            return self.show(e, strong=isinstance(e, x.Add))
        return f"{self.show(e, strong=True)} * {factor}"
