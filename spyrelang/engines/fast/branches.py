"""Branches: decided when compiled, by a number all units share, or unit by unit under a mask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrelang.engines.fast.builder import MASK, Builder, NotAxis, Vector
from spyrelang.engines.fast.linear import Frame, Lin, Slot, compile_value, merge_labels
from spyrelang.engines.fast.serial import Visit, assign, reader, uniform
from spyrelang.engines.fast.steps import Step, choice, sequence
from spyrelang.errors.engine import BAD_PROGRAM
from spyrelang.isa.program import (
    Call,
    For,
    If,
    Instr,
    Receive,
    Send,
    SyncReceive,
    SyncSend,
)


def branch(b: Builder, op: If, visit: Visit) -> None:
    """A branch: decided now, by a number all units share, or unit by unit under a mask."""
    condition = b.lin(op.cond)
    if condition.on_axis:
        raise NotAxis
    if condition.value is not None:
        _inline(b, op, bool(condition.value), visit)
    elif condition.is_uniform:
        _shared(b, op, condition, visit)
    elif _maskable(op.then_body) and _maskable(op.else_body):
        _masked(b, op, condition, visit)
    else:
        uniform(b, condition)


def _inline(b: Builder, op: If, taken: bool, visit: Visit) -> None:
    for inner in op.then_body if taken else op.else_body:
        visit(b, inner)
    yields = op.then_yields if taken else op.else_yields
    for reg, source in zip(op.results, yields, strict=True):
        b.env[reg] = b.env[source]


def _shared(b: Builder, op: If, condition: Lin, visit: Visit) -> None:
    results = _Results(b, op)
    before = dict(b.levels[-1].inlets) if b.levels else {}
    sides: list[Step] = []
    for body, yields in ((op.then_body, op.then_yields), (op.else_body, op.else_yields)):
        with b.block() as steps, b.conditional():
            for inner in body:
                visit(b, inner)
            results.assign(yields)
        sides.append(sequence(steps))
    if b.levels and b.levels[-1].inlets != before:
        raise NotAxis  # the number of receives would depend on the branch
    b.steps.append(choice(compile_value(condition), *sides))
    results.define()


def _maskable(body: Sequence[Instr]) -> bool:
    """Whether units may skip it: nothing that waits or sends."""
    for op in body:
        if isinstance(op, (Send, Receive, SyncSend, SyncReceive, Call, For)):
            return False
        if isinstance(op, If) and not (_maskable(op.then_body) and _maskable(op.else_body)):
            return False
    return True


def _masked(b: Builder, op: If, condition: Lin, visit: Visit) -> None:
    """Both sides, each for the units that take it."""
    if op.results:
        uniform(b, condition)  # values of both sides would have to be merged
    value, saved = compile_value(condition), b.new()
    for body, wanted in ((op.then_body, True), (op.else_body, False)):
        if not body:
            continue
        with b.block() as steps, b.under_mask():
            for inner in body:
                visit(b, inner)
        b.emit(_under_mask(value, wanted, saved, sequence(steps)[1]))


def _under_mask(
    condition: Callable[[Frame], Any], wanted: bool, saved: int, body: Callable[[Frame], Any]
) -> Callable[[Frame], None]:
    def step(f: Frame) -> None:
        takes = (np.asarray(condition(f)) != 0) == wanted
        f[saved] = before = f[MASK]
        chosen = np.flatnonzero(takes) if before is None else before[takes[before]]
        if chosen.size:
            f[MASK] = chosen
            body(f)
            f[MASK] = f[saved]

    return step


@dataclass(eq=False)
class _Results:
    """Results of a branch: one frame entry each, written by both sides."""

    b: Builder
    op: If
    sides: list[list[tuple[Any, int]]] | None = None

    def __post_init__(self) -> None:
        self.entries = [self.b.new() for _ in self.op.results]
        self.kinds: list[list[Any]] = [[] for _ in self.op.results]

    def assign(self, yields: Sequence[int]) -> None:
        """At the end of a side: write its values."""
        b = self.b
        for reg, index, kinds in zip(yields, self.entries, self.kinds, strict=True):
            value = b.env.get(reg)
            if isinstance(value, Lin) and value.on_axis:
                raise NotAxis
            kinds.append(value)
            b.emit(assign(index, reader(b, reg)))

    def define(self) -> None:
        """After both sides."""
        b = self.b
        nest = b.nest.number if b.nest is not None else 0
        for reg, index, kinds in zip(self.op.results, self.entries, self.kinds, strict=True):
            first, second = kinds
            if isinstance(first, Lin) and isinstance(second, Lin):
                shared = first.is_uniform and second.is_uniform
                slot = Slot(index, "uniform" if shared else "units", nest=nest)
                if not shared:
                    slot.labels = merge_labels([first.labels(b.size), second.labels(b.size)])
                b.env[reg] = Lin(0, {slot: 1})
            elif isinstance(first, Vector) and isinstance(second, Vector):
                b.env[reg] = Vector(index, b.depth, first.dtype, first.lanes)
            else:
                where = b.location(self.op.loc)
                raise BAD_PROGRAM.error(where, reason="the sides of a branch give other types")
