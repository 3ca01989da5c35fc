"""The declaration module of every stage: the kernel function around its programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from mlir import ir

from spyrelang.affine import Expr
from spyrelang.ir.emit import Emitter, IndexEmitter, attribute
from spyrelang.ir.index import Index, Value, combine
from spyrelang.schedule.model import CallProgram, Kernel, OrchestratorLoop, OrchestratorOp


class NamedDevice(Protocol):
    """What the import declaration says of a device."""

    @property
    def name(self) -> str: ...

    @property
    def import_path(self) -> str: ...


def declare_device(emitter: Emitter, device: NamedDevice) -> None:
    """`ktdf_arch.device @name import("file")`."""
    attributes = {"sym_name": f'"{device.name}"', "import_path": f'"{device.import_path}"'}
    emitter.op("ktdf_arch.device", (), attributes, regions=1)


def function(
    emitter: Emitter,
    name: str,
    arguments: int,
    grid: Sequence[int] | None = None,
    flat: bool = True,
) -> tuple[Any, Any]:
    """`func.func @name(index…)` with an empty entry block; `flat` writes a 1-D grid."""
    attributes = _signature(name, arguments)
    if grid is not None:
        shown = [_product(grid)] if flat else list(grid)
        attributes["grid"] = f"[{', '.join(map(str, shown))}]"
    op = emitter.op("func.func", attributes=attributes, regions=1)
    return op, emitter.block(op, ["index"] * arguments)


def declare(emitter: Emitter, name: str, arguments: int) -> None:
    """`func.func private @name(index…)`."""
    attributes = _signature(name, arguments) | {"sym_visibility": '"private"'}
    emitter.op("func.func", attributes=attributes, regions=1)


def _signature(name: str, arguments: int) -> dict[str, str]:
    types = ", ".join(["index"] * arguments)
    return {"sym_name": f'"{name}"', "function_type": f"({types}) -> ()"}


def _product(numbers: Sequence[int]) -> int:
    total = 1
    for number in numbers:
        total *= number
    return total


def unflatten_index(flat: Index, grid: Sequence[int]) -> list[Index]:
    """Grid coordinates of a flat, row-major core number; the outermost needs no remainder."""
    coords: list[Index] = []
    inner = 1
    for axis in range(len(grid) - 1, -1, -1):
        value = Index(flat.expr // inner, flat.values)
        coords.append(value.modulo(grid[axis]) if axis else value)
        inner *= grid[axis]
    return list(reversed(coords))


def core_coordinates(
    top: Emitter, const: Callable[[int], Value], grid: Sequence[int], flat: bool
) -> list[Index]:
    """Grid coordinates of the executing core; `flat`: from a row-major id, the grid being 1-D.

    Of an op with several results each goes through an addition of its own: the public parser takes
    only one of them in a subscript list, and that one only once.
    """
    if flat:
        return unflatten_index(Index.of(top.value("ktdp.get_compute_tile_id")), grid)
    results = top.op("ktdp.get_compute_tile_id", results=["index"] * len(grid)).results
    if len(grid) == 1:
        return [Index.of(results[0])]
    return [Index.of(top.value("arith.addi", [result, const(0)])) for result in results]


def call_of(ops: Sequence[OrchestratorOp], program: int) -> CallProgram | None:
    """The call of a program; each program is called at one place."""
    for op in ops:
        if isinstance(op, CallProgram) and op.program == program:
            return op
        if isinstance(op, OrchestratorLoop):
            found = call_of(op.body, program)
            if found is not None:
                return found
    return None


class Orchestrator:
    """Writes the kernel function and the declarations of its programs.

    `on_argument(emitter, value, number)` is called for every kernel argument at the head of the
    function: DataflowIR declares its symbol there.
    """

    def __init__(
        self,
        kernel: Kernel,
        emitter: Emitter,
        *,
        flat_grid: bool,
        on_argument: Callable[[Emitter, Value, int], None] | None = None,
    ) -> None:
        self.kernel = kernel
        self.emitter = emitter
        self.flat_grid = flat_grid
        self.on_argument = on_argument
        self.constants: dict[int, Value] = {}

    def write(self) -> None:
        """Append the function, then the declarations."""
        op, block = function(
            self.emitter,
            self.kernel.name,
            len(self.kernel.params),
            self.kernel.grid,
            self.flat_grid,
        )
        if self.kernel.params:
            op.attributes["arg_attrs"] = attribute(_argument_attributes(self.kernel))
        if self.kernel.no_share:
            pairs = ", ".join(_i64_array(pair) for pair in self.kernel.no_share)
            op.attributes["spyrelang.no_share"] = attribute(f"[{pairs}]")
        inside = self.emitter.inside(block)
        mark = inside.op("spyrelang.mark")
        self.top = Emitter(ir.InsertionPoint(mark), inside.place)
        self.arguments = list(block.arguments)
        if self.on_argument is not None:
            for number, argument in enumerate(self.arguments):
                self.on_argument(inside, argument, number)
        self.coords = self._coordinates()
        self._ops(inside, self.kernel.orchestrator, [])
        inside.op("func.return")
        mark.erase()
        for program in self.kernel.programs:
            declare(self.emitter, program.name, len(program.parameters))

    def _coordinates(self) -> list[Index]:
        """Grid coordinates of the executing core."""
        grid = self.kernel.grid
        if not _reads_core(self.kernel.orchestrator):
            return [Index.const(0)] * len(grid)
        return core_coordinates(self.top, self._const, grid, self.flat_grid)

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
        attributes = {"spyrelang.name": f'"{loop.name}"'}
        op = emitter.op("scf.for", [*bounds, self._const(loop.step)], attributes, regions=1)
        block = emitter.block(op, ["index"])
        inner = emitter.inside(block)
        self._ops(inner, loop.body, [*loops, Index.of(block.arguments[0])])
        inner.op("scf.yield")

    def _value(self, emitter: Emitter, expr: Expr, loops: list[Index]) -> Value:
        missing = max(expr.syms(), default=-1) + 1 - len(self.coords) - len(loops)
        syms = [*self.coords, *loops, *[Index.const(0)] * max(0, missing)]
        return IndexEmitter(emitter, self._const).emit(combine(expr, (), syms))

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
        if isinstance(op, OrchestratorLoop) and (
            op.lower.syms() or op.upper.syms() or _reads_core(op.body)
        ):
            return True
    return False


def _argument_attributes(kernel: Kernel) -> str:
    """Name, role, dtype and layout of each argument, for whoever binds arrays to it."""
    entries: list[str] = []
    for param in kernel.params:
        facts = {"name": param.name, "role": param.role, "dtype": param.dtype}
        text = ", ".join(f"spyrelang.{k} = {ir.StringAttr.get(v)}" for k, v in facts.items())
        if param.shape:
            text += f", spyrelang.shape = {_i64_array(param.shape)}"
            text += f", spyrelang.strides = {_i64_array(param.strides)}"
        entries.append("{" + text + "}")
    return "[" + ", ".join(entries) + "]"


def _i64_array(numbers: Sequence[int]) -> str:
    return f"array<i64: {', '.join(map(str, numbers))}>" if numbers else "array<i64>"
