"""How long the fast engine takes for an add, next to plain numpy in the same run.

    python -m benchmarks.engine [--rounds N] [--json]

Prints, for a small and a large add on 32 cores with 2 corelets each, the best time of a whole
launch (program already compiled) and its ratio to `a + b`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from spyrelang.affine import Const, Dim, Expr
from spyrelang.engines import DeviceMemory, run
from spyrelang.isa import program as isa

CORES, CORELETS, LANES = 32, 2, 64
KINDS = ("load", "feed", "alu", "drain", "flush")


@dataclass
class Body:
    """Instructions of one unit kind."""

    code: list[isa.Instr] = field(default_factory=list[isa.Instr])
    regs: int = 0

    def new(self) -> int:
        self.regs += 1
        return self.regs - 1

    def put(self, make: Callable[[int], isa.Instr]) -> int:
        dst = self.new()
        self.code.append(make(dst))
        return dst

    def const(self, value: int) -> int:
        return self.put(lambda d: isa.Const(0, d, value))

    def table(self, values: Sequence[int]) -> int:
        return self.put(lambda d: isa.Table(0, d, tuple(values)))

    def view(self, memories: Sequence[int], start: int, shape: tuple[int, ...]) -> int:
        strides = tuple(int(np.prod(shape[i + 1 :])) for i in range(len(shape)))
        return self.put(
            lambda d: isa.View(0, d, tuple(memories), start, 1, shape, strides, 0, "f16")
        )

    def loop(self, trips: int, write: Callable[[Body, int], None]) -> None:
        lower, upper, step, iv = self.const(0), self.const(trips), self.const(1), self.new()
        inner = Body(regs=self.regs)
        write(inner, iv)
        self.regs = inner.regs
        self.code.append(isa.For(0, iv, lower, upper, step, tuple(inner.code)))

    def sync(self, peers: Sequence[Sequence[int]], sends: bool) -> None:
        for group in peers:
            if sends:
                self.code.append(isa.SyncSend(0, tuple(group), True))
            else:
                self.code.append(isa.SyncReceive(0, tuple(group)))


def add_program(tiles: int, vectors: int) -> isa.Executable:
    """out = a + b over [cores, tiles, vectors * 64]; the corelets share the vectors of a tile."""
    pads = [isa.Memory(f"C{c}-l1", "l1", "core", c, 2 << 20) for c in range(CORES)]
    units: list[isa.Unit] = []
    groups: dict[str, list[list[int]]] = {}
    for kind in KINDS:
        copies = 1 if kind in ("load", "flush") else CORELETS
        groups[kind] = []
        for corelet in range(copies):
            groups[kind].append(list(range(len(units), len(units) + CORES)))
            units += [isa.Unit(f"C{c}-{kind}-{corelet}", kind, c, corelet) for c in range(CORES)]
    machine = isa.Machine(
        "bench", (isa.Memory("ddr", "ddr", "device"), *pads), tuple(units), (), CORES
    )
    bodies = _bodies(tiles, vectors, groups)
    program = isa.Program(
        "add",
        0,
        tuple(
            isa.ProgramUnit(k, tuple(u for g in groups[k] for u in g), tuple(bodies[k].code), 0)
            for k in KINDS
        ),
    )
    inputs = tuple(isa.SymbolInput(-i - 1, i) for i in range(3))
    where = (isa.SourceLoc("benchmarks/engine.py"),)
    call = (isa.Call(0, 0),)
    return isa.Executable("add", machine, (), inputs, (), (program,), call, where, (CORES,))


def _bodies(tiles: int, vectors: int, groups: dict[str, list[list[int]]]) -> dict[str, Body]:
    """Two buffers for each operand; credits from each consumer."""
    row, share = vectors * LANES, vectors // CORELETS
    size = 2 * row * 2  # bytes of both buffers of one operand
    bodies = {kind: Body() for kind in KINDS}
    everyone = {k: tuple(u for g in groups[k] for u in g) for k in KINDS}
    once, pads = list(range(1, CORES + 1)), list(range(1, CORES + 1)) * CORELETS
    twice = {k: [groups[k][0] * CORELETS] for k in ("load", "flush")}

    def at(b: Body, t: int) -> int:
        two = b.const(2)
        return b.put(lambda d: isa.Arith(0, d, "remsi", (t, two)))

    def buffers(b: Body, memories: Sequence[int], count: int, first: int = 0) -> list[int]:
        starts = [b.const((first + k) * size) for k in range(count)]
        return [b.view(memories, s, (2, row)) for s in starts]

    def device(b: Body, symbol: int) -> int:
        start = b.put(lambda d: isa.Symbol(0, d, (symbol,)))
        return b.view([0], start, (CORES, tiles, row))

    def copy(b: Body, outside: int, pad: int, me: int, t: int, out: bool) -> None:
        zero = Const(0)
        ends = [
            isa.Access(outside, (Dim(0), Dim(1), zero), (me, t)),
            isa.Access(pad, (Dim(0), zero), (at(b, t),)),
        ]
        steps = [(0, 0, 1), (0, 1)]
        if out:
            ends.reverse()
            steps.reverse()
        axes = (isa.Axis(row, steps[0], steps[1]),)
        b.code.append(isa.Transfer(0, ends[0], ends[1], axes, "f16"))

    def points(b: Body, write: Callable[[Body, int], None]) -> None:
        b.loop(share, write)

    def vector(b: Body, view: int, first: int, t: int, v: int) -> isa.Access:
        column: Expr = (Dim(1) + Dim(2)) * LANES
        return isa.Access(view, (Dim(0), column), (at(b, t), first, v))

    lane = (isa.Axis(LANES, (0, 1), (0, 1)),)

    def load() -> None:
        b = bodies["load"]
        outside, inside = [device(b, s) for s in (-1, -2)], buffers(b, once, 2)
        me = b.table(range(CORES))

        def tile(b: Body, t: int) -> None:
            b.sync(groups["feed"], False)
            for k in range(2):
                copy(b, outside[k], inside[k], me, t, False)
            b.sync(groups["feed"], True)

        b.loop(tiles, tile)
        b.loop(2, lambda b, _: b.sync(groups["feed"], False))

    def feed() -> None:
        b = bodies["feed"]
        views, first = buffers(b, pads, 2), b.table([0] * CORES + [share] * CORES)
        b.loop(2, lambda b, _: b.sync(twice["load"], True))

        def tile(b: Body, t: int) -> None:
            def point(b: Body, v: int) -> None:
                for view in views:
                    access = vector(b, view, first, t, v)
                    value = b.put(lambda d, a=access: isa.Load(0, d, a, lane, "f16", LANES))
                    b.code.append(isa.Send(0, everyone["alu"], value))

            b.sync(twice["load"], False)
            points(b, point)
            b.sync(twice["load"], True)

        b.loop(tiles, tile)

    def alu() -> None:
        def point(b: Body, _: int) -> None:
            x, y = (
                b.put(lambda d: isa.Receive(0, d, everyone["feed"], "f16", LANES)) for _ in range(2)
            )
            total = b.put(
                lambda d: isa.Compute(0, d, "vectorchain.binary.add", (x, y), "f16", LANES)
            )
            b.code.append(isa.Send(0, everyone["drain"], total))

        bodies["alu"].loop(tiles, lambda b, _: points(b, point))

    def drain() -> None:
        b = bodies["drain"]
        (view,), first = buffers(b, pads, 1, 2), b.table([0] * CORES + [share] * CORES)

        def tile(b: Body, t: int) -> None:
            def point(b: Body, v: int) -> None:
                value = b.put(lambda d: isa.Receive(0, d, everyone["alu"], "f16", LANES))
                access = vector(b, view, first, t, v)
                b.code.append(isa.Store(0, value, access, lane, "f16", LANES))

            b.sync(twice["flush"], False)
            points(b, point)
            b.sync(twice["flush"], True)

        b.loop(tiles, tile)
        b.loop(2, lambda b, _: b.sync(twice["flush"], False))

    def flush() -> None:
        b = bodies["flush"]
        (inside,), outside, me = buffers(b, once, 1, 2), device(b, -3), b.table(range(CORES))
        b.loop(2, lambda b, _: b.sync(groups["drain"], True))

        def tile(b: Body, t: int) -> None:
            b.sync(groups["drain"], False)
            copy(b, outside, inside, me, t, True)
            b.sync(groups["drain"], True)

        b.loop(tiles, tile)

    for write in (load, feed, alu, drain, flush):
        write()
    return bodies


def best(call: Callable[[], object], rounds: int) -> float:
    """The shortest of `rounds` times, in seconds."""
    times: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(tiles: int, vectors: int, rounds: int) -> dict[str, float]:
    """Times in milliseconds for an add of `CORES * tiles * vectors * 64` elements."""
    rng = np.random.default_rng(0)
    shape = (CORES, tiles, vectors * LANES)
    a, b = (rng.standard_normal(shape, np.float32).astype(np.float16) for _ in range(2))
    out, memory = np.zeros(shape, np.float16), DeviceMemory()
    symbols = {-1: memory.bind(a), -2: memory.bind(b), -3: memory.bind(out)}
    exe = add_program(tiles, vectors)
    start = time.perf_counter()
    run(exe, memory, symbols, engine="fast")
    first = time.perf_counter() - start
    if not np.array_equal(out, a + b):
        raise SystemExit("the result is wrong")
    engine = best(lambda: run(exe, memory, symbols, engine="fast"), rounds)
    numpy = best(lambda: a + b, rounds)
    return {
        "elements": float(a.size),
        "tiles": float(tiles),
        "first_ms": first * 1e3,
        "engine_ms": engine * 1e3,
        "numpy_ms": numpy * 1e3,
        "ratio": engine / numpy,
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    cases = ((1, 2), (4, 2048), (32, 256), (1024, 8))
    rows = [measure(tiles, vectors, options.rounds) for tiles, vectors in cases]
    if options.json:
        print(json.dumps(rows))
        return
    print("  elements  tiles/core   first ms  engine ms   numpy ms   ratio")
    for r in rows:
        print(
            f"{r['elements']:10.0f}  {r['tiles']:10.0f} {r['first_ms']:10.2f} "
            f"{r['engine_ms']:10.3f} {r['numpy_ms']:10.3f} {r['ratio']:7.2f}"
        )


if __name__ == "__main__":
    main()
