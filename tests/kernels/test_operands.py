"""Broadcasts, transposes and scratchpad operands in every position."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from acceptance import agrees, data, f16, f32

import spyrelang as spyre
import spyrelang.language as spy


def own_rows(extent: int) -> slice:
    """The rows of this tile: an equal share of the first axis."""
    share = extent // spy.num_tiles()
    start = spy.tile_id() * share
    return slice(start, start + share)


@spyre.kernel
def row_vector(x: spy.In, y: spy.In, out: spy.Out):
    rows = own_rows(x.shape[0])
    out[rows, :] = spy.load(x[rows, :]) * spy.load(y[:])


@spyre.kernel
def row_first(x: spy.In, y: spy.In, out: spy.Out):
    rows = own_rows(x.shape[0])
    out[rows, :] = spy.load(y[:, :]) - spy.load(x[rows, :])


@spyre.kernel
def column(x: spy.In, y: spy.In, out: spy.Out):
    rows = own_rows(x.shape[0])
    out[rows, :] = spy.load(x[rows, :]) - spy.load(y[rows, :])


@spyre.kernel
def column_vector(x: spy.In, y: spy.In, out: spy.Out):
    rows = own_rows(x.shape[0])
    out[rows, :] = spy.load(y[rows, None]) - spy.load(x[rows, :])


@spyre.kernel
def scalar(x: spy.In, y: spy.In, out: spy.Out):
    rows = own_rows(x.shape[0])
    out[rows, :] = spy.load(x[rows, :]) * spy.load(y[:])


@spyre.kernel
def all_kinds(x: spy.In, row: spy.In, col: spy.In, one: spy.In, out: spy.Out):
    rows = own_rows(x.shape[0])
    out[rows, :] = (x[rows, :] * row[:] + col[rows, None]) - one[0]


@spyre.kernel
def outer(x: spy.In, y: spy.In, out: spy.Out):
    rows = own_rows(x.shape[0])
    out[rows, :] = spy.load(x[rows, None]) * spy.load(y[None, :])


@spyre.kernel
def spread(x: spy.In, like: spy.In, out: spy.Out):
    rows = own_rows(like.shape[0])
    wide = (like.shape[0] // spy.num_tiles(), like.shape[1])
    out[rows, :] = spy.broadcast_to(spy.load(x[:]), wide)


@spyre.kernel
def transposed(x: spy.In, out: spy.Out):
    rows = own_rows(x.shape[1])
    out[rows, :] = spy.transpose(spy.load(x[:, rows]))


@spyre.kernel
def transposed_plus(x: spy.In, y: spy.In, out: spy.Out):
    rows = own_rows(y.shape[0])
    out[rows, :] = spy.transpose(spy.load(x[:, rows])) + spy.load(y[rows, :])


SHAPES = [(1, 64), (3, 64), (8, 100), (5, 192), (2, 1025), (16, 1)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [f16, f32], ids=lambda d: np.dtype(d).name)
def test_broadcasts(shape: tuple[int, int], dtype: Any) -> None:
    grid = 1 if dtype == f32 else 2
    rows, columns = shape[0] * grid, shape[1]
    x = data((rows, columns), dtype)
    row, one = data((columns,), dtype, 1), data((1,), dtype, 2)
    col = data((rows,), dtype, 3)
    agrees(row_vector, [x, row], lambda x, y: x * y, grid=grid)
    agrees(row_first, [x, row[None]], lambda x, y: y - x, grid=grid)
    agrees(column, [x, col[:, None]], lambda x, y: x - y, grid=grid)
    agrees(column_vector, [x, col], lambda x, y: y[:, None] - x, grid=grid)
    agrees(scalar, [x, one], lambda x, y: x * y, grid=grid)
    agrees(outer, [col, row], lambda x, y: x[:, None] * y, grid=grid)
    agrees(
        all_kinds, [x, row, col, one], lambda x, r, c, o: (x * r + c[:, None]) - o[0], grid=grid
    )  # fmt: skip


@pytest.mark.parametrize("shape", [(3, 64), (5, 100)])
def test_a_value_spread_over_a_whole_output(shape: tuple[int, int]) -> None:
    like = data(shape)
    for small in (data((1,)), data(shape[1:])):
        agrees(
            spread, [small, like], lambda x, y: np.broadcast_to(x, y.shape), devices=("spyre",)
        )  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_transposes(shape: tuple[int, int]) -> None:
    for grid in (1, 2):
        rows, columns = shape[0] * grid, shape[1]
        x, y = data((columns, rows)), data((rows, columns), seed=1)
        agrees(transposed, [x], lambda x: x.T, grid=grid)
        agrees(transposed_plus, [x, y], lambda x, y: x.T + y, grid=grid)


@spyre.kernel
def permuted(x: spy.In, out: spy.Out):
    out[:, :, :, :] = spy.transpose(spy.load(x[:, :, :, :]), (2, 0, 3, 1))


@pytest.mark.parametrize("shape", [(2, 3, 4, 64), (2, 1, 3, 65), (5, 2, 2, 1)])
def test_a_permutation_of_four_axes(shape: tuple[int, int, int, int]) -> None:
    agrees(permuted, [data(shape)], lambda x: x.transpose(2, 0, 3, 1))


@spyre.kernel
def through_scratchpad(x: spy.In, y: spy.In, out: spy.Out):
    rows = own_rows(x.shape[0])
    shape = (x.shape[0] // spy.num_tiles(), x.shape[1])
    pad = spy.memory_view(0, shape, space=spy.local(), dtype=x.dtype)
    pad[:, :] = spy.load(x[rows, :]) + spy.load(y[rows, :])
    out[rows, :] = spy.load(pad[:, :]) * spy.load(x[rows, :])


@pytest.mark.parametrize("shape", [(3, 64), (1, 100), (7, 192), (2, 257)])
@pytest.mark.parametrize("dtype", [f16, f32], ids=lambda d: np.dtype(d).name)
def test_operands_in_the_own_scratchpad(shape: tuple[int, int], dtype: Any) -> None:
    for grid in (1, 3):
        full = (shape[0] * grid, shape[1])
        inputs = [data(full, dtype, seed=s) for s in (1, 2)]
        agrees(through_scratchpad, inputs, lambda x, y: (x + y) * x, grid=grid)


@spyre.kernel
def kept_in_scratchpad(x: spy.In, scale: spy.In, out: spy.Out):
    """One row stays in scratchpad; another is overwritten in every iteration."""
    kept = spy.memory_view(0, x.shape[1:], space=spy.local(), dtype=x.dtype)
    moving = spy.memory_view(8192, x.shape[1:], space=spy.local(), dtype=x.dtype)
    kept[:] = spy.load(scale[:])
    for i in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
        moving[:] = spy.load(x[i, :]) * spy.load(kept[:])
        out[i, :] = spy.load(moving[:]) + spy.load(kept[:])


def test_scratchpad_kept_over_a_loop() -> None:
    for grid in (1, 3):
        inputs = [data((7, 100)), data((100,), seed=1)]
        agrees(kept_in_scratchpad, inputs, lambda x, s: x * s + s, grid=grid)
