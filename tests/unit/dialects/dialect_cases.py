"""What the tests of the single dialects share."""

from __future__ import annotations

from pathlib import Path

import pytest

from spyrelang import ir
from spyrelang.errors import SpyreError


def text_of(name: str) -> str:
    """A text in the printer's own spelling."""
    return (Path(__file__).parent / "texts" / f"{name}.mlir").read_text()


def printed(text: str, **flags: bool) -> str:
    return ir.print_module(ir.parse(text, "t.mlir", guard=False), **flags)


def check_round_trip(name: str) -> None:
    """Custom and generic text are the same module, and print as they were written."""
    text = text_of(name)
    assert printed(text) == text
    generic = printed(text, generic=True)
    assert generic != text
    assert printed(generic) == text


def refused(text: str, code: str | None = None, line: int | None = None) -> SpyreError:
    """The error for a text, which must have a place."""
    with pytest.raises(SpyreError) as caught:
        ir.parse(text, "t.mlir", guard=False)
    error = caught.value
    assert error.code == code or code is None, error
    assert error.location is not None
    assert error.location.line == line or line is None, error
    return error
