"""Loops and branches: which loops become array axes, and how the others run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrelang.engines.fast import hazards, nests
from spyrelang.engines.fast.blocks import Block
from spyrelang.engines.fast.builder import (
    MASK,
    AxisLoop,
    Builder,
    Level,
    NestState,
    NotAxis,
    Split,
    Vector,
    all_positions,
)
from spyrelang.engines.fast.counts import Count, function
from spyrelang.engines.fast.indices import combine
from spyrelang.engines.fast.linear import Frame, Lin, Slot, compile_value, merge_labels
from spyrelang.engines.fast.network import Inlet, check_type
from spyrelang.engines.fast.steps import Step, choice, loop, sequence
from spyrelang.errors.engine import BAD_ARITHMETIC, BAD_PROGRAM
from spyrelang.isa.program import (
    Call,
    For,
    If,
    Instr,
    Receive,
    Send,
    SyncReceive,
    SyncSend,
)
from spyrelang.semantics import dtypes

Visit = Callable[[Builder, Instr], None]


def uniform(b: Builder, lin: Lin) -> Lin:
    """`lin`, which steers control: raises Split where units may differ, NotAxis where trips do."""
    if lin.on_axis:
        raise NotAxis
    if not lin.is_uniform:
        labels = lin.labels(b.size)
        raise Split(labels if labels.any() else all_positions(b.size))
    return lin


# --- loops ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Range:
    """A loop's trips and how its variable follows from the number of the trip."""

    lower: Lin
    step: Lin
    trips: Lin

    def variable(self, b: Builder, trip: Lin) -> Lin:
        return self.lower.plus(combine(b, "mul", [trip, self.step], None))


def for_loop(b: Builder, op: For, visit: Visit) -> None:
    """A loop: an array axis where that is possible."""
    bounds = _range(b, op)
    if _may_be_axis(op.body) and not op.inits and bounds.step.value is not None:
        try:
            if b.nest is None:
                _nest(b, op, bounds, visit)
            else:
                _axis(b, op, bounds, visit)
            return
        except NotAxis:
            pass
    _serial(b, op, bounds, visit)


def _range(b: Builder, op: For) -> _Range:
    lower, upper, step = b.lin(op.lower), b.lin(op.upper), b.lin(op.step)
    where = b.location(op.loc)
    uniform(b, step)
    if step.value is not None and step.value < 1:
        raise BAD_ARITHMETIC.error(where, reason=f"a loop has step {step.value}")
    span = uniform(b, upper.plus(lower, -1))
    trips = span if step.value == 1 else combine(b, "ceildivsi", [span, step], where)
    if trips.value is not None:
        trips = Lin(max(0, trips.value))
    return _Range(lower, step, trips)


def _may_be_axis(body: Sequence[Instr]) -> bool:
    for op in body:
        if isinstance(op, (SyncSend, SyncReceive, Call)):
            return False
        if isinstance(op, For) and not _may_be_axis(op.body):
            return False
        if isinstance(op, If) and not (_may_be_axis(op.then_body) and _may_be_axis(op.else_body)):
            return False
    return True


def _count(lin: Lin) -> Count:
    return lin.value if lin.value is not None else compile_value(lin)


def _most(trips: Lin) -> int | None:
    """The most trips there can be, where that is known."""
    bounds = trips.bounds()
    return None if bounds is None else max(0, bounds[1])


@dataclass(eq=False)
class _Mark:
    """What a failed attempt at an axis has to take back."""

    builder: Builder
    steps: int
    uses: int

    @classmethod
    def of(cls, b: Builder) -> _Mark:
        return cls(b, len(b.steps), len(b.nest.uses) if b.nest is not None else 0)

    def undo(self) -> None:
        del self.builder.steps[self.steps :]
        if self.builder.nest is not None:
            del self.builder.nest.uses[self.uses :]


def _serial(b: Builder, op: For, bounds: _Range, visit: Visit, first: Slot | None = None) -> None:
    """A loop in Python. `first` holds the trip to start with."""
    most = _most(bounds.trips)
    inside = b.nest.number if b.nest is not None else 0
    if inside and bounds.trips.nest == inside:
        raise NotAxis
    top = None if most is None else max(0, most - 1)
    counter = b.slot("uniform", low=0, high=top, nest=inside)
    if b.nest is not None:
        b.nest.counters[counter] = _count(bounds.trips)
    carried = _Carried(b, op)
    for kinds in carried.attempts():
        mark = _Mark.of(b)
        body = _body(b, op, bounds, counter, carried, kinds, visit)
        if body is not None:
            break
        mark.undo()
    else:
        raise AssertionError("carried values found no kind")
    carried.start(kinds)
    start = None if first is None else first.index
    trips = function(_count(bounds.trips))
    b.steps.append(loop(body, counter.index, trips, start, carried.after))
    carried.finish(kinds)


