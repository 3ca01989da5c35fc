"""The fast conversion from f16 gives what numpy gives, for every code."""

from __future__ import annotations

import numpy as np

from spyrelang.interp.widen import widen

CODES = np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def check(values: np.ndarray) -> None:
    got, want = widen(values, np.dtype(np.float32)), values.astype(np.float32)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    keep = ~np.isnan(want)
    np.testing.assert_array_equal(got[keep].view(np.int32), want[keep].view(np.int32))


def test_every_code() -> None:
    check(CODES)
    check(np.where(np.isfinite(CODES), CODES, np.float16(0)))
    check(CODES.reshape(512, 128)[:, ::2].repeat(2, axis=0))
    check(CODES.reshape(256, 256).T)


def test_shapes() -> None:
    one = np.ones((1, 40000), np.float16)
    check(one)
    check(np.ones((40000, 1), np.float16))
    check(np.ones((3, 0), np.float16))
    check(np.float16(2.5).reshape(()))
    assert widen(one, np.dtype(np.float64)).dtype == np.float64
    assert widen(one.astype(np.int32), np.dtype(np.int32)).dtype == np.int32
