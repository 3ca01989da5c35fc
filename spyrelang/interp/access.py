"""Moving data between memory and values, with every check that memory allows."""

from __future__ import annotations

from typing import Any

import numpy as np

from spyrelang.errors import Location, SpyreError
from spyrelang.errors import interp as errors
from spyrelang.errors import interp_values as values
from spyrelang.interp.frame import Dependent, Frame
from spyrelang.interp.memory import MANY, RETYPED, Region
from spyrelang.interp.places import Places, Window
from spyrelang.interp.values import Array
from spyrelang.semantics.dtypes import held_by


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
    """Write `value`, which broadcasts to the places but for a batch axis that only it has.

    Raises SPY566 where two tiles, SPY540 where one tile gives one element different values, SPY567
    where a tile changes what another has read.
    """
    if _empty(places):
        return
    if frame.trips is None:
        commit(region, places, value, frame, where)
    elif frame.size > 1 and not (places.batched and places.disjoint):
        raise Dependent
    else:
        frame.trips.append((region, places, value, frame, where))


def commit(region: Region, places: Places, value: Array, frame: Frame, where: Any) -> None:
    """Make a store. Raises as `store`."""
    if not places.batched and value.ndim > len(places.shape):
        _check_agreed(region, places, value, frame, where)
        value = value[-1]
    _note_write(region, places, value, frame, where)
    places.write(region.data, value)
    if not places.disjoint:
        check_kept(region, places, value, frame, where)
    region.stored = True
    if region.local:
        frame.state.memory.retype(region, places)


def check_kept(region: Region, places: Places, value: Array, frame: Frame, where: Any) -> None:
    """Raise SPY566 or SPY540 where memory does not hold what was stored: it was stored twice."""
    lost = different(places.read(region.data), value)
    if not lost.any():
        return
    at = _first(lost)
    mine = frame.tile(at[0] if places.batched else 0)
    owner = int(places.read(region.owners())[at]) - 1
    if places.batched and owner >= 0 and owner != mine:
        raise _write_race(region, places, at, (owner, mine), where)
    raise values.STORED_TWICE.error(
        where, tile=mine, index=_element(region, places, at), memory=region.name
    )


def different(a: Array, b: Array) -> Array:
    """Where two arrays differ in their bits; the result has the shape of `a`."""
    kind = f"u{a.dtype.itemsize}"
    if a.dtype.itemsize > 8:
        return np.asarray(a != b)
    return np.not_equal(_bits(a, kind), _bits(b, kind))


def _bits(values: Array, kind: str) -> Array:
    return np.ascontiguousarray(values).view(kind).reshape(values.shape)


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
    owners = places.read(region.owners())
    missing = (owners == 0) | (owners == RETYPED)
    if not missing.any():
        return
    at = _first(missing)
    mixed = region.local and frame.state.memory.mixed
    kind = values.RETYPED_READ if mixed else errors.UNWRITTEN_READ
    raise kind.error(
        where,
        tile=frame.tile(at[0] if places.batched else 0),
        index=_element(region, places, at),
        memory=region.name,
        view=held_by(region.data.dtype),
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


def _note_write(
    region: Region, places: Places, value: Array, frame: Frame, where: Location | None
) -> None:
    owners, ids = region.owners(), _ids(places, frame)
    several = frame.state.tiles > 1
    if region.stored:
        before = places.read(owners)
        if before.any():
            places.mark(region.rewritten(), before != 0)
            clash = (before > 0) & (before != ids)
            if several and clash.any():
                changed = clash & different(places.read(region.data), value)
                at = _first(changed if changed.any() else clash)
                found = _write_race(region, places, at, _pair(places, frame, at, before), where)
                _report(found, changed, region, frame)
    if several and not places.batched and frame.size > 1:
        places.write(region.rewritten(), True)
        pair = (int(frame.tiles[0]), int(frame.tiles[-1]))
        found = _write_race(region, places, (0,) * len(places.shape), pair, where)
        frame.state.warn(found, region)
        ids = np.array(frame.tiles[-1] + 1)
    if several and region.readers is not None:
        _check_readers(region, places, value, frame, ids, where)
    places.write(owners, ids)
    if places.batched and not places.disjoint:
        after = places.read(owners)
        lost = after != ids
        if lost.any():
            places.mark(region.rewritten(), lost)
            at = _first(lost)
            pair = (int(after[at]) - 1, frame.tile(at[0]))
            frame.state.warn(_write_race(region, places, at, pair, where), region)


def _pair(places: Places, frame: Frame, at: tuple[int, ...], owners: Array) -> tuple[int, int]:
    """The tile that wrote an element, and another that writes it now."""
    other = int(owners[at]) - 1
    if places.batched:
        return other, frame.tile(at[0])
    return other, next(t for t in frame.tiles.tolist() if t != other)


def _check_agreed(region: Region, places: Places, value: Array, frame: Frame, where: Any) -> None:
    """Raise SPY566 where the tiles of a batch store different values to the same places."""
    changed = different(value, value[-1:])
    if changed.any():
        at = _first(changed)
        pair = (frame.tile(at[0]), int(frame.tiles[-1]))
        raise _write_race(region, places, at[1:], pair, where)


def _report(found: SpyreError, changed: Array, region: Region, frame: Frame) -> None:
    """A conflict over elements is an error where the order of the tiles decides their values."""
    if changed.any():
        raise found
    frame.state.warn(found, region)


def _write_race(
    region: Region, places: Places, at: tuple[int, ...], pair: tuple[int, int], where: Any
) -> SpyreError:
    first, second = sorted(pair)
    return errors.WRITE_RACE.error(
        where, index=_element(region, places, at), memory=region.name, first=first, second=second
    )


def _check_readers(
    region: Region, places: Places, value: Array, frame: Frame, ids: Array, where: Location | None
) -> None:
    readers = places.read(region.reader_map())
    clash = (readers != 0) & (readers != ids)
    if not clash.any():
        return
    changed = clash & different(places.read(region.data), value)
    at = _first(changed if changed.any() else clash)
    writer = frame.tile(at[0] if places.batched else 0)
    reader = int(readers[at]) - 1
    found = errors.READ_RACE.error(
        where,
        index=_element(region, places, at),
        memory=region.name,
        reader=reader if readers[at] != MANY else "another",
        writer=writer,
    )
    _report(found, changed, region, frame)


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
