"""SPY23x, SPY24x, SPY25x, SPY29x: computing with loaded values."""

from __future__ import annotations

import numpy as np

import spyrelang.language as spy
from cases.registry import traced


@traced("SPY230")
def shapes(x: spy.In, y: spy.In, out: spy.Out):
    out[0:4, :] = spy.load(x[0:4, :]) + spy.load(y[0:3, :])


@traced("SPY231")
def types(x: spy.In, wide: spy.In, out: spy.Out):
    out[:, :] = spy.load(x[:, :]) * spy.load(wide[:, :])


@traced("SPY232")
def exp_of_integers(rows: spy.In, out: spy.Out):
    out[:, 0] = spy.exp(spy.load(rows[:]))


@traced("SPY232", "condition")
def condition_of_floats(x: spy.In, out: spy.Out):
    v = spy.load(x[:, :])
    out[:, :] = spy.where(v, v, 1.0)


@traced("SPY233")
def half_of_integers(rows: spy.In, out: spy.Out):
    out[:, 0] = spy.cast(spy.load(rows[:]) * 0.5, spy.f16)


@traced("SPY234")
def too_large_for_f16(x: spy.In, out: spy.Out):
    out[:, :] = spy.where(x[:, :] > 0, x[:, :], -1e9)


@traced("SPY235")
def divided_by_zero(x: spy.In, out: spy.Out):
    out[:, :] = x[:, :] / 0


@traced("SPY236")
def array_as_operand(x: spy.In, out: spy.Out):
    out[:, :] = spy.maximum(spy.load(x[:, :]), np.zeros(64))


@traced("SPY236", "text")
def text_as_operand(x: spy.In, out: spy.Out):
    out[:, :] = spy.load(x[:, :]) + "1"


@traced("SPY237", grid=8)
def times_the_tile(x: spy.In, out: spy.Out):
    i = spy.tile_id()
    out[i, :] = spy.load(x[i, :]) * i


@traced("SPY238")
def mask_of_numbers(x: spy.In, out: spy.Out):
    out[:, :] = spy.where(spy.load(x[:, :]) > 0, 1.0, 0.0)


@traced("SPY239")
def axis_of_a_sum(x: spy.In, out: spy.Out):
    out[:, 0] = spy.sum(x[:, :], axis=2)


@traced("SPY239", "twice")
def axes_of_a_transpose(x: spy.In, out: spy.Out):
    out[:, :] = spy.transpose(spy.load(x[:, :]), (0, 0))


@traced("SPY240")
def row_into_rows(x: spy.In, out: spy.Out):
    out[0:4, :] = spy.load(x[0, :])


@traced("SPY241")
def f32_into_f16(wide: spy.In, out: spy.Out):
    out[:, :] = spy.load(wide[:, :])


@traced("SPY244")
def type_by_a_wrong_name(x: spy.In, out: spy.Out):
    out[:, :] = spy.cast(spy.load(x[:, :]), "float12")


@traced("SPY244", "f64")
def type_that_is_too_wide(x: spy.In, out: spy.Out):
    out[:, :] = spy.cast(spy.cast(x[:, :], np.float64), spy.f16)


@traced("SPY245")
def zeros_of_half(x: spy.In, out: spy.Out):
    total = spy.zeros((x.shape[0] / 2, 64), spy.f16)
    out[0:4, :] = total + x[0:4, :]


@traced("SPY246")
def squeezed(x: spy.In, out: spy.Out):
    out[0, :] = spy.squeeze(spy.load(x[0:2, :]), 0)


@traced("SPY247")
def column_by_rows(x: spy.In, out: spy.Out):
    out[:, :] = spy.broadcast_to(spy.load(x[:, 0]), (8, 64))


@traced("SPY248")
def largest_of_nothing(x: spy.In, out: spy.Out):
    out[:, 0] = spy.max(spy.load(x[:, 0:0]), axis=1)


@traced("SPY249")
def rows_by_rows(x: spy.In, y: spy.In, out: spy.Out):
    out[:, 0:8] = spy.dot(x[:, :], y[:, :])


@traced("SPY249", "rank")
def batch_of_matrices(x: spy.In, y: spy.In, out: spy.Out):
    a = spy.load(x[:, :])
    out[:, 0:8] = spy.cast(spy.batch_dot(a, spy.transpose(y[:, :])), spy.f16)


@traced("SPY255")
def accumulator_of_f16(x: spy.In, y: spy.In, out: spy.Out):
    total = spy.zeros((8, 8), spy.f16)
    total = spy.dot(x[:, :], spy.transpose(y[:, :]), acc=total)
    out[:, 0:8] = total


@traced("SPY295")
def reshaped(x: spy.In, out: spy.Out):
    out[0:5, 0] = spy.reshape(spy.load(x[:, :]), (5, -1))


@traced("SPY296")
def joined(x: spy.In, y: spy.In, out: spy.Out):
    out[:, :] = spy.concat([x[0:4, 0:32], y[0:4, :]], axis=0)


@traced("SPY297", grid=2)
def mean_of_tiles(x: spy.In, out: spy.Out):
    v = spy.all_reduce(spy.load(x[spy.tile_id(), :]), op="mean")
    out[spy.tile_id(), :] = v


@traced("SPY297", "root", grid=2)
def root_beyond(x: spy.In, out: spy.Out):
    spy.store(out[0, :], spy.reduce_to_one(spy.load(x[spy.tile_id(), :]), root=2))


@traced("SPY298")
def intrinsic_without_dialect(x: spy.In, out: spy.Out):
    out[:, :] = spy.intrinsic("exp", spy.load(x[:, :]))


@traced("SPY299")
def maps_of_other_loops(x: spy.In, out: spy.Out):
    out[:, 0] = spy.generic(lambda v: v, (spy.load(x[:, :]),), "m,n->mn")


@traced("SPY299", "elements")
def body_of_a_tensor(x: spy.In, out: spy.Out):
    v = spy.load(x[:, :])
    out[:, :] = spy.generic(lambda e: e * v, (v,), "mn->mn")
