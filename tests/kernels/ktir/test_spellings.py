"""Ops and spellings that kernels in the wild use, each against numpy on one small tile."""

from __future__ import annotations

from collections.abc import Callable
from math import erf
from typing import Any

import numpy as np
import pytest

import spyrelang as spyre

from .kit import NUMPY, close, kernel, load, run, store, tensor, tile, view

T = tensor([4, 8])
EMPTY = f"%e = tensor.empty() : {T}\n"
SAME = "affine_map<(a, b) -> (a, b)>"
PAIR = '"parallel", "parallel"'


def whole(
    body: str,
    inputs: str = "x",
    dtype: str = "f16",
    out: tuple[int, int] = (4, 8),
    out_dtype: str | None = None,
) -> tuple[list[np.ndarray], np.ndarray]:
    """Load the inputs (4x8) whole as %x_x and so on, run `body`, store %r; gives inputs, output."""
    kind = out_dtype or dtype
    text = "%c0 = arith.constant 0 : index\n"
    for name in inputs:
        text += view(name, [4, 8], dtype) + tile(name, [4, 8], [4, 8], "0, 0", dtype)
        text += load(name, [4, 8], dtype)
    text += body + "\n" + view("o", out, kind) + tile("o", out, out, "0, 0", kind)
    text += store("%r", "o", out, kind)
    rng = np.random.default_rng(7)
    values = [rng.standard_normal((4, 8)) * 3 for _ in inputs]
    given = [v if NUMPY[dtype] in (np.float16, np.float32) else np.abs(v * 10) + 1 for v in values]
    arrays = {n: v.astype(NUMPY[dtype]) for n, v in zip(inputs, given, strict=True)}
    o = np.empty(out, NUMPY[kind])
    run(kernel("k", ", ".join([*inputs, "o"]), [1], text), {**arrays, "o": o})
    wide = np.float64 if NUMPY[dtype] in (np.float16, np.float32) else np.int64
    return [a.astype(wide) for a in arrays.values()], o


UNARY: dict[str, Callable[[Any], Any]] = {
    "abs": np.abs,
    "ceil": np.ceil,
    "erf": np.vectorize(erf),
    "exp": np.exp,
    "floor": np.floor,
    "negf": np.negative,
    "reciprocal": lambda x: 1 / x,
    "round": lambda x: np.trunc(x + np.copysign(0.5, x)),
    "square": np.square,
    "tanh": np.tanh,
}
POSITIVE: dict[str, Callable[[Any], Any]] = {
    "log": np.log,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "div": np.divide,
}


@pytest.mark.parametrize("name", [*UNARY, *POSITIVE])
def test_named_functions(name: str) -> None:
    first = f"%p = math.absf %x_x : {T}\n" if name in POSITIVE else ""
    source = "%p" if first else "%x_x"
    body = EMPTY + first + f"%r = linalg.{name} ins({source} : {T}) outs(%e : {T}) -> {T}"
    (x,), o = whole(body)
    close(o, POSITIVE[name](np.abs(x)) if first else UNARY[name](x), 2e-3)


