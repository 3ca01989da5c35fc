"""Carried integers that stand for numbers: what they were before the loops around."""

from __future__ import annotations

from spyrelang.errors import SpyreError
from spyrelang.language.graph import CarriedIndex, Slot
from spyrelang.language.index import Index
from spyrelang.language.scalars import Number


def number_of(value: object) -> int | None:
    """The number that an integer was before the loops that carry it."""
    chain = [] if isinstance(value, int) else _slots(value)
    first = chain[-1].before if chain else value
    return first if isinstance(first, int) else None


def _slots(value: object) -> list[Slot]:
    """The slots of the loops, innermost first, that carry an integer just as it is."""
    found: list[Slot] = []
    node = value.node if isinstance(value, Index) else None
    while isinstance(node, CarriedIndex) and node is node.slot.arg:
        found.append(node.slot)
        node = node.slot.before
    return found


def stood_for(value: Index, misuse: SpyreError) -> Number | None:
    """The number that a variable held before the loops that carry it, for an operation that takes
    no traced integers; `misuse` is what is wrong where none of the loops turns it into a tensor."""
    number = number_of(value)
    if number is not None:
        for slot in _slots(value):
            slot.misuse = slot.misuse or misuse
    return number
