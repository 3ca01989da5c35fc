"""SPY540 to SPY549: what the KTIR interpreter finds in values and memory beyond `errors.interp`."""

from __future__ import annotations

from spyrelang.errors.core import define

STORED_TWICE = define(
    "SPY540",
    "one store gives an element two values",
    "compute tile {tile} stores different values to element {index} of {memory} at once",
    cause="Several points of an access tile are one element of memory: an index that occurs twice, "
    "strides smaller than the rows they step over, or partitions that share memory. In which order "
    "they are stored is not defined. The same value twice is no error.",
    example="a scatter to slots 4, 9 and 4",
    fix="let every point of the tile be another element",
)
RETYPED_READ = define(
    "SPY541",
    "scratchpad read as another type",
    "compute tile {tile} reads element {index} of {memory} as {view}, which is not what was last "
    "written there",
    cause="Views of several element types share a scratchpad. Elements are never reinterpreted: "
    "what is read must have been stored as the same type.",
    example="storing f32 at the bytes of an f16 buffer that is still needed",
    fix="let the views lie apart, or store before the load",
)
UNDEFINED_RESULT = define(
    "SPY542",
    "operation without a defined result",
    "{op} of {operands} has no defined result; it is taken as {value} on compute tile {tile}",
    cause="Division by zero, the quotient that does not fit, shifts by the width or more and "
    "conversions of numbers that the integer type does not have are undefined in MLIR.",
    example="arith.divsi by a tensor that holds a zero",
    fix="select a harmless operand for such elements first, then choose the result",
)
VIEW_PAST = define(
    "SPY543",
    "view larger than its memory",
    "the view covers elements {first} to {last} of {memory}, which has {size}",
    cause="The sizes and strides of a view reach past the array it lies in. What is touched is "
    "inside so far.",
    example="a view of %n rows where n is larger than the array",
    fix="check the address, the sizes and the strides of the view against the array",
)
NOT_NEUTRAL = define(
    "SPY544",
    "identity is not neutral",
    "combined with the identity, {before} of compute tile {tile} becomes {after}",
    cause="A reduction over tiles folds their partials into its identity. An identity that is not "
    "neutral becomes a part of every result, and so does a combiner that is not commutative.",
    example="a product that starts from zeros",
    fix="use the neutral element of the combiner as identity",
)