def _body(
    b: Builder,
    op: For,
    bounds: _Range,
    counter: Slot,
    carried: _Carried,
    kinds: _Kinds,
    visit: Visit,
) -> Step | None:
    """The body as one step; None where the carried values are of other kinds."""
    with b.block() as steps, b.repeated(_count(bounds.trips)), b.conditional():
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
            self.b.emit(_assign(kind.index, _reader(self.b, reg)))

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
            moves.append((kind.index, _reader(self.b, reg)))
        self.after = _exchange(moves) if moves else None
        return True

    def finish(self, kinds: _Kinds) -> None:
        """Define the results."""
        for reg, kind in zip(self.op.results, kinds, strict=True):
            self.b.env[reg] = Lin(0, {kind: 1}) if isinstance(kind, Slot) else kind


def _reader(b: Builder, reg: int) -> Callable[[Frame], Any]:
    value = b.env.get(reg)
    return b.read(value) if isinstance(value, Vector) else compile_value(b.lin(reg))


def _assign(index: int, value: Callable[[Frame], Any]) -> Callable[[Frame], None]:
    def step(f: Frame) -> None:
        f[index] = value(f)

    return step


def _exchange(moves: list[tuple[int, Callable[[Frame], Any]]]) -> Callable[[Frame], None]:
    def step(f: Frame) -> None:
        values = [value(f) for _, value in moves]
        for (index, _), value in zip(moves, values, strict=True):
            f[index] = value

    return step


# --- array axes ----------------------------------------------------------------------------------


def _axis(b: Builder, op: For, bounds: _Range, visit: Visit) -> None:
    """An axis inside of a nest."""
    assert b.nest is not None
    if bounds.trips.nest == b.nest.number:
        raise NotAxis
    mark = _Mark.of(b)
    before = dict(b.levels[-1].inlets)
    try:
        axis, steps, level = _axis_body(b, op, bounds, None, visit)
        hazards.refuse_carried(b.nest.uses[mark.uses :], axis)
    except NotAxis:
        mark.undo()
        b.levels[-1].inlets = before
        raise
    trips = _count(bounds.trips)
    b.nest.counters[axis.slot] = trips
    feeds, drains = _traffic(b, level)
    for inlet, count in level.inlets.items():
        parent = b.levels[-1]
        with b.repeated(trips):
            parent.receive(inlet, count)
    for outlet in level.outlets:
        b.levels[-1].outlets[outlet] = None
    body = sequence(steps)[1]
    b.steps.append(nests.axis_step(body, trips, axis.count.index, feeds, drains))


def _axis_body(
    b: Builder, op: For, bounds: _Range, first: Slot | None, visit: Visit
) -> tuple[AxisLoop, list[Step], Level]:
    """Compile the body with one more axis."""
    assert b.nest is not None
    known, most = bounds.trips.value, _most(bounds.trips)
    slot = b.slot("axis", low=0, high=None if most is None else max(0, most - 1))
    slot.nest = b.nest.number
    axis = AxisLoop(slot, known, most, b.slot("uniform", low=1, high=most))
    b.axes.append(axis)
    b.levels.append(Level(len(b.nest.uses)))
    try:
        with b.block() as steps:
            trip = Lin(0, {slot: 1} if first is None else {first: 1, slot: 1})
            b.env[op.iv] = bounds.variable(b, trip)
            for inner in op.body:
                visit(b, inner)
            for cell in b.levels[-1].cells:
                b.emit(cell.store)
    finally:
        b.axes.pop()
        level = b.levels.pop()
    return axis, steps, level


def _traffic(b: Builder, level: Level) -> tuple[list[nests.Feed], list[nests.Drain]]:
    depth = b.depth
    feeds = [
        nests.Feed(i, function(count), b.cursor(i, depth), b.cursor(i, depth + 1))
        for i, count in level.inlets.items()
    ]
    drains = [nests.Drain(o, b.cursor(o, depth), b.cursor(o, depth + 1)) for o in level.outlets]
    return feeds, drains


