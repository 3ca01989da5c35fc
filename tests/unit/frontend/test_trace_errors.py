"""Every mistake in a kernel's body has its own code, the author's line, and a fix."""

import math
from operator import attrgetter

import numpy as np
import pytest

import spyrelang.language as spy
from spyrelang.errors import CATALOGUE, SpyreError

from .mistakes import CASES, body

M, N = spy.dims("M N")
KEPT = []


@body("while", "SPY256", "a tensor of shape (64,) and type i1")
def _(x, y, z, n, out):
    while spy.load(x[0, :]) > 0:
        pass


@body("while that is left", "SPY201", "if, while or assert")
def _(x, y, z, n, out):
    while spy.load(n[0]) < 4:
        break


@body("endless while", "SPY269", "always holds")
def _(x, y, z, n, out):
    while spy.tile_id() >= 0:
        out[0, :] = 1.0


@body("condition of while_", "SPY236", "spy.while_")
def _(x, y, z, n, out):
    for _ in spy.while_(spy.tile_id() < 4):
        pass


@body("carry of while_", "SPY210", "must name")
def _(x, y, z, n, out):
    for _ in spy.while_(lambda a, b: a < b, carry=(spy.tile_id(), 4)):
        pass


@body("while_ by hand", "SPY210", "not iterated by a for statement")
def _(x, y, z, n, out):
    next(spy.while_(lambda: spy.tile_id() < 4))


@body("list of while_", "SPY210", "handed to list")
def _(x, y, z, n, out):
    list(spy.while_(lambda: spy.tile_id() < 4))


@body("length of while_", "SPY210", "a spy.while_ object")
def _(x, y, z, n, out):
    len(spy.while_(lambda: spy.tile_id() < 4))


@body("while_ twice", "SPY210", "iterated again")
def _(x, y, z, n, out):
    i = spy.tile_id()
    loop = spy.while_(lambda: i < 4)
    for _ in loop:
        i = i + 1
    for _ in loop:
        i = i + 1


@body("assertion", "SPY268", "whole sticks")
def _(x, y, z, n, out):
    spy.assert_(x.shape[1] % 65 == 0, "whole sticks")


@body("assertion on tiles", "SPY268", "does not hold")
def _(x, y, z, n, out):
    spy.assert_(spy.tile_id() < 0)


@body("message", "SPY236", "message of spy.assert_")
def _(x, y, z, n, out):
    spy.assert_(spy.tile_id() < 4, 5)


@body("asserted number", "SPY236", "spy.assert_")
def _(x, y, z, n, out):
    spy.assert_(1.0)


@body("printed view", "SPY227", "x")
def _(x, y, z, n, out):
    spy.print_(x)


@body("and", "SPY201", "and, or")
def _(x, y, z, n, out):
    v = spy.load(x[0, :])
    _ = v > 0 and v < 1


@body("not", "SPY201", "not")
def _(x, y, z, n, out):
    _ = not spy.load(x[0, :])


@body("min of Python", "SPY201", "use spy.minimum")
def _(x, y, z, n, out):
    for i in spy.range(8):
        min([i, 3])


@body("max of values", "SPY201", "bool(), min()")
def _(x, y, z, n, out):
    v = spy.load(x[0, :])
    max(v, v + 1.0)


@body("if on an integer", "SPY201", "traced integer 'row'")
def _(x, y, z, n, out):
    row = spy.tile_id()
    if row:
        pass


@body("range", "SPY202", "spy.range")
def _(x, y, z, n, out):
    count = spy.tile_id()
    list(range(count))


@body("list index", "SPY203", "as an index")
def _(x, y, z, n, out):
    [1, 2][spy.tile_id()]


@body("int()", "SPY203", "int()")
def _(x, y, z, n, out):
    int(spy.tile_id())


@body("iteration", "SPY204", "spy.range")
def _(x, y, z, n, out):
    for _ in spy.load(x[0, :]):
        pass


@body("unpacking a view", "SPY204", "the view 'x'")
def _(x, y, z, n, out):
    _a, _b = x


@body("float()", "SPY205", "spy.exp")
def _(x, y, z, n, out):
    math.exp(spy.load(x[0, :]))


