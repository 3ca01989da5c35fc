"""Corners of ktdp: spellings of spaces and grids, symbols of sets, start addresses, roles."""

from __future__ import annotations

import numpy as np
import pytest

from .kit import box, identity, kernel, load, rng, run, store, tile, view

IDS = "%id = ktdp.get_compute_tile_id : index\n"
ROWS = "affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 2 >= 0)>"


def sample(shape: tuple[int, ...], dtype: type = np.float16) -> np.ndarray:
    return rng().standard_normal(shape).astype(dtype)


# --- indirect tiles ------------------------------------------------------------------------------


def test_all_subscripts_direct_with_one_captured_value_twice() -> None:
    """A diagonal block: `%b` moves both coordinates, and is one captured value."""
    x, o = sample((6, 6)), np.zeros((3, 2, 2), np.float16)
    body = IDS + "%two = arith.constant 2 : index\n%b = arith.muli %id, %two : index\n"
    body += view("x", (6, 6)) + view("o", (3, 2, 2))
    body += (
        "%tx = ktdp.construct_indirect_access_tile intermediate_variables(%m, %n) "
        "%vx[(%m + %b), (%n + %b)] {variables_space_order = affine_map<(d0, d1) -> (d1, d0)>, "
        f"variables_space_set = {box((2, 2))}}} : memref<6x6xf16> -> !ktdp.access_tile<2x2xindex>\n"
    )
    body += load("x", (2, 2)) + tile("o", (3, 2, 2), (1, 2, 2), "%id, 0, 0")
    body += "%r = tensor.expand_shape %xx [[0, 1], [2]] output_shape [1, 2, 2] : "
    body += "tensor<2x2xf16> into tensor<1x2x2xf16>\n"
    run(kernel(body + store("%r", "o", (1, 2, 2)), grid=[3]), {"x": x, "o": o})
    want = [x[i : i + 2, i : i + 2].T for i in (0, 2, 4)]
    np.testing.assert_array_equal(o, want)


def test_symbols_of_an_indirect_tile() -> None:
    """As many rows as an argument says."""
    x, rows, o = sample((9, 3)), np.array([7, 0, 7, 3], np.int32), np.zeros((4, 3), np.float16)
    body = view("x", (9, 3)) + view("i", (4,), "i32") + view("o", (4, 3))
    body += (
        "%tx = ktdp.construct_indirect_access_tile intermediate_variables(%m, %q) "
        "%vx[ind(%vi[%m]), (%q)] symbols(%n) {variables_space_order = "
        f"{identity(2)}, variables_space_set = {ROWS}}} : memref<9x3xf16>, memref<4xi32> -> "
        "!ktdp.access_tile<?x3xindex>\n"
        f"%to = ktdp.construct_access_tile %vo[0, 0] symbols(%n) {{access_tile_set = {ROWS}, "
        f"access_tile_order = {identity(2)}}} : memref<4x3xf16> -> !ktdp.access_tile<?x3xindex>\n"
        "%v = ktdp.load %tx : <?x3xindex> -> tensor<?x3xf16>\n"
        "ktdp.store %v, %to : tensor<?x3xf16>, <?x3xindex>\n"
    )
    text = kernel(body, ["x", "i", "o", "n"])
    for count in (4, 2, 0):
        o[:] = 0
        run(text, {"x": x, "i": rows, "o": o, "n": count})
        np.testing.assert_array_equal(o[:count], x[rows[:count]])
        assert not o[count:].any()


# --- views ---------------------------------------------------------------------------------------


def test_symbols_of_a_partition_are_its_dynamic_sizes() -> None:
    """The first partition has %n rows, the second those from %n on."""
    a, b, o = sample((5, 3)), sample((4, 3)) * 2, np.zeros((9, 3), np.float16)
    rest = ROWS.replace("d0 >= 0, -d0 + s0 - 1 >= 0", "d0 - 5 >= 0, -d0 + s0 + 4 >= 0")
    body = ""
    for name, size, points in (("a", "%n", ROWS), ("b", "%m", rest)):
        body += (
            f"%v{name} = ktdp.construct_memory_view %{name}, sizes: [{size}, 3], strides: [3, 1] "
            f"{{coordinate_set = {points}, memory_space = #ktdp.memory_space<global>}} : "
            "memref<?x3xf16>\n"
        )
    body += "%vd = ktdp.construct_distributed_memory_view(%va, %vb : memref<?x3xf16>, "
    body += "memref<?x3xf16>) : memref<9x3xf16>\n" + view("o", (9, 3))
    body += tile("d", (9, 3), (9, 3)) + load("d", (9, 3)) + tile("o", (9, 3), (9, 3))
    text = kernel(body + store("%dx", "o", (9, 3)), ["a", "b", "o", "n", "m"])
    run(text, {"a": a, "b": b, "o": o, "n": 5, "m": 4})
    np.testing.assert_array_equal(o, np.concatenate([a, b]))


