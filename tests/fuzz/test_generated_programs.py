"""Random sequences of loads, stores and loops: numpy's numbers, or a refusal by name."""

from __future__ import annotations

import os
from typing import Any

import pytest
from generated_programs import Sequence, arrays_of, kernel_of, reference, sequences
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spyrelang as spyre

COUNT = int(os.environ.get("SPYRELANG_FUZZ", "60"))
PLACES = [("spyre", "ktir"), ("spyre", "fast"), ("spyre", "checked"), ("sample_device", "fast")]
# Loads that cannot be ordered with the stores round them; integer types without lanes.
REFUSALS = {"SPY418", "SPY419", "SPY430"}


@pytest.mark.filterwarnings("ignore::spyrelang.SpyreWarning")
@settings(
    max_examples=COUNT,
    deadline=None,
    derandomize=COUNT <= 100,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(case=sequences(), seed=st.integers(0, 1000))
def test_generated_programs(case: Sequence, seed: int) -> None:
    arrays = arrays_of(case, seed)
    wants = reference(case, arrays)
    kernel = kernel_of(case)
    for device, engine in PLACES:
        given_arrays: list[Any] = [array.copy() for array in arrays]
        try:
            run = kernel(*given_arrays, device=device, engine=engine, seed=seed)
        except spyre.SpyreError as error:
            if engine != "ktir" and error.code in REFUSALS:
                continue
            raise
        assert not run.warnings, (device, engine, str(run.warnings[0]))
        for got, want in zip(given_arrays, wants, strict=True):
            assert (got == want).all(), (device, engine, got, want)
