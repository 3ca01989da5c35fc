"""Stages `nested`, `explored` and `placed`: tile loops, bulk stages, the vector pipeline inside.

Every level of the structure that moves data outside of the innermost one becomes a sibling pipeline
before the next loop. Tile sizes are reserved values in `nested` and numbers afterwards; staging
buffers are allocations until `placed` gives them addresses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spyrelang.ir.emit import Emitter
from spyrelang.ir.index import Index, Value, combine
from spyrelang.schedule import structure as structures
from spyrelang.schedule.model import Program, Vector
from spyrelang.schedule.structure import Buffer, Bulk, LoopSpec, Port
from spyrelang.schedule.text.flat import Vectors
from spyrelang.schedule.text.pieces import (
    Count,
    End,
    Pipe,
    chain,
    data_transfer,
    point_loop,
    slot_text,
)
from spyrelang.schedule.text.prologue import Prologue, memref_text


def nest_code(prologue: Prologue, emitter: Emitter) -> None:
    """Everything inside the absorbed loops' head: tiles, loops, pipelines."""
    NestText(prologue).write(emitter)


@dataclass
class _Tile:
    """The current tile along one dim: first element and element count."""

    offset: Index
    count: Count


class NestText:
    """Writes one program's nest. Walks `structures.levels` from the outside in."""

    def __init__(self, prologue: Prologue) -> None:
        self.prologue = prologue
        self.structure = structures.levels(self.program)
        self.vectors = Vectors(prologue, self.vector)
        self.buffers: dict[int, tuple[Value, str]] = {}
        self.own: dict[int, tuple[Value, str]] = {}
        self.trips: list[Value] = []

    @property
    def program(self) -> Program:
        return self.prologue.program

    @property
    def vector(self) -> Vector:
        assert self.program.vector is not None
        return self.program.vector

    def write(self, emitter: Emitter) -> None:
        self.sizes = [self._size(emitter, dim) for dim in range(len(self.program.dims))]
        self.tiles = [
            _Tile(Index.const(0), self._whole(dim)) for dim in range(len(self.program.dims))
        ]
        self.copies = {
            number: [self._allocate(emitter, number) for _ in range(buffer.copies)]
            for number, buffer in enumerate(self.structure.buffers)
            if buffer.copies > 1
        }
        self._level(emitter, 0)

    # --- sizes ----------------------------------------------------------------------------------

    def _size(self, emitter: Emitter, dim: int) -> Count:
        """Tile size in elements: chosen, or reserved for later."""
        if self.program.sizes is not None:
            return min(self.program.sizes.tile[dim], self.program.dims[dim].extent)
        lanes = self.vector.lanes if dim == self.vector.dim else 1
        attributes = {"divisibility": f"{lanes} : index", "min_value": f"{lanes} : index"}
        return emitter.value("ktdf.tiling.reserve_size", (), attributes)

    def _whole(self, dim: int) -> Count:
        """Elements of the tile where no tile loop walks the dim."""
        size = self.sizes[dim]
        return size if isinstance(size, int) else self.program.dims[dim].extent

    def _value(self, count: Count) -> Value:
        return self.prologue.const(count) if isinstance(count, int) else count

    def _trip_count(self, emitter: Emitter, spec: LoopSpec) -> Value:
        if spec.trips is not None:
            return self.prologue.const(spec.trips)
        extent = self.prologue.const(self.program.dims[spec.dim].extent)
        return emitter.value("arith.ceildivui", [extent, self._value(self.sizes[spec.dim])])

    def _enter(self, emitter: Emitter, dim: int, trip: Index) -> None:
        """Inside the tile loop of `dim`: where the tile starts and how much of it there is."""
        size, extent = self.sizes[dim], self.program.dims[dim].extent
        tile = self.tiles[dim]
        if isinstance(size, int):
            tile.offset = trip.scaled(size)
        else:
            tile.offset = Index.of(
                emitter.value("ktdf.tiling.linearize_index", [trip.values[0], size])
            )
        if isinstance(size, int) and extent % size == 0:
            tile.count = size
        else:
            operands = [trip.values[0], self._value(size), self.prologue.const(extent)]
            tile.count = emitter.value("ktdf.tiling.derive_size", operands)

    # --- levels ---------------------------------------------------------------------------------

    def _level(self, emitter: Emitter, level: int) -> None:
        for number in range(len(self.program.operands)):
            if self._own_level(number) == level:
                self.own[number] = self.prologue.tile_memref(emitter, number)
        for number, buffer in enumerate(self.structure.buffers):
            if buffer.level == level:
                self._choose(emitter, number, level)
        if level == len(self.structure.loops):
            self._innermost(emitter, level)
            return
        own = self.structure.levels[level]
        if own.before:
            self._sibling(emitter, own.before)
        self._loop(emitter, level)
        if own.after:
            self._sibling(emitter, own.after)

    def _own_level(self, number: int) -> int:
        """The level at which the operand's own tensor is touched."""
        for level, own in enumerate(self.structure.levels):
            for bulk in (*own.before, *own.after):
                if bulk.operand == number and -1 in (bulk.source, bulk.target):
                    return level
        return len(self.structure.loops)

    def _loop(self, emitter: Emitter, level: int) -> None:
        spec = self.structure.loops[level]
        if spec.role == "outer":
            inner = self.prologue.open_outer(emitter)
            self.trips.append(self.prologue.outer[-1].values[0])
        else:
            upper = self._trip_count(emitter, spec)
            zero, one = self.prologue.const(0), self.prologue.const(1)
            trip, inner = point_loop(emitter, zero, upper, one, spec.role, spec.dim)
            self.trips.append(trip.values[0])
            self._enter(inner, spec.dim, trip)
        self._level(inner, level + 1)
        inner.op("scf.yield")

    # --- buffers --------------------------------------------------------------------------------

    def _buffer_text(self, buffer: Buffer) -> str:
        dtype = self.program.operands[buffer.operand].dtype
        if self.program.sizes is None:
            shape = "".join("?x" for _ in buffer.dims) or "1x"
            return f'memref<{shape}{dtype}, "{buffer.memory}">'
        shape_of = list(structures.padded_shape(self.program, buffer)) or [1]
        return f'{memref_text(shape_of, dtype)[:-1]}, "{buffer.memory}">'

    def _allocate(self, emitter: Emitter, number: int, copy: int | None = None) -> Value:
        """`memref.alloc`, or the address once it is known."""
        buffer = self.structure.buffers[number]
        kind = self._buffer_text(buffer)
        if buffer.address is None:
            sizes = [n for d in buffer.dims if not isinstance(n := self.sizes[d], int)]
            segments = {"operandSegmentSizes": f"array<i32: {len(sizes)}, 0>"}
            return emitter.value("memref.alloc", sizes, segments, kind)
        offset = (copy or 0) * structures.copy_bytes(self.program, buffer)
        start = emitter.value(
            "arith.constant", attributes={"value": f"{buffer.address + offset} : index"}
        )
        return emitter.value("builtin.unrealized_conversion_cast", [start], None, kind)

    def _choose(self, emitter: Emitter, number: int, level: int) -> None:
        """Make the buffer visible at its level: the copy in turn, or an allocation of its own."""
        buffer = self.structure.buffers[number]
        kind = self._buffer_text(buffer)
        if buffer.copies > 1:
            phase = emitter.value(
                "ktdf.buffer_phase",
                self.trips[:level],
                {"num_phases": f"{buffer.copies} : i64"},
            )
            value = emitter.value("ktdf.select_memref", [phase, *self.copies[number]], None, kind)
            self.buffers[number] = (value, kind)
        elif level < len(self.structure.loops):
            self.buffers[number] = (self._allocate(emitter, number), kind)

    # --- pipelines ------------------------------------------------------------------------------

    def _sibling(self, emitter: Emitter, bulks: Sequence[Bulk]) -> None:
        """Transfers of an outer level: one stage per unit."""
        units = list(dict.fromkeys(bulk.unit for bulk in bulks))
        pipe = Pipe(emitter)
        tokens = chain(pipe, len(units))
        pipe.open()
        for unit, (depends_in, depends_out) in zip(units, tokens, strict=True):
            stage = pipe.stage([unit], depends_in, depends_out)
            self._bulks(stage, [b for b in bulks if b.unit == unit])

    def _innermost(self, emitter: Emitter, level: int) -> None:
        own = self.structure.levels[level]
        local = [
            n
            for n, buffer in enumerate(self.structure.buffers)
            if buffer.level == level and buffer.copies == 1
        ]
        rotating = [b.copies for b in self.structure.buffers if b.level == level and b.copies > 1]
        loads = list(dict.fromkeys(bulk.unit for bulk in own.before))
        stores = list(dict.fromkeys(bulk.unit for bulk in own.after))
        pipe = Pipe(emitter, max(rotating, default=0))
        results = {
            n: pipe.resource(
                self._buffer_text(self.structure.buffers[n]), lambda e, n=n: self._allocate(e, n)
            )
            for n in local
        }
        tokens = chain(pipe, len(loads) + 1 + len(stores))
        pipe.open()
        for number, result in results.items():
            kind = self._buffer_text(self.structure.buffers[number])
            self.buffers[number] = (pipe.values[result], kind)
        for unit, (depends_in, depends_out) in zip(loads, tokens, strict=False):
            stage = pipe.stage([unit], depends_in, depends_out)
            self._bulks(stage, [b for b in own.before if b.unit == unit])
        middle = pipe.stage(self._group(), *tokens[len(loads)])
        self._points(middle, list(self.structure.points), {})
        for unit, (depends_in, depends_out) in zip(stores, tokens[len(loads) + 1 :], strict=True):
            stage = pipe.stage([unit], depends_in, depends_out)
            self._bulks(stage, [b for b in own.after if b.unit == unit])

    def _group(self) -> list[str]:
        """Units of the vector part, in the order data flows."""
        reads = dict.fromkeys(port.unit for port in self.structure.reads)
        writes = dict.fromkeys(port.unit for port in self.structure.writes)
        return [*reads, self.vector.unit, *writes]

    def _bulks(self, emitter: Emitter, bulks: Sequence[Bulk]) -> None:
        for bulk in bulks:
            at = emitter.located(self.program.operands[bulk.operand].location)
            ends = [self._end(bulk.operand, number) for number in (bulk.source, bulk.target)]
            data_transfer(at, ends[0], ends[1])

    def _end(self, operand_number: int, buffer_number: int) -> End:
        """The whole tile, in the operand's own tensor or in a staging buffer."""
        if buffer_number >= 0:
            buffer = self.structure.buffers[buffer_number]
            value, kind = self.buffers[buffer_number]
            counts: tuple[Count, ...] = tuple(self.tiles[d].count for d in buffer.dims)
            sizes = counts or (1,)
            return End(value, kind, sizes, tuple(Index.const(0) for _ in sizes))
        operand = self.program.operands[operand_number]
        value, kind = self.own[operand_number]
        offsets = [tile.offset for tile in self.tiles]
        start = tuple(combine(expr, offsets) for expr in operand.index)
        sizes = tuple(
            self.tiles[min(expr.dims())].count if expr.dims() else 1 for expr in operand.index
        )
        return End(value, kind, sizes, start)

    # --- the vector part ------------------------------------------------------------------------

    def _points(self, emitter: Emitter, specs: list[LoopSpec], ivs: dict[int, Index]) -> None:
        if not specs:
            self._vector_pipeline(emitter, ivs)
            return
        spec, rest = specs[0], specs[1:]
        count = self._point_count(emitter, spec.dim)
        zero, one = self.prologue.const(0), self.prologue.const(1)
        sizes = self.program.sizes
        if sizes is not None and sizes.instances > 1 and sizes.split == spec.dim:
            self._parallel(emitter, spec, self._value(count), rest, ivs)
        elif count == 1:
            self._points(emitter, rest, ivs)
        else:
            upper = self._value(count)
            trip, inner = point_loop(emitter, zero, upper, one, spec.role, spec.dim)
            self._points(inner, rest, {**ivs, spec.dim: trip})
            inner.op("scf.yield")

    def _point_count(self, emitter: Emitter, dim: int) -> Count:
        count = self.tiles[dim].count
        if dim != self.vector.dim:
            return count
        if isinstance(count, int):
            return -(-count // self.vector.lanes)
        return emitter.value("arith.ceildivui", [count, self.prologue.const(self.vector.lanes)])

    def _parallel(
        self,
        emitter: Emitter,
        spec: LoopSpec,
        upper: Value,
        rest: list[LoopSpec],
        ivs: dict[int, Index],
    ) -> None:
        assert self.program.sizes is not None
        attributes = {
            "num_instances": f"{self.program.sizes.instances} : i64",
            "spyrelang.dim": f"{spec.dim} : i64",
        }
        bounds = [self.prologue.const(0), upper, self.prologue.const(1)]
        op = emitter.op("ktdf.parallel", bounds, attributes, regions=1)
        block = emitter.block(op, ["index", "index"])
        inner = emitter.inside(block)
        self._points(inner, rest, {**ivs, spec.dim: Index.of(block.arguments[0])})
        inner.op("ktdf.parallel_yield")

    def _vector_pipeline(self, emitter: Emitter, ivs: dict[int, Index]) -> None:
        """One vector: load units fill FIFOs, the compute unit works, store units drain."""
        pipe = Pipe(emitter)
        slots: dict[int, int] = {}
        for port in self.structure.reads:
            dtype = self.program.operands[port.operand].dtype
            slots[port.operand] = pipe.slot(port.unit, self.vector.unit, self.vector.lanes, dtype)
        for port in self.structure.writes:
            dtype = self.program.operands[port.operand].dtype
            slots[port.operand] = pipe.slot(self.vector.unit, port.unit, self.vector.lanes, dtype)
        group = self._group()
        tokens = chain(pipe, len(group))
        pipe.open()
        for unit, (depends_in, depends_out) in zip(group, tokens, strict=True):
            stage = pipe.stage([unit], depends_in, depends_out)
            if unit == self.vector.unit:
                self.vectors.compute(stage, pipe, slots)
                continue
            for port in (*self.structure.reads, *self.structure.writes):
                if port.unit == unit:
                    self._port(stage, port, ivs, pipe.values[slots[port.operand]])

    def _port(self, emitter: Emitter, port: Port, ivs: dict[int, Index], slot: Value) -> None:
        operand = self.program.operands[port.operand]
        at = emitter.located(operand.location)
        kind = slot_text("", "", self.vector.lanes, operand.dtype)
        fifo = End(slot, kind, (self.vector.lanes,))
        memory = self._vector_end(port, ivs)
        if operand.role == "in":
            data_transfer(at, memory, fifo, port.splat)
        else:
            data_transfer(at, fifo, memory)

    def _vector_end(self, port: Port, ivs: dict[int, Index]) -> End:
        """One vector in the port's buffer, or in the operand's own pinned tensor."""
        operand = self.program.operands[port.operand]
        inside = self.vectors.elements(ivs)
        lanes = self.vector.lanes
        if port.buffer < 0:
            value, kind = self.own[port.operand]
            where = [t.offset + i for t, i in zip(self.tiles, inside, strict=True)]
            return self.vectors.tensor_end(operand, (value, kind), where, lanes)
        buffer = self.structure.buffers[port.buffer]
        value, kind = self.buffers[port.buffer]
        sizes = tuple(lanes if d == self.vector.dim else 1 for d in buffer.dims) or (1,)
        start = tuple(inside[d] for d in buffer.dims) or (Index.const(0),)
        return End(value, kind, sizes, start)
