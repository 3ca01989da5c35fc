"""Recorded kernels, replayed on arrays, give numpy's numbers."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spyrelang.language as spy
from spyrelang.frontend import warnings
from spyrelang.semantics.dtypes import parse

from .conftest import trace_kernel
from .replay import replay
from .running import run as interpreted

RNG = np.random.default_rng(7)


def random(*shape, dtype=np.float32):
    if np.dtype(dtype).kind in "iu":
        return RNG.integers(-9, 9, shape).astype(dtype)
    return RNG.standard_normal(shape).astype(dtype)


def run(kernel, *arrays, grid=1, **consts):
    """Trace, emit, replay; the arrays are bound by position."""
    traced = trace_kernel(kernel, *arrays, grid=grid, **consts)
    names = [p.name for p in traced.params]
    replay(traced, **dict(zip(names, arrays, strict=True)))
    return traced


def elementwise(function, *inputs, dtype=None):
    """`function` of the inputs' tiles, and of the arrays themselves."""

    def kernel(a: spy.In, b: spy.In, out: spy.Out):
        out[...] = function(spy.load(a[...]), spy.load(b[...]))

    a, b = inputs
    wanted = function(a, b)
    out = np.zeros(wanted.shape, dtype or wanted.dtype)
    run(kernel, a, b, out)
    return out, wanted


OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "reflected": lambda a, b: 2.0 - a * (1.0 / b),
    "square": lambda a, b: a**2 + (-b),
    "powers": lambda a, b: a**3 - b**1 + a**5 + b**0,
    "roots": lambda a, b: abs(a) ** 0.5 + (abs(b) + 1) ** -1 + abs(b) ** 0.7,
    "powers of tensors": lambda a, b: abs(a) ** b,
    "infinite power": lambda a, b: abs(a) ** float("inf") + b,
    "abs": lambda a, b: abs(a) - b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "logic": lambda a, b: ((a > 0) & (b > 0)) | ~(a < b) ^ (b > 1),
    "numpy scalar": lambda a, b: np.float32(2) * a + b * np.float32(0.5),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_float_operators(name):
    out, wanted = elementwise(OPERATORS[name], random(5, 7), random(5, 7))
    np.testing.assert_allclose(out, wanted, rtol=1e-6, atol=1e-6)


INTEGER_OPERATORS = {
    "+ - *": lambda a, b: a * 3 - b + a,
    "//": lambda a, b: a // (abs(b) + 1),
    "% ": lambda a, b: a % (b - 20),
    "bits": lambda a, b: (a & b) | (a ^ 5) & ~b,
    "shifts": lambda a, b: (a << 2) + (b >> 1),
    "compare": lambda a, b: (a < b) == (b > 2),
    "power": lambda a, b: a**2 + b**3 - a**0 + b**7,
    "powers of two": lambda a, b: a // 4 + b % 8 - a // 1 + b % 1,
    "negative": lambda a, b: -a - abs(b),
}


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
@pytest.mark.parametrize("name", INTEGER_OPERATORS)
def test_integer_operators(name, dtype):
    function = INTEGER_OPERATORS[name]
    out, wanted = elementwise(function, random(5, 7, dtype=dtype), random(5, 7, dtype=dtype))
    assert (out == wanted).all()


BROADCASTS = [
    ((5, 7), (7,)),
    ((5, 7), (5, 1)),
    ((7,), (5, 1)),
    ((5, 7), ()),
    ((1, 7), (5, 1)),
    ((2, 1, 7), (5, 1)),
    ((1,), (5, 7)),
    ((0, 7), (7,)),
]


@pytest.mark.parametrize("shapes", BROADCASTS)
def test_broadcasting(shapes):
    first, second = shapes
    out, wanted = elementwise(lambda a, b: a - b, random(*first), random(*second))
    assert (out == wanted).all()
    out, wanted = elementwise(lambda a, b: b - a, random(*second), random(*first))
    assert (out == wanted).all()


