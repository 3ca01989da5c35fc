"""Views, access tiles, loads and stores: grids, strides, orders, sets, spaces, and bounds."""

from __future__ import annotations

import numpy as np
import pytest

from spyrelang import interp
from spyrelang.errors import SpyreError

from .kit import box, compiled, identity, kernel, load, rng, run, store, tile, view


def copy_kernel(
    shape: tuple[int, ...], extents: tuple[int, ...], at: str, grid: list[int], ids: str
) -> str:
    body = view("x", shape) + view("o", shape) + ids
    body += tile("x", shape, extents, at) + tile("o", shape, extents, at)
    return kernel(body + load("x", extents) + store("%xx", "o", extents), grid=grid)


def sample(shape: tuple[int, ...], dtype: type = np.float16) -> np.ndarray:
    return rng().standard_normal(shape).astype(dtype)


IDS = "%id = ktdp.get_compute_tile_id : index\n"


def test_rank_one_grid() -> None:
    x, o = sample((12, 5)), np.zeros((12, 5), np.float16)
    ids = IDS + "%n = arith.constant 3 : index\n%r = arith.muli %id, %n : index\n"
    found = run(copy_kernel((12, 5), (3, 5), "%r, 0", [4], ids), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x)
    assert found.warnings == []
    assert all(c.complete for c in found.coverage)


def test_rank_three_grid_is_row_major() -> None:
    x, o = sample((2, 3, 4, 5)), np.zeros((2, 3, 4, 5), np.float16)
    ids = "%i, %j, %k = ktdp.get_compute_tile_id : index, index, index\n"
    ids += "%a = arith.addi %i, %c0 : index\n%b = arith.addi %j, %c0 : index\n"
    ids += "%c = arith.addi %k, %c0 : index\n"
    run(copy_kernel(x.shape, (1, 1, 1, 5), "%a, %b, %c, 0", [2, 3, 4], ids), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x)


def test_tile_ids_count_row_major() -> None:
    body = "%i, %j = ktdp.get_compute_tile_id : index, index\n" + view("o", (2, 3), "i32")
    body += "%a = arith.addi %i, %c0 : index\n%b = arith.addi %j, %c0 : index\n"
    body += tile("o", (2, 3), (1, 1), "%a, %b", "i32")
    body += "%n = arith.constant 10 : index\n%t = arith.muli %i, %n : index\n"
    body += "%s = arith.addi %t, %j : index\n%v = arith.index_cast %s : index to i32\n"
    body += "%r = tensor.splat %v : tensor<1x1xi32>\n" + store("%r", "o", (1, 1), "i32")
    o = np.zeros((2, 3), np.int32)
    run(kernel(body, ["o"], [2, 3]), {"o": o})
    np.testing.assert_array_equal(o, [[0, 1, 2], [10, 11, 12]])


def test_columns_on_tiles() -> None:
    x, o = sample((6, 12)), np.zeros((6, 12), np.float16)
    ids = IDS + "%n = arith.constant 3 : index\n%r = arith.muli %id, %n : index\n"
    found = run(copy_kernel((6, 12), (6, 3), "0, %r", [4], ids), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x)
    assert found.warnings == []


def test_irregular_starts() -> None:
    """Tile ids squared: the boxes are not evenly spaced."""
    x, o = sample((10, 2)), np.zeros((10, 2), np.float16)
    ids = IDS + "%r = arith.muli %id, %id : index\n"
    run(copy_kernel((10, 2), (1, 2), "%r, 0", [4], ids), {"x": x, "o": o})
    want = np.zeros_like(x)
    want[[0, 1, 4, 9]] = x[[0, 1, 4, 9]]
    np.testing.assert_array_equal(o, want)


def test_affine_subscripts_and_symbols() -> None:
    x, o = sample((9, 4)), np.zeros((9, 4), np.float16)
    ids = IDS + "%n = arith.constant 3 : index\n"
    run(copy_kernel((9, 4), (1, 4), "%id * 3 + 2, 0", [3], ids), {"x": x, "o": o})
    np.testing.assert_array_equal(o[2::3], x[2::3])
    assert not o[:2].any()


def test_view_with_strides_and_displaced_base() -> None:
    """Every second column from element 1 on."""
    x, o = sample((4, 6)), np.zeros((4, 3), np.float16)
    body = "%b = arith.addi %x, %c1 : index\n" + view("x", (4, 3), base="%b", strides=(6, 2))
    body += view("o", (4, 3)) + tile("x", (4, 3), (4, 3)) + tile("o", (4, 3), (4, 3))
    body += load("x", (4, 3)) + store("%xx", "o", (4, 3))
    run(kernel(body), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x[:, 1::2])


