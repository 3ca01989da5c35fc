"""The orchestrator of each core, and which cores call what together."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

from spyrelang.engines.checked import scalars
from spyrelang.engines.checked.scalars import Registers
from spyrelang.errors import SpyreError
from spyrelang.isa import program as p


class CallArgs(NamedTuple):
    """One call of one core."""

    program: int
    args: tuple[int, ...]


class Round(NamedTuple):
    """A program, and the arguments of each core that calls it now."""

    program: int
    args: dict[int, tuple[int, ...]]


Calls = Generator[CallArgs, None, None]


def rounds(executable: p.Executable, symbols: Mapping[int, int]) -> Generator[Round, None, None]:
    """Program runs in order. All cores that are about to call the same program do so together;
    where they differ, the program of the lowest core goes first."""
    cores = range(executable.machine.cores)
    walks = {c: _Walk(executable, symbols, c).run() for c in cores}
    waiting: dict[int, CallArgs] = {}
    while True:
        for core, walk in list(walks.items()):
            if core not in waiting:
                call = next(walk, None)
                if call is None:
                    del walks[core]
                else:
                    waiting[core] = call
        if not waiting:
            return
        program = waiting[min(waiting)].program
        together = {c: waiting[c].args for c in sorted(waiting) if waiting[c].program == program}
        for core in together:
            del waiting[core]
        yield Round(program, together)


class _Walk:
    """One core's pass through the orchestrator."""

    def __init__(self, executable: p.Executable, symbols: Mapping[int, int], core: int) -> None:
        self.exe = executable
        self.symbols = symbols
        self.core = core
        self.regs: Registers = {}

    def run(self) -> Calls:
        yield from self._block(self.exe.orchestrator)

    def _block(self, body: Sequence[p.Instr]) -> Calls:
        for i in body:
            match i:
                case p.Call():
                    yield CallArgs(i.program, tuple(self.regs[r] for r in i.args))
                case p.For():
                    yield from scalars.loop(self.exe, i, self.regs, self._block)
                case p.If():
                    yield from scalars.branch(i, self.regs, self._block)
                case _:
                    self._scalar(i)

    def _scalar(self, i: p.Instr) -> None:
        try:
            value = scalars.scalar(i, self.regs, self.core, self.symbols)
        except (ZeroDivisionError, SpyreError):
            raise scalars.impossible(self.exe, i, "division by zero") from None
        if value is None:
            what = type(i).__name__
            raise scalars.impossible(self.exe, i, f"{what} is not possible in an orchestrator")
        self.regs[i.dst] = value  # type: ignore[attr-defined]
