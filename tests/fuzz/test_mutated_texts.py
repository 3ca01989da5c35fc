"""Mutated texts of every stage either work or are refused by name: nothing else, and no crash."""

from __future__ import annotations

import os
import random
import re
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.engines import Options

COUNT = max(1, int(os.environ.get("SPYRELANG_FUZZ", "60")) // 2)
STAGES = ("ktir", "programs", "pipeline", "routed", "nested", "explored", "placed", "dataflow")


@spyre.kernel(grid=2)
def simple(x: spy.In, y: spy.In, out: spy.Out):
    start = spy.tile_id() * 3
    out[start : start + 3, :] = x[start : start + 3, :] * y[:] + 1


@spyre.kernel
def looped(x: spy.In, y: spy.In, out: spy.Out):
    for i in spy.range(x.shape[0]):
        out[i, :] = spy.exp(x[i, :])
        out[i, :] = spy.load(out[i, :]) - y[:]


KERNELS = (simple, looped)


@cache
def texts(stage: str) -> tuple[str, ...]:
    x, y = np.zeros((6, 70), np.float16), np.zeros(70, np.float16)
    return tuple(str(k.compile(x, y, x, device="sample_device").ir(stage)) for k in KERNELS)


def mutate(text: str, rng: random.Random) -> str:
    """One to three small changes: what a person mistypes, or what a broken tool writes."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        text = rng.choice(MUTATIONS)(text, rng)
    return text


def _number(text: str, rng: random.Random) -> str:
    found = list(re.finditer(r"(?<![\w.])-?\d+", text))
    return _replace(text, rng.choice(found), rng.choice(NUMBERS)) if found else text


def _word(text: str, rng: random.Random) -> str:
    found = list(re.finditer(r"[A-Za-z_][\w.]*", text))
    first, second = rng.choice(found), rng.choice(found)
    return _replace(text, first, second.group())


def _value(text: str, rng: random.Random) -> str:
    found = list(re.finditer(r"%[\w#]+", text))
    first, second = rng.choice(found), rng.choice(found)
    return _replace(text, first, second.group())


def _drop_line(text: str, rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    del lines[rng.randrange(len(lines))]
    return "".join(lines)


def _twice(text: str, rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    return "".join([*lines[: at + 1], *lines[at:]])


def _swap_lines(text: str, rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return "".join(lines)


def _character(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text))
    return text[:at] + rng.choice("(){}[]<>,:%#@=-*x0 \n\"'é") + text[at + rng.randint(0, 1) :]


def _cut(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text))
    return text[:at] + text[at + rng.randint(1, 40) :]


def _type(text: str, rng: random.Random) -> str:
    found = list(re.finditer(r"\b(f16|f32|bf16|i1|i32|index|DDR|L1)\b", text))
    other = rng.choice(["f16", "f32", "bf16", "i1", "i8", "i64", "index", "f64", "DDR", "L1"])
    return _replace(text, rng.choice(found), other) if found else text


def _attribute(text: str, rng: random.Random) -> str:
    found = list(re.finditer(r", [\w.]+ = [^,{}]+", text))
    return _replace(text, rng.choice(found), "") if found else text


def _everywhere(text: str, rng: random.Random) -> str:
    """The same change wherever it shows: consistent edits get further than single ones."""
    found = sorted(set(re.findall(r"(?<![\w.])\d+", text)))
    old, new = rng.choice(found), rng.choice(NUMBERS)
    return re.sub(rf"(?<![\w.]){old}(?!\d)", new, text)


def _replace(text: str, match: re.Match[str], new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]


NUMBERS = ["0", "1", "2", "3", "-1", "-7", "63", "64", "128", "4096", "99999999999", str(2**63)]
MUTATIONS = [
    _number, _number, _word, _value, _drop_line, _twice, _swap_lines, _character, _cut, _type,
    _attribute, _everywhere,
]  # fmt: skip


def use(stage: str, text: str) -> None:
    """Everything a text can be used for. Sizes that a mutation made huge are not run."""
    compiled = spyre.resume(stage, text, device="sample_device")
    executable = compiled.executable
    sizes = [a.shape for a in executable.arguments]
    if any(np.prod(s or (1,), dtype=float) > 1e6 or min(s or (1,)) < 0 for s in sizes):
        return
    arrays: dict[str, Any] = {}
    for argument in executable.arguments:
        if argument.role == "scratch":
            continue
        dtype = np.float32 if argument.dtype == "f32" else np.float16
        arrays[argument.name] = np.ones(argument.shape or (6, 70), dtype)
    options = Options(full_limit=2000, events=False)
    for engine in ("checked", "fast"):
        compiled.run(**arrays, engine=engine, options=options)


def broken(stage: str, number: int) -> str:
    """What is wrong with the answer to one mutated text; empty when it worked or was refused."""
    rng = random.Random(f"{stage} {number}")
    text = mutate(rng.choice(texts(stage)), rng)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            use(stage, text)
    except spyre.SpyreError as error:
        return str(error) if error.code == "SPY900" or not error.message else ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize("stage", STAGES)
def test_mutated_texts(stage: str) -> None:
    failures = [(number, broken(stage, number)) for number in range(COUNT)]
    wrong = [f"{stage} {number}: {what}" for number, what in failures if what]
    assert not wrong, "\n".join(wrong)
