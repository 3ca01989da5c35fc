"""The `hcm` object of a host computation: `vdci` (where values go), `senConstants` (template and
targets), `symtab` (what the values are). Artifacts without `symtab` are read from `variableDefs_`.
"""

from __future__ import annotations

from math import lcm
from typing import NoReturn

from spyrelang.errors import artifact as errors
from spyrelang.spyrecode import symtab_json
from spyrelang.spyrecode.correction import NO_TARGET, TARGET_BYTES, WORDS, BlobField, Correction
from spyrelang.spyrecode.fields import Json, Where, as_int, as_list, as_object, shown
from spyrelang.spyrecode.segments import FLIT
from spyrelang.spyrecode.symtab import (
    AddressInput,
    Operation,
    Ref,
    SymbolTable,
    SymbolValue,
    SymExpr,
)

_DIVIDE = -5  # (x, c): x / c
_ADD_DIVIDE = -23  # (x, a, c): (x + a) / c
_GROUP = 5  # integers of one location: -1, flit, word, low bit, high bit
_BITS = 32
_NAME = "ProgCorrectionFlit"

# --- writing -----------------------------------------------------------------------------------


def to_json(correction: Correction) -> dict[str, object]:
    """The hcm object, in the field order of the public artifacts."""
    return {
        "vdci": _vdci(correction),
        "senConstants": [
            {"senconst_": correction.template.hex()},
            {"senconst_": correction.target_bytes().hex()},
        ],
        "symtab": symtab_json.to_json(correction.table),
    }


def _vdci(correction: Correction) -> dict[str, object]:
    inputs = [symbol.id for symbol in correction.table.inputs]
    definitions = [_definition(value) for value in correction.table.values]
    return {
        "dsName_": _NAME,
        "isMarker_": 0,
        "data_conversion_info_group_": [{"key": [], "dci": _dci(correction, inputs)}],
        "group_tags_": [],
        "inputSym_": inputs,
        "dciIdxSym_": [],
        "variableDefs_": [d for d in definitions if d is not None],
    }


def _dci(correction: Correction, inputs: list[int]) -> dict[str, object]:
    return {
        "dsName_": _NAME,
        "isHostToSen_": 1,
        "dataformat_src_": 8,
        "dataformat_dst_": 8,
        "dcOpName_": 6,
        "input_shape_": [FLIT, correction.flits],
        "output_shape_": [FLIT, 1, correction.flits],
        "ssi_": {
            "value_and_locs_": _locations_to_json(correction.locations),
            "inputSym_": inputs,
            "unSubstitutedFlitStartOffset_": 0,
        },
    }


def _locations_to_json(locations: tuple[BlobField, ...]) -> list[list[int]]:
    by_symbol: dict[int, list[int]] = {}
    for where in locations:
        groups = by_symbol.setdefault(where.symbol, [where.symbol])
        groups += [-1, where.flit, where.word, where.low, where.high]
    return list(by_symbol.values())


def _definition(value: SymbolValue) -> list[object] | None:
    """The value in the two operators that public artifacts use, or None where they cannot say "
    "it."""
    expr = value.expr
    if not isinstance(expr, Operation) or expr.op != "floordiv" or not isinstance(expr.right, int):
        return None
    left, divisor = expr.left, str(expr.right)
    if isinstance(left, Ref):
        return [f"V{value.id}", _DIVIDE, f"V{left.id}", divisor]
    if not isinstance(left, Operation) or left.op != "add":
        return None
    if not isinstance(left.left, Ref) or not isinstance(left.right, int) or left.right < 0:
        return None
    return [f"V{value.id}", _ADD_DIVIDE, f"V{left.left.id}", str(left.right), divisor]


# --- reading -----------------------------------------------------------------------------------


