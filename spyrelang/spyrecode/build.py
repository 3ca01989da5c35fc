"""From an `Executable` to the contents of an artifact: binary, plan, signature, symbol records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import lcm, prod

from spyrelang import affine
from spyrelang.errors.artifact import NOT_EXPORTABLE
from spyrelang.isa import codec
from spyrelang.isa.program import Argument, Executable
from spyrelang.isa.program import SymbolInput as IsaInput
from spyrelang.semantics import dtypes
from spyrelang.spyrecode.correction import BlobField, Correction, make_template
from spyrelang.spyrecode.launch_spec import ROLES, TORCH_DTYPES, LaunchSpec, TensorSpec
from spyrelang.spyrecode.layout import Layout, check_layout, contiguous_strides, row_major_layout
from spyrelang.spyrecode.plan import (
    Allocate,
    Command,
    ComputeOnDevice,
    ComputeOnHost,
    DataTransfer,
    InitTransfer,
    Plan,
)
from spyrelang.spyrecode.segments import FLIT, PROGRAM_SEGMENT, SEGMENT, TENSOR_SEGMENTS, round_up
from spyrelang.spyrecode.symtab import (
    AddressInput,
    DimensionInput,
    Operation,
    Ref,
    SymbolInput,
    SymbolTable,
    SymbolValue,
    SymExpr,
)

BINARY_NAME = "init_binary.bin"
HANDLE = "progCorrect0"
_ROUNDED_FLITS = 32
_OPERATORS: dict[type[affine.Binary], str] = {
    affine.Add: "add",
    affine.Mul: "mul",
    affine.FloorDiv: "floordiv",
    affine.CeilDiv: "ceildiv",
    affine.Mod: "mod",
}


@dataclass(frozen=True)
class Dimension:
    """Bounds of a size that is given at launch. `dim` -1: the integer argument itself."""

    maximum: int = (1 << 31) - 1
    granularity: int = 1
    minimum: int = 0
    dim: int = -1


@dataclass(frozen=True)
class Contents:
    """What an artifact holds."""

    binary: bytes
    plan: Plan
    spec: LaunchSpec
    table: SymbolTable


def build(
    executable: Executable,
    *,
    name: str,
    layouts: Mapping[str, Layout],
    addresses: Mapping[str, int],
    dimensions: Mapping[str, Dimension],
    round_flits: bool,
) -> Contents:
    """All parts of the artifact of `executable`. Raises SPY664, SPY665."""
    table = symbol_table(executable, dimensions)
    binary = codec.encode(executable)
    constants = _constant_addresses(executable, name, addresses)
    correction = _correction(executable, table, round_flits)
    plan = _plan(name, binary, correction, _dynamic_size(executable, name, constants))
    spec = _signature(executable, name, layouts, constants, dimensions)
    return Contents(binary, plan, spec, table)


# --- symbols -----------------------------------------------------------------------------------


def symbol_table(executable: Executable, dimensions: Mapping[str, Dimension]) -> SymbolTable:
    """The symbols of an executable in the artifact's language."""
    inputs = tuple(_input(executable, symbol, dimensions) for symbol in executable.inputs)
    kinds = {symbol.id: "in" for symbol in inputs}
    values: list[SymbolValue] = []
    for symbol in executable.symbols:
        refs = [Ref(kinds[i], i) for i in symbol.inputs]
        expr = _one_division(_expression(executable.name, symbol.expr, refs))
        values.append(SymbolValue(symbol.id, expr, symbol.bits, symbol.exact))
        kinds[symbol.id] = "sym"
    divisors = [
        v.expr.right
        for v in values
        if v.exact and isinstance(v.expr, Operation) and v.expr.op == "floordiv"
    ]
    unit = lcm(*(d for d in divisors if isinstance(d, int) and d > 0))
    return SymbolTable(unit, inputs, tuple(values))


