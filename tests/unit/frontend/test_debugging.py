"""`spy.assert_` and `spy.print_`: traced, read back, run by engine "ktir", refused elsewhere."""

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.errors import SpyreError

from .running import random


@spyre.kernel(grid=(2, 2))
def checked(x: spy.In, out: spy.Out):
    i, j = spy.tile_id(0), spy.tile_id(1)
    v = spy.load(x[i, j, :])
    spy.assert_(v > 0, "rows must be positive")
    spy.assert_(i + j < 4)
    spy.assert_(True, "known")
    out[i, j, :] = v


def failing(index):
    x = np.ones((2, 2, 3), np.float32)
    x[index] = -1
    return x


@pytest.mark.parametrize(("index", "tile"), [((0, 1, 2), 1), ((1, 1, 0), 3)])
def test_a_failing_assertion_names_tile_line_and_message(index, tile):
    x, out = failing(index), np.zeros((2, 2, 3), np.float32)
    with pytest.raises(SpyreError, match=f"SPY579.*tile {tile}.*rows must be positive") as found:
        checked(x, out, engine="ktir")
    assert found.value.location.line == checked.__wrapped__.__code__.co_firstlineno + 4
    again = spyre.load_ktir(checked.ir("ktir", x, out))
    with pytest.raises(SpyreError, match="rows must be positive"):
        again["checked"].run({"x": x, "out": out}, engine="ktir")


def test_assertions_that_hold():
    x, out = np.ones((2, 2, 3), np.float32), np.zeros((2, 2, 3), np.float32)
    checked(x, out, engine="ktir")
    np.testing.assert_array_equal(x, out)
    assert str(checked.ir("ktir", x, out)).count("cf.assert") == 1  # the others hold always


def test_false_is_a_matter_of_the_branch():
    @spyre.kernel(grid=4)
    def kernel(out: spy.Out):
        t = spy.tile_id()
        if t == 2:
            spy.assert_(False, "not here")
        out[t] = 1.0

    with pytest.raises(SpyreError, match="compute tile 2: not here"):
        kernel(np.zeros(4, np.float32), engine="ktir")


@spyre.kernel(grid=2)
def printing(x: spy.In, out: spy.Out):
    t = spy.tile_id()
    for i in spy.range(2):
        v = spy.load(x[t, i, :])
        spy.print_("row {", i, "}", v, 0.5, None, i > 0)
        out[t, i, :] = v


def test_lines_of_tiles(capsys):
    x, out = np.arange(12, dtype=np.float32).reshape(2, 2, 3), np.zeros((2, 2, 3), np.float32)
    run = printing(x, out, engine="ktir")
    want = [
        "tile 0: row { 0 } [0. 1. 2.] 0.5 None False",
        "tile 1: row { 0 } [6. 7. 8.] 0.5 None False",
        "tile 0: row { 1 } [3. 4. 5.] 0.5 None True",
        "tile 1: row { 1 } [ 9. 10. 11.] 0.5 None True",
    ]
    assert run.prints == want
    assert capsys.readouterr().out.splitlines() == want
    text = printing.ir("ktir", x, out)
    assert 'spyrelang.print "row {{ {} }} {} 0.5 None {}" %i, %' in text
    assert spyre.load_ktir(text)["printing"].run({"x": x, "out": out}, engine="ktir").prints == want


def test_trips_print_in_order(capsys):
    @spyre.kernel
    def kernel(x: spy.In, out: spy.Out):
        for i in spy.range(3):
            spy.print_("a", i)
            spy.print_("b", x[i, 0:1])
            out[i, :] = x[i, :]

    run = kernel(np.zeros((3, 2), np.float32), np.zeros((3, 2), np.float32), engine="ktir")
    assert [line[8:] for line in run.prints] == [t for i in range(3) for t in (f"a {i}", "b [0.]")]


def test_shapes_and_types(capsys):
    @spyre.kernel(grid=(1, 2))
    def kernel(x: spy.In, n: spy.In, out: spy.Out):
        spy.print_(spy.transpose(x[:, :], (1, 0)), spy.sum(x[:, :]), spy.empty((2,), spy.f32))
        spy.print_(n[:], spy.zeros((500,), spy.bf16))
        spy.print_()
        out[:, spy.tile_id(1)] = x[:, spy.tile_id(1)]

    x = np.arange(4, dtype=np.float16).reshape(2, 2)
    for numerics in ("ieee", "df16"):
        args = (x, np.array([3, 4], np.int32), np.zeros((2, 2), np.float16))
        lines = kernel(*args, engine="ktir", numerics=numerics).prints
        assert lines[0] == "tile (0, 0): \n  [[0. 2.]\n   [1. 3.]] 6.0 [-- --]"
        assert lines[3] == "tile (0, 1): [3 4] [0 0 0 ... 0 0 0]"
        assert lines[5] == "tile (0, 1): "


def test_devices_refuse_them():
    x, out = random(2, 2, 3), np.zeros((2, 2, 3), np.float32)
    with pytest.raises(SpyreError, match=r"SPY424.*spyrelang\.print") as found:
        printing(x, out)
    assert found.value.location.line == printing.__wrapped__.__code__.co_firstlineno + 5
    constructs = [
        v.construct for v in printing.compile(x, out, profile="scheduler-v1").profile.violations
    ]
    assert constructs == ["tensor.collapse_shape", "spyrelang.print"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('"{}" %c, %c : index, index', "has places for 1 values, and there are 2"),
        ('"{} {}" %c : index', "has places for 2 values, and there are 1"),
        ('"{"', "braces"),
        ('"{0}" %c : index', "braces"),
        ('"{!r}" %c : index', "braces"),
        ("3", "must be a string"),
    ],
)
def test_malformed_prints(text, why):
    source = (
        "func.func @k() attributes {grid = [1]} {\n"
        f"  %c = arith.constant 1 : index\n  spyrelang.print {text}\n  return\n}}"
    )
    with pytest.raises(SpyreError, match=why) as found:
        spyre.load_ktir(source)
    assert found.value.location.line == 3
