"""linalg: every structured op by its maps, iterators and body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from spyrelang.affine import Dim, Map
from spyrelang.errors import Location
from spyrelang.errors import interp as errors
from spyrelang.interp import contraction, folds
from spyrelang.interp.body import Body, Loops, Node, Schedule, read_body
from spyrelang.interp.compiler import Compiler, Slot
from spyrelang.interp.elementwise import defined
from spyrelang.interp.frame import Frame
from spyrelang.interp.registry import Op, builds
from spyrelang.interp.shapes import maps_of
from spyrelang.interp.spread import Spread, extents_of, gather_back, spread
from spyrelang.interp.sums import as_sums
from spyrelang.interp.values import Array, Undefined
from spyrelang.interp.widen import narrow, widen

_AVERAGES = ("spyreop.exx2", "spyreop.exx2_fused", "spyreop.exx2_zeromean_fused")


@dataclass
class Structured:
    """One structured op: operands are inputs, then destinations, each with a map."""

    name: str
    place: Location | None
    slots: list[Slot]
    results: list[Slot]
    maps: list[Map]
    reads: list[Spread]
    body: Body
    loops: int
    reduced: tuple[int, ...]
    whole: frozenset[int] = frozenset()
    """Results that keep all loops."""

    @property
    def kept(self) -> tuple[int, ...]:
        return tuple(d for d in range(self.loops) if d not in self.reduced)

    @property
    def inputs(self) -> int:
        return len(self.slots) - len(self.results)

    def value(self, f: Frame, number: int) -> Array:
        """An operand; it must have contents."""
        found = f.regs[self.slots[number].index]
        if isinstance(found, np.ndarray):
            return found
        if isinstance(found, int):
            return np.array(found, np.int64)
        return defined(found, self.name, self.place)

    def extents(self, f: Frame) -> tuple[int, ...]:
        """The trip counts of the loops. Raises SPY577 where operands disagree."""
        shapes: list[tuple[int, ...]] = []
        for slot in self.slots:
            found = f.regs[slot.index]
            data: Any = found.data if isinstance(found, Undefined) else np.asarray(found)
            shapes.append(data.shape[data.ndim - slot.rank :])
        sizes = extents_of(self.maps, shapes, self.loops)
        if sizes is None:
            raise errors.STRUCTURED.error(
                self.place, op=self.name, reason="a loop occurs in no map as it is"
            )
        for map_, shape in zip(self.maps, shapes, strict=True):
            want = [
                sizes[r.index] if isinstance(r, Dim) else n
                for r, n in zip(map_.results, shape, strict=True)
            ]
            if list(shape) != want:
                raise errors.SHAPES_DIFFER.error(
                    self.place, op=self.name, got=list(shape), want=want
                )
        return sizes

    def read(self, f: Frame, number: int, extents: tuple[int, ...]) -> Array:
        """An operand, spread over the loops."""
        return self.reads[number](self.value(f, number), extents, f)

    def arguments(self, f: Frame, extents: tuple[int, ...]) -> list[Any]:
        """What the body's arguments are: operands that it does not use are left out."""
        return [
            self.read(f, k, extents) if k in self.body.used else None
            for k in range(len(self.slots))
        ]


Plan = Callable[[Frame], list[Any]]
"""Gives the results, in their own layout."""


@builds("linalg.*")
def _structured(c: Compiler, op: Op) -> None:
    slots = c.operands(op)
    found = maps_of(op)
    if found is None or not len(op.results) or not op.regions:
        raise c.fail(op, "it is no structured op on tensors that is known here")
    maps, reduced = found
    loops = maps[0].n_dims
    for map_, slot in zip(maps, slots, strict=True):
        if map_.n_results != max(slot.rank, 0) or map_.n_syms:
            raise _refuse(c, op, f"map {map_} does not fit an operand of rank {slot.rank}")
    body, outside = read_body(c, op, _average(op, maps, reduced, slots))
    results = [c.define(v, op, *slots, *outside) for v in op.results]
    place = c.place(op)
    reads = [spread(m, op.name, place) for m in maps]
    s = Structured(op.name, place, slots, results, maps, reads, body, loops, reduced)
    found_backs = [_back(s, m) for m in maps[s.inputs :]]
    s = replace(
        s, whole=frozenset(k for k, b in enumerate(found_backs) if b and b[0] > len(s.kept))
    )
    plan = None if None in found_backs else _plan(c, s)
    if plan is None:
        raise _refuse(c, op, "the map of a result is not a permutation of the parallel loops")
    outs = [(r.index, *b) for r, b in zip(results, found_backs, strict=True) if b is not None]

    def step(f: Frame) -> None:
        for (index, rank, back), value in zip(outs, plan(f), strict=True):
            f.regs[index] = back(value, value.ndim - rank)

    c.emit(step)


