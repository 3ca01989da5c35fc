"""`with spy.when(condition):`, a part of the kernel that runs where a condition holds."""

from __future__ import annotations

from types import FrameType, TracebackType
from typing import Any

from spyrelang.errors import trace as errors
from spyrelang.language import merging, tracing
from spyrelang.language import variables as author
from spyrelang.language.conditions import Condition, condition_of
from spyrelang.language.control import check_closed, left
from spyrelang.language.graph import Block, Branch, Node, Slot
from spyrelang.language.leaving import with_is_left
from spyrelang.language.place import author_frame
from spyrelang.language.tracing import Trace, fail
from spyrelang.language.variables import Leaf, Other, Tree

_NUMBERS = (bool, int, float)


def when(condition: Any) -> When:
    """`with spy.when(condition):` runs its body where the condition holds: a comparison of traced
    integers, logic on such, or a tensor of one boolean.

    Tensors and integers that the body assigns to variables that had such a value before keep the
    old one where it does not hold.

    >>> @spyre.kernel(grid=2)
    ... def kernel(x: spy.In, out: spy.Out):
    ...     v = spy.load(x[spy.tile_id(), :])
    ...     with spy.when(spy.tile_id() == 1):
    ...         v = -v
    ...     out[spy.tile_id(), :] = v
    >>> x, out = np.ones((2, 2), np.float32), np.zeros((2, 2), np.float32)
    >>> run = kernel(x, out, engine="ktir")
    >>> out
    array([[ 1.,  1.],
           [-1., -1.]], dtype=float32)
    """
    trace = tracing.current("spy.when")
    return When(trace, condition_of(condition, "spy.when"))


class When:
    """The context manager that `when` gives. Used once."""

    def __init__(self, trace: Trace, condition: Condition) -> None:
        self.trace = trace
        self._condition = condition
        self._branch: Branch | None = None
        self._before: list[tuple[FrameType, dict[str, Tree]]] = []

    def __enter__(self) -> None:
        trace = self.trace
        if self._branch is not None:
            hint = "write `with spy.when(condition):` once for every statement"
            what, use = "a spy.when object", "entered again"
            fail(errors.LOOP_USE, what=what, statement="with", use=use, hint=hint)
        branch = Branch(place=tracing.here(), block=trace.block, condition=self._condition.node)
        branch.then = Block(parent=trace.block, owner=branch)
        branch.other = Block(parent=trace.block, owner=branch)
        inner = author_frame()
        if inner is not None and with_is_left(inner.f_code, inner.f_lineno):
            raise left(branch)
        for frame in author.frames(inner):
            held = {n: author.counted(v, self._is_leaf) for n, v in author.held_by(frame).items()}
            self._before.append((frame, held))
        trace.add(branch)
        trace.block = branch.then
        self._branch = branch

    def _is_leaf(self, value: object) -> bool:
        return merging.usable(self.trace, value)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        del error, traceback
        branch = self._branch
        assert branch is not None
        if kind is not None:
            self.trace.block = branch.block
            return
        check_closed(self.trace, branch.then)
        for frame, held in self._before:
            for name, found in held.items():
                self._merge(branch, frame, name, found)
        self.trace.block = branch.block

    # --- variables

    def _merge(self, branch: Branch, frame: FrameType, name: str, found: Tree) -> None:
        """Let a variable hold what the branch left in it, or what it held before."""
        now = frame.f_locals.get(name)
        if isinstance(found, Other):
            _check_number(branch, name, found.value, now)
            return
        pairs = author.paired(found, now)
        changed = pairs is not None and author.can_assign()
        if pairs is None or not changed:
            return
        listed = [self._chosen(branch, name, leaf, value) for leaf, value in pairs]
        values = iter(listed)
        self.trace.block = branch.then
        new = author.rebuilt(found, now, lambda _leaf: next(values))
        if new is not now:
            author.assign(frame, name, new)

    def _chosen(self, branch: Branch, name: str, leaf: Leaf, value: object) -> object:
        if author.same(value, leaf.value):
            return value
        trace = self.trace
        trace.block = branch.other
        like = merging.settled(trace, leaf.value)
        slot = Slot(merging.node_of(trace, like))
        trace.block = branch.then
        slot.after = merging.node_in_order(trace, like, value)
        if slot.after is None:
            return value
        branch.slots.append(slot)
        result = merging.standing(trace, like, branch, slot, branch.block, branch.place, name)
        node = result.node
        assert isinstance(node, Node)
        slot.result = node
        return result


def _check_number(branch: Branch, name: str, before: object, now: object) -> None:
    if isinstance(before, _NUMBERS) and isinstance(now, _NUMBERS) and not author.same(before, now):
        fail(errors.BRANCH_VARIABLE, place=branch.place, name=name, before=before, after=now)
