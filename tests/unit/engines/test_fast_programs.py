"""Programs in the shapes that schedules have: reductions, splits, masks, hand-offs; and errors."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from fast_programs import OPS, launch, same_bits, tiled_program, values
from handmade import LANES, Body, access, axis, executable, machine, staged_add

from spyrelang.affine import Dim
from spyrelang.engines.fast import compiled, nests, session
from spyrelang.errors import SpyreError
from spyrelang.isa import program as p
from spyrelang.semantics.dtypes import get

ADD = OPS[0]


def arrays(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    rng = random.Random(7)
    return [values(rng, *shape) for shape in shapes]


def carried_loop(b: Body, trips: int, inits: tuple[int, ...], write: object) -> tuple[int, ...]:
    """A loop with carried registers; `write(body, iv, args)` returns what it yields."""
    lower, upper, step = b.const(0), b.const(trips), b.const(1)
    loc, iv = b.loc(), b.reg()
    args = tuple(b.reg() for _ in inits)
    inner = Body(b.next, b.line)
    yields = write(inner, iv, args)  # type: ignore[operator]
    b.next, b.line = inner.next, inner.line
    results = tuple(b.reg() for _ in inits)
    b.put(p.For(loc, iv, lower, upper, step, tuple(inner.code), inits, args, yields, results))
    return results


def branch(b: Body, cond: int, then: object, other: object = None) -> None:
    sides = []
    for write in (then, other):
        inner = Body(b.next, b.line)
        if write is not None:
            write(inner)  # type: ignore[operator]
        b.next, b.line = inner.next, inner.line
        sides.append(tuple(inner.code))
    b.put(p.If(b.loc(), cond, *sides))


def row_sums(cores: int, rows: int, vectors: int, *, register: bool) -> p.Executable:
    """out[core, row, lane] = sum over vectors; the accumulator is a register memory or carried."""
    m = machine(cores, ("feed", "alu", "drain"))
    units = {
        k: tuple(range(i * cores, (i + 1) * cores)) for i, k in enumerate(("feed", "alu", "drain"))
    }
    bodies = {k: Body(line=100 * i) for i, k in enumerate(units)}
    feed, alu, drain = bodies.values()
    source = feed.view((0,), feed.symbol(-1), (cores, rows, vectors * LANES), scale=1)
    me = feed.table(*range(cores))
    feed.loop(
        rows,
        lambda b, r: b.loop(
            vectors,
            lambda b, v: b.send(
                b.load(source, [Dim(0), Dim(1), Dim(2) * LANES], me, r, v), *units["alu"]
            ),
        ),
    )
    zero = alu.compute("vectorchain.constant_bitstream", attrs=(("value", (0,)),), lanes=1)
    zero = alu.compute(
        "vectorchain.shuffle", zero, attrs=(("indices", (0,)), ("repetition", LANES))
    )
    if register:
        cell = alu.view((cores + 1,), alu.const(0), (LANES,))

        def row(b: Body, r: int) -> None:
            b.store(zero, cell, [0])

            def add(b: Body, v: int) -> None:
                total = b.compute(ADD, b.receive(*units["feed"]), b.load(cell, [0]))
                b.store(total, cell, [0])
                last = b.arith("cmp_eq", v, b.const(vectors - 1))
                branch(b, last, lambda c: c.send(c.load(cell, [0]), *units["drain"]))

            b.loop(vectors, add)
    else:

        def row(b: Body, r: int) -> None:
            def add(b: Body, v: int, args: tuple[int, ...]) -> tuple[int, ...]:
                return (b.compute(ADD, args[0], b.receive(*units["feed"])),)

            b.send(carried_loop(b, vectors, (zero,), add)[0], *units["drain"])

    alu.loop(rows, row)
    target = drain.view((0,), drain.symbol(-2), (cores, rows, LANES), scale=1)
    me2 = drain.table(*range(cores))
    drain.loop(
        rows,
        lambda b, r: b.store(b.receive(*units["alu"]), target, [Dim(0), Dim(1), 0], me2, r),
    )
    return executable(m, [(k, units[k], b.code) for k, b in bodies.items()], inputs=2)


@pytest.mark.parametrize("register", [True, False])
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 5, 3), (3, 4, 7)])
def test_row_sums(register: bool, shape: tuple[int, int, int]) -> None:
    cores, rows, vectors = shape
    exe = row_sums(cores, rows, vectors, register=register)
    data, out = arrays((cores, rows, vectors * LANES), (cores, rows, LANES))
    _, result = same_bits(exe, [data, out])
    parts = data.reshape(cores, rows, vectors, LANES)
    np.testing.assert_array_equal(result, parts.sum(axis=2, dtype=np.float16))


def test_rows_of_a_reduction_are_an_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row loop runs as one chunk although each row goes through one register."""
    sizes: list[int] = []
    plain = nests.Nest._chunk
    monkeypatch.setattr(
        nests.Nest, "_chunk", lambda self, f, n: (sizes.append(n), plain(self, f, n))[1]
    )
    launch(row_sums(2, 50, 3, register=False), arrays((2, 50, 192), (2, 50, 64)), "fast")
    assert sizes == [50, 50, 50]