def _back(s: Structured, map_: Map) -> tuple[int, Callable[[Array, int], Array]] | None:
    """How many loops a result lies in, and the way from them to its layout: the parallel ones or,
    next to results that reduce, all. None for other maps."""
    for loops in (s.kept, range(s.loops)):
        back = gather_back(map_, loops)
        if back is not None:
            return len(loops), back
    return None


def _refuse(c: Compiler, op: Op, reason: str) -> Exception:
    return errors.STRUCTURED.error(c.place(op), op=op.name, reason=reason)


def _average(
    op: Op, maps: Sequence[Map], reduced: tuple[int, ...], slots: Sequence[Slot]
) -> dict[str, object]:
    """How exx2 in the body averages over the reduction loops: over the axes where the body gives
    the averages, as a share of each element where it adds them up."""
    block = op.regions[0].blocks[0]
    ops = [found.operation for found in block.operations]
    if not any(found.name in _AVERAGES for found in ops) or not reduced:
        return {}
    accumulates = any(
        list(argument.uses) for argument in list(block.arguments)[len(slots) - len(op.results) :]
    )
    if not accumulates:
        return {"axes": tuple(d - maps[0].n_dims for d in reduced)}
    sizes = extents_of(maps, [[n or 0 for n in s.shape] for s in slots], maps[0].n_dims) or ()
    return {"count": int(np.prod([sizes[d] for d in reduced], dtype=np.int64))}


def _plan(c: Compiler, s: Structured) -> Plan | None:
    """None where a result that keeps all loops depends on destinations."""
    if not s.reduced:
        return lambda f: _parallel(s, f)
    if s.whole:
        steps = _fold_steps(s)
        if steps is None or any(steps[k].fold is not None for k in s.whole):
            return None
        return _fold_plan(s, steps)
    sums = as_sums(s.body, s.inputs, [r.dtype.name if r.dtype else "" for r in s.results])
    for form in (s,) if sums is None else (replace(s, body=sums), s):
        plan = _summed(c, form)
        if plan is not None:
            return plan
    return lambda f: _sequential(s, f)


def _summed(c: Compiler, s: Structured) -> Plan | None:
    """As a matrix product or as folds, where it is one of these."""
    out = s.results[0].dtype
    if out is not None:
        found = contraction.recognise(s.body, s.maps, out)
        if found is not None:
            c.products += 1
            c.factors.update(slot.index for slot in s.slots[:2])
            return lambda f: [_contract(s, found, f)]
    steps = _fold_steps(s)
    if steps is None:
        return None
    return _fold_plan(s, steps)


def _fold_plan(s: Structured, steps: list[FoldStep]) -> Plan:
    nodes = _to_fold(s, steps)
    return lambda f: _folded(s, steps, nodes, f)


# --- all loops parallel --------------------------------------------------------------------------


def _parallel(s: Structured, f: Frame) -> list[Any]:
    extents = s.extents(f)
    found = s.body.run(s.arguments(f, extents), Loops(f, extents))
    return [_full(value, extents) for value in found]


def _full(value: Any, extents: tuple[int, ...]) -> Array:
    """The value at every point of the loops."""
    array = np.asarray(value)
    lead = array.shape[: max(0, array.ndim - len(extents))]
    shape = (*lead, *extents)
    return array if array.shape == shape else np.broadcast_to(array, shape)


# --- reductions that fold ------------------------------------------------------------------------


@dataclass
class FoldStep:
    """How one result comes about: `combiner` and what it adds up, or the value of the last trip."""

    combiner: str
    value: int
    fold: folds.Fold | None


def _fold_steps(s: Structured) -> list[FoldStep] | None:
    """One step for each result, where every result folds on its own."""
    body = s.body
    accumulators = frozenset(range(s.inputs, body.arguments))
    found: list[FoldStep] = []
    for number, (yielded, slot) in enumerate(zip(body.yields, s.results, strict=True)):
        mine = s.inputs + number
        if not body.depends[yielded] & accumulators:
            found.append(FoldStep("", yielded, None))
            continue
        node = body.maker(yielded)
        if node is None or node.name not in folds.NEUTRAL or node.reads.count(mine) != 1:
            return None
        other = node.reads[1 - node.reads.index(mine)]
        ordered = node.name in ("arith.subf", "arith.subi") and node.reads[0] != mine
        if body.depends[other] & accumulators or ordered or slot.dtype is None:
            return None
        found.append(FoldStep(node.name, other, folds.fold(node.name, slot.dtype)))
    return found


