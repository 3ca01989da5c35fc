"""Every knob that is not an argument, typed, with its environment variable.

`current()` gives the settings in force: the innermost `override`, else the environment as it is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from spyrelang.errors import usage

_PREFIX = "SPYRELANG_"


@dataclass(frozen=True)
class Settings:
    """All settings with their defaults."""

    device: str = "spyre"
    cache: bool = True
    colour: str = "auto"
    checked_full_limit: int = 50_000
    memory_limit: int = 0
    trip_limit: int = 10_000_000
    seed: int = 0
    dump: Path | None = None


@dataclass(frozen=True)
class _Knob:
    """How a setting is read and explained. `convert` takes text or a Python value and raises
    ValueError or TypeError for what the setting cannot be."""

    convert: Callable[[Any], Any]
    want: str
    help: str


@dataclass(frozen=True)
class Row:
    """One line of `spyrelang env`. `origin` is "default", "environment" or "override"."""

    name: str
    variable: str
    value: object
    default: object
    origin: str
    want: str
    help: str


def _device(value: Any) -> str:
    text = os.fspath(value).strip()
    if not text:
        raise ValueError
    return text


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    words = {"1": True, "on": True, "true": True, "yes": True}
    words |= {"0": False, "off": False, "false": False, "no": False}
    found = words.get(str(value).strip().lower())
    if found is None:
        raise ValueError
    return found


def _colour(value: Any) -> str:
    text = str(value).strip().lower()
    if text not in ("auto", "always", "never"):
        raise ValueError
    return text


def _count(value: Any) -> int:
    if isinstance(value, (bool, float)):
        raise ValueError
    number = int(value)
    if number < 0:
        raise ValueError
    return number


def _directory(value: Any) -> Path | None:
    if value is None or str(value).strip() == "":
        return None
    path = Path(value).expanduser()
    if path.exists() and not path.is_dir():
        raise ValueError
    return path


_KNOBS: dict[str, _Knob] = {
    "device": _Knob(
        _device,
        "the name of a device or the path of its file",
        "Device that kernels are compiled for when the call names none.",
    ),
    "cache": _Knob(_flag, "one of on off", "Keep compiled kernels between calls."),
    "colour": _Knob(
        _colour,
        "one of auto always never",
        "Colour of printed IR and errors; auto: on terminals only.",
    ),
    "checked_full_limit": _Knob(
        _count,
        "a count of vector steps",
        "Largest run of the checked engine that simulates every core; beyond it, three cores.",
    ),
    "memory_limit": _Knob(
        _count,
        "a number of bytes",
        "Largest tensor that engine ktir computes; 0: the memory of this machine.",
    ),
    "trip_limit": _Knob(
        _count,
        "a count of loop trips",
        "Trips that all loops of one run in engine ktir may make together.",
    ),
    "seed": _Knob(
        _count,
        "a number, 0 or more",
        "Seed of the checked engine's scheduling order and of poisoned memory.",
    ),
    "dump": _Knob(
        _directory,
        "a directory",
        "Where every compilation writes the text of all its stages; unset: nowhere.",
    ),
}

_override: ContextVar[tuple[Settings, frozenset[str]] | None] = ContextVar("settings", default=None)


def variable(name: str) -> str:
    """The environment variable of a setting: SPYRELANG_DEVICE."""
    return _PREFIX + name.upper()


def _convert(name: str, value: object, source: str) -> Any:
    knob = _KNOBS[name]
    try:
        return knob.convert(value)
    except (TypeError, ValueError) as err:
        raise usage.SETTING_VALUE.error(source=source, value=value, want=knob.want) from err


@lru_cache(maxsize=64)
def _read(environment: tuple[tuple[str, str], ...]) -> Settings:
    values: dict[str, Any] = {}
    for name, text in environment:
        values[name] = _convert(name, text, variable(name))
    return Settings(**values)


_VARIABLES = {variable(name): name for name in _KNOBS}


def _environment() -> tuple[tuple[str, str], ...]:
    found = [(name, os.getenv(its)) for its, name in _VARIABLES.items()]
    return tuple([(name, text) for name, text in found if text is not None])


def current() -> Settings:
    """The settings in force. Raises SPY802 where a variable has a value that cannot be used."""
    inner = _override.get()
    return _read(_environment()) if inner is None else inner[0]


@contextmanager
def override(**values: object) -> Generator[Settings]:
    """Settings for the duration of a `with`, in this thread or task.

    >>> with override(colour="never") as s:
    ...     s.colour
    'never'

    Raises SPY801 for an unknown setting, SPY802 for a value that cannot be used.
    """
    for name in values:
        if name not in _KNOBS:
            raise usage.UNKNOWN_SETTING.error(name=name)
    changes: dict[str, Any] = {
        n: _convert(n, v, f"settings.override: {n}") for n, v in values.items()
    }
    outer = _override.get()
    names = frozenset(values) | (frozenset() if outer is None else outer[1])
    token = _override.set((replace(current(), **changes), names))
    try:
        yield current()
    finally:
        _override.reset(token)


def unknown_variables() -> tuple[str, ...]:
    """Variables that start like ours and set nothing: most likely misspelt."""
    ours = {variable(name) for name in _KNOBS}
    return tuple(sorted(v for v in os.environ if v.startswith(_PREFIX) and v not in ours))


def table() -> tuple[Row, ...]:
    """Every setting with its value, where that comes from, and its help."""
    settings, inner, outside = current(), _override.get(), dict(_environment())
    overridden: frozenset[str] = frozenset() if inner is None else inner[1]
    rows: list[Row] = []
    for field in fields(Settings):
        name, knob = field.name, _KNOBS[field.name]
        origin = "environment" if name in outside else "default"
        origin = "override" if name in overridden else origin
        value = getattr(settings, name)
        rows.append(Row(name, variable(name), value, field.default, origin, knob.want, knob.help))
    return tuple(rows)
