"""The declaration module -> orchestrator, parameters and grid of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from spyrelang.affine import Const, Expr, Sym
from spyrelang.ir.values import pairs
from spyrelang.isa.program import Argument
from spyrelang.schedule.model import (
    CallProgram,
    Kernel,
    OrchestratorLoop,
    OrchestratorOp,
)
from spyrelang.schedule.split.environment import Environment
from spyrelang.schedule.split.indices import Indices
from spyrelang.schedule.text import ops
from spyrelang.schedule.text.ops import Op, Value


def read_orchestrator(module: Op, programs: Sequence[str], stage: str) -> Kernel:
    """The kernel without its programs; calls refer to `programs` by position."""
    function = ops.only_function(module, stage)
    grid = ops.integers(function, "grid", stage)
    if not grid or min(grid) < 1:
        raise ops.fail(function, stage, "the grid is not made of positive numbers")
    reader = _Reader(function, programs, grid, stage)
    return Kernel(
        name=ops.text(function, "sym_name") or "kernel",
        grid=reader.env.grid,
        params=tuple(_params(function)),
        orchestrator=reader.block(function.regions[0].blocks[0]),
        programs=(),
        no_share=_no_share(function, stage),
    )


def _params(function: Op) -> list[Argument]:
    attributes = function.attributes.get("arg_attrs")
    params: list[Argument] = []
    for number in range(len(function.regions[0].blocks[0].arguments)):
        own: Any = attributes[number] if attributes is not None else {}
        params.append(
            Argument(
                _text(own, "spyrelang.name") or f"arg{number}",
                _text(own, "spyrelang.role") or "",
                _text(own, "spyrelang.dtype") or "",
                _numbers(own, "spyrelang.shape"),
                _numbers(own, "spyrelang.strides"),
            )
        )
    return params


def _text(attributes: Any, name: str) -> str | None:
    if name not in attributes:
        return None
    found = attributes[name]
    return found.value if isinstance(found, ir.StringAttr) else None


def _numbers(attributes: Any, name: str) -> tuple[int, ...]:
    if name not in attributes or not isinstance(attributes[name], ir.DenseI64ArrayAttr):
        return ()
    return tuple(int(i) for i in attributes[name])


def _no_share(function: Op, stage: str) -> tuple[tuple[int, int], ...]:
    arguments = len(function.regions[0].blocks[0].arguments)
    found = pairs(function, "spyrelang.no_share", arguments)
    if found is None:
        raise ops.fail(function, stage, "spyrelang.no_share holds no pairs of arguments")
    return found


class _Reader:
    """Walks the kernel function; index arithmetic becomes expressions over the environment: grid
    coordinates, then the enclosing loops."""

    def __init__(
        self, function: Op, programs: Sequence[str], grid: tuple[int, ...], stage: str
    ) -> None:
        self.stage = stage
        self.programs = list(programs)
        self.env = Environment(grid)
        self.indices = Indices(self.env)
        self.addresses: dict[Value, int] = {
            argument: number
            for number, argument in enumerate(function.regions[0].blocks[0].arguments)
        }
        self.depth = 0

    def block(self, block: Any) -> tuple[OrchestratorOp, ...]:
        found: list[OrchestratorOp] = []
        for inner in block.operations:
            op = inner.operation
            if op.name == "func.call":
                found.append(self._call(op))
            elif op.name == "scf.for":
                found.append(self._loop(op))
            elif op.name == "ktdp.get_compute_tile_id":
                for axis, result in enumerate(op.results):
                    self.indices.bind(result, Sym(axis))
            elif op.name not in ("func.return", "scf.yield", "symbol.create_id"):
                self.indices.enter(op)
        return tuple(found)

    def _call(self, op: Op) -> CallProgram:
        name = str(op.attributes["callee"]).lstrip("@").strip('"')
        if name not in self.programs:
            raise ops.fail(op, self.stage, f"there is no module of program @{name}")
        addresses: list[int] = []
        scalars: list[Expr] = []
        for operand in op.operands:
            if operand in self.addresses:
                addresses.append(self.addresses[operand])
            else:
                scalars.append(self.indices.expr(operand, op))
        return CallProgram(self.programs.index(name), tuple(addresses), tuple(scalars))

    def _loop(self, op: Op) -> OrchestratorLoop:
        lower, upper, step = (self.indices.expr(operand, op) for operand in op.operands)
        if not isinstance(step, Const):
            raise ops.fail(op, self.stage, "the step of the loop is not a number")
        name = ops.text(op, "spyrelang.name") or f"loop{self.depth}"
        axes = len(self.env.grid)
        # A loop's symbol is its depth; sibling loops share it, as the model has it.
        del self.env.loops[self.depth :]
        self.env.add_loop(name, lower, upper, step.value, ops.place(op))
        body = op.regions[0].blocks[0]
        self.indices.bind(body.arguments[0], Sym(axes + self.depth))
        self.depth += 1
        inner = self.block(body)
        self.depth -= 1
        return OrchestratorLoop(name, lower, upper, step.value, inner)
