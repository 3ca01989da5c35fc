"""Axis nests as they run: chunks of the outermost axis, FIFO blocks in and out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spyrelang.engines.fast.blocks import Block, Stream, leave
from spyrelang.engines.fast.builder import NET
from spyrelang.engines.fast.counts import Count, function
from spyrelang.engines.fast.linear import Frame
from spyrelang.engines.fast.network import Inlet, Net, Outlet
from spyrelang.engines.fast.steps import GEN, PLAIN, Code, Step

CHUNK = 1 << 19
"""Bytes of one block of vectors (all units): enough for numpy, and a bound on the memory used."""


LARGEST = 1 << 24
"""A nest whose single trips exceed this many bytes is cut up further in."""


@dataclass(eq=False)
class Feed:
    """The receives of one FIFO inside an axis: `count` a trip; streams at `outer` and `inner`."""

    inlet: Inlet
    count: Callable[[Frame], int]
    outer: int
    inner: int


@dataclass(eq=False)
class Drain:
    """The sends into one FIFO inside an axis: lists of blocks at `outer` and `inner`."""

    outlet: Outlet
    outer: int
    inner: int


def axis_step(
    body: Callable[[Frame], Any],
    trips: Count,
    length: int,
    feeds: list[Feed],
    drains: list[Drain],
) -> Step:
    """An array axis inside another one."""
    count = function(trips)

    def step(f: Frame) -> None:
        f[length] = number = count(f)
        if number <= 0:
            return
        for feed in feeds:
            needed = feed.count(f) * number
            blocks = [f[feed.outer].take(needed).enter(number)] if needed else []
            f[feed.inner] = Stream(blocks)
        for drain in drains:
            f[drain.inner] = []
        body(f)
        for drain in drains:
            if f[drain.inner]:
                f[drain.outer].append(leave(f[drain.inner], number))

    return PLAIN, step


@dataclass(eq=False)
class Nest:
    """An outermost array axis. frame[first] is where the current chunk starts, frame[length] its
    size. `serial` runs the rest of the loop from frame[first] on, trip by trip; it takes over when
    `conflict` finds that trips depend on each other, or when waiting for whole blocks deadlocks."""

    trips: Callable[[Frame], int]
    first: int
    length: int
    prologue: Callable[[Frame], Any]
    body: Callable[[Frame], Any]
    feeds: list[Feed]
    drains: list[Drain]
    check: list[Callable[[Frame, Block], None]]
    conflict: Callable[[Frame], bool] | None
    serial: Step | None
    chunk: int
    in_trips: bool = False

    def step(self) -> Step:
        """How the nest runs; it can only wait where it receives, sends or falls back."""
        serial = self.serial is not None and self.serial[0] == GEN
        waits = self.feeds or self.drains or serial
        return (GEN, self._run) if waits else (PLAIN, self._run_plain)

    def _run_plain(self, f: Frame) -> None:
        trips = self.trips(f)
        if trips <= 0:
            return
        f[self.first] = 0
        self.prologue(f)
        if self.conflict is not None and self.conflict(f):
            assert self.serial is not None
            self.serial[1](f)
            return
        chunk = self.chunk or trips
        while f[self.first] < trips:
            number = f[self.length] = min(chunk, trips - f[self.first])
            self._chunk(f, number)
            f[self.first] += number

    def _run(self, f: Frame) -> Code:
        trips = self.trips(f)
        if trips <= 0:
            return
        first, net = self.first, f[NET]
        f[first] = 0
        self.prologue(f)
        if self.serial is not None and (
            self.in_trips or (self.conflict is not None and self.conflict(f))
        ):
            yield from self._trip_by_trip(f)
            return
        chunk = self.chunk or trips
        while f[first] < trips:
            number = f[self.length] = min(chunk, trips - f[first])
            while not self._ready(f, net, number):
                net.waiting.add(self)
                yield
                if self.in_trips:
                    yield from self._trip_by_trip(f)
                    return
            net.waiting.discard(self)
            self._chunk(f, number)
            f[first] += number
            if net.give_way():
                yield

    def _trip_by_trip(self, f: Frame) -> Code:
        assert self.serial is not None
        kind, serial = self.serial
        if kind == GEN:
            yield from serial(f)
        else:
            serial(f)

    def _ready(self, f: Frame, net: Net, number: int) -> bool:
        return all(feed.inlet.available(net) >= feed.count(f) * number for feed in self.feeds)

    def _chunk(self, f: Frame, number: int) -> None:
        net = f[NET]
        for feed, check in zip(self.feeds, self.check, strict=True):
            needed = feed.count(f) * number
            blocks: list[Block] = []
            if needed:
                block = feed.inlet.take(net, needed)
                check(f, block)
                blocks.append(block.enter(number))
            f[feed.inner] = Stream(blocks)
        for drain in self.drains:
            f[drain.inner] = []
        self.body(f)
        for drain in self.drains:
            if f[drain.inner]:
                drain.outlet.push(net, leave(f[drain.inner], number))
