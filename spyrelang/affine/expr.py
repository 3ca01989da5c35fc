"""Affine expressions: nodes, the operators that build them, evaluation and substitution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from spyrelang.affine import errors, simplify


@dataclass(frozen=True)
class Linear:
    """`sum(dims[i] * d_i) + sum(syms[j] * s_j) + constant`; zero coefficients are left out."""

    dims: dict[int, int]
    syms: dict[int, int]
    constant: int

    def scaled(self, factor: int) -> Linear:
        """Every coefficient times `factor`."""
        if not factor:
            return Linear({}, {}, 0)
        return Linear(
            {i: c * factor for i, c in self.dims.items()},
            {i: c * factor for i, c in self.syms.items()},
            self.constant * factor,
        )

    def plus(self, other: Linear) -> Linear:
        """The sum, coefficient by coefficient."""
        return Linear(
            _added(self.dims, other.dims),
            _added(self.syms, other.syms),
            self.constant + other.constant,
        )


def _added(a: dict[int, int], b: dict[int, int]) -> dict[int, int]:
    total = {i: a.get(i, 0) + b.get(i, 0) for i in sorted(a.keys() | b.keys())}
    return {i: c for i, c in total.items() if c}


class Expr:
    """An affine expression over dims `d0, d1, …` and symbols `s0, s1, …`.

    Build with the operators `+ - *  // %`, `ceildiv` and the leaves `Dim`, `Sym`, `Const`; they
    simplify and raise SPY111 where the result would not be affine.
    """

    __slots__ = ()

    def __add__(self, other: Expr | int) -> Expr:
        return simplify.add(self, as_expr(other))

    def __radd__(self, other: int) -> Expr:
        return simplify.add(as_expr(other), self)

    def __sub__(self, other: Expr | int) -> Expr:
        return simplify.add(self, -as_expr(other))

    def __rsub__(self, other: int) -> Expr:
        return simplify.add(as_expr(other), -self)

    def __mul__(self, other: Expr | int) -> Expr:
        return simplify.mul(self, as_expr(other))

    def __rmul__(self, other: int) -> Expr:
        return simplify.mul(as_expr(other), self)

    def __neg__(self) -> Expr:
        return simplify.mul(self, Const(-1))

    def __floordiv__(self, other: Expr | int) -> Expr:
        return simplify.floordiv(self, as_expr(other))

    def __mod__(self, other: Expr | int) -> Expr:
        return simplify.mod(self, as_expr(other))

    def ceildiv(self, other: Expr | int) -> Expr:
        """The quotient rounded towards plus infinity."""
        return simplify.ceildiv(self, as_expr(other))

    def eval(self, dims: Sequence[Any], syms: Sequence[Any] = ()) -> Any:
        """The value at `dims` and `syms`: ints, or numpy integer arrays that broadcast."""
        raise NotImplementedError

    def substitute(self, dims: Sequence[Expr | int] = (), syms: Sequence[Expr | int] = ()) -> Expr:
        """Put `dims[i]` for `d_i` and `syms[i]` for `s_i`; what has no entry stays."""
        raise NotImplementedError

    def walk(self) -> Iterator[Expr]:
        """This node and all below it, operands first."""
        yield self

    def simplify(self) -> Expr:
        """Build the expression again, so that every simplification rule has been applied."""
        return self.substitute()

    def linear(self) -> Linear | None:
        """The coefficients, or None where a division, a mod or a product of symbols stays."""
        return None

    def dims(self) -> frozenset[int]:
        """The numbers of the dims used."""
        return frozenset(e.index for e in self.walk() if isinstance(e, Dim))

    def syms(self) -> frozenset[int]:
        """The numbers of the symbols used."""
        return frozenset(e.index for e in self.walk() if isinstance(e, Sym))

    @property
    def is_symbolic(self) -> bool:
        """Whether no dim is used."""
        return not self.dims()

    @property
    def constant(self) -> int | None:
        """The value of a constant expression, else None."""
        return None

    def render(self, dims: Sequence[str] | None = None, syms: Sequence[str] | None = None) -> str:
        """MLIR's spelling, with other names than `d0 …` and `s0 …` where given."""
        return simplify.render(self, dims, syms)

    def __str__(self) -> str:
        return self.render()


def as_expr(value: Expr | int) -> Expr:
    """An expression for an int; expressions pass through."""
    return value if isinstance(value, Expr) else Const(int(value))


_NONE: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Dim(Expr):
    """The dim number `index`."""

    index: int

    def dims(self) -> frozenset[int]:
        return frozenset((self.index,))

    def syms(self) -> frozenset[int]:
        return _NONE

    @property
    def is_symbolic(self) -> bool:
        return False

    def eval(self, dims: Sequence[Any], syms: Sequence[Any] = ()) -> Any:
        return dims[self.index]

    def substitute(self, dims: Sequence[Expr | int] = (), syms: Sequence[Expr | int] = ()) -> Expr:
        return as_expr(dims[self.index]) if self.index < len(dims) else self

    def linear(self) -> Linear:
        return Linear({self.index: 1}, {}, 0)


