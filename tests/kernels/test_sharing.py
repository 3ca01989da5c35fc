"""In place and shared memory: numpy's answer or a named refusal, never a wrong number."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from acceptance import DEVICES, Array, data, f16, same

import spyrelang as spyre
import spyrelang.language as spy

PLACES = [(d, e) for d in DEVICES[:2] for e in ("fast", "checked")]


def own_rows(extent: int) -> slice:
    share = extent // spy.num_tiles()
    start = spy.tile_id() * share
    return slice(start, start + share)


@spyre.kernel
def doubled(x: spy.In, out: spy.Out):
    rows = own_rows(x.shape[0])
    out[rows, :] = x[rows, :] + x[rows, :]


@spyre.kernel
def added(x: spy.InOut, y: spy.In):
    rows = own_rows(x.shape[0])
    x[rows, :] = x[rows, :] + y[rows, :]


@spyre.kernel
def transposed(x: spy.In, out: spy.Out):
    rows = own_rows(out.shape[0])
    out[rows, :] = spy.transpose(spy.load(x[:, rows]))


@spyre.kernel
def reversed_rows(x: spy.In, out: spy.Out):
    for i in spy.range(x.shape[0]):
        out[i, :] = spy.load(x[x.shape[0] - 1 - i, :])


@spyre.kernel
def reversed_in_place(x: spy.InOut):
    for i in spy.range(x.shape[0]):
        x[i, :] = spy.load(x[x.shape[0] - 1 - i, :])


@spyre.kernel
def reversed_unrolled(x: spy.InOut):
    for i in range(x.shape[0]):
        x[i, :] = spy.load(x[x.shape[0] - 1 - i, :])


@spyre.kernel
def shifted(x: spy.InOut):
    x[1:] = spy.load(x[0 : x.shape[0] - 1])


@spyre.kernel(grid=2)
def shifted_by_many(x: spy.InOut):
    share = (x.shape[0] - 1) // 2
    start = spy.tile_id() * share
    x[start + 1 : start + share + 1] = spy.load(x[start : start + share])


@spyre.kernel
def two_outputs(x: spy.In, a: spy.Out, b: spy.Out):
    value = spy.load(x[:, :])
    a[:, :] = value + 1
    b[:, :] = value * 2


@spyre.kernel
def one_after_the_other(x: spy.In, a: spy.Out, b: spy.Out):
    a[:, :] = spy.load(x[:, :]) + 1
    b[:, :] = spy.load(a[:, :]) * 2


def refuses(code: str, run: Callable[[], Any]) -> spyre.SpyreError:
    with pytest.raises(spyre.SpyreError) as caught:
        run()
    assert caught.value.code == code, str(caught.value)
    return caught.value


@pytest.mark.parametrize(("device", "engine"), PLACES)
@pytest.mark.parametrize("grid", [1, 2])
def test_same_place_in_and_out(device: str, engine: str, grid: int) -> None:
    where = {"device": device, "engine": engine, "grid": grid}
    x = data((8, 100))
    doubled(both := x.copy(), both, **where)
    assert same(both, x + x)
    added(both := x.copy(), both, **where)
    assert same(both, x + x)
    added(both := x.copy(), data((8, 100), seed=1), **where)
    assert same(both, x + data((8, 100), seed=1))


@pytest.mark.parametrize(("device", "engine"), PLACES)
def test_other_places_are_refused(device: str, engine: str) -> None:
    where: dict[str, Any] = {"device": device, "engine": engine}
    square = data((64, 64))
    before = square.copy()
    for grid in (1, 2):
        error = refuses("SPY717", lambda grid=grid: transposed(square, square, grid=grid, **where))
        assert "'x' and 'out'" in error.message
    refuses("SPY717", lambda: reversed_rows(square, square, **where))
    refuses("SPY717", lambda: two_outputs(square.copy(), square, square, **where))
    refuses("SPY713", lambda: doubled(square[1:], square[:-1], **where))
    assert same(square, before)


@pytest.mark.parametrize(("device", "engine"), PLACES)
def test_moving_inside_one_array(device: str, engine: str) -> None:
    where: dict[str, Any] = {"device": device, "engine": engine}
    for size in (2, 100, 1000):
        x = data((size,))
        want = np.concatenate([x[:1], x[:-1]])
        shifted(x, **where)
        assert same(x, want)
    for kernel in (reversed_in_place, reversed_unrolled):
        x = data((8, 65))
        want = x.copy()
        for i in range(8):
            want[i] = want[7 - i].copy()
        kernel(x, **where)
        assert same(x, want), kernel.name


def test_moving_across_cores_is_refused_when_compiled() -> None:
    error = refuses("SPY418", lambda: shifted_by_many(data((101,))))
    assert "another one has already stored" in error.message
    assert error.location is not None


def test_moving_across_blocks_of_a_tensor_larger_than_scratchpad_is_refused() -> None:
    refuses("SPY433", lambda: shifted(data((4_000_000,))))


@pytest.mark.parametrize(("device", "engine"), PLACES)
def test_outputs_in_one_array(device: str, engine: str) -> None:
    """One program after the other: what the second writes is what remains."""
    where: dict[str, Any] = {"device": device, "engine": engine}
    x = data((8, 64))
    out = np.zeros_like(x)
    one_after_the_other(x, out, out, **where)
    assert same(out, (x + f16(1)) * f16(2))
    between = np.zeros_like(x)
    one_after_the_other(both := x.copy(), between, both, **where)
    assert same(both, (x + f16(1)) * f16(2))


def test_interleaved_rows_are_separate_memory() -> None:
    whole = data((8, 64))
    even, odd = whole[::2], whole[1::2]
    want = even + even
    doubled(even, odd)
    assert same(np.ascontiguousarray(odd), np.ascontiguousarray(want))


@pytest.mark.parametrize("engine", ["fast", "checked"])
def test_an_artifact_remembers_what_must_not_share(engine: str, tmp_path: Path) -> None:
    square = data((64, 64))
    folder = transposed.export(tmp_path / "t.spyrecode", square, square)
    prepared = spyre.runtime.prepare(folder)
    refuses("SPY717", lambda: prepared.launch(square, square, engine=engine))
    tensor = spyre.runtime.from_numpy(square)
    refuses("SPY717", lambda: prepared.launch(tensor, tensor, engine=engine))
    out = np.zeros_like(square)
    prepared.launch(square, out, engine=engine)
    assert same(out, square.T.copy())


def test_texts_remember_it_too() -> None:
    square: Array = data((64, 64))
    compiled = transposed.compile(square, square)
    for stage in ("programs", "placed", "dataflow"):
        again = spyre.resume(stage, str(compiled.ir(stage)))
        refuses("SPY717", lambda again=again: again.run(square, square))
