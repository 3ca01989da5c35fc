"""Random kernels continued from the text of a random stage."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import generated
import generated_programs as programs
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spyrelang as spyre

COUNT = int(os.environ.get("SPYRELANG_FUZZ", "60")) // 2
STAGES = ("ktir", "programs", "pipeline", "routed", "nested", "explored", "placed", "dataflow")
THIRD = str(Path(__file__).resolve().parents[1] / "data" / "other_device.mlir")
DEVICES = ("spyre", "sample_device", THIRD)
relaxed = settings(
    max_examples=COUNT,
    deadline=None,
    derandomize=COUNT <= 100,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def continued(compiled: spyre.Compiled, stage: str, device: str) -> spyre.Compiled | None:
    """None where the scheduler refuses the kernel itself."""
    try:
        text = str(compiled.ir(stage))
        assert compiled.executable is not None
    except spyre.SpyreError as error:
        if error.code in ("SPY418", "SPY419", "SPY430"):
            return None
        raise
    again = spyre.resume(stage, text, device=device)
    assert str(again.ir(stage)) == text
    assert str(again.ir("dataflow")) == str(compiled.ir("dataflow"))
    return again


@relaxed
@given(
    case=generated.cases(),
    seed=st.integers(0, 1000),
    stage=st.sampled_from(STAGES),
    device=st.sampled_from(DEVICES),
)
def test_element_wise_kernels(case: generated.Case, seed: int, stage: str, device: str) -> None:
    arrays = generated.arrays_of(case, seed)
    wants = generated.reference(case, arrays)
    outs: list[Any] = [np.full(w.shape, 99, w.dtype) for w in wants]
    compiled = generated.kernel_of(case).compile(*arrays, *outs, device=device)
    again = continued(compiled, stage, device)
    if again is None:
        return
    again.run(*arrays, *outs, seed=seed)
    for got, want in zip(outs, wants, strict=True):
        assert ((got == want) | ((got != got) & (want != want))).all(), (got, want)


@relaxed
@given(
    case=programs.sequences(),
    seed=st.integers(0, 1000),
    stage=st.sampled_from(STAGES),
    device=st.sampled_from(DEVICES[:2]),
)
@pytest.mark.filterwarnings("ignore::spyrelang.SpyreWarning")
def test_sequences(case: programs.Sequence, seed: int, stage: str, device: str) -> None:
    arrays = programs.arrays_of(case, seed)
    wants = programs.reference(case, arrays)
    compiled = programs.kernel_of(case).compile(*arrays, device=device)
    again = continued(compiled, stage, device)
    if again is None:
        return
    again.run(*arrays, seed=seed)
    for got, want in zip(arrays, wants, strict=True):
        assert (got == want).all(), (got, want)
