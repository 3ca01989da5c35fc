"""Bad input of every kind: its own code, the place with a caret, a fix. Golden files hold the text.

`SPYRELANG_UPDATE_GOLDEN=1 pytest tests/errors` writes them anew.
"""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path

import bad_kernels as bad
import numpy as np
import pytest
from bad_calls import CASES, ones
from cases.registry import normalised

import spyrelang as spyre

GOLDEN = Path(__file__).parent / "golden"


def compare(name: str, message: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("SPYRELANG_UPDATE_GOLDEN"):
        path.write_text(message)
    assert path.exists(), f"no golden file for {name}:\n{message}"
    assert message == path.read_text()


@pytest.mark.parametrize("name", CASES)
def test_golden(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(spyre.SpyreError) as caught:
            CASES[name]()
    error = caught.value
    assert error.code not in ("SPY900", "SPY000"), str(error)
    assert error.hint, str(error)
    compare(name, normalised(error.render()))


def test_codes_tell_the_cases_apart() -> None:
    """Different mistakes have different codes, but for those that are the same mistake."""
    codes: dict[str, list[str]] = {}
    for path in sorted(GOLDEN.glob("[a-z]*.txt")):
        found = re.match(r"(?:error|warning)\[(SPY\d+)\]", path.read_text())
        assert found, path
        codes.setdefault(found[1], []).append(path.stem)
    shared = [names for names in codes.values() if len(names) > 3]
    assert not shared, shared


def test_places_have_carets() -> None:
    """Whatever happens in a kernel or a text is shown with its line."""
    without = (
        "launch_",
        "unknown_",
        "missing_",
        "not_an",
        "no_such",
        "grid_",
        "unclosed",
        "text_of",
        "several",
    )
    for path in sorted(GOLDEN.glob("[a-z]*.txt")):
        if not path.stem.startswith(without):
            assert "^" in path.read_text(), path.read_text()


def test_rows_that_no_tile_covers_are_named() -> None:
    with pytest.warns(spyre.SpyreWarning) as caught:
        bad.rows_left_over(ones(11, 64), np.zeros((11, 64), np.float16))
    (warning,) = [w.message for w in caught if isinstance(w.message, spyre.SpyreWarning)]
    compare("rows_left_over", normalised(str(warning)))
    assert "9" in str(warning)


def test_a_kernel_that_stores_nothing() -> None:
    with pytest.warns(spyre.SpyreWarning) as caught:
        bad.forgotten(ones(3, 64), np.zeros((3, 64), np.float16))
    messages = [str(w.message) for w in caught if isinstance(w.message, spyre.SpyreWarning)]
    compare("forgotten", normalised("\n".join(messages)))


def test_a_name_that_is_not_in_the_language() -> None:
    with pytest.raises(AttributeError, match="cosh"):
        bad.unknown_name(ones(3, 64), ones(3, 64))


def test_a_flipped_byte_anywhere_in_an_artifact(tmp_path: Path) -> None:
    folder = bad.typed.export(tmp_path / "a.spyrecode", ones(3, 64), ones(3, 64))
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    assert len(files) >= 3
    codes: set[str] = set()
    for path in files:
        original = path.read_bytes()
        step = max(1, len(original) // 150)
        for at in [*range(0, len(original), step), len(original) - 1]:
            for bit in (0, 5):
                flipped = bytearray(original)
                flipped[at] ^= 1 << bit
                path.write_bytes(bytes(flipped))
                with pytest.raises(spyre.SpyreError) as caught:
                    spyre.runtime.prepare(folder)
                codes.add(caught.value.code)
        for damaged in (original[:-1], original + b"\0", b""):
            path.write_bytes(damaged)
            with pytest.raises(spyre.SpyreError):
                spyre.runtime.prepare(folder)
        path.unlink()
        with pytest.raises(spyre.SpyreError):
            spyre.runtime.prepare(folder)
        path.write_bytes(original)
    assert all(code.startswith(("SPY6", "SPY55")) for code in codes), codes
    out = np.zeros((3, 64), np.float16)
    spyre.runtime.prepare(folder).launch(ones(3, 64), out)
    assert (out == 2).all()