@pytest.mark.parametrize(
    ("outside", "local"),
    [
        ("#ktdp.memory_space<global>", "#ktdp.memory_space<ct_local>"),
        ("#ktdp.spyre_memory_space<HBM>", "#ktdp.spyre_memory_space<LX>"),
        ("#ktdp.spyre_memory_space<HBM>", "#ktdp.spyre_memory_space<LX, core = 0>"),
        ("#ktdp.memory_space<global>", "#ktdp.memory_space<ct_local, ct_id = -1>"),
    ],
)
@pytest.mark.parametrize("typed", [False, True])
def test_spaces_in_both_spellings_with_and_without_typed_memrefs(
    outside: str, local: str, typed: bool
) -> None:
    x, o = sample((4, 3)), np.zeros((4, 3), np.float16)
    body = view("x", (4, 3)) + view("o", (4, 3)) + view("s", (4, 3), base="%c0", space="LOCAL")
    body += tile("x", (4, 3), (4, 3)) + load("x", (4, 3)) + tile("s", (4, 3), (4, 3))
    body += store("%xx", "s", (4, 3)) + load("s", (4, 3)) + tile("o", (4, 3), (4, 3))
    text = kernel(body + store("%sx", "o", (4, 3)))
    lines: list[str] = []
    for line in text.split("\n"):
        if typed:
            space = local if "%vs" in line else outside
            line = line.replace("memref<4x3xf16>", f"memref<4x3xf16, {space}>")
        line = line.replace("#ktdp.memory_space<LOCAL>", local)
        lines.append(
            line.replace("memory_space = #ktdp.memory_space<global>", f"memory_space = {outside}")
        )
    run("\n".join(lines), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x)


@pytest.mark.parametrize("grid", ["2, 3", "2 : index, 3 : index", "2 : i32, 3 : i64"])
def test_types_of_grid_entries(grid: str) -> None:
    o = np.zeros((2, 3), np.int32)
    body = "%i, %j = ktdp.get_compute_tile_id : index, index\n" + view("o", (2, 3), "i32")
    body += tile("o", (2, 3), (1, 1), "%i, %j", "i32")
    body += "%k = affine.apply affine_map<(d0, d1) -> (d0 * 3 + d1)>(%i, %j)\n"
    body += "%v = arith.index_cast %k : index to i32\n%r = tensor.splat %v : tensor<1x1xi32>\n"
    text = kernel(body + store("%r", "o", (1, 1), "i32"), ["o"], [2, 3])
    run(text.replace("grid = [2, 3]", f"grid = [{grid}]"), {"o": o})
    np.testing.assert_array_equal(o, np.arange(6).reshape(2, 3))


# --- start addresses -----------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "dtype"), [("f16", np.float16), ("f32", np.float32)])
def test_constants_and_arguments_name_the_same_bytes(name: str, dtype: type) -> None:
    """Both count elements; so does what a tile adds to them."""
    x = sample((4, 8), dtype)
    found: list[np.ndarray] = []
    for constant in (True, False):
        o = np.zeros((4, 8), dtype)
        body = IDS + "%n = arith.constant 8 : index\n%d = arith.muli %id, %n : index\n"
        for array, start in (("x", 64), ("o", 1024)):
            if constant:
                body += f"%{array} = arith.constant {start} : index\n"
            body += f"%b{array} = arith.addi %{array}, %d : index\n"
            body += view(array, (8,), name, f"%b{array}") + tile(array, (8,), (8,), dtype=name)
        body += load("x", (8,), name) + store("%xx", "o", (8,), name)
        text = kernel(body, [] if constant else ["x", "o"], [4])
        run(text, {} if constant else {"x": 64, "o": 1024}, memory={64: x, 1024: o})
        found.append(o)
    np.testing.assert_array_equal(found[0], x)
    np.testing.assert_array_equal(found[1], x)


