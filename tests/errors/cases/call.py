"""SPY26x to SPY28x: signatures, and the arguments of a call."""

from __future__ import annotations

from typing import Any

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy
from cases.registry import raises


def ones(*shape: int, dtype: Any = np.float16) -> np.ndarray:
    return np.ones(shape, dtype)


@raises("SPY270")
def argument_missing() -> None:
    @spyre.kernel
    def double(x: spy.In, out: spy.Out):
        out[:, :] = x[:, :] * 2

    double(ones(3, 64))


@raises("SPY287")
def grid_of_zero() -> None:
    @spyre.kernel(grid=0)
    def double(x: spy.In, out: spy.Out):
        out[:, :] = x[:, :] * 2

    double(ones(3, 64), ones(3, 64))


@raises("SPY290")
def never_stored() -> None:
    @spyre.kernel
    def forgotten(x: spy.In, out: spy.Out):
        spy.load(x[:, :])

    forgotten(ones(3, 64), ones(3, 64))
