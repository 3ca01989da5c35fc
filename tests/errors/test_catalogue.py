"""Every code of the catalogue is raised by some test, and every entry can be explained."""

from __future__ import annotations

import re
from pathlib import Path

from spyrelang.errors import CATALOGUE, load_catalogue

TESTS = Path(__file__).resolve().parents[1]
# What no input can raise: bugs of ours.
UNREACHABLE = {"SPY900"}


def mentioned() -> set[str]:
    """Codes that stand in tests: in assertions, or in golden files."""
    found: set[str] = set()
    for path in TESTS.rglob("*"):
        if path.suffix in (".py", ".txt", ".mlir") and path != Path(__file__):
            found |= set(re.findall(r"SPY\d{3}", path.read_text()))
    return found


def test_every_code_is_raised_by_a_test() -> None:
    load_catalogue()
    missing = sorted(set(CATALOGUE) - mentioned() - UNREACHABLE)
    assert not missing, [f"{code} {CATALOGUE[code].title}" for code in missing]


def test_every_entry_says_cause_example_and_fix() -> None:
    load_catalogue()
    assert len(CATALOGUE) > 300
    for kind in CATALOGUE.values():
        for part in (kind.title, kind.template, kind.cause, kind.example, kind.fix):
            assert part.strip(), kind.code
        assert not kind.fix.endswith("."), kind.code
