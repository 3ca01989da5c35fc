"""Loops that stay loops: their trips, and the values that they carry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spyrelang.engines.fast.builder import (
    Builder,
    NotAxis,
    Split,
    Vector,
    all_positions,
)
from spyrelang.engines.fast.counts import Count, function
from spyrelang.engines.fast.indices import combine
from spyrelang.engines.fast.linear import Frame, Lin, Slot, compile_value
from spyrelang.engines.fast.steps import Step, loop, sequence
from spyrelang.errors.engine import BAD_ARITHMETIC
from spyrelang.isa.program import For, Instr

Visit = Callable[[Builder, Instr], None]


def uniform(b: Builder, lin: Lin) -> Lin:
    """`lin`, which steers control: raises Split where units may differ, NotAxis where trips do."""
    if lin.on_axis:
        raise NotAxis
    if not lin.is_uniform:
        labels = lin.labels(b.size)
        raise Split(labels if labels.any() else all_positions(b.size))
    return lin


@dataclass(frozen=True)
class Range:
    """A loop's trips and how its variable follows from the number of the trip."""

    lower: Lin
    step: Lin
    trips: Lin

    def variable(self, b: Builder, trip: Lin) -> Lin:
        return self.lower.plus(combine(b, "mul", [trip, self.step], None))


def range_of(b: Builder, op: For) -> Range:
    lower, upper, step = b.lin(op.lower), b.lin(op.upper), b.lin(op.step)
    where = b.location(op.loc)
    uniform(b, step)
    if step.value is not None and step.value < 1:
        raise BAD_ARITHMETIC.error(where, reason=f"a loop has step {step.value}")
    span = uniform(b, upper.plus(lower, -1))
    trips = span if step.value == 1 else combine(b, "ceildivsi", [span, step], where)
    if trips.value is not None:
        trips = Lin(max(0, trips.value))
    return Range(lower, step, trips)


def count_of(lin: Lin) -> Count:
    return lin.value if lin.value is not None else compile_value(lin)


def most_trips(trips: Lin) -> int | None:
    """The most trips there can be, where that is known."""
    bounds = trips.bounds()
    return None if bounds is None else max(0, bounds[1])


@dataclass(eq=False)
class Mark:
    """What a failed attempt at an axis has to take back."""

    builder: Builder
    steps: int
    uses: int

    @classmethod
    def of(cls, b: Builder) -> Mark:
        return cls(b, len(b.steps), len(b.nest.uses) if b.nest is not None else 0)

    def undo(self) -> None:
        del self.builder.steps[self.steps :]
        if self.builder.nest is not None:
            del self.builder.nest.uses[self.uses :]


def serial_loop(
    b: Builder, op: For, bounds: Range, visit: Visit, first: Slot | None = None
) -> None:
    """A loop in Python. `first` holds the trip to start with."""
    most = most_trips(bounds.trips)
    inside = b.nest.number if b.nest is not None else 0
    if inside and bounds.trips.nest == inside:
        raise NotAxis
    top = None if most is None else max(0, most - 1)
    counter = b.slot("uniform", low=0, high=top, nest=inside)
    if b.nest is not None:
        b.nest.counters[counter] = count_of(bounds.trips)
    carried = _Carried(b, op)
    for kinds in carried.attempts():
        mark = Mark.of(b)
        body = _body(b, op, bounds, counter, carried, kinds, visit)
        if body is not None:
            break
        mark.undo()
    else:
        raise AssertionError("carried values found no kind")
    carried.start(kinds)
    start = None if first is None else first.index
    trips = function(count_of(bounds.trips))
    b.steps.append(loop(body, counter.index, trips, start, carried.after))
    carried.finish(kinds)


def _body(
    b: Builder,
    op: For,
    bounds: Range,
    counter: Slot,
    carried: _Carried,
    kinds: _Kinds,
    visit: Visit,
) -> Step | None:
    """The body as one step; None where the carried values are of other kinds."""
    with b.block() as steps, b.repeated(count_of(bounds.trips)), b.conditional():
        b.env[op.iv] = bounds.variable(b, Lin(0, {counter: 1}))
        carried.bind(kinds)
        for inner in op.body:
            visit(b, inner)
        if not carried.collect(kinds):
            return None
    return sequence(steps)


_Kinds = tuple[Slot | Vector, ...]


@dataclass(eq=False)
class _Carried:
    """Values carried from trip to trip; each lives in one frame entry."""

    b: Builder
    op: For
    after: Callable[[Frame], None] | None = None

    def attempts(self) -> list[_Kinds]:
        """What the carried registers may be: first numbers that all units share, then others."""
        if not self.op.inits:
            return [()]
        return [self._kinds(True), self._kinds(False)]

    def _kinds(self, shared: bool) -> _Kinds:
        b = self.b
        kinds: list[Slot | Vector] = []
        for reg in self.op.inits:
            value = b.env.get(reg)
            if isinstance(value, Vector):
                kinds.append(Vector(b.new(), b.depth, value.dtype, value.lanes))
                continue
            lin = b.lin(reg)
            if lin.on_axis:
                raise NotAxis
            nest = b.nest.number if b.nest is not None else 0
            if shared and lin.is_uniform:
                kinds.append(b.slot("uniform", nest=nest))
            else:
                kinds.append(b.slot("units", labels=all_positions(b.size), nest=nest))
        return tuple(kinds)

    def bind(self, kinds: _Kinds) -> None:
        """Define the registers inside the body."""
        for reg, kind in zip(self.op.args, kinds, strict=True):
            self.b.env[reg] = Lin(0, {kind: 1}) if isinstance(kind, Slot) else kind

    def start(self, kinds: _Kinds) -> None:
        """Emit the initial values."""
        for reg, kind in zip(self.op.inits, kinds, strict=True):
            self.b.emit(assign(kind.index, reader(self.b, reg)))

    def collect(self, kinds: _Kinds) -> bool:
        """At the end of the body: how the next trip gets its values. False: wrong kinds."""
        moves: list[tuple[int, Callable[[Frame], Any]]] = []
        for reg, kind in zip(self.op.yields, kinds, strict=True):
            if isinstance(kind, Slot):
                lin = self.b.lin(reg)
                if lin.on_axis:
                    raise NotAxis
                if kind.kind == "uniform" and not lin.is_uniform:
                    return False
            moves.append((kind.index, reader(self.b, reg)))
        self.after = _exchange(moves) if moves else None
        return True

    def finish(self, kinds: _Kinds) -> None:
        """Define the results."""
        for reg, kind in zip(self.op.results, kinds, strict=True):
            self.b.env[reg] = Lin(0, {kind: 1}) if isinstance(kind, Slot) else kind


def reader(b: Builder, reg: int) -> Callable[[Frame], Any]:
    value = b.env.get(reg)
    return b.read(value) if isinstance(value, Vector) else compile_value(b.lin(reg))


def assign(index: int, value: Callable[[Frame], Any]) -> Callable[[Frame], None]:
    def step(f: Frame) -> None:
        f[index] = value(f)

    return step


def _exchange(moves: list[tuple[int, Callable[[Frame], Any]]]) -> Callable[[Frame], None]:
    def step(f: Frame) -> None:
        values = [value(f) for _, value in moves]
        for (index, _), value in zip(moves, values, strict=True):
            f[index] = value

    return step
