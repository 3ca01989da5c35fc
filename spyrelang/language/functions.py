"""Element-wise functions of the language. Operands broadcast as in numpy; results round once."""

from __future__ import annotations

import math
from typing import Any

from spyrelang.errors import trace as errors
from spyrelang.language import bodies, elementwise
from spyrelang.language.conditions import Condition, as_tensor, choose
from spyrelang.language.index import Index, arithmetic, as_integer
from spyrelang.language.scalars import as_number, typed
from spyrelang.language.tensor import Tensor
from spyrelang.language.tracing import fail
from spyrelang.language.types import element_type, f32
from spyrelang.semantics.dtypes import DType


def exp(x: Any) -> Tensor:
    """e to the power of x (floats).

    >>> evaluate(lambda x: spy.exp(x), [0.0])
    array([1.], dtype=float32)
    """
    return elementwise.unary("exp", x)


def exp2(x: Any) -> Tensor:
    """2 to the power of x (floats).

    >>> evaluate(lambda x: spy.exp2(x), [0.0, 3.0])
    array([1., 8.], dtype=float32)
    """
    return elementwise.unary("exp2", x)


def log(x: Any) -> Tensor:
    """The natural logarithm (floats).

    >>> evaluate(lambda x: spy.log(x), [1.0])
    array([0.], dtype=float32)
    """
    return elementwise.unary("log", x)


def sqrt(x: Any) -> Tensor:
    """The square root (floats).

    >>> evaluate(lambda x: spy.sqrt(x), [4.0, 9.0])
    array([2., 3.], dtype=float32)
    """
    return elementwise.unary("sqrt", x)


def rsqrt(x: Any) -> Tensor:
    """1 / sqrt(x) (floats).

    >>> evaluate(lambda x: spy.rsqrt(x), [4.0, 16.0])
    array([0.5 , 0.25], dtype=float32)
    """
    return elementwise.unary("rsqrt", x)


def reciprocal(x: Any) -> Tensor:
    """1 / x (floats).

    >>> evaluate(lambda x: spy.reciprocal(x), [4.0, 0.5])
    array([0.25, 2.  ], dtype=float32)
    """
    return elementwise.unary("reciprocal", x)


def realdiv(a: Any, b: Any) -> Tensor:
    """a / b by the device's division (floats).

    >>> evaluate(lambda a, b: spy.realdiv(a, b), [4.0, 1.0], [2.0, 4.0])
    array([2.  , 0.25], dtype=float32)
    """
    return elementwise.two("realdiv", "spy.realdiv", a, b)


def sigmoid(x: Any) -> Tensor:
    """1 / (1 + exp(-x)) (floats).

    >>> evaluate(lambda x: spy.sigmoid(x), [0.0])
    array([0.5], dtype=float32)
    """
    return elementwise.unary("sigmoid", x)


def silu(x: Any) -> Tensor:
    """x · sigmoid(x) (floats).

    >>> evaluate(lambda x: spy.silu(x), [0.0, 20.0])
    array([ 0., 20.], dtype=float32)
    """
    return elementwise.unary("silu", x)


def gelu(x: Any) -> Tensor:
    """x · Φ(x), Φ the normal distribution function (floats).

    >>> evaluate(lambda x: spy.gelu(x), [0.0, 20.0])
    array([ 0., 20.], dtype=float32)
    """
    return elementwise.unary("gelu", x)


