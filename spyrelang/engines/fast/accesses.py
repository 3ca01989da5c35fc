"""Views, loads, stores and transfers: from instructions to ports and the steps that use them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrelang.engines.fast.builder import MASK, Builder, Cell, NotAxis, Vector, ViewValue
from spyrelang.engines.fast.counts import Count
from spyrelang.engines.fast.linear import Frame, Lin
from spyrelang.engines.fast.ports import Port
from spyrelang.engines.fast.transfers import transfer_step
from spyrelang.engines.fast.windows import (
    Place,
    WindowAxis,
    loop_axes,
    loop_strides,
    note_uses,
    pattern_axes,
    place_of,
    port_of,
    side_of,
)
from spyrelang.errors import Location
from spyrelang.errors.engine import BAD_PROGRAM
from spyrelang.isa.program import Load, Store, Transfer, View
from spyrelang.semantics import dtypes

Array = np.ndarray[Any, np.dtype[Any]]


def view(b: Builder, op: View) -> None:
    """dst = a window on a memory."""
    memories = b.each(op.memories)
    keys = {b.spaces.key(m) for m in memories}
    if len(keys) > 1:
        reason = "a view lies in memories of several kinds"
        raise BAD_PROGRAM.error(b.location(op.loc), reason=reason)
    size = dtypes.get(op.dtype).bytes
    start = b.lin(op.start).scaled(op.scale).shifted(op.base * size)
    rows = tuple(zip(memories, b.units, strict=True))
    space = b.spaces.space(memories[0])
    b.env[op.dst] = ViewValue(space, rows, start, op.shape, op.strides, op.dtype)


# --- load and store ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Single:
    """A load or store, ready for its step: `moving` are the array axes in the window."""

    port: Port
    moving: tuple[int, ...]
    lanes: int


@dataclass(frozen=True)
class _Target:
    """Where a load or store of several vectors goes: the place and the access pattern."""

    place: Place
    pattern: tuple[WindowAxis, ...]
    dtype: str
    location: Location | None

    @property
    def inner(self) -> tuple[tuple[Count, int], ...]:
        """(count, byte stride) of the pattern's axes."""
        return tuple((a.count, self.place.stride(a.steps[0])) for a in self.pattern)


def _target(b: Builder, op: Load | Store, writes: bool) -> _Target:
    location = b.location(op.loc)
    place = place_of(b, op.access, op.dtype, location)
    return _Target(place, tuple(pattern_axes(b, op.axes, 1, int(writes))), op.dtype, location)


def _single(b: Builder, target: _Target, lanes: int, writes: bool) -> Single:
    """The port of a load (or store) at the current depth."""
    place, inner = target.place, target.pattern
    loops = loop_axes(b, [place])
    by_loop = loop_strides(b, place)
    moving = tuple(i for i, stride in enumerate(by_loop) if stride)
    window = [*(loops[i] for i in moving), *inner]
    strides = [by_loop[i] for i in moving] + [place.stride(a.steps[0]) for a in inner]
    side = side_of(place, 0, window, strides, writes, place.address)
    port = port_of(b, [side], window, dtypes.get(target.dtype).numpy, target.location)
    note_uses(b, port, [place.address], inner)
    return Single(port, moving, lanes)


def _cell(b: Builder, target: _Target) -> Cell | None:
    """The cell that holds what is at `target`, in this axis or around it."""
    view, address, inner = target.place.view, target.place.address, target.inner
    for level in reversed(b.levels):
        for cell in level.cells:
            if (
                cell.rows == view.rows
                and cell.inner == inner
                and cell.value.dtype == target.dtype
                and cell.address.same(address)
            ):
                return cell
    return None


def _new_cell(b: Builder, target: _Target, value: Vector) -> Cell | None:
    """A cell for a store that comes first in every trip, at the same place in all of them."""
    if b.nest is None or b.masked or b.levels[-1].branching:
        return None
    address = target.place.address
    fixed = all(isinstance(count, int) for count, _ in target.inner)
    if b.axes[-1].slot in address.terms or b.axes[-1].trips == 1 or not fixed:
        return None
    before = len(b.nest.uses)
    access = _single(b, target, value.lanes, True)
    use = b.nest.uses[-1]
    if any(not o.writes and use.alike(o) for o in b.nest.uses[b.levels[-1].uses : before]):
        del b.nest.uses[before:]
        return None
    held = Vector(b.new(), b.depth, value.dtype, value.lanes)
    store = store_step(b, access, b.read(held))
    cell = Cell(target.place.view.rows, address, target.inner, held, store)
    b.levels[-1].cells.append(cell)
    return cell


