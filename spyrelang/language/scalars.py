"""Python numbers as constants of an element type: which fit, which are refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from spyrelang.errors import trace as errors
from spyrelang.language.sizes import Size
from spyrelang.language.tracing import fail
from spyrelang.semantics import df16
from spyrelang.semantics.dtypes import DType

Number = bool | int | float


def as_number(value: object) -> Number | None:
    """A Python or numpy scalar, or a size by name, as a Python number; None for everything else."""
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Size):
        return value.value()
    if isinstance(value, np.generic) or type(value).__module__.startswith("ml_dtypes"):
        item: object = value.item()  # type: ignore[attr-defined]
        return item if isinstance(item, (bool, int, float)) else None
    return None


def typed(value: Number, dtype: DType) -> Number:
    """`value` as a constant of `dtype`; refuses what the type cannot hold."""
    if dtype.name == "i1":
        if not isinstance(value, bool):
            fail(errors.SCALAR_TYPE, value=value, dtype=dtype, hint="write True or False")
        return value
    if isinstance(value, bool):
        fail(errors.SCALAR_TYPE, value=value, dtype=dtype, hint="write 1 or 0")
    return _float(value, dtype) if dtype.is_float else _integer(value, dtype)


def _integer(value: int | float, dtype: DType) -> int:
    if isinstance(value, float):
        hint = f"write {int(value)}" if value.is_integer() else f"cast the {dtype} tensor to f32"
        fail(errors.SCALAR_TYPE, value=value, dtype=dtype, hint=hint)
    limit = 1 << (dtype.bits - 1)
    if not -limit <= value < limit:
        fail(errors.SCALAR_RANGE, value=value, dtype=dtype, low=-limit, high=limit - 1)
    return value


def _float(value: int | float, dtype: DType) -> float:
    top = largest(dtype)
    try:
        number = float(value)
    except OverflowError:
        fail(errors.SCALAR_RANGE, value="the int", dtype=dtype, low=-top, high=top)
    if math.isfinite(number) and not math.isfinite(_rounded(number, dtype)):
        fail(errors.SCALAR_RANGE, value=value, dtype=dtype, low=-top, high=top)
    return number


def _rounded(value: float, dtype: DType) -> float:
    if dtype.is_df16:
        return float(df16.round_df16(np.asarray(value, np.float64)))
    storage: Any = dtype.numpy
    with np.errstate(all="ignore"):
        return float(np.asarray(value, np.float64).astype(storage))


def largest(dtype: DType) -> float:
    """The largest finite number of a float type."""
    if dtype.is_df16:
        return df16.LARGEST
    return float(np.finfo(dtype.numpy).max) if dtype.name != "bf16" else 3.3895313892515355e38
