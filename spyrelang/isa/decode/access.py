"""agen ops: loads, stores and transfers of whole vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mlir import ir

from spyrelang.affine import Const, Dim, Expr
from spyrelang.errors.engine import LANES, NOT_A_BOX
from spyrelang.isa import program as p
from spyrelang.isa.decode import boxes, text
from spyrelang.isa.decode.values import VectorValue, ViewReg

if TYPE_CHECKING:
    from spyrelang.isa.decode.unit import UnitDecoder


def decode(unit: UnitDecoder, op: ir.Operation) -> None:
    """Decode one agen op."""
    handler = _HANDLERS.get(op.name)
    if handler is None:
        raise unit.refuse(op, _REFUSED.get(op.name, "it is not supported"))
    handler(unit, op)


class End:
    """One end of an access: a view, the start coordinate over operands, the lanes of a vector."""

    def __init__(
        self,
        unit: UnitDecoder,
        op: ir.Operation,
        memory: Sequence[ir.Value],
        operands: Sequence[ir.Value],
        names: tuple[str, str, str],
    ) -> None:
        """`names`: the attributes of subscript map, set and order."""
        view = unit.meaning(memory[0], op)
        if not isinstance(view, ViewReg):
            raise unit.misuse(op, "its memref is not a memory view")
        self.unit = unit
        self.op = op
        self.view = view
        map_name, set_name, order_name = names
        self.set_name = set_name
        map_ = text.map_of(op, map_name)
        if map_.n_results != len(view.shape) or map_.n_dims + map_.n_syms != len(operands):
            raise unit.misuse(op, f"{map_name} {map_} does not fit the view and its operands")
        self.index: list[Expr] = list(unit.over_operands(map_))
        self.operands: list[int] = list(unit.regs(operands, op))
        place = unit.places.place(op)
        side = boxes.lanes(
            text.set_of(op, set_name), text.map_of(op, order_name), len(view.shape), set_name, place
        )
        self.loops = self._constant(side.loops)
        self.move(side.start)

    def _constant(self, loops: Sequence[tuple[Expr, tuple[int, ...]]]) -> boxes.Loops:
        result: list[tuple[int, tuple[int, ...]]] = []
        for extent, steps in loops:
            if extent.constant is None:
                place = self.unit.places.place(self.op)
                raise NOT_A_BOX.error(
                    place, what=self.set_name, set=f"of {extent} points in one dimension"
                )
            result.append((max(extent.constant, 0), steps))
        return tuple(result)

    def move(self, by: Sequence[Expr], operands: Sequence[int] = ()) -> None:
        """Add to the start coordinate expressions over further operands. Raises SPY530 where there
        is not one for each dimension."""
        if len(by) != len(self.index):
            what = f"its time steps give {len(by)} coordinates of a view of rank {len(self.index)}"
            raise self.unit.refuse(self.op, what)
        first = len(self.operands)
        shifted = [Dim(first + i) for i in range(len(operands))]
        self.operands += operands
        self.index = [
            e + b.substitute(shifted, shifted) for e, b in zip(self.index, by, strict=True)
        ]

    def check_lanes(self, lanes: int) -> None:
        """Raise SPY538 unless the set has as many points as the vector has lanes."""
        points = 1
        for extent, _ in self.loops:
            points *= extent
        if points != lanes:
            place = self.unit.places.place(self.op)
            raise LANES.error(place, what=self.set_name, points=points, lanes=lanes)

    @property
    def access(self) -> p.Access:
        """The access, with unused operands dropped."""
        used = sorted({d for e in self.index for d in e.dims()})
        renumber: list[Expr] = [Const(0)] * len(self.operands)
        for new, old in enumerate(used):
            renumber[old] = Dim(new)
        index = tuple(e.substitute(renumber) for e in self.index)
        return p.Access(self.view.reg, index, tuple(self.operands[d] for d in used))

    def axes(self) -> tuple[p.Axis, ...]:
        """The lanes as axes of a load or store."""
        return tuple(p.Axis(e, s, s) for e, s in self.loops)

    def load(self, value: VectorValue) -> None:
        """Emit the load of a vector."""
        self.check_lanes(value.lanes)
        self.same_type(value.dtype)
        number = self.unit.places.number(self.op)
        self.unit.code.append(
            p.Load(number, value.reg, self.access, self.axes(), value.dtype, value.lanes)
        )

    def store(self, value: VectorValue) -> None:
        """Emit the store of a vector."""
        self.check_lanes(value.lanes)
        self.same_type(value.dtype)
        number = self.unit.places.number(self.op)
        self.unit.code.append(
            p.Store(number, value.reg, self.access, self.axes(), value.dtype, value.lanes)
        )

    def same_type(self, dtype: str) -> None:
        """Refuse a vector of another element type than the view's."""
        if dtype != self.view.dtype:
            raise self.unit.misuse(
                self.op, f"a vector of {dtype} does not fit a view of {self.view.dtype}"
            )


