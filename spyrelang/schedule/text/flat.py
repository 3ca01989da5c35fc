"""Stages `programs`, `pipeline` and `routed`: the computation before it is nested.

`programs` is tensor code: load, one generic, store. From `pipeline` on, point loops walk the box
one vector at a time around a `ktdf.pipeline`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spyrelang.affine import Dim
from spyrelang.ir.emit import Emitter
from spyrelang.ir.index import Index, Value, combine
from spyrelang.schedule.model import Hop, Operand, Program, Vector
from spyrelang.schedule.text.compute import generic
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


def tensor_code(prologue: Prologue, emitter: Emitter) -> None:
    """`programs`: whole-tile loads, the fused generic, whole-tile stores."""
    program = prologue.program
    inputs, outputs, tiles = [], [], []
    for number, operand in enumerate(program.operands):
        tile, shape = prologue.access_tile(emitter, number)
        kind = f"tensor<{''.join(f'{n}x' for n in shape)}{operand.dtype}>"
        if operand.role == "in":
            at = emitter.located(operand.location)
            inputs.append((at.value("ktdp.load", [tile], None, kind), operand.index))
        else:
            outputs.append((kind, operand.index))
            tiles.append((tile, operand))
    results = generic(emitter, program, inputs, outputs)
    for result, (tile, operand) in zip(results, tiles, strict=True):
        emitter.located(operand.location).op("ktdp.store", [result, tile])


@dataclass
class Vectors:
    """The shape of one vector of the iteration box, and what each operand moves for it."""

    prologue: Prologue
    vector: Vector

    @property
    def program(self) -> Program:
        return self.prologue.program

    def count(self, emitter: Emitter, trip: Index) -> Count:
        """Elements of the vector at trip `trip` of the vector dim: the last may be partial."""
        extent = self.program.dims[self.vector.dim].extent
        if extent % self.vector.lanes == 0:
            return self.vector.lanes
        if extent < self.vector.lanes:
            return extent
        const = self.prologue.const
        operands = [
            self.prologue.emit(emitter, trip), const(self.vector.lanes), const(extent)
        ]  # fmt: skip
        return emitter.value("ktdf.tiling.derive_size", operands)

    def shape(self) -> list[int]:
        """One vector as a box over the program dims."""
        lanes = self.vector.lanes
        return [lanes if d == self.vector.dim else 1 for d in range(len(self.program.dims))]

    def tensor_text(self, dtype: str) -> str:
        return f"tensor<{''.join(f'{n}x' for n in self.shape())}{dtype}>"

    def splat(self, operand: Operand) -> bool:
        """Whether the operand is the same for all lanes."""
        return all(self.vector.dim not in expr.dims() for expr in operand.index)

    def elements(self, ivs: dict[int, Index]) -> list[Index]:
        """Program coordinates, in elements, of the first lane at the given trips."""
        return [
            ivs.get(d, Index.const(0)).scaled(self.vector.lanes if d == self.vector.dim else 1)
            for d in range(len(self.program.dims))
        ]

    def tensor_end(
        self, operand: Operand, tile: tuple[Value, str], at: Sequence[Index], count: Count
    ) -> End:
        """The vector at program coordinates `at` in the operand's own tile."""
        start = tuple(combine(expr, at) for expr in operand.index)
        sizes: tuple[Count, ...] = tuple(
            count if self.vector.dim in expr.dims() else 1 for expr in operand.index
        )
        return End(tile[0], tile[1], sizes, start)

    def compute(self, emitter: Emitter, pipe: Pipe, slots: dict[int, int]) -> None:
        """Read every input slot, run the body, write every output slot."""
        identity = [Dim(d) for d in range(len(self.program.dims))]
        inputs, outputs, sinks = [], [], []
        for number, operand in enumerate(self.program.operands):
            kind = self.tensor_text(operand.dtype)
            if operand.role == "in":
                at = emitter.located(operand.location)
                slot = pipe.values[slots[number]]
                inputs.append((at.value("ktdf.read_from_fifo", [slot], None, kind), identity))
            else:
                outputs.append((kind, identity))
                sinks.append((slots[number], operand))
        results = generic(emitter, self.program, inputs, outputs)
        for result, (slot, operand) in zip(results, sinks, strict=True):
            emitter.located(operand.location).op("ktdf.write_to_fifo", [result, pipe.values[slot]])


