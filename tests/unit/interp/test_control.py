"""Loops, branches and calls, where tiles agree and where they do not."""

from __future__ import annotations

import numpy as np
import pytest

from spyrelang.errors import SpyreError

from .kit import compiled, kernel, load, rng, run, store, tensor, tile, view, whole

IDS = "%id = ktdp.get_compute_tile_id : index\n"


def sample(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    return rng(seed).standard_normal(shape).astype(np.float32)


def rows_kernel(rows: int, grid: int, inner: str = "") -> str:
    """Tile i negates the rows i, i + grid, i + 2 grid, …"""
    body = IDS + f"%n = arith.constant {rows} : index\n%g = arith.constant {grid} : index\n"
    body += view("x", (rows, 3), "f32") + view("o", (rows, 3), "f32")
    body += "scf.for %i = %id to %n step %g {\n"
    body += tile("x", (rows, 3), (1, 3), "%i, 0", "f32") + load("x", (1, 3), "f32")
    body += tile("o", (rows, 3), (1, 3), "%i, 0", "f32")
    body += "%r = arith.negf %xx : tensor<1x3xf32>\n" + inner + store("%r", "o", (1, 3), "f32")
    return kernel(body + "}\n", grid=[grid])


@pytest.mark.parametrize(("rows", "grid"), [(12, 4), (13, 4), (3, 5), (1, 1), (7, 1), (0, 3)])
def test_strided_row_loops(rows: int, grid: int) -> None:
    x, o = sample((rows, 3)), np.zeros((rows, 3), np.float32)
    found = run(rows_kernel(rows, grid), {"x": x, "o": o})
    np.testing.assert_array_equal(o, -x)
    assert found.warnings == []


def test_triangular_loops_carry_sums() -> None:
    """Tile i adds rows 0 to i."""
    x, o = sample((6, 3)), np.zeros((6, 3), np.float32)
    kind = "tensor<1x3xf32>"
    body = IDS + "%n = arith.addi %id, %c1 : index\n" + view("x", (6, 3), "f32")
    body += view("o", (6, 3), "f32") + f"%z = arith.constant dense<0.0> : {kind}\n"
    body += f"%r, %last = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z, %k = %c0) -> ({kind}, index) {{\n"  # noqa: E501
    body += tile("x", (6, 3), (1, 3), "%i, 0", "f32") + load("x", (1, 3), "f32")
    body += f"%s = arith.addf %acc, %xx : {kind}\nscf.yield %s, %i : {kind}, index\n}}\n"
    body += tile("o", (6, 3), (1, 3), "%last, 0", "f32") + store("%r", "o", (1, 3), "f32")
    run(kernel(body, grid=[6]), {"x": x, "o": o})
    want = np.zeros_like(x)
    total = np.zeros(3, np.float32)
    for k in range(6):
        total = total + x[k]
        want[k] = total
    np.testing.assert_array_equal(o, want)


def test_loop_that_swaps_carried_values() -> None:
    x, y = sample((4,)), sample((4,), 1)
    kind = "tensor<4xf32>"
    body = "%three = arith.constant 3 : index\n"
    body += f"%r, %s = scf.for %i = %c0 to %three step %c1 iter_args(%a = %xx, %b = %yx) -> ({kind}, {kind}) {{\n"  # noqa: E501
    body += f"scf.yield %b, %a : {kind}, {kind}\n}}\n"
    np.testing.assert_array_equal(whole(body, {"x": x, "y": y}, (4,), "f32"), y)


def test_zero_trips_keep_the_initial_value() -> None:
    x = sample((4,))
    body = "%r = scf.for %i = %c1 to %c0 step %c1 iter_args(%a = %xx) -> (tensor<4xf32>) {\n"
    body += "%b = arith.negf %a : tensor<4xf32>\nscf.yield %b : tensor<4xf32>\n}\n"
    np.testing.assert_array_equal(whole(body, {"x": x}, (4,), "f32"), x)


@pytest.mark.parametrize("step", [0, -1])
def test_step_must_be_positive(step: int) -> None:
    body = f"%s = arith.constant {step} : index\nscf.for %i = %c0 to %c1 step %s {{\n}}\n"
    text = kernel(body, [])
    with pytest.raises(SpyreError) as caught:
        run(text)
    assert caught.value.code == "SPY568"
    assert caught.value.location is not None
    assert text.split("\n")[caught.value.location.line - 1].startswith("scf.for")


def test_step_that_is_zero_on_one_tile() -> None:
    body = IDS + "scf.for %i = %c0 to %c1 step %id {\n}\n"
    with pytest.raises(SpyreError) as caught:
        run(kernel(body, [], [3]))
    assert caught.value.code == "SPY568"
    assert "tile 0" in caught.value.message


def branch_kernel(grid: int, rows: int) -> str:
    body = IDS + "%two = arith.constant 2 : index\n%m = arith.remui %id, %two : index\n"
    body += "%p = arith.cmpi eq, %m, %c0 : index\n" + view("x", (rows, 3), "f32")
    body += view("o", (rows, 3), "f32") + tile("x", (rows, 3), (1, 3), "%id, 0", "f32")
    body += load("x", (1, 3), "f32") + tile("o", (rows, 3), (1, 3), "%id, 0", "f32")
    body += "%r = scf.if %p -> (tensor<1x3xf32>) {\n%n = arith.negf %xx : tensor<1x3xf32>\n"
    body += "scf.yield %n : tensor<1x3xf32>\n} else {\nscf.yield %xx : tensor<1x3xf32>\n}\n"
    return kernel(body + store("%r", "o", (1, 3), "f32"), grid=[grid])


@pytest.mark.parametrize("grid", [1, 2, 3, 8])
def test_branches_on_the_tile(grid: int) -> None:
    x, o = sample((grid, 3)), np.zeros((grid, 3), np.float32)
    run(branch_kernel(grid, grid), {"x": x, "o": o})
    sign = np.where(np.arange(grid) % 2 == 0, -1, 1).astype(np.float32)
    np.testing.assert_array_equal(o, x * sign[:, None])


def test_one_tile_stores() -> None:
    body = IDS + "%two = arith.constant 2 : index\n%p = arith.cmpi eq, %id, %two : index\n"
    body += view("o", (3,), "f32") + "scf.if %p {\n" + tile("o", (3,), (3,), dtype="f32")
    body += (
        "%k = arith.constant dense<5.0> : tensor<3xf32>\n" + store("%k", "o", (3,), "f32") + "}\n"
    )
    o = np.zeros(3, np.float32)
    found = run(kernel(body, ["o"], [4]), {"o": o})
    np.testing.assert_array_equal(o, [5, 5, 5])
    assert found.warnings == []


def test_branch_on_data() -> None:
    """A value read from memory decides, tile by tile."""
    x, o = np.array([3.0, -1.0, 0.5, -2.0], np.float32), np.zeros(4, np.float32)
    body = IDS + view("x", (4,), "f32") + view("o", (4,), "f32")
    body += tile("x", (4,), (1,), "%id", "f32") + load("x", (1,), "f32")
    body += tile("o", (4,), (1,), "%id", "f32") + "%z = arith.constant 0.0 : f32\n"
    body += "%v = tensor.extract %xx[%c0] : tensor<1xf32>\n%p = arith.cmpf olt, %v, %z : f32\n"
    body += "%r = scf.if %p -> (f32) {\nscf.yield %z : f32\n} else {\nscf.yield %v : f32\n}\n"
    body += "%t = tensor.from_elements %r : tensor<1xf32>\n" + store("%t", "o", (1,), "f32")
    run(kernel(body, grid=[4]), {"x": x, "o": o})
    np.testing.assert_array_equal(o, np.maximum(x, 0))


def test_while_until_each_tile_is_done() -> None:
    """Doubles 1 until it passes 10 times the tile."""
    body = IDS + view("o", (5,), "i32") + tile("o", (5,), (1,), "%id", "i32")
    body += "%ten = arith.constant 10 : index\n%most = arith.muli %id, %ten : index\n"
    body += "%r = scf.while (%a = %c1) : (index) -> index {\n"
    body += "%p = arith.cmpi sle, %a, %most : index\nscf.condition(%p) %a : index\n} do {\n"
    body += "^bb0(%b: index):\n%d = arith.addi %b, %b : index\nscf.yield %d : index\n}\n"
    body += "%i = arith.index_cast %r : index to i32\n%t = tensor.splat %i : tensor<1xi32>\n"
    o = np.zeros(5, np.int32)
    run(kernel(body + store("%t", "o", (1,), "i32"), ["o"], [5]), {"o": o})
    np.testing.assert_array_equal(o, [1, 16, 32, 32, 64])


def test_loops_inside_branches_inside_loops() -> None:
    x, o = sample((8, 2)), np.zeros((8, 2), np.float32)
    kind = tensor((1, 2), "f32")
    body = IDS + view("x", (8, 2), "f32") + view("o", (8, 2), "f32")
    body += "%two = arith.constant 2 : index\n%eight = arith.constant 8 : index\n"
    body += "%four = arith.constant 4 : index\nscf.for %i = %id to %eight step %four {\n"
    body += tile("x", (8, 2), (1, 2), "%i, 0", "f32") + load("x", (1, 2), "f32")
    body += tile("o", (8, 2), (1, 2), "%i, 0", "f32")
    body += "%p = arith.cmpi uge, %id, %two : index\n"
    body += f"%r = scf.if %p -> ({kind}) {{\n"
    body += f"%s = scf.for %k = %c0 to %i step %c1 iter_args(%a = %xx) -> ({kind}) {{\n"
    body += f"%b = arith.addf %a, %xx : {kind}\nscf.yield %b : {kind}\n}}\n"
    body += f"scf.yield %s : {kind}\n}} else {{\nscf.yield %xx : {kind}\n}}\n"
    body += store("%r", "o", (1, 2), "f32") + "}\n"
    run(kernel(body, grid=[4]), {"x": x, "o": o})
    want = x.copy()
    for row in range(8):
        if row % 4 >= 2:
            for _ in range(row):
                want[row] = want[row] + x[row]
    np.testing.assert_array_equal(o, want)


def test_affine_ops() -> None:
    body = IDS + view("o", (6,), "i32")
    body += "%a = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0 - 1)>(%id)[%c1]\n"
    body += "%b = affine.min affine_map<(d0) -> (d0, 7)>(%a)\n"
    body += "%c = affine.max affine_map<(d0) -> (d0 mod 4, 2)>(%b)\n"
    body += "%i = arith.index_cast %c : index to i32\n%t = tensor.splat %i : tensor<1xi32>\n"
    body += tile("o", (6,), (1,), "%id", "i32") + store("%t", "o", (1,), "i32")
    o = np.zeros(6, np.int32)
    run(kernel(body, ["o"], [6]), {"o": o})
    np.testing.assert_array_equal(o, np.maximum(np.minimum(np.arange(6) * 2, 7) % 4, 2))


def test_calls_are_followed() -> None:
    extra = (
        "func.func private @twice(%a: tensor<4xf32>, %n: index) -> (tensor<4xf32>, index) {\n"
        "%b = arith.addf %a, %a : tensor<4xf32>\nreturn %b, %n : tensor<4xf32>, index\n}\n"
    )
    x = sample((4,))
    body = view("x", (4,), "f32") + view("o", (4,), "f32") + tile("x", (4,), (4,), dtype="f32")
    body += load("x", (4,), "f32") + tile("o", (4,), (4,), dtype="f32")
    body += (
        "%a, %m = func.call @twice(%xx, %c1) : (tensor<4xf32>, index) -> (tensor<4xf32>, index)\n"
    )
    body += "%b, %n = func.call @twice(%a, %m) : (tensor<4xf32>, index) -> (tensor<4xf32>, index)\n"
    o = np.zeros(4, np.float32)
    run(kernel(body + store("%b", "o", (4,), "f32"), extra=extra), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x * 4)


def test_calls_mean_the_function_of_their_module() -> None:
    one, other = "arith.addf", "arith.mulf"
    functions = [
        f"func.func private @f(%a: f32) -> f32 {{\n%b = {op} %a, %a : f32\nreturn %b : f32\n}}\n"
        for op in (one, other)
    ]
    extra = f"{functions[0]}module {{\n{functions[1]}}}\n"
    body = view("o", (1,), "f32") + tile("o", (1,), (1,), dtype="f32")
    body += "%x = arith.constant 3.0 : f32\n%y = func.call @f(%x) : (f32) -> f32\n"
    body += "%t = tensor.from_elements %y : tensor<1xf32>\n" + store("%t", "o", (1,), "f32")
    o = np.zeros(1, np.float32)
    run(kernel(body, ["o"], extra=extra), {"o": o})
    assert o[0] == 6


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("%x = arith.constant dense<1.0> : tensor<4xtf32>\n", "SPY557"),
        ("%x = arith.constant 1.0 : tf32\n", "SPY557"),
        (
            "%x = arith.constant dense<1.0> : tensor<1x1x6xf32>\n%y = tensor.collapse_shape %x "
            "[[-9223372036854775808, 1, 2]] : tensor<1x1x6xf32> into tensor<6xf32>\n",
            "SPY553",
        ),
    ],
)
def test_what_mlir_reads_without_a_meaning(body: str, code: str) -> None:
    with pytest.raises(SpyreError) as caught:
        compiled(kernel(body, []))
    assert caught.value.code == code


