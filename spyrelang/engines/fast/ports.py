"""Memory accesses of one class of units: addresses, bounds and numpy windows.

A `Side` is one end of an access: where its first element lies and how far each window axis moves
it. A `Port` joins one side (load, store) or two (transfer) over common axes and keeps the windows
it has built: a launch that comes back to the same place pays one dictionary look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spyrelang.engines.fast.linear import Frame, Ints, Lin, Slot, compile_value
from spyrelang.engines.fast.segments import Segment, segment
from spyrelang.engines.fast.spaces import DeviceSpace, LocalSpace
from spyrelang.errors import Location
from spyrelang.errors.engine import MISALIGNED, VIEW_BOUNDS, negative_extent

Array = np.ndarray[Any, np.dtype[Any]]
Count = Callable[[Frame], int]
_KEPT = 512


@dataclass(frozen=True, eq=False)
class Coordinate:
    """A subscript to check: `lin` plus what the axes add must stay in [0, size)."""

    dim: int
    lin: Lin
    size: int
    steps: tuple[int, ...]


@dataclass(eq=False)
class Side:
    """One end of an access. `address` is in bytes, `strides` one per window axis in bytes."""

    space: DeviceSpace | LocalSpace
    rows: tuple[tuple[int, int], ...]  # (machine memory, machine unit) of each unit of the class
    address: Lin
    strides: tuple[int, ...]
    coordinates: tuple[Coordinate, ...]
    writes: bool = False
    at: Callable[[Frame], int] = field(init=False)
    units_slots: list[tuple[Slot, int]] = field(init=False)

    def __post_init__(self) -> None:
        uniform = {s: c for s, c in self.address.terms.items() if s.kind == "uniform"}
        self.at = compile_value(Lin(0, uniform))
        self.units_slots = [(s, c) for s, c in self.address.terms.items() if s.kind == "units"]
        self.checks = [(c, compile_value(c.lin)) for c in self.coordinates]

    @property
    def stable(self) -> bool:
        """Whether the differences between units stay the same for a launch."""
        return all(s.fixed for s, _ in self.units_slots)

    def offsets(self, f: Frame) -> tuple[Ints, Ints]:
        """Per unit: the address inside its row, and the address of its row."""
        inside = np.broadcast_to(np.asarray(self.address.const, np.int64), (len(self.rows),))
        for slot, factor in self.units_slots:
            inside = inside + factor * np.asarray(f[slot.index])
        row = self.space.row
        return inside, np.array([row(m, u) for m, u in self.rows], np.int64)


def reach(counts: Sequence[int], strides: Sequence[int]) -> tuple[int, int]:
    """How far the first elements go below and above the start."""
    low = high = 0
    for count, stride in zip(counts, strides, strict=True):
        if stride < 0:
            low += (count - 1) * stride
        else:
            high += (count - 1) * stride
    return low, high


def injective(counts: Sequence[int], strides: Sequence[int], size: int) -> bool:
    """Whether no two points share a byte; a sufficient test, exact for nested strides."""
    span = size
    pairs = sorted((abs(s), n) for n, s in zip(counts, strides, strict=True) if n > 1)
    for stride, count in pairs:
        if stride < span:
            return False
        span += (count - 1) * stride
    return True


@dataclass(eq=False)
class _Layout:
    """The units' part of the addresses of a port, for one launch."""

    epoch: int
    segments: list[Segment]
    lows: list[int]
    highs: list[int]


