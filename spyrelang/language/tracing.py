"""The trace that is being recorded: where nodes go, and how errors find the author's line."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, NoReturn, TypeVar

from spyrelang.errors import ErrorKind, Note, SpyreError
from spyrelang.errors import trace as errors
from spyrelang.language.graph import Block, Branch, IndexNode, Node, TileId
from spyrelang.language.place import Finder, Place

N = TypeVar("N", bound=Node)


@dataclass(eq=False)
class Trace:
    """One kernel being traced.

    `symbols` number what affine index expressions are made of (dim i stands for symbols[i]): tile
    ids, loop variables, and results of index operations that are not affine. `sizes` are the named
    ones of the annotations.
    """

    name: str
    grid: tuple[int, ...]
    finder: Finder = field(default_factory=Finder)
    root: Block = field(default_factory=Block)
    block: Block = field(init=False)
    symbols: list[IndexNode] = field(default_factory=list[IndexNode])
    stored: set[str] = field(default_factory=set[str])
    cache: dict[object, object] = field(default_factory=dict[object, object])
    sizes: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        self.block = self.root

    def add(self, node: N) -> N:
        """Append `node` to the current block."""
        self.block.nodes.append(node)
        return node

    def symbol(self, node: IndexNode) -> int:
        """The number of the expression dim for `node`; tile ids of one axis share theirs."""
        for number, known in enumerate(self.symbols):
            if known is node or _same_axis(known, node):
                return number
        self.symbols.append(node)
        return len(self.symbols) - 1


def _same_axis(a: IndexNode, b: IndexNode) -> bool:
    return isinstance(a, TileId) and isinstance(b, TileId) and a.axis == b.axis


_CURRENT: ContextVar[Trace | None] = ContextVar("spyrelang_trace", default=None)


def new_trace(name: str, grid: tuple[int, ...], kernel: CodeType) -> Trace:
    """A trace whose errors are placed in `kernel`."""
    return Trace(name, grid, Finder(kernel))


@contextmanager
def recording(trace: Trace) -> Generator[Trace]:
    """Make `trace` the current one."""
    token = _CURRENT.set(trace)
    try:
        yield trace
    finally:
        _CURRENT.reset(token)


def active() -> Trace | None:
    """The trace being recorded in this context, if any."""
    return _CURRENT.get()


def current(what: str) -> Trace:
    """The trace being recorded; `what` was called, which needs one."""
    trace = _CURRENT.get()
    if trace is None:
        fail(errors.OUTSIDE_KERNEL, what=what)
    return trace


def here() -> Place:
    """The author's place."""
    return finder().place()


def finder() -> Finder:
    """The finder of the current trace, or a fresh one outside of kernels."""
    trace = _CURRENT.get()
    return trace.finder if trace is not None else Finder()


def error(kind: ErrorKind, *notes: Note, place: Place | None = None, **values: Any) -> SpyreError:
    """The error of `kind` at `place` (default: where the author's code is now)."""
    where = place or here()
    hint = values.pop("hint", None)
    helper = where.helper
    if helper is not None:
        notes = (Note(f"in '{helper[0]}', which the kernel called here", helper[1]), *notes)
    text = str(hint) if hint is not None else None
    return kind.error(where.location, notes=notes, hint=text, **values)


def fail(kind: ErrorKind, *notes: Note, place: Place | None = None, **values: Any) -> NoReturn:
    """Raise `error(...)`."""
    raise error(kind, *notes, place=place, **values)


def kind_of(value: object) -> str:
    """What a Python object is, in words: "an int"."""
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def note(message: str, node: Node) -> Note:
    """A note that points at the code that made `node`."""
    return Note(message, node.place.location)


def check_usable(trace: Trace, owner: Trace, node: Node, what: str) -> None:
    """Refuse a value of another kernel, or one whose loop has ended."""
    if owner is not trace:
        fail(errors.FOREIGN_VALUE, note("it was made here", node), what=what)
    if all(block is not node.block for block in trace.block.chain()):
        kind = "branch" if isinstance(node.block.owner, Branch) else "loop"
        fail(errors.ESCAPED_VALUE, note("it was made here", node), what=what, where=kind)
