"""Executables built by hand: a staged add on a small machine, with knobs that break it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

from spyrelang.affine import Const as C
from spyrelang.affine import Dim, Expr, FloorDiv
from spyrelang.isa import program as p

LANES = 64
KINDS = ("dmaload", "spload", "alu", "spstore", "dmastore")


class Body:
    """Collects instructions; every method returns the register it defines."""

    def __init__(self, first: int = 0, line: int = 0) -> None:
        self.code: list[p.Instr] = []
        self.next = first
        self.line = line

    def reg(self) -> int:
        self.next += 1
        return self.next - 1

    def loc(self) -> int:
        self.line += 1
        return self.line - 1

    def put(self, instr: p.Instr) -> None:
        self.code.append(instr)

    def const(self, value: int) -> int:
        dst = self.reg()
        self.put(p.Const(self.loc(), dst, value))
        return dst

    def table(self, *values: int) -> int:
        dst = self.reg()
        self.put(p.Table(self.loc(), dst, values))
        return dst

    def symbol(self, *ids: int) -> int:
        dst = self.reg()
        self.put(p.Symbol(self.loc(), dst, ids))
        return dst

    def arith(self, op: str, *operands: int) -> int:
        dst = self.reg()
        self.put(p.Arith(self.loc(), dst, op, operands))
        return dst

    def view(
        self,
        memories: Sequence[int],
        start: int,
        shape: Sequence[int],
        *,
        scale: int = 2,
        dtype: str = "f16",
        base: int = 0,
    ) -> int:
        strides: list[int] = []
        for size in reversed(shape):
            strides.insert(0, strides[0] * shape[len(shape) - len(strides)] if strides else 1)
            del size
        dst = self.reg()
        self.put(
            p.View(
                self.loc(),
                dst,
                tuple(memories),
                start,
                scale,
                tuple(shape),
                tuple(strides),
                base,
                dtype,
            )
        )
        return dst

    def load(
        self,
        view: int,
        index: Sequence[Expr | int],
        *operands: int,
        lanes: int = LANES,
        dtype: str = "f16",
    ) -> int:
        dst = self.reg()
        access = _access(view, index, operands)
        self.put(p.Load(self.loc(), dst, access, (_last(access, lanes),), dtype, lanes))
        return dst

    def store(
        self,
        value: int,
        view: int,
        index: Sequence[Expr | int],
        *operands: int,
        lanes: int = LANES,
        dtype: str = "f16",
    ) -> None:
        access = _access(view, index, operands)
        self.put(p.Store(self.loc(), value, access, (_last(access, lanes),), dtype, lanes))

    def transfer(
        self, source: p.Access, target: p.Access, axes: Sequence[p.Axis], dtype: str = "f16"
    ) -> None:
        self.put(p.Transfer(self.loc(), source, target, tuple(axes), dtype))

    def compute(
        self,
        op: str,
        *operands: int,
        lanes: int = LANES,
        dtype: str = "f16",
        attrs: tuple[tuple[str, object], ...] = (),
    ) -> int:
        dst = self.reg()
        self.put(p.Compute(self.loc(), dst, op, operands, dtype, lanes, attrs))
        return dst

    def send(self, value: int, *peers: int) -> None:
        self.put(p.Send(self.loc(), peers, value))

    def receive(self, *peers: int, lanes: int = LANES, dtype: str = "f16") -> int:
        dst = self.reg()
        self.put(p.Receive(self.loc(), dst, peers, dtype, lanes))
        return dst

    def signal(self, *peers: int, wait: bool = True) -> None:
        self.put(p.SyncSend(self.loc(), peers, wait))

    def wait(self, *peers: int) -> None:
        self.put(p.SyncReceive(self.loc(), peers))

    def loop(self, trips: int, write: Callable[[Body, int], None]) -> None:
        lower, upper, step = self.const(0), self.const(trips), self.const(1)
        self.loop_over(lower, upper, step, write)

    def loop_over(
        self, lower: int, upper: int, step: int, write: Callable[[Body, int], None]
    ) -> None:
        loc, iv = self.loc(), self.reg()
        inner = Body(self.next, self.line)
        write(inner, iv)
        self.next, self.line = inner.next, inner.line
        self.put(p.For(loc, iv, lower, upper, step, tuple(inner.code)))


def _access(view: int, index: Sequence[Expr | int], operands: Sequence[int]) -> p.Access:
    return p.Access(view, tuple(C(e) if isinstance(e, int) else e for e in index), tuple(operands))


access = _access


def _last(access: p.Access, lanes: int) -> p.Axis:
    step = (0,) * (len(access.index) - 1) + (1,)
    return p.Axis(lanes, step, step)


def axis(
    extent: int, source: Sequence[int], target: Sequence[int], dynamic: bool = False
) -> p.Axis:
    return p.Axis(extent, tuple(source), tuple(target), dynamic)


def machine(cores: int, kinds: Sequence[str] = KINDS, *, depth: int = 16) -> p.Machine:
    """Memory 0 is device memory, 1 … `cores` the scratchpads, then a register memory. Unit
    `kind * cores + core` is the unit of that kind on that core."""
    memories = (
        p.Memory("ddr", "ddr", "device"),
        *(p.Memory(f"C{c}-sp", "sp", "core", c, 65536) for c in range(cores)),
        p.Memory("regs", "regs", "unit", -1, 1024),
    )
    units = tuple(p.Unit(f"C{c}-{k}", k, c, 0) for k in kinds for c in range(cores))
    links = tuple(p.Link(a.upper(), b, depth) for a, b in itertools.pairwise(kinds))
    return p.Machine("toy", memories, units, links, cores)


def executable(
    machine_: p.Machine,
    bodies: Sequence[tuple[str, Sequence[int], Sequence[p.Instr]]],
    *,
    inputs: int = 0,
    symbols: Sequence[p.SymbolValue] = (),
    lines: int = 400,
    params: int = 0,
    orchestrator: Sequence[p.Instr] | None = None,
) -> p.Executable:
    """One program of the given (kind, units, body), called once unless there is an orchestrator."""
    units = tuple(p.ProgramUnit(k, tuple(u), tuple(code), 0) for k, u, code in bodies)
    return p.Executable(
        "toy",
        machine_,
        tuple(p.Argument(f"a{i}", "inout", "f16") for i in range(inputs)),
        tuple(p.SymbolInput(-i - 1, i) for i in range(inputs)),
        tuple(symbols),
        (p.Program("main", params, units),),
        tuple(orchestrator) if orchestrator is not None else (p.Call(0, 0),),
        tuple(p.SourceLoc("toy.mlir", i + 1) for i in range(lines)),
        (machine_.cores,),
    )


def word_symbol(symbol: int, source: int, word: int = 64) -> p.SymbolValue:
    """`symbol` = input / word, exactly."""
    return p.SymbolValue(symbol, FloorDiv(Dim(0), C(word)), (source,))


def staged_add(
    *,
    cores: int = 2,
    tiles: int = 3,
    vectors: int = 4,
    copies: int = 2,
    depth: int = 16,
    edit: Callable[[str, p.Instr], p.Instr | None] | None = None,
) -> p.Executable:
    """out = a + b over [cores, tiles, vectors * 64], each core its own part; one tile at a time is
    staged in the scratchpad, in one of `copies` buffers, with credits from each consumer.

    `edit(kind, instruction)` may replace an instruction, or drop it by returning None.
    """
    m = machine(cores, depth=depth)
    row = vectors * LANES
    unit = {k: tuple(range(i * cores, (i + 1) * cores)) for i, k in enumerate(KINDS)}
    pads = tuple(range(1, cores + 1))
    total = (cores, tiles, row)
    bodies: dict[str, Body] = {}

    def slot(b: Body, t: int) -> int:
        return b.arith("remsi", t, b.const(copies))

    def start(kind: str) -> tuple[Body, int]:
        b = bodies[kind] = Body(line=10 + 60 * KINDS.index(kind))
        return b, b.table(*range(cores))

    b, core = start("dmaload")
    ins = [b.view((0,), b.symbol(-4 - k), total, scale=64) for k in range(2)]
    stage = [b.view(pads, b.const(k * copies * row), (copies, row)) for k in range(2)]

    def fill(b: Body, t: int) -> None:
        b.wait(*unit["spload"])
        s = slot(b, t)
        for k in range(2):
            b.transfer(
                access(ins[k], [Dim(0), Dim(1), 0], [core, t]),
                access(stage[k], [Dim(0), 0], [s]),
                [axis(row, (0, 0, 1), (0, 1))],
            )
        b.signal(*unit["spload"])

    b.loop(tiles, fill)

    b, core = start("spload")
    stage = [b.view(pads, b.const(k * copies * row), (copies, row)) for k in range(2)]
    b.loop(copies, lambda b, t: b.signal(*unit["dmaload"], wait=False))

    def feed(b: Body, t: int) -> None:
        b.wait(*unit["dmaload"])
        s = slot(b, t)

        def one(b: Body, v: int) -> None:
            for k in range(2):
                b.send(b.load(stage[k], [Dim(0), Dim(1) * LANES], s, v), *unit["alu"])

        b.loop(vectors, one)
        b.signal(*unit["dmaload"], wait=False)

    b.loop(tiles, feed)

    b, core = start("alu")

    def add(b: Body, t: int) -> None:
        def one(b: Body, v: int) -> None:
            x, y = b.receive(*unit["spload"]), b.receive(*unit["spload"])
            b.send(b.compute("vectorchain.binary.add", x, y), *unit["spstore"])

        b.loop(vectors, one)

    b.loop(tiles, add)

    b, core = start("spstore")
    out = b.view(pads, b.const(2 * copies * row), (copies, row))

    def drain(b: Body, t: int) -> None:
        b.wait(*unit["dmastore"])
        s = slot(b, t)
        b.loop(
            vectors,
            lambda b, v: b.store(b.receive(*unit["alu"]), out, [Dim(0), Dim(1) * LANES], s, v),
        )
        b.signal(*unit["dmastore"])

    b.loop(tiles, drain)

    b, core = start("dmastore")
    out = b.view(pads, b.const(2 * copies * row), (copies, row))
    target = b.view((0,), b.symbol(-6), total, scale=64)
    b.loop(copies, lambda b, t: b.signal(*unit["spstore"], wait=False))

    def flush(b: Body, t: int) -> None:
        b.wait(*unit["spstore"])
        s = slot(b, t)
        b.transfer(
            access(out, [Dim(0), 0], [s]),
            access(target, [Dim(0), Dim(1), 0], [core, t]),
            [axis(row, (0, 1), (0, 0, 1))],
        )
        b.signal(*unit["spstore"])

    b.loop(tiles, flush)

    # Each consumer sends n credits first and one a tile; its producer takes the last n at the end.
    for kind, consumer in (("dmaload", "spload"), ("spstore", "dmastore")):
        bodies[kind].loop(copies, lambda b, t, c=consumer: b.wait(*unit[c]))
    code = [(k, unit[k], _edited(k, bodies[k].code, edit)) for k in KINDS]
    symbols = [word_symbol(-4 - i, -1 - i) for i in range(3)]
    return executable(m, code, inputs=3, symbols=symbols)


def _edited(
    kind: str,
    code: Sequence[p.Instr],
    edit: Callable[[str, p.Instr], p.Instr | None] | None,
) -> tuple[p.Instr, ...]:
    if edit is None:
        return tuple(code)
    result: list[p.Instr] = []
    for instr in code:
        if isinstance(instr, p.For):
            instr = replace(instr, body=_edited(kind, instr.body, edit))
        changed = edit(kind, instr)
        if changed is not None:
            result.append(changed)
    return tuple(result)
