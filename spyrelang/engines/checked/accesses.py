"""Reading and writing elements with every check: view bounds, memory bounds, alignment, races,
read-only regions, unwritten data on its way to the host, and coverage."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spyrelang.engines.checked.bank import Bank, Select
from spyrelang.engines.checked.clocks import Conflict
from spyrelang.engines.checked.machine import Machine
from spyrelang.engines.checked.pattern import Pattern
from spyrelang.engines.checked.vectors import Mask, Origin
from spyrelang.engines.memory import Bytes
from spyrelang.errors import Note
from spyrelang.errors.engine import (
    MISALIGNED,
    OUT_OF_BOUNDS,
    RACE,
    READ_ONLY,
    UNINITIALISED,
    VIEW_BOUNDS,
)


class ViewValue(NamedTuple):
    """A view at run time: its memory and the byte address of element 0."""

    memory: int
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    size: int


class Actor(NamedTuple):
    """Who accesses: the unit, its core, the clock thread (unit or transfer queue), the place."""

    unit: int
    core: int
    thread: int
    loc: int


class Window(NamedTuple):
    """Bytes of a bank that an access touches, in element order; `first` is the lowest address."""

    bank: Bank
    select: Select
    pattern: Pattern
    first: int


class Accesses:
    """Checked reads and writes on a machine's memories."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        facts = machine.executable.machine
        self._stamp_width = facts.cores + 1
        self._ordered = machine.options.races != "off"

    def window(
        self, view: ViewValue, start: list[int], pattern: Pattern, actor: Actor
    ) -> Window | None:
        """The bytes of `pattern` from coordinate `start`; None where it has no element."""
        if not pattern.count:
            return None
        self._check_view(view, start, pattern, actor)
        element = sum(c * s for c, s in zip(start, view.strides, strict=True))
        address = view.address + element * view.size
        facts = self.machine.memory_facts(view.memory)
        if address % view.size:
            raise MISALIGNED.error(
                self.machine.location(actor.loc),
                address=address,
                memory=facts.name,
                size=view.size,
                dtype=view.dtype,
            )
        bank = self._bank(view.memory, address, pattern, actor)
        offset = address - bank.base
        if pattern.contiguous:
            return Window(bank, slice(offset, offset + pattern.high), pattern, address)
        return Window(bank, pattern.bytes_index + offset, pattern, address + pattern.low)

    def read(self, window: Window, actor: Actor) -> tuple[Bytes, Mask | None, Origin | None]:
        """The bytes, which elements are poison, and where that poison starts."""
        if self._ordered:
            conflict = self.machine.clocks.read(actor.thread, window.bank, window.select, actor.loc)
            if conflict is not None:
                self._race(window.bank, conflict, actor, "read")
        data, poison = window.bank.gather(window.select, window.pattern.size)
        if poison is None:
            return data, None, None
        first = int(window.pattern.offsets[np.flatnonzero(poison)[0]]) - window.pattern.low
        return data, poison, Origin(actor.loc, window.bank.name, window.first + first)

    def write(
        self,
        window: Window,
        data: Bytes,
        poison: Mask | None,
        origin: Origin | None,
        actor: Actor,
    ) -> None:
        """Store the bytes."""
        bank = window.bank
        if not bank.writable:
            raise READ_ONLY.error(
                self.machine.location(actor.loc),
                unit=self.machine.unit_name(actor.unit),
                memory=bank.name,
            )
        if bank.device and poison is not None:
            self._unwritten(bank, poison, origin, actor)
        if self._ordered:
            conflict = self.machine.clocks.write(actor.thread, bank, window.select, actor.loc)
            if conflict is not None:
                self._race(bank, conflict, actor, "write")
        if bank.stamps is not None:
            self._stamp(bank, bank.stamps, window.select, actor)
        bank.scatter(window.select, data, poison, window.pattern.size)

    # --- checks ---------------------------------------------------------------------------------

    def _check_view(
        self, view: ViewValue, start: list[int], pattern: Pattern, actor: Actor
    ) -> None:
        for dim, (c, size, (low, high)) in enumerate(
            zip(start, view.shape, pattern.reach, strict=True)
        ):
            if size >= 0 and (c + low < 0 or c + high >= size):
                raise VIEW_BOUNDS.error(
                    self.machine.location(actor.loc),
                    coordinate=c + low if c + low < 0 else c + high,
                    dim=dim,
                    size=size,
                )

    def _bank(self, memory: int, address: int, pattern: Pattern, actor: Actor) -> Bank:
        low, high = address + pattern.low, address + pattern.high
        facts = self.machine.memory_facts(memory)
        if facts.scope == "device":
            bank = self.machine.device_bank(low, high - low)
            nearest = "" if bank else self.machine.memory.nearest(low)
        else:
            bank = self.machine.bank(memory, actor.unit)
            if bank.growing and low >= 0 and high > bank.data.size:
                bank.grow(high)
            nearest = f"{bank.name} (0x0 to {bank.data.size - 1:#x})"
            bank = bank if low >= 0 and high <= bank.data.size else None
        if bank is None:
            raise OUT_OF_BOUNDS.error(
                self.machine.location(actor.loc),
                first=low,
                last=high - 1,
                memory=facts.name,
                nearest=nearest,
            )
        return bank

    def _race(self, bank: Bank, conflict: Conflict, actor: Actor, what: str) -> None:
        machine = self.machine
        other = machine.unit_name((conflict.thread - 1) // 2)
        first = "write" if conflict.write else "read"
        where = machine.location(conflict.loc)
        error = RACE.error(
            machine.location(actor.loc),
            notes=[Note(f"the {first} by {other} is here", where)],
            first=_named(first, conflict.thread),
            second=_named(what, actor.thread),
            first_byte=bank.base + conflict.first,
            last_byte=bank.base + conflict.last,
            memory=bank.name,
            first_unit=other,
            second_unit=machine.unit_name(actor.unit),
        )
        machine.found(machine.options.races, error, (actor.loc, conflict.loc))

    def _unwritten(self, bank: Bank, poison: Mask, origin: Origin | None, actor: Actor) -> None:
        machine = self.machine
        if machine.options.poison == "off":
            return
        notes: list[Note] = []
        if origin is not None:
            text = f"the first of them was read here, at {origin.address:#x} of {origin.memory}"
            notes.append(Note(text, machine.location(origin.loc)))
        error = UNINITIALISED.error(
            machine.location(actor.loc),
            notes=notes,
            count=int(poison.sum()),
            total=poison.size,
            memory=bank.name,
            unit=machine.unit_name(actor.unit),
        )
        machine.found_late(machine.options.poison, error, (actor.loc,))

    def _stamp(self, bank: Bank, stamps: NDArray[np.int64], select: Select, actor: Actor) -> None:
        """Note who writes, and what another core wrote before in the same program run."""
        stamp = self.machine.run_number * self._stamp_width + actor.core + 1
        old = stamps[select]
        same_run = old // self._stamp_width == self.machine.run_number
        again = np.flatnonzero(same_run & (old != stamp))
        if again.size:
            offsets = again + select.start if isinstance(select, slice) else select[again]
            other = int(old[again[0]]) % self._stamp_width - 1
            bank.twice.append((int(offsets.min()), int(offsets.max()), other, actor.core))
        stamps[select] = stamp


def _named(what: str, thread: int) -> str:
    """Transfers run on even threads."""
    return what if thread % 2 else f"transfer's {what}"