def test_negative_stride_reads_backwards() -> None:
    x, o = sample((5,)), np.zeros(5, np.float16)
    body = "%n = arith.constant 4 : index\n%b = arith.addi %x, %n : index\n"
    body += view("x", (5,), base="%b", strides=(-1,)) + view("o", (5,))
    body += (
        tile("x", (5,), (5,)) + tile("o", (5,), (5,)) + load("x", (5,)) + store("%xx", "o", (5,))
    )
    run(kernel(body), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x[::-1])


def test_base_that_depends_on_the_tile() -> None:
    x, o = sample((4, 8)), np.zeros((4, 8), np.float16)
    body = IDS + "%n = arith.constant 8 : index\n%d = arith.muli %id, %n : index\n"
    for name in "xo":
        body += f"%b{name} = arith.addi %{name}, %d : index\n" + view(name, (8,), base=f"%b{name}")
        body += tile(name, (8,), (8,))
    found = run(
        kernel(body + load("x", (8,)) + store("%xx", "o", (8,)), grid=[4]), {"x": x, "o": o}
    )
    np.testing.assert_array_equal(o, x)
    assert found.warnings == []


def test_dynamic_sizes_and_strides() -> None:
    x, o = sample((4, 7)), np.zeros((4, 7), np.float16)
    shape = "memref<4x?xf16>"
    coords = "affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + s0 - 1 >= 0)>"
    body = ""
    for name in "xo":
        body += (
            f"%v{name} = ktdp.construct_memory_view %{name}, sizes: [4, %n], strides: [%n, 1] "
            f"{{coordinate_set = {coords}, memory_space = #ktdp.memory_space<global>}} : {shape}\n"
            f"%t{name} = ktdp.construct_access_tile %v{name}[0, 0] symbols(%n) "
            f"{{access_tile_set = {coords}, access_tile_order = {identity(2)}}} : {shape} -> "
            "!ktdp.access_tile<4x?xindex>\n"
        )
    body += "%v = ktdp.load %tx : <4x?xindex> -> tensor<4x?xf16>\n"
    body += "ktdp.store %v, %to : tensor<4x?xf16>, <4x?xindex>\n"
    run(kernel(body, ["x", "o", "n"]), {"x": x, "o": o, "n": 7})
    np.testing.assert_array_equal(o, x)


def order_kernel(order: str, result: tuple[int, ...]) -> str:
    kind = "".join(f"{n}x" for n in result)
    body = view("x", (2, 5, 3)) + view("o", result)
    body += (
        f"%tx = ktdp.construct_access_tile %vx[0, 0, 0] {{access_tile_set = {box((2, 5, 3))}, "
        f"access_tile_order = affine_map<(d0, d1, d2) -> {order}>}} : memref<2x5x3xf16> -> "
        f"!ktdp.access_tile<{kind}index>\n"
    )
    return kernel(body + tile("o", result, result) + load("x", result) + store("%xx", "o", result))


@pytest.mark.parametrize("axes", [(0, 1, 2), (1, 0, 2), (2, 0, 1), (1, 2, 0), (2, 1, 0)])
def test_order_maps_permute_the_traversal(axes: tuple[int, ...]) -> None:
    x = sample((2, 5, 3))
    order = "(" + ", ".join(f"d{a}" for a in axes) + ")"
    want = x.transpose(axes)
    o = np.zeros(want.shape, np.float16)
    run(order_kernel(order, want.shape), {"x": x, "o": o})
    np.testing.assert_array_equal(o, want)


def test_store_through_a_permuting_order() -> None:
    x, o = sample((2, 5)), np.zeros((5, 2), np.float16)
    body = view("x", (2, 5)) + view("o", (5, 2)) + tile("x", (2, 5), (2, 5)) + load("x", (2, 5))
    body += (
        f"%to = ktdp.construct_access_tile %vo[0, 0] {{access_tile_set = {box((5, 2))}, "
        "access_tile_order = affine_map<(d0, d1) -> (d1, d0)>} : memref<5x2xf16> -> "
        "!ktdp.access_tile<2x5xindex>\n"
    )
    run(kernel(body + store("%xx", "o", (2, 5))), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x.T)


