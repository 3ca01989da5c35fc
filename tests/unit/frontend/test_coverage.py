"""Coverage of outputs, against counting by brute force."""

import numpy as np
import pytest

import spyrelang.language as spy
from spyrelang import frontend


def rows(x: spy.In, out: spy.Out, block: spy.Const, step: spy.Const):
    start = spy.tile_id() * step
    out[start : start + block, :] = spy.load(x[start : start + block, :])


def test_covered(trace, zeros):
    (found,) = frontend.coverage(trace(rows, zeros(96, 64), zeros(96, 64), 4, 4, grid=24))
    assert (found.uncovered, found.doubled) == ((), ())


def test_rest_is_named(trace, zeros):
    traced = trace(rows, zeros(100, 64), zeros(100, 64), 32, 32, grid=3)
    (found,) = frontend.coverage(traced)
    assert found.uncovered == (((96, 99), (0, 63)),)
    assert found.uncovered_count == 4 * 64
    (warning,) = frontend.warnings(traced)
    assert warning.code == "SPY291"
    assert "256 of 6400 elements of 'out' are never written: out[96:100, :]" in str(warning)
    assert "out[start : start + block, :] =" in str(warning)


def test_overlap_is_named(trace, zeros):
    traced = trace(rows, zeros(8, 64), zeros(8, 64), 3, 2, grid=3)
    (found,) = frontend.coverage(traced)
    assert found.doubled == (((2, 2), (0, 63)), ((4, 4), (0, 63)))
    assert {w.code for w in frontend.warnings(traced)} == {"SPY291", "SPY292"}


def test_one_tile_may_write_twice(trace, zeros):
    def kernel(out: spy.Out):
        out[:, :] = 0.0
        out[0, :] = 1.0

    assert frontend.warnings(trace(kernel, zeros(4, 64))) == []


def test_in_place_need_not_cover(trace, zeros):
    def kernel(x: spy.InOut):
        x[0, :] += 1.0

    assert frontend.warnings(trace(kernel, zeros(4, 64))) == []


def test_unused_output(trace, zeros):
    def kernel(x: spy.In, out: spy.Out):
        pass

    traced = trace(kernel, zeros(4), zeros(4))
    (warning,) = traced.warnings
    assert frontend.warnings(traced) == []
    assert warning.code == "SPY290"
    assert "def kernel" in str(warning)


def test_other_views_claim_nothing(trace, zeros):
    def kernel(out: spy.Out):
        flat = spy.memory_view(out, (256,))
        flat[0:64] = 1.0

    assert frontend.coverage(trace(kernel, zeros(4, 64))) == ()


@pytest.mark.parametrize("seed", range(12))
def test_against_brute_force(seed, trace, zeros):
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.integers(6, 14, 2))
    extents = tuple(int(n) for n in rng.integers(1, 4, 2))
    grid = (int(rng.integers(1, 4)), int(rng.integers(1, 3)))
    factor = int(rng.integers(1, 4))
    stop = shape[1] - extents[1] - grid[1] + 2

    def kernel(out: spy.Out):
        row = spy.minimum(spy.tile_id(0) * factor, shape[0] - extents[0])
        for i in spy.range(0, stop, 3):
            col = i + spy.tile_id(1)
            out[row : row + extents[0], col : col + extents[1]] = 1.0

    (found,) = frontend.coverage(trace(kernel, zeros(*shape), grid=grid))
    writers = [[set() for _ in range(shape[1])] for _ in range(shape[0])]
    for a in range(grid[0]):
        for b in range(grid[1]):
            for i in range(0, stop, 3):
                top = min(a * factor, shape[0] - extents[0])
                for r in range(top, top + extents[0]):
                    for c in range(i + b, i + b + extents[1]):
                        writers[r][c].add((a, b))
    counts = np.array([[len(w) for w in line] for line in writers])
    for boxes, wanted, count in (
        (found.uncovered, counts == 0, found.uncovered_count),
        (found.doubled, counts > 1, found.doubled_count),
    ):
        marked = np.zeros(shape, int)
        for (top, bottom), (left, right) in boxes:
            marked[top : bottom + 1, left : right + 1] += 1
        assert (marked == wanted).all()
        assert count == wanted.sum()


@pytest.mark.parametrize("extent", [1, 7, 8, 63, 64, 65, 100, 4097])
@pytest.mark.parametrize("grid", [1, 2, 3, 32])
def test_blocks_cover_once(extent, grid, trace, zeros):
    def kernel(out: spy.Out):
        for part in spy.blocks(out.shape[0], 8):
            out[part] = 1.0

    assert frontend.warnings(trace(kernel, zeros(extent), grid=grid)) == []


def test_rank_three_and_zero(trace, zeros):
    def three(out: spy.Out):
        out[:, spy.tile_id(), 0:8] = 1.0

    (found,) = frontend.coverage(trace(three, zeros(2, 3, 16), grid=3))
    assert found.uncovered == (((0, 1), (0, 2), (8, 15)),)

    def scalar(out: spy.Out):
        out[()] = 1.0

    (found,) = frontend.coverage(trace(scalar, zeros(), grid=2))
    assert found.doubled_count == 1
