"""One placed program -> its DataflowIR module: symbols outside, program units inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mlir import ir

from spyrelang.ir.emit import Emitter, op_location
from spyrelang.ir.index import Value
from spyrelang.lower.context import Seat, UnitContext
from spyrelang.lower.handles import BodyFunction
from spyrelang.lower.handoffs import Meetings
from spyrelang.lower.tiles import Tiles
from spyrelang.lower.unit import UnitWriter
from spyrelang.lower.views import Views
from spyrelang.schedule import structure as structures
from spyrelang.schedule.model import Program
from spyrelang.schedule.text.orchestrator import declare, function
from spyrelang.semantics import dtypes


class DeviceFacts(Protocol):
    """What lowering asks of a device description."""

    def word_size(self, unit: str, memory: str) -> int:
        """Bytes in one address word of `unit` on `memory`."""
        ...

    def lanes(self, unit: str, dtype: str) -> int:
        """Elements in one vector."""
        ...

    def is_shared(self, memory: str) -> bool:
        """Whether all cores see the same instance of the memory."""
        ...


@dataclass
class Symbols:
    """Ids of start addresses: kernel parameter k is -(k + 1), quotients continue downwards and are
    shared by all programs."""

    params: int
    quotients: dict[tuple[int, int], int] = field(default_factory=dict)

    def of(self, param: int, word: int) -> int:
        """The id of kernel parameter `param` divided by `word` bytes."""
        if word == 1:
            return -(param + 1)
        key = (param, word)
        if key not in self.quotients:
            self.quotients[key] = -(self.params + len(self.quotients) + 1)
        return self.quotients[key]


@dataclass
class ProgramLowering:
    """Lowers one program. `addresses` are the kernel parameters behind its address parameters."""

    program: Program
    device: DeviceFacts
    symbols: Symbols
    addresses: Sequence[int]

    def __post_init__(self) -> None:
        self.structure = structures.levels(self.program)
        self.handoffs = structures.handoffs(self.program, self.structure)
        self.used: dict[tuple[int, int], None] = {}
        self._instances: dict[str, int] = {}
        self.cores = 1
        for extent in self.program.grid:
            self.cores *= extent

    # --- the module -----------------------------------------------------------------------------

    def write(self, outer: Emitter) -> None:
        """Append `module @name { … }` at `outer`. A program with scalar parameters stays one level
        deep, since its body reads them; the others are wrapped as the public tool does."""
        emitter = Emitter(outer.ip, op_location(self.program.location))
        module = emitter.op(
            "builtin.module", attributes={"sym_name": f'"{self.program.name}"'}, regions=1
        )
        inside = emitter.inside(module.regions[0].blocks.append())
        if self.program.scalars:
            self._single(inside)
        else:
            self._wrapped(inside)

    def _single(self, emitter: Emitter) -> None:
        _, block = function(
            emitter, self.program.name, len(self.program.parameters), self.program.grid
        )
        scalars = [
            block.arguments[number]
            for number, parameter in enumerate(self.program.parameters)
            if parameter.kind == "scalar"
        ]
        body = self._body(emitter.inside(block), scalars)
        body.op("func.return")
        self._declare(Emitter(ir.InsertionPoint.at_block_begin(block), emitter.place), block)

    def _wrapped(self, emitter: Emitter) -> None:
        name = f"{self.program.name}_body"
        declare(emitter, name, 0)
        _, block = function(emitter, self.program.name, len(self.program.parameters), None)
        module = emitter.op("builtin.module", regions=1)
        inner = emitter.inside(module.regions[0].blocks.append())
        _, body_block = function(inner, name, 0, self.program.grid)
        self._body(inner.inside(body_block), ()).op("func.return")
        head = emitter.inside(block)
        self._declare(head, block)
        head.op("func.call", attributes={"callee": f"@{name}"})
        head.op("func.return")

    def _declare(self, emitter: Emitter, block: Any) -> None:
        """`create_id` for every symbol the units read, from the address arguments in bytes."""
        positions = [
            number
            for number, parameter in enumerate(self.program.parameters)
            if parameter.kind == "address"
        ]
        words = dict.fromkeys(word for _, word in self.used if word != 1)
        constants = {
            word: emitter.value("arith.constant", attributes={"value": f"{word} : index"})
            for word in words
        }
        for position, param in zip(positions, self.addresses, strict=True):
            argument = block.arguments[position]
            create_id(emitter, argument, self.symbols.of(param, 1))
            for used, word in self.used:
                if used == param and word != 1:
                    quotient = emitter.value("arith.divsi", [argument, constants[word]])
                    create_id(emitter, quotient, self.symbols.of(param, word))

    # --- the body -------------------------------------------------------------------------------

    def _body(self, emitter: Emitter, scalars: Sequence[Value]) -> Emitter:
        """Constants, unit handles, then one program unit per kind."""
        marks = [emitter.op("spyrelang.mark") for _ in range(2)]
        points = [Emitter(ir.InsertionPoint(mark), emitter.place) for mark in marks]
        self.function = BodyFunction(points[0], units=points[1])
        for kind in self.kinds():
            self._unit(emitter, kind, scalars)
        for mark in marks:
            mark.erase()
        return emitter

    def kinds(self) -> tuple[str, ...]:
        """Unit kinds in the order data flows through them."""
        found: dict[str, None] = {}
        for level in self.structure.levels:
            found.update((bulk.unit, None) for bulk in level.before)
        found.update((port.unit, None) for port in self.structure.reads)
        assert self.program.vector is not None
        found[self.program.vector.unit] = None
        found.update((port.unit, None) for port in self.structure.writes)
        for level in self.structure.levels:
            found.update((bulk.unit, None) for bulk in level.after)
        return tuple(found)

    def instances(self, kind: str) -> int:
        """How many units of this kind one core uses: all of the compute group have as many."""
        if kind not in self._instances:
            self._instances[kind] = self._count(kind)
        return self._instances[kind]

    def _count(self, kind: str) -> int:
        assert self.program.sizes is not None
        assert self.program.vector is not None
        ports = {p.unit for p in (*self.structure.reads, *self.structure.writes)}
        grouped = kind in ports or kind == self.program.vector.unit
        return self.program.sizes.instances if grouped else 1

    def seats(self, kind: str) -> tuple[Seat, ...]:
        instances = self.instances(kind)
        return tuple(Seat(core, i) for i in range(instances) for core in range(self.cores))

    def handle(self, kind: str, seat: Seat) -> Value:
        return self.function.handle(kind, seat.core, seat.corelet, self.instances(kind) > 1)

    def _unit(self, emitter: Emitter, kind: str, scalars: Sequence[Value]) -> None:
        seats = self.seats(kind)
        own = tuple(self.handle(kind, seat) for seat in seats)
        op = emitter.op("dataflow.program_unit", own, regions=1)
        block = emitter.block(op, ["index"])
        inside = emitter.inside(block)
        mark = inside.op("spyrelang.mark")
        context = UnitContext(
            self.program, self.function, kind, seats, own, block.arguments[0],
            Emitter(ir.InsertionPoint(mark), emitter.place), tuple(scalars),
        )  # fmt: skip
        self._writer(context).write(inside)
        mark.erase()
        inside.op("dataflow.return")

    def _writer(self, context: UnitContext) -> UnitWriter:
        assert self.program.vector is not None
        assert self.program.sizes is not None
        kind = context.kind

        def symbol(param: int, memory: str) -> int:
            word = self.device.word_size(kind, memory)
            self.used[(self.addresses[param], word)] = None
            return self.symbols.of(self.addresses[param], word)

        views = Views(
            context, self.structure, self.device.is_shared, symbol,
            lambda buffer: structures.padded_shape(self.program, buffer),
            lambda dtype: dtypes.get(dtype).bytes,
        )  # fmt: skip
        tiles = Tiles(context, self.program.vector, self.program.sizes)
        meetings = Meetings(context, self.structure, self.handoffs, self._partners(context))
        widths = {
            o.dtype: self.device.lanes(self.program.vector.unit, o.dtype)
            for o in self.program.operands
        }
        return UnitWriter(context, self.structure, views, tiles, meetings, widths)

    def _partners(self, context: UnitContext) -> Any:
        """For each unit of this program unit, the units of another kind it works with: the one of
        its own corelet, or all of its core where it has none."""

        known: dict[str, list[list[Value]]] = {}

        def of(kind: str) -> list[list[Value]]:
            if kind not in known:
                known[kind] = groups(kind)
            return known[kind]

        def groups(kind: str) -> list[list[Value]]:
            count = self.instances(kind)
            both = count > 1 and self.instances(context.kind) > 1
            return [
                [
                    self.handle(kind, Seat(seat.core, c))
                    for c in ([seat.corelet] if both else range(count))
                ]
                for seat in context.seats
            ]

        return of


def create_id(emitter: Emitter, value: Value, symbol: int) -> None:
    emitter.op("symbol.create_id", [value], {"symbol_id": f"{symbol} : si64"})
