"""What is prepared once for each instruction: index functions, element sizes, bound semantics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spyrelang import semantics
from spyrelang.engines.checked.pattern import Evaluate, Pattern, evaluator, pattern
from spyrelang.engines.checked.scalars import Registers
from spyrelang.engines.checked.vectors import Flags, Mask, Vector
from spyrelang.isa import program as p
from spyrelang.semantics import dtypes

_MOVES_LANES = {
    "vectorchain.shuffle": 1,
    "vectorchain.select": 1,
    "vectorchain.rotate": 1,
    "vectorchain.pack": 2,
    "vectorchain.merge": 2,
}
"""Ops whose result lanes are lanes of their first so many operands: poison moves with them."""

_SCAN = "vectorchain.scan_with_gap."
_SUMS = ("vectorchain.multiply", "vectorchain.multiply_and_accumulate")


@dataclass(eq=False)
class AccessPlan:
    """The start coordinate of an access, and its patterns by (extents, strides)."""

    indices: tuple[Evaluate, ...]
    operands: tuple[int, ...]
    axes: tuple[p.Axis, ...]
    steps: tuple[tuple[int, ...], ...]
    patterns: dict[tuple[Any, ...], Pattern] = field(default_factory=dict[Any, Pattern])

    def start(self, regs: Registers) -> list[int]:
        dims = [regs[r] for r in self.operands]
        return [f(dims) for f in self.indices]

    def extents(self, regs: Registers) -> tuple[int, ...]:
        return tuple(regs[a.extent] if a.dynamic else a.extent for a in self.axes)

    def pattern(self, extents: tuple[int, ...], strides: tuple[int, ...], size: int) -> Pattern:
        key = (extents, strides, size)
        found = self.patterns.get(key)
        if found is None:
            found = self.patterns[key] = pattern(extents, self.steps, strides, size)
        return found


def access_plan(access: p.Access, axes: Sequence[p.Axis], source: bool) -> AccessPlan:
    """The plan of a source or target access."""
    steps = tuple(a.source_step if source else a.target_step for a in axes)
    indices = tuple(evaluator(e) for e in access.index)
    return AccessPlan(indices, access.operands, tuple(axes), steps)


class Plans:
    """Prepared forms, made at first use and kept for the run."""

    def __init__(self, numerics: str) -> None:
        self._numerics = numerics
        self._accesses: dict[tuple[int, bool], AccessPlan] = {}
        self._kernels: dict[tuple[int, tuple[str, ...]], tuple[Any, Flags | None]] = {}
        self._dtypes: dict[str, np.dtype[Any]] = {}

    def source(self, i: p.Load | p.Transfer) -> AccessPlan:
        key = (id(i), True)
        if key not in self._accesses:
            access = i.source if isinstance(i, p.Transfer) else i.access
            self._accesses[key] = access_plan(access, i.axes, True)
        return self._accesses[key]

    def target(self, i: p.Store | p.Transfer) -> AccessPlan:
        key = (id(i), False)
        if key not in self._accesses:
            access = i.target if isinstance(i, p.Transfer) else i.access
            self._accesses[key] = access_plan(access, i.axes, False)
        return self._accesses[key]

    def dtype(self, name: str) -> np.dtype[Any]:
        """The numpy type that memory and lanes hold."""
        found = self._dtypes.get(name)
        if found is None:
            found = self._dtypes[name] = dtypes.get(name).numpy
        return found

    def kernel(self, i: p.Compute, operands: Sequence[Vector]) -> tuple[Any, Flags | None]:
        """The function of an instruction for operand types, and how it moves poison flags."""
        ins = tuple(v.dtype for v in operands)
        key = (id(i), ins)
        found = self._kernels.get(key)
        if found is None:
            found = self._kernels[key] = (self._bind(i, ins, i.dtype), self._flags(i, ins))
        return found

    def _bind(self, i: p.Compute, ins: tuple[str, ...], out: str, op: str = "") -> Any:
        return semantics.lookup(op or i.op).bind(dict(i.attrs), ins, (out,), self._numerics)

    def _flags(self, i: p.Compute, ins: tuple[str, ...]) -> Flags | None:
        """How poison moves, for ops that are not lane by lane: the op itself applied to flags."""
        if i.op in _SUMS and "i1" not in ins:
            return self._summed(i)
        if i.op.startswith(_SCAN):
            vectors, op = 1, f"{_SCAN}max"
        elif i.op in _MOVES_LANES and "i1" not in ins:
            vectors, op = _MOVES_LANES[i.op], i.op
        else:
            return None
        bound = self._bind(i, ("i8",) * vectors + ins[vectors:], "i8", op)

        def moved(flags: Sequence[Mask], data: Sequence[NDArray[Any]]) -> Mask:
            operands = [f.astype(np.int8) for f in flags[:vectors]]
            return np.asarray(bound(*operands, *data[vectors:])).astype(np.bool_)

        return moved

    def _summed(self, i: p.Compute) -> Flags:
        """A lane is poison when any product that is summed into it is, or what is added to it."""
        bound = self._bind(i, ("i32", "i32"), "i32", _SUMS[0])

        def summed(flags: Sequence[Mask], data: Sequence[NDArray[Any]]) -> Mask:
            del data
            either = (flags[0] | flags[1]).astype(np.int32)
            sums = np.asarray(bound(either, np.ones_like(either))).astype(np.bool_)
            return sums | flags[2] if len(flags) > 2 else sums

        return summed
