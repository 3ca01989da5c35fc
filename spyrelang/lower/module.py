"""A placed kernel -> one DataflowIR module: the orchestrator and every program."""

from __future__ import annotations

from typing import Protocol

from mlir import ir

from spyrelang import ir as our_ir
from spyrelang.errors import internal_error
from spyrelang.ir.emit import Emitter
from spyrelang.ir.index import Value
from spyrelang.lower.program import DeviceFacts, ProgramLowering, Symbols, create_id
from spyrelang.schedule.model import Kernel
from spyrelang.schedule.text.orchestrator import (
    NamedDevice,
    Orchestrator,
    call_of,
    declare_device,
)


class Device(DeviceFacts, NamedDevice, Protocol):
    """The device a kernel is lowered for."""


def lower(kernel: Kernel, device: Device) -> our_ir.Module:
    """DataflowIR of a placed kernel. Ops that only a device pattern can express are still there as
    ops on vectors; `legalise` runs the patterns and refuses what is left."""
    with our_ir.context(), ir.Location.unknown():
        module = ir.Module.create()
        top = Emitter(ir.InsertionPoint(module.body), ir.Location.unknown())
        outer = top.op("builtin.module", regions=1)
        declarations = top.inside(outer.regions[0].blocks.append())
        declare_device(top, device)
        symbols = Symbols(len(kernel.params))
        for number, program in enumerate(kernel.programs):
            call = call_of(kernel.orchestrator, number)
            if call is None:
                raise internal_error("lower", f"program {program.name} is never called")
            ProgramLowering(program, device, symbols, call.addresses).write(top)
        Orchestrator(kernel, declarations, flat_grid=True, on_argument=_declare_symbol).write()
    return our_ir.Module(module, kernel.name)


def _declare_symbol(emitter: Emitter, argument: Value, number: int) -> None:
    create_id(emitter, argument, -(number + 1))
