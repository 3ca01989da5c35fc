"""Random programs for holding the fast engine against the checked one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from handmade import LANES, Body, access, axis, executable, machine

from spyrelang.affine import Dim, Expr
from spyrelang.engines import DeviceMemory, Options, Outcome, run
from spyrelang.isa import program as p

Array = np.ndarray
KINDS = ("dma", "work", "peer")
OPS = tuple(f"vectorchain.binary.{name}" for name in ("add", "sub", "mul", "max"))


def launch(exe: p.Executable, arrays: Sequence[Array], engine: str) -> tuple[list[Array], Outcome]:
    """Run on copies of `arrays`; what they hold afterwards."""
    memory, copies = DeviceMemory(), [a.copy() for a in arrays]
    values = {-i - 1: memory.bind(a) for i, a in enumerate(copies)}
    options = Options(full_limit=10**9, poison="off")
    return copies, run(exe, memory, values, engine=engine, options=options)


def same_bits(exe: p.Executable, arrays: Sequence[Array]) -> list[Array]:
    """Both engines give the same bits; returns them."""
    fast, _ = launch(exe, arrays, "fast")
    checked, _ = launch(exe, arrays, "checked")
    for one, other in zip(fast, checked, strict=True):
        np.testing.assert_array_equal(one.view(np.uint16), other.view(np.uint16))
    return fast


def values(rng: random.Random, *shape: int) -> Array:
    """Small f16 values whose sums stay exact."""
    numbers = np.random.default_rng(rng.randrange(1 << 30)).integers(-8, 9, shape)
    return numbers.astype(np.float16)


# --- one worker with a scratchpad ----------------------------------------------------------------


@dataclass
class Nest:
    """Writes random loops of loads, computations and stores on a scratchpad of `words` vectors."""

    rng: random.Random
    words: int
    view: int

    def write(self, b: Body, ivs: list[tuple[int, int]], depth: int, vectors: list[int]) -> None:
        """A few instructions; `ivs` are (register, trips) of the enclosing loops."""
        rng = self.rng
        known = list(vectors)
        for _ in range(rng.randint(1, 4)):
            what = rng.random()
            if what < 0.35 and depth < 3:
                trips = rng.choice((1, 2, 3, 5))
                b.loop(
                    trips,
                    lambda c, iv, n=trips, k=tuple(known): self.write(
                        c, [*ivs, (iv, n)], depth + 1, list(k)
                    ),
                )
            elif what < 0.6 or not known:
                known.append(b.load(self.view, *self.address(ivs)))
            elif what < 0.68:
                place = self.address(ivs)
                old = b.load(self.view, *place)
                b.store(b.compute(OPS[0], old, rng.choice(known)), self.view, *place)
            elif what < 0.78:
                known.append(b.compute(rng.choice(OPS), rng.choice(known), rng.choice(known)))
            else:
                b.store(rng.choice(known), self.view, *self.address(ivs))

    def address(self, ivs: list[tuple[int, int]]) -> tuple[object, ...]:
        """(index, operands): a vector of the scratchpad, inside it for all trips."""
        if self.rng.random() < 0.4:  # one of two accumulators
            return ([0, self.rng.randrange(2) * LANES],)
        rng, used = self.rng, self.rng.sample(ivs, rng_between(self.rng, len(ivs)))
        expr: Expr | int = 0
        room = self.words - 1
        for dim, (_, trips) in enumerate(used):
            factor = rng.choice((1, 1, 2, trips, -1, 3))
            reach = abs(factor) * (trips - 1)
            if reach > room:
                continue
            room -= reach
            low = reach if factor < 0 else 0
            expr = expr + Dim(dim) * factor + low
        expr = expr + rng.randint(0, room)
        return [0, expr * LANES], *(reg for reg, _ in used)


def rng_between(rng: random.Random, high: int) -> int:
    """A number from 0 to `high`, more often large."""
    return max(rng.randint(0, high), rng.randint(0, high))


def scratch_program(seed: int, *, memory: str = "core") -> tuple[p.Executable, list[Array]]:
    """A unit that fills a scratchpad, lets another work on it, and copies it back."""
    rng = random.Random(seed)
    cores, words = rng.randint(1, 3), rng.choice((4, 9, 20))
    m = machine(cores, KINDS)
    pads = tuple(range(1, cores + 1))
    units = {k: tuple(range(i * cores, (i + 1) * cores)) for i, k in enumerate(KINDS)}
    size = words * LANES

    dma = Body()
    device = dma.view((0,), dma.symbol(-1), (cores, size), scale=1)
    pad = dma.view(pads, dma.const(0), (1, size))
    me = dma.table(*range(cores))
    outside, inside = access(device, [Dim(0), 0], [me]), access(pad, [0, 0], [])
    dma.transfer(outside, inside, [axis(size, (0, 1), (0, 1))])
    dma.signal(*units["work"])
    dma.wait(*units["work"])
    dma.transfer(inside, outside, [axis(size, (0, 1), (0, 1))])

    work = Body(line=100)
    pad = work.view(pads, work.const(0), (1, size))
    work.wait(*units["dma"])
    nest = Nest(rng, words, pad)
    for _ in range(3):
        nest.write(work, [], 0, [])
    work.signal(*units["dma"])
    exe = executable(
        m, [("dma", units["dma"], dma.code), ("work", units["work"], work.code)], inputs=1
    )
    return exe, [values(rng, cores, size)]


# --- tiles through a pipeline of units -----------------------------------------------------------

STAGES = ("load", "feed", "alu", "drain", "flush")


@dataclass
class Tiled:
    """An element-wise program over [cores, rows, columns], tile by tile, and its knobs.

    Each core has `rows[core]` of the rows; `corelets` instances share the points of a tile.
    Operands: "full", "row" (one row for all), "column" (one element a row) or "scalar".
    """

    rng: random.Random
    cores: int
    corelets: int
    rows: tuple[int, ...]
    columns: int
    tile: tuple[int, int]
    copies: int
    operands: tuple[str, ...]
    merged: bool  # one loop over the points of a tile on the compute unit
    branches: bool  # tiles without rows are skipped by a branch
    own_trips: bool  # each core loops over its own number of row tiles

    def __post_init__(self) -> None:
        self.vectors = -(-self.tile[1] // LANES)
        self.row_tiles = -(-max(self.rows) // self.tile[0])
        self.column_tiles = -(-self.columns // self.tile[1])
        self.padded = self.vectors * LANES
        self.area = self.tile[0] * self.padded

    @classmethod
    def random(cls, seed: int) -> Tiled:
        rng = random.Random(seed)
        cores, most = rng.randint(1, 3), rng.randint(1, 7)
        uneven = rng.random() < 0.4
        rows = tuple(rng.randint(0, most) if uneven else most for _ in range(cores))
        rows = rows if max(rows) else (1,) * cores
        return cls(
            rng,
            cores,
            rng.randint(1, 2),
            rows,
            rng.choice((1, 37, 64, 65, 128, 200, 256)),
            (rng.randint(1, 4), rng.choice((64, 128, 40))),
            rng.randint(1, 3),
            tuple(
                rng.choice(("full", "full", "row", "column", "scalar"))
                for _ in range(rng.randint(1, 3))
            ),
            rng.random() < 0.5,
            rng.random() < 0.5,
            rng.random() < 0.5,
        )

    # --- machine -------------------------------------------------------------------------------

    def machine(self) -> p.Machine:
        """DMA units once a core, the others once a corelet."""
        memories = (
            p.Memory("ddr", "ddr", "device"),
            *(p.Memory(f"C{c}-sp", "sp", "core", c, 1 << 16) for c in range(self.cores)),
        )
        units: list[p.Unit] = []
        self.units: dict[str, list[tuple[int, ...]]] = {}
        for kind in STAGES:
            instances = 1 if kind in ("load", "flush") else self.corelets
            self.units[kind] = []
            for i in range(instances):
                first = len(units)
                units += [p.Unit(f"C{c}-{kind}-{i}", kind, c, i) for c in range(self.cores)]
                self.units[kind].append(tuple(range(first, len(units))))
        links = tuple(p.Link(a, b, 1 << 16) for a, b in (("feed", "alu"), ("alu", "drain")))
        return p.Machine("tiles", memories, tuple(units), links, self.cores)

    def everyone(self, kind: str) -> tuple[int, ...]:
        return tuple(u for group in self.units[kind] for u in group)

    def per_unit(self, kind: str, values_: Sequence[int]) -> tuple[int, ...]:
        """One value a core, for every unit of the kind."""
        return tuple(values_) * len(self.units[kind])

    # --- pieces ----------------------------------------------------------------------------------

    def tiles(self, b: Body, kind: str, write: object) -> None:
        """The tile loops; `write(body, row tile, column tile, phase)`."""

        def row(b: Body, t: int) -> None:
            def column(b: Body, u: int) -> None:
                number = b.arith("add", b.arith("mul", t, b.const(self.column_tiles)), u)
                phase = b.arith("remsi", number, b.const(self.copies))
                write(b, t, u, phase)  # type: ignore[operator]

            b.loop(self.column_tiles, column)

        if not self.own_trips:
            b.loop(self.row_tiles, row)
            return
        trips = [-(-rows // self.tile[0]) for rows in self.rows]
        upper = b.table(*self.per_unit(kind, trips))
        b.loop_over(b.const(0), upper, b.const(1), row)

    def row_count(self, b: Body, t: int, kind: str) -> int:
        """Rows of the tile on this core."""
        total = b.table(*self.per_unit(kind, self.rows))
        left = b.arith("sub", total, b.arith("mul", t, b.const(self.tile[0])))
        return b.arith("maxsi", b.const(0), b.arith("minsi", left, b.const(self.tile[0])))

    def column_count(self, b: Body, u: int) -> int:
        tail = self.columns - (self.column_tiles - 1) * self.tile[1]
        last = b.arith("cmp_eq", u, b.const(self.column_tiles - 1))
        return b.arith("select", last, b.const(tail), b.const(self.tile[1]))

    def pads(self, kind: str) -> tuple[int, ...]:
        return self.per_unit(kind, range(1, self.cores + 1))

    def buffer(self, b: Body, kind: str, number: int) -> int:
        """Buffer `number`: [copies, rows, padded columns] in the scratchpad."""
        start = b.const(number * self.copies * self.area)
        return b.view(self.pads(kind), start, (self.copies, self.tile[0], self.padded))

    def share(self, b: Body, kind: str, rows: int) -> tuple[int, int]:
        """The rows of this corelet."""
        quota = -(-self.tile[0] // self.corelets)
        first = tuple(i * quota for i in range(self.corelets) for _ in range(self.cores))
        lower = b.arith("minsi", b.table(*first), rows)
        upper = b.arith("minsi", b.table(*(n + quota for n in first)), rows)
        return lower, upper

    def points(self, b: Body, kind: str, t: int, write: object, merged: bool) -> None:
        """The points of this corelet: `write(body, row, vector)` (registers), or without them."""
        lower, upper = self.share(b, kind, self.row_count(b, t, kind))
        if merged:
            trips = b.arith("mul", b.arith("sub", upper, lower), b.const(self.vectors))
            b.loop_over(b.const(0), trips, b.const(1), lambda b, _: write(b, -1, -1))
            return
        b.loop_over(
            lower,
            upper,
            b.const(1),
            lambda b, r: b.loop(self.vectors, lambda b, v: write(b, r, v)),
        )

    def copy(
        self,
        b: Body,
        kind: str,
        t: int,
        u: int,
        phase: int,
        device: int,
        pad: int,
        operand: str,
        out: bool,
    ) -> None:
        """Move the tile of an operand between device memory and its buffer."""
        me = b.table(*range(self.cores))
        row, column = (
            b.arith("mul", t, b.const(self.tile[0])),
            b.arith("mul", u, b.const(self.tile[1])),
        )
        rows = b.const(1) if operand in ("row", "scalar") else self.row_count(b, t, kind)
        columns = b.const(1) if operand in ("column", "scalar") else self.column_count(b, u)
        index: list[Expr | int] = {
            "full": [Dim(0), Dim(1), Dim(2)],
            "row": [Dim(0), 0, Dim(2)],
            "column": [Dim(0), Dim(1), 0],
            "scalar": [Dim(0), 0, 0],
        }[operand]
        ends = access(device, index, [me, row, column]), access(pad, [Dim(0), 0, 0], [phase])
        steps = (0, 1, 0), (0, 0, 1)

        def move(b: Body, extents: Sequence[tuple[int, bool]]) -> None:
            axes = [axis(n, s, s, d) for (n, d), s in zip(extents, steps, strict=True)]
            b.transfer(*(reversed(ends) if out else ends), axes)

        if not self.branches:
            move(b, [(rows, True), (columns, True)])
            return
        some = b.arith("cmp_sgt", rows, b.const(0))
        inner = Body(b.next, b.line)
        move(inner, [(rows, True), (columns, True)])
        b.next, b.line = inner.next, inner.line
        b.put(p.If(b.loc(), some, tuple(inner.code)))

    # --- the whole -------------------------------------------------------------------------------

    def build(self) -> p.Executable:
        m = self.machine()
        count = len(self.operands)
        bodies = {kind: Body(line=10 + 150 * i) for i, kind in enumerate(STAGES)}
        shapes = [
            (
                self.cores,
                *{
                    "full": (max(self.rows), self.columns),
                    "row": (1, self.columns),
                    "column": (max(self.rows), 1),
                    "scalar": (1, 1),
                }[o],
            )
            for o in (*self.operands, "full")
        ]
        self._load(bodies["load"], shapes)
        self._feed(bodies["feed"])
        self._alu(bodies["alu"])
        self._drain(bodies["drain"])
        self._flush(bodies["flush"], shapes[-1])
        self.shapes = shapes
        code = [(k, self.everyone(k), bodies[k].code) for k in STAGES]
        return executable(m, code, inputs=count + 1, lines=900)

    def _load(self, b: Body, shapes: Sequence[tuple[int, ...]]) -> None:
        views = [
            (b.view((0,), b.symbol(-1 - k), shapes[k], scale=1), self.buffer(b, "load", k), o)
            for k, o in enumerate(self.operands)
        ]

        def tile(b: Body, t: int, u: int, phase: int) -> None:
            for group in self.units["feed"]:
                b.wait(*group)
            for device, pad, operand in views:
                self.copy(b, "load", t, u, phase, device, pad, operand, False)
            for group in self.units["feed"]:
                b.signal(*group)

        self.tiles(b, "load", tile)
        self.credits(b, "feed")

    def credits(self, b: Body, kind: str) -> None:
        """Take the last credits of a consumer."""

        def take(b: Body, _: int) -> None:
            for group in self.units[kind]:
                b.wait(*group)

        b.loop(self.copies, take)

    def _feed(self, b: Body) -> None:
        load = self.units["load"][0] * self.corelets
        pads = [(self.buffer(b, "feed", k), o) for k, o in enumerate(self.operands)]
        b.loop(self.copies, lambda b, _: b.signal(*load, wait=False))

        def tile(b: Body, t: int, u: int, phase: int) -> None:
            b.wait(*load)

            def point(b: Body, r: int, v: int) -> None:
                for pad, operand in pads:
                    b.send(self.operand(b, pad, operand, phase, r, v), *self.everyone("alu"))

            self.points(b, "feed", t, point, False)
            b.signal(*load, wait=False)

        self.tiles(b, "feed", tile)

    def operand(self, b: Body, pad: int, operand: str, phase: int, r: int, v: int) -> int:
        row: Expr | int = Dim(1) if operand in ("full", "column") else 0
        if operand in ("full", "row"):
            return b.load(pad, [Dim(0), row, Dim(2) * LANES], phase, r, v)
        one = b.load(pad, [Dim(0), row, 0], phase, r, lanes=1)
        attrs = (("indices", (0,)), ("repetition", LANES))
        return b.compute("vectorchain.shuffle", one, attrs=attrs)

    def _alu(self, b: Body) -> None:
        ops = [self.rng.choice(OPS) for _ in range(len(self.operands) + 1)]

        def point(b: Body, _: int, __: int) -> None:
            received = [b.receive(*self.everyone("feed")) for _ in self.operands]
            total = received[0]
            for op, value in zip(ops, [*received[1:], received[0]], strict=False):
                total = b.compute(op, total, value)
            b.send(total, *self.everyone("drain"))

        self.tiles(b, "alu", lambda b, t, u, phase: self.points(b, "alu", t, point, self.merged))

    def _drain(self, b: Body) -> None:
        pad = self.buffer(b, "drain", len(self.operands))
        flush = self.units["flush"][0] * self.corelets

        def tile(b: Body, t: int, u: int, phase: int) -> None:
            b.wait(*flush)

            def point(b: Body, r: int, v: int) -> None:
                vector = b.receive(*self.everyone("alu"))
                b.store(vector, pad, [Dim(0), Dim(1), Dim(2) * LANES], phase, r, v)

            self.points(b, "drain", t, point, False)
            b.signal(*flush)

        self.tiles(b, "drain", tile)
        b.loop(self.copies, lambda b, _: b.wait(*flush))

    def _flush(self, b: Body, shape: tuple[int, ...]) -> None:
        pad = self.buffer(b, "flush", len(self.operands))
        target = b.view((0,), b.symbol(-1 - len(self.operands)), shape, scale=1)

        def post(b: Body, _: int) -> None:
            for group in self.units["drain"]:
                b.signal(*group, wait=False)

        b.loop(self.copies, post)

        def tile(b: Body, t: int, u: int, phase: int) -> None:
            for group in self.units["drain"]:
                b.wait(*group)
            self.copy(b, "flush", t, u, phase, target, pad, "full", True)
            for group in self.units["drain"]:
                b.signal(*group)

        self.tiles(b, "flush", tile)


def tiled_program(seed: int) -> tuple[p.Executable, list[Array]]:
    """A random element-wise program and arrays for it."""
    program = Tiled.random(seed)
    exe = program.build()
    return exe, [values(program.rng, *shape) for shape in program.shapes]


# --- FIFO traffic in other shapes on each side ---------------------------------------------------


def traffic_program(seed: int) -> tuple[p.Executable, list[Array]]:
    """Vectors from one unit to another (and perhaps back), in loops of different shapes."""
    rng = random.Random(seed)
    cores = rng.randint(1, 3)
    total = rng.choice((1, 4, 6, 12, 24))
    answer, lag = rng.random() < 0.5, rng.randint(0, 2)
    m = machine(cores, ("work", "peer"), depth=1 << 16)
    units = {k: tuple(range(i * cores, (i + 1) * cores)) for i, k in enumerate(("work", "peer"))}
    shape = (cores, total, LANES)
    bodies = {k: Body(line=300 * i) for i, k in enumerate(units)}
    views = {
        k: b.view((0,), b.symbol(-1 - i), shape, scale=1) for i, (k, b) in enumerate(bodies.items())
    }
    order = {k: b.table(*range(cores)) for k, b in bodies.items()}
    work, peer = bodies["work"], bodies["peer"]

    def issue(b: Body, number: int) -> None:
        vector = b.load(views["work"], [Dim(0), Dim(1), 0], order["work"], number)
        b.send(vector, *units["peer"])
        if answer and not lag:
            back = b.receive(*units["peer"])
            b.store(back, views["work"], [Dim(0), Dim(1), 0], order["work"], number)

    def serve(b: Body, number: int) -> None:
        vector = b.receive(*units["work"])
        b.store(vector, views["peer"], [Dim(0), Dim(1), 0], order["peer"], number)
        if answer:
            b.send(b.compute("vectorchain.binary.add", vector, vector), *units["work"])

    def collect(b: Body, number: int) -> None:
        back = b.receive(*units["peer"])
        b.store(back, views["work"], [Dim(0), Dim(1), 0], order["work"], number)

    _spread(rng, work, total, work.const(0), issue)
    if answer and lag:
        _spread(rng, work, total, work.const(0), collect)
    _spread(rng, peer, total, peer.const(0), serve)
    code = [(k, units[k], b.code) for k, b in bodies.items()]
    exe = executable(m, code, inputs=2, lines=900)
    return exe, [values(rng, *shape), values(rng, *shape)]


def _spread(rng: random.Random, b: Body, count: int, first: int, write: object) -> None:
    """`count` points from register `first` on, in random loops; `write(body, number)`."""
    if count == 0:
        return
    divisors = [d for d in range(1, count + 1) if count % d == 0]
    shape = rng.random()
    if shape < 0.25 and count > 1:  # some here, the rest there
        here = rng.randint(1, count - 1)
        _spread(rng, b, here, first, write)
        _spread(rng, b, count - here, b.arith("add", first, b.const(here)), write)
    elif shape < 0.4 and count <= 4:
        for k in range(count):
            write(b, b.arith("add", first, b.const(k)))  # type: ignore[operator]
    else:
        trips = rng.choice(divisors)
        inside = count // trips

        def inner(b: Body, iv: int) -> None:
            start = b.arith("add", first, b.arith("mul", iv, b.const(inside)))
            if inside == 1:
                write(b, start)  # type: ignore[operator]
            else:
                _spread(rng, b, inside, start, write)

        b.loop(trips, inner)
