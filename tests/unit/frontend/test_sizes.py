"""Named sizes are ints inside the kernels whose annotations have them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import spyrelang as spyre
import spyrelang.language as spy

M, N, K = spy.dims("M N K")
L = spy.Dim("L", max=64, granularity=2)


def found(value: Callable[[], Any], shape: tuple[int, ...] = (6, 10)) -> int:
    """What `value()` gives in a kernel where M, N = shape."""

    @spyre.kernel
    def kernel(x: spy.In[M, N], out: spy.Out[1]):
        out[:] = value()

    out = np.zeros(1, np.int32)
    kernel(np.zeros(shape, np.float32), out, engine="ktir")
    return int(out[0])


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (lambda: N, 10),
        (lambda: N // 4 + 100 // M, 18),
        (lambda: 2 * N - M % 4 + 3**M, 747),
        (lambda: M * N - -M, 66),
        (lambda: int(N / 4 + 1 / M), 2),
        (lambda: sum(divmod(N, 4)), 4),
        (lambda: min(N, M) + max(N, 7), 16),
        (lambda: len(range(M)) + len([0] * N), 16),
        (lambda: (M == 6) + 2 * (N != 6) + 4 * (M == N) + 8 * (M < N) + 16 * (M <= 6), 27),
        (lambda: int(f"{M:03d}" == "006" and str(N) == "10"), 1),
        (lambda: int(float(M)) + (1 << M >> 1), 38),
        (lambda: spy.zeros((M, N), spy.i32).shape[1], 10),
        (lambda: spy.iota(N)[M], 6),
        (lambda: spy.sum(spy.reshape(spy.iota((M, N)), (N, M))) // M, 25),
    ],
)
def test_computes(value: Callable[[], Any], want: int) -> None:
    assert found(value) == want


def test_bounds_slices_and_tensors() -> None:
    @spyre.kernel(grid=3)
    def halves(x: spy.InOut[M, N]):
        for row in spy.range(spy.tile_id(), M, 3):
            x[row, N // 2 : N] = spy.load(x[row, : N // 2]) / N

    for shape in ((7, 8), (2, 12)):
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        want = x.copy()
        want[:, shape[1] // 2 :] = x[:, : shape[1] // 2] / np.float32(shape[1])
        halves(x, engine="ktir")
        assert np.array_equal(x, want)


def test_ellipsis_rules_and_helpers() -> None:
    @spyre.kernel
    def kernel(x: spy.In[M, ..., N, L], y: spy.In["P"], out: spy.Out[3]):
        for i, size in enumerate((M, L, spy.dims("P"))):
            out[i] = helper(size)

    def helper(size: int) -> int:
        return size * 10 if L == 4 else -1

    out = np.zeros(3, np.int32)
    kernel(np.zeros((2, 9, 9, 3, 4), np.float32), np.zeros(5, np.float32), out, engine="ktir")
    assert list(out) == [20, 40, 50]


def test_value_of_a_size_that_is_a_parameter() -> None:
    rows = spy.Dim("rows", max=8)

    @spyre.kernel
    def kernel(out: spy.Out[1], n: rows = 5):
        out[:] = rows + 1

    out = np.zeros(1, np.int32)
    kernel(out, engine="ktir")
    assert out[0] == 6


def test_one_that_the_kernel_does_not_have() -> None:
    for value in (lambda: K + 1, lambda: K == 4, lambda: spy.zeros((K,), spy.f32)):
        with pytest.raises(spyre.SpyreError, match=r"SPY263.*in this kernel K") as error:
            found(value)
        assert "'kernel' name M, N:" in str(error.value.hint)


def test_outside_of_kernels() -> None:
    assert spy.dims("M") == M != N
    assert len({M, N, spy.dims("M")}) == 2
    assert spy.Dim("L", max=64, granularity=2) == L != spy.Dim("L")
    assert 6 not in (M, L)
    assert (repr(M), f"{M}", bool(M)) == ("M", "M", True)
    for value in (lambda: M * 2, lambda: M < 4, lambda: range(M)):
        with pytest.raises(spyre.SpyreError, match=r"SPY263.*arithmetic on the size M"):
            value()