@body("numpy function", "SPY206", "numpy.exp")
def _(x, y, z, n, out):
    np.exp(spy.load(x[0, :]))


@body("numpy array operand", "SPY206", "numpy.add")
def _(x, y, z, n, out):
    np.zeros(64) + spy.load(x[0, :])


@body("asarray", "SPY206", "numpy")
def _(x, y, z, n, out):
    np.asarray(spy.load(x[0, :]))


@body("escaped", "SPY207", "traced tensor 'v'")
def _(x, y, z, n, out):
    for i in spy.range(4):
        v = spy.load(x[i, :])
    out[0, :] = v


@body("escaped integer", "SPY207", "loop that has ended")
def _(x, y, z, n, out):
    for i in spy.range(4):
        j = i + 1
    out[j, :] = 1.0


@body("appended", "SPY213", "'seen' changes from a list of length 0")
def _(x, y, z, n, out):
    seen = []
    for _ in spy.range(4):
        seen.append(1)  # noqa: PERF401


@body("break", "SPY209", "break")
def _(x, y, z, n, out):
    for _ in spy.range(4):
        break


@body("return in a loop", "SPY209", "return")
def _(x, y, z, n, out):
    for i in spy.range(4):
        out[i, :] = 1.0
        return


@body("break of the inner loop", "SPY209", "break")
def _(x, y, z, n, out):
    for _ in spy.range(2):
        for i in spy.range(2):
            out[i, :] = 1.0
            break


@body("loop object twice", "SPY210", "again")
def _(x, y, z, n, out):
    loop = spy.range(4)
    for _ in loop:
        pass
    for _ in loop:
        pass


@body("enumerate", "SPY210", "handed to enumerate")
def _(x, y, z, n, out):
    for _count, i in enumerate(spy.range(4)):
        out[i, :] = 1.0


@body("enumerate with one variable", "SPY210", "a spy.blocks object")
def _(x, y, z, n, out):
    for pair in enumerate(spy.blocks(4, 2)):
        out[pair[1], :] = 1.0


@body("zip with one variable", "SPY210", "handed to zip")
def _(x, y, z, n, out):
    for (rows,) in zip(spy.blocks(4, 2)):
        out[rows, :] = 1.0


@body("map over blocks", "SPY210", "handed to map")
def _(x, y, z, n, out):
    for start in map(attrgetter("start"), spy.blocks(4, 2)):
        out[start, :] = 1.0


@body("unpacked blocks", "SPY210", "gives one slice")
def _(x, y, z, n, out):
    for start, stop in spy.blocks(4, 2):
        out[start:stop, :] = 1.0


@body("blocks twice", "SPY210", "iterated again")
def _(x, y, z, n, out):
    rows = spy.blocks(4, 2)
    for r in rows:
        out[r, :] = 1.0
    for r in rows:
        out[r, :] = 1.0


@body("next of blocks", "SPY210", "handed to next")
def _(x, y, z, n, out):
    next(spy.blocks(4, 2))


@body("when twice", "SPY210", "entered again")
def _(x, y, z, n, out):
    first = spy.when(spy.tile_id() == 0)
    with first:
        out[0, :] = 1.0
    with first:
        out[1, :] = 1.0


@body("reversed", "SPY210", "count upwards")
def _(x, y, z, n, out):
    for i in reversed(spy.range(4)):
        out[i, :] = 1.0


@body("length of a loop", "SPY210", "length")
def _(x, y, z, n, out):
    len(spy.range(4))


@body("element of a loop", "SPY210", "subscripted")
def _(x, y, z, n, out):
    spy.range(4)[0]


@body("inside a loop's range", "SPY210", "compare with the bounds")
def _(x, y, z, n, out):
    out[0, :] = float(2 in spy.range(4))


@body("list of a loop", "SPY210", "handed to list")
def _(x, y, z, n, out):
    list(spy.range(4))


@body("negative step", "SPY211", "-1")
def _(x, y, z, n, out):
    spy.range(4, 0, -1)


@body("float bound", "SPY212", "2.5")
def _(x, y, z, n, out):
    spy.range(2.5)


@body("Python number", "SPY213", "'scale' changes from 1.0 to 0.5")
def _(x, y, z, n, out):
    scale = 1.0
    for i in spy.range(4):
        out[i, :] = scale
        scale = scale / 2


