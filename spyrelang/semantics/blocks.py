"""Running kernels that make temporaries on pieces that stay in the cache."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from spyrelang.semantics.op import Array, Kernel

BLOCK = 1 << 15
"""Elements of one piece: a few temporaries of eight bytes each fit the second-level cache."""

FEW = 2048
"""Operands with fewer elements are better served by one slow numpy call than by many fast ones."""


def by_size(few: Kernel, many: Kernel) -> Kernel:
    """`few` for small operands and `many`, which computes the same, for large ones."""

    def run(*operands: Array) -> Any:
        for operand in operands:
            if operand.size >= FEW:
                return many(*operands)
        return few(*operands)

    return run


def blocked(kernel: Kernel, dtype: np.dtype[Any]) -> Kernel:
    """An element-wise `kernel` with one result of `dtype`, run piece by piece on large operands."""

    def run(*operands: Array) -> Any:
        if all(o.size <= BLOCK for o in operands):
            return kernel(*operands)
        shape = np.broadcast_shapes(*(o.shape for o in operands))
        out = np.empty(shape, dtype)
        if all(o.shape == shape and o.flags.c_contiguous for o in operands):
            _run_flat(kernel, operands, out)
        else:
            _run_pieces(kernel, operands, out)
        return out

    return run


def _run_flat(kernel: Kernel, operands: tuple[Array, ...], out: Array) -> None:
    flat = [o.reshape(-1) for o in operands]
    target = out.reshape(-1)
    for start in range(0, out.size, BLOCK):
        piece = slice(start, start + BLOCK)
        target[piece] = kernel(*(o[piece] for o in flat))


def _run_pieces(kernel: Kernel, operands: tuple[Array, ...], out: Array) -> None:
    spread = [np.broadcast_to(o, out.shape) for o in operands]
    for index in _pieces(out.shape):
        out[index] = kernel(*(o[index] for o in spread))


def _pieces(shape: tuple[int, ...]) -> Iterator[tuple[Any, ...]]:
    """Indices that cut `shape` into pieces of at most BLOCK elements, whole trailing axes each."""
    axis = next(k for k in range(len(shape)) if math.prod(shape[k + 1 :]) <= BLOCK)
    rows = BLOCK // max(1, math.prod(shape[axis + 1 :]))
    for outer in np.ndindex(shape[:axis]):
        for start in range(0, shape[axis], rows):
            yield (*outer, slice(start, start + rows))
