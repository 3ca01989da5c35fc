"""Tiles whose positions are read from memory: gathers when loaded, scatters when stored to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from spyrelang.affine import Const, Dim, Expr, Map
from spyrelang.errors import trace as errors
from spyrelang.language import subscripts, tracing
from spyrelang.language.explicit import axis_order, integers, point_set
from spyrelang.language.graph import IndexNode, IndirectNode, Subscript, TileNode, Variable
from spyrelang.language.index import Index, as_integer, expression, symbol_index, use
from spyrelang.language.memory import described
from spyrelang.language.tracing import Trace, fail
from spyrelang.language.types import i32, i64, index
from spyrelang.language.views import Ind, Tile, View
from spyrelang.language.views import subscript as box


def ind(positions: Any, *coordinates: Any) -> Any:
    """Positions read from memory, as a subscript: `view[spy.ind(rows[0:32]), :]` is a tile of 32
    rows. `positions` is a tile of i32, i64 or index. In `indirect_tile`: `spy.ind(view, m + 1)`.

    >>> @spyre.kernel
    ... def kernel(x: spy.In, rows: spy.In, out: spy.Out):
    ...     out[:, :] = x[spy.ind(rows[:]), :]
    >>> x = np.eye(3, dtype=np.float32)
    >>> rows = np.array([2, 0], np.int32)
    >>> out = np.zeros((2, 3), np.float32)
    >>> run = kernel(x, rows, out, engine="ktir")
    >>> out
    array([[0., 0., 1.],
           [1., 0., 0.]], dtype=float32)
    """
    if coordinates:
        return Lookup(_index_view(positions), coordinates)
    tile = box(positions, Ellipsis) if isinstance(positions, View) else positions
    node = tile.node if isinstance(tile, Tile) else None
    if not isinstance(node, TileNode) or node.points is not None or node.order is not None:
        hint = "subscript a view of positions: spy.ind(rows[0:32])"
        fail(errors.NOT_A_TILE, what="spy.ind", got=described(positions), hint=hint)
    _index_view(tile.view)
    return Ind(tile)


class Lookup:
    """One position of an indirect tile: what a view of positions holds at some coordinates."""

    def __init__(self, view: View, coordinates: tuple[Any, ...]) -> None:
        self.view = view
        self.coordinates = coordinates


def _index_view(view: Any) -> View:
    if not isinstance(view, View):
        hint = "pass a view of positions"
        fail(errors.NOT_A_TILE, what="spy.ind", got=described(view), hint=hint)
    if view.dtype not in (i32, i64, index):
        fail(errors.OPERAND_DTYPE, op="spy.ind", dtype=view.dtype, hint="positions are i32")
    return view


# --- subscripts -----------------------------------------------------------------------------------


class _Builder:
    """The captured integers and the axes of the tile, while its subscripts are collected."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.captured: list[IndexNode] = []
        self.extents: list[int] = []
        self.found: list[tuple[View | None, list[tuple[Index | int, int | None]]]] = []

    def axis(self, extent: int) -> int:
        """A new axis of the tile."""
        self.extents.append(extent)
        return len(self.extents) - 1

    def subscripts(self) -> tuple[Subscript, ...]:
        """Start plus axis for each coordinate; captured integers are numbered first."""
        starts = [[(use(self.trace, s), a) for s, a in coords] for _, coords in self.found]
        for coords in starts:
            for start, _ in coords:
                if isinstance(start, IndexNode) and start not in self.captured:
                    self.captured.append(start)
        return tuple(
            Subscript(tuple(self._expr(*c) for c in coords), None if view is None else view.node)
            for (view, _), coords in zip(self.found, starts, strict=True)
        )

    def _expr(self, start: IndexNode | int, axis: int | None) -> Expr:
        captured = len(self.captured)
        first = Dim(self.captured.index(start)) if isinstance(start, IndexNode) else Const(start)
        return first if axis is None else first + Dim(captured + axis)


