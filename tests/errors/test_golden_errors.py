"""Mistakes that are no single error of the catalogue."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float16)


@spyre.kernel
def typed(x: spy.In["M", "N", spy.f16], out: spy.Out["M", "N", spy.f16]):
    out[:, :] = x[:, :] * 2


@spyre.kernel
def unknown_name(x: spy.In, out: spy.Out):
    out[:, :] = spy.cosh(x[:, :])


def test_a_name_that_is_not_in_the_language() -> None:
    with pytest.raises(AttributeError, match="cosh"):
        unknown_name(ones(3, 64), ones(3, 64))


def test_a_flipped_byte_anywhere_in_an_artifact(tmp_path: Path) -> None:
    folder = typed.export(tmp_path / "a.spyrecode", ones(3, 64), ones(3, 64))
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
