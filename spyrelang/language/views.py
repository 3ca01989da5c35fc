"""Views and access tiles: `view[rows, cols]` says which elements, and moves nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from spyrelang.errors import trace as errors
from spyrelang.language import tracing
from spyrelang.language.conditions import integer_of
from spyrelang.language.domain import interval, points
from spyrelang.language.graph import TileNode, ViewNode
from spyrelang.language.index import Index, Traced, as_integer, difference, use
from spyrelang.language.tensor import Arithmetic
from spyrelang.language.tracing import Trace, fail, kind_of


class View(Traced):
    """A tensor in memory: a tensor parameter, or what `memory_view` makes.

    Attributes: `shape` (ints), `dtype`, `rank`, `name`. Subscripts make tiles.
    """

    def __init__(self, trace: Trace, node: ViewNode, name: str, role: str) -> None:
        self.trace = trace
        self.node = node
        self.name = name
        self.role = role
        self.shape = node.shape
        self.dtype = node.dtype

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0] if self.shape else 0

    def describe(self) -> str:
        return f"the view '{self.name}'"

    def __repr__(self) -> str:
        return f"<view {self.name} {'x'.join(map(str, (*self.shape, self.dtype)))}>"

    def whole_text(self) -> str:
        """How to write the tile of the whole view."""
        return f"{self.name}[{', '.join(':' * self.rank) or '...'}]"

    def __getitem__(self, key: object) -> Tile:
        return subscript(self, key)

    def __setitem__(self, key: object, value: object) -> None:
        from spyrelang.language.memory import store

        store(subscript(self, key), value)

    def _operator(self, *_: object) -> NoReturn:
        refuse_view(self, "arithmetic")

    __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = _operator
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = _operator
    __neg__ = __invert__ = __abs__ = __lt__ = __le__ = __gt__ = __ge__ = _operator
    __and__ = __or__ = __xor__ = __rand__ = __ror__ = __rxor__ = __matmul__ = _operator
    __eq__ = __ne__ = _operator  # type: ignore[assignment]
    __hash__ = object.__hash__


def refuse_view(view: View, what: str) -> NoReturn:
    """A view was used as a value in `what`."""
    hint = f"load what you need, for example spy.load({view.whole_text()})"
    fail(errors.VIEW_AS_VALUE, name=view.name, op=what, hint=hint)


class Tile(Arithmetic):
    """A box of a view. `shape` is without the axes that integer subscripts dropped.

    Used in arithmetic, or assigned, it is loaded there and then.
    """

    def __init__(
        self, view: View, node: TileNode, shape: tuple[int, ...], axes: tuple[int | None, ...]
    ) -> None:
        self.view = view
        self.node = node
        self.axes = axes
        self.shape = shape
        self.dtype = view.dtype

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def describe(self) -> str:
        return f"a tile of '{self.view.name}'"

    def __repr__(self) -> str:
        return f"<tile of {self.view.name} {'x'.join(map(str, (*self.shape, self.dtype)))}>"

    def __getitem__(self, key: object) -> NoReturn:
        fail(errors.TILE_SUBSCRIPT, name=self.view.name)

    def __setitem__(self, key: object, value: object) -> NoReturn:
        fail(errors.TILE_SUBSCRIPT, name=self.view.name)


# --- subscripts -----------------------------------------------------------------------------------


def subscript(view: View, key: object) -> Tile:
    """The tile that `view[key]` names."""
    items = _expanded(view, key if isinstance(key, tuple) else (key,))
    origin: list[Index | int] = []
    extents: list[int] = []
    shape: list[int] = []
    axes: list[int | None] = []
    for item in items:
        if item is None:
            shape.append(1)
            continue
        size = view.shape[len(origin)]
        start, extent, kept = _axis(view, len(origin), size, item)
        origin.append(start)
        extents.append(extent)
        axes.append(len(shape) if kept else None)
        if kept:
            shape.append(extent)
    return make_tile(view, origin, extents, tuple(shape), tuple(axes))


def _expanded(view: View, items: tuple[object, ...]) -> list[object]:
    """The subscripts with `...` written out, one per axis of the view besides every None."""
    given = sum(1 for i in items if i is not None and i is not Ellipsis)
    dots = [at for at, item in enumerate(items) if item is Ellipsis]
    missing = view.rank - given
    if missing < 0 or len(dots) > 1 or (missing and not dots):
        fail(
            errors.SUBSCRIPT_COUNT, name=view.name, rank=view.rank, given=given,
            hint=f"write one subscript per axis, like {view.whole_text()}",
        )  # fmt: skip
    if not dots:
        return list(items)
    at = dots[0]
    return [*items[:at], *[slice(None)] * missing, *items[at + 1 :]]


def _axis(view: View, axis: int, size: int, item: object) -> tuple[Index | int, int, bool]:
    """Start, extent and whether the axis is kept, for one subscript."""
    if isinstance(item, slice):
        return (*_range(view, axis, size, item), True)
    return _position(view, axis, item), 1, False


def _position(view: View, axis: int, item: Any) -> Index | int:
    """An integer, traced or not."""
    if isinstance(item, Index):
        return item
    if isinstance(item, Arithmetic):
        return integer_of(item, f"a subscript of '{view.name}'")
    value = as_integer(item)
    if value is None:
        _refuse_subscript(view, axis, item)
    if value < 0:
        hint = f"write {view.name}.shape[{axis}] - {-value}"
        fail(errors.NEGATIVE_INDEX, name=view.name, axis=axis, value=value, hint=hint)
    return value


def _refuse_subscript(view: View, axis: int, item: object) -> NoReturn:
    got = f"{item!r}" if isinstance(item, (bool, float, str)) else kind_of(item)
    hint = "divide integers with //" if isinstance(item, float) else None
    fail(errors.SUBSCRIPT_TYPE, name=view.name, axis=axis, got=got, hint=hint)


def _range(view: View, axis: int, size: int, item: slice) -> tuple[Index | int, int]:
    """Start and static extent of a slice."""
    if item.step is not None and as_integer(item.step) != 1:
        fail(errors.SLICE_STEP, name=view.name, axis=axis)
    start = 0 if item.start is None else _position(view, axis, item.start)
    stop = size if item.stop is None else _position(view, axis, item.stop)
    extent = difference(stop, start)
    if extent is None:
        fail(errors.SLICE_EXTENT, name=view.name, axis=axis)
    if extent < 0:
        fail(errors.SLICE_BACKWARDS, name=view.name, axis=axis, extent=extent)
    return start, extent


# --- tiles ----------------------------------------------------------------------------------------


def make_tile(
    view: View,
    origin: Sequence[Index | int],
    extents: Sequence[int],
    shape: tuple[int, ...],
    axes: tuple[int | None, ...],
) -> Tile:
    """Record a tile after proving that it lies inside its view."""
    trace = tracing.current("tiles")
    tracing.check_usable(trace, view.trace, view.node, view.describe())
    place = tracing.here()
    node = TileNode(
        place=place,
        block=trace.block,
        name=place.name or f"{view.name}_tile",
        view=view.node,
        origin=tuple(use(trace, o) for o in origin),
        extents=tuple(extents),
    )
    _check_inside(trace, view, node)
    return Tile(view, trace.add(node), shape, axes)


def _check_inside(trace: Trace, view: View, node: TileNode) -> None:
    """Refuse a tile that leaves its view for some tile id or iteration that really occurs.

    Intervals prove most cases; where they cannot, the executions are enumerated. Kernels with too
    many of those are left to the engines' own bounds checks.
    """
    for axis, (start, extent, size) in enumerate(
        zip(node.origin, node.extents, view.shape, strict=True)
    ):
        bounds = interval(trace, start)
        if bounds.low >= 0 and bounds.high + extent <= size:
            continue
        found = points(trace, trace.block)
        if found is not None and not found.knows(start):
            continue
        if isinstance(start, int) and (found is None or found.count):
            _past_view(view, axis, start, extent, size, "")
        if found is None:
            continue
        starts = found.eval(start)
        bad = (starts < 0) | (starts + extent > size)
        if bad.any():
            at = int(bad.argmax())
            _past_view(
                view, axis, int(starts[at]), extent, size, f" (first on {found.describe(at)})"
            )


def _past_view(view: View, axis: int, start: int, extent: int, size: int, when: str) -> NoReturn:
    covered = f"elements {start} to {start + extent - 1}" if extent != 1 else f"element {start}"
    fail(
        errors.TILE_PAST_VIEW,
        name=view.name,
        axis=axis,
        covered=covered,
        size=size,
        when=when,
    )
