"""tensor.extract_slice and insert_slice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spyrelang.errors import interp as errors
from spyrelang.interp.body import check_range
from spyrelang.interp.compiler import Compiler, Slot
from spyrelang.interp.frame import Frame
from spyrelang.interp.indices import Index, integers
from spyrelang.interp.registry import Op, builds
from spyrelang.interp.values import Array, Undefined, Value


class _Slices:
    """Offsets (which may differ between tiles), sizes and strides of a slice."""

    def __init__(
        self, c: Compiler, op: Op, offsets: list[Slot], sizes: list[Slot], strides: list[Slot]
    ) -> None:
        c.uniform(op, f"a size or stride of {op.name}", *sizes, *strides)
        self.name, self.place = op.name, c.place(op)
        self._offsets = integers(_static(op, "static_offsets"), offsets)
        self._sizes = integers(_static(op, "static_sizes"), sizes)
        self._strides = integers(_static(op, "static_strides"), strides)

    def index(self, f: Frame, value: Array, rank: int) -> tuple[Any, ...]:
        """What to index the value with; arrays of indices where offsets differ between tiles."""
        offsets = self._offsets(f)
        sizes = [int(n) for n in self._sizes(f)]
        strides = [int(n) for n in self._strides(f)]
        lead = value.ndim - rank
        for dim, (start, size, stride) in enumerate(zip(offsets, sizes, strides, strict=True)):
            self._check(f, dim, start, size, stride, value.shape[lead + dim])
        if all(type(start) is int for start in offsets):
            box = [
                _slice(start, size, stride)
                for start, size, stride in zip(offsets, sizes, strides, strict=True)
            ]
            return (..., *box)
        return self._fancy(f, offsets, sizes, strides, rank)

    def _fancy(
        self,
        f: Frame,
        offsets: Sequence[Index],
        sizes: Sequence[int],
        strides: Sequence[int],
        rank: int,
    ) -> tuple[Any, ...]:
        rows = f.rows().reshape(-1, *(1,) * rank)
        found: list[Any] = [rows]
        for dim, (start, size, stride) in enumerate(zip(offsets, sizes, strides, strict=True)):
            shape = [1] * rank
            shape[dim] = size
            steps = (np.arange(size) * stride).reshape(shape)
            by = start if type(start) is int else start.reshape(-1, *(1,) * rank)
            found.append(steps + by)
        return tuple(found)

    def _check(self, f: Frame, dim: int, start: Index, size: int, stride: int, extent: int) -> None:
        if size < 1:
            if size < 0:
                check_range(size, 0, extent, dim, self.name, "size", self.place, f)
            return
        if stride == 0:
            check_range(-1, 1, extent, dim, self.name, "stride 0, hence element", self.place, f)
        reach = (size - 1) * stride
        low, high = min(0, reach), max(0, reach)
        check_range(start + low, high - low + 1, extent, dim, self.name, "index", self.place, f)


def _slice(start: int, size: int, stride: int) -> slice:
    if size == 0:
        return slice(0, 0)
    stop = start + (size - 1) * stride + (1 if stride > 0 else -1)
    return slice(start, stop if stop >= 0 else None, stride)


def _static(op: Op, name: str) -> list[int]:
    return [int(n) for n in op.attributes[name]]


def _taken(value: Array, rank: int, slices: _Slices, f: Frame) -> Array:
    index = slices.index(f, value, rank)
    if index[0] is not Ellipsis and value.ndim == rank:
        return np.asarray(value[index[1:]])
    return np.asarray(value[index])


@builds("tensor.extract_slice")
def _extract_slice(c: Compiler, op: Op) -> None:
    (source,), offsets, sizes, strides = c.segments(op, 4)
    slices = _Slices(c, op, offsets, sizes, strides)
    slot = c.result(op, source, *offsets, *sizes, *strides)
    index, rank, out = source.index, source.rank, slot.index
    kept = _kept(_static(op, "static_sizes"), slot.shape)
    if kept is None:
        raise c.fail(op, "the dimensions that its result drops cannot be told")

    def dropped(value: Array) -> Array:
        lead = value.shape[: value.ndim - rank]
        inner = value.shape[value.ndim - rank :]
        return value.reshape((*lead, *(inner[d] for d in kept)))

    def step(f: Frame) -> None:
        value = f.regs[index]
        if not isinstance(value, Undefined):
            f.regs[out] = dropped(_taken(value, rank, slices, f))
            return
        data = dropped(_taken(value.data, rank, slices, f))
        if value.missing is None:
            f.regs[out] = Undefined(data, None)
        else:
            f.regs[out] = Undefined.of(data, dropped(_taken(value.missing, rank, slices, f)))

    c.emit(step)


def _kept(sizes: Sequence[int], shape: Sequence[int | None]) -> list[int] | None:
    """The dimensions of a slice that a smaller type keeps: the others have size 1."""
    kept: list[int] = []
    for dim, size in enumerate(sizes):
        left = len(shape) - len(kept)
        want = shape[len(kept)] if left else 0
        if left and (size == want or (size < 0 and want is None)):
            kept.append(dim)
        elif size != 1:
            return None
    return kept if len(kept) == len(shape) else None


@builds("tensor.insert_slice")
def _insert_slice(c: Compiler, op: Op) -> None:
    (_, (target,), *_), into = c.segments(op, 5), inserter(c, op)
    slot = c.result(op, *(s for part in c.segments(op, 5) for s in part))
    index, out = target.index, slot.index

    def step(f: Frame) -> None:
        f.regs[out] = into(f, f.regs[index])

    c.emit(step)


def inserter(c: Compiler, op: Op) -> Callable[[Frame, Value], Value]:
    """How an op with the operands of insert_slice changes its target."""
    (source,), (target,), offsets, sizes, strides = c.segments(op, 5)
    slices = _Slices(c, op, offsets, sizes, strides)
    kept = _kept(_static(op, "static_sizes"), source.shape)
    if kept is None:
        raise c.fail(op, "the dimensions that its source lacks cannot be told")
    index, rank, inner = source.index, target.rank, source.rank
    place, name = c.place(op), op.name

    def put(target: Array, part: Array, f: Frame) -> Array:
        at = slices.index(f, target, rank)
        varies = at[0] is not Ellipsis or part.ndim > inner
        if varies and target.ndim == rank:
            target = np.broadcast_to(target, (f.size, *target.shape))
        result = target.copy()
        shape = [1] * rank
        for axis, dim in enumerate(kept):
            shape[dim] = part.shape[part.ndim - inner + axis]
        part = part.reshape((*part.shape[: part.ndim - inner], *shape))
        if part.shape[part.ndim - rank :] != result[at].shape[result[at].ndim - rank :]:
            raise errors.SHAPES_DIFFER.error(
                place,
                op=name,
                got=list(part.shape[part.ndim - rank :]),
                want=list(result[at].shape[result[at].ndim - rank :]),
            )
        result[at] = part
        return result

    def insert(f: Frame, whole: Value) -> Value:
        part = f.regs[index]
        data = put(_data(whole), _data(part), f)
        if not isinstance(part, Undefined) and not isinstance(whole, Undefined):
            return data
        return Undefined.of(data, put(_missing(whole), _missing(part), f))

    return insert


def _data(value: Value) -> Array:
    return value.data if isinstance(value, Undefined) else value


def _missing(value: Value) -> Array:
    return value.mask if isinstance(value, Undefined) else np.zeros(value.shape, np.bool_)