# --- whole vectors ------------------------------------------------------------------------------


def _no_multicast(unit: UnitDecoder, op: ir.Operation, operands: Sequence[Any]) -> None:
    if operands:
        raise unit.refuse(op, "multicast is not supported")


def _vector_load(unit: UnitDecoder, op: ir.Operation) -> None:
    memory, operands, multicast = text.segments(op, 3)
    if "operandSegmentSizes" not in op.attributes:
        memory, operands = memory[:1], memory[1:]
    _no_multicast(unit, op, multicast)
    end = End(unit, op, memory, operands, ("affine_map", "load_set", "load_order"))
    end.load(unit.new_vector(op.results[0], op))


def _vector_store(unit: UnitDecoder, op: ir.Operation) -> None:
    value, memory, *operands = list(op.operands)
    end = End(unit, op, [memory], operands, ("affine_map", "store_set", "store_order"))
    end.store(unit.vector(value, op))


# --- composite ops ------------------------------------------------------------------------------


class Times:
    """The time steps of a composite op. `symbols` are the registers of its time symbols."""

    def __init__(
        self, unit: UnitDecoder, op: ir.Operation, symbols: Sequence[ir.Value], moves: list[str]
    ) -> None:
        self.unit = unit
        self.op = op
        self.place = unit.places.place(op)
        self.set = text.set_of(op, "time_set")
        self.order = text.map_of(op, "time_order")
        self.maps = [text.map_of(op, name) for name in moves]
        self.symbols = list(unit.regs(symbols, op))
        if self.set.n_syms != len(self.symbols):
            reason = f"{self.set.n_syms} symbols in time_set, {len(self.symbols)} time symbols"
            raise unit.misuse(op, reason)
        if any(m.n_dims != self.set.n_dims for m in self.maps):
            raise unit.misuse(op, "a time map does not have the dimensions of time_set")
        self.extents, ends, self.steps = boxes.times(self.set, self.order, self.maps, self.place)
        self.dims = boxes.permutation_of(self.order, self.set.n_dims, "time_order", self.place)
        self.lows = [low for low, _ in ends]

    def start(self, number: int) -> tuple[Expr, ...]:
        """The coordinate move of map `number` at the first step, over symbols."""
        return boxes.offsets(self.maps[number], self.dims, self.lows)

    def axes(self) -> list[tuple[int, bool]]:
        """(extent, dynamic) of each loop; a dynamic one is the register of its extent."""
        dims = [Dim(i) for i in range(len(self.symbols))]
        result: list[tuple[int, bool]] = []
        for extent in self.extents:
            if extent.constant is not None:
                result.append((max(extent.constant, 0), False))
            else:
                expr = extent.substitute((), dims)
                size = self.unit.affine(self.op, expr, self.symbols)
                zero = self.unit.shared(self.op, p.Const, 0)
                dst = self.unit.reg()
                number = self.unit.places.number(self.op)
                self.unit.code.append(p.Arith(number, dst, "maxsi", (size, zero)))
                result.append((dst, True))
        return result

    def loop(self, ends: Sequence[End], write: Callable[[], None]) -> None:
        """Emit loops over the time steps round what `write` emits; `ends` follow the steps."""
        for number, end in enumerate(ends):
            end.move(self.start(number), self.symbols)
        sizes = [self._register(e, d) for e, d in self.axes()]
        ivs = [self.unit.reg() for _ in sizes]
        for number, end in enumerate(ends):
            steps = self.steps[number]
            rank = len(end.index)
            moves = [_sum(Dim(i) * s[dim] for i, s in enumerate(steps)) for dim in range(rank)]
            end.move(moves, ivs)
        self._nest(ivs, sizes, write)

    def _register(self, extent: int, dynamic: bool) -> int:
        return extent if dynamic else self.unit.shared(self.op, p.Const, extent)

    def _nest(self, ivs: list[int], sizes: list[int], write: Callable[[], None]) -> None:
        if not ivs:
            write()
            return
        zero, one = (self.unit.shared(self.op, p.Const, n) for n in (0, 1))
        body = self.unit.collect(lambda: self._nest(ivs[1:], sizes[1:], write))
        number = self.unit.places.number(self.op)
        self.unit.code.append(p.For(number, ivs[0], zero, sizes[0], one, body))


