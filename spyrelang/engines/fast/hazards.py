"""Whether the trips of an axis nest may run side by side, as far as memory is concerned.

Array execution runs each instruction for all trips before the next one. That gives the same result
when no two trips touch the same bytes, one of them writing. Two accesses that touch the same bytes
in the same trip are fine, because instructions keep their order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from spyrelang.engines.fast.builder import AxisLoop, NestState, NotAxis, Use
from spyrelang.engines.fast.counts import Count
from spyrelang.engines.fast.linear import Frame, Ints, Slot
from spyrelang.engines.fast.ports import Side, injective


def refuse_carried(uses: Sequence[Use], axis: AxisLoop) -> None:
    """Raise NotAxis when a cell is read and written again in each trip of `axis`."""
    if axis.trips == 1:
        return
    for write in uses:
        if not write.writes or axis.slot in write.lin.terms:
            continue
        for other in uses:
            if not other.writes and write.alike(other):
                raise NotAxis


@dataclass(frozen=True, eq=False)
class _Extent:
    """How far a use reaches in a whole nest: (trips, byte stride) of every axis it moves along."""

    use: Use
    axes: tuple[tuple[Count, int], ...]

    @property
    def side(self) -> Side:
        """The end of the access."""
        return self.use.port.sides[self.use.side]

    @property
    def constant(self) -> bool:
        """Whether all trips are known."""
        return all(isinstance(n, int) for n, _ in self.axes)

    def pairs(self, f: Frame) -> list[tuple[int, int]]:
        """(trips, stride) now."""
        return [(n if isinstance(n, int) else n(f), stride) for n, stride in self.axes]


def conflict_test(nest: NestState, outer: Slot, count: Count) -> Callable[[Frame], bool] | None:
    """The test made at the entry of the nest, or None where nothing can go wrong.

    `outer` is its outermost axis, of `count` trips. Raises NotAxis where a test is needed but the
    addresses cannot be bounded.
    """
    trips = {outer: count, **nest.counters}
    writes = [u for u in nest.uses if u.writes]
    pairs = [(w, o) for w in writes for o in nest.uses if o is not w and _may_meet(w, o)]
    if not writes:
        return None
    extents = {u: _extent(u, nest, trips) for u in dict.fromkeys([*writes, *sum(pairs, ())])}
    scattered = [e for u in writes if not _settled(e := extents[u])]
    reset = [slot.index for slot in nest.counters if slot.kind != "axis"]
    couples = [
        couple
        for w, o in pairs
        if _known_meeting(couple := (extents[w], extents[o]), trips) is not False
    ]
    if not couples and not scattered:
        return None

    def test(f: Frame) -> bool:
        for index in reset:
            f[index] = 0
        return any(not _apart(e.pairs(f), e) for e in scattered) or any(
            _meet(f, w, o) for w, o in couples
        )

    return test


def _may_meet(write: Use, other: Use) -> bool:
    mine, theirs = write.port.sides[write.side], other.port.sides[other.side]
    return mine.space is theirs.space and not write.alike(other)


def _extent(use: Use, nest: NestState, trips: dict[Slot, Count]) -> _Extent:
    loops: list[tuple[Count, int]] = []
    for slot, stride in use.lin.terms.items():
        if slot in trips:
            loops.append((trips[slot], stride))
        elif slot.nest == nest.number:
            raise NotAxis
    return _Extent(use, (*loops, *use.inner))


def _known_meeting(couple: tuple[_Extent, _Extent], trips: Mapping[Slot, Count]) -> bool | None:
    """Whether the bytes of both overlap, where that is the same in every run. Raises NotAxis when
    they always do."""
    write, other = couple
    if write.side.rows != other.side.rows or not (write.constant and other.constant):
        return None
    apart = write.use.lin.plus(other.use.lin, -1)
    if any(slot not in trips for slot in apart.terms):
        return None
    (a, b), (c, d) = _reach([], write), _reach([], other)
    gap = np.asarray(apart.const)
    if bool(((gap + a <= d) & (c <= gap + b)).any()):
        raise NotAxis
    return False


def _settled(extent: _Extent) -> bool:
    """Whether no two trips write the same bytes, whatever the frame holds."""
    return extent.constant and _apart(extent.pairs([]), extent)


def _apart(pairs: list[tuple[int, int]], extent: _Extent) -> bool:
    size = extent.use.port.dtype.itemsize
    return injective([n for n, _ in pairs], [stride for _, stride in pairs], size)


def _meet(f: Frame, write: _Extent, other: _Extent) -> bool:
    """Whether some unit's bytes of both overlap."""
    (a, b), (c, d) = _range(f, write), _range(f, other)
    return bool(((a <= d) & (c <= b)).any())


def _range(f: Frame, extent: _Extent) -> tuple[Ints, Ints]:
    use = extent.use
    return use.port.interval(f, use.side, *_reach(f, extent))


def _reach(f: Frame, extent: _Extent) -> tuple[int, int]:
    """The bytes around the first one: the lowest and the highest."""
    low = high = 0
    for count, stride in extent.pairs(f):
        reach = max(0, count - 1) * stride
        low, high = low + min(0, reach), high + max(0, reach)
    return low, high + extent.use.port.dtype.itemsize - 1
