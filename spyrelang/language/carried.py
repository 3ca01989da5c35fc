"""What the body of a loop carries from one iteration to the next.

The body is traced once. Variables that it assigns to enter it as arguments of the loop; those that
it leaves with another value are carried. Everything else that changes is refused by name.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any

from spyrelang.errors import trace as errors
from spyrelang.language import merging
from spyrelang.language import variables as author
from spyrelang.language.graph import Block, Node, Repeating, Slot, Slotted
from spyrelang.language.index import Index, Traced, as_integer
from spyrelang.language.merging import Kept
from spyrelang.language.place import CodeInfo
from spyrelang.language.scalars import Number, as_number
from spyrelang.language.tensor import Tensor
from spyrelang.language.tracing import Trace, fail
from spyrelang.language.variables import Held, Leaf, Tree
from spyrelang.language.views import Tile

_CONTAINERS = (list, dict, set)


@dataclass
class Entry:
    """One traced value of a variable: how it lies in memory, its slot, and its stand-in."""

    like: Kept
    slot: Slot
    inside: Tensor | Index | None = None


@dataclass
class Variable:
    """A variable with the traced values that it holds when the loop is entered."""

    frame: FrameType
    name: str
    held: Tree
    explicit: bool = False


class Carrying:
    """The variables of one loop: `prepare` before the loop node, `enter`, `leave` at the end of
    the body, `restore` after the loop."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.variables: list[Variable] = []
        self.entries: list[Entry] = []

    @property
    def names(self) -> set[str]:
        """The variables that are looked after."""
        return {v.name for v in self.variables}

    # --- entering

    def find(self, frames: list[FrameType]) -> None:
        """Collect what the loop statement's body may change in each of the frames."""
        if not author.can_assign():
            return
        seen: set[int] = set()
        for frame in frames:
            info = self.trace.finder.info(frame.f_code)
            stored, loaded = _touched(info, frame.f_lasti)
            skipped = self.names | set(targets(info, frame.f_lasti)[1])
            counted = stored & set(_read_first(info, frame.f_lasti))
            for name, value in dict(frame.f_locals).items():
                if name in skipped or name not in stored | loaded:
                    continue
                is_leaf = self._is_leaf if name in stored else self._is_tensor
                found = author.counted if name in counted else author.tree
                held = found(value, is_leaf)
                changeable = name in stored or _mutable(held)
                if not any(author.leaves(held)) or not changeable or id(value) in seen:
                    continue
                if isinstance(held, Held):
                    seen.add(id(value))
                self.variables.append(Variable(frame, name, held))

    def declare(self, frame: FrameType, name: str, value: object) -> object:
        """A variable that the author names, with what it starts from; the tiles in it loaded."""
        held = author.tree(value, lambda v: isinstance(v, Traced) or as_integer(v) is not None)
        value = author.rebuilt(held, value, lambda leaf: _loaded(leaf.value))
        held = author.tree(value, lambda v: self._is_leaf(v) or as_integer(v) is not None)
        if not any(author.leaves(held)):
            hint = (
                "start it with a tensor: spy.zeros(shape, dtype) or spy.full(shape, value, dtype)"
            )
            fail(errors.OPERAND, op="carry of spy.range", got=repr(value)[:40], hint=hint)
        self.variables.append(Variable(frame, name, held, explicit=True))
        return value

    def _is_leaf(self, value: object) -> bool:
        return merging.usable(self.trace, value)

    def _is_tensor(self, value: object) -> bool:
        return isinstance(value, Tensor) and self._is_leaf(value)

    def prepare(self) -> None:
        """Bring what enters into memory, before the loop."""
        for leaf in self._leaves():
            like = merging.settled(self.trace, leaf.value)
            leaf.data = Entry(like, Slot(merging.node_of(self.trace, like)))

    def _leaves(self) -> Iterator[Leaf]:
        for variable in self.variables:
            yield from author.leaves(variable.held)

    def enter(self, loop: Repeating) -> None:
        """Give the variables their stand-ins."""
        for variable in self.variables:
            for leaf in author.leaves(variable.held):
                entry: Entry = leaf.data
                inside = merging.standing(
                    self.trace, entry.like, loop, entry.slot, loop.body, loop.place, variable.name
                )
                entry.inside, entry.slot.arg = inside, _node(inside)
                loop.entered.append(entry.slot)
            if not variable.explicit:
                _assign(variable, _inside)

    def start(self, variable: Variable, value: object) -> object:
        """What the for statement gives a declared variable."""
        return author.rebuilt(variable.held, value, _inside)

    # --- leaving

    def leave(self, loop: Repeating) -> None:
        """Find what the body left, while it is still open."""
        for variable in self.variables:
            now = variable.frame.f_locals.get(variable.name)
            pairs = author.paired(variable.held, now)
            if pairs is None:
                in_place = isinstance(variable.held, Held) and now is variable.held.origin
                if in_place or variable.explicit or _any_used(loop, variable.held):
                    _refuse(loop, variable, variable.held, now)
                continue
            for leaf, value in pairs:
                self._left(loop, variable, leaf, value)

    def _left(self, loop: Repeating, variable: Variable, leaf: Leaf, value: object) -> None:
        entry: Entry = leaf.data
        if entry.slot.misuse is not None:
            raise entry.slot.misuse
        if value is entry.inside:
            return
        entry.slot.after = merging.node_in_order(self.trace, entry.like, value)
        if entry.slot.after is not None:
            loop.slots.append(entry.slot)
        elif variable.explicit or _used_in(loop, entry.slot.arg):
            _refuse(loop, variable, leaf, value)

    def undo(self) -> None:
        """Give the variables what they held before the loop, which is traced again."""
        for variable in self.variables:
            if variable.explicit:
                continue
            held = variable.held
            before = held.value if isinstance(held, Leaf) else getattr(held, "origin", None)
            value = author.rebuilt(held, before, _outside)
            author.assign(variable.frame, variable.name, value)

    def restore(self, loop: Repeating) -> None:
        """Give the variables what holds after the loop."""
        for variable in self.variables:
            now = variable.frame.f_locals.get(variable.name)
            pairs = author.paired(variable.held, now)
            if pairs is None:
                continue
            found = [self._result(loop, variable, leaf, value) for leaf, value in pairs]
            values = iter(found)
            _assign(variable, partial(_next, values))

    def _result(self, loop: Repeating, variable: Variable, leaf: Leaf, value: object) -> object:
        entry: Entry = leaf.data
        if value is entry.inside:
            return leaf.value
        if entry.slot.after is None:
            return value
        result = merging.standing(
            self.trace, entry.like, loop, entry.slot, loop.block, loop.place, variable.name
        )
        entry.slot.result = _node(result)
        return result


