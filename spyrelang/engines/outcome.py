"""What a run of an engine takes and gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spyrelang import settings
from spyrelang.errors import SpyreError
from spyrelang.errors.engine import BAD_OPTION
from spyrelang.semantics import NUMERICS

Policy = Literal["error", "warn", "off"]
Progress = Callable[[int, int], None]
"""Called with (vector steps done, vector steps expected), at most a few times a second."""


@dataclass(frozen=True)
class Options:
    """Knobs of the engines; the defaults are the adversarial ones.

    timing: when a transfer moves its bytes: "late" (at its wait or the program's end), "early" (at
    once), or "random" (in between, by seed).
    order: which runnable unit runs next: "random" by seed, or "pipeline" (the one furthest from the
    units that read device memory, so consumers drain before producers go on).
    races, poison, leftovers: what to do with races, unwritten data in device memory, and signals or
    vectors left at a program's end.
    full_limit: vector steps up to which `checked` simulates every core (default: the setting
    checked_full_limit). cores: exactly these cores.
    burst: most instructions a unit runs before another one may.
    events: record the event stream; max_events: stop recording after that many.
    numerics: "ieee", or "df16" to compute f16 as DLFloat16, as the hardware does.
    """

    timing: Literal["late", "early", "random"] = "late"
    order: Literal["random", "pipeline"] = "random"
    races: Policy = "error"
    poison: Policy = "error"
    leftovers: Policy = "error"
    full_limit: int = field(default_factory=lambda: settings.current().checked_full_limit)
    cores: tuple[int, ...] | None = None
    burst: int = 32
    events: bool = True
    max_events: int = 1_000_000
    numerics: str = "ieee"

    def __post_init__(self) -> None:
        policies = ("error", "warn", "off")
        _one_of("timing", self.timing, ("late", "early", "random"))
        _one_of("numerics", self.numerics, NUMERICS)
        _one_of("order", self.order, ("random", "pipeline"))
        for what in ("races", "poison", "leftovers"):
            _one_of(what, getattr(self, what), policies)
        for what in ("full_limit", "burst", "max_events"):
            value = getattr(self, what)
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise BAD_OPTION.error(what=what, value=value, known="integers of at least 0")

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of all options."""
        return tuple(f.name for f in fields(cls))


def _one_of(what: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise BAD_OPTION.error(what=what, value=value, known=", ".join(known))


class Event(NamedTuple):
    """One thing a unit did. `unit` indexes Machine.units, `start` and `end` are model cycles,
    `bytes` what it moved (0 for compute), `loc` indexes Executable.locs. `lane` is "unit", or
    "dma" for a transfer that runs beside its unit."""

    unit: int
    op: str
    start: int
    end: int
    bytes: int
    loc: int
    lane: str = "unit"


@dataclass(frozen=True)
class Coverage:
    """Which bytes of one device region the run wrote. `written` has one entry a byte; `twice` lists
    (first byte, last byte, core, core): ranges that two cores wrote, relative to the region."""

    name: str
    address: int
    nbytes: int
    written: NDArray[np.bool_] = field(repr=False)
    twice: tuple[tuple[int, int, int, int], ...] = ()

    @property
    def complete(self) -> bool:
        """True when every byte was written."""
        return bool(self.written.all())


@dataclass
class Outcome:
    """Result of a run. `cycles`: time of the cycle model. `cores`: the cores that were simulated;
    `complete` is False when that is not all of them, so outputs of the others are missing."""

    engine: str
    cycles: int = 0
    steps: int = 0
    cores: tuple[int, ...] = ()
    complete: bool = True
    events: list[Event] = field(default_factory=list[Event], repr=False)
    warnings: list[SpyreError] = field(default_factory=list[SpyreError])
    reports: list[str] = field(default_factory=list[str])
    coverage: list[Coverage] = field(default_factory=list[Coverage], repr=False)
