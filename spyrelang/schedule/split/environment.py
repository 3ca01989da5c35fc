"""The symbols that expressions of a kernel use: grid coordinates, then one per loop.

Symbols 0 … of the grid come first; every `scf.for` that is kept gets the next free number. Programs
renumber them (`programs.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spyrelang.affine import Add, CeilDiv, Const, Dim, Expr, FloorDiv, Mod, Mul, Sym
from spyrelang.errors import Location


@dataclass(frozen=True)
class Loop:
    """A loop of the kernel: runs lower, lower + step, … < upper; its variable is `symbol`."""

    symbol: int
    name: str
    lower: Expr
    upper: Expr
    step: int
    location: Location | None = None


@dataclass
class Environment:
    """All symbols of one kernel. `ranges` remembers the bytes of accesses, by their identity (and
    keeps them alive, so that no other object gets it)."""

    grid: tuple[int, ...]
    kernel: str = ""
    loops: list[Loop] = field(default_factory=list[Loop])
    ranges: dict[int, tuple[object, tuple[int, int]]] = field(
        default_factory=dict[int, tuple[object, tuple[int, int]]]
    )

    def add_loop(
        self, name: str, lower: Expr, upper: Expr, step: int, location: Location | None
    ) -> Loop:
        """Enter a loop; its symbol is the next free number."""
        loop = Loop(len(self.grid) + len(self.loops), name, lower, upper, step, location)
        self.loops.append(loop)
        return loop

    @property
    def count(self) -> int:
        """How many symbols there are."""
        return len(self.grid) + len(self.loops)

    def loop(self, symbol: int) -> Loop | None:
        """The loop of a symbol; None for grid coordinates."""
        number = symbol - len(self.grid)
        return self.loops[number] if number >= 0 else None

    def range_of(self, symbol: int) -> tuple[int, int]:
        """Smallest and largest value a symbol can have (an enclosing interval)."""
        loop = self.loop(symbol)
        if loop is None:
            return 0, self.grid[symbol] - 1
        lower = self.bounds(loop.lower)
        return lower[0], max(lower[1], self.bounds(loop.upper)[1] - 1)

    def bounds(self, expr: Expr, extents: tuple[int, ...] = ()) -> tuple[int, int]:
        """An interval that holds every value of an expression; dim i runs over extents[i]."""
        if isinstance(expr, Const):
            return expr.value, expr.value
        if isinstance(expr, Sym):
            return self.range_of(expr.index)
        if isinstance(expr, Dim):
            return 0, max(0, extents[expr.index] - 1)
        assert isinstance(expr, Add | Mul | FloorDiv | CeilDiv | Mod)
        return _combine(expr, self.bounds(expr.lhs, extents), self.bounds(expr.rhs, extents))


def _combine(
    expr: Add | Mul | FloorDiv | CeilDiv | Mod, a: tuple[int, int], b: tuple[int, int]
) -> tuple[int, int]:
    if isinstance(expr, Add):
        return a[0] + b[0], a[1] + b[1]
    if isinstance(expr, Mul):
        ends = [x * y for x in a for y in b]
        return min(ends), max(ends)
    divisor = b[0]  # a positive number: others are refused when the expression is read
    if isinstance(expr, FloorDiv):
        return a[0] // divisor, a[1] // divisor
    if isinstance(expr, CeilDiv):
        return -(-a[0] // divisor), -(-a[1] // divisor)
    if a[0] // divisor == a[1] // divisor:
        return a[0] % divisor, a[1] % divisor
    return 0, divisor - 1


def same(a: Expr, b: Expr) -> bool:
    """Whether two expressions are equal, in whatever order their terms were added."""
    return a == b or (a.linear() is not None and a.linear() == b.linear())
