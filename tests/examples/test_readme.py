"""The README's Python, top to bottom, in one namespace."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

README = Path(__file__).resolve().parents[2] / "README.md"


def blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "readme"}
    for number, block in enumerate(blocks()):
        file = tmp_path / f"readme_{number}.py"
        file.write_text(block, encoding="utf-8")
        exec(compile(block, str(file), "exec"), names)
    x, out = names["x"], names["out"]
    exact = np.exp(np.asarray(x, np.float64))
    exact /= exact.sum(axis=1, keepdims=True)
    assert len(blocks()) >= 5
    assert np.abs(np.asarray(out, np.float64) - exact).max() < 1e-3
    assert (tmp_path / "add.spyrecode" / "manifest.json").is_file()
    assert (tmp_path / "add.json").is_file()
