"""A placed kernel -> one DataflowIR module: the orchestrator and every program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from mlir import ir

from spyrelang import ir as our_ir
from spyrelang.ir.emit import Emitter, IndexEmitter, attribute
from spyrelang.ir.index import Index, Value, combine
from spyrelang.lower.program import (
    DeviceFacts,
    ProgramLowering,
    Symbols,
    create_id,
    declare,
    function,
)
from spyrelang.schedule.model import (
    CallProgram,
    Kernel,
    OrchestratorLoop,
    OrchestratorOp,
)


class Device(DeviceFacts, Protocol):
    """The device a kernel is lowered for; `name` and `file` go into the import declaration."""

    @property
    def name(self) -> str: ...

    @property
    def import_path(self) -> str: ...


def lower(kernel: Kernel, device: Device) -> our_ir.Module:
    """DataflowIR of a placed kernel. Ops that only a device pattern can express are still there as
    ops on vectors; `legalise` runs the patterns and refuses what is left."""
    with our_ir.context(), ir.Location.unknown():
        module = ir.Module.create()
        top = Emitter(ir.InsertionPoint(module.body), ir.Location.unknown())
        outer = top.op("builtin.module", regions=1)
        declarations = top.inside(outer.regions[0].blocks.append())
        top.op("ktdf_arch.device", (), _device_attributes(device), regions=1)
        symbols = Symbols(len(kernel.params))
        for number, program in enumerate(kernel.programs):
            addresses = _call_of(kernel.orchestrator, number).addresses
            ProgramLowering(program, device, symbols, addresses).write(top)
        _Orchestrator(kernel, declarations).write()
    return our_ir.Module(module, kernel.name)


def _device_attributes(device: Device) -> dict[str, str]:
    return {"sym_name": f'"{device.name}"', "import_path": f'"{device.import_path}"'}


def _call_of(ops: Sequence[OrchestratorOp], program: int) -> CallProgram:
    """The call of a program; each program is called at one place."""
    for op in ops:
        if isinstance(op, CallProgram) and op.program == program:
            return op
        if isinstance(op, OrchestratorLoop):
            try:
                return _call_of(op.body, program)
            except KeyError:
                continue
    raise KeyError(program)


class _Orchestrator:
    """Writes the kernel function: symbols, loops around several programs, calls."""

    def __init__(self, kernel: Kernel, emitter: Emitter) -> None:
        self.kernel = kernel
        self.emitter = emitter
        self.constants: dict[int, Value] = {}

    def write(self) -> None:
        op, block = function(
            self.emitter, self.kernel.name, len(self.kernel.params), self.kernel.grid
        )
        if self.kernel.params:
            op.attributes["arg_attrs"] = attribute(_argument_attributes(self.kernel))
        inside = self.emitter.inside(block)
        mark = inside.op("spyrelang.mark")
        self.top = Emitter(ir.InsertionPoint(mark), inside.place)
        self.arguments = list(block.arguments)
        for number, argument in enumerate(self.arguments):
            create_id(inside, argument, -(number + 1))
        self.coords = self._coordinates()
        self._ops(inside, self.kernel.orchestrator, [])
        inside.op("func.return")
        mark.erase()
        for program in self.kernel.programs:
            declare(self.emitter, program.name, len(program.parameters))

    def _coordinates(self) -> list[Index]:
        """Grid coordinates of the executing core, from its flat row-major number."""
        if not _reads_core(self.kernel.orchestrator):
            return [Index.const(0)] * len(self.kernel.grid)
        flat = Index.of(self.top.value("ktdp.get_compute_tile_id"))
        coords: list[Index] = []
        inner = 1
        for extent in reversed(self.kernel.grid):
            coords.append(Index(flat.expr // inner, flat.values).modulo(extent))
            inner *= extent
        return list(reversed(coords))

    def _ops(self, emitter: Emitter, ops: Sequence[OrchestratorOp], loops: list[Index]) -> None:
        for op in ops:
            if isinstance(op, CallProgram):
                self._call(emitter, op, loops)
            elif isinstance(op, OrchestratorLoop):
                self._loop(emitter, op, loops)

    def _call(self, emitter: Emitter, call: CallProgram, loops: list[Index]) -> None:
        program = self.kernel.programs[call.program]
        addresses, scalars = iter(call.addresses), iter(call.scalars)
        operands: list[Value] = []
        for parameter in program.parameters:
            if parameter.kind == "address":
                operands.append(self.arguments[next(addresses)])
            else:
                operands.append(self._value(emitter, next(scalars), loops))
        emitter.op("func.call", operands, {"callee": f"@{program.name}"})

    def _loop(self, emitter: Emitter, loop: OrchestratorLoop, loops: list[Index]) -> None:
        bounds = [self._value(emitter, bound, loops) for bound in (loop.lower, loop.upper)]
        op = emitter.op("scf.for", [*bounds, self._const(loop.step)], regions=1)
        block = emitter.block(op, ["index"])
        inner = emitter.inside(block)
        self._ops(inner, loop.body, [*loops, Index.of(block.arguments[0])])
        inner.op("scf.yield")

    def _value(self, emitter: Emitter, expr: Any, loops: list[Index]) -> Value:
        index = combine(expr, (), [*self.coords, *loops])
        return IndexEmitter(emitter, self._const).emit(index)

    def _const(self, number: int) -> Value:
        if number not in self.constants:
            self.constants[number] = self.top.value(
                "arith.constant", attributes={"value": f"{number} : index"}
            )
        return self.constants[number]


def _reads_core(ops: Sequence[OrchestratorOp]) -> bool:
    """Whether any bound or scalar may depend on the core (a constant does not)."""
    for op in ops:
        if isinstance(op, CallProgram) and any(e.syms() for e in op.scalars):
            return True
        if isinstance(op, OrchestratorLoop):
            if op.lower.syms() or op.upper.syms() or _reads_core(op.body):
                return True
    return False


def _argument_attributes(kernel: Kernel) -> str:
    """Name, role, dtype and layout of each argument, for whoever binds arrays to it."""
    entries: list[str] = []
    for param in kernel.params:
        text = f'spyrelang.name = "{param.name}", spyrelang.role = "{param.role}"'
        text += f', spyrelang.dtype = "{param.dtype}"'
        if param.shape:
            text += f", spyrelang.shape = {_i64_array(param.shape)}"
            text += f", spyrelang.strides = {_i64_array(param.strides)}"
        entries.append("{" + text + "}")
    return "[" + ", ".join(entries) + "]"


def _i64_array(numbers: Sequence[int]) -> str:
    return f"array<i64: {', '.join(map(str, numbers))}>"


