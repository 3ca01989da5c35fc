"""DLFloat16: tensors of it, and kernels written in f16 that are computed in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from spyrelang import interp, ir
from spyrelang.errors import SpyreError
from spyrelang.semantics import df16

from .kit import compiled, kernel, load, rng, run, store, tensor, tile, view

D = "!spyreop.df16"


def in_df16(text: str, arrays: Mapping[str, Any], **more: Any) -> interp.InterpOutcome:
    module = ir.parse(text, "k.mlir", guard=False, names=True)
    return interp.compile(module, numerics="df16").run(arrays, **more)


def whole(name: str, shape: tuple[int, ...], dtype: str = "f16") -> str:
    return view(name, shape, dtype) + tile(name, shape, shape, dtype=dtype)


def loaded(name: str, shape: tuple[int, ...], dtype: str = "f16") -> str:
    return whole(name, shape, dtype) + load(name, shape, dtype)


def both(text: str, arrays: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The output `o` of a kernel in IEEE f16 and in DLFloat16."""
    ieee, rounded = ({k: v.copy() for k, v in arrays.items()} for _ in range(2))
    run(text, ieee)
    in_df16(text, rounded)
    return ieee["o"], rounded["o"]


def as_df16(values: Any) -> np.ndarray:
    """Rounded to DLFloat16, as f32."""
    return df16.round_df16(np.asarray(values, np.float32))


def numbers(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    return rng(seed).standard_normal(shape).astype(np.float16)


# --- tensors of df16 -----------------------------------------------------------------------------


def generic(body: str, shape: tuple[int, ...], source: str, target: str) -> str:
    """`%y`: an element-wise generic from `%xx`; its body makes `%d` from `%a`."""
    dims = ", ".join(f"d{i}" for i in range(len(shape)))
    same = f"affine_map<({dims}) -> ({dims})>"
    kinds = ", ".join(['"parallel"'] * len(shape))
    return (
        f"%e = tensor.empty() : {tensor(shape, target)}\n"
        f"%y = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = [{kinds}]}} "
        f"ins(%xx : {tensor(shape, source)}) outs(%e : {tensor(shape, target)}) {{\n"
        f"^bb0(%a: {source}, %b: {target}):\n{body}\nlinalg.yield %d : {target}\n"
        f"}} -> {tensor(shape, target)}\n"
    )


def test_arrays_of_df16_are_codes() -> None:
    shape = (3, 65)
    ops = f"%c = spyreop.sigmoid %a : {D}\n%d = spyreop.realdiv %a, %c : {D}"
    text = kernel(
        loaded("x", shape, D)
        + whole("o", shape, D)
        + generic(ops, shape, D, D)
        + store("%y", "o", shape, D)
    )
    x = df16.encode(rng().standard_normal(shape) * 1e6)  # far beyond f16
    o = np.zeros(shape, np.uint16)
    run(text, {"x": x, "o": o})
    wide = df16.decode(x).astype(np.float64)
    with np.errstate(over="ignore"):
        sigmoid = df16.decode(df16.encode(1 / (1 + np.exp(-wide)))).astype(np.float64)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(o, df16.encode(wide / sigmoid))


@pytest.mark.parametrize("wide", ["f16", "f32"])
def test_casts_on_tensors_and_in_bodies(wide: str) -> None:
    kind = {"f16": np.float16, "f32": np.float32}[wide]
    shape = (5, 7)
    types = f"{tensor(shape, wide)} to {tensor(shape, D)}"
    down = f"%y = builtin.unrealized_conversion_cast %xx : {types}\n"
    text = kernel(
        loaded("x", shape, wide) + whole("o", shape, D) + down + store("%y", "o", shape, D)
    )
    x = (rng(2).standard_normal(shape) * 100).astype(kind)
    codes = np.zeros(shape, np.uint16)
    run(text, {"x": x, "o": codes})
    np.testing.assert_array_equal(codes, df16.encode(x.astype(np.float64)))

    up = f"%d = builtin.unrealized_conversion_cast %a : {D} to {wide}"
    text = kernel(
        loaded("x", shape, D)
        + whole("o", shape, wide)
        + generic(up, shape, D, wide)
        + store("%y", "o", shape, wide)
    )
    back = np.zeros(shape, kind)
    run(text, {"x": codes, "o": back})
    np.testing.assert_array_equal(back, df16.decode(codes).astype(kind))


def test_other_conversions_are_no_casts() -> None:
    body = (
        "%v = arith.constant 1.0 : f32\n%w = builtin.unrealized_conversion_cast %v : f32 to f16\n"
    )
    with pytest.raises(SpyreError) as caught:
        compiled(kernel(body))
    assert caught.value.code == "SPY582"
    assert caught.value.location is not None
    assert caught.value.location.line == 6


def test_floats_do_not_pass_for_codes() -> None:
    program = compiled(kernel(loaded("x", (4,), D), ["x"]))
    for dtype in (np.float16, np.float32, np.int16):
        with pytest.raises(SpyreError) as caught:
            program.run({"x": np.zeros(4, dtype)})
        assert caught.value.code == "SPY705"
        assert "spyre.to_df16(x)" in str(caught.value)


# --- f16 computed as df16 ------------------------------------------------------------------------


@pytest.mark.parametrize("op", ["addf", "subf", "mulf", "divf", "maximumf", "minimumf"])
def test_every_result_is_a_df16_number(op: str) -> None:
    shape = (3, 97)
    text = kernel(
        loaded("x", shape)
        + loaded("y", shape)
        + whole("o", shape)
        + f"%r = arith.{op} %xx, %yx : {tensor(shape, 'f16')}\n"
        + store("%r", "o", shape),
        ["x", "y", "o"],
    )
    x, y = numbers(shape, 1), numbers(shape, 2)
    ieee, rounded = both(text, {"x": x, "y": y, "o": np.zeros(shape, np.float16)})
    ufunc = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide}
    ufunc |= {"maximumf": np.maximum, "minimumf": np.minimum}
    np.testing.assert_array_equal(rounded, as_df16(ufunc[op](as_df16(x), as_df16(y))))
    assert (rounded != ieee).any()
    scale = np.maximum(np.abs(ieee), np.abs(x) + np.abs(y) if op in ("addf", "subf") else 0)
    error = np.abs(rounded.astype(np.float32) - ieee)
    # two operands and one result lose half a bit each
    assert (error <= 3 * 2.0**-10 * 1.01 * scale.astype(np.float32)).all()


