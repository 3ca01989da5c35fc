"""Loops, blocks and several dependent programs in one kernel."""

from __future__ import annotations

import numpy as np
import pytest
from acceptance import DEVICES, agrees, data, f16, f32

import spyrelang as spyre
import spyrelang.language as spy


@spyre.kernel
def row_loop(x: spy.In, y: spy.In, out: spy.Out):
    for i in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
        out[i, :] = spy.load(x[i, :]) * spy.load(y[i, :]) + 1


@spyre.kernel
def block_loop(x: spy.In, y: spy.In, out: spy.Out):
    for rows in spy.blocks(x.shape[0], 3):
        out[rows, :] = spy.load(x[rows, :]) - spy.load(y[rows, :])


@spyre.kernel
def two_loops(x: spy.In, y: spy.In, out: spy.Out):
    for i in spy.range(spy.tile_id() * 2, x.shape[0], spy.num_tiles() * 2):
        for j in spy.range(0, x.shape[1], 50):
            here = (slice(i, i + 2), slice(j, j + 50))
            out[here] = spy.load(x[here]) - spy.load(y[here])


@spyre.kernel
def unrolled(x: spy.In, y: spy.In, out: spy.Out):
    share = x.shape[0] // spy.num_tiles()
    for i in range(share):
        row = spy.tile_id() * share + i
        out[row, :] = spy.load(x[row, :]) - spy.load(y[row, :]) * i


@pytest.mark.parametrize("shape", [(14, 64), (13, 100), (28, 150)])
@pytest.mark.parametrize("grid", [1, 2, 7])
def test_loops(grid: int, shape: tuple[int, int]) -> None:
    inputs = [data(shape, seed=s) for s in (1, 2)]
    agrees(row_loop, inputs, lambda x, y: x * y + f16(1), grid=grid)
    agrees(block_loop, inputs, lambda x, y: x - y, grid=grid)
    if shape[0] % (2 * grid) == 0 and shape[1] % 50 == 0:
        agrees(two_loops, inputs, lambda x, y: x - y, grid=grid)


