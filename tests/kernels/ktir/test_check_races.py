"""Elements that several tiles, or several points of one tile, write or read; undefined contents."""

from __future__ import annotations

import numpy as np
import pytest

import spyrelang as spyre

from .checks import IDS, copy, loading, placed, reported
from .kit import box, constants, identity, kernel, load, normal, run, store, tensor, tile, view

LOCAL = "#ktdp.memory_space<ct_local>"

# --- races and undefined contents ----------------------------------------------------------------


def racing(value: str, at: str, rows: int, stride: int = 64, extents: int = 1) -> str:
    """Four tiles store `value` (%h is the tile's number) to rows of %o at `at`."""
    body = IDS + "%i = arith.index_cast %id : index to i32\n%h = arith.sitofp %i : i32 to f16\n"
    body += view("o", [rows, 64]).replace("strides: [64, 1]", f"strides: [{stride}, 1]")
    body += f"%v = {value} : {tensor([extents, 64])}\n" + tile("o", [rows, 64], [extents, 64], at)
    return kernel("k", "o", [4], body + store("%v", "o", [extents, 64]))


OTHERS, SAME = "tensor.splat %h", "arith.constant dense<2.0>"
RACES = {
    "one row": (racing(OTHERS, "0, 0", 1), (1, 64)),
    "rows that overlap": (racing(OTHERS, "%id, 0", 5, extents=2), (5, 64)),
    "stride 0": (racing(OTHERS, "%id, 0", 4, stride=0), (64,)),
    "strides below a row": (racing(OTHERS, "%id, 0", 4, stride=32), (160,)),
}


@pytest.mark.parametrize("which", RACES)
def test_two_cores_write_one_element(which: str) -> None:
    text, shape = RACES[which]
    found = placed(text, {"o": normal(*shape)})
    assert found.code == "SPY566"
    assert "is written by compute tiles" in found.message
    assert found.location is not None
    assert "ktdp.store" in str(found.location.source_line())


@pytest.mark.parametrize("which", RACES)
def test_two_cores_write_the_same(which: str) -> None:
    """Whoever comes last, the value is one."""
    text, shape = RACES[which]
    out = np.zeros(shape, np.float16)
    reported(text.replace(OTHERS, SAME), {"o": out}, "SPY566")
    assert (out.ravel()[:64] == 2).all()


def test_a_later_step_of_another_core() -> None:
    """Tile t writes rows t to t + 2, one a step."""
    body = IDS + constants(0, 1, 3) + "%i = arith.index_cast %id : index to i32\n"
    body += "%h = arith.sitofp %i : i32 to f16\n%v = tensor.splat %h : tensor<1x64xf16>\n"
    body += view("o", [6, 64]) + "scf.for %j = %c0 to %c3 step %c1 {\n"
    body += "%r = arith.addi %id, %j : index\n" + tile("o", [6, 64], [1, 64], "%r, 0")
    text = kernel("k", "o", [4], body + store("%v", "o", [1, 64]) + "}\n")
    assert placed(text, {"o": normal(6, 64)}).code == "SPY566"


def test_views_of_one_array_that_overlap() -> None:
    """Rows of o, and rows that start half a row later."""
    body = IDS + constants(32) + "%p = arith.addi %o, %c32 : index\n"
    body += "%i = arith.index_cast %id : index to i32\n%h = arith.sitofp %i : i32 to f16\n"
    body += "%v = tensor.splat %h : tensor<1x64xf16>\n"
    body += view("o", [4, 64]) + view("q", [4, 64], base="%p")
    body += tile("o", [4, 64], [1, 64], "%id, 0") + store("%v", "o", [1, 64])
    body += tile("q", [4, 64], [1, 64], "%id, 0") + store("%v", "q", [1, 64])
    assert placed(kernel("k", "o", [4], body), {"o": normal(5, 64).ravel()}).code == "SPY566"


