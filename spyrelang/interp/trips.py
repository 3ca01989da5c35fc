"""Loops whose trips can run together: all pairs of tile and trip as one batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from spyrelang.errors import SpyreError
from spyrelang.interp.access import commit
from spyrelang.interp.compiler import Compiler, RegionCode
from spyrelang.interp.frame import Dependent, Frame, run
from spyrelang.interp.values import Array


@dataclass(frozen=True)
class Independent:
    """A loop none of whose trips reads what another writes, if the arguments that are loaded from
    are not stored to, and those stored to are separate memory. `largest`: the elements of the
    largest value."""

    loaded: frozenset[int]
    stored: frozenset[int]
    largest: int

    def together(self, f: Frame) -> int:
        """How many trips make a batch."""
        return max(2, f.state.elements // self.largest)

    def holds(self, f: Frame) -> bool:
        """Whether trips may join this batch, and the arrays of this run are such."""
        if f.trips is not None or f.size >= self.together(f):
            return False
        regions = f.state.memory.arguments
        if not (self.loaded | self.stored) <= regions.keys():
            return False
        if not all(regions[root].stable for root in self.loaded):
            return False
        targets = [regions[root].data for root in self.stored]
        return not any(np.may_share_memory(a, b) for a, b in combinations(targets, 2))


class Watch:
    """What is compiled from now on: loads, stores, and shapes that differ between trips."""

    def __init__(self, c: Compiler) -> None:
        self.loads, self.stores = len(c.uses.loads), len(c.uses.stores)
        self.slots, self.sized, self.products = len(c.slots), len(c.sized), c.products
        self.shapes, self.depth, self.prints = c.tainted_shapes, c.loops, c.prints

    def independent(self, c: Compiler) -> Independent | None:
        """None where trips may depend on each other whatever the arrays. Each argument is stored to
        by one op at most, outside inner loops: so the order of trips cannot matter."""
        loads, stores = c.uses.loads[self.loads :], c.uses.stores[self.stores :]
        if c.prints > self.prints:  # lines come in the order of trips
            return None
        if self._shapes_vary(c) or not all(loads) or not stores:
            return None
        if any(len(roots) != 1 or depth > self.depth + 1 for roots, depth in stores):
            return None
        stored = frozenset[int]().union(*(roots for roots, _ in stores))
        loaded = frozenset[int]().union(*loads)
        if len(stored) < len(stores) or loaded & stored:
            return None
        return Independent(loaded, stored, c.largest)

    def _shapes_vary(self, c: Compiler) -> bool:
        """Whether a shape may differ between trips. Where tiles already fill a batch, products
        gain nothing either: they are left to run trip by trip."""
        if c.few_tiles:
            return c.tainted_shapes > self.shapes
        made_inside = any(index >= self.slots for index in c.sized[self.sized :])
        return made_inside or c.products > self.products


@dataclass
class Pairs:
    """Tiles (as rows of a batch) and the counters of their trips, in an order in which neighbours
    are likely to lie beside each other in memory."""

    rows: Array
    counters: Array

    @staticmethod
    def of(size: int, lower: Any, upper: Any, step: Any) -> Pairs:
        """All trips of a batch of `size` tiles; bounds are ints, or arrays over the batch."""
        starts, steps = (np.broadcast_to(np.asarray(v, np.int64), (size,)) for v in (lower, step))
        counts = np.broadcast_to(np.maximum(0, -((lower - upper) // step)), (size,))
        rows = np.repeat(np.arange(size), counts)
        trips = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        counters = starts[rows] + trips * steps[rows]
        if isinstance(lower, int):
            return Pairs(rows, counters)
        order = np.argsort(counters, kind="stable")
        return Pairs(rows[order], counters[order])

    def parts(self, most: int) -> Sequence[Pairs]:
        """Up to `most` pairs each."""
        return [
            Pairs(self.rows[at : at + most], self.counters[at : at + most])
            for at in range(0, len(self.rows), most)
        ]


def run_pairs(f: Frame, code: RegionCode, pairs: Pairs, most: int, counter: Any) -> bool:
    """Run all pairs, `most` at a time. False, with nothing done, where the first of them cannot
    run together; where later ones cannot, they run one by one, which also finds errors in order.

    `counter` makes the value of the loop's counter from integers.
    """
    parts = pairs.parts(most)
    for number, part in enumerate(parts):
        if _run_part(f, code, part, counter):
            continue
        if number == 0:
            return False
        for single in (one for rest in parts[number:] for one in rest.parts(1)):
            g = f.sub(single.rows, code.captured)
            g.regs[code.arguments[0].index] = counter(int(single.counters[0]))
            run(code.steps, g)
        return True
    return True


def _run_part(f: Frame, code: RegionCode, part: Pairs, counter: Any) -> bool:
    """Run pairs as one batch; False, with nothing stored, where that is not possible or fails."""
    g = f.sub(part.rows, code.captured)
    if g.size > 1:
        g.trips = []
    found = part.counters if g.size > 1 else int(part.counters[0])
    g.regs[code.arguments[0].index] = counter(found)
    try:
        run(code.steps, g)
    except (Dependent, SpyreError):
        return False
    for stored in g.trips or ():
        commit(*stored)
    return True
