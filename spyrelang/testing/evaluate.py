"""One expression of the language on arrays, in engine "ktir"."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import spyrelang.language as spy
from spyrelang import frontend
from spyrelang.driver.kernel import Kernel


def evaluate(function: Callable[..., Any], *arrays: Any) -> Any:
    """What `function` gives for the loaded arrays, as an array: for trying out the language at a
    prompt. Lists become arrays of f32, i32 or i1.

    >>> evaluate(lambda a, b: spy.maximum(a, b) * 2, [1.0, 5.0], [4.0, 3.0])
    array([ 8., 10.], dtype=float32)

    Errors are those of a kernel that does the same.
    """
    given = {f"x{number}": _array(value) for number, value in enumerate(arrays)}
    results: list[Any] = []

    def looked_at(**views: Any) -> None:
        results.append(function(*(spy.load(view) for view in views.values())))

    def stored(**views: Any) -> None:
        out = views.pop("out")
        out[...] = function(*(spy.load(view) for view in views.values()))

    bound = frontend.bind(_kernel(looked_at, tuple(given)).signature, (), given)
    frontend.trace(bound.signature, bound.arguments)
    out = np.zeros(results[0].shape, results[0].dtype.numpy)
    _kernel(stored, (*given, "out"))(**given, out=out, engine="ktir")
    return out


def _kernel(body: Callable[..., None], names: tuple[str, ...]) -> Kernel:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [
        inspect.Parameter(n, kind, annotation=spy.Out if n == "out" else spy.In) for n in names
    ]
    body.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return Kernel(body)


def _array(value: Any) -> Any:
    array = np.asarray(value)
    if isinstance(value, np.ndarray) or array.dtype == np.bool_:
        return array
    return array.astype(np.float32 if array.dtype.kind == "f" else np.int32)
