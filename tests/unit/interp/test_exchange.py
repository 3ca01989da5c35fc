"""Indirect tiles, distributed views, transfers between tiles, run-time arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from spyrelang.errors import SpyreError
from spyrelang.semantics import dtypes

from .kit import box, compiled, identity, kernel, load, rng, run, store, tile, view

IDS = "%id = ktdp.get_compute_tile_id : index\n"


def sample(shape: tuple[int, ...]) -> np.ndarray:
    return rng().standard_normal(shape).astype(np.float16)


# --- indirect tiles ------------------------------------------------------------------------------


def indirect(
    name: str,
    subscripts: str,
    extents: tuple[int, ...],
    shape: tuple[int, ...],
    indices: list[str],
    result: tuple[int, ...] | None = None,
    order: str | None = None,
) -> str:
    names = ["%m", "%n", "%q"][: len(extents)]
    kind = "".join(f"{n}x" for n in (result or extents))
    dims = "x".join(map(str, shape))
    return (
        f"%t{name} = ktdp.construct_indirect_access_tile intermediate_variables({', '.join(names)}) "  # noqa: E501
        f"%v{name}[{subscripts}] {{variables_space_set = {box(extents)}, variables_space_order = "
        f"{order or identity(len(extents))}}} : {', '.join([f'memref<{dims}xf16>', *indices])} -> "
        f"!ktdp.access_tile<{kind}index>\n"
    )


def test_gather_rows() -> None:
    table, rows, o = sample((9, 4)), np.array([7, 0, 7, 3], np.int32), np.zeros((4, 4), np.float16)
    body = view("x", (9, 4)) + view("i", (4,), "i32") + view("o", (4, 4))
    body += indirect("x", "ind(%vi[%m]), (%n)", (4, 4), (9, 4), ["memref<4xi32>"])
    body += tile("o", (4, 4), (4, 4)) + load("x", (4, 4)) + store("%xx", "o", (4, 4))
    found = run(kernel(body, "xio"), {"x": table, "i": rows, "o": o})
    np.testing.assert_array_equal(o, table[rows])
    assert found.coverage[1].complete
    np.testing.assert_array_equal(found.coverage[0].read.any(axis=1), np.isin(np.arange(9), rows))


def test_gather_on_tiles_with_captured_values_and_permuted_order() -> None:
    table, rows, o = (
        sample((9, 4)),
        np.arange(9)[::-1].astype(np.int32),
        np.zeros((3, 4, 3), np.float16),
    )
    body = IDS + "%three = arith.constant 3 : index\n%b = arith.muli %id, %three : index\n"
    body += view("x", (9, 4)) + view("i", (9,), "i32") + view("o", (3, 4, 3))
    body += indirect(
        "x", "ind(%vi[%b + %m]), (%n)", (3, 4), (9, 4), ["memref<9xi32>"], (4, 3),
        "affine_map<(d0, d1) -> (d1, d0)>",
    )  # fmt: skip
    body += load("x", (4, 3)) + tile("o", (3, 4, 3), (1, 4, 3), "%id, 0, 0")
    body += "%r = tensor.expand_shape %xx [[0, 1], [2]] output_shape [1, 4, 3] : tensor<4x3xf16> into tensor<1x4x3xf16>\n"  # noqa: E501
    run(kernel(body + store("%r", "o", (1, 4, 3)), "xio", [3]), {"x": table, "i": rows, "o": o})
    np.testing.assert_array_equal(o, table[rows].reshape(3, 3, 4).transpose(0, 2, 1))


def test_two_indirect_subscripts() -> None:
    x, o = sample((5, 6)), np.zeros((2, 3), np.float16)
    i, j = np.array([4, 1], np.int32), np.array([[0, 5, 2], [3, 3, 1]], np.int32)
    body = view("x", (5, 6)) + view("i", (2,), "i32") + view("j", (2, 3), "i32") + view("o", (2, 3))
    body += indirect(
        "x", "ind(%vi[%m]), ind(%vj[%m, %n])", (2, 3), (5, 6), ["memref<2xi32>", "memref<2x3xi32>"]
    )
    body += tile("o", (2, 3), (2, 3)) + load("x", (2, 3)) + store("%xx", "o", (2, 3))
    run(kernel(body, "xijo"), {"x": x, "i": i, "j": j, "o": o})
    np.testing.assert_array_equal(o, x[i[:, None], j])


def test_scatter_rows_on_tiles() -> None:
    x, slots, o = (
        sample((6, 4)),
        np.array([5, 2, 0, 1, 4, 3], np.int32),
        np.zeros((6, 4), np.float16),
    )
    body = IDS + "%two = arith.constant 2 : index\n%b = arith.muli %id, %two : index\n"
    body += view("x", (6, 4)) + view("i", (6,), "i32") + view("o", (6, 4))
    body += tile("x", (6, 4), (2, 4), "%b, 0") + load("x", (2, 4))
    body += indirect("o", "ind(%vi[%b + %m]), (%n)", (2, 4), (6, 4), ["memref<6xi32>"])
    text = kernel(body + store("%xx", "o", (2, 4)), "xio", [3])
    found = run(text, {"x": x, "i": slots, "o": o})
    want = np.zeros_like(x)
    want[slots] = x
    np.testing.assert_array_equal(o, want)
    assert found.warnings == []
    found = run(text, {"x": np.ones_like(x), "i": np.zeros(6, np.int32), "o": o})
    assert "SPY566" in [w.code for w in found.warnings]
    with pytest.raises(SpyreError) as caught:
        run(text, {"x": x, "i": np.array([0, 1, 2, 3, 1, 5], np.int32), "o": o})
    assert caught.value.code == "SPY566"
    with pytest.raises(SpyreError) as caught:  # twice by one tile
        run(text, {"x": x, "i": np.array([0, 0, 2, 3, 4, 5], np.int32), "o": o})
    assert caught.value.code == "SPY540"


@pytest.mark.parametrize("row", [-1, 9])
def test_index_past_the_table(row: int) -> None:
    body = view("x", (9, 4)) + view("i", (1,), "i32")
    body += indirect("x", "ind(%vi[%m]), (%n)", (1, 4), (9, 4), ["memref<1xi32>"]) + load(
        "x", (1, 4)
    )
    with pytest.raises(SpyreError) as caught:
        run(kernel(body, "xi"), {"x": sample((9, 4)), "i": np.array([row], np.int32)})
    assert caught.value.code == "SPY572"
    assert str(row) in caught.value.message


def test_indices_are_read_when_the_tile_is_made() -> None:
    x, i, o = sample((4, 2)), np.array([3], np.int32), np.zeros((1, 2), np.float16)
    body = view("x", (4, 2)) + view("i", (1,), "i32") + view("o", (1, 2))
    body += indirect("x", "ind(%vi[%m]), (%n)", (1, 2), (4, 2), ["memref<1xi32>"])
    body += "%z = arith.constant dense<0> : tensor<1xi32>\n" + tile("i", (1,), (1,), dtype="i32")
    body += store("%z", "i", (1,), "i32") + tile("o", (1, 2), (1, 2)) + load("x", (1, 2))
    run(kernel(body + store("%xx", "o", (1, 2)), "xio"), {"x": x, "i": i, "o": o})
    np.testing.assert_array_equal(o, x[3:])
    assert i[0] == 0


# --- distributed views ---------------------------------------------------------------------------


def part(name: str, base: str, rows: int, low: int, space: str = "global") -> str:
    coords = (
        f"affine_set<(d0, d1) : (d0 - {low} >= 0, -d0 + {low + rows - 1} >= 0, d1 >= 0, "
        "-d1 + 2 >= 0)>"
    )
    return (
        f"%v{name} = ktdp.construct_memory_view {base}, sizes: [{rows}, 3], strides: [3, 1] "
        f"{{coordinate_set = {coords}, memory_space = #ktdp.memory_space<{space}>}} : "
        f"memref<{rows}x3xf16>\n"
    )


def joined(rows: int, parts: dict[str, int]) -> str:
    names = ", ".join(f"%v{n}" for n in parts)
    types = ", ".join(f"memref<{n}x3xf16>" for n in parts.values())
    return (
        f"%vd = ktdp.construct_distributed_memory_view({names} : {types}) : memref<{rows}x3xf16>\n"
    )


@pytest.mark.parametrize("grid", [1, 3])
def test_tiles_that_straddle_partitions(grid: int) -> None:
    a, b, o = sample((4, 3)), sample((5, 3)) * 2, np.zeros((9, 3), np.float16)
    each = 9 // grid
    body = IDS + f"%n = arith.constant {each} : index\n%s = arith.muli %id, %n : index\n"
    body += part("a", "%a", 4, 0) + part("b", "%b", 5, 4) + joined(9, {"a": 4, "b": 5})
    body += view("o", (9, 3)) + tile("d", (9, 3), (each, 3), "%s, 0") + load("d", (each, 3))
    body += tile("o", (9, 3), (each, 3), "%s, 0") + store("%dx", "o", (each, 3))
    run(kernel(body, "abo", [grid]), {"a": a, "b": b, "o": o})
    np.testing.assert_array_equal(o, np.concatenate([a, b]))


def test_store_to_partitions() -> None:
    x, a, b = sample((9, 3)), np.zeros((4, 3), np.float16), np.zeros((5, 3), np.float16)
    body = part("a", "%a", 4, 0) + part("b", "%b", 5, 4) + joined(9, {"a": 4, "b": 5})
    body += view("x", (9, 3)) + tile("x", (9, 3), (9, 3)) + load("x", (9, 3))
    body += tile("d", (9, 3), (9, 3)) + store("%xx", "d", (9, 3))
    found = run(kernel(body, "xab"), {"x": x, "a": a, "b": b})
    np.testing.assert_array_equal(np.concatenate([a, b]), x)
    assert found.coverage[1].complete
    assert found.coverage[2].complete


def test_partitions_in_two_scratchpads() -> None:
    x, o = sample((6, 3)), np.zeros((6, 3), np.float16)
    body = part("a", "%c0", 3, 0, "ct_local, ct_id = 0") + part(
        "b", "%c0", 3, 3, "ct_local, ct_id = 1"
    )
    body += joined(6, {"a": 3, "b": 3}) + view("x", (6, 3)) + view("o", (6, 3))
    body += tile("x", (6, 3), (6, 3)) + load("x", (6, 3)) + tile("d", (6, 3), (6, 3))
    body += store("%xx", "d", (6, 3)) + load("d", (6, 3)) + tile("o", (6, 3), (6, 3))
    text = kernel(body + store("%dx", "o", (6, 3)), grid=[2])
    run(text, {"x": x, "o": o})
    np.testing.assert_array_equal(o, x)


def test_hole_and_overlap() -> None:
    a, b, o = sample((4, 3)), sample((4, 3)) * 2, np.zeros((8, 3), np.float16)

    def text(low: int, rows: int) -> str:
        body = part("a", "%a", 4, 0) + part("b", "%b", 4, low) + joined(rows, {"a": 4, "b": 4})
        body += view("o", (8, 3)) + tile("d", (rows, 3), (rows, 3)) + load("d", (rows, 3))
        body += tile("o", (8, 3), (rows, 3)) + store("%dx", "o", (rows, 3))
        return kernel(body, "abo")

    with pytest.raises(SpyreError) as caught:
        run(text(5, 8), {"a": a, "b": b, "o": o})
    assert caught.value.code == "SPY573"
    assert "[4, 0]" in caught.value.message
    run(text(2, 6), {"a": a, "b": b, "o": o})
    np.testing.assert_array_equal(o[:6], np.concatenate([a[:2], b]))


def test_no_partitions() -> None:
    with pytest.raises(SpyreError) as caught:
        compiled(kernel("%vd = ktdp.construct_distributed_memory_view() : memref<4x3xf16>\n", []))
    assert caught.value.code == "SPY558"


# --- transfers between tiles ---------------------------------------------------------------------

ALL = "affine_set<(d0)[s0] : (d0 - s0 * 2 >= 0, -d0 + s0 * 2 + 1 >= 0)>"
FIRST = "affine_set<(d0)[s0] : (d0 - s0 * 2 == 0)>"
GROUPS = "#groups = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>\n"


def exchange(producers: str, take: str) -> str:
    """Two groups of two tiles; each has a row of x."""
    body = IDS + view("x", (4, 3)) + view("o", (4, 3)) + tile("x", (4, 3), (1, 3), "%id, 0")
    body += load("x", (1, 3)) + tile("o", (4, 3), (1, 3), "%id, 0")
    body += (
        f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {producers} "
        "-> <(tensor<1x3xf16>), groups = #groups> {\n^bb0(%gid: index):\n"
        "ktdp.yield_partial %xx : tensor<1x3xf16>\n}\n"
    )
    return GROUPS + kernel(body + take, grid=[4])


def reduction(consumers: str) -> str:
    return (
        "%zero = arith.constant dense<0.0> : tensor<1x3xf16>\n"
        f"%r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = {consumers}, "
        "identity(%zero : tensor<1x3xf16>) : <(tensor<1x3xf16>), groups = #groups> "
        "-> tensor<1x3xf16> {\n^bb0(%a: tensor<1x3xf16>, %b: tensor<1x3xf16>):\n"
        "%t = arith.addf %a, %b : tensor<1x3xf16>\nktdp.yield_reduced %t : tensor<1x3xf16>\n}\n"
    )


def consumption(consumers: str, dependency: str = "") -> str:
    clause = f", producer_dependency_per_consumer = {dependency}" if dependency else ""
    return (
        f"%r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = {consumers}{clause} : "
        "<(tensor<1x3xf16>), groups = #groups> -> tensor<1x3xf16>\n"
    )


def test_all_reduce_in_groups() -> None:
    x, o = sample((4, 3)), np.zeros((4, 3), np.float16)
    found = run(exchange(ALL, reduction(ALL) + store("%r", "o", (1, 3))), {"x": x, "o": o})
    sums = np.repeat(x[0::2] + x[1::2], 2, axis=0)
    np.testing.assert_array_equal(o, sums)
    assert found.warnings == []


def test_reduce_to_one() -> None:
    x, o = sample((4, 3)), np.zeros((4, 3), np.float16)
    guarded = "%two = arith.constant 2 : index\n%m = arith.remui %id, %two : index\n"
    guarded += (
        "%p = arith.cmpi eq, %m, %c0 : index\nscf.if %p {\n" + store("%r", "o", (1, 3)) + "}\n"
    )
    run(exchange(ALL, reduction(FIRST) + guarded), {"x": x, "o": o})
    np.testing.assert_array_equal(o[0::2], x[0::2] + x[1::2])
    assert not o[1::2].any()
    with pytest.raises(SpyreError) as caught:
        run(exchange(ALL, reduction(FIRST) + store("%r", "o", (1, 3))), {"x": x, "o": o})
    assert caught.value.code == "SPY564"


def test_broadcast_and_routing() -> None:
    x, o = sample((4, 3)), np.zeros((4, 3), np.float16)
    run(exchange(FIRST, consumption(ALL) + store("%r", "o", (1, 3))), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x[[0, 0, 2, 2]])
    swap = "affine_set<(d0)[s0, s1] : (d0 + s0 - s1 * 4 - 1 == 0)>"
    run(exchange(ALL, consumption(ALL, swap) + store("%r", "o", (1, 3))), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x[[1, 0, 3, 2]])


def test_transfers_that_do_not_pair_up() -> None:
    with pytest.raises(SpyreError) as caught:
        compiled(exchange(ALL, consumption(ALL)))
    assert caught.value.code == "SPY574"
    assert "2 producers" in caught.value.message


def test_transfer_order_clears_races() -> None:
    """A tile may read what another wrote before both exchanged data."""
    x, o = sample((4, 3)), np.zeros((4, 3), np.float16)
    take = store("%xx", "o", (1, 3)) + reduction(ALL)
    take += "%n = affine.apply affine_map<(d0) -> ((d0 + 1) mod 4)>(%id)\n"
    take += tile("o", (4, 3), (1, 3), "%n, 0", result="p") + load("p", (1, 3))
    take += view("q", (4, 3)) + tile("q", (4, 3), (1, 3), "%id, 0") + store("%px", "q", (1, 3))
    text = exchange(ALL, take).replace("%o: index", "%o: index, %q: index")
    q = np.zeros_like(o)
    found = run(text, {"x": x, "o": o, "q": q})
    np.testing.assert_array_equal(q, x[[1, 2, 3, 0]])
    assert found.warnings == []


# --- run-time arguments and scalars --------------------------------------------------------------


def sized(kind: str) -> str:
    body = f"%n = ktdp.runtime_arg_extract value from %s : <{kind}> -> index\n"
    body += view("x", (8,)) + view("o", (8,)) + "%four = arith.constant 4 : index\n"
    body += "scf.for %i = %c0 to %n step %four {\n" + tile("x", (8,), (4,), "%i")
    body += tile("o", (8,), (4,), "%i") + load("x", (4,)) + store("%xx", "o", (4,)) + "}\n"
    return kernel(body, ["x", "o", "s"]).replace("%s: index", f"%s: !ktdp.runtime_arg<{kind}>")


def test_runtime_argument_bounds_a_loop() -> None:
    x, o = sample((8,)), np.zeros(8, np.float16)
    program = compiled(sized("index, granularity=4, upperbound=8"))
    program.run({"x": x, "o": o, "s": 4})
    np.testing.assert_array_equal(o, np.where(np.arange(8) < 4, x, 0))
    program.run({"x": x, "o": o, "s": 8})
    np.testing.assert_array_equal(o, x)
    for bad in (6, 12, -4):
        with pytest.raises(SpyreError) as caught:
            program.run({"x": x, "o": o, "s": bad})
        assert caught.value.code == "SPY741"
    for other in (1.5, x, True):
        with pytest.raises(SpyreError) as caught:
            program.run({"x": x, "o": o, "s": other})
        assert caught.value.code == "SPY714"


def test_scalar_arguments() -> None:
    body = "%n = arith.index_cast %k : i32 to index\n%m = arith.addi %n, %j : index\n"
    body += "%i = arith.index_cast %m : index to i32\n%t = tensor.splat %i : tensor<2xi32>\n"
    body += (
        view("o", (2,), "i32") + tile("o", (2,), (2,), dtype="i32") + store("%t", "o", (2,), "i32")
    )
    text = kernel(body, ["o", "k", "j"]).replace("%k: index", "%k: i32")
    o = np.zeros(2, np.int32)
    run(text, {"o": o, "k": 5, "j": np.int64(7)})
    np.testing.assert_array_equal(o, [12, 12])


def filled_with(kind: str) -> str:
    """o is filled with the argument k of a type."""
    body = f"%t = tensor.splat %k : tensor<2x{kind}>\n" + view("o", (2,), kind)
    body += tile("o", (2,), (2,), dtype=kind) + store("%t", "o", (2,), kind)
    return kernel(body, ["o", "k"]).replace("%k: index", f"%k: {kind}")


@pytest.mark.parametrize(
    ("kind", "value", "want"),
    [
        ("i1", True, True), ("i1", np.bool_(False), False), ("i1", 1, True), ("i8", -128, -128),
        ("i8", 255, -1), ("i32", 2**32 - 1, -1), ("i64", np.int64(-7), -7), ("f32", 3, 3.0),
        ("f16", np.float32(0.5), 0.5), ("f32", -np.inf, -np.inf),
    ],
)  # fmt: skip
def test_scalars_of_every_type(kind: str, value: Any, want: Any) -> None:
    o = np.zeros(2, dtypes.get(kind).numpy)
    run(filled_with(kind), {"o": o, "k": value})
    np.testing.assert_array_equal(o, np.full(2, want, o.dtype))


@pytest.mark.parametrize(
    ("kind", "value", "what"),
    [
        ("i1", 2, "0 or 1"), ("i1", 0.5, "a truth value"), ("i32", True, "an integer"),
        ("i32", 2**32, "an integer of 32 bits"), ("i8", -129, "an integer of 8 bits"),
        ("i64", 1.0, "an integer"), ("f32", True, "a number"), ("f16", "1", "a number"),
    ],
)  # fmt: skip
def test_scalars_that_do_not_fit_are_refused(kind: str, value: Any, what: str) -> None:
    with pytest.raises(SpyreError) as caught:
        run(filled_with(kind), {"o": np.zeros(2, dtypes.get(kind).numpy), "k": value})
    assert caught.value.code == "SPY714"
    assert f"must be {what}, got" in str(caught.value)


# --- the rules of transfers -----------------------------------------------------------------------

SOLO = "affine_set<(d0)[s0] : (d0 - s0 * 2 - 1 == 0)>"
FAR = "affine_set<(d0)[s0] : (d0 - s0 * 4 >= 0, -d0 + s0 * 4 + 3 >= 0)>"
NOBODY = "affine_set<(d0)[s0] : (d0 - 2 >= 0, -d0 + 3 >= 0, s0 - 1 == 0)>"
OWN = "affine_set<(d0)[s0] : (d0 - s0 == 0)>"
LEFT = "affine_set<(d0)[s0] : (d0 - s0 + s0 mod 2 == 0)>"
OTHER = "affine_set<(d0)[s0] : (d0 + s0 - 1 == 0, s0 - 1 <= 0)>"

BROKEN = {
    "R2": (ALL, "", "used never"),
    "R2 twice": (
        ALL,
        reduction(ALL) + reduction(ALL).replace("%r", "%q").replace("%zero", "%z"),
        "more than once",
    ),
    "R3": (FIRST, consumption(SOLO, OWN), "takes from tile 1, which is no producer"),
    "R4": (ALL, consumption(ALL, LEFT), "nobody takes what tile 1 of group 0 produces"),
    "R8": (ALL, consumption(ALL), "tile 0 has 2 producers"),
    "R13": (FIRST, reduction(ALL), "tile 1 takes the reduction and adds nothing"),
    "grid": (FAR, reduction(FAR), "tile 7 produces for group 1, and the grid has 4 tiles"),
    "nobody": (NOBODY, consumption(ALL), "no tile of the grid produces for group 0"),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_broken_rules_of_transfers(rule: str) -> None:
    producers, take, message = BROKEN[rule]
    with pytest.raises(SpyreError) as caught:
        compiled(exchange(producers, take))
    assert caught.value.code == "SPY574"
    assert message in caught.value.message
    assert caught.value.location is not None


def test_some_tiles_cannot_take_a_reduction() -> None:
    """R14: all producers take it, or one does."""
    four = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + 3 >= 0, s0 == 0)>"
    two = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + 1 >= 0, s0 == 0)>"
    one = GROUPS.replace("-d0 + 1 >= 0", "-d0 >= 0")
    with pytest.raises(SpyreError, match=r"some but not all tiles .*R14"):
        compiled(exchange(four, reduction(two)).replace(GROUPS, one))


def test_one_tile_in_two_groups() -> None:
    """R1."""
    everyone = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + 3 >= 0, s0 >= 0)>"
    with pytest.raises(SpyreError, match="produces for two groups"):
        compiled(exchange(everyone, reduction(everyone)))


def test_open_sets_are_taken_on_the_grid() -> None:
    x, o = sample((4, 3)), np.zeros((4, 3), np.float16)
    everyone = "affine_set<(d0)[s0] : (s0 == 0)>"
    one = GROUPS.replace("-d0 + 1 >= 0", "-d0 >= 0")
    text = exchange(everyone, reduction(everyone) + store("%r", "o", (1, 3))).replace(GROUPS, one)
    run(text, {"x": x, "o": o})
    want = np.broadcast_to(x.astype(np.float32).sum(axis=0), (4, 3))
    np.testing.assert_allclose(o, want, rtol=5e-3, atol=5e-3)
