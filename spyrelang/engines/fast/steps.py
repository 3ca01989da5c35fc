"""Compiled code: functions on a frame, and how sequences of them run.

A step is PLAIN (a function), WAIT (a function that returns False while it must wait) or GEN (a
generator function, which yields while it must wait).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from spyrelang.engines.fast.linear import Frame

PLAIN, WAIT, GEN = 0, 1, 2
Step = tuple[int, Callable[[Frame], Any]]
Code = Generator[None, None, None]


def sequence(steps: Sequence[Step]) -> Step:
    """One step that runs all of them in order."""
    if len(steps) == 1 and steps[0][0] != WAIT:
        return steps[0]
    if all(kind == PLAIN for kind, _ in steps):
        return PLAIN, _plain([function for _, function in steps])
    return GEN, _waiting(list(steps))


def _plain(functions: list[Callable[[Frame], Any]]) -> Callable[[Frame], None]:
    def run(f: Frame) -> None:
        for function in functions:
            function(f)

    return run


def _waiting(steps: list[Step]) -> Callable[[Frame], Code]:
    def run(f: Frame) -> Code:
        for kind, function in steps:
            if kind == PLAIN:
                function(f)
            elif kind == GEN:
                yield from function(f)
            else:
                while not function(f):
                    yield

    return run


def choice(condition: Callable[[Frame], Any], then: Step, other: Step) -> Step:
    """One of two steps."""
    (kind, first), (other_kind, second) = then, other
    if kind == other_kind == PLAIN:

        def plain(f: Frame) -> None:
            (first if condition(f) else second)(f)

        return PLAIN, plain

    def waiting(f: Frame) -> Code:
        kind_now, function = then if condition(f) else other
        if kind_now == GEN:
            yield from function(f)
        else:
            function(f)

    return GEN, waiting


def loop(
    body: Step,
    counter: int,
    trips: Callable[[Frame], int],
    first: int | None,
    after: Callable[[Frame], None] | None,
) -> Step:
    """Run `body` with frame[counter] = start … trips - 1, where start is frame[first] (or 0);
    `after` passes carried values on."""
    kind, function = body

    def plain(f: Frame) -> None:
        for k in range(0 if first is None else f[first], trips(f)):
            f[counter] = k
            function(f)
            if after is not None:
                after(f)

    def waiting(f: Frame) -> Code:
        for k in range(0 if first is None else f[first], trips(f)):
            f[counter] = k
            yield from function(f)
            if after is not None:
                after(f)

    return (PLAIN, plain) if kind == PLAIN else (GEN, waiting)
