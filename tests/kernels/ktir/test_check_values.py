"""Numbers that MLIR leaves undefined, reductions that start wrong; and numbers that only look as
if."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .checks import placed, reported
from .kit import kernel, load, normal, run, store, tile, view


def of_constants(operation: str, kind: str, *operands: tuple[str, str]) -> str:
    """A kernel that stores what an operation gives for constant vectors %a and %b; N in the
    operation stands for their length."""
    count, body = operands[0][0].count(",") + 1, ""
    for name, (values, dtype) in zip("ab", operands, strict=False):
        body += f"%{name} = arith.constant dense<{values}> : tensor<{count}x{dtype}>\n"
    body += f"%r = {operation.replace('N', str(count))}\n"
    body += view("o", [count], kind) + tile("o", [count], [count], "0", kind)
    return kernel("k", "o", [1], body + store("%r", "o", [count], kind))


def binary(op: str, a: str, b: str, kind: str = "i32") -> str:
    return of_constants(f"arith.{op} %a, %b : tensor<Nx{kind}>", kind, (a, kind), (b, kind))


def cast(op: str, values: str, source: str, target: str) -> str:
    spelled = f"arith.{op} %a : tensor<Nx{source}> to tensor<Nx{target}>"
    return of_constants(spelled, target, (values, source))


LEAST = -(2**31)
UNDEFINED = {
    **{
        op: (binary(op, "[1, 7, 3, 4]", "[1, 0, 1, 1]"), "of 7 and 0")
        for op in ["divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui"]
    },
    **{
        f"{op} by {by}": (binary(op, "[1, 7, 3, 4]", f"[1, {by}, 31, 0]"), f"of 7 and {by}")
        for op in ("shli", "shrsi", "shrui")
        for by in (32, -1)
    },
    **{
        f"{op} overflow": (binary(op, f"[{LEAST}, 1, 1, 1]", "[-1, 1, 1, 1]"), f"{LEAST} and -1")
        for op in ("divsi", "floordivsi", "ceildivsi")
    },
    "index": (
        binary("divui", "[1, 7, 3, 4]", "[1, 0, 1, 1]", "i64"),
        "of 7 and 0",
    ),
    "nan": (cast("fptosi", "[1.0, 0x7FC00000, 2.0, 3.0]", "f32", "i32"), "of nan"),
    "infinity": (cast("fptosi", "[1.0, 0xFF800000, 2.0, 3.0]", "f32", "i32"), "of -inf"),
    "too large": (cast("fptosi", "[1.0, 3.0e9, 2.0, 3.0]", "f32", "i32"), "of 3e+09"),
    "f16 too large": (cast("fptosi", "[1.0, 200.0, 2.0, 3.0]", "f16", "i8"), "of 200.0"),
    "negative": (cast("fptoui", "[1.0, -1.0, 2.0, 3.0]", "f32", "i32"), "of -1.0"),
}


@pytest.mark.parametrize("which", UNDEFINED)
def test_results_that_are_not_defined(which: str) -> None:
    text, operands = UNDEFINED[which]
    kind = "i8" if "i8>" in text else "i64" if "i64" in text else "i32"
    found = reported(text, {"o": np.zeros(4, f"int{kind[1:]}")}, "SPY542")
    assert operands in found
    assert "-->" in found


DEFINED: dict[str, tuple[str, Any]] = {
    "sum wraps": (binary("addi", "[2147483647, 1, 1, 1]", "[1, 1, 1, 1]"), [LEAST, 2, 2, 2]),
    "product wraps": (binary("muli", "[65536, 2, 3, 4]", "[65536, 2, 3, 4]"), [0, 4, 9, 16]),
    "remainder": (binary("remsi", f"[{LEAST}, -7, 7, 7]", "[-1, 3, -3, 3]"), [0, -1, 1, 1]),
    "largest shift": (binary("shli", "[1, 2, 3, 4]", "[31, 1, 0, 1]"), [LEAST, 4, 3, 8]),
    "unsigned": (binary("divui", "[-1, 6, 7, 8]", "[2, -1, 7, 8]"), [2**31 - 1, 0, 1, 1]),
    "towards zero": (cast("fptosi", "[-0.5, 1.9, -1.9, 3.0]", "f32", "i32"), [0, 1, -1, 3]),
    "largest that fits": (
        cast("fptosi", "[-2147483648.0, 2147483520.0, 0.0, 1.0]", "f32", "i32"),
        [LEAST, 2147483520, 0, 1],
    ),
}


@pytest.mark.parametrize("which", DEFINED)
def test_results_that_are_defined(which: str) -> None:
    text, want = DEFINED[which]
    out = np.zeros(4, np.int32)
    run(text, {"o": out})
    assert out.tolist() == want


INF, NAN = np.inf, np.nan
FLOATS = {
    "overflow": (binary("addf", "[6.0e4, 1.0]", "[6.0e4, 1.0]", "f16"), [INF, 2]),
    "over zero": (binary("divf", "[-1.0, 0.0]", "[0.0, 0.0]", "f16"), [-INF, NAN]),
    "nan wins": (binary("maximumf", "[0x7E00, 0xFC00]", "[1.0, 1.0]", "f16"), [NAN, 1]),
    "number wins": (binary("maxnumf", "[0x7E00, 0xFC00]", "[1.0, 1.0]", "f16"), [1, 1]),
    "infinities": (binary("subf", "[0x7C00, 0x7C00]", "[0x7C00, 0xFC00]", "f16"), [NAN, INF]),
}


@pytest.mark.parametrize("which", FLOATS)
def test_infinities_and_nan_are_numbers(which: str) -> None:
    text, want = FLOATS[which]
    out = np.zeros(2, np.float16)
    run(text, {"o": out})
    np.testing.assert_array_equal(out, np.array(want, np.float16))


def test_undefined_in_the_body_of_a_generic() -> None:
    """Every core looks at its own row; the warning names the core that meets the zero."""
    body = "%id = ktdp.get_compute_tile_id : index\n"
    for name in ("x", "o"):
        body += view(name, [4, 8], "i32") + tile(name, [4, 8], [1, 8], "%id, 0", "i32")
    body += load("x", [1, 8], "i32") + (
        "%e = tensor.empty() : tensor<1x8xi32>\n"
        "%r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, "
        'affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} '
        "ins(%x_x : tensor<1x8xi32>) outs(%e : tensor<1x8xi32>) {\n"
        "^bb0(%p: i32, %q: i32):\n%c = arith.constant 12 : i32\n%d = arith.divsi %c, %p : i32\n"
        "linalg.yield %d : i32\n} -> tensor<1x8xi32>\n"
    )
    text = kernel("k", "x, o", [4], body + store("%r", "o", [1, 8], "i32"))
    x, out = np.full((4, 8), 3, np.int32), np.zeros((4, 8), np.int32)
    run(text, {"x": x, "o": out})
    assert (out == 4).all()
    x[2, 5] = 0
    found = reported(text, {"x": x, "o": out}, "SPY542")
    assert "arith.divsi of 12 and 0" in found
    assert "on compute tile 2" in found
    assert out[2, 5] == 0


def test_undefined_for_a_divisor_that_all_tiles_share() -> None:
    body = (
        "%id = ktdp.get_compute_tile_id : index\n%zero = arith.constant 0 : index\n"
        "%d = arith.divsi %id, %zero : index\n"
    )
    for name in ("x", "o"):
        body += view(name, [4, 8], "i32") + tile(name, [4, 8], [1, 8], "%id, %d", "i32")
    body += load("x", [1, 8], "i32") + store("%x_x", "o", [1, 8], "i32")
    x, out = np.ones((4, 8), np.int32), np.zeros((4, 8), np.int32)
    found = reported(kernel("k", "x, o", [4], body), {"x": x, "o": out}, "SPY542")
    assert "arith.divsi of 0 and 0" in found
    assert (out == x).all()


# --- reductions over tiles -----------------------------------------------------------------------

ALL = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + 3 >= 0, s0 == 0)>"
FUTURE = "<(tensor<1x8xf16>), groups = affine_set<(d0) : (d0 == 0)>>"


def all_reduce(combiner: str, identity: str) -> str:
    body = "%id = ktdp.get_compute_tile_id : index\n"
    body += f"%z = arith.constant dense<{identity}> : tensor<1x8xf16>\n"
    for name in ("x", "o"):
        body += view(name, [4, 8]) + tile(name, [4, 8], [1, 8], "%id, 0")
    body += load("x", [1, 8]) + (
        f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {ALL} -> {FUTURE} {{\n"
        "^bb0(%g: index):\nktdp.yield_partial %x_x : tensor<1x8xf16>\n}\n"
        f"%r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = {ALL}, identity(%z : "
        f"tensor<1x8xf16>) : {FUTURE} -> tensor<1x8xf16> {{\n"
        "^bb0(%a: tensor<1x8xf16>, %b: tensor<1x8xf16>):\n"
        f"%s = arith.{combiner} %a, %b : tensor<1x8xf16>\n"
        "ktdp.yield_reduced %s : tensor<1x8xf16>\n}\n"
    )
    return kernel("k", "x, o", [4], body + store("%r", "o", [1, 8]))


@pytest.mark.parametrize(
    ("combiner", "identity", "want"),
    [("addf", "0.0", np.sum), ("mulf", "1.0", np.prod), ("maximumf", "0xFC00", np.max)],
)
def test_identities_that_are_neutral(combiner: str, identity: str, want: Any) -> None:
    x, out = np.array([[1], [-0.0], [3], [2]], np.float16).repeat(8, 1), normal(4, 8)
    x[1, 3] = np.nan
    run(all_reduce(combiner, identity), {"x": x, "o": out})
    np.testing.assert_array_equal(out, np.tile(want(x, axis=0), (4, 1)))


@pytest.mark.parametrize(
    ("combiner", "identity"),
    [("mulf", "0.0"), ("addf", "1.0"), ("maximumf", "100.0"), ("subf", "0.0")],
)
def test_identities_that_are_not(combiner: str, identity: str) -> None:
    x, out = np.abs(normal(4, 8)) + np.float16(1), normal(4, 8)
    found = reported(all_reduce(combiner, identity), {"x": x, "o": out}, "SPY544")
    assert "combined with the identity" in found
    assert "ktdp.inter_tile_reduce" in found


# --- shapes --------------------------------------------------------------------------------------


def reshaped(sizes: str, result: str) -> str:
    body = view("x", [8, 8]) + tile("x", [8, 8], [8, 8], "0, 0") + load("x", [8, 8])
    body += f"%s = arith.constant dense<{sizes}> : tensor<2xindex>\n"
    body += f"%r = tensor.reshape %x_x(%s) : (tensor<8x8xf16>, tensor<2xindex>) -> {result}\n"
    body += view("o", [16, 4]) + tile("o", [16, 4], [16, 4], "0, 0")
    if "?" in result:
        body += "%r2 = tensor.cast %r : tensor<?x4xf16> to tensor<16x4xf16>\n"
    return kernel("k", "x, o", [1], body + store("%r2" if "?" in result else "%r", "o", [16, 4]))


@pytest.mark.parametrize("result", ["tensor<16x4xf16>", "tensor<?x4xf16>"])
def test_reshapes_whose_type_lies(result: str) -> None:
    x, out = normal(8, 8), np.zeros((16, 4), np.float16)
    run(reshaped("[16, 4]", result), {"x": x, "o": out})
    np.testing.assert_array_equal(out, x.reshape(16, 4))
    for sizes in ("[4, 16]", "[8, 8]"):
        found = placed(reshaped(sizes, result), {"x": x, "o": out})
        assert found.code == "SPY577"
