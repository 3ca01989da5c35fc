"""Taking values apart and putting them together: subscripts, slices, joins, other shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from spyrelang.errors import trace as errors
from spyrelang.language import bodies, elementwise, structured, subscripts, tracing
from spyrelang.language.bodies import Body
from spyrelang.language.graph import Concat, Empty, IndexNode, Part, ValueNode
from spyrelang.language.index import Index, as_integer, use
from spyrelang.language.shapes import shape_of
from spyrelang.language.subscripts import Axes
from spyrelang.language.tensor import Tensor
from spyrelang.language.tracing import fail
from spyrelang.language.types import element_type, i32, index
from spyrelang.semantics.dtypes import DType


def reshape(x: Any, shape: Sequence[int] | int) -> Tensor:
    """The elements of x in row-major order under another shape; one size may be -1.

    >>> evaluate(lambda x: spy.reshape(x, (2, -1)), [1.0, 2.0, 3.0, 4.0])
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    value = elementwise.tensor_operand(x, "spy.reshape")
    wanted = _inferred(value, shape)
    if math.prod(wanted) != math.prod(value.shape):
        fail(errors.RESHAPE, shape=value.shape, wanted=wanted)
    if value.constant is not None:
        return Tensor(value.trace, value.node, value.dtype, wanted, ())
    trace = tracing.current("spy.reshape")
    node = structured.reshaped(trace, structured.plain(trace, value), wanted)
    node.name = node.name or tracing.here().name
    return structured.wrap(trace, node)


def _inferred(value: Tensor, shape: Any) -> tuple[int, ...]:
    items: list[Any] = list(shape) if isinstance(shape, (tuple, list)) else [shape]
    unknown = [at for at, item in enumerate(items) if as_integer(item) == -1]
    if len(unknown) != 1:
        return shape_of(shape)
    at = unknown[0]
    others = shape_of([*items[:at], *items[at + 1 :]])
    count = math.prod(others)
    total = math.prod(value.shape)
    if not count or total % count:
        fail(errors.RESHAPE, shape=value.shape, wanted=tuple(items))
    return (*others[:at], total // count, *others[at:])


def concat(values: Sequence[Any], axis: int = 0) -> Tensor:
    """Values of one type joined along `axis`; their other axes are equal.

    >>> evaluate(lambda a, b: spy.concat([a, b], axis=0), [1.0], [2.0, 3.0])
    array([1., 2., 3.], dtype=float32)
    """
    listed = list(values) if isinstance(values, (tuple, list)) else []  # type: ignore[reportUnnecessaryIsInstance]
    if not listed:
        fail(errors.OPERAND, op="spy.concat", got=repr(values)[:40], hint="pass a list of tensors")
    found = [elementwise.tensor_operand(v, "spy.concat") for v in listed]
    first = found[0]
    (number,) = structured.axes_of((axis,), first.rank, "spy.concat")
    for other in found[1:]:
        if other.dtype != first.dtype:
            fail(errors.MIXED_DTYPES, op="spy.concat", first=first.dtype, second=other.dtype)
        if _without(other.shape, number) != _without(first.shape, number):
            fail(errors.CONCAT, first=first.shape, second=other.shape, axis=number)
    trace = tracing.current("spy.concat")
    nodes = tuple(structured.plain(trace, v) for v in found)
    size = sum(v.shape[number] for v in found)
    shape = (*first.shape[:number], size, *first.shape[number + 1 :])
    place = tracing.here()
    node = Concat(
        place=place, block=trace.block, name=place.name, shape=shape, dtype=first.dtype,
        inputs=nodes, axis=number,
    )  # fmt: skip
    return structured.wrap(trace, trace.add(node))


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*shape[:axis], -1, *shape[axis + 1 :])


def empty(shape: Sequence[int] | int, dtype: Any) -> Tensor:
    """A tensor without defined elements; reading one before it is written is an error.

    >>> evaluate(lambda x: spy.concat([x, spy.empty((0,), spy.f32)]), [1.0, 2.0])
    array([1., 2.], dtype=float32)
    """
    trace = tracing.current("spy.empty")
    place = tracing.here()
    node = Empty(
        place=place, block=trace.block, name=place.name, shape=shape_of(shape),
        dtype=element_type(dtype),
    )  # fmt: skip
    return structured.wrap(trace, trace.add(node))


