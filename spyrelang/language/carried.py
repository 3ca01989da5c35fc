"""Python variables that a loop's body changes: the body is traced once, so none may be carried.

A variable is carried when the body reads it before writing it and leaves another value in it.
Lists, dicts and sets are carried when the body changes what they hold.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType

from spyrelang.language.index import Traced
from spyrelang.language.place import CodeInfo

_CONTAINERS = (list, dict, set)


@dataclass(frozen=True)
class Change:
    """What the body did to variable `name`. `traced`: it holds traced values."""

    name: str
    before: str
    after: str
    traced: bool


class Watch:
    """The author's variables when a loop's body begins."""

    def __init__(self, frame: FrameType | None, info: CodeInfo | None) -> None:
        self._before: dict[str, object] = {}
        self._held: dict[str, list[object]] = {}
        self._carriers: frozenset[str] = frozenset()
        if frame is None or info is None:
            return
        self._before = dict(frame.f_locals)
        self._held = {n: _held(v) for n, v in self._before.items() if isinstance(v, _CONTAINERS)}
        self._carriers = frozenset(_read_first(info, frame.f_lasti))

    def changes(self, frame: FrameType | None) -> Iterator[Change]:
        """What has been carried, now that the body has ended."""
        after = dict(frame.f_locals) if frame is not None else {}
        for name, old in self._before.items():
            new = after.get(name, old)
            if new is old and name in self._held:
                yield from self._container_change(name, new)
            elif name in self._carriers and not _same(old, new):
                traced = isinstance(old, Traced) or isinstance(new, Traced)
                yield Change(name, _text(old), _text(new), traced)

    def _container_change(self, name: str, value: object) -> Iterator[Change]:
        old, new = self._held[name], _held(value)
        if len(old) != len(new) or any(a is not b for a, b in zip(old, new, strict=True)):
            kind = type(value).__name__
            traced = any(isinstance(v, Traced) for v in new)
            yield Change(name, f"a {kind} of {len(old)}", f"a {kind} with other contents", traced)


def _held(container: object) -> list[object]:
    if isinstance(container, dict):
        return [item for pair in container.items() for item in pair]
    return list(container) if isinstance(container, (list, set)) else []


def _same(a: object, b: object) -> bool:
    """Numbers and strings by value, everything else by identity."""
    plain = (bool, int, float, str)
    return a is b or (type(a) is type(b) and isinstance(a, plain) and a == b)


def _text(value: object) -> str:
    return value.describe() if isinstance(value, Traced) else repr(value)[:40]


def _read_first(info: CodeInfo, lasti: int) -> Iterator[str]:
    """The variables that the body of the loop at `lasti` reads before it writes them."""
    at = info.index(lasti)
    loop = info.instructions[at]
    if loop.opname != "FOR_ITER":
        return
    seen: set[str] = set()
    for instruction in info.instructions[at + 1 :]:
        if instruction.offset >= loop.argval:
            return
        for name, reads in _accesses(instruction):
            if reads and name not in seen:
                yield name
            seen.add(name)


def _accesses(instruction: dis.Instruction) -> Iterator[tuple[str, bool]]:
    """The variables an instruction touches in order, and whether it reads them."""
    opname, value = instruction.opname, instruction.argval
    if not opname.startswith(("LOAD_FAST", "LOAD_DEREF", "LOAD_NAME", "STORE_")):
        return
    if opname in ("STORE_SUBSCR", "STORE_ATTR", "STORE_SLICE"):
        return
    if isinstance(value, str):
        yield value, opname.startswith("LOAD")
    elif isinstance(value, tuple):  # two in one: LOAD_FAST_LOAD_FAST, STORE_FAST_LOAD_FAST, …
        kinds = [part for part in opname.split("_") if part in ("LOAD", "STORE")]
        for name, kind in zip(value, kinds, strict=False):
            yield str(name), kind == "LOAD"
