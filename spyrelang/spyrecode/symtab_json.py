"""Symbol tables to and from JSON, with every rule of the format checked."""

from __future__ import annotations

from typing import NoReturn

from spyrelang.errors import artifact as errors
from spyrelang.spyrecode import fields
from spyrelang.spyrecode.fields import Json, Where, as_int, as_list, as_object, shown
from spyrelang.spyrecode.symtab import (
    OPERATORS,
    VERSION,
    AddressInput,
    DimensionInput,
    Operation,
    Ref,
    SymbolInput,
    SymbolTable,
    SymbolValue,
    SymExpr,
    kinds_of,
)

_DEPTH = 64
_INT64 = 1 << 63


def to_json(table: SymbolTable) -> dict[str, object]:
    return {
        "version": VERSION,
        "unit_bytes": table.unit_bytes,
        "inputs": [_input_to_json(symbol) for symbol in table.inputs],
        "values": [_value_to_json(value) for value in table.values],
    }


def _input_to_json(symbol: SymbolInput) -> dict[str, object]:
    if isinstance(symbol, AddressInput):
        return {"id": symbol.id, "kind": "address", "arg": symbol.arg, "name": symbol.name}
    return {
        "id": symbol.id,
        "kind": "dimension",
        "arg": symbol.arg,
        "dim": symbol.dim,
        "min": symbol.minimum,
        "granularity": symbol.granularity,
        "max": symbol.maximum,
        "name": symbol.name,
    }


def _value_to_json(value: SymbolValue) -> dict[str, object]:
    result: dict[str, object] = {
        "id": value.id,
        "expr": expr_to_json(value.expr),
        "bits": value.bits,
    }
    return result if value.exact else {**result, "exact": False}


def expr_to_json(expr: SymExpr) -> object:
    if isinstance(expr, Operation):
        return [expr.op, expr_to_json(expr.left), expr_to_json(expr.right)]
    return {expr.kind: expr.id} if isinstance(expr, Ref) else expr


def from_json(where: Where, value: object) -> SymbolTable:
    """The table; SPY652 to SPY654 name the symbol and the rule it breaks."""
    table = as_object(value)
    if table is None:
        _fail(where, f"must be an object, got {shown(value)}")
    version = table.get("version")
    if version != VERSION or isinstance(version, bool):
        raise errors.SYMTAB_VERSION.error(
            where.location("symtab"), where=where, found=shown(version), known=VERSION
        )
    unit = _integer(where, table, "unit_bytes", 1)
    reader = _Reader(where)
    for item in _items(where, table, "inputs"):
        reader.add_input(item)
    for item in _items(where, table, "values"):
        reader.add_value(item)
    result = SymbolTable(unit, tuple(reader.inputs), tuple(reader.values))
    _refuse_mixed(where, result)
    return result


def _refuse_mixed(where: Where, table: SymbolTable) -> None:
    kinds = kinds_of(table)
    for symbol in sorted(kinds["address"] & kinds["dimension"], reverse=True):
        raise errors.MIXED_EXPRESSION.error(where.location("symtab"), where=where, symbol=symbol)