def test_triangular_set_lists_its_points() -> None:
    x, o = sample((3, 3)), np.zeros(6, np.float16)
    triangle = "affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, d0 - d1 >= 0)>"
    body = view("x", (3, 3)) + view("o", (6,))
    body += (
        f"%tx = ktdp.construct_access_tile %vx[0, 0] {{access_tile_set = {triangle}, "
        f"access_tile_order = {identity(2)}}} : memref<3x3xf16> -> !ktdp.access_tile<6x1xindex>\n"
        "%v = ktdp.load %tx : <6x1xindex> -> tensor<6x1xf16>\n"
        "%w = tensor.collapse_shape %v [[0, 1]] : tensor<6x1xf16> into tensor<6xf16>\n"
    )
    run(kernel(body + tile("o", (6,), (6,)) + store("%w", "o", (6,))), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x[np.tril_indices(3)])


def test_set_that_does_not_start_at_zero() -> None:
    x, o = sample((8,)), np.zeros(2, np.float16)
    body = view("x", (8,)) + view("o", (2,))
    body += (
        "%tx = ktdp.construct_access_tile %vx[1] {access_tile_set = "
        "affine_set<(d0) : (d0 - 4 >= 0, "
        f"-d0 + 5 >= 0)>, access_tile_order = {identity(1)}}} : memref<8xf16> -> "
        "!ktdp.access_tile<2xindex>\n"
    )
    run(
        kernel(body + tile("o", (2,), (2,)) + load("x", (2,)) + store("%xx", "o", (2,))),
        {"x": x, "o": o},
    )
    np.testing.assert_array_equal(o, x[5:7])


def test_rank_zero_and_empty_tiles() -> None:
    x, o = sample((1,)), np.zeros(1, np.float16)
    body = ""
    for name in "xo":
        body += (
            f"%v{name} = ktdp.construct_memory_view %{name}, sizes: [], strides: [] "
            "{coordinate_set = affine_set<() : (0 == 0)>, "
            "memory_space = #ktdp.memory_space<global>} : memref<f16>\n"
            f"%t{name} = ktdp.construct_access_tile %v{name}[] {{access_tile_set = "
            "affine_set<() : (0 == 0)>, access_tile_order = affine_map<() -> ()>} : memref<f16> "
            "-> !ktdp.access_tile<index>\n"
        )
    body += (
        "%v = ktdp.load %tx : <index> -> tensor<f16>\nktdp.store %v, %to : tensor<f16>, <index>\n"
    )
    run(kernel(body), {"x": x.reshape(()), "o": o.reshape(())})
    np.testing.assert_array_equal(o, x)


def test_empty_arrays() -> None:
    text = copy_kernel((0, 4), (0, 4), "0, 0", [1], "")
    run(text, {"x": np.zeros((0, 4), np.float16), "o": np.zeros((0, 4), np.float16)})


def test_tensor_as_base() -> None:
    x, o = sample((4, 6)), np.zeros((2, 3), np.float16)
    body = view("x", (4, 6)) + view("o", (2, 3)) + tile("x", (4, 6), (4, 6)) + load("x", (4, 6))
    body += (
        f"%ts = ktdp.construct_access_tile %xx[1, 2] {{access_tile_set = {box((2, 3))}, "
        f"access_tile_order = {identity(2)}}} : tensor<4x6xf16> -> !ktdp.access_tile<2x3xindex>\n"
    )
    body += tile("o", (2, 3), (2, 3)) + load("s", (2, 3)) + store("%sx", "o", (2, 3))
    run(kernel(body), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x[1:3, 2:5])


# --- in place and layout of arrays ---------------------------------------------------------------


def add_in_place(grid: int) -> str:
    rows = 8 // grid
    body = IDS + f"%n = arith.constant {rows} : index\n%r = arith.muli %id, %n : index\n"
    body += view("x", (8, 3)) + view("y", (8, 3))
    body += tile("x", (8, 3), (rows, 3), "%r, 0") + tile("y", (8, 3), (rows, 3), "%r, 0")
    body += load("x", (rows, 3)) + load("y", (rows, 3))
    body += f"%s = arith.addf %xx, %yx : tensor<{rows}x3xf16>\n" + store("%s", "x", (rows, 3))
    # the value loaded before the store is not changed by it
    return kernel(body + store("%xx", "y", (rows, 3)), ["x", "y"], [grid])


@pytest.mark.parametrize("grid", [1, 2, 8])
def test_in_place(grid: int) -> None:
    x, y = sample((8, 3)), sample((8, 3)) * 2
    old, total = x.copy(), x + y
    found = run(add_in_place(grid), {"x": x, "y": y})
    np.testing.assert_array_equal(x, total)
    np.testing.assert_array_equal(y, old)
    assert found.warnings == []


