"""What is refused or reported on load, for a device, and while running; always with the line."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import spyrelang as spyre

from .checks import COPY, copy, placed, reported
from .kit import (
    box,
    constants,
    filled,
    identity,
    kernel,
    load,
    normal,
    shaped,
    store,
    tile,
    view,
)

# --- tiles ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("at", "first"), [("6, 0", 6), ("-1, 0", -1), ("0, 1", 1)])
def test_constant_tile_outside_its_view(at: str, first: int) -> None:
    """Found on load: nothing has to run."""
    with pytest.raises(spyre.SpyreError) as caught:
        spyre.load_ktir(kernel("k", "x, o", [1], copy(at)))
    assert caught.value.code == "SPY560"
    assert f"touches coordinates {first} to" in caught.value.message
    assert caught.value.location is not None


def test_computed_tile_outside_its_view() -> None:
    text = kernel("k", "x, o", [3], copy("%r, 0", before="%r = affine.apply #m(%id)\n"))
    text = "#m = affine_map<(d0) -> (d0 * 3)>\n" + text
    found = placed(text, {"x": normal(8, 64), "o": normal(8, 64)})
    assert found.code == "SPY560"
    assert "compute tile 2 touches coordinates 6 to 9 of dimension 0" in found.message


@pytest.mark.parametrize("index", [-1, 6, 2**31 - 1])
def test_index_out_of_the_table(index: int) -> None:
    body = view("x", [6, 4]) + view("i", [3], "i32") + view("o", [3, 4])
    body += (
        "%g_tile = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) "
        f"%x_view[ind(%i_view[%m]), (%k)] {{variables_space_set = {box([3, 4])}, "
        f"variables_space_order = {identity(2)}}} : memref<6x4xf16>, memref<3xi32> -> "
        "!ktdp.access_tile<3x4xindex>\n"
    )
    body += load("g", [3, 4]) + tile("o", [3, 4], [3, 4], "0, 0") + store("%g_x", "o", [3, 4])
    indices = np.array([0, 5, index], np.int32)
    arrays = {"x": normal(6, 4), "i": indices, "o": normal(3, 4)}
    found = placed(kernel("k", "x, i, o", [1], body), arrays)
    assert found.code == "SPY572"
    assert f"reads index {index} for dimension 0 of a view of size 6" in found.message


# --- distributed views ---------------------------------------------------------------------------


def halves(low: int, rows: int = 8, lines: int = 1) -> str:
    """Rows 0..3 in %a and four rows from `low` in %b; a tile of `lines` rows at the origin."""
    body = view("a", [4, 8]) + view("b", [4, 8], low=[low, 0]) + view("o", [lines, 8])
    body += (
        "%d_view = ktdp.construct_distributed_memory_view(%a_view, %b_view : memref<4x8xf16>, "
        f"memref<4x8xf16>) : {shaped('memref', [rows, 8], 'f16')}\n"
    )
    body += tile("d", [rows, 8], [lines, 8], "0, 0") + load("d", [lines, 8])
    body += tile("o", [lines, 8], [lines, 8], "0, 0") + store("%d_x", "o", [lines, 8])
    return kernel("k", "a, b, o", [1], body)


def test_partitions_that_overlap() -> None:
    with pytest.raises(spyre.SpyreError) as caught:
        spyre.load_ktir(halves(3))
    assert caught.value.code == "SPY590"
    assert "partitions 0 and 1 of the distributed view both hold coordinate [3, 0]" in str(
        caught.value
    )


def test_partitions_that_leave_a_hole() -> None:
    arrays = {"a": normal(4, 8), "b": normal(4, 8), "o": normal(1, 8)}
    with pytest.warns(spyre.SpyreWarning, match="SPY591"):
        module = spyre.load_ktir(halves(5, 9))
    assert [w.code for w in module.warnings] == ["SPY591"]
    assert "holds coordinate [4, 0] of its 9x8" in reported(halves(5, 9), arrays, "SPY591")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        touched = placed(halves(5, 9, lines=9), {**arrays, "o": normal(9, 8)})
    assert touched.code == "SPY573"


def test_partitions_that_fit_are_quiet() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spyre.load_ktir(halves(4))


# --- scratchpads ---------------------------------------------------------------------------------

LOCAL = "#ktdp.memory_space<ct_local>"


def pads(first: int, second: int, rows: int = 4) -> str:
    """Two views of rows x 64 f16 in the scratchpad, at addresses in elements."""
    body = constants(first, second) + view("o", [rows, 64])
    for name, at in (("p", first), ("q", second)):
        body += view(name, [rows, 64], base=f"%c{at}", space=LOCAL)
    body += filled("%z", "1.0", [rows, 64], "f16")
    body += tile("p", [rows, 64], [rows, 64], "0, 0") + store("%z", "p", [rows, 64])
    body += load("p", [rows, 64]) + tile("o", [rows, 64], [rows, 64], "0, 0")
    return kernel("k", "o", [1], body + store("%p_x", "o", [rows, 64]))


def test_scratchpad_views_that_overlap() -> None:
    text = reported(pads(0, 128), {"o": normal(4, 64)}, "SPY593")
    assert "bytes 256 to 511 of the scratchpad" in text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spyre.load_ktir(pads(0, 256))
        spyre.load_ktir(pads(64, 64))  # one buffer, seen twice


def test_scratchpad_views_with_strides_of_both_signs_overlap() -> None:
    """Rows go up, columns down: such a view covers bytes on both sides of its start."""
    body = constants(256, 400)
    for name, at, strides in (("p", 256, [64, -1]), ("q", 400, [64, 1])):
        body += view(name, [4, 64], base=f"%c{at}", space=LOCAL).replace("[64, 1]", str(strides))
    with pytest.warns(spyre.SpyreWarning, match="bytes 800 to 897 of the scratchpad"):
        spyre.load_ktir(kernel("k", "o", [1], body))
    apart = body.replace("constant 400 :", "constant 449 :")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spyre.load_ktir(kernel("k", "o", [1], apart))


def test_scratchpad_views_past_the_end() -> None:
    """The capacity is that of the device."""
    large = pads(0, 600_000)
    spyre.load_ktir(large).compile(device="spyre")
    with pytest.raises(spyre.SpyreError) as caught:
        spyre.load_ktir(large).compile(device="sample_device")
    assert caught.value.code == "SPY578"
    assert "scratchpad of 1048576 bytes" in caught.value.message
    moved = large.replace("arith.constant 600000 : index", "index.add %c0, %n")
    moved = moved.replace("%c600000 = ", "%n = index.constant 1200000\n%c600000 = ")
    with pytest.raises(spyre.SpyreError) as caught:
        spyre.load_ktir(moved.replace("store %z, %p_tile", "store %z, %q_tile").replace(
            "%p_tile = ktdp.construct_access_tile %p_view", "%q_tile = "
            "ktdp.construct_access_tile %q_view[0, 0] {access_tile_set = " + box([4, 64])
            + f", access_tile_order = {identity(2)}}} : memref<4x64xf16> -> "
            "!ktdp.access_tile<4x64xindex>\n%p_tile = ktdp.construct_access_tile %p_view",
        )).run({"o": normal(4, 64)}, engine="ktir")  # fmt: skip
    assert caught.value.code == "SPY578"


# --- transfers -----------------------------------------------------------------------------------


def test_transfers_are_checked_on_load() -> None:
    """A group of four on a grid of two."""
    four = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + 3 >= 0, s0 == 0)>"
    kind = "<(tensor<4xf16>), groups = affine_set<(d0) : (d0 == 0)>>"
    body = filled("%z", "0.0", [4], "f16") + (
        f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {four} -> {kind} {{\n"
        "^bb0(%g: index):\nktdp.yield_partial %z : tensor<4xf16>\n}\n"
        f"%r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = {four}, identity(%z : "
        f"tensor<4xf16>) : {kind} -> tensor<4xf16> {{\n"
        "^bb0(%a: tensor<4xf16>, %b: tensor<4xf16>):\n%t = arith.addf %a, %b : tensor<4xf16>\n"
        "ktdp.yield_reduced %t : tensor<4xf16>\n}\n"
    )
    spyre.load_ktir(kernel("k", "o", [4], body))
    with pytest.raises(spyre.SpyreError) as caught:
        spyre.load_ktir(kernel("k", "o", [2], body))
    assert caught.value.code == "SPY574"
    assert "tile 3 produces for group 0, and the grid has 2 tiles" in caught.value.message
    assert caught.value.location is not None


# --- coverage ------------------------------------------------------------------------------------


def test_reports_tell_what_was_read_and_written() -> None:
    x, o = normal(8, 64), normal(8, 64)
    found = str(spyre.load_ktir(COPY).run({"x": x, "o": o}, engine="ktir").report())
    assert "x: every element read" in found
    assert "o: every element written" in found
    part = kernel("k", "x, o", [2], copy("0, 0"))
    found = str(spyre.load_ktir(part).run({"x": x, "o": o}, engine="ktir").report())
    assert "x: 256 of 512 elements never read" in found
    assert "o: 256 of 512 elements never written, 256 written more than once" in found
