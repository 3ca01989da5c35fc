"""`spyre.check` and the comparison below it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.semantics.tolerance import Tolerance
from spyrelang.testing.compare import compare, describe


@spyre.kernel(grid=4)
def both(
    x: spy.In["M", "N"], y: spy.In["M", "N"], total: spy.Out["M", "N"], less: spy.Out["M", "N"]
):
    n = x.shape[0] // 4
    r = spy.tile_id() * n
    a, b = spy.load(x[r : r + n, :]), spy.load(y[r : r + n, :])
    total[r : r + n, :] = a + b
    less[r : r + n, :] = a - b


@spyre.kernel
def bump(x: spy.InOut["N"]):
    x[:] = spy.load(x[:]) + 1


def inputs() -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [rng.standard_normal((8, 130)).astype(np.float16) for _ in range(2)]


def test_right_kernels() -> None:
    result = spyre.check(both, ref=lambda x, y: (x + y, x - y), inputs=inputs())
    assert result
    assert result.stage is None
    assert "bit-equal" in str(result)
    assert spyre.check(bump, ref=lambda x: x + 1, inputs={"x": np.arange(70, dtype=np.float32)})


def test_wrong_reference_is_located() -> None:
    def ref(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        wrong = x - y
        wrong[2:4] += 1
        return x + y, wrong

    result = spyre.check(both, ref=ref, inputs=inputs(), stages=["dataflow"])
    assert not result
    assert result.stage == "dataflow"
    assert result.comparisons[0].ok
    assert result.comparisons[1].pattern == "260 of 1040 elements: axis 0 at 2 to 3"
    text = str(result)
    assert "by core 1 of 4" in text
    lines = Path(__file__).read_text().splitlines()
    line = lines.index("    less[r : r + n, :] = a - b") + 1
    assert f"test_check.py:{line}" in text
    data = json.loads(result.to_json())
    assert data["outputs"][1]["misses"] == 260


def test_a_fault_of_the_kernel_is_a_result() -> None:
    @spyre.kernel
    def forgets(x: spy.In["N"], out: spy.Out["N"]):
        out[0:64] = spy.load(x[0:64])

    with pytest.warns(spyre.SpyreWarning):
        result = spyre.check(forgets, ref=lambda x: x, inputs=[np.ones(70, np.float16)])
    assert not result
    assert result.comparisons[0].pattern == "6 of 70 elements: axis 0 at 64 to 69 (the tail)"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"inputs": inputs()[:1]}, "SPY830"),
        ({"inputs": {"x": inputs()[0], "z": inputs()[1]}}, "SPY830"),
        ({"ref": lambda x, y: x}, "SPY831"),
        ({"stages": ["placed"]}, "SPY832"),
    ],
)
def test_wrong_calls(change: dict, code: str) -> None:
    call = {"ref": lambda x, y: (x + y, x - y), "inputs": inputs()} | change
    with pytest.raises(spyre.SpyreError) as caught:
        spyre.check(both, **call)
    assert caught.value.code == code


def test_patterns() -> None:
    mask = np.zeros((6, 8), bool)
    assert describe(mask) == "none"
    mask[::2] = True
    assert describe(mask) == "24 of 48 elements: axis 0 at every 2th from 0 to 4"
    mask[:] = True
    assert describe(mask) == "every element"
    mask[:] = False
    mask[1, 3] = mask[2, 5] = mask[5, 6] = True
    assert describe(mask) == "3 of 48 elements: axis 0 at 1, 2, 5, axis 1 at 3, 5, 6"


def test_compare_counts_ulp_and_nan() -> None:
    want = np.array([1.0, 2.0, np.nan, np.inf], np.float16)
    got = want.copy()
    got[0] = np.nextafter(np.float16(1), np.float16(2))
    assert compare("x", got, want, Tolerance(1)).ok
    found = compare("x", got, want, Tolerance(0))
    assert (found.misses, found.worst.index, found.worst.ulp) == (1, (0,), 1.0)
    got[2] = 0
    assert not compare("x", got, want, Tolerance(1)).ok


def test_reference_of_another_shape_or_type() -> None:
    with pytest.raises(spyre.SpyreError) as caught:
        spyre.check(both, ref=lambda x, y: ((x + y)[:3], x - y), inputs=inputs())
    assert caught.value.code == "SPY833"

    def wide(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x + y, (x.astype(np.float64) - y)

    assert spyre.check(both, ref=wide, inputs=inputs())


def test_outputs_have_the_type_of_the_inputs_that_are_like_them() -> None:
    """Numpy computed in f64; the float among the inputs is f16, the integers are positions."""

    @spyre.kernel
    def picked(table: spy.In, rows: spy.In, out: spy.Out):
        out[:, :] = table[spy.ind(rows[:]), :]

    table, rows = inputs()[0], np.array([3, 0, 7], np.int32)
    result = spyre.check(
        picked,
        ref=lambda t, r: t[r].astype(np.float64),
        inputs=[table, rows],
        stages=["ktir"],
        tolerance=0,
    )
    assert result.ok, str(result)


def test_a_grid_too_large_is_no_verdict() -> None:
    @spyre.kernel(grid=64)
    def rows(x: spy.In["M", "N"], out: spy.Out["M", "N"]):
        for i in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
            out[i, :] = spy.load(x[i, :])

    with pytest.raises(spyre.SpyreError) as caught:
        spyre.check(rows, ref=lambda x: x, inputs=[np.ones((64, 64), np.float16)])
    assert caught.value.code == "SPY435"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"ref": 3}, "SPY834"),
        ({"ref": lambda x: x}, "SPY834"),
        ({"inputs": 3}, "SPY830"),
        ({"tolerance": "tight"}, "SPY835"),
    ],
)
def test_nonsense_is_refused_by_name(change: dict, code: str) -> None:
    call = {"ref": lambda x, y: (x + y, x - y), "inputs": inputs()} | change
    with pytest.raises(spyre.SpyreError) as caught:
        spyre.check(both, **call)
    assert caught.value.code == code


def test_kernels_that_are_interpreted_only_have_a_verdict_too():
    @spyre.kernel(grid=2)
    def totals(x: spy.In["M", "N"], out: spy.Out["M"]):
        out[spy.tile_id()] = spy.sum(x[spy.tile_id(), :])

    x = np.ones((2, 8), np.float32)
    result = spyre.check(totals, ref=lambda x: x.sum(1) + 1, inputs=[x], stages=["ktir"])
    assert not result.ok
