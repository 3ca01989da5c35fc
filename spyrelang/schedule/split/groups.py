"""Which stores one program computes together, and when the programs run.

Each store starts as a group of its own and runs where it stands; its loads move to it. It joins an
earlier group of its block when both have the same box and share loads or computation, and when
moving that group down to it changes nothing. What a group moves past is kept apart: memory of one
argument by proof, memory of different arguments by noting that they must not share it (`no_share`).

Programs follow each other on all cores at once, but inside one program cores do not wait for each
other. So accesses that meet on different cores stay in different programs, in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from spyrelang.errors import Note
from spyrelang.errors import schedule as errors
from spyrelang.schedule.split.blocks import Region, Store
from spyrelang.schedule.split.environment import Environment, Loop
from spyrelang.schedule.split.graph import Graph, Leaf, Touch
from spyrelang.schedule.split.overlap import overlaps, same_elements

Pair = tuple[int, int]


@dataclass(eq=False)
class Group:
    """Stores that one program makes, and the loads they need. `whole`: read all, then write."""

    stores: list[Store]
    leaves: list[Leaf]
    whole: bool = False

    @property
    def position(self) -> int:
        """Where it runs: at its last store."""
        return self.stores[-1].when.position

    @property
    def extents(self) -> tuple[int, ...]:
        return self.stores[0].touch.extents


@dataclass(eq=False)
class GroupedRegion:
    """A block with its stores grouped."""

    loop: Loop | None
    items: list[Group | GroupedRegion] = field(default_factory=list["Group | GroupedRegion"])


class Conflict(Exception):
    """Two accesses cannot change places."""

    def __init__(self, leaf: Leaf | None, store: Store | None) -> None:
        super().__init__()
        self.leaf = leaf
        self.store = store


class Grouper:
    """Groups the stores of one kernel. `no_share` collects what was assumed of arguments."""

    def __init__(self, env: Environment, graph: Graph, everything: list[Store]) -> None:
        self.env = env
        self.graph = graph
        self.everything = everything
        self.no_share: set[Pair] = set()

    def region(self, region: Region) -> GroupedRegion:
        """Group the stores of a block and of the loops in it. Raises SPY418, SPY419."""
        result = GroupedRegion(region.loop)
        segment: list[Group] = []  # groups since the last loop: only those can grow
        for item in region.items:
            if isinstance(item, Region):
                segment = []
                result.items.append(self.region(item))
                continue
            joined = self._place(item, segment)
            if joined in result.items:
                result.items.remove(joined)
            result.items.append(joined)
        return result

    def _place(self, store: Store, segment: list[Group]) -> Group:
        """The group of a store, moved to the end of the segment."""
        for group in reversed(segment):
            shared = self.graph.shared([s.root for s in group.stores], [store.root])
            if shared and self._join(group, store, segment, whole=False):
                return group
        alone = Group([store], self.graph.leaves([store.root]))
        pairs: set[Pair] = set()
        try:
            alone.whole = self._check_alone(alone, store, pairs)
        except Conflict as conflict:
            return self._rescue(conflict, store, segment)
        self.no_share |= pairs
        segment.append(alone)
        return alone

    def _rescue(self, conflict: Conflict, store: Store, segment: list[Group]) -> Group:
        """A load that an earlier store of the block overwrites can still run in one program with
        that store, since programs load before they store."""
        for group in reversed(segment):
            if conflict.store in group.stores and self._join(group, store, segment, whole=True):
                return group
        leaf, other = conflict.leaf, conflict.store
        notes = [Note("this store overwrites it", other.location)] if other is not None else []
        notes.append(Note("this store needs the value", store.location))
        raise errors.OVERWRITTEN.error(leaf.touch.location if leaf else None, notes=notes)

    # --- joining --------------------------------------------------------------------------------

    def _join(self, group: Group, store: Store, segment: list[Group], *, whole: bool) -> bool:
        """Let `group` compute `store` too, if that is legal. `whole`: even if everything must be
        loaded before anything is stored."""
        if group.extents != store.touch.extents:
            return False
        leaves = self.graph.leaves([store.root])
        pairs: set[Pair] = set()
        try:
            self._check_move(group, segment, pairs)
            self._check_loads([*group.leaves, *leaves], store, group.stores, pairs)
            needs_whole = self._check_together(group, leaves, store, pairs)
        except Conflict:
            return False
        if needs_whole and not (whole or group.whole):
            return False
        group.stores.append(store)
        group.leaves = self.graph.leaves([s.root for s in group.stores])
        group.whole = group.whole or needs_whole
        self.no_share |= pairs
        segment.remove(group)
        segment.append(group)
        return True

    def _check_alone(self, group: Group, store: Store, pairs: set[Pair]) -> bool:
        self._check_loads(group.leaves, store, [], pairs)
        return self._in_place(group.leaves, [store], pairs)

    def _check_move(self, group: Group, segment: list[Group], pairs: set[Pair]) -> None:
        """`group` may store after the groups that follow it in the segment have run."""
        here = self._here(group.stores[0])
        for other in segment[segment.index(group) + 1 :]:
            touches = [x.touch for x in (*other.stores, *other.leaves)]
            for store in group.stores:
                for touch in touches:
                    self._apart(store.touch, touch, here, pairs)

    def _check_loads(
        self, leaves: list[Leaf], user: Store, own: list[Store], pairs: set[Pair]
    ) -> None:
        """The loads may move down to `user`: nothing that runs in between writes what they read."""
        ours = {id(store) for store in own}
        for leaf in leaves:
            for other in self.everything:
                inside = leaf.when.position < other.when.position < user.when.position
                if inside and id(other) not in ours:
                    shared = self._here(user) & self._here(other)
                    self._apart(leaf.touch, other.touch, shared, pairs, leaf, other)
                self._check_earlier(leaf, user, other, pairs)

    def _check_earlier(self, leaf: Leaf, user: Store, other: Store, pairs: set[Pair]) -> None:
        """A loop round the user and not round the load brings the stores of its earlier iterations
        in between."""
        inner = set(user.when.loops) - set(leaf.when.loops)
        again = [symbol for symbol in other.when.loops if symbol in inner]
        if again:
            shared = (self._here(user) & self._here(other)) - inner
            self._apart(leaf.touch, other.touch, shared, pairs, leaf, other, again)

    def _check_together(
        self, group: Group, leaves: list[Leaf], store: Store, pairs: set[Pair]
    ) -> bool:
        """One program may make all the stores; whether it must load everything first."""
        here = self._here(store)
        for other in group.stores:
            self._apart(other.touch, store.touch, here, pairs)
            for leaf in leaves:
                if leaf.when.position > other.when.position:
                    self._apart(leaf.touch, other.touch, here, pairs, leaf, other)
            for leaf in (*group.leaves, *leaves):
                self._together(leaf.touch, other.touch, pairs)
        for leaf in group.leaves:
            self._together(leaf.touch, store.touch, pairs)
        fresh = self._in_place(leaves, group.stores, pairs)
        return self._in_place([*group.leaves, *leaves], [store], pairs) or fresh

    def _in_place(self, leaves: list[Leaf], stores: list[Store], pairs: set[Pair]) -> bool:
        """Whether some store writes elements that a load reads at another point."""
        whole = False
        for leaf in leaves:
            for store in stores:
                if same_elements(leaf.touch, store.touch) or _note(leaf.touch, store.touch, pairs):
                    continue
                here = self._here(store)
                whole = whole or overlaps(leaf.touch, store.touch, self.env, here)
        return whole

    # --- memory ---------------------------------------------------------------------------------

    def _apart(
        self,
        a: Touch,
        b: Touch,
        shared: frozenset[int],
        pairs: set[Pair],
        leaf: Leaf | None = None,
        store: Store | None = None,
        differing: Sequence[int] = (),
    ) -> None:
        """Raise `Conflict` unless the accesses can change places."""
        if _note(a, b, pairs):
            return
        if overlaps(a, b, self.env, shared, differing) or self._across(a, b):
            raise Conflict(leaf, store)

    def _across(self, a: Touch, b: Touch) -> bool:
        """Whether some element is touched by both, on different cores in whatever iterations."""
        axes = [axis for axis, size in enumerate(self.env.grid) if size > 1]
        return bool(axes) and overlaps(a, b, self.env, frozenset(), axes)

    def _together(self, a: Touch, b: Touch, pairs: set[Pair]) -> None:
        """Raise `Conflict` where another core's access in the same program would come too early."""
        if same_elements(a, b) or _note(a, b, pairs):
            return
        if self._across(a, b):
            raise Conflict(None, None)

    def _here(self, store: Store) -> frozenset[int]:
        """Symbols that have one value in one iteration of the loops round a store."""
        return frozenset((*range(len(self.env.grid)), *store.when.loops))


def _note(a: Touch, b: Touch, pairs: set[Pair]) -> bool:
    """Whether both are arguments, and different ones; then they must not share memory."""
    first, second = a.access.view.base.param, b.access.view.base.param
    if first < 0 or second < 0 or first == second:
        return False
    pairs.add((min(first, second), max(first, second)))
    return True