class _Reader:
    """Collects inputs and values; an id must be new, a reference must be known."""

    def __init__(self, where: Where) -> None:
        self.where = where
        self.inputs: list[SymbolInput] = []
        self.values: list[SymbolValue] = []

    def add_input(self, item: Json) -> None:
        symbol = self._id(item)
        arg = _integer(self.where, item, "arg", 0)
        name = item.get("name", "")
        if not isinstance(name, str):
            _fail(self.where, f"input {symbol}: 'name' must be a string, got {shown(name)}")
        kind = item.get("kind")
        if kind == "address":
            self.inputs.append(AddressInput(symbol, arg, name))
        elif kind == "dimension":
            self.inputs.append(self._dimension(item, symbol, arg, name))
        else:
            _fail(self.where, f"input {symbol} has the unknown kind {shown(kind)}")

    def _dimension(self, item: Json, symbol: int, arg: int, name: str) -> DimensionInput:
        dim = _integer(self.where, item, "dim", -1)
        granularity = _integer(self.where, item, "granularity", 1)
        minimum = granularity
        if "min" in item:
            minimum = _integer(self.where, item, "min", 0 if dim < 0 else 1)
        maximum = _integer(self.where, item, "max", 1)
        if maximum % granularity or maximum < minimum:
            _fail(
                self.where,
                f"input {symbol}: 'max' {maximum} must be a multiple of {granularity} "
                f"and at least {minimum}",
            )
        return DimensionInput(symbol, arg, dim, minimum, granularity, maximum, name)

    def add_value(self, item: Json) -> None:
        symbol = self._id(item)
        bits = _integer(self.where, item, "bits", 1)
        if bits > 64:
            _fail(self.where, f"value {symbol}: 'bits' {bits} must be 1 to 64")
        exact = item.get("exact", True)
        if not isinstance(exact, bool):
            _fail(self.where, f"value {symbol}: 'exact' must be true or false")
        if "expr" not in item:
            _fail(self.where, f"value {symbol} is missing 'expr'")
        self.values.append(SymbolValue(symbol, self._expr(item["expr"], symbol), bits, exact))

    def _id(self, item: Json) -> int:
        symbol = as_int(item.get("id"))
        if symbol is None or symbol >= 0:
            _fail(self.where, f"ids are negative integers, got {shown(item.get('id'))}")
        if symbol in self._known("in") or symbol in self._known("sym"):
            _fail(self.where, f"id {symbol} is used twice")
        return symbol

    def _known(self, kind: str) -> set[int]:
        members = self.inputs if kind == "in" else self.values
        return {member.id for member in members}

    def _expr(self, value: object, symbol: int, depth: int = 0) -> SymExpr:
        if depth > _DEPTH:
            _fail(self.where, f"value {symbol}: expression nested deeper than {_DEPTH}")
        number = as_int(value)
        if number is not None:
            if not -_INT64 <= number < _INT64:
                _fail(self.where, f"value {symbol}: {number} leaves 64-bit signed integers")
            return number
        reference = as_object(value)
        if reference is not None:
            return self._reference(reference, symbol)
        items = as_list(value)
        if items is None or len(items) != 3 or not isinstance(items[0], str):
            _fail(self.where, f"value {symbol}: {shown(value)} is not an expression")
        if items[0] not in OPERATORS:
            known = " ".join(OPERATORS)
            _fail(self.where, f"value {symbol}: unknown operator {items[0]!r}; known: {known}")
        left = self._expr(items[1], symbol, depth + 1)
        return Operation(items[0], left, self._expr(items[2], symbol, depth + 1))

    def _reference(self, value: Json, symbol: int) -> Ref:
        kind = next(iter(value), "")
        target = as_int(value.get(kind))
        if len(value) != 1 or kind not in ("in", "sym") or target is None:
            _fail(self.where, f"value {symbol}: {shown(dict(value))} is not a reference")
        if target not in self._known(kind):
            what = "input" if kind == "in" else "earlier value"
            _fail(self.where, f"value {symbol} refers to {target}, which is no {what}")
        return Ref(kind, target)


def _items(where: Where, table: Json, name: str) -> list[Json]:
    items = as_list(table.get(name))
    if items is None:
        _fail(where, f"'{name}' must be an array")
    result = [as_object(item) for item in items]
    for item in result:
        if item is None:
            _fail(where, f"elements of '{name}' must be objects")
    return [item for item in result if item is not None]


def _integer(where: Where, item: Json, name: str, least: int) -> int:
    value = as_int(item.get(name))
    if value is None or not least <= value < _INT64:
        found = fields.shown(item.get(name))
        _fail(where, f"'{name}' must be an integer of at least {least}, got {found}")
    return value


def _fail(where: Where, detail: str) -> NoReturn:
    raise errors.SYMTAB.error(where.location("symtab"), where=where, detail=detail)
