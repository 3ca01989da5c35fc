"""Compiles the body of a program unit for one class of its units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spyrelang import semantics
from spyrelang.engines.fast import accesses, axes, branches, indices
from spyrelang.engines.fast.blocks import Block
from spyrelang.engines.fast.builder import NET, Builder, NotAxis, Vector
from spyrelang.engines.fast.counts import function
from spyrelang.engines.fast.linear import Frame, compile_value
from spyrelang.engines.fast.steps import GEN, WAIT, Code, Step, sequence
from spyrelang.errors import Location, SpyreError
from spyrelang.errors.engine import BAD_OP, BAD_PROGRAM
from spyrelang.isa import program as isa
from spyrelang.semantics import dtypes

Array = np.ndarray[Any, np.dtype[Any]]


def compile_body(b: Builder) -> Step:
    """One step that runs the whole body."""
    with b.block() as steps:
        for op in b.unit.body:
            visit(b, op)
    return sequence(steps)


def visit(b: Builder, op: isa.Instr) -> None:
    """Compile one instruction."""
    if isinstance(op, isa.For):
        axes.for_loop(b, op, visit)
    elif isinstance(op, isa.If):
        branches.branch(b, op, visit)
    else:
        handler = _HANDLERS.get(type(op))
        if handler is None:
            reason = f"{type(op).__name__} cannot be in a program unit"
            raise BAD_PROGRAM.error(b.location(op.loc), reason=reason)
        handler(b, op)
        if type(op) in _VECTOR_STEPS:
            b.tally += 1


# --- compute -------------------------------------------------------------------------------------

Read = Callable[[Frame], Array]


def compute(b: Builder, op: isa.Compute) -> None:
    """dst = op(operands), for all units and trips at once."""
    location = b.location(op.loc)
    operands = [_operand(b, reg) for reg in op.operands]
    try:
        kernel = semantics.lookup(op.op).bind(
            dict(op.attrs), [dtype for _, dtype in operands], [op.dtype], b.numerics
        )
    except SpyreError as error:
        error.location = error.location or location
        raise
    reads = [read for read, _ in operands]
    vectors = any(isinstance(b.env.get(r), Vector) for r in op.operands)
    shape = _shaper(op, b.depth, location)
    dst = b.define(op.dst, op.dtype, op.lanes, dtypes.get(op.dtype).bytes)
    if not reads:
        value = shape(kernel())
        b.emit(lambda f: f.__setitem__(dst, value))
    elif len(reads) == 2 and vectors:
        b.emit(_binary(kernel, reads[0], reads[1], dst, op.lanes, shape))
    else:
        b.emit(_general(kernel, reads, dst, shape))


def _operand(b: Builder, reg: int) -> tuple[Read, str]:
    """How to read an operand, and its type. Numbers have no lane axis."""
    value = b.env.get(reg)
    if isinstance(value, Vector):
        return b.read(value), value.dtype
    lin = b.lin(reg)
    base, depth = compile_value(lin), b.depth
    if lin.is_uniform:
        return lambda f: np.array(base(f), np.int64), "index"
    moving = [
        (position, axis.length, lin.terms[axis.slot])
        for position, axis in enumerate(b.axes)
        if axis.slot in lin.terms
    ]

    def read(f: Frame) -> Array:
        start = np.asarray(base(f), np.int64).reshape(-1)
        total = start.reshape(start.size, *([1] * depth))
        for position, length, factor in moving:
            trips = factor * np.arange(function(length)(f))
            total = total + trips.reshape(-1, *([1] * (depth - 1 - position)))
        return total

    return read, "index"


def _shaper(op: isa.Compute, depth: int, location: Location | None) -> Callable[[Array], Array]:
    """Checks the lanes of a result, and adds the axes along which it does not vary."""

    def shape(result: Array) -> Array:
        lanes = result.shape[-1] if result.ndim else 1
        if lanes == 1 != op.lanes:
            result = np.broadcast_to(
                result.reshape(*result.shape[:-1], 1), (*result.shape[:-1], op.lanes)
            )
        elif lanes != op.lanes:
            reason = f"it gives {lanes} lanes, {op.lanes} were asked for"
            raise BAD_OP.error(location, op=op.op, reason=reason)
        missing = depth + 2 - result.ndim
        return result.reshape(*([1] * missing), *result.shape) if missing else result

    return shape


def _binary(
    kernel: Any, first: Read, second: Read, dst: int, lanes: int, shape: Callable[[Array], Array]
) -> Callable[[Frame], None]:
    def step(f: Frame) -> None:
        result = kernel(first(f), second(f))
        f[dst] = result if result.shape[-1] == lanes else shape(result)

    return step


def _general(
    kernel: Any, reads: Sequence[Read], dst: int, shape: Callable[[Array], Array]
) -> Callable[[Frame], None]:
    def step(f: Frame) -> None:
        f[dst] = shape(kernel(*[read(f) for read in reads]))

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
    check = axes.checker(b, inlet)
    dst = b.define(op.dst, op.dtype, op.lanes, dtypes.get(op.dtype).bytes)
    if b.levels:
        b.levels[-1].receive(inlet, 1)
        index = b.cursor(inlet, b.depth)
        b.emit(lambda f: f.__setitem__(dst, f[index].pop()))
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
