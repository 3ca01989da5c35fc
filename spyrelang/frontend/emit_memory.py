"""Views and tiles as ktdp ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlir import ir

from spyrelang import affine
from spyrelang.dialects import ktdp
from spyrelang.dialects.subscripts import DYNAMIC
from spyrelang.frontend.emit_linalg import unnamed
from spyrelang.ir import attribute, build, type_of
from spyrelang.ir.build import i64_array, memref
from spyrelang.language.graph import (
    DistributedNode,
    IndexNode,
    IndirectNode,
    ParamInfo,
    Space,
    TileNode,
    ViewNode,
)

if TYPE_CHECKING:
    from spyrelang.frontend.emit import Emitter


def view(emitter: Emitter, node: ViewNode, ip: ir.InsertionPoint) -> ir.Value:
    """A memory view at its base plus the offset, if there is one."""
    from spyrelang.frontend.emit import location

    loc = location(node)
    if isinstance(node.base, ParamInfo):
        base = emitter.entry.arguments[node.base.index]
    else:
        base = emitter.index(node.base)
    if node.offset != 0:
        operands = [base, emitter.index(node.offset)]
        base = build("arith.addi", operands, {}, ["index"], loc=unnamed(loc), ip=ip).results[0]
    return ktdp.CONSTRUCT_MEMORY_VIEW.build(
        offset=base,
        static_sizes=i64_array(node.shape),
        static_strides=i64_array([s if isinstance(s, int) else DYNAMIC for s in node.strides]),
        strides=[emitter.index(s) for s in node.strides if not isinstance(s, int)],
        memory_space=_space(node.space),
        coordinate_set=affine.Set.box_of(node.shape) if node.coords is None else node.coords,
        results=[memref(node.shape, node.dtype.mlir)],
        loc=loc,
        ip=ip,
    ).results[0]


def distributed(emitter: Emitter, node: DistributedNode, ip: ir.InsertionPoint) -> ir.Value:
    """A distributed view of its parts."""
    from spyrelang.frontend.emit import location

    return ktdp.CONSTRUCT_DISTRIBUTED_MEMORY_VIEW.build(
        views=[emitter.value(part) for part in node.parts],
        results=[memref(node.shape, node.dtype.mlir)],
        loc=location(node),
        ip=ip,
    ).results[0]


def _space(space: Space) -> ir.Attribute:
    kind = "ct_local" if space.local else "global"
    return attribute(ktdp.space_text(kind, space.ct))


def tile(emitter: Emitter, node: TileNode, ip: ir.InsertionPoint) -> ir.Value:
    """Constant coordinates stand in the map, traced ones are operands."""
    from spyrelang.frontend.emit import location

    dynamic: list[IndexNode] = []
    subscripts: list[affine.Expr] = []
    for start in node.origin:
        if isinstance(start, int):
            subscripts.append(affine.Const(start))
            continue
        if start not in dynamic:
            dynamic.append(start)
        subscripts.append(affine.Dim(dynamic.index(start)))
    return ktdp.CONSTRUCT_ACCESS_TILE.build(
        base=emitter.value(node.view),
        indices=[emitter.value(n) for n in dynamic],
        base_map=affine.Map(len(dynamic), 0, tuple(subscripts)),
        access_tile_set=_points(node),
        access_tile_order=_order(node),
        results=[ktdp.tile_type(list(node.extents))],
        loc=location(node),
        ip=ip,
    ).results[0]


def _points(node: TileNode | IndirectNode) -> affine.Set:
    """The points in the order of the box's own axes."""
    if node.points is not None:
        return node.points
    extents = list(node.extents)
    for position, axis in enumerate(node.order or ()):
        extents[axis] = node.extents[position]
    return affine.Set.box_of(extents)


def _order(node: TileNode | IndirectNode) -> affine.Map:
    if node.order is None:
        return affine.Map.identity(len(node.extents))
    return affine.Map.permutation(node.order)


def indirect(emitter: Emitter, node: IndirectNode, ip: ir.InsertionPoint) -> ir.Value:
    """An indirect tile; the dims of its maps are the captured integers, then its axes."""
    from spyrelang.frontend.emit import location

    dims = len(node.captured) + len(node.extents)
    loc = location(node)
    op = ktdp.CONSTRUCT_INDIRECT_ACCESS_TILE.build(
        base=emitter.value(node.view),
        indirect_memrefs=[emitter.value(s.view) for s in node.subscripts if s.view],
        captured_variables=[emitter.value(n) for n in node.captured],
        per_dim_subscript_kinds=[s.view is not None for s in node.subscripts],
        per_dim_subscript_maps=[affine.Map(dims, 0, s.exprs) for s in node.subscripts],
        variables_space_set=_points(node),
        variables_space_order=_order(node),
        results=[ktdp.tile_type(list(node.extents))],
        loc=loc,
        ip=ip,
    )
    _hidden(op, len(node.extents), unnamed(loc))
    return op.results[0]


def _hidden(op: ir.Operation, variables: int, loc: ir.Location) -> None:
    """The block that declares the axes, which no text shows."""
    block = op.regions[0].blocks[0]
    names: Sequence[str] = [f"iv{i}" for i in range(variables)]
    for name in names:
        block.add_argument(type_of("index"), ir.Location.name(name, loc))
    build("ktdp.region_terminator", loc=loc, ip=ir.InsertionPoint(block))
