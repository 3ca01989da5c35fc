"""ktdp, second part: what compute tiles send each other (produce, consume, reduce)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from spyrelang.affine import Set
from spyrelang.dialects.ktdp import FUTURE, TENSOR
from spyrelang.dialects.shapes import block_types, operand_types, parent_name, types_yielded
from spyrelang.errors import SpyreError
from spyrelang.ir import kinds as k
from spyrelang.ir import scan
from spyrelang.ir.assembly import RegionBody
from spyrelang.ir.opdef import Attr, OpDef, Region, many, one, opt, result
from spyrelang.ir.opref import OpRef

MOST_TILES = 256
"""Groups, and tiles of a group, that are looked at; no device has as many tiles."""
_GROUPS = re.compile(r"\)\s*,\s*groups\s*=\s*(?P<set>affine_set<.*)>$", re.DOTALL)


def partial_types(future: str) -> list[str]:
    """The tensor types of a tile future's text, one for each role."""
    start = future.index("(")
    return scan.split_list(future[start + 1 : scan.closing(future, start) - 1])


def groups_of(future: str) -> Set:
    """The set of group ids of a tile future's text."""
    found = _GROUPS.search(future)
    if found is None:
        raise ValueError(future)
    return Set.parse(found["set"])


def _tile_set(op: OpRef, name: str, symbols: tuple[int, ...]) -> Set:
    found = Set.parse(op.text(name))
    if found.n_dims != 1 or found.n_syms not in symbols:
        wanted = " or ".join(map(str, symbols))
        raise op.fail(f"{name} must have one dim and {wanted} symbols")
    return found


def _same(op: OpRef, what: str, found: list[str], expected: list[str]) -> None:
    if found != expected:
        raise op.fail(f"{what}: ({', '.join(found)}) instead of ({', '.join(expected)})")


def _disjoint(op: OpRef, groups: Set, producers: Set) -> None:
    """No tile produces for two groups, as far as the sets can be enumerated."""
    try:
        pairs = list(_produced(groups, producers))
    except SpyreError:
        return  # an open set: nothing is known
    owner = {tile: group for group, tile in pairs}
    if any(owner[tile] != group for group, tile in pairs):
        raise op.fail("a tile produces for two groups")


def _produced(groups: Set, producers: Set) -> Iterator[tuple[int, int]]:
    """Each group with each tile that produces for it, the first of them."""
    for (group,) in islice(groups.points(), MOST_TILES):
        tiles = islice(producers.points((group,)), MOST_TILES)
        yield from ((group, tile) for (tile,) in tiles)


def _produce_rules(op: OpRef) -> None:
    future = op.result_types()[0]
    producers = _tile_set(op, "producer_tiles_per_group", (1,))
    _same(op, "yields", types_yielded(op), partial_types(future))
    _disjoint(op, groups_of(future), producers)


INTER_TILE_PRODUCE = OpDef(
    "ktdp.inter_tile_produce",
    attributes=[Attr("producer_tiles_per_group", k.AFFINE_SET)],
    results=[result("result", FUTURE)],
    regions=[Region("body", args=(k.INDEX,), terminator="ktdp.yield_partial")],
    assembly=" producer_tiles_per_group = $producer_tiles_per_group$dict"
    " -> $result:short(!ktdp.tile_future) $labelled",
    custom={"labelled": RegionBody(Region("body", args=(k.INDEX,)), labels=True)},
    verify=_produce_rules,
)


def _consumer_rules(op: OpRef) -> list[str]:
    """What consume and reduce share; gives the partial types."""
    partials = partial_types(op.types("future")[0])
    _same(op, "results", op.result_types(), partials)
    _tile_set(op, "consumer_tiles_per_group", (1,))
    if op.has("producer_dependency_per_consumer"):
        _tile_set(op, "producer_dependency_per_consumer", (1, 2))
    return partials


def _consume_rules(op: OpRef) -> None:
    _consumer_rules(op)


_CONSUMER = [
    Attr("consumer_tiles_per_group", k.AFFINE_SET),
    opt("producer_dependency_per_consumer", k.AFFINE_SET),
]
_CLAUSES = (
    "($future) consumer_tiles_per_group = $consumer_tiles_per_group"
    "{?, producer_dependency_per_consumer = $producer_dependency_per_consumer?}"
)

INTER_TILE_CONSUME = OpDef(
    "ktdp.inter_tile_consume",
    operands=[one("future", FUTURE)],
    attributes=_CONSUMER,
    results=[result("results", TENSOR, "many")],
    assembly=f"{_CLAUSES}$dict : $future:short(!ktdp.tile_future) -> $results:type",
    verify=_consume_rules,
)


def _reduce_rules(op: OpRef) -> None:
    partials = _consumer_rules(op)
    _same(op, "identity", op.types("identity"), partials)
    _same(op, "block arguments", block_types(op), partials * 2)
    _same(op, "yields", types_yielded(op), partials)


INTER_TILE_REDUCE = OpDef(
    "ktdp.inter_tile_reduce",
    operands=[one("future", FUTURE), many("identity", TENSOR)],
    attributes=_CONSUMER,
    results=[result("results", TENSOR, "many")],
    regions=[Region("body", args=None, terminator="ktdp.yield_reduced")],
    assembly=f"{_CLAUSES}, identity($identity : $identity:type)$dict"
    " : $future:short(!ktdp.tile_future) -> $results:type $labelled",
    custom={"labelled": RegionBody(Region("body", args=None), labels=True)},
    verify=_reduce_rules,
)


def _yield_rules(op: OpRef) -> None:
    parent = (
        "ktdp.inter_tile_produce" if op.op.name.endswith("partial") else "ktdp.inter_tile_reduce"
    )
    if parent_name(op) != parent:
        raise op.fail(f"stands only in a {parent}")
    if not operand_types(op):
        raise op.fail("yields at least one tensor")


YIELD_PARTIAL = OpDef(
    "ktdp.yield_partial",
    operands=[many("values", TENSOR)],
    assembly=" $values : $values:type$dict",
    terminator=True,
    verify=_yield_rules,
)
YIELD_REDUCED = OpDef(
    "ktdp.yield_reduced",
    operands=[many("values", TENSOR)],
    assembly=" $values : $values:type$dict",
    terminator=True,
    verify=_yield_rules,
)