def test_one_rounding_differs_by_at_most_the_lost_bit() -> None:
    shape = (1000,)
    text = kernel(
        loaded("x", shape)
        + whole("o", shape)
        + f"%r = math.exp %xx : {tensor(shape, 'f16')}\n"
        + store("%r", "o", shape)
    )
    x = df16.to_f16(df16.from_f16(numbers(shape)))  # operands that both formats have
    ieee, rounded = both(text, {"x": x, "o": np.zeros(shape, np.float16)})
    assert (np.abs(rounded - ieee).astype(np.float32) <= 2.0**-9 * np.abs(ieee)).all()
    assert (rounded != ieee).any()
    assert not (rounded.view(np.uint16) & 1).any()  # normal numbers with nine fraction bits


def test_values_between_ops_have_the_range_of_df16() -> None:
    body = f"""%a = arith.mulf %xx, %xx : {tensor((4,), "f16")}
%r = arith.divf %a, %xx : {tensor((4,), "f16")}
"""
    text = kernel(loaded("x", (4,)) + whole("o", (4,)) + body + store("%r", "o", (4,)))
    x = np.array([60000.0, 1e-4, -60000.0, 2.0], np.float16)
    ieee, rounded = both(text, {"x": x, "o": np.zeros(4, np.float16)})
    assert np.isinf(ieee[[0, 2]]).all()
    assert ieee[1] == 0
    np.testing.assert_allclose(rounded, x, rtol=2.0**-8)


def test_infinities_of_arrays_become_nan() -> None:
    text = kernel(loaded("x", (4,)) + whole("o", (4,)) + store("%xx", "o", (4,)))
    x = np.array([1.0, np.inf, -np.inf, 65504], np.float16)
    o = np.zeros(4, np.float16)
    in_df16(text, {"x": x, "o": o})
    np.testing.assert_array_equal(o, [1.0, np.nan, np.nan, np.inf])  # 65504 rounds to 65536


@pytest.mark.parametrize("literal", ["dense<0xFC00>", "dense<[0xFC00, 0xFC00, 0xFC00, 0xFC00]>"])
def test_literal_infinities_are_the_largest_numbers(literal: str) -> None:
    body = f"""%c = arith.constant {literal} : tensor<4xf16>
%m = arith.maximumf %xx, %c : tensor<4xf16>
%i = arith.constant 0x7C00 : f16
%s = tensor.splat %i : tensor<4xf16>
%r = arith.minimumf %m, %s : tensor<4xf16>
"""
    text = kernel(loaded("x", (4,)) + whole("o", (4,)) + body + store("%r", "o", (4,)))
    x = np.array([1.0, -65472, 0.0, 30000], np.float16)
    _, rounded = both(text, {"x": x, "o": np.zeros(4, np.float16)})
    np.testing.assert_array_equal(rounded, df16.to_f16(df16.from_f16(x)))


