"""The binary form of an `Executable`: encode, decode, and the pool of launch-time values.

Layout, in flits of 128 bytes:

    flit 0        header: magic, version, sizes, SHA-256 of header and code
    flits 1 … P   symbol pool: one 16-byte word for each launch-time value
    the rest      string table, then the dataclasses of `isa.program` field by field, zero-padded

Only pool flits change at launch, so replacing whole flits never touches code. Until then a pool
field holds the id of its symbol (negative, little endian). Integers are zigzag varints; how a field
is written follows from its annotation alone (`isa.fields`).
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass

from spyrelang.errors import SpyreError
from spyrelang.errors.engine import BINARY, UNPATCHED
from spyrelang.isa.fields import Reader, Writer
from spyrelang.isa.program import Executable, Instr, Symbol
from spyrelang.isa.visit import instructions

FLIT = 128
WORD = 16
MAGIC = b"SPYRELIS"
VERSION = 2
POOL_FIRST_FLIT = 1
"""Flit of the binary at which the symbol pool starts."""

# Magic, version, word, pool flits, pool slots, code bytes, digest.
_HEADER = struct.Struct("<8sHHIII32s")
_DIGEST_AT = _HEADER.size - 32


@dataclass(frozen=True)
class PoolSlot:
    """Where one value lies: `flit` counts from the first pool flit, `word` 16-byte words inside it,
    `bit_low` and `bit_high` (inclusive) bits inside that word, little endian."""

    flit: int
    word: int
    bit_low: int
    bit_high: int

    @property
    def byte(self) -> int:
        """Byte offset of the field from the start of the pool."""
        return self.flit * FLIT + self.word * WORD + self.bit_low // 8


def pool_layout(executable: Executable) -> dict[int, PoolSlot]:
    """The slot of every launch-time value: derived symbols, and inputs that code reads directly."""
    widths = {s.id: 64 for s in executable.inputs if s.id in _named(executable)}
    widths |= {s.id: s.bits for s in executable.symbols}
    per_flit = FLIT // WORD
    return {
        symbol: PoolSlot(i // per_flit, i % per_flit, 0, bits - 1)
        for i, (symbol, bits) in enumerate(widths.items())
    }


def encode(executable: Executable) -> bytes:
    """The binary of `executable`: deterministic, a multiple of 128 bytes. Raises SPY552 for values
    that have no binary form."""
    slots = pool_layout(executable)
    writer = Writer()
    writer.value(executable, Executable, "executable")
    code = writer.finish()
    pool = _pool(slots)
    code_padded = _pad(code)
    header = _header(len(pool) // FLIT, len(slots), len(code), code_padded)
    return header + pool + code_padded


def decode(data: bytes | bytearray | memoryview) -> Executable:
    """The executable in a binary. Raises SPY550 for anything but an intact one; what the pool
    holds is not looked at."""
    data = bytes(data)
    pool_flits, slots, size = _checked_header(data)
    start = (POOL_FIRST_FLIT + pool_flits) * FLIT
    try:
        reader = Reader(data[start : start + size])
        executable = reader.value(Executable)
        reader.end()
    except SpyreError:
        raise
    except (ValueError, IndexError, TypeError, KeyError, RecursionError, OverflowError) as e:
        raise BINARY.error(reason=f"its code does not parse ({e})") from None
    if len(pool_layout(executable)) != slots:
        raise BINARY.error(reason="its symbol pool does not fit its code")
    return executable


def pool_values(data: bytes | bytearray | memoryview) -> dict[int, int]:
    """The values in the pool of a corrected binary, by symbol id. Raises SPY551 where a
    placeholder is left, SPY550 for a damaged binary."""
    data = bytes(data)
    pool = data[POOL_FIRST_FLIT * FLIT :]
    values: dict[int, int] = {}
    for symbol, slot in pool_layout(decode(data)).items():
        bits = slot.bit_high - slot.bit_low + 1
        field = int.from_bytes(pool[slot.byte : slot.byte + WORD], "little")
        if field >> bits:
            raise BINARY.error(reason=f"bits beyond the field of symbol {symbol} are set")
        if field == symbol & ((1 << bits) - 1):
            raise UNPATCHED.error(id=symbol)
        values[symbol] = field
    return values


def patch(data: bytes, values: dict[int, int]) -> bytes:
    """A copy of a binary with pool values filled in (what program correction does)."""
    result = bytearray(data)
    for symbol, slot in pool_layout(decode(data)).items():
        if symbol in values:
            at = POOL_FIRST_FLIT * FLIT + slot.byte
            size = -(-(slot.bit_high + 1) // 8)
            result[at : at + size] = values[symbol].to_bytes(size, "little")
    return bytes(result)


def _named(executable: Executable) -> set[int]:
    """Ids that Symbol instructions read."""
    bodies: list[tuple[Instr, ...]] = [executable.orchestrator]
    bodies += [unit.body for program in executable.programs for unit in program.units]
    found = (i for body in bodies for i in instructions(body) if isinstance(i, Symbol))
    return {symbol for instr in found for symbol in instr.ids}


def _pool(slots: dict[int, PoolSlot]) -> bytes:
    words = b""
    for symbol, slot in slots.items():
        bits = slot.bit_high - slot.bit_low + 1
        words += (symbol & ((1 << bits) - 1)).to_bytes(WORD, "little")
    return _pad(words)


def _pad(data: bytes) -> bytes:
    return data + bytes(-len(data) % FLIT)


def _header(pool_flits: int, slots: int, size: int, code: bytes) -> bytes:
    blank = _HEADER.pack(MAGIC, VERSION, WORD, pool_flits, slots, size, bytes(32))
    header = bytearray(_pad(blank))
    header[_DIGEST_AT : _DIGEST_AT + 32] = _digest(bytes(header), code)
    return bytes(header)


def _digest(header: bytes, code: bytes) -> bytes:
    blanked = header[:_DIGEST_AT] + bytes(32) + header[_DIGEST_AT + 32 :]
    return hashlib.sha256(blanked + code).digest()


def _checked_header(data: bytes) -> tuple[int, int, int]:
    """Pool flits, pool slots and code bytes of an intact binary."""
    if len(data) < FLIT or data[:8] != MAGIC:
        raise BINARY.error(reason="it does not start with spyrelang's mark")
    _, version, _, pool_flits, slots, size, digest = _HEADER.unpack_from(data)
    if version != VERSION:
        raise BINARY.error(reason=f"it is of version {version}, this is version {VERSION}")
    start = (POOL_FIRST_FLIT + pool_flits) * FLIT
    if len(data) != start + size + (-size % FLIT):
        raise BINARY.error(reason=f"it has {len(data)} bytes, its header says otherwise")
    if digest != _digest(data[:FLIT], data[start:]):
        raise BINARY.error(reason="its checksum does not match")
    return pool_flits, slots, size
