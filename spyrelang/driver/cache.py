"""The compile cache: what a compiled kernel depends on, as a key."""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

_MAX_ENTRIES = 256

_LARGEST_ARRAY = 1 << 16
"""Bytes of an array up to which it counts by its contents."""

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

    Numbers, strings, containers of them, small arrays and the attributes of the author's own
    objects count by value; other objects by identity.
    """
    return _function(function, set())


class _Same:
    """An object by identity. It is kept alive: the address of a dead one may be used again."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __hash__(self) -> int:
        return id(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._value is other._value


def _function(function: Callable[..., Any], seen: set[int]) -> Hashable:
    target = getattr(function, "__wrapped__", function)
    code = getattr(target, "__code__", None)
    if code is None or id(code) in seen:
        return _Same(target)
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
    return "object", _Same(value), _contents(value, seen)


def _contents(value: Any, seen: set[int]) -> Hashable:
    """What may change inside an object that stays the same one; None where nothing of ours reads
    it (modules, classes, objects of libraries)."""
    if isinstance(value, np.ndarray):
        small = value.nbytes <= _LARGEST_ARRAY and not value.dtype.hasobject
        return (value.shape, value.dtype.str, value.tobytes()) if small else None
    library = type(value).__module__.partition(".")[0] in ("spyrelang", "builtins", "numpy")
    attributes = getattr(value, "__dict__", None)
    if library or not isinstance(attributes, dict) or isinstance(value, (type, types.ModuleType)):
        return None
    if id(value) in seen:
        return None
    seen.add(id(value))
    return tuple((str(name), _value(item, seen)) for name, item in attributes.items())