@dataclass(eq=False)
class Port:
    """An access of one or two sides by all units of a class.

    `counts` gives the extent of each window axis (an int, or a function of the frame).
    """

    sides: tuple[Side, ...]
    counts: tuple[int | Count, ...]
    dtype: np.dtype[Any]
    unit: str
    location: Location | None
    windows: dict[tuple[int, ...], list[tuple[Segment, tuple[Array, ...]]]] = field(
        default_factory=dict[Any, Any]
    )
    _layout: _Layout | None = None
    _parts: dict[tuple[Any, ...], Array] = field(default_factory=dict[Any, Any])

    def __post_init__(self) -> None:
        self.dynamic = [(i, c) for i, c in enumerate(self.counts) if callable(c)]
        self.fixed_counts = tuple(c if isinstance(c, int) else 0 for c in self.counts)
        self.stable = all(s.stable for s in self.sides)
        self.ats = [s.at for s in self.sides]
        self.checked = any(s.coordinates for s in self.sides)

    def extents(self, f: Frame) -> tuple[int, ...]:
        """The current extent of every axis. Raises SPY524."""
        if not self.dynamic:
            return self.fixed_counts
        counts = list(self.fixed_counts)
        for index, count in self.dynamic:
            counts[index] = value = count(f)
            if value < 0:
                raise negative_extent(self.location, value, index)
        return tuple(counts)

    def open(
        self, f: Frame, counts: tuple[int, ...], subset: NDArray[np.intp] | None = None
    ) -> list[tuple[Segment, tuple[Array, ...]]]:
        """Windows [unit dims…, axes…] for every side, segment by segment.

        `subset` restricts the units. Raises SPY501, SPY502, SPY503, SPY506.
        """
        if subset is not None or not self.stable:
            return self._build(f, counts, subset, self._measure(f, subset))
        layout = self._layout
        if layout is None or layout.epoch != self._epoch():
            layout = self._layout = self._measure(f, None)
            self.windows.clear()
            self._parts.clear()
        key = (self.ats[0](f), self.ats[-1](f), *counts)
        found = self.windows.get(key)
        if found is not None:
            if self.checked:
                self._check_coordinates(f, counts, None)
        else:
            found = self._build(f, counts, None, layout)
            if len(self.windows) > _KEPT:
                self.windows.clear()
            self.windows[key] = found
        return found

    def forget(self) -> None:
        """Drop what depends on the launch: device addresses, and symbols that differ by unit."""
        if any(s.units_slots for s in self.sides):
            self._layout = None
        if self._layout is None or any(isinstance(s.space, DeviceSpace) for s in self.sides):
            self.windows.clear()
            self._parts.clear()

    def _measure(self, f: Frame, subset: NDArray[np.intp] | None) -> _Layout:
        columns: list[Ints] = []
        lows: list[int] = []
        highs: list[int] = []
        for side in self.sides:
            inside, rows = side.offsets(f)
            if subset is not None:
                inside, rows = inside[subset], rows[subset]
            lows.append(int(inside.min()))
            highs.append(int(inside.max()))
            columns.append(inside + rows)
        return _Layout(self._epoch(), segment(columns), lows, highs)

    def _epoch(self) -> int:
        """A number that changes whenever a buffer of one of the spaces does."""
        return sum([s.space.epoch for s in self.sides])

    def _build(
        self,
        f: Frame,
        counts: tuple[int, ...],
        subset: NDArray[np.intp] | None,
        layout: _Layout,
    ) -> list[tuple[Segment, tuple[Array, ...]]]:
        if self.checked:
            self._check_coordinates(f, counts, subset)
        offsets = [at(f) for at in self.ats]
        for k, side in enumerate(self.sides):
            low, high = reach(counts, side.strides)
            first = layout.lows[k] + offsets[k] + low
            last = layout.highs[k] + offsets[k] + high + self.dtype.itemsize
            side.space.check(first, last, self.location)
        if layout.epoch != self._epoch():  # a memory grew
            layout = self._measure(f, subset)
            if subset is None and self.stable:
                self._layout = layout
            self.windows.clear()
            self._parts.clear()
        result: list[tuple[Segment, tuple[Array, ...]]] = []
        for part in layout.segments:
            result += self._windows(part, offsets, counts)
        return result

    def _windows(
        self, part: Segment, offsets: list[int], counts: tuple[int, ...]
    ) -> list[tuple[Segment, tuple[Array, ...]]]:
        arrays: list[Array] = []
        for k, side in enumerate(self.sides):
            window = self._window(part, k, side, offsets[k], counts)
            if window is None:
                return self._apart(part, offsets, counts)
            arrays.append(window)
        return [(part, tuple(arrays))]

    def _window(
        self, part: Segment, k: int, side: Side, offset: int, counts: tuple[int, ...]
    ) -> Array | None:
        start = part.bases[k] + offset
        key = (k, start, part.dims, part.strides[k], counts, side.space.epoch)
        found = self._parts.get(key)
        if found is None:
            strides = (*part.strides[k], *side.strides)
            found = self._fresh(part, side, start, (*part.dims, *counts), strides)
            if found is not None:
                if len(self._parts) > _KEPT:
                    self._parts.clear()
                self._parts[key] = found
        return found

    def _fresh(
        self,
        part: Segment,
        side: Side,
        start: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
    ) -> Array | None:
        low, high = reach(shape, strides)
        size = self.dtype.itemsize
        found = side.space.resolve(start + low, start + high + size)
        if found is None:
            if part.stop - part.start == 1 and isinstance(side.space, DeviceSpace):
                side.space.refuse(start + low, start + high + size, self.location)
            return None
        buffer, origin, region = found
        self._check_alignment(start, strides, side)
        if side.writes:
            defined = side.space.writing(region, self.unit, self.location)
            if defined is not None:
                _mark(defined, shape, strides, start - origin, size)
        return np.ndarray(shape, self.dtype, buffer.data, start - origin, strides)

    def _apart(
        self, part: Segment, offsets: list[int], counts: tuple[int, ...]
    ) -> list[tuple[Segment, tuple[Array, ...]]]:
        """Unit by unit, where the units of a segment lie in several regions."""
        if part.stop - part.start == 1:
            raise AssertionError("a single unit's window was refused without an error")
        result: list[tuple[Segment, tuple[Array, ...]]] = []
        for number, point in enumerate(np.ndindex(*part.dims)):
            bases = tuple(
                base + sum(i * s for i, s in zip(point, strides, strict=True))
                for base, strides in zip(part.bases, part.strides, strict=True)
            )
            start = part.start + number
            single = Segment(start, start + 1, (1,), bases, tuple((0,) for _ in bases))
            result += self._windows(single, offsets, counts)
        return result

    def _check_alignment(self, start: int, strides: Sequence[int], side: Side) -> None:
        size = self.dtype.itemsize
        if start % size == 0 and not any(s % size for s in strides):
            return
        raise MISALIGNED.error(
            self.location, address=start, memory=_name(side), size=size, dtype=self.dtype.name
        )

    def _check_coordinates(
        self, f: Frame, counts: tuple[int, ...], subset: NDArray[np.intp] | None
    ) -> None:
        for side in self.sides:
            for coordinate, value in side.checks:
                start: Any = value(f)
                if subset is not None and isinstance(start, np.ndarray):
                    start = start[subset]
                low, high = reach(counts, coordinate.steps)
                first, last = int(np.min(start)) + low, int(np.max(start)) + high
                if first < 0 or last >= coordinate.size:
                    raise VIEW_BOUNDS.error(
                        self.location,
                        coordinate=first if first < 0 else last,
                        dim=coordinate.dim,
                        size=coordinate.size,
                    )

    def interval(self, f: Frame, k: int, low: int, high: int) -> tuple[Ints, Ints]:
        """Per unit: first and last byte of side k, from `low` to `high` around its start."""
        inside, rows = self.sides[k].offsets(f)
        start = inside + rows + self.ats[k](f)
        return start + low, start + high


def _name(side: Side) -> str:
    space = side.space
    return space.memory.name if isinstance(space, DeviceSpace) else space.name


def _mark(
    defined: NDArray[np.uint8],
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    start: int,
    size: int,
) -> None:
    """Note the bytes of a window as written."""
    np.ndarray((*shape, size), np.uint8, defined.data, start, (*strides, 1))[...] = 1
