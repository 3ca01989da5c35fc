"""Both sides of an `if` on a traced value, one after the other (see `frontend.rewrite`)."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from types import FrameType
from typing import Any

from spyrelang.errors import trace as errors
from spyrelang.language import merging, tracing
from spyrelang.language import variables as author
from spyrelang.language.conditions import Condition, condition_of
from spyrelang.language.control import check_closed
from spyrelang.language.control import range as loop_range
from spyrelang.language.functions import maximum, minimum
from spyrelang.language.graph import Block, Branch, Node, Slot
from spyrelang.language.index import Index, Traced, as_integer
from spyrelang.language.memory import load
from spyrelang.language.place import author_frame
from spyrelang.language.tensor import Tensor
from spyrelang.language.tracing import Trace, fail
from spyrelang.language.views import Tile

_MISSING = object()


def branches(test: Any) -> Branches:
    """What a rewritten `if` iterates over: one bool, or both for a traced test."""
    return Branches(test)


# --- expressions ----------------------------------------------------------------------------------


def _traced(value: Any) -> bool:
    known = isinstance(value, Condition) and value.known is not None
    return isinstance(value, Traced) and not isinstance(value, Index) and not known


def both(first: Any, second: Callable[[], Any]) -> Any:
    """`first and second()`; of traced conditions both are computed."""
    if _traced(first):
        return first & second()
    return second() if first else first


def either(first: Any, second: Callable[[], Any]) -> Any:
    """`first or second()`; of traced conditions both are computed."""
    if _traced(first):
        return first | second()
    return first or second()


def opposite(value: Any) -> Any:
    """`not value`."""
    return ~value if _traced(value) else not value


def chosen(test: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """`then() if test else other()`: a branch where the test is traced."""
    if not _traced(test):
        return then() if test else other()
    condition = condition_of(test, "if")
    trace, branch = condition.trace, _branch(condition)
    sides: list[Any] = []
    for block, side in ((branch.then, then), (branch.other, other)):
        trace.block = block
        value = side()
        sides.append(load(value) if isinstance(value, Tile) else value)
        check_closed(trace, block)
    value = join_values(trace, branch, "this value", *sides)
    trace.block = branch.block
    return value


def counted(callee: Callable[..., Any], *bounds: Any) -> Any:
    """`range(…)` of a for statement, which stays a loop where a bound is traced."""
    if callee is builtins.range and any(isinstance(bound, Traced) for bound in bounds):
        return loop_range(*bounds)
    return callee(*bounds)


def extreme(callee: Callable[..., Any], *values: Any) -> Any:
    """`min(…)` or `max(…)` of single values."""
    known = {builtins.min: minimum, builtins.max: maximum}
    ours = known.get(callee)
    if ours is None or not any(isinstance(value, Index) for value in values):
        return callee(*values)
    return functools.reduce(ours, values)


def _branch(condition: Condition) -> Branch:
    trace = condition.trace
    branch = Branch(place=tracing.here(), block=trace.block, condition=condition.node)
    branch.then = Block(parent=trace.block, owner=branch)
    branch.other = Block(parent=trace.block, owner=branch)
    return trace.add(branch)


# --- statements -----------------------------------------------------------------------------------


class Branches:
    """Gives True while the first side is traced, then False while the second one is."""

    def __init__(self, test: Any) -> None:
        self._test = test
        self._branch: Branch | None = None
        self._frame: FrameType | None = None
        self._before: dict[str, author.Tree] = {}
        self._then: dict[str, list[Any]] = {}
        self._new: dict[str, Any] = {}
        self._stale: dict[str, Any] = {}
        self._side = 0

    def __iter__(self) -> Branches:
        return self

    def __next__(self) -> bool:
        self._side += 1
        if self._side == 1:
            return self._first()
        if self._branch is None or self._frame is None:
            raise StopIteration
        if self._side == 2:
            self._second(self._branch, self._frame)
            return False
        self._join(self._branch, self._frame)
        raise StopIteration

    def _first(self) -> bool:
        test = self._test
        traced = isinstance(test, Traced) and not isinstance(test, Index)
        if isinstance(test, Condition) and test.known is not None:
            return test.known
        if not traced:
            return bool(test)
        condition = condition_of(test, "`if`")
        trace = condition.trace
        branch = _branch(condition)
        self._frame = author_frame()
        assert self._frame is not None
        held = author.held_by(self._frame)
        self._stale = {n: v for n, v in held.items() if _elsewhere(trace, v)}
        self._before = {
            name: author.counted(value, lambda v: merging.usable(trace, v))
            for name, value in held.items()
            if name not in self._stale
        }
        trace.block = branch.then
        self._branch = branch
        self._trace = trace
        return True

    # --- variables

    def _second(self, branch: Branch, frame: FrameType) -> None:
        """Note what the first side left, and give the variables their old values."""
        check_closed(self._trace, branch.then)
        now = author.held_by(frame)
        self._new = {
            n: v
            for n, v in now.items()
            if n not in self._before and _kept(v) and v is not self._stale.get(n)
        }
        for name, found in self._before.items():
            self._then[name] = self._values(branch, name, found, now.get(name))
            _put_back(frame, name, found, now.get(name))
        self._trace.block = branch.other

    def _values(self, branch: Branch, name: str, found: author.Tree, now: Any) -> list[Any]:
        """What stands in the places of the traced values of a variable."""
        pairs = author.paired(found, now)
        if pairs is None:
            shown = [repr(v)[:40] for v in (_whole(found), now)]
            fail(
                errors.BRANCH_VARIABLE, place=branch.place, name=name,
                before=shown[0], after=shown[1],
            )  # fmt: skip
        return [value for _, value in pairs]

    def _join(self, branch: Branch, frame: FrameType) -> None:
        check_closed(self._trace, branch.other)
        now = author.held_by(frame)
        for name, found in self._before.items():
            others = self._values(branch, name, found, now.get(name))
            pairs = zip(self._then[name], others, strict=True)
            joined = iter([join_values(self._trace, branch, name, a, b) for a, b in pairs])
            new = author.rebuilt(found, now.get(name), lambda _leaf, j=joined: next(j))  # type: ignore[misc]
            if new is not now.get(name):
                author.assign(frame, name, new)
        for name, value in self._new.items():
            other = now.get(name, _MISSING)
            if other is not value and other is not _MISSING and name in now:
                author.assign(frame, name, join_values(self._trace, branch, name, value, other))
        self._trace.block = branch.block


def join_values(trace: Trace, branch: Branch, name: str, then: Any, other: Any) -> Any:
    """One value from those of both sides; where they do not fit, one that cannot be used."""
    if author.same(then, other):
        return then
    number = as_integer(then) is not None and _kept(other)
    template, side = (then, branch.then) if _kept(then) and not number else (other, branch.other)
    if not _kept(template):
        _refuse(branch, name, then, other)
    trace.block = side
    if not isinstance(template, int) and not merging.usable(trace, template):
        return template
    like = merging.settled(trace, template)
    node = merging.node_of(trace, like)
    trace.block = branch.other if side is branch.then else branch.then
    opposite = merging.node_in_order(trace, like, other if side is branch.then else then)
    if opposite is None:
        return then if _inside(then, branch) else other
    values = (node, opposite) if side is branch.then else (opposite, node)
    slot = Slot(before=values[1], after=values[0])
    branch.slots.append(slot)
    result = merging.standing(trace, like, branch, slot, branch.block, branch.place, name)
    slot.result = result.node if isinstance(result.node, Node) else None
    return result


def _elsewhere(trace: Trace, value: object) -> bool:
    """Whether a value was made in a branch that has ended: its variable has none yet."""
    return isinstance(value, Tensor | Index) and not merging.usable(trace, value)


def _kept(value: object) -> bool:
    return isinstance(value, Tensor | Index) or as_integer(value) is not None


def _inside(value: Any, branch: Branch) -> bool:
    node = getattr(value, "node", None)
    return isinstance(node, Node) and node.block is branch.then


def _whole(found: author.Tree) -> Any:
    return found.origin if isinstance(found, author.Held) else found.value


def _refuse(branch: Branch, name: str, then: Any, other: Any) -> Any:
    fail(
        errors.BRANCH_VARIABLE, place=branch.place, name=name,
        before=repr(other)[:40], after=repr(then)[:40],
    )  # fmt: skip


def _put_back(frame: FrameType, name: str, found: author.Tree, now: Any) -> None:
    new = author.rebuilt(found, now, lambda leaf: leaf.value)
    if isinstance(found, author.Other):
        new = found.value
    if new is not now:
        author.assign(frame, name, new)
