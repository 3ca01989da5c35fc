"""Every code of the catalogue is raised by a case, reads well, and can be explained.

`SPYRELANG_UPDATE_GOLDEN=1 pytest tests/errors` writes the golden files anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import cases  # noqa: F401  fills the table
import pytest
from cases.registry import CASES, Case, raises, rendering

from spyrelang.cli.main import main
from spyrelang.errors import CATALOGUE, load_catalogue

GOLDEN = Path(__file__).parent / "golden"
UPDATE = bool(os.environ.get("SPYRELANG_UPDATE_GOLDEN"))
load_catalogue()


def codes_of(text: str) -> set[str]:
    return set(re.findall(r"^(?:error|warning)\[(SPY\d+)\]", text, re.MULTILINE))


@pytest.mark.parametrize("key", sorted(CASES))
def test_golden(key: str, tmp_path: Path) -> None:
    case, path = CASES[key], GOLDEN / f"{key}.txt"
    text = rendering(case, tmp_path)
    assert codes_of(text) == {case.code}, text or "nothing was raised"
    assert "\nfix: " in text, text
    if UPDATE:
        path.write_text(text)
    assert path.exists(), f"no golden file {path.name}:\n{text}"
    assert text == path.read_text()


def test_every_code_has_a_case() -> None:
    raised = {case.code for case in CASES.values()}
    missing = sorted(set(CATALOGUE) - raised)
    assert not missing, [f"{code} {CATALOGUE[code].title}" for code in missing]
    assert raised <= set(CATALOGUE), "these are not in the catalogue"


def test_every_golden_file_has_a_case() -> None:
    stale = [path.name for path in GOLDEN.glob("*.txt") if path.stem not in CASES]
    assert not stale


def test_what_authors_write_is_shown_with_a_caret() -> None:
    """Kernels, texts of KTIR, of stages and of devices, and calls of kernels."""
    shown = ("SPY1", "SPY2", "SPY30", "SPY32", "SPY4", "SPY56", "SPY57", "SPY59", "SPY70", "SPY71")
    without = [
        path.stem
        for path in sorted(GOLDEN.glob("*.txt"))
        if path.stem.startswith(shown) and "^" not in path.read_text()
    ]
    assert set(without) == PLACELESS, set(without) ^ PLACELESS


PLACELESS = {
    *("SPY104", "SPY105", "SPY105-load", "SPY302", "SPY440"),  # about a whole file
    *("SPY301-command", "SPY308", "SPY309"),  # about a question
    *("SPY702", "SPY703", "SPY713", "SPY715"),  # about the launch of an artifact
}


def test_a_case_that_raises_another_code_or_nothing_is_noticed(tmp_path: Path) -> None:
    def other() -> None:
        raise CATALOGUE["SPY820"].error(stage="a", known="b")

    def nothing() -> None: ...

    assert codes_of(rendering(Case("SPY101", "", other, other), tmp_path)) == {"SPY820"}
    assert codes_of(rendering(Case("SPY101", "", nothing, nothing), tmp_path)) == set()
    with pytest.raises(AssertionError, match="two cases"):
        raises(next(iter(CASES.values())).code)(other)


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_every_code_can_be_explained(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", code]) == 0
    printed = capsys.readouterr().out
    kind = CATALOGUE[code]
    assert printed.startswith(f"{code}: {kind.title}\n")
    for name, part in (("cause", kind.cause), ("example", kind.example), ("fix", kind.fix)):
        assert part.strip(), name
        assert re.search(rf"^{name} +{re.escape(part.splitlines()[0])}", printed, re.MULTILINE)
    assert not kind.fix.endswith("."), "a fix is no sentence"