@pytest.mark.parametrize("dtype", ["f16", "f32", "i32", "i64"])
@pytest.mark.parametrize("name", BINARY)
def test_named_arithmetic(name: str, dtype: str) -> None:
    kind = tensor([4, 8], dtype)
    body = f"%e = tensor.empty() : {kind}\n"
    body += f"%r = linalg.{name} ins(%x_x, %y_x : {kind}, {kind}) outs(%e : {kind}) -> {kind}"
    (x, y), o = whole(body, "xy", dtype)
    whole_numbers = name == "div" and dtype.startswith("i")
    close(o, x // y if whole_numbers else BINARY[name](x, y), 2e-3)


def generic(ins: str, body: str, maps: str = f"{SAME}, {SAME}", out: str = "f16") -> str:
    kind = tensor([4, 8], out)
    inputs = f" ins({ins})" if ins else ""
    return (
        f"%ge = tensor.empty() : {kind}\n%r = linalg.generic {{indexing_maps = [{maps}], "
        f"iterator_types = [{PAIR}]}}{inputs} outs(%ge : {kind}) {{\n{body}}} -> {kind}"
    )


ONE: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "copy": (EMPTY + f"%r = linalg.copy ins(%x_x : {T}) outs(%e : {T}) -> {T}", lambda x: x),
    "softmax": (
        EMPTY + f"%r = linalg.softmax dimension(1) ins(%x_x : {T}) outs(%e : {T}) -> {T}",
        lambda x: np.exp(x) / np.exp(x).sum(axis=1, keepdims=True),
    ),
    "softmax over rows": (
        EMPTY + f"%r = linalg.softmax dimension(0) ins(%x_x : {T}) outs(%e : {T}) -> {T}",
        lambda x: np.exp(x) / np.exp(x).sum(axis=0, keepdims=True),
    ),
    "elementwise": (
        EMPTY + "%r = linalg.elementwise kind=#linalg.elementwise_kind<exp> "
        f"ins(%x_x : {T}) outs(%e : {T}) -> {T}",
        np.exp,
    ),
    "map": (
        EMPTY + f"%r = linalg.map ins(%x_x : {T}) outs(%e : {T}) (%q: f16, %init: f16) {{\n"
        "%w = math.exp %q : f16\nlinalg.yield %w : f16\n}",
        np.exp,
    ),
    "short map": (
        EMPTY + f"%r = linalg.map {{ math.exp }} ins(%x_x : {T}) outs(%e : {T})",
        np.exp,
    ),
    "branch in a body": (
        generic(
            f"%x_x : {T}",
            "^bb0(%p: f16, %z: f16):\n%k = arith.constant 0.0 : f16\n"
            "%t = arith.cmpf ogt, %p, %k : f16\n%w = scf.if %t -> f16 {\nscf.yield %p : f16\n"
            "} else {\n%n = arith.negf %p : f16\nscf.yield %n : f16\n}\nlinalg.yield %w : f16\n",
        ),
        np.abs,
    ),
    "scalar operand": (
        "%s = arith.constant 0x4000 : f16\n"
        + generic(
            f"%x_x, %s : {T}, f16",
            "^bb0(%p: f16, %q: f16, %z: f16):\n%w = arith.mulf %p, %q : f16\n"
            "linalg.yield %w : f16\n",
            f"{SAME}, affine_map<(a, b) -> ()>, {SAME}",
        ),
        lambda x: 2 * x,
    ),
    "infinities": (
        f"%k = arith.constant dense<0x7C00> : {T}\n%l = arith.constant dense<0xFC00> : {T}\n"
        f"%m = arith.minimumf %x_x, %k : {T}\n%r = arith.maximumf %m, %l : {T}",
        lambda x: x,
    ),
    "hex among numbers": (
        "%k = arith.constant dense<[1.0, 2.0, 0x4200, 4.0, 5., -0.0, 1.0e-3, 8.0]> : "
        f"tensor<8xf16>\n{EMPTY}%b = linalg.broadcast ins(%k : tensor<8xf16>) outs(%e : {T}) "
        f"dimensions = [0]\n%r = arith.addf %x_x, %b : {T}",
        lambda x: x + np.array([1, 2, 3, 4, 5, 0, 1e-3, 8]),
    ),
    "pad": (
        "%k = arith.constant 0.0 : f16\n"
        f"%s = tensor.extract_slice %x_x[0, 0] [3, 6] [1, 1] : {T} to tensor<3x6xf16>\n"
        "%r = tensor.pad %s low[1, 0] high[0, 2] {\n^bb0(%i: index, %j: index):\n"
        f"tensor.yield %k : f16\n}} : tensor<3x6xf16> to {T}",
        lambda x: np.pad(x[:3, :6], ((1, 0), (0, 2))),
    ),
    "bits": (
        f"%b = tensor.bitcast %x_x : {T} to tensor<4x8xi16>\n"
        f"%r = arith.bitcast %b : tensor<4x8xi16> to {T}",
        lambda x: x,
    ),
    "forall": (
        EMPTY + f"%r = scf.forall (%i) in (4) shared_outs(%acc = %e) -> ({T}) {{\n"
        f"%s = tensor.extract_slice %x_x[%i, 0] [1, 8] [1, 1] : {T} to tensor<1x8xf16>\n"
        "%d = arith.addf %s, %s : tensor<1x8xf16>\nscf.forall.in_parallel {\n"
        "tensor.parallel_insert_slice %d into %acc[%i, 0] [1, 8] [1, 1] : tensor<1x8xf16> into "
        f"{T}\n}}\n}}",
        lambda x: 2 * x,
    ),
    "parallel": (
        "%c1 = arith.constant 1 : index\n%c4 = arith.constant 4 : index\n"
        "%z = arith.constant 0.0 : f16\n"
        "%s = scf.parallel (%i) = (%c0) to (%c4) step (%c1) init (%z) -> f16 {\n"
        f"%v = tensor.extract %x_x[%i, %c0] : {T}\nscf.reduce(%v : f16) {{\n"
        "^bb0(%l: f16, %h: f16):\n%q = arith.addf %l, %h : f16\nscf.reduce.return %q : f16\n}\n}\n"
        f"%r = tensor.splat %s : {T}",
        lambda x: np.full((4, 8), x[:, 0].sum()),
    ),
    "switch": (
        f"%c1 = index.constant 1\n%r = scf.index_switch %c1 -> {T}\ncase 0 {{\n"
        f"scf.yield %x_x : {T}\n}}\ncase 1 {{\n%n = arith.negf %x_x : {T}\nscf.yield %n : {T}\n}}\n"
        f"default {{\nscf.yield %x_x : {T}\n}}",
        np.negative,
    ),
    "execute_region": (
        f"%r = scf.execute_region -> {T} {{\n%n = arith.negf %x_x : {T}\nscf.yield %n : {T}\n}}",
        np.negative,
    ),
    "affine.for": (
        f"%z = arith.constant dense<0.0> : {T}\n"
        f"%r = affine.for %i = 0 to 7 step 3 iter_args(%a = %z) -> ({T}) {{\n"
        f"%b = arith.addf %a, %x_x : {T}\naffine.yield %b : {T}\n}}",
        lambda x: 3 * x,
    ),
    "affine.if": (
        f"%r = affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%c0) -> {T} {{\n"
        f"affine.yield %x_x : {T}\n}} else {{\n%n = arith.negf %x_x : {T}\n"
        f"affine.yield %n : {T}\n}}",
        np.negative,
    ),
    "part of a view": (
        "%c1 = arith.constant 1 : index\n"
        "%sv = memref.subview %x_view[%c1, 0] [2, 8] [2, 1] : memref<4x8xf16> to "
        "memref<2x8xf16, strided<[16, 1], offset: ?>>\n"
        "%t = ktdp.construct_access_tile %sv[%c0, %c0] {access_tile_set = "
        "affine_set<(a, b) : (a >= 0, -a + 1 >= 0, b >= 0, -b + 7 >= 0)>, access_tile_order = "
        f"{SAME}}} : memref<2x8xf16, strided<[16, 1], offset: ?>> -> !ktdp.access_tile<2x8xindex>\n"
        "%h = ktdp.load %t : <2x8xindex> -> tensor<2x8xf16>\n"
        f"%r = tensor.concat dim(0) %h, %h : (tensor<2x8xf16>, tensor<2x8xf16>) -> {T}",
        lambda x: x[[1, 3, 1, 3]],
    ),
}


