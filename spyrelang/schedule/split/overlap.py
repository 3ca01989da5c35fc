"""Whether two accesses can touch the same memory, decided exactly with integer sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spyrelang.affine import Add, CeilDiv, Const, Dim, Expr, FloorDiv, Mod, Mul, Sym
from spyrelang.schedule.split.environment import Environment, same
from spyrelang.schedule.split.graph import Touch
from spyrelang.schedule.split.views import View
from spyrelang.semantics import dtypes


def same_elements(a: Touch, b: Touch) -> bool:
    """Whether both touch, at each point, the same element of one tensor. Two arguments count as
    one tensor: where they share memory at launch, they share all of it."""
    va, vb = a.access.view, b.access.view
    arguments = va.base.param >= 0 and vb.base.param >= 0
    return (
        (arguments or (va.base == vb.base and va.memory == vb.memory and va.ct == vb.ct))
        and va.dtype == vb.dtype
        and va.strides == vb.strides
        and a.extents == b.extents
        and all(map(same, a.access.origin, b.access.origin))
        and all(map(same, a.index, b.index))
    )


def may_alias(a: Touch, b: Touch) -> bool:
    """Whether the views can share memory: one argument, or constant addresses of one memory.
    Different arguments are kept apart at launch (`Kernel.no_share`)."""
    va, vb = a.access.view, b.access.view
    if va.base.param >= 0 or vb.base.param >= 0:
        return va.base.param == vb.base.param
    apart = va.ct >= 0 and vb.ct >= 0 and va.ct != vb.ct
    return va.memory == vb.memory and not apart


def overlaps(
    a: Touch,
    b: Touch,
    env: Environment,
    shared: frozenset[int],
    differing: Sequence[int] = (),
) -> bool:
    """Whether some element is touched by both.

    The symbols in `shared` have the same value on both sides, all others are independent. With
    `differing`, at least one of those symbols differs.
    """
    if not may_alias(a, b):
        return False
    (alo, ahi), (blo, bhi) = _bytes(a, env), _bytes(b, env)
    if ahi <= blo or bhi <= alo:
        return False
    if a.access.view.dtype != b.access.view.dtype:
        return True  # their bytes meet; which elements is not worth finding out
    problem = _Problem(env, (a, b), shared)
    return any(not problem.is_empty(rows) for rows in problem.alternatives(differing))


def _bytes(touch: Touch, env: Environment) -> tuple[int, int]:
    """An interval of bytes, relative to the base of an argument, that holds the access."""
    known = env.ranges.get(id(touch))
    if known is None:
        size = dtypes.get(touch.access.view.dtype).bytes
        low, high = env.bounds(_address(touch), touch.extents)
        known = env.ranges[id(touch)] = touch, (low * size, (high + 1) * size)
    return known[1]


def _address(touch: Touch) -> Expr:
    """Element address of a point (relative to an argument's base)."""
    view = touch.access.view
    total: Expr = Const(view.base.constant if view.base.param < 0 else 0)
    for origin, index, stride in zip(touch.access.origin, touch.index, view.strides, strict=True):
        total = total + (origin + index) * stride
    return total


@dataclass(frozen=True)
class _Problem:
    """Two accesses as one system of constraints; side k names its variables `…_k`."""

    env: Environment
    sides: tuple[Touch, Touch]
    shared: frozenset[int]

    def alternatives(self, differing: Sequence[int]) -> Iterator[list[str]]:
        """Systems of constraints; the answer is yes when any of them has a solution."""
        rows = [*self._same_element(), *self._domains()]
        if not differing:
            yield rows
        for symbol in differing:
            first, second = self._symbol(symbol, 0), self._symbol(symbol, 1)
            yield [*rows, f"{first} < {second}"]
            yield [*rows, f"{first} > {second}"]

    def is_empty(self, rows: list[str]) -> bool:
        import islpy as isl  # slow to import, and most kernels never ask

        names = ", ".join(dict.fromkeys(self._names()))
        text = f"{{ [{names}] : {' and '.join(rows) or 'true'} }}"
        return isl.Set.read_from_str(isl.DEFAULT_CONTEXT, text).is_empty()

    # --- pieces ---------------------------------------------------------------------------------

    def _same_element(self) -> list[str]:
        """Equal coordinates where both see the memory as one tensor, else equal addresses."""
        a, b = (side.access for side in self.sides)
        if a.view.strides == b.view.strides and a.view.base == b.view.base and _injective(a.view):
            pairs = zip(self._coordinates(0), self._coordinates(1), strict=True)
            return [f"{x} = {y}" for x, y in pairs]
        addresses = [self._text(_address(side), number) for number, side in enumerate(self.sides)]
        return [f"{addresses[0]} = {addresses[1]}"]

    def _coordinates(self, number: int) -> list[str]:
        side = self.sides[number]
        parts = zip(side.access.origin, side.index, strict=True)
        return [self._text(origin + index, number) for origin, index in parts]

    def _domains(self) -> list[str]:
        rows: list[str] = []
        for number, side in enumerate(self.sides):
            rows += [f"0 <= d{i}_{number} < {max(1, e)}" for i, e in enumerate(side.extents)]
            for symbol in range(self.env.count):
                rows += self._symbol_domain(symbol, number)
        return rows

    def _symbol_domain(self, symbol: int, number: int) -> list[str]:
        name, loop = self._symbol(symbol, number), self.env.loop(symbol)
        if loop is None:
            return [f"0 <= {name} < {self.env.grid[symbol]}"]
        lower, upper = self._text(loop.lower, number), self._text(loop.upper, number)
        rows = [f"{lower} <= {name} < {upper}"]
        return rows if loop.step == 1 else [*rows, f"({name} - {lower}) mod {loop.step} = 0"]

    def _names(self) -> Iterator[str]:
        for number, side in enumerate(self.sides):
            yield from (f"d{i}_{number}" for i in range(len(side.extents)))
            yield from (self._symbol(symbol, number) for symbol in range(self.env.count))

    def _symbol(self, symbol: int, number: int) -> str:
        return f"s{symbol}" if symbol in self.shared else f"s{symbol}_{number}"

    def _text(self, expr: Expr, number: int) -> str:
        """An expression as isl writes it."""
        if isinstance(expr, Const):
            return str(expr.value)
        if isinstance(expr, Dim):
            return f"d{expr.index}_{number}"
        if isinstance(expr, Sym):
            return self._symbol(expr.index, number)
        assert isinstance(expr, Add | Mul | FloorDiv | CeilDiv | Mod)
        left, right = self._text(expr.lhs, number), self._text(expr.rhs, number)
        if isinstance(expr, FloorDiv):
            return f"floor(({left}) / {expr.rhs.constant})"
        if isinstance(expr, CeilDiv):
            return f"ceil(({left}) / {expr.rhs.constant})"
        if isinstance(expr, Mod):
            return f"(({left}) mod {expr.rhs.constant})"
        if isinstance(expr, Mul):
            return f"({expr.rhs.constant} * {left})"
        return f"({left} + {right})"


def _injective(view: View) -> bool:
    """Whether different coordinates inside the view are always different addresses: sorted by
    stride, each dim steps over all of the smaller ones."""
    reach = 0
    for stride, extent in sorted(zip(view.strides, view.shape, strict=True)):
        if extent == 1:
            continue
        if stride <= reach:
            return False
        reach += stride * (extent - 1)
    return True