def test_recursion_is_refused() -> None:
    extra = "func.func private @f() {\nfunc.call @f() : () -> ()\nreturn\n}\n"
    with pytest.raises(SpyreError) as caught:
        compiled(kernel("func.call @f() : () -> ()\n", [], extra=extra))
    assert caught.value.code == "SPY556"


def called_in_a_body(name: str) -> str:
    """o = @NAME of @NAME of every element of x."""
    extra = (
        "func.func private @twice(%v: f32) -> f32 {\n%r = arith.addf %v, %v : f32\n"
        "return %r : f32\n}\nfunc.func private @endless(%v: f32) -> f32 {\n"
        "%r = func.call @endless(%v) : (f32) -> f32\nreturn %r : f32\n}\n"
    )
    body = view("x", (4,), "f32") + view("o", (4,), "f32") + tile("x", (4,), (4,), dtype="f32")
    body += load("x", (4,), "f32") + tile("o", (4,), (4,), dtype="f32")
    body += (
        "%e = tensor.empty() : tensor<4xf32>\n"
        "%r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], "
        'iterator_types = ["parallel"]} ins(%xx : tensor<4xf32>) outs(%e : tensor<4xf32>) {\n'
        f"^bb0(%a: f32, %b: f32):\n%c = func.call @{name}(%a) : (f32) -> f32\n"
        f"%d = func.call @{name}(%c) : (f32) -> f32\nlinalg.yield %d : f32\n}} -> tensor<4xf32>\n"
    )
    return kernel(body + store("%r", "o", (4,), "f32"), extra=extra)