def test_f16_subnormals_are_kept() -> None:
    text = kernel(loaded("x", (4,)) + whole("o", (4,)) + store("%xx", "o", (4,)))
    x = np.array([2.0**-24, -(2.0**-20), 2.0**-14, -0.0], np.float16)
    o = np.zeros(4, np.float16)
    in_df16(text, {"x": x, "o": o})
    np.testing.assert_array_equal(o.view(np.uint16), x.view(np.uint16))


def matmul(m: int, k: int, n: int) -> str:
    a, b, o = tensor((m, k), "f16"), tensor((k, n), "f16"), tensor((m, n), "f16")
    return (
        loaded("x", (m, k))
        + loaded("w", (k, n))
        + whole("o", (m, n))
        + "%z = arith.constant 0.1 : f16\n"
        + f"%e = tensor.empty() : {o}\n%f = linalg.fill ins(%z : f16) outs(%e : {o}) -> {o}\n"
        + f"%r = linalg.matmul ins(%xx, %wx : {a}, {b}) outs(%f : {o}) -> {o}\n"
        + store("%r", "o", (m, n))
    )


def test_matrix_products_accumulate_in_f32() -> None:
    x, w = numbers((5, 33), 3), numbers((33, 7), 4)
    text = kernel(matmul(5, 33, 7), ["x", "w", "o"])
    _, rounded = both(text, {"x": x, "w": w, "o": np.zeros((5, 7), np.float16)})
    want = as_df16(np.float16(0.1)) + as_df16(x) @ as_df16(w)
    np.testing.assert_allclose(rounded, as_df16(want), rtol=2.0**-9, atol=2.0**-9)
    np.testing.assert_array_equal(rounded.astype(np.float32), as_df16(rounded))


@pytest.mark.parametrize("op", ["addf", "maximumf", "mulf"])
def test_reductions(op: str) -> None:
    shape, start = (4, 19), {"addf": 0.0, "maximumf": -65504.0, "mulf": 1.0}[op]
    row = tensor(shape[:1], "f16")
    body = (
        f"%z = arith.constant dense<{start}> : {row}\n"
        f"%r = linalg.reduce {{ arith.{op} }} ins(%xx : {tensor(shape, 'f16')}) outs(%z : {row}) "
        "dimensions = [1]\n"
    )
    text = kernel(loaded("x", shape) + whole("o", shape[:1]) + body + store("%r", "o", shape[:1]))
    x = numbers(shape, 5)
    _, rounded = both(text, {"x": x, "o": np.zeros(4, np.float16)})
    reduce = {"addf": np.add, "maximumf": np.maximum, "mulf": np.multiply}[op].reduce
    want = reduce(as_df16(x), axis=1)
    np.testing.assert_array_equal(rounded, df16.to_f16(df16.encode(want)))


def test_softmax_and_generated_tensors() -> None:
    shape = (4, 19)
    kind = tensor(shape, "f16")
    body = f"""%e = tensor.empty() : {kind}
%s = linalg.softmax dimension(1) ins(%xx : {kind}) outs(%e : {kind}) -> {kind}
%third = arith.constant 0.3333 : f16
%g = tensor.generate {{
^bb0(%i: index, %j: index):
  tensor.yield %third : f16
}} : {kind}
%p = tensor.pad %xx low[0, 0] high[0, 0] {{
^bb0(%i: index, %j: index):
  tensor.yield %third : f16
}} : {kind} to {kind}
%zero = arith.subf %xx, %p : {kind}
%m = arith.mulf %s, %g : {kind}
%r = arith.addf %m, %zero : {kind}
"""
    text = kernel(loaded("x", shape) + whole("o", shape) + body + store("%r", "o", shape))
    x = numbers(shape, 7)
    _, found = both(text, {"x": x, "o": np.zeros(shape, np.float16)})
    e = np.exp(as_df16(x) - as_df16(x).max(1, keepdims=True))
    want = as_df16(as_df16(e / e.sum(1, keepdims=True)) * as_df16(np.float16(0.3333)))
    np.testing.assert_array_equal(found, want)


def test_comparisons_choices_and_casts() -> None:
    shape = (64,)
    kind = tensor(shape, "f16")
    body = f"""%n = arith.negf %xx : {kind}
%c = arith.cmpf ogt, %xx, %n : {kind}
%s = arith.select %c, %xx, %n : tensor<64xi1>, {kind}
%w = arith.extf %s : {kind} to tensor<64xf32>
%t = arith.constant dense<3.0> : tensor<64xf32>
%p = arith.divf %w, %t : tensor<64xf32>
%r = arith.truncf %p : tensor<64xf32> to {kind}
"""
    text = kernel(loaded("x", shape) + whole("o", shape) + body + store("%r", "o", shape))
    x = numbers(shape, 6)
    _, rounded = both(text, {"x": x, "o": np.zeros(64, np.float16)})
    np.testing.assert_array_equal(rounded, as_df16(np.abs(as_df16(x)) / np.float32(3)))


