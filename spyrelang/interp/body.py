"""Bodies of structured ops: scalar ops over a whole iteration space at once.

Inside a body every value is an array that broadcasts to the loops of the op, after the batch axis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Any

import numpy as np

from spyrelang.errors import SpyreError
from spyrelang.errors import interp as errors
from spyrelang.interp import text
from spyrelang.interp.calls import callee
from spyrelang.interp.compiler import Compiler, Slot
from spyrelang.interp.elementwise import CONSTANTS, bind, constant_of, defined
from spyrelang.interp.frame import Frame
from spyrelang.interp.registry import Op
from spyrelang.interp.undefined import watch
from spyrelang.interp.values import Array, lift

_DIALECTS = ("arith", "builtin", "index", "math", "spyreop")
_AFFINE: dict[str, Callable[[Sequence[Any]], Any]] = {
    "affine.apply": lambda found: found[0],
    "affine.min": lambda found: reduce(np.minimum, found),
    "affine.max": lambda found: reduce(np.maximum, found),
}

Env = list[Any]
"""The values of a body: its arguments first."""


@dataclass
class Loops:
    """The iteration space while a body runs: extents, and the frame for captured values.

    `at` fixes loops to one trip (their axes are then of extent 1)."""

    frame: Frame
    extents: tuple[int, ...]
    at: dict[int, int] = field(default_factory=dict[int, int])


@dataclass
class Node:
    """One op of a body: which values it reads and makes, and what computes it."""

    name: str
    reads: list[int]
    writes: list[int]
    apply: Callable[[Env, Loops], Any]
    op: Any = None


Schedule = list[tuple[Node, tuple[int, ...]]]
"""Nodes in order, each with the values that are dropped after it."""


@dataclass
class Body:
    """`arguments` counts the block arguments, `yields` are the values that the body gives."""

    arguments: int
    nodes: list[Node]
    yields: list[int]
    count: int
    used: frozenset[int]
    depends: list[frozenset[int]]

    def run(self, inputs: Sequence[Any], loops: Loops) -> list[Any]:
        """The yielded values for arrays in place of the block arguments."""
        env = self.evaluate(inputs, loops, self._all)
        return [env[y] for y in self.yields]

    @cached_property
    def _all(self) -> Schedule:
        return self.schedule(self.nodes, self.yields)

    def schedule(self, nodes: Sequence[Node], kept: Sequence[int]) -> Schedule:
        """These nodes, each with the values that nothing needs after it, but for `kept`."""
        found: Schedule = []
        needed = set(kept)
        for node in reversed(nodes):
            dead = {*node.reads, *node.writes} - needed
            needed |= dead
            found.append((node, tuple(dead)))
        return found[::-1]

    def evaluate(self, inputs: Sequence[Any], loops: Loops, nodes: Schedule) -> Env:
        env: Env = [*inputs, *(None,) * (self.count - len(inputs))]
        for node, dead in nodes:
            node.apply(env, loops)
            for value in dead:
                env[value] = None
        return env

    def maker(self, value: int) -> Node | None:
        """The node that makes a value; None for arguments."""
        return next((n for n in self.nodes if value in n.writes), None)


class _Reader:
    """Turns the block of a structured op into nodes."""

    def __init__(self, c: Compiler, op: Op, average: dict[str, object]) -> None:
        self.c = c
        self.op = op
        self.average = average
        self.block = op.regions[0].blocks[0]
        self.numbers: dict[Any, int] = {a: i for i, a in enumerate(self.block.arguments)}
        self.nodes: list[Node] = []
        self.outside: list[tuple[Slot, int]] = []
        self.count = len(self.numbers)
        self.taken: tuple[tuple[int, bool], ...] = ()
        """Where the ops being read are reached: conditions, each with the value it must have."""

    def number(self, value: Any) -> int:
        """The number of a value; one from outside is read by a node of its own."""
        if value not in self.numbers:
            slot = self.c.use(value)
            index, rank, place, name = slot.index, slot.rank, self.c.place(self.op), self.op.name
            self.numbers[value] = out = self.new()

            def apply(env: Env, loops: Loops) -> None:
                found = defined(loops.frame.regs[index], name, place)
                env[out] = lift(found, rank, len(loops.extents)) if rank == 0 else found

            self.nodes.append(Node("", [], [out], apply))
            self.outside.append((slot, out))
        return self.numbers[value]

    def new(self) -> int:
        self.count += 1
        return self.count - 1

    def read(self) -> list[int]:
        """Read all ops; gives the yielded values."""
        for found in self.block.operations:
            op = found.operation
            if op.name in ("linalg.yield", "tensor.yield"):
                return [self.number(v) for v in op.operands]
            self._op(op)
        raise self.c.fail(self.op, "its body does not end in a yield")

    def _op(self, op: Op) -> None:
        if op.name == "scf.if" and len(op.results):
            self._choice(op)
            return
        if op.name == "func.call":
            self._call(op)
            return
        reads = [self.number(v) for v in op.operands]
        writes = [self.new() for _ in op.results]
        self.numbers.update(zip(op.results, writes, strict=True))
        node = Node(op.name, reads, writes, self._apply(op, reads, writes), op)
        node.reads = [*reads, *(c for c, _ in self.taken if op.name == "tensor.extract")]
        self.nodes.append(node)

    def _call(self, op: Op) -> None:
        """The callee's ops, in place of the call."""
        arguments = [self.number(v) for v in op.operands]
        with callee(self.c, op) as block:
            self.numbers.update(zip(block.arguments, arguments, strict=True))
            entries = [found.operation for found in block.operations]
            for inner in entries[:-1]:
                self._op(inner)
        returned = [self.number(v) for v in entries[-1].operands]
        self.numbers.update(zip(op.results, returned, strict=True))

    def _choice(self, op: Op) -> None:
        """scf.if on elements: both sides are computed, for they have no effects, and one taken."""
        condition, sides = self.number(op.operands[0]), list[list[int]]()
        around = self.taken
        for region, side in zip(op.regions, (True, False), strict=True):
            self.taken = (*around, (condition, side))
            entries = [found.operation for found in region.blocks[0].operations]
            for inner in entries[:-1]:
                self._op(inner)
            sides.append([self.number(v) for v in entries[-1].operands])
        self.taken = around
        for value, yes, no in zip(op.results, *sides, strict=True):
            self.numbers[value] = out = self.new()
            reads = [condition, yes, no]
            self.nodes.append(Node("arith.select", reads, [out], _kernel(np.where, reads, [out])))

    def _apply(self, op: Op, reads: list[int], writes: list[int]) -> Callable[[Env, Loops], None]:
        if op.name == "linalg.index":
            return _index(int(op.attributes["dim"]), writes[0])
        if op.name in CONSTANTS:
            dtype = self.c.dtype(op.results[0].type, op)
            return _constant(constant_of(self.c, op, dtype), writes[0])
        if op.name in _AFFINE:
            return _affine(self.c, op, reads, writes[0])
        if op.name == "tensor.extract":
            return _extract(self.c, op, reads, writes[0], self.taken)
        if op.regions or op.name.partition(".")[0] not in _DIALECTS:
            raise self.c.fail(op, f"it cannot stand in the body of {self.op.name}")
        if "exx2" not in op.name:
            return _watched(self.c, op, _kernel(bind(self.c, op), reads, writes), reads, writes[0])
        kernel, axes = bind(self.c, op, self.average), self.average.get("axes", ())
        return _kernel(_keeping(kernel, axes), reads, writes)


