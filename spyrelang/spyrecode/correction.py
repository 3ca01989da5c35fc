"""Program correction: the blob that patches a binary at launch.

The blob is N whole flits (a template in which the values of the launch are filled in) followed by N
target addresses, 32-bit little-endian counts of flits. The device copies flit i to target i before
it runs the binary. The rest of the last flit of targets holds ones, which name no target.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from spyrelang.spyrecode.segments import FLIT, round_up
from spyrelang.spyrecode.symtab import SymbolTable

WORD = 16
WORDS = FLIT // WORD
TARGET_BYTES = 4
NO_TARGET = 0xFFFFFFFF


@dataclass(frozen=True)
class BlobField:
    """Where symbol `symbol` lies: flit of the blob, 16-byte word in it, inclusive bits of the "
    "word."""

    symbol: int
    flit: int
    word: int
    low: int
    high: int

    @property
    def byte(self) -> int:
        """Byte of the blob at which the word begins."""
        return self.flit * FLIT + self.word * WORD

    def overlaps(self, other: BlobField) -> bool:
        same_word = (self.flit, self.word) == (other.flit, other.word)
        return same_word and self.low <= other.high and other.low <= self.high


def store_field(blob: bytearray, where: BlobField, value: int) -> None:
    """Put the low bits of `value` into its field; a negative one in two's complement."""
    width = where.high - where.low + 1
    mask = ((1 << width) - 1) << where.low
    start = where.byte
    word = int.from_bytes(blob[start : start + WORD], "little")
    word = word & ~mask | (value << where.low) & mask
    blob[start : start + WORD] = word.to_bytes(WORD, "little")


def load_field(data: bytes | bytearray | memoryview, where: BlobField) -> int:
    """The unsigned value in a field; `data` starts where the blob's flits do."""
    word = int.from_bytes(data[where.byte : where.byte + WORD], "little")
    return word >> where.low & ((1 << (where.high - where.low + 1)) - 1)


def _is_lane(field: BlobField) -> bool:
    return field.low % 32 == 0 and field.high == field.low + 31


class FieldSet:
    """Stores and loads many fields at once: whole 32-bit lanes, the usual case, in one step."""

    def __init__(self, fields: Sequence[BlobField]) -> None:
        self.fields = tuple(fields)
        plain = [f for f in self.fields if _is_lane(f)]
        self._others = [f for f in self.fields if not _is_lane(f)]
        self._lanes = np.array([(f.byte + f.low // 8) // 4 for f in plain], np.intp)
        self._symbols = [f.symbol for f in plain]

    def store(self, blob: bytearray, values: Mapping[int, int]) -> None:
        """Put each symbol's value into its fields; values fit them."""
        if self._symbols:
            lanes = np.frombuffer(blob, "<u4")
            lanes[self._lanes] = [values[symbol] for symbol in self._symbols]
        for field in self._others:
            store_field(blob, field, values[field.symbol])

    def load(self, data: bytes) -> dict[int, int]:
        """The value of each symbol, from its last field."""
        result: dict[int, int] = {}
        if self._symbols:
            lanes = np.frombuffer(data, "<u4")[self._lanes]
            result = dict(zip(self._symbols, lanes.tolist(), strict=True))
        for field in self._others:
            result[field.symbol] = load_field(data, field)
        return result


@dataclass(frozen=True)
class Correction:
    """`template`: the flits with each field holding its own id. `targets`: for each flit its
    address in flits. `records`: conversion records found; a launch needs exactly one."""

    template: bytes
    targets: tuple[int, ...]
    locations: tuple[BlobField, ...]
    table: SymbolTable
    records: int = 1

    @property
    def flits(self) -> int:
        return len(self.template) // FLIT

    @property
    def size(self) -> int:
        """Bytes of the blob: flits and targets."""
        return len(self.template) + round_up(TARGET_BYTES * len(self.targets))

    def target_bytes(self) -> bytes:
        """The target list, filled up to a whole flit."""
        raw = b"".join(target.to_bytes(TARGET_BYTES, "little") for target in self.targets)
        return raw + b"\xff" * (-len(raw) % FLIT)

    def blob(self, values: Mapping[int, int]) -> bytes:
        """The blob for one launch: template, values, targets."""
        result = bytearray(self.template)
        self._fields.store(result, values)
        return bytes(result) + self._target_list

    @cached_property
    def _fields(self) -> FieldSet:
        return FieldSet(self.locations)

    @cached_property
    def _target_list(self) -> bytes:
        return self.target_bytes()


def make_template(flits: int, locations: tuple[BlobField, ...]) -> bytes:
    """`flits` flits in which every field holds its own id."""
    result = bytearray(flits * FLIT)
    for where in locations:
        store_field(result, where, where.symbol)
    return bytes(result)


def targets_in(blob: bytes, flits: int) -> tuple[int | None, ...]:
    """The targets a blob carries for its flits, as the device reads them; None for no target."""
    start = flits * FLIT
    numbers = [
        int.from_bytes(blob[start + TARGET_BYTES * i : start + TARGET_BYTES * (i + 1)], "little")
        for i in range(flits)
    ]
    return tuple(None if n == NO_TARGET else n for n in numbers)
