"""Arrays of f16 on a device that computes them as DLFloat16: codes there, IEEE numbers here.

An array is converted as a whole, and back as a whole if the kernel may write it: as on the
hardware, where the tensor lives in the other format. Where nothing declares what the kernel does to
an array (a pointer, an array at a constant address), it goes back only if its codes changed.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from spyrelang.runtime.operand import Array, Operand
from spyrelang.runtime.signature import Param
from spyrelang.semantics import df16


def encode(operand: Operand) -> None:
    """Let the device see the codes of an f16 array; other arrays stay as they are."""
    if operand.array.dtype != np.float16:
        return
    operand.buffer, operand.inplace = df16.from_f16(cast("Array", operand.buffer)), False
    operand.before = operand.buffer.copy()


def decode(operand: Operand) -> Array | None:
    """The buffer of an operand in the terms of its array; None where it must not go back."""
    buffer = cast("Array", operand.buffer)
    if buffer.dtype == operand.array.dtype:
        return buffer
    if not declared(operand.param) and np.array_equal(cast("Array", operand.before), buffer):
        return None
    return df16.to_f16(buffer)


def declared(param: Param) -> bool:
    """Whether it is known that the kernel reads or writes an array: it is for a parameter that is
    more than an address."""
    return param.index >= 0 and not param.pointer
