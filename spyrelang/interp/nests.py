"""Control flow besides scf.for, scf.if and scf.while: loop nests, switches, and affine's loops.

The trips of scf.parallel and scf.forall run in row-major order. Tiles with as many trips run
together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from spyrelang.errors import Location
from spyrelang.errors import interp as errors
from spyrelang.interp import text
from spyrelang.interp.compiler import Compiler, RegionCode, Slot, SsaValue
from spyrelang.interp.frame import Frame, run
from spyrelang.interp.indices import Index, affine_values, integers
from spyrelang.interp.loops import build_for, build_if
from spyrelang.interp.registry import Op, builds
from spyrelang.interp.slices import inserter
from spyrelang.interp.values import Array, Value, merge, take
from spyrelang.semantics import dtypes

Bounds = Callable[[Frame], list[tuple[Index, Index, Index]]]
"""(lower, upper, step) of each loop."""
Update = Callable[[Frame], list[Value]]
"""After the body: the carried values for the next trip."""


@dataclass
class _Nest:
    """Runs a nest of counted loops as one loop over all its trips."""

    place: Location | None
    bounds: Bounds
    initial: list[Slot]
    code: RegionCode
    counters: list[Slot]
    carried: list[Slot]
    captured: list[tuple[int, int]]
    results: list[Slot]
    update: Update

    def __call__(self, f: Frame) -> None:
        bounds = self.bounds(f)
        counts = [self._count(f, *entry) for entry in bounds]
        total = np.broadcast_to(np.prod(np.broadcast_arrays(*counts), axis=0), (f.size,))
        f.state.trips.spend(self._most(counts), self.place)
        starts = [f.regs[s.index] for s in self.initial]
        if bool((total == total[0]).all()):
            values = self._trips(f, bounds, counts, int(total[0]), starts)
        else:
            values = self._apart(f, bounds, counts, total, starts)
        for slot, value in zip(self.results, values, strict=True):
            f.regs[slot.index] = value

    def _most(self, counts: list[Array]) -> int:
        """Trips of the tile that has most of them, at least; numpy's product may overflow."""
        return math.prod(int(n.max(initial=0)) for n in counts)

    def _count(self, f: Frame, lower: Index, upper: Index, step: Index) -> Array:
        least = np.asarray(step)
        if least.min() < 1:
            row = int(np.argmin(least))
            raise errors.LOOP_STEP.error(self.place, step=int(least.min()), tile=f.tile(row))
        return np.asarray(np.maximum(0, -((np.asarray(lower) - upper) // step)))

    def _trips(
        self, f: Frame, bounds: Any, counts: list[Array], total: int, values: list[Value]
    ) -> list[Value]:
        sizes = [_scalar(n) for n in counts]
        for trip in range(total):
            left: Any = trip
            for (lower, _, step), size, slot in reversed(
                list(zip(bounds, sizes, self.counters, strict=True))
            ):
                f.regs[slot.index] = lower + (left % size) * step
                left = left // size
            for slot, value in zip(self.carried, values, strict=True):
                f.regs[slot.index] = value
            run(self.code.steps, f)
            values = self.update(f)
        return values

    def _apart(
        self, f: Frame, bounds: Any, counts: list[Array], total: Array, starts: list[Value]
    ) -> list[Value]:
        parts: list[list[tuple[Array, Value]]] = [[] for _ in self.results]
        for trips in np.unique(total).tolist():
            rows = np.flatnonzero(total == trips)
            g = f.sub(rows, self.captured)
            mine = [tuple(take(b, 0, rows) for b in entry) for entry in bounds]
            sizes = [np.asarray(take(n, 0, rows)) for n in counts]
            values = [take(v, s.rank, rows) for v, s in zip(starts, self.initial, strict=True)]
            for part, value in zip(parts, self._trips(g, mine, sizes, trips, values), strict=True):
                part.append((rows, value))
        return [merge(p, s.rank, f.size) for p, s in zip(parts, self.results, strict=True)]


def _scalar(count: Array) -> Any:
    return int(count) if count.ndim == 0 else count


def _body(
    c: Compiler, op: Op, bounds: Sequence[Slot], initial: Sequence[Slot], loops: int
) -> tuple[RegionCode, list[Slot], list[Slot]]:
    """The region of a nest: its code, counters, and carried values."""

    def arguments(values: Sequence[SsaValue]) -> list[Slot]:
        found = [c.define(v, op, *bounds) for v in values[:loops]]
        for value, start in zip(values[loops:], initial, strict=True):
            found.append(c.define(value, op, start))
            found[-1].tainted = True
        return found

    c.loops += 1
    with c.diverging(*bounds):
        code = c.region(op, 0, arguments)
    c.loops -= 1
    return code, code.arguments[:loops], code.arguments[loops:]


def _terminator(op: Op) -> Op:
    return list(op.regions[0].blocks[0].operations)[-1].operation


@builds("scf.parallel")
def _parallel(c: Compiler, op: Op) -> None:
    lower, upper, step, initial = c.segments(op, 4)
    flat = [*lower, *upper, *step]
    code, counters, _ = _body(c, op, flat, [], len(lower))
    carried = [c.define(v, op, *flat) for v in op.results]
    last = _terminator(op)
    combine = [_combiner(c, last, k) for k in range(len(op.results))]
    indices = [[s.index for s in part] for part in (lower, upper, step)]

    def bounds(f: Frame) -> list[tuple[Index, Index, Index]]:
        lows, highs, steps = ([f.regs[i] for i in part] for part in indices)
        return list(zip(lows, highs, steps, strict=True))

    def update(f: Frame) -> list[Value]:
        for region, total, given in zip(combine, carried, code.yields, strict=True):
            left, right = region.arguments
            f.regs[left.index], f.regs[right.index] = f.regs[total.index], f.regs[given.index]
            run(region.steps, f)
        return [f.regs[region.yields[0].index] for region in combine]

    captured = sorted({*code.captured, *(pair for region in combine for pair in region.captured)})
    c.emit(_Nest(c.place(op), bounds, initial, code, counters, carried, captured, carried, update))


def _combiner(c: Compiler, op: Op, number: int) -> RegionCode:
    def arguments(values: Sequence[SsaValue]) -> list[Slot]:
        found = [c.define(v, op) for v in values]
        for slot in found:
            slot.tainted = True
        return found

    return c.region(op, number, arguments)


@builds("scf.forall")
def _forall(c: Compiler, op: Op) -> None:
    lower, upper, step, outputs = c.segments(op, 4)
    flat = [*lower, *upper, *step]
    parts = [
        integers(text.integers(op, name), slots)
        for name, slots in (
            ("staticLowerBound", lower),
            ("staticUpperBound", upper),
            ("staticStep", step),
        )
    ]
    loops = len(text.integers(op, "staticStep"))
    code, counters, carried = _body(c, op, flat, outputs, loops)
    results = [c.define(v, op, *flat, *outputs) for v in op.results]
    for slot in results:
        slot.tainted = True
    with c.capturing() as found:
        writes = _insertions(c, _terminator(op), carried)

    def bounds(f: Frame) -> list[tuple[Index, Index, Index]]:
        return list(zip(*(part(f) for part in parts), strict=True))

    def update(f: Frame) -> list[Value]:
        values = [f.regs[slot.index] for slot in carried]
        for number, insert in writes:
            values[number] = insert(f, values[number])
        return values

    captured = sorted({*code.captured, *found.items()})
    c.emit(_Nest(c.place(op), bounds, outputs, code, counters, carried, captured, results, update))


def _insertions(
    c: Compiler, op: Op, carried: Sequence[Slot]
) -> list[tuple[int, Callable[[Frame, Value], Value]]]:
    """What the end of a trip of scf.forall changes: numbers of carried values, and how."""
    places = {slot.index: k for k, slot in enumerate(carried)}
    found: list[tuple[int, Callable[[Frame, Value], Value]]] = []
    for entry in op.regions[0].blocks[0].operations:
        inner = entry.operation
        if inner.name != "tensor.parallel_insert_slice":
            raise c.fail(inner, "only tensor.parallel_insert_slice can end a trip of scf.forall")
        target = c.use(inner.operands[1]).index
        if target not in places:
            raise c.fail(inner, "its destination must be an output of the loop")
        found.append((places[target], inserter(c, inner)))
    return found


# --- affine's own --------------------------------------------------------------------------------


def _extreme(c: Compiler, op: Op, map_: Any, slots: Sequence[Slot], pick: Any) -> Slot:
    """A bound: the largest or smallest result of a map."""
    values = affine_values(c, op, map_, slots)
    slot = c.temporary(dtypes.get("index"), *slots)
    out = slot.index

    def step(f: Frame) -> None:
        found = values(f)
        uniform = all(type(v) is int for v in found)
        f.regs[out] = int(reduce(pick, found)) if uniform else reduce(pick, found)

    c.emit(step)
    return slot


@builds("affine.for")
def _affine_for(c: Compiler, op: Op) -> None:
    lower, upper, initial = c.segments(op, 3)
    low = _extreme(c, op, text.map_of(op, "lowerBoundMap"), lower, np.maximum)
    high = _extreme(c, op, text.map_of(op, "upperBoundMap"), upper, np.minimum)
    step, by = c.temporary(dtypes.get("index")), text.integer(op, "step", 1)

    def constant(f: Frame) -> None:
        f.regs[step.index] = by

    c.emit(constant)
    build_for(c, op, (low, high, step), initial)


@builds("affine.if")
def _affine_if(c: Compiler, op: Op) -> None:
    operands = c.operands(op)
    points = text.set_of(op, "condition")
    condition = c.temporary(dtypes.get("i1"), *operands)
    dims = [s.index for s in operands[: points.n_dims]]
    syms = [s.index for s in operands[points.n_dims :]]

    def step(f: Frame) -> None:
        held = points.contains([f.regs[d] for d in dims], [f.regs[s] for s in syms])
        f.regs[condition.index] = np.asarray(held, np.bool_)

    c.emit(step)
    build_if(c, op, condition)


# --- regions chosen or just run ------------------------------------------------------------------


def _none(_: Sequence[SsaValue]) -> list[Slot]:
    return []


@builds("scf.execute_region")
def _execute(c: Compiler, op: Op) -> None:
    code = c.region(op, 0, _none)
    results = [c.define(v, op, y) for v, y in zip(op.results, code.yields, strict=True)]
    for result, given in zip(results, code.yields, strict=True):
        result.roots = given.roots
    pairs = [(r.index, y.index) for r, y in zip(results, code.yields, strict=True)]

    def step(f: Frame) -> None:
        run(code.steps, f)
        for out, given in pairs:
            f.regs[out] = f.regs[given]

    c.emit(step)


@builds("scf.index_switch")
def _switch(c: Compiler, op: Op) -> None:
    """The first region is the default; tiles that choose the same region run it together."""
    (chosen,) = c.operands(op)
    cases = text.integers(op, "cases")
    with c.diverging(chosen):
        codes = [c.region(op, k, _none) for k in range(len(op.regions))]
    results = [c.define(v, op, chosen, *(s for k in codes for s in k.yields)) for v in op.results]
    for number, result in enumerate(results):
        result.roots = frozenset[int]().union(*(k.yields[number].roots for k in codes))

    def step(f: Frame) -> None:
        picks = np.broadcast_to(np.asarray(f.regs[chosen.index]), (f.size,))
        found = [cases.index(n) + 1 if n in cases else 0 for n in picks.tolist()]
        parts: list[list[tuple[Array, Value]]] = [[] for _ in results]
        for number in sorted(set(found)):
            rows, code = np.flatnonzero(np.array(found) == number), codes[number]
            g = f if len(rows) == f.size else f.sub(rows, code.captured)
            run(code.steps, g)
            for part, given in zip(parts, code.yields, strict=True):
                part.append((rows, g.regs[given.index]))
        for slot, part in zip(results, parts, strict=True):
            f.regs[slot.index] = merge(part, slot.rank, f.size)

    c.emit(step)