@pytest.mark.parametrize("name", ONE)
def test_op(name: str) -> None:
    body, reference = ONE[name]
    (x,), o = whole(body)
    close(o, reference(x))


INDEX = {
    "arith": "%u = arith.muli %i, %c8 : index\n%k = arith.addi %u, %j : index\n",
    "index": "%u = index.mul %i, %c8\n%k = index.add %u, %j\n",
    "affine": "%k = affine.apply affine_map<(p, q)[s] -> (p * s + q)>(%i, %j)[%c8]\n",
    "linearize": None,
    "i32": "%i3 = arith.index_cast %i : index to i32\n%e8 = arith.constant 8 : i32\n"
    "%u3 = arith.muli %i3, %e8 : i32\n%u = arith.index_cast %u3 : i32 to index\n"
    "%k = arith.addi %u, %j : index\n",
    "i64": "%i3 = index.casts %i : index to i64\n%e8 = arith.constant 3 : i64\n"
    "%u3 = arith.shli %i3, %e8 : i64\n%u = index.castu %u3 : i64 to index\n"
    "%k = index.or %u, %j\n",
}


@pytest.mark.parametrize("route", [r for r, text in INDEX.items() if text])
def test_index_arithmetic_in_bodies(route: str) -> None:
    body = (
        "^bb0(%z: i32):\n%i = linalg.index 0 : index\n%j = linalg.index 1 : index\n"
        f"%c8 = index.constant 8\n{INDEX[route]}%w = arith.index_cast %k : index to i32\n"
        "linalg.yield %w : i32\n"
    )
    _, o = whole(generic("", body, SAME, "i32"), out_dtype="i32")
    np.testing.assert_array_equal(o, np.arange(32).reshape(4, 8))


