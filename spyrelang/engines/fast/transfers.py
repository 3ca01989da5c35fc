"""Transfers as strided copies of all units at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spyrelang.engines.fast.builder import MASK, WORK, Builder
from spyrelang.engines.fast.linear import Frame, Lin, compile_value
from spyrelang.engines.fast.ports import Port, injective
from spyrelang.errors.engine import negative_extent

Array = np.ndarray[Any, np.dtype[Any]]
Subset = NDArray[np.intp] | None


def transfer_step(
    b: Builder, port: Port, varying: Sequence[tuple[int, Lin]]
) -> Callable[[Frame], None]:
    """The step of a transfer; `varying` are the window axes whose extent depends on the unit."""
    masked = b.masked
    if varying:
        return _ragged(b, port, varying)
    move = _mover(port)

    def step(f: Frame) -> None:
        move(f, port.extents(f), f[MASK] if masked else None)

    return step


def _ragged(b: Builder, port: Port, varying: Sequence[tuple[int, Lin]]) -> Callable[[Frame], None]:
    """Units with equal extents move together."""
    move, masked, units = _mover(port), b.masked, b.size
    axes = [index for index, _ in varying]
    values = [compile_value(lin) for _, lin in varying]
    steady = [(i, c) for i, c in port.dynamic if i not in axes]

    def step(f: Frame) -> None:
        subset: Subset = f[MASK] if masked else None
        rows = np.arange(units) if subset is None else subset
        columns = [np.broadcast_to(np.asarray(v(f), np.int64), (units,))[rows] for v in values]
        table = np.stack(columns, axis=1)
        counts = list(port.fixed_counts)
        for index, count in steady:
            counts[index] = count(f)
        for extents in np.unique(table, axis=0):
            chosen = rows[(table == extents).all(axis=1)]
            for index, extent in zip(axes, extents.tolist(), strict=True):
                if extent < 0:
                    raise negative_extent(port.location, extent, index)
                counts[index] = extent
            move(f, tuple(counts), None if len(chosen) == units else chosen)

    return step


def _mover(port: Port) -> Callable[[Frame, tuple[int, ...], Subset], None]:
    """The function that moves the data, for given extents and units."""
    size = port.dtype.itemsize
    target = port.sides[1]
    simple: dict[tuple[int, ...], bool] = {}

    def move(f: Frame, counts: tuple[int, ...], subset: Subset) -> None:
        if 0 in counts:
            return
        easy = simple.get(counts)
        if easy is None:
            easy = simple[counts] = injective(counts, target.strides, size)
        total = size
        for count in counts:
            total *= count
        f[WORK].transfer(port, total)
        for _, (read, write) in port.open(f, counts, subset):
            if easy:
                write[...] = read
            else:
                _in_order(read.copy(), write)

    return move


def _in_order(read: Array, write: Array) -> None:
    """Element by element, where a later element overwrites an earlier one."""
    for point in np.ndindex(read.shape):
        write[point] = read[point]