def test_the_last_trip_stays_in_the_register() -> None:
    """What later code reads from the accumulator is the last row's sum."""
    m = machine(2, ("alu",))
    b = Body()
    data = b.view((0,), b.symbol(-1), (2, 6, LANES), scale=1)
    out = b.view((0,), b.symbol(-2), (2, LANES), scale=1)
    cell = b.view((3,), b.const(0), (LANES,))
    me = b.table(0, 1)

    def row(b: Body, r: int) -> None:
        value = b.load(data, [Dim(0), Dim(1), 0], me, r)
        b.store(value, cell, [0])
        b.store(b.compute(ADD, b.load(cell, [0]), value), cell, [0])

    b.loop(6, row)
    b.store(b.load(cell, [0]), out, [Dim(0), 0], me)
    exe = executable(m, [("alu", (0, 1), b.code)], inputs=2)
    data_, out_ = arrays((2, 6, LANES), (2, LANES))
    _, result = same_bits(exe, [data_, out_])
    np.testing.assert_array_equal(result, data_[:, -1] * 2)


def test_double_buffer_by_carried_start() -> None:
    """A start address that toggles from trip to trip, beside a per-unit one."""
    m = machine(2, ("alu",))
    b = Body()
    data = b.view((0,), b.symbol(-1), (2, 4, LANES), scale=1)
    me = b.table(0, 1)

    def trip(b: Body, t: int, args: tuple[int, ...]) -> tuple[int, ...]:
        start, other = args
        for reg in args:
            pad = b.view((1, 2), reg, (LANES,))
            b.store(b.load(data, [Dim(0), Dim(1), 0], me, t), pad, [0])
            b.store(b.load(pad, [0]), data, [Dim(0), Dim(1), 0], me, t)
        return b.arith("sub", b.const(64), start), b.arith("sub", b.table(64, 192), other)

    carried_loop(b, 4, (b.const(0), b.table(0, 128)), trip)
    same_bits(executable(m, [("alu", (0, 1), b.code)], inputs=1), arrays((2, 4, LANES)))


def test_units_under_a_mask() -> None:
    """A branch on what differs between units moves the data of those that take it."""
    m = machine(3, ("dma",))
    b = Body()
    shape = (3, 4, LANES)
    source, target = (b.view((0,), b.symbol(s), shape, scale=1) for s in (-1, -2))
    me, limit = b.table(0, 1, 2), b.table(4, 2, 0)

    def trip(b: Body, t: int) -> None:
        def copy(c: Body, first: int) -> None:
            ends = (
                access(source, [Dim(0), Dim(1), 0], [me, t]),
                access(target, [Dim(0), first, 0], [me]),
            )
            c.transfer(*ends, [axis(LANES, (0, 0, 1), (0, 0, 1))])

        inside = b.arith("cmp_slt", t, limit)
        branch(b, inside, lambda c: copy(c, 0), lambda c: copy(c, 3))

    b.loop(4, trip)
    exe = executable(m, [("dma", (0, 1, 2), b.code)], inputs=2)
    source_, target_ = arrays(shape, shape)
    _, result = same_bits(exe, [source_, target_])
    np.testing.assert_array_equal(result[1, 0], source_[1, 1])
    np.testing.assert_array_equal(result[1, 3], source_[1, 3])
    np.testing.assert_array_equal(result[:, 1:3], target_[:, 1:3])


def test_units_whose_control_differs_are_split() -> None:
    counts: list[int] = []
    plain = compiled.compile_program

    def counted(*args: object) -> compiled.CompiledProgram:
        program = plain(*args)  # type: ignore[arg-type]
        counts.append(len(program.classes))
        return program

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "compile_program", counted)
        for seed in range(10):
            exe, data = tiled_program(seed)
            launch(exe, data, "fast")
    assert min(counts) == 5
    assert max(counts) > 5


