"""One execution unit: a coroutine over its instructions.

Cycle model: a vector instruction takes one cycle once its inputs are there; scalar instructions
and control are free; a transfer takes one cycle to issue and runs beside the unit for bytes /
bandwidth cycles, then its latency.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, ClassVar

import numpy as np

from spyrelang.engines.checked import scalars
from spyrelang.engines.checked.accesses import Accesses, Actor, ViewValue
from spyrelang.engines.checked.channels import Packet, Signal
from spyrelang.engines.checked.machine import Machine
from spyrelang.engines.checked.pattern import Pattern
from spyrelang.engines.checked.plan import AccessPlan, Plans
from spyrelang.engines.checked.scalars import Registers, at
from spyrelang.engines.checked.transfers import Pending, TransferQueue
from spyrelang.engines.checked.vectors import Vector, poison_of
from spyrelang.errors import SpyreError
from spyrelang.errors.engine import BAD_OP, BAD_PROGRAM, VECTOR_MISMATCH, negative_extent
from spyrelang.isa import program as p

Steps = Generator[str | None, None, None]
"""A coroutine: None gives way to other units, a string says what the unit is blocked on."""


class UnitRun:
    """Unit number `unit` at `position` of its program unit, in one run of a program."""

    def __init__(
        self,
        machine: Machine,
        accesses: Accesses,
        plans: Plans,
        body: p.ProgramUnit,
        position: int,
        args: Sequence[int],
        start: int,
    ) -> None:
        self.machine = machine
        self.accesses = accesses
        self.plans = plans
        self.position = position
        self.unit = body.units[position]
        self.core = machine.executable.machine.units[self.unit].core
        self.thread = 2 * self.unit + 1
        self.regs: Registers = dict(enumerate(args))
        self.time = start
        self.transfers = TransferQueue(machine, accesses, self.unit, self.core)
        self.wake: Callable[[UnitRun], None] = lambda unit: None
        self.blocked: str | None = None
        self.peer = -1
        self.loc = body.loc
        self.rank = 0
        self._budget = 1
        self._actors: dict[int, Actor] = {}
        self.steps = self._block(body.body)

    @property
    def name(self) -> str:
        return self.machine.unit_name(self.unit)

    def grant(self, budget: int) -> None:
        """Allow `budget` instructions before the unit gives way."""
        self._budget = max(1, budget)

    def finish(self) -> None:
        """Complete what is pending: the program ends."""
        self.transfers.complete_all()
        self.time = max(self.time, self.transfers.time)

    def _block(self, body: Sequence[p.Instr]) -> Steps:
        for instr in body:
            handler = self._HANDLERS.get(type(instr))
            if handler is None:
                value = scalars.scalar(instr, self.regs, self.position, self.machine.symbols)
                self.regs[instr.dst] = value  # type: ignore[attr-defined]
                continue
            self.loc = instr.loc
            more = handler(self, instr)
            if more is not None:
                yield from more
            self._budget -= 1
            if self._budget <= 0:
                yield None

    # --- control --------------------------------------------------------------------------------

    def _arith(self, i: p.Arith | p.Affine) -> None:
        try:
            value = scalars.scalar(i, self.regs, self.position, self.machine.symbols)
        except (ZeroDivisionError, SpyreError):
            raise scalars.impossible(self.machine.executable, i, "division by zero") from None
        self.regs[i.dst] = value

    def _for(self, i: p.For) -> Steps:
        return scalars.loop(self.machine.executable, i, self.regs, self._block)

    def _if(self, i: p.If) -> Steps:
        return scalars.branch(i, self.regs, self._block)

    # --- memory ---------------------------------------------------------------------------------

    def _view(self, i: p.View) -> None:
        size = self.plans.dtype(i.dtype).itemsize
        address = self.regs[i.start] * i.scale + i.base * size
        memory = at(i.memories, self.position)
        self.regs[i.dst] = ViewValue(memory, address, i.shape, i.strides, i.dtype, size)

    def _end(
        self, plan: AccessPlan, access: p.Access, i: p.Instr
    ) -> tuple[ViewValue, list[int], Pattern]:
        """View, start coordinate and pattern of one end of an access."""
        view: ViewValue = self.regs[access.view]
        extents = plan.extents(self.regs)
        for dim, extent in enumerate(extents):
            if extent < 0:
                raise negative_extent(self.machine.location(i.loc), extent, dim)
        pattern = plan.pattern(extents, view.strides, view.size)
        return view, plan.start(self.regs), pattern

    def _actor(self, i: p.Instr) -> Actor:
        found = self._actors.get(i.loc)
        if found is None:
            found = self._actors[i.loc] = Actor(self.unit, self.core, self.thread, i.loc)
        return found

    def _load(self, i: p.Load) -> None:
        actor = self._actor(i)
        window = self.accesses.window(*self._end(self.plans.source(i), i.access, i), actor)
        dtype = self.plans.dtype(i.dtype)
        if window is None:
            self.regs[i.dst] = Vector(np.zeros(0, dtype), i.dtype)
            return
        data, poison, origin = self.accesses.read(window, actor)
        self.regs[i.dst] = Vector(data.view(dtype), i.dtype, poison, origin)
        self._work("load", data.nbytes, i)

    def _store(self, i: p.Store) -> None:
        actor = self._actor(i)
        value: Vector = self.regs[i.value]
        window = self.accesses.window(*self._end(self.plans.target(i), i.access, i), actor)
        if window is None:
            return
        data = np.ascontiguousarray(value.data).view(np.uint8).reshape(-1)
        self.accesses.write(window, data, value.poison, value.origin, actor)
        self._work("store", data.nbytes, i)

    def _transfer(self, i: p.Transfer) -> None:
        source = self._end(self.plans.source(i), i.source, i)
        target = self._end(self.plans.target(i), i.target, i)
        clock = self.machine.clocks.snapshot(self.thread)
        pending = Pending(i, source, target, clock)
        if source[0].size != target[0].size:
            reason = f"a transfer from {source[0].dtype} to {target[0].dtype}"
            raise BAD_PROGRAM.error(self.machine.location(i.loc), reason=reason)
        self.transfers.check(pending)
        self.transfers.issue(pending, self.time)
        self._count()
        self.time += 1

    # --- compute --------------------------------------------------------------------------------

    def _compute(self, i: p.Compute) -> None:
        operands: list[Any] = [self.regs[r] for r in i.operands]
        vectors = [v if isinstance(v, Vector) else _splat(v) for v in operands]
        kernel, moves = self.plans.kernel(i, vectors)
        result = np.asarray(kernel(*[v.data for v in vectors]))
        if result.shape[-1:] != (i.lanes,):
            result = self._lanes(i, result)
        poison, origin = poison_of(i.op, vectors, i.lanes, moves)
        self.regs[i.dst] = Vector(result, i.dtype, poison, origin)
        self._work(i.op.rpartition("vectorchain.")[2], 0, i)

    def _lanes(self, i: p.Compute, result: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if result.size == 1:
            return np.broadcast_to(result.reshape(-1), (i.lanes,))
        reason = f"it gives {result.shape[-1]} lanes, {i.lanes} were asked for"
        raise BAD_OP.error(self.machine.location(i.loc), op=i.op, reason=reason)

    # --- communication --------------------------------------------------------------------------

    def _send(self, i: p.Send) -> Steps | None:
        fifo = self.machine.fifo(self.unit, at(i.peers, self.position))
        return self._blocked_send(i) if fifo.full else self._put(i)

    def _blocked_send(self, i: p.Send) -> Steps:
        peer = at(i.peers, self.position)
        fifo = self.machine.fifo(self.unit, peer)
        self.peer = peer
        while fifo.full:
            fifo.writer = self
            name = self.machine.unit_name(peer)
            yield f"room for a vector to {name} (all {fifo.depth} slots are used)"
        self._put(i)

    def _put(self, i: p.Send) -> None:
        fifo = self.machine.fifo(self.unit, at(i.peers, self.position))
        value: Vector = self.regs[i.value]
        self.time = max(self.time, fifo.slot_free_at())
        self._work("send", value.data.nbytes, i)
        clock = self.machine.clocks.snapshot(self.thread)
        fifo.put(Packet(value, clock, self.time, i.loc))
        if fifo.reader is not None:
            reader, fifo.reader = fifo.reader, None
            self.wake(reader)

    def _receive(self, i: p.Receive) -> Steps | None:
        fifo = self.machine.fifo(at(i.peers, self.position), self.unit)
        return self._take(i) if fifo.queue else self._blocked_receive(i)

    def _blocked_receive(self, i: p.Receive) -> Steps:
        peer = at(i.peers, self.position)
        fifo = self.machine.fifo(peer, self.unit)
        self.peer = peer
        while not fifo.queue:
            fifo.reader = self
            yield f"a vector from {self.machine.unit_name(peer)}"
        self._take(i)

    def _take(self, i: p.Receive) -> None:
        peer = at(i.peers, self.position)
        fifo = self.machine.fifo(peer, self.unit)
        packet = fifo.take(self.time)
        vector = packet.vector
        if vector.lanes != i.lanes or vector.dtype != i.dtype:
            raise VECTOR_MISMATCH.error(
                self.machine.location(i.loc),
                receiver=self.name,
                expected=f"vector<{i.lanes}x{i.dtype}>",
                sender=self.machine.unit_name(peer),
                actual=vector.describe(),
            )
        self.machine.clocks.join(self.thread, packet.clock)
        self.time = max(self.time, packet.time)
        self.regs[i.dst] = vector
        self._work("receive", vector.data.nbytes, i)
        if fifo.writer is not None:
            writer, fifo.writer = fifo.writer, None
            self.wake(writer)

    def _sync_send(self, i: p.SyncSend) -> None:
        machine = self.machine
        if i.wait:
            self.transfers.complete_all()
            machine.clocks.join_thread(self.thread, self.transfers.thread)
            self.time = max(self.time, self.transfers.time)
        wire = machine.wire(self.unit, at(i.peers, self.position))
        wire.queue.append(Signal(machine.clocks.snapshot(self.thread), self.time, i.loc))
        machine.event(self.unit, "signal", self.time, self.time, 0, i.loc)
        if wire.reader is not None:
            reader, wire.reader = wire.reader, None
            self.wake(reader)

    def _sync_receive(self, i: p.SyncReceive) -> Steps:
        peer = at(i.peers, self.position)
        wire = self.machine.wire(peer, self.unit)
        self.peer = peer
        while not wire.queue:
            wire.reader = self
            yield f"a signal from {self.machine.unit_name(peer)}"
        signal = wire.queue.popleft()
        self.machine.clocks.join(self.thread, signal.clock)
        began, self.time = self.time, max(self.time, signal.time)
        self.machine.event(self.unit, "await", began, self.time, 0, i.loc)

    # --- accounting -----------------------------------------------------------------------------

    def _work(self, op: str, nbytes: int, i: p.Instr) -> None:
        """One vector instruction: a step and a cycle."""
        self._count()
        self.time += 1
        self.machine.event(self.unit, op, self.time - 1, self.time, nbytes, i.loc)

    def _count(self) -> None:
        self.machine.outcome.steps += 1

    _HANDLERS: ClassVar[dict[type, Callable[..., Steps | None]]] = {
        p.Arith: _arith,
        p.Affine: _arith,
        p.For: _for,
        p.If: _if,
        p.View: _view,
        p.Load: _load,
        p.Store: _store,
        p.Transfer: _transfer,
        p.Compute: _compute,
        p.Send: _send,
        p.Receive: _receive,
        p.SyncSend: _sync_send,
        p.SyncReceive: _sync_receive,
    }
    """How each instruction runs; the rest are scalars that cannot fail."""


def _splat(value: int) -> Vector:
    """A scalar operand of a vector op (a rotation's distance, a mask's parameter)."""
    return Vector(np.array(value, np.int64), "index")
