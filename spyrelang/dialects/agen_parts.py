"""What the agen ops share: the loaded vector's argument, sets and orders, and their rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from spyrelang.affine import Map, Set
from spyrelang.dialects.dataflow import DIRECTIONS, VECTOR
from spyrelang.errors import SpyreError
from spyrelang.ir import kinds as k
from spyrelang.ir.assembly import Dict, RegionBody
from spyrelang.ir.cursor import Cursor
from spyrelang.ir.opdef import Attr, Region
from spyrelang.ir.opref import OpRef
from spyrelang.ir.pieces import Custom, Draft

k.declare_enum("agen", {"direction": DIRECTIONS})
DIRECTION = k.enum("#agen<direction ", DIRECTIONS)

LOAD = (Attr("load_set", k.AFFINE_SET), Attr("load_order", k.AFFINE_MAP))
STORE = (Attr("store_set", k.AFFINE_SET), Attr("store_order", k.AFFINE_MAP))
TIME = (Attr("time_set", k.AFFINE_SET), Attr("time_order", k.AFFINE_MAP))

WITH_VECTOR = Region("body", args=(VECTOR,), terminator="agen.yield")
WITHOUT_VECTOR = Region("body", args=(), terminator="agen.yield")


def _read_vector(c: Cursor, d: Draft) -> None:
    name = c.value()
    c.expect(":")
    d.block_args = [(name, c.type())]


def _write_vector(d: Draft) -> str:
    args = d.bodies[0].args
    return f"{args[0][0]}:{args[0][1]}" if args else ""


LOADED = Custom(_read_vector, _write_vector)
"""`%v:vector<64xf16>`, the argument of the body."""


def entries() -> Dict:
    """The dictionary, which the text of these ops never leaves out."""
    return Dict(always=True)


def body(region: Region) -> RegionBody:
    """The body, its argument written before the dictionary."""
    return RegionBody(region, lambda d: d.block_args)


_HEADER = re.compile(r"affine_(?:set|map)<\(([^)]*)\)(?:\[([^\]]*)\])?")


@lru_cache(maxsize=4096)
def space_of(text: str) -> tuple[int, int]:
    """Dims and symbols of a map's or set's text."""
    found = _HEADER.match(text)
    if found is None:
        return 0, 0
    return tuple(len([n for n in (g or "").split(",") if n.strip()]) for g in found.groups())  # type: ignore[return-value]


@lru_cache(maxsize=4096)
def results_of(text: str) -> int:
    """The number of results of a map's text."""
    try:
        return Map.parse(text).n_results
    except SpyreError:
        return 0


def check_inputs(op: OpRef, segment: str, attribute: str) -> None:
    """A map has as many inputs as it gets operands."""
    if not op.has(attribute):
        if op.operands(segment):
            raise op.fail(f"operands of '{segment}' without '{attribute}'")
        return
    inputs, operands = sum(space_of(op.text(attribute))), len(op.operands(segment))
    if inputs != operands:
        raise op.fail(f"'{attribute}' takes {inputs} inputs but gets {operands} operands")


def check_set(op: OpRef, side: str, position: str | None) -> None:
    """The set of a side against its order and against the subscripts it is relative to."""
    dims = space_of(op.text(f"{side}_set"))[0]
    order = space_of(op.text(f"{side}_order"))[0]
    if position is not None and op.has(position) and dims < results_of(op.text(position)):
        raise op.fail(
            f"{side}_set has {dims} dims but '{position}' gives {results_of(op.text(position))}"
        )
    if dims != order:
        raise op.fail(f"{side}_set has {dims} dims, {side}_order {order}")


def check_time(op: OpRef) -> None:
    """The time set against its order and the symbols bound to it."""
    dims, symbols = space_of(op.text("time_set"))
    if dims != space_of(op.text("time_order"))[0]:
        raise op.fail(f"time_set has {dims} dims, time_order {space_of(op.text('time_order'))[0]}")
    bound = len(op.operands("time_symbols"))
    if symbols != bound:
        raise op.fail(f"time_set has {symbols} symbols but time_symbols binds {bound}")


def check_maps(op: OpRef, pairs: Sequence[tuple[str, str]]) -> None:
    """`check_inputs` for several."""
    for segment, attribute in pairs:
        check_inputs(op, segment, attribute)


@lru_cache(maxsize=4096)
def is_identity(text: str) -> bool:
    """Is the map the identity?"""
    try:
        return Map.parse(text).is_identity
    except SpyreError:
        return False


def is_set(text: str) -> bool:
    """Is the text an integer set?"""
    try:
        Set.parse(text)
    except SpyreError:
        return False
    return True
