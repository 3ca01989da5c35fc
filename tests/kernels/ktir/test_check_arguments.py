"""Arrays, scalars, roles and grids that do not fit a kernel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import spyrelang as spyre

from .checks import COPY, placed, refused, reported
from .kit import kernel, load, normal, run, store, tile, view

# --- arguments -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arrays", "word"),
    [
        ({"x": normal(8, 64)}, "'o'"),
        ({"x": normal(8, 64), "o": normal(8, 64), "y": normal(1)}, "y"),
        ({"x": normal(8, 64), "o": normal(7, 64)}, "'o'"),
        ({"x": normal(8, 65), "o": normal(8, 64)}, "'x'"),
        ({"x": normal(8, 64, dtype="f32"), "o": normal(8, 64)}, "'x'"),
        ({"x": normal(8, 64).view(np.int16), "o": normal(8, 64)}, "'x'"),
        ({"x": normal(512), "o": normal(8, 64)}, "'x'"),
        ({"x": normal(1, 8, 64), "o": normal(8, 64)}, "'x'"),
        ({"x": 3, "o": normal(8, 64)}, "'x'"),
        ({"x": None, "o": normal(8, 64)}, "'x'"),
    ],
)
def test_arrays_that_do_not_fit(arrays: dict[str, Any], word: str) -> None:
    found = refused(COPY, arrays)
    assert found.code.startswith("SPY7")
    assert word in found.message
    assert found.hint
    assert found.location is not None


def test_views_past_the_array() -> None:
    """A view that is no row-major array of its argument is checked where it is used."""
    text = COPY.replace("strides: [64, 1]", "strides: [65, 1]")
    found = placed(text, {"x": normal(8 * 64), "o": normal(8 * 64)})
    assert found.code == "SPY561"


# --- grids ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("grid", ["[]", "[0]", "[-2]", "[2, 0]", '["two"]', "2 : index"])
def test_grids_that_are_none(grid: str) -> None:
    text = COPY.replace("grid = [2]", f"grid = {grid}")
    assert placed(text, {"x": normal(8, 64), "o": normal(8, 64)}).code == "SPY555"


def test_a_missing_grid() -> None:
    text = COPY.replace(" attributes {grid = [2]}", "")
    assert placed(text, {"x": normal(8, 64), "o": normal(8, 64)}).code == "SPY555"


def test_a_grid_larger_than_the_device() -> None:
    text = COPY.replace("grid = [2]", "grid = [33]")
    found = placed(text, {"x": normal(8, 64), "o": normal(8, 64)})
    assert found.code == "SPY435"
    assert "runs on 33 cores, and device 'spyre' has 32" in found.message


@pytest.mark.parametrize("grid", ["[2, 1]", "[2, 1, 1]"])
def test_axes_of_one_tile_need_no_id(grid: str) -> None:
    text = COPY.replace("grid = [2]", f"grid = {grid}")
    x, out = normal(8, 64), np.zeros((8, 64), np.float16)
    spyre.load_ktir(text).run({"x": x, "o": out}, engine="ktir")
    assert np.array_equal(out, x)


@pytest.mark.parametrize("grid", ["[1, 2]", "[2, 2]", "[2, 1, 2]"])
def test_ids_that_do_not_tell_all_tiles_apart(grid: str) -> None:
    text = COPY.replace("grid = [2]", f"grid = {grid}")
    assert placed(text, {"x": normal(8, 64), "o": normal(8, 64)}).code == "SPY555"


@pytest.mark.parametrize("grid", ["[true]", "[1, 1, 1, 1]"])
def test_more_grids_that_are_none(grid: str) -> None:
    text = kernel("k", "o", [1], "").replace("grid = [1]", f"grid = {grid}")
    assert placed(text, {"o": 0}).code == "SPY555"


# --- scalars -------------------------------------------------------------------------------------


def scalar(kind: str, op: str) -> str:
    body = f"%v = arith.{op} %n, %n : {kind}\n%r = tensor.splat %v : tensor<4x{kind}>\n"
    body += view("o", [4], kind) + tile("o", [4], [4], "0", kind) + store("%r", "o", [4], kind)
    return kernel("k", f"n: {kind}, o: index", [1], body)


WRONG: list[tuple[str, str, Any]] = [
    *(("i32", "addi", v) for v in (2**32, -(2**31) - 1, 2**70, 1.0, math.nan, True, "1", None)),
    *(("i8", "addi", v) for v in (256, -129)),
    *(("i1", "ori", v) for v in (2, -2, 1.0)),
    *(("f32", "addf", v) for v in (1e39, 10**400, True, 1j, "1", None, [1.0])),
    *(("f16", "addf", v) for v in (1e6, 65520)),
    *(("index", "addi", v) for v in (2**64, -(2**63) - 1, 1.5, True)),
]


@pytest.mark.parametrize(("kind", "op", "value"), WRONG)
def test_scalars_that_are_no_numbers_of_their_type(kind: str, op: str, value: Any) -> None:
    if kind == "index":
        text = scalar("i32", "addi").replace("%n: i32", "%m: index")
        text = text.replace("%v =", "%n = arith.index_cast %m : index to i32\n%v =")
        found = placed(text, {"m": value, "o": np.zeros(4, np.int32)})
    else:
        found = placed(scalar(kind, op), {"n": value, "o": np.zeros(4, NUMBERS[kind])})
    assert found.code == "SPY714"
    assert "argument #0" in found.message


NUMBERS: dict[str, Any] = {
    "i8": np.int8,
    "i32": np.int32,
    "i1": np.bool_,
    "f32": np.float32,
    "f16": np.float16,
}


@pytest.mark.parametrize(
    ("kind", "op", "value", "want"),
    [
        ("i32", "addi", 2**31 - 1, -2),  # wraps
        ("i8", "addi", -128, 0),
        ("i1", "ori", True, True),
        ("i1", "ori", 0, False),
        ("f32", "addf", math.inf, math.inf),
        ("f32", "addf", math.nan, math.nan),
        ("f32", "addf", 3, 6),
        ("f32", "addf", np.float64(0.5), 1),
        ("f16", "addf", 65519, math.inf),  # rounds to the largest, whose double overflows
        ("f16", "addf", -math.inf, -math.inf),
    ],
)
def test_scalars_at_the_edges_of_their_type(kind: str, op: str, value: Any, want: Any) -> None:
    out = np.zeros(4, NUMBERS[kind])
    run(scalar(kind, op), {"n": value, "o": out})
    np.testing.assert_array_equal(out, np.full(4, want, out.dtype))


# --- names and roles -----------------------------------------------------------------------------

NAMED = kernel(
    "k",
    'o: index {spyrelang.role = "out"}',
    [1],
    view("o", [4])
    + tile("o", [4], [4], "0")
    + "%v = arith.constant dense<1.0> : tensor<4xf16>\n"
    + store("%v", "o", [4]),
)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"out"', '"in"', "has the role 'in', but the kernel stores to it"),
        ('"out"', '"sideways"', "has the role 'sideways'"),
        ("{grid", '{spyrelang.note = "", grid', None),
        (
            '%o: index {spyrelang.role = "out"}',
            '%o: index {spyrelang.name = "a"}, %p: index {spyrelang.name = "a"}',
            "has the name of another",
        ),
    ],
)
def test_arguments_that_contradict_themselves(old: str, new: str, reason: str | None) -> None:
    text, out = NAMED.replace(old, new), np.zeros(4, np.float16)
    if reason is None:
        run(text, {"o": out})
        assert (out == 1).all()
        return
    found = placed(text, {"o": out})
    assert found.code == "SPY598"
    assert reason in found.message


def test_a_view_with_more_rows_than_its_array() -> None:
    """What is touched is there: a warning."""
    text = kernel("k", "x: index, n: index, o: index", [1], (
        view("x", [8, 64]).replace("[8,", "[%n,").replace("<8x", "<?x")
        + tile("x", [8, 64], [2, 64], "0, 0").replace("memref<8x", "memref<?x")
        + load("x", [2, 64]) + view("o", [2, 64]) + tile("o", [2, 64], [2, 64], "0, 0")
        + store("%x_x", "o", [2, 64])
    ))  # fmt: skip
    x, out = normal(6, 64), normal(2, 64, seed=1)
    run(text, {"x": x, "n": 6, "o": out})
    np.testing.assert_array_equal(out, x[:2])
    assert "covers elements 0 to 511" in reported(text, {"x": x, "n": 8, "o": out}, "SPY543")
    assert placed(text, {"x": x, "n": 1, "o": out}).code == "SPY560"
    assert refused(text, {"x": x, "n": -1, "o": out}).location is not None