@pytest.mark.parametrize("grid", [1, 7])
def test_a_python_loop_is_unrolled(grid: int) -> None:
    inputs = [data((14, 100), seed=s) for s in (1, 2)]
    factor = np.tile(np.arange(14 // grid), grid)[:, None].astype(f16)
    agrees(unrolled, inputs, lambda x, y: x - y * factor, grid=grid)


@spyre.kernel
def dependent(x: spy.In, y: spy.In, between: spy.Out, out: spy.Out):
    share = x.shape[0] // spy.num_tiles()
    rows = slice(spy.tile_id() * share, spy.tile_id() * share + share)
    between[rows, :] = spy.load(x[rows, :]) + spy.load(y[rows, :])
    out[rows, :] = spy.load(between[rows, :]) * spy.load(y[rows, :])


@spyre.kernel
def other_cores_rows(x: spy.In, between: spy.Out, out: spy.Out):
    """The second program reads what another core wrote in the first."""
    share = x.shape[0] // spy.num_tiles()
    mine = spy.tile_id() * share
    theirs = (spy.num_tiles() - 1 - spy.tile_id()) * share
    between[mine : mine + share, :] = spy.load(x[mine : mine + share, :]) + 1
    out[mine : mine + share, :] = spy.load(between[theirs : theirs + share, :]) * 2


@spyre.kernel
def loop_of_two(x: spy.In, between: spy.Out, out: spy.Out):
    share = x.shape[0] // spy.num_tiles()
    for i in spy.range(share):
        row = spy.tile_id() * share + i
        between[row, :] = spy.load(x[row, :]) + 1
        out[row, :] = spy.load(between[row, :]) * 2


@spyre.kernel
def two_loops_in_turn(x: spy.In, between: spy.Out, out: spy.Out):
    share = x.shape[0] // spy.num_tiles()
    for i in spy.range(share):
        row = spy.tile_id() * share + i
        between[row, :] = spy.load(x[row, :]) + 1
    for i in spy.range(share):
        row = spy.tile_id() * share + i
        out[row, :] = spy.load(between[row, :]) * spy.load(x[row, :])


@spyre.kernel
def running_sums(x: spy.In, out: spy.Out):
    """Row i of the output needs row i - 1 of it."""
    out[0, :] = spy.load(x[0, :])
    for i in spy.range(1, x.shape[0]):
        out[i, :] = spy.load(out[i - 1, :]) + spy.load(x[i, :])


def cumulated(x: np.ndarray) -> np.ndarray:
    rows = [x[0]]
    for row in x[1:]:
        rows.append(rows[-1] + row)
    return np.stack(rows)


@pytest.mark.parametrize("shape", [(14, 64), (14, 100), (28, 257)])
@pytest.mark.parametrize("grid", [1, 2, 7])
def test_programs_that_depend_on_each_other(grid: int, shape: tuple[int, int]) -> None:
    x, y = data(shape), data(shape, seed=1)
    devices = DEVICES if shape[1] < 200 else DEVICES[:1]
    share = shape[0] // grid
    back = np.concatenate([np.arange(g * share, (g + 1) * share) for g in reversed(range(grid))])
    agrees(dependent, [x, y], lambda x, y: (x + y, (x + y) * y), grid=grid, devices=devices)
    agrees(
        loop_of_two, [x], lambda x: (x + f16(1), (x + f16(1)) * f16(2)), grid=grid, devices=devices
    )
    agrees(
        two_loops_in_turn, [x], lambda x: (x + f16(1), (x + f16(1)) * x), grid=grid,
        devices=devices,
    )  # fmt: skip
    agrees(
        other_cores_rows, [x], lambda x: (x + f16(1), (x + f16(1))[back] * f16(2)), grid=grid,
        devices=devices, engines=("fast", "checked"),
    )  # fmt: skip


def test_ktir_does_not_order_tiles() -> None:
    """Programs are a barrier for all cores; the text of a kernel does not promise one."""
    x = data((14, 64))
    run = other_cores_rows(x, np.empty_like(x), np.empty_like(x), grid=7, engine="ktir")
    assert [warning.code for warning in run.warnings] == ["SPY567"]


def test_an_iteration_that_needs_the_one_before() -> None:
    for shape in ((9, 64), (5, 100)):
        agrees(running_sums, [data(shape)], cumulated)


@spyre.kernel
def nothing_for_some(x: spy.In, out: spy.Out):
    """More cores than rows: some run no iteration at all."""
    for i in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
        out[i, :] = spy.load(x[i, :]) * 2


def test_cores_without_work() -> None:
    agrees(nothing_for_some, [data((3, 70), f32)], lambda x: x * f32(2), grid=5)


@spyre.kernel(grid=2)
def over_the_others(x: spy.In, out: spy.Out):
    """Both stores share their load, and each core overwrites what the other one stored."""
    mine, theirs = spy.tile_id() * 2, (1 - spy.tile_id()) * 2
    value = spy.load(x[mine : mine + 2, :])
    out[mine : mine + 2, :] = value + 1
    out[theirs : theirs + 2, :] = value * 2


@spyre.kernel(grid=2)
def exchange(x: spy.In, between: spy.Out, out: spy.Out):
    """Both programs load the same rows; one cannot compute both, for cores wait in between only."""
    mine, theirs = spy.tile_id() * 2, (1 - spy.tile_id()) * 2
    value = spy.load(x[mine : mine + 2, :])
    between[mine : mine + 2, :] = value + 1
    out[mine : mine + 2, :] = spy.load(between[theirs : theirs + 2, :]) * value


@spyre.kernel(grid=2)
def late_use(x: spy.In, between: spy.Out, out: spy.Out):
    mine, theirs = spy.tile_id() * 2, (1 - spy.tile_id()) * 2
    between[mine : mine + 2, :] = spy.load(x[mine : mine + 2, :]) + 1
    early = spy.load(between[theirs : theirs + 2, :])
    between[mine : mine + 2, :] = spy.load(x[mine : mine + 2, :]) * 3
    out[mine : mine + 2, :] = early * 2


def test_cores_that_touch_each_others_rows_do_so_in_order() -> None:
    x, engines = data((4, 100)), ("fast", "checked")
    agrees(over_the_others, [x], lambda x: np.roll(x, 2, 0) * f16(2), engines=engines)
    agrees(
        exchange, [x], lambda x: (x + f16(1), np.roll(x + f16(1), 2, 0) * x), engines=engines
    )  # fmt: skip
    with pytest.raises(spyre.SpyreError) as caught:
        late_use(x, np.empty_like(x), np.empty_like(x))
    assert caught.value.code == "SPY419"
