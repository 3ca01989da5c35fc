"""A prepared program in segment 7: its bytes, their correction, and the values read back from them.

What a launch computes on the host reaches the program only through these bytes: the blob is
transferred, its flits are scattered over the binary, and the symbol pool of the patched binary says
which values the run uses.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spyrelang.errors import Location
from spyrelang.errors.artifact import FOREIGN_BINARY, SCATTER_TARGET
from spyrelang.errors.engine import UNPATCHED
from spyrelang.isa import codec
from spyrelang.isa.program import Executable
from spyrelang.spyrecode.artifact import Artifact
from spyrelang.spyrecode.correction import NO_TARGET, TARGET_BYTES, BlobField, FieldSet
from spyrelang.spyrecode.segments import FLIT, PROGRAM_SEGMENT

Bytes = NDArray[np.uint8]


class ProgramMemory:
    """`static_size` bytes of segment 7 with the binaries of an artifact loaded."""

    def __init__(self, artifact: Artifact) -> None:
        self.artifact = artifact
        self.data: Bytes = np.zeros(artifact.plan.allocate.static_size, np.uint8)
        for transfer in artifact.plan.transfers:
            binary = np.frombuffer(artifact.binaries[transfer.file], np.uint8)
            self.store(transfer.dev_ptr, binary)
        self._pools: dict[int, FieldSet] = {}
        self._entries: dict[int, Executable] = {}

    def store(self, address: int, data: NDArray[Any]) -> None:
        """Copy bytes to a device address of segment 7."""
        offset = address - PROGRAM_SEGMENT
        self.data[offset : offset + data.nbytes] = data

    def store_bytes(self, address: int, data: bytes) -> None:
        """Copy a host buffer to a device address of segment 7."""
        self.store(address, np.frombuffer(data, np.uint8))

    def load(self, address: int, size: int) -> bytes:
        """The bytes at a device address of segment 7."""
        offset = address - PROGRAM_SEGMENT
        return self.data[offset : offset + size].tobytes()

    def executable(self, entry: int) -> Executable:
        """The program whose first byte is at `entry`, decoded once. Raises SPY550, SPY663."""
        if entry not in self._entries:
            transfer = next((t for t in self.artifact.plan.transfers if t.dev_ptr == entry), None)
            if transfer is None or not self.artifact.runnable:
                path = self.artifact.path
                raise FOREIGN_BINARY.error(Location(str(path)), path=path)
            executable = self.artifact.executable
            if transfer is not self.artifact.plan.transfers[0]:
                executable = codec.decode(self.load(entry, transfer.size))
            self._entries[entry] = executable
            self._pools[entry] = FieldSet(
                [
                    BlobField(symbol, slot.flit, slot.word, slot.bit_low, slot.bit_high)
                    for symbol, slot in codec.pool_layout(executable).items()
                ]
            )
        return self._entries[entry]

    def scatter(self, blob_address: int, flits: int) -> None:
        """What the device does first: copy each flit of the blob to its target.

        Raises SPY656 for a target outside the program's memory.
        """
        words = self.data.reshape(-1, FLIT)
        first = (blob_address - PROGRAM_SEGMENT) // FLIT
        start = (first + flits) * FLIT
        raw = self.data[start : start + flits * TARGET_BYTES].view("<u4")
        used = np.flatnonzero(raw != NO_TARGET)
        places = raw[used].astype(np.int64) - PROGRAM_SEGMENT // FLIT
        bad = (places < 0) | (places >= len(words))
        if bad.any():
            flit = int(used[np.argmax(bad)])
            raise SCATTER_TARGET.error(
                where="",
                flit=flit,
                address=int(raw[flit]) * FLIT,
                low=PROGRAM_SEGMENT,
                high=PROGRAM_SEGMENT + self.data.nbytes,
            )
        words[places] = words[first + used]

    def pool_values(self, entry: int) -> dict[int, int]:
        """The values in the symbol pool of the program at `entry`.

        Raises SPY551 for a field that still holds its placeholder.
        """
        pool = self._pools[entry]
        offset = entry - PROGRAM_SEGMENT + codec.POOL_FIRST_FLIT * FLIT
        flits = max((field.flit for field in pool.fields), default=-1) + 1
        values = pool.load(self.data[offset : offset + flits * FLIT].tobytes())
        for field in pool.fields:
            placeholder = field.symbol & ((1 << (field.high - field.low + 1)) - 1)
            if values[field.symbol] == placeholder:
                raise UNPATCHED.error(id=field.symbol)
        return values


def little_endian(buffer: bytes, count: int) -> list[int]:
    """The first `count` signed 64-bit integers of a host buffer."""
    return [int(n) for n in np.frombuffer(buffer[: 8 * count], "<i8")]
