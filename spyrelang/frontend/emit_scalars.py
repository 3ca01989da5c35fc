"""The scalar ops of bodies, and the arithmetic of DLFloat16.

MLIR takes `!spyreop.df16` for no float: arith and math refuse it, and it has no literals. So such
an op is computed in f32, which holds every number of df16, between casts: each result is rounded to
df16 at once, and a sum, difference, product or quotient comes out as if it were rounded only once.
The device's own ops and `arith.select` take df16 as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir

from spyrelang.ir import attribute, build, type_of
from spyrelang.language.graph import BodyOp
from spyrelang.language.scalars import Number
from spyrelang.semantics import df16
from spyrelang.semantics.dtypes import DType, get

_F32, _F64, _DF16 = get("f32"), get("f64"), get("df16")
_CAST = "builtin.unrealized_conversion_cast"
_CASTS = ("arith.extf", "arith.truncf")
_FROM_INTEGERS = ("arith.sitofp", "arith.uitofp")
_AS_IT_IS = ("arith.select", _CAST)


def constant(value: Number, dtype: DType) -> ir.Attribute:
    """The attribute of a number that is known to fit its type; floats are rounded once. A number of
    df16 is given in f32."""
    if dtype.is_df16:
        exact = df16.decode(df16.literals(np.asarray(float(value))))
        return ir.FloatAttr.get(type_of("f32"), float(exact))
    if dtype.is_float:
        return ir.FloatAttr.get(type_of(dtype.mlir), float(value))
    return ir.IntegerAttr.get(type_of(dtype.mlir), int(value))


def literal(value: Number, dtype: DType, loc: ir.Location, ip: ir.InsertionPoint) -> ir.Value:
    """A number as an SSA value of its type."""
    kind = _F32 if dtype.is_df16 else dtype
    made = _one("arith.constant", [], kind, {"value": constant(value, dtype)}, loc, ip)
    return _one(_CAST, [made], dtype, {}, loc, ip) if dtype.is_df16 else made


def _one(
    name: str,
    operands: Sequence[ir.Value],
    dtype: DType,
    attributes: dict[str, ir.Attribute],
    loc: ir.Location,
    ip: ir.InsertionPoint,
) -> ir.Value:
    return build(name, operands, attributes, [dtype.mlir], loc=loc, ip=ip).results[0]


class Scalars:
    """The numbered values of a body under construction, which starts with its arguments."""

    def __init__(
        self, arguments: Sequence[ir.Value], loc: ir.Location, ip: ir.InsertionPoint
    ) -> None:
        self._loc, self._ip = loc, ip
        self._values: list[ir.Value | None] = list(arguments)
        self._wide: dict[int, ir.Value] = {}  # numbers of df16 in f32

    def extend(self, body: Sequence[BodyOp]) -> None:
        """Append ops."""
        for op in body:
            self._append(op)

    def value(self, number: int) -> ir.Value:
        """A value in its own type (the last one: -1)."""
        number %= len(self._values)
        found = self._values[number]
        if found is None:  # a constant of df16 that so far was only computed with
            found = self._values[number] = self._make(_CAST, [self._wide[number]], _DF16)
        return found

    def _append(self, op: BodyOp) -> None:
        attributes = {name: attribute(text) for name, text in op.attributes}
        if op.value is not None:
            attributes["value"] = constant(op.value, op.dtype)
            if op.dtype.is_df16:
                self._wide[len(self._values)] = self._make(op.name, [], _F32, attributes)
                self._values.append(None)
                return
        if self._computed(op):
            self._values.append(self._between_casts(op, attributes))
            return
        operands = [self.value(n) for n in op.operands]
        types = [op.dtype.mlir] * op.results
        made = build(op.name, operands, attributes, types, loc=self._loc, ip=self._ip)
        self._values += list(made.results)

    def _computed(self, op: BodyOp) -> bool:
        """Whether an op that knows no df16 has some to do with."""
        if op.name in _AS_IT_IS or op.name.startswith("spyreop."):
            return False
        return op.dtype.is_df16 or any(self._is_df16(n) for n in op.operands)

    def _is_df16(self, number: int) -> bool:
        value = self._values[number]
        return value is None or str(value.type) == _DF16.mlir

    def _between_casts(self, op: BodyOp, attributes: dict[str, ir.Attribute]) -> ir.Value:
        if op.name in _CASTS:
            return self._make(_CAST, [self.value(op.operands[0])], op.dtype)
        operands = [self._widened(n) for n in op.operands]
        if op.name == "math.fma":  # a product and a sum of f32 would be rounded before df16 is
            operands = [self._make("arith.extf", [v], _F64) for v in operands]
        wide = self._wide_type(op) if op.dtype.is_df16 else op.dtype
        found = self._make(op.name, operands, wide, attributes)
        return self._make(_CAST, [found], _DF16) if op.dtype.is_df16 else found

    @staticmethod
    def _wide_type(op: BodyOp) -> DType:
        """f64 for what f32 would round."""
        return _F64 if op.name in (*_FROM_INTEGERS, "math.fma") else _F32

    def _widened(self, number: int) -> ir.Value:
        if not self._is_df16(number):
            return self.value(number)
        if number not in self._wide:
            self._wide[number] = self._make(_CAST, [self.value(number)], _F32)
        return self._wide[number]

    def _make(
        self,
        name: str,
        operands: Sequence[ir.Value],
        dtype: DType,
        attributes: dict[str, ir.Attribute] | None = None,
    ) -> ir.Value:
        return _one(name, operands, dtype, attributes or {}, self._loc, self._ip)