def scatter(grid: int, at: str) -> str:
    body = IDS + view("x", [4, 8]) + view("i", [4], "i32") + view("o", [6, 8])
    body += tile("x", [4, 8], [4 // grid, 8], at + ", 0") + load("x", [4 // grid, 8])
    body += (
        "%o_tile = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) "
        f"%o_view[ind(%i_view[{at} + %m]), (%k)] {{variables_space_set = "
        f"{box([4 // grid, 8])}, variables_space_order = {identity(2)}}} : memref<6x8xf16>, "
        f"memref<4xi32> -> !ktdp.access_tile<{4 // grid}x8xindex>\n"
    )
    return kernel("k", "x, i, o", [grid], body + store("%x_x", "o", [4 // grid, 8]))


@pytest.mark.parametrize(
    ("grid", "at", "code", "told"),
    [(1, "0", "SPY540", {"SPY575"}), (4, "%id", "SPY566", {"SPY566", "SPY575"})],
)
def test_slots_that_occur_twice(grid: int, at: str, code: str, told: set[str]) -> None:
    text, slots = scatter(grid, at), np.array([1, 5, 1, 0], np.int32)
    rows = normal(4, 8)
    found = placed(text, {"x": rows, "i": slots, "o": normal(6, 8)})
    assert found.code == code
    rows[2] = rows[0]  # the same value twice means one thing
    out = np.zeros((6, 8), np.float16)
    done = spyre.load_ktir(text).run({"x": rows, "i": slots, "o": out}, engine="ktir")
    assert {w.code for w in done.warnings} == told
    np.testing.assert_array_equal(out[slots], rows)


def test_partitions_that_share_memory() -> None:
    """Rows 0..3 and 4..7 of the distributed view are the same rows of o."""
    body = (
        view("x", [8, 8]) + view("a", [4, 8], base="%o") + view("b", [4, 8], base="%o", low=[4, 0])
    )
    body += (
        "%d_view = ktdp.construct_distributed_memory_view(%a_view, %b_view : memref<4x8xf16>, "
        "memref<4x8xf16>) : memref<8x8xf16>\n"
    )
    body += tile("x", [8, 8], [8, 8], "0, 0") + load("x", [8, 8])
    body += tile("d", [8, 8], [8, 8], "0, 0") + store("%x_x", "d", [8, 8])
    text = kernel("k", "x, o", [1], body)
    assert placed(text, {"x": normal(8, 8), "o": normal(4, 8)}).code == "SPY540"


def shifted(source: str, target: str) -> str:
    body = IDS + constants(1) + "%n = arith.addi %id, %c1 : index\n" + view("o", [5, 64])
    body += tile("o", [5, 64], [1, 64], source, result="p") + load("p", [1, 64])
    body += tile("o", [5, 64], [1, 64], target, result="q") + store("%p_x", "q", [1, 64])
    return kernel("k", "o", [4], body)


def test_changing_what_another_core_has_read() -> None:
    found = placed(shifted("%n, 0", "%id, 0"), {"o": normal(5, 64)})
    assert found.code == "SPY567"
    assert "is read by compute tile" in found.message
    equal = np.ones((5, 64), np.float16)
    reported(shifted("%n, 0", "%id, 0"), {"o": equal}, "SPY567")


def test_reading_what_another_core_has_written() -> None:
    """There is no order, but with another one the row has no contents: this is a warning."""
    body = IDS + constants(3) + "%n = arith.subi %c3, %id : index\n"
    body += view("x", [4, 64]) + view("s", [4, 64]) + view("o", [4, 64])
    body += tile("x", [4, 64], [1, 64], "%id, 0") + load("x", [1, 64])
    body += tile("s", [4, 64], [1, 64], "%id, 0") + store("%x_x", "s", [1, 64])
    body += tile("s", [4, 64], [1, 64], "%n, 0", result="t") + load("t", [1, 64])
    body += tile("o", [4, 64], [1, 64], "%id, 0") + store("%t_x", "o", [1, 64])
    x, o = normal(4, 64), normal(4, 64, seed=1)
    text = kernel("k", "x, s, o", [4], body)
    reported(text, {"x": x, "s": np.zeros_like(x), "o": o}, "SPY567")
    np.testing.assert_array_equal(o, x[::-1])


@pytest.mark.parametrize(
    "use",
    [
        "%r = arith.addf %e, %e : tensor<4x64xf16>\n",
        "%r = linalg.exp ins(%e : tensor<4x64xf16>) outs(%x_x : tensor<4x64xf16>) -> "
        "tensor<4x64xf16>\n",
        "%r = tensor.extract_slice %e[0, 0] [4, 64] [1, 1] : tensor<4x64xf16> to "
        "tensor<4x64xf16>\n",
    ],
)
def test_reading_an_empty_tensor(use: str) -> None:
    body = view("x", [4, 64]) + tile("x", [4, 64], [4, 64], "0, 0") + load("x", [4, 64])
    body += f"%e = tensor.empty() : {tensor([4, 64])}\n" + use + store("%r", "x", [4, 64])
    assert placed(kernel("k", "x", [1], body), {"x": normal(4, 64)}).code == "SPY564"


def test_reading_unwritten_memory() -> None:
    body = view("o", [4, 64]) + tile("o", [4, 64], [4, 64], "0, 0") + load("o", [4, 64])
    text = kernel("k", 'o: index {spyrelang.role = "out"}', [1], body)
    assert placed(text, {"o": normal(4, 64)}).code == "SPY565"
    body = constants(0) + view("p", [4, 64], base="%c0", space=LOCAL)
    body += tile("p", [4, 64], [4, 64], "0, 0") + load("p", [4, 64])
    assert placed(kernel("k", "o", [1], body), {"o": 0}).code == "SPY565"


def test_outputs_that_are_not_filled() -> None:
    text = kernel("k", "x, o", [1], copy("0, 0"))
    found = reported(text, {"x": normal(8, 64), "o": normal(8, 64)}, "SPY575")
    assert "256 of 512 elements of output 'o' were never written" in found


# --- scratchpads ---------------------------------------------------------------------------------


def scratch(first: str, second: str, at: int, reads: str, dtype: str) -> str:
    """Ones are stored as `first` at 0 and as `second` at `at`; then `reads` is loaded."""
    body = constants(0, at)
    for name, kind, base in (("p", first, 0), ("q", second, at)):
        body += view(name, [64], kind, base=f"%c{base}", space=LOCAL)
        number = "1" if kind.startswith("i") else "1.0"
        body += f"%{name}_one = arith.constant dense<{number}> : {tensor([64], kind)}\n"
        body += tile(name, [64], [64], "0", kind) + store(f"%{name}_one", name, [64], kind)
    body += load(reads, [64], dtype) + view("o", [64], dtype) + tile("o", [64], [64], "0", dtype)
    return kernel("k", "o", [1], body + store(f"%{reads}_x", "o", [64], dtype))


def test_a_scratchpad_is_not_reinterpreted() -> None:
    text = scratch("f16", "f32", 16, "p", "f16")  # 16 f32 are at the bytes of 32 f16
    assert placed(text, {"o": normal(64)}).code == "SPY541"
    text = scratch("f32", "f16", 64, "p", "f32")
    assert placed(text, {"o": normal(64, dtype="f32")}).code == "SPY541"
    text = scratch("f32", "f16", 126, "p", "f32")  # only the last elements
    found = placed(text, {"o": normal(64, dtype="f32")})
    assert "element 63 of the scratchpad" in found.message


@pytest.mark.parametrize(("reads", "dtype"), [("p", "f32"), ("q", "i32")])
def test_types_in_turn_are_fine(reads: str, dtype: str) -> None:
    out = normal(64, dtype=dtype)
    run(scratch("f32", "i32", 64, reads, dtype), {"o": out})
    assert (out == 1).all()


def test_overwriting_what_was_another_type() -> None:
    out = normal(64)
    spyre.load_ktir(scratch("f32", "f16", 0, "q", "f16")).run({"o": out}, engine="ktir")
    assert (out == 1).all()


def test_the_scratchpad_of_a_tile_that_is_not_there() -> None:
    space = "#ktdp.memory_space<ct_local, ct_id = 4>"
    body = constants(0) + view("p", [64], base="%c0", space=space)
    loading("SPY554", kernel("k", "o", [4], body))
    spyre.load_ktir(kernel("k", "o", [5], body))
