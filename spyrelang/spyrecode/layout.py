"""Layout records: how a tensor lies in device memory.

A device tensor is dense and row-major over `device_size`, whose last dimension is one stick of 128
bytes. `stride_map[d]` is the step in host elements along device dimension d, -1 where no host
dimension lies behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spyrelang.errors.artifact import LAYOUT
from spyrelang.semantics import dtypes
from spyrelang.spyrecode.segments import SEGMENT

STICK = 128
DEVICE_DTYPES = {
    "f16": "IEEE_FP16",
    "df16": "SEN169_FP16",
    "bf16": "BFLOAT16",
    "f32": "IEEE_FP32",
    "f64": "IEEE_FP64",
    "i32": "IEEE_INT32",
    "i64": "IEEE_INT64",
    "index": "IEEE_INT64",
    "i16": "IEEE_INT16",
    "i8": "IEEE_INT8",
    "i1": "BOOL",
}
ARRANGEMENTS = ("STANDARD", "DL16_TO_FP32", "FP32_TO_DL16", "EXX2", "QFP8CH", "QFP8WT")


def per_stick(dtype: str) -> int:
    """Elements of one stick."""
    return STICK // dtypes.get(dtype).bytes


@dataclass(frozen=True)
class Layout:
    """A layout record; see the module. `size` counts bytes, `strides` (of the device tensor, dense
    and row-major, as a view of it has them) elements."""

    device_size: tuple[int, ...]
    stride_map: tuple[int, ...]
    device_dtype: str
    element_arrangement: str = "STANDARD"

    @property
    def size(self) -> int:
        return prod(self.device_size[:-1]) * STICK

    @property
    def strides(self) -> tuple[int, ...]:
        return contiguous_strides(self.device_size)

    def pack(self, array: NDArray[Any], padding: float = 0) -> NDArray[Any]:
        """The device tensor (of shape `device_size`) of a host array. Elements of sticks that no
        host element fills are `padding`: what the kernel's reduction or contraction leaves alone.
        Raises SPY665 where the array does not fit."""
        array = np.asarray(array)
        what = f"an array of shape {array.shape}"
        check_layout(what, self, array.shape, dtypes.held_by(array.dtype).name)
        if not _is_element(padding, array.dtype):
            detail = f"padding={padding!r} is no element of {array.dtype}"
            raise LAYOUT.error(name=what, detail=detail, hint="pad with a number of that type")
        return pack(array, self, padding).reshape(self.device_size)

    def unpack(self, device: NDArray[Any], shape: Sequence[int]) -> NDArray[Any]:
        """The host array of this shape in a device tensor. Raises SPY665 where it does not fit."""
        device = np.asarray(device)
        what = f"an array of shape {tuple(shape)}"
        check_layout(what, self, shape, dtypes.held_by(device.dtype).name)
        if device.size != prod(self.device_size):
            detail = f"{device.size} elements are no device tensor of {list(self.device_size)}"
            raise LAYOUT.error(name=what, detail=detail)
        return unpack(device.reshape(-1), self, shape)

    def check_tile(
        self, shape: Sequence[int], origin: Sequence[int], extents: Sequence[int]
    ) -> None:
        """Raise SPY665 unless the box of a host tensor of `shape` begins and ends at whole sticks,
        or at the end of the tensor. Origin and extents count elements of the host axes."""
        if not len(shape) == len(origin) == len(extents):
            detail = f"origin {list(origin)} and extents {list(extents)} name other axes"
            raise LAYOUT.error(name=f"tile of {list(shape)}", detail=detail)
        step, width = self.stride_map[-1], self.device_size[-1]
        strides = contiguous_strides(shape)
        axis = next((a for a, n in enumerate(strides) if n == step and shape[a] > 1), None)
        if axis is None:  # one element a stick
            return
        edges = origin[axis], origin[axis] + extents[axis]
        for edge in edges:
            if edge % width and edge != shape[axis]:
                detail = f"axis {axis} is cut at {edge}, inside a stick of {width} elements"
                below = edge // width * width
                hint = f"cut at {below} or {min(below + width, shape[axis])}"
                raise LAYOUT.error(name=f"tile of {list(shape)}", detail=detail, hint=hint)

    def to_json(self) -> dict[str, object]:
        return {
            "device_size": list(self.device_size),
            "stride_map": list(self.stride_map),
            "device_dtype": self.device_dtype,
            "element_arrangement": self.element_arrangement,
        }


def _is_element(value: object, dtype: np.dtype[Any]) -> bool:
    """Whether arrays of a type can hold a number; floats are rounded to it."""
    try:
        held = dtype.type(value)
    except (OverflowError, TypeError, ValueError):
        return False
    return dtype.kind not in "iu" or bool(held == value)


def layout(shape: Sequence[int] | int, dtype: object, order: Sequence[int] | None = None) -> Layout:
    """How a host tensor lies in sticks of 128 bytes on the device: `device_size` and `stride_map`.

    Sticks run along the last axis of `order` (default: of the tensor); an order that ends in -1
    puts one element into each stick. A kernel may view the device tensor that `pack` makes.

    >>> lay = spyre.layout((3, 100), "f16")
    >>> lay.device_size, lay.stride_map, lay.size
    ((2, 3, 64), (64, 100, 1), 768)
    >>> device = lay.pack(np.ones((3, 100), np.float16))
    >>> device.shape, float(device[1, 0].sum())
    ((2, 3, 64), 36.0)
    >>> lay.unpack(device, (3, 100)).all()
    np.True_
    >>> lay.check_tile((3, 100), (0, 64), (3, 36))

    Raises SPY665 for an order that is none of these axes, SPY585 for what names no element type.
    """
    sizes = tuple(shape) if isinstance(shape, Sequence) else (shape,)
    whole = all(type(n) is int and n >= 0 for n in sizes)
    plain = order is None or all(type(n) is int for n in order)
    if not whole or not plain:
        detail = f"shape {shape!r} or order {order!r} holds no ints >= 0"
        raise LAYOUT.error(name=str(dtype), detail=detail)
    return default_layout(sizes, dtypes.parse(dtype).name, order)


def default_layout(shape: Sequence[int], dtype: str, order: Sequence[int] | None = None) -> Layout:
    """The public default: sticks of the last dimension of `order` (the identity where None).

    An order that ends in -1 is sparse: one element a stick.
    """
    shape = tuple(shape)
    order = tuple(range(len(shape))) if order is None else tuple(order)
    strides = contiguous_strides(shape)
    width = per_stick(dtype)
    device = DEVICE_DTYPES.get(dtype, dtype)
    if not shape:
        return Layout((1, width), (-1, -1), device)
    dims = [d for d in order if d >= 0]
    if sorted(dims) != list(range(len(shape))) or order[:-1].count(-1):
        raise LAYOUT.error(name=dtype, detail=f"order {list(order)} is no order of {list(shape)}")
    sparse = order[-1] == -1
    stick = -1 if sparse else order[-1]
    moved = [*dims[1:], dims[0]] if len(dims) > 1 else dims
    sizes, steps = [], []
    for d in moved:
        sizes.append(-(-shape[d] // width) if d == stick else shape[d])
        steps.append(strides[d] * width if d == stick else strides[d])
    return Layout((*sizes, width), (*steps, -1 if sparse else strides[stick]), device)


def row_major_layout(shape: Sequence[int], dtype: str) -> Layout:
    """The layout in which device memory holds the bytes of the C-contiguous host array."""
    shape = tuple(shape)
    width = per_stick(dtype)
    device = DEVICE_DTYPES.get(dtype, dtype)
    if shape and shape[-1] % width == 0:
        strides = contiguous_strides(shape)
        sizes = (*shape[:-1], shape[-1] // width, width)
        return Layout(sizes, (*strides[:-1], width, 1), device)
    return Layout((-(-prod(shape) // width), width), (width, 1), device)


def reach(sizes: Sequence[int], strides: Sequence[int]) -> tuple[int, int]:
    """The least and the greatest offset of an element in a strided array, in elements from its
    start; (0, 0) where it has no elements."""
    if 0 in sizes:
        return 0, 0
    ends = [(size - 1) * stride for size, stride in zip(sizes, strides, strict=True)]
    return sum(min(0, end) for end in ends), sum(max(0, end) for end in ends)


def contiguous_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Strides in elements of a C-contiguous array."""
    result: list[int] = []
    step = 1
    for extent in reversed(shape):
        result.append(step)
        step *= max(extent, 1)
    return tuple(reversed(result))


