"""Random kernels of many loads and stores on shared tensors, in straight lines and in loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.driver.kernel import Kernel

SHARE = 6
"""Rows of one tile."""
TENSORS = ("x", "a", "b", "c")
"""The first is only read."""


@dataclass(frozen=True)
class Place:
    """Rows `offset + step * i` and following ones of a tensor, i the innermost loop's variable."""

    tensor: int
    offset: int
    step: int


@dataclass(frozen=True)
class Load:
    place: Place


@dataclass(frozen=True)
class Store:
    """`op` of two earlier values (counted backwards) goes to a place."""

    place: Place
    op: str
    left: int
    right: int


@dataclass(frozen=True)
class Loop:
    """`trips` iterations; as a loop of the kernel, or unrolled by Python."""

    trips: int
    kept: bool
    body: tuple[Any, ...]


@dataclass(frozen=True)
class Sequence:
    """A kernel: `height` rows at a time of `width` columns, on `grid` tiles."""

    grid: int
    height: int
    width: int
    items: tuple[Any, ...]


Loads = Callable[[Place, Any], Any]
Stores = Callable[[Place, Any, Any], None]


def walk(items: Any, i: Any, values: list[Any], load: Loads, store: Stores, kept: Any) -> None:
    """Run a sequence; `kept` makes the iterations of a loop that stays one."""
    for item in items:
        if isinstance(item, Load):
            values.append(load(item.place, i))
        elif isinstance(item, Store):
            left, right = (values[-1 - n % len(values)] for n in (item.left, item.right))
            store(item.place, i, compute(item.op, left, right))
        else:
            for j in kept(item.trips) if item.kept else range(item.trips):
                walk(item.body, j, list(values), load, store, kept)


def compute(op: str, left: Any, right: Any) -> Any:
    if op == "add":
        return left + right
    if op == "sub":
        return left - right
    if op == "copy":
        return left + 0 if isinstance(left, np.ndarray) else left
    return left * right


def kernel_of(case: Sequence) -> Kernel:
    def generated(x: spy.In, a: spy.InOut, b: spy.InOut, c: spy.InOut) -> None:
        views = (x, a, b, c)
        base = spy.tile_id() * SHARE

        def rows(place: Place, i: Any) -> slice:
            start = base + place.offset + (i * place.step if place.step else 0)
            return slice(start, start + case.height)

        def load(place: Place, i: Any) -> Any:
            return spy.load(views[place.tensor][rows(place, i), :])

        def store(place: Place, i: Any, value: Any) -> None:
            views[place.tensor][rows(place, i), :] = value

        walk(case.items, 0, [load(Place(0, 0, 0), 0)], load, store, spy.range)

    return spyre.kernel(generated, grid=case.grid)


def reference(case: Sequence, arrays: list[Any]) -> list[Any]:
    """Tiles touch their own rows only, so one tile after the other is right."""
    results = [array.copy() for array in arrays]
    for tile in range(case.grid):

        def rows(place: Place, i: int, base: int = tile * SHARE) -> slice:
            start = base + place.offset + i * place.step
            return slice(start, start + case.height)

        def load(place: Place, i: int, rows: Any = rows) -> Any:
            return results[place.tensor][rows(place, i)].copy()

        def store(place: Place, i: int, value: Any, rows: Any = rows) -> None:
            results[place.tensor][rows(place, i)] = value

        first = load(Place(0, 0, 0), 0)
        walk(case.items, 0, [first], load, store, range)
    return results


def arrays_of(case: Sequence, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    shape = (case.grid * SHARE, case.width)
    return [rng.integers(-9, 9, shape).astype(np.int32) for _ in TENSORS]


@st.composite
def places(draw: Any, height: int, trips: int, lowest: int) -> Place:
    tensor = draw(st.integers(lowest, len(TENSORS) - 1))
    step = draw(st.sampled_from([0, 1, 1])) if trips > 1 else 0
    offset = draw(st.integers(0, SHARE - height - step * (trips - 1)))
    return Place(tensor, offset, step)


@st.composite
def items(draw: Any, height: int, trips: int, depth: int) -> Any:
    number = st.integers(0, 9)
    made: list[Any] = []
    for _ in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(["load", "store", "store", "loop"]))
        if kind == "loop" and depth:
            inner = draw(st.integers(1, SHARE - height + 1))
            body = draw(items(height, inner, depth - 1))
            made.append(Loop(inner, draw(st.booleans()), body))
        elif kind == "load":
            made.append(Load(draw(places(height, trips, 0))))
        else:
            op = draw(st.sampled_from(["add", "sub", "mul", "copy"]))
            made.append(Store(draw(places(height, trips, 1)), op, draw(number), draw(number)))
    return tuple(made)


@st.composite
def sequences(draw: Any) -> Sequence:
    height = draw(st.integers(1, 3))
    body = draw(items(height, 1, 1))
    return Sequence(draw(st.sampled_from([1, 2])), height, draw(st.sampled_from([5, 64, 70])), body)
