"""Arguments that share memory: the same memory in the same layout is one buffer, other overlaps are
refused, interleaved views without a common element are separate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from spyrelang.errors.launch import MUST_NOT_SHARE, PARTIAL_OVERLAP
from spyrelang.runtime.operand import Array, Operand
from spyrelang.runtime.signature import Signature


def share(operands: list[Operand]) -> dict[int, Operand]:
    """For each operand that is the same memory as an earlier one, that one (by argument index).

    Raises SPY713 for other overlaps.
    """
    spans = [(*_span(o.array), o) for o in operands if o.array.size]
    spans.sort(key=lambda s: (s[0], s[1]))
    leaders: dict[int, Operand] = {}
    for i, (_, high, operand) in enumerate(spans):
        for other_low, _, other in spans[i + 1 :]:
            if other_low >= high:
                break
            if _same_memory(operand, other):
                _join(leaders, operand, other)
            elif _truly_overlap(operand.array, other.array):
                pair = sorted((operand.param, other.param), key=lambda p: p.index)
                raise PARTIAL_OVERLAP.error(first=pair[0].name, second=pair[1].name)
    return leaders


def check_pairs(signature: Signature, leaders: Mapping[int, Operand]) -> None:
    """Refuse shared memory where the kernel was scheduled for separate one. Raises SPY717."""
    if not leaders:
        return
    for pair in signature.no_share:
        first, second = (leaders[i].param.index if i in leaders else i for i in pair)
        if first == second:
            names = [signature.params[i].name for i in pair]
            raise MUST_NOT_SHARE.error(kernel=signature.kernel, first=names[0], second=names[1])


def _join(leaders: dict[int, Operand], a: Operand, b: Operand) -> None:
    """Let the later of two operands use the other's buffer; device tensors lead."""
    lead = leaders.get(a.param.index, a)
    follow = leaders.get(b.param.index, b)
    if lead is follow:
        return
    if (follow.tensor is not None, -follow.param.index) > (
        lead.tensor is not None,
        -lead.param.index,
    ):
        lead, follow = follow, lead
    for index, leader in leaders.items():
        if leader is follow:
            leaders[index] = lead
    leaders[follow.param.index] = lead
    lead.writable = lead.writable or follow.writable


def _span(array: Array) -> tuple[int, int]:
    """First byte and one past the last byte of an array's elements."""
    start: int = array.__array_interface__["data"][0]
    if array.flags.c_contiguous:
        return start, start + array.nbytes
    low = high = start
    for step, extent in zip(array.strides, array.shape, strict=True):
        if step < 0:
            low += step * (extent - 1)
        else:
            high += step * (extent - 1)
    return low, high + array.itemsize


def _same_memory(a: Operand, b: Operand) -> bool:
    x, y = a.array, b.array
    if x.__array_interface__["data"][0] != y.__array_interface__["data"][0]:
        return False
    if x.flags.c_contiguous and y.flags.c_contiguous:
        return x.nbytes == y.nbytes and a.param.contiguous and b.param.contiguous
    same_layout = x.shape == y.shape and x.strides == y.strides and x.dtype == y.dtype
    return same_layout and a.param.strides == b.param.strides


def _truly_overlap(x: Array, y: Array) -> bool:
    """Whether any element is shared: interleaved views of one array are not an overlap."""
    try:
        return np.shares_memory(x, y, max_work=cast("Any", 10_000))
    except np.exceptions.TooHardError:
        return True
