"""The checked engine on kernels too large to simulate every core.

It then runs a few cores only. Outputs must be whole all the same, so the fast engine computes them,
and what the simulated cores wrote is compared with it, bit by bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from spyrelang.engines import Outcome
from spyrelang.errors import internal_error
from spyrelang.isa.program import Executable
from spyrelang.runtime import execute


def run_checked(executable: Executable, arrays: Mapping[str, object], **knobs: Any) -> Outcome:
    """Run "checked"; where it did not simulate all cores, fill the outputs with "fast"."""
    copies = {
        name: value.copy() if isinstance(value, np.ndarray) else value
        for name, value in arrays.items()
    }
    shared = _shares(arrays)
    outcome = execute(executable, arrays if shared else copies, engine="checked", **knobs)
    if shared:
        return outcome
    if outcome.complete:
        _copy_back(executable, copies, arrays)
        return outcome
    knobs.pop("progress", None)
    execute(executable, arrays, engine="fast", **knobs)
    _compare(outcome, copies, arrays)
    return outcome


def _shares(arrays: Mapping[str, object]) -> bool:
    """Whether any two arguments share memory, or are not plain arrays: then no copies are made."""
    values = list(arrays.values())
    plain = [v for v in values if isinstance(v, np.ndarray)]
    if len(plain) != len(values):
        return True
    return any(np.may_share_memory(a, b) for i, a in enumerate(plain) for b in plain[i + 1 :])


def _copy_back(
    executable: Executable, copies: Mapping[str, Any], arrays: Mapping[str, Any]
) -> None:
    for argument in executable.arguments:
        if argument.role in ("out", "inout") and argument.name in arrays:
            arrays[argument.name][...] = copies[argument.name]


def _compare(outcome: Outcome, copies: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Both engines must agree on every byte that the simulated cores wrote."""
    for coverage in outcome.coverage:
        if coverage.name not in arrays:
            continue
        got, want = (
            np.ascontiguousarray(a[coverage.name]).view(np.uint8).reshape(-1)
            for a in (copies, arrays)
        )
        size = min(got.size, coverage.written.size)
        differs = (got[:size] != want[:size]) & coverage.written[:size]
        if differs.any():
            byte = int(np.flatnonzero(differs)[0])
            raise internal_error(
                "engines", f"checked and fast differ at byte {byte} of {coverage.name}"
            )
