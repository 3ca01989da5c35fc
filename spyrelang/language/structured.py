"""Loops with results: reductions and their relatives, over values in memory order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spyrelang import affine
from spyrelang.language import bodies, elementwise, tracing
from spyrelang.language.bodies import Body
from spyrelang.language.graph import Empty, Fill, Reshape, Result, Structured, ValueNode
from spyrelang.language.index import axis_numbers
from spyrelang.language.scalars import Number
from spyrelang.language.tensor import Tensor
from spyrelang.language.tracing import Trace
from spyrelang.semantics.dtypes import DType

Combine = Callable[[Body, tuple[int, ...], tuple[int, ...]], tuple[int, ...]]
"""(body, input numbers, numbers of the results so far) -> numbers of the new results."""


# --- values in memory order -----------------------------------------------------------------------


def node_of(trace: Trace, tensor: Tensor) -> ValueNode:
    """The node of a tensor; a constant becomes a fill of its shape."""
    if isinstance(tensor.node, ValueNode):
        return elementwise.node_of(trace, tensor)
    return filled(trace, tensor.node, tensor.dtype, tensor.shape)


def filled(trace: Trace, value: Number, dtype: DType, shape: tuple[int, ...]) -> Fill:
    """A constant in every element."""
    place = tracing.here()
    return trace.add(Fill(place=place, block=trace.block, shape=shape, dtype=dtype, value=value))


def spread(trace: Trace, tensor: Tensor) -> Tensor:
    """The tensor with every logical axis in memory: what is broadcast is repeated."""
    if not isinstance(tensor.node, ValueNode):
        node = node_of(trace, tensor)
        return wrap(trace, node)
    sizes = {a: n for a, n in zip(tensor.axes, tensor.node.shape, strict=True) if a is not None}
    if all(sizes.get(a, 1) == n for a, n in enumerate(tensor.shape)):
        return tensor
    return moved(tensor)


def moved(tensor: Tensor) -> Tensor:
    """The tensor in memory as its shape says, by a loop over its elements."""
    axes = tuple(range(tensor.rank))
    return elementwise.compute(
        (tensor,), bodies.identity, tensor.dtype, tensor.shape, tensor.shape, axes
    )


def wrap(trace: Trace, node: ValueNode) -> Tensor:
    """A tensor whose shape is that of its memory."""
    return Tensor(trace, node, node.dtype, node.shape, tuple(range(len(node.shape))))


def plain(trace: Trace, tensor: Tensor) -> ValueNode:
    """The node of a tensor whose memory is just as its shape says. Unit axes come and go by a
    reshape; only transposed or repeated values are moved."""
    source = spread(trace, tensor)
    node = node_of(trace, source)
    if node.shape == source.shape and source.axes == tuple(range(source.rank)):
        return node
    order = memory_order(source)
    if order == sorted(order):
        return reshaped(trace, node, source.shape)
    return node_of(trace, moved(source))


def memory_order(value: Tensor) -> list[int]:
    """The logical axes of more than one element in the order in which they lie in memory."""
    node = value.node
    shape = node.shape if isinstance(node, ValueNode) else value.shape
    return [a for a, n in zip(value.axes, shape, strict=True) if a is not None and n != 1]


def reshaped(trace: Trace, node: ValueNode, shape: tuple[int, ...]) -> ValueNode:
    """The same elements in row-major order under another shape."""
    if node.shape == shape:
        return node
    found = Reshape(
        place=tracing.here(),
        block=trace.block,
        name=None,
        shape=shape,
        dtype=node.dtype,
        input=node,
    )
    return trace.add(found)


# --- axes -----------------------------------------------------------------------------------------


def axes_of(axis: object, rank: int, what: str) -> tuple[int, ...]:
    """Axis numbers from 0 in order, each once; None: all of them."""
    if axis is None:
        return tuple(range(rank))
    listed = list(axis) if isinstance(axis, (tuple, list)) else [axis]
    return tuple(sorted(axis_numbers(listed, rank, what)))


# --- reductions -----------------------------------------------------------------------------------


def reduce(
    values: Sequence[Tensor],
    axes: tuple[int, ...],
    keepdims: bool,
    dtypes: Sequence[DType],
    initial: Sequence[Number] | None,
    combine: Combine,
) -> list[Tensor]:
    """Fold the logical `axes` of values of one shape, starting from `initial` (None: from no
    value). `dtypes` are those of the results."""
    trace = tracing.current("reductions")
    sources = _aligned(trace, values)
    nodes = tuple(node_of(trace, s) for s in sources)
    first = sources[0]
    gone = tuple(a in axes for a in first.axes)
    kept = [d for d, reduced in enumerate(gone) if not reduced]
    shape = tuple(nodes[0].shape[d] for d in kept)
    place = tracing.here()
    body = Body((*(n.dtype for n in nodes), *dtypes))
    count = len(nodes)
    yields = combine(body, tuple(range(count)), tuple(range(count, count + len(dtypes))))
    loops = len(gone)
    maps = (affine.Map.identity(loops),) * count
    maps += (affine.Map(loops, 0, tuple(affine.Dim(d) for d in kept)),) * len(dtypes)
    inits = _inits(trace, dtypes, shape, initial)
    node = trace.add(
        Structured(
            place=place, block=trace.block, inputs=nodes, inits=inits, maps=maps,
            reduced=gone, body=tuple(body.ops), yields=yields,
        )
    )  # fmt: skip
    logical, names = _left(first, axes, keepdims)
    physical = tuple(names[first.axes[d]] for d in kept)
    return [
        Tensor(trace, r, r.dtype, logical, physical) for r in results(trace, node, dtypes, shape)
    ]


def _inits(
    trace: Trace, dtypes: Sequence[DType], shape: tuple[int, ...], initial: Sequence[Number] | None
) -> tuple[ValueNode, ...]:
    if initial is None:
        return tuple(
            _unread(trace, dtype, shape) if dtype.is_pair else filled(trace, 0.0, dtype, shape)
            for dtype in dtypes
        )
    return tuple(filled(trace, v, d, shape) for v, d in zip(initial, dtypes, strict=True))


def _unread(trace: Trace, dtype: DType, shape: tuple[int, ...]) -> Empty:
    """A start of a type that has no constants, for results that do not depend on it."""
    return trace.add(Empty(place=tracing.here(), block=trace.block, shape=shape, dtype=dtype))


def named(value: Tensor) -> Tensor:
    """The value, called after the author's variable: nothing more is computed from it here."""
    node = value.node
    if isinstance(node, Result):
        node.source.name = node.source.place.name or (node.source.place.names or (None,))[0]
    return value


