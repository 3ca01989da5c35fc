"""Engines: they run an `isa.program.Executable` on simulated memory.

`run` is the one entry. `checked` looks for every fault it can; `fast` computes whole loops at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from spyrelang.engines.memory import DeviceMemory, Region
from spyrelang.engines.outcome import Coverage, Event, Options, Outcome, Progress
from spyrelang.errors.driver import UNKNOWN_ENGINE

if TYPE_CHECKING:
    from spyrelang.isa.program import Executable

__all__ = [
    "ENGINES",
    "Coverage",
    "DeviceMemory",
    "Event",
    "Options",
    "Outcome",
    "Progress",
    "Region",
    "run",
]

ENGINES = ("fast", "checked")


def run(
    executable: Executable,
    memory: DeviceMemory,
    values: Mapping[int, int],
    *,
    engine: str = "fast",
    seed: int = 0,
    options: Options | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run `executable` on `memory`.

    `values` gives the input symbols (byte addresses) by id; it may give derived symbols too, as a
    corrected symbol pool does, and those are then taken as they are. Where `checked` simulates only
    some cores, `fast` computes the outputs of all. With numerics "df16" the memory of f16 holds
    DLFloat16 codes. Raises SPY5xx.
    """
    from spyrelang.isa import symbols

    options = options or Options()
    if options.numerics == "df16":
        from spyrelang.isa.numerics import as_df16

        executable, options = as_df16(executable), replace(options, numerics="ieee")
    resolved = symbols.evaluate(executable, values)
    if engine == "fast":
        from spyrelang.engines import fast

        return fast.run(executable, memory, resolved, seed=seed, options=options, progress=progress)
    if engine == "checked":
        from spyrelang.engines import sampled

        return sampled.run(
            executable, memory, resolved, seed=seed, options=options, progress=progress
        )
    raise UNKNOWN_ENGINE.error(engine=engine, known=", ".join(ENGINES))
