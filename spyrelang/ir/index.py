"""Integer expressions over SSA values, as subscripts and loop bounds need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spyrelang.affine import Const, Dim, Expr

Value = Any  # mlir.ir.Value; the bindings ship no usable stub


@dataclass(frozen=True)
class Index:
    """`expr` over `values`: dim i of the expression stands for values[i]."""

    expr: Expr
    values: tuple[Value, ...] = ()

    @staticmethod
    def const(number: int) -> Index:
        return Index(Const(number))

    @staticmethod
    def of(value: Value) -> Index:
        return Index(Dim(0), (value,))

    def __add__(self, other: Index) -> Index:
        values, (left, right) = _merge((self, other))
        return Index(left + right, values)

    def scaled(self, factor: int) -> Index:
        return Index(self.expr * factor, self.values)

    def modulo(self, number: int) -> Index:
        return Index(self.expr % number, self.values)

    @property
    def constant(self) -> int | None:
        """The number, when the expression is one."""
        return self.expr.value if isinstance(self.expr, Const) else None


def _merge(parts: Sequence[Index]) -> tuple[tuple[Value, ...], tuple[Expr, ...]]:
    """Renumber the dims of several indices over one common list of distinct values."""
    values: list[Value] = []
    exprs: list[Expr] = []
    for part in parts:
        dims: list[Expr] = []
        for value in part.values:
            if value not in values:
                values.append(value)
            dims.append(Dim(values.index(value)))
        exprs.append(part.expr.substitute(dims, ()))
    return tuple(values), tuple(exprs)


def subscripts(parts: Sequence[Index]) -> tuple[tuple[Value, ...], tuple[Expr, ...]]:
    """Operands and map results of a subscript list; unused values are dropped, the rest is
    numbered by first use, as the public printers do."""
    values, exprs = _merge(parts)
    used: list[int] = []
    for expr in exprs:
        used += [d for d in sorted(expr.dims()) if d not in used]
    renumber: list[Expr] = [Const(0)] * len(values)
    for new, old in enumerate(used):
        renumber[old] = Dim(new)
    kept = tuple(values[old] for old in used)
    return kept, tuple(expr.substitute(renumber, ()) for expr in exprs)


def combine(expr: Expr, dims: Sequence[Index], syms: Sequence[Index] = ()) -> Index:
    """`expr` with every dim and symbol replaced by an index."""
    values, exprs = _merge((*dims, *syms))
    return Index(expr.substitute(exprs[: len(dims)], exprs[len(dims) :]), values)