def test_calls_in_bodies_are_followed() -> None:
    x, o = sample((4,)), np.zeros(4, np.float32)
    run(called_in_a_body("twice"), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x * 4)


def test_recursion_in_bodies_is_refused() -> None:
    with pytest.raises(SpyreError) as caught:
        compiled(called_in_a_body("endless"))
    assert caught.value.code == "SPY556"


@pytest.mark.parametrize("grid", [(), "[]", "[0]", "[2, -1]", '["a"]'])
def test_grids_that_are_refused(grid: object) -> None:
    text = kernel("", [], grid=())
    if grid:
        text = text.replace("@k()", f"@k() attributes {{grid = {grid}}}")
    with pytest.raises(SpyreError) as caught:
        compiled(text)
    assert caught.value.code == "SPY555"


def test_tile_ids_must_match_the_grid() -> None:
    with pytest.raises(SpyreError) as caught:
        compiled(kernel(IDS, [], [2, 3]))
    assert caught.value.code == "SPY555"


def test_choosing_a_kernel() -> None:
    from spyrelang import interp, ir

    text = "func.func @a() attributes {grid = [1]} { return }\nfunc.func @b() attributes {grid = [2]} { return }\n"  # noqa: E501
    module = ir.parse(text, "k.mlir", guard=False)
    assert interp.compile(module, "b").tiles == 2
    for name, code in ((None, "SPY825"), ("c", "SPY826")):
        with pytest.raises(SpyreError) as caught:
            interp.compile(module, name)
        assert caught.value.code == code


