"""What a device description says, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from spyrelang.errors import Location

Scope = Literal["device", "core", "unit"]
"""Who has one of its own: the whole device, each core, each compute instance of a core."""


@dataclass(frozen=True)
class Memory:
    """A kind of memory. `size` is bytes of one instance (0: not given), `parent` the memory one
    level up, `per_core` how many instances one core has (1 outside cores)."""

    kind: str
    size: int
    scope: Scope
    parent: str | None
    per_core: int = 1


@dataclass(frozen=True)
class Granule:
    """One legal access: how many words, and the alignment in words that it needs."""

    size: int
    alignment: int = 1


@dataclass(frozen=True)
class Access:
    """How a unit loads or stores: bytes of a word (missing: 1) and legal accesses, by memory."""

    word_size: Mapping[str, int] = field(default_factory=dict[str, int])
    granularity: Mapping[str, tuple[Granule, ...]] = field(
        default_factory=dict[str, tuple[Granule, ...]]
    )

    def serving(self, memory: str, size: int, alignment: int) -> Granule | None:
        """The smallest access of at least `size` words whose alignment (words) is at most
        `alignment`; None when there is none."""
        fitting = [
            g
            for g in self.granularity.get(memory, ())
            if g.size >= size and g.alignment <= alignment
        ]
        return min(fitting, key=lambda g: (g.size, g.alignment), default=None)


@dataclass(frozen=True)
class Unit:
    """A kind of execution unit. `features` holds the entries of other dialects, as text
    (None: unit)."""

    kind: str
    scope: Scope
    compute: bool = False
    load: Access | None = None
    store: Access | None = None
    lanes: Mapping[str, int] = field(default_factory=dict[str, int])
    splat: bool = False
    zero_pad: bool = False
    per_core: int = 1
    features: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])

    @property
    def moves_data(self) -> bool:
        """Whether routes may lead through the unit."""
        return self.load is not None or self.store is not None

    def word_size(self, memory: str) -> int:
        """Bytes of an address word on `memory`; 1 where the description gives none."""
        for access in (self.load, self.store):
            if access is not None and memory in access.word_size:
                return access.word_size[memory]
        return 1


@dataclass(frozen=True)
class Datapath:
    """A directed link between two kinds. `depth` is transfers in flight (0: not a queue),
    `granularity` the legal transfer sizes in bytes (empty: any), `bandwidth` bytes a cycle and
    `latency` cycles (0: not given)."""

    source: str
    target: str
    depth: int = 0
    ordered: bool = False
    granularity: tuple[int, ...] = ()
    bandwidth: int = 0
    latency: int = 0


@dataclass(frozen=True)
class PatternSet:
    """One `patterns` op: the checkpoints it is for (none: all), and its patterns as PDL text with
    the place of each."""

    groups: tuple[str, ...]
    texts: tuple[str, ...]
    places: tuple[Location | None, ...] = field(default=(), repr=False, compare=False)

    def serves(self, checkpoint: str) -> bool:
        """Whether the set is applied at a checkpoint."""
        return not self.groups or checkpoint in self.groups
