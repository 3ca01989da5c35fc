"""Strict reading of the JSON of an artifact: each value is checked where it is taken out.

A `Where` knows the file and, inside a plan, the command; it prefixes messages and finds the line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from spyrelang.errors import Location
from spyrelang.errors import artifact as errors

Json = Mapping[str, object]

_DIGITS = re.compile(r"[0-9]+")


@dataclass(frozen=True)
class Where:
    """A file of the artifact and, within a job plan, one command of it."""

    file: str
    plan: str = ""
    index: int = -1
    command: str = ""

    def __str__(self) -> str:
        if not self.plan:
            return ""
        entry = f"{self.plan}[{self.index}]"
        named = f"{self.command} ({entry})" if self.command else entry
        return f"Failed to parse SpyreCode command {named}: "

    def at(self, plan: str, index: int, command: str = "") -> Where:
        return Where(self.file, plan, index, command)

    def location(self, key: str = "command") -> Location:
        """The place of a key of the command (or of the file); of the command where it has none."""
        try:
            text = Path(self.file).read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return Location(self.file)
        start, stop = _command(text, self.plan, self.index) if self.plan else (0, len(text))
        keys = [rf'"{re.escape(name)}"(?=\s*:)' for name in (key, "command")]
        found = next(filter(None, (re.compile(k).search(text, start, stop) for k in keys)), None)
        if found is None and not self.plan:
            return Location(self.file)
        first, last = found.span() if found else (start, start + 1)
        col = first - text.rfind("\n", 0, first)
        return Location(self.file, text.count("\n", 0, first) + 1, col, col + last - first)


def _command(text: str, plan: str, index: int) -> tuple[int, int]:
    """Where the `index`-th command of `plan` begins and ends."""
    start = re.search(rf'"{plan}"\s*:\s*\[\s*', text)
    if start is None or index < 0:
        return 0, 0
    position, decoder = start.end(), json.JSONDecoder()
    try:
        for _ in range(index):
            position = decoder.raw_decode(text, position)[1]
            while position < len(text) and text[position] in ", \t\r\n":
                position += 1
        return position, decoder.raw_decode(text, position)[1]
    except (ValueError, RecursionError):
        return position, position


def load_json(path: Path) -> object:
    """The parsed file. Errors: unreadable, not UTF-8 JSON, a repeated key, nesting too deep."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise errors.FILE_UNREADABLE.error(
            Location(str(path)), path=path, detail=error.strerror or error
        ) from None
    return parse_json(data, path)


def parse_json(data: bytes, path: Path) -> object:
    """`load_json` of bytes that were read already."""
    try:
        return json.loads(
            data.decode("utf-8"), object_pairs_hook=_unique_keys, parse_constant=_no_constant
        )
    except json.JSONDecodeError as error:
        place = Location(str(path), error.lineno, error.colno, error.colno + 1)
        raise errors.JSON_MALFORMED.error(place, name=path.name, detail=error.msg) from None
    except (ValueError, RecursionError) as error:
        raise errors.JSON_MALFORMED.error(
            Location(str(path)), name=path.name, detail=error
        ) from None


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key '{twice}' appears twice in one object")
    return result


def shown(value: object) -> str:
    """A JSON value as a short text for messages."""
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def as_object(value: object) -> Json | None:
    return cast("Json", value) if isinstance(value, dict) else None


def as_list(value: object) -> Sequence[object] | None:
    return cast("Sequence[object]", value) if isinstance(value, list) else None


def as_int(value: object) -> int | None:
    """A JSON integer; booleans are not numbers."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def required(where: Where, properties: Json, name: str) -> object:
    if name not in properties:
        raise errors.PROPERTY_MISSING.error(
            where.location(), where=where, command=where.command, name=name
        )
    return properties[name]


def string(where: Where, properties: Json, name: str) -> str:
    value = required(where, properties, name)
    if not isinstance(value, str):
        raise _wrong_type(where, name, "a string", value)
    return value


def decimal(where: Where, properties: Json, name: str) -> int:
    """An unsigned 64-bit number written as a decimal string."""
    value = required(where, properties, name)
    return parse_decimal(where, name, value)


def parse_decimal(where: Where, name: str, value: object, bits: int = 64) -> int:
    """`value` as an unsigned number of `bits` bits; every malformed spelling has its error."""
    if not isinstance(value, str):
        raise _wrong_type(where, name, "a decimal string", value)
    if value.lstrip().startswith("-"):
        raise errors.NUMBER_NEGATIVE.error(
            where.location(name), where=where, name=name, value=value
        )
    match = _DIGITS.match(value)
    if match is None:
        raise errors.NUMBER_INVALID.error(where.location(name), where=where, name=name, value=value)
    if match.end() != len(value):
        raise errors.NUMBER_TRAILING.error(
            where.location(name), where=where, name=name, value=value
        )
    digits = value.lstrip("0") or "0"
    if len(digits) > 20 or int(digits) >= 1 << bits:
        raise errors.NUMBER_RANGE.error(
            where.location(name), where=where, name=name, value=value[:40], bits=bits
        )
    return int(digits)


def shape(where: Where, properties: Json, name: str) -> tuple[int, ...]:
    """An array of decimal strings, each a non-negative signed 64-bit number."""
    value = as_list(required(where, properties, name))
    if value is None:
        raise errors.ISHAPE_ARRAY.error(where.location(name), where=where, name=name)
    if not all(isinstance(item, str) for item in value):
        raise errors.ISHAPE_STRINGS.error(where.location(name), where=where, name=name)
    return tuple(parse_decimal(where, name, item, 63) for item in value)


def _wrong_type(where: Where, name: str, expected: str, value: object) -> Exception:
    return errors.PROPERTY_TYPE.error(
        where.location(name), where=where, name=name, expected=expected, value=shown(value)
    )
