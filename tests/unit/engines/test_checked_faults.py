"""Every check of the checked engine fires on a program that is broken in one place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from handmade import Body, access, axis, executable, machine, staged_add

from spyrelang.affine import Dim
from spyrelang.engines import DeviceMemory, Options, Outcome, run
from spyrelang.errors import SpyreError
from spyrelang.isa import program as p

CORES, TILES, ROW = 2, 3, 256


def launch(exe: p.Executable, **kw: object) -> tuple[Outcome, np.ndarray, np.ndarray]:
    """Run a staged add: outcome, result, expected result."""
    memory, rng = DeviceMemory(), np.random.default_rng(0)
    a, b = (rng.standard_normal((CORES, TILES, ROW)).astype(np.float16) for _ in range(2))
    out = np.zeros_like(a)
    values = {
        -1: memory.bind(a, name="a", writable=False),
        -2: memory.bind(b, name="b", writable=False),
        -3: memory.bind(out, name="out", defined=False),
    }
    outcome = run(exe, memory, values, engine="checked", **kw)  # type: ignore[arg-type]
    return outcome, out, a + b


def fails(code: str, exe: p.Executable, **kw: object) -> SpyreError:
    with pytest.raises(SpyreError) as caught:
        launch(exe, **kw)
    assert caught.value.code == code, str(caught.value)
    return caught.value


def refused(code: str, exe: p.Executable) -> SpyreError:
    """The error of a program without arguments."""
    with pytest.raises(SpyreError) as caught:
        run(exe, DeviceMemory(), {}, engine="checked")
    assert caught.value.code == code, str(caught.value)
    return caught.value


def editing(
    kind: str, wanted: type[p.Instr], change: Callable[[p.Instr], p.Instr | None], nth: int = 0
) -> p.Executable:
    """A staged add whose nth instruction of a class in one unit is changed."""
    seen = -1

    def edit(unit: str, instr: p.Instr) -> p.Instr | None:
        nonlocal seen
        if unit != kind or not isinstance(instr, wanted):
            return instr
        seen += 1
        return change(instr) if seen == nth else instr

    exe = staged_add(edit=edit)
    assert seen >= nth
    return exe


def drop(instr: p.Instr) -> None:
    del instr


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("timing", ["late", "early", "random"])
@pytest.mark.parametrize("copies", [1, 2, 3])
def test_the_unbroken_program_is_right_and_clean(copies: int, timing: str, seed: int) -> None:
    options = Options(timing=timing)  # type: ignore[arg-type]
    outcome, out, expected = launch(staged_add(copies=copies), options=options, seed=seed)
    assert (out == expected).all()
    assert not outcome.warnings
    (coverage,) = outcome.coverage
    assert coverage.name == "out"
    assert coverage.complete
    assert not coverage.twice


def test_order_by_pipeline_is_right_too() -> None:
    _, out, expected = launch(staged_add(), options=Options(order="pipeline", burst=1000))
    assert (out == expected).all()


def test_a_send_removed_is_a_deadlock_that_names_every_blocked_unit() -> None:
    error = fails("SPY510", editing("spload", p.Send, drop))
    text = str(error)
    assert "C0-alu waits for a vector from C0-spload" in text
    assert "toy.mlir:" in text
    assert "C1-spstore waits for a vector from C1-alu" in text


def test_a_deadlock_tells_when_the_awaited_unit_cannot_help() -> None:
    m = machine(1)
    b = Body()
    b.receive(3)
    assert "which has no part in this program" in str(
        refused("SPY510", executable(m, [("alu", (2,), b.code)]))
    )
    idle = Body()
    ended = executable(m, [("alu", (2,), b.code), ("spstore", (3,), idle.code)])
    assert "a vector from C0-spstore, which has ended" in str(refused("SPY510", ended))


@pytest.mark.parametrize(("timing", "clean"), [("late", False), ("early", True)])
def test_a_transfer_nobody_waits_for_is_late_until_the_program_ends(
    timing: str, clean: bool
) -> None:
    """Without race checks: the other unit starts last and still finds nothing."""
    m = machine(1)
    fill, use = Body(), Body(line=100)
    source = fill.view((0,), fill.symbol(-1), (64,), scale=1)
    pad = fill.view((1,), fill.const(0), (64,))
    fill.transfer(access(source, [0], []), access(pad, [0], []), [axis(64, (1,), (1,))])
    fill.signal(2, wait=False)
    use.wait(0)
    x = use.load(use.view((1,), use.const(0), (64,)), [0])
    use.store(x, use.view((0,), use.symbol(-2), (64,), scale=1), [0])
    parts = [("dmaload", (0,), fill.code), ("alu", (2,), use.code)]
    memory, array, out = DeviceMemory(), np.ones(64, np.float16), np.zeros(64, np.float16)
    values = {-1: memory.bind(array), -2: memory.bind(out)}
    options = Options(races="off", poison="warn", timing=timing)  # type: ignore[arg-type]
    outcome = run(executable(m, parts, inputs=2), memory, values, engine="checked", options=options)
    assert (out == 1).all() == clean
    assert (not outcome.warnings) == clean


def test_a_signal_removed_is_a_deadlock() -> None:
    error = fails("SPY510", editing("dmaload", p.SyncSend, drop))
    assert "waits for a signal from C0-dmaload" in str(error)


def test_a_signal_and_its_receive_removed_is_a_race() -> None:
    def edit(kind: str, instr: p.Instr) -> p.Instr | None:
        if kind == "dmaload" and isinstance(instr, p.SyncSend):
            return None
        if kind == "spload" and isinstance(instr, p.SyncReceive):
            return None
        return instr

    error = fails("SPY504", staged_add(edit=edit))
    assert "C0-sp" in str(error) or "C1-sp" in str(error)
    assert "dmaload" in str(error)
    assert "spload" in str(error)
    assert error.notes
    assert error.notes[0].location is not None


def test_credits_removed_is_a_race() -> None:
    def edit(kind: str, instr: p.Instr) -> p.Instr | None:
        if kind == "dmaload" and isinstance(instr, p.SyncReceive):
            return None
        if kind == "spload" and isinstance(instr, p.SyncSend):
            return None
        return instr

    fails("SPY504", staged_add(edit=edit))


@pytest.mark.parametrize("timing", ["late", "early", "random"])
@pytest.mark.parametrize("kind", ["dmaload", "dmastore"])
def test_a_wait_dropped_is_a_race_whatever_the_timing(kind: str, timing: str) -> None:
    def unwaited(instr: p.Instr) -> p.Instr:
        assert isinstance(instr, p.SyncSend)
        return replace(instr, wait=False)

    nth = 0 if kind == "dmaload" else 1
    options = Options(timing=timing)  # type: ignore[arg-type]
    fails("SPY504", editing(kind, p.SyncSend, unwaited, nth), options=options)


def test_late_transfers_show_in_the_numbers_when_races_only_warn() -> None:
    def unwaited(instr: p.Instr) -> p.Instr:
        assert isinstance(instr, p.SyncSend)
        return replace(instr, wait=False)

    exe = editing("dmaload", p.SyncSend, unwaited)
    options = Options(races="warn", poison="warn")
    outcome, out, expected = launch(exe, options=options)
    assert {w.code for w in outcome.warnings} == {"SPY504", "SPY505"}
    assert (out != expected).any()


def test_unwritten_scratchpad_data_is_reported_at_device_memory() -> None:
    options = Options(races="off")
    error = fails("SPY505", editing("dmaload", p.Transfer, drop, 1), options=options)
    assert "256 of 256" in str(error)
    assert "-sp" in error.notes[0].message


def test_buffers_swapped_is_a_race() -> None:
    def other_slot(instr: p.Instr) -> p.Instr:
        assert isinstance(instr, p.Transfer)
        target = replace(instr.target, index=(1 - Dim(0), instr.target.index[1]))
        return replace(instr, target=target)

    fails("SPY504", editing("dmaload", p.Transfer, other_slot))


def test_an_address_shifted_overlaps_another_buffer() -> None:
    def shifted(instr: p.Instr) -> p.Instr:
        assert isinstance(instr, p.View)
        return replace(instr, base=instr.base - 64)

    fails("SPY504", editing("spstore", p.View, shifted))


def test_a_fifo_too_small_is_a_deadlock() -> None:
    m = machine(1, ("left", "right"), depth=2)

    def exchange(me: Body, other: int, pad: int) -> None:
        view = me.view((1,), me.const(pad), (4, 64))
        zero = me.compute("vectorchain.constant_bitstream", lanes=64, attrs=(("value", (0,) * 64),))
        me.store(zero, view, [0, 0])
        for _ in range(3):
            me.send(me.load(view, [0, 0]), other)
        for _ in range(3):
            me.receive(other)

    bodies = [Body(), Body(line=100)]
    exchange(bodies[0], 1, 0)
    exchange(bodies[1], 0, 1024)
    parts = [(k, (i,), bodies[i].code) for i, k in enumerate(("left", "right"))]
    roomy = replace(m, links=(p.Link("left", "right", 4), p.Link("right", "left", 4)))
    run(executable(roomy, parts), DeviceMemory(), {}, engine="checked")
    tight = replace(m, links=(p.Link("LEFT", "right", 2), p.Link("right", "LEFT", 2)))
    error = refused("SPY510", executable(tight, parts))
    assert "room for a vector to C0-right (all 2 slots are used)" in str(error)


def test_signals_left_over() -> None:
    def twice(instr: p.Instr) -> p.Instr:
        assert isinstance(instr, p.For)
        return replace(instr, body=instr.body + instr.body[-1:])

    quiet = Options(races="off", poison="off")
    error = fails("SPY511", editing("dmaload", p.For, twice), options=quiet)
    assert "C0-dmaload to C0-spload" in str(error) or "C1-dmaload to C1-spload" in str(error)
    options = replace(quiet, leftovers="warn")
    outcome, _, _ = launch(editing("dmaload", p.For, twice), options=options)
    assert {w.code for w in outcome.warnings} == {"SPY511"}


def test_vectors_left_over() -> None:
    m = machine(1)
    b = Body()
    vector = b.compute("vectorchain.constant_bitstream", attrs=(("value", (0,) * 64),))
    b.send(vector, 2)
    refused("SPY512", executable(m, [("spload", (1,), b.code)]))


def test_vector_lengths_disagree() -> None:
    def shorter(instr: p.Instr) -> p.Instr:
        assert isinstance(instr, p.Receive)
        return replace(instr, lanes=32)

    error = fails("SPY513", editing("spstore", p.Receive, shorter))
    assert "vector<32xf16>" in str(error)
    assert "vector<64xf16>" in str(error)


def test_subscripts_outside_the_view() -> None:
    def far(instr: p.Instr) -> p.Instr:
        assert isinstance(instr, p.Load)
        index = (instr.access.index[0], instr.access.index[1] + 64)
        return replace(instr, access=replace(instr.access, index=index))

    error = fails("SPY502", editing("spload", p.Load, far))
    assert "coordinate 319 of dimension 1" in str(error)


def test_bytes_outside_every_region() -> None:
    def wider(instr: p.Instr) -> p.Instr:
        assert isinstance(instr, p.View)
        return replace(instr, strides=(ROW * TILES + 64, *instr.strides[1:]))

    error = fails("SPY501", editing("dmaload", p.View, wider))
    assert "nearest is a (" in str(error)


def test_bytes_outside_the_scratchpad() -> None:
    def far(instr: p.Instr) -> p.Instr:
        assert isinstance(instr, p.View)
        return replace(instr, base=65536 // 2 - 64)

    assert "-sp (0x0 to 0xffff)" in str(fails("SPY501", editing("spload", p.View, far)))


def test_misaligned_elements() -> None:
    m, b = machine(1), Body()
    view = b.view((1,), b.const(1), (64,), scale=1)
    b.load(view, [0])
    refused("SPY503", executable(m, [("spload", (1,), b.code)]))


def test_stores_to_an_input() -> None:
    def swapped(instr: p.Instr) -> p.Instr:
        assert isinstance(instr, p.Symbol)
        return replace(instr, ids=(-4,))

    error = fails("SPY506", editing("dmastore", p.Symbol, swapped))
    assert "stores to a," in str(error)


def test_two_cores_that_write_one_element_race() -> None:
    def same(instr: p.Instr) -> p.Instr:
        assert isinstance(instr, p.Table)
        return replace(instr, values=(0, 0))

    options = Options(poison="off")
    error = fails("SPY504", editing("dmastore", p.Table, same), options=options)
    assert "C0-dmastore" in str(error)
    assert "C1-dmastore" in str(error)
    outcome, _, _ = launch(editing("dmastore", p.Table, same), options=Options(races="warn"))
    (coverage,) = outcome.coverage
    assert not coverage.complete
    assert {(a, b) for _, _, a, b in coverage.twice} <= {(0, 1), (1, 0)}
    assert coverage.twice


def test_index_arithmetic_without_a_result() -> None:
    for op in ("divsi", "remui"):
        b = Body()
        b.arith(op, b.const(1), b.const(0))
        refused("SPY514", executable(machine(1), [("spload", (1,), b.code)]))
    b = Body()
    b.loop_over(b.const(0), b.const(1), b.const(0), lambda b, i: None)
    refused("SPY514", executable(machine(1), [("spload", (1,), b.code)]))


def test_a_negative_extent() -> None:
    b = Body()
    view = b.view((1,), b.const(0), (64,))
    here = access(view, [0], [])
    b.transfer(here, here, [axis(b.const(-1), (1,), (1,), dynamic=True)])
    refused("SPY524", executable(machine(1), [("spload", (1,), b.code)]))


def test_a_malformed_program_is_refused() -> None:
    def wild(instr: p.Instr) -> p.Instr:
        assert isinstance(instr, p.Send)
        return replace(instr, value=999)

    fails("SPY524", editing("spload", p.Send, wild))
    fails("SPY524", editing("spload", p.Send, lambda i: replace(i, peers=(99,))))  # type: ignore[type-var]


def rendezvous(tiles: int) -> p.Executable:
    """A single buffer with one rendezvous a tile: the refill races with the reader."""
    m = machine(1)
    fill, use = Body(), Body(line=100)
    source = fill.view((0,), fill.symbol(-1), (tiles, 64), scale=1)
    pad = fill.view((1,), fill.const(0), (64,))

    def refill(b: Body, t: int) -> None:
        b.transfer(access(source, [Dim(0), 0], [t]), access(pad, [0], []), [axis(64, (0, 1), (1,))])
        b.signal(2)
        b.wait(2)

    fill.loop(tiles, refill)
    place = use.view((1,), use.const(0), (64,))
    out = use.view((0,), use.symbol(-2), (tiles, 64), scale=1)

    def drain(b: Body, t: int) -> None:
        b.signal(0)
        b.wait(0)
        b.store(b.load(place, [0]), out, [Dim(0), 0], t)

    use.loop(tiles, drain)
    return executable(m, [("dmaload", (0,), fill.code), ("alu", (2,), use.code)], inputs=2)


def run_rendezvous(options: Options, seed: int = 0) -> tuple[Outcome, bool]:
    memory = DeviceMemory()
    x = np.arange(5 * 64, dtype=np.float16).reshape(5, 64)
    y = np.zeros_like(x)
    values = {-1: memory.bind(x), -2: memory.bind(y)}
    outcome = run(rendezvous(5), memory, values, engine="checked", seed=seed, options=options)
    return outcome, bool((y == x).all())


@pytest.mark.parametrize("seed", range(5))
def test_a_single_buffer_with_one_rendezvous_is_a_race_under_any_seed(seed: int) -> None:
    with pytest.raises(SpyreError) as caught:
        run_rendezvous(Options(), seed)
    assert caught.value.code == "SPY504"


def test_in_order_the_numbers_of_a_racy_program_come_out() -> None:
    options = Options(timing="early", order="pipeline", burst=10**6, races="warn", poison="warn")
    outcome, right = run_rendezvous(options)
    assert right
    assert {w.code for w in outcome.warnings} == {"SPY504"}
    assert not all(
        run_rendezvous(replace(options, timing="late", order="random"), s)[1] for s in range(5)
    )