def test_written_arrays_are_converted_as_a_whole() -> None:
    kept = 1 + 2.0**-10  # has a bit that DLFloat16 has not
    text = kernel(
        view("x", (8,))
        + tile("x", (8,), (4,), at="2")
        + load("x", (4,))
        + "%r = arith.addf %xx, %xx : tensor<4xf16>\n"
        + store("%r", "x", (4,)),
        ["x"],
        roles={"x": "inout"},
    )
    x = np.full(8, kept, np.float16)
    outcome = in_df16(text, {"x": x})
    one = 1 + 2.0**-9
    np.testing.assert_array_equal(x, [one] * 2 + [2 * one] * 4 + [one] * 2)
    assert outcome.coverage[0].written.tolist() == [False] * 2 + [True] * 4 + [False] * 2


def test_arrays_that_are_only_read_stay_as_they_are() -> None:
    kept = np.full(4, 1 + 2.0**-10, np.float16)
    x, o = kept.copy(), np.zeros(4, np.float16)
    in_df16(
        kernel(loaded("x", (4,)) + whole("o", (4,)) + store("%xx", "o", (4,))), {"x": x, "o": o}
    )
    np.testing.assert_array_equal(x, kept)
    assert (o == 1 + 2.0**-9).all()

    body = view("a", (4,), base="%at") + tile("a", (4,), (4,)) + load("a", (4,)) + whole("o", (4,))
    text = kernel(f"%at = arith.constant 64 : index\n{body}{store('%ax', 'o', (4,))}", ["o"])
    in_df16(text, {"o": o}, memory={64: x})
    np.testing.assert_array_equal(x, kept)


def test_strided_shared_and_constant_memory() -> None:
    text = kernel(
        loaded("x", (4, 6))
        + whole("o", (4, 6))
        + "%r = arith.addf %xx, %xx : tensor<4x6xf16>\n"
        + store("%r", "o", (4, 6))
    )
    x = numbers((6, 4)).T
    want = 2 * as_df16(x)
    o = np.zeros((4, 12), np.float16)[:, ::2]
    in_df16(text, {"x": x, "o": o})
    np.testing.assert_array_equal(o, want)
    in_df16(text, {"x": x, "o": x})
    np.testing.assert_array_equal(x, want)

    body = view("a", (4,), base="%at") + tile("a", (4,), (4,)) + load("a", (4,)) + whole("o", (4,))
    text = kernel(f"%at = arith.constant 64 : index\n{body}{store('%ax', 'o', (4,))}", ["o"])
    o = np.zeros(4, np.float16)
    given = np.array([1 + 2.0**-10, 2, 3, 4], np.float16)
    in_df16(text, {"o": o}, memory={64: given})
    np.testing.assert_array_equal(o, [1 + 2.0**-9, 2, 3, 4])


def test_scalar_arguments_and_scratchpads() -> None:
    head = (
        "module {\nfunc.func @k(%o: index, %a: f16) attributes {grid = [2]} {\n"
        "%c0 = arith.constant 0 : index\n"
    )
    body = (
        "%s = tensor.splat %a : tensor<4xf16>\n"
        + view("p", (4,), base="%c0", space="ct_local")
        + tile("p", (4,), (4,))
        + store("%s", "p", (4,))
        + load("p", (4,))
        + "%id = ktdp.get_compute_tile_id : index\n"
        + view("o", (2, 4))
        + tile("o", (2, 4), (1, 4), at="%id, 0")
        + "%r = tensor.expand_shape %px [[0, 1]] output_shape [1, 4] "
        + ": tensor<4xf16> into tensor<1x4xf16>\n"
        + store("%r", "o", (1, 4))
    )
    o = np.zeros((2, 4), np.float16)
    in_df16(f"{head}{body}return\n}}\n}}\n", {"o": o, "a": 1 / 3})
    np.testing.assert_array_equal(o, np.full((2, 4), as_df16(np.float16(1 / 3))))


def test_wide_types_are_untouched() -> None:
    text = kernel(
        loaded("x", (9,), "f32")
        + whole("o", (9,), "f32")
        + "%r = math.exp %xx : tensor<9xf32>\n"
        + store("%r", "o", (9,), "f32")
    )
    x = rng().standard_normal(9).astype(np.float32)
    ieee, rounded = both(text, {"x": x, "o": np.zeros(9, np.float32)})
    np.testing.assert_array_equal(ieee, rounded)


def test_f16_kernels_still_want_f16_arrays() -> None:
    text = kernel(loaded("x", (4,)), ["x"])
    with pytest.raises(SpyreError) as caught:
        in_df16(text, {"x": np.zeros(4, np.uint16)})
    assert caught.value.code == "SPY705"
