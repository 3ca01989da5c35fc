"""Tensors that live on the simulated device, at an address of their own."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spyrelang.engines.memory import Region
from spyrelang.errors.launch import TENSOR_FREED, TENSOR_SPEC
from spyrelang.runtime.arrays import CannotBind, host_array
from spyrelang.runtime.device import Device, default_device
from spyrelang.semantics import dtypes


class DeviceTensor:
    """A dense row-major tensor on the device. Memory goes back with `free` or the last "
    "reference."""

    def __init__(
        self, region: Region, shape: tuple[int, ...], dtype: dtypes.DType, device: Device
    ) -> None:
        self._region: Region | None = region
        self._address = region.address
        self._device = device
        self._shape = shape
        self._dtype = dtype
        self._array: NDArray[Any] = region.data.view(dtype.numpy).reshape(shape)

    @property
    def address(self) -> int:
        """Byte address on the device, a multiple of 128. SPY723 once freed."""
        return self.region.address

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy dtype of the elements."""
        return self._dtype.numpy

    @property
    def nbytes(self) -> int:
        return self._array.nbytes

    @property
    def region(self) -> Region:
        """The device memory itself. SPY723 once freed."""
        if self._region is None:
            raise TENSOR_FREED.error(address=self._address, shape=list(self._shape))
        return self._region

    @property
    def device_array(self) -> NDArray[Any]:
        """The elements in place, without a copy: writing here writes device memory."""
        if self._region is None:
            raise TENSOR_FREED.error(address=self._address, shape=list(self._shape))
        return self._array

    def numpy(self) -> NDArray[Any]:
        """A copy of the elements. SPY723 once freed."""
        return self.device_array.copy()

    def copy_from(self, array: object) -> None:
        """Store an array of the same shape (or one that broadcasts); elements count as written."""
        host = _host(array)
        if host.dtype != self.dtype:
            raise TENSOR_SPEC.error(
                detail=f"{host.dtype} elements do not fit a {self._dtype} tensor"
            )
        try:
            self.device_array[...] = host
        except ValueError:
            detail = f"shape {list(host.shape)} does not fit {list(self._shape)}"
            raise TENSOR_SPEC.error(detail=detail) from None
        if self.region.defined is not None:
            self.region.defined[:] = True

    def free(self) -> None:
        """Give the memory back; a second call does nothing."""
        if self._region is not None:
            self._region = None
            self._device.free(self._address)

    @property
    def freed(self) -> bool:
        return self._region is None

    def __del__(self) -> None:
        if getattr(self, "_region", None) is not None:
            self._device.discard(self._address)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        del copy  # what the device holds is always copied
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def __repr__(self) -> str:
        state = "freed" if self.freed else f"at {self._address:#x}"
        return f"DeviceTensor({'x'.join(map(str, self._shape)) or 'scalar'} {self._dtype}, {state})"


def empty(
    shape: int | Sequence[int], dtype: object = "f16", *, device: Device | None = None
) -> DeviceTensor:
    """An unwritten tensor on the device. `dtype`: a name, a numpy dtype or one of `spy`'s types.

    Reading it before it is written is an error in engine "checked". Raises SPY722, SPY724, SPY58x.
    """
    sizes = _sizes(shape)
    element = dtypes.parse(dtype)
    device = device or default_device()
    region = device.allocate(prod(sizes) * element.numpy.itemsize, name=f"{list(sizes)} {element}")
    return DeviceTensor(region, sizes, element, device)


def from_numpy(array: object, *, device: Device | None = None) -> DeviceTensor:
    """A copy of an array (or CPU torch tensor) on the device. Raises SPY722, SPY724, SPY58x."""
    host = _host(array)
    tensor = empty(host.shape, dtypes.from_numpy(host.dtype), device=device)
    tensor.copy_from(host)
    return tensor


def _host(array: object) -> NDArray[Any]:
    try:
        host = host_array(array)
    except CannotBind as error:
        raise TENSOR_SPEC.error(detail=error) from None
    if host is None:
        raise TENSOR_SPEC.error(detail=f"{type(array).__name__} is not an array")
    return host


def _sizes(shape: int | Sequence[int]) -> tuple[int, ...]:
    sizes = (shape,) if isinstance(shape, (int, np.integer)) else shape
    try:
        result = tuple(int(n) for n in sizes if not isinstance(n, (bool, float)))
    except (TypeError, ValueError):
        raise TENSOR_SPEC.error(detail=f"{shape!r} is not a shape") from None
    if len(result) != len(sizes) or any(n < 0 for n in result):
        raise TENSOR_SPEC.error(detail=f"{shape!r} is not a shape of sizes >= 0")
    return result