FUNCTIONS = {
    "exp": np.exp,
    "exp2": np.exp2,
    "sqrt": lambda x: np.sqrt(np.abs(x)),
    "rsqrt": lambda x: 1 / np.sqrt(np.abs(x)),
    "reciprocal": lambda x: 1 / x,
    "log": lambda x: np.log(np.abs(x)),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu": lambda x: x * 0.5 * np.vectorize(math.erfc)(-x / math.sqrt(2)),
    "softplus": lambda x: np.log1p(np.exp(x)),
    "tanh": np.tanh,
    "erf": np.vectorize(math.erf),
    "abs": np.abs,
    "neg": np.negative,
}


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, dtype):
    positive = name in ("sqrt", "rsqrt", "log")
    x = random(9, 33) * 3

    def kernel(x: spy.In, out: spy.Out):
        v = spy.cast(spy.load(x[...]), dtype)
        v = spy.abs(v) if positive else v
        out[...] = spy.cast(getattr(spy, name)(v), spy.f32)

    out = np.zeros_like(x)
    run(kernel, x, out)
    storage = parse(dtype).numpy
    rounded = x.astype(storage).astype(np.float64)
    step = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 4e-6}[dtype]
    np.testing.assert_allclose(out, FUNCTIONS[name](rounded), rtol=step, atol=1e-6)


def test_gelu_at_the_ends():
    x = np.array([-np.inf, -30, -5, -0.0, 0, np.inf, np.nan], np.float32)

    def kernel(x: spy.In, out: spy.Out):
        out[:] = spy.gelu(spy.load(x[:]))

    out = np.ones_like(x)
    run(kernel, x, out)
    wanted = [-0.0, -0.0, -5 * 0.5 * math.erfc(5 / math.sqrt(2)), -0.0, 0, np.inf, np.nan]
    np.testing.assert_allclose(out, wanted, rtol=1e-6)


def test_softplus_parameters():
    x = random(40) * 20

    def kernel(x: spy.In, out: spy.Out):
        out[:] = spy.softplus(spy.load(x[:]), beta=2.0, threshold=3.0)

    out = np.zeros_like(x)
    run(kernel, x, out)
    wanted = np.where(2 * x > 3, x, np.log1p(np.exp(2 * np.minimum(x, 2))) / 2)
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-7)


TYPES = ["f16", "bf16", "f32", "i8", "i16", "i32", "i64", "i1"]


@pytest.mark.parametrize("target", TYPES)
@pytest.mark.parametrize("source", TYPES)
def test_casts(source, target):
    numbers = np.array([-3.7, -1, -0.2, 0, 0.2, 1, 3.7, 100], np.float32)

    def kernel(x: spy.In, out: spy.Out):
        out[:] = spy.cast(spy.cast(spy.cast(spy.load(x[:]), source), target), spy.f32)

    out = np.zeros_like(numbers)
    run(kernel, numbers, out)
    with np.errstate(all="ignore"):
        wanted = numbers.astype(parse(source).numpy).astype(np.float32)
        wanted = wanted.astype(parse(target).numpy).astype(np.float32)
    assert (out == wanted).all()


def test_where_fma_minimum():
    def kernel(a: spy.In, b: spy.In, out: spy.Out):
        x, y = spy.load(a[:, :]), spy.load(b[:])
        out[:, :] = spy.where(x > y, spy.fma(x, y, 1.0), spy.minimum(spy.maximum(x, -0.5), y))

    a, b = random(6, 5), random(5)
    out = np.zeros_like(a)
    run(kernel, a, b, out)
    wanted = np.where(a > b, a * b + 1, np.minimum(np.maximum(a, -0.5), b))
    np.testing.assert_allclose(out, wanted, rtol=1e-5)


def test_axes():
    def kernel(x: spy.In, out: spy.Out):
        v = spy.load(x[1, :, 2:5])
        w = spy.transpose(v)
        u = spy.squeeze(spy.expand_dims(w, (0, 2)))
        row = spy.load(x[0, 3, 2:5])
        out[:, :, 0] = u * 2.0 + row[:, None]

    x, out = random(2, 4, 6), np.zeros((3, 4, 1), np.float32)
    run(kernel, x, out)
    np.testing.assert_allclose(out[:, :, 0], x[1, :, 2:5].T * 2 + x[0, 3, 2:5][:, None])


