"""Hand-built programs as `split` returns them, and a device to schedule them for."""

from __future__ import annotations

from dataclasses import dataclass, field

from spyrelang.affine import Const, Dim, Expr, Sym
from spyrelang.isa.program import Argument
from spyrelang.schedule.model import (
    Base,
    Body,
    CallProgram,
    Kernel,
    Operand,
    OuterLoop,
    Parameter,
    Program,
    ScalarOp,
)
from spyrelang.schedule.model import (
    Dim as ProgramDim,
)


@dataclass(frozen=True)
class FakeDevice:
    """Two corelets on each core; DDR - L1 - SFU, as the sample device has them."""

    name: str = "fake"
    compute_units: tuple[str, ...] = ("SFU",)
    cores: int = 32
    corelets: int = 2
    l1: int = 1 << 20
    width: dict[str, int] = field(default_factory=lambda: {"f16": 64, "f32": 32, "i32": 32})
    splat: bool = True
    links: tuple[tuple[str, ...], ...] = (
        ("DDR", "MNILU", "L1", "L1LU", "SFU"),
        ("SFU", "L1SU", "L1", "MNISU", "DDR"),
    )
    memories: tuple[str, ...] = ("DDR", "L1")
    spaces: dict[str, str] = field(default_factory=lambda: {"global": "DDR", "ct_local": "L1"})

    def lanes(self, unit: str, dtype: str) -> int:
        return self.width.get(dtype, 0)

    def path(self, source: str, target: str) -> tuple[str, ...]:
        for chain in self.links:
            if source in chain and target in chain and chain.index(source) < chain.index(target):
                return chain[chain.index(source) : chain.index(target) + 1]
        return ()

    def is_memory(self, kind: str) -> bool:
        return kind in self.memories

    def capacity(self, memory: str) -> int:
        return {"DDR": 1 << 30, "L1": self.l1, "L2": self.l1 * 4}[memory]

    def is_per_instance(self, memory: str) -> bool:
        return False

    def can_splat(self, unit: str) -> bool:
        return self.splat

    def bandwidth(self, unit: str, memory: str) -> int:
        return 128


