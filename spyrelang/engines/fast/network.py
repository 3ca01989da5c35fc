"""What connects the classes of a program: FIFO streams and signal counters.

Classes cover sets of (sender, receiver) pairs. Pairs that every send and receive covers together
form one bundle, so that the usual case, all units of one kind talking to their partners, is one
stream of blocks.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spyrelang.engines.fast.blocks import Block, Stream
from spyrelang.errors import Location
from spyrelang.errors.engine import VECTOR_MISMATCH

Pair = tuple[int, int]
Selector = NDArray[np.intp] | None


@dataclass(eq=False)
class Net:
    """State of the connections during one call of a program, and which classes may go on.

    Classes are numbered; `ranks` says how far downstream each is. `rank` is that of the class that
    runs now. `preempt` becomes true when it wakes a class further downstream: it then yields with
    `soft` set, so that what it has handed over is used before it goes on.
    """

    streams: list[Stream]
    signals: list[int]
    readers: list[list[int]]
    waiters: list[list[int]]
    ranks: list[int]
    ready: list[bool]
    rank: int = 0
    preempt: bool = False
    soft: bool = False
    waiting: set[Any] = field(default_factory=set[Any])

    def wake(self, classes: list[int]) -> None:
        """What these classes wait for may have come."""
        for number in classes:
            if not self.ready[number]:
                self.ready[number] = True
                if self.ranks[number] > self.rank:
                    self.preempt = True

    def give_way(self) -> bool:
        """Whether the running class is to yield."""
        if self.preempt:
            self.soft = True
        return self.preempt


@dataclass(eq=False)
class Endpoint:
    """One end of the connections of a class: `pairs[u]` is that of its unit u."""

    pairs: tuple[Pair, ...]
    receives: bool
    routes: list[tuple[int, Selector]] = field(default_factory=list[tuple[int, Any]])

    @property
    def bundles(self) -> list[int]:
        """The bundles it covers."""
        return [bundle for bundle, _ in self.routes]


@dataclass(eq=False)
class Outlet(Endpoint):
    """The sending end of FIFOs."""

    def push(self, net: Net, block: Block) -> None:
        """Send a block with axis 0 over all units."""
        for bundle, selector in self.routes:
            part = block
            if selector is not None:
                part = Block(block.entered, block.lead, [p[selector] for p in block.pieces])
            net.streams[bundle].push(part)
            net.wake(net.readers[bundle])


@dataclass(eq=False)
class Inlet(Endpoint):
    """The receiving end of FIFOs."""

    def available(self, net: Net) -> int:
        """Vectors that every unit can take now."""
        return min([net.streams[bundle].count for bundle, _ in self.routes])

    def take(self, net: Net, count: int) -> Block:
        """The next `count` vectors of every unit."""
        bundle, selector = self.routes[0]
        if len(self.routes) == 1 and selector is None:
            return net.streams[bundle].take(count)
        parts = [(s, net.streams[b].take(count).flat()) for b, s in self.routes]
        first = parts[0][1]
        array = np.empty((len(self.pairs), *first.shape[1:]), first.dtype)
        for chosen, part in parts:
            array[slice(None) if chosen is None else chosen] = part
        return Block(1, (), [array])


@dataclass(eq=False)
class Wiring:
    """Collects the ends of all connections of one sort; `connect` then forms the bundles."""

    ends: list[Endpoint] = field(default_factory=list[Endpoint])
    owners: list[int] = field(default_factory=list[int])
    pairs: list[tuple[Pair, ...]] = field(default_factory=list[tuple[Pair, ...]])
    readers: list[list[int]] = field(default_factory=list[list[int]])

    def add(self, other: Wiring, owner: int) -> None:
        """Take in the ends of class number `owner`."""
        self.ends += other.ends
        self.owners += [owner] * len(other.ends)

    def connect(self) -> None:
        """Give every endpoint its routes."""
        touching: dict[Pair, list[int]] = defaultdict(list)
        for number, end in enumerate(self.ends):
            for pair in end.pairs:
                touching[pair].append(number)
        groups: dict[tuple[int, ...], list[Pair]] = defaultdict(list)
        for pair, numbers in touching.items():
            groups[tuple(numbers)].append(pair)
        self.pairs = [tuple(group) for group in groups.values()]
        self.readers = [
            list(dict.fromkeys(self.owners[n] for n in numbers if self.ends[n].receives))
            for numbers in groups
        ]
        for end in self.ends:
            end.routes = []
        for bundle, (numbers, group) in enumerate(groups.items()):
            for number in dict.fromkeys(numbers):
                end = self.ends[number]
                end.routes.append((bundle, _selector(end, group)))


def _selector(end: Endpoint, group: list[Pair]) -> Selector:
    if tuple(group) == end.pairs:
        return None
    position = {pair: i for i, pair in enumerate(end.pairs)}
    return np.array([position[pair] for pair in group], np.intp)


def check_type(
    block: Block,
    dtype: np.dtype[Any],
    lanes: int,
    names: Pair,
    units: tuple[str, ...],
    location: Location | None,
) -> None:
    """Raise SPY513 when a block does not hold vectors of this type."""
    for piece in block.pieces:
        if piece.shape[-1] == lanes and piece.dtype == dtype:
            continue
        sender, receiver = (units[i] for i in names)
        raise VECTOR_MISMATCH.error(
            location,
            receiver=receiver,
            sender=sender,
            expected=f"vector<{lanes}x{dtype}>",
            actual=f"vector<{piece.shape[-1]}x{piece.dtype}>",
        )
