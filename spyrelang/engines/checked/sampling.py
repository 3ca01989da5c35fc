"""How much work a run is, and which cores to simulate when that is too much."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence

from spyrelang.engines.checked import scalars
from spyrelang.engines.checked.orchestrator import rounds
from spyrelang.engines.outcome import Options
from spyrelang.errors import SpyreError
from spyrelang.errors.engine import BAD_OPTION
from spyrelang.isa import program as p
from spyrelang.isa.visit import instructions

_LANES = 64  # a transfer counts as one step for every so many elements


def choose(
    executable: p.Executable, symbols: Mapping[int, int], options: Options, seed: int
) -> tuple[tuple[int, ...], int]:
    """(cores to simulate, estimated vector steps of those). Cores that exchange vectors or signals
    are taken together."""
    everyone = tuple(range(executable.machine.cores))
    work = _work(executable, symbols)
    if options.cores is not None:
        wanted: Iterable[int] = _named(options.cores, everyone)
    elif sum(work.values()) <= options.full_limit:
        return everyone, sum(work.values())
    else:
        others = everyone[1:-1]
        wanted = {0, everyone[-1], *random.Random(seed).sample(others, min(1, len(others)))}
    cores = _closed(executable, set(wanted))
    return cores, sum(work.get(c, 0) for c in cores)


def _named(cores: tuple[int, ...], everyone: tuple[int, ...]) -> tuple[int, ...]:
    """The cores an option names; SPY523 where one does not exist."""
    if not cores or not set(cores) <= set(everyone):
        known = f"cores 0 to {everyone[-1]}" if everyone else "no cores"
        raise BAD_OPTION.error(what="cores", value=cores, known=known)
    return cores


def _work(executable: p.Executable, symbols: Mapping[int, int]) -> dict[int, int]:
    """Estimated vector steps of each core (key -1: units of no core)."""
    totals: dict[int, int] = {}
    known: dict[tuple[int, int, int, tuple[int, ...]], int] = {}
    for call in rounds(executable, symbols):
        for number, unit in enumerate(executable.programs[call.program].units):
            for position, index in enumerate(unit.units):
                core = executable.machine.units[index].core
                args = call.args.get(core if core >= 0 else min(call.args))
                if args is None:
                    continue
                key = (call.program, number, position, args)
                if key not in known:
                    known[key] = Estimate(executable, symbols, position).of(unit.body, args)
                totals[core] = totals.get(core, 0) + known[key]
    return totals


class Estimate:
    """Vector steps of one unit. Loops are multiplied out, not run: a bound that depends on an outer
    loop's variable is taken at that loop's first trip."""

    def __init__(self, executable: p.Executable, symbols: Mapping[int, int], position: int) -> None:
        self.exe = executable
        self.symbols = symbols
        self.position = position
        self.regs: dict[int, int] = {}

    def of(self, body: Sequence[p.Instr], args: Sequence[int]) -> int:
        self.regs = dict(enumerate(args))
        return self._block(body)

    def _block(self, body: Sequence[p.Instr]) -> int:
        return sum(self._instr(i) for i in body)

    def _instr(self, i: p.Instr) -> int:
        match i:
            case p.For():
                return self._for(i)
            case p.If():
                return max(self._block(i.then_body), self._block(i.else_body))
            case p.Load() | p.Store() | p.Compute() | p.Send() | p.Receive():
                return 1
            case p.Transfer():
                sizes = [self._extent(a) for a in i.axes]
                return 1 + math.prod(max(s, 0) for s in sizes) // _LANES
            case _:
                self._scalar(i)
                return 0

    def _extent(self, axis: p.Axis) -> int:
        return self.regs.get(axis.extent, 1) if axis.dynamic else axis.extent

    def _scalar(self, i: p.Instr) -> None:
        try:
            value = scalars.scalar(i, self.regs, self.position, self.symbols)
        except (ZeroDivisionError, SpyreError, KeyError):
            return  # the run itself reports it, at its place
        if value is not None:
            self.regs[i.dst] = value  # type: ignore[attr-defined]

    def _for(self, i: p.For) -> int:
        regs = self.regs
        lower, upper, step = (regs.get(r, 0) for r in (i.lower, i.upper, i.step))
        trips = len(range(lower, upper, max(step, 1)))
        if not trips:
            return 0
        regs[i.iv] = lower
        regs.update((a, regs[b]) for a, b in zip(i.args, i.inits, strict=True) if b in regs)
        inside = self._block(i.body)
        regs.update((a, regs[b]) for a, b in zip(i.results, i.yields, strict=True) if b in regs)
        return trips * inside


def _closed(executable: p.Executable, cores: set[int]) -> tuple[int, ...]:
    """`cores` and every core that one of them talks to, directly or not."""
    talks = _conversations(executable)
    pending = list(cores)
    while pending:
        for other in talks.get(pending.pop(), set()) - cores:
            cores.add(other)
            pending.append(other)
    return tuple(sorted(cores))


def _conversations(executable: p.Executable) -> dict[int, set[int]]:
    units = executable.machine.units
    talks: dict[int, set[int]] = {}
    for program in executable.programs:
        for unit in program.units:
            for i in instructions(unit.body):
                if not isinstance(i, p.Send | p.Receive | p.SyncSend | p.SyncReceive):
                    continue
                for position, me in enumerate(unit.units):
                    a, b = units[me].core, units[scalars.at(i.peers, position)].core
                    if a != b and a >= 0 and b >= 0:
                        talks.setdefault(a, set()).add(b)
                        talks.setdefault(b, set()).add(a)
    return talks
