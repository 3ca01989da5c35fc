"""Views and access tiles: `view[rows, cols]` says which elements, and moves nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from spyrelang.affine import Set
from spyrelang.errors import trace as errors
from spyrelang.language import tracing
from spyrelang.language.graph import AnyTile, TileNode, ViewNode
from spyrelang.language.index import Index, Traced, use
from spyrelang.language.subscripts import Axes, check_inside, expanded, part
from spyrelang.language.tensor import Arithmetic
from spyrelang.language.tracing import Trace, fail


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

    @property
    def layout(self) -> Axes:
        """What subscripts need to know."""
        return Axes(self.name, self.shape)

    def __len__(self) -> int:
        return self.shape[0] if self.shape else 0

    def describe(self) -> str:
        return f"the view '{self.name}'"

    def __repr__(self) -> str:
        return f"<view {self.name} {'x'.join(map(str, (*self.shape, self.dtype)))}>"

    def whole_text(self) -> str:
        """How to write the tile of the whole view."""
        return self.layout.whole_text()

    def __getitem__(self, key: object) -> Tile:
        return subscript(self, key)

    def __setitem__(self, key: object, value: object) -> None:
        from spyrelang.language.memory import store

        store(subscript(self, key), value)

    def _operator(self, *_: object) -> NoReturn:
        refuse_view(self, "arithmetic")

    def _augmented(self, *_: object) -> NoReturn:
        refuse_view(self, "an augmented assignment", f"write `{self.whole_text()} += …`")

    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = __ipow__ = _augmented
    __iand__ = __ior__ = __ixor__ = __ilshift__ = __irshift__ = __imatmul__ = _augmented
    __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = _operator
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = _operator
    __neg__ = __invert__ = __abs__ = __lt__ = __le__ = __gt__ = __ge__ = _operator
    __and__ = __or__ = __xor__ = __rand__ = __ror__ = __rxor__ = __matmul__ = _operator
    __eq__ = __ne__ = _operator  # type: ignore[assignment]
    __hash__ = object.__hash__


def refuse_view(view: View, what: str, hint: str | None = None) -> NoReturn:
    """A view was used as a value in `what`."""
    hint = hint or f"load what you need, for example spy.load({view.whole_text()})"
    fail(errors.VIEW_AS_VALUE, name=view.name, op=what, hint=hint)


class Tile(Arithmetic):
    """A box of a view. `shape` is without the axes that integer subscripts dropped.

    Used in arithmetic, or assigned, it is loaded there and then.
    """

    def __init__(
        self, view: View, node: AnyTile, shape: tuple[int, ...], axes: tuple[int | None, ...]
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


class Ind:
    """A tile of positions, as a subscript: `view[spy.ind(rows[0:32]), :]`."""

    def __init__(self, tile: Tile) -> None:
        self.tile = tile

    def __repr__(self) -> str:
        return f"<positions from {self.tile!r}>"


# --- subscripts -----------------------------------------------------------------------------------


def subscript(view: View, key: object) -> Tile:
    """The tile that `view[key]` names; axes at the end without a subscript are whole."""
    items = expanded(view.layout, key if isinstance(key, tuple) else (key,))
    if any(isinstance(item, Ind) for item in items):
        from spyrelang.language import gather

        return gather.subscript(view, items)
    origin: list[Index | int] = []
    extents: list[int] = []
    shape: list[int] = []
    axes: list[int | None] = []
    for item in items:
        if item is None:
            shape.append(1)
            continue
        start, extent, kept = part(view.layout, len(origin), item)
        origin.append(start)
        extents.append(extent)
        axes.append(len(shape) if kept else None)
        if kept:
            shape.append(extent)
    return make_tile(view, origin, extents, tuple(shape), tuple(axes))


# --- tiles ----------------------------------------------------------------------------------------


def make_tile(
    view: View,
    origin: Sequence[Index | int],
    extents: Sequence[int],
    shape: tuple[int, ...],
    axes: tuple[int | None, ...],
    points: Set | None = None,
    order: tuple[int, ...] | None = None,
) -> Tile:
    """Record a tile after proving that it lies inside its view. `shape` and `axes` are those of
    the tile when it is ordered."""
    trace = tracing.current("tiles")
    tracing.check_usable(trace, view.trace, view.node, view.describe())
    place = tracing.here()
    node = TileNode(
        place=place,
        block=trace.block,
        name=place.name or f"{view.name}_tile",
        view=view.node,
        origin=tuple(use(trace, o) for o in origin),
        extents=tuple(extents) if order is None else tuple(extents[a] for a in order),
        points=points,
        order=order,
    )
    check_inside(trace, view.name, node.origin, extents, view.shape)
    return Tile(view, trace.add(node), shape, axes)
