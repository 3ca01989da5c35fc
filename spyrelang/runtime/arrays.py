"""Host arrays of other kinds as numpy views, without importing their libraries."""

from __future__ import annotations

import sys
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

_TORCH_BF16 = "torch.bfloat16"


class CannotBind(Exception):
    """A tensor whose memory cannot be viewed; the text says why."""


def host_array(value: object) -> NDArray[Any] | None:
    """A numpy array that shares the memory of `value`; None where `value` is no array.

    Tensors of torch are recognised by their methods. Raises `CannotBind` for tensors that are not
    on the CPU, track gradients or are not dense.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise CannotBind("it is masked; pass its `.data`, or `.filled(value)`")
    if isinstance(value, np.ndarray):
        return value
    kind = type(value)
    if all(hasattr(kind, name) for name in ("detach", "numpy", "data_ptr")):
        return _tensor_array(value)
    return None


def _tensor_array(tensor: Any) -> NDArray[Any]:
    where = str(getattr(tensor, "device", "cpu"))
    if where.partition(":")[0] != "cpu":
        raise CannotBind(f"it is on '{where}', only CPU memory is bound")
    if getattr(tensor, "requires_grad", False):
        raise CannotBind("it tracks gradients")
    bf16 = str(tensor.dtype) == _TORCH_BF16
    try:
        if not bf16:
            return tensor.numpy()
        # numpy has no bf16 of its own, so the bits travel as integers.
        return tensor.view(sys.modules["torch"].int16).numpy().view(ml_dtypes.bfloat16)
    except (TypeError, RuntimeError, KeyError, ValueError) as error:
        raise CannotBind(str(error)) from None
