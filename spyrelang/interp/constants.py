"""Constants of MLIR as numpy arrays.

Literals of df16 are those of f16 that is computed as df16; the type itself has none.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from mlir import ir

from spyrelang.interp import text
from spyrelang.semantics import df16, dtypes, lookup
from spyrelang.semantics.op import Array

_TOKEN = re.compile(r"0x[0-9A-Fa-f]+|[-+.\w]+")


def constant(attr: Any, dtype: dtypes.DType) -> Array | None:
    """The value of an attribute as an array of `dtype`; None for attributes of other kinds."""
    if isinstance(attr, ir.DenseElementsAttr | ir.DenseIntElementsAttr | ir.DenseFPElementsAttr):
        return _dense(attr, dtype)
    value = text.value_of(attr)
    if isinstance(value, str):
        return None
    if dtype.is_df16 and isinstance(value, float):
        return df16.literals(np.array(value))
    return scalar(value, dtype)


def scalar(value: object, dtype: dtypes.DType) -> Array:
    """A number, rounded or wrapped once to `dtype`."""
    return lookup("arith.constant").bind({"value": value}, [], [dtype.name])()


def _dense(attr: Any, dtype: dtypes.DType) -> Array:
    shape = tuple(int(n) for n in attr.type.shape)
    if dtype.name == "i1" and attr.is_splat:  # the bindings' buffer holds eight elements of those
        return np.full(shape, text.value_of(attr.get_splat_value()), dtype.numpy)
    if dtype.is_df16:
        return df16.literals(np.array(attr).astype(np.float64)).reshape(shape)
    if dtype.name != "bf16":  # numpy has no name for bf16, so the bindings refuse it
        return np.ascontiguousarray(np.array(attr)).astype(dtype.numpy, copy=False).reshape(shape)
    return _from_text(str(attr), shape, dtype)


def _from_text(source: str, shape: tuple[int, ...], dtype: dtypes.DType) -> Array:
    """`dense<…> : tensor<…>`: nested lists of numbers, one number, or all bytes in hex."""
    body = source[source.index("<") + 1 : source.rindex("> :")]
    if body.startswith('"0x'):
        data = np.frombuffer(bytes.fromhex(body[3:-1]), dtype.numpy)
        return np.broadcast_to(data, shape) if data.size == 1 else data.reshape(shape)
    numbers = [_number(token, dtype) for token in _TOKEN.findall(body)]
    values = np.array(numbers, dtype.numpy)
    return np.broadcast_to(values, shape) if values.size == 1 else values.reshape(shape)


def _number(token: str, dtype: dtypes.DType) -> Any:
    if token.startswith("0x"):
        return np.uint16(int(token, 16)).view(dtype.numpy)
    return scalar(float(token), dtype)[()]
