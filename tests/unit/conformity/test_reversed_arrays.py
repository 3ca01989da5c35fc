"""Arrays that run backwards, as inputs, outputs and both."""

from __future__ import annotations

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy

ENGINES = ("ktir", "fast", "checked")


@spyre.kernel
def double(x: spy.In, out: spy.Out):
    out[:, :] = spy.load(x[:, :]) + spy.load(x[:, :])


@spyre.kernel
def increment(x: spy.InOut):
    x[:, :] = spy.load(x[:, :]) + 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("view", [np.s_[::-1], np.s_[:, ::-1], np.s_[::-2, 5:1:-1]])
def test_reversed_arrays(engine: str, view: tuple[slice, ...]):
    x = np.arange(7 * 70, dtype=np.float16).reshape(7, 70)[view]
    store = np.zeros((7, 70), np.float16)
    double(x, store[view], engine=engine)
    assert np.array_equal(store[view], x + x)
    assert np.count_nonzero(store) == np.count_nonzero(x)
    kept = store.copy()
    increment(store[view], engine=engine)
    assert np.array_equal(store[view], kept[view] + 1)