def _kernel(
    kernel: Callable[..., Any], reads: list[int], writes: list[int]
) -> Callable[[Env, Loops], None]:
    if len(writes) == 1:
        out = writes[0]

        def single(env: Env, _: Loops) -> None:
            env[out] = kernel(*[env[r] for r in reads])

        return single

    def several(env: Env, _: Loops) -> None:
        for out, value in zip(writes, kernel(*[env[r] for r in reads]), strict=True):
            env[out] = value

    return several


def _watched(
    c: Compiler, op: Op, apply: Callable[[Env, Loops], None], reads: list[int], out: int
) -> Callable[[Env, Loops], None]:
    """The same, with a look at operands that have no defined result."""
    look = watch(c, op)
    if look is None:
        return apply

    def watched(env: Env, loops: Loops) -> None:
        apply(env, loops)
        look([env[r] for r in reads], env[out], len(loops.extents), loops.frame)

    return watched


def _keeping(kernel: Callable[..., Any], axes: Any) -> Callable[..., Any]:
    """A kernel that averages over axes, with those axes kept."""

    def run(value: Array) -> Any:
        found = kernel(value)
        if isinstance(found, tuple):
            return tuple(np.expand_dims(part, axes) for part in found)
        return np.expand_dims(found, axes)

    return run


