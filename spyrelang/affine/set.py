"""Integer sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from spyrelang.affine import errors, project, text
from spyrelang.affine.expr import Add, Const, Dim, Expr, Mul, Sym, as_expr
from spyrelang.affine.map import check_used, header
from spyrelang.errors import Location, SpyreError

Bound = int | Expr
"""One end of a box: an int, or an expression over the symbols of the set."""

Constraint = tuple[Expr, bool]


@dataclass(frozen=True)
class Set:
    """`affine_set<(d0, …)[s0, …] : (constraints)>`.

    A constraint is (expression, is equality): the expression `== 0`, or `>= 0`.
    """

    n_dims: int
    n_syms: int
    constraints: tuple[Constraint, ...]

    def __post_init__(self) -> None:
        # MLIR has no set without constraints: it writes the true one.
        constraints = tuple((as_expr(e), bool(eq)) for e, eq in self.constraints)
        object.__setattr__(self, "constraints", constraints or ((Const(0), True),))
        check_used([e for e, _ in constraints], self.n_dims, self.n_syms)

    @staticmethod
    def parse(source: str, location: Location | None = None) -> Set:
        """Read MLIR's text, with or without `affine_set<…>` round it; SPY110 on bad text."""
        try:
            return _parsed(source)
        except SpyreError:  # once more, for an error with its place
            return Set(*text.parse_set(source, location))

    @staticmethod
    def box_of(extents: Sequence[Bound]) -> Set:
        """`0 <= d_i < extents[i]`; extents may be expressions over symbols."""
        sizes = [as_expr(e) for e in extents]
        n_syms = 1 + max((i for e in sizes for i in e.syms()), default=-1)
        pairs = [(Dim(i), size - 1 - Dim(i)) for i, size in enumerate(sizes)]
        constraints = tuple((_dims_first(e), False) for pair in pairs for e in pair)
        return Set(len(sizes), n_syms, constraints)

    @staticmethod
    def between(bounds: Sequence[tuple[int, int]]) -> Set:
        """`lo <= d_i <= hi` for constant ends."""
        constraints: list[Constraint] = []
        for i, (lo, hi) in enumerate(bounds):
            constraints += [(Dim(i) - lo, False), (-Dim(i) + hi, False)]
        return Set(len(bounds), 0, tuple(constraints))

    def contains(self, point: Sequence[Any], syms: Sequence[Any] = ()) -> Any:
        """Whether `point` is in the set; arrays of coordinates give an array of bools."""
        inside: Any = True
        for expr, is_eq in self.constraints:
            value = expr.eval(point, syms)
            inside = inside & (value == 0 if is_eq else value >= 0)
        return inside

    def bind(self, syms: Sequence[Bound]) -> Set:
        """The set with values put for its symbols; expressions keep symbols of their own."""
        values = [as_expr(s) for s in syms]
        if len(values) != self.n_syms:
            raise errors.not_affine(self, f"{len(values)} values given for its symbols")
        n_syms = 1 + max((i for e in values for i in e.syms()), default=-1)
        bound = tuple((e.substitute((), values), eq) for e, eq in self.constraints)
        return Set(self.n_dims, n_syms, bound)

    def box(self) -> tuple[tuple[Bound, Bound], ...] | None:
        """Inclusive ends (lo, hi) per dim, or None where the set is not such a box.

        An end is an int, or an expression over the symbols. Ends that cross mean an empty set.
        """
        return self._box

    @cached_property
    def _box(self) -> tuple[tuple[Bound, Bound], ...] | None:
        lows: list[Bound | None] = [None] * self.n_dims
        highs: list[Bound | None] = [None] * self.n_dims
        for expr, is_eq in self.constraints:
            ends = _ends(expr, is_eq)
            if ends is None:
                return None
            dim, low, high = ends
            if dim is None:
                continue
            if not (_tighten(lows, dim, low, max) and _tighten(highs, dim, high, min)):
                return None
        pairs = [
            (low, high)
            for low, high in zip(lows, highs, strict=True)
            if low is not None and high is not None
        ]
        return tuple(pairs) if len(pairs) == self.n_dims else None

    def extents(self) -> tuple[int, ...] | None:
        """Sizes of a box that starts at zero and has constant ends, else None."""
        box = self.box()
        if box is None or any(lo != 0 or not isinstance(hi, int) for lo, hi in box):
            return None
        return tuple(max(0, hi + 1) for _, hi in box if isinstance(hi, int))

    def bounding_box(self, syms: Sequence[int] = ()) -> tuple[tuple[int, int], ...] | None:
        """The smallest constant box known to hold every point; None when there is no point.

        Raises SPY112 where a dim is open.
        """
        systems = _Systems(self, syms)
        ends = [systems.range_of(i) for i in range(self.n_dims)]
        return None if any(lo > hi for lo, hi in ends) else tuple(ends)

    def points(self, syms: Sequence[int] = ()) -> Iterator[tuple[int, ...]]:
        """All points in lexicographic order. Raises SPY112 where a dim is open."""
        yield from _Systems(self, syms).points(())

    def is_empty(self, syms: Sequence[int] = ()) -> bool:
        """Whether there is no point. SPY112 where an open dim leaves that undecided."""
        systems = _Systems(self, syms)
        if systems.contradictory:
            return True
        return next(systems.points(()), None) is None

    def __str__(self) -> str:
        parts = [f"{e} {'==' if eq else '>='} 0" for e, eq in self.constraints]
        return f"affine_set<{header(self.n_dims, self.n_syms)} : ({', '.join(parts)})>"


