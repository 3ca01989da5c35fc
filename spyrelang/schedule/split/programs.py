"""From groups of stores to programs, and from loops to outer loops or orchestrator.

A loop that holds nothing but one program is absorbed: the program runs it itself, overlapping its
iterations. That needs that no iteration touches what another one writes. Other loops stay in the
orchestrator, and programs get their variables as scalar parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from spyrelang import affine
from spyrelang.affine import Const, Expr, Sym
from spyrelang.errors import Location
from spyrelang.errors import schedule as errors
from spyrelang.schedule.model import (
    Base,
    Body,
    CallProgram,
    Dim,
    Operand,
    OrchestratorLoop,
    OrchestratorOp,
    OuterLoop,
    Parameter,
    Program,
)
from spyrelang.schedule.split.environment import Environment, Loop
from spyrelang.schedule.split.graph import Graph, Touch, fused
from spyrelang.schedule.split.groups import Group, GroupedRegion
from spyrelang.schedule.split.overlap import may_alias, overlaps, same_elements


@dataclass(frozen=True)
class Draft:
    """A program to be: its group and the loops it has absorbed, outermost first."""

    group: Group
    outer: tuple[Loop, ...] = ()


@dataclass(frozen=True)
class DraftLoop:
    """A loop that stays in the orchestrator."""

    loop: Loop
    body: tuple[Draft | DraftLoop, ...]


class Builder:
    """Builds the orchestrator and the programs of one kernel, numbered in the order they run.

    `names` are the kernel's parameters, `local` the memory kind that pinned views live in.
    """

    def __init__(
        self, env: Environment, graph: Graph, names: Sequence[str], local: str | None
    ) -> None:
        self.env = env
        self.graph = graph
        self.names = names
        self.local = local
        self.programs: list[Program] = []

    def build(self, region: GroupedRegion) -> tuple[OrchestratorOp, ...]:
        """The orchestrator of a kernel; its programs are in `programs`. Raises SPY418."""
        return self._emit(self._drafts(region), ())

    # --- absorption -----------------------------------------------------------------------------

    def _drafts(self, region: GroupedRegion) -> tuple[Draft | DraftLoop, ...]:
        items: list[Draft | DraftLoop] = []
        for item in region.items:
            if isinstance(item, Group):
                self._check_whole(item)
                items.append(Draft(item))
            else:
                items.append(self._loop(item))
        return tuple(items)

    def _loop(self, region: GroupedRegion) -> Draft | DraftLoop:
        assert region.loop is not None
        body = self._drafts(region)
        if (
            len(body) == 1
            and isinstance(body[0], Draft)
            and self._independent(body[0], region.loop)
        ):
            return replace(body[0], outer=(region.loop, *body[0].outer))
        return DraftLoop(region.loop, body)

    def _independent(self, draft: Draft, loop: Loop) -> bool:
        """Whether no iteration of `loop` touches what another iteration writes."""
        group = draft.group
        outside = [s for s in group.stores[0].when.loops if s < loop.symbol]
        shared = frozenset((*range(len(self.env.grid)), *outside))
        touches = [x.touch for x in (*group.leaves, *group.stores)]
        return not any(
            overlaps(touch, store.touch, self.env, shared, [loop.symbol])
            for store in group.stores
            for touch in touches
        )

    def _check_whole(self, group: Group) -> None:
        """Refuse in-place access that no order makes right: elements that one core reads and
        another one writes, and pinned ones, for which there is no whole tile to load first."""
        for leaf, store in _in_place(group):
            name = store.access.view.name
            at = store.location
            if group.whole and store.access.view.memory == self.local:
                raise errors.IN_PLACE.error(
                    at, name=name, reason="it is in scratchpad, where vectors are stored at once"
                )
            axes = range(len(self.env.grid))
            if overlaps(leaf, store, self.env, frozenset(), axes):
                raise errors.IN_PLACE.error(
                    at, name=name, reason="a core may load what another one has already stored"
                )

    # --- emission -------------------------------------------------------------------------------

    def _emit(
        self, items: Sequence[Draft | DraftLoop], loops: tuple[Loop, ...]
    ) -> tuple[OrchestratorOp, ...]:
        return tuple(self._emit_one(item, loops) for item in items)

    def _emit_one(self, item: Draft | DraftLoop, loops: tuple[Loop, ...]) -> OrchestratorOp:
        if isinstance(item, Draft):
            return self._call(item, loops)
        symbols = self._symbols(loops)
        return OrchestratorLoop(
            item.loop.name,
            item.loop.lower.substitute((), symbols),
            item.loop.upper.substitute((), symbols),
            item.loop.step,
            self._emit(item.body, (*loops, item.loop)),
        )

    def _symbols(self, loops: Sequence[Loop]) -> list[Expr]:
        """What each symbol of the kernel is where the grid is followed by `loops`."""
        axes = len(self.env.grid)
        numbers = {loop.symbol: axes + i for i, loop in enumerate(loops)}
        symbols: list[Expr] = [Sym(axis) for axis in range(axes)]
        loose = range(axes, self.env.count)
        return symbols + [Sym(numbers[s]) if s in numbers else Const(0) for s in loose]

    def _call(self, draft: Draft, loops: tuple[Loop, ...]) -> CallProgram:
        touches, _ = self._fused(draft)
        used = _used_symbols(draft, touches)
        scalars = tuple(loop for loop in loops if loop.symbol in used)
        params = _params(touches)
        self.programs.append(self._program(draft, scalars, params))
        symbols = self._symbols(loops)
        values = tuple(symbols[loop.symbol] for loop in scalars)
        return CallProgram(len(self.programs) - 1, params, values)

    def _fused(self, draft: Draft) -> tuple[list[Touch], Body]:
        """What the program reads, then what it writes, and its body."""
        stores = draft.group.stores
        reads, body = fused(self.graph, [store.root for store in stores])
        return [*reads, *(store.touch for store in stores)], body

    def _program(self, draft: Draft, scalars: tuple[Loop, ...], params: tuple[int, ...]) -> Program:
        touches, body = self._fused(draft)
        symbols = self._symbols((*scalars, *draft.outer))
        outer = tuple(
            OuterLoop(
                loop.name,
                loop.lower.substitute((), symbols),
                loop.upper.substitute((), symbols),
                loop.step,
            )
            for loop in draft.outer
        )
        names = list(_unique([touch.access.view.name for touch in touches]))
        roles = ["in"] * len(body.inputs) + ["out"] * len(draft.group.stores)
        operands = tuple(
            _operand(name, role, touch, symbols, params)
            for name, role, touch in zip(names, roles, touches, strict=True)
        )
        return Program(
            name=f"local_schedule_{len(self.programs)}",
            grid=self.env.grid,
            parameters=(
                *(Parameter(self.names[param], "address") for param in params),
                *(Parameter(loop.name, "scalar") for loop in scalars),
            ),
            dims=tuple(Dim(extent, name=f"d{i}") for i, extent in enumerate(draft.group.extents)),
            operands=operands,
            body=body,
            outer=outer,
            location=_location(draft),
            whole_tile=draft.group.whole,
        )


def _in_place(group: Group) -> Iterator[tuple[Touch, Touch]]:
    """What a group reads and writes at different points of one tensor."""
    for leaf in group.leaves:
        for store in group.stores:
            apart = not may_alias(leaf.touch, store.touch)
            if not apart and not same_elements(leaf.touch, store.touch):
                yield leaf.touch, store.touch


def _location(draft: Draft) -> Location | None:
    return draft.group.stores[-1].location


def _used_symbols(draft: Draft, touches: Sequence[Touch]) -> set[int]:
    exprs: list[Expr] = [origin for touch in touches for origin in touch.access.origin]
    for loop in draft.outer:
        exprs += [loop.lower, loop.upper]
    return {symbol for expr in exprs for symbol in expr.syms()}


def _params(touches: Sequence[Touch]) -> tuple[int, ...]:
    """The kernel parameters a program needs, in the order of its operands."""
    bases = (touch.access.view.base.param for touch in touches)
    return tuple(dict.fromkeys(param for param in bases if param >= 0))


def _unique(names: Sequence[str]) -> Iterator[str]:
    """The names, later repetitions numbered."""
    seen: set[str] = set()
    for name in names:
        fresh, number = name, 1
        while fresh in seen:
            fresh, number = f"{name}_{number}", number + 1
        seen.add(fresh)
        yield fresh


def _operand(
    name: str, role: str, touch: Touch, symbols: Sequence[Expr], params: tuple[int, ...]
) -> Operand:
    """An operand. Views without dims become views of one dim of length 1."""
    view = touch.access.view
    base = Base(params.index(view.base.param)) if view.base.param >= 0 else view.base
    flat = not view.shape
    origin = tuple(expr.substitute((), symbols) for expr in touch.access.origin)
    index = touch.index
    if flat:
        origin, index = (Const(0),), (affine.Dim(0) if role == "out" else Const(0),)
    return Operand(
        name=name,
        role=role,
        dtype=view.dtype,
        memory=view.memory,
        base=base,
        shape=view.shape or (1,),
        strides=view.strides or (1,),
        origin=origin,
        index=index,
        ct=view.ct,
        location=touch.location,
    )