def _index(dim: int, out: int) -> Callable[[Env, Loops], None]:
    def apply(env: Env, loops: Loops) -> None:
        shape = [1] * len(loops.extents)
        if dim in loops.at:
            env[out] = np.full(shape, loops.at[dim], np.int64)
        else:
            shape[dim] = loops.extents[dim]
            env[out] = np.arange(loops.extents[dim]).reshape(shape)

    return apply


def _constant(value: Array, out: int) -> Callable[[Env, Loops], None]:
    def apply(env: Env, _: Loops) -> None:
        env[out] = value

    return apply


def _affine(c: Compiler, op: Op, reads: list[int], out: int) -> Callable[[Env, Loops], None]:
    map_, pick, place = text.map_of(op, "map"), _AFFINE[op.name], c.place(op)

    def apply(env: Env, _: Loops) -> None:
        values = [np.asarray(env[r]) for r in reads]
        try:
            found = map_.eval(values[: map_.n_dims], values[map_.n_dims :])
        except SpyreError as error:  # a divisor that turned out to be zero
            error.location = place
            raise
        env[out] = np.asarray(pick([np.asarray(v, np.int64) for v in found]))

    return apply


def _extract(
    c: Compiler, op: Op, reads: list[int], out: int, taken: Sequence[tuple[int, bool]]
) -> Callable[[Env, Loops], None]:
    """Reading a tensor from outside at computed indices. Where it is not reached, which `taken`
    tells, the indices are not looked at and what is read is of no account."""
    rank, place = int(op.operands[0].type.rank), c.place(op)

    def apply(env: Env, loops: Loops) -> None:
        tensor, indices = env[reads[0]], [env[r] for r in reads[1:]]
        sizes = tensor.shape[tensor.ndim - rank :]
        if taken:
            reached = _reached(env, taken)
            indices = [np.where(reached, i, 0) for i in indices]
            if not reached.any():
                env[out] = np.zeros(np.broadcast_shapes(*(i.shape for i in indices)), tensor.dtype)
                return
        for dim, (index, size) in enumerate(zip(indices, sizes, strict=True)):
            check_range(index, 1, size, dim, "tensor.extract", "index", place, loops.frame)
        if tensor.ndim > rank:
            rows = loops.frame.rows().reshape(-1, *(1,) * len(loops.extents))
            indices = [rows, *indices]
        found = np.asarray(tensor[tuple(indices)])
        env[out] = found

    return apply


def _reached(env: Env, taken: Sequence[tuple[int, bool]]) -> Array:
    """Where every condition has the value that leads to an op."""
    found = np.array(True)
    for condition, side in taken:
        found = found & (np.asarray(env[condition]) == side)
    return found


def check_range(
    start: Any, extent: int, size: int, dim: int, name: str, what: str, place: Any, f: Frame
) -> None:
    """Raise SPY571 where `start` to `start + extent` leaves 0 to `size`. `what` they are: "index"
    (of elements), "dimension" or another number that belongs to dimension `dim`."""
    starts = np.asarray(start)
    if not starts.size or (starts.min() >= 0 and starts.max() + extent <= size):
        return
    outside = (starts < 0) | (starts + extent > size)
    at = np.unravel_index(int(np.argmax(outside)), starts.shape)
    tile = f.tile(int(at[0]) if starts.ndim and f.size == starts.shape[0] else 0)
    first = int(starts[at])
    if what == "dimension":
        raise errors.RANGE.error(
            place, op=name, what=f"dimension {first}", limit=f"of {size}", tile=tile
        )
    if what == "index":
        last = first + extent - 1
        what = f"element {first}" if last == first else f"elements {first} to {last}"
    else:
        what = f"{what} {first}"
    limit = f"which has size {size}"
    raise errors.RANGE.error(
        place, op=name, what=f"{what} of dimension {dim}", limit=limit, tile=tile
    )


def read_body(c: Compiler, op: Op, average: dict[str, object]) -> tuple[Body, list[Slot]]:
    """The body of a structured op and the slots it reads from outside.

    `average` goes to spyreop.exx2 and its relatives: how they average."""
    reader = _Reader(c, op, average)
    yields = reader.read()
    arguments = len(list(reader.block.arguments))
    depends: list[frozenset[int]] = [frozenset({i}) for i in range(arguments)]
    depends += [frozenset()] * (reader.count - arguments)
    for node in reader.nodes:
        for out in node.writes:
            depends[out] = frozenset[int]().union(*(depends[r] for r in node.reads))
    used = frozenset(yields).union(*(n.reads for n in reader.nodes))
    body = Body(arguments, reader.nodes, yields, reader.count, used, depends)
    return body, [slot for slot, _ in reader.outside]