ROUTES = {
    **{name: text for name, text in INDEX.items() if text},
    "linearize": "%k = affine.linearize_index [%i, %j] by (4, 8) : index\n",
}


@pytest.mark.parametrize("route", ROUTES)
def test_index_arithmetic_of_origins(route: str) -> None:
    """Core (i, j) of 4 x 8 copies element 8i + j."""
    text = "%i, %j = ktdp.get_compute_tile_id : index, index\n%c8 = arith.constant 8 : index\n"
    text += ROUTES[route] + view("x", [32]) + view("o", [32])
    text += tile("x", [32], [1], "%k") + load("x", [1])
    text += tile("o", [32], [1], "%k") + store("%x_x", "o", [1])
    x, o = np.arange(32).astype(np.float16), np.empty(32, np.float16)
    run(kernel("k", "x, o", [4, 8], text), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x)


def test_coordinates_of_a_number() -> None:
    text = (
        "%id = ktdp.get_compute_tile_id : index\n"
        "%a:2 = affine.delinearize_index %id into (4, 3) : index, index\n"
        "%row = arith.addi %a#0, %a#0 : index\n%half = index.divs %row, %two\n"
    ).replace("%a:2", "%two = index.constant 2\n%a:2")
    text += view("x", [3, 4]) + view("o", [4, 3])
    # two results of one op cannot stand in one subscript list of the public tools
    text += "%col = index.add %a#1, %zero\n".replace("%col", "%zero = index.constant 0\n%col")
    text += tile("x", [3, 4], [1, 1], "%col, %half") + load("x", [1, 1])
    text += tile("o", [4, 3], [1, 1], "%half, %col") + store("%x_x", "o", [1, 1])
    x, o = np.arange(12).reshape(3, 4).astype(np.float16), np.empty((4, 3), np.float16)
    run(kernel("k", "x, o", [12], text), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x.T)


@pytest.mark.parametrize("which", ["a", "b"])
@pytest.mark.parametrize("batch", [False, True])
def test_products_of_transposed_operands(which: str, batch: bool) -> None:
    """linalg.matmul_transpose_a and its relatives, which MLIR now writes with maps."""
    lead, name = ([3] if batch else []), "batch_matmul" if batch else "matmul"
    shapes = {"x": [*lead, 4, 5], "y": [*lead, 5, 6]}
    turned = "x" if which == "a" else "y"
    shapes[turned] = [*lead, *shapes[turned][-2:][::-1]]
    out = [*lead, 4, 6]
    text = ""
    for n, shape in shapes.items():
        text += view(n, shape) + tile(n, shape, shape, ", ".join("0" for _ in shape))
        text += load(n, shape)
    kind = tensor(out, "f32")
    text += (
        f"%z = arith.constant dense<0.0> : {kind}\n%r = linalg.{name}_transpose_{which} "
        f"ins(%x_x, %y_x : {tensor(shapes['x'])}, {tensor(shapes['y'])}) outs(%z : {kind}) -> "
        f"{kind}\n"
    )
    text += view("o", out, "f32") + tile("o", out, out, ", ".join("0" for _ in out), "f32")
    text += store("%r", "o", out, "f32")
    rng = np.random.default_rng(0)
    arrays = {n: rng.standard_normal(s).astype(np.float16) for n, s in shapes.items()}
    o = np.empty(out, np.float32)
    run(kernel("k", "x, y, o", [1], text), {**arrays, "o": o})
    x, y = (a.astype(np.float64) for a in arrays.values())
    x, y = (x.swapaxes(-1, -2), y) if which == "a" else (x, y.swapaxes(-1, -2))
    close(o, x @ y, 1e-3)


