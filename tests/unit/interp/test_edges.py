"""Inputs at the edges: odd types, sizes and addresses give values or errors of the catalogue."""

from __future__ import annotations

import numpy as np
import pytest

from spyrelang.errors import SpyreError

from .kit import compiled, kernel, load, rng, run, store, tile, view, whole

SHAPE = (4, 6)
COPY = (
    "".join(view(n, SHAPE, "f32") + tile(n, SHAPE, SHAPE, dtype="f32") for n in "xo")
    + load("x", SHAPE, "f32")
    + store("%xx", "o", SHAPE, "f32")
)


def sample(shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    return rng().standard_normal(shape).astype(np.float32)


def code_of(text: str, arrays: dict[str, object] | None = None, **more: object) -> str:
    with pytest.raises(SpyreError) as caught:
        run(text, arrays, **more)
    return caught.value.code


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("%m = arith.constant -3 : index\n%e = tensor.empty(%m) : tensor<?xf32>\n", "SPY571"),
        (
            "%e = arith.constant dense<1.0> : tensor<6xf32>\n%m = arith.constant -3 : index\n"
            "%s = tensor.extract_slice %e[0] [%m] [1] : tensor<6xf32> to tensor<?xf32>\n",
            "SPY571",
        ),
        (
            "%e = arith.constant dense<1.0> : tensor<6xf32>\n"
            "%s = tensor.extract_slice %e[0] [%c1] [%c0] : tensor<6xf32> to tensor<?xf32>\n",
            "SPY571",
        ),
        ("%a = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%c1)[%c0]\n", "SPY111"),
        (
            "%e = arith.constant dense<1.0> : tensor<3xf32>\n"
            "%f = arith.constant dense<1.0> : tensor<5xf32>\n"
            "%r = linalg.conv_1d ins(%f, %e : tensor<5xf32>, tensor<3xf32>) "
            "outs(%e : tensor<3xf32>) -> tensor<3xf32>\n",
            "SPY553",
        ),
    ],
)
def test_refused_when_compiled_or_run(body: str, code: str) -> None:
    assert code_of(kernel(body, [])) == code


@pytest.mark.parametrize("address", ["a", -1, 1.5, 1 << 60])
def test_addresses_that_are_none(address: object) -> None:
    x = sample()
    assert code_of(kernel(COPY), {"x": x, "o": x.copy()}, memory={address: x.copy()}) == "SPY726"


def test_arrays_at_overlapping_addresses() -> None:
    x = sample()
    memory = {0: x, 3: x.copy()}
    assert code_of(kernel(COPY), {"x": x.copy(), "o": x.copy()}, memory=memory) == "SPY507"


def test_an_address_that_is_never_used_takes_anything() -> None:
    x, o = sample(), np.zeros(SHAPE, np.float32)
    run(kernel(COPY, ["x", "o", "unused"]), {"x": x, "o": o, "unused": x.astype(np.float16)})
    np.testing.assert_array_equal(o, x)


def chosen(exchange: str = "") -> str:
    body = "%id = ktdp.get_compute_tile_id : index\n%p = arith.cmpi eq, %id, %c0 : index\n"
    body += "%b = arith.select %p, %x, %y : index\n" + view("b", SHAPE, "f32", "%b")
    body += tile("b", SHAPE, (1, 6), "%id, 0", "f32") + load("b", (1, 6), "f32") + exchange
    body += view("o", SHAPE, "f32") + tile("o", SHAPE, (1, 6), "%id, 0", "f32")
    return kernel(body + store("%bx", "o", (1, 6), "f32"), "xyo", [2])


def test_an_address_chosen_by_the_tile() -> None:
    x, y, o = sample(), -sample(), np.zeros(SHAPE, np.float32)
    run(chosen(), {"x": x, "y": y, "o": o})
    np.testing.assert_array_equal(o[:2], [x[0], y[1]])


