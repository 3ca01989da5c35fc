"""Errors about a call are placed at the author's line that makes it."""

from __future__ import annotations

from types import TracebackType

from spyrelang.errors import SpyreError
from spyrelang.errors.core import INTERNAL
from spyrelang.language.tracing import here


class at_call:
    """Gives errors that have no place of their own the line that called spyrelang. Bugs of ours
    get none. (contextlib's frames would pass for the author's.)"""

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if not isinstance(error, SpyreError) or error.kind is INTERNAL:
            return
        if error.location is None:
            error.location = here().location
