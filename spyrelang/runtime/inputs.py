"""The launch's input vector: one address or size for each input of a symbol table."""

from __future__ import annotations

from collections.abc import Mapping

from spyrelang.errors import launch as errors
from spyrelang.errors.artifact import SYMTAB
from spyrelang.runtime.operand import Operand
from spyrelang.runtime.placement import Bound
from spyrelang.runtime.signature import Signature
from spyrelang.spyrecode.symtab import AddressInput, DimensionInput, SymbolTable


def free_dims(table: SymbolTable | None) -> dict[int, frozenset[int]]:
    """For each argument, the dimensions whose size is given at launch."""
    result: dict[int, frozenset[int]] = {}
    for symbol in () if table is None else table.inputs:
        if isinstance(symbol, DimensionInput) and symbol.dim >= 0:
            result[symbol.arg] = result.get(symbol.arg, frozenset()) | {symbol.dim}
    return result


def size_names(table: SymbolTable | None) -> frozenset[str]:
    """Names of sizes that are read from arrays; a launch may state them as well."""
    inputs = () if table is None else table.inputs
    return frozenset(s.name for s in inputs if isinstance(s, DimensionInput) and s.dim >= 0)


def check_arguments(table: SymbolTable, signature: Signature) -> None:
    """Every input refers to an argument of its kind. Raises SPY652, SPY732."""
    count = len(signature.params)
    for symbol in table.inputs:
        if symbol.arg >= count:
            raise errors.TENSOR_ID.error(symbol=symbol.id, arg=symbol.arg, count=count)
        param = signature.params[symbol.arg]
        integer = isinstance(symbol, DimensionInput) and symbol.dim < 0
        given = param in signature.given or isinstance(symbol, AddressInput)
        if param.scalar != integer or not given:
            kind = "an integer" if param.scalar else "a tensor"
            detail = f"input {symbol.id} does not suit argument '{param.name}', {kind}"
            raise SYMTAB.error(where="", detail=detail)


def sizes_of(
    table: SymbolTable,
    signature: Signature,
    operands: list[Operand],
    scalars: Mapping[int, int],
    stated: Mapping[str, object],
) -> dict[int, int]:
    """The value of every dimension input by symbol id. Raises SPY740 to SPY742."""
    by_arg = {operand.param.index: operand for operand in operands}
    seen: dict[str, tuple[int, str]] = {
        name: (value, "the launch's own value")
        for name, value in stated.items()
        if isinstance(value, int)
    }
    result: dict[int, int] = {}
    for symbol in table.inputs:
        if not isinstance(symbol, DimensionInput):
            continue
        argument = signature.params[symbol.arg].name
        value = _size(symbol, argument, by_arg.get(symbol.arg), scalars)
        _check_size(symbol, argument, value)
        first = seen.setdefault(symbol.name, (value, argument)) if symbol.name else (value, "")
        if first[0] != value:
            raise errors.DIMENSION_CONFLICT.error(
                name=symbol.name,
                first=first[0],
                first_argument=first[1],
                second=value,
                second_argument=argument,
            )
        result[symbol.id] = value
    return result


def _size(
    symbol: DimensionInput, argument: str, operand: Operand | None, scalars: Mapping[int, int]
) -> int:
    if symbol.dim < 0:
        return scalars[symbol.arg]
    shape = () if operand is None else operand.array.shape
    if symbol.dim >= len(shape):
        raise errors.DIMENSION_INDEX.error(
            name=symbol.name,
            dim=symbol.dim,
            index=symbol.arg,
            argument=argument,
            rank=len(shape),
        )
    return shape[symbol.dim]


def _check_size(symbol: DimensionInput, argument: str, value: int) -> None:
    if not symbol.admits(value):
        what = f"argument #{symbol.arg} '{argument}'"
        raise errors.DIMENSION_REFUSED.error(
            what=what if symbol.dim < 0 else f"dimension {symbol.dim} of {what}",
            name=symbol.name,
            value=value,
            minimum=symbol.minimum,
            maximum=symbol.maximum,
            granularity=symbol.granularity,
            nearest=" or ".join(map(str, symbol.nearest(value))),
        )


def vector(
    table: SymbolTable, bound: Bound, sizes: Mapping[int, int], signature: Signature
) -> list[int]:
    """One number per input, in order. Raises SPY720 for an address that is no whole unit."""
    return [
        _address(symbol, table, bound, signature)
        if isinstance(symbol, AddressInput)
        else sizes[symbol.id]
        for symbol in table.inputs
    ]


def _address(symbol: AddressInput, table: SymbolTable, bound: Bound, signature: Signature) -> int:
    address = bound.addresses[symbol.arg]
    if address % table.unit_bytes:
        raise errors.MISALIGNED.error(
            what=f"argument '{signature.params[symbol.arg].name}'",
            address=address,
            alignment=table.unit_bytes,
            hint=f"move it to a multiple of {table.unit_bytes} bytes",
        )
    return address
