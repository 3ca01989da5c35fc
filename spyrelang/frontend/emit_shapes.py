"""Reshapes and parts of values as `tensor` ops."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir

from spyrelang.frontend.emit_linalg import unnamed
from spyrelang.ir import build
from spyrelang.ir.build import i32_array, i64, i64_array, tensor
from spyrelang.language.graph import Concat, Part, Reshape

Groups = list[list[int]]


def reshape(node: Reshape, value: ir.Value, loc: ir.Location, ip: ir.InsertionPoint) -> ir.Value:
    """A collapse to what both shapes have in common, then an expansion of that."""
    source, target = node.input.shape, node.shape
    middle, collapsed, expanded = common(source, target)
    kind = node.dtype.mlir
    if middle != source:
        where = loc if middle == target else unnamed(loc)
        attributes = {"reassociation": _groups(collapsed)}
        types = [tensor(middle, kind)]
        op = build("tensor.collapse_shape", [value], attributes, types, loc=where, ip=ip)
        value = op.results[0]
    if middle != target:
        attributes = {
            "reassociation": _groups(expanded),
            "static_output_shape": i64_array(target),
        }
        types = [tensor(target, kind)]
        value = build("tensor.expand_shape", [value], attributes, types, loc=loc, ip=ip).results[0]
    return value


def _groups(groups: Groups) -> str:
    return "[" + ", ".join("[" + ", ".join(map(str, g)) + "]" for g in groups) + "]"


def common(source: Sequence[int], target: Sequence[int]) -> tuple[tuple[int, ...], Groups, Groups]:
    """The finest shape that both are expansions of, with the axes each of its axes stands for."""
    if 0 in source or not source or not target:
        return _flat(source, target)
    cuts = sorted({*_ends(source)} & {*_ends(target)})
    middle = tuple(b // a for a, b in zip([1, *cuts], cuts, strict=False))
    if not middle:
        return _flat(source, target)
    return middle, _assigned(source, cuts), _assigned(target, cuts)


def _flat(source: Sequence[int], target: Sequence[int]) -> tuple[tuple[int, ...], Groups, Groups]:
    """Through one axis, or none where either side has none."""
    size = math.prod(source)
    if not source or not target:
        return (), [], []
    return (size,), [list(range(len(source)))], [list(range(len(target)))]


def _ends(shape: Sequence[int]) -> list[int]:
    """The products of the leading sizes, for axes of more than one element."""
    found, product = [], 1
    for size in shape:
        product *= size
        if size != 1:
            found.append(product)
    return found


def _assigned(shape: Sequence[int], cuts: Sequence[int]) -> Groups:
    """The axes between cuts; unit axes go where the next one goes, or the last."""
    groups: Groups = [[] for _ in cuts]
    at, product = 0, 1
    for axis, size in enumerate(shape):
        product *= size
        groups[min(at, len(cuts) - 1)].append(axis)
        if size != 1 and product == cuts[at]:
            at += 1
    return groups


_DYNAMIC = -(1 << 63)


def part(
    node: Part,
    value: ir.Value,
    dynamic: Sequence[ir.Value],
    loc: ir.Location,
    ip: ir.InsertionPoint,
) -> ir.Value:
    """`tensor.extract_slice`; `dynamic` are the traced ones of the origin."""
    attributes = {
        "operandSegmentSizes": i32_array([1, len(dynamic), 0, 0]),
        "static_offsets": i64_array([o if isinstance(o, int) else _DYNAMIC for o in node.origin]),
        "static_sizes": i64_array(node.shape),
        "static_strides": i64_array([1] * len(node.shape)),
    }
    types = [tensor(node.shape, node.dtype.mlir)]
    operands = [value, *dynamic]
    return build("tensor.extract_slice", operands, attributes, types, loc=loc, ip=ip).results[0]


def concat(
    node: Concat, values: Sequence[ir.Value], loc: ir.Location, ip: ir.InsertionPoint
) -> ir.Value:
    """`tensor.concat`."""
    types = [tensor(node.shape, node.dtype.mlir)]
    attributes = {"dim": i64(node.axis)}
    return build("tensor.concat", values, attributes, types, loc=loc, ip=ip).results[0]
