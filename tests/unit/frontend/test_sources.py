"""Kernels of every origin: closures, helpers, lambdas, comprehensions, decorators, strings."""

from __future__ import annotations

import doctest
import functools
import subprocess
import sys

import numpy as np
import pytest

import spyrelang.language as spy
from spyrelang import frontend, ir
from spyrelang.errors import SpyreError
from spyrelang.language.graph import Loop

from .conftest import trace_kernel
from .replay import replay

M, N = spy.dims("M N")


def square(v):
    squared = v * v
    return squared


def body_names(traced):
    return [n.name for n in traced.recorded.root.walk()]


def test_helpers_are_inlined_and_name_their_values(zeros):
    def kernel(x: spy.In[M, N], out: spy.Out[M, N]):
        v = spy.load(x[:, :])
        result = (lambda w: square(w) + 1.0)(v)
        out[:, :] = result

    traced = trace_kernel(kernel, zeros(4, 8), zeros(4, 8))
    assert "squared" in body_names(traced)
    node = next(n for n in traced.recorded.root.walk() if n.name == "squared")
    assert node.place.location.line == kernel.__code__.co_firstlineno + 2
    assert node.place.helper[0] == "square"
    assert node.place.helper[1].line == square.__code__.co_firstlineno + 1


def test_closures_and_globals(zeros):
    factor = 3.0

    def kernel(x: spy.In, out: spy.Out):
        out[:, :] = spy.load(x[:, :]) * factor

    x, out = zeros(2, 2) + 2, zeros(2, 2)
    replay(trace_kernel(kernel, x, out), x=x, out=out)
    assert (out == 6).all()


def test_comprehensions(zeros):
    def kernel(x: spy.In, out: spy.Out):
        rows = [spy.load(x[i, :]) * float(i) for i in range(3)]
        out[0, :] = functools.reduce(lambda a, b: a + b, rows)

    x, out = zeros(3, 4) + 2, zeros(1, 4)
    traced = trace_kernel(kernel, x, out)
    replay(traced, x=x, out=out)
    assert (out == 6).all()
    maps = [n for n in traced.recorded.root.walk() if type(n).__name__ == "Map"]
    assert maps[0].place.helper is None
    assert maps[0].place.location.line == kernel.__code__.co_firstlineno + 1


def test_decorated_functions(zeros):
    def logged(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    @logged
    def kernel(x: spy.In, out: spy.Out):
        out[:, :] = spy.load(x[:, :]) / 0

    assert [p.name for p in frontend.signature(kernel).parameters] == ["x", "out"]
    with pytest.raises(SpyreError, match="SPY235") as caught:
        trace_kernel(kernel, zeros(1, 1), zeros(1, 1))
    assert "out[:, :] = spy.load(x[:, :]) / 0" in caught.value.render()


def test_kernel_of_an_exec(zeros):
    scope = {"spy": spy}
    exec("def k(x: spy.In, out: spy.Out):\n    row = spy.load(x[0, :])\n    out[0, :] = row", scope)
    assert "row" in body_names(trace_kernel(scope["k"], zeros(1, 4), zeros(1, 4)))


def test_names_of_all_forms(zeros):
    def kernel(x: spy.In, out: spy.Out):
        a, b = spy.load(x[0, :]), spy.load(x[1, :])
        if (c := a + b) is not None:
            d: object = c * 2.0
        d += 1.0
        e = f = d - 1.0
        _ = e + f
        for row in spy.range(2):
            out[row, :] = f

    nodes = list(trace_kernel(kernel, zeros(2, 4), zeros(2, 4)).recorded.root.walk())
    assert {"b", "c", "d", "e"} <= {n.name for n in nodes}
    assert [n.var.name for n in nodes if isinstance(n, Loop)] == ["row"]


def test_names_beyond_ascii(zeros):
    def kernel(größe: spy.In, out: spy.Out):
        c4 = spy.load(größe[:, :])
        Δx = c4 + c4
        row = spy.tile_id() * 4
        out[row : row + 4, :] = Δx

    module = trace_kernel(kernel, zeros(4, 8), zeros(4, 8)).module
    assert ir.parse(module.text(), "k.mlir").text(names=False) == module.text(names=False)


def test_lines_of_a_long_expression(zeros):
    def kernel(x: spy.In, out: spy.Out):
        out[:, :] = spy.load(
            x[:, :],
        ) + (
            1.0 / 0.5
            + np.zeros(3)
        )  # fmt: skip

    with pytest.raises(SpyreError) as caught:
        trace_kernel(kernel, zeros(1, 1), zeros(1, 1))
    first = kernel.__code__.co_firstlineno + 1
    assert caught.value.location.line == first
    assert caught.value.render().splitlines()[3] == "      |                     " + "^" * 9


def test_empty_arrays_and_scalars(zeros):
    def kernel(x: spy.In, out: spy.Out):
        out[...] = spy.load(x[...]) + 1.0

    for shape in ((0, 64), (4, 0), (), (1,)):
        x, out = zeros(*shape), zeros(*shape)
        traced = trace_kernel(kernel, x, out)
        replay(traced, x=x, out=out)
        assert (out == 1).all()


def test_large_kernels_are_not_enumerated(zeros):
    def kernel(x: spy.In, out: spy.Out):
        for i in spy.range(2000):
            for j in spy.range(2000):
                out[i, j] = spy.load(x[i, j])

    big = np.broadcast_to(np.float16(0), (2000, 2000))
    traced = trace_kernel(kernel, big, frontend.tensor_spec((2000, 2000), "f16"))
    assert frontend.coverage(traced) == ()


def test_tracing_a_function_directly():
    def kernel(x: spy.In, out: spy.Out, factor: spy.Const = 2.0, other: spy.Const = None):
        out[:] = spy.load(x[:]) * factor

    spec = frontend.tensor_spec(64, "f16")
    traced = frontend.trace(kernel, {"x": spec, "out": spec, "factor": 3.0}, name="renamed")
    assert traced.name == "renamed"
    assert "func.func @renamed(" in traced.module.text()
    assert [p.name for p in traced.params] == ["x", "out"]
    with pytest.raises(SpyreError, match="SPY274"):
        frontend.trace(kernel, {"x": spec, "factor": 3.0})

    def strict(n: spy.Const):
        pass

    with pytest.raises(SpyreError, match="SPY270"):
        frontend.trace(strict, {})


def test_documented_examples_run():
    found = doctest.testmod(spy)
    assert found.attempted > 5
    assert found.failed == 0


def test_every_public_name_is_documented():
    for name in spy.__all__:
        value = getattr(spy, name)
        if callable(value) and not name.startswith(("In", "Out")):
            assert value.__doc__, name


def test_only_numpy_is_needed_until_a_kernel_is_traced():
    text = (
        "import sys, spyrelang.language, spyrelang.frontend as f\n"
        "assert 'mlir' not in sys.modules and 'mlir.ir' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", text], check=True, cwd="/", env=_environment())


def _environment():
    import os
    from pathlib import Path

    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
