"""What program units of one function have in common.

Every unit kind names the same handles and numbers, tens of them for each core: they are decoded for
the first kind, and looked up for the others.
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from spyrelang.isa.decode.values import Mapping, Meaning, MemoryHandle, Number, UnitHandle

Plain = type[UnitHandle] | type[MemoryHandle] | type[Number]


class Common:
    """Meanings of values of one function outside of its program units.

    `plain` tells of a handle or number which one it is: (what it is, its number).
    """

    def __init__(self) -> None:
        self.plain: dict[Any, tuple[Plain, int]] = {}
        self._mappings: dict[Any, Mapping] = {}
        self._made: dict[tuple[Plain, int, int], Meaning] = {}

    def find(self, value: ir.Value, count: int) -> Meaning | None:
        """What a value means to `count` units, where another program unit has met it."""
        plain = self.plain.get(value)
        return self._mappings.get(value) if plain is None else self.meaning(*plain, count)

    def meaning(self, kind: Plain, number: int, count: int) -> Meaning:
        """A number, or the handle by which each of `count` units names the same thing."""
        key = kind, number, count
        found = self._made.get(key)
        if found is None:
            everyone = (number,) * count
            if kind is Number:
                found = Number(number)
            else:
                found = MemoryHandle(everyone) if kind is MemoryHandle else UnitHandle(everyone)
            self._made[key] = found
        return found

    def keep(self, op: ir.Operation, env: dict[Any, Meaning]) -> None:
        """Remember what `op` means, if it means the same in every program unit."""
        if op.name == "dataflow.get_unit":
            value = op.results[0]
            found = env[value]
            if isinstance(found, UnitHandle):
                self.plain[value] = UnitHandle, found.units[0]
            elif isinstance(found, MemoryHandle):
                self.plain[value] = MemoryHandle, found.memories[0]
            return
        for value in op.results:
            found = env.get(value)
            if isinstance(found, Number):
                self.plain[value] = Number, found.value
            elif isinstance(found, Mapping):
                self._mappings[value] = found
