"""A loop that runs not at all on some core stores nothing there."""

from __future__ import annotations

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy

ENGINES = ("ktir", "fast", "checked")


@spyre.kernel(grid=2)
def first_tile_only(x: spy.In, out: spy.Out):
    for _ in spy.range(spy.tile_id(), 1, 2):
        out[:] = spy.load(x[:]) + spy.load(x[:])


@spyre.kernel(grid=1)
def empty_inner_loop(x: spy.In, out: spy.InOut):
    for i in spy.range(4):
        for j in spy.range(i + 1, 4):
            out[i, :] = spy.load(x[j, :]) + spy.load(x[i, :])


@spyre.kernel(grid=7)
def shares(x: spy.In, out: spy.Out):
    for block in spy.blocks(500, 64):
        out[block] = spy.load(x[block]) * 2


@pytest.mark.parametrize("engine", ENGINES)
def test_a_tile_without_iterations_stores_nothing(engine: str):
    x = np.arange(100, dtype=np.float16)
    out = np.full_like(x, -1)
    first_tile_only(x, out, engine=engine)
    assert np.array_equal(out, x + x)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_inner_loop_without_iterations_stores_nothing(engine: str):
    x = np.arange(4 * 70, dtype=np.float16).reshape(4, 70)
    out = np.full_like(x, -1)
    empty_inner_loop(x, out, engine=engine)
    assert np.array_equal(out[:3], x[3] + x[:3])
    assert np.array_equal(out[3], np.full(70, -1, np.float16))


@pytest.mark.parametrize("engine", ENGINES)
def test_the_tail_of_blocks_is_written_once(engine: str):
    x = np.arange(500, dtype=np.float16)
    out = np.full_like(x, -1)
    shares(x, out, engine=engine)
    assert np.array_equal(out, x * 2)
