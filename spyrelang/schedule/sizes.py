"""Sizes in memory: bytes of elements and buffers, and how views lie in memory."""

from __future__ import annotations

from spyrelang.schedule.model import Operand, Program
from spyrelang.schedule.structure import Buffer, copy_bytes
from spyrelang.semantics import dtypes

ALIGNMENT = 128
"""Bytes: every staging buffer starts at a multiple of this."""


def element_bytes(dtype: str) -> int:
    """Bytes of one element of an MLIR type. Raises SPY585 for an unknown type."""
    return dtypes.get(dtype).bytes


def align(address: int) -> int:
    """The next multiple of the buffer alignment."""
    return -(-address // ALIGNMENT) * ALIGNMENT


def buffer_bytes(program: Program, buffer: Buffer) -> int:
    """Bytes of a staging buffer with all its copies, rounded to the alignment."""
    return align(copy_bytes(program, buffer) * buffer.copies)


def unit_stride_dim(operand: Operand) -> int:
    """The program dim along which neighbouring points are neighbours in memory; -1: none."""
    for expr, stride in zip(operand.index, operand.strides, strict=True):
        dims = expr.dims()
        if stride == 1 and len(dims) == 1:
            return next(iter(dims))
    return -1


def view_span(operand: Operand) -> int:
    """Elements from the first to the last of the operand's view, both included."""
    return 1 + sum(
        (extent - 1) * abs(stride)
        for extent, stride in zip(operand.shape, operand.strides, strict=True)
        if extent > 0
    )