def from_json(where: Where, value: object) -> Correction:
    """The correction in an hcm object; SPY650 to SPY655 say what is wrong with it."""
    hcm = as_object(value)
    if hcm is None:
        _bad_hcm(where, f"must be an object, got {shown(value)}")
    if "vdci" not in hcm:
        _bad_hcm(where, "is missing 'vdci'")
    vdci = as_object(hcm["vdci"])
    if vdci is None:
        _bad_vdci(where, f"must be an object, got {shown(hcm['vdci'])}")
    template, targets = _constants(where, hcm)
    table = _table(where, hcm, vdci)
    records = as_list(vdci.get("data_conversion_info_group_", []))
    if records is None:
        _bad_vdci(where, "'data_conversion_info_group_' must be an array")
    locations = [f for record in records for f in _record(where, record, len(template) // FLIT)]
    _check_locations(where, locations, table)
    return Correction(template, targets, tuple(locations), table, len(records))


def _constants(where: Where, hcm: Json) -> tuple[bytes, tuple[int, ...]]:
    items = as_list(hcm.get("senConstants"))
    if items is None or len(items) != 2:
        _bad_hcm(where, "'senConstants' must be an array of two hexadecimal strings")
    template, targets = (_hexadecimal(where, item) for item in items)
    if not template or len(template) % FLIT or len(targets) % FLIT:
        _bad_hcm(where, f"'senConstants' must be whole flits of {FLIT} bytes, at least one")
    count = len(template) // FLIT
    numbers = [
        int.from_bytes(targets[i : i + TARGET_BYTES], "little")
        for i in range(0, len(targets), TARGET_BYTES)
    ]
    if len(numbers) - count not in range(FLIT // TARGET_BYTES):
        _bad_hcm(where, f"'senConstants' has {len(numbers)} target words for {count} flits")
    if any(n != NO_TARGET for n in numbers[count:]):
        _bad_hcm(where, f"'senConstants' names more targets than its {count} flits")
    return template, tuple(numbers[:count])


def _hexadecimal(where: Where, item: object) -> bytes:
    record = as_object(item)
    text = None if record is None else record.get("senconst_")
    if not isinstance(text, str):
        _bad_hcm(where, "elements of 'senConstants' must be objects with a string 'senconst_'")
    try:
        return bytes.fromhex(text)
    except ValueError:
        _bad_hcm(where, f"'senconst_' is not hexadecimal: {shown(text)}")


def _record(where: Where, record: object, flits: int) -> list[BlobField]:
    """The locations of one conversion record."""
    item: object = record
    for name in ("dci", "ssi_"):
        outer = as_object(item)
        item = None if outer is None else as_object(outer.get(name))
        if item is None:
            _bad_vdci(where, f"record has no object '{name}'")
    inner = as_object(item)
    rows = None if inner is None else as_list(inner.get("value_and_locs_"))
    if rows is None:
        _bad_vdci(where, "record has no array 'value_and_locs_'")
    return [field for row in rows for field in _row(where, row, flits)]


def _row(where: Where, row: object, flits: int) -> list[BlobField]:
    numbers = [as_int(n) for n in as_list(row) or ()]
    if len(numbers) < 1 + _GROUP or (len(numbers) - 1) % _GROUP or None in numbers:
        _bad_vdci(where, f"location {shown(row)} is not an id and groups of {_GROUP} integers")
    symbol, *rest = (n for n in numbers if n is not None)
    groups = [tuple(rest[i : i + _GROUP]) for i in range(0, len(rest), _GROUP)]
    for mark, flit, word, low, high in groups:
        inside = 0 <= flit < flits and 0 <= word < WORDS and 0 <= low <= high < FLIT
        if mark != -1 or not inside:
            _bad_vdci(where, f"location {shown(row)} lies outside the {flits} flits of the blob")
    return [BlobField(symbol, flit, word, low, high) for _, flit, word, low, high in groups]


def _check_locations(where: Where, locations: list[BlobField], table: SymbolTable) -> None:
    widths = {symbol.id: 64 for symbol in table.inputs} | {v.id: v.bits for v in table.values}
    by_word: dict[tuple[int, int], list[BlobField]] = {}
    for field in locations:
        if field.symbol not in widths:
            _bad_vdci(where, f"places symbol {field.symbol}, which nothing defines")
        width = field.high - field.low + 1
        if width != widths[field.symbol]:
            bits = widths[field.symbol]
            _bad_vdci(where, f"gives symbol {field.symbol} {width} bits, its value has {bits}")
        for other in by_word.setdefault((field.flit, field.word), []):
            if field.overlaps(other):
                raise errors.VALUE_OVERLAP.error(
                    where.location("value_and_locs_"),
                    where=where,
                    symbol=field.symbol,
                    other=other.symbol,
                    flit=field.flit,
                    word=field.word,
                )
        by_word[field.flit, field.word].append(field)


def _table(where: Where, hcm: Json, vdci: Json) -> SymbolTable:
    if "symtab" in hcm:
        return symtab_json.from_json(where, hcm["symtab"])
    ids = as_list(vdci.get("inputSym_", []))
    rows = as_list(vdci.get("variableDefs_", []))
    if ids is None or rows is None or any(as_int(i) is None for i in ids):
        _bad_vdci(where, "'inputSym_' must hold ids and 'variableDefs_' definitions")
    numbers = [n for n in map(as_int, ids) if n is not None]
    inputs = tuple(AddressInput(n, position) for position, n in enumerate(numbers))
    known = {f"V{n}": Ref("in", n) for n in numbers}
    values: list[SymbolValue] = []
    for row in rows:
        value = _defined(where, row, known)
        known[f"V{value.id}"] = Ref("sym", value.id)
        values.append(value)
    divisors = [v.expr.right for v in values if isinstance(v.expr, Operation)]
    unit = lcm(*(d for d in divisors if isinstance(d, int) and d > 0))
    return SymbolTable(unit, inputs, tuple(values))


def _defined(where: Where, row: object, known: dict[str, Ref]) -> SymbolValue:
    items = list(as_list(row) or [])
    lengths = {_DIVIDE: 4, _ADD_DIVIDE: 5}
    opcode = as_int(items[1]) if len(items) > 1 else None
    if opcode is None or lengths.get(opcode) != len(items):
        _bad_vdci(where, f"definition {shown(row)} uses no known operator")
    name = str(items[0])
    number = name[2:] if name.startswith("V-") else ""
    if not _is_number(number) or name in known:
        _bad_vdci(where, f"definition {shown(row)} must begin with a new name 'V<id>'")
    operands = [_operand(where, row, item, known) for item in items[2:]]
    left = operands[0] if opcode == _DIVIDE else Operation("add", operands[0], operands[1])
    return SymbolValue(-int(number), Operation("floordiv", left, operands[-1]), _BITS)


def _operand(where: Where, row: object, item: object, known: dict[str, Ref]) -> SymExpr:
    if isinstance(item, str) and item in known:
        return known[item]
    if not isinstance(item, str) or not _is_number(item):
        _bad_vdci(where, f"definition {shown(row)} uses {shown(item)}, which is not known")
    return int(item)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 18


def _bad_hcm(where: Where, detail: str) -> NoReturn:
    raise errors.HCM.error(where.location("hcm"), where=where, detail=detail)


def _bad_vdci(where: Where, detail: str) -> NoReturn:
    raise errors.VDCI.error(where.location("vdci"), where=where, detail=detail)