@dataclass(frozen=True)
class Sym(Expr):
    """The symbol number `index`."""

    index: int

    def dims(self) -> frozenset[int]:
        return _NONE

    def syms(self) -> frozenset[int]:
        return frozenset((self.index,))

    @property
    def is_symbolic(self) -> bool:
        return True

    def eval(self, dims: Sequence[Any], syms: Sequence[Any] = ()) -> Any:
        return syms[self.index]

    def substitute(self, dims: Sequence[Expr | int] = (), syms: Sequence[Expr | int] = ()) -> Expr:
        return as_expr(syms[self.index]) if self.index < len(syms) else self

    def linear(self) -> Linear:
        return Linear({}, {self.index: 1}, 0)


@dataclass(frozen=True)
class Const(Expr):
    """An integer."""

    value: int

    def dims(self) -> frozenset[int]:
        return _NONE

    def syms(self) -> frozenset[int]:
        return _NONE

    @property
    def is_symbolic(self) -> bool:
        return True

    def eval(self, dims: Sequence[Any], syms: Sequence[Any] = ()) -> Any:
        return self.value

    def substitute(self, dims: Sequence[Expr | int] = (), syms: Sequence[Expr | int] = ()) -> Expr:
        return self

    def linear(self) -> Linear:
        return Linear({}, {}, self.value)

    @property
    def constant(self) -> int:
        return self.value


@dataclass(frozen=True)
class Binary(Expr):
    """A node with two operands. The constructors do not simplify: use the operators."""

    spelling: ClassVar[str]
    lhs: Expr
    rhs: Expr
    _symbolic: bool = field(init=False, repr=False, compare=False, default=False)

    def __post_init__(self) -> None:
        symbolic = self.lhs.is_symbolic and self.rhs.is_symbolic
        object.__setattr__(self, "_symbolic", symbolic)

    @property
    def is_symbolic(self) -> bool:
        return self._symbolic

    def walk(self) -> Iterator[Expr]:
        yield from self.lhs.walk()
        yield from self.rhs.walk()
        yield self

    def substitute(self, dims: Sequence[Expr | int] = (), syms: Sequence[Expr | int] = ()) -> Expr:
        return self.combine(self.lhs.substitute(dims, syms), self.rhs.substitute(dims, syms))

    def combine(self, lhs: Expr, rhs: Expr) -> Expr:
        """The same operation on other operands, simplified."""
        raise NotImplementedError


class Add(Binary):
    """`lhs + rhs`."""

    spelling = "+"

    def combine(self, lhs: Expr, rhs: Expr) -> Expr:
        return lhs + rhs

    def eval(self, dims: Sequence[Any], syms: Sequence[Any] = ()) -> Any:
        return self.lhs.eval(dims, syms) + self.rhs.eval(dims, syms)

    def linear(self) -> Linear | None:
        a, b = self.lhs.linear(), self.rhs.linear()
        return None if a is None or b is None else a.plus(b)


class Mul(Binary):
    """`lhs * rhs`; one of them has no dim."""

    spelling = "*"

    def combine(self, lhs: Expr, rhs: Expr) -> Expr:
        return lhs * rhs

    def eval(self, dims: Sequence[Any], syms: Sequence[Any] = ()) -> Any:
        return self.lhs.eval(dims, syms) * self.rhs.eval(dims, syms)

    def linear(self) -> Linear | None:
        factor = self.rhs.constant
        inner = self.lhs.linear()
        return None if factor is None or inner is None else inner.scaled(factor)


class FloorDiv(Binary):
    """`lhs floordiv rhs`."""

    spelling = "floordiv"

    def combine(self, lhs: Expr, rhs: Expr) -> Expr:
        return lhs // rhs

    def eval(self, dims: Sequence[Any], syms: Sequence[Any] = ()) -> Any:
        return self.lhs.eval(dims, syms) // _divisor(self, dims, syms)


class CeilDiv(Binary):
    """`lhs ceildiv rhs`."""

    spelling = "ceildiv"

    def combine(self, lhs: Expr, rhs: Expr) -> Expr:
        return lhs.ceildiv(rhs)

    def eval(self, dims: Sequence[Any], syms: Sequence[Any] = ()) -> Any:
        return -(-self.lhs.eval(dims, syms) // _divisor(self, dims, syms))


class Mod(Binary):
    """`lhs mod rhs`, never negative for a positive `rhs`."""

    spelling = "mod"

    def combine(self, lhs: Expr, rhs: Expr) -> Expr:
        return lhs % rhs

    def eval(self, dims: Sequence[Any], syms: Sequence[Any] = ()) -> Any:
        return self.lhs.eval(dims, syms) % _divisor(self, dims, syms)


def _divisor(node: Binary, dims: Sequence[Any], syms: Sequence[Any]) -> Any:
    value = node.rhs.eval(dims, syms)
    if isinstance(value, int) and value == 0:
        raise errors.not_affine(node, "the divisor is zero")
    return value