@body("size of a view", "SPY214", "a traced value in the shape of a view")
def _(x, y, z, n, out):
    spy.memory_view(x, (spy.tile_id() + 1, 64))


@body("returned", "SPY215", "the traced tensor 'x'")
def _(x, y, z, n, out):
    return spy.load(x[0, :])


@body("grid axis", "SPY216", "axis 1")
def _(x, y, z, n, out):
    spy.tile_id(1)


@body("blocks", "SPY217", "spy.blocks(8, 0)")
def _(x, y, z, n, out):
    spy.blocks(8, 0)


@body("true division of an integer", "SPY218", "/")
def _(x, y, z, n, out):
    x[spy.tile_id() / 2, :]


@body("integer and float", "SPY218", "a float")
def _(x, y, z, n, out):
    spy.tile_id() * 0.5


@body("integer by integer", "SPY218", "by a traced integer")
def _(x, y, z, n, out):
    8 // spy.tile_id()


def kernel_of(function):
    """The function itself, so that errors are placed in it."""
    tensor, wide = spy.In[M, N], spy.In[M, N, spy.f32]
    declared = {"x": tensor, "y": tensor, "z": wide, "n": spy.In, "out": spy.Out[M, N]}
    function.__annotations__, function.__name__ = declared, "kernel"
    return function


@pytest.mark.parametrize(("function", "code", "fragment", "arguments"), CASES)
def test_mistake(function, code, fragment, arguments, trace, zeros):
    arrays = (zeros(8, 64), zeros(8, 64), zeros(8, 64, dtype="f4"), zeros(64, dtype="i4"))
    with pytest.raises(SpyreError) as caught:
        trace(kernel_of(function), *arrays, zeros(8, 64), **arguments)
    error = caught.value
    assert error.code == code
    assert fragment in error.render()
    assert error.hint
    assert error.location is not None
    assert error.location.file == function.__code__.co_filename
    assert "^" in error.render()


def test_every_code_has_a_case():
    """Codes of this area that the cases above do not raise are raised in other files."""
    elsewhere = {"SPY200", "SPY208", "SPY219", "SPY248", "SPY249", "SPY255"}
    elsewhere |= {f"SPY{n}" for n in (257, 258, 259, *range(290, 300))}
    area = {code for code in CATALOGUE if "SPY200" <= code < "SPY260" or code >= "SPY290"}
    area = {code for code in area if code < "SPY300"} | {"SPY268", "SPY269"}
    assert {case.values[1] for case in CASES} == area - elsewhere


def test_variables_of_the_body_alone(trace, zeros):
    """Variables that the body writes before it reads them may have had another value before."""

    def kernel(x: spy.In, out: spy.Out):
        kept = []
        for i in range(3):
            v = spy.load(x[i, :]) * float(i)
            kept.append(v)
        for row in spy.range(8):
            for i in range(2):
                v = spy.load(x[row, :])
                v = v + float(i)
                out[row, :] = v + kept[0]
        for row in spy.range(8):
            v = spy.load(x[row, :])
            out[row, :] = v

    trace(kernel, zeros(8, 64), zeros(8, 64))


def test_outside_a_kernel():
    for use in (spy.tile_id, lambda: spy.range(4), lambda: spy.zeros((4,), spy.f16)):
        with pytest.raises(SpyreError, match="SPY200") as caught:
            use()
        assert caught.value.location.file == __file__


def test_value_of_another_kernel(trace, zeros):
    KEPT.clear()

    def first(x: spy.In, out: spy.Out):
        KEPT.append(spy.load(x[0, :]))
        out[0, :] = KEPT[0]

    def second(out: spy.Out):
        out[0, :] = KEPT[0]

    trace(first, zeros(1, 64), zeros(1, 64))
    with pytest.raises(SpyreError, match="SPY208") as caught:
        trace(second, zeros(1, 64))
    assert "it was made here" in caught.value.render()


def test_builtin_exceptions_catch_them(trace, zeros):
    def kernel(x: spy.In, out: spy.Out):
        out[0, :] = spy.load(x[9, :])

    with pytest.raises(IndexError):
        trace(kernel, zeros(1, 64), zeros(1, 64))
