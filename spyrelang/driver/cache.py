"""The compile cache: what a compiled kernel depends on, as a key."""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable
from typing import Any

_MAX_ENTRIES = 256

_PLAIN = (int, float, complex, str, bytes, bool, type(None))


class Cache:
    """Compiled kernels by key, the least recently used dropped first."""

    def __init__(self, limit: int = _MAX_ENTRIES) -> None:
        self._limit = limit
        self._entries: dict[Hashable, Any] = {}

    def get(self, key: Hashable) -> Any:
        """The entry, or None."""
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._entries[key] = entry
        return entry

    def put(self, key: Hashable, entry: Any) -> None:
        self._entries[key] = entry
        while len(self._entries) > self._limit:
            del self._entries[next(iter(self._entries))]

    def clear(self) -> None:
        self._entries.clear()

    def __len__(self) -> int:
        return len(self._entries)


COMPILED = Cache()
"""The process's compiled kernels."""


def fingerprint(function: Callable[..., Any]) -> Hashable:
    """What tracing `function` may depend on besides its arguments: its code, its defaults, the
    closure and the globals it reads, and the same of every Python function among those.

    Numbers, strings and tuples of them count by value; other objects by identity.
    """
    return _function(function, set())


def _function(function: Callable[..., Any], seen: set[int]) -> Hashable:
    target = getattr(function, "__wrapped__", function)
    code = getattr(target, "__code__", None)
    if code is None or id(code) in seen:
        return id(target)
    seen.add(id(code))
    closure = tuple(_value(_cell(cell), seen) for cell in target.__closure__ or ())
    defaults = _value(target.__defaults__, seen), _value(target.__kwdefaults__, seen)
    names = tuple(_global_names(code))
    read = tuple((name, _value(target.__globals__.get(name), seen)) for name in names)
    return code, defaults, closure, read


def _cell(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _global_names(code: types.CodeType) -> list[str]:
    """Names that the code, and functions defined in it, may look up in its globals."""
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names += _global_names(constant)
    return sorted(set(names))


def _value(value: Any, seen: set[int]) -> Hashable:
    if isinstance(value, _PLAIN):
        return type(value).__name__, value
    if isinstance(value, (tuple, list)):
        return type(value).__name__, tuple(_value(item, seen) for item in value)
    if isinstance(value, dict):
        return "dict", tuple((_value(k, seen), _value(v, seen)) for k, v in value.items())
    if isinstance(value, types.FunctionType):
        return _function(value, seen)
    return "object", id(value)
