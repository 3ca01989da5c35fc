"""Runs compiled programs: launches, and the scheduling of classes within one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

import numpy as np

from spyrelang.engines.fast.builder import NET, WORK
from spyrelang.engines.fast.compiled import CompiledProgram, UnitClass, compile_program
from spyrelang.engines.fast.cost import Work
from spyrelang.engines.fast.linear import Frame, Slot
from spyrelang.engines.fast.network import Net
from spyrelang.engines.fast.orchestrator import Call, calls
from spyrelang.engines.fast.spaces import Spaces, Undo
from spyrelang.engines.fast.steps import GEN, Code, Step
from spyrelang.engines.memory import DeviceMemory
from spyrelang.engines.outcome import Outcome, Policy
from spyrelang.errors import ErrorKind, Location, Note, SpyreError
from spyrelang.errors.engine import DEADLOCK, SIGNALS_LEFT, VECTORS_LEFT
from spyrelang.isa import program as isa
from spyrelang.isa.validate import location, validate


@dataclass(eq=False)
class Session:
    """An executable with its compiled programs and its local memories, kept between launches."""

    executable: isa.Executable
    numerics: str
    spaces: Spaces = field(init=False)
    programs: dict[Any, CompiledProgram] = field(init=False)

    def __post_init__(self) -> None:
        validate(self.executable)
        self.spaces = Spaces(self.executable.machine)
        self.programs = {}
        self._lock = RLock()  # local memories serve one launch at a time

    def launch(
        self, memory: DeviceMemory, symbols: Mapping[int, int], leftovers: Policy
    ) -> Outcome:
        """Run the orchestrator once. Raises SPY5xx."""
        with self._lock:
            cores = tuple(range(self.executable.machine.cores))
            self.outcome = Outcome("fast", cores=cores)
            self.leftovers = leftovers
            self._launch(memory, symbols)
            return self.outcome

    def _launch(self, memory: DeviceMemory, symbols: Mapping[int, int]) -> None:
        self.spaces.attach(memory)
        self.symbols = symbols
        try:
            for call in calls(self.executable, symbols):
                self._call(call)
        finally:
            for program in self.programs.values():
                for unit_class in program.classes:
                    for port in unit_class.ports:
                        port.forget()
            self.spaces.attach(DeviceMemory())

    def _call(self, call: Call) -> None:
        key = (call.program, call.cores, call.per_core)
        program = self.programs.get(key)
        if program is not None:
            self._run(program, call)
            return
        undo = Undo()
        self.spaces.watch(undo)
        try:
            program = self._compile(call, alone=False)
            self._run(program, call)
        except SpyreError as error:
            if error.code != DEADLOCK.code:
                raise
            self.spaces.watch(None)
            undo.undo()  # it may be lock-step in which nobody can go on
            program = self._compile(call, alone=True)
            self._run(program, call)
        finally:
            self.spaces.watch(None)
        self.programs[key] = program

    def _compile(self, call: Call, alone: bool) -> CompiledProgram:
        return compile_program(
            self.executable,
            call.program,
            call.cores,
            call.per_core,
            self.spaces,
            self.numerics,
            alone,
        )

    def _run(self, program: CompiledProgram, call: Call) -> None:
        run = _Run(self, program, call.args)
        run.run()
        self.outcome.cycles += run.cycles
        self.outcome.steps += run.steps

    def location(self, loc: int) -> Location | None:
        """The place of an instruction."""
        return location(self.executable, loc)

    def symbol(self, ids: tuple[int, ...], slot: Slot) -> Any:
        """The launch value of a symbol slot."""
        if slot.kind == "uniform":
            return self.symbols[ids[0]]
        return np.array([self.symbols[i] for i in ids], np.int64)


@dataclass(eq=False)
class _Run:
    """One call of a program."""

    session: Session
    program: CompiledProgram
    args: tuple[Any, ...]

    def run(self) -> None:
        """Run all classes to their end."""
        net = self.program.net()
        frames = [self._frame(c, net) for c in self.program.classes]
        code = [_code(c.body, f) for c, f in zip(self.program.classes, frames, strict=True)]
        self._schedule(net, code)
        self._leftovers(net)
        works: list[Work] = [f[WORK] for f in frames]
        machine = self.session.executable.machine
        self.cycles = max((w.cycles(machine) for w in works), default=0)
        sizes = [len(c.units) for c in self.program.classes]
        self.steps = sum(w.steps * n for w, n in zip(works, sizes, strict=True))

    def _schedule(self, net: Net, code: list[Code]) -> None:
        """Of the classes that may go on, the one furthest downstream always does."""
        ready, ranks = net.ready, net.ranks
        order = sorted(range(len(code)), key=lambda c: -ranks[c])
        while order:
            current = next((c for c in order if ready[c]), None)
            if current is None:
                self._unblock(net, order)
                continue
            net.rank, net.preempt, net.soft = ranks[current], False, False
            if next(code[current], _END) is _END:
                order.remove(current)
            elif not net.soft:
                ready[current] = False

    def _frame(self, unit_class: UnitClass, net: Net) -> Frame:
        frame = unit_class.template.copy()
        frame[NET], frame[WORK] = net, Work()
        for ids, slot in unit_class.symbols.items():
            frame[slot.index] = self.session.symbol(ids, slot)
        units = self.session.executable.machine.units
        for slot, value in zip(unit_class.params, self.args, strict=True):
            if isinstance(value, np.ndarray):
                values = value[[units[u].core for u in unit_class.units]]
                value = values if slot.kind == "units" else int(values[0])
            frame[slot.index] = value
        return frame

    def _unblock(self, net: Net, left: Sequence[int]) -> None:
        """Nobody can go on. Where nests wait for whole blocks, let them run trip by trip."""
        stuck = [nest for nest in net.waiting if not nest.in_trips]
        if not stuck:
            raise self._deadlock([self.program.classes[c] for c in left])
        for nest in stuck:
            nest.in_trips = True
        for number in left:
            net.ready[number] = True

    def _deadlock(self, left: Sequence[UnitClass]) -> Exception:
        units = self.session.executable.machine.units
        notes = [
            Note(
                f"{', '.join(units[u].name for u in c.units[:4])}"
                f"{' …' if len(c.units) > 4 else ''} cannot go on",
                self.session.location(c.loc),
            )
            for c in left
        ]
        count = sum(len(c.units) for c in left)
        hint = "run with engine='checked': it names what each unit waits for"
        where = self.session.location(left[0].loc)
        return DEADLOCK.error(where, program=self.program.name, count=count, notes=notes, hint=hint)

    def _leftovers(self, net: Net) -> None:
        """What was sent and never received."""
        if self.session.leftovers == "off":
            return
        for count, pairs in zip(net.signals, self.program.signals.pairs, strict=True):
            if count:
                self._left(SIGNALS_LEFT, count, pairs[0])
        for stream, pairs in zip(net.streams, self.program.fifos.pairs, strict=True):
            if stream.count:
                self._left(VECTORS_LEFT, stream.count, pairs[0])

    def _left(self, kind: ErrorKind, count: int, pair: tuple[int, int]) -> None:
        error = kind.error(**self._ends(count, pair))
        if self.session.leftovers == "error":
            raise error
        self.session.outcome.warnings.append(error)

    def _ends(self, count: int, pair: tuple[int, int]) -> dict[str, Any]:
        names = [self.session.executable.machine.units[u].name for u in pair]
        return {
            "count": count,
            "sender": names[0],
            "receiver": names[1],
            "program": self.program.name,
        }


def _code(body: Step, frame: Frame) -> Code:
    kind, function = body
    if kind == GEN:
        yield from function(frame)
    else:
        function(frame)


_END: Any = object()
