"""Numbers that are either known when a program is compiled or computed from a frame."""

from __future__ import annotations

from collections.abc import Callable

from spyrelang.engines.fast.linear import Frame

Count = int | Callable[[Frame], int]


def plus(a: Count, b: Count) -> Count:
    """The sum."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    first, second = function(a), function(b)
    return lambda f: first(f) + second(f)


def times(a: Count, b: Count) -> Count:
    """The product."""
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    first, second = function(a), function(b)
    return lambda f: first(f) * second(f)


def function(count: Count) -> Callable[[Frame], int]:
    """The count as a function."""
    if isinstance(count, int):
        return lambda f: count
    return count


def entry(index: int) -> Callable[[Frame], int]:
    """The count that a frame holds at `index`."""
    return lambda f: f[index]
