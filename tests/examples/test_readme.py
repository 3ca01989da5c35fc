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
    run_others(names)


def run_others(names: dict[str, object]) -> None:
    """The kernels that the README does not run itself, at sizes that nothing divides."""
    rng = np.random.default_rng(0)
    matmul, update = names["matmul"], names["update"]
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((70, 101), (101, 67)))
    product = np.zeros((70, 67), np.float32)
    matmul(a, b, product, engine="ktir")  # type: ignore[operator]
    np.testing.assert_allclose(product, a @ b, rtol=1e-4, atol=1e-4)
    table, slots = np.zeros((9, 5), np.float32), np.array([3, -1, 0, 8], np.int32)
    new = rng.standard_normal((4, 5)).astype(np.float32)
    update(table, slots, new, engine="ktir")  # type: ignore[operator]
    want = np.zeros_like(table)
    want[[3, 0, 8]] = new[[0, 2, 3]]
    assert np.array_equal(table, want)
