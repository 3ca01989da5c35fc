"""Reductions along axes, and the averages of the device's layer norm."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from spyrelang.errors import trace as errors
from spyrelang.language import bodies, elementwise, structured
from spyrelang.language.bodies import Body
from spyrelang.language.scalars import Number, as_number, typed
from spyrelang.language.tensor import Tensor
from spyrelang.language.tracing import fail
from spyrelang.language.types import element_type, f32
from spyrelang.semantics.dtypes import DType, get

Axis = int | tuple[int, ...] | None


def sum(
    x: Any, axis: Axis = None, keepdims: bool = False, dtype: Any = None, initial: Any = 0
) -> Tensor:
    """The sum along `axis` (an int, several, or None: all). f16, bf16 and df16 are added up in f32
    and rounded once, to the type of x or to `dtype`.

    >>> evaluate(lambda x: spy.sum(x, axis=1), [[1.0, 2.0], [3.0, 4.0]])
    array([3., 7.], dtype=float32)
    """
    return _folded("sum", "add", x, axis, keepdims, dtype, initial)


def prod(
    x: Any, axis: Axis = None, keepdims: bool = False, dtype: Any = None, initial: Any = 1
) -> Tensor:
    """The product along `axis`; f16, bf16 and df16 are multiplied in f32 and rounded once.

    >>> evaluate(lambda x: spy.prod(x), [2.0, 3.0, 4.0])
    array(24., dtype=float32)
    """
    return _folded("prod", "mul", x, axis, keepdims, dtype, initial)


def max(x: Any, axis: Axis = None, keepdims: bool = False, initial: Any = None) -> Tensor:
    """The largest element along `axis`; NaN where there is one. `initial`: the least result.

    >>> evaluate(lambda x: spy.max(x, axis=0), [[1.0, 5.0], [3.0, 4.0]])
    array([3., 5.], dtype=float32)
    """
    return _folded("max", "maximum", x, axis, keepdims, None, initial)


def min(x: Any, axis: Axis = None, keepdims: bool = False, initial: Any = None) -> Tensor:
    """The smallest element along `axis`; NaN where there is one. `initial`: the largest result.

    >>> evaluate(lambda x: spy.min(x, axis=0, keepdims=True), [[1.0, 5.0], [3.0, 4.0]])
    array([[1., 4.]], dtype=float32)
    """
    return _folded("min", "minimum", x, axis, keepdims, None, initial)


def mean(x: Any, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Tensor:
    """The mean along `axis` (floats): the f32 sum over the count, rounded once.

    >>> evaluate(lambda x: spy.mean(x, axis=(0, 1)), [[1.0, 2.0], [3.0, 6.0]])
    array(3., dtype=float32)
    """
    value = elementwise.tensor_operand(x, "spy.mean")
    if not value.dtype.is_float:
        hint = "cast to f32 first"
        fail(errors.OPERAND_DTYPE, op="spy.mean", dtype=value.dtype, hint=hint)
    axes = structured.axes_of(axis, value.rank, "spy.mean")
    count = math.prod(value.shape[a] for a in axes)
    if not count:
        fail(errors.EMPTY_REDUCTION, op="spy.mean", shape=value.shape, axis=axis)
    target = value.dtype if dtype is None else _float_type("spy.mean", dtype)
    total = _fold("spy.mean", "add", value, axes, keepdims, _wide(value.dtype), 0.0)
    return elementwise.apply((total,), partial(_share, count, target), target)


def _share(count: int, target: DType, body: Body, total: int) -> int:
    wide = body.dtypes[total]
    found = body.op("arith.divf", total, body.const(float(count), wide))
    return found if target == wide else bodies.cast(wide, target)(body, found)


def _float_type(what: str, dtype: Any) -> DType:
    found = element_type(dtype)
    if not found.is_float:
        fail(errors.OPERAND_DTYPE, op=what, dtype=found, hint="its results are floats")
    return found


def _wide(dtype: DType) -> DType:
    """What sums of a type are added up in."""
    return f32 if dtype.is_float and dtype.bits < 32 else dtype


def _folded(
    name: str, op: str, x: Any, axis: Any, keepdims: bool, dtype: Any, initial: Any
) -> Tensor:
    what = f"spy.{name}"
    value = elementwise.tensor_operand(x, what)
    if value.dtype.name == "i1" or bodies.binary(op, value.dtype) is None:
        fail(errors.OPERAND_DTYPE, op=what, dtype=value.dtype, hint="cast to i32 first")
    axes = structured.axes_of(axis, value.rank, what)
    extreme = op in ("maximum", "minimum")
    if extreme and initial is None and 0 in (value.shape[a] for a in axes):
        fail(errors.EMPTY_REDUCTION, op=what, shape=value.shape, axis=axis)
    target = value.dtype if dtype is None else element_type(dtype)
    if target != value.dtype and not _widens(value.dtype, target):
        hint = f"reduce first, then spy.cast(value, spy.{target})"
        fail(errors.MIXED_DTYPES, op=what, first=value.dtype, second=f"dtype={target}", hint=hint)
    wide = _wide(target) if target.is_float else target
    if extreme and not value.dtype.is_df16:  # which has no order of its own
        wide = value.dtype
    start = _initial(what, op, initial, wide)
    found = _fold(what, op, value, axes, keepdims, wide, start)
    if wide == target:
        return structured.named(found)
    return elementwise.apply((found,), bodies.cast(wide, target), target)


def _widens(source: DType, target: DType) -> bool:
    """Whether a result type holds what the elements are, and more."""
    return source.is_float == target.is_float and target.bits > source.bits


def _initial(what: str, op: str, initial: Any, dtype: DType) -> Number:
    if initial is None:
        return neutral(op, dtype)
    number = as_number(initial)
    if number is None:
        fail(errors.OPERAND, op=f"initial of {what}", got=repr(initial), hint="pass a number")
    return typed(number, dtype)


def neutral(op: str, dtype: DType) -> Number:
    """What a combiner starts from."""
    if op in ("add", "mul"):
        return (1.0 if op == "mul" else 0.0) if dtype.is_float else int(op == "mul")
    if dtype.is_float:
        return -math.inf if op == "maximum" else math.inf
    limit = 1 << (dtype.bits - 1)
    return -limit if op == "maximum" else limit - 1


def _fold(
    what: str,
    op: str,
    value: Tensor,
    axes: tuple[int, ...],
    keepdims: bool,
    dtype: DType,
    initial: Number,
) -> Tensor:
    if not isinstance(keepdims, bool):  # type: ignore[reportUnnecessaryIsInstance]
        fail(errors.OPERAND, op=f"keepdims of {what}", got=repr(keepdims), hint="True or False")
    combine = partial(_combine, op)
    return structured.reduce((value,), axes, keepdims, (dtype,), (initial,), combine)[0]


def _combine(
    op: str, body: Body, inputs: tuple[int, ...], so_far: tuple[int, ...]
) -> tuple[int, ...]:
    source, target = body.dtypes[inputs[0]], body.dtypes[so_far[0]]
    x = inputs[0] if source == target else bodies.cast(source, target)(body, inputs[0])
    build = bodies.binary(op, target)
    assert build is not None
    return (build(body, x, so_far[0]),)


# --- layer norm -----------------------------------------------------------------------------------


def exx2(x: Any, axis: Axis = -1, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """Mean and mean of squares along `axis` (f16, df16, f32), in the type of x.

    >>> evaluate(lambda x: spy.concat(spy.exx2(x, keepdims=True), axis=0), [1.0, 3.0])
    array([2., 5.], dtype=float32)
    """
    value, axes = _averaged("spy.exx2", x, axis)
    dtypes = (value.dtype, value.dtype)
    found = structured.reduce((value,), axes, keepdims, dtypes, None, _averages)
    structured.named(found[0])
    return found[0], found[1]


def _averaged(what: str, x: Any, axis: Axis) -> tuple[Tensor, tuple[int, ...]]:
    """What is averaged, and the axes: at least one, none of them empty."""
    value = _device_float(what, x)
    axes = structured.axes_of(axis, value.rank, what)
    if 0 in (value.shape[a] for a in axes):
        fail(errors.EMPTY_REDUCTION, op=what, shape=value.shape, axis=axis)
    if not axes:
        fail(errors.AXIS, op=what, got=repr(axis), rank=value.rank)
    return value, axes


def _averages(body: Body, inputs: tuple[int, ...], so_far: tuple[int, ...]) -> tuple[int, ...]:
    del so_far
    first = body.several("spyreop.exx2", 2, inputs[0])
    return first, first + 1


def exx2_fused(x: Any, axis: Axis = -1, keepdims: bool = False, zero_mean: bool = False) -> Tensor:
    """Mean and mean of squares along `axis` (f16, df16, f32) as one value, the fused pair of that
    type (`fp16_fused`, `df16_fused`, `fp32_fused`). With `zero_mean` the mean counts as 0, as in an
    RMS norm. `layernorm_scale` takes pairs; loops carry them; nothing else reads them.

    >>> evaluate(lambda x: spy.layernorm_scale(spy.exx2_fused(x), epsilon=0.0), [1.0, 3.0])
    array(1., dtype=float32)
    """
    value, axes = _averaged("spy.exx2_fused", x, axis)
    if not isinstance(zero_mean, bool):  # type: ignore[reportUnnecessaryIsInstance]
        fail(errors.OPERAND, op="zero_mean of spy.exx2_fused", got=repr(zero_mean),
             hint="True or False")  # fmt: skip
    pair = get(_PAIRS[value.dtype.name])
    combine = partial(_average_pair, f"spyreop.exx2_{'zeromean_' * zero_mean}fused", pair)
    return structured.named(structured.reduce((value,), axes, keepdims, (pair,), None, combine)[0])


_PAIRS = {"f16": "fp16_fused", "df16": "df16_fused", "f32": "fp32_fused"}
_HALVES = {pair: half for half, pair in _PAIRS.items()}


def _average_pair(
    op: str, pair: DType, body: Body, inputs: tuple[int, ...], so_far: tuple[int, ...]
) -> tuple[int, ...]:
    del so_far
    return (body.op(op, inputs[0], to=pair),)


def layernorm_scale(mean: Any, squares: Any = None, epsilon: float = 1e-5) -> Tensor:
    """1 / sqrt(squares - mean² + epsilon) (f16, df16, f32). The one operand `mean` may be the pair
    of both that `exx2_fused` gives.

    >>> evaluate(lambda m, s: spy.layernorm_scale(m, s, 0.0), [2.0], [8.0])
    array([0.5], dtype=float32)
    """
    what, name = "spy.layernorm_scale", "spyreop.layernormscale"
    if squares is None:
        pair = elementwise.tensor_operand(mean, what, pairs=True)
        if not pair.dtype.is_pair:
            hint = "pass mean and mean of squares, or what spy.exx2_fused gives"
            fail(errors.OPERAND_DTYPE, op=f"{what} of one value", dtype=pair.dtype, hint=hint)
        operands, dtype = [pair], get(_HALVES[pair.dtype.name])
        name += "_fused"
    else:
        operands = _device_floats(what, mean, squares)
        dtype = operands[0].dtype
    number = as_number(epsilon)
    if number is None or isinstance(number, bool) or not 0 <= number < math.inf:
        fail(errors.OPERAND, op=what, got=f"epsilon={epsilon!r}",
             hint="epsilon is a finite number >= 0")  # fmt: skip
    extra = {} if number == 1e-5 else {"epsilon": f"{float(number):.17e} : f64"}
    return elementwise.apply(operands, bodies.single(name, to=dtype, **extra), dtype)


def layernorm_norm(x: Any, mean: Any, scale: Any, weight: Any, bias: Any) -> Tensor:
    """(x - mean) · scale · weight + bias, rounded once (f16, df16, f32).

    >>> evaluate(lambda x: spy.layernorm_norm(x, 2.0, 0.5, 1.0, 0.0), [1.0, 3.0])
    array([-0.5,  0.5], dtype=float32)
    """
    operands = _device_floats("spy.layernorm_norm", x, mean, scale, weight, bias)
    return elementwise.apply(operands, bodies.single("spyreop.layernormnorm"), operands[0].dtype)


def _device_floats(what: str, *values: Any) -> list[Tensor]:
    operands = elementwise.common(values, what)
    _device_float(what, operands[0])
    return operands


def _device_float(what: str, x: Any) -> Tensor:
    value = elementwise.tensor_operand(x, what)
    if value.dtype.name not in ("f16", "df16", "f32"):
        fail(errors.OPERAND_DTYPE, op=what, dtype=value.dtype, hint="cast to f16 or f32 first")
    return value
