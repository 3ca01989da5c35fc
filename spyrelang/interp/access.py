"""Moving data between memory and values, with every check that memory allows."""

from __future__ import annotations

from typing import Any

import numpy as np

from spyrelang.errors import Location, SpyreError
from spyrelang.errors import interp as errors
from spyrelang.interp.frame import Dependent, Frame
from spyrelang.interp.memory import MANY, SETTLED, Region
from spyrelang.interp.places import Places, Window
from spyrelang.interp.values import Array


def load(region: Region, places: Places, frame: Frame, where: Location | None) -> Array:
    """The elements at `places`, as a value that later stores do not change."""
    if not _empty(places):
        if region.undefined:
            _check_written(region, places, frame, where)
        region.note_read(places)
        if not region.stable:
            _note_reader(region, places, frame, where)
    found = places.read(region.data)
    if not region.stable and isinstance(places, Window):
        return found.copy()
    return found


def store(region: Region, places: Places, value: Array, frame: Frame, where: Any) -> None:
    """Write `value`, which broadcasts to the places."""
    if _empty(places):
        return
    if frame.trips is None:
        commit(region, places, value, frame, where)
    elif frame.size > 1 and not (places.batched and places.disjoint):
        raise Dependent
    else:
        frame.trips.append((region, places, value, frame, where))


def commit(region: Region, places: Places, value: Array, frame: Frame, where: Any) -> None:
    """Make a store."""
    _note_write(region, places, frame, where)
    places.write(region.data, value)
    region.stored = True


def _empty(places: Places) -> bool:
    return 0 in places.shape


def inside(places: Places, size: int, region: Region, frame: Frame, where: Any) -> None:
    """Raise SPY561 (scratchpads: SPY578) where a place is outside 0 to `size` - 1."""
    if _empty(places):
        return
    low, high = places.span()
    if int(low.min()) >= 0 and int(high.max()) < size:
        return
    row = int(np.argmax((low < 0) | (high >= size)))
    first, last = int(low.flat[row]), int(high.flat[row])
    tile = frame.tile(row)
    if region.local:
        each = region.data.dtype.itemsize
        raise errors.SCRATCHPAD.error(
            where,
            first=first * each,
            last=(last + 1) * each - 1,
            size=size * each,
            whose=f"compute tile {tile}",
        )
    raise errors.MEMORY_BOUNDS.error(
        where, tile=tile, first=first, last=last, memory=region.name, size=f"{size} elements"
    )


# --- what happened to which element --------------------------------------------------------------


def _ids(places: Places, frame: Frame) -> Array:
    """1 + the tile, for each tile of the batch, to broadcast against the places."""
    ids = frame.tiles + 1
    if places.batched:
        return ids.reshape(-1, *(1,) * (len(places.shape) - 1))
    return ids[0] if frame.size == 1 else np.array(MANY)


def _check_written(region: Region, places: Places, frame: Frame, where: Location | None) -> None:
    missing = places.read(region.owners()) == 0
    if not missing.any() or (region.local and frame.state.memory.pads_of_other_types(region)):
        return
    at = _first(missing)
    raise errors.UNWRITTEN_READ.error(
        where,
        tile=frame.tile(at[0] if places.batched else 0),
        index=_element(region, places, at),
        memory=region.name,
    )


def _note_reader(region: Region, places: Places, frame: Frame, where: Location | None) -> None:
    """Keep who read what: a later store by another tile would be a race."""
    if frame.state.tiles == 1:
        return
    ids = _ids(places, frame)
    if region.stored:
        owner = places.read(region.owners())
        clash = (owner > 0) & (owner != ids)
        if clash.any():
            at = _first(clash)
            frame.state.warn(_read_race(region, places, frame, at, owner, where), region)
    readers = region.reader_map()
    before = places.read(readers)
    places.write(readers, np.where((before == 0) | (before == ids), ids, MANY))
    if places.batched and not places.disjoint:
        after = places.read(readers)
        shared = (after != ids) & (after != MANY)
        if shared.any():
            places.write(readers, np.where(shared, MANY, after))


def _read_race(
    region: Region, places: Places, frame: Frame, at: tuple[int, ...], owner: Array, where: Any
) -> SpyreError:
    return errors.READ_RACE.error(
        where,
        index=_element(region, places, at),
        memory=region.name,
        reader=frame.tile(at[0] if places.batched else 0),
        writer=int(owner[at]) - 1,
    )


def _note_write(region: Region, places: Places, frame: Frame, where: Location | None) -> None:
    owners, ids = region.owners(), _ids(places, frame)
    several = frame.state.tiles > 1
    if region.stored:
        before = places.read(owners)
        if before.any():
            places.mark(region.rewritten(), before != 0)
            clash = (before > 0) & (before != ids)
            if several and clash.any():
                at = _first(clash)
                _write_race(region, places, frame, at, int(before[at]), where)
    if several and not places.batched and frame.size > 1:
        places.write(region.rewritten(), True)
        _write_race(region, places, frame, (0,) * len(places.shape), 1, where)
        ids = np.array(frame.tiles[-1] + 1)
    if several and region.readers is not None:
        _check_readers(region, places, frame, ids, where)
    places.write(owners, ids)
    if places.batched and not places.disjoint:
        after = places.read(owners)
        lost = after != ids
        if lost.any():
            places.mark(region.rewritten(), lost)
            at = _first(lost)
            _write_race(region, places, frame, at, int(after[at]), where)


def _write_race(
    region: Region, places: Places, frame: Frame, at: tuple[int, ...], other: int, where: Any
) -> None:
    mine = frame.tile(at[0]) if places.batched else int(frame.tiles[-1])
    pair = sorted((other - 1, mine)) if other != SETTLED else [mine, mine]
    found = errors.WRITE_RACE.error(
        where,
        index=_element(region, places, at),
        memory=region.name,
        first=pair[0],
        second=pair[1],
    )
    frame.state.warn(found, region)


def _check_readers(
    region: Region, places: Places, frame: Frame, ids: Array, where: Location | None
) -> None:
    readers = places.read(region.reader_map())
    clash = (readers != 0) & (readers != ids)
    if not clash.any():
        return
    at = _first(clash)
    writer = frame.tile(at[0] if places.batched else 0)
    reader = int(readers[at]) - 1
    found = errors.READ_RACE.error(
        where,
        index=_element(region, places, at),
        memory=region.name,
        reader=reader if readers[at] != MANY else "another",
        writer=writer,
    )
    frame.state.warn(found, region)


def _first(mask: Array) -> tuple[int, ...]:
    """The first position where a mask holds."""
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(mask)), mask.shape))


def _element(region: Region, places: Places, at: tuple[int, ...]) -> str:
    """Which element of the region the position `at` of the places is, for messages."""
    if isinstance(places, Window):
        start = places.start if isinstance(places.start, int) else int(places.start[at[0]])
        inner = at[len(at) - len(places.strides) :]
        return region.element(
            start + sum(i * s for i, s in zip(inner, places.strides, strict=True))
        )
    found: Any = places
    return region.element(int(found.index[at]))
