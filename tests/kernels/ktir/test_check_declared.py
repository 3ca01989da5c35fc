"""What a text declares against what its operands say, on load."""

from __future__ import annotations

import numpy as np
import pytest

import spyrelang as spyre

from .checks import COPY, copy, loading, placed, reported
from .kit import box, identity, kernel, load, normal, run, store, tile, view

# --- types that lie ------------------------------------------------------------------------------

LIES = {
    "view": ("memref<8x64xf16>\n", "memref<8x32xf16>\n"),
    "tile": ("!ktdp.access_tile<4x64xindex>\n", "!ktdp.access_tile<4x32xindex>\n"),
    "load": ("-> tensor<4x64xf16>", "-> tensor<4x32xf16>"),
    "element": ("-> tensor<4x64xf16>", "-> tensor<4x64xf32>"),
    "size": ("sizes: [8, 64]", "sizes: [8, 32]"),
    "negative": ("sizes: [8, 64]", "sizes: [8, -64]"),
}


@pytest.mark.parametrize("which", LIES)
def test_declared_types_that_lie(which: str) -> None:
    with pytest.raises(spyre.SpyreError) as caught:
        spyre.load_ktir(COPY.replace(*LIES[which], 1))
    assert caught.value.code in (
        "SPY592",
        "SPY101",
        "SPY102",
        "SPY103",
        "SPY104",
        "SPY105",
        "SPY106",
    )
    assert caught.value.location is not None


def test_a_space_that_the_type_contradicts() -> None:
    typed = COPY.replace("memref<8x64xf16>", "memref<8x64xf16, #ktdp.memory_space<{}>>")
    x, out = normal(8, 64), normal(8, 64, seed=1)
    run(typed.replace("{}", "global"), {"x": x, "o": out})
    np.testing.assert_array_equal(out, x)
    found = loading("SPY592", typed.replace("{}", "ct_local"))
    assert "the memory space #ktdp.memory_space<global>" in found.message


def test_coordinate_sets_of_views_that_stand_alone() -> None:
    text = COPY.replace(f"coordinate_set = {box([8, 64])}", f"coordinate_set = {box([8, 32])}", 1)
    x, out = normal(8, 64), normal(8, 64, seed=1)
    assert "covers 8x32 points, the view has 8x64" in reported(text, {"x": x, "o": out}, "SPY597")
    np.testing.assert_array_equal(out, x)


def test_coordinate_sets_larger_than_their_partition() -> None:
    body = view("a", [4, 8]) + view("b", [4, 8], low=[4, 0]).replace("+ 8 - 1", "+ 9 - 1", 1)
    body += (
        "%d_view = ktdp.construct_distributed_memory_view(%a_view, %b_view : memref<4x8xf16>, "
        "memref<4x8xf16>) : memref<9x8xf16>\n"
    )
    found = loading("SPY592", kernel("k", "a, b", [1], body))
    assert "a coordinate set of 5x8 points" in found.message


def test_partitions_with_holes_of_their_own() -> None:
    """Even rows in one view, odd ones in the other, each as far apart as in the whole; the odd ones
    count from row 1."""
    rows = (
        "affine_set<(d0, d1) : (d0 mod 2 - {0} == 0, d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 3 >= 0)>"
    )
    body = ""
    for name, count, first in (("a", 7, 0), ("b", 7, 1)):
        made = view(name, [count, 4])
        body += made.replace(box([count, 4]), rows.format(first))
    body += view("o", [8, 4]) + (
        "%d_view = ktdp.construct_distributed_memory_view(%a_view, %b_view : memref<7x4xf16>, "
        "memref<7x4xf16>) : memref<8x4xf16>\n"
    )
    body += tile("d", [8, 4], [8, 4], "0, 0") + load("d", [8, 4])
    body += tile("o", [8, 4], [8, 4], "0, 0") + store("%d_x", "o", [8, 4])
    a, b, out = normal(7, 4), normal(7, 4, seed=1), normal(8, 4)
    run(kernel("k", "a, b, o", [1], body), {"a": a, "b": b, "o": out})
    np.testing.assert_array_equal(out[::2], a[::2])
    np.testing.assert_array_equal(out[1::2], b[::2])


# --- orders and subscripts -----------------------------------------------------------------------