def _outside(leaf: Leaf) -> object:
    return leaf.value


def _inside(leaf: Leaf) -> object:
    return leaf.data.inside


def _next(values: Iterator[object], leaf: Leaf) -> object:
    del leaf
    return next(values)


def _loaded(value: object) -> object:
    from spyrelang.language.memory import load

    return load(value) if isinstance(value, Tile) else value


def _node(value: Tensor | Index) -> Node:
    node = value.node
    assert isinstance(node, Node)
    return node


def _assign(variable: Variable, take: Any) -> None:
    now = variable.frame.f_locals.get(variable.name)
    value = author.rebuilt(variable.held, now, take)
    if value is not now:
        author.assign(variable.frame, variable.name, value)


def _mutable(held: Tree) -> bool:
    """Whether it can change without an assignment."""
    if not isinstance(held, Held):
        return False
    return not isinstance(held.origin, tuple) or any(_mutable(p) for p in held.parts)


def _refuse(loop: Repeating, variable: Variable, held: Tree, now: object) -> None:
    before = held.value if isinstance(held, Leaf) else getattr(held, "origin", None)
    fail(
        errors.CARRIED, place=loop.place, name=variable.name,
        before=_text(before), after=_text(now),
    )  # fmt: skip


def _any_used(loop: Repeating, held: Tree) -> bool:
    return any(_used_in(loop, leaf.data.slot.arg) for leaf in author.leaves(held))


def _used_in(loop: Repeating, node: Node | None) -> bool:
    return any(_used(block, node) for block in loop.blocks())


def _used(block: Block, node: Node | None) -> bool:
    """Whether something in a block, or in the blocks inside it, needs a node."""
    for found in block.walk():
        if any(operand is node for operand in found.operands()):
            return True
        if not isinstance(found, Slotted):
            continue
        for slot in found.slots:
            passed = any(source is node for source in slot.sources())
            if passed and any(
                _used(b, n) for b in (*found.blocks(), found.block) for n in (slot.arg, slot.result)
            ):
                return True
    return False


# --- what cannot be carried -----------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """What the body did to variable `name`. `traced`: it holds traced values."""

    name: str
    before: str
    after: str
    traced: bool
    hint: str | None = None