def check_layout(name: str, layout: Layout, shape: Sequence[int], dtype: str) -> None:
    """SPY665 where the record is malformed or cannot hold a tensor of `shape`."""
    width = per_stick(dtype)
    if len(layout.device_size) != len(layout.stride_map) or len(layout.device_size) < 2:
        raise LAYOUT.error(name=name, detail="device_size and stride_map need equal lengths >= 2")
    if layout.device_size[-1] != width:
        raise LAYOUT.error(
            name=name, detail=f"the last dimension must be one stick of {width} {dtype}"
        )
    if any(n < 0 for n in layout.device_size) or any(n < -1 for n in layout.stride_map):
        raise LAYOUT.error(name=name, detail="sizes and strides cannot be negative")
    if layout.element_arrangement not in ARRANGEMENTS:
        known = ", ".join(ARRANGEMENTS)
        raise LAYOUT.error(
            name=name, detail=f"arrangement {layout.element_arrangement!r} is none of {known}"
        )
    if prod(shape) and 0 in layout.device_size:
        raise LAYOUT.error(name=name, detail="it has no elements")
    if layout.size > SEGMENT or any(n > SEGMENT for n in layout.stride_map):
        raise LAYOUT.error(name=name, detail="it is larger than a segment of 16 GiB")
    _, left = _places(layout, prod(shape))
    if left.any():
        missing = int(np.argmax(left != 0))
        raise LAYOUT.error(name=name, detail=f"host element {missing} has no place on the device")


def _places(layout: Layout, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Device position of host elements 0 … count-1, and what is left of each offset (0 if it fits).

    The offset is split by the largest stride first: pads at the end of a row, whose offsets would
    run into the next row, are never chosen.
    """
    left = np.arange(count, dtype=np.int64)
    place = np.zeros(count, np.int64)
    dense = contiguous_strides(layout.device_size)
    dims = range(len(layout.device_size))
    for d in sorted(dims, key=lambda d: layout.stride_map[d], reverse=True):
        stride = layout.stride_map[d]
        if stride > 0:
            step = np.minimum(left // stride, max(layout.device_size[d] - 1, 0))
            left = left - step * stride
            place = place + step * dense[d]
    return place, left


def pack(array: NDArray[Any], layout: Layout, padding: float = 0) -> NDArray[Any]:
    """The device elements (flat) of a host array; pads hold `padding`."""
    flat = np.full(prod(layout.device_size), padding, array.dtype)
    flat[_places(layout, array.size)[0]] = np.ascontiguousarray(array).reshape(-1)
    return flat


def unpack(flat: NDArray[Any], layout: Layout, shape: Sequence[int]) -> NDArray[Any]:
    """The inverse of `pack`."""
    return flat[_places(layout, prod(shape))[0]].reshape(tuple(shape))
