"""Gathers and scatters, distributed views, scratchpads, addresses, tiles of other shapes."""

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.affine import Set
from spyrelang.errors import SpyreError

from .conftest import trace_kernel
from .running import random, run

ROWS = np.array([3, 0, 3, 1, 2], np.int32)


def test_gather_of_rows():
    def kernel(x: spy.In, rows: spy.In, out: spy.Out):
        i = spy.tile_id()
        picked = spy.load(x[spy.ind(rows[i * 2 + 1 : i * 2 + 3]), 1:4])
        out[i * 2 : i * 2 + 2, :] = picked

    x, out = random(4, 5), np.zeros((4, 3), np.float32)
    text = run(kernel, x, ROWS, out, grid=2).module.text()
    np.testing.assert_array_equal(out, x[ROWS[1:], 1:4])
    assert "ktdp.construct_indirect_access_tile intermediate_variables(" in text


def test_gathers_with_dropped_and_new_axes():
    def kernel(x: spy.In, rows: spy.In, a: spy.Out, b: spy.Out, c: spy.Out):
        a[...] = x[2, spy.ind(rows[0:3]), :]
        b[...] = x[:, None, spy.ind(rows), 1]
        c[...] = x[0, spy.ind(rows[1]), :]

    x = random(3, 4, 5)
    a, b, c = (np.zeros(s, np.float32) for s in ((3, 5), (3, 1, 5), (5,)))
    run(kernel, x, ROWS, a, b, c)
    np.testing.assert_array_equal(a, x[2, ROWS[:3], :])
    np.testing.assert_array_equal(b, x[:, None, ROWS, 1])
    np.testing.assert_array_equal(c, x[0, ROWS[1]])


def test_two_positions_go_together():
    def kernel(x: spy.In, p: spy.In, q: spy.In, out: spy.Out):
        out[...] = x[spy.ind(p[1, :]), spy.ind(q[:, 0]), :]

    x, p, q = random(4, 5, 6), np.array([[0] * 3, [3, 1, 2]], np.int32), np.array([[4], [0], [2]])
    out = np.zeros((3, 6), np.float32)
    run(kernel, x, p, q.astype(np.int64), out)
    np.testing.assert_array_equal(out, x[p[1], q[:, 0]])


def test_positions_of_two_axes():
    def kernel(x: spy.In, p: spy.In, out: spy.Out):
        out[...] = x[spy.ind(p[:, 0:2]), :]

    x, p = random(4, 5), np.array([[0, 3, 1], [2, 2, 0]], np.int32)
    out = np.zeros((2, 2, 5), np.float32)
    run(kernel, x, p, out)
    np.testing.assert_array_equal(out, x[p[:, :2]])


def test_scatter():
    def kernel(x: spy.In, rows: spy.In, out: spy.InOut):
        out[spy.ind(rows[0:3]), :] = x[...]

    x, out, rows = random(3, 4), np.zeros((5, 4), np.float32), np.array([4, 0, 2], np.int32)
    run(kernel, x, rows, out)
    wanted = np.zeros((5, 4), np.float32)
    wanted[rows] = x
    np.testing.assert_array_equal(out, wanted)


def test_paged_cache_by_loaded_page_numbers():
    """Pages of 4 rows; the numbers come from a table, the last page is partly used."""

    def kernel(pages: spy.In, table: spy.In, out: spy.Out):
        total = spy.zeros((8,), spy.f32)
        for j in spy.range(table.shape[1]):
            page = spy.load(pages[table[spy.tile_id(), j], :, :])
            total = total + spy.sum(page, axis=0)
        out[spy.tile_id(), :] = total

    pages, table = random(6, 4, 8), np.array([[5, 0, 2], [1, 1, 4]], np.int32)
    out = np.zeros((2, 8), np.float32)
    run(kernel, pages, table, out, grid=2)
    np.testing.assert_allclose(out, pages[table].sum((1, 2)), rtol=1e-5, atol=1e-5)


