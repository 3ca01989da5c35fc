"""The child that tries foreign text: its steps, and its death at each of them."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from spyrelang import ir
from spyrelang.errors import Location, SpyreError
from spyrelang.ir.guard import PARSED, PRINTED, Survivors, deadly_line, tried

HERE = Location("a.mlir")


class _Op:
    """Stands for what MLIR reads in the child; printing it ends as the test says."""

    def __init__(self, shown: Callable[[], object]) -> None:
        self.shown = shown

    def get_asm(self, **_: Any) -> str:
        return str(self.shown())


def _die(number: int = signal.SIGABRT) -> None:
    os.kill(os.getpid(), number)


def _fail() -> None:
    raise ValueError


def _message(read: Callable[[], Any], body: Callable[[Any], object]) -> str:
    with pytest.raises(SpyreError) as caught, tried(read, lambda: HERE) as trial:
        body(trial)
    assert caught.value.code == "SPY107"
    return str(caught.value)


def test_death_while_parsing() -> None:
    reached: list[int] = []

    def body(trial: Any) -> None:
        trial.passed(PARSED)
        reached.append(PARSED)

    assert "aborts" in _message(_die, body)
    assert not reached


def test_death_while_printing() -> None:
    reached: list[int] = []

    def body(trial: Any) -> None:
        for step in (PARSED, PRINTED):
            trial.passed(step)
            reached.append(step)

    assert "aborts" in _message(lambda: _Op(_die), body)
    assert reached == [PARSED]


def test_death_goes_before_other_errors() -> None:
    def body(trial: Any) -> None:
        trial.passed(PARSED)
        raise KeyError

    assert "aborts" in _message(lambda: _Op(_die), body)


def test_text_without_end() -> None:
    assert "runs without end" in _message(lambda: _die(signal.SIGXCPU), lambda trial: None)


def test_ordinary_failure_lets_the_process_meet_it() -> None:
    with tried(_fail, lambda: HERE) as trial:  # type: ignore[arg-type]
        trial.passed(PRINTED)


def test_dead_child_whose_pipe_another_process_holds() -> None:
    told, tell = os.pipe()

    def read() -> Any:
        if os.fork() == 0:
            time.sleep(3)
            os.write(tell, b"late")
            os._exit(0)
        _die()

    assert "aborts" in _message(read, lambda trial: trial.passed(PARSED))
    assert not select.select([told], [], [], 0)[0], "the death was seen when the holder ended"
    os.close(told)
    os.close(tell)


@pytest.mark.parametrize("deadly", [1, 2, 5, 9])
def test_the_line_that_kills(deadly: int) -> None:
    lines = [str(number) for number in range(1, 10)]

    def read(part: str) -> None:
        if str(deadly) in part:
            _die()
        raise ValueError("a part is no whole text")

    assert deadly_line(lines, read) == deadly


def test_lines_that_do_not_kill() -> None:
    assert deadly_line(["1", "2"], lambda part: None) is None


def test_a_text_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[int] = []
    fork = os.fork

    def counted() -> int:
        children.append(1)
        return fork()

    monkeypatch.setattr(os, "fork", counted)
    text = "func.func @tried_once() {\n  return\n}\n"
    ir.parse(text)
    ir.parse(text, "another.mlir")
    assert len(children) == 1
    ir.parse(text.replace("once", "anew"))
    assert len(children) == 2


def test_a_text_that_kills_is_refused_every_time() -> None:
    for _ in range(2):
        with pytest.raises(SpyreError, match="SPY107"):
            ir.parse("func.func private @k() attributes {a = array<index: 1, 2>}")


def test_few_texts_are_remembered() -> None:
    kept = Survivors(room=2)
    for text in "abc":
        kept.add(text)
    assert [text in kept for text in "abc"] == [False, True, True]
    assert len(kept) == 2
