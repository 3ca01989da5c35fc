"""SPY20x, SPY21x, SPY25x: what Python code does with values of a kernel."""

from __future__ import annotations

import math

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from cases.registry import ARRAYS, raises, traced

KEPT: list[object] = []


@raises("SPY200")
def outside_a_kernel() -> None:
    spy.tile_id()


@traced("SPY201")
def while_on_a_value(x: spy.In, out: spy.Out):
    v = spy.load(x[0, 0])
    while v > 0.5:
        v = v * 0.5
        if v < 0.25:
            break
    out[0, 0] = v


@traced("SPY201", "and")
def both_of_two(x: spy.In, out: spy.Out):
    v = spy.load(x[:, :])
    out[:, :] = spy.where(v > 0 and v < 1, v, 0.0)


@traced("SPY201", "max")
def max_of_python(x: spy.In, y: spy.In, out: spy.Out):
    out[:, :] = max(spy.load(x[:, :]), spy.load(y[:, :]))


@traced("SPY202", grid=2)
def range_of_python(x: spy.In, out: spy.Out):
    for i in list(range(spy.tile_id())):
        out[i, :] = x[i, :]


@traced("SPY203", grid=2)
def index_of_a_list(x: spy.In, out: spy.Out):
    row = [0, 4][spy.tile_id()]
    out[row, :] = x[row, :]


@traced("SPY203", "int")
def tile_as_an_int(x: spy.In, out: spy.Out):
    row = int(spy.tile_id())
    out[row, :] = x[row, :]


@traced("SPY204")
def rows_of_a_tensor(x: spy.In, out: spy.Out):
    for i, row in enumerate(x):
        out[i, :] = row


@traced("SPY205")
def exp_of_python(x: spy.In, out: spy.Out):
    out[0, 0] = math.exp(spy.load(x[0, 0]))


@traced("SPY206")
def exp_of_numpy(x: spy.In, out: spy.Out):
    out[:, :] = np.exp(spy.load(x[:, :]))


@traced("SPY206", "array")
def array_of_numpy(x: spy.In, out: spy.Out):
    out[:, :] = np.ones(64, np.float16) * spy.load(x[:, :])


@traced("SPY207")
def last_row(x: spy.In, out: spy.Out):
    for i in spy.range(8):
        v = spy.load(x[i, :])
    out[0, :] = v


@traced("SPY207", "branch", grid=2)
def first_tile_only(x: spy.In, out: spy.Out):
    with spy.when(spy.tile_id() == 0):
        v = spy.load(x[0, :])
    out[spy.tile_id(), :] = v


@raises("SPY208")
def value_of_another_kernel() -> None:
    @spyre.kernel
    def first(x: spy.In, out: spy.Out):
        v = spy.load(x[:, :])
        KEPT.append(v)
        out[:, :] = v

    @spyre.kernel
    def second(x: spy.In, out: spy.Out):
        out[:, :] = spy.load(x[:, :]) + KEPT[0]

    first(ARRAYS["x"], ARRAYS["out"].copy())
    second(ARRAYS["x"], ARRAYS["out"].copy())


@traced("SPY209")
def break_of_a_loop(x: spy.In, out: spy.Out):
    for i in spy.range(8):
        out[i, :] = x[i, :]
        break


@traced("SPY209", "when")
def return_in_a_branch(x: spy.In, out: spy.Out):
    for i in spy.range(8):
        with spy.when(i > 3):
            return
        out[i, :] = x[i, :]


@traced("SPY210")
def enumerated(x: spy.In, out: spy.Out):
    for n, i in enumerate(spy.range(8)):
        out[i, :] = x[i, :] * n


@traced("SPY210", "zip")
def zipped(x: spy.In, out: spy.Out):
    for pair in zip(spy.range(8), [1, 2, 3, 4, 5, 6, 7, 8], strict=True):
        out[pair[0], :] = x[pair[0], :] * pair[1]


@traced("SPY210", "unpacked")
def two_of_one(x: spy.In, out: spy.Out):
    for i, j in spy.range(8):
        out[i, :] = x[j, :]


@traced("SPY210", "blocks")
def numbered_blocks(x: spy.In, out: spy.Out):
    for n, rows in enumerate(spy.blocks(8, 2)):
        out[rows, :] = x[rows, :] * n


@traced("SPY210", "twice")
def used_twice(x: spy.In, out: spy.Out):
    rows = spy.range(8)
    for i in rows:
        out[i, :] = x[i, :]
    for i in rows:
        out[i, :] = x[i, :]


@traced("SPY210", "carry")
def carry_without_a_name(x: spy.In, out: spy.Out):
    for i in spy.range(8, carry=spy.zeros((64,), spy.f16)):
        out[i, :] = x[i, :]


@traced("SPY211")
def downwards(x: spy.In, out: spy.Out):
    for i in spy.range(8, 0, -1):
        out[i, :] = x[i, :]


@traced("SPY212")
def half_of_the_rows(x: spy.In, out: spy.Out):
    for i in spy.range(x.shape[0] / 2):
        out[i, :] = x[i, :]


