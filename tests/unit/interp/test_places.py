"""Rows of neighbours say the same of memory as their elements one by one; values go early."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from spyrelang.interp.places import Points, Rows, listed

from .kit import compiled, kernel, load, store, tensor, tile, view

# coordinates over a tile of 3 x 4, after a batch of 2 where there is one
BATCHED = np.array([[[5], [0], [5]], [[2], [1], [7]]])
CASES = {
    "rows found by an index": ([np.array([[5], [0], [2]]), np.arange(4)[None]], (10, 1), True),
    "part of a row": ([np.array([[5], [0], [2]]), np.arange(3, 7)[None]], (10, 1), True),
    "other rows on each tile": ([BATCHED, np.arange(4)[None]], (10, 1), True),
    "every second element": ([np.array([[5], [0], [2]]), 2 * np.arange(4)[None]], (10, 1), False),
    "columns": ([np.arange(4)[None], np.array([[5], [0], [2]])], (10, 1), False),
    "columns of neighbours": ([np.arange(4)[None], np.array([[5], [0], [2]])], (1, 10), True),
    "diagonals": ([np.arange(4)[None], np.arange(4)[None]], (10, 1), False),
    "one column": ([np.array([[5], [0], [2]]), np.array([[4]])], (10, 1), False),
}


@pytest.mark.parametrize("name", CASES)
def test_rows_are_their_elements(name: str) -> None:
    coords, strides, by_rows = CASES[name]
    batched = any(c.ndim > 2 for c in coords)
    found = listed(7, coords, strides, batched).shifted(2)
    one_by_one = Points(
        np.asarray(9 + sum(c * s for c, s in zip(coords, strides, strict=True))), batched
    )
    assert isinstance(found, Rows) is by_rows
    assert found.shape == one_by_one.shape
    for got, want in zip(found.span(), one_by_one.span(), strict=True):
        np.testing.assert_array_equal(got, want)
    flat = np.arange(200)
    np.testing.assert_array_equal(found.read(flat), one_by_one.read(flat))
    value = -np.arange(found.read(flat).size).reshape(found.shape)
    stored, expected = flat.copy(), flat.copy()
    found.write(stored, value)
    one_by_one.write(expected, value)
    np.testing.assert_array_equal(stored, expected)
    marks, wanted = np.zeros(200, np.bool_), np.zeros(200, np.bool_)
    found.mark(marks, value % 3 == 0)
    one_by_one.mark(wanted, value % 3 == 0)
    np.testing.assert_array_equal(marks, wanted)


def test_rows_are_shifted_for_each_tile() -> None:
    found = Rows(np.array([[5], [0]]), 4, False).shifted(np.array([10, 30, 20]))
    assert found.batched
    np.testing.assert_array_equal(
        found.read(np.arange(50))[:, :, 0], [[15, 10], [35, 30], [25, 20]]
    )


def test_values_go_after_their_last_use() -> None:
    """Thirty steps hold a few values at a time, not thirty."""
    n, kind = 1 << 16, tensor((1 << 16,), "f32")
    body = view("x", (n,), "f32") + view("o", (n,), "f32")
    body += tile("x", (n,), (n,), "0", "f32") + load("x", (n,), "f32")
    for step in range(30):
        source = "xx" if step == 0 else f"y{step - 1}"
        body += f"%y{step} = arith.addf %{source}, %xx : {kind}\n"
    body += tile("o", (n,), (n,), "0", "f32") + store("%y29", "o", (n,), "f32")
    program = compiled(kernel(body))
    x, o = np.ones(n, np.float32), np.zeros(n, np.float32)
    program.run({"x": x, "o": o})
    np.testing.assert_array_equal(o, 31)
    tracemalloc.start()
    try:
        program.run({"x": x, "o": o})
        assert tracemalloc.get_traced_memory()[1] < 6 * x.nbytes
    finally:
        tracemalloc.stop()


def test_small_arrays_are_worked_on_in_small_batches() -> None:
    """Thirty-two tiles that each see all of x do not hold thirty-two copies of it."""
    n, kind = 1 << 14, tensor((1 << 14,), "f32")
    body = view("x", (n,), "f32") + view("o", (32,), "f32")
    body += "%id = ktdp.get_compute_tile_id : index\n%i = arith.index_cast %id : index to i32\n"
    body += f"%f = arith.sitofp %i : i32 to f32\n%s = tensor.splat %f : {kind}\n"
    body += tile("x", (n,), (n,), "0", "f32") + load("x", (n,), "f32")
    body += f"%y = arith.addf %xx, %s : {kind}\n%z = arith.constant dense<0.0> : tensor<f32>\n"
    body += (
        f"%r = linalg.reduce {{ arith.addf }} ins(%y : {kind}) outs(%z : tensor<f32>) "
        "dimensions = [0]\n%t = tensor.expand_shape %r [] output_shape [1] : tensor<f32> into "
        "tensor<1xf32>\n"
    )
    body += tile("o", (32,), (1,), "%id", "f32") + store("%t", "o", (1,), "f32")
    program = compiled(kernel(body, grid=[32]))
    x, o = np.ones(n, np.float32), np.zeros(32, np.float32)
    tracemalloc.start()
    try:
        program.run({"x": x, "o": o})
        assert tracemalloc.get_traced_memory()[1] < 16 * x.nbytes
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(o, n * (1 + np.arange(32)))
