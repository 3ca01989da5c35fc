"""Compiles the body of a program unit for one class of its units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spyrelang import semantics
from spyrelang.engines.fast import accesses, control, indices
from spyrelang.engines.fast.blocks import Block
from spyrelang.engines.fast.builder import NET, WORK, Builder, NotAxis, Vector
from spyrelang.engines.fast.counts import Count, function, times
from spyrelang.engines.fast.linear import Frame
from spyrelang.engines.fast.steps import GEN, WAIT, Code, Step, sequence
from spyrelang.errors.engine import BAD_PROGRAM
from spyrelang.isa import program as isa
from spyrelang.semantics import dtypes

Array = np.ndarray[Any, np.dtype[Any]]


def compile_body(b: Builder) -> Step:
    """One step that runs the whole body."""
    for op in b.unit.body:
        visit(b, op)
    return sequence(b.steps)


def visit(b: Builder, op: isa.Instr) -> None:
    """Compile one instruction."""
    if isinstance(op, isa.For):
        control.for_loop(b, op, visit)
    elif isinstance(op, isa.If):
        control.branch(b, op, visit)
    else:
        handler = _HANDLERS.get(type(op))
        if handler is None:
            reason = f"{type(op).__name__} cannot be in a program unit"
            raise BAD_PROGRAM.error(b.location(op.loc), reason=reason)
        handler(b, op)
        if type(op) in _VECTOR_STEPS:
            _count_step(b)


def _count_step(b: Builder) -> None:
    """One vector step for every trip of the enclosing array axes."""
    count: Count = 1
    for axis in b.axes:
        count = times(count, axis.length)
    number = function(count)

    def step(f: Frame) -> None:
        f[WORK].steps += number(f)

    b.emit(step)


# --- compute -------------------------------------------------------------------------------------


def compute(b: Builder, op: isa.Compute) -> None:
    """dst = op(operands), for all units and trips at once."""
    vectors = [v for r in op.operands if isinstance(v := b.env.get(r), Vector)]
    if len(vectors) != len(op.operands):
        reads, types = _mixed_operands(b, op)
    else:
        reads, types = [b.read(v) for v in vectors], [v.dtype for v in vectors]
    kernel = semantics.lookup(op.op).bind(dict(op.attrs), types, [op.dtype], b.numerics)
    dst = b.define(op.dst, op.dtype, op.lanes, dtypes.get(op.dtype).bytes)
    if not reads:
        value = _constant(kernel(), b.depth)
        b.emit(lambda f: f.__setitem__(dst, value))
    elif len(reads) == 1:
        b.emit(_unary(kernel, reads[0], dst))
    elif len(reads) == 2:
        b.emit(_binary(kernel, reads[0], reads[1], dst))
    else:
        b.emit(_many(kernel, reads, dst))


def _mixed_operands(b: Builder, op: isa.Compute) -> tuple[list[Callable[[Frame], Any]], list[str]]:
    """Operands of which some are numbers: those become vectors of one lane."""
    reads: list[Callable[[Frame], Any]] = []
    types: list[str] = []
    for reg in op.operands:
        value = b.env.get(reg)
        if isinstance(value, Vector):
            reads.append(b.read(value))
            types.append(value.dtype)
            continue
        lin = b.lin(reg)
        if lin.on_axis:
            raise NotAxis
        reads.append(_as_vector(control.compile_value(lin), b.depth))
        types.append("index")
    return reads, types


def _as_vector(value: Callable[[Frame], Any], depth: int) -> Callable[[Frame], Array]:
    def read(f: Frame) -> Array:
        array = np.asarray(value(f), np.int64).reshape(-1)
        return array.reshape(array.size, *([1] * depth), 1)

    return read


def _constant(value: Array, depth: int) -> Array:
    return value.reshape(1, *([1] * depth), value.shape[-1])


def _unary(kernel: Any, read: Callable[[Frame], Array], dst: int) -> Callable[[Frame], None]:
    def step(f: Frame) -> None:
        f[dst] = kernel(read(f))

    return step


def _binary(
    kernel: Any, first: Callable[[Frame], Array], second: Callable[[Frame], Array], dst: int
) -> Callable[[Frame], None]:
    def step(f: Frame) -> None:
        f[dst] = kernel(first(f), second(f))

    return step


def _many(
    kernel: Any, reads: Sequence[Callable[[Frame], Array]], dst: int
) -> Callable[[Frame], None]:
    def step(f: Frame) -> None:
        f[dst] = kernel(*[read(f) for read in reads])

    return step


# --- FIFOs ---------------------------------------------------------------------------------------


def send(b: Builder, op: isa.Send) -> None:
    """Vectors into the FIFO: at once, or into the blocks of the enclosing axis."""
    if b.nest is not None and b.each(op.peers) in b.mixed:
        raise NotAxis
    outlet, value = b.outlet(op.peers), b.vector(op.value)
    read, lanes = b.read(value), value.lanes
    counts = [function(axis.length) for axis in b.axes]
    units, entered = b.size, 1 + b.depth

    def vectors(f: Frame) -> Block:
        array = read(f)
        shape = (units, *[count(f) for count in counts], lanes)
        if array.shape != shape:
            array = np.broadcast_to(array, shape)
        return Block(entered, (), [array[..., None, :]])

    if not b.levels:

        def step(f: Frame) -> Code:
            net = f[NET]
            outlet.push(net, vectors(f))
            if net.give_way():
                yield

        b.emit(step, GEN)
        return
    b.levels[-1].outlets[outlet] = None
    index = b.cursor(outlet, b.depth)
    b.emit(lambda f: f[index].append(vectors(f)))


def receive(b: Builder, op: isa.Receive) -> None:
    """The next vectors: of the FIFO, or of the block of the enclosing axis."""
    if b.nest is not None and b.each(op.peers) in b.mixed:
        raise NotAxis
    inlet, location = b.inlet(op.peers), b.location(op.loc)
    b.expected[inlet] = ((op.dtype, op.lanes), location)
    check = control.checker(b, inlet)
    dst = b.define(op.dst, op.dtype, op.lanes, dtypes.get(op.dtype).bytes)
    if b.levels:
        b.levels[-1].receive(inlet, 1)
        index = b.cursor(inlet, b.depth)
        b.emit(lambda f: f.__setitem__(dst, f[index].take(1).flat()[..., 0, :]))
        return

    def step(f: Frame) -> bool:
        net = f[NET]
        if not inlet.available(net):
            return False
        block = inlet.take(net, 1)
        check(f, block)
        f[dst] = block.flat()[..., 0, :]
        return True

    b.emit(step, WAIT)


# --- signals -------------------------------------------------------------------------------------


def sync_send(b: Builder, op: isa.SyncSend) -> None:
    """Post a signal; transfers are always complete here."""
    end = b.signal(op.peers, True)

    def step(f: Frame) -> Code:
        net = f[NET]
        for bundle, _ in end.routes:
            net.signals[bundle] += 1
            net.wake(net.waiters[bundle])
        if net.give_way():
            yield

    b.emit(step, GEN)


def sync_receive(b: Builder, op: isa.SyncReceive) -> None:
    """Take a signal."""
    end = b.signal(op.peers, False)

    def step(f: Frame) -> bool:
        signals = f[NET].signals
        for bundle, _ in end.routes:
            if not signals[bundle]:
                return False
        for bundle, _ in end.routes:
            signals[bundle] -= 1
        return True

    b.emit(step, WAIT)


_HANDLERS: dict[type[isa.Instr], Callable[[Builder, Any], None]] = {
    isa.Const: indices.const,
    isa.Table: indices.table,
    isa.Symbol: indices.symbol,
    isa.Arith: indices.arith,
    isa.Affine: indices.affine_apply,
    isa.View: accesses.view,
    isa.Load: accesses.load,
    isa.Store: accesses.store,
    isa.Transfer: accesses.transfer,
    isa.Compute: compute,
    isa.Send: send,
    isa.Receive: receive,
    isa.SyncSend: sync_send,
    isa.SyncReceive: sync_receive,
}
_VECTOR_STEPS = frozenset((isa.Load, isa.Store, isa.Compute, isa.Send, isa.Receive))
