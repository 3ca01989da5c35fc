"""State of a run that all units share: memories, channels, clocks, options and findings."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np

from spyrelang.engines.checked import bank as banks
from spyrelang.engines.checked.bank import Bank
from spyrelang.engines.checked.channels import Fifo, Wire
from spyrelang.engines.checked.clocks import Clocks
from spyrelang.engines.memory import DeviceMemory, Region
from spyrelang.engines.outcome import Coverage, Event, Options, Outcome, Policy
from spyrelang.errors import Location, SpyreError
from spyrelang.isa.program import Executable, Memory
from spyrelang.isa.validate import location

DEFAULT_DEPTH = 16
DEFAULT_BANDWIDTH = 64


class Machine:
    """Shared state. `trusted`: take all device memory as written (when only some cores run)."""

    def __init__(
        self,
        executable: Executable,
        memory: DeviceMemory,
        symbols: Mapping[int, int],
        *,
        seed: int,
        options: Options,
        trusted: bool = False,
    ) -> None:
        self.executable = executable
        self.memory = memory
        self.symbols = symbols
        self.options = options
        self.random = random.Random(seed)
        self.clocks = Clocks(len(executable.machine.units))
        self.outcome = Outcome("checked")
        self.program = ""
        self.run_number = 0
        self.fifos: dict[tuple[int, int], Fifo] = {}
        self.wires: dict[tuple[int, int], Wire] = {}
        self._trusted = trusted
        self._banks: dict[tuple[int, int], Bank] = {}
        self._regions: dict[Region, Bank] = {}
        self._links = {
            (link.source.lower(), link.target.lower()): link for link in executable.machine.links
        }
        self._deferred: SpyreError | None = None
        self._reported: set[tuple[object, ...]] = set()
        self._event_limit = options.max_events if options.events else 0

    # --- memories -------------------------------------------------------------------------------

    def bank(self, memory: int, unit: int) -> Bank:
        """On-chip memory number `memory` as `unit` sees it."""
        facts = self.executable.machine.memories[memory]
        key = (memory, unit if facts.scope == "unit" else -1)
        found = self._banks.get(key)
        if found is None:
            name = facts.name
            if facts.scope == "unit":
                name = f"{name} of {self.unit_name(unit)}"
            found = self._banks[key] = banks.scratch(name, facts.size)
        return found

    def device_bank(self, address: int, nbytes: int) -> Bank | None:
        """The region of device memory that holds the bytes, or None."""
        region = self.memory.find(address, nbytes)
        if region is None:
            return None
        found = self._regions.get(region)
        if found is None:
            found = self._regions[region] = banks.device(region, trusted=self._trusted)
        return found

    def memory_facts(self, memory: int) -> Memory:
        return self.executable.machine.memories[memory]

    # --- channels -------------------------------------------------------------------------------

    def fifo(self, sender: int, receiver: int) -> Fifo:
        """The queue between two units; its depth is that of the link between their kinds."""
        key = (sender, receiver)
        if key not in self.fifos:
            link = self._links.get((self._kind(sender), self._kind(receiver)))
            self.fifos[key] = Fifo(link.depth if link and link.depth else DEFAULT_DEPTH)
        return self.fifos[key]

    def wire(self, sender: int, receiver: int) -> Wire:
        """The signals between two units."""
        return self.wires.setdefault((sender, receiver), Wire())

    def path(self, source: int, unit: int, target: int) -> tuple[int, int]:
        """(bytes a cycle, latency in cycles) of a transfer between two memories."""
        kinds = (self.memory_facts(source).kind.lower(), self._kind(unit))
        onward = (self._kind(unit), self.memory_facts(target).kind.lower())
        links = [self._links[k] for k in (kinds, onward) if k in self._links]
        stated = [link.bandwidth for link in links if link.bandwidth]
        return min(stated, default=DEFAULT_BANDWIDTH), sum(link.latency for link in links)

    def _kind(self, unit: int) -> str:
        return self.executable.machine.units[unit].kind.lower()

    # --- findings -------------------------------------------------------------------------------

    def unit_name(self, unit: int) -> str:
        return self.executable.machine.units[unit].name

    def location(self, loc: int) -> Location | None:
        return location(self.executable, loc)

    def found(self, policy: Policy, error: SpyreError, key: tuple[object, ...]) -> None:
        """Raise a finding, or keep it once per `key` as a warning, as `policy` says."""
        if policy == "error":
            raise error
        if policy == "warn" and (error.code, *key) not in self._reported:
            self._reported.add((error.code, *key))
            self.outcome.warnings.append(error)

    def found_late(self, policy: Policy, error: SpyreError, key: tuple[object, ...]) -> None:
        """As `found`, but raise only when the program ends: a race found until then explains more
        than the unwritten data that it lets through."""
        if policy == "error":
            self._deferred = self._deferred or error
        else:
            self.found(policy, error, key)

    def raise_deferred(self) -> None:
        """Raise what `found_late` kept."""
        if self._deferred is not None:
            raise self._deferred

    def event(
        self, unit: int, op: str, start: int, end: int, nbytes: int, loc: int, lane: str = "unit"
    ) -> None:
        """Record one event, up to the limit."""
        if len(self.outcome.events) < self._event_limit:
            self.outcome.events.append(Event(unit, op, start, end, nbytes, loc, lane))

    def coverage(self) -> list[Coverage]:
        """What was written in every writable region."""
        return [self._coverage(r) for r in self.memory.regions if r.writable]

    def _coverage(self, region: Region) -> Coverage:
        bank = self._regions.get(region)
        if bank is None or bank.stamps is None:
            written, twice = np.zeros(region.nbytes, np.bool_), ()
        else:
            written, twice = bank.stamps != 0, tuple(bank.twice)
        return Coverage(region.name, region.address, region.nbytes, written, twice)
