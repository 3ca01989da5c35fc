"""Mappings: which value belongs to which unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlir import ir

from spyrelang.errors import SpyreError
from spyrelang.errors.engine import MAPPING
from spyrelang.isa import program as p
from spyrelang.isa.decode.common import Plain
from spyrelang.isa.decode.values import (
    Mapping,
    Meaning,
    MemoryHandle,
    Number,
    Scalar,
    SymbolRef,
    UnitHandle,
)

if TYPE_CHECKING:
    from spyrelang.isa.decode.unit import UnitDecoder


def query(unit: UnitDecoder, op: ir.Operation) -> Meaning:
    """What `query_map(map, key)` stands for: one value for each unit, or a run-time choice when
    the key is a number."""
    mapping = unit.meaning(op.operands[0], op)
    if not isinstance(mapping, Mapping):
        raise _bad(unit, op, "the first operand of a query is not a mapping")
    key = unit.meaning(op.operands[1], op)
    if isinstance(key, UnitHandle):
        return _by_unit(unit, op, mapping, key)
    if isinstance(key, Number):
        return _by_number(unit, op, mapping, key.value)
    if isinstance(key, Scalar):
        return _by_register(unit, op, mapping, key)
    raise _bad(unit, op, "the key of a query is neither a unit nor a number")


def _bad(unit: UnitDecoder, op: ir.Operation, reason: str) -> SpyreError:
    return MAPPING.error(unit.places.place(op), reason=reason)


def _by_unit(unit: UnitDecoder, op: ir.Operation, mapping: Mapping, key: UnitHandle) -> Meaning:
    plain = _by_unit_plainly(unit, op, mapping, key)
    if plain is not None:
        return plain
    table: dict[int, Meaning] = {}
    for k, v in zip(mapping.keys, mapping.values, strict=True):
        handle = unit.meaning(k, op)
        if not isinstance(handle, UnitHandle) or len(set(handle.units)) != 1:
            raise _bad(unit, op, "the keys of a mapping must all be units")
        if handle.units[0] in table:
            raise _bad(unit, op, f"unit {unit.unit_name(handle.units[0])} is listed twice")
        table[handle.units[0]] = unit.meaning(v, op)
    filler = table.get(key.units[unit.active[0]])
    active = set(unit.active)
    chosen: list[Meaning] = []
    for position, number in enumerate(key.units):
        found = table.get(number, None if position in active else filler)
        if found is None:
            raise _bad(unit, op, f"the mapping has no entry for {unit.unit_name(number)}")
        chosen.append(found)
    return _per_unit(unit, op, chosen)


def _by_unit_plainly(
    unit: UnitDecoder, op: ir.Operation, mapping: Mapping, key: UnitHandle
) -> Meaning | None:
    """`_by_unit` where all values are handles of one kind, or all are numbers, without a meaning
    for each of them; None where that is not so, or something is wrong."""
    pairs = _plain_pairs(unit, op, mapping)
    if not pairs:
        return None
    (key_kinds, units), (kinds, numbers) = (zip(*side, strict=True) for side in pairs)
    table: dict[int, int] = dict(zip(units, numbers, strict=True))
    chosen = tuple(map(table.get, key.units))
    alike = len(set(kinds)) == 1 and set(key_kinds) == {UnitHandle}
    if not alike or len(table) != len(units) or None in chosen:
        return None
    found = tuple(number for number in chosen if number is not None)
    if kinds[0] is Number:
        return _table(unit, op, found)
    return UnitHandle(found) if kinds[0] is UnitHandle else MemoryHandle(found)


def _plain_pairs(
    unit: UnitDecoder, op: ir.Operation, mapping: Mapping
) -> tuple[list[tuple[Plain, int]], list[tuple[Plain, int]]] | None:
    """Keys and values of a mapping as handles and numbers, where all of them are that."""
    plain = unit.common.plain
    try:
        return [plain[k] for k in mapping.keys], [plain[v] for v in mapping.values]
    except KeyError:
        pass
    for pair in zip(mapping.keys, mapping.values, strict=True):
        for value in pair:
            if unit.plain(value) is None:
                unit.meaning(value, op)
    try:
        return [plain[k] for k in mapping.keys], [plain[v] for v in mapping.values]
    except KeyError:
        return None


def _per_unit(unit: UnitDecoder, op: ir.Operation, chosen: Sequence[Meaning]) -> Meaning:
    """One value per unit as a single meaning."""
    numbers = [m for m in chosen if isinstance(m, Number)]
    if len(numbers) == len(chosen):
        return _table(unit, op, tuple(m.value for m in numbers))
    symbols = [m for m in chosen if isinstance(m, SymbolRef)]
    if len(symbols) == len(chosen):
        return Scalar(unit.shared(op, p.Symbol, _short(tuple(m.id for m in symbols))), True)
    units = [m for m in chosen if isinstance(m, UnitHandle)]
    if len(units) == len(chosen):
        return UnitHandle(tuple(m.units[i] for i, m in enumerate(units)))
    memories = [m for m in chosen if isinstance(m, MemoryHandle)]
    if len(memories) == len(chosen):
        return MemoryHandle(tuple(m.memories[i] for i, m in enumerate(memories)))
    if all(isinstance(m, Number | Scalar) for m in chosen):
        return _selected(unit, op, chosen)
    raise _bad(unit, op, "the values of a mapping are of different kinds")


def _table(unit: UnitDecoder, op: ir.Operation, values: tuple[int, ...]) -> Meaning:
    if len(set(values)) == 1:
        return Number(values[0])
    return Scalar(unit.shared(op, p.Table, values))


def _short(ids: tuple[int, ...]) -> tuple[int, ...]:
    return ids[:1] if len(set(ids)) == 1 else ids


def _selected(unit: UnitDecoder, op: ir.Operation, chosen: Sequence[Meaning]) -> Meaning:
    """Values in registers: each unit takes its own."""
    regs = [_reg(unit, op, m) for m in chosen]
    if len(set(regs)) == 1:
        return Scalar(regs[0])
    me = unit.shared(op, p.Table, tuple(range(len(regs))))
    result = regs[-1]
    for position in reversed(range(len(regs) - 1)):
        here = _arith(unit, op, "cmp_eq", me, unit.shared(op, p.Const, position))
        result = _arith(unit, op, "select", here, regs[position], result)
    return Scalar(result)


def _by_number(unit: UnitDecoder, op: ir.Operation, mapping: Mapping, key: int) -> Meaning:
    for k, v in zip(mapping.keys, mapping.values, strict=True):
        if unit.meaning(k, op) == Number(key):
            return unit.meaning(v, op)
    raise _bad(unit, op, f"the mapping has no entry for {key}")


def _by_register(unit: UnitDecoder, op: ir.Operation, mapping: Mapping, key: Scalar) -> Meaning:
    """A key known at run time only: a chain of comparisons, the last entry being the default."""
    values = [unit.scalar(v, op) for v in mapping.values]
    if not values:
        raise _bad(unit, op, "the mapping is empty")
    result = values[-1].reg
    for k, v in list(zip(mapping.keys, values, strict=True))[-2::-1]:
        same = _arith(unit, op, "cmp_eq", key.reg, unit.scalar(k, op).reg)
        result = _arith(unit, op, "select", same, v.reg, result)
    return Scalar(result, all(v.symbolic for v in values))


def _reg(unit: UnitDecoder, op: ir.Operation, meaning: Meaning) -> int:
    if isinstance(meaning, Number):
        return unit.shared(op, p.Const, meaning.value)
    assert isinstance(meaning, Scalar)
    return meaning.reg


def _arith(unit: UnitDecoder, op: ir.Operation, name: str, *operands: int) -> int:
    dst = unit.reg()
    unit.code.append(p.Arith(unit.places.number(op), dst, name, operands))
    return dst