def _input(
    executable: Executable, symbol: IsaInput, dimensions: Mapping[str, Dimension]
) -> SymbolInput:
    name = executable.arguments[symbol.arg].name if symbol.arg < len(executable.arguments) else ""
    if symbol.kind == "address":
        return AddressInput(symbol.id, symbol.arg, name)
    bound = dimensions.get(name, Dimension())
    return DimensionInput(
        symbol.id,
        symbol.arg,
        bound.dim,
        bound.minimum,
        bound.granularity,
        bound.maximum,
        name,
    )


def _expression(kernel: str, expr: affine.Expr, refs: list[Ref]) -> SymExpr:
    if isinstance(expr, affine.Dim):
        return refs[expr.index]
    if isinstance(expr, affine.Const):
        return expr.value
    operator = _OPERATORS.get(type(expr)) if isinstance(expr, affine.Binary) else None
    if operator is None or not isinstance(expr, affine.Binary):
        raise NOT_EXPORTABLE.error(name=kernel, detail=f"the symbol expression {expr} has no form")
    left = _expression(kernel, expr.lhs, refs)
    return Operation(operator, left, _expression(kernel, expr.rhs, refs))


def _one_division(expr: SymExpr) -> SymExpr:
    """x / c + k as (x + k * c) / c: equal, and exactness is checked on an outermost division."""
    if not isinstance(expr, Operation) or expr.op != "add" or not isinstance(expr.right, int):
        return expr
    inner = expr.left
    if isinstance(inner, Operation) and inner.op == "floordiv" and isinstance(inner.right, int):
        moved = Operation("add", inner.left, expr.right * inner.right)
        return Operation("floordiv", moved, inner.right)
    return expr


def _correction(executable: Executable, table: SymbolTable, round_flits: bool) -> Correction | None:
    """The blob over the binary's symbol pool; None where nothing is symbolic."""
    slots = codec.pool_layout(executable)
    if not slots:
        return None
    locations = tuple(
        BlobField(symbol, s.flit, s.word, s.bit_low, s.bit_high) for symbol, s in slots.items()
    )
    real = max(s.flit for s in slots.values()) + 1
    flits = round_up(real, _ROUNDED_FLITS) if round_flits else real
    template = make_template(flits, locations)
    # Targets depend on where the binary lies, which depends on the size of the blob.
    size = Correction(template, (0,) * flits, locations, table).size
    first = (PROGRAM_SEGMENT + size) // FLIT
    pool = [first + codec.POOL_FIRST_FLIT + i for i in range(real)]
    behind = first + len(codec.encode(executable)) // FLIT if flits > real else 0
    dummies = [behind + i for i in range(flits - real)]
    return Correction(template, (*pool, *dummies), locations, table)


# --- plan --------------------------------------------------------------------------------------


def _plan(name: str, binary: bytes, correction: Correction | None, dynamic: int) -> Plan:
    offset = 0 if correction is None else correction.size
    entry = PROGRAM_SEGMENT + offset
    end = entry + len(binary)
    commands: list[Command] = []
    if correction is not None:
        end = max(end, (max(correction.targets) + 1) * FLIT)
        commands.append(
            ComputeOnHost(
                ihandle="",
                ishape=(len(correction.table.inputs),),
                ohandle=HANDLE,
                oshape=(FLIT, 1, correction.flits),
                size=correction.size,
                correction=correction,
            )
        )
        commands.append(DataTransfer(True, correction.size, PROGRAM_SEGMENT, HANDLE))
    commands.append(ComputeOnDevice(entry, name))
    transfer = InitTransfer(BINARY_NAME, len(binary), entry)
    return Plan("G2", Allocate(end - PROGRAM_SEGMENT, dynamic), (transfer,), tuple(commands))


# --- arguments ---------------------------------------------------------------------------------