def test_explicit_indirect_tiles():
    def kernel(x: spy.In, rows: spy.In, out: spy.Out, turned: spy.Out):
        start = spy.tile_id() * 2
        out[:, start : start + 2] = spy.indirect_tile(
            x, lambda m, k: (spy.ind(rows, m + 1), k + start), (4, 2)
        )
        turned[start : start + 2, :] = spy.indirect_tile(
            x, lambda m, k: (spy.ind(rows, m), start + k), (4, 2), order=(1, 0)
        )

    x, out, turned = random(4, 6), np.zeros((4, 6), np.float32), np.zeros((6, 4), np.float32)
    run(kernel, x, ROWS, out, turned, grid=3)
    np.testing.assert_array_equal(out, x[ROWS[1:]])
    np.testing.assert_array_equal(turned, x[ROWS[:4]].T)


def test_distributed_views():
    def kernel(a: spy.In, b: spy.In, out: spy.Out):
        left = spy.memory_view(a, (4, 3), coords=(slice(0, 4), slice(0, 3)))
        right = spy.memory_view(b, (4, 5), coords=(0, 3))
        whole = spy.distributed_view([left, right])
        i = spy.tile_id() * 4
        out[:, i : i + 4] = whole[:, i : i + 4]

    a, b, out = random(4, 3), random(4, 5), np.zeros((4, 8), np.float32)
    text = run(kernel, a, b, out, grid=2).module.text()
    np.testing.assert_array_equal(out, np.concatenate([a, b], 1))
    assert "ktdp.construct_distributed_memory_view(" in text


def test_distributed_views_along_an_axis():
    def kernel(a: spy.In, b: spy.In, out: spy.Out):
        out[...] = spy.distributed_view([a, b, a], axis=0)[1:10, :]

    a, b, out = random(4, 3), random(2, 3), np.zeros((9, 3), np.float32)
    run(kernel, a, b, out)
    np.testing.assert_array_equal(out, np.concatenate([a, b, a])[1:10])


def test_stores_through_a_distributed_view():
    def kernel(x: spy.In, a: spy.Out, b: spy.Out):
        whole = spy.distributed_view([a, b], axis=0)
        whole[...] = x[...]

    x, a, b = random(5, 3), np.zeros((2, 3), np.float32), np.zeros((3, 3), np.float32)
    traced = run(kernel, x, a, b)
    np.testing.assert_array_equal(np.concatenate([a, b]), x)
    assert not traced.warnings


def test_scratchpads():
    def kernel(x: spy.In, out: spy.Out):
        pad = spy.memory_view(64, (2, 5), space=spy.local(), dtype=spy.f32)
        i = spy.tile_id() * 2
        pad[...] = x[i : i + 2, :]
        pad[0, :] = spy.load(pad[1, :]) + 1.0
        out[i : i + 2, :] = pad[...]

    x, out = random(6, 5), np.zeros((6, 5), np.float32)
    run(kernel, x, out, grid=3)
    wanted = x.copy()
    wanted[::2] = x[1::2] + 1
    np.testing.assert_array_equal(out, wanted)


def test_addresses_and_offsets():
    def kernel(p: spy.Ptr[spy.f32], x: spy.In, out: spy.Out):
        i = spy.tile_id()
        row = spy.memory_view(p + i * 4, (4,))
        other = spy.memory_view(p, (2,), strides=(2,), offset=i * 4 + 1)
        diagonal = spy.memory_view(x, (2,), strides=(5,), offset=i)
        out[i, 0:4] = row[:]
        out[i, 4:6] = other[:]
        out[i, 6:8] = diagonal[:]

    data, x, out = random(3, 4), random(4, 4), np.zeros((3, 8), np.float32)
    run(kernel, data, x, out, grid=3)
    wanted = [[*data[i], *data[i, 1::2], x[0, i], x[1, i + 1]] for i in range(3)]
    np.testing.assert_array_equal(out, np.array(wanted, np.float32))