def test_one_array_for_two_arguments() -> None:
    x = sample((8, 3))
    text = copy_kernel((8, 3), (8, 3), "0, 0", [1], "")
    want = x.copy()
    run(text, {"x": x, "o": x})
    np.testing.assert_array_equal(x, want)
    whole = sample((9, 3))
    with pytest.raises(SpyreError) as caught:
        run(text, {"x": whole[:-1], "o": whole[1:]})
    assert caught.value.code == "SPY713"


def test_strided_and_fortran_arrays() -> None:
    x, o = np.asfortranarray(sample((8, 3))), np.zeros((8, 6), np.float16)[:, ::2]
    run(copy_kernel((8, 3), (8, 3), "0, 0", [1], ""), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x)


# --- addresses -----------------------------------------------------------------------------------


def test_constant_bases_count_elements() -> None:
    a, o = sample((4, 8), np.float32), np.zeros((4, 8), np.float32)
    body = "%p = arith.constant 64 : index\n%q = arith.constant 1024 : index\n"
    body += view("x", (4, 8), "f32", "%p") + view("o", (4, 8), "f32", "%q")
    body += tile("x", (4, 8), (4, 8), dtype="f32") + tile("o", (4, 8), (4, 8), dtype="f32")
    text = kernel(body + load("x", (4, 8), "f32") + store("%xx", "o", (4, 8), "f32"), [])
    run(text, memory={64: a, 1024: o})
    np.testing.assert_array_equal(o, a)
    with pytest.raises(SpyreError) as caught:
        run(text, memory={64: a})
    assert caught.value.code == "SPY562"
    assert "1024" in str(caught.value)
    with pytest.raises(SpyreError) as caught:
        run(text, memory={64: a.astype(np.float16), 1024: o})
    assert caught.value.code in ("SPY562", "SPY563")


def test_address_arguments_as_numbers() -> None:
    x, o = sample((8, 3)), np.zeros((8, 3), np.float16)
    run(
        copy_kernel((8, 3), (8, 3), "0, 0", [1], ""),
        {"x": 128, "o": 4096},
        memory={128: x, 4096: o},
    )
    np.testing.assert_array_equal(o, x)


def scratch(space: str, grid: int, at: str = "%c0") -> str:
    body = IDS + view("x", (4, 3)) + view("o", (4, 3))
    body += tile("x", (4, 3), (1, 3), "%id, 0") + tile("o", (4, 3), (1, 3), "%id, 0")
    body += view("s", (1, 3), base=at, space=space) + tile("s", (1, 3), (1, 3))
    body += load("x", (1, 3)) + store("%xx", "s", (1, 3)) + load("s", (1, 3))
    return kernel(body + store("%sx", "o", (1, 3)), grid=[grid])


def test_scratchpads_are_one_per_tile() -> None:
    x, o = sample((4, 3)), np.zeros((4, 3), np.float16)
    found = run(scratch("ct_local", 4), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x)
    assert found.warnings == []


def test_scratchpad_of_a_named_tile_is_shared() -> None:
    x, o = sample((4, 3)), np.zeros((4, 3), np.float16)
    text = scratch("ct_local, ct_id = 2", 4)
    found = run(text, {"x": np.ones_like(x), "o": o})
    assert "SPY566" in [w.code for w in found.warnings]
    assert (o == 1).all()
    with pytest.raises(SpyreError) as caught:
        run(text, {"x": x, "o": o})
    assert caught.value.code == "SPY566"
    with pytest.raises(SpyreError) as caught:
        run(scratch("ct_local, ct_id = 9", 4), {"x": x, "o": o})
    assert caught.value.code == "SPY554"


def test_scratchpad_read_before_written() -> None:
    body = view("s", (4,), base="%c0", space="ct_local") + tile("s", (4,), (4,)) + load("s", (4,))
    body += view("o", (4,)) + tile("o", (4,), (4,)) + store("%sx", "o", (4,))
    with pytest.raises(SpyreError) as caught:
        run(kernel(body, ["o"]), {"o": np.zeros(4, np.float16)})
    assert caught.value.code == "SPY565"


def test_outside_the_scratchpad() -> None:
    x, o = sample((4, 3)), np.zeros((4, 3), np.float16)
    at = "%big"
    text = scratch("ct_local", 4, at).replace(
        "%c0 = arith", "%big = arith.constant 1048575 : index\n%c0 = arith"
    )
    with pytest.raises(SpyreError) as caught:
        run(text, {"x": x, "o": o})
    assert caught.value.code == "SPY578"


# --- bounds --------------------------------------------------------------------------------------