def _sum(terms: Any) -> Expr:
    total: Expr = Const(0)
    for term in terms:
        total = total + term
    return total


def _composite_load_and_store(unit: UnitDecoder, op: ir.Operation) -> None:
    src, dst, src_operands, dst_operands, symbols, multicast = text.segments(op, 6)
    _no_multicast(unit, op, multicast)
    source = End(unit, op, src, src_operands, ("src_map", "load_set", "load_order"))
    target = End(unit, op, dst, dst_operands, ("dst_map", "store_set", "store_order"))
    times = Times(unit, op, symbols, ["load_time_addr_map", "store_time_addr_map"])
    block = op.regions[0].blocks[0]
    value = unit.new_vector(block.arguments[0], op)
    for end in (source, target):
        end.check_lanes(value.lanes)
        end.same_type(value.dtype)
    if _is_copy(block):
        _transfer(unit, op, source, target, times)
        return

    def step() -> None:
        source.load(value)
        unit.block(block)
        last = list(block.operations)[-1].operation
        target.store(unit.vector(last.operands[0], last) if len(last.operands) else value)

    times.loop([source, target], step)


def _is_copy(block: ir.Block) -> bool:
    """Whether a region does nothing and yields the loaded vector, or nothing."""
    ops = list(block.operations)
    if len(ops) != 1:
        return False
    return all(v == block.arguments[0] for v in ops[0].operation.operands)


def _transfer(unit: UnitDecoder, op: ir.Operation, source: End, target: End, times: Times) -> None:
    lanes = boxes.refine(source.loops, target.loops)
    if lanes is None:
        raise unit.refuse(op, "load_set and store_set cut the vector in ways that do not match")
    source.move(times.start(0), times.symbols)
    target.move(times.start(1), times.symbols)
    axes = [
        p.Axis(extent, times.steps[0][i], times.steps[1][i], dynamic)
        for i, (extent, dynamic) in enumerate(times.axes())
        if dynamic or extent != 1
    ]
    axes += [p.Axis(extent, a, b) for extent, a, b in lanes]
    number = unit.places.number(op)
    unit.code.append(
        p.Transfer(number, source.access, target.access, tuple(axes), source.view.dtype)
    )


def _composite_load(unit: UnitDecoder, op: ir.Operation) -> None:
    memory, operands, symbols = text.segments(op, 3)
    source = End(unit, op, memory, operands, ("affine_map", "load_set", "load_order"))
    times = Times(unit, op, symbols, ["time_addr_map"])
    block = op.regions[0].blocks[0]
    value = unit.new_vector(block.arguments[0], op)

    def step() -> None:
        source.load(value)
        unit.block(block)

    times.loop([source], step)


def _composite_store(unit: UnitDecoder, op: ir.Operation) -> None:
    memory, operands, given, symbols = text.segments(op, 4)
    if given:
        raise unit.refuse(op, "input_vector has no public meaning; use a region that yields")
    target = End(unit, op, memory, operands, ("affine_map", "store_set", "store_order"))
    times = Times(unit, op, symbols, ["time_addr_map"])
    block = op.regions[0].blocks[0]

    def step() -> None:
        unit.block(block)
        last = list(block.operations)[-1].operation
        if not len(last.operands):
            raise unit.refuse(op, "its region yields no vector to store")
        target.store(unit.vector(last.operands[0], last))

    times.loop([target], step)


def _interleave(unit: UnitDecoder, op: ir.Operation) -> None:
    """Bursts only change when things happen: the ops run one after the other."""
    for block in op.regions[0].blocks:
        for inner in block.operations:
            if inner.operation.name != "agen.yield":
                unit.op(inner.operation)


_HANDLERS: dict[str, Callable[[UnitDecoder, ir.Operation], None]] = {
    "agen.vector_load": _vector_load,
    "agen.vector_store": _vector_store,
    "agen.composite_load_and_store": _composite_load_and_store,
    "agen.composite_load": _composite_load,
    "agen.composite_store": _composite_store,
    "agen.composite_memory_interleave": _interleave,
}
_REFUSED = {
    "agen.set_transfer_mask_state": "transfer masks are not supported",
    **dict.fromkeys(
        (
            "agen.composite_indirect_load_and_store",
            "agen.composite_indirect_load",
            "agen.composite_indirect_store",
            "agen.indirect_vector_load",
            "agen.indirect_vector_store",
        ),
        "indirect accesses are not supported",
    ),
}
