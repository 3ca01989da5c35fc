"""Element-wise ops on whole tensors and scalars: bit-equal to numpy or to the semantics table."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from spyrelang.errors import SpyreError
from spyrelang.semantics import lookup

from .kit import bits, compiled, kernel, load, rng, run, store, tensor, tile, view, whole

BF16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = {"f16": np.float16, "bf16": BF16, "f32": np.float32, "f64": np.float64}


def values(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    r = rng(seed)
    if dtype in FLOATS:
        return (r.standard_normal(shape) * 3).astype(FLOATS[dtype])
    return r.integers(-1000, 1000, shape).astype({"i32": np.int32, "i64": np.int64}[dtype])


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "i32"])
@pytest.mark.parametrize(
    ("name", "ufunc"), [("add", np.add), ("sub", np.subtract), ("mul", np.multiply)]
)
def test_named_ops_equal_numpy(name: str, ufunc: np.ufunc, dtype: str) -> None:
    x, y = values((5, 7), dtype), values((5, 7), dtype, 1)
    kind = tensor((5, 7), dtype)
    body = (
        f"%e = tensor.empty() : {kind}\n%r = linalg.{name} ins(%xx, %yx : {kind}, {kind}) "
        f"outs(%e : {kind}) -> {kind}"
    )
    got = whole(body, {"x": x, "y": y}, (5, 7), dtype)
    np.testing.assert_array_equal(bits(got), bits(ufunc(x, y)))


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("op", ["arith.divf", "arith.maximumf", "arith.minnumf", "math.powf"])
def test_tensor_ops_equal_the_table(op: str, dtype: str) -> None:
    x, y = values((3, 4, 5), dtype), values((3, 4, 5), dtype, 1)
    x.flat[:4] = [0.0, -0.0, np.nan, np.inf]
    y.flat[:4] = [-0.0, 0.0, 1.0, np.nan]
    got = whole(
        f"%r = {op} %xx, %yx : {tensor((3, 4, 5), dtype)}", {"x": x, "y": y}, x.shape, dtype
    )
    want = lookup(op).bind({}, [dtype, dtype], [dtype])(x, y)
    np.testing.assert_array_equal(bits(got), bits(want))


@pytest.mark.parametrize("op", ["math.exp", "math.rsqrt", "math.tanh", "math.absf", "arith.negf"])
def test_unary_tensor_ops(op: str) -> None:
    x = values((33,), "f16")
    got = whole(f"%r = {op} %xx : tensor<33xf16>", {"x": x}, (33,), "f16")
    np.testing.assert_array_equal(bits(got), bits(lookup(op).bind({}, ["f16"], ["f16"])(x)))


def test_casts_comparison_and_choice() -> None:
    x, y = values((4, 9), "f16"), values((4, 9), "f16", 1)
    body = """
    %w = arith.extf %xx : tensor<4x9xf16> to tensor<4x9xf32>
    %v = arith.extf %yx : tensor<4x9xf16> to tensor<4x9xf32>
    %m = arith.cmpf ogt, %w, %v : tensor<4x9xf32>
    %s = arith.select %m, %w, %v : tensor<4x9xi1>, tensor<4x9xf32>
    %r = arith.truncf %s : tensor<4x9xf32> to tensor<4x9xf16>"""
    np.testing.assert_array_equal(whole(body, {"x": x, "y": y}, (4, 9), "f16"), np.maximum(x, y))


def test_select_by_a_scalar_that_differs_between_tiles() -> None:
    x = values((4, 3), "f32")
    body = (
        view("x", (4, 3), "f32")
        + view("o", (4, 3), "f32")
        + "%id = ktdp.get_compute_tile_id : index\n"
        + tile("x", (4, 3), (1, 3), "%id, 0", "f32")
        + tile("o", (4, 3), (1, 3), "%id, 0", "f32")
        + load("x", (1, 3), "f32")
        + "%n = arith.negf %xx : tensor<1x3xf32>\n%two = arith.constant 2 : index\n"
        + "%p = arith.cmpi ult, %id, %two : index\n"
        + "%r = arith.select %p, %xx, %n : tensor<1x3xf32>\n"
        + store("%r", "o", (1, 3), "f32")
    )
    out = np.zeros_like(x)
    run(kernel(body, grid=[4]), {"x": x, "o": out})
    np.testing.assert_array_equal(out, x * np.array([[1], [1], [-1], [-1]], np.float32))


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "i32"])
def test_constants(dtype: str) -> None:
    numbers = "[1, -2, 3]" if dtype == "i32" else "[1.0, -2.5, 3.0e0]"
    want = [1, -2, 3] if dtype == "i32" else [1.0, -2.5, 3.0]
    kind = tensor((3,), dtype)
    one = "7" if dtype == "i32" else "7.0"
    x = np.array(want).astype(values((1,), dtype).dtype)
    body = (
        f"%k = arith.constant dense<{numbers}> : {kind}\n"
        f"%s = arith.constant dense<{one}> : {kind}\n"
        f"%r = arith.{'addi' if dtype == 'i32' else 'addf'} %k, %s : {kind}"
    )
    got = whole(body, {}, (3,), dtype)
    np.testing.assert_array_equal(got.astype(np.float64), x.astype(np.float64) + 7)


def test_infinity_and_bf16_bits_in_constants() -> None:
    body = "%r = arith.constant dense<[0x7F80, 0xFF80, 1.0]> : tensor<3xbf16>"
    got = whole(body, {}, (3,), "bf16")
    np.testing.assert_array_equal(got.astype(np.float32), [np.inf, -np.inf, 1.0])


@pytest.mark.parametrize(
    "op", ["exp", "gelu", "sigmoid", "silu", "sqrt", "rsqrt", "reciprocal", "softplus"]
)
def test_intrinsics_in_a_generic(op: str) -> None:
    x = values((6, 5), "f16")
    suffix = " beta 2.0 threshold 20.0" if op == "softplus" else ""
    body = generic(f"%y = spyreop.{op} %a{suffix} : f16\nlinalg.yield %y : f16", 6, 5)
    attrs = {"beta": 2.0, "threshold": 20.0} if op == "softplus" else {}
    want = lookup(f"spyreop.{op}").bind(attrs, ["f16"], ["f16"])(x)
    np.testing.assert_array_equal(bits(whole(body, {"x": x}, x.shape, "f16")), bits(want))


def generic(body: str, m: int, n: int, dtype: str = "f16") -> str:
    kind = tensor((m, n), dtype)
    same = "affine_map<(d0, d1) -> (d0, d1)>"
    return (
        f"%e = tensor.empty() : {kind}\n%r = linalg.generic {{indexing_maps = [{same}, {same}], "
        f'iterator_types = ["parallel", "parallel"]}} ins(%xx : {kind}) outs(%e : {kind}) {{\n'
        f"^bb0(%a: {dtype}, %o_: {dtype}):\n{body}\n}} -> {kind}"
    )


def test_compare_select_and_constant_intrinsics() -> None:
    x = values((4, 5), "f16")
    x[0, 0], x[0, 1] = np.nan, -0.0
    body = generic(
        "%z = spyreop.constant 0.0 : f16\n%p = spyreop.compare <greaterthan> %a, %z : f16\n"
        "%y = spyreop.select %p, %a, %z : f16\nlinalg.yield %y : f16",
        4,
        5,
    )
    got = whole(body, {"x": x}, x.shape, "f16")
    np.testing.assert_array_equal(got, np.where(x > 0, x, 0))


def test_integer_index_arithmetic_wraps_and_divides_down() -> None:
    body = """
    %big = arith.constant 9223372036854775807 : index
    %w = arith.addi %big, %c1 : index
    %m = arith.constant -7 : index
    %two = arith.constant 2 : index
    %q = arith.floordivsi %m, %two : index
    %s = arith.cmpi slt, %w, %c0 : index
    %t = arith.select %s, %q, %c0 : index
    %i = arith.index_cast %t : index to i32
    %r = tensor.splat %i : tensor<2xi32>"""
    np.testing.assert_array_equal(whole(body, {}, (2,), "i32"), [-4, -4])


def test_unknown_op_is_refused_with_its_line() -> None:
    text = kernel("%m = memref.alloc() : memref<4xf16>\n")
    with pytest.raises(SpyreError) as caught:
        compiled(text)
    assert caught.value.code == "SPY553"
    assert "memref.alloc" in str(caught.value)
    assert caught.value.location is not None
    assert caught.value.location.line == 5
