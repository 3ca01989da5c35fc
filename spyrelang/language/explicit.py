"""Views other than the tensor parameters, and tiles other than boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from spyrelang.affine import Set
from spyrelang.errors import Note, SpyreError
from spyrelang.errors import trace as errors
from spyrelang.language import tracing
from spyrelang.language.conditions import integer_of
from spyrelang.language.domain import interval
from spyrelang.language.graph import (
    DistributedNode,
    IndexNode,
    ParamInfo,
    Space,
    ViewNode,
)
from spyrelang.language.index import MOST, Index, as_integer, use
from spyrelang.language.memory import GLOBAL, Pointer, described, row_major
from spyrelang.language.tensor import Arithmetic
from spyrelang.language.tracing import Trace, fail
from spyrelang.language.types import element_type
from spyrelang.language.views import Tile, View, make_tile
from spyrelang.semantics.dtypes import DType


@dataclass(frozen=True)
class _Base:
    """Where a view begins, what may be done there, and what lies there."""

    base: ParamInfo | IndexNode | int
    offset: IndexNode | int
    role: str
    dtype: DType


def memory_view(
    base: Pointer | View | Index | int,
    shape: Sequence[int] | int,
    strides: Sequence[int] | None = None,
    space: Any = GLOBAL,
    coords: Any = None,
    dtype: Any = None,
    offset: Any = 0,
) -> View:
    """A view of memory at `base`: a `Ptr` parameter (plus an integer), a tensor parameter, or (in a
    scratchpad, or for absolute addresses) an integer that counts elements.

    `shape`, `strides` and `offset` count elements; strides, which may be traced integers, default
    to row-major. The view of a tensor parameter must stay inside that tensor. `coords` are the
    coordinates of a larger tensor that the view holds, for `distributed_view`: slices, one per
    axis, or an affine set.

    >>> @spyre.kernel
    ... def kernel(x: spy.In, out: spy.Out):
    ...     columns = spy.memory_view(x, (2, 3), strides=(1, 2))
    ...     out[:, :] = columns[:, :]
    >>> x, out = np.arange(6, dtype=np.float32), np.zeros((2, 3), np.float32)
    >>> run = kernel(x, out, engine="ktir")
    >>> out
    array([[0., 2., 4.],
           [1., 3., 5.]], dtype=float32)
    """
    trace = tracing.current("spy.memory_view")
    if not isinstance(space, Space):
        fail(errors.SPACE, got=repr(space))
    sizes = integers(shape, "shape", 0)
    steps = row_major(sizes) if strides is None else _strides(trace, strides)
    if len(steps) != len(sizes):
        fail(errors.VIEW_SHAPE, what="strides", got=steps, hint="give one stride per size")
    found = _base(trace, base, sizes, steps, space, dtype, _offset(trace, offset))
    place = tracing.here()
    known = found.base.name if isinstance(found.base, ParamInfo) else "view"
    node = ViewNode(
        place=place, block=trace.block, name=place.name or f"{known}_view", base=found.base,
        shape=sizes, strides=steps, dtype=found.dtype, space=space, offset=found.offset,
        coords=None if coords is None else _coords(coords, sizes),
    )  # fmt: skip
    return View(trace, trace.add(node), place.name or known, found.role)


def _strides(trace: Trace, values: Any) -> tuple[IndexNode | int, ...]:
    """Strides of a view; traced ones are read from memory, launch sizes, or computed from such."""
    items: list[Any] = list(values) if isinstance(values, (tuple, list)) else [values]
    found: list[IndexNode | int] = []
    for item in items:
        if isinstance(item, Arithmetic):
            item = integer_of(item, "a stride of spy.memory_view")
        traced = isinstance(item, Index)
        found.append(use(trace, item) if traced else integers((item,), "strides", None)[0])
    return tuple(found)


def integers(values: Any, what: str, least: int | None) -> tuple[int, ...]:
    """Sizes or strides of a view."""
    items = values if isinstance(values, (tuple, list)) else (values,)
    found: list[int] = []
    for item in items:
        if isinstance(item, Index):
            name = f"a traced value in the {what} of a view"
            fail(errors.NOT_YET, name=name, hint="use Python ints")
        number = as_integer(item)
        low = -MOST if least is None else least
        if number is None or not low <= number <= MOST:
            hint = "give ints >= 0" if least == 0 else "give ints"
            hint = "divide integers with //" if isinstance(item, float) else hint
            fail(errors.VIEW_SHAPE, what=what, got=values, hint=hint)
        found.append(number)
    return tuple(found)


# --- bases ----------------------------------------------------------------------------------------


def _offset(trace: Trace, offset: Any) -> IndexNode | int:
    if isinstance(offset, Index):
        return use(trace, offset)
    number = as_integer(offset)
    if number is None or abs(number) > MOST:
        fail(
            errors.VIEW_SHAPE,
            what="offset",
            got=repr(offset),
            hint="give an int that counts elements",
        )
    return number


def _base(
    trace: Trace,
    base: object,
    sizes: tuple[int, ...],
    strides: tuple[IndexNode | int, ...],
    space: Space,
    dtype: object,
    offset: IndexNode | int,
) -> _Base:
    wanted = None if dtype is None else element_type(dtype)
    if isinstance(base, View):
        return _of_tensor(trace, base, sizes, strides, space, wanted, offset)
    if isinstance(base, Pointer):
        element = wanted or base.dtype
        if element is None:
            fail(errors.VIEW_DTYPE)
        if base.dtype not in (None, element) and base.offset != 0:
            hint = "give the offset to memory_view, where it counts elements of the view"
            fail(errors.VIEW_SHAPE, what="dtype", got=element, hint=hint)
        return _Base(base.info, _sum(trace, base.offset, offset), "inout", element)
    number = base if isinstance(base, Index) else as_integer(base)
    if number is None or (isinstance(number, int) and not 0 <= number <= MOST):
        hint = "pass its tensor and an offset: spy.memory_view(x, shape, offset=…)"
        fail(errors.VIEW_BASE, got=described(base), hint=hint if isinstance(base, Tile) else None)
    if wanted is None:
        fail(errors.VIEW_DTYPE)
    return _Base(use(trace, number), offset, "inout", wanted)


def _sum(trace: Trace, a: Index | int, b: IndexNode | int) -> IndexNode | int:
    if isinstance(b, IndexNode):
        from spyrelang.language.index import symbol_index

        return use(trace, a + symbol_index(trace, b))
    return use(trace, a + b)


def _of_tensor(
    trace: Trace,
    view: View,
    sizes: tuple[int, ...],
    strides: tuple[IndexNode | int, ...],
    space: Space,
    wanted: DType | None,
    offset: IndexNode | int,
) -> _Base:
    if wanted is not None and wanted != view.dtype:
        hint = "a view keeps the element type of its tensor"
        fail(errors.VIEW_SHAPE, what="dtype", got=wanted, hint=hint)
    if space != view.node.space or isinstance(view.node, DistributedNode):
        fail(errors.SPACE, got=f"another space than that of '{view.name}'")
    begin = interval(trace, offset)
    low, high = _reach(trace, sizes, strides)
    _, limit = _reach(trace, view.shape, view.node.strides)
    unknown = begin.unknown or max(-low, high, limit) >= MOST
    if not unknown and (low + begin.low < 0 or high + begin.high > limit):
        fail(
            errors.VIEW_BEYOND, name=view.name, high=high + begin.high, low=low + begin.low,
            limit=limit,
        )  # fmt: skip
    whole = _added(trace, view.node.offset, offset)
    return _Base(view.node.base, whole, view.role, view.dtype)


def _added(trace: Trace, a: IndexNode | int, b: IndexNode | int) -> IndexNode | int:
    from spyrelang.language.index import symbol_index

    first: Any = symbol_index(trace, a) if isinstance(a, IndexNode) else a
    return _sum(trace, first, b)


def _reach(
    trace: Trace, sizes: tuple[int, ...], strides: tuple[IndexNode | int, ...]
) -> tuple[int, int]:
    """The least and the largest offset that may be touched, in elements."""
    if 0 in sizes:
        return 0, 0
    ends = [interval(trace, stride) for stride in strides]
    lows = [min(0, (size - 1) * end.low) for size, end in zip(sizes, ends, strict=True)]
    highs = [max(0, (size - 1) * end.high) for size, end in zip(sizes, ends, strict=True)]
    return sum(lows), sum(highs)


# --- coordinates and sets -------------------------------------------------------------------------


def point_set(given: Any, rank: int, what: str) -> Set:
    """An affine set of `rank` dims without symbols, from itself or its text."""
    if isinstance(given, str):
        try:
            given = Set.parse(given)
        except SpyreError as bad:
            fail(errors.POINTS, Note(bad.message), what=what, got=repr(given), rank=rank)
    if not isinstance(given, Set) or given.n_dims != rank or given.n_syms:
        got = str(given) if isinstance(given, Set) else repr(given)[:60]
        fail(errors.POINTS, what=what, got=got, rank=rank)
    try:
        given.bounding_box()
    except SpyreError as bad:  # it has no end
        fail(errors.POINTS, Note(bad.message), what=what, got=given, rank=rank)
    return given


def _coords(coords: Any, sizes: tuple[int, ...]) -> Set:
    if isinstance(coords, (Set, str)):
        found = point_set(coords, len(sizes), "coords")
    else:
        items = list(coords) if isinstance(coords, (tuple, list)) else [coords]
        if len(items) != len(sizes):
            box = ", ".join(f"slice(0, {n})" for n in sizes) + ("," if len(sizes) == 1 else "")
            hint = f"give one slice per axis, such as coords=({box})"
            fail(errors.POINTS, what="coords", got=repr(coords)[:60], rank=len(sizes), hint=hint)
        found = Set.between(
            [_ends(item, size, len(sizes)) for item, size in zip(items, sizes, strict=True)]
        )
    box = found.bounding_box()
    if box is None or tuple(high - low + 1 for low, high in box) != sizes:
        fail(errors.VIEW_SHAPE, what="coords", got=str(found), hint=f"they must fill {sizes}")
    return found


def _ends(item: Any, size: int, rank: int) -> tuple[int, int]:
    """First and last coordinate along an axis, from a slice or a start."""
    start = as_integer(item.start or 0) if isinstance(item, slice) else as_integer(item)
    stop = as_integer(item.stop) if isinstance(item, slice) else None
    if start is None or (isinstance(item, slice) and (stop is None or item.step is not None)):
        fail(errors.POINTS, what="coords", got=repr(item), rank=rank)
    return start, (start + size if stop is None else stop) - 1


def distributed_view(views: Sequence[View], axis: int | None = None) -> View:
    """One tensor whose parts are `views` of one type and rank, each at the `coords` it was given;
    with `axis`, one after the other along that.

    >>> @spyre.kernel
    ... def kernel(a: spy.In, b: spy.In, out: spy.Out):
    ...     whole = spy.distributed_view([a, b], axis=0)
    ...     out[:, :] = whole[1:3, :]
    >>> a = np.zeros((2, 2), np.float32)
    >>> b = np.ones((2, 2), np.float32)
    >>> out = np.zeros((2, 2), np.float32)
    >>> run = kernel(a, b, out, engine="ktir")
    >>> out
    array([[0., 0.],
           [1., 1.]], dtype=float32)
    """
    trace = tracing.current("spy.distributed_view")
    listed: list[Any] = list(views) if isinstance(views, (tuple, list)) else []  # type: ignore[reportUnnecessaryIsInstance]
    if not listed or not all(isinstance(v, View) for v in listed):
        fail(errors.PARTS, problem="its parts are not views")
    first: View = listed[0]
    if any((v.rank, v.dtype) != (first.rank, first.dtype) for v in listed):
        fail(errors.PARTS, problem="its parts differ in type or rank")
    for view in listed:
        tracing.check_usable(trace, view.trace, view.node, view.describe())
    parts = _placed(trace, listed, axis)
    boxes = [_box(p) for p in parts]
    shape = tuple(max(b[a][1] for b in boxes) + 1 for a in range(first.rank))
    place = tracing.here()
    node = DistributedNode(
        place=place, block=trace.block, name=place.name, base=0, shape=shape, strides=(),
        dtype=first.dtype, space=first.node.space, parts=parts,
    )  # fmt: skip
    roles = {v.role for v in listed}
    role = roles.pop() if len(roles) == 1 else "in" if "in" in roles else "inout"
    return View(trace, trace.add(node), place.name or first.name, role)


def _placed(trace: Trace, views: list[View], axis: int | None) -> tuple[ViewNode, ...]:
    """The parts with their coordinates."""
    if axis is None:
        missing = next((v for v in views if v.node.coords is None), None)
        if missing is not None and len(views) > 1:
            fail(errors.PARTS, problem=f"'{missing.name}' has no coords")
        return tuple(v.node for v in views)
    number = as_integer(axis)
    if number is None or not 0 <= number < views[0].rank:
        fail(errors.AXIS, op="spy.distributed_view", got=repr(axis), rank=views[0].rank)
    found: list[ViewNode] = []
    begin = 0
    for view in views:
        others = [n for a, n in enumerate(view.shape) if a != number]
        if others != [n for a, n in enumerate(views[0].shape) if a != number]:
            fail(errors.PARTS, problem=f"shapes {views[0].shape} and {view.shape} do not join")
        ends = [(0, n - 1) for n in view.shape]
        ends[number] = (begin, begin + view.shape[number] - 1)
        begin += view.shape[number]
        found.append(trace.add(replace(view.node, coords=Set.between(ends), block=trace.block)))
    return tuple(found)


def _box(node: ViewNode) -> Sequence[tuple[int, int]]:
    if node.coords is None:
        return [(0, n - 1) for n in node.shape]
    box = node.coords.bounding_box()
    assert box is not None
    return box


# --- tiles ----------------------------------------------------------------------------------------


def access_tile(
    view: Any, origin: Sequence[Any], shape: Sequence[int], set: Any = None, order: Any = None
) -> Tile:
    """The box of `shape` at `origin` (integers, one per axis of the view).

    `set`: only these points of the box, counted from its origin: an affine set or its text.
    `order`: the axes of the box in the order in which they are the axes of the tile.

    >>> @spyre.kernel
    ... def kernel(x: spy.In, out: spy.Out):
    ...     out[:, :] = spy.access_tile(x, (0, 1), (2, 2), order=(1, 0))
    >>> x = np.arange(6, dtype=np.float32).reshape(2, 3)
    >>> out = np.zeros((2, 2), np.float32)
    >>> run = kernel(x, out, engine="ktir")
    >>> out
    array([[1., 4.],
           [2., 5.]], dtype=float32)
    """
    if not isinstance(view, View):
        fail(errors.NOT_A_TILE, what="spy.access_tile", got=described(view), hint="pass a view")
    extents = integers(shape, "shape", 0)
    starts: list[Any] = list(origin) if isinstance(origin, (tuple, list)) else [origin]
    if len(starts) != view.rank or len(extents) != view.rank:
        given = len(starts) if len(starts) != view.rank else len(extents)
        fail(errors.SUBSCRIPT_COUNT, name=view.name, rank=view.rank, given=given, hint=None)
    begin = [_start(view, axis, start) for axis, start in enumerate(starts)]
    points = None if set is None else point_set(set, view.rank, "set")
    axes = tuple(range(view.rank))
    ordered = None if order is None else axis_order(order, view.rank)
    if ordered == axes:
        ordered = None
    tile = extents if ordered is None else tuple(extents[a] for a in ordered)
    return make_tile(view, begin, extents, tile, axes, points, ordered)


def axis_order(order: Any, rank: int) -> tuple[int, ...]:
    """A permutation of the axes."""
    given: list[Any] = list(order) if isinstance(order, (tuple, list)) else [order]
    found = [as_integer(item) for item in given]
    axes = tuple(n for n in found if n is not None)
    if len(axes) != len(given) or sorted(axes) != list(range(rank)):
        fail(errors.AXIS, op="order", got=repr(order), rank=rank)
    return axes


def _start(view: View, axis: int, start: Any) -> Index | int:
    if isinstance(start, Index):
        return start
    if isinstance(start, Arithmetic):
        return integer_of(start, "an origin")
    number = as_integer(start)
    if number is None or number < 0:
        fail(errors.SUBSCRIPT_TYPE, name=view.name, axis=axis, got=repr(start), hint=None)
    return number
