"""The body of one program unit: the nest of its program, with what this unit kind does in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spyrelang.ir.emit import Emitter, map_text
from spyrelang.ir.index import Index, Value, subscripts
from spyrelang.lower.compute import ComputeWriter, splat
from spyrelang.lower.context import UnitContext
from spyrelang.lower.handoffs import Meetings
from spyrelang.lower.tiles import Tiles
from spyrelang.lower.transfers import (
    BulkWriter,
    Side,
    box_text,
    buffer_steps,
    identity_text,
    tensor_start,
    tensor_steps,
)
from spyrelang.lower.views import Views
from spyrelang.schedule.model import Program, Vector
from spyrelang.schedule.structure import Bulk, LoopSpec, Port, Structure


def ceil_div(number: int, divisor: int) -> int:
    return -(-number // divisor)


@dataclass
class UnitWriter:
    """Walks the structure of a program and writes the part of unit kind `context.kind`."""

    context: UnitContext
    structure: Structure
    views: Views
    tiles: Tiles
    meetings: Meetings
    lanes: dict[str, int]  # transfer width in elements, by dtype

    def __post_init__(self) -> None:
        self.phases: dict[int, Index] = {}
        self.trip: list[tuple[LoopSpec, Value]] = []
        self.compute = ComputeWriter(self.context, self._vector.lanes)

    def write(self, emitter: Emitter) -> None:
        """Append the whole body at `emitter`."""
        if self._is_compute:
            self.compute.hoist(self.program.body)
        self._level(emitter, 0)

    @property
    def program(self) -> Program:
        return self.context.program

    @property
    def _vector(self) -> Vector:
        assert self.program.vector is not None
        return self.program.vector

    @property
    def _is_compute(self) -> bool:
        return self.context.kind == self._vector.unit

    # --- the nest -------------------------------------------------------------------------------

    def _level(self, emitter: Emitter, level: int) -> None:
        own = self.structure.levels[level]
        self.phases[level] = self._phase(emitter, level)
        self.meetings.consume(emitter, level, "before")
        self._bulks(emitter, own.before)
        self.meetings.produce(emitter, level, "before")
        if level < len(self.structure.loops):
            if self._busy(level + 1):
                self._loop(emitter, level)
        else:
            self._vector_part(emitter)
        self.meetings.consume(emitter, level, "after")
        self._bulks(emitter, own.after)
        self.meetings.produce(emitter, level, "after")
        self.meetings.release(emitter, level)

    def _busy(self, level: int) -> bool:
        """Whether this unit has anything to do at this level or further in."""
        kind = self.context.kind
        for own in self.structure.levels[level:]:
            if any(bulk.unit == kind for bulk in (*own.before, *own.after)):
                return True
        ports = (*self.structure.reads, *self.structure.writes)
        return self._is_compute or any(port.unit == kind for port in ports)

    def _loop(self, emitter: Emitter, level: int) -> None:
        spec = self.structure.loops[level]
        upper = self._trips(emitter, spec)
        trip, inner, _ = self.context.loop(emitter, self.context.const(0), upper)
        self.trip.append((spec, trip))
        if spec.role == "outer":
            self.context.outer[spec.dim] = trip
        else:
            self.tiles.enter(inner, spec.dim, trip, spec.trips or 1)
        self._level(inner, level + 1)
        self.context.end_loop(inner)
        if spec.role == "outer":
            del self.context.outer[spec.dim]
        else:
            self.tiles.leave(spec.dim)
        self.trip.pop()

    def _trips(self, emitter: Emitter, spec: LoopSpec) -> Value:
        if spec.role != "outer":
            assert spec.trips is not None
            return self.context.const(spec.trips)
        return self.context.emit(emitter, self._outer_trips(spec.dim))

    def _outer_trips(self, number: int) -> Index:
        """ceil((upper - lower) / step); a loop that would not run counts zero or fewer trips."""
        loop = self.program.outer[number]
        span = loop.upper - loop.lower
        return self.context.environment((span + (loop.step - 1)) // loop.step)

    # --- bulk transfers -------------------------------------------------------------------------

    def _bulks(self, emitter: Emitter, bulks: Sequence[Bulk]) -> None:
        for bulk in bulks:
            if bulk.unit == self.context.kind:
                self._bulk(emitter, bulk)

    def _bulk(self, emitter: Emitter, bulk: Bulk) -> None:
        operand = self.program.operands[bulk.operand]
        spanned = self.structure.buffers[bulk.source if bulk.source >= 0 else bulk.target]
        writer = BulkWriter(
            self.context, self.tiles, emitter.located(operand.location), self.lanes[operand.dtype]
        )
        writer.write(
            spanned.dims,
            self._side(bulk.operand, bulk.source),
            self._side(bulk.operand, bulk.target),
        )

    def _side(self, operand_number: int, buffer_number: int) -> Side:
        operand = self.program.operands[operand_number]
        if buffer_number < 0:
            view, memref = self.views.tensor(operand_number)
            steps = tensor_steps(operand, len(self.program.dims))
            return Side(view, memref, tensor_start(self.context, self.tiles, operand), steps)
        buffer = self.structure.buffers[buffer_number]
        view, memref = self.views.buffer(buffer_number)
        start = self._buffer_start(buffer_number, [Index.const(0)] * len(buffer.dims))
        return Side(view, memref, tuple(start), buffer_steps(buffer, buffer.copies > 1))

    def _buffer_start(self, number: int, inside: Sequence[Index]) -> list[Index]:
        """Coordinates in a staging buffer: the copy in turn, then where inside the tile."""
        buffer = self.structure.buffers[number]
        coords = list(inside) or [Index.const(0)]
        if buffer.copies > 1:
            coords.insert(0, self.phases[buffer.level].modulo(buffer.copies))
        return coords

    def _phase(self, emitter: Emitter, level: int) -> Index:
        """How often the buffers of a level have been refilled before, on this unit."""
        count = Index.const(0)
        for spec, trip in self.trip[:level]:
            trips = spec.trips
            count = self._times(emitter, count, spec) if trips is None else count.scaled(trips)
            count = count + Index.of(trip)
        return count

    def _times(self, emitter: Emitter, count: Index, spec: LoopSpec) -> Index:
        """`count` times a trip count that only the executing unit knows."""
        if count.constant == 0:
            return count
        trips = self._outer_trips(spec.dim)
        if trips.constant is not None:
            return count.scaled(trips.constant)
        factors = [self.context.emit(emitter, part) for part in (count, trips)]
        return Index.of(emitter.value("arith.muli", factors))

    # --- the vector part ------------------------------------------------------------------------

    def _vector_part(self, emitter: Emitter) -> None:
        reads = [p for p in self.structure.reads if self._takes_part(p)]
        writes = [p for p in self.structure.writes if self._takes_part(p)]
        if not reads and not writes:
            return
        self._points(emitter, list(self.structure.points), {}, reads, writes)

    def _takes_part(self, port: Port) -> bool:
        return self._is_compute or port.unit == self.context.kind

    def _points(
        self,
        emitter: Emitter,
        specs: list[LoopSpec],
        ivs: dict[int, Index],
        reads: Sequence[Port],
        writes: Sequence[Port],
    ) -> None:
        if not specs:
            self._point(emitter, ivs, reads, writes)
            return
        spec, rest = specs[0], specs[1:]
        count = self.tiles.points(emitter, spec.dim)
        lower, upper = self._share(emitter, spec.dim, count)
        if lower == 0 and upper == 1:
            self._points(emitter, rest, {**ivs, spec.dim: Index.const(0)}, reads, writes)
            return
        trip, inner, _ = self.context.loop(emitter, self._value(lower), self._value(upper))
        self._points(inner, rest, {**ivs, spec.dim: Index.of(trip)}, reads, writes)
        self.context.end_loop(inner)

    def _value(self, count: Value | int) -> Value:
        return self.context.const(count) if isinstance(count, int) else count

    def _share(
        self, emitter: Emitter, dim: int, count: Value | int
    ) -> tuple[Value | int, Value | int]:
        """The points of this instance: [i*q, (i+1)*q) cut at the count, q from a full tile."""
        sizes = self.program.sizes
        assert sizes is not None
        if sizes.split != dim or sizes.instances < 2:
            return 0, count
        state = self.tiles.dims[dim]
        lanes = self._vector.lanes if dim == self._vector.dim else 1
        quota = ceil_div(ceil_div(state.full, lanes), sizes.instances)
        seats = self.context.seats
        first = [seat.corelet * quota for seat in seats]
        if isinstance(count, int):
            lower = self.context.table([min(n, count) for n in first])
            upper = self.context.table([min(n + quota, count) for n in first])
            return self.context.emit(emitter, lower), self.context.emit(emitter, upper)
        bounds = [self.context.table(first), self.context.table([n + quota for n in first])]
        values = [
            emitter.value("arith.minsi", [self.context.emit(emitter, b), count]) for b in bounds
        ]
        return values[0], values[1]

    def _point(
        self,
        emitter: Emitter,
        ivs: dict[int, Index],
        reads: Sequence[Port],
        writes: Sequence[Port],
    ) -> None:
        if self._is_compute:
            inputs = [self._receive(emitter, p, p.unit) for p in reads]
            results = self.compute.write(emitter, self.program.body, inputs)
            for port, result in zip(writes, results, strict=True):
                self._send(emitter, port.unit, result)
            return
        for port in reads:
            self._send(emitter, self._vector.unit, self._load(emitter, port, ivs))
        for port in writes:
            self._store(emitter, port, ivs, self._receive(emitter, port, self._vector.unit))

    def _vector_type(self, port: Port, lanes: int | None = None) -> str:
        dtype = self.program.operands[port.operand].dtype
        return f"vector<{lanes or self._vector.lanes}x{dtype}>"

    def _receive(self, emitter: Emitter, port: Port, kind: str) -> Value:
        peer = self.meetings.peer(kind)
        return emitter.value("dataflow.receive", [peer], None, self._vector_type(port))

    def _send(self, emitter: Emitter, kind: str, value: Value) -> None:
        emitter.op("dataflow.send", [self.meetings.peer(kind), value])

    def _load(self, emitter: Emitter, port: Port, ivs: dict[int, Index]) -> Value:
        operand = self.program.operands[port.operand]
        at = emitter.located(operand.location)
        view, index, extents = self._port_access(port, ivs)
        operands, results = subscripts(index)
        lanes = 1 if port.splat else self._vector.lanes
        attributes = {
            "affine_map": map_text(len(operands), results),
            "load_set": box_text(extents),
            "load_order": identity_text(len(extents)),
            "operandSegmentSizes": f"array<i32: 1, {len(operands)}, 0>",
        }
        vector = at.value(
            "agen.vector_load", [view, *operands], attributes, self._vector_type(port, lanes)
        )
        return splat(at, vector, operand.dtype, self._vector.lanes) if port.splat else vector

    def _store(self, emitter: Emitter, port: Port, ivs: dict[int, Index], value: Value) -> None:
        operand = self.program.operands[port.operand]
        view, index, extents = self._port_access(port, ivs)
        operands, results = subscripts(index)
        attributes = {
            "affine_map": map_text(len(operands), results),
            "store_set": box_text(extents),
            "store_order": identity_text(len(extents)),
        }
        emitter.located(operand.location).op(
            "agen.vector_store", [value, view, *operands], attributes
        )

    def _port_access(
        self, port: Port, ivs: dict[int, Index]
    ) -> tuple[Value, list[Index], list[int]]:
        """View, start coordinates and per-coordinate extent of the vector at one point."""
        vector = self._vector
        operand = self.program.operands[port.operand]
        inside = {
            d: ivs.get(d, Index.const(0)).scaled(vector.lanes if d == vector.dim else 1)
            for d in range(len(self.program.dims))
        }
        if port.buffer < 0:
            view, _ = self.views.tensor(port.operand)
            steps = tensor_steps(operand, len(self.program.dims))
            start = list(tensor_start(self.context, self.tiles, operand))
            for number, step in enumerate(steps):
                for dim, factor in step.items():
                    start[number] = start[number] + inside[dim].scaled(factor)
        else:
            buffer = self.structure.buffers[port.buffer]
            view, _ = self.views.buffer(port.buffer)
            steps = buffer_steps(buffer, buffer.copies > 1)
            start = self._buffer_start(port.buffer, [inside[d] for d in buffer.dims])
        lanes = 1 if port.splat else vector.lanes
        extents = [lanes if step.get(vector.dim) else 1 for step in steps]
        return view, start, extents