@pytest.mark.parametrize("order", ["(d0, d0)", "(0, d1)", "(d0 floordiv 2, d1)", "(d0 + d1, 0)"])
def test_orders_that_do_not_tell_points_apart(order: str) -> None:
    text = COPY.replace(identity(2), f"affine_map<(d0, d1) -> {order}>", 1)
    found = placed(text, {"x": normal(8, 64), "o": normal(8, 64)})
    assert found.code == "SPY558"
    assert "does not tell the points of the set apart" in found.message


@pytest.mark.parametrize(("order", "flip"), [("(d0 + 1, d1)", 1), ("(-d0, d1)", -1)])
def test_orders_that_are_no_permutation_but_do(order: str, flip: int) -> None:
    text = kernel("k", "x, o", [1], copy("0, 0", rows=8))
    text = text.replace(identity(2), f"affine_map<(d0, d1) -> {order}>", 1)
    x, out = normal(8, 64), normal(8, 64, seed=1)
    run(text, {"x": x, "o": out})
    np.testing.assert_array_equal(out, x[::flip])


def test_sets_without_an_end_are_placed() -> None:
    text = COPY.replace(
        "access_tile_set = " + box([4, 64]), "access_tile_set = affine_set<(d0, d1) : (d0 >= 0)>", 1
    )
    assert placed(text, {"x": normal(8, 64), "o": normal(8, 64)}).code == "SPY112"


def gather(rows: str = "%m", columns: str = "%k", dtype: str = "i32") -> str:
    body = "%c3 = arith.constant 3 : index\n" + view("x", [6, 8]) + view("i", [4], dtype)
    body += (
        "%g_tile = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) "
        f"%x_view[ind(%i_view[{rows}]), ({columns})] {{variables_space_set = {box([4, 8])}, "
        f"variables_space_order = {identity(2)}}} : memref<6x8xf16>, memref<4x{dtype}> -> "
        "!ktdp.access_tile<4x8xindex>\n"
    )
    body += load("g", [4, 8]) + view("o", [4, 8]) + tile("o", [4, 8], [4, 8], "0, 0")
    return kernel("k", "x, i, o", [1], body + store("%g_x", "o", [4, 8]))


@pytest.mark.parametrize(
    ("rows", "columns", "first", "last", "size"),
    [
        ("%m + 1", "%k", 1, 4, 4),
        ("%m - 1", "%k", -1, 2, 4),
        ("%m * 2", "%k", 0, 6, 4),
        ("%m + %c3", "%k", 3, 6, 4),
        ("%m", "%k + 1", 1, 8, 8),
        ("%m", "-%k", -7, 0, 8),
        ("%m", "%k + %c3", 3, 10, 8),
    ],
)
def test_subscripts_known_to_leave_a_view(
    rows: str, columns: str, first: int, last: int, size: int
) -> None:
    found = loading("SPY560", gather(rows, columns))
    assert f"touches coordinates {first} to {last}" in found.message
    assert f"of size {size}" in found.message


def test_subscripts_that_stay_inside() -> None:
    x, rows, out = normal(6, 8), np.array([5, 0, 5, 2], np.int32), normal(4, 8, seed=1)
    run(gather("-%m + 3", "-%k + 7"), {"x": x, "i": rows, "o": out})
    np.testing.assert_array_equal(out, x[rows[::-1]][:, ::-1])


def test_index_views_without_integers() -> None:
    assert "an index view of f16" in loading("SPY592", gather(dtype="f16")).message


# --- functions -----------------------------------------------------------------------------------


def test_blocks_without_a_terminator() -> None:
    """MLIR takes any unknown op for one, and the last store would not be run."""
    text = COPY.replace("return\n", "")
    found = placed(text, {"x": normal(8, 64), "o": normal(8, 64)})
    assert found.code == "SPY553"
    assert "ktdp.store" in found.message


def test_names_with_quotes() -> None:
    text = COPY.replace("@k", '@"a \\22b\\22/c"')
    module = spyre.load_ktir(text)
    assert module.kernels == ('a "b"/c',)
    x, out = normal(8, 64), normal(8, 64, seed=1)
    module.run({"x": x, "o": out}, engine="ktir")
    np.testing.assert_array_equal(out, x)


def test_private_functions_are_no_kernels() -> None:
    text = COPY.replace("module {\n", "module {\nfunc.func private @h(%a: f16) {\nreturn\n}\n")
    assert spyre.load_ktir(text).kernels == ("k",)