# --- exchanges of two values, arguments ----------------------------------------------------------


def test_two_roles() -> None:
    """The largest value of all tiles and where it stands: each role has its type."""
    x, o, w = sample((4, 3)), np.zeros((4, 3), np.float16), np.zeros((4, 3), np.int32)
    everyone = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + 3 >= 0, s0 == 0)>"
    kind = "<(tensor<1x3xf16>, tensor<1x3xi32>), groups = affine_set<(d0) : (d0 == 0)>>"
    both = "tensor<1x3xf16>, tensor<1x3xi32>"
    body = (
        IDS
        + "%i = arith.index_cast %id : index to i32\n%mine = tensor.splat %i : tensor<1x3xi32>\n"
    )
    body += view("x", (4, 3)) + view("o", (4, 3)) + view("w", (4, 3), "i32")
    body += tile("x", (4, 3), (1, 3), "%id, 0") + load("x", (1, 3))
    body += tile("o", (4, 3), (1, 3), "%id, 0") + tile("w", (4, 3), (1, 3), "%id, 0", "i32")
    body += (
        "%lo = arith.constant dense<0xFC00> : tensor<1x3xf16>\n"
        "%no = arith.constant dense<-1> : tensor<1x3xi32>\n"
        f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {everyone} -> {kind} {{\n"
        f"^bb0(%g: index):\nktdp.yield_partial %xx, %mine : {both}\n}}\n"
        f"%r, %s = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = {everyone}, "
        f"identity(%lo, %no : {both}) : {kind} -> {both} {{\n"
        "^bb0(%a: tensor<1x3xf16>, %p: tensor<1x3xi32>, "
        "%b: tensor<1x3xf16>, %q: tensor<1x3xi32>):\n"
        "%m = arith.cmpf ogt, %b, %a : tensor<1x3xf16>\n"
        "%c = arith.select %m, %b, %a : tensor<1x3xi1>, tensor<1x3xf16>\n"
        "%d = arith.select %m, %q, %p : tensor<1x3xi1>, tensor<1x3xi32>\n"
        f"ktdp.yield_reduced %c, %d : {both}\n}}\n"
    )
    body += store("%r", "o", (1, 3)) + store("%s", "w", (1, 3), "i32")
    run(kernel(body, ["x", "o", "w"], [4]), {"x": x, "o": o, "w": w})
    np.testing.assert_array_equal(o, np.broadcast_to(x.max(axis=0), (4, 3)))
    np.testing.assert_array_equal(w, np.broadcast_to(x.argmax(axis=0), (4, 3)))


def test_bounds_of_arguments_are_values_and_an_argument_may_be_a_float() -> None:
    bounded = "!ktdp.runtime_arg<index, upperbound=300, granularity=4>"
    body = f"%a = ktdp.runtime_arg_extract granularity from %s : {bounded} -> index\n"
    body += f"%b = ktdp.runtime_arg_extract upperbound from %s : {bounded} -> index\n"
    body += "%v = ktdp.runtime_arg_extract value from %h : <f32> -> f32\n"
    body += "%k = affine.apply affine_map<(d0, d1) -> (d0 * 1000 + d1)>(%a, %b)\n"
    body += "%i = arith.index_cast %k : index to i32\n%n = arith.sitofp %i : i32 to f32\n"
    body += "%t = arith.mulf %n, %v : f32\n%r = tensor.splat %t : tensor<2xf32>\n"
    body += view("o", (2,), "f32") + tile("o", (2,), (2,), dtype="f32")
    text = kernel(body + store("%r", "o", (2,), "f32"), ["o", "s", "h"])
    text = text.replace("%s: index", f"%s: {bounded}").replace(
        "%h: index", "%h: !ktdp.runtime_arg<f32>"
    )
    o = np.zeros(2, np.float32)
    run(text, {"o": o, "s": 8, "h": 0.5})
    np.testing.assert_array_equal(o, [2150, 2150])
