"""Wrong calls of the entry points that take texts: catalogue errors, never bare ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.errors import SpyreError

X = np.ones((4, 64), np.float16)


@spyre.kernel
def add(x: spy.In, y: spy.In, out: spy.Out):
    out[:, :] = spy.load(x[:, :]) + spy.load(y[:, :])


def _code(call: Any, *args: Any, **named: Any) -> str:
    with pytest.raises(SpyreError) as caught:
        call(*args, **named)
    return caught.value.code


@pytest.mark.parametrize("bad", [None, 3, b"module {}"])
def test_what_is_no_text(bad: Any):
    assert _code(spyre.load_ktir, bad) == "SPY828"
    assert _code(spyre.load_dataflow, bad) == "SPY828"
    assert _code(spyre.resume, "ktir", bad) == "SPY828"
    assert _code(spyre.resume, "spyrecode", bad) == "SPY828"


@pytest.mark.parametrize("engine", ["ktir", "fast", "checked"])
def test_arguments_of_a_text_come_in_a_mapping(engine: str):
    kernel = spyre.load_ktir(str(add.ir("ktir", X, X, X)))["add"]
    out = np.zeros_like(X)
    assert _code(kernel.run, [X, X, out], engine=engine) == "SPY829"
    assert _code(kernel.run, X, engine=engine) == "SPY829"
    assert _code(kernel.run, {0: X, 1: X, 2: out}, engine=engine) == "SPY829"
    arguments = {"x": X, "y": X, "out": out}
    assert _code(kernel.run, arguments, memory=[X], engine=engine) == "SPY829"
    kernel.compile().run(arguments, engine=engine)
    assert np.array_equal(out, X + X)


def test_an_artifact_has_only_what_it_holds(tmp_path: Path):
    add.compile(X, X, X).export(tmp_path / "artifact")
    resumed = spyre.resume("spyrecode", tmp_path / "artifact")
    out = np.zeros_like(X)
    resumed.run(X, X, out)
    assert np.array_equal(out, X + X)
    assert _code(resumed.run, X, X, out, engine="ktir") == "SPY821"
    assert _code(resumed.ir, "ktir") == "SPY827"
    assert "add" in str(resumed.report())


@pytest.mark.parametrize("engine", ["ktir", "fast", "checked"])
def test_a_compiled_kernel_takes_arguments_by_position_and_name(engine: str):
    compiled = add.compile(X, X, X)
    out = np.zeros_like(X)
    compiled.run(X, X, out, engine=engine)
    assert np.array_equal(out, X + X)
    compiled.run(X, out=out, y=-X, engine=engine)
    assert np.array_equal(out, np.zeros_like(X))
