"""Mutated texts of every kind work or are refused by name; what else happens is found and told."""

from __future__ import annotations

import os
import random
import time
from typing import Any

import mutations
import probes
import pytest
from corpus import KINDS, corpus
from run import LIMITS, Pool

from spyrelang.errors.core import internal_error
from spyrelang.errors.text import MALFORMED

COUNT = int(os.environ.get("SPYRELANG_FUZZ", "60"))
PARTS = 3


@pytest.fixture(autouse=True)
def _limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in LIMITS.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("part", range(PARTS))
def test_mutated_texts(part: int) -> None:
    """The same texts in every run; `make fuzz` draws others."""
    numbers = range(part, COUNT * PARTS, PARTS)
    answers = {n: probes.answer(*probes.drawn("fixed", n)) for n in numbers}
    wrong = {n: what for n, what in answers.items() if what}
    assert not wrong, wrong


@pytest.mark.parametrize("kind", KINDS)
def test_texts_to_start_from(kind: str) -> None:
    """Every kind has some, and one of each can be used in full."""
    samples = corpus()[kind]
    assert len(samples) >= 4
    probes.use(kind, samples[0].text)


@pytest.mark.parametrize("number", range(len(mutations.MUTATIONS)))
def test_mutations_change_texts(number: int) -> None:
    """Each does something to some text, and lives on the smallest ones."""
    mutation, rng = mutations.MUTATIONS[number], random.Random(1)
    texts = [s.text for samples in corpus().values() for s in samples[:12]]
    made = [(t, mutation(t, rng.choice(texts), rng)) for t in texts]
    assert any(before != after for before, after in made)
    for text in ("", "\n", "x", "module {}"):
        assert isinstance(mutation(text, "", rng), str)


# --- what the probes and the pool must find -------------------------------------------------------


def test_bugs_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def use(text: str) -> None:
        if text == "refused":
            raise MALFORMED.error(message="no text")
        if text == "bug":
            raise internal_error("somewhere", "broken")
        raise KeyError(text)

    monkeypatch.setitem(probes.USES, "ktir", use)
    assert probes.answer("ktir", "refused") == ""
    assert "bug in spyrelang" in probes.answer("ktir", "bug")
    assert "KeyError: 'raw'" in probes.answer("ktir", "raw")


def test_texts_that_print_as_others_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    forms = iter(["module @a {\n}\n", "module @b {\n}\n"])
    monkeypatch.setattr(probes.ir, "print_module", lambda module, generic=False: next(forms))
    monkeypatch.setattr(probes, "_again", lambda text: text)
    assert "another text" in probes.answer("ktir", "module {}")


def dying(number: int, guarded: bool) -> str:
    """3 kills its process always, 5 only without the guard, 8 hangs, 9 is wrong."""
    if number == 3 or (number == 5 and not guarded):
        os.abort()
    while number == 8:
        time.sleep(1)
    return "wrong" if number == 9 else ""


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_processes_that_die_or_hang_are_told(jobs: int) -> None:
    shown: list[Any] = []
    pool = Pool(dying, 12, jobs, patience=1.0, show=lambda number, what: shown.append(number))
    failures = pool.run()
    assert sorted(failures) == [3, 8, 9] == sorted(shown)
    assert failures[3] == "process: died by signal 6"
    assert failures[8] == "process: no answer for 1 s"
    assert failures[9] == "wrong"
    assert pool.done == 12