def test_shapes_that_differ_between_tiles() -> None:
    """Tile i handles i + 1 columns: tiles run one by one."""
    x, o = sample((4, 4)), np.zeros((4, 4), np.float32)
    points = "affine_set<(d0, d1)[s0] : (d0 == 0, d1 >= 0, -d1 + s0 - 1 >= 0)>"
    body = IDS + "%n = arith.addi %id, %c1 : index\n"
    for name in "xo":
        body += view(name, (4, 4), "f32") + (
            f"%t{name} = ktdp.construct_access_tile %v{name}[%id, 0] symbols(%n) {{access_tile_set = "  # noqa: E501
            f"{points}, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>}} : memref<4x4xf32> -> "  # noqa: E501
            "!ktdp.access_tile<1x?xindex>\n"
        )
    body += "%v = ktdp.load %tx : <1x?xindex> -> tensor<1x?xf32>\n"
    body += (
        "%w = arith.negf %v : tensor<1x?xf32>\nktdp.store %w, %to : tensor<1x?xf32>, <1x?xindex>\n"
    )
    run(kernel(body, grid=[4]), {"x": x, "o": o})
    np.testing.assert_array_equal(o, np.tril(-x))


@pytest.mark.parametrize("grid", [1, 3])
def test_loops_count_in_i32(grid: int) -> None:
    """The counter overflows as an i32 does."""
    body = (
        IDS
        + view("o", (3, 4), "i32")
        + "%z = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n"
    )
    body += "%four = arith.constant 4 : i32\n%most = arith.constant 2147483647 : i32\n"
    body += "%t = arith.index_cast %id : index to i32\nscf.for %i = %z to %four step %one : i32 {\n"
    body += "%j = arith.addi %i, %t : i32\n%s = arith.addi %j, %most : i32\n"
    body += "%k = arith.index_cast %i : i32 to index\n%v = tensor.splat %s : tensor<1x1xi32>\n"
    body += tile("o", (3, 4), (1, 1), "%id, %k", "i32") + store("%v", "o", (1, 1), "i32") + "}\n"
    o = np.zeros((3, 4), np.int32)
    run(kernel(body, ["o"], [grid]), {"o": o})
    want = np.arange(4) + np.arange(3)[:, None] + (2**31 - 1)
    want[grid:] = 0
    np.testing.assert_array_equal(o, want.astype(np.uint32).view(np.int32))
