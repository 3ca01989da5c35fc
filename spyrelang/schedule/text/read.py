"""ScheduleIR of any stage -> the schedule model.

What a program computes is read from its views, its body and the facts beside them; the decisions
are read from the structure: stages and transfers give the routes, loops the nest and the tile
sizes, `ktdf.parallel` the instances, `select_memref` the copies, casts the addresses. Afterwards
the model is written again. Where that is not the text that was given, the text says something the
model cannot express, and reading refuses it at the first line that differs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from spyrelang import ir as our_ir
from spyrelang.errors import Location
from spyrelang.errors.schedule_text import NOT_SCHEDULE_IR
from spyrelang.ir import Module
from spyrelang.schedule.model import Kernel
from spyrelang.schedule.place import reserve
from spyrelang.schedule.target import Target
from spyrelang.schedule.text import ops
from spyrelang.schedule.text.difference import difference
from spyrelang.schedule.text.fits import check_fit
from spyrelang.schedule.text.orchestrator import call_of
from spyrelang.schedule.text.read_orchestrator import read_orchestrator
from spyrelang.schedule.text.read_program import read_program
from spyrelang.schedule.text.write import Device as Written
from spyrelang.schedule.text.write import write


class Device(Written, Target, Protocol):
    """What reading needs of a device: how things are written on it, and its limits."""


def read(module: Module, device: Device, stage: str) -> Kernel:
    """The kernel of a module at schedule stage `stage`, its decisions up to that stage.

    Raises SPY440 for text that is no ScheduleIR of that stage, SPY441 for an edit the model cannot
    express, SPY435, SPY442, SPY443 for decisions the device does not allow.
    """
    with our_ir.LOCK, our_ir.context(), ops.reading(module):
        declared = [op for op in ops.children(module.operation) if op.name == "builtin.module"]
        outer = [op for op in declared if ops.text(op, "sym_name") is None]
        if len(outer) != 1:
            raise NOT_SCHEDULE_IR.error(
                Location(module.name), stage=stage, what="there is no declaration module"
            )
        named = {ops.text(op, "sym_name") or "": op for op in declared if op not in outer}
        kernel = read_orchestrator(outer[0], list(named), stage)
        for number, name in enumerate(named):
            if call_of(kernel.orchestrator, number) is None:
                raise ops.fail(outer[0], stage, f"program @{name} is never called")
        programs = tuple(
            read_program(ops.only_function(op, stage), device, stage) for op in named.values()
        )
        for program, op in zip(programs, named.values(), strict=True):
            if program.grid != kernel.grid:
                what = "spyrelang.grid is not the grid of the kernel"
                raise ops.fail(ops.only_function(op, stage), stage, what)
        kernel = replace(kernel, programs=programs)
    _check(module, kernel, device, stage)
    with our_ir.LOCK, our_ir.context(), ops.reading(module):
        reserved = reserve(kernel, device)
        for program, op in zip(kernel.programs, named.values(), strict=True):
            check_fit(program, ops.only_function(op, stage), device, reserved)
    return kernel


def _check(module: Module, kernel: Kernel, device: Device, stage: str) -> None:
    """The model, written again, must be the text that was read; how it names its values is free."""
    given = our_ir.print_module(module, names=False).splitlines()
    try:
        again = our_ir.print_module(write(kernel, device, stage), names=False).splitlines()
    except OverflowError as bad:
        what = f"its numbers multiply to one that no index holds: {bad}"
        place = next((p.location for p in kernel.programs if p.location), Location(module.name))
        raise NOT_SCHEDULE_IR.error(place, stage=stage, what=what) from None
    for number, (line, other) in enumerate(zip(given, again, strict=False)):
        if line != other:
            raise difference(module, number, line, other, stage)
    if len(given) != len(again):
        longer = given if len(given) > len(again) else again
        number = min(len(given), len(again))
        line = longer[number] if longer is given else "(the end)"
        other = longer[number] if longer is again else "(the end)"
        raise difference(module, number, line, other, stage)