class Watch:
    """The author's other variables when a loop's body begins."""

    def __init__(
        self, frame: FrameType | None, info: CodeInfo | None, skipped: set[str] | None = None
    ) -> None:
        self._before: dict[str, object] = {}
        self._held: dict[str, list[object]] = {}
        self._carriers: frozenset[str] = frozenset()
        if frame is None or info is None:
            return
        kept = skipped or set()
        self._before = {n: v for n, v in frame.f_locals.items() if n not in kept}
        self._held = {n: _held(v) for n, v in self._before.items() if isinstance(v, _CONTAINERS)}
        self._carriers = frozenset(_read_first(info, frame.f_lasti))

    def changes(self, frame: FrameType | None) -> Iterator[Change]:
        """What has been carried, now that the body has ended."""
        after = dict(frame.f_locals) if frame is not None else {}
        for name, old in self._before.items():
            new = after.get(name, old)
            if new is old and name in self._held:
                yield from self._container_change(name, new)
            elif name in self._carriers and not author.same(old, new):
                traced = isinstance(old, Traced) or isinstance(new, Traced)
                yield Change(name, _text(old), _text(new), traced)

    def numbers(self, frame: FrameType) -> Iterator[tuple[str, Number, Tensor]]:
        """The variables that held a number and hold a tensor now, which carries it."""
        after = frame.f_locals
        for name, old in self._before.items():
            number, new = as_number(old), after.get(name)
            if number is not None and isinstance(new, Tensor) and name in self._carriers:
                yield name, number, new

    def containers_changed(self) -> bool:
        """Whether the body changed a list, dict or set."""
        return any(
            next(self._container_change(name, value), None) is not None
            for name, value in self._before.items()
            if name in self._held
        )

    def undo(self, frame: FrameType) -> None:
        """Give the variables what they held when the body began."""
        now = dict(frame.f_locals)
        for name, old in self._before.items():
            if now.get(name) is not old:
                author.assign(frame, name, old)

    def _container_change(self, name: str, value: object) -> Iterator[Change]:
        old, new = self._held[name], _held(value)
        if len(old) != len(new) or any(a is not b for a, b in zip(old, new, strict=True)):
            traced = any(isinstance(v, Traced) for v in new)
            hint = "store what an iteration makes, or unroll with Python's range"
            before, after = _contents(value, old), _contents(value, new)
            if before == after:
                after = "one of other contents"
            yield Change(name, before, after, traced, hint if traced else None)


def _held(container: object) -> list[object]:
    if isinstance(container, dict):
        return [item for pair in container.items() for item in pair]
    return list(container) if isinstance(container, (list, set)) else []


def _contents(container: object, held: list[object]) -> str:
    count = len(held) // 2 if isinstance(container, dict) else len(held)
    return f"a {type(container).__name__} of length {count}"


def _text(value: object) -> str:
    if isinstance(value, Tensor):
        return f"{value.describe()} of shape {value.shape} and type {value.dtype}"
    return value.describe() if isinstance(value, Traced) else repr(value)[:40]


# --- reading the body -----------------------------------------------------------------------------


def _body(info: CodeInfo, lasti: int) -> Iterator[dis.Instruction]:
    """The instructions of the body of the loop at `lasti`."""
    at = info.index(lasti)
    loop = info.instructions[at]
    if loop.opname != "FOR_ITER":
        return
    for instruction in info.instructions[at + 1 :]:
        if instruction.offset >= loop.argval:
            return
        yield instruction


def _touched(info: CodeInfo, lasti: int) -> tuple[set[str], set[str]]:
    """The variables that the body stores to, and those that it only reads."""
    stored: set[str] = set()
    loaded: set[str] = set()
    for instruction in _body(info, lasti):
        for name, reads in _accesses(instruction):
            (loaded if reads else stored).add(name)
    return stored, loaded - stored


def _read_first(info: CodeInfo, lasti: int) -> Iterator[str]:
    """The variables that the body of the loop at `lasti` reads before it writes them."""
    seen: set[str] = set()
    for instruction in _body(info, lasti):
        for name, reads in _accesses(instruction):
            if reads and name not in seen:
                yield name
            seen.add(name)


def targets(info: CodeInfo, lasti: int) -> tuple[tuple[int, ...], list[str]]:
    """What the for statement at `lasti` unpacks and stores: the counts of its unpackings, and the
    variables; none where a target is no variable."""
    counts: list[int] = []
    names: list[str] = []
    wanted = 1
    for instruction in _body(info, lasti):
        if instruction.opname in ("EXTENDED_ARG", "CACHE", "NOP", "COPY"):
            continue
        if instruction.opname == "UNPACK_SEQUENCE":
            counts.append(int(instruction.argval))
            wanted += counts[-1] - 1
            continue
        stores = [name for name, reads in _accesses(instruction) if not reads]
        if not stores:
            return tuple(counts), []
        names += stores
        if len(names) >= wanted:
            break
    return tuple(counts), names[:wanted]


def _accesses(instruction: dis.Instruction) -> Iterator[tuple[str, bool]]:
    """The variables an instruction touches in order, and whether it reads them."""
    opname, value = instruction.opname, instruction.argval
    reads = ("LOAD_FAST", "LOAD_DEREF", "LOAD_NAME", "LOAD_CLOSURE")
    if not opname.startswith((*reads, "STORE_")):
        return
    if opname in ("STORE_SUBSCR", "STORE_ATTR", "STORE_SLICE"):
        return
    if isinstance(value, str):
        yield value, opname.startswith("LOAD")
    elif isinstance(value, tuple):  # two in one: LOAD_FAST_LOAD_FAST, STORE_FAST_LOAD_FAST, …
        kinds = [part for part in opname.split("_") if part in ("LOAD", "STORE")]
        for name, kind in zip(value, kinds, strict=False):
            yield str(name), kind == "LOAD"
