"""Values at run time, and how they carry the batch of compute tiles.

A scalar or tensor is a numpy array of the type's shape where all tiles of the batch agree, or with
one more leading axis, the batch. Uniform `index` values are Python ints. A batch of one tile has no
such axis. Tensors with elements that nothing wrote are `Undefined`. Arrays are never changed once
they are values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Value = Any
"""An int, an array, or an object with `take(rows)`."""

OBJECT = -1
"""The rank of values that are not arrays."""


@dataclass(frozen=True)
class Undefined:
    """A tensor some of whose elements are undefined: where `missing` is True (None: all of them).

    `missing` has the shape of `data`.
    """

    data: Array
    missing: Array | None

    @staticmethod
    def empty(shape: Sequence[int], dtype: np.dtype[Any]) -> Undefined:
        """A tensor without contents; it takes no memory."""
        return Undefined(np.broadcast_to(np.zeros((), dtype), tuple(shape)), None)

    @staticmethod
    def of(data: Array, missing: Array) -> Array | Undefined:
        """The plain array where nothing is missing."""
        return Undefined(data, missing) if missing.any() else data

    @property
    def mask(self) -> Array:
        return np.ones(self.data.shape, np.bool_) if self.missing is None else self.missing


def take(value: Value, rank: int, rows: Array) -> Value:
    """The value for some rows of the batch; a single row loses the axis."""
    if isinstance(value, np.ndarray):
        if value.ndim == rank:
            return value
        if len(rows) > 1:
            return value[rows]
        if rank == 0 and value.dtype == np.int64:
            return int(value[rows[0]])
        return np.asarray(value[rows[0]])
    if type(value) is int:
        return value
    if isinstance(value, Undefined):
        if value.data.ndim == rank:
            return value
        if value.missing is None:
            return Undefined(take(value.data, rank, rows), None)
        return Undefined.of(take(value.data, rank, rows), take(value.missing, rank, rows))
    return value if value is None else value.take(rows)


def array(value: Value) -> Array:
    """An int as an array of `index`, or the array itself."""
    return value if isinstance(value, np.ndarray) else np.array(value, np.int64)


def number(value: Array) -> Value:
    """An `index` array as a Python int where it is uniform."""
    return int(value) if value.ndim == 0 else value


def merge(parts: Sequence[tuple[Array, Value]], rank: int, size: int) -> Value:
    """One value for the whole batch from values for disjoint sets of its rows."""
    if len(parts) == 1 and len(parts[0][0]) == size:
        return parts[0][1]
    if all(isinstance(v, Undefined) and v.missing is None for _, v in parts):
        return parts[0][1]
    if any(isinstance(v, Undefined) for _, v in parts):
        data = [(rows, v.data if isinstance(v, Undefined) else v) for rows, v in parts]
        missing = [
            (rows, v.mask if isinstance(v, Undefined) else np.zeros(v.shape, np.bool_))
            for rows, v in parts
        ]
        return Undefined.of(_stack(data, rank, size), _stack(missing, rank, size))
    return _stack(parts, rank, size)


def _stack(parts: Sequence[tuple[Array, Value]], rank: int, size: int) -> Array:
    first = array(parts[0][1])
    result = np.empty((size, *first.shape[first.ndim - rank :]), first.dtype)
    for rows, value in parts:
        result[rows] = value
    return result


def lift(value: Value, rank: int, to_rank: int) -> Array:
    """The value with its batch axis moved out so that it broadcasts against rank `to_rank`."""
    found = array(value)
    if found.ndim > rank and to_rank > rank:
        return found.reshape(found.shape[0], *(1,) * (to_rank - rank), *found.shape[1:])
    return found