def _dims_first(e: Expr) -> Expr:
    """`-d0 + s0 - 1`: dims before symbols before the constant, as MLIR's own sets have it."""
    linear = e.linear()
    if linear is None:
        return e
    total: Expr = Const(0)
    for i, c in linear.dims.items():
        total = total + Dim(i) * c
    for i, c in linear.syms.items():
        total = total + Sym(i) * c
    return total + linear.constant


def _ends(expr: Expr, is_eq: bool) -> tuple[int | None, Bound | None, Bound | None] | None:
    """The dim a constraint bounds and its ends; dim None: always true; None: not of a box."""
    dims = expr.dims()
    if not dims:
        value = expr.constant
        true = value is not None and (value == 0 if is_eq else value >= 0)
        return (None, None, None) if true else None
    factor, rest = _split(expr, min(dims))
    if len(dims) > 1 or rest is None:
        return None
    return _solve(min(dims), factor, rest, is_eq)


def _split(expr: Expr, dim: int) -> tuple[int, Expr | None]:
    """`expr` as factor * dim + rest, where the rest has no dim."""
    if expr == Dim(dim):
        return 1, Const(0)
    if isinstance(expr, Mul) and expr.rhs.constant is not None:
        factor, rest = _split(expr.lhs, dim)
        return factor * expr.rhs.constant, None if rest is None else rest * expr.rhs
    if isinstance(expr, Add):
        (p, a), (q, b) = _split(expr.lhs, dim), _split(expr.rhs, dim)
        return p + q, None if a is None or b is None else a + b
    return 0, expr if expr.is_symbolic else None


def _solve(
    dim: int, factor: int, rest: Expr, is_eq: bool
) -> tuple[int, Bound | None, Bound | None] | None:
    if factor == 0:
        return None
    if is_eq:
        return _solve_equality(dim, factor, rest)
    if factor > 0:
        return dim, _bound((-rest).ceildiv(factor)), None
    return dim, None, _bound(rest // -factor)


def _solve_equality(dim: int, factor: int, rest: Expr) -> tuple[int, Bound, Bound] | None:
    if abs(factor) == 1:
        value = _bound(rest * -factor)
        return dim, value, value
    if rest.constant is None:
        return None
    quotient, left = divmod(-rest.constant, factor)
    return (dim, quotient, quotient) if left == 0 else (dim, 1, 0)


def _bound(e: Expr) -> Bound:
    return e if e.constant is None else e.constant


def _tighten(ends: list[Bound | None], dim: int, new: Bound | None, best: Any) -> bool:
    """Note a further end; False where two ends cannot be compared."""
    old = ends[dim]
    if new is None or new == old:
        return True
    if old is None:
        ends[dim] = new
        return True
    difference = as_expr(new) - old
    gap = difference.constant
    if gap is None:
        return False
    ends[dim] = new if best(gap, 0) == gap else old
    return True


class _Systems:
    """A set without symbols, with its dims eliminated from the last to the first."""

    def __init__(self, of: Set, syms: Sequence[int]) -> None:
        self.of = of.bind(syms) if of.n_syms else of
        self.chain = _eliminated(self.of)

    @property
    def contradictory(self) -> bool:
        # Nothing is left to eliminate: a row that stayed says that a negative number is not.
        return bool(self.chain[0].rows)

    def range_of(self, dim: int) -> tuple[int, int]:
        """Ends of `dim` over the whole set."""
        system = self.chain[self.of.n_dims]
        for other in range(self.of.n_dims):
            if other != dim:
                system = system.without(other)
        low, high = system.bounds(dim, ())
        if low is None or high is None:
            raise errors.unbounded(self.of, dim)
        return low, high

    def points(self, fixed: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        dim = len(fixed)
        if dim == self.of.n_dims:
            if self.of.contains(fixed):
                yield fixed
            return
        low, high = self.chain[dim + 1].bounds(dim, fixed)
        if low is None or high is None:
            raise errors.unbounded(self.of, dim)
        for value in range(low, high + 1):
            yield from self.points((*fixed, value))


@lru_cache(maxsize=4096)
def _parsed(source: str) -> Set:
    return Set(*text.parse_set(source, None))


@lru_cache(maxsize=1024)
def _eliminated(of: Set) -> list[project.System]:
    """Entry k has the dims from k on (and all divisions) eliminated."""
    system = project.system(of.n_dims, of.constraints)
    for var in reversed(range(of.n_dims, system.n_vars)):
        system = system.without(var)
    chain = [system]
    for var in reversed(range(of.n_dims)):
        system = system.without(var)
        chain.insert(0, system)
    return chain
