"""`spyre.layout` as authors use it: sticks, padding, aligned tiles, kernels over device tensors."""

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.errors import SpyreError


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8])
@pytest.mark.parametrize("order", [None, (1, 0), (0, 1, -1), (1, 0, -1)])
def test_pack_and_unpack(dtype, order) -> None:
    array = (np.arange(7 * 130) % 100).reshape(7, 130).astype(dtype)
    lay = spyre.layout(array.shape, array.dtype, order)
    device = lay.pack(array, padding=9)
    assert device.shape == lay.device_size
    assert device.nbytes == lay.size
    assert lay.strides[-1] == 1
    np.testing.assert_array_equal(lay.unpack(device, array.shape), array)
    assert (device == 9).sum() == device.size - array.size + (array == 9).sum()


def test_sticks_of_the_transposed_order() -> None:
    lay = spyre.layout((7, 130), "f16", (1, 0))
    assert lay.device_size == (1, 130, 64)
    assert lay.stride_map == (64 * 130, 1, 130)


def test_one_element_a_stick() -> None:
    lay = spyre.layout((5,), "f16", (0, -1))
    assert lay.device_size == (5, 64)
    device = lay.pack(np.arange(5, dtype=np.float16))
    assert device[:, 0].tolist() == [0, 1, 2, 3, 4]
    lay.check_tile((5,), (1,), (3,))


def test_kernel_over_the_device_tensors_of_a_product() -> None:
    """Padding with zeros leaves sums over the padded axis alone, padding with -inf maxima."""

    @spyre.kernel
    def rows(x: spy.In, sums: spy.Out, most: spy.Out):
        v = spy.load(x[...])
        sums[:] = spy.sum(spy.where(v > float("-inf"), v, 0.0), axis=(0, 2))
        most[:] = spy.max(v, axis=(0, 2))

    array = np.random.default_rng(1).standard_normal((6, 100)).astype(np.float32) - 5
    lay = spyre.layout(array.shape, "f32")
    sums, most = np.zeros(6, np.float32), np.zeros(6, np.float32)
    rows(lay.pack(array, padding=-np.inf), sums, most, engine="ktir")
    np.testing.assert_allclose(sums, array.sum(axis=1), rtol=1e-5)
    np.testing.assert_array_equal(most, array.max(axis=1))


def test_tiles_of_whole_sticks() -> None:
    lay = spyre.layout((4, 200), "f16")
    lay.check_tile((4, 200), (1, 64), (2, 128))
    lay.check_tile((4, 200), (1, 128), (2, 72))  # to the end
    for origin, extent in ((1, 63), (0, 100), (64, 65)):
        with pytest.raises(SpyreError, match="SPY665") as caught:
            lay.check_tile((4, 200), (0, origin), (4, extent))
        assert "inside a stick of 64 elements" in str(caught.value)


@pytest.mark.parametrize(
    "mistake",
    [
        lambda lay: spyre.layout((4, 8), "f16", (0, 2)),
        lambda lay: spyre.layout((4, -8), "f16"),
        lambda lay: spyre.layout((4, 8.0), "f16"),
        lambda lay: lay.pack(np.zeros((9, 999), np.float16)),
        lambda lay: lay.pack(np.zeros((4, 64), np.float32)),
        lambda lay: lay.pack(np.zeros((4, 64), np.float16), padding="zero"),
        lambda lay: spyre.layout((4, 64), "i16").pack(np.zeros((4, 64), np.int16), np.inf),
        lambda lay: lay.unpack(np.zeros(3, np.float16), (4, 64)),
        lambda lay: lay.check_tile((4, 64), (0,), (1,)),
    ],
)
def test_mistakes(mistake) -> None:
    with pytest.raises(SpyreError, match="SPY665"):
        mistake(spyre.layout((4, 64), "f16"))


def test_a_spec_of_a_layout_is_that_of_the_device_tensor() -> None:
    lay = spyre.layout((4, 100), "f16")
    with pytest.raises(SpyreError, match="SPY284") as caught:
        spyre.spec((4, 100), "f16", lay)
    assert "spyre.spec((2, 4, 64), …)" in str(caught.value)
    assert spyre.spec((4, 8), "f16", layout=(1, 4)).strides == (1, 4)
    assert spyre.spec((4, 8), "f16", strides=(1, 4)).strides == (1, 4)
