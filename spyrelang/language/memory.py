"""Moving data, and views other than the tensor parameters."""

from __future__ import annotations

from typing import Any

from spyrelang.errors import trace as errors
from spyrelang.language import bodies, elementwise, tracing
from spyrelang.language.graph import Fill, Load, ParamInfo, Space, Store, ValueNode
from spyrelang.language.index import Index, Traced, as_integer
from spyrelang.language.scalars import as_number, typed
from spyrelang.language.tensor import Tensor
from spyrelang.language.tracing import Trace, fail, kind_of
from spyrelang.language.views import Tile, View, subscript
from spyrelang.semantics.dtypes import DType

GLOBAL = Space()
"""Device memory, shared by all compute tiles."""


def local(ct: int | None = None) -> Space:
    """The scratchpad of compute tile `ct`; of the executing tile where that is None.

    >>> @spyre.kernel(grid=2)
    ... def kernel(x: spy.In, out: spy.Out):
    ...     t = spy.tile_id()
    ...     kept = spy.memory_view(0, (2,), space=spy.local(), dtype=spy.f32)
    ...     kept[:] = x[t, :]
    ...     out[t, :] = spy.load(kept[:]) * 2
    >>> x, out = np.ones((2, 2), np.float32), np.zeros((2, 2), np.float32)
    >>> run = kernel(x, out, engine="ktir")
    >>> out
    array([[2., 2.],
           [2., 2.]], dtype=float32)
    """
    if ct is None:
        return Space(local=True)
    number = as_integer(ct)
    if number is None or not 0 <= number < 1 << 31:
        fail(errors.SPACE, got=f"local({ct!r})")
    return Space(local=True, ct=number)


class Pointer(Traced):
    """The base address that a `Ptr` parameter brings; `memory_view` makes a view of it."""

    def __init__(
        self, trace: Trace, info: ParamInfo, dtype: DType | None, offset: Index | int = 0
    ) -> None:
        self.trace = trace
        self.info = info
        self.dtype = dtype
        self.offset = offset

    def describe(self) -> str:
        return f"the address '{self.info.name}'"

    def __repr__(self) -> str:
        return f"<address {self.info.name}>"

    def __add__(self, other: object) -> Pointer:
        """The address so many elements further on, of the type of the pointer or of the view."""
        if not isinstance(other, Index) and as_integer(other) is None:
            got = f"an address and {kind_of(other)}"
            fail(errors.OPERAND, op="+", got=got, hint="add an integer, which counts elements")
        total: Any = self.offset + other  # type: ignore[operator]
        return Pointer(self.trace, self.info, self.dtype, total)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Pointer:
        return self + -other if isinstance(other, Index | int) else self + other


# --- load and store -------------------------------------------------------------------------------


def load(tile: Any) -> Tensor:
    """The elements of a tile (of a whole view, when given one) as a value of the tile's shape.

    >>> @spyre.kernel
    ... def kernel(x: spy.In, out: spy.Out):
    ...     v = spy.load(x[1, :])
    ...     out[:] = v + v
    >>> x, out = np.eye(2, dtype=np.float32), np.zeros(2, np.float32)
    >>> run = kernel(x, out, engine="ktir")
    >>> out
    array([0., 2.], dtype=float32)
    """
    trace = tracing.current("spy.load")
    if isinstance(tile, View):
        tile = subscript(tile, Ellipsis)
    if not isinstance(tile, Tile):
        fail(errors.NOT_A_TILE, what="spy.load", got=described(tile), hint=_tile_hint(tile))
    tracing.check_usable(trace, tile.view.trace, tile.node, tile.describe())
    if tile.view.role == "out" and tile.view.name not in trace.stored:
        fail(errors.LOAD_FROM_OUT, name=tile.view.name)
    place = tracing.here()
    node = Load(
        place=place,
        block=trace.block,
        name=place.name or tile.view.name,
        shape=tile.node.extents,
        dtype=tile.dtype,
        tile=tile.node,
    )
    return Tensor(trace, trace.add(node), tile.dtype, tile.shape, tile.axes)


