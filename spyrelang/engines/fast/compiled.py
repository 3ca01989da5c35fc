"""A program compiled for the fast engine: classes of units and what connects them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrelang.engines.checked.ranks import ranks
from spyrelang.engines.fast.blocks import Stream
from spyrelang.engines.fast.builder import Builder, Split
from spyrelang.engines.fast.linear import Frame, Lin, Slot
from spyrelang.engines.fast.network import Net, Wiring
from spyrelang.engines.fast.ports import Port
from spyrelang.engines.fast.spaces import Spaces
from spyrelang.engines.fast.steps import Step
from spyrelang.engines.fast.unit import compile_body
from spyrelang.isa.program import (
    Compute,
    Executable,
    For,
    If,
    Instr,
    Load,
    ProgramUnit,
    Receive,
    Send,
)


@dataclass(eq=False)
class UnitClass:
    """Units that run in lock-step, with the compiled body."""

    units: tuple[int, ...]
    template: Frame
    body: Step
    symbols: dict[tuple[int, ...], Slot]
    params: list[Slot]
    ports: list[Port]
    loc: int


@dataclass(eq=False)
class CompiledProgram:
    """All classes of a program; `ranks` says how far each is from where device memory is read."""

    name: str
    classes: list[UnitClass]
    fifos: Wiring
    signals: Wiring
    ranks: list[int]

    def net(self) -> Net:
        """Fresh connections."""
        return Net(
            [Stream() for _ in self.fifos.pairs],
            [0] * len(self.signals.pairs),
            self.fifos.readers,
            self.signals.readers,
            self.ranks,
            [True] * len(self.classes),
        )


def compile_program(
    executable: Executable,
    number: int,
    cores: frozenset[int] | None,
    per_core: tuple[bool, ...],
    spaces: Spaces,
    numerics: str,
    alone: bool,
) -> CompiledProgram:
    """Compile program `number` for the units of `cores` (None: all). `per_core` tells which
    parameters differ between cores.

    Units whose control differs become classes of their own; with `alone`, every unit does.
    """
    program = executable.programs[number]
    fifos, signals = Wiring(), Wiring()
    classes: list[UnitClass] = []
    work = [
        (unit, group)
        for unit in program.units
        for group in _groups(_chosen(executable, unit, cores), alone)
    ]
    work.reverse()
    while work:
        unit, positions = work.pop()
        b = Builder(executable, spaces, unit, positions, Wiring(), Wiring(), frozenset(), numerics)
        b.mixed = _mixed(b, unit)
        params = [_param(b, i, differs) for i, differs in enumerate(per_core)]
        try:
            body = compile_body(b)
        except Split as split:
            work += reversed([(unit, part) for part in _parts(positions, split.labels)])
            continue
        fifos.add(b.fifos, len(classes))
        signals.add(b.signals, len(classes))
        classes.append(UnitClass(b.units, b.template, body, b.symbols, params, b.ports, unit.loc))
    fifos.connect()
    signals.connect()
    order = ranks(executable, number)
    levels = [max(order[u] for u in c.units) for c in classes]
    return CompiledProgram(program.name, classes, fifos, signals, levels)


def _groups(positions: tuple[int, ...], alone: bool) -> list[tuple[int, ...]]:
    if alone:
        return [(position,) for position in positions]
    return [positions] if positions else []


def _chosen(
    executable: Executable, unit: ProgramUnit, cores: frozenset[int] | None
) -> tuple[int, ...]:
    """Positions of the units that take part; units without a core always do."""
    units = executable.machine.units
    return tuple(
        position
        for position, number in enumerate(unit.units)
        if cores is None or units[number].core < 0 or units[number].core in cores
    )


def _param(b: Builder, register: int, differs: bool) -> Slot:
    cores = np.array([b.executable.machine.units[u].core for u in b.units], np.int64)
    slot = b.slot("units", labels=cores) if differs else b.slot("uniform")
    b.env[register] = Lin(0, {slot: 1})
    return slot


def _parts(positions: tuple[int, ...], labels: Any) -> list[tuple[int, ...]]:
    values = labels.tolist()
    return [
        tuple(p for p, label in zip(positions, values, strict=True) if label == wanted)
        for wanted in dict.fromkeys(values)
    ]


def _mixed(b: Builder, unit: ProgramUnit) -> frozenset[tuple[int, ...]]:
    """Peers with which a unit exchanges vectors of several types in one direction: such traffic
    cannot move in blocks."""
    types = {
        op.dst: (op.dtype, op.lanes)
        for op in _walk(unit.body)
        if isinstance(op, (Load, Receive, Compute))
    }
    seen: dict[tuple[str, tuple[int, ...]], set[Any]] = {}
    for op in _walk(unit.body):
        if isinstance(op, Receive):
            seen.setdefault(("from", b.each(op.peers)), set()).add((op.dtype, op.lanes))
        elif isinstance(op, Send):
            seen.setdefault(("to", b.each(op.peers)), set()).add(types.get(op.value))
    return frozenset(peers for (_, peers), kinds in seen.items() if len(kinds) > 1)


def _walk(body: Iterable[Instr]) -> Iterable[Any]:
    for op in body:
        yield op
        if isinstance(op, For):
            yield from _walk(op.body)
        elif isinstance(op, If):
            yield from _walk(op.then_body)
            yield from _walk(op.else_body)
