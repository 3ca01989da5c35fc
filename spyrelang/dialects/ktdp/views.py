"""Memory views and direct access tiles."""

from __future__ import annotations

from collections.abc import Sequence

from spyrelang.affine import Map, Set
from spyrelang.dialects import shapes
from spyrelang.dialects.ktdp.types import (
    BASE,
    SPACE,
    TILE,
    tile_shape,
)
from spyrelang.dialects.shapes import operand_types
from spyrelang.dialects.subscripts import (
    DYNAMIC,
    index_list,
    read_i64_array,
    subscripts,
)
from spyrelang.ir import kinds as k
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.opdef import Attr, OpDef, many, one, result
from spyrelang.ir.opref import OpRef
from spyrelang.ir.pieces import Custom, Draft


def ids_fit(grid: Sequence[int], ids: int) -> bool:
    """Whether `ids` tile ids name every compute tile of a grid, axis by axis from the first.

    Frontends write one grid as `[32]`, `[32, 1]` or `[32, 1, 1]`: an axis of one tile needs no id.
    """
    return 0 < ids <= len(grid) and all(extent == 1 for extent in grid[ids:])


def _id_rules(op: OpRef) -> None:
    if not op.result_types():
        raise op.fail("needs at least one result")


GET_COMPUTE_TILE_ID = OpDef(
    "ktdp.get_compute_tile_id",
    results=[result("results", k.INDEX, "many")],
    assembly="$dict : $results:type",
    verify=_id_rules,
)


def _view_rules(op: OpRef) -> None:
    sizes = read_i64_array(op.text("static_sizes"))
    strides = read_i64_array(op.text("static_strides"))
    if len(sizes) != len(strides):
        raise op.fail(f"has {len(sizes)} sizes but {len(strides)} strides")
    for name, listed in (("sizes", sizes), ("strides", strides)):
        given = len(op.types(name))
        if listed.count(DYNAMIC) != given:
            raise op.fail(f"has {listed.count(DYNAMIC)} dynamic {name} but {given} values")
    rank = len(shapes.shape_of(op.result_types()[0]))
    if rank != len(sizes):
        raise op.fail(f"the result has rank {rank} but there are {len(sizes)} sizes")


CONSTRUCT_MEMORY_VIEW = OpDef(
    "ktdp.construct_memory_view",
    operands=[one("offset"), many("sizes"), many("strides")],
    attributes=[
        Attr("static_sizes", k.I64_ARRAY),
        Attr("static_strides", k.I64_ARRAY),
        Attr("memory_space", SPACE),
        Attr("coordinate_set", k.AFFINE_SET),
    ],
    results=[result("result", k.MEMREF)],
    segments=True,
    assembly=" $offset, sizes: $size_list, strides: $stride_list$dict : $result:type",
    custom={
        "size_list": index_list("sizes", "static_sizes"),
        "stride_list": index_list("strides", "static_strides"),
    },
    verify=_view_rules,
)


def _read_views(c: Cursor, d: Draft) -> None:
    c.expect("(")
    d.operands["views"] = c.values()
    if d.operands["views"]:
        c.expect(":")
        d.types["views"] = c.types()
    c.expect(")")


def _write_views(d: Draft) -> str:
    values = d.values("views")
    return f"({values} : {d.type_list('views')})" if values else "()"


def _distributed_rules(op: OpRef) -> None:
    whole = op.result_types()[0]
    for part in operand_types(op):
        if shapes.element_of(part) != shapes.element_of(whole):
            raise op.fail(f"element types differ: {part} and {whole}")
        if len(shapes.shape_of(part)) != len(shapes.shape_of(whole)):
            raise op.fail(f"ranks differ: {part} and {whole}")


CONSTRUCT_DISTRIBUTED_MEMORY_VIEW = OpDef(
    "ktdp.construct_distributed_memory_view",
    operands=[many("views", k.MEMREF)],
    results=[result("result", k.MEMREF)],
    assembly="$inputs$dict : $result:type",
    custom={"inputs": Custom(_read_views, _write_views)},
    verify=_distributed_rules,
)


def space_rules(op: OpRef, set_name: str, order_name: str) -> Set:
    """The rules of a set of points and the order of its dims."""
    points, order = Set.parse(op.text(set_name)), Map.parse(op.text(order_name))
    if order.n_syms:
        raise op.fail(f"{order_name} {order} must have no symbols: no values are given for them")
    if order.n_dims != order.n_results:
        raise op.fail(f"{order_name} must have as many results as dims")
    if order.n_results != points.n_dims:
        raise op.fail(f"{order_name} has {order.n_results} results, the set {points.n_dims} dims")
    symbols = op.count("symbol_operands")
    if points.n_syms != symbols:
        raise op.fail(f"the set has {points.n_syms} symbols but {symbols} values are given")
    rank = len(tile_shape(op.result_types()[0]))
    if rank != points.n_dims:
        raise op.fail(f"the tile has rank {rank} but the set {points.n_dims} dims")
    return points


def _tile_rules(op: OpRef) -> None:
    base = Map.parse(op.text("base_map"))
    indices = op.count("indices")
    if base.n_dims + base.n_syms != indices:
        raise op.fail(f"base_map has {base.n_dims + base.n_syms} inputs, not {indices}")
    points = space_rules(op, "access_tile_set", "access_tile_order")
    if points.n_dims != base.n_results:
        raise op.fail(f"{base.n_results} subscripts, but the set has {points.n_dims} dims")


CONSTRUCT_ACCESS_TILE = OpDef(
    "ktdp.construct_access_tile",
    operands=[one("base", BASE), many("indices"), many("symbol_operands")],
    attributes=[
        Attr("base_map", k.AFFINE_MAP),
        Attr("access_tile_set", k.AFFINE_SET),
        Attr("access_tile_order", k.AFFINE_MAP),
    ],
    results=[result("result", TILE)],
    segments=True,
    assembly=" $base$subscripts{? symbols($symbol_operands)?}$dict : $base:type -> $result:type",
    custom={"subscripts": subscripts("indices", "base_map")},
    verify=_tile_rules,
)