def test_ping_pong_falls_back_to_trips() -> None:
    """Two units that wait for each other in every trip cannot exchange whole blocks."""
    m = machine(2, ("a", "b"))
    a, b = Body(), Body(line=50)
    data = a.view((0,), a.symbol(-1), (2, 8, LANES), scale=1)
    me = a.table(0, 1)

    def ask(c: Body, t: int) -> None:
        c.send(c.load(data, [Dim(0), Dim(1), 0], me, t), 2, 3)
        c.store(c.receive(2, 3), data, [Dim(0), Dim(1), 0], me, t)

    def answer(c: Body, t: int) -> None:
        value = c.receive(0, 1)
        c.send(c.compute(ADD, value, value), 0, 1)

    a.loop(8, ask)
    b.loop(8, answer)
    exe = executable(m, [("a", (0, 1), a.code), ("b", (2, 3), b.code)], inputs=1)
    (data_,) = arrays((2, 8, LANES))
    (result,) = same_bits(exe, [data_])
    np.testing.assert_array_equal(result, data_ * 2)


@pytest.mark.parametrize("signals", [False, True])
def test_cores_that_wait_for_their_neighbours(signals: bool) -> None:
    """A chain through all cores: each adds to what the core before it has made."""
    cores = 4
    m = machine(cores, ("alu", "link"))
    shape = (cores, LANES)
    alu, link = Body(), Body(line=50)
    data = alu.view((0,), alu.symbol(-1), shape, scale=1)
    me, first = alu.table(*range(cores)), alu.table(1, 0, 0, 0)
    links = tuple(range(cores, 2 * cores))
    before = (links[-1], *links[:-1])

    def start(b: Body) -> None:
        b.send(b.load(data, [Dim(0), 0], me), *links)

    def carry_on(b: Body) -> None:
        if signals:
            b.wait(*before)
        total = b.compute(ADD, b.receive(*before), b.load(data, [Dim(0), 0], me))
        b.store(total, data, [Dim(0), 0], me)
        b.send(total, *links)

    branch(alu, first, start, carry_on)
    last = link.table(0, 0, 0, 1)

    def hand_on(b: Body) -> None:
        value, after = b.receive(0, 1, 2, 3), (1, 2, 3, 0)
        b.send(value, *after)
        if signals:
            b.signal(*after)

    branch(link, last, lambda b: b.receive(0, 1, 2, 3), hand_on)
    code = [("alu", range(cores), alu.code), ("link", links, link.code)]
    (data_,) = arrays(shape)
    (result,) = same_bits(executable(m, code, inputs=1), [data_])
    np.testing.assert_array_equal(result, np.cumsum(data_, axis=0, dtype=np.float16))


def test_units_that_are_served_one_after_the_other() -> None:
    """Two units of a core share a buffer in turns: lock-step cannot go on, and what it has written
    by then is taken back."""
    m = machine(1, ("dma", "left", "right"))
    m = replace(m, units=(m.units[0], *(replace(u, kind="work") for u in m.units[1:])))
    dma, work = Body(), Body(line=50)
    data = dma.view((0,), dma.symbol(-1), (2, LANES), scale=1)
    pad = dma.view((1,), dma.const(0), (LANES,))
    ends = access(data, [0, 0], []), access(pad, [0], [])
    dma.transfer(*ends, [axis(LANES, (0, 1), (1,))])
    for n in (1, 2):
        dma.signal(n)
        dma.wait(n)
        dma.transfer(ends[1], access(data, [n - 1, 0], []), [axis(LANES, (1,), (0, 1))])
    inside = work.view((1,), work.const(0), (LANES,))
    other = work.view((0,), work.symbol(-2), (2, LANES), scale=1)
    me = work.table(0, 1)
    mine = work.load(other, [Dim(0), 0], me)
    work.store(work.compute(ADD, mine, mine), other, [Dim(0), 0], me)
    work.wait(0, 0)
    value = work.load(inside, [0])
    work.store(work.compute(ADD, value, value), inside, [0])
    work.signal(0, 0)
    exe = executable(m, [("dma", (0,), dma.code), ("work", (1, 2), work.code)], inputs=2)
    first, second = arrays((2, LANES), (2, LANES))
    results = same_bits(exe, [first, second])
    np.testing.assert_array_equal(results[0], np.stack([first[0] * 2, first[0] * 4]))
    np.testing.assert_array_equal(results[1], second * 2)


