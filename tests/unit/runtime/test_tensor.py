"""Tensors on the simulated device: addresses, contents, lifetime."""

from __future__ import annotations

import gc
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from spyrelang import runtime
from spyrelang.errors import SpyreError
from spyrelang.runtime import Device
from spyrelang.runtime.device import FIRST_ADDRESS
from spyrelang.spyrecode.segments import SEGMENT


def test_a_copy_on_the_device():
    device = Device()
    source = np.arange(30, dtype=np.float32).reshape(5, 6)
    tensor = runtime.from_numpy(source[:, ::2], device=device)
    source[:] = 0
    assert tensor.numpy().tolist() == [[6 * i + 2 * j for j in range(3)] for i in range(5)]
    assert (tensor.shape, tensor.dtype, tensor.nbytes) == ((5, 3), np.float32, 60)
    assert tensor.address == FIRST_ADDRESS
    tensor.numpy()[:] = 7
    assert tensor.numpy()[0, 1] == 2
    assert "5x3 f32" in repr(tensor)


def test_alignment_and_guards():
    device = Device()
    tensors = [runtime.empty((n,), "i8", device=device) for n in (1, 127, 128, 129, 0, 5)]
    regions = device.regions
    assert [t.address % 128 for t in tensors] == [0] * 6
    assert all(after.address - before.end >= 128 for before, after in pairwise(regions))
    assert len({t.address for t in tensors}) == 6


def test_memory_is_used_again():
    device = Device()
    first = runtime.empty((64,), device=device)
    second = runtime.empty((64,), device=device)
    address = first.address
    first.free()
    first.free()
    assert first.freed
    assert "freed" in repr(first)
    assert runtime.empty((64,), device=device).address == address
    del second
    gc.collect()
    assert device.used == 0


def test_as_numpy_array():
    tensor = runtime.from_numpy(np.arange(4, dtype=np.float16))
    assert np.asarray(tensor).tolist() == [0, 1, 2, 3]
    assert np.asarray(tensor, np.float32).dtype == np.float32


def test_use_after_free():
    tensor = runtime.empty((4,))
    tensor.free()
    for use in (lambda: tensor.address, tensor.numpy, lambda: tensor.device_array):
        with pytest.raises(SpyreError) as caught:
            use()
        assert caught.value.code == "SPY723"


@pytest.mark.parametrize(
    ("shape", "expected"), [(4, (4,)), ((2, 3), (2, 3)), ([5], (5,)), ((), ()), (np.int64(3), (3,))]
)
def test_shapes(shape: Any, expected: tuple[int, ...]):
    assert runtime.empty(shape, np.float16).shape == expected


@pytest.mark.parametrize("shape", [-1, (2, -3), "ab", (1.5,), None, (True,)])
def test_bad_shapes(shape: Any):
    with pytest.raises(SpyreError) as caught:
        runtime.empty(shape)
    assert caught.value.code == "SPY724"


def test_bad_contents():
    for value in ([1, 2], "x", None):
        with pytest.raises(SpyreError) as caught:
            runtime.from_numpy(value)
        assert caught.value.code == "SPY724"
    tensor = runtime.empty((4,), "f16")
    for wrong in (np.zeros(5, np.float16), np.zeros(4, np.float32), 3):
        with pytest.raises(SpyreError) as caught:
            tensor.copy_from(wrong)
        assert caught.value.code == "SPY724"


@pytest.mark.parametrize("dtype", ["complex64", "uint8", ">f2", "f99"])
def test_dtypes_the_device_lacks(dtype: str):
    with pytest.raises(SpyreError):
        runtime.empty((4,), dtype)


def test_full_segments_are_passed_over(monkeypatch: pytest.MonkeyPatch):
    device = Device()
    monkeypatch.setattr(Device, "_has_room", lambda self, number, nbytes: number >= 2)
    tensor = runtime.empty((4,), device=device)
    assert tensor.address == 2 * SEGMENT
    tensor.free()
    monkeypatch.setattr(Device, "_has_room", lambda self, number, nbytes: False)
    with pytest.raises(SpyreError) as caught:
        runtime.empty((4,), device=device)
    assert caught.value.code == "SPY722"
    assert isinstance(caught.value, MemoryError)


def test_larger_than_a_segment():
    with pytest.raises(SpyreError) as caught:
        runtime.empty((1 << 40,), "f16")
    assert caught.value.code == "SPY722"
