"""`checked` on as many cores as the budget allows, with complete outputs in any case."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from spyrelang.engines import checked
from spyrelang.engines.memory import DeviceMemory
from spyrelang.engines.outcome import Options, Outcome, Progress
from spyrelang.isa.program import Executable
from spyrelang.isa.validate import validate


def run(
    executable: Executable,
    memory: DeviceMemory,
    symbols: Mapping[int, int],
    *,
    seed: int,
    options: Options,
    progress: Progress | None,
) -> Outcome:
    """Run `checked`. When it takes only some cores, it works on a copy of the memory, and the
    outputs of all cores come from `fast`."""
    validate(executable)
    plan = checked.choose(executable, symbols, options, seed)
    everyone = len(plan[0]) == executable.machine.cores
    where = memory if everyone else memory.copy()
    outcome = checked.run(
        executable, where, symbols, seed=seed, options=options, progress=progress, plan=plan
    )
    if not everyone:
        _complete(executable, memory, symbols, where, outcome, options, seed)
    return outcome


def _complete(
    executable: Executable,
    memory: DeviceMemory,
    symbols: Mapping[int, int],
    sample: DeviceMemory,
    outcome: Outcome,
    options: Options,
    seed: int,
) -> None:
    from spyrelang.engines import fast

    fast.run(executable, memory, symbols, seed=seed, options=options, progress=None)
    outcome.complete = True
    outcome.reports.append("outputs of all cores are computed by the fast engine")
    for part in outcome.coverage:
        ours, theirs = sample.at(part.address).data, memory.at(part.address).data
        count = int(np.count_nonzero((ours != theirs) & part.written))
        if count:
            outcome.reports.append(f"{part.name}: {count} bytes differ between the engines")
