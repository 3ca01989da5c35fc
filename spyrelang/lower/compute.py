"""The compute unit's part: one vector op for each scalar op of the body.

What `vectorchain` says for every device is mapped here. Anything else is left as an op on vectors
for the device's `post_lowering` patterns; what they leave too is refused by name afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from spyrelang.ir.emit import Emitter
from spyrelang.ir.index import Value
from spyrelang.lower.context import UnitContext
from spyrelang.schedule.model import Body, ScalarOp
from spyrelang.semantics import dtypes

# arith ops that are one `vectorchain.binary`, on floats and on integers alike.
_BINARY = {
    "arith.addf": "add", "arith.addi": "add",
    "arith.subf": "sub", "arith.subi": "sub",
    "arith.mulf": "mul", "arith.muli": "mul",
    "arith.maximumf": "max", "arith.maxsi": "max",
    "arith.minimumf": "min", "arith.minsi": "min",
    "arith.andi": "and0", "arith.ori": "or0",
    "spyreop.addi32toi32": "add", "spyreop.addi64toi64": "add", "spyreop.muli32toi32": "mul",
}  # fmt: skip

_CAST = {
    "arith.extf", "arith.truncf", "arith.extsi", "arith.extui", "arith.trunci",
    "arith.sitofp", "arith.uitofp", "arith.fptosi", "arith.fptoui",
}  # fmt: skip

# A comparison as (vector predicate, negated). Vector compares are ordered: false where an operand
# is NaN, so the unordered predicates are negations of ordered ones.
_COMPARE_FLOAT: dict[str, tuple[str, bool]] = {
    "oeq": ("eq", False), "one": ("neq", False), "olt": ("lt", False), "ole": ("le", False),
    "ogt": ("gt", False), "oge": ("ge", False), "une": ("eq", True), "ueq": ("neq", True),
    "uge": ("lt", True), "ugt": ("le", True), "ule": ("gt", True), "ult": ("ge", True),
}  # fmt: skip
_COMPARE_INTEGER: dict[str, tuple[str, bool]] = {
    "eq": ("eq", False), "ne": ("neq", False), "slt": ("lt", False), "sle": ("le", False),
    "sgt": ("gt", False), "sge": ("ge", False),
}  # fmt: skip
_CMPF = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)
_CMPI = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


class ComputeWriter:
    """Writes a body as vector ops of `lanes` lanes. Constants go to the unit's top."""

    def __init__(self, context: UnitContext, lanes: int) -> None:
        self._context = context
        self._lanes = lanes
        self._constants: dict[tuple[str, str], Value] = {}

    def hoist(self, body: Body) -> None:
        """Make the body's constants, once, before the loops."""
        for op in body.ops:
            if op.name in ("arith.constant", "spyreop.constant"):
                self._constant(self._context.top, op)

    def write(self, emitter: Emitter, body: Body, inputs: Sequence[Value]) -> tuple[Value, ...]:
        """The result vectors for the input vectors of one point."""
        values = list(inputs)
        for op in body.ops:
            values.append(self._op(emitter.located(op.location), op, values))
        return tuple(values[number] for number in body.results)

    def _op(self, emitter: Emitter, op: ScalarOp, values: Sequence[Value]) -> Value:
        operands = [values[number] for number in op.operands]
        result = f"vector<{self._lanes}x{op.dtype}>"
        if op.name in ("arith.constant", "spyreop.constant"):
            return self._constant(emitter, op)
        if op.name in _BINARY:
            return emitter.value("vectorchain.binary", operands, _binary(_BINARY[op.name]), result)
        if op.name in _CAST:
            return emitter.value("vectorchain.cast", operands, None, result)
        if op.name == "arith.negf":
            return emitter.value("vectorchain.neg", operands, None, result)
        if op.name == "arith.select":
            return emitter.value("vectorchain.element_wise_selection", operands, None, result)
        if op.name == "arith.xori":
            return self._not(emitter, self._binary(emitter, "xnor", operands, result), op.dtype)
        if op.name in ("arith.cmpf", "arith.cmpi"):
            written = self._compare(emitter, op, operands, result)
            if written is not None:
                return written
        return emitter.value(op.name, operands, dict(op.attrs), result)

    def _binary(
        self, emitter: Emitter, operator: str, operands: Sequence[Value], result: str
    ) -> Value:
        return emitter.value("vectorchain.binary", operands, _binary(operator), result)

    def _not(self, emitter: Emitter, value: Value, dtype: str) -> Value:
        """All bits flipped: equal to zero, bit by bit."""
        zero = self._splat(self._context.top, "0", 0, dtype)
        result = f"vector<{self._lanes}x{dtype}>"
        return self._binary(emitter, "xnor", [value, zero], result)

    def _compare(
        self, emitter: Emitter, op: ScalarOp, operands: Sequence[Value], result: str
    ) -> Value | None:
        """A comparison in vector form; None when there is none for the predicate."""
        number = int(dict(op.attrs)["predicate"].split()[0])
        is_float = op.name == "arith.cmpf"
        name = (_CMPF if is_float else _CMPI)[number]
        if name in ("ord", "uno"):
            return self._ordered(emitter, operands, result, negated=name == "uno")
        known = (_COMPARE_FLOAT if is_float else _COMPARE_INTEGER).get(name)
        if known is None:
            return None
        predicate, negated = known
        value = self._element_compare(emitter, predicate, operands, result)
        return self._not(emitter, value, "i1") if negated else value

    def _element_compare(
        self, emitter: Emitter, predicate: str, operands: Sequence[Value], result: str
    ) -> Value:
        text = f"#vectorchain<element_wise_compare_operator compare_{predicate}>"
        name = "vectorchain.element_wise_compare"
        return emitter.value(name, operands, {"compare_op": text}, result)

    def _ordered(
        self, emitter: Emitter, operands: Sequence[Value], result: str, *, negated: bool
    ) -> Value:
        """Neither operand is NaN: each equals itself."""
        same = [self._element_compare(emitter, "eq", [v, v], result) for v in operands]
        both = self._binary(emitter, "and0", same, result)
        return self._not(emitter, both, "i1") if negated else both

    def _constant(self, emitter: Emitter, op: ScalarOp) -> Value:
        text = dict(op.attrs)["value"]
        return self._splat(emitter, text, constant_bits(text), op.dtype)

    def _splat(self, emitter: Emitter, text: str, bits: int, dtype: str) -> Value:
        key = (text, dtype)
        if key not in self._constants:
            one = emitter.value(
                "vectorchain.constant_bitstream",
                attributes={"value": f"[{bits}]"},
                result=f"vector<1x{dtype}>",
            )
            self._constants[key] = splat(emitter, one, dtype, self._lanes)
        return self._constants[key]


def splat(emitter: Emitter, one: Value, dtype: str, lanes: int) -> Value:
    """A vector whose lanes all hold the element of a one-lane vector."""
    if lanes == 1:
        return one
    attributes = {
        "indices": "[0 : i32]",
        "repetition": f"{lanes} : i32",
        "operandSegmentSizes": "array<i32: 1, 0, 0, 0>",
    }
    return emitter.value("vectorchain.shuffle", [one], attributes, f"vector<{lanes}x{dtype}>")


def _binary(operator: str) -> dict[str, str]:
    return {
        "binary_op": f"#vectorchain<binary_operator {operator}>",
        "op_specific_map": "affine_map<(d0) -> (d0)>",
    }


def constant_bits(text: str) -> int:
    """The bit pattern, as an unsigned number, of a scalar attribute such as `1.0 : f16`."""
    attribute: Any = ir.Attribute.parse(text)
    kind: Any = attribute.type
    if isinstance(kind, ir.FloatType):
        array = dtypes.get(str(kind)).numpy.type(attribute.value)
        return int.from_bytes(array.tobytes(), "little")
    value = int(attribute.value)
    width = 64 if isinstance(kind, ir.IndexType) else kind.width
    return value & ((1 << width) - 1)
