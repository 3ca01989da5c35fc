"""Layout records: the documented table, and copies in both directions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spyrelang.errors import SpyreError
from spyrelang.spyrecode.layout import (
    Layout,
    check_layout,
    default_layout,
    pack,
    row_major_layout,
    unpack,
)


@pytest.mark.parametrize(
    ("shape", "device_size", "stride_map"),
    [
        ((256,), (4, 64), (64, 1)),
        ((512, 1024), (16, 512, 64), (64, 1024, 1)),
        ((256, 256), (4, 256, 64), (64, 256, 1)),
        ((128, 256, 512), (256, 8, 128, 64), (512, 64, 131072, 1)),
        ((5, 100, 150), (100, 3, 5, 64), (150, 64, 15000, 1)),
        ((), (1, 64), (-1, -1)),
    ],
)
def test_default(shape: tuple[int, ...], device_size: object, stride_map: object):
    layout = default_layout(shape, "f16")
    assert (layout.device_size, layout.stride_map) == (device_size, stride_map)
    if np.prod(shape) < 1 << 20:
        check_layout("x", layout, shape, "f16")


def test_stick_on_another_dimension():
    layout = default_layout((100, 40), "f32", order=(1, 0))
    assert layout.device_size == (4, 40, 32)
    assert layout.stride_map == (32 * 40, 1, 40)
    assert layout.size == 4 * 40 * 128


def test_sparse_order():
    layout = default_layout((3, 5), "f16", order=(0, 1, -1))
    assert (layout.device_size, layout.stride_map) == ((5, 3, 64), (1, 5, -1))
    values = np.arange(15, dtype=np.float16).reshape(3, 5)
    flat = pack(values, layout)
    assert flat[::64].tolist() == values.T.reshape(-1).tolist()
    assert (unpack(flat, layout, (3, 5)) == values).all()


@pytest.mark.parametrize("order", [(0, 0), (1,), (0, -1, 1), (2, 1)])
def test_impossible_orders(order: tuple[int, ...]):
    with pytest.raises(SpyreError) as caught:
        default_layout((4, 64), "f16", order=order)
    assert caught.value.code == "SPY665"


@st.composite
def shaped(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    shape = tuple(draw(st.lists(st.integers(1, 70), min_size=1, max_size=3)))
    return shape, tuple(draw(st.permutations(range(len(shape)))))


@settings(deadline=None)
@given(shaped(), st.sampled_from(["f16", "f32", "i8"]))
def test_round_trip(case: tuple[tuple[int, ...], tuple[int, ...]], dtype: str):
    shape, order = case
    values = np.arange(1, np.prod(shape) + 1, dtype=np.int64).reshape(shape)
    for layout in (default_layout(shape, dtype, order), row_major_layout(shape, dtype)):
        check_layout("x", layout, shape, dtype)
        flat = pack(values, layout)
        assert np.count_nonzero(flat) == values.size
        assert (unpack(flat, layout, shape) == values).all()


@settings(deadline=None)
@given(st.lists(st.integers(1, 80), min_size=1, max_size=3))
def test_row_major_keeps_bytes(shape: list[int]):
    values = np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
    flat = pack(values, row_major_layout(shape, "f16"))
    assert (flat[: values.size] == values.reshape(-1)).all()


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (Layout((4, 64), (64,), "IEEE_FP16"), "equal lengths"),
        (Layout((256,), (1,), "IEEE_FP16"), "equal lengths"),
        (Layout((4, 60), (60, 1), "IEEE_FP16"), "one stick of 64 f16"),
        (Layout((-4, 64), (64, 1), "IEEE_FP16"), "negative"),
        (Layout((4, 64), (-2, 1), "IEEE_FP16"), "negative"),
        (Layout((4, 64), (64, 1), "IEEE_FP16", "ODD"), "arrangement 'ODD'"),
        (Layout((3, 64), (64, 1), "IEEE_FP16"), "host element 192"),
        (Layout((0, 4, 64), (256, 64, 1), "IEEE_FP16"), "no elements"),
        (Layout((1 << 40, 64), (64, 1), "IEEE_FP16"), "larger than a segment"),
        (Layout((4, 64), (1 << 70, 1), "IEEE_FP16"), "larger than a segment"),
    ],
)
def test_malformed(layout: Layout, words: str):
    with pytest.raises(SpyreError) as caught:
        check_layout("x", layout, (256,), "f16")
    assert caught.value.code == "SPY665"
    assert words in caught.value.message