def subscript(view: View, items: Sequence[object]) -> Tile:
    """The tile that `view[…]` names when some subscripts are positions.

    The axes of position tiles, which all have one shape, stand where the first of them does.
    """
    trace = tracing.current("tiles")
    builder = _Builder(trace)
    shape: list[int] = []
    axes: list[int | None] = []
    shared: list[int] | None = None
    for item in items:
        if item is None:
            shape.append(1)
        elif isinstance(item, Ind):
            if shared is None:
                shared = [builder.axis(n) for n in item.tile.shape]
                axes += range(len(shape), len(shape) + len(shared))
                shape += item.tile.shape
            _check_shape(view, item, [builder.extents[a] for a in shared])
            builder.found.append((item.tile.view, _coordinates(item.tile, shared)))
        else:
            number = len(builder.found)
            start, extent, kept = subscripts.part(view.layout, number, item)
            subscripts.check_inside(
                trace, view.name, [use(trace, start)], [extent], [view.shape[number]]
            )
            axis = builder.axis(extent) if kept else None
            if kept:
                axes.append(len(shape))
                shape.append(extent)
            builder.found.append((None, [(start, axis)]))
    return _recorded(trace, view, builder, tuple(shape), tuple(axes))


def _check_shape(view: View, item: Ind, shape: Sequence[int]) -> None:
    if item.tile.shape != tuple(shape):
        fail(errors.POSITIONS, name=view.name, first=tuple(shape), second=item.tile.shape)


def _coordinates(tile: Tile, shared: Sequence[int]) -> list[tuple[Index | int, int | None]]:
    """Where the positions of a tile lie in their view."""
    node = tile.node
    assert isinstance(node, TileNode)
    starts = [symbol_index(tile.view.trace, s) if isinstance(s, IndexNode) else s
              for s in node.origin]  # fmt: skip
    return [
        (s, None if axis is None else shared[axis])
        for s, axis in zip(starts, tile.axes, strict=True)
    ]


def _recorded(
    trace: Trace,
    view: View,
    builder: _Builder,
    shape: tuple[int, ...],
    axes: tuple[int | None, ...],
) -> Tile:
    tracing.check_usable(trace, view.trace, view.node, view.describe())
    place = tracing.here()
    found = builder.subscripts()
    node = IndirectNode(
        place=place, block=trace.block, name=place.name or f"{view.name}_tile", view=view.node,
        extents=tuple(builder.extents), subscripts=found, captured=tuple(builder.captured),
    )  # fmt: skip
    return Tile(view, trace.add(node), shape, axes)


# --- the explicit form ----------------------------------------------------------------------------


def indirect_tile(
    view: View, positions: Callable[..., Any], space: Any, order: Any = None, set: Any = None
) -> Tile:
    """A tile of shape `space` (ints) whose element (m, k, …) is the view's element at
    `positions(m, k, …)`: one affine expression, or `spy.ind(view, …)` of such, for each axis of
    the view. `set` keeps only some points, `order` is the order of the axes in the tile.

    `spy.indirect_tile(x, lambda m, k: (spy.ind(rows, m), k + start), (32, 64))`

    >>> @spyre.kernel
    ... def kernel(x: spy.In, rows: spy.In, out: spy.Out):
    ...     out[:, :] = spy.indirect_tile(x, lambda m, k: (spy.ind(rows, m), k + 1), (2, 2))
    >>> x = np.eye(3, dtype=np.float32)
    >>> rows = np.array([2, 0], np.int32)
    >>> out = np.zeros((2, 2), np.float32)
    >>> run = kernel(x, rows, out, engine="ktir")
    >>> out
    array([[0., 1.],
           [0., 0.]], dtype=float32)
    """
    trace = tracing.current("spy.indirect_tile")
    if not isinstance(view, View) or not callable(positions):  # type: ignore[reportUnnecessaryIsInstance]
        hint = "pass a view and a function of the tile's axes"
        fail(errors.NOT_A_TILE, what="spy.indirect_tile", got=described(view), hint=hint)
    extents = integers(space, "space", 0)
    place = tracing.here()
    variables = [Variable(place=place, block=trace.block, extent=n) for n in extents]
    items = positions(*(symbol_index(trace, v) for v in variables))
    listed: list[Any] = list(items) if isinstance(items, (tuple, list)) else [items]
    if len(listed) != view.rank:
        fail(errors.SUBSCRIPT_COUNT, name=view.name, rank=view.rank, given=len(listed), hint=None)
    reader = _Reader(trace, variables)
    found = tuple(reader.subscript(view, axis, item) for axis, item in enumerate(listed))
    ordered = None if order is None else axis_order(order, len(extents))
    shape = extents if ordered is None else tuple(extents[a] for a in ordered)
    node = IndirectNode(
        place=place, block=trace.block, name=place.name or f"{view.name}_tile", view=view.node,
        extents=shape, subscripts=reader.placed(found), captured=tuple(reader.captured),
        points=None if set is None else point_set(set, len(extents), "set"), order=ordered,
    )  # fmt: skip
    tracing.check_usable(trace, view.trace, view.node, view.describe())
    return Tile(view, trace.add(node), shape, tuple(range(len(shape))))


