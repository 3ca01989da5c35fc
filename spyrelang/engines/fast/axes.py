"""Which loops become array axes, and what that takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spyrelang.engines.fast import hazards, nests
from spyrelang.engines.fast.blocks import Block
from spyrelang.engines.fast.builder import AxisLoop, Builder, Level, NestState, NotAxis
from spyrelang.engines.fast.counts import function
from spyrelang.engines.fast.linear import Frame, Lin, Slot
from spyrelang.engines.fast.network import Inlet, check_type
from spyrelang.engines.fast.serial import (
    Mark,
    Range,
    Visit,
    count_of,
    most_trips,
    range_of,
    serial_loop,
)
from spyrelang.engines.fast.steps import Step, sequence
from spyrelang.isa.program import Call, For, If, Instr, SyncReceive, SyncSend
from spyrelang.semantics import dtypes


def for_loop(b: Builder, op: For, visit: Visit) -> None:
    """A loop: an array axis where that is possible."""
    bounds = range_of(b, op)
    if _may_be_axis(op.body) and not op.inits and bounds.step.value is not None:
        try:
            if b.nest is None:
                _nest(b, op, bounds, visit)
            else:
                _axis(b, op, bounds, visit)
            return
        except NotAxis:
            pass
    serial_loop(b, op, bounds, visit)


def _may_be_axis(body: Sequence[Instr]) -> bool:
    for op in body:
        if isinstance(op, (SyncSend, SyncReceive, Call)):
            return False
        if isinstance(op, For) and not _may_be_axis(op.body):
            return False
        if isinstance(op, If) and not (_may_be_axis(op.then_body) and _may_be_axis(op.else_body)):
            return False
    return True


def _axis(b: Builder, op: For, bounds: Range, visit: Visit) -> None:
    """An axis inside of a nest."""
    assert b.nest is not None
    if bounds.trips.nest == b.nest.number:
        raise NotAxis
    mark = Mark.of(b)
    before = dict(b.levels[-1].inlets)
    try:
        axis, steps, level = _axis_body(b, op, bounds, None, visit)
        hazards.refuse_carried(b.nest.uses[mark.uses :], axis)
    except NotAxis:
        mark.undo()
        b.levels[-1].inlets = before
        raise
    trips = count_of(bounds.trips)
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
    b: Builder, op: For, bounds: Range, first: Slot | None, visit: Visit
) -> tuple[AxisLoop, list[Step], Level]:
    """Compile the body with one more axis."""
    assert b.nest is not None
    known, most = bounds.trips.value, most_trips(bounds.trips)
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


def _nest(b: Builder, op: For, bounds: Range, visit: Visit) -> None:
    """An outermost axis."""
    b.nests += 1
    state = b.nest = NestState(b.nests)
    ports = len(b.ports)
    first = b.slot("uniform", low=0, high=0)  # the start of the chunk; `slot` alone is in bounds
    try:
        axis, steps, level = _axis_body(b, op, bounds, first, visit)
        hazards.refuse_carried(state.uses, axis)
        whole = count_of(bounds.trips)
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
            serial_loop(b, op, bounds, visit, first)
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
