"""No text gives anything but a catalogue error, and what is accepted comes back from its print."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ir_texts import ALL

from spyrelang import ir
from spyrelang.errors import SpyreError

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|[%#!@^]?[\w.$-]+|\s+|.')
_TEXTS = [_TOKEN.findall(text) for text in ALL.values()]
_ODD = ['"', "\0", "\\", "<<", "é", "{{", "->"]
_POOL = [*sorted({t for tokens in _TEXTS for t in tokens}), *_ODD]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    tokens = list(draw(st.sampled_from(_TEXTS)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(tokens) - 1))
        change = draw(st.sampled_from(("drop", "replace", "insert", "swap", "cut")))
        if change == "drop" and len(tokens) > 1:
            del tokens[at]
        elif change == "replace":
            tokens[at] = draw(st.sampled_from(_POOL))
        elif change == "insert":
            tokens.insert(at, draw(st.sampled_from(_POOL)))
        elif change == "swap":
            other = draw(st.integers(0, len(tokens) - 1))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif change == "cut" and draw(st.integers(0, 9)) == 0:
            del tokens[at + 1 :]
    return "".join(tokens)


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(mutated())
def test_mutated_text(text: str) -> None:
    _survives(text)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    _survives(text)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(_POOL), max_size=30).map("".join))
def test_any_tokens(text: str) -> None:
    _survives(f"func.func @f() {{\n{text}\nreturn }}")


def _survives(text: str) -> None:
    error = _error_of(text)
    if error is not None:
        assert error.code.startswith("SPY1"), error.render()
        assert error.location is not None
        assert error.location.file == "hostile.mlir"


def _error_of(text: str) -> SpyreError | None:
    """The error of a text; one that is read must come back from its print."""
    try:
        module = ir.parse(text, "hostile.mlir")
    except SpyreError as error:
        return error
    shown = ir.print_module(module)
    assert ir.print_module(ir.parse(shown, "again.mlir", guard=False)) == shown
    return None
