"""The error catalogue: every message an author can meet, under a stable code.

One module of this package per area holds the entries; an entry is made once with `define` and
raised with `KIND.error(...)`. Every entry carries what `spyrelang explain CODE` shows: the cause,
an example that raises it, and the fix. `load_catalogue` imports every area.
"""

from spyrelang.errors.core import (
    CATALOGUE,
    ErrorKind,
    Location,
    Note,
    SpyreError,
    SpyreWarning,
    define,
    internal_error,
    load_catalogue,
)

__all__ = [
    "CATALOGUE",
    "ErrorKind",
    "Location",
    "Note",
    "SpyreError",
    "SpyreWarning",
    "define",
    "internal_error",
    "load_catalogue",
]
