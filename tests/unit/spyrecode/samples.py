"""Executables put together by hand: element-wise kernels on a device with one unit a core."""

from __future__ import annotations

from collections.abc import Sequence

from spyrelang.affine import Const as C
from spyrelang.affine import Dim
from spyrelang.isa import program as p

WORD = 128
DEVICE = 0


def machine(cores: int) -> p.Machine:
    return p.Machine(
        "test_device",
        (p.Memory("ddr", "ddr", "device"),),
        tuple(p.Unit(f"C{i}-vec", "vec", i, 0) for i in range(cores)),
        (),
        cores,
    )


def add(
    rows: int = 8,
    cols: int = 128,
    cores: int = 2,
    *,
    name: str = "add",
    dtype: str = "f16",
    op: str = "add",
    addresses: Sequence[int] | None = None,
    roles: Sequence[str] = ("in", "in", "out"),
) -> p.Executable:
    """out = a op b over [rows, cols], rows split over cores; cols a multiple of the lane count.

    `addresses`: constant byte addresses instead of symbols.
    """
    lanes = {"f16": 64, "f32": 32, "bf16": 64}[dtype]
    size = 128 // lanes
    share = rows // cores
    arguments = tuple(
        p.Argument(n, r, dtype, (rows, cols), (cols, 1))
        for n, r in zip(("a", "b", "out"), roles, strict=True)
    )
    inputs: list[p.SymbolInput] = []
    values: list[p.SymbolValue] = []
    starts: list[p.Instr] = []
    for arg in range(3):
        offsets = [core * share * cols * size for core in range(cores)]
        if addresses is None:
            inputs.append(p.SymbolInput(-1 - arg, arg))
            ids = [-4 - len(values) - core for core in range(cores)]
            for symbol, byte in zip(ids, offsets, strict=True):
                expr = (Dim(0) + byte) // WORD if byte else Dim(0) // WORD
                values.append(p.SymbolValue(symbol, expr, (-1 - arg,)))
            starts.append(p.Symbol(0, arg, tuple(ids)))
        else:
            words = tuple((addresses[arg] + byte) // WORD for byte in offsets)
            starts.append(p.Table(0, arg, words))
    views = [
        p.View(0, 3 + arg, (DEVICE,), arg, WORD, (share, cols), (cols, 1), 0, dtype)
        for arg in range(3)
    ]
    body = (*starts, *views, *_loop(share, cols, lanes, dtype, op))
    unit = p.ProgramUnit("vec", tuple(range(cores)), body, 0)
    return p.Executable(
        name,
        machine(cores),
        arguments,
        tuple(inputs),
        tuple(values),
        (p.Program("main", 0, (unit,)),),
        (p.Call(0, 0),),
        (p.SourceLoc("add.mlir", 1, 1, 2),),
        (cores,),
    )


def _loop(rows: int, cols: int, lanes: int, dtype: str, op: str) -> tuple[p.Instr, ...]:
    constants = [p.Const(0, 6 + i, v) for i, v in enumerate((0, 1, rows, cols // lanes))]
    zero, one, row_count, blocks = range(6, 10)
    row, block = 10, 11
    axes = (p.Axis(lanes, (0, 1), (0, 1)),)
    index = (Dim(0), Dim(1) * lanes)
    at = [p.Access(3 + arg, index, (row, block)) for arg in range(3)]
    inner = (
        p.Load(0, 12, at[0], axes, dtype, lanes),
        p.Load(0, 13, at[1], axes, dtype, lanes),
        p.Compute(0, 14, f"vectorchain.binary.{op}", (12, 13), dtype, lanes),
        p.Store(0, 14, at[2], axes, dtype, lanes),
    )
    columns = p.For(0, block, zero, blocks, one, inner)
    return (*constants, p.For(0, row, zero, row_count, one, (columns,)))


def fill_rows(max_rows: int = 4096, cols: int = 64) -> p.Executable:
    """out[r, :] = a[r, :] + a[r, :] for r < n, with n a size given at launch."""
    base = add(max_rows, cols, 1, name="rows")
    arguments = (
        p.Argument("a", "in", "f16", (max_rows, cols), (cols, 1)),
        p.Argument("out", "out", "f16", (max_rows, cols), (cols, 1)),
        p.Argument("n", "index", "index"),
    )
    inputs = (
        p.SymbolInput(-1, 0),
        p.SymbolInput(-2, 1),
        p.SymbolInput(-3, 2, "dimension"),
    )
    values = (
        p.SymbolValue(-4, Dim(0) // WORD, (-1,)),
        p.SymbolValue(-5, Dim(0) // WORD, (-2,)),
    )
    body = (
        p.Symbol(0, 0, (-4,)),
        p.Symbol(0, 1, (-5,)),
        p.Symbol(0, 2, (-3,)),
        p.View(0, 3, (DEVICE,), 0, WORD, (max_rows, cols), (cols, 1), 0, "f16"),
        p.View(0, 4, (DEVICE,), 1, WORD, (max_rows, cols), (cols, 1), 0, "f16"),
        p.Const(0, 5, 0),
        p.Const(0, 6, 1),
        p.For(
            0,
            7,
            5,
            2,
            6,
            (
                p.Load(0, 8, _row(3), (p.Axis(64, (0, 1), (0, 1)),), "f16", 64),
                p.Compute(0, 9, "vectorchain.binary.add", (8, 8), "f16", 64),
                p.Store(0, 9, _row(4), (p.Axis(64, (0, 1), (0, 1)),), "f16", 64),
            ),
        ),
    )
    unit = p.ProgramUnit("vec", (0,), body, 0)
    return p.Executable(
        "rows",
        base.machine,
        arguments,
        inputs,
        values,
        (p.Program("main", 0, (unit,)),),
        (p.Call(0, 0),),
        base.locs,
    )


def _row(view: int) -> p.Access:
    return p.Access(view, (Dim(0), C(0)), (7,))


def through_scratch() -> p.Executable:
    """out = (a + a) + a by way of scratch memory: two programs, 4x64 f16."""
    shape, strides = (4, 64), (64, 1)
    arguments = (
        p.Argument("a", "in", "f16", shape, strides),
        p.Argument("out", "out", "f16", shape, strides),
        p.Argument("tmp", "scratch", "f16", shape, strides),
    )
    inputs = tuple(p.SymbolInput(-1 - i, i) for i in range(3))
    values = tuple(p.SymbolValue(-4 - i, Dim(0) // WORD, (-1 - i,)) for i in range(3))

    def body(left: int, right: int, target: int) -> tuple[p.Instr, ...]:
        views: list[p.Instr] = []
        for register, arg in enumerate((left, right, target)):
            views.append(p.Symbol(0, register, (-4 - arg,)))
            views.append(
                p.View(0, 3 + register, (DEVICE,), register, WORD, shape, strides, 0, "f16")
            )
        return (*views, *_loop(4, 64, 64, "f16", "add"))

    programs = tuple(
        p.Program(f"part{i}", 0, (p.ProgramUnit("vec", (0,), body(*b), 0),))
        for i, b in enumerate(((0, 0, 2), (2, 0, 1)))
    )
    return p.Executable(
        "scratchy",
        machine(1),
        arguments,
        inputs,
        values,
        programs,
        (p.Call(0, 0), p.Call(0, 1)),
        (p.SourceLoc("s.mlir", 1),),
    )
