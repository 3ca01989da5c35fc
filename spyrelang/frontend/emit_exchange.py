"""Values that compute tiles combine or hand on, as what each tile gives and what it takes."""

from __future__ import annotations

from mlir import ir

from spyrelang.dialects import ktdp_transfers
from spyrelang.frontend.emit_linalg import elementwise, unnamed
from spyrelang.ir import build, type_of
from spyrelang.ir.build import tensor
from spyrelang.language.graph import Exchange, Handed


def exchange(
    node: Exchange, value: ir.Value, identity: ir.Value, loc: ir.Location, ip: ir.InsertionPoint
) -> ir.Value:
    """`inter_tile_produce`, then `inter_tile_reduce` of that."""
    where, kind = unnamed(loc), tensor(node.shape, node.dtype.mlir)
    reduce = ktdp_transfers.INTER_TILE_REDUCE.build(
        future=_produce(node, value, where, ip),
        identity=[identity],
        consumer_tiles_per_group=node.consumers,
        results=[kind],
        loc=loc,
        ip=ip,
    )
    block = reduce.regions[0].blocks[0]
    sides = [block.add_argument(kind, ir.Location.name(n, where)) for n in ("lhs", "rhs")]
    inside = ir.InsertionPoint(block)
    total = elementwise(node.combiner, sides, where, inside)
    build("ktdp.yield_reduced", [total], loc=where, ip=inside)
    return reduce.results[0]


def handed(node: Handed, value: ir.Value, loc: ir.Location, ip: ir.InsertionPoint) -> ir.Value:
    """`inter_tile_produce`, then `inter_tile_consume` of that."""
    consume = ktdp_transfers.INTER_TILE_CONSUME.build(
        future=_produce(node, value, unnamed(loc), ip),
        consumer_tiles_per_group=node.consumers,
        producer_dependency_per_consumer=node.sources,
        results=[tensor(node.shape, node.dtype.mlir)],
        loc=loc,
        ip=ip,
    )
    return consume.results[0]


def _produce(
    node: Exchange | Handed, value: ir.Value, loc: ir.Location, ip: ir.InsertionPoint
) -> ir.Value:
    kind = tensor(node.shape, node.dtype.mlir)
    produce = ktdp_transfers.INTER_TILE_PRODUCE.build(
        producer_tiles_per_group=node.producers,
        results=[f"!ktdp.tile_future<({kind}), groups = {node.groups}>"],
        loc=loc,
        ip=ip,
    )
    block = produce.regions[0].blocks[0]
    block.add_argument(type_of("index"), ir.Location.name("group", loc))
    build("ktdp.yield_partial", [value], loc=loc, ip=ir.InsertionPoint(block))
    return produce.results[0]
