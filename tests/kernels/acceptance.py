"""Run a kernel on every device in every engine and compare with numpy, bit for bit by default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

import spyrelang as spyre
from spyrelang.driver.kernel import Kernel
from spyrelang.semantics.dtypes import from_numpy
from spyrelang.semantics.tolerance import ulp_distance

ROOT = Path(__file__).resolve().parents[2]
THIRD = str(ROOT / "tests" / "data" / "other_device.mlir")
DEVICES = ("spyre", "sample_device", THIRD)
ENGINES = ("ktir", "fast", "checked")
CORES = {"spyre": 32, "sample_device": 32, THIRD: 8}

f16, f32, i32 = np.float16, np.float32, np.int32
bf16 = ml_dtypes.bfloat16
DTYPES = (f16, f32, bf16, i32)

Array = NDArray[Any]
Reference = Callable[..., Any]


def data(shape: Sequence[int], dtype: Any = f16, seed: int = 0) -> Array:
    """Repeatable contents: normal numbers, or integers of both signs."""
    rng = np.random.default_rng([seed, *shape])
    if np.dtype(dtype).kind in "iu":
        return rng.integers(-1000, 1000, tuple(shape)).astype(dtype)
    return rng.standard_normal(tuple(shape)).astype(f32).astype(dtype)


def poisoned(shape: Sequence[int], dtype: Any) -> Array:
    """What an output holds before the run: a value that no result has."""
    array = np.empty(tuple(shape), dtype)
    array.view(np.uint8).reshape(-1)[...] = 0xA5
    return array


def expected(reference: Reference, inputs: Sequence[Array]) -> list[Array]:
    """The outputs by numpy, each op rounded to the type of the operands."""
    with np.errstate(all="ignore"):
        results = reference(*(a.copy() for a in inputs))
    listed = results if isinstance(results, tuple) else (results,)
    return [np.ascontiguousarray(r) for r in listed]


def same(got: Array, want: Array, ulp: float = 0) -> bool:
    """Bit-equal (any NaN for a NaN); within `ulp` steps where that is not 0."""
    assert got.dtype == want.dtype, f"reference gives {want.dtype} for {got.dtype}"
    if ulp:
        return bool((ulp_distance(got, want, from_numpy(got.dtype).name) <= ulp).all())
    if got.dtype.kind in "iub":
        return bool((got == want).all())
    bits = np.dtype(f"u{got.dtype.itemsize}")
    equal = got.view(bits) == want.view(bits)
    return bool((equal | (np.isnan(got) & np.isnan(want))).all())


def agrees(
    kernel: Kernel,
    inputs: Sequence[Array],
    reference: Reference,
    *,
    grid: Any = None,
    devices: Sequence[str] = DEVICES,
    engines: Sequence[str] = ENGINES,
    ulp: float = 0,
    **consts: Any,
) -> None:
    """Assert that outputs are what `reference` says, and that no run has anything to report.

    Inputs come first in the kernel's signature, outputs behind them.
    """
    wants = expected(reference, inputs)
    for device in devices:
        for engine in engines:
            if engine == "ktir" and device != devices[0]:
                continue
            outs = [poisoned(w.shape, w.dtype) for w in wants]
            given = [a.copy() for a in inputs]
            run = kernel(*given, *outs, grid=grid, device=device, engine=engine, **consts)
            where = f"{kernel.name} {[a.shape for a in inputs]} grid {grid} {device} {engine}"
            for out, want in zip(outs, wants, strict=True):
                assert same(out, want, ulp), f"{where}: {mismatch(out, want)}"
            for before, after in zip(inputs, given, strict=True):
                assert same(after, before), f"{where}: an input was written"
            assert not run.warnings, f"{where}: {run.warnings[0]}"


def mismatch(got: Array, want: Array) -> str:
    """The first element that differs."""
    differs = ~((got == want) | ((got != got) & (want != want)))
    index = tuple(int(i) for i in np.argwhere(differs)[0]) if differs.any() else ()
    count = int(differs.sum())
    return f"{count} of {got.size} differ, first at {index}: {got[index]} for {want[index]}"


def resumed(compiled: spyre.Compiled, stage: str, device: str) -> spyre.Compiled:
    """The kernel continued from its own text of `stage`."""
    return spyre.resume(stage, str(compiled.ir(stage)), device=device)