def _to_fold(s: Structured, steps: list[FoldStep]) -> Schedule:
    """What computes the values to fold: neither the ops that combine them nor, as they may read
    accumulators too, ops whose values nothing uses."""
    needed = {step.value for step in steps}
    nodes: list[Node] = []
    for node in reversed(s.body.nodes):
        if needed.intersection(node.writes):
            needed.update(node.reads)
            nodes.append(node)
    return s.body.schedule(nodes[::-1], [step.value for step in steps])


def _folded(s: Structured, steps: list[FoldStep], nodes: Schedule, f: Frame) -> list[Any]:
    extents = s.extents(f)
    arguments = [s.read(f, k, extents) if k in s.body.used else None for k in range(s.inputs)]
    arguments += [None] * len(s.results)
    env = s.body.evaluate(arguments, Loops(f, extents), nodes)
    arguments.clear()
    results: list[Any] = []
    for number, step in enumerate(steps):
        value = _full(env[step.value], extents)
        lead = value.ndim - s.loops
        axes = tuple(lead + d for d in s.reduced)
        if number in s.whole:
            results.append(value)
            continue
        if step.fold is None:
            found = value[
                tuple(slice(-1, None) if a in axes else slice(None) for a in range(value.ndim))
            ]
        else:
            found = _fold(s, step, value, axes, number, f, extents)
        results.append(np.squeeze(found, axis=tuple(found.ndim - s.loops + d for d in s.reduced)))
    return results


def _fold(
    s: Structured,
    step: FoldStep,
    value: Array,
    axes: tuple[int, ...],
    number: int,
    f: Frame,
    extents: tuple[int, ...],
) -> Array:
    assert step.fold is not None
    initial = _initial(s, number, step.combiner, f, extents)
    if not all(value.shape[a] for a in axes):
        if initial is None:
            raise errors.EMPTY_READ.error(s.place, op=s.name)
        return np.asarray(initial)
    return step.fold(value, axes, initial)


def _initial(
    s: Structured, number: int, combiner: str, f: Frame, extents: tuple[int, ...]
) -> Array | None:
    """The destination of a reduction, spread over the loops; None where it is a tensor.empty,
    which is reported."""
    k = s.inputs + number
    found = f.regs[s.slots[k].index]
    if isinstance(found, Undefined) and found.missing is None:
        neutral = folds.NEUTRAL[combiner]
        f.state.warn(
            errors.EMPTY_ACCUMULATOR.error(s.place, op=s.name, neutral=neutral, combiner=combiner)
        )
        return None
    return s.read(f, k, extents)


def _contract(s: Structured, how: contraction.Contraction, f: Frame) -> Array:
    extents = s.extents(f)
    inputs = [s.read(f, k, extents) for k in (0, 1)]
    found = how.run(inputs, s.loops, extents)
    order = (*how.batch, *how.rows, *how.columns)
    lead = found.ndim - len(order)
    found = found.transpose(*range(lead), *(lead + order.index(d) for d in s.kept))
    combiner = "arith.addf" if how.out.is_float else "arith.addi"
    initial = _initial(s, 0, combiner, f, extents)
    with np.errstate(all="ignore"):
        if initial is not None:
            axes = tuple(initial.ndim - s.loops + d for d in s.reduced)
            found = widen(np.squeeze(initial, axis=axes), how.wide) + found
        return narrow(found, how.out)


# --- any other reduction: one trip after the other -----------------------------------------------


def _sequential(s: Structured, f: Frame) -> list[Any]:
    extents = s.extents(f)
    arguments = s.arguments(f, extents)
    ranges = [range(extents[d]) for d in s.reduced]
    state = [a if a is None else _full_kept(a, s, extents) for a in arguments[s.inputs :]]
    if not all(ranges):
        state = [
            _full_kept(s.read(f, s.inputs + k, extents), s, extents) for k in range(len(state))
        ]
    for trip in product(*ranges):
        at = dict(zip(s.reduced, trip, strict=True))
        inputs = [a if a is None else _slice(a, s.loops, at) for a in arguments[: s.inputs]]
        state = s.body.run([*inputs, *state], Loops(f, extents, at))
    axes = [-s.loops + d for d in s.reduced]
    return [np.squeeze(_full_kept(np.asarray(v), s, extents), axis=tuple(axes)) for v in state]


def _full_kept(value: Array, s: Structured, extents: tuple[int, ...]) -> Array:
    return _full(value, tuple(1 if d in s.reduced else n for d, n in enumerate(extents)))


def _slice(value: Array, loops: int, at: dict[int, int]) -> Array:
    lead = value.ndim - loops
    index: list[Any] = [slice(None)] * value.ndim
    for dim, trip in at.items():
        if value.shape[lead + dim] > 1:
            index[lead + dim] = slice(trip, trip + 1)
    return value[tuple(index)]
