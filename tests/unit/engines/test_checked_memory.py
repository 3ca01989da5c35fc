"""Simulated device memory."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from spyrelang.engines import DeviceMemory
from spyrelang.errors import SpyreError


def code(call: object, *args: object, **kw: object) -> str:
    with pytest.raises(SpyreError) as caught:
        call(*args, **kw)  # type: ignore[operator]
    return caught.value.code


def test_allocations_are_aligned_and_apart() -> None:
    memory = DeviceMemory()
    at = [memory.allocate(n, name=f"b{n}") for n in (1, 127, 128, 129, 0, 5)]
    regions = memory.regions
    assert [r.address for r in regions] == sorted(at)
    assert all(a % 128 == 0 for a in at)
    for left, right in itertools.pairwise(regions):
        assert right.address >= left.end + 128


def test_allocated_bytes_are_unwritten_until_the_host_writes_them() -> None:
    memory = DeviceMemory()
    at = memory.allocate(8)
    region = memory.at(at)
    assert region.defined is not None
    assert not region.defined.any()
    memory.write(at + 2, np.arange(3, dtype=np.uint8))
    assert region.defined.tolist() == [False] * 2 + [True] * 3 + [False] * 3
    assert memory.read(at + 2, 3).tolist() == [0, 1, 2]


def test_binding_shares_the_array() -> None:
    memory, array = DeviceMemory(), np.zeros(4, np.float16)
    at = memory.bind(array, address=2, name="x")
    memory.write(at, np.array([1.0], np.float16).view(np.uint8))
    assert array[0] == 1.0
    assert memory.at(2).name == "x"


def test_freed_space_is_used_again() -> None:
    memory = DeviceMemory()
    first = memory.allocate(64)
    memory.allocate(64)
    memory.free(first)
    assert memory.allocate(64) == first
    memory.free(first)
    assert code(memory.free, first) == "SPY508"


def test_an_access_past_the_end_names_the_nearest_region() -> None:
    memory = DeviceMemory()
    at = memory.bind(np.zeros(10, np.uint8), name="short")
    assert memory.region(at + 3, 7).name == "short"
    with pytest.raises(SpyreError) as caught:
        memory.region(at + 3, 8)
    assert caught.value.code == "SPY501"
    assert "short" in str(caught.value)
    assert "no region exists" in DeviceMemory().nearest(0)


@pytest.mark.parametrize("address", [0, 16, 31])
def test_overlapping_regions_are_refused(address: int) -> None:
    memory = DeviceMemory()
    memory.bind(np.zeros(16, np.uint8), address=16)
    memory.bind(np.zeros(8, np.uint8), address=40)
    assert code(memory.bind, np.zeros(17, np.uint8), address=address) == "SPY507"


def test_bad_requests() -> None:
    memory = DeviceMemory(size=8192)
    square = np.zeros((4, 4), np.float32)
    frozen = np.zeros(4)
    frozen.flags.writeable = False
    assert code(memory.allocate, -1) == "SPY509"
    assert code(memory.allocate, 8, align=3) == "SPY509"
    assert code(memory.allocate, 8000) == "SPY509"
    assert code(memory.bind, square.T[1:]) == "SPY509"
    assert code(memory.bind, frozen) == "SPY509"
    assert code(memory.bind, square, address=-4) == "SPY509"
    assert memory.bind(frozen, writable=False) > 0


def test_a_copy_is_independent() -> None:
    memory, array = DeviceMemory(), np.zeros(4, np.uint8)
    at = memory.bind(array)
    other = memory.copy()
    other.write(at, np.array([7], np.uint8))
    assert array[0] == 0
    assert other.read(at, 1)[0] == 7
