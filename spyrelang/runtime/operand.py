"""One tensor argument on its way to the device."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from spyrelang.runtime.signature import Param
from spyrelang.runtime.tensor import DeviceTensor
from spyrelang.spyrecode.layout import Layout

Array = NDArray[Any]


class Operand:
    """One tensor argument: `array` is the caller's memory, `tensor` its device tensor if it is one.

    `buffer` is what the device sees (C-contiguous); it is `array` itself or views it when bound in
    place, else a copy. `address` is set once it is placed. `before`: the codes that a
    converted buffer (see `recoding`) held at first."""

    __slots__ = (
        "address",
        "array",
        "before",
        "buffer",
        "inplace",
        "layout",
        "param",
        "tensor",
        "writable",
    )

    def __init__(self, param: Param, array: Array, tensor: DeviceTensor | None) -> None:
        self.param = param
        self.array = array
        self.tensor = tensor
        self.buffer: Array | None = None
        self.before: Array | None = None
        self.inplace = True
        self.layout: Layout | None = None
        self.address = -1
        self.writable = param.writes
