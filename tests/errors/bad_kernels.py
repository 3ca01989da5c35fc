"""Kernels with one mistake each; golden files hold what is said about them."""

from __future__ import annotations

import spyrelang as spyre
import spyrelang.language as spy


@spyre.kernel
def add(x: spy.In["M", "N"], y: spy.In["M", "N"], out: spy.Out["M", "N"]):
    out[:, :] = x[:, :] + y[:, :]


@spyre.kernel
def any_add(x: spy.In, y: spy.In, out: spy.Out):
    out[:, :] = x[:, :] + y[:, :]


@spyre.kernel
def typed(x: spy.In["M", "N", spy.f16], out: spy.Out["M", "N", spy.f16]):
    out[:, :] = x[:, :] * 2


@spyre.kernel
def rank(x: spy.In, out: spy.Out):
    out[:, :] = spy.load(x[:])


@spyre.kernel
def wrong_tile(x: spy.In, out: spy.Out):
    out[:, :] = spy.load(x[0:2, :])


@spyre.kernel(grid=4)
def past_the_end(x: spy.In, out: spy.Out):
    row = spy.tile_id() * 3
    out[row : row + 3, :] = x[row : row + 3, :] + 1


@spyre.kernel
def branch(x: spy.In, out: spy.Out):
    value = spy.load(x[:, :])
    if value > 0:
        out[:, :] = value


@spyre.kernel(grid=2)
def branch_on_tile(x: spy.In, out: spy.Out):
    if spy.tile_id() == 0:
        out[:, :] = spy.load(x[:, :])


@spyre.kernel(grid=2)
def python_range(x: spy.In, out: spy.Out):
    for i in range(spy.tile_id()):
        out[i, :] = spy.load(x[i, :])


@spyre.kernel(grid=2)
def as_integer(x: spy.In, out: spy.Out):
    row = int(spy.tile_id())
    out[row, :] = spy.load(x[row, :])


@spyre.kernel
def too_much_scratchpad(x: spy.In, out: spy.Out):
    pad = spy.memory_view(0, (2048, 1024), space=spy.local(), dtype=x.dtype)
    pad[0, :] = spy.load(x[0, :])
    out[0, :] = spy.load(pad[0, :])


@spyre.kernel
def whole_tensor_in_place(x: spy.InOut):
    x[:, :] = spy.transpose(spy.load(x[:, :]))


@spyre.kernel(grid=3)
def rows_left_over(x: spy.In, out: spy.Out):
    row = spy.tile_id() * 3
    out[row : row + 3, :] = x[row : row + 3, :] + 1


@spyre.kernel
def unknown_name(x: spy.In, out: spy.Out):
    out[:, :] = spy.cosh(x[:, :])


@spyre.kernel
def forgotten(x: spy.In, out: spy.Out):
    spy.load(x[:, :])


@spyre.kernel
def view_arithmetic(x: spy.In, out: spy.Out):
    out[:, :] = x + 1


@spyre.kernel
def stepped(x: spy.In, out: spy.Out):
    out[:, :] = spy.load(x[::2, :])


@spyre.kernel
def negative(x: spy.In, out: spy.Out):
    out[0, :] = spy.load(x[-1, :])


@spyre.kernel
def reduction(x: spy.In, out: spy.Out):
    out[:] = spy.dot(x[:, :], x[:, :])
