"""`symbol_kinds.json`: one record per symbol of a kernel, inputs first."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import NoReturn

from spyrelang.errors import Location
from spyrelang.errors import artifact as errors
from spyrelang.spyrecode.fields import as_int, as_list, as_object, shown
from spyrelang.spyrecode.symtab import (
    DimensionInput,
    Operation,
    Ref,
    SymbolInput,
    SymbolTable,
    SymExpr,
)

NAME = "symbol_kinds.json"
KINDS = (
    "kernel",
    "kernel_slice",
    "kernel_derived",
    "kernel_derived_symbolic",
    "pool",
    "dimension",
    "loop_dimension",
)


@dataclass(frozen=True)
class SymbolKind:
    """One record; fields that do not apply to its kind keep their defaults."""

    kind: str
    base_sym_idx: int = -1
    offset: int = 0
    arg_index: int = -1
    granularity: int = 0
    max_value: int = 0
    pytorch_sym: str = ""
    core_idx: int = -1
    split_count: int = 0
    dim_index: int = -1


def of_table(table: SymbolTable, pools: frozenset[int]) -> tuple[SymbolKind, ...]:
    """The records of a symbol table. `pools`: arguments that are scratch, not the caller's.

    Values that are (base + constant) / words become derived records; others have no public kind.
    """
    positions = {symbol.id: i for i, symbol in enumerate(table.inputs)}
    records = [_input(symbol, pools) for symbol in table.inputs]
    for value in table.values:
        base = _base_and_offset(value.expr)
        if base is not None and base[0] in positions:
            records.append(SymbolKind("kernel_derived", positions[base[0]], base[1]))
    return tuple(records)


def _input(symbol: SymbolInput, pools: frozenset[int]) -> SymbolKind:
    if isinstance(symbol, DimensionInput):
        return SymbolKind(
            "loop_dimension",
            arg_index=symbol.arg,
            dim_index=symbol.dim,
            granularity=symbol.granularity,
            max_value=symbol.maximum,
            pytorch_sym=symbol.name,
        )
    return SymbolKind("pool" if symbol.arg in pools else "kernel", arg_index=symbol.arg)


def _base_and_offset(expr: SymExpr) -> tuple[int, int] | None:
    if isinstance(expr, Operation) and expr.op == "floordiv" and isinstance(expr.right, int):
        expr = expr.left
    if isinstance(expr, Ref) and expr.kind == "in":
        return expr.id, 0
    if isinstance(expr, Operation) and expr.op == "add" and isinstance(expr.right, int):
        base = _base_and_offset(expr.left)
        return None if base is None else (base[0], base[1] + expr.right)
    return None


def to_json(records: tuple[SymbolKind, ...]) -> list[dict[str, object]]:
    return [asdict(record) for record in records]


def from_json(value: object, file: str) -> tuple[SymbolKind, ...]:
    """The records; absent fields take their defaults. Raises SPY662."""
    items = as_list(value)
    if items is None:
        _fail(file, "the top level must be an array")
    return tuple(_record(item, file) for item in items)


def _record(value: object, file: str) -> SymbolKind:
    item = as_object(value)
    kind = None if item is None else item.get("kind")
    if item is None or not isinstance(kind, str) or kind not in KINDS:
        _fail(file, f"{shown(value)} has no known 'kind' ({', '.join(KINDS)})")
    numbers: dict[str, int] = {}
    for field in fields(SymbolKind):
        if field.name in item and field.name not in ("kind", "pytorch_sym"):
            number = as_int(item[field.name])
            if number is None:
                _fail(file, f"'{field.name}' must be an integer, got {shown(item[field.name])}")
            numbers[field.name] = number
    name = item.get("pytorch_sym", "")
    if not isinstance(name, str):
        _fail(file, f"'pytorch_sym' must be a string, got {shown(name)}")
    return SymbolKind(kind, pytorch_sym=name, **numbers)


def _fail(file: str, detail: str) -> NoReturn:
    raise errors.SYMBOL_KINDS.error(Location(file), detail=detail)
