"""Moving data, and views other than the tensor parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spyrelang.errors import trace as errors
from spyrelang.language import bodies, elementwise, tracing
from spyrelang.language.conditions import integer_of
from spyrelang.language.graph import Fill, Load, ParamInfo, Space, Store, ValueNode, ViewNode
from spyrelang.language.index import MOST, Index, Traced, as_integer
from spyrelang.language.scalars import as_number, typed
from spyrelang.language.tensor import Arithmetic, Tensor
from spyrelang.language.tracing import Trace, fail, kind_of
from spyrelang.language.types import element_type
from spyrelang.language.views import Tile, View, make_tile, subscript
from spyrelang.semantics.dtypes import DType

GLOBAL = Space()
"""Device memory, shared by all compute tiles."""


def local(ct: int | None = None) -> Space:
    """The scratchpad of compute tile `ct`; of the executing tile where that is None."""
    if ct is None:
        return Space(local=True)
    number = as_integer(ct)
    if number is None or not 0 <= number < 1 << 31:
        fail(errors.SPACE, got=f"local({ct!r})")
    return Space(local=True, ct=number)


class Pointer(Traced):
    """The base address that a `Ptr` parameter brings; `memory_view` makes a view of it."""

    def __init__(self, trace: Trace, info: ParamInfo, dtype: DType | None) -> None:
        self.trace = trace
        self.info = info
        self.dtype = dtype

    def describe(self) -> str:
        return f"the address '{self.info.name}'"

    def __repr__(self) -> str:
        return f"<address {self.info.name}>"

    def _displaced(self, other: object) -> Pointer:
        hint = "put the displacement into the subscripts of the view"
        fail(errors.NOT_YET, name="arithmetic on addresses", hint=hint)

    __add__ = __radd__ = __sub__ = _displaced


# --- load and store -------------------------------------------------------------------------------


def load(tile: Any) -> Tensor:
    """The elements of a tile (of a whole view, when given one) as a value of the tile's shape."""
    trace = tracing.current("spy.load")
    if isinstance(tile, View):
        tile = subscript(tile, Ellipsis)
    if not isinstance(tile, Tile):
        fail(errors.NOT_A_TILE, what="spy.load", got=_described(tile), hint=_tile_hint(tile))
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


def _described(value: object) -> str:
    return value.describe() if isinstance(value, Traced) else kind_of(value)


def _tile_hint(value: object) -> str | None:
    return "it is loaded already" if isinstance(value, Tensor) else None


def store(tile: Any, value: Any) -> None:
    """Write `value` (a tensor of the tile's shape and type, or a number) to the tile."""
    trace = tracing.current("spy.store")
    if isinstance(tile, View):
        tile = subscript(tile, Ellipsis)
    if not isinstance(tile, Tile):
        fail(errors.NOT_A_TILE, what="spy.store", got=_described(tile), hint=None)
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


# --- explicit views and tiles ---------------------------------------------------------------------


def memory_view(
    base: Pointer | View | int,
    shape: Sequence[int] | int,
    strides: Sequence[int] | None = None,
    space: Any = GLOBAL,
    coords: object = None,
    dtype: Any = None,
) -> View:
    """A view of memory at `base`: a `Ptr` parameter, a tensor parameter, or (in a scratchpad, or
    for absolute addresses) an int that counts elements.

    `shape` and `strides` count elements; strides default to row-major. The view of a tensor
    parameter must stay inside that tensor.
    """
    trace = tracing.current("spy.memory_view")
    if not isinstance(space, Space):
        fail(errors.SPACE, got=repr(space))
    if coords is not None:
        fail(errors.NOT_YET, name="coords of a memory view", hint="leave coords out: the whole box")
    sizes = _integers(shape, "shape", 0)
    steps = row_major(sizes) if strides is None else _integers(strides, "strides", None)
    if len(steps) != len(sizes):
        fail(errors.VIEW_SHAPE, what="strides", got=list(steps), hint="one stride per size")
    info, role, element = _base(base, sizes, steps, space, dtype)
    place = tracing.here()
    name = place.name or (info.name if isinstance(info, ParamInfo) else "view")
    node = ViewNode(
        place=place,
        block=trace.block,
        name=place.name or f"{name}_view",
        base=info,
        shape=sizes,
        strides=steps,
        dtype=element,
        space=space,
    )
    return View(trace, trace.add(node), name, role)


