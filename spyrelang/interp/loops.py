"""scf.for, scf.if and scf.while, also where tiles take different paths.

Tiles that agree run together. Where they do not, each set of tiles that does runs the region with
its own part of every value from outside, and the results are put together again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spyrelang.errors import Location
from spyrelang.errors import interp as errors
from spyrelang.interp.compiler import Compiler, RegionCode, Slot, SsaValue
from spyrelang.interp.frame import Frame, run
from spyrelang.interp.registry import Op, builds
from spyrelang.interp.trips import Independent, Pairs, Watch, run_pairs
from spyrelang.interp.values import Array, Value, merge, take

Parts = list[list[tuple[Array, Value]]]
"""For each result, values for disjoint sets of rows."""


def _assign(f: Frame, slots: Sequence[Slot], values: Sequence[Value]) -> None:
    for slot, value in zip(slots, values, strict=True):
        f.regs[slot.index] = value


def _values(f: Frame, slots: Sequence[Slot]) -> list[Value]:
    return [f.regs[slot.index] for slot in slots]


def _taken(values: Sequence[Value], slots: Sequence[Slot], rows: Array) -> list[Value]:
    return [take(v, s.rank, rows) for v, s in zip(values, slots, strict=True)]


def _join(parts: Parts, slots: Sequence[Slot], size: int) -> list[Value]:
    return [merge(p, s.rank, size) for p, s in zip(parts, slots, strict=True)]


# --- for -----------------------------------------------------------------------------------------


@builds("scf.for")
def _for(c: Compiler, op: Op) -> None:
    lower, upper, step, *initial = c.operands(op)
    build_for(c, op, (lower, upper, step), initial)


def build_for(c: Compiler, op: Op, bounds: tuple[Slot, Slot, Slot], initial: list[Slot]) -> None:
    """A counted loop whose region has the counter and the carried values as arguments."""
    candidate = not initial and not c.communicates
    watch = Watch(c)

    def arguments(values: Sequence[SsaValue]) -> list[Slot]:
        slots = [c.define(values[0], op, *bounds)]
        slots[0].tainted |= candidate and c.few_tiles
        for value, start in zip(values[1:], initial, strict=True):
            slot = c.define(value, op, start)
            slot.roots = start.roots
            # what a later trip carries may differ between tiles although the first does not
            slot.tainted = slot.tainted or _may_vary(c)
            slots.append(slot)
        return slots

    c.loops += 1
    with c.diverging(*bounds):
        code = c.region(op, 0, arguments)
    c.loops -= 1
    results = [c.define(v, op, *bounds, *code.arguments[1:], *code.yields) for v in op.results]
    for result, start, given in zip(results, initial, code.yields, strict=True):
        result.roots = start.roots | given.roots
    independent = watch.independent(c) if candidate else None
    c.trip_loops += independent is not None and c.few_tiles
    c.emit(_For(c, op, bounds, initial, code, results, independent))


def _may_vary(c: Compiler) -> bool:
    """Whether what a loop carries may come to differ within a batch, of tiles or of trips."""
    return any(n > 1 for n in c.grid) or c.loops > 1


class _For:
    """Runs the loop."""

    def __init__(
        self,
        c: Compiler,
        op: Op,
        bounds: tuple[Slot, Slot, Slot],
        initial: list[Slot],
        code: RegionCode,
        results: list[Slot],
        independent: Independent | None,
    ) -> None:
        self.independent = independent
        self.place = c.place(op)
        self.bounds = [b.index for b in bounds]
        self.initial = initial
        self.code = code
        self.results = results
        counter = code.arguments[0].dtype
        self.counter = None if counter is None or counter.name == "index" else counter.numpy

    def __call__(self, f: Frame) -> None:
        lower, upper, step = (_index(f.regs[b]) for b in self.bounds)
        self._check(f, step)
        values = _values(f, self.initial)
        f.state.trips.spend(_trips(lower, upper, step), self.place)
        if self._at_once(f, lower, upper, step):
            return
        if type(lower) is int and type(upper) is int and type(step) is int:
            trips: Any = range(lower, upper, step)
            _assign(f, self.results, self._together(f, trips, values))
            return
        counts = np.maximum(0, -((lower - upper) // step))
        starts = np.broadcast_to(np.asarray(lower, np.int64), (f.size,))
        steps = np.broadcast_to(np.asarray(step, np.int64), (f.size,))
        counts = np.broadcast_to(counts, (f.size,))
        if bool((counts == counts[0]).all()):
            trips = (starts + k * steps for k in range(int(counts[0])))
            _assign(f, self.results, self._together(f, trips, values))
        else:
            _assign(f, self.results, self._apart(f, counts, starts, steps, values))

    def _check(self, f: Frame, step: Any) -> None:
        least = step if type(step) is int else int(step.min())
        if least < 1:
            row = int(np.argmin(step))
            raise errors.LOOP_STEP.error(self.place, step=least, tile=f.tile(row))

    def _together(self, f: Frame, trips: Any, values: list[Value]) -> list[Value]:
        code = self.code
        counter, carried = code.arguments[0].index, code.arguments[1:]
        if not carried:
            for value in self._counts(trips):
                f.regs[counter] = value
                run(code.steps, f)
            return []
        for value in self._counts(trips):
            f.regs[counter] = value
            _assign(f, carried, values)
            run(code.steps, f)
            values = _values(f, code.yields)
        return values

    def _counts(self, trips: Any) -> Any:
        """The values of the counter, of its own type where that is not `index`."""
        return trips if self.counter is None else (self._counted(value) for value in trips)

    def _counted(self, value: Any) -> Any:
        return value if self.counter is None else np.asarray(value).astype(self.counter)

    def _at_once(self, f: Frame, lower: Any, upper: Any, step: Any) -> bool:
        """Run trips of all tiles as batches, where they are independent; False if not."""
        if self.independent is None or not self.independent.holds(f):
            return False
        pairs = Pairs.of(f.size, lower, upper, step)
        if len(pairs.rows) <= f.size:
            return False
        most = self.independent.together(f)
        return run_pairs(f, self.code, pairs, most, self._counted)

    def _apart(
        self, f: Frame, counts: Array, starts: Array, steps: Array, values: list[Value]
    ) -> list[Value]:
        """Fewer and fewer tiles take part: those with the fewest trips leave first."""
        parts: Parts = [[] for _ in self.results]
        rows, done = f.rows(), 0
        for most in np.unique(counts).tolist():
            if most > done:
                g = f.sub(rows, self.code.captured)
                trips = (
                    take(starts[rows] + k * steps[rows], 0, np.arange(len(rows)))
                    for k in range(done, most)
                )
                values = self._together(g, trips, values)
            leave, stay = counts[rows] == most, counts[rows] > most
            for part, value in zip(parts, _taken_of(values, self.results, leave), strict=True):
                part.append((rows[leave], value))
            values = _taken_of(values, self.results, stay) if stay.any() else values
            rows, done = rows[stay], most
        return _join(parts, self.results, f.size)


def _taken_of(values: Sequence[Value], slots: Sequence[Slot], mask: Array) -> list[Value]:
    """Values for the rows where a mask of the current batch holds."""
    if mask.all():
        return list(values)
    return _taken(values, slots, np.flatnonzero(mask))


def _trips(lower: Any, upper: Any, step: Any) -> int:
    """How many trips the tile that makes most of them makes."""
    counts = -((lower - upper) // step)
    return max(0, counts if type(counts) is int else int(counts.max()))


def _index(value: Value) -> Any:
    """A bound as an int or an array over the batch (bounds may be i32 as well)."""
    if isinstance(value, np.ndarray):
        return int(value) if value.ndim == 0 else value.astype(np.int64, copy=False)
    return value


# --- if ------------------------------------------------------------------------------------------


def _no_arguments(_: Sequence[SsaValue]) -> list[Slot]:
    return []


@builds("scf.if")
def _if(c: Compiler, op: Op) -> None:
    (condition,) = c.operands(op)
    build_if(c, op, condition)


def build_if(c: Compiler, op: Op, condition: Slot) -> None:
    """The first region where an i1 holds, else the second, which may be empty."""
    with c.diverging(condition):
        codes = [
            c.region(op, k, _no_arguments) if len(list(op.regions[k].blocks)) else None
            for k in range(2)
        ]
    sources = [s for code in codes if code is not None for s in code.yields]
    results = [c.define(v, op, condition, *sources) for v in op.results]
    for k, result in enumerate(results):
        given = [code.yields[k].roots for code in codes if code is not None]
        result.roots = frozenset[int]().union(*given)
    index = condition.index

    def step(f: Frame) -> None:
        holds = f.regs[index]
        if holds.ndim == 0 or bool((holds == holds[0]).all()):
            code = codes[0 if holds.flat[0] else 1]
            if code is not None:
                run(code.steps, f)
                _assign(f, results, _values(f, code.yields))
            return
        parts: Parts = [[] for _ in results]
        for code, rows in zip(codes, (np.flatnonzero(holds), np.flatnonzero(~holds)), strict=True):
            if code is None:
                continue
            g = f.sub(rows, code.captured)
            run(code.steps, g)
            for part, slot in zip(parts, code.yields, strict=True):
                part.append((rows, g.regs[slot.index]))
        _assign(f, results, _join(parts, results, f.size))

    c.emit(step)


# --- while ---------------------------------------------------------------------------------------


@builds("scf.while")
def _while(c: Compiler, op: Op) -> None:
    initial = c.operands(op)

    def arguments(values: Sequence[SsaValue]) -> list[Slot]:
        return [_carried(c, op, v) for v in values]

    c.loops += 1
    with c.diverging(*initial, always=_may_vary(c)):
        before = c.region(op, 0, arguments)
        after = c.region(op, 1, arguments)
        results = [c.define(v, op) for v in op.results]
    c.loops -= 1
    if before.terminator != "scf.condition" or after.terminator != "scf.yield":
        raise c.fail(op, "its regions must end in scf.condition and scf.yield")
    c.emit(_While(c.place(op), initial, before, after, results))


def _carried(c: Compiler, op: Op, value: SsaValue) -> Slot:
    return c.define(value, op)


class _While:
    """Runs the loop; tiles whose condition fails leave it."""

    def __init__(
        self,
        place: Location | None,
        initial: list[Slot],
        before: RegionCode,
        after: RegionCode,
        results: list[Slot],
    ) -> None:
        self.place = place
        self.initial = initial
        self.before = before
        self.after = after
        self.results = results
        self.captured = sorted({*before.captured, *after.captured})

    def __call__(self, f: Frame) -> None:
        parts: Parts = [[] for _ in self.results]
        condition, *given = self.before.yields
        values, rows, g = _values(f, self.initial), f.rows(), f
        while True:
            f.state.trips.spend(1, self.place)
            _assign(g, self.before.arguments, values)
            run(self.before.steps, g)
            holds = np.broadcast_to(g.regs[condition.index], (g.size,))
            values = _values(g, given)
            if not holds.all():
                leaving = _taken_of(values, self.results, ~holds)
                for part, value in zip(parts, leaving, strict=True):
                    part.append((rows[~holds], value))
                if not holds.any():
                    break
                values = _taken_of(values, self.results, holds)
                rows = rows[holds]
                g = f.sub(rows, self.captured)
            _assign(g, self.after.arguments, values)
            run(self.after.steps, g)
            values = _values(g, self.after.yields)
        _assign(f, self.results, _join(parts, self.results, f.size))