def _nest(b: Builder, op: For, bounds: _Range, visit: Visit) -> None:
    """An outermost axis."""
    b.nests += 1
    state = b.nest = NestState(b.nests)
    ports = len(b.ports)
    first = b.slot("uniform", low=0, high=0)  # the start of the chunk; `slot` alone is in bounds
    try:
        axis, steps, level = _axis_body(b, op, bounds, first, visit)
        hazards.refuse_carried(state.uses, axis)
        whole = _count(bounds.trips)
        conflict = hazards.conflict_test(state, axis.slot, whole)
        feeds, drains = _traffic(b, level)
        size = state.vector_bytes * b.size
        if size > nests.LARGEST and any(isinstance(inner, For) for inner in op.body):
            raise NotAxis  # one trip is more than enough: the loops inside become nests
    except NotAxis:
        del b.ports[ports:]
        raise
    finally:
        b.nest = None
    serial: Step | None = None
    if conflict is not None or feeds:
        with b.block() as alternative:
            _serial(b, op, bounds, visit, first)
        serial = sequence(alternative)
    chunk = max(1, nests.CHUNK // size) if size else 0
    if bounds.trips.value is not None and bounds.trips.value <= chunk:
        chunk = 0
    nest = nests.Nest(
        function(whole),
        first.index,
        axis.count.index,
        sequence(state.prologue)[1],
        sequence(steps)[1],
        feeds,
        drains,
        [checker(b, feed.inlet) for feed in feeds],
        conflict,
        serial,
        chunk,
    )
    b.steps.append(nest.step())


def checker(b: Builder, inlet: Inlet) -> Callable[[Frame, Block], None]:
    expected, location = b.expected[inlet]
    names = tuple(unit.name for unit in b.executable.machine.units)
    dtype, lanes = dtypes.get(expected[0]).numpy, expected[1]
    pair = inlet.pairs[0]
    return lambda f, block: check_type(block, dtype, lanes, pair, names, location)


# --- branches ------------------------------------------------------------------------------------


def branch(b: Builder, op: If, visit: Visit) -> None:
    """A branch: decided now, by a number all units share, or unit by unit under a mask."""
    condition = b.lin(op.cond)
    if condition.on_axis:
        raise NotAxis
    if condition.value is not None:
        _inline(b, op, bool(condition.value), visit)
    elif condition.is_uniform:
        _shared(b, op, condition, visit)
    elif _maskable(op.then_body) and _maskable(op.else_body):
        _masked(b, op, condition, visit)
    else:
        uniform(b, condition)


def _inline(b: Builder, op: If, taken: bool, visit: Visit) -> None:
    for inner in op.then_body if taken else op.else_body:
        visit(b, inner)
    yields = op.then_yields if taken else op.else_yields
    for reg, source in zip(op.results, yields, strict=True):
        b.env[reg] = b.env[source]


def _shared(b: Builder, op: If, condition: Lin, visit: Visit) -> None:
    results = _Results(b, op)
    before = dict(b.levels[-1].inlets) if b.levels else {}
    sides: list[Step] = []
    for body, yields in ((op.then_body, op.then_yields), (op.else_body, op.else_yields)):
        with b.block() as steps, b.conditional():
            for inner in body:
                visit(b, inner)
            results.assign(yields)
        sides.append(sequence(steps))
    if b.levels and b.levels[-1].inlets != before:
        raise NotAxis  # the number of receives would depend on the branch
    b.steps.append(choice(compile_value(condition), *sides))
    results.define()


def _maskable(body: Sequence[Instr]) -> bool:
    """Whether units may skip it: nothing that waits or sends."""
    for op in body:
        if isinstance(op, (Send, Receive, SyncSend, SyncReceive, Call, For)):
            return False
        if isinstance(op, If) and not (_maskable(op.then_body) and _maskable(op.else_body)):
            return False
    return True


def _masked(b: Builder, op: If, condition: Lin, visit: Visit) -> None:
    """Both sides, each for the units that take it."""
    if op.results:
        uniform(b, condition)  # values of both sides would have to be merged
    value, saved = compile_value(condition), b.new()
    for body, wanted in ((op.then_body, True), (op.else_body, False)):
        if not body:
            continue
        with b.block() as steps, b.under_mask():
            for inner in body:
                visit(b, inner)
        b.emit(_under_mask(value, wanted, saved, sequence(steps)[1]))


def _under_mask(
    condition: Callable[[Frame], Any], wanted: bool, saved: int, body: Callable[[Frame], Any]
) -> Callable[[Frame], None]:
    def step(f: Frame) -> None:
        takes = (np.asarray(condition(f)) != 0) == wanted
        f[saved] = before = f[MASK]
        chosen = np.flatnonzero(takes) if before is None else before[takes[before]]
        if chosen.size:
            f[MASK] = chosen
            body(f)
            f[MASK] = f[saved]

    return step


@dataclass(eq=False)
class _Results:
    """Results of a branch: one frame entry each, written by both sides."""

    b: Builder
    op: If
    sides: list[list[tuple[Any, int]]] | None = None

    def __post_init__(self) -> None:
        self.entries = [self.b.new() for _ in self.op.results]
        self.kinds: list[list[Any]] = [[] for _ in self.op.results]

    def assign(self, yields: Sequence[int]) -> None:
        """At the end of a side: write its values."""
        b = self.b
        for reg, index, kinds in zip(yields, self.entries, self.kinds, strict=True):
            value = b.env.get(reg)
            if isinstance(value, Lin) and value.on_axis:
                raise NotAxis
            kinds.append(value)
            b.emit(_assign(index, _reader(b, reg)))

    def define(self) -> None:
        """After both sides."""
        b = self.b
        nest = b.nest.number if b.nest is not None else 0
        for reg, index, kinds in zip(self.op.results, self.entries, self.kinds, strict=True):
            first, second = kinds
            if isinstance(first, Lin) and isinstance(second, Lin):
                shared = first.is_uniform and second.is_uniform
                slot = Slot(index, "uniform" if shared else "units", nest=nest)
                if not shared:
                    slot.labels = merge_labels([first.labels(b.size), second.labels(b.size)])
                b.env[reg] = Lin(0, {slot: 1})
            elif isinstance(first, Vector) and isinstance(second, Vector):
                b.env[reg] = Vector(index, b.depth, first.dtype, first.lanes)
            else:
                where = b.location(self.op.loc)
                raise BAD_PROGRAM.error(where, reason="the sides of a branch give other types")
