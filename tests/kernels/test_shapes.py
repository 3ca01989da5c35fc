"""Element-wise kernels over awkward shapes, types and grids: bit-equal to numpy everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from acceptance import DEVICES, DTYPES, THIRD, agrees, bf16, data, f16, f32, i32

import spyrelang as spyre
import spyrelang.language as spy


def own_rows(extent: int) -> slice:
    """The rows of this tile: an equal share of the first axis."""
    share = extent // spy.num_tiles()
    start = spy.tile_id() * share
    return slice(start, start + share)


@spyre.kernel(grid=32)
def add(x: spy.In["M", "N"], y: spy.In["M", "N"], out: spy.Out["M", "N"]):
    rows = own_rows(x.shape[0])
    out[rows, :] = spy.load(x[rows, :]) + spy.load(y[rows, :])


@spyre.kernel
def multiply_add(x: spy.In, y: spy.In, z: spy.In, out: spy.Out):
    rows = own_rows(x.shape[0])
    out[rows, :] = x[rows, :] * y[rows, :] + z[rows, :]


@spyre.kernel
def twice(x: spy.In, out: spy.Out):
    rows = own_rows(x.shape[0])
    out[rows, :] = x[rows, :] + x[rows, :]


@spyre.kernel
def reused(x: spy.In, y: spy.In, out: spy.Out):
    rows = own_rows(x.shape[0])
    a, b = spy.load(x[rows, :]), spy.load(y[rows, :])
    out[rows, :] = (a - b) * a


@spyre.kernel
def relu(x: spy.In, out: spy.Out):
    rows = own_rows(x.shape[0])
    out[rows, :] = spy.maximum(x[rows, :], 0)


@spyre.kernel
def signed_choice(x: spy.In, y: spy.In, out: spy.Out):
    rows = own_rows(x.shape[0])
    a, b = spy.load(x[rows, :]), spy.load(y[rows, :])
    out[rows, :] = spy.where(a > b, a, -b)


@spyre.kernel
def copy(x: spy.In, out: spy.Out):
    rows = own_rows(x.shape[0])
    out[rows, :] = x[rows, :]


@spyre.kernel
def sum_and_difference(x: spy.In, y: spy.In, total: spy.Out, rest: spy.Out):
    rows = own_rows(x.shape[0])
    a, b = spy.load(x[rows, :]), spy.load(y[rows, :])
    total[rows, :] = a + b
    rest[rows, :] = a - b


KERNELS: dict[str, tuple[Any, int, Any]] = {
    "add": (add, 2, lambda x, y: x + y),
    "multiply_add": (multiply_add, 3, lambda x, y, z: x * y + z),
    "twice": (twice, 1, lambda x: x + x),
    "reused": (reused, 2, lambda x, y: (x - y) * x),
    "relu": (relu, 1, lambda x: np.maximum(x, np.zeros((), x.dtype))),
    "signed_choice": (signed_choice, 2, lambda x, y: np.where(x > y, x, -y)),
    "copy": (copy, 1, lambda x: x),
    "sum_and_difference": (sum_and_difference, 2, lambda x, y: (x + y, x - y)),
}


def test_three_rows_on_each_of_32_cores() -> None:
    """Two corelets of a core share three rows: neither the rows nor the cores divide evenly."""
    inputs = [data((96, 64), seed=s) for s in (1, 2)]
    agrees(add, inputs, lambda x, y: x + y, devices=DEVICES[:2])


@pytest.mark.parametrize("shape", [(1, 64), (3, 64), (4, 128), (6, 100), (7, 192), (2, 4097)])
@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_over_awkward_rows(name: str, shape: tuple[int, int]) -> None:
    kernel, count, reference = KERNELS[name]
    rows, columns = shape
    for grid in (1, 2) if columns < 1000 else (1,):
        full = (rows * grid, columns)
        agrees(kernel, [data(full, seed=s) for s in range(count)], reference, grid=grid)


@pytest.mark.parametrize("dtype", DTYPES[1:], ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_in_other_types(name: str, dtype: Any) -> None:
    kernel, count, reference = KERNELS[name]
    for shape in ((3, 64), (6, 100)):
        inputs = [data(shape, dtype, seed=s) for s in range(count)]
        agrees(kernel, inputs, reference, grid=1)
    agrees(kernel, [data((14, 40), dtype, seed=s) for s in range(count)], reference, grid=7)


@pytest.mark.parametrize("shape", [(96, 100), (12, 4097), (64, 1024)])
def test_large_tiles_of_one_core(shape: tuple[int, int]) -> None:
    inputs = [data(shape, seed=s) for s in range(3)]
    for device in (DEVICES[0], THIRD):
        agrees(
            multiply_add, inputs, lambda x, y, z: x * y + z, grid=1, devices=(device,),
            engines=("ktir", "fast"),
        )  # fmt: skip
    agrees(twice, inputs[:1], lambda x: x + x, grid=1, devices=DEVICES[:1], engines=("checked",))


def test_four_megabytes_for_each_core_do_not_fit_scratchpad_at_once() -> None:
    inputs = [data((1024, 4096), seed=s) for s in (1, 2)]
    agrees(
        add, inputs, lambda x, y: x + y, grid=2, devices=DEVICES[:2], engines=("ktir", "fast")
    )  # fmt: skip


@pytest.mark.parametrize("grid", [7, 32])
def test_many_cores(grid: int) -> None:
    devices = DEVICES if grid <= 8 else DEVICES[:2]
    for shape in ((grid, 100), (3 * grid, 64)):
        inputs = [data(shape, seed=s) for s in (1, 2)]
        agrees(reused, inputs, lambda x, y: (x - y) * x, grid=grid, devices=devices)


# --- ranks and grids ------------------------------------------------------------------------------


@spyre.kernel
def rank1(x: spy.In, y: spy.In, out: spy.Out):
    part = own_rows(x.shape[0])
    out[part] = x[part] * y[part]


@spyre.kernel
def rank3(x: spy.In, y: spy.In, out: spy.Out):
    part = own_rows(x.shape[1])
    out[:, part, :] = spy.load(x[:, part, :]) + spy.load(y[part, :])


@spyre.kernel
def rank4(x: spy.In, y: spy.In, out: spy.Out):
    out[:, :, :, :] = spy.load(x[:, :, :, :]) - spy.load(y[:, :, None, :])


@pytest.mark.parametrize("size", [1, 63, 64, 65, 100, 4097])
def test_rank_1(size: int) -> None:
    for grid in (1, 3):
        inputs = [data((size * grid,), seed=s) for s in (1, 2)]
        agrees(rank1, inputs, lambda x, y: x * y, grid=grid)


@pytest.mark.parametrize("shape", [(2, 3, 64), (5, 4, 100), (3, 1, 33)])
def test_rank_3_with_an_operand_of_rank_2(shape: tuple[int, int, int]) -> None:
    for grid in (1, 2):
        full = (shape[0], shape[1] * grid, shape[2])
        agrees(rank3, [data(full), data(full[1:], seed=1)], lambda x, y: x + y, grid=grid)


@pytest.mark.parametrize("shape", [(2, 3, 4, 64), (2, 1, 3, 65), (1, 2, 2, 1)])
def test_rank_4_with_a_broadcast_in_the_middle(shape: tuple[int, int, int, int]) -> None:
    other = (shape[0], shape[1], shape[3])
    inputs = [data(shape, f32), data(other, f32, 1)]
    agrees(rank4, inputs, lambda x, y: x - y[:, :, None, :])


@spyre.kernel(grid=(2, 4))
def grid2(x: spy.In, y: spy.In, out: spy.Out):
    height, width = x.shape[0] // spy.num_tiles(0), x.shape[1] // spy.num_tiles(1)
    top, left = spy.tile_id(0) * height, spy.tile_id(1) * width
    rows, columns = slice(top, top + height), slice(left, left + width)
    out[rows, columns] = spy.load(x[rows, columns]) + spy.load(y[columns])


@spyre.kernel(grid=(2, 2, 2))
def grid3(x: spy.In, out: spy.Out):
    parts = []
    for axis in range(3):
        share = x.shape[axis] // spy.num_tiles(axis)
        start = spy.tile_id(axis) * share
        parts.append(slice(start, start + share))
    a, b, c = parts
    out[a, b, c] = x[a, b, c] * 2


@pytest.mark.parametrize("shape", [(3, 64), (1, 33), (4, 100)])
def test_a_grid_of_two_axes(shape: tuple[int, int]) -> None:
    full = (shape[0] * 2, shape[1] * 4)
    agrees(grid2, [data(full), data(full[1:], seed=1)], lambda x, y: x + y)


@pytest.mark.parametrize("shape", [(2, 4, 128), (6, 2, 66)])
@pytest.mark.parametrize("dtype", [f16, bf16, i32], ids=lambda d: np.dtype(d).name)
def test_a_grid_of_three_axes(shape: tuple[int, int, int], dtype: Any) -> None:
    agrees(grid3, [data(shape, dtype)], lambda x: x * np.array(2, x.dtype))
