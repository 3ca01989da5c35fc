"""Whatever transfers and units do first, the checked engine has nothing to report."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from acceptance import DEVICES, THIRD, data, expected, f16, poisoned, same

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.engines import Options

SEEDS = int(os.environ.get("SPYRELANG_TIMING_SEEDS", "50"))


@spyre.kernel(grid=2)
def tiles(x: spy.In, y: spy.In, out: spy.Out):
    """Several tiles of one core, each filled while the one before is computed on."""
    for rows in spy.blocks(x.shape[0], 2):
        out[rows, :] = spy.load(x[rows, :]) * y[rows, :] + 1


@spyre.kernel(grid=2)
def chained(x: spy.In, between: spy.Out, out: spy.Out):
    share = x.shape[0] // 2
    mine = slice(spy.tile_id() * share, spy.tile_id() * share + share)
    theirs = slice((1 - spy.tile_id()) * share, (1 - spy.tile_id()) * share + share)
    between[mine, :] = spy.load(x[mine, :]) + 1
    out[mine, :] = spy.load(between[theirs, :]) * x[mine, :]


@spyre.kernel
def through_scratchpad(x: spy.In, out: spy.Out):
    pad = spy.memory_view(0, x.shape[1:], space=spy.local(), dtype=x.dtype)
    for i in spy.range(x.shape[0]):
        pad[:] = spy.load(x[i, :]) * 2
        out[i, :] = spy.load(pad[:]) + x[i, :]


@spyre.kernel
def broadcasts(x: spy.In, row: spy.In, col: spy.In, out: spy.Out):
    out[:, :] = x[:, :] * row[:] + col[:, None]


@spyre.kernel
def moved(x: spy.InOut):
    x[1:, :] = spy.load(x[0 : x.shape[0] - 1, :])


CASES: dict[str, tuple[Any, list[Any], Any]] = {
    "tiles": (tiles, [data((8, 100)), data((8, 100), seed=1)], lambda x, y: x * y + f16(1)),
    "chained": (
        chained, [data((4, 64))],
        lambda x: (x + f16(1), np.roll(x + f16(1), 2, 0) * x),
    ),
    "through_scratchpad": (through_scratchpad, [data((3, 64))], lambda x: x * f16(2) + x),
    "broadcasts": (
        broadcasts, [data((3, 70)), data((70,), seed=1), data((3,), seed=2)],
        lambda x, r, c: x * r + c[:, None],
    ),
}  # fmt: skip


def runs_clean(name: str, device: str, timing: str, seeds: range) -> None:
    kernel, inputs, reference = CASES[name]
    wants = expected(reference, inputs)
    compiled = kernel.compile(*inputs, *wants, device=device)
    options = Options(timing=timing, events=False)  # type: ignore[arg-type]
    for seed in seeds:
        outs = [poisoned(w.shape, w.dtype) for w in wants]
        run = compiled.run(*inputs, *outs, engine="checked", seed=seed, options=options)
        assert not run.warnings, (seed, str(run.warnings[0]))
        assert all(same(o, w) for o, w in zip(outs, wants, strict=True)), seed


@pytest.mark.parametrize("timing", ["late", "early", "random"])
@pytest.mark.parametrize("name", CASES)
def test_every_order_of_events_is_clean(name: str, timing: str) -> None:
    runs_clean(name, "spyre", timing, range(SEEDS if timing == "random" else SEEDS // 3))


@pytest.mark.parametrize("device", [DEVICES[1], THIRD])
def test_other_devices_are_clean_too(device: str) -> None:
    for name in CASES:
        runs_clean(name, device, "random", range(SEEDS // 5))


def test_a_tile_moved_in_place_is_clean() -> None:
    x = data((4, 70))
    want = np.concatenate([x[:1], x[:-1]])
    compiled = moved.compile(x)
    for seed in range(SEEDS):
        for timing in ("late", "random"):
            array = x.copy()
            options = Options(timing=timing, events=False)  # type: ignore[arg-type]
            assert not compiled.run(array, engine="checked", seed=seed, options=options).warnings
            assert same(array, want)