def footprint(argument: Argument) -> int:
    """Bytes from the first to the last element of an argument, inclusive."""
    size = dtypes.get(argument.dtype).bytes
    if 0 in argument.shape:
        return 0
    strides = argument.strides or contiguous_strides(argument.shape)
    last = sum((n - 1) * s for n, s in zip(argument.shape, strides, strict=True))
    return (last + 1) * size


def _constant_addresses(
    executable: Executable, name: str, addresses: Mapping[str, int]
) -> tuple[int | None, ...]:
    """The byte address at which each argument must lie; None where it is a symbol, or no tensor.

    Without `addresses`, tensor i of a kernel with constant addresses begins segment i.
    """
    symbolic = {symbol.arg for symbol in executable.inputs}
    result: list[int | None] = []
    tensors = 0
    for index, argument in enumerate(executable.arguments):
        if index in symbolic or argument.role == "index":
            result.append(None)
        else:
            if argument.role == "scratch" and argument.name not in addresses:
                detail = f"scratch argument '{argument.name}' has neither symbol nor address"
                raise NOT_EXPORTABLE.error(name=name, detail=detail)
            result.append(addresses.get(argument.name, tensors * SEGMENT))
        tensors += argument.role in ROLES
    _check_bound(executable, name, result)
    return tuple(result)


def _check_bound(executable: Executable, name: str, addresses: list[int | None]) -> None:
    dynamic = any(a.role == "scratch" for a in executable.arguments)
    last = TENSOR_SEGMENTS - dynamic
    for argument, address in zip(executable.arguments, addresses, strict=True):
        if address is None or argument.role == "scratch":
            continue
        if not address >= 0 or address // SEGMENT >= last:
            detail = f"'{argument.name}' at {address:#x} is outside segments 0 to {last - 1}"
            raise NOT_EXPORTABLE.error(name=name, detail=detail)


def _dynamic_size(executable: Executable, name: str, addresses: tuple[int | None, ...]) -> int:
    """Bytes of all scratch arguments with symbolic addresses, each rounded up to whole flits."""
    total = 0
    for argument, address in zip(executable.arguments, addresses, strict=True):
        if argument.role != "scratch" or address is not None:
            continue
        if not argument.shape:
            detail = f"the size of scratch argument '{argument.name}' is not known"
            raise NOT_EXPORTABLE.error(name=name, detail=detail)
        total += round_up(footprint(argument))
    return total


def _signature(
    executable: Executable,
    name: str,
    layouts: Mapping[str, Layout],
    addresses: tuple[int | None, ...],
    dimensions: Mapping[str, Dimension],
) -> LaunchSpec:
    known = {argument.name for argument in executable.arguments}
    for wrong in sorted(layouts.keys() - known):
        raise NOT_EXPORTABLE.error(
            name=name,
            detail=f"layouts names '{wrong}', which is no argument of it",
            hint=f"name its arguments: {', '.join(sorted(known))}",
        )
    tensors = tuple(
        _tensor(index, argument, layouts.get(argument.name))
        for index, argument in enumerate(executable.arguments)
        if argument.role in ROLES
    )
    symbols = {n: (d.minimum, d.maximum) for n, d in dimensions.items() if n in known}
    symbolic = bool(executable.inputs)
    return LaunchSpec(name, tensors, symbolic, 0, symbols, executable.arguments, addresses)


def _tensor(index: int, argument: Argument, layout: Layout | None) -> TensorSpec:
    if layout is not None:
        check_layout(argument.name, layout, argument.shape, argument.dtype)
    elif _contiguous(argument):
        layout = row_major_layout(argument.shape, argument.dtype)
    dtype = TORCH_DTYPES.get(argument.dtype, argument.dtype)
    return TensorSpec(index, ROLES[argument.role], argument.shape, dtype, layout)


def _contiguous(argument: Argument) -> bool:
    dense = contiguous_strides(argument.shape)
    return bool(argument.shape) and argument.strides in ((), dense) and prod(argument.shape) > 0
