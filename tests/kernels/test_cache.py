"""A kernel compiled once is never used for what it was not compiled for."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import Any

import numpy as np
from acceptance import data, f16, same

import spyrelang as spyre
import spyrelang.language as spy


@dataclass(frozen=True)
class Fixed:
    factor: int


class Open:
    def __init__(self, factor: int) -> None:
        self.factor = factor


def scaled(config: Any) -> Any:
    def kernel(x: spy.In, out: spy.Out):
        out[:, :] = x[:, :] * config.factor

    return spyre.kernel(kernel)


def result(kernel: Any) -> np.ndarray:
    x = data((3, 64))
    kernel(x, out := np.empty_like(x))
    return out


def test_objects_that_live_at_the_same_address_one_after_the_other() -> None:
    x = data((3, 64))
    for factor in range(60):
        assert same(result(scaled(Fixed(factor))), x * f16(factor)), factor
        gc.collect()


def test_an_object_that_changes() -> None:
    config = Open(2)
    kernel, x = scaled(config), data((3, 64))
    assert same(result(kernel), x * f16(2))
    config.factor = 5
    assert same(result(kernel), x * f16(5))


def test_an_array_that_changes() -> None:
    factors = np.array([2, 3])

    def weighted(x: spy.In, out: spy.Out):
        out[:, :] = x[:, :] * int(factors[0])

    kernel, x = spyre.kernel(weighted), data((3, 64))
    assert same(result(kernel), x * f16(2))
    factors[0] = 7
    assert same(result(kernel), x * f16(7))
