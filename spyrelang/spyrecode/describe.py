"""What a person sees of an artifact: memory, files, steps, arguments and symbols."""

from __future__ import annotations

from spyrelang.spyrecode.launch_spec import LaunchSpec
from spyrelang.spyrecode.plan import Plan, steps
from spyrelang.spyrecode.segments import PROGRAM_SEGMENT
from spyrelang.spyrecode.symtab import (
    AddressInput,
    Operation,
    Ref,
    SymbolInput,
    SymbolTable,
    SymExpr,
)

_INFIX = {"add": "+", "sub": "-", "mul": "*", "floordiv": "/", "mod": "mod", "ceildiv": "ceildiv"}


def describe(name: str, plan: Plan, spec: LaunchSpec | None) -> str:
    """The text of `Artifact.describe`; ends with a newline."""
    mode = "symbolic" if spec is None or spec.bundle_symbolic_args else "constant"
    lines = [f"spyrecode {name} ({plan.generation}, {mode} addresses)"]
    lines.append(
        f"  memory: static_size={plan.allocate.static_size}, "
        f"dynamic_size={plan.allocate.dynamic_size}"
    )
    for transfer in plan.transfers:
        offset = transfer.dev_ptr - PROGRAM_SEGMENT
        lines.append(f"  load {transfer.file}: {transfer.size} bytes at segment 7 + {offset}")
    for number, step in enumerate(steps(plan, name)):
        lines.append(f"  step {number}: {step.kind} '{step.name}' on {step.role}")
    lines += _arguments(spec)
    if plan.correction is not None:
        correction = plan.correction
        lines.append(f"  correction: {correction.flits} flits, {correction.size} bytes")
        lines += _symbols(correction.table)
    return "\n".join(lines) + "\n"


def _arguments(spec: LaunchSpec | None) -> list[str]:
    if spec is None:
        return []
    if not spec.arguments:
        return [f"  argument {t.arg_index}: {t.role} {list(t.shape)} {t.dtype}" for t in spec.args]
    result: list[str] = []
    for argument, address in zip(spec.arguments, spec.addresses, strict=True):
        place = "" if address is None else f" at {address:#x}"
        sizes = "x".join(map(str, argument.shape)) or "unknown shape"
        result.append(
            f"  argument {argument.name}: {argument.role} {sizes} {argument.dtype}{place}"
        )
    return result


def _symbols(table: SymbolTable) -> list[str]:
    lines = [f"    {symbol.id} = {_input(symbol)}" for symbol in table.inputs]
    lines += [f"    {value.id} = {_expression(value.expr)}" for value in table.values]
    return lines


def _input(symbol: SymbolInput) -> str:
    if isinstance(symbol, AddressInput):
        return f"address of argument {symbol.arg} {symbol.name}".rstrip()
    bounds = f"{symbol.minimum} to {symbol.maximum} in steps of {symbol.granularity}"
    where = f"dimension {symbol.dim} of argument {symbol.arg}"
    return f"{where if symbol.dim >= 0 else f'argument {symbol.arg}'} {symbol.name}, {bounds}"


def _expression(expr: SymExpr) -> str:
    if isinstance(expr, Operation):
        left, right = _expression(expr.left), _expression(expr.right)
        if expr.op in _INFIX:
            return f"({left} {_INFIX[expr.op]} {right})"
        return f"{expr.op}({left}, {right})"
    return f"[{expr.id}]" if isinstance(expr, Ref) else str(expr)
