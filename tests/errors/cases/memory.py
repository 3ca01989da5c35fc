"""SPY22x, SPY25x, SPY29x: views, tiles, and what is found about stores."""

from __future__ import annotations

import spyrelang.language as spy
from cases.registry import traced


@traced("SPY220")
def three_subscripts(x: spy.In, out: spy.Out):
    out[0, :] = x[0, :, 0]


@traced("SPY220", "dots")
def dots_twice(x: spy.In, out: spy.Out):
    out[...] = x[..., ...]


@traced("SPY221")
def last_row(x: spy.In, out: spy.Out):
    out[0, :] = x[-1, :]


@traced("SPY222")
def every_other_row(x: spy.In, out: spy.Out):
    out[0:4, :] = x[::2, :]


@traced("SPY223", grid=4)
def growing_slice(x: spy.In, out: spy.Out):
    rows = slice(0, spy.tile_id())
    out[rows, :] = x[rows, :]


@traced("SPY224", grid=3)
def tile_past_the_end(x: spy.In, out: spy.Out):
    row = spy.tile_id() * 3
    out[row : row + 3, :] = x[row : row + 3, :]


@traced("SPY224", "loop")
def row_above(x: spy.In, out: spy.Out):
    for i in spy.range(8):
        out[i, :] = x[i - 1, :]


@traced("SPY225")
def half_a_row(x: spy.In, out: spy.Out):
    out[0, :] = x[x.shape[0] / 2, :]


@traced("SPY225", "list")
def list_of_rows(x: spy.In, out: spy.Out):
    out[0:2, :] = x[[0, 3], :]


@traced("SPY226")
def backwards(x: spy.In, out: spy.Out):
    out[0:4, :] = x[8:4, :]


@traced("SPY227")
def sum_of_views(x: spy.In, y: spy.In, out: spy.Out):
    out[:, :] = x + y


@traced("SPY228")
def tile_of_a_tile(x: spy.In, out: spy.Out):
    out[0, :] = x[0:4, :][0, :]


@traced("SPY229")
def loaded_twice(x: spy.In, out: spy.Out):
    out[0, :] = spy.load(spy.load(x[0, :]))


@traced("SPY229", "view")
def store_to_a_view(x: spy.In, out: spy.Out):
    spy.store(spy.load(x[0, :]), out[0, :])


@traced("SPY242")
def store_to_an_input(x: spy.In, out: spy.Out):
    x[0, :] = 0.0
    out[:, :] = x[:, :]


@traced("SPY243")
def added_to_an_output(x: spy.In, out: spy.Out):
    out[:, :] += spy.load(x[:, :])


@traced("SPY250")
def strides_of_one_axis(x: spy.In, out: spy.Out):
    even = spy.memory_view(x, (4, 64), strides=(128,))
    out[0:4, :] = even[:, :]


@traced("SPY250", "size")
def negative_size(x: spy.In, out: spy.Out):
    part = spy.memory_view(x, (x.shape[0] - 9, 64))
    out[:, :] = part[:, :]


@traced("SPY251")
def strides_too_large(x: spy.In, out: spy.Out):
    even = spy.memory_view(x, (8, 64), strides=(128, 1))
    out[:, :] = even[:, :]


@traced("SPY252")
def space_by_name(x: spy.In, out: spy.Out):
    pad = spy.memory_view(0, (64,), space="LX", dtype=spy.f16)
    pad[:] = x[0, :]
    out[0, :] = pad[:]


@traced("SPY253")
def view_without_a_type(x: spy.In, out: spy.Out):
    pad = spy.memory_view(0, (64,), space=spy.local())
    pad[:] = x[0, :]
    out[0, :] = pad[:]


@traced("SPY254")
def base_of_a_tile(x: spy.In, out: spy.Out):
    part = spy.memory_view(x[4:8, :], (4, 64))
    out[0:4, :] = part[:, :]


@traced("SPY259")
def triangle_by_name(x: spy.In, out: spy.Out):
    tile = spy.access_tile(x, (0, 0), (4, 4), set="triangle")
    out[0:4, 0:4] = spy.load(tile)


@traced("SPY259", "coords")
def coordinates_of_one_axis(x: spy.In, out: spy.Out):
    part = spy.memory_view(x, (8, 64), coords=(slice(0, 8),))
    out[:, :] = part[:, :]


@traced("SPY290")
def never_stored(x: spy.In, out: spy.Out):
    spy.load(x[:, :])


@traced("SPY291", grid=2)
def rows_left_over(x: spy.In, out: spy.Out):
    row = spy.tile_id() * 3
    out[row : row + 3, :] = x[row : row + 3, :]


@traced("SPY292", grid=2)
def written_by_all(x: spy.In, out: spy.Out):
    out[:, :] = x[:, :]


@traced("SPY293")
def parts_without_places(x: spy.In, y: spy.In, out: spy.Out):
    both = spy.distributed_view([x, y])
    out[:, :] = both[0:8, :]


@traced("SPY293", "types")
def parts_of_two_types(x: spy.In, wide: spy.In, out: spy.Out):
    both = spy.distributed_view([x, wide], axis=0)
    out[:, :] = both[0:8, :]


@traced("SPY294")
def positions_of_two_shapes(x: spy.In, rows: spy.In, out: spy.Out):
    out[0, 0:4] = x[spy.ind(rows[0:4]), spy.ind(rows[0:8])]
