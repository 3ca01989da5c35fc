"""Units, memories and links: what handles of the text name, with the device's facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from mlir import ir

from spyrelang.errors import Location
from spyrelang.errors.engine import UNIT_USE, UNKNOWN_KIND
from spyrelang.isa import program as p
from spyrelang.isa.decode import text


class MemoryFacts(Protocol):
    """A memory kind: its size in bytes (None or 0: unknown) and who has one of its own: "device",
    "core", or "instance" / "unit" (private to each unit that names it)."""

    @property
    def kind(self) -> str: ...
    @property
    def size(self) -> int | None: ...
    @property
    def scope(self) -> str: ...


class UnitFacts(Protocol):
    """A unit kind."""

    @property
    def kind(self) -> str: ...


class PathFacts(Protocol):
    """A path between two kinds: FIFO depth in vectors (None or 0: not a queue), bandwidth in bytes
    a cycle (None or 0: not stated)."""

    @property
    def source(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def depth(self) -> int | None: ...
    @property
    def bandwidth(self) -> int | None: ...


class DeviceFacts(Protocol):
    """What the decoder needs of a device. Kinds compare ignoring case; the collections may be
    mappings by kind."""

    @property
    def name(self) -> str: ...
    @property
    def memories(self) -> Iterable[MemoryFacts] | Mapping[str, MemoryFacts]: ...
    @property
    def units(self) -> Iterable[UnitFacts] | Mapping[str, UnitFacts]: ...
    @property
    def datapaths(self) -> Iterable[PathFacts] | Mapping[Any, PathFacts]: ...
    def word_size(self, unit: str, memory: str) -> int: ...


PlaceOf = Callable[[ir.Operation], Location | None]


def _entries(of: Any) -> list[Any]:
    return list(of.values() if isinstance(of, Mapping) else of)


class Hardware:
    """Collects the units and memories that a text names, and makes the `Machine` of them."""

    def __init__(self, device: DeviceFacts, cores: int) -> None:
        self.device = device
        self.cores = cores
        self._memory_kinds = {m.kind.lower(): m for m in _entries(device.memories)}
        self._unit_kinds = {u.kind.lower(): u.kind for u in _entries(device.units)}
        self.memories: list[p.Memory] = []
        self.units: list[p.Unit] = []
        self._numbers: dict[tuple[object, ...], int] = {}

    def handle(self, op: ir.Operation, place: PlaceOf) -> tuple[bool, int]:
        """(whether it is a memory, its number) of what a get_unit op names. `place` gives the
        place of an op, for errors."""
        kind = text.string(op, "type")
        is_memory = kind.lower() in self._memory_kinds
        return is_memory, (self._memory if is_memory else self._unit)(op, kind, place)

    def _memory(self, op: ir.Operation, kind: str, place: PlaceOf) -> int:
        """The number of the memory that a get_unit op names."""
        name, core = self._named(op, kind, place)
        facts = self._memory_kinds[kind.lower()]
        scope = facts.scope if facts.scope in ("device", "core") else "unit"
        if scope == "core" and core < 0:
            raise UNIT_USE.error(place(op), reason=f"memory '{name}' needs the attribute `core`")
        if scope != "core":
            core = -1
        key = ("memory", kind.lower(), core)
        if key not in self._numbers:
            self._numbers[key] = len(self.memories)
            self.memories.append(p.Memory(name, kind, scope, core, facts.size or 0))
        return self._numbers[key]

    def _unit(self, op: ir.Operation, kind: str, place: PlaceOf) -> int:
        """The number of the unit that a get_unit op names."""
        name, core = self._named(op, kind, place)
        if kind.lower() not in self._unit_kinds:
            raise UNKNOWN_KIND.error(
                place(op), what="unit", name=name, kind=kind, device=self.device.name
            )
        corelet = text.integer(op, "corelet", -1)
        key = ("unit", kind.lower(), name.lower(), core, corelet)
        if key not in self._numbers:
            self._numbers[key] = len(self.units)
            self.units.append(p.Unit(name, kind, core, corelet))
        return self._numbers[key]

    def word(self, unit_kind: str, memory_kind: str) -> int:
        """Bytes of the word in which a unit kind counts symbol addresses of a memory kind."""
        unit = self._unit_kinds[unit_kind.lower()]
        return self.device.word_size(unit, self._memory_kinds[memory_kind.lower()].kind)

    def _named(self, op: ir.Operation, kind: str, place: PlaceOf) -> tuple[str, int]:
        """(name, core) of a get_unit op."""
        name, core = text.string(op, "name") or kind, text.integer(op, "core", -1)
        if core >= self.cores:
            reason = f"'{name}' is on core {core}, the grid has {self.cores} cores"
            raise UNIT_USE.error(place(op), reason=reason)
        return name, max(core, -1)

    def machine(self) -> p.Machine:
        """Everything collected so far."""
        links = tuple(
            p.Link(
                path.source,
                path.target,
                path.depth or 0,
                path.bandwidth or 0,
                int(getattr(path, "latency", 0) or 0),
            )
            for path in _entries(self.device.datapaths)
        )
        return p.Machine(
            self.device.name,
            tuple(self.memories),
            tuple(self.units),
            links,
            self.cores,
        )


def lists_twice(numbers: Iterable[Any]) -> bool:
    """Whether an entry repeats."""
    listed = list(numbers)
    return len(set(listed)) != len(listed)
