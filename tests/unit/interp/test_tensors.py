"""Making, slicing and reshaping tensors, and elements that nothing wrote."""

from __future__ import annotations

import numpy as np
import pytest

from spyrelang.errors import SpyreError

from .kit import kernel, load, rng, run, store, tile, view, whole

IDS = "%id = ktdp.get_compute_tile_id : index\n"


def sample(shape: tuple[int, ...], dtype: type = np.float32) -> np.ndarray:
    return rng().standard_normal(shape).astype(dtype)


def test_extract_and_insert_slice() -> None:
    x = sample((6, 8))
    body = """
    %s = tensor.extract_slice %xx[1, 2] [2, 3] [2, 2] : tensor<6x8xf32> to tensor<2x3xf32>
    %r = tensor.insert_slice %s into %xx[0, 5] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<6x8xf32>
    """
    want = x.copy()
    want[0:2, 5:8] = x[1:5:2, 2:8:2]
    np.testing.assert_array_equal(whole(body, {"x": x}, (6, 8), "f32"), want)


def test_slices_that_drop_axes() -> None:
    x = sample((4, 1, 5))
    body = """
    %s = tensor.extract_slice %xx[2, 0, 0] [1, 1, 5] [1, 1, 1] : tensor<4x1x5xf32> to tensor<5xf32>
    %r = tensor.insert_slice %s into %xx[0, 0, 0] [1, 1, 5] [1, 1, 1] : tensor<5xf32> into tensor<4x1x5xf32>
    """  # noqa: E501
    want = x.copy()
    want[0, 0] = x[2, 0]
    np.testing.assert_array_equal(whole(body, {"x": x}, (4, 1, 5), "f32"), want)


def test_slices_at_offsets_of_the_tile() -> None:
    x, o = sample((9,)), np.zeros((4, 9), np.float32)
    body = IDS + view("x", (9,), "f32") + tile("x", (9,), (9,), dtype="f32")
    body += load("x", (9,), "f32") + view("o", (4, 9), "f32")
    body += tile("o", (4, 9), (1, 9), "%id, 0", "f32")
    body += "%s = tensor.extract_slice %xx[%id] [3] [2] : tensor<9xf32> to tensor<3xf32>\n"
    body += "%u = tensor.insert_slice %s into %xx[%id] [3] [1] : tensor<3xf32> into tensor<9xf32>\n"
    body += "%r = tensor.expand_shape %u [[0, 1]] output_shape [1, 9] : tensor<9xf32> into tensor<1x9xf32>\n"  # noqa: E501
    run(kernel(body + store("%r", "o", (1, 9), "f32"), grid=[4]), {"x": x, "o": o})
    want = np.tile(x, (4, 1))
    for k in range(4):
        want[k, k : k + 3] = x[k : k + 6 : 2]
    np.testing.assert_array_equal(o, want)


def test_slice_out_of_range_names_the_tile() -> None:
    x = sample((9,))
    body = (
        IDS + view("x", (9,), "f32") + tile("x", (9,), (9,), dtype="f32") + load("x", (9,), "f32")
    )
    body += "%s = tensor.extract_slice %xx[%id] [8] [1] : tensor<9xf32> to tensor<8xf32>\n"
    with pytest.raises(SpyreError) as caught:
        run(kernel(body, ["x"], [4]), {"x": x})
    assert caught.value.code == "SPY571"
    assert "compute tile 2" in caught.value.message


def test_expand_collapse_and_reshape() -> None:
    x = sample((6, 4))
    body = """
    %e = tensor.expand_shape %xx [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
    %c = tensor.collapse_shape %e [[0], [1, 2]] : tensor<2x3x4xf32> into tensor<2x12xf32>
    %n = arith.constant dense<[4, 6]> : tensor<2xindex>
    %r = tensor.reshape %c(%n) : (tensor<2x12xf32>, tensor<2xindex>) -> tensor<4x6xf32>
    """  # noqa: E501
    np.testing.assert_array_equal(whole(body, {"x": x}, (4, 6), "f32"), x.reshape(4, 6))


def test_one_element_collapses_to_a_scalar() -> None:
    body = """
    %s = tensor.collapse_shape %xx [] : tensor<1x1xf32> into tensor<f32>
    %r = tensor.expand_shape %s [] output_shape [1] : tensor<f32> into tensor<1xf32>
    """
    x = np.array([[2.5]], np.float32)
    assert whole(body, {"x": x}, (1,), "f32").tolist() == [2.5]


@pytest.mark.parametrize("axis", [0, 1])
def test_concat(axis: int) -> None:
    x = sample((3, 4))
    shape = (6, 4) if axis == 0 else (3, 8)
    kind = f"tensor<{shape[0]}x{shape[1]}xf32>"
    body = "%n = arith.negf %xx : tensor<3x4xf32>\n"
    body += f"%r = tensor.concat dim({axis}) %xx, %n : (tensor<3x4xf32>, tensor<3x4xf32>) -> {kind}"
    got = whole(body, {"x": x}, shape, "f32")
    np.testing.assert_array_equal(got, np.concatenate([x, -x], axis=axis))


