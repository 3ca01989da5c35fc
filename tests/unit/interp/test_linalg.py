"""Structured ops: generic with any maps, reductions, contractions, named ops."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from spyrelang.errors import SpyreError
from spyrelang.semantics import lookup

from .kit import bits, compiled, kernel, load, rng, run, store, tensor, tile, view, whole


def sample(shape: tuple[int, ...], dtype: object = np.float32, seed: int = 0) -> np.ndarray:
    return rng(seed).standard_normal(shape).astype(dtype)


def maps(*texts: str) -> str:
    return "[" + ", ".join(f"affine_map<{t}>" for t in texts) + "]"


def generic(
    indexing: str,
    kinds: str,
    inputs: list[tuple[str, str]],
    out: tuple[str, str],
    arguments: str,
    body: str,
    result: str = "%r",
) -> str:
    words = {"p": '"parallel"', "r": '"reduction"'}
    iterators = ", ".join(words[k] for k in kinds)
    values, types = ", ".join(v for v, _ in inputs), ", ".join(t for _, t in inputs)
    ins = f"ins({values} : {types}) " if inputs else ""
    return (
        f"{result} = linalg.generic {{indexing_maps = {indexing}, iterator_types = [{iterators}]}} "
        f"{ins}outs({out[0]} : {out[1]}) {{\n^bb0({arguments}):\n{body}\n}} -> {out[1]}\n"
    )


def filled(shape: tuple[int, ...], dtype: str, value: str = "0.0", name: str = "f") -> str:
    kind = tensor(shape, dtype)
    return (
        f"%{name}s = arith.constant {value} : {dtype}\n%{name}e = tensor.empty() : {kind}\n"
        f"%{name} = linalg.fill ins(%{name}s : {dtype}) outs(%{name}e : {kind}) -> {kind}\n"
    )


# --- parallel loops ------------------------------------------------------------------------------


def test_broadcasts_of_row_column_and_scalar() -> None:
    x, row, column = sample((4, 6)), sample((6,)), sample((4,))
    body = "%e = tensor.empty() : tensor<4x6xf32>\n%k = arith.constant 2.0 : f32\n"
    body += generic(
        maps("(d0, d1) -> (d0, d1)", "(d0, d1) -> (d1)", "(d0, d1) -> (d0)", "(d0, d1) -> ()",
             "(d0, d1) -> (d0, d1)"),
        "pp",
        [("%xx", "tensor<4x6xf32>"), ("%lx", "tensor<6xf32>"), ("%mx", "tensor<4xf32>"), ("%k", "f32")],  # noqa: E501
        ("%e", "tensor<4x6xf32>"),
        "%a: f32, %b: f32, %c: f32, %d: f32, %o_: f32",
        "%p = arith.addf %a, %b : f32\n%q = arith.mulf %p, %c : f32\n"
        "%s = arith.mulf %q, %d : f32\nlinalg.yield %s : f32",
    )  # fmt: skip
    got = whole(body, {"x": x, "l": row, "m": column}, (4, 6), "f32")
    np.testing.assert_array_equal(got, (x + row) * column[:, None] * np.float32(2))


def test_transposed_constant_and_diagonal_maps() -> None:
    x, y = sample((5, 5)), sample((1, 5), seed=1)
    body = "%e = tensor.empty() : tensor<5x5xf32>\n" + generic(
        maps("(d0, d1) -> (d1, d0)", "(d0, d1) -> (d0, d0)", "(d0, d1) -> (0, d1)",
             "(d0, d1) -> (d0, d1)"),
        "pp",
        [("%xx", "tensor<5x5xf32>"), ("%xx", "tensor<5x5xf32>"), ("%yx", "tensor<1x5xf32>")],
        ("%e", "tensor<5x5xf32>"),
        "%a: f32, %b: f32, %c: f32, %o_: f32",
        "%p = arith.addf %a, %b : f32\n%q = arith.addf %p, %c : f32\nlinalg.yield %q : f32",
    )  # fmt: skip
    got = whole(body, {"x": x, "y": y}, (5, 5), "f32")
    np.testing.assert_array_equal(got, x.T + np.diag(x)[:, None] + y)


def test_result_in_another_order_and_with_a_unit_axis() -> None:
    x = sample((3, 4))
    body = "%e = tensor.empty() : tensor<4x1x3xf32>\n" + generic(
        maps("(d0, d1) -> (d0, d1)", "(d0, d1) -> (d1, 0, d0)"),
        "pp",
        [("%xx", "tensor<3x4xf32>")],
        ("%e", "tensor<4x1x3xf32>"),
        "%a: f32, %o_: f32",
        "linalg.yield %a : f32",
    )
    np.testing.assert_array_equal(whole(body, {"x": x}, (4, 1, 3), "f32"), x.T[:, None, :])


def test_window_map_is_a_convolution() -> None:
    x, w = sample((9,)), sample((3,), seed=1)
    body = filled((7,), "f32") + generic(
        maps("(d0, d1) -> (d0 + d1)", "(d0, d1) -> (d1)", "(d0, d1) -> (d0)"),
        "pr",
        [("%xx", "tensor<9xf32>"), ("%wx", "tensor<3xf32>")],
        ("%f", "tensor<7xf32>"),
        "%a: f32, %b: f32, %o_: f32",
        "%p = arith.mulf %a, %b : f32\n%q = arith.addf %o_, %p : f32\nlinalg.yield %q : f32",
    )
    got = whole(body, {"x": x, "w": w}, (7,), "f32")
    np.testing.assert_allclose(got, np.convolve(x, w[::-1], "valid"), rtol=1e-5, atol=1e-6)


def test_index_and_captured_values() -> None:
    body = "%e = tensor.empty() : tensor<3x4xi32>\n%k = arith.constant 100 : i32\n" + generic(
        maps("(d0, d1) -> (d0, d1)"),
        "pp",
        [],
        ("%e", "tensor<3x4xi32>"),
        "%o_: i32",
        "%i = linalg.index 0 : index\n%j = linalg.index 1 : index\n%t = arith.muli %i, %c10 : index\n"  # noqa: E501
        "%s = arith.addi %t, %j : index\n%v = arith.index_cast %s : index to i32\n"
        "%w = arith.addi %v, %k : i32\nlinalg.yield %w : i32",
    )
    got = whole("%c10 = arith.constant 10 : index\n" + body, {}, (3, 4), "i32")
    np.testing.assert_array_equal(got, 100 + 10 * np.arange(3)[:, None] + np.arange(4))


def test_extract_in_a_body_gathers() -> None:
    table, rows = sample((6, 4)), np.array([5, 0, 3], np.int32)
    body = "%e = tensor.empty() : tensor<3x4xf32>\n" + generic(
        maps("(d0, d1) -> (d0)", "(d0, d1) -> (d0, d1)"),
        "pp",
        [("%nx", "tensor<3xi32>")],
        ("%e", "tensor<3x4xf32>"),
        "%a: i32, %o_: f32",
        "%i = arith.index_cast %a : i32 to index\n%j = linalg.index 1 : index\n"
        "%v = tensor.extract %hx[%i, %j] : tensor<6x4xf32>\nlinalg.yield %v : f32",
    )
    got = whole(body, {"h": table, "n": rows}, (3, 4), "f32")
    np.testing.assert_array_equal(got, table[rows])
    with pytest.raises(SpyreError) as caught:
        whole(body, {"h": table, "n": rows + 1}, (3, 4), "f32")
    assert caught.value.code == "SPY571"


@pytest.mark.parametrize("size", [0, 3, 7])
def test_only_the_side_that_is_taken_extracts(size: int) -> None:
    """The first elements of a shorter table, then -1: beyond its end nothing is read."""
    table = sample((size,))
    body = "%e = tensor.empty() : tensor<9xf32>\n%n = arith.constant LIMIT : index\n"
    body += "%low = arith.constant -1.0 : f32\n" + generic(
        maps("(i) -> (i)"), "p", [], ("%e", "tensor<9xf32>"), "%old: f32",
        "%i = linalg.index 0 : index\n%in = arith.cmpi ult, %i, %n : index\n"
        f"%v = scf.if %in -> (f32) {{\n%t = tensor.extract %xx[%i] : tensor<{size}xf32>\n"
        "scf.yield %t : f32\n} else {\nscf.yield %low : f32\n}\nlinalg.yield %v : f32",
    )  # fmt: skip
    got = whole(body.replace("LIMIT", str(size)), {"x": table}, (9,), "f32")
    np.testing.assert_array_equal(got, [*table, *[-1] * (9 - size)])
    with pytest.raises(SpyreError) as caught:
        whole(body.replace("LIMIT", str(size + 1)), {"x": table}, (9,), "f32")
    assert caught.value.code == "SPY571"


def test_destination_can_be_read_in_parallel_loops() -> None:
    x, y = sample((4,)), sample((4,), seed=1)
    body = generic(
        maps("(d0) -> (d0)", "(d0) -> (d0)"),
        "p",
        [("%xx", "tensor<4xf32>")],
        ("%yx", "tensor<4xf32>"),
        "%a: f32, %o_: f32",
        "%s = arith.addf %a, %o_ : f32\nlinalg.yield %s : f32",
    )
    np.testing.assert_array_equal(whole(body, {"x": x, "y": y}, (4,), "f32"), x + y)
    with pytest.raises(SpyreError) as caught:
        whole(
            "%e = tensor.empty() : tensor<4xf32>\n" + body.replace("%yx", "%e"),
            {"x": x},
            (4,),
            "f32",
        )
    assert caught.value.code == "SPY564"


def test_several_results() -> None:
    x = sample((3, 5))
    kind = "tensor<3x5xf32>"
    same = "(d0, d1) -> (d0, d1)"
    body = (
        f"%e = tensor.empty() : {kind}\n%s:2 = linalg.generic {{indexing_maps = "
        f'{maps(same, same, same)}, iterator_types = ["parallel", "parallel"]}} '
        f"ins(%xx : {kind}) outs(%e, %e : {kind}, {kind}) {{\n^bb0(%a: f32, %p: f32, %q: f32):\n"
        "%n = arith.negf %a : f32\n%d = arith.addf %a, %a : f32\nlinalg.yield %n, %d : f32, f32\n"
        f"}} -> ({kind}, {kind})\n%r = arith.mulf %s#0, %s#1 : {kind}"
    )
    np.testing.assert_array_equal(whole(body, {"x": x}, (3, 5), "f32"), -x * (x + x))


def test_map_copy_broadcast_and_transpose() -> None:
    x = sample((3, 5), np.float16)
    body = """
    %e = tensor.empty() : tensor<3x5xf16>
    %m = linalg.map { arith.addf } ins(%xx, %xx : tensor<3x5xf16>, tensor<3x5xf16>) outs(%e : tensor<3x5xf16>)
    %c = linalg.copy ins(%m : tensor<3x5xf16>) outs(%e : tensor<3x5xf16>) -> tensor<3x5xf16>
    %h = tensor.empty() : tensor<3x2x5xf16>
    %b = linalg.broadcast ins(%c : tensor<3x5xf16>) outs(%h : tensor<3x2x5xf16>) dimensions = [1]
    %g = tensor.empty() : tensor<5x3x2xf16>
    %r = linalg.transpose ins(%b : tensor<3x2x5xf16>) outs(%g : tensor<5x3x2xf16>) permutation = [2, 0, 1]
    """  # noqa: E501
    want = np.broadcast_to((x + x)[:, None, :], (3, 2, 5)).transpose(2, 0, 1)
    np.testing.assert_array_equal(whole(body, {"x": x}, (5, 3, 2), "f16"), want)


# --- reductions ----------------------------------------------------------------------------------


def reduced(combiner: str, source: tuple[int, ...], axes: list[int], dtype: str, start: str) -> str:
    kept = tuple(n for d, n in enumerate(source) if d not in axes)
    return filled(kept, dtype, start) + (
        f"%r = linalg.reduce ins(%xx : {tensor(source, dtype)}) outs(%f : {tensor(kept, dtype)}) "
        f"dimensions = {axes} (%a: {dtype}, %b: {dtype}) {{\n%s = {combiner} %a, %b : {dtype}\n"
        f"linalg.yield %s : {dtype}\n}}"
    )


@pytest.mark.parametrize("axes", [[0], [1], [2], [0, 2], [0, 1, 2]])
@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_sums(axes: list[int], dtype: str) -> None:
    x = sample((5, 7, 9), np.dtype(dtype.replace("f", "float")))
    kept = tuple(n for d, n in enumerate(x.shape) if d not in axes)
    got = whole(reduced("arith.addf", x.shape, axes, dtype, "1.0"), {"x": x}, kept, dtype)
    want = (x.astype(np.float32).sum(axis=tuple(axes)) + np.float32(1)).astype(x.dtype)
    np.testing.assert_array_equal(got, want)


def test_a_long_f16_sum_is_accumulated_wide() -> None:
    x = np.ones((2, 5000), np.float16)
    got = whole(reduced("arith.addf", (2, 5000), [1], "f16", "0.0"), {"x": x}, (2,), "f16")
    np.testing.assert_array_equal(got, [5000, 5000])


@pytest.mark.parametrize("combiner", ["maximumf", "minimumf", "maxnumf", "minnumf", "mulf"])
@pytest.mark.parametrize("n", [1, 2, 7, 64, 65])
def test_float_combiners(combiner: str, n: int) -> None:
    x = sample((3, n), np.float16)
    start = {"maximumf": "0xFC00", "maxnumf": "0xFC00", "mulf": "1.0"}.get(combiner, "0x7C00")
    got = whole(reduced(f"arith.{combiner}", (3, n), [1], "f16", start), {"x": x}, (3,), "f16")
    wide = x.astype(np.float32)
    want = {"ma": wide.max, "mi": wide.min, "mu": wide.prod}[combiner[:2]](axis=1)
    np.testing.assert_array_equal(got, want.astype(np.float16))


@pytest.mark.parametrize("dtype", ["f16", "f32"])
def test_maximum_of_zeros_and_nan(dtype: str) -> None:
    kind = np.float16 if dtype == "f16" else np.float32
    x = np.array([[-0.0, -0.0, 0.0], [-0.0, -0.0, -0.0], [1.0, np.nan, 2.0]], kind)
    lowest = "0xFC00" if dtype == "f16" else "0xFF800000"
    got = whole(reduced("arith.maximumf", (3, 3), [1], dtype, lowest), {"x": x}, (3,), dtype)
    assert np.signbit(got).tolist()[:2] == [False, True]
    assert np.isnan(got[2])


@pytest.mark.parametrize("combiner", ["addi", "muli", "maxsi", "minui", "andi", "ori", "xori"])
def test_integer_combiners(combiner: str) -> None:
    x = rng().integers(-(2**31), 2**31, (4, 13)).astype(np.int32)
    got = whole(reduced(f"arith.{combiner}", (4, 13), [1], "i32", "5"), {"x": x}, (4,), "i32")
    step = lookup(f"arith.{combiner}").bind({}, ["i32", "i32"], ["i32"])
    want = np.full(4, 5, np.int32)
    for k in range(13):
        want = step(want, x[:, k])
    np.testing.assert_array_equal(got, want)


def test_map_and_reduce_in_one_body() -> None:
    x, m = sample((6, 50)), sample((6,), seed=1)
    body = filled((6,), "f32") + generic(
        maps("(d0, d1) -> (d0, d1)", "(d0, d1) -> (d0)", "(d0, d1) -> (d0)"),
        "pr",
        [("%xx", "tensor<6x50xf32>"), ("%mx", "tensor<6xf32>")],
        ("%f", "tensor<6xf32>"),
        "%a: f32, %b: f32, %o_: f32",
        "%d = arith.subf %a, %b : f32\n%q = arith.mulf %d, %d : f32\n"
        "%s = arith.addf %o_, %q : f32\nlinalg.yield %s : f32",
    )
    got = whole(body, {"x": x, "m": m}, (6,), "f32")
    np.testing.assert_array_equal(got, ((x - m[:, None]) ** 2).sum(axis=1))


def test_ops_without_a_use_may_read_accumulators() -> None:
    x = sample((6, 50))
    body = filled((6,), "f32") + generic(
        maps("(d0, d1) -> (d0, d1)", "(d0, d1) -> (d0)"),
        "pr",
        [("%xx", "tensor<6x50xf32>")],
        ("%f", "tensor<6xf32>"),
        "%a: f32, %o_: f32",
        "%d = arith.mulf %o_, %a : f32\n%s = arith.maximumf %a, %o_ : f32\n"
        "linalg.yield YIELDED : f32",
    )
    greatest = whole(body.replace("YIELDED", "%s"), {"x": x}, (6,), "f32")
    np.testing.assert_array_equal(greatest, np.maximum(x.max(axis=1), 0))
    last = whole(body.replace("YIELDED", "%a"), {"x": x}, (6,), "f32")
    np.testing.assert_array_equal(last, x[:, -1])


SQUARES_AND_SUM = """
%f = arith.constant dense<0.0> : tensor<3xf32>
%e = tensor.empty() : tensor<5x3xf32>
%r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>,
  affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
  ins(%xx : tensor<3x5xf32>) outs(%e, %f : tensor<5x3xf32>, tensor<3xf32>) {
^bb0(%a: f32, %p: f32, %q: f32):
  %y = arith.mulf %a, %a : f32
  %s = arith.addf %q, %y : f32
  linalg.yield YIELDED, %s : f32, f32
} -> (tensor<5x3xf32>, tensor<3xf32>)
"""


@pytest.mark.parametrize("result", [0, 1])
def test_a_result_that_keeps_the_loops_over_which_another_reduces(result: int) -> None:
    x = np.round(sample((3, 5)) * 4)
    want = [(x * x).T, (x * x).sum(axis=1)][result]
    text = SQUARES_AND_SUM.replace("YIELDED", "%y")
    found = whole(text, {"x": x}, want.shape, "f32", f"%r#{result}")
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("yielded", ["%s", "%p"])
def test_such_a_result_must_not_depend_on_destinations(yielded: str) -> None:
    text = SQUARES_AND_SUM.replace("YIELDED", yielded)
    with pytest.raises(SpyreError) as caught:
        whole(text, {"x": sample((3, 5))}, (3,), "f32", "%r#1")
    assert caught.value.code == "SPY570"


def test_argmax_takes_one_trip_after_the_other() -> None:
    x = rng().integers(0, 9, (4, 11)).astype(np.float32)
    body = filled((4,), "f32", "0xFF800000") + filled((4,), "i32", "-1", "g")
    row, out = "(d0, d1) -> (d0, d1)", "(d0, d1) -> (d0)"
    body += (
        f"%s:2 = linalg.generic {{indexing_maps = {maps(row, out, out)}, iterator_types = "
        '["parallel", "reduction"]} ins(%xx : tensor<4x11xf32>) '
        "outs(%f, %g : tensor<4xf32>, tensor<4xi32>) {\n^bb0(%a: f32, %m: f32, %i: i32):\n"
        "%j = linalg.index 1 : index\n%k = arith.index_cast %j : index to i32\n"
        "%p = arith.cmpf ogt, %a, %m : f32\n%v = arith.select %p, %a, %m : f32\n"
        "%w = arith.select %p, %k, %i : i32\nlinalg.yield %v, %w : f32, i32\n"
        "} -> (tensor<4xf32>, tensor<4xi32>)\n"
    )
    np.testing.assert_array_equal(whole(body, {"x": x}, (4,), "i32", "%s#1"), np.argmax(x, axis=1))
    np.testing.assert_array_equal(whole(body, {"x": x}, (4,), "f32", "%s#0"), x.max(axis=1))


def test_reduction_of_no_elements_is_its_initial_value() -> None:
    text = reduced("arith.addf", (3, 0), [1], "f32", "2.5")
    got = whole(text, {"x": np.zeros((3, 0), np.float32)}, (3,), "f32")
    np.testing.assert_array_equal(got, np.full(3, 2.5, np.float32))


def accumulate_into_empty() -> str:
    body = view("x", (3, 8)) + view("o", (3,)) + tile("x", (3, 8), (3, 8)) + tile("o", (3,), (3,))
    body += load("x", (3, 8)) + "%e = tensor.empty() : tensor<3xf16>\n"
    body += generic(
        maps("(d0, d1) -> (d0, d1)", "(d0, d1) -> (d0)"),
        "pr",
        [("%xx", "tensor<3x8xf16>")],
        ("%e", "tensor<3xf16>"),
        "%a: f16, %o_: f16",
        "%s = arith.addf %a, %o_ : f16\nlinalg.yield %s : f16",
    )
    return kernel(body + store("%r", "o", (3,)))


def test_accumulating_into_empty_is_reported() -> None:
    x, o = sample((3, 8), np.float16), np.zeros(3, np.float16)
    found = run(accumulate_into_empty(), {"x": x, "o": o})
    assert [w.code for w in found.warnings] == ["SPY569"]
    np.testing.assert_array_equal(o, x.astype(np.float32).sum(axis=1).astype(np.float16))


def test_mean_and_mean_of_squares() -> None:
    x = sample((4, 10), np.float16)
    row, out = "(d0, d1) -> (d0, d1)", "(d0, d1) -> (d0)"
    head = (
        "%e = tensor.empty() : tensor<4xf16>\n"
        f"%s:2 = linalg.generic {{indexing_maps = {maps(row, out, out)}, iterator_types = "
        '["parallel", "reduction"]} ins(%xx : tensor<4x10xf16>) '
        "outs(%e, %e : tensor<4xf16>, tensor<4xf16>) {\n^bb0(%a: f16, %p: f16, %q: f16):\n"
        "%m, %n = spyreop.exx2 %a : f16\nlinalg.yield %m, %n : f16, f16\n"
        "} -> (tensor<4xf16>, tensor<4xf16>)\n"
    )
    wide = x.astype(np.float64)
    got = whole(head, {"x": x}, (4,), "f16", "%s#0")
    np.testing.assert_array_equal(got, wide.mean(axis=1).astype(np.float16))
    got = whole(head, {"x": x}, (4,), "f16", "%s#1")
    np.testing.assert_array_equal(got, (wide * wide).mean(axis=1).astype(np.float16))


def test_result_map_without_a_parallel_loop_is_refused() -> None:
    body = "%e = tensor.empty() : tensor<3xf32>\n" + generic(
        maps("(d0, d1) -> (d0, d1)", "(d0, d1) -> (d0)"),
        "pp",
        [("%e2", "tensor<3x4xf32>")],
        ("%e", "tensor<3xf32>"),
        "%a: f32, %o_: f32",
        "linalg.yield %a : f32",
    )
    with pytest.raises(SpyreError) as caught:
        compiled(kernel("%e2 = tensor.empty() : tensor<3x4xf32>\n" + body))
    assert caught.value.code == "SPY570"


# --- contractions --------------------------------------------------------------------------------


def test_matmul_accumulates_in_f32() -> None:
    a, b = sample((5, 300), np.float16), sample((300, 7), np.float16, 1)
    body = filled((5, 7), "f32", "1.0") + (
        "%r = linalg.matmul ins(%ax, %bx : tensor<5x300xf16>, tensor<300x7xf16>) "
        "outs(%f : tensor<5x7xf32>) -> tensor<5x7xf32>"
    )
    got = whole(body, {"a": a, "b": b}, (5, 7), "f32")
    np.testing.assert_allclose(
        got, a.astype(np.float64) @ b.astype(np.float64) + 1, rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_narrow_matmul_rounds_once(dtype: str) -> None:
    kind = np.float16 if dtype == "f16" else ml_dtypes.bfloat16
    a, b = np.ones((2, 3000), kind), np.ones((3000, 2), kind)
    body = filled((2, 2), dtype) + (
        f"%r = linalg.matmul ins(%ax, %bx : tensor<2x3000x{dtype}>, tensor<3000x2x{dtype}>) "
        f"outs(%f : tensor<2x2x{dtype}>) -> tensor<2x2x{dtype}>"
    )
    got = whole(body, {"a": a, "b": b}, (2, 2), dtype)
    np.testing.assert_array_equal(bits(got), bits(np.full((2, 2), 3000, np.float32).astype(kind)))


@pytest.mark.parametrize("k", [0, 1, 5])
def test_batch_matmul(k: int) -> None:
    a, b = sample((3, 4, k)), sample((3, k, 2), seed=1)
    body = filled((3, 4, 2), "f32") + (
        f"%r = linalg.batch_matmul ins(%ax, %bx : tensor<3x4x{k}xf32>, tensor<3x{k}x2xf32>) "
        "outs(%f : tensor<3x4x2xf32>) -> tensor<3x4x2xf32>"
    )
    np.testing.assert_allclose(
        whole(body, {"a": a, "b": b}, (3, 4, 2), "f32"), a @ b, rtol=1e-5, atol=1e-6
    )


def test_generic_contraction_with_transposed_operand() -> None:
    a, b = sample((2, 5, 6)), sample((4, 6), seed=1)
    body = filled((4, 2, 5), "f32") + generic(
        maps("(d0, d1, d2, d3) -> (d0, d1, d3)", "(d0, d1, d2, d3) -> (d2, d3)",
             "(d0, d1, d2, d3) -> (d2, d0, d1)"),
        "pppr",
        [("%ax", "tensor<2x5x6xf32>"), ("%bx", "tensor<4x6xf32>")],
        ("%f", "tensor<4x2x5xf32>"),
        "%u: f32, %w: f32, %o_: f32",
        "%p = arith.mulf %u, %w : f32\n%q = arith.addf %o_, %p : f32\nlinalg.yield %q : f32",
    )  # fmt: skip
    got = whole(body, {"a": a, "b": b}, (4, 2, 5), "f32")
    np.testing.assert_allclose(got, np.einsum("abk,ck->cab", a, b), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("form", ["matrix", "row"])
def test_sums_of_products_by_fma_are_those_of_mul_and_add(form: str) -> None:
    a, b = sample((4, 300)), sample((300, 5), seed=1)
    row, column = "(i, j, k) -> (i, k)", "(i, j, k) -> (k, j)"
    where = (row, column if form == "matrix" else row, "(i, j, k) -> (i, j)")
    found = []
    for text in (
        "%q = math.fma %u, %w, %o_ : f32",
        "%p = arith.mulf %u, %w : f32\n%q = arith.addf %o_, %p : f32",
    ):
        right = ("%bx", "tensor<300x5xf32>") if form == "matrix" else ("%ax", "tensor<4x300xf32>")
        body = filled((4, 5), "f32", "0.5") + generic(
            maps(*where), "ppr", [("%ax", "tensor<4x300xf32>"), right], ("%f", "tensor<4x5xf32>"),
            "%u: f32, %w: f32, %o_: f32", f"{text}\nlinalg.yield %q : f32",
        )  # fmt: skip
        found.append(whole(body, {"a": a, "b": b}, (4, 5), "f32"))
    np.testing.assert_array_equal(found[0], found[1])
    want = a.astype(float) @ b if form == "matrix" else (a.astype(float) ** 2).sum(1)[:, None]
    np.testing.assert_allclose(found[0], want + np.full((4, 5), 0.5), rtol=1e-5, atol=1e-5)


def test_fma_of_narrow_floats_keeps_its_exact_product() -> None:
    """1 + 2^-10 squared is 1 + 2^-9 + 2^-20: the last part decides the sum with -(1 + 2^-9)."""
    x = np.full((1, 1), 1 + 2.0**-10, np.float16)
    body = filled((1,), "f16", f"{-(1 + 2.0**-9):.12e}") + generic(
        maps("(i, k) -> (i, k)", "(i, k) -> (i)"), "pr", [("%xx", "tensor<1x1xf16>")],
        ("%f", "tensor<1xf16>"), "%u: f16, %o_: f16",
        "%q = math.fma %u, %u, %o_ : f16\nlinalg.yield %q : f16",
    )  # fmt: skip
    assert whole(body, {"x": x}, (1,), "f16")[0] == np.float16(2.0**-20)


def test_integer_matmul_wraps() -> None:
    a = rng().integers(-(2**31), 2**31, (3, 4)).astype(np.int32)
    body = filled((3, 3), "i32", "0") + (
        "%e = tensor.empty() : tensor<4x3xi32>\n"
        "%t = linalg.transpose ins(%ax : tensor<3x4xi32>) outs(%e : tensor<4x3xi32>) permutation = [1, 0]\n"  # noqa: E501
        "%r = linalg.matmul ins(%ax, %t : tensor<3x4xi32>, tensor<4x3xi32>) "
        "outs(%f : tensor<3x3xi32>) -> tensor<3x3xi32>"
    )
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(whole(body, {"a": a}, (3, 3), "i32"), a @ a.T)


def test_matmul_into_empty_starts_from_zero() -> None:
    body = "%e = tensor.empty() : tensor<2x2xf32>\n" + (
        "%r = linalg.matmul ins(%ax, %ax : tensor<2x2xf32>, tensor<2x2xf32>) "
        "outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>"
    )
    a = sample((2, 2))
    text = view("a", (2, 2), "f32") + tile("a", (2, 2), (2, 2), dtype="f32")
    text += load("a", (2, 2), "f32") + view("o", (2, 2), "f32") + body + "\n"
    text += tile("o", (2, 2), (2, 2), dtype="f32") + store("%r", "o", (2, 2), "f32")
    o = np.zeros((2, 2), np.float32)
    found = run(kernel(text, "ao"), {"a": a, "o": o})
    np.testing.assert_allclose(o, a @ a, rtol=1e-6)
    assert [w.code for w in found.warnings] == ["SPY569"]


@pytest.mark.parametrize("grid", [1, 4])
def test_tiled_matmul_with_carried_accumulator(grid: int) -> None:
    a, b = sample((6, 12), np.float16), sample((12, 8), np.float16, 1)
    width = 8 // grid
    kind = f"tensor<6x{width}xf32>"
    body = "%id = ktdp.get_compute_tile_id : index\n" + f"%w = arith.constant {width} : index\n"
    body += "%j = arith.muli %id, %w : index\n%k = arith.constant 12 : index\n"
    body += "%s = arith.constant 4 : index\n" + filled((6, width), "f32")
    body += view("a", (6, 12)) + view("b", (12, 8)) + view("o", (6, 8), "f32")
    body += f"%r = scf.for %i = %c0 to %k step %s iter_args(%acc = %f) -> ({kind}) {{\n"
    body += tile("a", (6, 12), (6, 4), "0, %i") + tile("b", (12, 8), (4, width), "%i, %j")
    body += load("a", (6, 4)) + load("b", (4, width))
    body += (
        f"%p = linalg.matmul ins(%ax, %bx : tensor<6x4xf16>, tensor<4x{width}xf16>) "
        f"outs(%acc : {kind}) -> {kind}\nscf.yield %p : {kind}\n}}\n"
    )
    body += tile("o", (6, 8), (6, width), "0, %j", "f32") + store("%r", "o", (6, width), "f32")
    o = np.zeros((6, 8), np.float32)
    run(kernel(body, "abo", [grid]), {"a": a, "b": b, "o": o})
    np.testing.assert_allclose(o, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-5, atol=1e-5)
