"""What one program unit knows while its body is written: its units, handles, views and loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import mul
from typing import Any

from spyrelang.affine import Const, Expr, Sym
from spyrelang.ir.emit import Emitter, IndexEmitter
from spyrelang.ir.index import Index, Value, combine
from spyrelang.lower.handles import BodyFunction
from spyrelang.schedule.model import Program


@dataclass(frozen=True)
class Seat:
    """One unit of a program unit: which core it is on, and which corelet of that core."""

    core: int
    corelet: int


@dataclass
class UnitContext:
    """The program unit of one kind. `seats` lists its units; per-unit tables follow that order.

    Tables, views and peers are written once, before the first loop (`top`).
    """

    program: Program
    function: BodyFunction
    kind: str
    seats: tuple[Seat, ...]
    own: tuple[Value, ...]
    self_handle: Value
    top: Emitter
    scalars: tuple[Value, ...] = ()
    outer: dict[int, Value] = field(default_factory=dict)
    _tables: dict[tuple[Any, ...], Value] = field(default_factory=dict)
    _memories: dict[tuple[str, int], Value] = field(default_factory=dict)

    def const(self, number: int) -> Value:
        return self.function.const(number)

    def table(self, numbers: Sequence[int]) -> Index:
        """A number that depends on the unit; folded when it does not."""
        if len(set(numbers)) == 1:
            return Index.const(numbers[0])
        return Index.of(self.select([self.const(n) for n in numbers]))

    def select(self, values: Sequence[Value]) -> Value:
        """The entry of `values` that belongs to the executing unit."""
        key = tuple(values)
        if key[0] == key[-1] and len(set(key)) == 1:
            return key[0]
        query = self._tables.get(key)
        if query is None:
            mapping = self.top.op(
                "uniform.def_immutable_mapping",
                [*self.own, *key],
                {"operandSegmentSizes": f"array<i32: {len(self.own)}, {len(key)}>"},
                ["index"],
            ).results[0]
            query = self.top.value("uniform.query_map", [mapping, self.self_handle])
            self._tables[key] = query
        return query

    def memory(self, kind: str, shared: bool, owner: int) -> Value:
        """The memory handle of the executing unit's core (or of core `owner` when that is set)."""
        if shared:
            return self.function.memory(kind, -1)
        key = kind, owner
        if key not in self._memories:
            cores = [seat.core if owner < 0 else owner for seat in self.seats]
            self._memories[key] = self.select([self.function.memory(kind, c) for c in cores])
        return self._memories[key]

    # --- expressions over the environment -------------------------------------------------------

    def environment(self, expr: Expr) -> Index:
        """An expression whose symbols are grid coordinates, scalars and outer loops, in that
        order, as an index of this unit."""
        syms = len(self.program.grid) + len(self.program.scalars) + len(self.program.outer)
        expanded = self._expand_outer(expr)
        values = [*self.scalars, *(self.outer.get(i) for i in range(len(self.program.outer)))]
        parts = self._per_seat(expanded, syms)
        if all(p is not None for p in parts) and len({p[0] for p in parts if p}) == 1:
            return self._linear_index([p for p in parts if p], values)
        return self._general_index(expanded, values)

    def _expand_outer(self, expr: Expr) -> Expr:
        """Replace each outer loop's variable by lower + step * trip number."""
        first = len(self.program.grid) + len(self.program.scalars)
        syms: list[Expr] = [Sym(i) for i in range(first)]
        for number, loop in enumerate(self.program.outer):
            lower = loop.lower.substitute((), syms)
            syms.append(lower + Sym(first + number) * loop.step)
        return expr.substitute((), syms)

    def _per_seat(self, expr: Expr, syms: int) -> list[tuple[tuple[int, ...], int] | None]:
        """The coefficients of the symbols and the constant, for each unit; None where the
        expression is not linear there."""
        whole = _linear(expr, syms)
        if whole is None:
            cores = {seat.core: self._at_core(expr, seat.core) for seat in self.seats}
            known = {core: _linear(e, syms) for core, e in cores.items()}
            return [known[seat.core] for seat in self.seats]
        factors, constant = whole
        grid = self.program.grid
        rest = (*(0 for _ in grid), *factors[len(grid) :])
        starts = {
            seat.core: constant + sum(map(mul, factors, unflatten(seat.core, grid)))
            for seat in self.seats
        }
        return [(rest, starts[seat.core]) for seat in self.seats]

    def _at_core(self, expr: Expr, core: int) -> Expr:
        """Fill in the grid coordinates of a core; the rest stays symbolic."""
        grid = self.program.grid
        coords: list[Expr] = [Const(c) for c in unflatten(core, grid)]
        rest = len(self.program.scalars) + len(self.program.outer)
        return expr.substitute((), [*coords, *(Sym(len(grid) + i) for i in range(rest))])

    def _linear_index(
        self, parts: Sequence[tuple[tuple[int, ...], int]], values: Sequence[Value | None]
    ) -> Index:
        total = self.table([constant for _, constant in parts])
        grid = len(self.program.grid)
        for number, factor in enumerate(parts[0][0][grid:]):
            value = values[number]
            if factor and value is not None:
                total = total + Index.of(value).scaled(factor)
        return total

    def _general_index(self, expr: Expr, values: Sequence[Value | None]) -> Index:
        grid = self.program.grid
        coords = [
            self.table([unflatten(seat.core, grid)[axis] for seat in self.seats])
            for axis in range(len(grid))
        ]
        rest = [Index.const(0) if v is None else Index.of(v) for v in values]
        return combine(expr, (), [*coords, *rest])

    def emit(self, emitter: Emitter, index: Index) -> Value:
        """The SSA value of an index at the emitter's point."""
        return IndexEmitter(emitter, self.const).emit(index)

    def loop(self, emitter: Emitter, lower: Value, upper: Value) -> tuple[Value, Emitter, Any]:
        """Open `scf.for lower to upper step 1`; close it with `end_loop`."""
        op = emitter.op("scf.for", [lower, upper, self.const(1)], regions=1)
        block = emitter.block(op, ["index"])
        return block.arguments[0], emitter.inside(block), op

    def end_loop(self, emitter: Emitter) -> None:
        emitter.op("scf.yield")

    def branch(
        self,
        emitter: Emitter,
        cond: Value,
        then: Callable[[Emitter], None] | None,
        otherwise: Callable[[Emitter], None] | None = None,
    ) -> None:
        """`scf.if` without results; a missing side stays empty."""
        op = emitter.op("scf.if", [cond], regions=2)
        for region, write in zip(op.regions, (then, otherwise), strict=True):
            if write is None:
                if region is op.regions[0]:
                    emitter.inside(region.blocks.append()).op("scf.yield")
                continue
            inner = emitter.inside(region.blocks.append())
            write(inner)
            inner.op("scf.yield")


def unflatten(core: int, grid: Sequence[int]) -> tuple[int, ...]:
    """Row-major grid coordinates of a flat core number."""
    coords: list[int] = []
    for extent in reversed(grid):
        coords.append(core % extent)
        core //= extent
    return tuple(reversed(coords))


def _linear(expr: Expr, syms: int) -> tuple[tuple[int, ...], int] | None:
    """Coefficients per symbol and the constant; None when the expression is not linear."""
    parts = expr.linear()
    if parts is None:
        return None
    return tuple(parts.syms.get(i, 0) for i in range(syms)), parts.constant