def iota(shape: Sequence[int] | int, axis: int = 0, dtype: Any = i32) -> Tensor:
    """0, 1, 2, … along `axis`, the same along all others. `spy.iota(n)` has one axis.

    >>> evaluate(lambda: spy.iota(4))
    array([0, 1, 2, 3], dtype=int32)
    """
    sizes, target = shape_of(shape), element_type(dtype)
    (number,) = structured.axes_of((axis,), len(sizes), "spy.iota")
    if target.name == "i1":
        fail(errors.OPERAND_DTYPE, op="spy.iota", dtype=target, hint="compare integers instead")
    axes = tuple(range(len(sizes)))
    return elementwise.compute((), partial(_counted, number, target), target, sizes, sizes, axes)


def _counted(axis: int, target: DType, body: Body) -> int:
    number = body.op("linalg.index", to=index, dim=f"{axis} : i64")
    return number if target == index else bodies.cast(index, target)(body, number)


# --- parts of values ------------------------------------------------------------------------------


def slice(x: Any, starts: Sequence[Any] | Any, sizes: Sequence[int] | int) -> Tensor:
    """The part of x of shape `sizes` that begins at `starts` (ints or traced integers).

    >>> evaluate(lambda x: spy.slice(x, (1,), (2,)), [1.0, 2.0, 3.0, 4.0])
    array([2., 3.], dtype=float32)
    """
    value = elementwise.tensor_operand(x, "spy.slice")
    extents = shape_of(sizes)
    given: list[Any] = list(starts) if isinstance(starts, (tuple, list)) else [starts]
    if len(extents) != value.rank or len(given) != value.rank:
        count = len(given) if len(given) != value.rank else len(extents)
        fail(errors.SUBSCRIPT_COUNT, name=_name(value), rank=value.rank, given=count, hint=None)
    axes = Axes(_name(value), value.shape)
    begin = [subscripts.position(axes, a, start) for a, start in enumerate(given)]
    return _part(value, [(s, n, True) for s, n in zip(begin, extents, strict=True)], None)


def subscript(value: Tensor, key: object) -> Tensor:
    """`value[rows, 0, None]`: ints drop an axis, slices of static extent keep it, None adds one.
    Axes at the end may be left out."""
    axes = Axes(_name(value), value.shape)
    items = list(key) if isinstance(key, tuple) else [key]
    given = subscripts.expanded(axes, tuple(items))
    kept = [i for i in given if i is not None]
    boxes = [subscripts.part(axes, a, i) for a, i in enumerate(kept)]
    return _part(value, boxes, given)


def _name(value: Tensor) -> str:
    node = value.node
    return (node.name if isinstance(node, ValueNode) else None) or "the value"


Box = tuple[Index | int, int, bool]


def _part(value: Tensor, boxes: Sequence[Box], items: Sequence[object] | None) -> Tensor:
    trace = tracing.current("parts of values")
    starts = [use(trace, start) for start, _, _ in boxes]
    extents = [extent for _, extent, _ in boxes]
    subscripts.check_inside(trace, _name(value), starts, extents, value.shape)
    names, shape = _renamed(boxes, items)
    node = value.node
    if not isinstance(node, ValueNode):
        return Tensor(trace, node, value.dtype, shape, ())
    origin: list[IndexNode | int] = []
    sizes: list[int] = []
    for axis, size in zip(value.axes, node.shape, strict=True):
        whole = axis is None or size != value.shape[axis]  # also of axes that are repeated
        origin.append(0 if whole or axis is None else starts[axis])
        sizes.append(size if whole or axis is None else extents[axis])
    axes = tuple(None if a is None else names[a] for a in value.axes)
    if tuple(sizes) == node.shape:
        return Tensor(trace, node, value.dtype, shape, axes)
    place = tracing.here()
    found = Part(
        place=place, block=trace.block, name=place.name, shape=tuple(sizes), dtype=value.dtype,
        input=elementwise.node_of(trace, value), origin=tuple(origin),
    )  # fmt: skip
    return Tensor(trace, trace.add(found), value.dtype, shape, axes)


def _renamed(
    boxes: Sequence[Box], items: Sequence[object] | None
) -> tuple[list[int | None], tuple[int, ...]]:
    """What each axis is called in the result (None: dropped), and the result's shape."""
    names: list[int | None] = []
    shape: list[int] = []
    remaining = iter(boxes)
    for item in items if items is not None else [0] * len(boxes):
        if item is None:
            shape.append(1)
            continue
        _, extent, kept = next(remaining)
        names.append(len(shape) if kept else None)
        if kept:
            shape.append(extent)
    return names, tuple(shape)
