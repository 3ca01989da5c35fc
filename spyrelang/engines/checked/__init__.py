"""The checked engine: every unit a coroutine, adversarial timing, and every check there is.

Numbers are the same as those of `fast`; a run costs some ten microseconds a vector.
"""

from __future__ import annotations

from collections.abc import Mapping

from spyrelang.engines.checked.accesses import Accesses
from spyrelang.engines.checked.machine import Machine
from spyrelang.engines.checked.orchestrator import Round, rounds
from spyrelang.engines.checked.plan import Plans
from spyrelang.engines.checked.ranks import ranks
from spyrelang.engines.checked.sampling import choose
from spyrelang.engines.checked.scheduler import Scheduler
from spyrelang.engines.checked.unit import UnitRun
from spyrelang.engines.memory import DeviceMemory
from spyrelang.engines.outcome import Options, Outcome, Progress
from spyrelang.isa.program import Executable
from spyrelang.isa.validate import validate

__all__ = ["choose", "run"]


def run(
    executable: Executable,
    memory: DeviceMemory,
    symbols: Mapping[int, int],
    *,
    seed: int = 0,
    options: Options | None = None,
    progress: Progress | None = None,
    plan: tuple[tuple[int, ...], int] | None = None,
) -> Outcome:
    """Run on `memory` with all `symbols` evaluated. Raises SPY50x and SPY51x.

    `plan` is what `choose` gave: the cores to simulate and the vector steps to expect.

    When only some cores are simulated, `Outcome.complete` is False and the outputs of the other
    cores are not written.
    """
    options = options or Options()
    validate(executable)
    cores, expected = plan or choose(executable, symbols, options, seed)
    partial = len(cores) < executable.machine.cores
    machine = Machine(executable, memory, symbols, seed=seed, options=options, trusted=partial)
    outcome = machine.outcome
    outcome.cores, outcome.complete = cores, not partial
    if partial:
        some = ", ".join(map(str, cores))
        outcome.reports.append(f"simulated cores {some} of {executable.machine.cores}")
    _Run(machine, cores, expected, progress).run()
    outcome.coverage = machine.coverage()
    return outcome


class _Run:
    """The program calls of one run, on the cores that are simulated."""

    def __init__(
        self, machine: Machine, cores: tuple[int, ...], expected: int, progress: Progress | None
    ) -> None:
        self.machine = machine
        self.cores = frozenset(cores)
        self.expected = expected
        self.progress = progress
        self.plans = Plans(machine.options.numerics)
        self.accesses = Accesses(machine)
        self._ranks: dict[int, dict[int, int]] = {}

    def run(self) -> None:
        machine = self.machine
        cycle = 0
        for call in rounds(machine.executable, machine.symbols):
            program = machine.executable.programs[call.program]
            machine.program = program.name
            machine.run_number += 1
            units = self._units(call, cycle)
            cycle = max(cycle, Scheduler(machine, units, self._tick).run())
        machine.outcome.cycles = cycle

    def _units(self, call: Round, cycle: int) -> list[UnitRun]:
        """The units that take part in a call, ready to run from `cycle` on."""
        machine = self.machine
        facts = machine.executable.machine.units
        order = self._ranks_of(call.program)
        units: list[UnitRun] = []
        for body in machine.executable.programs[call.program].units:
            for position, unit in enumerate(body.units):
                core = facts[unit].core
                args = call.args.get(core if core >= 0 else min(call.args))
                if args is None or (core >= 0 and core not in self.cores):
                    continue
                run = UnitRun(machine, self.accesses, self.plans, body, position, args, cycle)
                run.rank = order.get(unit, 0)
                units.append(run)
        return units

    def _ranks_of(self, program: int) -> dict[int, int]:
        if program not in self._ranks:
            self._ranks[program] = ranks(self.machine.executable, program)
        return self._ranks[program]

    def _tick(self) -> None:
        if self.progress is not None:
            self.progress(self.machine.outcome.steps, self.expected)
