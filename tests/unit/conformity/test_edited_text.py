"""Edited text: what the schedule can say is taken, however its values are named."""

from __future__ import annotations

import re

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.errors import SpyreError

X = np.arange(48 * 64, dtype=np.float16).reshape(48, 64) / 64


@spyre.kernel(grid=2)
def add(x: spy.In, y: spy.In, out: spy.Out):
    first = spy.tile_id() * 24
    rows = slice(first, first + 24)
    out[rows, :] = spy.load(x[rows, :]) + spy.load(y[rows, :])


def _text(stage: str) -> str:
    return str(add.compile(X, X, X).ir(stage))


def _run(stage: str, text: str) -> np.ndarray:
    out = np.zeros_like(X)
    spyre.resume(stage, text).run(X, X, out, engine="checked")
    return out


def test_an_address_may_change():
    text = _text("placed")
    edited = text.replace("arith.constant 6144 : index", "arith.constant 8192 : index")
    assert edited != text
    assert np.array_equal(_run("placed", edited), X + X)


@pytest.mark.parametrize("stage", ["pipeline", "routed", "explored", "placed"])
def test_values_may_have_other_names(stage: str):
    text = _text(stage)
    edited = re.sub(r"%reinterpret_cast\b", "%tile_of_x", text) + "\n// a remark\n"
    assert edited.count("%tile_of_x") > 1
    assert np.array_equal(_run(stage, edited), X + X)


def test_what_the_schedule_cannot_say_is_refused_at_its_line():
    text = _text("explored")
    edited = text.replace("distribute(num_instances = 2)", "distribute(num_instances = 1)")
    with pytest.raises(SpyreError) as caught:
        _run("explored", edited)
    assert caught.value.code == "SPY441"
    assert caught.value.location is not None


@pytest.mark.parametrize(
    ("stage", "old", "new", "word"),
    [
        ("programs", "array<i64: 24, 64>", "array<i64: 24>", "dim_names"),
        (
            "programs",
            "spyrelang.index = #map,",
            "spyrelang.index = affine_map<(d0, d1, d2) -> (d0, d2)>,",
            "index",
        ),
        ("programs", "()[s0] -> (s0 * 24, 0)", "()[s0] -> (s0 * 24)", "rank"),
        ("programs", "()[s0] -> (s0 * 24, 0)", "()[s0, s1] -> (s1 * 24, 0)", "spyrelang.origin"),
        ("explored", "spyrelang.dim = 0", "spyrelang.dim = 9", "dim 9"),
        ("explored", "num_instances = 2", "num_instances = 3", "num_instances"),
        ("placed", "arith.constant 6144 :", "arith.constant 6145 :", "multiple"),
    ],
)
def test_facts_that_do_not_fit_are_refused(stage: str, old: str, new: str, word: str):
    text = _text(stage)
    edited = text.replace(old, new)
    assert edited != text
    with pytest.raises(SpyreError, match=word) as caught:
        spyre.resume(stage, edited)
    assert caught.value.code == "SPY440"


@pytest.mark.parametrize(
    ("pattern", "new", "what"),
    [
        (r" *(func\.)?call @local_schedule_0\(.*\n", "", "never called"),
        (r"spyrelang\.index = #map\d*", "spyrelang.index = affine_map<(d0) -> (d0)>", "index"),
    ],
)
def test_facts_beside_the_ops_that_do_not_fit(pattern: str, new: str, what: str):
    text = _text("explored")
    edited = re.sub(pattern, new, text, count=1)
    assert edited != text
    with pytest.raises(SpyreError) as caught:
        _run("explored", edited)
    assert caught.value.code == "SPY440"
    assert what in caught.value.message
