"""Subscripts: one per axis, as starts and static extents, proved to stay inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from spyrelang.errors import trace as errors
from spyrelang.language.conditions import integer_of
from spyrelang.language.domain import interval, points
from spyrelang.language.graph import IndexNode
from spyrelang.language.index import Index, as_integer, difference
from spyrelang.language.tensor import Arithmetic
from spyrelang.language.tracing import Trace, fail, kind_of


@dataclass(frozen=True)
class Axes:
    """What is subscripted: its name in errors, and its shape."""

    name: str
    shape: tuple[int, ...]

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def whole_text(self) -> str:
        """How to write all of it."""
        return f"{self.name}[{', '.join(':' * self.rank) or '...'}]"


def expanded(of: Axes, items: tuple[object, ...]) -> list[object]:
    """The subscripts with `...` written out, one per axis of the view besides every None. Axes at
    the end that have none are whole, as in numpy."""
    given = sum(1 for i in items if i is not None and i is not Ellipsis)
    dots = [at for at, item in enumerate(items) if item is Ellipsis]
    missing = of.rank - given
    if missing < 0 or len(dots) > 1:
        hint = f"write at most one subscript per axis, like {of.whole_text()}"
        if len(dots) > 1:
            hint = "`...` stands for all axes that are left: write it once"
        fail(errors.SUBSCRIPT_COUNT, name=of.name, rank=of.rank, given=given, hint=hint)
    at = dots[0] if dots else len(items)
    return [*items[:at], *[slice(None)] * missing, *items[at + 1 :]]


def part(of: Axes, axis: int, item: object) -> tuple[Index | int, int, bool]:
    """Start, extent and whether the axis is kept, for one subscript."""
    if isinstance(item, slice):
        return (*_between(of, axis, of.shape[axis], item), True)
    return position(of, axis, item), 1, False


def position(of: Axes, axis: int, item: Any) -> Index | int:
    """An integer, traced or not."""
    if isinstance(item, Index):
        return item
    if isinstance(item, Arithmetic):
        return integer_of(item, f"a subscript of '{of.name}'")
    value = as_integer(item)
    if value is None:
        _refuse_subscript(of, axis, item)
    if value < 0:
        hint = f"write {of.name}.shape[{axis}] - {-value}"
        fail(errors.NEGATIVE_INDEX, name=of.name, axis=axis, value=value, hint=hint)
    return value


def _refuse_subscript(of: Axes, axis: int, item: object) -> NoReturn:
    got = f"{item!r}" if isinstance(item, (bool, float, str)) else kind_of(item)
    hint = "divide integers with //" if isinstance(item, float) else None
    if isinstance(item, list) or hasattr(item, "__array_interface__"):
        hint = f"gather by a tensor of positions: {of.name}[spy.ind(rows[0:2]), …]"
    fail(errors.SUBSCRIPT_TYPE, name=of.name, axis=axis, got=got, hint=hint)


def _between(of: Axes, axis: int, size: int, item: slice) -> tuple[Index | int, int]:
    """Start and static extent of a slice."""
    if item.step is not None and as_integer(item.step) != 1:
        fail(errors.SLICE_STEP, name=of.name, axis=axis)
    start = 0 if item.start is None else position(of, axis, item.start)
    stop = size if item.stop is None else position(of, axis, item.stop)
    extent = difference(stop, start)
    if extent is None:
        fail(errors.SLICE_EXTENT, name=of.name, axis=axis)
    if extent < 0:
        fail(errors.SLICE_BACKWARDS, name=of.name, axis=axis, extent=extent)
    return start, extent


def check_inside(
    trace: Trace,
    name: str,
    origin: Sequence[IndexNode | int],
    extents: Sequence[int],
    shape: Sequence[int],
) -> None:
    """Refuse a tile that leaves its view for some tile id or iteration that really occurs.

    Intervals prove most cases; where they cannot, the executions are enumerated. Kernels with too
    many of those are left to the engines' own bounds checks.
    """
    for axis, (start, extent, size) in enumerate(zip(origin, extents, shape, strict=True)):
        bounds = interval(trace, start)
        if bounds.low >= 0 and bounds.high + extent <= size:
            continue
        found = points(trace, trace.block)
        if found is not None and not found.knows(start):
            continue
        if isinstance(start, int) and (found is None or found.count):
            _past_view(name, axis, start, extent, size, "")
        if found is None:
            continue
        starts = found.eval(start)
        bad = (starts < 0) | (starts + extent > size)
        if bad.any():
            at = int(bad.argmax())
            _past_view(
                name, axis, int(starts[at]), extent, size, f" (first on {found.describe(at)})"
            )


def _past_view(name: str, axis: int, start: int, extent: int, size: int, when: str) -> NoReturn:
    covered = f"elements {start} to {start + extent - 1}" if extent != 1 else f"element {start}"
    fail(
        errors.TILE_PAST_VIEW,
        name=name,
        axis=axis,
        covered=covered,
        size=size,
        when=when,
    )
