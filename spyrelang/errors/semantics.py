"""SPY58x: what an operation computes: unknown ops, element types and attributes that do not fit."""

from __future__ import annotations

from spyrelang.errors.core import define

UNKNOWN_OP = define(
    "SPY580",
    "operation without a meaning",
    "nothing is known about what '{op}' computes",
    cause="A value is to be computed by an operation that the semantics table does not list: a "
    "misspelt name, or an operation of another dialect.",
    example='%0 = "arith.adf"(%a, %b) : (f16, f16) -> f16',
    fix="use an operation of arith, math, spyreop or vectorchain that `semantics.names()` lists",
)

OPERAND_TYPES = define(
    "SPY582",
    "operation does not take these element types",
    "'{op}' does not compute ({ins}) -> ({outs}): {reason}",
    cause="Element types that the operation does not combine, for example an integer operation "
    "on floats or a bitcast between widths.",
    example='%0 = "arith.addi"(%a, %b) : (f16, f16) -> f16',
    fix="cast the operands, or use the operation for this kind of numbers",
)

ATTRIBUTE = define(
    "SPY583",
    "attribute of an operation missing or out of range",
    "attribute '{name}' of '{op}' {reason}",
    cause="An operation needs an attribute that is absent, of another kind, or has a value for "
    "which no meaning is defined.",
    example='vectorchain.rotate with right_shift = "left"',
    fix="give the attribute a value that the operation defines",
)

OPERAND_COUNT = define(
    "SPY584",
    "wrong number of operands",
    "'{op}' takes {want} operands and gives {results}, not {got} and {got_results}",
    cause="An operation was written with operands or results missing or left over.",
    example='%0 = "arith.addf"(%a) : (f16) -> f16',
    fix="write the operands the operation is defined with",
)

UNKNOWN_DTYPE = define(
    "SPY585",
    "unknown element type",
    "{dtype!r} is not an element type",
    cause="A dtype was given by a name or object that names no element type of this language.",
    example='spyre.spec((4, 64), "float12")',
    fix="use one of f16 bf16 f32 f64 i1 i8 i16 i32 i64 index df16, or a numpy dtype",
    also=TypeError,
)

ARRAY_DTYPE = define(
    "SPY586",
    "arrays of this dtype have no element type",
    "an array of dtype {dtype} cannot be used: {reason}",
    cause="The array's dtype is one the device has no type for (unsigned integers, complex "
    "numbers, objects, foreign byte order).",
    example="spyre.runtime.from_numpy(np.zeros((4, 64), np.complex64))",
    fix="convert it first: array.astype(np.float32)",
    also=TypeError,
)
