"""Every function of the language has an example in its docstring, and every example runs."""

from __future__ import annotations

import doctest
from types import FunctionType

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.testing import evaluate

FUNCTIONS = [name for name in spy.__all__ if isinstance(getattr(spy, name), FunctionType)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_example(name: str) -> None:
    text = getattr(spy, name).__doc__
    names = {"np": np, "spy": spy, "spyre": spyre, "evaluate": evaluate}
    found = doctest.DocTestParser().get_doctest(text, names, name, __file__, 0)
    assert found.examples, f"spy.{name} has no example"
    told: list[str] = []
    assert doctest.DocTestRunner().run(found, out=told.append).failed == 0, "".join(told)


@pytest.mark.parametrize("function", [spyre.to_df16, spyre.from_df16, spyre.layout])
def test_example_of_a_conversion(function) -> None:
    names = {"np": np, "spyre": spyre}
    found = doctest.DocTestParser().get_doctest(function.__doc__, names, "it", __file__, 0)
    assert found.examples
    assert doctest.DocTestRunner().run(found).failed == 0


def test_examples_can_fail() -> None:
    found = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", __file__, 0)
    assert doctest.DocTestRunner().run(found, out=lambda _: None).failed == 1


def test_evaluate_is_an_example_itself() -> None:
    names = {"spy": spy, "evaluate": evaluate}
    found = doctest.DocTestParser().get_doctest(evaluate.__doc__, names, "evaluate", __file__, 0)
    assert doctest.DocTestRunner().run(found).failed == 0
    with pytest.raises(spyre.SpyreError, match="SPY231"):
        evaluate(lambda a, b: a + spy.cast(b, spy.f16), [1.0], [2.0])
    assert evaluate(lambda m: ~m, [True, False]).tolist() == [False, True]
