"""Tracing with few words."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from spyrelang import frontend


def trace_kernel(kernel: Callable[..., Any], *args: Any, grid: Any = 1, **kwargs: Any):
    """Bind, resolve the grid and trace, as the driver does."""
    bound = frontend.bind(kernel, args, kwargs)
    return frontend.trace(bound.signature, bound.arguments, grid=frontend.resolve_grid(grid, bound))


@pytest.fixture
def trace():
    return trace_kernel


@pytest.fixture
def zeros():
    """`zeros(4, 64)`: an f16 array; `zeros(4, 64, dtype=…)` of another type."""
    return lambda *shape, dtype=np.float16: np.zeros(shape, dtype)
