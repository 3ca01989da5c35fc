"""Where tracing errors point, and what else they say."""

import numpy as np
import pytest

import spyrelang.language as spy
from spyrelang.errors import SpyreError

M, N = spy.dims("M N")


def double(v):
    return v + v[None, None, :] + np.zeros(3)


def test_helper_is_a_note(trace, zeros):
    def kernel(x: spy.In, out: spy.Out):
        out[0, :] = double(spy.load(x[0, :]))

    with pytest.raises(SpyreError) as caught:
        trace(kernel, zeros(1, 64), zeros(1, 64))
    text = caught.value.render()
    assert text.index("out[0, :] = double(spy.load(x[0, :]))") < text.index("in 'double'")
    assert "return v + v[None, None, :] + np.zeros(3)" in text


def test_errors_of_the_author_pass(trace, zeros):
    def kernel(out: spy.Out):
        out[0, :] = {}["missing"]

    with pytest.raises(KeyError):
        trace(kernel, zeros(1, 64))


def test_rendered_golden(trace, zeros):
    def kernel(x: spy.In[M, N], out: spy.Out[M, N]):
        row = spy.tile_id() * 4
        out[row : row + 4, :] = spy.load(x[row : row + 4, :])

    with pytest.raises(SpyreError) as caught:
        trace(kernel, zeros(10, 64), zeros(10, 64), grid=3)
    line = kernel.__code__.co_firstlineno + 2
    assert caught.value.render().splitlines() == [
        "error[SPY224]: the tile takes elements 8 to 11 of axis 0 of 'x', which has size 10 "
        "(first on tile 2)",
        f"  --> {__file__}:{line}:42",
        f"{line:>5} |         out[row : row + 4, :] = spy.load(x[row : row + 4, :])",
        "      |                                          ^^^^^^^^^^^^^^^^^^^",
        "fix: change the grid, the loop bounds or the block size; spy.blocks handles the rest of a "
        "division",
    ]