def test_loops_whose_trips_differ_between_cores() -> None:
    """Core k adds up k + 1 rows, in a nest of loops with as many trips."""
    text = (
        "%id = ktdp.get_compute_tile_id : index\n%c0 = index.constant 0\n%c1 = index.constant 1\n"
        "%n = index.add %id, %c1\n"
    )
    text += view("x", [4, 8], "f32") + view("o", [4], "f32")
    text += tile("x", [4, 8], [4, 8], "0, 0", "f32") + load("x", [4, 8], "f32")
    text += (
        "%c8 = index.constant 8\n%z = arith.constant 0.0 : f32\n"
        "%s = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c8) step (%c1, %c1) init (%z) -> f32 {\n"
        "%v = tensor.extract %x_x[%i, %j] : tensor<4x8xf32>\nscf.reduce(%v : f32) {\n"
        "^bb0(%l: f32, %h: f32):\n%q = arith.addf %l, %h : f32\nscf.reduce.return %q : f32\n}\n}\n"
        "%r = tensor.from_elements %s : tensor<1xf32>\n"
    )
    text += tile("o", [4], [1], "%id", "f32") + store("%r", "o", [1], "f32")
    x = np.arange(32).reshape(4, 8).astype(np.float32)
    o = np.empty(4, np.float32)
    run(kernel("k", "x, o", [4], text), {"x": x, "o": o})
    np.testing.assert_array_equal(o, [x[: k + 1].sum() for k in range(4)])


def test_assertions_name_the_core_and_the_message() -> None:
    text = (
        "%id = ktdp.get_compute_tile_id : index\n%two = index.constant 2\n"
        '%ok = index.cmp ult(%id, %two)\ncf.assert %ok, "too many cores"\n'
    )
    with pytest.raises(spyre.SpyreError, match=r"SPY579.*compute tile 2: too many cores"):
        run(kernel("k", "o", [4], text), {"o": 0})


ADDRESSES = {
    "i64": "%p = arith.index_cast %x : index to i64\n%d = arith.index_cast %n : index to i64\n"
    "%q = arith.addi %p, %d : i64\n%at = arith.index_cast %q : i64 to index\n",
    "i32": "%p = arith.index_cast %x : index to i32\n%d = arith.index_cast %n : index to i32\n"
    "%q = arith.addi %p, %d : i32\n%at = arith.index_cast %q : i32 to index\n",
    "index": "%at = index.add %x, %n\n",
    "affine": "%at = affine.apply affine_map<(d)[s] -> (s + d)>(%n)[%x]\n",
}


@pytest.mark.parametrize("route", ADDRESSES)
def test_address_arithmetic(route: str) -> None:
    text = "%id = ktdp.get_compute_tile_id : index\n%c8 = index.constant 8\n"
    text += "%n = index.mul %id, %c8\n" + ADDRESSES[route]
    text += view("x", [8], base="%at") + view("o", [32]) + tile("x", [8], [8], "0")
    text += load("x", [8]) + tile("o", [32], [8], "%n") + store("%x_x", "o", [8])
    x, o = np.arange(32).astype(np.float16), np.empty(32, np.float16)
    run(kernel("k", "x, o", [4], text), {"x": x, "o": o})
    np.testing.assert_array_equal(o, x)


