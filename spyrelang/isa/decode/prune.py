"""Dropping instructions whose result nothing reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from spyrelang.isa import program as p
from spyrelang.isa.validate import reads

_PURE = (p.Const, p.Table, p.Symbol, p.Arith, p.Affine, p.View, p.Compute)


def prune(body: Sequence[p.Instr]) -> tuple[p.Instr, ...]:
    """`body` without unused arithmetic, views and computations. Loops and branches stay."""
    result, used = tuple(body), -1
    while True:
        needed: set[int] = set()
        _collect(result, needed)
        result = _without(result, needed)
        if len(needed) == used:
            return result
        used = len(needed)


def _collect(body: Iterable[p.Instr], needed: set[int]) -> None:
    for i in body:
        if isinstance(i, p.For):
            needed.update((i.lower, i.upper, i.step, *i.inits, *i.yields))
            _collect(i.body, needed)
        elif isinstance(i, p.If):
            needed.update((i.cond, *i.then_yields, *i.else_yields))
            _collect((*i.then_body, *i.else_body), needed)
        else:
            needed.update(reads(i))


def _without(body: Sequence[p.Instr], needed: set[int]) -> tuple[p.Instr, ...]:
    kept: list[p.Instr] = []
    for i in body:
        if isinstance(i, p.For):
            kept.append(replace(i, body=_without(i.body, needed)))
        elif isinstance(i, p.If):
            then, other = _without(i.then_body, needed), _without(i.else_body, needed)
            kept.append(replace(i, then_body=then, else_body=other))
        elif not isinstance(i, _PURE) or i.dst in needed:
            kept.append(i)
    return tuple(kept)
