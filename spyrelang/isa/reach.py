"""How far views and accesses reach, before any of it is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spyrelang.affine import Expr
from spyrelang.isa import program as p
from spyrelang.isa.visit import instructions
from spyrelang.semantics import dtypes

FARTHEST = 1 << 62
"""Bytes; the sum of two shorter distances is still a number of 64 bits."""

Accesses = Iterator[tuple[p.Access, tuple[tuple[int, ...], ...]]]


def spans(body: tuple[p.Instr, ...]) -> Iterator[tuple[p.Instr, str, int]]:
    """Every view and every access with what it is and the bytes from its first to its last element,
    at most. Sizes that only launch tells count as two: their steps must fit too."""
    views: dict[p.Reg, p.View] = {}
    for instr in instructions(body):
        if isinstance(instr, p.View):
            views[instr.dst] = instr
            yield instr, "the view", _view(instr)
        for access, steps in _accesses(instr):
            if access.view in views:
                yield instr, "the access", _access(access, steps, instr, views[access.view])


def _view(view: p.View) -> int:
    sizes = zip(view.shape, view.strides, strict=True)
    elements = sum(_moves(size) * abs(stride) for size, stride in sizes) + abs(view.base)
    return elements * dtypes.get(view.dtype).bytes


def _moves(extent: int) -> int:
    return max(extent - 1, 1)


def _accesses(instr: p.Instr) -> Accesses:
    match instr:
        case p.Load():
            yield instr.access, tuple(a.source_step for a in instr.axes)
        case p.Store():
            yield instr.access, tuple(a.target_step for a in instr.axes)
        case p.Transfer():
            yield instr.source, tuple(a.source_step for a in instr.axes)
            yield instr.target, tuple(a.target_step for a in instr.axes)
        case _:
            pass


def _access(
    access: p.Access, steps: Sequence[tuple[int, ...]], instr: p.Instr, view: p.View
) -> int:
    axes: tuple[p.Axis, ...] = getattr(instr, "axes", ())
    extents = [1 if a.dynamic else _moves(a.extent) for a in axes]
    elements = 0
    for dim, (expr, stride) in enumerate(zip(access.index, view.strides, strict=True)):
        along = sum(n * abs(step[dim]) for n, step in zip(extents, steps, strict=True))
        elements += abs(stride) * (_largest(expr) + along)
    return elements * dtypes.get(view.dtype).bytes


def _largest(expr: Expr) -> int:
    """The largest number in an expression."""
    return max((abs(e.constant or 0) for e in expr.walk()), default=0)
