"""Random kernels of reductions, products, gathers, loops and branches give numpy's numbers."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
from generated_shapes import Numpy, Source, by_numpy, by_spyrelang, generated, text_of

COUNT = int(os.environ.get("SPYRELANG_FUZZ", "60"))


def wrong(source: Source) -> list[str]:
    """The outputs that differ. Zeros of either sign are the same number here."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, expected = by_spyrelang(source), by_numpy(source)
    return [name for name in expected if not np.array_equal(found[name], expected[name])]


@pytest.mark.parametrize("part", range(2))
def test_generated_shapes(part: int) -> None:
    for number in range(part, COUNT, 2):
        source = generated(number)
        assert not wrong(source), f"{number}: {wrong(source)}\n{text_of(source)}"


def test_everything_is_generated() -> None:
    """Each kind of step stands in many of the first kernels."""
    texts = [text_of(generated(number)) for number in range(200)]
    words = (
        *("L.sum", "L.max(", "L.dot", "L.transpose", "L.ind", "L.cast", "L.where", "L.slice"),
        *("L.concat", "L.reshape", "L.broadcast_to", "for i", "while k", "    if i", "else:", "//"),
        *("if L.tile_id()", "keepdims=True", "axis=(0, 1)", "axis=-1", "% -5", "L.expand_dims"),
    )
    found = Counter(word for text in texts for word in words if word in text)
    assert all(found[word] >= 3 for word in words), found


def fewer(_: Numpy, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """A sum that is none."""
    return np.min(x, axis=axis, keepdims=keepdims)


def test_differences_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [s for s in map(generated, range(60)) if "L.sum" in text_of(s)]
    assert not any(map(wrong, sources))
    monkeypatch.setattr(Numpy, "sum", fewer)
    assert any(map(wrong, sources))
