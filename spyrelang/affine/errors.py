"""Errors of this package, as its modules raise them."""

from __future__ import annotations

from spyrelang.errors import Location, SpyreError
from spyrelang.errors.affine import AFFINE_NOT_AFFINE, AFFINE_TEXT, AFFINE_UNBOUNDED


def malformed(text: str, column: int, what: str, location: Location | None) -> SpyreError:
    """SPY110 at `column` (from 0) of `text`, which starts at `location` where that is known."""
    place = location or Location("<affine>", 1, 1, source=text)
    if place.line and "\n" not in text[:column]:
        col = max(place.col, 1) + column
        place = Location(place.file, place.line, col, col + 1, place.source)
    return AFFINE_TEXT.error(place, text=text.strip(), what=what)


def not_affine(expr: object, what: str) -> SpyreError:
    """SPY111: an expression that would not be affine."""
    return AFFINE_NOT_AFFINE.error(expr=expr, what=what)


def unbounded(text: object, dim: int) -> SpyreError:
    """SPY112: the points of a set that has no end along `dim`."""
    return AFFINE_UNBOUNDED.error(set=text, dim=f"d{dim}")
