"""The author's variables: which ones hold traced values, and giving them other values.

The body of a loop is traced once. What it carries is found by looking at the variables before and
after it, and put right by assigning to them, so no source text is needed. Assigning to the
variables of a running function is what debuggers do.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from inspect import CO_GENERATOR
from types import FrameType, FunctionType
from typing import Any

from spyrelang.language.index import as_integer
from spyrelang.language.place import OURS, is_author

_DEEPEST = 4
_CPYTHON = sys.implementation.name == "cpython"


def frames(innermost: FrameType | None) -> list[FrameType]:
    """The author's function and, where it is a generator, whose loop it feeds, and so on."""
    found: list[FrameType] = []
    frame = innermost
    while frame is not None:
        if is_author(frame):
            found.append(frame)
            if not frame.f_code.co_flags & CO_GENERATOR:
                break
        frame = frame.f_back
    return found


def held_by(frame: FrameType) -> dict[str, Any]:
    """The variables of a running function, without those that we put there (see `OURS`)."""
    return {n: v for n, v in frame.f_locals.items() if not n.startswith(OURS)}


def assign(frame: FrameType, name: str, value: object) -> None:
    """Give a variable of a running function a value."""
    variables = frame.f_locals
    variables[name] = value
    if _CPYTHON and sys.version_info < (3, 13):  # later, f_locals is no copy
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))


def can_assign() -> bool:
    """Whether this Python lets us."""
    return _CPYTHON


# --- what a variable holds ------------------------------------------------------------------------


@dataclass
class Leaf:
    """A traced value; `data` is what its owner knows of it."""

    value: Any
    data: Any = None


@dataclass
class Held:
    """A container: its parts in order, with their keys. `origin` is the container itself."""

    origin: Any
    keys: list[Any]
    parts: list[Tree] = field(default_factory=list["Tree"])


@dataclass
class Other:
    """Anything else."""

    value: Any


Tree = Leaf | Held | Other


def tree(value: object, is_leaf: Callable[[object], bool], depth: int = _DEEPEST) -> Tree:
    """What `value` holds; containers without traced values are `Other`."""
    if is_leaf(value):
        return Leaf(value)
    items = _items(value) if depth else None
    if items is None:
        return Other(value)
    parts = [tree(item, is_leaf, depth - 1) for _, item in items]
    if all(isinstance(part, Other) for part in parts):
        return Other(value)
    return Held(value, [key for key, _ in items], parts)


def counted(value: object, is_leaf: Callable[[object], bool]) -> Tree:
    """`tree`, where an integer of Python may become a traced one as well."""
    number = as_integer(value)
    return tree(value, is_leaf) if number is None else Leaf(number)


def _items(value: Any) -> list[tuple[Any, Any]] | None:
    """The keys and parts of a container; None for what is none."""
    if isinstance(value, (tuple, list)):
        return list(enumerate(value))
    if isinstance(value, dict):
        return list(value.items())
    return list(vars(value).items()) if _is_record(value) else None


def _is_record(value: Any) -> bool:
    """Whether it is an object of a class of the author's, whose attributes can change."""
    kind = type(value)
    plain = isinstance(kind.__init__, FunctionType) or kind.__init__ is object.__init__
    ours = kind.__module__.startswith(("spyrelang.", "numpy", "builtins"))
    return plain and not ours and not isinstance(value, type) and hasattr(value, "__dict__")


def leaves(found: Tree) -> Iterator[Leaf]:
    """The traced values in order."""
    if isinstance(found, Leaf):
        yield found
    elif isinstance(found, Held):
        for part in found.parts:
            yield from leaves(part)


def paired(found: Tree, value: Any) -> Iterator[tuple[Leaf, Any]] | None:
    """The leaves with what stands in their places in `value`; None where it is built otherwise."""
    pairs: list[tuple[Leaf, Any]] = []
    return iter(pairs) if _pair(found, value, pairs) else None


def _pair(found: Tree, value: Any, pairs: list[tuple[Leaf, Any]]) -> bool:
    if isinstance(found, Leaf):
        pairs.append((found, value))
        return True
    if isinstance(found, Other):
        return found.value is value or same(found.value, value)
    if type(value) is not type(found.origin):
        return False
    items = _items(value)
    if items is None or [key for key, _ in items] != found.keys:
        return False
    return all(_pair(p, item, pairs) for p, (_, item) in zip(found.parts, items, strict=True))


def rebuilt(found: Tree, value: Any, take: Callable[[Leaf], Any]) -> Any:
    """`value`, built like the tree, with other leaves; all but tuples are changed in place."""
    if isinstance(found, Leaf):
        return take(found)
    if isinstance(found, Other):
        return value
    items = [item for _, item in _items(value) or ()]
    new = [rebuilt(p, item, take) for p, item in zip(found.parts, items, strict=True)]
    if isinstance(value, tuple):
        maker = getattr(value, "_make", type(value))  # type: ignore[reportUnknownArgumentType]
        return maker(new)
    changed = value if isinstance(value, (list, dict)) else vars(value)
    for key, item in zip(found.keys, new, strict=True):
        changed[key] = item
    return value


def same(a: object, b: object) -> bool:
    """Numbers and strings by value, everything else by identity."""
    plain = (bool, int, float, str)
    return a is b or (type(a) is type(b) and isinstance(a, plain) and a == b)