def described(value: object) -> str:
    return value.describe() if isinstance(value, Traced) else kind_of(value)


def _tile_hint(value: object) -> str | None:
    return "it is loaded already" if isinstance(value, Tensor) else None


def store(tile: Any, value: Any) -> None:
    """Write `value` (a tensor of the tile's shape and type, or a number) to the tile.

    >>> @spyre.kernel
    ... def kernel(x: spy.In, out: spy.Out):
    ...     spy.store(out[0:2], spy.load(x[1:3]))
    >>> x, out = np.array([1, 2, 3], np.float32), np.zeros(2, np.float32)
    >>> run = kernel(x, out, engine="ktir")
    >>> out
    array([2., 3.], dtype=float32)
    """
    trace = tracing.current("spy.store")
    if isinstance(tile, View):
        tile = subscript(tile, Ellipsis)
    if not isinstance(tile, Tile):
        hint = "the tile comes first: spy.store(out[0, :], value)"
        fail(errors.NOT_A_TILE, what="spy.store", got=described(tile), hint=hint)
    tracing.check_usable(trace, tile.view.trace, tile.node, tile.describe())
    if tile.view.role == "in":
        fail(errors.STORE_TO_IN, name=tile.view.name)
    tensor = _stored_value(trace, tile, value)
    node = _in_order_of(trace, tile, tensor)
    place = tracing.here()
    trace.stored.add(tile.view.name)
    trace.add(Store(place=place, block=trace.block, value=node, tile=tile.node))


def _stored_value(trace: Trace, tile: Tile, value: Any) -> Tensor:
    """The value as a tensor of the tile's shape and type."""
    number = as_number(value)
    if number is not None:
        return Tensor(trace, typed(number, tile.dtype), tile.dtype, tile.shape, ())
    if isinstance(value, Index):
        hint = f"convert it: spy.cast({value.node.name or 'value'}, spy.{tile.dtype})"
        what, into = value.describe(), f"a tile of {tile.dtype}"
        fail(errors.TRACED_INT_OPERAND, op="a store", what=what, dtype=into, hint=hint)
    tensor = elementwise.tensor_operand(value, "a store")
    name = tile.view.name
    if tensor.dtype != tile.dtype:
        hint = f"convert it: spy.cast(value, spy.{tile.dtype})"
        fail(errors.STORE_DTYPE, name=name, want=tile.dtype, got=tensor.dtype, hint=hint)
    if tensor.shape != tile.shape and tensor.shape != ():
        fail(errors.STORE_SHAPE, name=name, want=tile.shape, got=tensor.shape)
    return tensor


def _in_order_of(trace: Trace, tile: Tile, tensor: Tensor) -> ValueNode:
    """The node of `tensor` in the tile's memory order; moved only where that differs."""
    if not isinstance(tensor.node, ValueNode):
        return fill(trace, tensor, tile.node.extents)
    node = elementwise.node_of(trace, tensor)
    extents = tile.node.extents
    access = elementwise.access_of(tensor, tile.shape, extents, tile.axes)
    if node.shape == extents and access.dims == tuple(range(len(extents))):
        return node
    moved = elementwise.compute(
        (tensor,), bodies.identity, tensor.dtype, tile.shape, extents, tile.axes
    )
    assert isinstance(moved.node, ValueNode)
    moved.node.name = node.name
    return moved.node


def fill(trace: Trace, tensor: Tensor, shape: tuple[int, ...]) -> Fill:
    """A node for a constant tensor."""
    value = tensor.constant
    assert value is not None
    place = tracing.here()
    return trace.add(
        Fill(place=place, block=trace.block, name=place.name, shape=shape,
             dtype=tensor.dtype, value=value)
    )  # fmt: skip


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a dense row-major tensor, in elements."""
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))