@pytest.mark.parametrize("index", ["i32", "si32", "i64", "si64", "index"])
def test_element_types_of_indices(index: str) -> None:
    text = view("x", [6, 4]) + view("i", [3], index) + view("o", [3, 4])
    text += (
        "%g_tile = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) "
        "%x_view[ind(%i_view[%m]), (%k)] {variables_space_set = "
        "affine_set<(a, b) : (a >= 0, 2 - a >= 0, b >= 0, 3 - b >= 0)>, "
        f"variables_space_order = {SAME}}} : memref<6x4xf16>, memref<3x{index}> -> "
        "!ktdp.access_tile<3x4xindex>\n"
    )
    text += load("g", [3, 4]) + tile("o", [3, 4], [3, 4], "0, 0") + store("%g_x", "o", [3, 4])
    x, o = np.arange(24).reshape(6, 4).astype(np.float16), np.empty((3, 4), np.float16)
    i = np.array([5, 0, 5], np.int32 if index.endswith("32") else np.int64)
    run(kernel("k", "x, i, o", [1], text), {"x": x, "i": i, "o": o})
    np.testing.assert_array_equal(o, x[i])


FUNCTIONS = """
// two kernels, and functions that they share
#row = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 31 >= 0)> // one row
#all = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
!row = tensor<1x32xf32>
!tile = !ktdp.access_tile<1x32xindex>
module attributes {spyre.target = "x"} {
  func.func private @get(%v: memref<8x32xf32>, %r: index) -> !row {
    %t = ktdp.construct_access_tile %v[%r, 0] {access_tile_set = #row, access_tile_order = #id}
      : memref<8x32xf32> -> !tile
    %x = ktdp.load %t : !tile -> !row
    return %x : !row
  }
  func.func private @put(%v: memref<8x32xf32>, %r: index, %x: !row) {
    %t = ktdp.construct_access_tile %v[%r, 0] {access_tile_set = #row, access_tile_order = #id}
      : memref<8x32xf32> -> !tile
    ktdp.store %x, %t : !row, !tile
    return
  }
  func.func @double(%a: index) attributes {grid = [8, 1]} {
    %i, %j = ktdp.get_compute_tile_id : index, index
    %v = ktdp.construct_memory_view %a, sizes: [8, 32], strides: [32, 1] {coordinate_set = #all,
      memory_space = #ktdp.memory_space<global>} : memref<8x32xf32>
    %x = call @get(%v, %i) : (memref<8x32xf32>, index) -> !row
    %y = arith.addf %x, %x : !row
    func.call @put(%v, %i, %y) : (memref<8x32xf32>, index, !row) -> ()
    return
  }
  func.func @halve(%a: index, %n: index) attributes {grid = [1]} {
    %v = ktdp.construct_memory_view %a, sizes: [8, 32], strides: [32, 1] {coordinate_set = #all,
      memory_space = #ktdp.memory_space<global>} : memref<8x32xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %half = arith.constant dense<5.0e-1> : !row
    %end = scf.while (%i = %c0) : (index) -> index {
      %c = arith.cmpi slt, %i, %n : index
      scf.condition(%c) %i : index
    } do {
    ^bb0(%i: index):
      %x = func.call @get(%v, %i) : (memref<8x32xf32>, index) -> !row
      %y = arith.mulf %x, %half : !row
      func.call @put(%v, %i, %y) : (memref<8x32xf32>, index, !row) -> ()
      %k = arith.addi %i, %c1 : index
      scf.yield %k : index
    }
    return
  }
}
"""


def test_several_functions_in_a_module() -> None:
    module = spyre.load_ktir(FUNCTIONS)
    assert module.kernels == ("double", "halve")
    a = np.random.default_rng(0).standard_normal((8, 32)).astype(np.float32)
    want = a.copy()
    module["double"].run({"a": a}, engine="ktir")
    np.testing.assert_array_equal(a, 2 * want)
    module["halve"].run({"a": a, "n": 5}, engine="ktir")
    want[5:] *= 2
    np.testing.assert_array_equal(a, want)
