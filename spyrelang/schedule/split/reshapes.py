"""Operations that only rename elements: which element of their source an element is."""

from __future__ import annotations

from collections.abc import Callable

from spyrelang.affine import Const, Expr
from spyrelang.errors import schedule as errors
from spyrelang.schedule.split.indices import Indices
from spyrelang.schedule.split.source import DYNAMIC, Op, Value, integers, place, segments, shape

Coordinates = tuple[Expr, ...]


def source(op: Op, at: Coordinates, indices: Indices) -> tuple[Value, Coordinates] | None:
    """The source tensor and coordinates behind element `at` of the op's result; None when the op
    computes. Raises SPY423 for reshapes that mix dims."""
    rule = _RULES.get(op.name)
    return None if rule is None else (op.operands[0], rule(op, at, indices))


def _groups(op: Op) -> list[list[int]]:
    return [[int(i) for i in group] for group in op.attributes["reassociation"]]


def _expanded(op: Op, at: Coordinates, indices: Indices) -> Coordinates:
    """A source dim is the one long dim of its group."""
    del indices
    extents = shape(op.results[0].type)
    return tuple(_only(op, [(extents[i], at[i]) for i in group]) for group in _groups(op))


def _only(op: Op, parts: list[tuple[int, Expr]]) -> Expr:
    long = [coordinate for extent, coordinate in parts if extent != 1]
    if len(long) > 1:
        raise errors.RESHAPE.error(place(op), op=op.name)
    return long[0] if long else Const(0)


def _collapsed(op: Op, at: Coordinates, indices: Indices) -> Coordinates:
    """The one long source dim of a group is the result's dim, the others are 0."""
    del indices
    extents = shape(op.operands[0].type)
    coordinates: list[Expr] = [Const(0)] * len(extents)
    for coordinate, group in zip(at, _groups(op), strict=True):
        long = [i for i in group if extents[i] != 1]
        if len(long) > 1:
            raise errors.RESHAPE.error(place(op), op=op.name)
        for i in long:
            coordinates[i] = coordinate
    return tuple(coordinates)


def _sliced(op: Op, at: Coordinates, indices: Indices) -> Coordinates:
    """Offsets are added; dims that the result drops stay at their offset."""
    sizes = integers(op, "static_sizes")
    strides = integers(op, "static_strides")
    if DYNAMIC in (*sizes, *strides):
        raise errors.DYNAMIC.error(place(op), what="a size or stride of this slice")
    if any(stride != 1 for stride in strides):
        raise errors.OPERATION.error(place(op), op=f"{op.name} with strides {list(strides)}")
    kept = _kept_dims(op, sizes)
    coordinates = _offsets(op, indices)
    for coordinate, dim in zip(at, kept, strict=True):
        coordinates[dim] = coordinates[dim] + coordinate
    return tuple(coordinates)


def _offsets(op: Op, indices: Indices) -> list[Expr]:
    dynamic = iter(segments(op)[1])
    return [
        indices.expr(next(dynamic), op) if offset == DYNAMIC else Const(offset)
        for offset in integers(op, "static_offsets")
    ]


def _kept_dims(op: Op, sizes: tuple[int, ...]) -> list[int]:
    """The source dims that the result has; dropped ones have size 1."""
    wanted, kept = list(shape(op.results[0].type)), list[int]()
    surplus = len(sizes) - len(wanted)
    for dim, size in enumerate(sizes):
        position = len(kept)
        if surplus and size == 1 and (position >= len(wanted) or wanted[position] != 1):
            surplus -= 1
        else:
            kept.append(dim)
    return kept[: len(wanted)]


def _extracted(op: Op, at: Coordinates, indices: Indices) -> Coordinates:
    """One element at given coordinates."""
    del at
    return tuple(indices.expr(value, op) for value in list(op.operands)[1:])


def _unchanged(op: Op, at: Coordinates, indices: Indices) -> Coordinates:
    del op, indices
    return at


def check(op: Op) -> None:
    """Refuse what moves elements in a way that has no rule. Raises SPY400, SPY423."""
    if op.name not in _RULES:
        raise errors.OPERATION.error(place(op), op=op.name)
    if op.name == "tensor.expand_shape":
        for group in _groups(op):
            _only(op, [(shape(op.results[0].type)[i], Const(0)) for i in group])
    if op.name == "tensor.collapse_shape":
        for group in _groups(op):
            _only(op, [(shape(op.operands[0].type)[i], Const(0)) for i in group])


_RULES: dict[str, Callable[[Op, Coordinates, Indices], Coordinates]] = {
    "tensor.expand_shape": _expanded,
    "tensor.collapse_shape": _collapsed,
    "tensor.extract_slice": _sliced,
    "tensor.extract": _extracted,
    "tensor.cast": _unchanged,
}
