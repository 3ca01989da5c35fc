"""Short ways to write KTIR texts, and a plain numpy evaluation of the programs `split` makes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from spyrelang import ir
from spyrelang.affine import Expr
from spyrelang.schedule.model import (
    CallProgram,
    Kernel,
    Operand,
    OrchestratorLoop,
    OrchestratorOp,
    Program,
    ScalarOp,
)
from spyrelang.schedule.split import split

from .samples import FakeDevice, strides_of

DTYPES: dict[str, Any] = {"f16": np.float16, "f32": np.float32, "i32": np.int32, "i1": np.bool_}

# --- writing -------------------------------------------------------------------------------------


def box(extents: Sequence[int]) -> str:
    dims = ", ".join(f"d{i}" for i in range(len(extents)))
    rows = ", ".join(f"d{i} >= 0, -d{i} + {e - 1} >= 0" for i, e in enumerate(extents))
    return f"affine_set<({dims}) : ({rows or '0 == 0'})>"


def identity(rank: int) -> str:
    dims = ", ".join(f"d{i}" for i in range(rank))
    return f"affine_map<({dims}) -> ({dims})>"


def by(extents: Sequence[int], dtype: str) -> str:
    return "x".join([*map(str, extents), dtype])


def view(
    name: str,
    base: str,
    shape: Sequence[int],
    dtype: str = "f16",
    space: str = "global",
    strides: Sequence[int] | None = None,
) -> str:
    """`%name = ktdp.construct_memory_view …`."""
    steps = list(strides_of(tuple(shape)) if strides is None else strides)
    return (
        f"%{name} = ktdp.construct_memory_view {base}, sizes: {list(shape)}, strides: {steps} "
        f"{{coordinate_set = {box(shape)}, memory_space = #ktdp.memory_space<{space}>}} "
        f": memref<{by(shape, dtype)}>"
    )


def tile(
    name: str,
    of: str,
    shape: Sequence[int],
    at: str,
    extents: Sequence[int],
    dtype: str = "f16",
    order: str | None = None,
    points: str | None = None,
) -> str:
    """`%name = ktdp.construct_access_tile …`; `at` is the text of the subscripts."""
    return (
        f"%{name} = ktdp.construct_access_tile %{of}[{at}] "
        f"{{access_tile_set = {points or box(extents)}, "
        f"access_tile_order = {order or identity(len(extents))}}} "
        f": memref<{by(shape, dtype)}> -> !ktdp.access_tile<{by(extents, 'index')}>"
    )


def load(
    name: str,
    of: str,
    shape: Sequence[int],
    at: str,
    extents: Sequence[int],
    dtype: str = "f16",
) -> str:
    """A tile and its load: `%name : tensor<extents x dtype>`."""
    return "\n    ".join(
        [
            tile(f"{name}_tile", of, shape, at, extents, dtype),
            f"%{name} = ktdp.load %{name}_tile : !ktdp.access_tile<{by(extents, 'index')}> "
            f"-> tensor<{by(extents, dtype)}>",
        ]
    )


_COUNTER = itertools.count()


def store(
    value: str,
    of: str,
    shape: Sequence[int],
    at: str,
    extents: Sequence[int],
    dtype: str = "f16",
) -> str:
    """A tile and the store of `%value` to it."""
    name = f"store{next(_COUNTER)}"
    return "\n    ".join(
        [
            tile(name, of, shape, at, extents, dtype),
            f"ktdp.store %{value}, %{name} : tensor<{by(extents, dtype)}>, "
            f"!ktdp.access_tile<{by(extents, 'index')}>",
        ]
    )


def kernel(arguments: str, *lines: str, grid: Sequence[int] | None = (1,), name: str = "k") -> str:
    """A module with one kernel; `arguments` are names ("a b out")."""
    params = ", ".join(f"%{a}: index" for a in arguments.split())
    attributes = "" if grid is None else f" attributes {{grid = {list(grid)}}}"
    constants = [f"%c{n} = arith.constant {n} : index" for n in (0, 1, 2, 3, 4, 8, 16, 64)]
    body = "\n    ".join([*constants, *lines, "return"])
    return f"module {{\n  func.func @{name}({params}){attributes} {{\n    {body}\n  }}\n}}\n"


def programs(text: str, device: FakeDevice | None = None) -> Kernel:
    """The kernel of a text, split."""
    return split(ir.parse(text, "kernel.mlir"), None, device or FakeDevice())


# --- evaluating ----------------------------------------------------------------------------------

Env = list[int]


class Machine:
    """Runs a split kernel on numpy arrays, core after core."""

    def __init__(self, kernel: Kernel, arrays: Sequence[np.ndarray], size: int = 4096) -> None:
        self.kernel = kernel
        self.arrays = [array.reshape(-1) for array in arrays]
        self.constant: dict[tuple[str, int], np.ndarray] = {}
        self.size = size

    def run(self) -> None:
        for core in itertools.product(*(range(extent) for extent in self.kernel.grid)):
            self._core = core
            self._ops(self.kernel.orchestrator, list(core))

    def _ops(self, ops: Sequence[OrchestratorOp], env: Env) -> None:
        for op in ops:
            if isinstance(op, OrchestratorLoop):
                lower, upper = _value(op.lower, env), _value(op.upper, env)
                for iv in range(lower, upper, op.step):
                    self._ops(op.body, [*env, iv])
            if isinstance(op, CallProgram):
                program = self.kernel.programs[op.program]
                scalars = [_value(expr, env) for expr in op.scalars]
                self._outer(program, op.addresses, [*self._core, *scalars], 0)

    def _outer(self, program: Program, addresses: Sequence[int], env: Env, depth: int) -> None:
        if depth == len(program.outer):
            self._program(program, addresses, env)
            return
        loop = program.outer[depth]
        for iv in range(_value(loop.lower, env), _value(loop.upper, env), loop.step):
            self._outer(program, addresses, [*env, iv], depth + 1)

    def _program(self, program: Program, addresses: Sequence[int], env: Env) -> None:
        shape = [dim.extent for dim in program.dims]
        points = list(np.indices(shape, sparse=True)) if shape else []
        spots = [self._addresses(operand, env, points, shape) for operand in program.operands]
        memory = [self._memory(operand, addresses) for operand in program.operands]
        values = [memory[i][spots[i]] for i, o in enumerate(program.operands) if o.role == "in"]
        for op in program.body.ops:
            values.append(_compute(op, values, shape))
        outs = [i for i, operand in enumerate(program.operands) if operand.role == "out"]
        for i, result in zip(outs, program.body.results, strict=True):
            memory[i][spots[i]] = values[result]

    def _addresses(
        self, operand: Operand, env: Env, points: Sequence[np.ndarray], shape: Sequence[int]
    ) -> np.ndarray:
        address: Any = operand.base.constant if operand.base.param < 0 else 0
        for origin, index, stride, extent in zip(
            operand.origin, operand.index, operand.strides, operand.shape, strict=True
        ):
            coordinate = origin.eval((), env) + index.eval(points, env)
            assert np.all((coordinate >= 0) & (coordinate < extent)), "outside of the view"
            address = address + coordinate * stride
        return np.broadcast_to(address, shape)

    def _memory(self, operand: Operand, addresses: Sequence[int]) -> np.ndarray:
        if operand.base.param >= 0:
            return self.arrays[addresses[operand.base.param]]
        core = self._core if operand.memory == "L1" else ()
        key = (f"{operand.memory}{core}", 0)
        return self.constant.setdefault(key, np.zeros(self.size, DTYPES[operand.dtype]))


def _value(expr: Expr, env: Env) -> int:
    return int(expr.eval((), env))


_COMPUTE: dict[str, Any] = {
    "arith.addf": np.add,
    "arith.addi": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.muli": np.multiply,
    "arith.divf": np.divide,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.negf": np.negative,
    "arith.select": np.where,
    "arith.extf": lambda x: x.astype(np.float32),
    "arith.truncf": lambda x: x.astype(np.float16),
    "math.exp": np.exp,
    "math.absf": np.abs,
    "math.sqrt": np.sqrt,
}


def _compute(op: ScalarOp, values: Sequence[np.ndarray], shape: Sequence[int]) -> np.ndarray:
    attrs = dict(op.attrs)
    operands = [values[i] for i in op.operands]
    if op.name == "arith.constant":
        return np.full(shape, float(attrs["value"].split(":")[0]), DTYPES[op.dtype])
    if op.name == "arith.cmpf":
        assert attrs["predicate"] in ("4 : i64", "2 : i64"), attrs
        return np.less(*operands) if attrs["predicate"] == "4 : i64" else np.greater(*operands)
    return _COMPUTE[op.name](*operands).astype(DTYPES[op.dtype])


def execute(text: str, *arrays: np.ndarray) -> Kernel:
    """Split a text and run it on arrays, which are changed in place."""
    found = programs(text)
    Machine(found, arrays).run()
    return found