def test_generate_pad_and_dim() -> None:
    x = sample((2, 3))
    body = """
    %p = tensor.pad %xx low[1, 0] high[0, 2] {
    ^bb0(%i: index, %j: index):
      %v = arith.constant 7.0 : f32
      tensor.yield %v : f32
    } : tensor<2x3xf32> to tensor<3x5xf32>
    %d = tensor.dim %p, %c1 : tensor<3x5xf32>
    %g = tensor.generate {
    ^bb0(%i: index, %j: index):
      %s = arith.muli %i, %d : index
      %t = arith.addi %s, %j : index
      %w = arith.index_cast %t : index to i32
      %f = arith.sitofp %w : i32 to f32
      tensor.yield %f : f32
    } : tensor<3x5xf32>
    %r = arith.addf %p, %g : tensor<3x5xf32>
    """
    want = np.pad(x, ((1, 0), (0, 2)), constant_values=7) + np.arange(15).reshape(3, 5)
    np.testing.assert_array_equal(whole(body, {"x": x}, (3, 5), "f32"), want.astype(np.float32))


def test_extract_and_insert_elements() -> None:
    x = sample((2, 3))
    body = """
    %v = tensor.extract %xx[%c1, %c0] : tensor<2x3xf32>
    %r = tensor.insert %v into %xx[%c0, %c1] : tensor<2x3xf32>
    """
    want = x.copy()
    want[0, 1] = x[1, 0]
    np.testing.assert_array_equal(whole(body, {"x": x}, (2, 3), "f32"), want)


def test_elements_that_differ_between_tiles() -> None:
    body = IDS + view("o", (3, 3), "i32") + tile("o", (3, 3), (1, 3), "%id, 0", "i32")
    body += (
        "%z = arith.constant dense<0> : tensor<3xi32>\n%i = arith.index_cast %id : index to i32\n"
    )
    body += "%t = tensor.insert %i into %z[%id] : tensor<3xi32>\n"
    body += "%r = tensor.expand_shape %t [[0, 1]] output_shape [1, 3] : tensor<3xi32> into tensor<1x3xi32>\n"  # noqa: E501
    o = np.full((3, 3), 9, np.int32)
    run(kernel(body + store("%r", "o", (1, 3), "i32"), ["o"], [3]), {"o": o})
    np.testing.assert_array_equal(o, np.diag([0, 1, 2]))


def test_dynamic_sizes_that_disagree() -> None:
    body = "%two = arith.constant 2 : index\n%z = arith.constant 0.0 : f32\n"
    body += (
        "%a = tensor.splat %z[%two] : tensor<?xf32>\n%b = tensor.splat %z[%c1] : tensor<?xf32>\n"
    )
    body += "%s = arith.addf %a, %b : tensor<?xf32>\n"
    with pytest.raises(SpyreError) as caught:
        run(kernel(body, []))
    assert caught.value.code == "SPY577"


# --- undefined elements --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("use", "code"),
    [
        ("%r = arith.addf %e, %e : tensor<4xf32>", "SPY564"),
        ("%r = arith.negf %e : tensor<4xf32>", "SPY564"),
        ("%r = tensor.insert_slice %xx into %e[0] [4] [1] : tensor<4xf32> into tensor<4xf32>", None),  # noqa: E501
        ("%p = tensor.extract_slice %xx[0] [2] [1] : tensor<4xf32> to tensor<2xf32>\n"
         "%r = tensor.insert_slice %p into %e[1] [2] [1] : tensor<2xf32> into tensor<4xf32>", "SPY564"),  # noqa: E501
        ("%v = tensor.extract %e[%c0] : tensor<4xf32>\n%r = tensor.splat %v : tensor<4xf32>", "SPY564"),  # noqa: E501
        ("%v = tensor.extract %xx[%c0] : tensor<4xf32>\n%t = tensor.insert %v into %e[%c1] : tensor<4xf32>\n"  # noqa: E501
         "%w = tensor.extract %t[%c1] : tensor<4xf32>\n%r = tensor.splat %w : tensor<4xf32>", None),
        ("%r = tensor.cast %e : tensor<4xf32> to tensor<4xf32>", "SPY564"),
    ],
)  # fmt: skip
def test_reads_of_empty(use: str, code: str | None) -> None:
    body = "%e = tensor.empty() : tensor<4xf32>\n" + use
    if code is None:
        whole(body, {"x": sample((4,))}, (4,), "f32")
        return
    with pytest.raises(SpyreError) as caught:
        whole(body, {"x": sample((4,))}, (4,), "f32")
    assert caught.value.code == code
    assert caught.value.location is not None


def test_two_halves_make_a_whole() -> None:
    x = sample((4,))
    body = """
    %e = tensor.empty() : tensor<8xf32>
    %a = tensor.insert_slice %xx into %e[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
    %r = tensor.insert_slice %xx into %a[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
    """
    np.testing.assert_array_equal(whole(body, {"x": x}, (8,), "f32"), np.tile(x, 2))
