"""Views, loads, stores and transfers: from instructions to ports and the steps that use them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrelang.engines.fast.builder import MASK, Builder, Cell, NotAxis, Use, Vector, ViewValue
from spyrelang.engines.fast.counts import Count
from spyrelang.engines.fast.indices import evaluate
from spyrelang.engines.fast.linear import Frame, Lin, compile_value
from spyrelang.engines.fast.ports import Coordinate, Port, Side
from spyrelang.engines.fast.transfers import transfer_step
from spyrelang.errors import Location
from spyrelang.errors.engine import BAD_PROGRAM
from spyrelang.isa.program import Access, Axis, Load, Store, Transfer, View
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


@dataclass(frozen=True)
class WindowAxis:
    """One axis of a window: of an enclosing array axis, or of the access's own pattern. `most` is
    the largest extent it can have, where known."""

    count: Count
    most: int | None
    steps: tuple[tuple[int, ...], ...]  # per side, per view coordinate
    loop: int = -1  # number of the enclosing array axis
    lin: Lin | None = None  # extent, where units may differ


@dataclass(frozen=True)
class Place:
    """A start coordinate in a view, as linear forms."""

    view: ViewValue
    index: tuple[Lin, ...]

    @property
    def size(self) -> int:
        return dtypes.get(self.view.dtype).bytes

    @property
    def address(self) -> Lin:
        """In bytes, array axes included."""
        total = self.view.start
        for coordinate, stride in zip(self.index, self.view.strides, strict=True):
            total = total.plus(coordinate, stride * self.size)
        return total

    def stride(self, steps: Sequence[int]) -> int:
        """Bytes that a step of the coordinates moves."""
        pairs = zip(steps, self.view.strides, strict=True)
        return sum(step * stride for step, stride in pairs) * self.size


def _place(b: Builder, access: Access, dtype: str, location: Location | None) -> Place:
    view_value = b.view(access.view)
    operands = [b.lin(r) for r in access.operands]
    index = tuple(evaluate(b, e, operands, location) for e in access.index)
    if len(index) != len(view_value.shape):
        reason = f"{len(index)} subscripts for a view of {len(view_value.shape)} dimensions"
        raise BAD_PROGRAM.error(location, reason=reason)
    if dtypes.get(view_value.dtype).bytes != dtypes.get(dtype).bytes:
        reason = f"an access of {dtype} in a view of {view_value.dtype}"
        raise BAD_PROGRAM.error(location, reason=reason)
    return Place(view_value, index)


def _pattern(b: Builder, axes: Sequence[Axis], sides: int, first: int) -> list[WindowAxis]:
    """The axes of an access pattern; `first`: whether side 0 is the source (0) or target (1)."""
    found: list[WindowAxis] = []
    for axis in axes:
        steps = (axis.source_step, axis.target_step)[first : first + sides]
        if axis.dynamic:
            extent = b.lin(axis.extent)
            if extent.on_axis:
                raise NotAxis
            if extent.value is None:
                value = compile_value(extent)
                varying = None if extent.is_uniform else extent
                count = value if varying is None else _largest(value)
                bounds = extent.bounds()
                most = None if bounds is None else max(0, bounds[1])
                found.append(WindowAxis(count, most, steps, lin=varying))
                continue
            found.append(WindowAxis(extent.value, extent.value, steps))
        elif axis.extent != 1:
            found.append(WindowAxis(axis.extent, axis.extent, steps))
    return found


def _largest(value: Callable[[Frame], Any]) -> Callable[[Frame], int]:
    return lambda f: int(np.max(value(f)))


def _loop_axes(b: Builder, places: Sequence[Place]) -> list[WindowAxis]:
    """One window axis for each enclosing array axis; coordinates move as their terms say."""
    found: list[WindowAxis] = []
    for number, axis in enumerate(b.axes):
        steps = tuple(tuple(lin.terms.get(axis.slot, 0) for lin in place.index) for place in places)
        found.append(WindowAxis(axis.length, axis.most, steps, number))
    return found


def _start_strides(b: Builder, place: Place) -> list[int]:
    """Bytes per trip of each array axis, from the whole address (a view may move too)."""
    address = place.address
    return [address.terms.get(axis.slot, 0) for axis in b.axes]


def _without_axes(lin: Lin) -> Lin:
    return Lin(lin.const, {s: c for s, c in lin.terms.items() if s.kind != "axis"})


def _side(
    place: Place,
    number: int,
    window: Sequence[WindowAxis],
    strides: Sequence[int],
    writes: bool,
    address: Lin,
) -> Side:
    coordinates = tuple(
        c
        for dim, lin in enumerate(place.index)
        if (c := _coordinate(place, dim, lin, number, window)) is not None
    )
    space, rows = place.view.space, place.view.rows
    return Side(space, rows, _without_axes(address), tuple(strides), coordinates, writes)


def _coordinate(
    place: Place, dim: int, lin: Lin, number: int, window: Sequence[WindowAxis]
) -> Coordinate | None:
    """The check of one coordinate, or None where it can only pass."""
    size = place.view.shape[dim]
    if size < 0:  # unbounded
        return None
    steps = tuple(axis.steps[number][dim] for axis in window)
    start = _without_axes(lin)
    bounds = start.bounds()
    if bounds is not None and all(
        a.most is not None for a, s in zip(window, steps, strict=True) if s
    ):
        low, high = bounds
        for axis, step in zip(window, steps, strict=True):
            reach = (max(1, axis.most or 1) - 1) * step
            low, high = low + min(0, reach), high + max(0, reach)
        if low >= 0 and high < size:
            return None
    return Coordinate(dim, start, size, steps)


def _port(
    b: Builder,
    sides: Sequence[Side],
    window: Sequence[WindowAxis],
    dtype: np.dtype[Any],
    location: Location | None,
) -> Port:
    unit = b.executable.machine.units[b.units[0]].name
    counts = tuple(axis.count for axis in window)
    port = Port(tuple(sides), counts, dtype, unit, location)
    b.ports.append(port)
    return port


def _note(b: Builder, port: Port, lins: Sequence[Lin], inner: Sequence[Any]) -> None:
    """Remember the sides for the dependence tests of the nest."""
    if b.nest is None:
        return
    for number, lin in enumerate(lins):
        strides = port.sides[number].strides[len(port.counts) - len(inner) :]
        pattern = tuple((a.count, s) for a, s in zip(inner, strides, strict=True))
        b.nest.uses.append(Use(port, number, lin, pattern))


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
    place = _place(b, op.access, op.dtype, location)
    return _Target(place, tuple(_pattern(b, op.axes, 1, int(writes))), op.dtype, location)


def _single(b: Builder, target: _Target, lanes: int, writes: bool) -> Single:
    """The port of a load (or store) at the current depth."""
    place, inner = target.place, target.pattern
    loops = _loop_axes(b, [place])
    by_loop = _start_strides(b, place)
    moving = tuple(i for i, stride in enumerate(by_loop) if stride)
    window = [*(loops[i] for i in moving), *inner]
    strides = [by_loop[i] for i in moving] + [place.stride(a.steps[0]) for a in inner]
    side = _side(place, 0, window, strides, writes, place.address)
    port = _port(b, [side], window, dtypes.get(target.dtype).numpy, target.location)
    _note(b, port, [place.address], inner)
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
    places = [_place(b, a, op.dtype, location) for a in (op.source, op.target)]
    inner = _pattern(b, op.axes, 2, 0)
    loops = _loop_axes(b, places)
    by_loop = [_start_strides(b, place) for place in places]
    by_axis = [[p.stride(a.steps[i]) for a in inner] for i, p in enumerate(places)]
    addresses = [place.address for place in places]
    address = addresses[0]
    for axis, stride, target in zip(b.axes, by_loop[0], by_loop[1], strict=True):
        if stride and not target:  # every trip writes the same bytes: the last one stays
            address = address.plus(Lin(-1, {axis.count: 1}), stride)
    moving = [i for i in range(b.depth) if by_loop[1][i]]
    window = [*(loops[i] for i in moving), *inner]
    sides = [
        _side(
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
    port = _port(b, sides, window, raw, location)
    _note(b, port, addresses, inner)
    varying = [(len(moving) + i, a.lin) for i, a in enumerate(inner) if a.lin is not None]
    b.emit(transfer_step(b, port, varying))
