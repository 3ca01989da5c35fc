"""What the checked engine computes and reports on sound programs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from handmade import LANES, Body, access, axis, executable, machine, staged_add, word_symbol

from spyrelang.affine import Dim
from spyrelang.engines import DeviceMemory, Options, Outcome, checked, run
from spyrelang.errors import SpyreError
from spyrelang.isa import program as p
from spyrelang.isa.symbols import evaluate


def bitstream(b: Body, dtype: str, *bits: int) -> int:
    return b.compute(
        "vectorchain.constant_bitstream",
        lanes=len(bits),
        dtype=dtype,
        attrs=(("value", bits),),
    )


def one_unit(b: Body, **kw: object) -> p.Executable:
    return executable(machine(1), [("alu", (2,), b.code)], **kw)  # type: ignore[arg-type]


def store_out(b: Body, value: int, lanes: int, dtype: str, *, size: int = 2) -> None:
    view = b.view((0,), b.symbol(-1), (lanes,), scale=1, dtype=dtype)
    del size
    b.store(value, view, [0], lanes=lanes, dtype=dtype)


def result_of(b: Body, lanes: int, dtype: type, **kw: object) -> tuple[np.ndarray, Outcome]:
    memory, out = DeviceMemory(), np.zeros(lanes, dtype)
    at = memory.bind(out, name="out")
    outcome = run(one_unit(b, inputs=1), memory, {-1: at}, engine="checked", **kw)  # type: ignore[arg-type]
    return out, outcome


# --- poison --------------------------------------------------------------------------------------


def half_written(b: Body) -> int:
    """A register with 8 lanes of which the last four are unwritten."""
    view = b.view((1,), b.const(0), (8,))
    b.store(bitstream(b, "f16", 0x3C00, 0x4000, 0x4200, 0x4400), view, [0], lanes=4)
    return b.load(view, [0], lanes=8)


def test_poison_passes_lane_by_lane_and_counts() -> None:
    b = Body()
    x = half_written(b)
    store_out(b, b.compute("vectorchain.binary.add", x, x, lanes=8), 8, "f16")
    with pytest.raises(SpyreError) as caught:
        result_of(b, 8, np.float16)
    assert caught.value.code == "SPY505"
    assert "4 of 8" in caught.value.message
    assert "at 0x8 of C0-sp" in caught.value.notes[0].message


def test_a_selection_takes_only_the_chosen_side() -> None:
    b = Body()
    x = half_written(b)
    zero = bitstream(b, "f16", *[0] * 8)
    mask = b.compute(
        "vectorchain.create_affine_mask",
        lanes=8,
        dtype="i1",
        attrs=(("lanes", 8), ("mask_set", "affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>")),
    )
    store_out(b, b.compute("vectorchain.element_wise_selection", mask, x, zero, lanes=8), 8, "f16")
    out, _ = result_of(b, 8, np.float16)
    assert out.tolist() == [1, 2, 3, 4, 0, 0, 0, 0]


def test_a_shuffle_moves_poison_with_its_lanes() -> None:
    for indices, clean in (((3, 2, 1, 0), True), ((3, 4, 1, 0), False)):
        b = Body()
        x = half_written(b)
        attrs = (("indices", indices), ("repetition", 1))
        store_out(b, b.compute("vectorchain.shuffle", x, lanes=4, attrs=attrs), 4, "f16")
        if clean:
            assert result_of(b, 4, np.float16)[0].tolist() == [4, 3, 2, 1]
        else:
            with pytest.raises(SpyreError, match="1 of 4"):
                result_of(b, 4, np.float16)


def test_a_rotation_moves_poison_and_takes_a_number() -> None:
    b = Body()
    y = b.compute("vectorchain.rotate", half_written(b), b.const(1), lanes=8)
    view = b.view((1,), b.const(512), (8,))
    b.store(y, view, [0], lanes=8)
    store_out(b, b.load(view, [1], lanes=4), 4, "f16")
    assert result_of(b, 4, np.float16)[0].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(("order", "count"), [("left_to_right", 4), ("right_to_left", 8)])
def test_a_scan_passes_poison_on_in_its_direction(order: str, count: int) -> None:
    b = Body()
    attrs = (("eval_order", order), ("gap", 4))
    y = b.compute("vectorchain.scan_with_gap.add", half_written(b), lanes=8, attrs=attrs)
    store_out(b, y, 8, "f16")
    with pytest.raises(SpyreError, match=f"{count} of 8"):
        result_of(b, 8, np.float16)


@pytest.mark.parametrize(("divisor", "lanes", "count"), [(4, 2, 1), (8, 1, 1), (1, 8, 4)])
def test_a_sum_across_lanes_takes_poison_along(divisor: int, lanes: int, count: int) -> None:
    b = Body()
    x = half_written(b)
    summing = f"affine_map<(d0) -> (d0 floordiv {divisor})>"
    attrs = (("lanes", lanes), ("reduction_map", summing))
    store_out(b, b.compute("vectorchain.multiply", x, x, lanes=lanes, attrs=attrs), lanes, "f16")
    with pytest.raises(SpyreError, match=f"{count} of {lanes}"):
        result_of(b, lanes, np.float16)


def test_a_fused_multiply_add_leaves_poison_in_its_lane() -> None:
    b = Body()
    x = half_written(b)
    attrs = (("reduction_map", "affine_map<(d0) -> (d0)>"),)
    y = b.compute("vectorchain.multiply_and_accumulate", x, x, x, lanes=8, attrs=attrs)
    store_out(b, y, 8, "f16")
    with pytest.raises(SpyreError, match="4 of 8"):
        result_of(b, 8, np.float16)


def test_padding_lanes_may_be_poison_while_they_stay_on_chip() -> None:
    b = Body()
    view = b.view((1,), b.const(512), (8,))
    b.store(half_written(b), view, [0], lanes=8)
    store_out(b, b.load(view, [0], lanes=4), 4, "f16")
    out, outcome = result_of(b, 4, np.float16)
    assert out.tolist() == [1, 2, 3, 4]
    assert not outcome.warnings


def test_unwritten_device_memory_is_poison_too() -> None:
    b = Body()
    view = b.view((0,), b.symbol(-1), (64,), scale=1)
    b.store(b.load(view, [0]), view, [0])
    memory = DeviceMemory()
    at = memory.allocate(128, name="scratch")
    with pytest.raises(SpyreError) as caught:
        run(one_unit(b, inputs=1), memory, {-1: at}, engine="checked")
    assert caught.value.code == "SPY505"


# --- shapes and types ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "numpy"), [("i8", np.int8), ("f32", np.float32), ("i64", np.int64), ("i1", np.bool_)]
)
def test_element_types(dtype: str, numpy: type) -> None:
    b = Body()
    store_out(b, bitstream(b, dtype, 1, 0, 1), 3, dtype)
    out, _ = result_of(b, 3, numpy)
    assert out.view(f"u{out.itemsize}").tolist() == [1, 0, 1]


def test_a_transfer_transposes_when_its_axes_say_so() -> None:
    rows, cols = 3, 5
    b = Body()
    source = b.view((0,), b.symbol(-1), (rows, cols), scale=1)
    target = b.view((0,), b.symbol(-2), (cols, rows), scale=1)
    axes = [axis(rows, (1, 0), (0, 1)), axis(cols, (0, 1), (1, 0))]
    b.transfer(access(source, [0, 0], []), access(target, [0, 0], []), axes)
    memory, x = DeviceMemory(), np.arange(15, dtype=np.float16).reshape(rows, cols)
    out = np.zeros((cols, rows), np.float16)
    values = {-1: memory.bind(x), -2: memory.bind(out)}
    run(one_unit(b, inputs=2), memory, values, engine="checked")
    assert (out == x.T).all()


@pytest.mark.parametrize("count", [0, 1, 7])
def test_dynamic_extents(count: int) -> None:
    b = Body()
    source = b.view((0,), b.symbol(-1), (7,), scale=1)
    target = b.view((0,), b.symbol(-2), (7,), scale=1)
    axes = [axis(b.const(count), (1,), (1,), dynamic=True)]
    b.transfer(access(source, [0], []), access(target, [0], []), axes)
    memory, x = DeviceMemory(), np.arange(1, 8, dtype=np.float16)
    out = np.zeros(7, np.float16)
    values = {-1: memory.bind(x), -2: memory.bind(out)}
    outcome = run(one_unit(b, inputs=2), memory, values, engine="checked")
    assert out.tolist() == [*range(1, count + 1), *[0] * (7 - count)]
    assert int(outcome.coverage[1].written.sum()) == 2 * count


def test_carried_values_and_branches() -> None:
    """Powers of two by a loop that carries a vector and a number; odd trips are skipped."""
    b = Body()
    one = bitstream(b, "f16", *[0x3C00] * 4)
    zero, upper, step = b.const(0), b.const(6), b.const(1)
    vector, number, iv = b.reg(), b.reg(), b.reg()
    results = b.reg(), b.reg()
    inner = Body(b.next, 50)
    odd = inner.arith("remsi", iv, inner.const(2))
    then = Body(inner.next, 60)
    doubled = then.compute("vectorchain.binary.add", vector, vector, lanes=4)
    merged = then.reg()
    count = Body(then.next, 70)
    even = count.arith("cmp_eq", odd, zero)
    more = count.arith("add", number, step)
    branch = p.If(55, even, tuple(then.code), (), (doubled,), (vector,), (merged,))
    body = (*inner.code, *count.code, branch)
    b.put(
        p.For(
            49, iv, zero, upper, step, body, (one, zero), (vector, number), (merged, more), results
        )
    )
    b.next = count.next
    store_out(b, results[0], 4, "f16")
    out, _ = result_of(b, 4, np.float16)
    assert out.tolist() == [8.0] * 4


# --- programs ------------------------------------------------------------------------------------


def test_programs_run_one_after_the_other_and_share_memory() -> None:
    """Each call adds its number to an accumulator that stays in the scratchpad."""
    cores = 2
    b = Body(1)
    core, zero = b.table(*range(cores)), b.const(0)
    out = b.view((0,), b.symbol(-1), (cores, 64), scale=1)
    pad = b.view((1, 2), zero, (64,))
    first = b.arith("cmp_eq", 0, zero)
    start = Body(b.next, 30)
    start.store(bitstream(start, "f16", *[0x3C00] * 64), pad, [0])
    b.put(p.If(29, first, tuple(start.code)))
    b.next = start.next
    x = b.load(pad, [0])
    b.store(b.compute("vectorchain.binary.add", x, x), pad, [0])
    b.store(x, out, [Dim(0), 0], core)
    o = Body(line=300)
    o.loop(4, lambda o, i: o.put(p.Call(0, 0, (i,))))
    exe = executable(
        machine(cores), [("alu", (4, 5), b.code)], inputs=1, params=1, orchestrator=o.code
    )
    memory, array = DeviceMemory(), np.zeros((cores, 64), np.float16)
    outcome = run(exe, memory, {-1: memory.bind(array)}, engine="checked")
    assert (array == 8).all()
    assert not outcome.coverage[0].twice
    assert outcome.cycles > 4


def test_cores_may_make_different_numbers_of_calls() -> None:
    b = Body()
    core = b.table(0, 1)
    out = b.view((0,), b.symbol(-1), (2, 64), scale=1)
    x = b.load(out, [Dim(0), 0], core)
    b.store(b.compute("vectorchain.binary.add", x, x), out, [Dim(0), 0], core)
    o = Body(line=300)
    trips, zero, one = o.table(1, 3), o.const(0), o.const(1)
    o.loop_over(zero, trips, one, lambda o, i: o.put(p.Call(0, 0)))
    exe = executable(machine(2), [("alu", (4, 5), b.code)], inputs=1, orchestrator=o.code)
    memory, array = DeviceMemory(), np.ones((2, 64), np.float16)
    run(exe, memory, {-1: memory.bind(array)}, engine="checked")
    assert (array == [[2], [8]]).all()


def test_each_unit_has_its_own_register_memory() -> None:
    b = Body()
    core = b.table(0, 1)
    regs = b.view((3,), b.const(0), (64,))
    out = b.view((0,), b.symbol(-1), (2, 64), scale=1)
    b.store(b.load(out, [Dim(0), 0], core), regs, [0])
    b.store(b.load(regs, [0]), out, [Dim(0), 0], core)
    exe = executable(machine(2), [("alu", (4, 5), b.code)], inputs=1)
    memory, array = DeviceMemory(), np.arange(128, dtype=np.float16).reshape(2, 64)
    run(exe, memory, {-1: memory.bind(array)}, engine="checked")
    assert (array == np.arange(128).reshape(2, 64)).all()


# --- sampling, events, progress ------------------------------------------------------------------


def add_inputs(cores: int, tiles: int, vectors: int) -> tuple[DeviceMemory, dict[int, int], list]:
    memory, rng = DeviceMemory(), np.random.default_rng(3)
    shape = (cores, tiles, vectors * LANES)
    a, b = (rng.standard_normal(shape).astype(np.float16) for _ in range(2))
    out = np.zeros_like(a)
    values = {
        -1: memory.bind(a, writable=False),
        -2: memory.bind(b, writable=False),
        -3: memory.bind(out, name="out", defined=False),
    }
    return memory, values, [a, b, out]


def test_beyond_the_limit_three_cores_are_simulated() -> None:
    cores, tiles, vectors = 5, 2, 2
    exe = staged_add(cores=cores, tiles=tiles, vectors=vectors)
    memory, values, (a, b, out) = add_inputs(cores, tiles, vectors)
    symbols = evaluate(exe, values)
    outcome = checked.run(exe, memory, symbols, seed=1, options=Options(full_limit=10))
    assert len(outcome.cores) == 3
    assert {0, 4} <= set(outcome.cores)
    assert not outcome.complete
    assert "of 5" in outcome.reports[0]
    for core in range(cores):
        assert (out[core] == a[core] + b[core]).all() == (core in outcome.cores)
    others = {checked.choose(exe, symbols, Options(full_limit=10), s)[0] for s in range(20)}
    assert len(others) == 3


def test_beyond_the_limit_all_outputs_are_there_all_the_same() -> None:
    exe = staged_add(cores=5)
    memory, values, (a, b, out) = add_inputs(5, 3, 4)
    outcome = run(exe, memory, values, engine="checked", options=Options(full_limit=10))
    assert (out == a + b).all()
    assert outcome.complete
    assert len(outcome.cores) == 3
    assert len(outcome.reports) == 2


def test_the_step_estimate_is_right_where_bounds_are_constant() -> None:
    exe = staged_add(cores=2, tiles=3, vectors=4)
    memory, values, _ = add_inputs(2, 3, 4)
    symbols = evaluate(exe, values)
    cores, expected = checked.choose(exe, symbols, Options(), 0)
    outcome = checked.run(exe, memory, symbols)
    transfers = 2 * 3 * 3
    assert cores == (0, 1)
    assert expected == outcome.steps + transfers * 4  # a transfer counts its 4 vectors as well


def test_chosen_cores_only() -> None:
    exe = staged_add(cores=4)
    memory, values, (a, b, out) = add_inputs(4, 3, 4)
    checked.run(exe, memory, evaluate(exe, values), options=Options(cores=(2,)))
    assert (out[2] == a[2] + b[2]).all()
    assert not out[0].any()


def test_cores_that_talk_are_simulated_together() -> None:
    m = machine(4, ("alu",))
    b = Body()
    b.signal(1, 0, 3, 2)
    b.wait(1, 0, 3, 2)
    exe = executable(m, [("alu", (0, 1, 2, 3), b.code)])
    assert checked.choose(exe, {}, Options(cores=(2,)), 0)[0] == (2, 3)


def test_events_tell_who_did_what_when() -> None:
    exe = staged_add()
    memory, values, _ = add_inputs(2, 3, 4)
    outcome = run(exe, memory, values, engine="checked")
    transfers = [e for e in outcome.events if e.op == "transfer"]
    assert len(transfers) == 18
    assert all(e.bytes == 512 and e.lane == "dma" and e.end > e.start for e in transfers)
    adds = [e for e in outcome.events if e.op == "binary.add"]
    assert len(adds) == 24
    assert exe.machine.units[adds[0].unit].kind == "alu"
    assert outcome.cycles == max(e.end for e in outcome.events)
    assert not run(exe, memory, values, engine="checked", options=Options(events=False)).events


def test_more_bandwidth_and_copies_take_fewer_cycles() -> None:
    memory, values, _ = add_inputs(2, 3, 4)

    def cycles(copies: int, bandwidth: int) -> int:
        exe = staged_add(copies=copies)
        links = (
            *exe.machine.links,
            p.Link("ddr", "dmaload", 0, bandwidth),
            p.Link("sp", "dmastore", 0, bandwidth),
        )
        exe = replace(exe, machine=replace(exe.machine, links=links))
        return run(exe, memory, values, engine="checked").cycles

    assert cycles(2, 16) < cycles(1, 16)
    assert cycles(2, 256) < cycles(2, 16)


def test_the_same_seed_gives_the_same_run() -> None:
    exe = staged_add()

    def events(seed: int) -> list[tuple[int, str, int]]:
        memory, values, _ = add_inputs(2, 3, 4)
        outcome = run(exe, memory, values, engine="checked", seed=seed)
        return [(e.unit, e.op, e.loc) for e in outcome.events]

    assert events(4) == events(4)
    assert events(4) != events(5)


def test_an_interrupt_leaves_memory_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    exe = staged_add()
    memory, values, (a, b, out) = add_inputs(2, 3, 4)
    calls = 0

    def interrupt(*_: object) -> None:
        nonlocal calls
        calls += 1
        raise KeyboardInterrupt

    monkeypatch.setattr("spyrelang.engines.checked.scheduler._REPORT_EVERY", -1.0)
    with pytest.raises(KeyboardInterrupt):
        run(exe, memory, values, engine="checked", progress=interrupt)
    assert calls == 1
    run(exe, memory, values, engine="checked", progress=lambda done, total: None)
    assert (out == a + b).all()


def test_unknown_engines_and_options() -> None:
    exe = staged_add()
    for bad in (
        lambda: checked.choose(exe, {}, Options(cores=(2,)), 0),
        lambda: checked.choose(exe, {}, Options(cores=()), 0),
        lambda: Options(timing="never"),  # type: ignore[arg-type]
        lambda: Options(races="maybe"),  # type: ignore[arg-type]
        lambda: Options(full_limit=-1),
        lambda: Options(burst=True),
    ):
        with pytest.raises(SpyreError) as caught:
            bad()
        assert caught.value.code == "SPY523"
        assert isinstance(caught.value, ValueError)
    with pytest.raises(SpyreError) as caught:
        run(exe, DeviceMemory(), {-1: 0, -2: 0, -3: 0}, engine="chekced")
    assert caught.value.code == "SPY822"


def test_symbols_may_come_from_a_corrected_pool() -> None:
    symbol = word_symbol(-4, -1)
    b = Body()
    view = b.view((0,), b.symbol(-4), (64,), scale=64)
    b.store(b.load(view, [0]), view, [0])
    memory, array = DeviceMemory(), np.ones(64, np.float16)
    at = memory.bind(array)
    exe = one_unit(b, inputs=1, symbols=[symbol])
    run(exe, memory, {-4: at // 64}, engine="checked")