def test_program_arguments_that_differ_between_cores() -> None:
    m = machine(3, ("alu",))
    o = Body()
    first = o.table(2, 0, 1)
    o.loop(2, lambda c, i: c.put(p.Call(c.loc(), 0, (first, i))))
    b = Body(first=2)
    data = b.view((0,), b.symbol(-1), (3, 2, LANES), scale=1)
    value = b.load(data, [Dim(0), Dim(1), 0], 0, 1)
    b.store(b.compute(ADD, value, value), data, [Dim(0), Dim(1), 0], 0, 1)
    code = [("alu", (0, 1, 2), b.code)]
    exe = executable(m, code, inputs=1, params=2, orchestrator=o.code)
    (data_,) = arrays((3, 2, LANES))
    (result,) = same_bits(exe, [data_])
    np.testing.assert_array_equal(result, data_ * 2)


def test_cores_that_call_programs_a_different_number_of_times() -> None:
    m = machine(3, ("alu",))
    o = Body()
    trips = o.table(2, 0, 1)
    o.loop_over(o.const(0), trips, o.const(1), lambda c, i: c.put(p.Call(c.loc(), 0, (i,))))
    b = Body(first=1)
    data = b.view((0,), b.symbol(-1), (3, 2, LANES), scale=1)
    me = b.table(0, 1, 2)
    value = b.load(data, [Dim(0), Dim(1), 0], me, 0)
    b.store(b.compute(ADD, value, value), data, [Dim(0), Dim(1), 0], me, 0)
    code = [("alu", (0, 1, 2), b.code)]
    exe = executable(m, code, inputs=1, params=1, orchestrator=o.code)
    (data_,) = arrays((3, 2, LANES))
    (result,) = same_bits(exe, [data_])
    np.testing.assert_array_equal(result[0], data_[0] * 2)
    np.testing.assert_array_equal(result[1], data_[1])


def test_single_buffers_with_a_rendezvous_run_in_order() -> None:
    """One buffer and one rendezvous a tile leave a race; consumers run first, so that the tile is
    used before it is refilled."""
    m = machine(2, ("load", "work", "flush"))
    units = {k: (2 * i, 2 * i + 1) for i, k in enumerate(("load", "work", "flush"))}
    load, work, flush = bodies = [Body(line=100 * i) for i in range(3)]
    shape = (2, 5, LANES)

    def ends(b: Body, symbol: int, start: int) -> tuple[int, int, int]:
        device = b.view((0,), b.symbol(symbol), shape, scale=1)
        return device, b.view((1, 2), b.const(start), (LANES,)), b.table(0, 1)

    def meet(b: Body, kind: str) -> None:
        b.signal(*units[kind])
        b.wait(*units[kind])

    device, pad, me = ends(load, -1, 0)

    def fill(b: Body, t: int) -> None:
        source, target = access(device, [Dim(0), Dim(1), 0], [me, t]), access(pad, [0], [])
        b.transfer(source, target, [axis(LANES, (0, 0, 1), (1,))])
        meet(b, "work")

    load.loop(5, fill)
    inside = work.view((1, 2), work.const(0), (LANES,))
    outside = work.view((1, 2), work.const(LANES), (LANES,))

    def double(b: Body, t: int) -> None:
        meet(b, "load")
        value = b.load(inside, [0])
        b.store(b.compute(ADD, value, value), outside, [0])
        meet(b, "flush")

    work.loop(5, double)
    device2, pad2, me2 = ends(flush, -2, LANES)

    def drain(b: Body, t: int) -> None:
        meet(b, "work")
        source, target = access(pad2, [0], []), access(device2, [Dim(0), Dim(1), 0], [me2, t])
        b.transfer(source, target, [axis(LANES, (1,), (0, 0, 1))])

    flush.loop(5, drain)
    code = [(k, units[k], b.code) for k, b in zip(units, bodies, strict=True)]
    data, out = arrays(shape, shape)
    (_, result), _ = launch(executable(m, code, inputs=2), [data, out], "fast")
    np.testing.assert_array_equal(result, data * 2)


