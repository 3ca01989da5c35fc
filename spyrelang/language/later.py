"""Names of the language that exist and are not there yet: each says so by name."""

from __future__ import annotations

from typing import NoReturn

from spyrelang.errors import trace as errors
from spyrelang.language.tracing import fail


class Later:
    """Stands for a function of the language that cannot be used yet."""

    def __init__(self, name: str, instead: str | None = None) -> None:
        self.__name__ = name
        self._instead = instead

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:
        fail(errors.NOT_YET, name=f"spy.{self.__name__}", hint=self._instead)

    def __repr__(self) -> str:
        return f"<spy.{self.__name__}, not supported yet>"


_NAMES: dict[str, str | None] = {
    "assert_": None,
    "print_": None,
}

FUNCTIONS: dict[str, Later] = {name: Later(name, instead) for name, instead in _NAMES.items()}
"""Every such function by name."""
