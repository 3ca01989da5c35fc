"""Affine expressions over index values: affine.apply, min and max, subscripts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from spyrelang.affine import Const, Dim, Expr, Map
from spyrelang.errors import Location, SpyreError
from spyrelang.interp import text
from spyrelang.interp.compiler import Compiler, Slot
from spyrelang.interp.frame import Frame
from spyrelang.interp.registry import Op, builds

Index = Any
"""An int, or an int64 array with one entry for each tile of the batch."""


def affine_values(
    c: Compiler, op: Op, map_: Map, slots: Sequence[Slot]
) -> Callable[[Frame], list[Index]]:
    """The results of a map whose dims, then symbols, are the slots of operands of `op`."""
    dims = [s.index for s in slots[: map_.n_dims]]
    syms = [s.index for s in slots[map_.n_dims :]]
    plain = all(isinstance(e, Const | Dim) for e in map_.results)
    place = None if plain else c.place(op)
    results = [_result(e, dims, syms, place) for e in map_.results]
    return lambda f: [result(f) for result in results]


def _result(
    expr: Expr, dims: list[int], syms: list[int], place: Location | None
) -> Callable[[Frame], Index]:
    if isinstance(expr, Const):
        value = expr.value
        return lambda _: value
    if isinstance(expr, Dim):
        slot = dims[expr.index]
        return lambda f: f.regs[slot]

    def general(f: Frame) -> Index:
        try:
            return expr.eval([f.regs[s] for s in dims], [f.regs[s] for s in syms])
        except SpyreError as error:  # a divisor that turned out to be zero
            error.location = place
            raise

    return general


def integers(static: Sequence[int], dynamic: Sequence[Slot]) -> Callable[[Frame], list[Index]]:
    """Sizes, offsets or strides: constants with operands in the dynamic places."""
    if not dynamic:
        fixed = list(static)
        return lambda _: fixed
    slots = iter(dynamic)
    parts = [next(slots).index if n == DYNAMIC else None for n in static]
    pairs = list(zip(static, parts, strict=True))
    return lambda f: [n if slot is None else f.regs[slot] for n, slot in pairs]


DYNAMIC = -(1 << 63)
"""What MLIR writes for a size that is an operand."""


@builds("affine.apply")
def _apply(c: Compiler, op: Op) -> None:
    slots = c.operands(op)
    values = affine_values(c, op, text.map_of(op, "map"), slots)
    slot = c.result(op, *slots)
    slot.roots = frozenset[int]().union(*(s.roots for s in slots))
    out = slot.index

    def step(f: Frame) -> None:
        f.regs[out] = values(f)[0]

    c.emit(step)


@builds("affine.min", "affine.max")
def _extremum(c: Compiler, op: Op) -> None:
    slots = c.operands(op)
    values = affine_values(c, op, text.map_of(op, "map"), slots)
    out = c.result(op, *slots).index
    pick: Any = np.minimum if op.name == "affine.min" else np.maximum
    on_ints: Any = min if op.name == "affine.min" else max

    def step(f: Frame) -> None:
        found = values(f)
        uniform = all(type(v) is int for v in found)
        f.regs[out] = on_ints(found) if uniform else reduce(pick, found)

    c.emit(step)


@builds("affine.delinearize_index")
def _delinearize(c: Compiler, op: Op) -> None:
    """Row-major coordinates of a number; without an outermost size that part is unbounded."""
    number, *dynamic = c.operands(op)
    outs = [c.define(v, op, number, *dynamic).index for v in op.results]
    sizes, index = integers(text.integers(op, "static_basis"), dynamic), number.index

    def step(f: Frame) -> None:
        left, basis = f.regs[index], sizes(f)
        inner = basis[1:] if len(basis) == len(outs) else basis
        for out, size in zip(reversed(outs[1:]), reversed(inner), strict=True):
            f.regs[out], left = left % size, left // size
        f.regs[outs[0]] = left

    c.emit(step)


@builds("affine.linearize_index")
def _linearize(c: Compiler, op: Op) -> None:
    numbers, dynamic = c.segments(op, 2)
    out = c.result(op, *numbers, *dynamic).index
    sizes = integers(text.integers(op, "static_basis"), dynamic)
    indices = [n.index for n in numbers]

    def step(f: Frame) -> None:
        basis, found = sizes(f), f.regs[indices[0]]
        inner = basis[1:] if len(basis) == len(indices) else basis
        for index, size in zip(indices[1:], inner, strict=True):
            found = found * size + f.regs[index]
        f.regs[out] = found

    c.emit(step)