def test_tile_past_its_view_names_tile_coordinates_and_line() -> None:
    ids = IDS + "%n = arith.constant 4 : index\n%r = arith.muli %id, %n : index\n"
    text = copy_kernel((10, 5), (4, 5), "%r, 0", [3], ids)
    with pytest.raises(SpyreError) as caught:
        run(text, {"x": sample((10, 5)), "o": np.zeros((10, 5), np.float16)})
    error = caught.value
    assert error.code == "SPY560"
    assert "tile 2" in error.message
    assert "8 to 11 of dimension 0" in error.message
    assert error.location is not None
    assert text.split("\n")[error.location.line - 1].lstrip().startswith("%xx = ktdp.load")


def test_negative_coordinates() -> None:
    ids = IDS + "%r = arith.subi %id, %c1 : index\n"
    with pytest.raises(SpyreError) as caught:
        run(
            copy_kernel((3, 5), (1, 5), "%r, 0", [3], ids),
            {"x": sample((3, 5)), "o": np.zeros((3, 5), np.float16)},
        )
    assert caught.value.code == "SPY560"
    assert "tile 0 touches coordinates -1" in caught.value.message


def test_view_past_its_array() -> None:
    body = "%b = arith.addi %x, %c1 : index\n" + view("x", (6,), base="%b") + view("o", (6,))
    body += (
        tile("x", (6,), (6,)) + tile("o", (6,), (6,)) + load("x", (6,)) + store("%xx", "o", (6,))
    )
    with pytest.raises(SpyreError) as caught:
        run(kernel(body), {"x": sample((6,)), "o": np.zeros(6, np.float16)})
    assert caught.value.code == "SPY561"
    assert "elements 1 to 6 of 'x'" in caught.value.message


@pytest.mark.parametrize(
    ("array", "code"),
    [
        (np.zeros((8, 3), np.float32), "SPY705"),
        (np.zeros(24, np.float16), "SPY706"),
        (np.zeros((7, 3), np.float16), "SPY708"),
        (np.zeros((8, 4), np.float16), "SPY707"),
        (np.zeros((8, 3), ">f2"), "SPY709"),
        ("text", "SPY704"),
        (3, "SPY704"),
    ],
)
def test_arrays_that_do_not_fit(array: object, code: str) -> None:
    program = compiled(copy_kernel((8, 3), (8, 3), "0, 0", [1], ""))
    with pytest.raises(SpyreError) as caught:
        program.run({"x": array, "o": np.zeros((8, 3), np.float16)})
    assert caught.value.code == code


def test_argument_names() -> None:
    program = compiled(copy_kernel((8, 3), (8, 3), "0, 0", [1], ""))
    x = sample((8, 3))
    with pytest.raises(SpyreError) as caught:
        program.run({"x": x})
    assert caught.value.code == "SPY701"
    with pytest.raises(SpyreError) as caught:
        program.run({"x": x, "o": x.copy(), "y": x})
    assert caught.value.code == "SPY700"
    read_only = x.copy()
    read_only.flags.writeable = False
    with pytest.raises(SpyreError) as caught:
        program.run({"x": x, "o": read_only})
    assert caught.value.code == "SPY710"


def test_names_come_from_attributes() -> None:
    text = kernel(
        view("x", (4,))
        + view("o", (4,))
        + tile("x", (4,), (4,))
        + tile("o", (4,), (4,))
        + load("x", (4,))
        + store("%xx", "o", (4,))
    ).replace("%x: index", '%x: index {spyrelang.name = "first", spyrelang.role = "in"}')
    x, o = sample((4,)), np.zeros(4, np.float16)
    run(text, {"first": x, "o": o})
    np.testing.assert_array_equal(o, x)


def test_static_mismatches_are_found_when_compiling() -> None:
    wrong = tile("x", (4, 3), (2, 3)).replace("access_tile<2x3x", "access_tile<3x3x")
    with pytest.raises(SpyreError) as caught:
        compiled(kernel(view("x", (4, 3)) + wrong))
    assert caught.value.code == "SPY558"
    low = (
        f"%t = ktdp.construct_access_tile %vx[0] {{access_tile_set = {box((2,))}, "
        f"access_tile_order = {identity(1)}}} : memref<4x3xf16> -> !ktdp.access_tile<2xindex>\n"
    )
    with pytest.raises(SpyreError) as caught:
        compiled(kernel(view("x", (4, 3)) + low))
    assert caught.value.code == "SPY558"


def test_program_runs_again_with_other_arrays() -> None:
    program = compiled(copy_kernel((8, 3), (8, 3), "0, 0", [1], ""))
    assert isinstance(program, interp.Program)
    for seed in range(3):
        x, o = rng(seed).standard_normal((8, 3)).astype(np.float16), np.zeros((8, 3), np.float16)
        program.run({"x": x, "o": o})
        np.testing.assert_array_equal(o, x)
