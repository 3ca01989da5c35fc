"""SPY590 to SPY599: what is wrong with a KTIR text before it runs."""

from __future__ import annotations

from spyrelang.errors.core import define

OVERLAP = define(
    "SPY590",
    "partitions overlap",
    "partitions {first} and {second} of the distributed view both hold coordinate {coordinate}",
    cause="The coordinate sets of the views that make up a distributed view must be disjoint; "
    "which of two partitions serves a shared coordinate is not defined.",
    example="two halves with coordinate sets 0..39 and 32..63",
    fix="make the coordinate sets disjoint",
)
UNCOVERED = define(
    "SPY591",
    "partitions leave a hole",
    "no partition of the distributed view holds coordinate {coordinate} of its {shape}",
    cause="The coordinate sets of the partitions do not cover the declared shape. Tiles that stay "
    "away from the hole work; others fail when they touch it.",
    example="two halves with coordinate sets 0..31 and 40..63",
    fix="let the coordinate sets cover the whole shape",
)
DECLARED_TYPE = define(
    "SPY592",
    "declared type lies",
    "{op}: the type {type} does not fit {what}",
    cause="The type written for a result says something else than its operands and attributes.",
    example="sizes: [96, 64] : memref<96x32xf16>",
    fix="write the type that the sizes, sets and operands give",
)
PAD_OVERLAP = define(
    "SPY593",
    "scratchpad views overlap",
    "bytes {first} to {last} of the scratchpad belong to this view and to another one",
    cause="Two views of one scratchpad lie at constant addresses and share a part of their bytes. "
    "What one stores changes what the other loads.",
    example="a view of 4096 bytes at 0 and another at 2048",
    fix="move one of the views behind the other",
)
COORDINATES = define(
    "SPY597",
    "coordinate set is not the view's box",
    "the coordinate set covers {extents} points, the view has {sizes} elements",
    cause="The coordinate set of a view that stands alone is its full box. It does not bound what "
    "tiles may touch; the sizes do.",
    example="sizes: [96, 64] with a coordinate set of 96 by 32 points",
    fix="let the set run from 0 to size - 1 in every dimension, or correct the sizes",
)
ARGUMENTS = define(
    "SPY598",
    "arguments of a kernel contradict themselves",
    "argument '{name}' of '{kernel}' {reason}",
    cause="Names of arguments tell them apart when they are bound, and a role says what the kernel "
    "may do: 'in' is only read, 'out' is written before it is read.",
    example='two arguments with spyrelang.name = "x"',
    fix="give each argument a name of its own and the role that the kernel follows",
)
