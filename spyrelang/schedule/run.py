"""The scheduler's passes in order, over all programs of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod

from spyrelang.errors import schedule as errors
from spyrelang.errors.driver import UNKNOWN_STAGE
from spyrelang.schedule.explore import explore
from spyrelang.schedule.model import Kernel, Program
from spyrelang.schedule.nest import nest
from spyrelang.schedule.pipeline import pipeline
from spyrelang.schedule.place import Reserved, place, reserve
from spyrelang.schedule.route import route
from spyrelang.schedule.target import Target

STAGES = ("programs", "pipeline", "routed", "nested", "explored", "placed")
"""The stages of a schedule, in order; "programs" is what `split` returns."""

Pass = Callable[[Program, Target, Reserved], Program]

PASSES: dict[str, Pass] = {
    "pipeline": lambda program, device, _: pipeline(program, device),
    "routed": lambda program, device, _: route(program, device),
    "nested": lambda program, device, _: nest(program, device),
    "explored": explore,
    "placed": place,
}
"""The pass that reaches each stage."""


def run(kernel: Kernel, device: Target, upto: str = "placed", after: str = "programs") -> Kernel:
    """The kernel at stage `upto`, starting from a kernel at stage `after`.

    Raises SPY820 for an unknown stage, SPY435 for a grid larger than the device, and what the
    passes raise.
    """
    first, last = _index(after), _index(upto)
    cores = prod(kernel.grid)
    if cores > device.cores:
        place = next((program.location for program in kernel.programs), None)
        raise errors.CORES.error(
            place, kernel=kernel.name, cores=cores, device=device.name, available=device.cores
        )
    for stage in STAGES[first + 1 : last + 1]:
        kernel = step(kernel, device, stage)
    return kernel


def step(kernel: Kernel, device: Target, stage: str) -> Kernel:
    """Run the one pass that reaches `stage` on every program."""
    reserved = reserve(kernel, device)
    programs = tuple(PASSES[stage](program, device, reserved) for program in kernel.programs)
    return replace(kernel, programs=programs)


def _index(stage: str) -> int:
    if stage not in STAGES:
        raise UNKNOWN_STAGE.error(stage=stage, known=", ".join(STAGES))
    return STAGES.index(stage)
