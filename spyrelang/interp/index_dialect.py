"""The index dialect in terms of arith."""

from __future__ import annotations

from spyrelang.interp import text
from spyrelang.interp.registry import Op

_SAME = {
    "add": "addi",
    "sub": "subi",
    "mul": "muli",
    "divs": "divsi",
    "divu": "divui",
    "ceildivs": "ceildivsi",
    "ceildivu": "ceildivui",
    "floordivs": "floordivsi",
    "rems": "remsi",
    "remu": "remui",
    "maxs": "maxsi",
    "maxu": "maxui",
    "mins": "minsi",
    "minu": "minui",
    "and": "andi",
    "or": "ori",
    "xor": "xori",
    "shl": "shli",
    "shrs": "shrsi",
    "shru": "shrui",
    "casts": "index_cast",
    "castu": "index_castui",
    "cmp": "cmpi",
    "constant": "constant",
    "bool.constant": "constant",
    "sizeof": "constant",
}
WIDTH = 64
"""Bits of `index`."""


def arith_name(op: Op) -> str:
    """The op of arith that an op of the index dialect is; other ops keep their names."""
    name = op.name
    if not name.startswith("index."):
        return name
    found = _SAME.get(name.removeprefix("index."))
    return name if found is None else f"arith.{found}"


def arith_attributes(op: Op) -> dict[str, object]:
    """What that op needs as attributes."""
    if op.name == "index.cmp":
        return {"predicate": text.value_of(op.attributes["pred"])}
    return {}
