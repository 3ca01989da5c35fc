"""A kernel at any schedule stage -> ScheduleIR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from mlir import ir

from spyrelang import ir as our_ir
from spyrelang.errors import internal_error
from spyrelang.ir.emit import Emitter, attribute, op_location
from spyrelang.schedule.model import Kernel, Program
from spyrelang.schedule.text.flat import pipeline_code, tensor_code
from spyrelang.schedule.text.nest import nest_code
from spyrelang.schedule.text.orchestrator import (
    Orchestrator,
    declare_device,
    function,
)
from spyrelang.schedule.text.prologue import Prologue, Spaces


class Device(Spaces, Protocol):
    @property
    def name(self) -> str: ...

    @property
    def import_path(self) -> str: ...

    @property
    def corelets(self) -> int:
        """Sub-cores of one core."""
        ...

    def memory_of_space(self, space: str) -> str | None:
        """The memory kind of a kernel space."""
        ...


_BODIES: dict[str, Callable[[Prologue, Emitter], None]] = {
    "programs": tensor_code,
    "pipeline": pipeline_code,
    "routed": pipeline_code,
    "nested": nest_code,
    "explored": nest_code,
    "placed": nest_code,
}


def write(kernel: Kernel, device: Device, stage: str) -> our_ir.Module:
    """ScheduleIR of `kernel`, whose programs carry the decisions up to `stage`."""
    if stage not in _BODIES:
        raise internal_error("schedule", f"no text for stage {stage}")
    with our_ir.context(), ir.Location.unknown():
        module = ir.Module.create()
        top = Emitter(ir.InsertionPoint(module.body), ir.Location.unknown())
        outer = top.op("builtin.module", regions=1)
        inside = top.inside(outer.regions[0].blocks.append())
        declare_device(top, device)
        Orchestrator(kernel, inside, flat_grid=stage == "placed").write()
        for program in kernel.programs:
            _program(top, program, device, stage)
    return our_ir.Module(module, kernel.name)


def _program(top: Emitter, program: Program, device: Device, stage: str) -> None:
    emitter = Emitter(top.ip, op_location(program.location))
    module = emitter.op("builtin.module", attributes={"sym_name": f'"{program.name}"'}, regions=1)
    inside = emitter.inside(module.regions[0].blocks.append())
    flat = stage == "placed"
    op, block = function(inside, program.name, len(program.parameters), program.grid, flat)
    for key, text in _facts(program).items():
        op.attributes[key] = attribute(text)
    body = inside.inside(block)
    mark = body.op("spyrelang.mark")
    head = Emitter(ir.InsertionPoint(mark), body.place)
    prologue = Prologue(program, device, list(block.arguments), flat, head)
    _write_body(prologue, body, stage)
    mark.erase()
    body.op("func.return")


def _facts(program: Program) -> dict[str, str]:
    """What the reader needs to know of a program beside its ops."""
    entries = [
        f'{{spyrelang.kind = "{p.kind}", spyrelang.name = "{p.name}"}}' for p in program.parameters
    ]
    names = ", ".join(f'"{dim.name}"' for dim in program.dims)
    facts = {
        "spyrelang.dims": f"array<i64: {', '.join(str(dim.extent) for dim in program.dims)}>",
        "spyrelang.dim_names": f"[{names}]",
        "spyrelang.grid": f"array<i64: {', '.join(map(str, program.grid))}>",
    }
    if entries:
        facts["arg_attrs"] = f"[{', '.join(entries)}]"
    if program.vector is not None:
        facts["spyrelang.vector"] = f"{program.vector.dim} : i64"
    if program.whole_tile:
        facts["spyrelang.whole_tile"] = "unit"
    return facts


def _write_body(prologue: Prologue, body: Emitter, stage: str) -> None:
    if _BODIES[stage] is nest_code:
        nest_code(prologue, body)
        return
    inner, opened = prologue.outer_loops(body)
    _BODIES[stage](prologue, inner)
    for loop in reversed(opened):
        loop.op("scf.yield")
