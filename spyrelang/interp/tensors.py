"""tensor: making, indexing and reshaping tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spyrelang.errors import interp as errors
from spyrelang.interp import text
from spyrelang.interp.body import Loops, check_range, read_body
from spyrelang.interp.compiler import Compiler, Slot
from spyrelang.interp.elementwise import defined
from spyrelang.interp.frame import Frame
from spyrelang.interp.indices import DYNAMIC, Index
from spyrelang.interp.registry import Op, builds
from spyrelang.interp.values import Array, Undefined, Value, array, lift
from spyrelang.semantics import lookup


def _tensor(value: Value) -> Value:
    """A tensor; one of rank 0 may come as a plain integer."""
    return array(value) if type(value) is int else value


def _storage(slot: Slot) -> np.dtype[Any]:
    assert slot.dtype is not None  # tensors have element types
    return slot.dtype.numpy


def _sizes(
    c: Compiler, op: Op, slot: Slot, dynamic: Sequence[Slot]
) -> Callable[[Frame], tuple[int, ...]]:
    """The shape of a result, with operands for its unknown sizes. Raises SPY571 for sizes below
    zero."""
    place, name = c.place(op), op.name
    slots, width, room = iter(dynamic), _storage(slot).itemsize, c.room
    parts = [(next(slots).index, True) if n is None else (n, False) for n in slot.shape]

    def read(f: Frame) -> tuple[int, ...]:
        sizes = tuple(int(f.regs[n]) if given else n for n, given in parts)
        for dim, size in enumerate(sizes):
            if size < 0:
                check_range(size, 0, size, dim, name, "size", place, f)
        if dynamic:
            room.check(sizes, width, name, place)
        return sizes

    return read


# --- making --------------------------------------------------------------------------------------


@builds("tensor.empty")
def _empty(c: Compiler, op: Op) -> None:
    dynamic = c.operands(op)
    c.uniform(op, "a size of tensor.empty", *dynamic)
    slot = c.result(op, *dynamic)
    shape_of, dtype, out = _sizes(c, op, slot, dynamic), _storage(slot), slot.index

    def step(f: Frame) -> None:
        f.regs[out] = Undefined.empty(shape_of(f), dtype)

    c.emit(step)


@builds("tensor.splat")
def _splat(c: Compiler, op: Op) -> None:
    value, *dynamic = c.operands(op)
    c.uniform(op, "a size of tensor.splat", *dynamic)
    slot = c.result(op, value, *dynamic)
    shape_of, source, out, rank = _sizes(c, op, slot, dynamic), value.index, slot.index, slot.rank

    def step(f: Frame) -> None:
        found = lift(f.regs[source], 0, rank)
        lead = found.shape[:1] if found.ndim > rank or (found.ndim and rank == 0) else ()
        f.regs[out] = np.broadcast_to(found, (*lead, *shape_of(f)))

    c.emit(step)


@builds("tensor.from_elements")
def _from_elements(c: Compiler, op: Op) -> None:
    sources = c.operands(op)
    slot = c.result(op, *sources)
    shape, out = tuple(n or 0 for n in slot.shape), slot.index
    indices = [s.index for s in sources]

    def step(f: Frame) -> None:
        values = np.broadcast_arrays(*(array(f.regs[i]) for i in indices))
        stacked = np.stack(values, axis=-1)
        f.regs[out] = stacked.reshape((*stacked.shape[:-1], *shape))

    c.emit(step)


@builds("tensor.generate")
def _generate(c: Compiler, op: Op) -> None:
    dynamic = c.operands(op)
    c.uniform(op, "a size of tensor.generate", *dynamic)
    body, outside = read_body(c, op, {})
    slot = c.result(op, *dynamic, *outside)
    shape_of, out = _sizes(c, op, slot, dynamic), slot.index

    def step(f: Frame) -> None:
        extents = shape_of(f)
        grids = list(np.ogrid[tuple(slice(0, n) for n in extents)]) if extents else []
        found = np.asarray(body.run(grids, Loops(f, extents))[0])
        lead = found.shape[: max(0, found.ndim - len(extents))]
        f.regs[out] = np.broadcast_to(found, (*lead, *extents))

    c.emit(step)


# --- single elements -----------------------------------------------------------------------------


@builds("tensor.extract")
def _extract(c: Compiler, op: Op) -> None:
    source, *indices = c.operands(op)
    slot = c.result(op, source, *indices)
    reads = [s.index for s in indices]
    index, rank, out, place = source.index, source.rank, slot.index, c.place(op)
    is_index = slot.dtype is not None and slot.dtype.name == "index"

    def step(f: Frame) -> None:
        value, at = _tensor(f.regs[index]), [f.regs[i] for i in reads]
        if isinstance(value, Undefined):
            value = _element(value, rank, at, f, place)
        else:
            value = _picked(value, rank, at, f, "tensor.extract", place)
        f.regs[out] = int(value) if is_index and value.ndim == 0 else value

    c.emit(step)


def _element(value: Undefined, rank: int, at: list[Index], f: Frame, place: Any) -> Array:
    if _picked(value.mask, rank, at, f, "tensor.extract", place).any():
        raise errors.EMPTY_READ.error(place, op="tensor.extract")
    return _picked(value.data, rank, at, f, "tensor.extract", place)


def _picked(value: Array, rank: int, at: list[Index], f: Frame, name: str, place: Any) -> Array:
    lead = value.ndim - rank
    for dim, index in enumerate(at):
        check_range(index, 1, value.shape[lead + dim], dim, name, "index", place, f)
    rows = [f.rows()] if lead and any(isinstance(i, np.ndarray) for i in at) else []
    prefix = rows or [slice(None)] * lead
    return np.asarray(value[(*prefix, *at)])


@builds("tensor.insert")
def _insert(c: Compiler, op: Op) -> None:
    scalar, target, *indices = c.operands(op)
    slot = c.result(op, scalar, target, *indices)
    reads, place = [s.index for s in indices], c.place(op)
    source, into, rank, out = scalar.index, target.index, target.rank, slot.index

    def step(f: Frame) -> None:
        at, value = [f.regs[i] for i in reads], array(f.regs[source])
        varies = value.ndim > 0 or any(isinstance(i, np.ndarray) for i in at)
        data, missing = _writable(_tensor(f.regs[into]), rank, f.size if varies else 0)
        lead = data.ndim - rank
        for dim, index in enumerate(at):
            check_range(index, 1, data.shape[lead + dim], dim, "tensor.insert", "index", place, f)
        prefix: list[Any] = [f.rows()] if varies else [slice(None)] * lead
        data[(*prefix, *at)] = value
        if missing is not None:
            missing[(*prefix, *at)] = False
        f.regs[out] = data if missing is None else Undefined.of(data, missing)

    c.emit(step)


def _writable(value: Value, rank: int, batch: int) -> tuple[Array, Array | None]:
    """A copy to write into, with a batch axis if `batch` tiles need one, and what is missing."""
    data = value.data if isinstance(value, Undefined) else value
    shape = (batch, *data.shape) if batch and data.ndim == rank else data.shape
    copy = np.broadcast_to(data, shape).copy()
    if not isinstance(value, Undefined):
        return copy, None
    return copy, np.broadcast_to(value.mask, shape).copy()


@builds("tensor.dim")
def _dim(c: Compiler, op: Op) -> None:
    source, dim = c.operands(op)
    slot = c.result(op, source, dim)
    c.uniform(op, "a dimension number", dim)
    index, which, rank, out, place = source.index, dim.index, source.rank, slot.index, c.place(op)

    def step(f: Frame) -> None:
        value, number = _tensor(f.regs[index]), int(f.regs[which])
        data = value.data if isinstance(value, Undefined) else value
        check_range(number, 1, rank, 0, "tensor.dim", "dimension", place, f)
        f.regs[out] = int(data.shape[data.ndim - rank + number])

    c.emit(step)


@builds("tensor.rank")
def _rank(c: Compiler, op: Op) -> None:
    (source,) = c.operands(op)
    slot, rank = c.result(op), source.rank
    slot.tainted, slot.fixed, out = False, True, slot.index

    def step(f: Frame) -> None:
        f.regs[out] = rank

    c.emit(step)


@builds("tensor.bitcast")
def _bitcast(c: Compiler, op: Op) -> None:
    (source,) = c.operands(op)
    slot = c.result(op, source)
    kinds = [c.dtype(v.type.element_type, op).name for v in (op.operands[0], op.results[0])]
    kernel = lookup("arith.bitcast").bind({}, kinds[:1], kinds[1:])
    index, out, place = source.index, slot.index, c.place(op)

    def step(f: Frame) -> None:
        f.regs[out] = kernel(defined(f.regs[index], "tensor.bitcast", place))

    c.emit(step)


# --- the same elements in another shape ----------------------------------------------------------


def _reshaped(value: Value, rank: int, shape: Sequence[int]) -> Value:
    if isinstance(value, Undefined):
        missing = None if value.missing is None else _reshaped(value.missing, rank, shape)
        return Undefined(_reshaped(value.data, rank, shape), missing)
    return value.reshape((*value.shape[: value.ndim - rank], *shape))


def _emit_reshape(
    c: Compiler, op: Op, source: Slot, slot: Slot, shape_of: Callable[[Frame, Any], Sequence[int]]
) -> None:
    index, rank, out, place = source.index, source.rank, slot.index, c.place(op)
    name = op.name

    def step(f: Frame) -> None:
        value = _tensor(f.regs[index])
        data = value.data if isinstance(value, Undefined) else value
        old = data.shape[data.ndim - rank :]
        shape = shape_of(f, old)
        if np.prod(shape, dtype=np.int64) != np.prod(old, dtype=np.int64):
            raise errors.SHAPES_DIFFER.error(place, op=name, got=list(old), want=list(shape))
        f.regs[out] = _reshaped(value, rank, shape)

    c.emit(step)


@builds("tensor.expand_shape")
def _expand(c: Compiler, op: Op) -> None:
    source, *dynamic = c.operands(op)
    c.uniform(op, "a size of tensor.expand_shape", *dynamic)
    slot = c.result(op, source, *dynamic)
    static = [int(n) for n in op.attributes["static_output_shape"]]
    slots = iter(dynamic)
    parts = [next(slots).index if n == DYNAMIC else None for n in static]

    def shape(f: Frame, _: Any) -> list[int]:
        return [n if s is None else int(f.regs[s]) for n, s in zip(static, parts, strict=True)]

    _emit_reshape(c, op, source, slot, shape)


@builds("tensor.collapse_shape")
def _collapse(c: Compiler, op: Op) -> None:
    (source,) = c.operands(op)
    slot = c.result(op, source)
    groups: Any = text.value_of(op.attributes["reassociation"])
    # one element needs no groups: then there is no dimension to collapse to
    if slot.rank and [d for group in groups for d in group] != list(range(source.rank)):
        raise c.fail(op, "its groups must name every dimension once, in order")

    def shape(_: Frame, old: Sequence[int]) -> list[int]:
        return [int(np.prod([old[d] for d in group], dtype=np.int64)) for group in groups]

    _emit_reshape(c, op, source, slot, shape)


@builds("tensor.reshape")
def _reshape(c: Compiler, op: Op) -> None:
    source, sizes = c.operands(op)
    slot = c.result(op, source, sizes)
    if None in slot.shape:
        c.uniform(op, "the shape of tensor.reshape", sizes)
    index, place = sizes.index, c.place(op)

    def shape(f: Frame, _: Any) -> list[int]:
        asked = defined(f.regs[index], "tensor.reshape", place).reshape(-1, slot.rank)
        for size in asked:
            fits = all(n in (None, m) for n, m in zip(slot.shape, size.tolist(), strict=True))
            if not fits:
                want = ["?" if n is None else n for n in slot.shape]
                raise errors.SHAPES_DIFFER.error(
                    place, op="tensor.reshape", got=size.tolist(), want=want
                )
        return [int(n) for n in asked[0]] if slot.rank else []

    _emit_reshape(c, op, source, slot, shape)


@builds("tensor.cast")
def _cast(c: Compiler, op: Op) -> None:
    """Static sizes become unknown or the other way round; they are checked."""
    (source,) = c.operands(op)
    slot = c.result(op, source)

    def shape(_: Frame, old: Sequence[int]) -> list[int]:
        return [o if n is None else n for n, o in zip(slot.shape, old, strict=True)]

    _emit_reshape(c, op, source, slot, shape)


@builds("tensor.concat")
def _concat(c: Compiler, op: Op) -> None:
    sources = c.operands(op)
    slot = c.result(op, *sources)
    axis = int(op.attributes["dim"]) - slot.rank
    indices, rank, out, place = [s.index for s in sources], slot.rank, slot.index, c.place(op)

    def step(f: Frame) -> None:
        values = [f.regs[i] for i in indices]
        data = [v.data if isinstance(v, Undefined) else v for v in values]
        joined = _joined(data, rank, axis, place)
        if not any(isinstance(v, Undefined) for v in values):
            f.regs[out] = joined
            return
        masks = [
            v.mask if isinstance(v, Undefined) else np.zeros(v.shape, np.bool_) for v in values
        ]
        f.regs[out] = Undefined.of(joined, _joined(masks, rank, axis, place))

    c.emit(step)


def _joined(parts: Sequence[Array], rank: int, axis: int, place: Any) -> Array:
    batch = max(p.shape[0] if p.ndim > rank else 0 for p in parts)
    if batch:
        parts = [p if p.ndim > rank else np.broadcast_to(p, (batch, *p.shape)) for p in parts]
    try:
        return np.concatenate(parts, axis=axis)
    except ValueError:
        shapes = [list(p.shape[p.ndim - rank :]) for p in parts]
        raise errors.SHAPES_DIFFER.error(
            place, op="tensor.concat", got=shapes[-1], want=shapes[0]
        ) from None


@builds("tensor.pad")
def _pad(c: Compiler, op: Op) -> None:
    (source,), low, high = c.segments(op, 3)
    c.uniform(op, "a width of tensor.pad", *low, *high)
    body, outside = read_body(c, op, {})
    slot = c.result(op, source, *low, *high, *outside)
    lows = _widths(op, "static_low", low)
    highs = _widths(op, "static_high", high)
    index, rank, out, place, room = source.index, source.rank, slot.index, c.place(op), c.room

    def step(f: Frame) -> None:
        value = defined(f.regs[index], "tensor.pad", place)
        before, after = lows(f), highs(f)
        for dim, width in enumerate((*before, *after)):
            if width < 0:
                size = value.shape[value.ndim - rank + dim % max(rank, 1)]
                check_range(width, 1, size, dim % max(rank, 1), "tensor.pad", "width", place, f)
        inner = value.shape[value.ndim - rank :]
        extents = tuple(b + n + a for b, n, a in zip(before, inner, after, strict=True))
        room.check(extents, value.dtype.itemsize, "tensor.pad", place)
        grids = list(np.ogrid[tuple(slice(0, n) for n in extents)]) if extents else []
        filling = np.asarray(body.run(grids, Loops(f, extents))[0])
        lead = value.shape[: value.ndim - rank] or filling.shape[: max(0, filling.ndim - rank)]
        result = np.broadcast_to(filling, (*lead, *extents)).copy()
        box = tuple(slice(b, b + n) for b, n in zip(before, inner, strict=True))
        result[(..., *box)] = value
        f.regs[out] = result

    c.emit(step)


def _widths(op: Op, name: str, dynamic: Sequence[Slot]) -> Callable[[Frame], list[int]]:
    static = [int(n) for n in op.attributes[name]]
    slots = iter(dynamic)
    parts = [next(slots).index if n == DYNAMIC else None for n in static]
    return lambda f: [
        n if s is None else int(f.regs[s]) for n, s in zip(static, parts, strict=True)
    ]
