"""One reader and one writer for every dataclass of `isa.program`, driven by annotations.

int: zigzag varint; bool: one byte; float: 8 bytes; str: index into the string table; `X | None`: a
flag; tuples: a length unless fixed; a dataclass: its fields in order, and before them a class
number where the annotation is a base class with subclasses; `object`: a type tag and the value.
"""

from __future__ import annotations

import struct
import types
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from spyrelang.errors.engine import UNENCODABLE

_FLOAT = struct.Struct("<d")
_PLAIN: tuple[type, ...] = (bool, int, float, str, tuple)  # `object` values, by tag
_LARGEST_SHIFT = 70  # a varint longer than this is damage, not data


@cache
def subclasses(base: type) -> tuple[type, ...]:
    """Concrete classes an annotation of `base` may hold, in a stable order; empty for a leaf."""
    found: set[type] = set()
    pending = [base]
    while pending:
        below = [c for c in pending.pop().__subclasses__() if is_dataclass(c)]
        found.update(below)
        pending += below
    return tuple(sorted(found, key=lambda c: c.__name__))


@cache
def layout(cls: type) -> tuple[tuple[str, Any], ...]:
    """(field name, annotation) of what the constructor of a dataclass takes, in order."""
    hints = get_type_hints(cls)
    return tuple((f.name, hints[f.name]) for f in fields(cls) if f.init)


@cache
def shape(annotation: Any) -> tuple[str, Any]:
    """What an annotation asks for: ("int", None), ("many", item), ("fixed", items), …"""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        rest = [a for a in args if a is not type(None)]
        return ("optional", rest[0]) if len(rest) == 1 else ("any", None)
    if origin is tuple:
        return ("many", args[0]) if len(args) == 2 and args[1] is ... else ("fixed", args)
    if annotation in (bool, int, float, str):
        return annotation.__name__, None
    if annotation is object or annotation is Any:
        return "any", None
    return ("base" if subclasses(annotation) else "leaf"), annotation


class Writer:
    """Collects bytes; `finish` puts the string table in front."""

    def __init__(self) -> None:
        self._out = bytearray()
        self._strings: dict[str, int] = {}

    def finish(self) -> bytes:
        """String table and everything written."""
        body, self._out = self._out, bytearray()
        self._number(len(self._strings))
        for text in self._strings:
            raw = text.encode("utf-8", "surrogatepass")
            self._number(len(raw))
            self._out += raw
        return bytes(self._out + body)

    def value(self, value: Any, annotation: Any, where: str) -> None:
        """Write `value` as `annotation` says; `where` names it in errors."""
        kind, detail = shape(annotation)
        getattr(self, f"_{kind}")(value, detail, where)

    def _number(self, value: int) -> None:
        while value >= 0x80:
            self._out.append(value & 0x7F | 0x80)
            value >>= 7
        self._out.append(value)

    def _refuse(self, value: Any, wanted: str, where: str) -> None:
        reason = f"{type(value).__name__} {value!r} is not {wanted}"
        raise UNENCODABLE.error(where=where, reason=reason)

    def _int(self, value: Any, _: Any, where: str) -> None:
        if not isinstance(value, int) or not -(2**63) <= value < 2**64:
            self._refuse(value, "an integer of 64 bits", where)
        self._number(value * 2 if value >= 0 else -value * 2 - 1)

    def _bool(self, value: Any, _: Any, where: str) -> None:
        if not isinstance(value, bool):
            self._refuse(value, "a boolean", where)
        self._out.append(value)

    def _float(self, value: Any, _: Any, where: str) -> None:
        if not isinstance(value, (int, float)):
            self._refuse(value, "a number", where)
        self._out += _FLOAT.pack(value)

    def _str(self, value: Any, _: Any, where: str) -> None:
        if not isinstance(value, str):
            self._refuse(value, "a string", where)
        self._number(self._strings.setdefault(value, len(self._strings)))

    def _optional(self, value: Any, inner: Any, where: str) -> None:
        self._out.append(value is not None)
        if value is not None:
            self.value(value, inner, where)

    def _many(self, value: Any, item: Any, where: str) -> None:
        if not isinstance(value, tuple):
            self._refuse(value, "a tuple", where)
        self._number(len(value))
        for i, entry in enumerate(value):
            self.value(entry, item, f"{where}[{i}]")

    def _fixed(self, value: Any, items: Any, where: str) -> None:
        if not isinstance(value, tuple) or len(value) != len(items):
            self._refuse(value, f"a tuple of {len(items)}", where)
        for i, (entry, item) in enumerate(zip(value, items, strict=True)):
            self.value(entry, item, f"{where}[{i}]")

    def _any(self, value: Any, _: Any, where: str) -> None:
        for tag, plain in enumerate(_PLAIN):
            if type(value) is plain:
                self._out.append(tag)
                self.value(value, tuple[object, ...] if plain is tuple else plain, where)
                return
        self._refuse(value, "an int, float, string, boolean or tuple", where)

    def _base(self, value: Any, base: Any, where: str) -> None:
        known = subclasses(base)
        if type(value) not in known:
            self._refuse(value, f"a {base.__name__}", where)
        self._number(known.index(type(value)))
        self._leaf(value, type(value), where)

    def _leaf(self, value: Any, cls: Any, where: str) -> None:
        if type(value) is not cls:
            self._refuse(value, f"a {cls.__name__}", where)
        for name, annotation in layout(cls):
            self.value(getattr(value, name), annotation, f"{where}.{name}")


