"""FIFO traffic in blocks: many vectors of many units in one array.

A block has leading axes that its reader has already entered (axis 0: units), then `lead` axes, then
pieces side by side: each piece is an array [units, entered axes…, lead axes…, k, lanes]. In order,
the vectors of a block run over the lead axes, then over the pieces, then over k.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(slots=True)
class Block:
    """`entered` counts the axes before the lead axes."""

    entered: int
    lead: tuple[int, ...]
    pieces: list[Array]

    @property
    def per_point(self) -> int:
        """Vectors at each point of the lead axes."""
        return sum(p.shape[-2] for p in self.pieces)

    @property
    def count(self) -> int:
        """Vectors for each point of the entered axes."""
        return math.prod(self.lead) * self.per_point

    def flat(self) -> Array:
        """All vectors in order: [entered axes…, count, lanes]."""
        array = self.pieces[0] if len(self.pieces) == 1 else np.concatenate(self.pieces, axis=-2)
        shape = array.shape
        return array.reshape(*shape[: self.entered], self.count, shape[-1])

    def enter(self, trips: int) -> Block:
        """The same vectors with one more axis entered, of `trips` equal parts."""
        lead = self.lead
        if lead and lead[0] != trips:
            lead = _split(lead, trips)
        if lead:
            shape = (*self.pieces[0].shape[: self.entered], *lead)
            same = len(lead) == len(self.lead)
            pieces = self.pieces
            if not same or lead != self.lead:
                pieces = [p.reshape(*shape, *p.shape[-2:]) for p in pieces]
            return Block(self.entered + 1, lead[1:], pieces)
        array = self.flat()
        shape = array.shape
        parts = array.reshape(*shape[: self.entered], trips, shape[-2] // trips, shape[-1])
        return Block(self.entered + 1, (), [parts])


def _split(lead: tuple[int, ...], trips: int) -> tuple[int, ...]:
    """Lead axes of the same size that start with `trips`; empty where there are none."""
    taken = 1
    for position, size in enumerate(lead):
        taken *= size
        if taken == trips:
            return (trips, *lead[position + 1 :])
        if taken > trips:
            rest = lead[position + 1 :]
            return (trips, taken // trips, *rest) if taken % trips == 0 else ()
    return ()


class Stream:
    """A queue of blocks that share the entered axes."""

    __slots__ = ("blocks", "count")

    def __init__(self, blocks: Iterable[Block] = ()) -> None:
        self.blocks = deque(blocks)
        self.count = sum(b.count for b in self.blocks)

    def push(self, block: Block) -> None:
        """Append; empty blocks vanish."""
        count = block.count
        if count:
            self.blocks.append(block)
            self.count += count

    def pop(self) -> Array:
        """Remove one vector: [entered axes…, lanes]."""
        first = self.blocks[0]
        pieces = first.pieces
        if first.lead or pieces[0].shape[-2] != 1:
            return self.take(1).flat()[..., 0, :]
        self.count -= 1
        if len(pieces) == 1:
            self.blocks.popleft()
        else:
            self.blocks[0] = Block(first.entered, (), pieces[1:])
        return pieces[0][..., 0, :]

    def take(self, count: int) -> Block:
        """Remove the first `count` vectors; there must be as many."""
        self.count -= count
        first = self.blocks[0]
        have = first.count
        if have == count:
            self.blocks.popleft()
            return first
        if have > count:
            return self._head(first, count)
        parts: list[Array] = []
        entered = first.entered
        while count:
            first = self.blocks[0]
            if first.count > count:
                first = self._head(first, count)
            else:
                self.blocks.popleft()
            parts.append(first.flat())
            count -= first.count
        return Block(entered, (), [np.concatenate(parts, axis=-2)])

    def _head(self, first: Block, count: int) -> Block:
        """Cut `count` vectors off the first block."""
        if not first.lead and first.pieces[0].shape[-2] == count:
            self.blocks[0] = Block(first.entered, (), first.pieces[1:])
            return Block(first.entered, (), first.pieces[:1])
        array = first.flat()
        self.blocks[0] = Block(first.entered, (), [array[..., count:, :]])
        return Block(first.entered, (), [array[..., :count, :]])


def leave(blocks: list[Block], trips: int) -> Block:
    """What one axis of `trips` sent, as its parent sees it: one entered axis fewer."""
    if len(blocks) == 1:
        (only,) = blocks
        return Block(only.entered - 1, (trips, *only.lead), only.pieces)
    pieces: list[Array] = []
    for block in blocks:
        pieces += [block.flat()] if block.lead else block.pieces
    return Block(blocks[0].entered - 1, (trips,), pieces)
