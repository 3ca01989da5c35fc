"""Running kernels on the KTIR interpreter, as traced and as read back from their text."""

import numpy as np

from spyrelang import interp, ir

from .conftest import trace_kernel


def run(kernel, *arrays, grid=1, warnings=(), **consts):
    """Trace, interpret, read the text back, interpret that: both fill the outputs alike. The
    arrays are bound by position and filled in place."""
    traced = trace_kernel(kernel, *arrays, grid=grid, **consts)
    given = {p.name: a for p, a in zip(traced.params, arrays, strict=False)}
    again = {name: np.array(a) if isinstance(a, np.ndarray) else a for name, a in given.items()}
    interp.compile(traced.module, traced.name).run(given)
    text = traced.module.text()
    interp.compile(ir.parse(text, "again.mlir", names=True), traced.name).run(again)
    for name, array in given.items():
        if isinstance(array, np.ndarray):
            np.testing.assert_array_equal(bits(array), bits(again[name]), err_msg=name)
    return traced


def bits(array):
    return np.ascontiguousarray(array).view(np.uint8)


def random(*shape, dtype=np.float32, seed=7):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(-9, 9, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)
