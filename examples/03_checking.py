"""Checking numbers: a right kernel, a wrong one, and one that leaves elements out."""

from __future__ import annotations

import warnings

import numpy as np

import spyrelang as spyre
import spyrelang.language as spy

M, N = spy.dims("M N")


@spyre.kernel(grid=4)
def swiglu(x: spy.In[M, N], y: spy.In[M, N], out: spy.Out[M, N]):
    for row in spy.range(spy.tile_id(), x.shape[0], spy.num_tiles()):
        out[row, :] = spy.silu(spy.load(x[row, :])) * spy.load(y[row, :])


def reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    wide = x.astype(np.float64)
    return (wide / (1 + np.exp(-wide))).astype(x.dtype) * y


def off_in_one_column(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return reference(x, y) + (np.arange(x.shape[1]) == 7)


@spyre.kernel(grid=4)
def forgetful(x: spy.In[M, N], out: spy.Out[M, N]):
    rows = x.shape[0] // spy.num_tiles()  # drops the rest
    first = spy.tile_id() * rows
    out[first : first + rows, :] = spy.load(x[first : first + rows, :])


def main() -> None:
    rng = np.random.default_rng(2)
    x, y = (rng.standard_normal((30, 300)).astype(np.float16) for _ in range(2))

    print(spyre.check(swiglu, ref=reference, inputs=[x, y]))
    print(
        spyre.check(swiglu, ref=lambda x, y: reference(x, y) + (np.arange(300) == 7), inputs=[x, y])
    )

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        print(spyre.check(forgetful, ref=lambda x: x, inputs=[x]))
    print("\nand at compile time:")
    print(caught[0].message)


if __name__ == "__main__":
    main()