def load(b: Builder, op: Load) -> None:
    """dst = vectors from memory."""
    target = _target(b, op, False)
    itemsize = dtypes.get(op.dtype).bytes
    cell = _cell(b, target)
    if cell is not None:
        read, held = b.read(cell.value), b.define(op.dst, op.dtype, op.lanes, itemsize)
        b.emit(lambda f: f.__setitem__(held, read(f)))
        return
    access = _single(b, target, op.lanes, False)
    dst = b.define(op.dst, op.dtype, op.lanes, itemsize)
    b.emit(_load_step(b, access, dst))


def _load_step(b: Builder, access: Single, dst: int) -> Callable[[Frame], None]:
    port, units, masked = access.port, b.size, b.masked
    axes = [access.moving.index(i) if i in access.moving else -1 for i in range(b.depth)]
    loops = len(access.moving)

    def step(f: Frame) -> None:
        counts = port.extents(f)
        subset = f[MASK] if masked else None
        parts = port.open(f, counts, subset)
        shape = (units, *[1 if i < 0 else counts[i] for i in axes], access.lanes)
        part, (window,) = parts[0]
        if len(parts) == 1 and subset is None:
            f[dst] = window.copy().reshape(shape)
            return
        packed = (*counts[:loops], access.lanes)
        array = np.zeros((units, *packed), port.dtype)
        for part, (window,) in parts:
            chosen = slice(part.start, part.stop)
            values = window.reshape(part.stop - part.start, *packed)
            array[chosen if subset is None else subset[chosen]] = values
        f[dst] = array.reshape(shape)

    return step


def store(b: Builder, op: Store) -> None:
    """Memory = vectors."""
    target, value = _target(b, op, True), b.vector(op.value)
    if value.dtype != op.dtype or value.lanes != op.lanes:
        reason = f"a store of {op.lanes}x{op.dtype} gets {value.lanes}x{value.dtype}"
        raise BAD_PROGRAM.error(target.location, reason=reason)
    cell = _cell(b, target) or _new_cell(b, target, value)
    if cell is None:
        b.emit(store_step(b, _single(b, target, op.lanes, True), b.read(value)))
        return
    if cell.value.depth != b.depth or b.masked:
        raise NotAxis  # a trip of the inner axis would read what another one wrote
    read, held = b.read(value), cell.value.index
    b.emit(lambda f: f.__setitem__(held, read(f)))


def store_step(
    b: Builder, access: Single, read: Callable[[Frame], Array]
) -> Callable[[Frame], None]:
    """The step that stores what `read` gives; of axes that do not move, the last trip stays."""
    port, units, masked = access.port, b.size, b.masked
    last: tuple[Any, ...] = (
        slice(None),
        *[slice(None) if i in access.moving else -1 for i in range(b.depth)],
        slice(None),
    )
    fixed = len(access.moving) == b.depth
    loops = len(access.moving)
    flat = len(port.counts) - loops == 1

    def step(f: Frame) -> None:
        counts = port.extents(f)
        subset = f[MASK] if masked else None
        value = read(f) if fixed else read(f)[last]
        if not flat:
            value = value.reshape(*value.shape[:-1], *counts[loops:])
        if value.shape[0] != units:
            value = np.broadcast_to(value, (units, *value.shape[1:]))
        for part, (window,) in port.open(f, counts, subset):
            chosen = slice(part.start, part.stop)
            values = value[chosen if subset is None else subset[chosen]]
            if len(part.dims) > 1:
                values = values.reshape(*part.dims, *values.shape[1:])
            window[...] = values

    return step


# --- transfers -----------------------------------------------------------------------------------


def transfer(b: Builder, op: Transfer) -> None:
    """Copy between two memories, complete at once."""
    location = b.location(op.loc)
    places = [place_of(b, a, op.dtype, location) for a in (op.source, op.target)]
    inner = pattern_axes(b, op.axes, 2, 0)
    loops = loop_axes(b, places)
    by_loop = [loop_strides(b, place) for place in places]
    by_axis = [[p.stride(a.steps[i]) for a in inner] for i, p in enumerate(places)]
    addresses = [place.address for place in places]
    address = addresses[0]
    for axis, stride, target in zip(b.axes, by_loop[0], by_loop[1], strict=True):
        if stride and not target:  # every trip writes the same bytes: the last one stays
            address = address.plus(Lin(-1, {axis.count: 1}), stride)
    moving = [i for i in range(b.depth) if by_loop[1][i]]
    window = [*(loops[i] for i in moving), *inner]
    sides = [
        side_of(
            place,
            n,
            window,
            [by_loop[n][i] for i in moving] + by_axis[n],
            n == 1,
            address if n == 0 else addresses[1],
        )
        for n, place in enumerate(places)
    ]
    size = dtypes.get(op.dtype).bytes
    raw = np.dtype(f"u{size}") if size in (1, 2, 4, 8) else dtypes.get(op.dtype).numpy
    port = port_of(b, sides, window, raw, location)
    note_uses(b, port, addresses, inner)
    varying = [(len(moving) + i, a.lin) for i, a in enumerate(inner) if a.lin is not None]
    b.emit(transfer_step(b, port, varying))