@pytest.mark.parametrize(
    ("dtype", "op"),
    [
        ("f32", "vectorchain.binary.mul"),
        ("bf16", "vectorchain.binary.add"),
        ("i32", "arith.addi"),
        ("i8", "arith.muli"),
        ("f64", "arith.addf"),
    ],
)
def test_element_types(dtype: str, op: str) -> None:
    storage = get(dtype).numpy
    lanes, size = 128 // storage.itemsize, storage.itemsize
    m = machine(2, ("alu",))
    b = Body()
    views = [b.view((0,), b.symbol(s), (2, 6, lanes), scale=1, dtype=dtype) for s in (-1, -2, -3)]
    pad = b.view((1, 2), b.const(0), (6, lanes), scale=size, dtype=dtype)
    me = b.table(0, 1)

    def point(b: Body, t: int) -> None:
        x, y = (b.load(v, [Dim(0), Dim(1), 0], me, t, lanes=lanes, dtype=dtype) for v in views[:2])
        total = b.compute(op, x, y, lanes=lanes, dtype=dtype)
        b.store(total, pad, [Dim(0), 0], t, lanes=lanes, dtype=dtype)
        again = b.load(pad, [Dim(0), 0], t, lanes=lanes, dtype=dtype)
        b.store(again, views[2], [Dim(0), Dim(1), 0], me, t, lanes=lanes, dtype=dtype)

    b.loop(6, point)
    exe = executable(m, [("alu", (0, 1), b.code)], inputs=3)
    rng = np.random.default_rng(1)
    data = [rng.integers(-9, 9, (2, 6, lanes)).astype(storage) for _ in range(3)]
    results = [launch(exe, data, engine)[0] for engine in ("fast", "checked")]
    for one, other in zip(*results, strict=True):
        assert one.tobytes() == other.tobytes()
    expected = data[0] * data[1] if "mul" in op else data[0] + data[1]
    np.testing.assert_array_equal(results[0][2], expected)


def test_a_transfer_that_writes_one_place_twice() -> None:
    """Elements move in order: the last one stays."""
    m = machine(1, ("dma",))
    b = Body()
    source, target = (b.view((0,), b.symbol(s), (3, LANES), scale=1) for s in (-1, -2))
    ends = access(source, [0, 0], []), access(target, [0, 0], [])
    b.transfer(*ends, [axis(3, (1, 0), (0, 1)), axis(LANES - 2, (0, 1), (0, 1))])
    same_bits(executable(m, [("dma", (0,), b.code)], inputs=2), arrays((3, LANES), (3, LANES)))


def test_masked_units_whose_windows_start_alike() -> None:
    """Windows of different subsets of units are not taken for each other."""
    m = machine(4, ("dma",))
    b = Body()
    shape = (4, 2, LANES)
    source, target = (b.view((0,), b.symbol(s), shape, scale=1) for s in (-1, -2))
    me = b.table(0, 1, 2, 3)
    for n, chosen in enumerate(((1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1))):

        def copy(c: Body, n: int = n) -> None:
            place = [Dim(0), n % 2, 0]
            ends = access(source, place, [me]), access(target, place, [me])
            c.transfer(*ends, [axis(LANES, (0, 0, 1), (0, 0, 1))])

        b.loop(2, lambda c, _, k=chosen, f=copy: branch(c, c.table(*k), f))
    same_bits(executable(m, [("dma", (0, 1, 2, 3), b.code)], inputs=2), arrays(shape, shape))


def test_launches_share_compiled_programs_and_not_data() -> None:
    exe = staged_add()
    for seed in range(3):
        rng = random.Random(seed)
        a, b, out = (values(rng, 2, 3, 256) for _ in range(3))
        result = launch(exe, [a, b, out], "fast")[0][2]
        np.testing.assert_array_equal(result, a + b)


def test_outcome() -> None:
    _, outcome = launch(staged_add(), arrays(*[(2, 3, 256)] * 3), "fast")
    assert outcome.engine == "fast"
    assert outcome.events == []
    assert outcome.complete
    assert outcome.cycles > 0


# --- errors --------------------------------------------------------------------------------------


def broken(kind: str, wanted: type[p.Instr], nth: int) -> p.Executable:
    """A staged add without one instruction."""
    seen = [-1]

    def edit(unit: str, instr: p.Instr) -> p.Instr | None:
        if unit == kind and isinstance(instr, wanted):
            seen[0] += 1
            return None if seen[0] == nth else instr
        return instr

    return staged_add(edit=edit)


def code_of(exe: p.Executable, data: list[np.ndarray]) -> str:
    with pytest.raises(SpyreError) as caught:
        launch(exe, data, "fast")
    assert caught.value.hint
    return caught.value.code


@pytest.mark.parametrize(
    ("kind", "wanted", "code"),
    [
        ("dmaload", p.SyncSend, "SPY510"),
        ("alu", p.Send, "SPY510"),
        ("dmaload", p.SyncReceive, "SPY511"),
    ],
)
def test_missing_partners(kind: str, wanted: type[p.Instr], code: str) -> None:
    assert code_of(broken(kind, wanted, 0), arrays(*[(2, 3, 256)] * 3)) == code
