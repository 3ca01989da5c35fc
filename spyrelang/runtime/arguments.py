"""From Python objects to checked operands: which value is which argument, and what it may be.

`placement.bind` then puts them on the device. Elements are never converted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from spyrelang.errors import launch as errors
from spyrelang.runtime.arrays import CannotBind, host_array
from spyrelang.runtime.operand import Array, Operand
from spyrelang.runtime.signature import Param, Signature
from spyrelang.runtime.tensor import DeviceTensor
from spyrelang.spyrecode.layout import Layout


def operands_of(
    signature: Signature, values: Sequence[object], layouts: Mapping[int, Layout] | None = None
) -> tuple[list[Operand], dict[int, int], dict[int, int]]:
    """Checked tensors, integers by argument index, and raw addresses of pointers given as ints.

    `values` are in the order of `signature.given`. Raises SPY704 to SPY715, SPY723.
    """
    operands: list[Operand] = []
    scalars: dict[int, int] = {}
    raw: dict[int, int] = {}
    for param, value in zip(signature.given, values, strict=True):
        if param.scalar:
            scalars[param.index] = _integer(param, value)
        elif param.pointer and type(value) is int:
            raw[param.index] = value
        else:
            operand = _operand(signature.kernel, param, value)
            if layouts and param.index in layouts:
                operand.layout = layouts[param.index]
            operands.append(operand)
    return operands, scalars, raw


def _integer(param: Param, value: object) -> int:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    raise param.error(
        errors.SCALAR_EXPECTED,
        want="an integer",
        found=type(value).__name__,
        hint="pass an int",
    )


# --- checks ------------------------------------------------------------------------------------


def _operand(kernel: str, param: Param, value: object) -> Operand:
    tensor: DeviceTensor | None = None
    if type(value) is np.ndarray:
        array: Array = value
    elif isinstance(value, DeviceTensor):
        tensor, array = value, value.device_array
    else:
        array = _foreign(param, value)
    if not param.pointer:
        _check_dtype(param, array)
        _check_shape(param, array)
    if param.writes:
        _check_writable(kernel, param, array)
    return Operand(param, array, tensor)


def _foreign(param: Param, value: object) -> Array:
    try:
        array = host_array(value)
    except CannotBind as error:
        raise param.error(errors.FOREIGN_TENSOR, detail=error) from None
    if array is None:
        kind = type(value).__name__
        found = f"a{'n' * (kind[0] in 'aeiou')} {kind}"
        raise param.error(errors.NOT_AN_ARRAY, found=found)
    return array


def _check_dtype(param: Param, array: Array) -> None:
    if array.dtype == param.dtype:
        return
    if not array.dtype.isnative:
        what = f"argument #{param.index} '{param.name}'"
        raise param.error(errors.BIG_ENDIAN, what=what, found=array.dtype)
    raise param.error(
        errors.DTYPE_MISMATCH,
        expected=param.type_name,
        found=array.dtype,
        hint=f"convert first, for example {_conversion(param)}",
    )


def _conversion(param: Param) -> str:
    if param.type_name == "df16":
        return f"spyre.to_df16({param.name}), which gives its codes"
    bf16 = param.type_name == "bf16"
    return f"{param.name}.astype({'ml_dtypes.bfloat16' if bf16 else f'np.{param.dtype.name}'})"


def _check_shape(param: Param, array: Array) -> None:
    expected, found = param.shape, array.shape
    if found == expected or not expected:
        return
    if len(found) != len(expected):
        raise param.error(
            errors.RANK_MISMATCH,
            expected=len(expected),
            shape=list(expected),
            found=list(found),
        )
    for dim, (want, have) in enumerate(zip(expected, found, strict=True)):
        if want < 0 or want == have or dim in param.free_dims:
            continue
        others = expected[:dim] + expected[dim + 1 :] == found[:dim] + found[dim + 1 :]
        if have < want and others:
            raise param.error(
                errors.TOO_SHORT,
                dim=dim,
                expected=want,
                found=have,
                hint=f"pass an array of shape {list(expected)}",
            )
        raise param.error(
            errors.SHAPE_MISMATCH,
            expected=list(expected),
            found=list(found),
        )


def _check_writable(kernel: str, param: Param, array: Array) -> None:
    if not array.flags.writeable and not param.pointer:
        raise param.error(errors.READ_ONLY, kernel=kernel)
    if not array.flags.c_contiguous and _overlaps_itself(array):
        raise param.error(errors.SELF_OVERLAP, strides=list(array.strides))


def _overlaps_itself(array: Array) -> bool:
    """Whether two elements share memory. Exact for nested strides, careful (True) for others."""
    if not array.size:
        return False
    steps = sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1)
    reach = array.itemsize
    for step, extent in steps:
        if step < reach:
            return True
        reach = step * (extent - 1) + reach
    return False