class Reader:
    """Reads what `Writer` wrote. Damage shows as ValueError, IndexError or TypeError."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._strings = [self._text() for _ in range(self._length())]

    def value(self, annotation: Any) -> Any:
        """The next value, of the type `annotation` says."""
        kind, detail = shape(annotation)
        return getattr(self, f"_{kind}")(detail)

    def end(self) -> None:
        """Fail unless everything was read."""
        if self._at != len(self._data):
            raise ValueError(f"{len(self._data) - self._at} bytes are left over")

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _number(self) -> int:
        result = 0
        for shift in range(0, _LARGEST_SHIFT, 7):
            byte = self._byte()
            result |= (byte & 0x7F) << shift
            if byte < 0x80:
                return result
        raise ValueError("an integer does not end")

    def _length(self) -> int:
        count = self._number()
        if count > len(self._data) - self._at:
            raise ValueError("a length runs past the end")
        return count

    def _raw(self, count: int) -> bytes:
        if count > len(self._data) - self._at:
            raise ValueError("it ends early")
        self._at += count
        return self._data[self._at - count : self._at]

    def _text(self) -> str:
        return self._raw(self._length()).decode("utf-8", "surrogatepass")

    def _int(self, _: Any) -> int:
        number = self._number()
        return number >> 1 if number % 2 == 0 else -(number + 1 >> 1)

    def _bool(self, _: Any) -> bool:
        return bool(self._byte())

    def _float(self, _: Any) -> float:
        return float(_FLOAT.unpack(self._raw(8))[0])

    def _str(self, _: Any) -> str:
        return self._strings[self._number()]

    def _optional(self, inner: Any) -> Any:
        return self.value(inner) if self._byte() else None

    def _many(self, item: Any) -> tuple[Any, ...]:
        return tuple([self.value(item) for _ in range(self._number())])

    def _fixed(self, items: Any) -> tuple[Any, ...]:
        return tuple([self.value(item) for item in items])

    def _any(self, _: Any) -> Any:
        plain = _PLAIN[self._byte()]
        return self.value(tuple[object, ...] if plain is tuple else plain)

    def _base(self, base: Any) -> Any:
        return self._leaf(subclasses(base)[self._number()])

    def _leaf(self, cls: Any) -> Any:
        return cls(*[self.value(annotation) for _, annotation in layout(cls)])
