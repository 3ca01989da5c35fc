"""One `dataflow.program_unit` -> a `ProgramUnit`."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from mlir import ir

from spyrelang.isa import program as p
from spyrelang.isa.decode import access, boxes, compute, regions, text, uniform
from spyrelang.isa.decode.common import Common, Plain
from spyrelang.isa.decode.facts import Hardware, lists_twice
from spyrelang.isa.decode.places import Places
from spyrelang.isa.decode.prune import prune
from spyrelang.isa.decode.scalars import ScalarDecoder
from spyrelang.isa.decode.values import (
    Mapping,
    MemoryHandle,
    Scalar,
    SymbolRef,
    UnitHandle,
    VectorValue,
    ViewReg,
)


class UnitDecoder(ScalarDecoder):
    """Decodes one program unit. `function` is the op of the body function, whose arguments are
    registers 0, 1, …; what it defines outside of program units is decoded where it is used."""

    def __init__(
        self,
        places: Places,
        hardware: Hardware,
        function: ir.Operation,
        op: ir.Operation,
        common: Common,
    ) -> None:
        arguments = list(function.regions[0].blocks[0].arguments)
        super().__init__(places, len(arguments))
        self.hardware = hardware
        self.common = common
        self.root = op
        self.units: tuple[int, ...] = (0,)
        self.active: tuple[int, ...] = (0,)
        self.env.update((a, Scalar(i)) for i, a in enumerate(arguments))
        self.units = self._listed(op)
        self.active = tuple(range(len(self.units)))
        self.env = {a: self.env[a] for a in arguments}
        self.kind = hardware.units[self.units[0]].kind if self.units else ""

    def decode(self) -> p.ProgramUnit:
        """The whole unit."""
        self._enter(self.root)
        body = prune([*self.prelude, *self.code])
        return p.ProgramUnit(self.kind, self.units, body, self.places.number(self.root))

    def unit_name(self, number: int) -> str:
        return self.hardware.units[number].name

    # --- program units --------------------------------------------------------------------------

    def _listed(self, op: ir.Operation) -> tuple[int, ...]:
        """The units a program_unit op lists."""
        numbers: list[int] = []
        for value in op.operands:
            known = self.plain(value)
            if known is not None and known[0] is UnitHandle:
                numbers.append(known[1])
                continue
            found = self.meaning(value, op)
            if not isinstance(found, UnitHandle):
                raise self.misuse(op, "an operand is not a unit")
            numbers.append(found.units[0])
        if lists_twice(numbers):
            raise self.misuse(op, "a unit is listed twice")
        if not numbers:
            raise self.misuse(op, "it lists no unit")
        kinds = {self.hardware.units[n].kind.lower() for n in numbers}
        if len(kinds) > 1:
            raise self.misuse(op, f"its units are of several kinds: {', '.join(sorted(kinds))}")
        return tuple(numbers)

    def _enter(self, op: ir.Operation) -> None:
        """Decode the body of a program unit, or of one nested in it over the same units."""
        block = op.regions[0].blocks[0]
        for argument in block.arguments:
            self.env[argument] = UnitHandle(self.units)
        self.block(block)

    def _nested(self, op: ir.Operation) -> None:
        numbers = [self.meaning(v, op) for v in op.operands]
        listed = {m.units[0] for m in numbers if isinstance(m, UnitHandle)}
        if len(listed) != len(numbers) or listed != set(self.units):
            raise self.refuse(op, "a nested program unit must list the units around it")
        self._enter(op)

    # --- values of the function around ----------------------------------------------------------

    def outside(self, value: ir.Value, user: ir.Operation) -> None:
        known = self.common.find(value, len(self.units))
        if known is not None:
            self.env[value] = known
            return
        owner = value.owner
        if isinstance(owner, ir.Block):
            raise self.refuse(user, "it uses a block argument of another region")
        outer, self.code = self.code, self.prelude
        active, self.active = self.active, tuple(range(len(self.units)))
        try:
            self.op(owner.operation)
        finally:
            self.code, self.active = outer, active
        self.common.keep(owner.operation, self.env)

    # --- ops ------------------------------------------------------------------------------------

    def op(self, op: ir.Operation) -> None:
        handler = self._HANDLERS.get(op.name)
        if handler is not None:
            handler(self, op)
        elif op.name.startswith("agen."):
            access.decode(self, op)
        elif not (self.number(op) or self.control(op) or compute.decode(self, op)):
            raise self.refuse(op, "it has no meaning in a program unit")

    def plain(self, value: ir.Value) -> tuple[Plain, int] | None:
        """Which handle or number a value is, where that is known or a get_unit op tells it; the
        short way to what `meaning` says."""
        found = self.common.plain.get(value)
        owner = value.owner if found is None else None
        if owner is None or isinstance(owner, ir.Block):
            return found
        op = owner.operation
        if op.name != "dataflow.get_unit" or len(op.results) != 1:
            return None
        is_memory, number = self.hardware.handle(op, self.places.place)
        found = MemoryHandle if is_memory else UnitHandle, number
        self.common.plain[value] = found
        return found

    def _get_unit(self, op: ir.Operation) -> None:
        if len(op.results) != 1:
            raise self.refuse(op, "a handle of several units is not supported")
        is_memory, number = self.hardware.handle(op, self.places.place)
        self.env[op.results[0]] = self.common.meaning(
            MemoryHandle if is_memory else UnitHandle, number, len(self.units)
        )

    def _mapping(self, op: ir.Operation) -> None:
        keys, values = text.segments(op, 2)
        if not values:  # without segments both halves are equally long
            half = len(keys) // 2
            keys, values = keys[:half], keys[half:]
        self.env[op.results[0]] = Mapping(tuple(keys), tuple(values))

    def _query(self, op: ir.Operation) -> None:
        self.env[op.results[0]] = uniform.query(self, op)

    def _symbol(self, op: ir.Operation) -> None:
        self.env[op.results[0]] = SymbolRef(text.integer(op, "SymbolId", 0))

    def _tile_id(self, op: ir.Operation) -> None:
        cores = tuple(max(self.hardware.units[u].core, 0) for u in self.units)
        if len(op.results) != 1:
            raise self.refuse(op, "grids are flat in DataflowIR")
        self.env[op.results[0]] = Scalar(self.shared(op, p.Table, cores))

    def _view(self, op: ir.Operation) -> None:
        memory, start = op.operands[0], op.operands[1]
        handle = self.meaning(memory, op)
        if not isinstance(handle, MemoryHandle):
            raise self.misuse(op, "its first operand is not a memory")
        described = text.memref(op.results[0].type)
        if described is None:
            raise self.misuse(op, "its result is not a memref")
        shape, dtype = described
        place = self.places.place(op)
        strides, base = boxes.strides(text.map_of(op, "layout_map"), len(shape), place)
        at = self.scalar(start, op)
        size = compute.element_bytes(self, op, dtype)
        scale = self._word(op, handle) if at.symbolic else size
        dst = self.reg()
        memories = handle.memories[:1] if len(set(handle.memories)) == 1 else handle.memories
        self.code.append(
            p.View(
                self.places.number(op), dst, memories, at.reg, scale, shape, strides, base, dtype
            )
        )
        self.env[op.results[0]] = ViewReg(dst, shape, dtype)

    def _word(self, op: ir.Operation, handle: MemoryHandle) -> int:
        """Bytes of the word in which a symbol counts for this unit and these memories."""
        kinds = {self.hardware.memories[m].kind.lower() for m in handle.memories}
        words = {self.hardware.word(self.kind, kind) for kind in kinds}
        if len(words) != 1:
            raise self.misuse(op, "its memories have different word sizes")
        return words.pop()

    # --- communication --------------------------------------------------------------------------

    def _peers(self, op: ir.Operation) -> tuple[int, ...]:
        handle = self.meaning(op.operands[0], op)
        if not isinstance(handle, UnitHandle):
            raise self.misuse(op, "its peer is not a unit")
        if any(handle.units[i] == self.units[i] for i in self.active):
            raise self.misuse(op, "a unit cannot be its own peer")
        return handle.units[:1] if len(set(handle.units)) == 1 else handle.units

    def vector(self, value: ir.Value, op: ir.Operation) -> VectorValue:
        """A vector operand."""
        found = self.meaning(value, op)
        if not isinstance(found, VectorValue):
            raise self.misuse(op, "a vector is needed, this is something else")
        return found

    def new_vector(self, value: ir.Value, op: ir.Operation) -> VectorValue:
        """A register for a vector result or region argument."""
        described = text.vector(value.type)
        if described is None:
            raise self.refuse(op, f"{value.type} is not a vector of one dimension")
        compute.element_bytes(self, op, described[1])
        made = self.env[value] = VectorValue(self.reg(), *described)
        return made

    def _send(self, op: ir.Operation) -> None:
        peers = self._peers(op)
        value = self.vector(op.operands[1], op)
        self.code.append(p.Send(self.places.number(op), peers, value.reg))

    def _receive(self, op: ir.Operation) -> None:
        peers = self._peers(op)
        value = self.new_vector(op.results[0], op)
        self.code.append(
            p.Receive(self.places.number(op), value.reg, peers, value.dtype, value.lanes)
        )

    def _sync_send(self, op: ir.Operation) -> None:
        wait = bool(text.integer(op, "wait_immediately_for_async_transfers", 0))
        self.code.append(p.SyncSend(self.places.number(op), self._peers(op), wait))

    def _sync_receive(self, op: ir.Operation) -> None:
        self.code.append(p.SyncReceive(self.places.number(op), self._peers(op)))

    def _uniformize(self, op: ir.Operation) -> None:
        regions.decode(self, op)

    def _group(self, op: ir.Operation) -> None:
        raise self.refuse(op, "groups of units are not supported")

    def _paged(self, op: ir.Operation) -> None:
        raise self.refuse(op, "paged views are not supported")

    _HANDLERS: ClassVar[dict[str, Callable[[UnitDecoder, ir.Operation], None]]] = {
        "dataflow.get_unit": _get_unit,
        "dataflow.program_unit": _nested,
        "dataflow.get_logical_memory_view": _view,
        "dataflow.get_paged_logical_memory_view": _paged,
        "dataflow.create_group": _group,
        "dataflow.create_multicast_group": _group,
        "dataflow.send": _send,
        "dataflow.receive": _receive,
        "dataflow.sync_send": _sync_send,
        "dataflow.sync_recv": _sync_receive,
        "uniform.def_immutable_mapping": _mapping,
        "symbol.symbol_immutable_mapping": _mapping,
        "uniform.query_map": _query,
        "symbol.query_map": _query,
        "uniform.uniformize_regions": _uniformize,
        "uniform.equalize_pattern": _uniformize,
        "symbol.create_symbol": _symbol,
        "ktdp.get_compute_tile_id": _tile_id,
    }
