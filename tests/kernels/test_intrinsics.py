"""Every element-wise function, compiled, against f64 and against the named special results."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from acceptance import DEVICES, agrees, bf16, data, f16, f32, poisoned

import spyrelang as spyre
import spyrelang.language as spy
from spyrelang.semantics import tolerance

erf = np.vectorize(math.erf, otypes=[float])
erfc = np.vectorize(math.erfc, otypes=[float])


def sigmoid64(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def softplus64(x: Any) -> Any:
    return np.where(x > 20, x, np.log1p(np.exp(np.minimum(x, 30))))


# name: (function in a kernel, exact function of f64 arrays, name in the table of tolerances)
FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any], str]] = {
    "exp": (spy.exp, np.exp, "math.exp"),
    "exp2": (spy.exp2, np.exp2, "math.exp2"),
    "log": (spy.log, np.log, "math.log"),
    "sqrt": (spy.sqrt, np.sqrt, "math.sqrt"),
    "rsqrt": (spy.rsqrt, lambda x: 1 / np.sqrt(x), "math.rsqrt"),
    "reciprocal": (spy.reciprocal, lambda x: 1 / x, "spyreop.reciprocal"),
    "sigmoid": (spy.sigmoid, sigmoid64, "spyreop.sigmoid"),
    "silu": (spy.silu, lambda x: np.where(x < -1e3, -0.0, x * sigmoid64(x)), "spyreop.silu"),
    "gelu": (
        spy.gelu,
        lambda x: np.where(x == -np.inf, -0.0, x * 0.5 * erfc(-x / math.sqrt(2))),
        "spyreop.gelu",
    ),
    "softplus": (spy.softplus, softplus64, "spyreop.softplus"),
    "tanh": (spy.tanh, np.tanh, "math.tanh"),
    "erf": (spy.erf, erf, "math.erf"),
    "abs": (spy.abs, np.abs, "math.absf"),
    "neg": (spy.neg, np.negative, "arith.negf"),
}
BINARY: dict[str, tuple[Callable[..., Any], Callable[..., Any], str]] = {
    "realdiv": (spy.realdiv, np.divide, "spyreop.realdiv"),
    "divide": (lambda a, b: a / b, np.divide, "arith.divf"),
    "maximum": (spy.maximum, np.maximum, "arith.maximumf"),
    "minimum": (spy.minimum, np.minimum, "arith.minimumf"),
}


@spyre.kernel(grid=2)
def unary(x: spy.In, out: spy.Out, name: spy.Const):
    share = x.shape[0] // 2
    rows = slice(spy.tile_id() * share, spy.tile_id() * share + share)
    out[rows, :] = FUNCTIONS[name][0](x[rows, :])


@spyre.kernel
def binary(x: spy.In, y: spy.In, out: spy.Out, name: spy.Const):
    out[:, :] = BINARY[name][0](spy.load(x[:, :]), spy.load(y[:, :]))


def close(got: Any, exact: Any, op: str, dtype: str) -> None:
    """`exact` is f64; what is compared with is its rounding."""
    allowed = tolerance.tolerance(op, dtype)
    with np.errstate(all="ignore"):
        want = exact.astype(got.dtype)
    accepted = allowed.accepts(got, want, dtype)
    wrong = np.argwhere(~accepted)
    assert not len(wrong), (op, got[tuple(wrong[0])], exact[tuple(wrong[0])])


def run(kernel: Any, inputs: list[Any], name: str, **where: Any) -> Any:
    out = poisoned(inputs[0].shape, inputs[0].dtype)
    result = kernel(*inputs, out, name=name, **where)
    assert not result.warnings
    return out


@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_f16_values(name: str) -> None:
    _, exact, op = FUNCTIONS[name]
    every = np.arange(1 << 16, dtype=np.uint16).view(f16).reshape(64, 1024)
    with np.errstate(all="ignore"):
        want = exact(every.astype(np.float64))
    for device, engine in (("spyre", "ktir"), ("spyre", "fast"), (DEVICES[2], "fast")):
        close(run(unary, [every], name, device=device, engine=engine), want, op, "f16")


@pytest.mark.parametrize(("dtype", "name"), [(f32, "f32"), (bf16, "bf16")])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_other_types(function: str, dtype: Any, name: str) -> None:
    _, exact, op = FUNCTIONS[function]
    values = (data((4, 96), dtype) * np.array(3, dtype)).astype(dtype)
    with np.errstate(all="ignore"):
        want = exact(values.astype(np.float64))
    for device, engine in (("spyre", "ktir"), ("sample_device", "fast"), ("spyre", "checked")):
        got = run(unary, [values], function, device=device, engine=engine)
        if function in ("gelu", "softplus", "erf"):  # gelu and softplus of wide types are made of
            op = "spyreop.gelu"  # several ops, each with a rounding of its own
        close(got, want, op, name)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize(("dtype", "kind"), [(f16, "f16"), (f32, "f32")])
def test_two_operands(name: str, dtype: Any, kind: str) -> None:
    _, exact, op = BINARY[name]
    x, y = data((5, 100), dtype), data((5, 100), dtype, 1)
    want = exact(x.astype(np.float64), y.astype(np.float64))
    for device in DEVICES:
        for engine in ("fast", "checked"):
            close(run(binary, [x, y], name, device=device, engine=engine), want, op, kind)


@pytest.mark.parametrize("name", [*FUNCTIONS, *BINARY])
@pytest.mark.parametrize(("dtype", "kind"), [(f16, "f16"), (f32, "f32")])
def test_special_values(name: str, dtype: Any, kind: str) -> None:
    """Zeros, infinities, NaN and overflow give exactly what the table of semantics names."""
    op = (FUNCTIONS | BINARY)[name][2]
    wide = kind == "f32" and name in ("gelu", "softplus")
    cases = [] if wide else tolerance.specials(op, kind)
    if not cases:
        return
    columns = [np.array(c, dtype)[None, :] for c in zip(*(c[0] for c in cases), strict=True)]
    want = np.array([c[1] for c in cases], dtype)
    for device in ("spyre", DEVICES[2]):
        if len(columns) == 1:
            rows = [np.repeat(columns[0], 2, axis=0)]
            got = run(unary, rows, name, device=device, engine="checked")[1]
        else:
            got = run(binary, columns, name, device=device, engine="checked")[0]
        for case, g, w in zip(cases, got, want, strict=True):
            assert (np.isnan(g) and np.isnan(w)) or (g == w and np.signbit(g) == np.signbit(w)), (
                case, float(g),
            )  # fmt: skip


# --- the compositions of the field ----------------------------------------------------------------


@spyre.kernel
def gelu_of_affine(a: spy.In, b: spy.In, c: spy.In, out: spy.Out):
    out[:, :] = spy.gelu(a[:, :] * b[:, :] + c[:, :])


@spyre.kernel
def gated(x: spy.In, y: spy.In, out: spy.Out):
    out[:, :] = spy.silu(x[:, :]) * spy.load(y[:, :])


def gelu(x: Any) -> Any:
    wide = x.astype(np.float64)
    return (wide * 0.5 * erfc(-wide / math.sqrt(2))).astype(x.dtype)


def silu(x: Any) -> Any:
    wide = x.astype(np.float64)
    return (wide * sigmoid64(wide)).astype(x.dtype)


@pytest.mark.parametrize("shape", [(1, 64), (3, 64), (4, 100), (7, 192)])
def test_gelu_and_silu_in_expressions(shape: tuple[int, int]) -> None:
    a, b, c = (data(shape, seed=s) for s in range(3))
    agrees(gelu_of_affine, [a, b, c], lambda a, b, c: gelu(a * b + c), ulp=2)
    agrees(gated, [a, b], lambda x, y: silu(x) * y, ulp=2)


@spyre.kernel
def fused_multiply_add(x: spy.In, y: spy.In, z: spy.In, out: spy.Out):
    out[:, :] = spy.fma(spy.load(x[:, :]), spy.load(y[:, :]), spy.load(z[:, :]))


@spyre.kernel
def comparisons(x: spy.In, y: spy.In, out: spy.Out):
    a, b = spy.load(x[:, :]), spy.load(y[:, :])
    r = spy.where(a == b, a + b, spy.where(a != a, b, a * b))
    r = spy.where(a <= b, r, r + 1)
    out[:, :] = spy.where(a >= 0, r, spy.where(b < 0, -r, r - b))


def compared(a: Any, b: Any) -> Any:
    r = np.where(a == b, a + b, np.where(a != a, b, a * b))
    r = np.where(a <= b, r, r + np.array(1, a.dtype))
    return np.where(a >= 0, r, np.where(b < 0, -r, r - b))


@spyre.kernel
def widened(x: spy.In, out: spy.Out):
    """Computed in f32 and rounded once."""
    wide = spy.cast(x[:, :], spy.f32)
    out[:, :] = spy.cast(wide * wide + wide, x.dtype)


@pytest.mark.parametrize("dtype", [f16, f32, bf16], ids=lambda d: np.dtype(d).name)
def test_fma_comparisons_and_casts(dtype: Any) -> None:
    x, y, z = (data((5, 100), dtype, s) for s in range(3))
    y[::2, ::3] = x[::2, ::3]
    agrees(comparisons, [x, y], compared)
    agrees(widened, [x], lambda x: (x.astype(f32) * x.astype(f32) + x.astype(f32)).astype(x.dtype))
    if dtype != f32:
        agrees(
            fused_multiply_add, [x, y, z],
            lambda x, y, z: (x.astype(f32) * y.astype(f32) + z.astype(f32)).astype(x.dtype),
            ulp=1,
        )  # fmt: skip
