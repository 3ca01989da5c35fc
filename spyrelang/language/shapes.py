"""Constants, and functions that change how a value's axes are read; none of them moves data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spyrelang.errors import trace as errors
from spyrelang.language import elementwise, tracing
from spyrelang.language.index import MOST, Index, as_integer, axis_numbers
from spyrelang.language.scalars import as_number, typed
from spyrelang.language.tensor import Tensor
from spyrelang.language.tracing import fail, kind_of
from spyrelang.language.types import element_type


def full(shape: Sequence[int] | int, value: Any, dtype: Any) -> Tensor:
    """A tensor with the number `value` in every element.

    >>> evaluate(lambda: spy.full((3,), -1, spy.i32))
    array([-1, -1, -1], dtype=int32)
    """
    trace = tracing.current("spy.full")
    number = as_number(value)
    if number is None:
        hint = "spy.broadcast_to repeats a traced value"
        fail(errors.OPERAND, op="spy.full", got=kind_of(value), hint=hint)
    target = element_type(dtype)
    return Tensor(trace, typed(number, target), target, shape_of(shape), ())


def zeros(shape: Sequence[int] | int, dtype: Any) -> Tensor:
    """A tensor of zeros.

    >>> evaluate(lambda: spy.zeros((2, 2), spy.f16))
    array([[0., 0.],
           [0., 0.]], dtype=float16)
    """
    target = element_type(dtype)
    return full(shape, False if target.name == "i1" else 0, target)


def shape_of(shape: Any) -> tuple[int, ...]:
    """Sizes given as an int or a sequence of ints."""
    items = shape if isinstance(shape, (tuple, list)) else (shape,)
    sizes: list[int] = []
    for item in items:
        size = as_integer(item)
        if size is None or not 0 <= size <= MOST:
            got = "a traced size" if isinstance(item, Index) else repr(shape)
            hint = "divide integers with //" if isinstance(item, float) else None
            fail(errors.SHAPE_ARGUMENT, got=got, hint=hint)
        sizes.append(size)
    return tuple(sizes)


def expand_dims(x: Any, axis: int | Sequence[int]) -> Tensor:
    """x with new axes of size 1 at the positions `axis` of the result.

    >>> evaluate(lambda x: spy.expand_dims(x, 1), [1.0, 2.0])
    array([[1.],
           [2.]], dtype=float32)
    """
    value = elementwise.tensor_operand(x, "spy.expand_dims")
    given = _listed(axis)
    new = axis_numbers(given, value.rank + len(given), "spy.expand_dims")
    kept = [a for a in range(value.rank + len(new)) if a not in new]
    sizes = dict(zip(kept, value.shape, strict=True))
    shape = tuple(sizes.get(a, 1) for a in range(value.rank + len(new)))
    return _renamed(value, shape, kept)


def squeeze(x: Any, axis: int | Sequence[int] | None = None) -> Tensor:
    """x without its axes of size 1, or without the ones named.

    >>> evaluate(lambda x: spy.squeeze(x, 0), [[1.0, 2.0]])
    array([1., 2.], dtype=float32)
    """
    value = elementwise.tensor_operand(x, "spy.squeeze")
    if axis is None:
        gone = tuple(a for a, size in enumerate(value.shape) if size == 1)
    else:
        gone = axis_numbers(_listed(axis), value.rank, "spy.squeeze")
    for a in gone:
        if value.shape[a] != 1:
            fail(errors.SQUEEZE, axis=a, size=value.shape[a])
    kept = [a for a in range(value.rank) if a not in gone]
    names: list[int | None] = [kept.index(a) if a in kept else None for a in range(value.rank)]
    return _renamed(value, tuple(value.shape[a] for a in kept), names)


def transpose(x: Any, axes: Sequence[int] | None = None) -> Tensor:
    """x with its axes permuted: axis i of the result is axis axes[i] of x (default: reversed).

    >>> evaluate(lambda x: spy.transpose(x), [[1.0, 2.0], [3.0, 4.0]])
    array([[1., 3.],
           [2., 4.]], dtype=float32)
    """
    value = elementwise.tensor_operand(x, "spy.transpose")
    order = tuple(reversed(range(value.rank)))
    if axes is not None:
        order = axis_numbers(_listed(axes), value.rank, "spy.transpose")
    if sorted(order) != list(range(value.rank)):
        fail(errors.AXIS, op="spy.transpose", got=repr(axes), rank=value.rank)
    names = [order.index(a) for a in range(value.rank)]
    return _renamed(value, tuple(value.shape[a] for a in order), names)


def broadcast_to(x: Any, shape: Sequence[int] | int) -> Tensor:
    """x repeated along axes of size 1 and along new axes at the left.

    >>> evaluate(lambda x: spy.broadcast_to(x, (2, 3)), [1.0, 2.0, 3.0])
    array([[1., 2., 3.],
           [1., 2., 3.]], dtype=float32)
    """
    value = elementwise.tensor_operand(x, "spy.broadcast_to")
    wanted = shape_of(shape)
    tail = wanted[len(wanted) - value.rank :]
    fits = len(wanted) >= value.rank and all(
        have in (1, want) for have, want in zip(value.shape, tail, strict=True)
    )
    if not fits:
        fail(errors.BROADCAST_TO, shape=value.shape, wanted=wanted)
    return Tensor(
        value.trace, value.node, value.dtype, wanted, elementwise.shifted(value, len(wanted))
    )


def _listed(axes: Any) -> Sequence[Any]:
    return axes if isinstance(axes, (tuple, list)) else (axes,)


def _renamed(value: Tensor, shape: tuple[int, ...], names: Sequence[int | None]) -> Tensor:
    """The same value with logical axis a called names[a]."""
    axes = tuple(None if a is None else names[a] for a in value.axes)
    return Tensor(value.trace, value.node, value.dtype, shape, axes)
