"""Vectors with a shadow bit per lane, and how that bit passes through operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


class Origin(NamedTuple):
    """Where poison came from: the place of the load, the memory and the address of its first
    unwritten element."""

    loc: int
    memory: str
    address: int


@dataclass(slots=True, eq=False)
class Vector:
    """Lanes, their type, and which of them are poison (None: none)."""

    data: NDArray[Any]
    dtype: str
    poison: Mask | None = None
    origin: Origin | None = None

    @property
    def lanes(self) -> int:
        return int(self.data.shape[-1]) if self.data.ndim else 1

    def describe(self) -> str:
        """The type, as the text spells it."""
        return f"vector<{self.lanes}x{self.dtype}>"


Flags = Callable[[Sequence[Mask], Sequence[NDArray[Any]]], Mask]
"""From the poison of the operands, and the operands, to the poison of the result."""

SELECTION = "vectorchain.element_wise_selection"
_ACROSS = ("vectorchain.multiply", "vectorchain.multiply_and_accumulate")


def poison_of(
    op: str, operands: Sequence[Vector], lanes: int, moves: Flags | None
) -> tuple[Mask | None, Origin | None]:
    """Which lanes of the result of `op` are poison, and from where.

    A selection takes only the chosen side's poison. `moves`, for ops that move or scan lanes,
    applies the op itself to flags. In other ops lanes depend on the same lane of every operand of
    that many lanes; other operands' poison, and that of sums across lanes, spreads to all.
    """
    tainted = [v for v in operands if v.poison is not None]
    if not tainted:
        return None, None
    if op == SELECTION and len(operands) == 3 and operands[0].dtype == "i1":
        mask = _selected(operands)
    elif moves is not None:
        mask = moves([_mask(v) for v in operands], [v.data for v in operands])
    else:
        mask = _spread(tainted, lanes, op in _ACROSS)
    return (mask, tainted[0].origin) if mask.any() else (None, None)


def _mask(vector: Vector) -> Mask:
    return np.zeros(vector.lanes, np.bool_) if vector.poison is None else vector.poison


def _selected(operands: Sequence[Vector]) -> Mask:
    condition, a, b = operands
    chosen = np.where(condition.data.astype(np.bool_), _mask(a), _mask(b))
    return np.asarray(chosen | _mask(condition), np.bool_)


def _spread(tainted: Sequence[Vector], lanes: int, across: bool) -> Mask:
    mask = np.zeros(lanes, np.bool_)
    for vector in tainted:
        poison = _mask(vector)
        mask |= poison if poison.size == lanes and not across else poison.any()
    return mask
