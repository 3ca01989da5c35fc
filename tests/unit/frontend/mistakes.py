"""Mistakes in a kernel's body, as cases of `test_trace_errors`: those about memory and values."""

import numpy as np
import pytest

import spyrelang.language as spy

CASES = []


def body(name, code, fragment, **arguments):
    """A case: the function is the body of a kernel of x, y, z (f32), n (i32) and out."""

    def enter(function):
        CASES.append(pytest.param(function, code, fragment, arguments, id=name))
        return function

    return enter


@body("two dots", "SPY220", "write it once")
def _(x, y, z, n, out):
    x[..., ...]


@body("a view is augmented", "SPY227", "write `out[:, :] += …`")
def _(x, y, z, n, out):
    out += x[...]


@body("too many subscripts", "SPY220", "given 3")
def _(x, y, z, n, out):
    x[0, 0, 0]


@body("negative subscript", "SPY221", "x.shape[0] - 1")
def _(x, y, z, n, out):
    x[-1, :]


@body("negative slice", "SPY221", "-2")
def _(x, y, z, n, out):
    x[:-2, :]


@body("step", "SPY222", "spy.memory_view")
def _(x, y, z, n, out):
    x[::2, :]


@body("traced extent", "SPY223", "axis 0 of 'x'")
def _(x, y, z, n, out):
    x[0 : spy.tile_id(), :]


@body("constant past the end", "SPY224", "elements 6 to 9 of axis 0 of 'x', which has size 8")
def _(x, y, z, n, out):
    x[6:10, :]


@body("tile past the end", "SPY224", "(first on tile 2)", grid=3)
def _(x, y, z, n, out):
    row = spy.tile_id() * 4
    x[row : row + 4, :]


@body("iteration past the end", "SPY224", "(first on tile 0, i = 8)", grid=2)
def _(x, y, z, n, out):
    for i in spy.range(0, 10, 4):
        x[i + spy.tile_id() : i + spy.tile_id() + 1, :]


@body("before the start", "SPY224", "element -1")
def _(x, y, z, n, out):
    x[spy.tile_id() - 1, :]


@body("float subscript", "SPY225", "1.5")
def _(x, y, z, n, out):
    x[1.5, :]


@body("bool subscript", "SPY225", "True")
def _(x, y, z, n, out):
    x[True, :]


@body("list subscript", "SPY225", "a list")
def _(x, y, z, n, out):
    x[[0, 1], :]


@body("backwards", "SPY226", "extent -4")
def _(x, y, z, n, out):
    x[8:4, :]


@body("view as operand", "SPY227", "spy.load(x[:, :])")
def _(x, y, z, n, out):
    x + y


@body("view of a function", "SPY227", "spy.exp")
def _(x, y, z, n, out):
    spy.exp(x)


@body("view compared", "SPY227", "x[:, :]")
def _(x, y, z, n, out):
    _ = x == y


@body("tile of a tile", "SPY228", "subscripted again")
def _(x, y, z, n, out):
    x[0:4, :][0, :]


@body("load of a value", "SPY229", "loaded already")
def _(x, y, z, n, out):
    spy.load(spy.load(x[0, :]))


@body("load of a number", "SPY229", "an int")
def _(x, y, z, n, out):
    spy.load(3)


@body("shapes", "SPY230", "(4, 64) and (3, 64)")
def _(x, y, z, n, out):
    spy.load(x[0:4, :]) + spy.load(y[0:3, :])


@body("mixed types", "SPY231", "f16 and f32")
def _(x, y, z, n, out):
    spy.load(x[0, :]) + spy.load(z[0, :])


@body("exp of integers", "SPY232", "spy.exp is not defined for i32")
def _(x, y, z, n, out):
    spy.exp(spy.load(n[:]))


@body("and of floats", "SPY232", "&")
def _(x, y, z, n, out):
    spy.load(x[0, :]) & spy.load(x[0, :])


@body("sum of booleans", "SPY232", "+")
def _(x, y, z, n, out):
    v = spy.load(x[0, :]) > 0
    v + v


@body("condition of floats", "SPY232", "compare first")
def _(x, y, z, n, out):
    v = spy.load(x[0, :])
    spy.where(v, v, v)