def strides_of(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Row-major strides in elements."""
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    return tuple(strides)


def operand(
    name: str,
    role: str,
    param: int,
    shape: tuple[int, ...],
    index: tuple[Expr, ...],
    origin: tuple[Expr, ...] | None = None,
    dtype: str = "f16",
    memory: str = "DDR",
    constant: int = 0,
) -> Operand:
    return Operand(
        name=name,
        role=role,
        dtype=dtype,
        memory=memory,
        base=Base(param, constant),
        shape=shape,
        strides=strides_of(shape),
        origin=origin or tuple(Const(0) for _ in shape),
        index=index,
    )


def addresses(*names: str) -> tuple[Parameter, ...]:
    return tuple(Parameter(name, "address") for name in names)


def binary(name: str, dtype: str = "f16") -> Body:
    return Body((dtype, dtype), (ScalarOp(name, (0, 1), dtype),), (2,))


def elementwise(
    extents: tuple[int, ...], cores: int = 1, dtype: str = "f16", inputs: int = 2
) -> Program:
    """out = in0 + in1 + …; each core has a slab of `extents` along the first dim."""
    rank = len(extents)
    shape = (extents[0] * cores, *extents[1:])
    origin = (Sym(0) * extents[0], *(Const(0) for _ in extents[1:]))
    index = tuple(Dim(i) for i in range(rank))
    names = [f"x{i}" for i in range(inputs)]
    operands = [operand(n, "in", i, shape, index, origin, dtype) for i, n in enumerate(names)] + [
        operand("out", "out", inputs, shape, index, origin, dtype)
    ]
    ops = [ScalarOp("arith.mulf", (0, 0), dtype)] if inputs == 1 else []
    sums = range(1, inputs)
    ops += [ScalarOp("arith.addf", (0 if i == 1 else inputs + i - 2, i), dtype) for i in sums]
    return Program(
        name="elementwise",
        grid=(cores,),
        parameters=addresses(*names, "out"),
        dims=tuple(ProgramDim(extent, name=f"i{d}") for d, extent in enumerate(extents)),
        operands=tuple(operands),
        body=Body((dtype,) * inputs, tuple(ops), (inputs + len(ops) - 1,)),
    )


def add(rows: int = 4, columns: int = 128, cores: int = 2) -> Program:
    """out = x0 + x1 on a slab of rows per core."""
    return elementwise((rows, columns), cores)


def _broadcast(other: Operand, rows: int, columns: int) -> Program:
    shape, origin = (rows * 2, columns), (Sym(0) * rows, Const(0))
    full = (Dim(0), Dim(1))
    return Program(
        name=f"broadcast_{other.name}",
        grid=(2,),
        parameters=addresses("x", other.name, "out"),
        dims=(ProgramDim(rows, name="i"), ProgramDim(columns, name="j")),
        operands=(
            operand("x", "in", 0, shape, full, origin),
            other,
            operand("out", "out", 2, shape, full, origin),
        ),
        body=binary("arith.mulf"),
    )


def row_broadcast(rows: int = 8, columns: int = 192) -> Program:
    """out[i, j] = x[i, j] * row[j]."""
    return _broadcast(operand("row", "in", 1, (columns,), (Dim(1),)), rows, columns)


def column_broadcast(rows: int = 8, columns: int = 192) -> Program:
    """out[i, j] = x[i, j] * column[i]."""
    column = operand("column", "in", 1, (rows * 2,), (Dim(0),), (Sym(0) * rows,))
    return _broadcast(column, rows, columns)


def scalar_broadcast(rows: int = 8, columns: int = 192) -> Program:
    """out[i, j] = x[i, j] * scalar[0]."""
    return _broadcast(operand("scalar", "in", 1, (1,), (Const(0),)), rows, columns)


def transposed(rows: int = 64, columns: int = 96) -> Program:
    """out[i, j] = x[i, j] * t[j, i], one core."""
    full = (Dim(0), Dim(1))
    return Program(
        name="transposed",
        grid=(1,),
        parameters=addresses("x", "t", "out"),
        dims=(ProgramDim(rows, name="i"), ProgramDim(columns, name="j")),
        operands=(
            operand("x", "in", 0, (rows, columns), full),
            operand("t", "in", 1, (columns, rows), (Dim(1), Dim(0))),
            operand("out", "out", 2, (rows, columns), full),
        ),
        body=binary("arith.mulf"),
    )


def two_outputs(rows: int = 6, columns: int = 100) -> Program:
    """total = x + y, difference = x - y; 100 columns leave a ragged vector."""
    full = (Dim(0), Dim(1))
    shape = (rows, columns)
    return Program(
        name="two_outputs",
        grid=(1,),
        parameters=addresses("x", "y", "total", "difference"),
        dims=(ProgramDim(rows, name="i"), ProgramDim(columns, name="j")),
        operands=(
            operand("x", "in", 0, shape, full),
            operand("y", "in", 1, shape, full),
            operand("total", "out", 2, shape, full),
            operand("difference", "out", 3, shape, full),
        ),
        body=Body(
            ("f16", "f16"),
            (ScalarOp("arith.addf", (0, 1), "f16"), ScalarOp("arith.subf", (0, 1), "f16")),
            (2, 3),
        ),
    )


def local_operand(rows: int = 4, columns: int = 128) -> Program:
    """out = x + pinned, where pinned is in the core's scratchpad at byte 4096."""
    full = (Dim(0), Dim(1))
    origin = (Sym(0) * rows, Const(0))
    shape = (rows, columns)
    return Program(
        name="local_operand",
        grid=(2,),
        parameters=addresses("x", "out"),
        dims=(ProgramDim(rows, name="i"), ProgramDim(columns, name="j")),
        operands=(
            operand("x", "in", 0, (rows * 2, columns), full, origin),
            operand("pinned", "in", -1, shape, full, memory="L1", constant=2048),
            operand("out", "out", 1, (rows * 2, columns), full, origin),
        ),
        body=binary("arith.addf"),
    )


def outer_loop(rows: int = 100, columns: int = 256, cores: int = 4) -> Program:
    """for r = core; r < rows; r += cores: out[r, :] = x[r, :] * row[:]. Cores may differ by one
    iteration."""
    full: tuple[Expr, ...] = (Const(0), Dim(0))
    origin = (Sym(1), Const(0))
    return Program(
        name="outer_loop",
        grid=(cores,),
        parameters=addresses("x", "row", "out"),
        dims=(ProgramDim(columns, name="j"),),
        operands=(
            operand("x", "in", 0, (rows, columns), full, origin),
            operand("row", "in", 1, (columns,), (Dim(0),)),
            operand("out", "out", 2, (rows, columns), full, origin),
        ),
        body=binary("arith.mulf"),
        outer=(OuterLoop("r", Sym(0), Const(rows), cores),),
    )


SAMPLES = (
    add,
    row_broadcast,
    column_broadcast,
    scalar_broadcast,
    transposed,
    two_outputs,
    local_operand,
    outer_loop,
)
"""Functions that build one program each, all arguments optional."""


def kernel(program: Program) -> Kernel:
    """A kernel that calls the program once."""
    params = tuple(
        Argument(o.name, o.role, o.dtype, o.shape, o.strides)
        for o in program.operands
        if o.base.param >= 0
    )
    count = len(program.parameters)
    return Kernel(
        program.name, program.grid, params, (CallProgram(0, tuple(range(count)), ()),), (program,)
    )