def _integers(values: Any, what: str, least: int | None) -> tuple[int, ...]:
    items = values if isinstance(values, (tuple, list)) else (values,)
    found: list[int] = []
    for item in items:
        if isinstance(item, Index):
            fail(errors.NOT_YET, name=f"traced {what} of a view", hint="use Python ints")
        number = as_integer(item)
        low = -MOST if least is None else least
        if number is None or not low <= number <= MOST:
            fail(errors.VIEW_SHAPE, what=what, got=values, hint=None)
        found.append(number)
    return tuple(found)


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a dense row-major tensor, in elements."""
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def _base(
    base: object, sizes: tuple[int, ...], strides: tuple[int, ...], space: Space, dtype: object
) -> tuple[ParamInfo | int, str, DType]:
    """Argument or constant address, role and element type of a view at `base`."""
    wanted = None if dtype is None else element_type(dtype)
    if isinstance(base, Pointer):
        element = wanted or base.dtype
        if element is None:
            fail(errors.VIEW_DTYPE)
        return base.info, "inout", element
    if isinstance(base, View):
        return _of_tensor(base, sizes, strides, space, wanted)
    number = as_integer(base)
    if number is None or not 0 <= number <= MOST:
        fail(errors.VIEW_BASE, got=_described(base))
    if wanted is None:
        fail(errors.VIEW_DTYPE)
    return number, "inout", wanted


def _of_tensor(
    view: Any,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    space: Space,
    wanted: DType | None,
) -> tuple[ParamInfo | int, str, DType]:
    if wanted is not None and wanted != view.dtype:
        hint = "a view keeps the element type of its tensor"
        fail(errors.VIEW_SHAPE, what="dtype", got=wanted, hint=hint)
    if space != view.node.space:
        fail(errors.SPACE, got=f"another space than that of '{view.name}'")
    low, high = _reach(sizes, strides)
    _, limit = _reach(view.shape, view.node.strides)
    if low < 0 or high > limit:
        fail(errors.VIEW_BEYOND, name=view.name, high=high, low=low, limit=limit)
    return view.node.base, view.role, view.dtype


def _reach(sizes: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int]:
    """The least and the largest offset touched, in elements."""
    if 0 in sizes:
        return 0, 0
    spans = [(size - 1) * stride for size, stride in zip(sizes, strides, strict=True)]
    return sum(min(0, s) for s in spans), sum(max(0, s) for s in spans)


def access_tile(
    view: Any,
    origin: Sequence[Any],
    shape: Sequence[int],
    set: object = None,
    order: object = None,
) -> Tile:
    """The box of `shape` at `origin` (ints or traced integers, one per axis of the view)."""
    if not isinstance(view, View):
        fail(errors.NOT_A_TILE, what="spy.access_tile", got=_described(view), hint="pass a view")
    if set is not None or order is not None:
        hint = "leave set and order out: the whole box, in order"
        fail(errors.NOT_YET, name="set and order of an access tile", hint=hint)
    extents = _integers(shape, "shape", 0)
    starts: list[Any] = list(origin) if isinstance(origin, (tuple, list)) else [origin]
    if len(starts) != view.rank or len(extents) != view.rank:
        given = len(starts) if len(starts) != view.rank else len(extents)
        fail(errors.SUBSCRIPT_COUNT, name=view.name, rank=view.rank, given=given, hint=None)
    for axis, start in enumerate(starts):
        if isinstance(start, Arithmetic):
            starts[axis] = integer_of(start, "an origin")
            continue
        number = as_integer(start)
        if not isinstance(start, Index) and (number is None or number < 0):
            fail(errors.SUBSCRIPT_TYPE, name=view.name, axis=axis, got=repr(start), hint=None)
        starts[axis] = start if number is None else number
    return make_tile(view, starts, extents, extents, tuple(range(view.rank)))
