"""Sizes that stay open until launch."""

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang import interp
from spyrelang.errors import SpyreError

from .conftest import trace_kernel
from .running import random

N = spy.Dim("N", max=12, granularity=4)


def doubled(x: spy.In[12, 5], n: N, out: spy.InOut[12, 5]):
    for row in spy.range(spy.tile_id() * 4, n, spy.num_tiles() * 4):
        out[row : row + 4, :] = spy.load(x[row : row + 4, :]) * 2.0


def test_one_kernel_for_several_sizes():
    x = random(12, 5)
    traced = trace_kernel(doubled, x, None, x, grid=2)
    text = traced.module.text()
    assert "%n: !ktdp.runtime_arg<index, granularity=4, upperbound=12>" in text
    assert "ktdp.runtime_arg_extract value from %n" in text
    program = interp.compile(traced.module, "doubled")
    for n in (4, 8, 12):
        out = np.zeros_like(x)
        program.run({"x": x, "n": n, "out": out})
        np.testing.assert_array_equal(out[:n], 2 * x[:n])
        assert (out[n:] == 0).all()
    with pytest.raises(SpyreError):
        program.run({"x": x, "n": 16, "out": x.copy()})


def test_compiled_and_baked():
    kernel = spyre.kernel(doubled, grid=1)
    x = random(12, 5)
    compiled = kernel.compile(x, None, x)
    for n in (4, 8):
        open_, baked = np.zeros_like(x), np.zeros_like(x)
        compiled.run(x=x, n=n, out=open_, engine="ktir")
        kernel(x, n, baked, engine="ktir")
        np.testing.assert_array_equal(open_, baked)
        assert (open_[:n] == 2 * x[:n]).all()


def test_unlimited_sizes_are_compiled_in():
    def kernel(x: spy.In, n: spy.Dim("M")):
        pass

    with pytest.raises(SpyreError, match="SPY279") as found:
        trace_kernel(kernel, random(4), None)
    assert "has a max" in str(found.value)


def test_tiles_past_the_largest_size_are_refused():
    def kernel(x: spy.In[12], n: N, out: spy.Out[12]):
        for row in spy.range(0, n):
            out[row + 1] = x[row]

    with pytest.raises(SpyreError, match="SPY224") as found:
        trace_kernel(kernel, random(12), None, random(12))
    assert "element 12" in str(found.value)