class _Reader:
    """Turns expressions over traced integers and the tile's axes into those of the op."""

    def __init__(self, trace: Trace, variables: Sequence[Variable]) -> None:
        self.trace = trace
        self.variables = variables
        self.captured: list[IndexNode] = []

    def subscript(self, view: View, axis: int, item: Any) -> tuple[View | None, list[Expr]]:
        if isinstance(item, Lookup):
            if len(item.coordinates) != item.view.rank:
                fail(
                    errors.SUBSCRIPT_COUNT, name=item.view.name, rank=item.view.rank,
                    given=len(item.coordinates), hint=None,
                )  # fmt: skip
            exprs = [self._expr(item.view, a, c) for a, c in enumerate(item.coordinates)]
            return item.view, exprs
        return None, [self._expr(view, axis, item)]

    def _expr(self, view: View, axis: int, item: Any) -> Expr:
        value = item if isinstance(item, Index) else as_integer(item)
        if value is None:
            fail(errors.SUBSCRIPT_TYPE, name=view.name, axis=axis, got=repr(item), hint=None)
        expr = expression(value)
        for number in sorted(expr.dims()):
            node = self.trace.symbols[number]
            if node not in self.variables and node not in self.captured:
                self._check(view, axis, node)
                self.captured.append(node)
        return expr

    def _check(self, view: View, axis: int, node: IndexNode) -> None:
        """Results of other operations on the tile's axes cannot be computed for each element."""
        pending: list[Any] = [node]
        while pending:
            found = pending.pop()
            if isinstance(found, Variable):
                hint = "use + - * // % with constants"
                got = "an expression that is not affine"
                fail(errors.SUBSCRIPT_TYPE, name=view.name, axis=axis, got=got, hint=hint)
            pending += found.operands() if isinstance(found, IndexNode) else []
        tracing.check_usable(self.trace, self.trace, node, "integer")

    def placed(self, found: Sequence[tuple[View | None, list[Expr]]]) -> tuple[Subscript, ...]:
        """The expressions over the captured integers, then the axes."""
        numbers: dict[int, Expr] = {}
        for number, node in enumerate(self.trace.symbols):
            if node in self.captured:
                numbers[number] = Dim(self.captured.index(node))
            elif isinstance(node, Variable) and node in self.variables:
                numbers[number] = Dim(len(self.captured) + list(self.variables).index(node))
        dims = [numbers.get(n, Const(0)) for n in range(len(self.trace.symbols))]
        count = len(dims)
        return tuple(
            Subscript(
                Map(count, 0, tuple(exprs)).substitute(dims), None if view is None else view.node
            )
            for view, exprs in found
        )
