"""Random kernels: every engine on every device gives numpy's bits."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from generated import Case, arrays_of, cases, kernel_of, reference
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spyrelang as spyre

COUNT = int(os.environ.get("SPYRELANG_FUZZ", "60"))
THIRD = str(Path(__file__).resolve().parents[1] / "data" / "other_device.mlir")
PLACES = [
    ("spyre", "ktir"),
    ("spyre", "fast"),
    ("spyre", "checked"),
    ("sample_device", "fast"),
    (THIRD, "fast"),
    (THIRD, "checked"),
]
# What the scheduler refuses by name, and rightly: bf16 and others where a device has no lanes.
REFUSALS = {"SPY430"}
relaxed = settings(
    max_examples=COUNT,
    deadline=None,
    derandomize=COUNT <= 100,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def bits_equal(got: Any, want: Any) -> bool:
    if got.dtype.kind in "iu":
        return bool((got == want).all())
    unsigned = np.dtype(f"u{got.dtype.itemsize}")
    equal = got.view(unsigned) == want.view(unsigned)
    return bool((equal | (np.isnan(got) & np.isnan(want))).all())


@relaxed
@given(case=cases(), seed=st.integers(0, 1000))
def test_generated_kernels(case: Case, seed: int) -> None:
    arrays = arrays_of(case, seed)
    wants = reference(case, arrays)
    kernel = kernel_of(case)
    for device, engine in PLACES:
        outs = [np.full(w.shape, 99, w.dtype) for w in wants]
        try:
            run = kernel(*arrays, *outs, device=device, engine=engine, seed=seed)
        except spyre.SpyreError as error:
            if error.code in REFUSALS:
                continue
            raise
        assert not run.warnings, (device, engine, str(run.warnings[0]))
        for out, want in zip(outs, wants, strict=True):
            assert bits_equal(out, want), (device, engine, out, want)
