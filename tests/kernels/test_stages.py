"""Every stage reads back and runs to the same bits; edits work or are refused with a line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from acceptance import DEVICES, Array, data, expected, f16, poisoned, resumed, same

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.driver.stages import SCHEDULE_STAGES

TEXT_STAGES = ("ktir", *SCHEDULE_STAGES, "dataflow")


@spyre.kernel
def plus_one(x: spy.In, out: spy.Out):
    out[:, :] = spy.load(x[:, :]) + 1


@spyre.kernel(grid=2)
def mixed(x: spy.In, row: spy.In, col: spy.In, out: spy.Out):
    share = x.shape[0] // 2
    rows = slice(spy.tile_id() * share, spy.tile_id() * share + share)
    value = spy.load(x[rows, :])
    out[rows, :] = spy.where(value > 0, value * row[:], value - col[rows, None])


@spyre.kernel(grid=2)
def turned(x: spy.In, y: spy.In, out: spy.Out):
    share = y.shape[0] // 2
    rows = slice(spy.tile_id() * share, spy.tile_id() * share + share)
    out[rows, :] = spy.transpose(spy.load(x[:, rows])) - y[rows, :]


@spyre.kernel(grid=3)
def looped(x: spy.In, y: spy.In, out: spy.Out):
    for rows in spy.blocks(x.shape[0], 2):
        out[rows, :] = spy.maximum(x[rows, :], 0) * spy.load(y[rows, :])


@spyre.kernel(grid=2)
def chained(x: spy.In, between: spy.Out, out: spy.Out):
    share = x.shape[0] // 2
    for i in spy.range(share):
        row = spy.tile_id() * share + i
        between[row, :] = spy.load(x[row, :]) + 1
        out[row, :] = spy.load(between[row, :]) * x[row, :]


@spyre.kernel
def smooth(x: spy.In, out: spy.Out):
    out[:, :] = spy.gelu(x[:, :]) * 2


@spyre.kernel(grid=2)
def padded(x: spy.In, out: spy.Out):
    share = x.shape[0] // 2
    rows = slice(spy.tile_id() * share, spy.tile_id() * share + share)
    pad = spy.memory_view(0, (share, x.shape[1]), space=spy.local(), dtype=x.dtype)
    pad[:, :] = spy.load(x[rows, :]) * 2
    out[rows, :] = spy.load(pad[:, :]) + spy.load(x[rows, :])


@spyre.kernel
def moved_up(x: spy.InOut):
    x[1:, :] = spy.load(x[0 : x.shape[0] - 1, :])


CASES: dict[str, tuple[Any, list[Array], int]] = {
    "plus_one": (plus_one, [data((3, 100))], 1),
    "mixed": (mixed, [data((6, 100)), data((100,), seed=1), data((6,), seed=2)], 1),
    "turned": (turned, [data((70, 6)), data((6, 70), seed=1)], 1),
    "looped": (looped, [data((11, 65)), data((11, 65), seed=1)], 1),
    "chained": (chained, [data((4, 100))], 2),
    "smooth": (smooth, [data((3, 70))], 1),
    "padded": (padded, [data((4, 96))], 1),
    "moved_up": (moved_up, [data((5, 70))], 0),
}


def compiled_of(name: str, device: str) -> tuple[spyre.Compiled, list[Array], list[Array]]:
    kernel, inputs, count = CASES[name]
    like = inputs[-1] if name == "turned" else inputs[0]
    outs = [poisoned(like.shape, like.dtype) for _ in range(count)]
    return kernel.compile(*inputs, *outs, device=device), inputs, outs


def run(compiled: spyre.Compiled, inputs: list[Array], outs: list[Array], engine: str) -> list[Any]:
    arrays = [a.copy() for a in (*inputs, *outs)]
    result = compiled.run(*arrays, engine=engine)
    assert not result.warnings
    return arrays


@pytest.mark.parametrize("device", DEVICES, ids=lambda d: Path(d).stem)
@pytest.mark.parametrize("name", CASES)
def test_every_stage_reads_back_and_gives_the_same_bits(name: str, device: str) -> None:
    compiled, inputs, outs = compiled_of(name, device)
    want = run(compiled, inputs, outs, "fast")
    for stage in TEXT_STAGES:
        again = resumed(compiled, stage, device)
        assert str(again.ir(stage)) == str(compiled.ir(stage)), stage
        for engine in ("fast", "checked") if stage in ("programs", "dataflow") else ("fast",):
            got = run(again, inputs, outs, engine)
            assert all(same(g, w) for g, w in zip(got, want, strict=True)), (stage, engine)
        if stage in SCHEDULE_STAGES:
            assert str(again.ir("placed")) == str(compiled.ir("placed")), stage


@pytest.mark.parametrize("name", CASES)
def test_an_artifact_gives_the_same_bits(name: str, tmp_path: Path) -> None:
    compiled, inputs, outs = compiled_of(name, "spyre")
    want = run(compiled, inputs, outs, "fast")
    folder = compiled.export(tmp_path / "kernel.spyrecode")
    prepared = spyre.runtime.prepare(folder)
    for engine in ("fast", "checked"):
        arrays = [a.copy() for a in (*inputs, *outs)]
        prepared.launch(*arrays, engine=engine)
        assert all(same(g, w) for g, w in zip(arrays, want, strict=True)), engine
    got = run(spyre.resume("spyrecode", folder), inputs, outs, "fast")
    assert all(same(g, w) for g, w in zip(got, want, strict=True))


def test_an_artifact_refuses_by_name(tmp_path: Path) -> None:
    """It has no text whose lines could be shown."""
    x = data((4, 128))
    folder = plus_one.compile(x, x, device="sample_device").export(tmp_path / "kernel.spyrecode")
    with pytest.raises(spyre.SpyreError) as caught:
        spyre.resume("spyrecode", folder).run(x, data((4, 127)))
    assert caught.value.code == "SPY708"


# --- edits that make sense ------------------------------------------------------------------------


def edited(stage: str, *changes: tuple[str, str], shape: tuple[int, int] = (4, 128)) -> Any:
    """`plus_one` continued from its text of `stage` with each pattern replaced everywhere."""
    x = data(shape)
    text = str(plus_one.compile(x, x, device="sample_device").ir(stage))
    for pattern, replacement in changes:
        text, count = re.subn(pattern, replacement, text)
        assert count, f"{pattern} is not in the text of {stage}"
    return x, spyre.resume(stage, text, device="sample_device")


def gives(x: Array, compiled: spyre.Compiled, want: Callable[[Array], Array]) -> None:
    for engine in ("fast", "checked"):
        out = poisoned(x.shape, x.dtype)
        compiled.run(x, out, engine=engine)
        assert same(out, expected(want, [x])[0]), engine


@pytest.mark.parametrize("stage", ["programs", *SCHEDULE_STAGES[1:]])
def test_another_constant_and_another_op(stage: str) -> None:
    x, compiled = edited(stage, (r"1\.000000e\+00", "2.500000e+00"))
    gives(x, compiled, lambda x: x + f16(2.5))
    x, compiled = edited(stage, (r"arith\.addf", "arith.mulf"), (r"1\.000000e\+00", "3.0"))
    gives(x, compiled, lambda x: x * f16(3))


def test_another_constant_and_op_in_dataflow() -> None:
    x, compiled = edited("dataflow", ("binary_operator add", "binary_operator sub"))
    gives(x, compiled, lambda x: x - f16(1))


def test_another_op_in_ktir() -> None:
    x, compiled = edited("ktir", (r"1\.000000e\+00", "2.0"))
    gives(x, compiled, lambda x: x + f16(2))


def test_a_moved_buffer() -> None:
    x, compiled = edited("placed", (r"arith\.constant 1024 : index", "arith.constant 8192 : index"))
    gives(x, compiled, lambda x: x + f16(1))
    assert "constant 4096 : index" in str(compiled.ir("dataflow"))  # 8192 bytes, in elements


def test_another_tile_size() -> None:
    """Fewer rows at a time, in each place that says so."""
    shape = (4096, 512)
    x = data(shape)
    original = plus_one.compile(x, x, device="sample_device")
    text = str(original.ir("explored"))
    (tile,) = set(re.findall(r"size \[(\d+), 512\] to %\d+\[0, 0\]", text))
    trips, small = 4096 // int(tile), 16
    assert small != int(tile)
    for old, new in (
        (rf"%c{trips}\b", f"%c{4096 // small}x"),
        (rf"arith\.constant {trips} :", f"arith.constant {4096 // small} :"),
        (rf"%c{tile}\b", f"%c{small}x"),
        (rf"arith\.constant {tile} :", f"arith.constant {small} :"),
        (rf"\* {tile}\b", f"* {small}"),
        (rf"memref<{tile}x512xf16", f"memref<{small}x512xf16"),
        (rf"size \[{tile}, 512\]", f"size [{small}, 512]"),
    ):
        text = re.sub(old, new, text)
    changed = spyre.resume("explored", text, device="sample_device")
    out = poisoned(shape, f16)
    changed.run(x, out)
    assert same(out, x + f16(1))
    assert f"size [{small}, 512]" in str(changed.ir("placed"))
    assert str(changed.ir("dataflow")) != str(original.ir("dataflow"))


# --- senseless edits ------------------------------------------------------------------------------

NONSENSE = [
    ("explored", r"(size \[)4, 128(\] to %\d+#0\[0, 0\])", r"\g<1>3, 128\g<2>"),
    ("nested", r"(data_transfer from %\d+)#0\[%arg(\d), %arg(\d) \* 64\]", r"\1#0[%arg\2, 0]"),
    ("placed", r"num_instances = 2", "num_instances = 3"),
    ("placed", r"step \(%c1\)", "step (%c2)"),
    ("routed", r"size \[64\] to", "size [32] to"),
    ("explored", r"depends_in\(%\d+#\d+\)", "depends_in(none)"),
    ("placed", r"arith\.constant 1024 : index", "arith.constant 512 : index"),
    ("placed", r"arith\.constant 1024 : index", "arith.constant 1048576 : index"),
]


@pytest.mark.parametrize(("stage", "pattern", "replacement"), NONSENSE)
def test_an_edit_in_one_place_only_is_refused_with_its_line(
    stage: str, pattern: str, replacement: str
) -> None:
    x = data((4, 128))
    text = str(plus_one.compile(x, x, device="sample_device").ir(stage))
    changed, count = re.subn(pattern, replacement, text, count=1)
    if not count:
        pytest.fail(f"{pattern} is not in:\n{text}")
    with pytest.raises(spyre.SpyreError) as caught:
        spyre.resume(stage, changed, device="sample_device").executable  # noqa: B018
    error = caught.value
    assert error.code in ("SPY440", "SPY441", "SPY442"), str(error)
    assert error.location is not None
    before, after = text.splitlines(), changed.splitlines()
    line = next(n for n, (a, b) in enumerate(zip(before, after, strict=True), 1) if a != b)
    assert abs(error.location.line - line) <= 2, f"line {error.location.line}, edited {line}"
    assert np.all([bool(error.hint), "^" in str(error)])
