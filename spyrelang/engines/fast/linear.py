"""Index values as the fast engine knows them before it runs: linear forms over runtime slots.

A value is `const + sum(coefficient * slot)`. The constant has one entry per unit where units differ
(and is an int where they agree); a slot stands for a number that only the run knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Scalar = int | Ints
"""A number, or one per unit."""
Frame = list[Any]
"""The runtime values of one class of units, by slot index."""
Kind = Literal["uniform", "units", "axis"]


@dataclass(eq=False)
class Slot:
    """A runtime value: an int ("uniform"), one per unit ("units"), or the position along an array
    axis ("axis", which has no entry in the frame).

    `low` and `high` bound it where known. `fixed`: the same for the whole launch. `labels`: units
    with equal labels have equal values. `nest`: the number of the innermost axis nest that it was
    computed in (0: outside of any).
    """

    index: int
    kind: Kind = "uniform"
    low: int | None = None
    high: int | None = None
    fixed: bool = False
    labels: Ints | None = field(default=None, repr=False)
    nest: int = 0


def tidy(value: Scalar) -> Scalar:
    """An int where all units agree."""
    if isinstance(value, np.ndarray):
        first = int(value[0])
        return first if bool((value == first).all()) else value
    return int(value)


@dataclass(frozen=True, eq=False)
class Lin:
    """`const + sum(terms[slot] * slot)`; no coefficient is zero."""

    const: Scalar
    terms: Mapping[Slot, int] = field(default_factory=dict[Slot, int])

    def plus(self, other: Lin, factor: int = 1) -> Lin:
        """`self + factor * other`."""
        terms = dict(self.terms)
        for slot, coefficient in other.terms.items():
            total = terms.get(slot, 0) + factor * coefficient
            if total:
                terms[slot] = total
            else:
                terms.pop(slot, None)
        return Lin(tidy(self.const + factor * other.const), terms)

    def scaled(self, factor: int) -> Lin:
        """`factor * self`."""
        if not factor:
            return Lin(0)
        return Lin(tidy(self.const * factor), {s: c * factor for s, c in self.terms.items()})

    def shifted(self, amount: Scalar) -> Lin:
        """`self + amount`."""
        return Lin(tidy(self.const + amount), self.terms)

    @property
    def is_const(self) -> bool:
        """Known before the run (it may still differ between units)."""
        return not self.terms

    @property
    def value(self) -> int | None:
        """The int that it is for every unit, or None."""
        return self.const if not self.terms and isinstance(self.const, int) else None

    @property
    def is_uniform(self) -> bool:
        """The same for every unit, and independent of array axes."""
        return isinstance(self.const, int) and all(s.kind == "uniform" for s in self.terms)

    @property
    def on_axis(self) -> bool:
        """Whether it varies along an array axis."""
        return any(s.kind == "axis" for s in self.terms)

    @property
    def nest(self) -> int:
        """The innermost nest that one of its slots was computed in."""
        return max((s.nest for s in self.terms), default=0)

    def same(self, other: Lin) -> bool:
        """Whether both are equal for every unit and every value of the slots."""
        difference = self.plus(other, -1)
        return not difference.terms and difference.value == 0

    def labels(self, units: int) -> Ints:
        """Numbers such that units with equal numbers have equal values."""
        columns = [np.broadcast_to(np.asarray(self.const, np.int64), (units,))]
        columns += [s.labels for s in self.terms if s.kind == "units" and s.labels is not None]
        return merge_labels(columns)

    def bounds(self) -> tuple[int, int] | None:
        """The lowest and highest value any unit can have, where every slot is bounded."""
        low, high = int(np.min(self.const)), int(np.max(self.const))
        for slot, c in self.terms.items():
            if slot.low is None or slot.high is None:
                return None
            low += min(c * slot.low, c * slot.high)
            high += max(c * slot.low, c * slot.high)
        return low, high


def merge_labels(columns: list[Ints]) -> Ints:
    """One label per distinct row of the columns."""
    if len(columns) == 1:
        return np.unique(columns[0], return_inverse=True)[1].astype(np.int64)
    rows = np.stack(columns, axis=1)
    inverse = np.unique(rows, axis=0, return_inverse=True)[1]
    return inverse.reshape(-1).astype(np.int64)


def compile_value(lin: Lin) -> Callable[[Frame], Any]:
    """The function that computes `lin` from a frame; axis terms count as zero."""
    const = lin.const
    terms = [(s.index, c) for s, c in lin.terms.items() if s.kind != "axis"]
    if not terms:
        return lambda f: const
    if len(terms) == 1:
        index, factor = terms[0]
        if factor == 1 and isinstance(const, int) and const == 0:
            return lambda f: f[index]
        return lambda f: const + factor * f[index]
    if len(terms) == 2:
        (i, a), (j, b) = terms
        return lambda f: const + a * f[i] + b * f[j]

    def many(f: Frame) -> Any:
        total = const
        for k, c in terms:
            total = total + c * f[k]
        return total

    return many
