"""Affine maps and sets: SPY110 to SPY112."""

from __future__ import annotations

from spyrelang.errors.core import define

AFFINE_TEXT = define(
    "SPY110",
    "malformed affine text",
    "malformed affine text '{text}': {what}",
    cause="The text of an affine map, set or expression does not follow MLIR's grammar.",
    example='!ktdf.fifo.slot<affine_map<(d0) -> (d1)> -> "B", 64xf16>   // d1 is not declared',
    fix="write it as MLIR does, e.g. affine_map<(d0)[s0] -> (d0 + s0)> or "
    "affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>",
)

AFFINE_NOT_AFFINE = define(
    "SPY111",
    "expression is not affine",
    "{expr} is not affine: {what}",
    cause="A product of two dims, or a division by a dim, by zero or (mod) by a negative number.",
    example="%i = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%c1)[%zero]",
    fix="make one factor, and every divisor, a constant or a symbol; divisors are not zero",
    also=ValueError,
)

AFFINE_UNBOUNDED = define(
    "SPY112",
    "affine set without end",
    "{set} has no end along {dim}",
    cause="The points of a set were asked for, but the constraints leave one of its dims open.",
    example="access_tile_set = affine_set<(d0) : (d0 >= 0)>",
    fix="bound every dim from both sides: d0 >= 0, -d0 + 63 >= 0",
    also=ValueError,
)
