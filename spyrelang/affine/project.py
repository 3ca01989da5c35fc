"""Fourier-Motzkin elimination: bounds of one dim from linear constraints over many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd

from spyrelang.affine.expr import (
    Add,
    Binary,
    CeilDiv,
    Const,
    Dim,
    Expr,
    FloorDiv,
    Linear,
    Mod,
    Mul,
)

Row = tuple[int, ...]
"""Coefficients per variable, then the constant; the constraint is `row . (vars, 1) >= 0`."""


@dataclass(frozen=True)
class System:
    """Rows over the dims of a set, followed by one variable per division inside it."""

    n_vars: int
    rows: frozenset[Row]

    def bounds(self, var: int, fixed: Sequence[int]) -> tuple[int | None, int | None]:
        """The range of `var` where the first variables have the values `fixed`.

        Every variable after `var` must have been eliminated. None is an open end; an empty
        range has its ends crossed.
        """
        low: int | None = None
        high: int | None = None
        for row in self.rows:
            rest = row[-1] + sum(c * v for c, v in zip(row, fixed, strict=False))
            c = row[var]
            if c > 0:
                low = -(rest // c) if low is None else max(low, -(rest // c))
            elif c < 0:
                high = rest // -c if high is None else min(high, rest // -c)
            elif rest < 0:
                return 1, 0
        return low, high

    def without(self, var: int) -> System:
        """Eliminate `var`."""
        up = [r for r in self.rows if r[var] > 0]
        down = [r for r in self.rows if r[var] < 0]
        kept = [r for r in self.rows if r[var] == 0]
        return System(self.n_vars, _tidy(kept + [_cross(a, b, var) for a in up for b in down]))


def _cross(up: Row, down: Row, var: int) -> Row:
    p, q = up[var], -down[var]
    return tuple(q * a + p * b for a, b in zip(up, down, strict=True))


def _tidy(rows: Iterable[Row]) -> frozenset[Row]:
    """Divide rows by their common factor and keep the tightest of parallel ones."""
    best: dict[Row, int] = {}
    for row in rows:
        factor = gcd(*row[:-1]) or 1
        direction = tuple(c // factor for c in row[:-1])
        constant = row[-1] // factor if any(direction) else row[-1]
        if any(direction) or constant < 0:
            best[direction] = min(best.get(direction, constant), constant)
    return frozenset((*d, c) for d, c in best.items())


def system(n_dims: int, constraints: Iterable[tuple[Expr, bool]]) -> System:
    """The rows of constraints without symbols; divisions become variables of their own."""
    builder = _Builder(n_dims)
    for expr, is_eq in constraints:
        row = builder.linear(expr)
        builder.rows += [row, row.scaled(-1)] if is_eq else [row]
    return System(builder.n_vars, _tidy(_dense(r, builder.n_vars) for r in builder.rows))


def _dense(row: Linear, n_vars: int) -> Row:
    return (*(row.dims.get(i, 0) for i in range(n_vars)), row.constant)


class _Builder:
    def __init__(self, n_dims: int) -> None:
        self.n_vars = n_dims
        self.rows: list[Linear] = []
        self.quotients: dict[tuple[Expr, int], Linear] = {}

    def linear(self, e: Expr) -> Linear:
        """`e` over the variables so far, new ones entered for its divisions."""
        if isinstance(e, Add):
            return self.linear(e.lhs).plus(self.linear(e.rhs))
        if isinstance(e, Mul):
            return self.linear(e.lhs).scaled(e.rhs.constant or 0)
        if isinstance(e, Binary):
            return self.division(e, e.rhs.constant or 1)
        if isinstance(e, Dim):
            return Linear({e.index: 1}, {}, 0)
        return Linear({}, {}, e.constant if isinstance(e, Const) else 0)

    def division(self, e: Binary, by: int) -> Linear:
        inner = self.linear(e.lhs)
        if by < 0 and isinstance(e, FloorDiv | CeilDiv):
            inner, by = inner.scaled(-1), -by
        if isinstance(e, CeilDiv):
            return self.quotient(-e.lhs if (e.rhs.constant or 1) > 0 else e.lhs, by).scaled(-1)
        if isinstance(e, Mod):
            return inner.plus(self.quotient(e.lhs, by).scaled(-by))
        return self.quotient(e.lhs if (e.rhs.constant or 1) > 0 else -e.lhs, by)

    def quotient(self, of: Expr, by: int) -> Linear:
        """A variable q with `0 <= of - by * q <= by - 1`."""
        if (of, by) not in self.quotients:
            inner = self.linear(of)
            q = Linear({self.n_vars: 1}, {}, 0)
            self.n_vars += 1
            rest = inner.plus(q.scaled(-by))
            self.rows += [rest, rest.scaled(-1).plus(Linear({}, {}, by - 1))]
            self.quotients[of, by] = q
        return self.quotients[of, by]
