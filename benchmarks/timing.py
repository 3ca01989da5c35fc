"""Wall and processor time of calls, and the tables that benchmarks print."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Cost:
    """Seconds by the clock, and seconds of processor time, which other processes disturb less."""

    wall: float
    cpu: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.wall + other.wall, self.cpu + other.cpu)

    def milliseconds(self) -> dict[str, float]:
        return {"wall_ms": self.wall * 1e3, "cpu_ms": self.cpu * 1e3}


def once(call: Callable[[], object]) -> Cost:
    """What one call takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def typical(costs: Sequence[Cost]) -> Cost:
    """The medians."""
    return Cost(median(c.wall for c in costs), median(c.cpu for c in costs))


def repeated(call: Callable[[], object], repeat: int, calls: int = 1) -> Cost:
    """The median of `repeat` measurements; each times `calls` calls, since short ones are below
    what clocks resolve."""

    def many() -> None:
        for _ in range(calls):
            call()

    costs = [once(many) for _ in range(repeat)]
    middle = typical(costs)
    return Cost(middle.wall / calls, middle.cpu / calls)


def process(command: Sequence[str], repeat: int, compiled: str) -> Cost:
    """The median of `repeat` runs of a command, start of the process included.

    Python keeps the bytecode of modules in the folder `compiled`: one run before fills it.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = compiled
    costs: list[Cost] = []
    for _ in range(repeat + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall = time.perf_counter()
        subprocess.run(list(command), check=True, capture_output=True, env=environment)
        wall = time.perf_counter() - wall
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)
        costs.append(Cost(wall, cpu))
    return typical(costs[1:])


def line(name: str, cost: Cost, note: str = "") -> str:
    """One row of a table: name, wall and processor milliseconds, a note."""
    return f"  {name:34s} {cost.wall * 1e3:10.3f} {cost.cpu * 1e3:10.3f}  {note}".rstrip()
