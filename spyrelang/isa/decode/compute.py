"""vectorchain ops, and whatever else the semantics table computes on vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlir import ir

from spyrelang import semantics
from spyrelang.errors import SpyreError
from spyrelang.isa import program as p
from spyrelang.isa.decode import text
from spyrelang.isa.decode.values import Scalar, VectorValue
from spyrelang.semantics import dtypes

if TYPE_CHECKING:
    from spyrelang.isa.decode.unit import UnitDecoder

_KEYED = {
    "vectorchain.binary": "binary_op",
    "vectorchain.element_wise_compare": "compare_op",
    "vectorchain.scan_with_gap": "reduction_op",
}
"""Ops whose entry in the table depends on an attribute."""

_NEEDS_LANES = (
    "select", "merge", "create_affine_mask", "multiply", "multiply_and_accumulate",
)  # fmt: skip
_NOT_ATTRIBUTES = ("dbgName", "operandSegmentSizes", "is_symbol", "note", *_KEYED.values())


def decode(unit: UnitDecoder, op: ir.Operation) -> bool:
    """Decode an op with one vector result; False for other ops."""
    if len(op.results) != 1 or text.vector(op.results[0].type) is None:
        return False
    key = _key(op)
    if not semantics.known(key):
        return False
    _refuse_odd(unit, op)
    operands = [_operand(unit, v, op) for v in op.operands]
    result = unit.new_vector(op.results[0], op)
    attrs = _attributes(op, result)
    _check(unit, op, key, attrs, operands, result)
    unit.code.append(
        p.Compute(
            unit.places.number(op),
            result.reg,
            key,
            tuple(o.reg for o in operands),
            result.dtype,
            result.lanes,
            tuple(sorted(attrs.items())),
        )
    )
    return True


def element_bytes(unit: UnitDecoder, op: ir.Operation, dtype: str) -> int:
    """Bytes of an element in memory; refuses types that nothing computes with."""
    try:
        found = dtypes.get(dtype)
        _ = found.numpy
    except SpyreError as error:
        raise _placed(error, unit, op) from None
    return found.bytes


def _key(op: ir.Operation) -> str:
    selector = _KEYED.get(op.name)
    return f"{op.name}.{text.attribute(op, selector)}" if selector else op.name


def _refuse_odd(unit: UnitDecoder, op: ir.Operation) -> None:
    if text.integer(op, "is_symbol", 0):
        raise unit.refuse(op, "constants given by symbols are not supported")


def _operand(unit: UnitDecoder, value: ir.Value, op: ir.Operation) -> VectorValue | Scalar:
    if text.vector(value.type) is not None:
        return unit.vector(value, op)
    if isinstance(value.type, ir.IndexType | ir.IntegerType):
        return unit.scalar(value, op)
    raise unit.refuse(op, f"operands of type {value.type} are not supported")


def _attributes(op: ir.Operation, result: VectorValue) -> dict[str, object]:
    attrs: dict[str, object] = {
        name: text.value_of(op.attributes[name])
        for name in op.attributes.keys()  # noqa: SIM118 (iterating gives NamedAttributes)
        if name not in _NOT_ATTRIBUTES
    }
    if op.name.partition(".")[2] in _NEEDS_LANES:
        attrs["lanes"] = result.lanes
    if op.name == "vectorchain.shuffle":
        _, variables, pads, _ = text.segments(op, 4)
        attrs["variables"], attrs["pads"] = len(variables), len(pads)
    return attrs


def _check(
    unit: UnitDecoder,
    op: ir.Operation,
    key: str,
    attrs: dict[str, object],
    operands: list[VectorValue | Scalar],
    result: VectorValue,
) -> None:
    """Bind the op once, so that what the table refuses is reported at its place."""
    ins = [o.dtype if isinstance(o, VectorValue) else "index" for o in operands]
    try:
        semantics.lookup(key).bind(attrs, ins, (result.dtype,))
    except SpyreError as error:
        raise _placed(error, unit, op) from None


def _placed(error: SpyreError, unit: UnitDecoder, op: ir.Operation) -> SpyreError:
    if error.location is None:
        error.location = unit.places.place(op)
    return error
