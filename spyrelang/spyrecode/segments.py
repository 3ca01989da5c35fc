"""The device's address space: eight segments of 16 GiB, byte addresses of 37 bits."""

from __future__ import annotations

FLIT = 128
"""Bytes of one flit: the unit in which programs are stored, transferred and patched."""

SEGMENT = 1 << 34
"""Bytes of one segment."""

PROGRAM_SEGMENT = 7 * SEGMENT
"""First address of the segment that holds programs and nothing else."""

DYNAMIC_SEGMENT = 6 * SEGMENT
"""First address of the region that lives for one launch."""

TENSOR_SEGMENTS = 7
"""Segments 0 to 6 may hold tensors."""


def round_up(value: int, unit: int = FLIT) -> int:
    """`value` rounded up to a multiple of `unit`."""
    return -(-value // unit) * unit


def in_tensor_segment(address: int, size: int) -> bool:
    """Whether `size` bytes at `address` lie within one of the segments 0 to 6."""
    if not 0 <= address < TENSOR_SEGMENTS * SEGMENT:
        return False
    return address % SEGMENT + size <= SEGMENT
