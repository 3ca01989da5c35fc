"""What compute tiles send each other: produce, consume, reduce. All tiles run together here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spyrelang.errors import Location
from spyrelang.errors import interp as errors
from spyrelang.errors import interp_values as values
from spyrelang.interp.compiler import Compiler, RegionCode, Slot, SsaValue
from spyrelang.interp.elementwise import defined
from spyrelang.interp.frame import Frame, run
from spyrelang.interp.groups import Consumers, consumers, producers
from spyrelang.interp.registry import Op, builds
from spyrelang.interp.values import Array, Undefined, Value


@dataclass
class Future:
    """What was produced: `values` for each role, `row` of each producing tile in them (by tile),
    `groups` the producers of each group in ascending order."""

    values: list[Value]
    row: dict[int, int]
    groups: dict[int, list[int]]

    def take(self, rows: Array) -> Future:
        del rows
        return self


def _communicate(c: Compiler, op: Op) -> None:
    c.communicates = True
    if c.per_tile is not None:
        raise errors.VARYING.error(c.place(op), what=c.per_tile)


def _count(c: Compiler) -> int:
    return int(np.prod(c.grid, dtype=np.int64))


def _together(f: Frame, name: str, place: Location | None) -> None:
    if f.size != f.state.tiles:
        reason = f"it stands where only {f.size} of the {f.state.tiles} compute tiles come"
        hint = "take it out of the branch, or let all tiles of the grid loop equally often"
        raise errors.INTER_TILE.error(place, op=name, reason=reason, hint=hint)


# --- produce -------------------------------------------------------------------------------------


@builds("ktdp.inter_tile_produce")
def _produce(c: Compiler, op: Op) -> None:
    _communicate(c, op)

    def arguments(values: Sequence[SsaValue]) -> list[Slot]:
        slot = c.define(values[0], op)
        slot.tainted = True
        return [slot]

    code = c.region(op, 0, arguments)
    found = producers(op, c.place(op), _count(c))
    groups, owner = found.groups, found.owner
    slot = c.result(op)
    members = np.array(sorted(owner))
    ids = np.array([owner[t] for t in members.tolist()])
    row = {t: k for k, t in enumerate(members.tolist())}
    counter, out, place = code.arguments[0].index, slot.index, c.place(op)

    def step(f: Frame) -> None:
        _together(f, "ktdp.inter_tile_produce", place)
        g = f.sub(members, code.captured)
        g.regs[counter] = ids if len(ids) > 1 else int(ids[0])
        run(code.steps, g)
        values = [defined(g.regs[y.index], "ktdp.yield_partial", place) for y in code.yields]
        spread = [
            np.broadcast_to(v, (len(members), *v.shape[v.ndim - y.rank :]))
            for v, y in zip(values, code.yields, strict=True)
        ]
        f.regs[out] = Future(list(spread), row, groups)

    c.emit(step)


def _emit(
    c: Compiler, op: Op, slots: list[Slot], found: Consumers, values: Any, tiles: int
) -> None:
    """The step that gives every consumer its row of `values(frame, future)`."""
    future, outs, place = slots[0].index, [], c.place(op)
    outs = [c.define(v, op) for v in op.results]
    for out in outs:
        out.tainted = True
    name = op.name
    rows = np.array(found.tiles)

    def step(f: Frame) -> None:
        _together(f, name, place)
        for out, value in zip(outs, values(f, f.regs[future]), strict=True):
            f.regs[out.index] = _received(value, rows, tiles, out.rank)
        f.state.memory.settle()

    c.emit(step)


def _received(value: Array, rows: Array, tiles: int, rank: int) -> Value:
    """The value on every tile; undefined on tiles that are no consumers."""
    if tiles == 1:
        return value[0]
    if len(rows) == tiles:
        return value
    inner = value.shape[value.ndim - rank :]
    data = np.zeros((tiles, *inner), value.dtype)
    data[rows] = value
    missing = np.ones((tiles, *inner), np.bool_)
    missing[rows] = False
    return Undefined(data, missing)


# --- consume and reduce --------------------------------------------------------------------------


@builds("ktdp.inter_tile_consume")
def _consume(c: Compiler, op: Op) -> None:
    _communicate(c, op)
    slots = c.operands(op)
    found = consumers(op, c.place(op), _count(c))

    def received(_: Frame, future: Future) -> list[Array]:
        picks = [future.row[s[0]] for s in found.sources]
        return [v[picks] for v in future.values]

    _emit(c, op, slots, found, received, _count(c))


@builds("ktdp.inter_tile_reduce")
def _reduce(c: Compiler, op: Op) -> None:
    _communicate(c, op)
    slots = c.operands(op)
    found = consumers(op, c.place(op), _count(c))

    def arguments(values: Sequence[SsaValue]) -> list[Slot]:
        found = [c.define(v, op) for v in values]
        for slot in found:
            slot.tainted = True
        return found

    code = c.region(op, 0, arguments)
    sums = list(dict.fromkeys(tuple(s) for s in found.sources))
    picks = np.array([sums.index(tuple(s)) for s in found.sources])
    place = c.place(op)
    identity = [(s.index, s.rank) for s in slots[1:]]

    def combined(f: Frame, future: Future) -> list[Array]:
        start = [defined(f.regs[i], "ktdp.inter_tile_reduce", place) for i, _ in identity]
        totals: list[list[Array]] = []
        for chosen in sums:
            taker = found.tiles[int(np.argmax(picks == len(totals)))]
            g = f.sub(np.array([taker]), code.captured)
            first = [
                v[taker] if v.ndim > r else v for v, (_, r) in zip(start, identity, strict=True)
            ]
            totals.append(_folded(g, code, first, future, chosen, place))
            _check_neutral(g, code, first, future, chosen[0], place)
        return [np.stack([t[k] for t in totals])[picks] for k in range(len(identity))]

    _emit(c, op, slots, found, combined, _count(c))


def _folded(
    g: Frame,
    code: RegionCode,
    values: list[Array],
    future: Future,
    chosen: tuple[int, ...],
    place: Location | None,
) -> list[Array]:
    """The combination of some producers' partials, in ascending order of tile."""
    for producer in chosen:
        partial = [v[future.row[producer]] for v in future.values]
        for slot, value in zip(code.arguments, (*values, *partial), strict=True):
            g.regs[slot.index] = value
        run(code.steps, g)
        values = [defined(g.regs[y.index], "ktdp.yield_reduced", place) for y in code.yields]
    return values


def _check_neutral(
    g: Frame,
    code: RegionCode,
    identity: list[Array],
    future: Future,
    producer: int,
    place: Location | None,
) -> None:
    """Report an identity that changes the first partial which is combined with it."""
    partial = [v[future.row[producer]] for v in future.values]
    for found, want in zip(
        _folded(g, code, identity, future, (producer,), place), partial, strict=True
    ):
        with np.errstate(invalid="ignore"):
            changed = (found != want) & ~((found != found) & (want != want))
        if changed.any():
            at = np.unravel_index(int(np.argmax(changed)), changed.shape)
            g.state.warn(
                values.NOT_NEUTRAL.error(place, before=want[at], after=found[at], tile=producer)
            )
            return