def test_ordered_tiles():
    def kernel(x: spy.In, out: spy.Out):
        out[...] = spy.load(spy.access_tile(x, (1, spy.tile_id() * 0), (2, 4), order=(0, 1))).T

    x, out = random(3, 4), np.zeros((4, 2), np.float32)
    run(kernel, x, out)
    np.testing.assert_array_equal(out, x[1:3].T)


def test_text_of_ordered_tiles_and_sets():
    def kernel(x: spy.In, out: spy.InOut):
        tile = spy.access_tile(x, (1, 0), (2, 4), order=(1, 0))
        assert tile.shape == (4, 2)
        triangle = "(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, d0 - d1 >= 0)"
        spy.store(
            spy.access_tile(out, (0, 0), (2, 2), set=Set.parse(triangle)), spy.load(tile)[0:2]
        )

    text = trace_kernel(kernel, random(3, 4), random(4, 4)).module.text()
    assert "affine_map<(d0, d1) -> (d1, d0)>" in text
    assert "!ktdp.access_tile<4x2xindex>" in text
    assert "d0 - d1 >= 0" in text


MISTAKES = {
    "positions of floats": (lambda x, n: x[spy.ind(x[0, :]), :], "SPY232"),
    "positions of a value": (lambda x, n: x[spy.ind(spy.load(n)), :], "SPY229"),
    "positions of two shapes": (lambda x, n: x[spy.ind(n[0:2]), spy.ind(n[0:3])], "SPY294"),
    "subscripts of a gather": (lambda x, n: x[spy.ind(n), :, :], "SPY220"),
    "gather past the view": (lambda x, n: x[spy.ind(n), 0:9], "SPY224"),
    "gather of a value": (lambda x, n: spy.load(x)[spy.ind(n), :], "SPY225"),
    "indirect count": (lambda x, n: spy.indirect_tile(x, lambda m: m, (4,)), "SPY220"),
    "indirect view": (lambda x, n: spy.indirect_tile(3, lambda m: m, (4,)), "SPY229"),
    "indirect subscript": (
        lambda x, n: spy.indirect_tile(x, lambda m: (m, spy.load(n)), (4,)), "SPY225"),
    "indirect product": (
        lambda x, n: spy.indirect_tile(x, lambda m: (m, m * m), (2,)), "SPY225"),
    "indirect lookup": (
        lambda x, n: spy.indirect_tile(x, lambda m: (m, spy.ind(n, m, m)), (2,)), "SPY220"),
    "parts": (lambda x, n: spy.distributed_view([x, 3]), "SPY293"),
    "no parts": (lambda x, n: spy.distributed_view([]), "SPY293"),
    "types of parts": (lambda x, n: spy.distributed_view([x, n]), "SPY293"),
    "parts without coords": (lambda x, n: spy.distributed_view([x, x]), "SPY293"),
    "parts that do not join": (
        lambda x, n: spy.distributed_view([x, spy.memory_view(x, (4, 3))], axis=0), "SPY293"),
    "axis of parts": (lambda x, n: spy.distributed_view([x, x], axis=2), "SPY239"),
    "coords of another rank": (lambda x, n: spy.memory_view(x, (4, 4), coords=(0,)), "SPY259"),
    "coords of another size": (
        lambda x, n: spy.memory_view(x, (4, 4), coords=(slice(0, 3), slice(0, 4))), "SPY250"),
    "coords of text": (lambda x, n: spy.memory_view(x, (4, 4), coords="box"), "SPY259"),
    "set": (lambda x, n: spy.access_tile(x, (0, 0), (2, 2), set="box"), "SPY259"),
    "order": (lambda x, n: spy.access_tile(x, (0, 0), (2, 2), order=(0, 0)), "SPY239"),
    "offset": (lambda x, n: spy.memory_view(x, (4,), offset="a"), "SPY250"),
    "offset past": (lambda x, n: spy.memory_view(x, (4,), offset=22), "SPY251"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    mistake, code = MISTAKES[name]

    def kernel(x: spy.In, n: spy.In):
        mistake(x, n)

    with pytest.raises(SpyreError) as found:
        trace_kernel(kernel, random(4, 6), np.zeros(4, np.int32), grid=3)
    assert found.value.code == code
    assert found.value.location.file == __file__


TRIANGLE = "(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, d0 - d1 >= 0)"


def test_tiles_of_part_of_a_box_are_stored_in_part():
    def kernel(x: spy.In, out: spy.InOut):
        spy.store(spy.access_tile(out, (0, 1), (4, 4), set=TRIANGLE), spy.load(x) * 2.0)

    x, out = random(4, 4), random(4, 5, seed=1)
    want = out.copy()
    want[:, 1:][np.tril_indices(4)] = 2 * x[np.tril_indices(4)]
    run(kernel, x, out)
    np.testing.assert_array_equal(out, want)


def test_what_such_tiles_do_not_have_is_not_read():
    def copied(x: spy.In, out: spy.InOut):
        t = spy.tile_id()
        part = spy.load(spy.access_tile(x, (t, 0), (4, 4), set=TRIANGLE, order=(1, 0)))
        spy.store(spy.access_tile(out, (t, 0), (4, 4), set=TRIANGLE, order=(1, 0)), part)

    x, out = random(6, 4), np.zeros((6, 4), np.float32)
    run(copied, x, out, grid=3)
    want = np.maximum.reduce([np.pad(np.tri(4), ((t, 2 - t), (0, 0))) for t in range(3)])
    np.testing.assert_array_equal(out, x * want)

    def used(x: spy.In, out: spy.Out):
        out[...] = spy.load(spy.access_tile(x, (0, 0), (4, 4), set=TRIANGLE)) + 1.0

    with pytest.raises(SpyreError, match="SPY564"):
        run(used, random(4, 4), np.zeros((4, 4), np.float32))


def test_scatters_of_part_of_a_box():
    def kernel(x: spy.In, rows: spy.In, out: spy.InOut):
        places = spy.indirect_tile(out, lambda m, k: (spy.ind(rows, m), k), (4, 4), set=TRIANGLE)
        spy.store(places, spy.load(x))

    x, rows, out = random(4, 4), np.array([3, 1, 0, 5], np.int32), np.zeros((6, 4), np.float32)
    run(kernel, x, rows, out)
    want = np.zeros((6, 4))
    want[rows] = np.tril(x)
    np.testing.assert_array_equal(out, want)


def test_strides_that_are_not_known_yet():
    def kernel(x: spy.In, widths: spy.In, out: spy.Out):
        width = spy.load(widths[0])
        rows = spy.memory_view(x, (3, 4), strides=(width, 1), offset=1)
        turned = spy.memory_view(x, (4, 3), (1, width + 1))
        out[0, :, :] = rows[:, :]
        out[1, :, :] = spy.load(turned[:, :]).T

    x, out = random(40), np.zeros((2, 3, 4), np.float32)
    traced = run(kernel, x, np.array([7], np.int32), out)
    want = [[x[1 + 7 * i : 5 + 7 * i] for i in range(3)], [x[8 * i : 8 * i + 4] for i in range(3)]]
    np.testing.assert_array_equal(out, want)
    assert "sizes: [3, 4], strides: [%" in traced.module.text()
    with pytest.raises(SpyreError, match="SPY56"):
        run(kernel, x, np.array([19], np.int32), out)


def test_strides_of_launch_sizes():
    def kernel(x: spy.In, out: spy.Out, width: spy.Dim("width", max=12)):
        out[:, :] = spy.memory_view(x, (3, 4), strides=(width, 1))[:, :]

    x, out = random(40), np.zeros((3, 4), np.float32)
    compiled = spyre.kernel(kernel).compile(x, out, None)
    for width in (4, 12):
        compiled.run(x=x, out=out, width=width, engine="ktir")
        np.testing.assert_array_equal(out, [x[width * i : width * i + 4] for i in range(3)])
    with pytest.raises(SpyreError, match="SPY251"):  # planned for the largest
        spyre.kernel(kernel).compile(random(20), out, None)
