"""From accesses of instructions to window axes, sides and ports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrelang.engines.fast.builder import Builder, NotAxis, Use, ViewValue
from spyrelang.engines.fast.counts import Count
from spyrelang.engines.fast.indices import evaluate
from spyrelang.engines.fast.linear import Frame, Lin, compile_value
from spyrelang.engines.fast.ports import Coordinate, Port, Side
from spyrelang.errors import Location
from spyrelang.errors.engine import BAD_PROGRAM
from spyrelang.isa.program import Access, Axis
from spyrelang.semantics import dtypes


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


def place_of(b: Builder, access: Access, dtype: str, location: Location | None) -> Place:
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


def pattern_axes(b: Builder, axes: Sequence[Axis], sides: int, first: int) -> list[WindowAxis]:
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


def loop_axes(b: Builder, places: Sequence[Place]) -> list[WindowAxis]:
    """One window axis for each enclosing array axis; coordinates move as their terms say."""
    found: list[WindowAxis] = []
    for number, axis in enumerate(b.axes):
        steps = tuple(tuple(lin.terms.get(axis.slot, 0) for lin in place.index) for place in places)
        found.append(WindowAxis(axis.length, axis.most, steps, number))
    return found


def loop_strides(b: Builder, place: Place) -> list[int]:
    """Bytes per trip of each array axis, from the whole address (a view may move too)."""
    address = place.address
    return [address.terms.get(axis.slot, 0) for axis in b.axes]


def _without_axes(lin: Lin) -> Lin:
    return Lin(lin.const, {s: c for s, c in lin.terms.items() if s.kind != "axis"})


def side_of(
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


def port_of(
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


def note_uses(b: Builder, port: Port, lins: Sequence[Lin], inner: Sequence[Any]) -> None:
    """Remember the sides for the dependence tests of the nest."""
    if b.nest is None:
        return
    for number, lin in enumerate(lins):
        strides = port.sides[number].strides[len(port.counts) - len(inner) :]
        pattern = tuple((a.count, s) for a, s in zip(inner, strides, strict=True))
        b.nest.uses.append(Use(port, number, lin, pattern))
