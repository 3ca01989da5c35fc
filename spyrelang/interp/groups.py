"""Who sends to whom in transfers between compute tiles, and the rules that hold for it.

The numbers R1 to R14 are those of the dialect's design. A set without bounds is taken on the grid;
the rules that need its bounds are skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spyrelang.affine import Set
from spyrelang.dialects.ktdp_transfers import groups_of
from spyrelang.errors import Location, SpyreError
from spyrelang.errors import interp as errors
from spyrelang.interp import text
from spyrelang.interp.registry import Op
from spyrelang.ir.opref import type_text


@dataclass
class Producers:
    """The tiles that produce for each group, in ascending order."""

    groups: dict[int, list[int]]

    @property
    def owner(self) -> dict[int, int]:
        """The group of each producing tile."""
        return {tile: group for group, tiles in self.groups.items() for tile in tiles}


@dataclass
class Consumers:
    """`tiles` take; `sources` are the producers of each, in ascending order."""

    tiles: list[int]
    sources: list[list[int]]


def _bad(op: Op, place: Location | None, reason: str) -> SpyreError:
    return errors.INTER_TILE.error(place, op=op.name, reason=reason)


def _group_ids(future: str, count: int) -> list[int]:
    """The groups; of an open set those that have tiles can only be as many as tiles."""
    points = groups_of(future)
    try:
        return [group for (group,) in points.points()]
    except SpyreError:
        return [group for group in range(count) if points.contains((group,))]


def _tiles(
    op: Op, place: Location | None, points: Set, symbols: Sequence[int], count: int, what: str
) -> list[int]:
    """The tiles of the grid in a set. Raises SPY574 where the set goes past the grid."""
    try:
        ends = points.bounding_box(symbols)
    except SpyreError:
        ends = ((0, count - 1),)  # open
    if ends is None:
        return []
    low, high = ends[0]
    if points.contains((high,), symbols) and high >= count:
        raise _bad(op, place, f"tile {high} {what}, and the grid has {count} tiles")
    return [
        t for t in range(max(0, low), min(high, count - 1) + 1) if points.contains((t,), symbols)
    ]


def producers(op: Op, place: Location | None, count: int) -> Producers:
    """Who produces in `op`, an inter_tile_produce on `count` tiles. Raises SPY574."""
    uses = len(list(op.results[0].uses))
    if uses != 1:
        times = "never" if uses == 0 else "more than once"
        raise _bad(op, place, f"its future is used {times} (R2)")
    found = _producers(op, place, count)
    owner: dict[int, int] = {}
    for group, tiles in found.groups.items():
        if not tiles:
            raise _bad(op, place, f"no tile of the grid produces for group {group}")
        for tile in tiles:
            if tile in owner:
                pair = f"{owner[tile]} and {group}"
                raise _bad(op, place, f"tile {tile} produces for groups {pair} (R1)")
            owner[tile] = group
    if not owner:
        raise _bad(op, place, "no tile of the grid produces")
    return found


def _producers(op: Op, place: Location | None, count: int) -> Producers:
    points = text.set_of(op, "producer_tiles_per_group")
    return Producers(
        {
            g: _tiles(op, place, points, (g,), count, f"produces for group {g}")
            for g in _group_ids(type_text(op.results[0].type), count)
        }
    )


def consumers(op: Op, place: Location | None, count: int) -> Consumers:
    """Who takes from whom in `op`, a consume or reduce. Raises SPY574 for broken rules."""
    made = op.operands[0].owner.operation
    takers = text.set_of(op, "consumer_tiles_per_group")
    group_of: dict[int, int] = {}
    groups = _producers(made, place, count).groups
    taking: dict[int, list[int]] = {}
    for group in groups:
        taking[group] = _tiles(op, place, takers, (group,), count, f"consumes in group {group}")
        for tile in taking[group]:
            if tile in group_of:
                pair = f"{group_of[tile]} and {group}"
                raise _bad(op, place, f"tile {tile} consumes in groups {pair}")
            group_of[tile] = group
    if not group_of:
        raise _bad(op, place, "no tile of the grid consumes")
    sources = {t: _named(op, place, t, g, groups[g], count) for t, g in group_of.items()}
    for group, members in groups.items():
        _check_group(op, place, group, members, {t: sources[t] for t in taking[group]})
    tiles = sorted(group_of)
    return Consumers(tiles, [sources[t] for t in tiles])


def _check_group(
    op: Op, place: Location | None, group: int, members: list[int], sources: dict[int, list[int]]
) -> None:
    """R4, R8, R13 and R14 for one group, and that every consumer has somebody to take from."""
    for tile, named in sources.items():
        if not named:
            raise _bad(op, place, f"tile {tile} takes from nobody: no tile sends to it")
        if op.name.endswith("consume") and len(named) != 1:
            many = f"tile {tile} has {len(named)} producers; it takes from one (R8)"
            raise _bad(op, place, many)
    idle = set(members).difference(*sources.values())
    if idle:
        raise _bad(op, place, f"nobody takes what tile {min(idle)} of group {group} produces (R4)")
    if op.name.endswith("consume"):
        return
    strangers = sources.keys() - set(members)
    if strangers:
        raise _bad(op, place, f"tile {min(strangers)} takes the reduction and adds nothing (R13)")
    if len(sources) > 1 and sources.keys() != set(members):
        reason = f"some but not all tiles of group {group} take the reduction (R14)"
        raise _bad(op, place, reason)


def _named(
    op: Op, place: Location | None, tile: int, group: int, members: list[int], count: int
) -> list[int]:
    """The producers that a consumer names; all of its group's without a dependency set."""
    if "producer_dependency_per_consumer" not in op.attributes:
        return members
    wanted = text.set_of(op, "producer_dependency_per_consumer")
    symbols = (tile, group)[: wanted.n_syms]
    named = _tiles(op, place, wanted, symbols, count, f"sends to tile {tile}")
    for producer in named:
        if producer not in members:
            reason = f"tile {tile} takes from tile {producer}, which is no producer (R3)"
            raise _bad(op, place, reason)
    return named