@body("float and integers", "SPY233", "0.5")
def _(x, y, z, n, out):
    spy.load(n[:]) * 0.5


@body("bool and floats", "SPY233", "True")
def _(x, y, z, n, out):
    spy.load(x[0, :]) * True


@body("f16 overflow", "SPY234", "100000.0")
def _(x, y, z, n, out):
    spy.load(x[0, :]) * 1e5


@body("i32 overflow", "SPY234", "2147483647")
def _(x, y, z, n, out):
    spy.load(n[:]) + 2**31


@body("negative power", "SPY234", "integers have no reciprocal")
def _(x, y, z, n, out):
    spy.load(n[:]) ** -2


@body("shift too far", "SPY234", "shift")
def _(x, y, z, n, out):
    spy.load(n[:]) << 32


@body("division by zero", "SPY235", "zero")
def _(x, y, z, n, out):
    spy.load(x[0, :]) / 0


@body("integer division by zero", "SPY235", "zero")
def _(x, y, z, n, out):
    spy.tile_id() // 0


@body("string operand", "SPY236", "a str")
def _(x, y, z, n, out):
    spy.load(x[0, :]) + "1"


@body("None operand", "SPY236", "None")
def _(x, y, z, n, out):
    spy.exp(None)


@body("array operand", "SPY236", "an array of shape (64,)")
def _(x, y, z, n, out):
    spy.maximum(spy.load(x[0, :]), np.zeros(64))


@body("traced integer operand", "SPY237", "*")
def _(x, y, z, n, out):
    spy.load(x[0, :]) * spy.tile_id()


@body("traced integer left", "SPY237", "*")
def _(x, y, z, n, out):
    spy.tile_id() * spy.load(x[0, :])


@body("numbers only", "SPY238", "spy.where")
def _(x, y, z, n, out):
    spy.where(spy.load(x[0, :]) > 0, 1.0, 0.0)


@body("axis", "SPY239", "axis 5")
def _(x, y, z, n, out):
    spy.expand_dims(spy.load(x[0, :]), 5)


@body("permutation", "SPY239", "(0, 0)")
def _(x, y, z, n, out):
    spy.transpose(spy.load(x[:, :]), (0, 0))


@body("stored shape", "SPY240", "(4, 64) and the value (64,)")
def _(x, y, z, n, out):
    out[0:4, :] = spy.load(x[0, :])


@body("stored type", "SPY241", "spy.cast(value, spy.f16)")
def _(x, y, z, n, out):
    out[0, :] = spy.load(z[0, :])


@body("store to an input", "SPY242", "'x'")
def _(x, y, z, n, out):
    x[0, :] = 1.0


@body("load of an output", "SPY243", "spy.InOut")
def _(x, y, z, n, out):
    spy.load(out[0, :])


@body("no such type", "SPY244", "float12")
def _(x, y, z, n, out):
    spy.cast(spy.load(x[0, :]), "float12")


@body("f64", "SPY244", "f64")
def _(x, y, z, n, out):
    spy.zeros((4,), "f64")


@body("negative size", "SPY245", "(4, -1)")
def _(x, y, z, n, out):
    spy.zeros((4, -1), spy.f16)


@body("squeeze", "SPY246", "64 elements")
def _(x, y, z, n, out):
    spy.squeeze(spy.load(x[0:1, :]), 1)


@body("broadcast_to", "SPY247", "(64,) cannot be broadcast to (64, 4)")
def _(x, y, z, n, out):
    spy.broadcast_to(spy.load(x[0, :]), (64, 4))


@body("strides of a view", "SPY250", "strides")
def _(x, y, z, n, out):
    spy.memory_view(x, (4, 64), strides=(64,))


@body("view past its tensor", "SPY251", "511")
def _(x, y, z, n, out):
    spy.memory_view(x, (16, 64))


@body("space", "SPY252", "'LX'")
def _(x, y, z, n, out):
    spy.memory_view(0, (64,), space="LX", dtype=spy.f16)


@body("view without type", "SPY253", "dtype=spy.f16")
def _(x, y, z, n, out):
    spy.memory_view(0, (64,), space=spy.local())


@body("base", "SPY254", "a str")
def _(x, y, z, n, out):
    spy.memory_view("x", (64,), dtype=spy.f16)