def point_nest(
    prologue: Prologue, emitter: Emitter, vector: Vector
) -> tuple[Emitter, dict[int, Index], list[Emitter]]:
    """Loops over all vectors of the box, in dim order; dims of one trip have no loop."""
    ivs: dict[int, Index] = {}
    opened: list[Emitter] = []
    for number, dim in enumerate(prologue.program.dims):
        lanes = vector.lanes if number == vector.dim else 1
        trips = -(-dim.extent // lanes)
        if trips == 1:
            continue
        zero, one = prologue.const(0), prologue.const(1)
        upper = prologue.const(trips)
        ivs[number], emitter = point_loop(emitter, zero, upper, one, "point", number)
        opened.append(emitter)
    return emitter, ivs, opened


def pipeline_code(prologue: Prologue, emitter: Emitter) -> None:
    """`pipeline` (no routes yet) and `routed`: one vector through all stages."""
    program = prologue.program
    assert program.vector is not None
    tiles = [prologue.tile_memref(emitter, n) for n in range(len(program.operands))]
    emitter, ivs, opened = point_nest(prologue, emitter, program.vector)
    vectors = Vectors(prologue, program.vector)
    _FlatPipeline(vectors, emitter, tiles, ivs).write()
    for body in reversed(opened):
        body.op("scf.yield")


@dataclass
class _FlatPipeline:
    """The pipeline of one vector, in three stages or, with routes, one stage per unit."""

    vectors: Vectors
    emitter: Emitter
    tiles: Sequence[tuple[Value, str]]
    ivs: dict[int, Index]

    def write(self) -> None:
        self.program = self.vectors.program
        self.vector = self.vectors.vector
        self.pipe = Pipe(self.emitter)
        self.hops = {n: self._hops(n, operand) for n, operand in enumerate(self.program.operands)}
        self.buffers: dict[tuple[int, int], tuple[int, str]] = {}
        self.slots: dict[int, int] = {}
        for number in range(len(self.program.operands)):
            self._resources(number)
        units = self._stage_units()
        tokens = chain(self.pipe, len(units))
        self.pipe.open()
        for unit, (depends_in, depends_out) in zip(units, tokens, strict=True):
            shown = None if unit.startswith("?") else [unit]
            self._stage(self.pipe.stage(shown, depends_in, depends_out), unit)

    def _hops(self, number: int, operand: Operand) -> tuple[Hop, ...]:
        """The operand's route; before routing one nameless hop between memory and compute."""
        if self.program.routes is not None:
            return self.program.routes[number].hops
        if operand.role == "in":
            return (Hop("?in", operand.memory, self.vector.unit),)
        return (Hop("?out", self.vector.unit, operand.memory),)

    def _stage_units(self) -> list[str]:
        """Units in the order data flows: loads from the far end, compute, stores outwards."""
        loads: dict[str, None] = {}
        stores: dict[str, None] = {}
        depth = max(len(hops) for hops in self.hops.values())
        for back in range(depth, 0, -1):
            for number, hops in self.hops.items():
                if self.program.operands[number].role == "in" and len(hops) >= back:
                    loads[hops[-back].unit] = None
        for step in range(depth):
            for number, hops in self.hops.items():
                if self.program.operands[number].role == "out" and len(hops) > step:
                    stores[hops[step].unit] = None
        return [*loads, self.vector.unit, *stores]

    def _resources(self, number: int) -> None:
        operand = self.program.operands[number]
        hops = self.hops[number]
        lanes = self.vector.lanes
        shape = [1] if self.vectors.splat(operand) else self.vectors.shape()
        bulk = hops[:-1] if operand.role == "in" else hops[1:]
        for hop in bulk:
            memory = hop.target if operand.role == "in" else hop.source
            kind = f'{memref_text(shape, operand.dtype)[:-1]}, "{memory}">'
            place = (number, hops.index(hop))
            result = self.pipe.resource(kind, lambda e, k=kind: _alloc(e, k))
            self.buffers[place] = (result, kind)
        ends = (
            (self._fifo_name(hops[-1]), self.vector.unit)
            if operand.role == "in"
            else (self.vector.unit, self._fifo_name(hops[0]))
        )
        self.slots[number] = self.pipe.slot(*ends, lanes, operand.dtype)

    def _fifo_name(self, hop: Hop) -> str:
        """A FIFO end is the unit that feeds it; before routing, the memory."""
        if not hop.unit.startswith("?"):
            return hop.unit
        return hop.source if hop.target == self.vector.unit else hop.target

    def _stage(self, emitter: Emitter, unit: str) -> None:
        if unit == self.vector.unit:
            self.vectors.compute(emitter, self.pipe, self.slots)
            return
        trip = self.ivs.get(self.vector.dim, Index.const(0))
        self.count = self.vectors.count(emitter, trip)
        for number, hops in self.hops.items():
            for place, hop in enumerate(hops):
                if hop.unit == unit:
                    self._move(emitter, number, place)

    def _move(self, emitter: Emitter, number: int, place: int) -> None:
        operand = self.program.operands[number]
        hops = self.hops[number]
        splat = self.vectors.splat(operand)
        if operand.role == "in":
            source = self._stop(number, place - 1) if place else self._own(number)
            last = place == len(hops) - 1
            target = self._slot(number) if last else self._stop(number, place)
        else:
            source = self._slot(number) if place == 0 else self._stop(number, place)
            last = place == len(hops) - 1
            target = self._own(number) if last else self._stop(number, place + 1)
        slot = operand.role == "in" and place == len(hops) - 1
        data_transfer(emitter.located(operand.location), source, target, splat and slot)

    def _own(self, number: int) -> End:
        at = self.vectors.elements(self.ivs)
        operand = self.program.operands[number]
        return self.vectors.tensor_end(operand, self.tiles[number], at, self.count)

    def _stop(self, number: int, place: int) -> End:
        """The staging buffer behind hop `place` of an input, before it of an output."""
        result, kind = self.buffers[(number, place)]
        operand = self.program.operands[number]
        if self.vectors.splat(operand):
            return End(self.pipe.values[result], kind, (1,), (Index.const(0),))
        sizes: tuple[Count, ...] = tuple(
            self.count if d == self.vector.dim else 1 for d in range(len(self.program.dims))
        )
        start = tuple(Index.const(0) for _ in sizes)
        return End(self.pipe.values[result], kind, sizes, start)

    def _slot(self, number: int) -> End:
        operand = self.program.operands[number]
        value = self.pipe.values[self.slots[number]]
        ends = slot_text("", "", self.vector.lanes, operand.dtype)
        return End(value, ends, (self.vector.lanes,))


def _alloc(emitter: Emitter, kind: str) -> Value:
    return emitter.value("memref.alloc", (), {"operandSegmentSizes": "array<i32: 0, 0>"}, kind)
