"""Every example runs, in a process of its own, and says what it promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
PROMISES = {
    "01_vector_add.py": [
        "checked: bit-equal to numpy: True",
        "fast: bit-equal to numpy: True",
        "ktir: bit-equal to numpy: True",
        "three launches, bit-equal to numpy; MLIR imported: False",
    ],
    "02_stages.py": ["edited to a sum, bit-equal to numpy: True", "refused: error[SPY441]"],
    "03_checking.py": [
        "swiglu: ok",
        "axis 1 at 7",
        "axis 0 at 28 to 29 (the tail)",
        "600 of 9000 elements of 'out' are never written: out[28:30, :]",
    ],
    "04_timeline.py": ["C0-sfu-CL1", "busiest first", "trace:"],
}


def test_every_example_is_listed() -> None:
    assert sorted(PROMISES) == sorted(path.name for path in FOLDER.glob("[0-9]*.py"))


@pytest.mark.parametrize("name", PROMISES)
def test_example(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / name)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for promise in PROMISES[name]:
        assert promise in done.stdout
    assert not list(tmp_path.iterdir()), "an example leaves nothing behind"
