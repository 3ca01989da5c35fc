"""Functions that PDL patterns may call.

| name | kind | arguments -> result |
|---|---|---|
| ktdf_arch.mapped_to | constraint | op -> attribute: where it is placed; fails when nowhere |
| ktdf_arch.has_feature | constraint | op, name (, required) -> attribute: the feature's value |
| ktdf_arch.map_to | rewrite | op, attribute: sets the placement |
| ktdf_arch.set_feature | rewrite | op, name, attribute: sets one feature |
| spyrelang.is_narrow | constraint | type: f16 or bf16 |
| spyrelang.is_vector | constraint | type: a vector |
| spyrelang.splat | rewrite | attribute, value -> value: a constant of the value's type |
| spyrelang.mask_type | rewrite | type -> type: i1 in the shape of the type |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mlir import ir

from spyrelang.dialects.ktdf_arch.attributes import Broken
from spyrelang.dialects.ktdf_arch.matching import satisfies
from spyrelang.ir.opref import attr_text
from spyrelang.semantics import dtypes, lookup

MAPS_TO = "ktdf_arch.maps_to"
FEATURES = "ktdf_arch.features"

Call = Callable[[Any, Any, list[Any]], Any]
"""(rewriter, results, values) -> truthy when a constraint does not hold."""


@dataclass(frozen=True)
class Native:
    """A function under its name; `inputs` are the legal lists of PDL types, `output` the result
    (None: none), as they stand in the pattern's text."""

    name: str
    is_constraint: bool
    inputs: tuple[str, ...]
    output: str | None
    call: Call


class Misused(Exception):
    """A native function that was called with something it does not take."""

    def __init__(self, function: str, why: str) -> None:
        super().__init__(why)
        self.function = function
        self.why = why


def _mapped_to(rewriter: Any, results: Any, values: list[Any]) -> bool:
    op = values[0].operation
    if MAPS_TO not in op.attributes:
        return True
    results.append(op.attributes[MAPS_TO])
    return False


def _features(op: Any) -> dict[str, Any]:
    if FEATURES not in op.attributes or not isinstance(op.attributes[FEATURES], ir.DictAttr):
        return {}
    return {named.name: named.attr for named in op.attributes[FEATURES]}


def _name(function: str, attribute: Any) -> str:
    if not isinstance(attribute, ir.StringAttr):
        raise Misused(function, f"the name must be a string, not {attribute}")
    return attribute.value


def _has_feature(rewriter: Any, results: Any, values: list[Any]) -> bool:
    name = _name("ktdf_arch.has_feature", values[1])
    found = _features(values[0].operation).get(name)
    if found is None:
        return True
    try:
        if len(values) > 2 and not satisfies(name, attr_text(values[2]), attr_text(found)):
            return True
    except Broken:
        return True
    results.append(found)
    return False


def _map_to(rewriter: Any, results: Any, values: list[Any]) -> None:
    values[0].operation.attributes[MAPS_TO] = values[1]


def _set_feature(rewriter: Any, results: Any, values: list[Any]) -> None:
    op = values[0].operation
    features = {**_features(op), _name("ktdf_arch.set_feature", values[1]): values[2]}
    op.attributes[FEATURES] = ir.DictAttr.get(features)


def _is_narrow(rewriter: Any, results: Any, values: list[Any]) -> bool:
    return str(values[0]) not in ("f16", "bf16")


def _is_vector(rewriter: Any, results: Any, values: list[Any]) -> bool:
    return not isinstance(values[0], ir.VectorType)


def _mask_type(rewriter: Any, results: Any, values: list[Any]) -> None:
    i1 = ir.IntegerType.get_signless(1)
    kind = values[0]
    results.append(ir.VectorType.get(kind.shape, i1) if isinstance(kind, ir.VectorType) else i1)


def _splat(rewriter: Any, results: Any, values: list[Any]) -> None:
    """A scalar constant, or what DataflowIR has for a vector of one constant."""
    attribute, kind = values[0], values[1].type
    element = kind.element_type if isinstance(kind, ir.VectorType) else kind
    number = _number(attribute)
    where = values[1].owner
    loc = where.operation.location if not isinstance(where, ir.Block) else ir.Location.unknown()
    with rewriter.ip, loc:
        if isinstance(kind, ir.VectorType):
            results.append(_vector(number, element, kind))
        else:
            results.append(_scalar(number, element))


def _number(attribute: Any) -> float | int:
    if isinstance(attribute, ir.FloatAttr | ir.IntegerAttr):
        return attribute.value
    raise Misused("spyrelang.splat", f"{attribute} is not a number")


def _scalar(number: float | int, kind: Any) -> Any:
    is_float = isinstance(kind, ir.FloatType)
    value = (
        ir.FloatAttr.get(kind, float(number)) if is_float else ir.IntegerAttr.get(kind, int(number))
    )
    op = ir.Operation.create("arith.constant", results=[kind], attributes={"value": value})
    return op.results[0]


def _vector(number: float | int, element: Any, kind: Any) -> Any:
    # MLIR spells our 16-bit float, which it does not know, as tf32.
    name = str(element)
    dtype = dtypes.get("df16" if name == "tf32" else name)
    value = lookup("arith.constant").bind({"value": number}, [], [dtype.name])()
    bits = int(dtypes.to_bits(value.reshape(1))[0])
    one = ir.Operation.create(
        "vectorchain.constant_bitstream",
        results=[ir.VectorType.get([1], element)],
        attributes={"value": ir.ArrayAttr.get([_i64(bits)])},
    )
    lanes = kind.shape[0]
    spread = ir.Operation.create(
        "vectorchain.shuffle",
        results=[kind],
        operands=[one.results[0]],
        attributes={
            "indices": ir.ArrayAttr.get([_i32(0)]),
            "repetition": _i32(lanes),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0, 0]),
        },
    )
    return spread.results[0]


def _i32(value: int) -> Any:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value)


def _i64(value: int) -> Any:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


_OP, _ATTR, _TYPE, _VALUE = "!pdl.operation", "!pdl.attribute", "!pdl.type", "!pdl.value"

NATIVES = {
    native.name: native
    for native in (
        Native("ktdf_arch.mapped_to", True, (_OP,), _ATTR, _mapped_to),
        Native(
            "ktdf_arch.has_feature",
            True,
            (f"{_OP}, {_ATTR}", f"{_OP}, {_ATTR}, {_ATTR}"),
            _ATTR,
            _has_feature,
        ),
        Native("ktdf_arch.map_to", False, (f"{_OP}, {_ATTR}",), None, _map_to),
        Native("ktdf_arch.set_feature", False, (f"{_OP}, {_ATTR}, {_ATTR}",), None, _set_feature),
        Native("spyrelang.is_narrow", True, (_TYPE,), None, _is_narrow),
        Native("spyrelang.is_vector", True, (_TYPE,), None, _is_vector),
        Native("spyrelang.splat", False, (f"{_ATTR}, {_VALUE}",), _VALUE, _splat),
        Native("spyrelang.mask_type", False, (_TYPE,), _TYPE, _mask_type),
    )
}
"""All functions, by name."""