def results(
    trace: Trace, node: Structured, dtypes: Sequence[DType], shape: tuple[int, ...]
) -> list[Result]:
    """The values of a structured node; errors call them by the author's variables."""
    names = node.place.names if len(node.place.names) == len(dtypes) else (None,) * len(dtypes)
    return [
        Result(
            place=node.place, block=trace.block, name=name, shape=shape,
            dtype=dtype, source=node, number=number,
        )
        for number, (dtype, name) in enumerate(zip(dtypes, names, strict=True))
    ]  # fmt: skip


def _aligned(trace: Trace, values: Sequence[Tensor]) -> list[Tensor]:
    """Values of one shape in one memory order."""
    shape = elementwise.broadcast([v.shape for v in values])
    found: list[Tensor] = []
    for value in values:
        if value.shape != shape:
            axes = elementwise.shifted(value, len(shape))
            value = Tensor(value.trace, value.node, value.dtype, shape, axes)
        found.append(spread(trace, value))
    first = found[0]
    return [
        v
        if v.axes == first.axes and node_of(trace, v).shape == node_of(trace, first).shape
        else _as(trace, v, first)
        for v in found
    ]


def _as(trace: Trace, value: Tensor, like: Tensor) -> Tensor:
    shape = node_of(trace, like).shape
    return elementwise.compute(
        (value,), bodies.identity, value.dtype, value.shape, shape, like.axes
    )


def _left(
    value: Tensor, axes: tuple[int, ...], keepdims: bool
) -> tuple[tuple[int, ...], dict[int | None, int | None]]:
    """The logical shape without `axes`, and what the axes that stay are called then."""
    names: dict[int | None, int | None] = {None: None}
    if keepdims:
        names |= {a: a for a in range(value.rank)}
        return tuple(1 if a in axes else n for a, n in enumerate(value.shape)), names
    kept = [a for a in range(value.rank) if a not in axes]
    names |= {a: i for i, a in enumerate(kept)}
    return tuple(value.shape[a] for a in kept), names