@traced("SPY213")
def number_of_python(x: spy.In, out: spy.Out):
    factor = 1.0
    for i in spy.range(8):
        out[i, :] = x[i, :] * factor
        factor = factor / 2


@traced("SPY219", "list")
def list_of_python(x: spy.In, out: spy.Out):
    seen = []
    for i in spy.range(8):
        seen.append(spy.load(x[i, :]))
    out[0, :] = seen[0]


@traced("SPY214")
def size_of_a_view(x: spy.In, out: spy.Out):
    for i in spy.range(1, 8):
        part = spy.memory_view(x, (i, 64))
        out[i, :] = part[0, :]


@traced("SPY215")
def returned(x: spy.In, y: spy.In):
    return spy.load(x[:, :]) + spy.load(y[:, :])


@traced("SPY216", grid=4)
def axis_of_the_grid(x: spy.In, out: spy.Out):
    row = spy.tile_id(1)
    out[row, :] = x[row, :]


@traced("SPY217")
def blocks_of_nothing(x: spy.In, out: spy.Out):
    for rows in spy.blocks(8, 0):
        out[rows, :] = x[rows, :]


@traced("SPY218", grid=4)
def half_a_tile(x: spy.In, out: spy.Out):
    row = spy.tile_id() / 2
    out[row, :] = x[row, :]


@traced("SPY218", "divisor", grid=4)
def divided_by_a_tile(x: spy.In, out: spy.Out):
    row = 8 // (spy.tile_id() + 1)
    out[row, :] = x[row, :]


@traced("SPY219")
def half_of_an_integer(x: spy.In, out: spy.Out):
    step = 0.5
    for i in spy.range(8):
        out[i, :] = x[i, :] * step
        step = spy.cast(spy.load(x[i, :]), spy.i32)


@traced("SPY219", "type")
def total_in_f32(x: spy.In, out: spy.Out):
    total = spy.zeros((64,), spy.f16)
    for i in spy.range(8):
        total = spy.cast(total, spy.f32) + spy.cast(spy.load(x[i, :]), spy.f32)
    out[0, :] = spy.cast(total, spy.f16)


@traced("SPY256")
def when_of_many(x: spy.In, out: spy.Out):
    with spy.when(spy.load(x[0, :]) > 0):
        out[0, :] = x[0, :]


@traced("SPY256", "if")
def if_on_a_tensor(x: spy.In, out: spy.Out):
    v = spy.load(x[:, :])
    if v > 0:
        out[:, :] = v


@traced("SPY257", grid=2)
def number_in_a_branch(x: spy.In, out: spy.Out):
    factor = 1.0
    with spy.when(spy.tile_id() == 0):
        factor = 2.0
    out[spy.tile_id(), :] = x[spy.tile_id(), :] * factor


@traced("SPY258")
def position_of_many(x: spy.In, rows: spy.In, out: spy.Out):
    out[0, :] = x[spy.load(rows[0:4]), :]


@traced("SPY268", grid=4)
def assertion_on_a_shape(x: spy.In, out: spy.Out):
    spy.assert_(x.shape[1] % 64 == 1, "rows must be whole sticks and one element")
    out[:, :] = x[:, :]


@traced("SPY269", grid=4)
def loop_without_an_end(x: spy.In, out: spy.Out):
    while spy.tile_id() >= 0:
        out[:, :] = x[:, :]


@traced("SPY289")
def method_of_an_array(x: spy.In, out: spy.Out):
    out[:, :] = spy.load(x[:, :]).astype(spy.f16)


@traced("SPY289", "program_id")
def name_of_another_language(x: spy.In, out: spy.Out):
    out[spy.program_id(0), :] = x[0, :]


@traced("SPY289", "typo")
def name_with_a_slip(x: spy.In, out: spy.Out):
    out[:, :] = spy.sqroot(x[:, :])


@traced("SPY267")
def keyword_of_another_language(x: spy.In, out: spy.Out):
    out[:, 0] = spy.sum(x[:, :], dim=1)


@traced("SPY267", "missing")
def call_without_an_argument(x: spy.In, out: spy.Out):
    out[:, :] = spy.maximum(x[:, :])


@traced("SPY229", "part")
def assignment_to_a_value(x: spy.In, out: spy.Out):
    v = spy.load(x[:, :])
    v[0, :] = 0.0
    out[:, :] = v


@traced("SPY201", "assert")
def assert_of_python(x: spy.In, out: spy.Out):
    v = spy.load(x[:, :])
    assert v > 0
    out[:, :] = v


@traced("SPY237", "store", grid=2)
def integer_into_a_tensor(x: spy.In, out: spy.Out):
    row = spy.tile_id()
    out[row, :] = row


@traced("SPY574", "branch", grid=2)
def exchange_in_a_branch(x: spy.In, out: spy.Out):
    if spy.tile_id() == 0:
        out[:, :] = spy.all_reduce(spy.load(x[:, :]))
