"""What the fast engine refuses: bounds, read-only memory, unknown ops, types, leftovers."""

from __future__ import annotations

import numpy as np
import pytest
from fast_programs import launch
from handmade import LANES, Body, access, axis, executable, machine, staged_add
from test_fast_programs import arrays, broken, code_of

from spyrelang.affine import Dim
from spyrelang.engines import DeviceMemory, Options, run
from spyrelang.errors import SpyreError
from spyrelang.isa import program as p


def test_leftovers_by_policy() -> None:
    exe, data = broken("dmaload", p.SyncReceive, 0), arrays(*[(2, 3, 256)] * 3)
    for policy, count in (("warn", 1), ("off", 0)):
        memory = DeviceMemory()
        symbols = {-i - 1: memory.bind(a) for i, a in enumerate(data)}
        options = Options(leftovers=policy)  # type: ignore[arg-type]
        outcome = run(exe, memory, symbols, engine="fast", options=options)
        assert len(outcome.warnings) == count


def one_access(
    index: int, *, trips: int = 1, shape: tuple[int, ...] = (4, LANES), store: bool = False
) -> p.Executable:
    """Load (or store) row `index` + trip of a view."""
    m = machine(1, ("alu",))
    b = Body()
    view = b.view((0,), b.symbol(-1), shape, scale=1)
    first = b.load(view, [0, 0])

    def trip(b: Body, t: int) -> None:
        if store:
            b.store(first, view, [Dim(0) + index, 0], t)
        else:
            b.load(view, [Dim(0) + index, 0], t)

    b.loop(trips, trip)
    return executable(m, [("alu", (0,), b.code)], inputs=1)


def test_bounds_of_views_and_regions() -> None:
    assert code_of(one_access(4), arrays((4, LANES))) == "SPY502"
    assert code_of(one_access(-1), arrays((4, LANES))) == "SPY502"
    assert code_of(one_access(1, trips=4), arrays((4, LANES))) == "SPY502"
    assert code_of(one_access(1, trips=4, shape=(9, LANES)), arrays((4, LANES))) == "SPY501"
    launch(one_access(1, trips=3), arrays((4, LANES)), "fast")


def test_read_only_regions() -> None:
    memory, (data,) = DeviceMemory(), arrays((4, LANES))
    address = memory.bind(data, writable=False)
    with pytest.raises(SpyreError) as caught:
        run(one_access(0, store=True), memory, {-1: address}, engine="fast")
    assert caught.value.code == "SPY506"


def test_negative_extents() -> None:
    m = machine(1, ("dma",))
    b = Body()
    view = b.view((0,), b.symbol(-1), (4, LANES), scale=1)

    def trip(b: Body, t: int) -> None:
        count = b.arith("sub", b.const(1), b.arith("mul", t, b.const(2)))
        ends = access(view, [0, 0], []), access(view, [2, 0], [])
        b.transfer(*ends, [axis(count, (0, 1), (0, 1), True)])

    b.loop(3, trip)
    assert code_of(executable(m, [("dma", (0,), b.code)], inputs=1), arrays((4, LANES))) == "SPY524"


def test_division_by_zero() -> None:
    m = machine(1, ("dma",))
    b = Body()
    b.loop(3, lambda c, t: c.arith("divsi", c.const(4), t))
    assert code_of(executable(m, [("dma", (0,), b.code)]), []) == "SPY514"


def test_unknown_ops_name_their_place() -> None:
    m = machine(1, ("dma",))
    b = Body()
    b.compute("vectorchain.binary.ad")
    with pytest.raises(SpyreError) as caught:
        launch(executable(m, [("dma", (0,), b.code)]), [], "fast")
    assert caught.value.location is not None


def test_vector_types_must_agree() -> None:
    m = machine(1, ("a", "b"))
    a, b = Body(), Body(line=50)
    view = a.view((0,), a.symbol(-1), (4, LANES), scale=1)
    a.loop(4, lambda c, t: c.send(c.load(view, [Dim(0), 0], t), 1))
    b.loop(4, lambda c, t: c.receive(0, lanes=32))
    exe = executable(m, [("a", (0,), a.code), ("b", (1,), b.code)], inputs=1)
    assert code_of(exe, arrays((4, LANES))) == "SPY513"


def test_scratchpad_bounds() -> None:
    m = machine(1, ("alu",))
    b = Body()
    view = b.view((1,), b.const(65536 // 2 - 32), (LANES,))
    b.load(view, [0])
    assert code_of(executable(m, [("alu", (0,), b.code)]), []) == "SPY501"


def test_written_bytes_count_as_defined() -> None:
    memory = DeviceMemory()
    a, b = arrays((2, 3, 256), (2, 3, 256))
    out = memory.allocate(a.nbytes)
    symbols = {-1: memory.bind(a), -2: memory.bind(b), -3: out}
    run(staged_add(), memory, symbols, engine="fast")
    region = memory.at(out)
    assert region.defined is not None
    assert region.defined.all()
    np.testing.assert_array_equal(region.data.view(np.float16).reshape(a.shape), a + b)
