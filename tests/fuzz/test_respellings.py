"""KTIR that is spelled in another way gives the same bits in engine "ktir", or the same refusal."""

from __future__ import annotations

import os
import random
import warnings
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any
from unittest import mock

import numpy as np
import pytest
from corpus import corpus
from probes import READER, argument
from respellings import RESPELLINGS, respelled
from run import LIMITS

import spyrelang as spyre

COUNT = max(1, int(os.environ.get("SPYRELANG_FUZZ", "60")) // 2)


@pytest.fixture(autouse=True)
def _limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in LIMITS.items():
        monkeypatch.setenv(name, value)


def results(text: str) -> list[Any]:
    """For every kernel the bytes of its arrays after a run and what it printed, or its refusal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module = spyre.load_ktir(text)
        except spyre.SpyreError as error:
            return [str(error)]
        return [result(module[name]) for name in module.kernels]


def result(kernel: Any) -> Any:
    try:
        found = kernel.compile()
        given = {p.name: argument(p) for p in found.signature("ktir").given}
        ran = found.execute(given, engine="ktir")
    except spyre.SpyreError as error:
        return error.code
    arrays = [(a.dtype, a.shape, a.tobytes()) for a in given.values() if isinstance(a, np.ndarray)]
    return arrays, ran.prints


def runnable(rng: random.Random) -> str:
    """A text with a kernel that runs."""
    while True:
        text = rng.choice(corpus()["ktir"]).text
        if any(isinstance(one, tuple) for one in expected(text)):
            return text


@cache
def expected(text: str) -> list[Any]:
    return results(text)


def unguarded(*_: object) -> AbstractContextManager[None]:
    """Reads without trying the text in a child process first."""
    return nullcontext()


def differs(number: int) -> str:
    rng = random.Random(f"respelled {number}")
    text = runnable(rng)
    other = respelled(text, rng)
    with mock.patch.object(READER, "tried", unguarded):  # the text it is made from was read
        found = results(other)
    return "" if found == expected(text) else f"{_shown(expected(text), found)}\n{other}"


def _shown(*found: list[Any]) -> str:
    return " / ".join(str(one)[:400] for one in found)


def test_respelled_texts() -> None:
    wrong = {n: what for n in range(COUNT) if (what := differs(n))}
    assert not wrong, f"{len(wrong)} wrong\n" + "\n".join(
        f"{n}: {str(what)[:4000]}" for n, what in list(wrong.items())[:3]
    )


@pytest.mark.parametrize("number", range(len(RESPELLINGS)))
def test_each_changes_texts(number: int) -> None:
    rng = random.Random(1)
    draw = random.Random(2)
    texts = [runnable(draw) for _ in range(25)]
    assert any(RESPELLINGS[number](text, rng) != text for text in texts)


def test_differences_are_told() -> None:
    """A text of another meaning has other results."""
    text = next(s.text for s in corpus()["ktir"] if s.origin == "simple")
    changed = text.replace("arith.addf", "arith.mulf")
    assert changed != text
    assert results(changed) != results(text)
