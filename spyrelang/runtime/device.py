"""Memory of the simulated device: tensors live in segments 0 to 5 until they are freed.

Segment 6 belongs to single launches and segment 7 to programs (see `spyrecode.segments`).
"""

from __future__ import annotations

import threading
from collections import deque
from functools import cache

from spyrelang.engines.memory import DeviceMemory, Region
from spyrelang.errors.launch import OUT_OF_MEMORY, too_large
from spyrelang.spyrecode.segments import SEGMENT

RESIDENT_SEGMENTS = 6
FIRST_ADDRESS = 4096
"""Nothing lies below: an address that is really a small number never hits a tensor."""

LAUNCH_LOCK = threading.RLock()
"""The device runs one launch at a time."""


class Device:
    """The simulated device's memory. Thread-safe."""

    def __init__(self, name: str = "device memory") -> None:
        self.name = name
        self._lock = threading.Lock()
        self._discarded: deque[int] = deque()
        self._banks = [
            DeviceMemory(name=name, start=i * SEGMENT + (0 if i else FIRST_ADDRESS))
            for i in range(RESIDENT_SEGMENTS)
        ]

    def allocate(self, nbytes: int, name: str = "") -> Region:
        """Unwritten memory at a multiple of 128, with free space on both sides. Raises SPY722."""
        with self._lock:
            self._collect()
            for number, bank in enumerate(self._banks):
                if not self._has_room(number, nbytes):
                    continue
                try:
                    return bank.at(bank.allocate(nbytes, name=name))
                except MemoryError:
                    break
        if nbytes > SEGMENT:
            raise too_large(nbytes)
        raise OUT_OF_MEMORY.error(size=nbytes, used=self.used)

    def free(self, address: int) -> None:
        """Give back the memory that begins at `address`."""
        with self._lock:
            self._collect()
            self._banks[address // SEGMENT].free(address)

    def discard(self, address: int) -> None:
        """`free` at the next opportunity: safe where the garbage collector calls, at any point of
        any thread."""
        self._discarded.append(address)

    def _collect(self) -> None:
        while self._discarded:
            address = self._discarded.popleft()
            self._banks[address // SEGMENT].free(address)

    @property
    def used(self) -> int:
        """Bytes allocated."""
        return sum(region.nbytes for region in self.regions)

    @property
    def regions(self) -> tuple[Region, ...]:
        """Everything allocated, by address."""
        with self._lock:
            self._collect()
            return tuple(region for bank in self._banks for region in bank.regions)

    def _has_room(self, number: int, nbytes: int) -> bool:
        """Whether the end of the segment is surely far enough, counting only what lies behind."""
        regions = self._banks[number].regions
        end = regions[-1].end if regions else number * SEGMENT + FIRST_ADDRESS
        return end + nbytes + 2 * FIRST_ADDRESS <= (number + 1) * SEGMENT


@cache
def default_device() -> Device:
    """The device of this process."""
    return Device()