def test_permutations():
    for axes in [(0, 1, 2), (2, 0, 1), (1, 2, 0), (-1, 0, 1)]:

        def kernel(x: spy.In, out: spy.Out, axes: spy.Const = axes):
            out[...] = spy.transpose(spy.load(x[...]), axes)

        x = random(2, 3, 4)
        out = np.zeros(np.transpose(x, axes).shape, np.float32)
        run(kernel, x, out)
        assert (out == np.transpose(x, axes)).all()


def test_constants():
    def kernel(out: spy.Out, flags: spy.Out):
        out[:, :] = spy.broadcast_to(spy.full((3, 1), 0.5, spy.f32), (3, 4)) * spy.zeros(
            (4,), "f32"
        )
        out[0, :] = spy.full((4,), 2, spy.f32) + 1
        flags[...] = spy.zeros((2,), spy.i1) == False  # noqa: E712

    out, flags = np.ones((3, 4), np.float32), np.zeros(2, bool)
    run(kernel, out, flags)
    assert (out == [[3] * 4, [0] * 4, [0] * 4]).all()
    assert flags.all()


def test_unrolled_and_looped():
    def kernel(x: spy.In, out: spy.Out):
        for i in range(3):
            out[i, :] = spy.load(x[i, :]) * float(i)
        for i in spy.range(3, 7, 2):
            for j in spy.range(i - 3, 6):
                out[i, j] = spy.load(x[i, j]) + 1.0

    x, out = random(7, 6), np.zeros((7, 6), np.float32)
    run(kernel, x, out)
    wanted = np.zeros_like(out)
    wanted[:3] = x[:3] * np.arange(3, dtype=np.float32)[:, None]
    wanted[3], wanted[5, 2:] = x[3] + 1, x[5, 2:] + 1
    assert (out == wanted).all()


def test_explicit_tiles():
    def kernel(x: spy.In, out: spy.Out):
        tile = spy.access_tile(x, (np.int64(1), spy.tile_id()), (2, 3))
        spy.store(spy.access_tile(out, [0, 0], [2, 3]), tile)

    x, out = random(4, 5), np.zeros((2, 3), np.float32)
    run(kernel, x, out)
    assert (out == x[1:3, 0:3]).all()


def test_strided_views():
    def kernel(x: spy.In, out: spy.Out):
        columns = spy.memory_view(x, (4, 6), strides=(1, 4))
        out[...] = columns[...]

    x, out = np.arange(24, dtype=np.float32).reshape(6, 4), np.zeros((4, 6), np.float32)
    traced = trace_kernel(kernel, x, out)
    view = next(n for n in traced.recorded.root.nodes if getattr(n, "name", "") == "columns")
    assert view.strides == (1, 4)
    assert traced.params[0].strides == (4, 1)


@settings(max_examples=40, deadline=None)
@given(
    rows=st.integers(1, 20),
    cols=st.integers(1, 9),
    block=st.integers(1, 7),
    grid=st.integers(1, 5),
)
def test_blocks_give_every_element(rows, cols, block, grid):
    def kernel(x: spy.In, bias: spy.In, out: spy.Out):
        b = spy.load(bias[:])
        for part in spy.blocks(x.shape[0], block):
            out[part, :] = spy.load(x[part, :]) + b

    x, bias, out = random(rows, cols), random(cols), np.zeros((rows, cols), np.float32)
    traced = run(kernel, x, bias, out, grid=grid)
    assert (out == x + bias).all()
    assert warnings(traced) == []


def test_arrays_of_index_are_int64():
    def kernel(x: spy.In[3, spy.index], out: spy.Out[3, spy.index], rows: spy.Out[3]):
        out[:] = x[:] + 1
        rows[:] = spy.cast(x[:], spy.i32)

    x, out, rows = np.arange(3), np.zeros(3, np.int64), np.zeros(3, np.int32)
    text = interpreted(kernel, x, out, rows).module.text()
    assert out.tolist() == [1, 2, 3]
    assert rows.tolist() == [0, 1, 2]
    assert "memref<3xindex>" in text