def softplus(x: Any, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta·x)) / beta, and x where beta·x > threshold (floats).

    >>> evaluate(lambda x: spy.softplus(x), [-200.0, 30.0])
    array([ 0., 30.], dtype=float32)
    """
    value = elementwise.tensor_operand(x, "spy.softplus")
    factor, limit = (_parameter(n) for n in (beta, threshold))
    if not factor or limit is None:
        got = f"beta={beta!r}, threshold={threshold!r}"
        hint = "both are finite numbers, and beta is not 0"
        fail(errors.OPERAND, op="spy.softplus", got=got, hint=hint)
    if not value.dtype.is_float:
        fail(errors.OPERAND_DTYPE, op="spy.softplus", dtype=value.dtype, hint="cast to f32 first")
    build = bodies.softplus(value.dtype, factor, limit)
    return elementwise.apply((value,), build, value.dtype)


def _parameter(value: Any) -> float | None:
    """A finite number as f32 holds it; None for anything else."""
    number = as_number(value)
    usable = number is not None and not isinstance(number, bool) and math.isfinite(number)
    return float(typed(number, f32)) if usable and number is not None else None


def tanh(x: Any) -> Tensor:
    """The hyperbolic tangent (floats).

    >>> evaluate(lambda x: spy.tanh(x), [0.0, 20.0])
    array([0., 1.], dtype=float32)
    """
    return elementwise.unary("tanh", x)


def erf(x: Any) -> Tensor:
    """The error function (floats).

    >>> evaluate(lambda x: spy.erf(x), [0.0, 9.0])
    array([0., 1.], dtype=float32)
    """
    return elementwise.unary("erf", x)


def abs(x: Any) -> Tensor:
    """The absolute value.

    >>> evaluate(lambda x: spy.abs(x), [-2.0, 3.0])
    array([2., 3.], dtype=float32)
    """
    return elementwise.unary("abs", x)


def neg(x: Any) -> Tensor:
    """-x.

    >>> evaluate(lambda x: spy.neg(x), [-2.0, 3.0])
    array([ 2., -3.], dtype=float32)
    """
    return elementwise.unary("neg", x)


def maximum(a: Any, b: Any) -> Any:
    """The larger one; NaN where either is NaN. Also of two traced integers.

    >>> evaluate(lambda x: spy.maximum(x, 0.0), [-2.0, 3.0])
    array([0., 3.], dtype=float32)
    """
    if _integers(a, b):
        return arithmetic("max", a, b)
    return elementwise.two("maximum", "spy.maximum", a, b)


def minimum(a: Any, b: Any) -> Any:
    """The smaller one; NaN where either is NaN. Also of two traced integers.

    >>> evaluate(lambda x: spy.minimum(x, 0.0), [-2.0, 3.0])
    array([-2.,  0.], dtype=float32)
    """
    if _integers(a, b):
        return arithmetic("min", a, b)
    return elementwise.two("minimum", "spy.minimum", a, b)


def _integers(a: object, b: object) -> bool:
    return all(isinstance(v, Index) or as_integer(v) is not None for v in (a, b))


def fma(a: Any, b: Any, c: Any) -> Tensor:
    """a · b + c, rounded once (floats).

    >>> evaluate(lambda a, b: spy.fma(a, b, 1.0), [2.0, 3.0], [4.0, 5.0])
    array([ 9., 16.], dtype=float32)
    """
    operands = elementwise.common((a, b, c), "spy.fma")
    dtype = operands[0].dtype
    if not dtype.is_float:
        fail(errors.OPERAND_DTYPE, op="spy.fma", dtype=dtype, hint="write a * b + c for integers")
    return elementwise.apply(operands, bodies.single("math.fma"), dtype)


def where(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition (an i1 tensor, or a comparison of traced integers) holds, else b. Two
    integers give a traced integer.

    >>> evaluate(lambda x: spy.where(x > 2, x, 0.0), [1.0, 3.0])
    array([0., 3.], dtype=float32)
    """
    if isinstance(condition, Condition):
        if _integers(a, b):
            return choose(condition, a, b)
        condition = as_tensor(condition)
    chosen = elementwise.tensor_operand(condition, "spy.where")
    if chosen.dtype.name != "i1":
        hint = "compare first: spy.where(x > 0, a, b)"
        fail(errors.OPERAND_DTYPE, op="spy.where", dtype=chosen.dtype, hint=hint)
    first, second = elementwise.common((a, b), "spy.where")
    dtype = first.dtype
    build = bodies.single("arith.select", to=dtype)
    return elementwise.apply((chosen, first, second), build, dtype)


select = where


def cast(x: Any, dtype: DType | str) -> Tensor:
    """x with another element type. Floats to integers: towards zero; to i1: whether not zero.
    A traced integer or condition becomes a tensor without axes.

    >>> evaluate(lambda x: spy.cast(x, spy.i32), [1.5, -2.5])
    array([ 1, -2], dtype=int32)
    """
    target = element_type(dtype)
    traced = isinstance(x, Index | Condition)
    value = as_tensor(x) if traced else elementwise.tensor_operand(x, "spy.cast")
    if target == value.dtype:
        return value
    return elementwise.apply((value,), bodies.cast(value.dtype, target), target)
