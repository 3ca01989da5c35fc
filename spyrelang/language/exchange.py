"""Combining values of several compute tiles, and handing them from one to another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from spyrelang.affine import Set
from spyrelang.errors import trace as errors
from spyrelang.language import bodies, elementwise, structured, tracing
from spyrelang.language.graph import Access, BodyOp, Empty, Exchange, Handed, Map, ValueNode
from spyrelang.language.index import as_integer
from spyrelang.language.reductions import neutral
from spyrelang.language.tensor import Tensor
from spyrelang.language.tracing import Trace, fail

_COMBINERS = {"sum": "add", "max": "maximum", "min": "minimum", "prod": "mul"}

Group = int | tuple[int, ...] | None


def all_reduce(x: Any, op: str = "sum", group: Group = None) -> Tensor:
    """x combined over the compute tiles of a group, on every one of them.

    `op`: sum, max, min or prod, in the type of x and in ascending order of tiles. `group`: the axes
    of the grid along which tiles are combined (an int, several, or None: all). All tiles must come
    here.

    >>> @spyre.kernel(grid=3)
    ... def kernel(x: spy.In, out: spy.Out):
    ...     t = spy.tile_id()
    ...     out[t, :] = spy.all_reduce(spy.load(x[t, :]))
    >>> x, out = np.eye(3, 2, dtype=np.float32), np.zeros((3, 2), np.float32)
    >>> run = kernel(x, out, engine="ktir")
    >>> out
    array([[1., 1.],
           [1., 1.],
           [1., 1.]], dtype=float32)
    """
    return _combined("spy.all_reduce", x, op, group, ())


def reduce_to_one(x: Any, op: str = "sum", group: Group = None, root: int = 0) -> Tensor:
    """As `all_reduce`, with the result on one tile of each group alone: the one that is number
    `root` in it. Other tiles must not use it: `with spy.when(spy.tile_id() == 0): …`.

    >>> @spyre.kernel(grid=3)
    ... def kernel(x: spy.In, out: spy.Out):
    ...     total = spy.reduce_to_one(spy.load(x[spy.tile_id(), :]))
    ...     if spy.tile_id() == 0:
    ...         out[:] = total
    >>> x, out = np.ones((3, 2), np.float32), np.zeros(2, np.float32)
    >>> run = kernel(x, out, engine="ktir")
    >>> out
    array([3., 3.], dtype=float32)
    """
    return _combined("spy.reduce_to_one", x, op, group, (root,))


def shift(x: Any, by: int = 1, group: Group = None) -> Tensor:
    """x of the compute tile that is `by` places before this one in its group, round the end: in a
    ring each tile hands its value to the next. `group` as in `all_reduce`; all tiles must come
    here.

    >>> @spyre.kernel(grid=3)
    ... def kernel(x: spy.In, out: spy.Out):
    ...     t = spy.tile_id()
    ...     out[t, :] = spy.shift(spy.load(x[t, :]))
    >>> x, out = np.eye(3, 2, dtype=np.float32), np.zeros((3, 2), np.float32)
    >>> run = kernel(x, out, engine="ktir")
    >>> out
    array([[0., 0.],
           [1., 0.],
           [0., 1.]], dtype=float32)
    """
    trace, value = tracing.current("spy.shift"), elementwise.tensor_operand(x, "spy.shift")
    axes = _axes(trace, group)
    inner = [trace.grid[a] for a in axes]
    places = as_integer(by)
    if places is None:
        rule = "it counts places, as a Python int"
        fail(errors.COMBINER, what="spy.shift", got=f"by={by!r}", rule=rule)
    if places % math.prod(inner) == 0:
        return value
    return _handed(trace, value, axes, None, _sources(trace.grid, axes, places % math.prod(inner)))


def from_one(x: Any, root: int = 0, group: Group = None) -> Tensor:
    """x of the compute tile that is number `root` in its group, on every tile of the group. All
    tiles must come here.

    >>> @spyre.kernel(grid=3)
    ... def kernel(x: spy.In, out: spy.Out):
    ...     t = spy.tile_id()
    ...     out[t, :] = spy.from_one(spy.load(x[t, :]))
    >>> x, out = np.eye(3, 2, dtype=np.float32), np.zeros((3, 2), np.float32)
    >>> run = kernel(x, out, engine="ktir")
    >>> out
    array([[1., 0.],
           [1., 0.],
           [1., 0.]], dtype=float32)
    """
    trace, value = tracing.current("spy.from_one"), elementwise.tensor_operand(x, "spy.from_one")
    axes = _axes(trace, group)
    members = math.prod(trace.grid[a] for a in axes)
    number = _root("spy.from_one", root, members)
    return value if members == 1 else _handed(trace, value, axes, number, None)


def _handed(
    trace: Trace, value: Tensor, axes: tuple[int, ...], root: int | None, sources: Set | None
) -> Tensor:
    node = structured.plain(trace, value)
    members = math.prod(trace.grid[a] for a in axes)
    place = tracing.here()
    found = Handed(
        place=place, block=trace.block, name=place.name, shape=node.shape, dtype=value.dtype,
        value=node, groups=Set.box_of((math.prod(trace.grid) // members,)), sources=sources,
        producers=_tiles(trace.grid, axes, root), consumers=_tiles(trace.grid, axes, None),
    )  # fmt: skip
    return structured.wrap(trace, trace.add(found))


def _combined(what: str, x: Any, op: Any, group: Any, root: tuple[Any, ...]) -> Tensor:
    trace = tracing.current(what)
    value = elementwise.tensor_operand(x, what)
    name = _COMBINERS.get(op) if isinstance(op, str) else None
    if name is None:
        rule, hint = "there is no such combination", 'write op="sum", "max", "min" or "prod"'
        fail(errors.COMBINER, what=what, got=f"op={op!r}", rule=rule, hint=hint)
    build = bodies.binary(name, value.dtype)
    if build is None or value.dtype.name == "i1":
        fail(errors.OPERAND_DTYPE, op=what, dtype=value.dtype, hint="cast to i32 first")
    axes = _axes(trace, group)
    members = math.prod(trace.grid[a] for a in axes)
    number = _root(what, root[0], members) if root else None
    if members == 1:
        return value
    node = structured.plain(trace, value)
    identity = structured.filled(trace, neutral(name, value.dtype), value.dtype, node.shape)
    place = tracing.here()
    producers = _tiles(trace.grid, axes, None)
    found = Exchange(
        place=place, block=trace.block, name=place.name, shape=node.shape, dtype=value.dtype,
        value=node, identity=identity, combiner=_combiner(trace, node, name),
        groups=Set.box_of((math.prod(trace.grid) // members,)), producers=producers,
        consumers=producers if number is None else _tiles(trace.grid, axes, number),
    )  # fmt: skip
    return structured.wrap(trace, trace.add(found))


def _axes(trace: Trace, group: Any) -> tuple[int, ...]:
    """The axes of the grid that a group spans."""
    rank = len(trace.grid)
    if group is None:
        return tuple(range(rank))
    listed: list[Any] = list(group) if isinstance(group, (tuple, list)) else [group]
    found = [as_integer(item) for item in listed]
    axes = sorted({n for n in found if n is not None and 0 <= n < rank})
    if not listed or len(axes) != len(listed):
        fail(errors.GRID_AXIS, axis=group, rank=rank, grid=trace.grid)
    return tuple(axes)


def _root(what: str, root: Any, members: int) -> int:
    number = as_integer(root)
    if number is None or not 0 <= number < members:
        rule = f"groups have {members} tiles"
        hint = f"give a root from 0 to {members - 1}, counted in the group"
        fail(errors.COMBINER, what=what, got=f"root={root!r}", rule=rule, hint=hint)
    return number


def _combiner(trace: Trace, node: ValueNode, name: str) -> Map:
    """The combination of two partial values, element by element."""
    build = bodies.binary(name, node.dtype)
    assert build is not None
    body = bodies.Body((node.dtype, node.dtype))
    build(body, 0, 1)
    ops: tuple[BodyOp, ...] = tuple(body.ops)
    place = tracing.here()
    sides = tuple(
        Empty(place=place, block=trace.block, shape=node.shape, dtype=node.dtype) for _ in "ab"
    )
    whole = Access(tuple(range(len(node.shape))))
    return Map(
        place=place, block=trace.block, shape=node.shape, dtype=node.dtype, inputs=sides,
        accesses=(whole, whole), body=ops,
    )  # fmt: skip


# --- sets of tiles --------------------------------------------------------------------------------


def _tiles(grid: Sequence[int], axes: Sequence[int], root: int | None) -> Set:
    """The tiles d0 of group s0, numbered row-major as their coordinates along the other axes are;
    only tile number `root` of it, where that is given."""
    others = [a for a in range(len(grid)) if a not in axes]
    same = [
        f"{_coordinate('d0', grid, a)} - {_coordinate('s0', [grid[o] for o in others], n)} == 0"
        for n, a in enumerate(others)
        if grid[a] > 1
    ]
    if root is not None:
        inner = [grid[a] for a in axes]
        at = [root // math.prod(inner[n + 1 :]) % size for n, size in enumerate(inner)]
        same += [f"{_coordinate('d0', grid, a)} - {at[n]} == 0" for n, a in enumerate(axes)]
    last = math.prod(grid) - 1
    return Set.parse(f"(d0)[s0] : ({', '.join(['d0 >= 0', f'-d0 + {last} >= 0', *same])})")


def _sources(grid: Sequence[int], axes: Sequence[int], places: int) -> Set:
    """The tile d0 from which tile s0 takes: `places` before it in the group, equal elsewhere."""
    others = [a for a in range(len(grid)) if a not in axes and grid[a] > 1]
    same = [f"{_coordinate('d0', grid, a)} - {_coordinate('s0', grid, a)} == 0" for a in others]
    inner = [grid[a] for a in axes]
    first, second = (
        " + ".join(
            f"{_coordinate(name, grid, a)} * {math.prod(inner[n + 1 :])}"
            for n, a in enumerate(axes)
            if grid[a] > 1
        )
        for name in ("d0", "s0")
    )
    members = math.prod(inner)
    ring = f"{first} - ({second} + {members - places}) mod {members} == 0"
    last = math.prod(grid) - 1
    return Set.parse(f"(d0)[s0] : ({', '.join(['d0 >= 0', f'-d0 + {last} >= 0', ring, *same])})")


def _coordinate(name: str, sizes: Sequence[int], axis: int) -> str:
    """Coordinate `axis` of a flat number."""
    stride = math.prod(sizes[axis + 1 :])
    text = name if stride == 1 else f"({name} floordiv {stride})"
    return text if math.prod(sizes[:axis]) == 1 else f"({text} mod {sizes[axis]})"