def test_an_address_chosen_by_tiles_that_exchange_data() -> None:
    every = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + 1 >= 0)>"
    exchange = (
        f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {every} -> "
        "<(tensor<1x6xf32>), groups = #g> {\n^bb0(%gid: index):\n"
        "ktdp.yield_partial %bx : tensor<1x6xf32>\n}\n"
        f"%met = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = {every}, identity(%bx : "
        "tensor<1x6xf32>) : <(tensor<1x6xf32>), groups = #g> -> tensor<1x6xf32> {\n"
        "^bb0(%u1: tensor<1x6xf32>, %u2: tensor<1x6xf32>):\n"
        "ktdp.yield_reduced %u1 : tensor<1x6xf32>\n}\n"
    )
    text = "#g = affine_set<(d0) : (d0 == 0)>\n" + chosen(exchange)
    assert code_of(text, {"x": sample(), "y": sample(), "o": sample()}) == "SPY576"


@pytest.mark.parametrize(
    ("dtype", "values"),
    [("i8", [100, -100, 3]), ("i64", [1 << 62, -5, 3]), ("i16", [30000, -30000, 1])],
)
def test_integers_wrap(dtype: str, values: list[int]) -> None:
    x = np.array(values, dtype.replace("i", "int"))
    got = whole(f"%r = arith.addi %xx, %xx : tensor<3x{dtype}>", {"x": x}, (3,), dtype)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(got, x + x)


@pytest.mark.parametrize("n", [1, 3, 8, 9, 65])
@pytest.mark.parametrize("form", ["true", "false", "list"])
def test_booleans_in_memory(n: int, form: str) -> None:
    x = rng(n).random(n) < 0.5
    k = rng(1).random(n) < 0.5 if form == "list" else np.full(n, form == "true")
    words = ", ".join(str(bool(b)).lower() for b in k)
    literal = f"dense<[{words}]>" if form == "list" else f"dense<{form}>"
    kind = f"tensor<{n}xi1>"
    body = f"%k = arith.constant {literal} : {kind}\n%r = arith.xori %xx, %k : {kind}"
    np.testing.assert_array_equal(whole(body, {"x": x}, (n,), "i1"), x ^ k)


def test_dot_of_rank_zero() -> None:
    y = sample((6,))
    body = """
    %z = arith.constant dense<0.0> : tensor<f32>
    %q = linalg.dot ins(%yx, %yx : tensor<6xf32>, tensor<6xf32>) outs(%z : tensor<f32>) -> tensor<f32>
    %w = tensor.extract %q[] : tensor<f32>
    %r = tensor.splat %w : tensor<1xf32>"""  # noqa: E501
    np.testing.assert_allclose(whole(body, {"y": y}, (1,), "f32"), [y @ y], rtol=1e-6)


def test_rank_zero_index_tensors_in_branches() -> None:
    body = "%id = ktdp.get_compute_tile_id : index\n" + view("o", (3,), "i32")
    body += "%t = tensor.from_elements %id : tensor<index>\n%p = arith.cmpi eq, %id, %c1 : index\n"
    body += "scf.if %p {\n%w = arith.addi %t, %t : tensor<index>\n"
    body += "%q = tensor.extract %w[] : tensor<index>\n%i = arith.index_cast %q : index to i32\n"
    body += "%r = tensor.splat %i : tensor<1xi32>\n" + tile("o", (3,), (1,), "%id", "i32")
    body += store("%r", "o", (1,), "i32") + "}\n"
    o = np.zeros(3, np.int32)
    run(kernel(body, ["o"], [3]), {"o": o})
    np.testing.assert_array_equal(o, [0, 2, 0])


def test_a_poisoned_carried_value_may_be_filled_in_the_loop() -> None:
    y = sample((6,))
    body = """
    %e = tensor.empty() : tensor<6xf32>
    %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %e) -> (tensor<6xf32>) {
      %q = tensor.insert_slice %yx into %a[0] [6] [1] : tensor<6xf32> into tensor<6xf32>
      scf.yield %q : tensor<6xf32>
    }"""
    np.testing.assert_array_equal(whole(body, {"y": y}, (6,), "f32"), y)


@pytest.mark.parametrize(
    "text",
    [
        "func.func @k(%a: tensor<4xf32>) attributes {grid = [1]} { return }",
        "func.func private @k(%a: index) attributes {grid = [1]}",
    ],
)
def test_functions_that_are_no_kernels(text: str) -> None:
    with pytest.raises(SpyreError) as caught:
        compiled(text)
    assert caught.value.code in ("SPY557", "SPY825", "SPY826")
