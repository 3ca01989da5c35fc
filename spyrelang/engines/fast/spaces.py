"""The memories of a machine as flat byte arrays: one per kind, the instances as rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from spyrelang.engines.memory import Bytes, DeviceMemory, Region
from spyrelang.errors import Location
from spyrelang.errors.engine import OUT_OF_BOUNDS, READ_ONLY
from spyrelang.isa.program import Machine

_FIRST_SIZE = 1 << 14


class Space(Protocol):
    """Bytes under addresses. `epoch` grows whenever buffers handed out before are stale."""

    epoch: int

    def row(self, memory: int, unit: int) -> int:
        """Address of byte 0 of machine memory `memory` as machine unit `unit` sees it."""
        ...

    def check(self, low: int, high: int, location: Location | None) -> None:
        """Raise SPY501 unless [low, high) lies inside one row."""
        ...

    def resolve(self, low: int, high: int) -> tuple[Bytes, int, int] | None:
        """(buffer, address of its first byte, region number) that holds [low, high), or None."""
        ...

    def writing(self, region: int, unit: str, location: Location | None) -> Bytes | None:
        """Called before a store; the map of defined bytes where there is one. Raises SPY506."""
        ...


@dataclass(eq=False)
class Undo:
    """What memories held before a program wrote to them."""

    saved: dict[tuple[object, int], Callable[[], None]] = field(
        default_factory=dict[tuple[object, int], Callable[[], None]]
    )

    def keep(self, space: object, region: int, restore: Callable[[], Callable[[], None]]) -> None:
        """Before the first store to a region: `restore()` saves it and returns how to put it
        back."""
        if (space, region) not in self.saved:
            self.saved[space, region] = restore()

    def undo(self) -> None:
        """Put everything back."""
        for restore in self.saved.values():
            restore()


class DeviceSpace:
    """Device memory: its addresses are the machine's; rows start at zero and have no end. Ports
    forget what they know of it after each launch."""

    def __init__(self, memory: DeviceMemory) -> None:
        self.memory = memory
        self.epoch = 0
        self.undo: Undo | None = None

    def row(self, memory: int, unit: int) -> int:
        return 0

    def check(self, low: int, high: int, location: Location | None) -> None:
        return

    def resolve(self, low: int, high: int) -> tuple[Bytes, int, int] | None:
        region = self.memory.find(low, high - low)
        return None if region is None else (region.data, region.address, region.address)

    def refuse(self, low: int, high: int, location: Location | None) -> None:
        """Raise SPY501 when no region holds [low, high)."""
        self.memory.region(low, high - low, location)

    def writing(self, region: int, unit: str, location: Location | None) -> Bytes | None:
        found = self.memory.at(region)
        if not found.writable:
            raise READ_ONLY.error(location, unit=unit, memory=found.name)
        if self.undo is not None:
            self.undo.keep(self, region, lambda: _region_keeper(found))
        return None if found.defined is None else found.defined.view(np.uint8)


class LocalSpace:
    """All instances of one scratchpad or register memory. `limit` is the size of one (0: unknown);
    `size` is what each has got so far: touching all of many large memories would cost more than a
    small program."""

    def __init__(self, name: str, rows: int, limit: int, by_unit: bool, cores: dict[int, int]):
        self.name = name
        self.rows = rows
        self.limit = limit
        self.size = min(limit, _FIRST_SIZE) if limit else _FIRST_SIZE
        self.by_unit = by_unit
        self.cores = cores
        self.epoch = 0
        self.undo: Undo | None = None
        self.data: Bytes = np.zeros(rows * self.size, np.uint8)

    def row(self, memory: int, unit: int) -> int:
        return (unit if self.by_unit else self.cores[memory]) * self.size

    def check(self, low: int, high: int, location: Location | None) -> None:
        if low >= 0 and high <= self.size:
            return
        if low < 0 or 0 < self.limit < high:
            nearest = f"0x0 to {(self.limit or self.size) - 1:#x}"
            raise OUT_OF_BOUNDS.error(
                location, first=low, last=high - 1, memory=self.name, nearest=nearest
            )
        self._grow(high)

    def _grow(self, size: int) -> None:
        larger = 1 << (size - 1).bit_length()
        larger = min(larger, self.limit) if self.limit else larger
        data = np.zeros((self.rows, larger), np.uint8)
        data[:, : self.size] = self.data.reshape(self.rows, self.size)
        self.data, self.size = data.reshape(-1), larger
        self.epoch += 1

    def resolve(self, low: int, high: int) -> tuple[Bytes, int, int] | None:
        return self.data, 0, 0

    def writing(self, region: int, unit: str, location: Location | None) -> Bytes | None:
        if self.undo is not None:
            self.undo.keep(self, region, self._keeper)
        return None

    def _keeper(self) -> Callable[[], None]:
        saved, size = self.data.copy(), self.size

        def restore() -> None:  # the memory may have grown
            self.data.reshape(self.rows, self.size)[:, :size] = saved.reshape(self.rows, size)

        return restore


class Spaces:
    """Which space each machine memory belongs to; local contents live as long as this object."""

    def __init__(self, machine: Machine) -> None:
        self.device = DeviceSpace(DeviceMemory())
        self._keys = [self._key(i, machine) for i in range(len(machine.memories))]
        self._local: dict[str, LocalSpace] = {}
        for index, memory in enumerate(machine.memories):
            key = self._keys[index]
            if key == "device":
                continue
            if memory.scope == "unit":
                self._local[key] = LocalSpace(
                    memory.name, len(machine.units), memory.size, True, {}
                )
            elif key not in self._local:
                self._local[key] = _core_space(memory.kind, machine)

    def _key(self, index: int, machine: Machine) -> str:
        memory = machine.memories[index]
        if memory.scope == "device":
            return "device"
        return f"unit {index}" if memory.scope == "unit" else f"core {memory.kind}"

    def key(self, memory: int) -> str:
        """Memories with equal keys share one space."""
        return self._keys[memory]

    def space(self, memory: int) -> DeviceSpace | LocalSpace:
        """The space of a machine memory."""
        key = self._keys[memory]
        return self.device if key == "device" else self._local[key]

    def attach(self, memory: DeviceMemory) -> None:
        """Use this device memory from now on."""
        self.device.memory = memory

    def watch(self, undo: Undo | None) -> None:
        """Save what is written to from now on into `undo` (None: no longer)."""
        self.device.undo = undo
        for space in self._local.values():
            space.undo = undo


def _region_keeper(region: Region) -> Callable[[], None]:
    data = region.data.copy()
    defined = None if region.defined is None else region.defined.copy()

    def restore() -> None:
        region.data[:] = data
        if region.defined is not None and defined is not None:
            region.defined[:] = defined

    return restore


def _core_space(kind: str, machine: Machine) -> LocalSpace:
    same = [(i, m) for i, m in enumerate(machine.memories) if m.kind == kind and m.scope == "core"]
    sizes = {m.size for _, m in same}
    size = 0 if 0 in sizes else max(sizes)
    rows = {index: row for row, (index, _) in enumerate(sorted(same, key=lambda p: p[1].core))}
    return LocalSpace(kind, len(rows), size, False, rows)
