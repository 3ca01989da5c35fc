"""Computes straight-line functions with the semantics table, op by op."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from spyrelang import ir, semantics
from spyrelang.semantics import dtypes


def dtype_of(kind: Any) -> str:
    """The element type of a scalar or vector type, as the table spells it."""
    text = str(kind)
    element = text.rsplit("x", 1)[-1].rstrip(">") if text.startswith("vector") else text
    return "df16" if element == "tf32" else element.removeprefix("!spyreop.")


def evaluate(func: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """The results of a function's ops for arrays of scalars, or of vectors (last axis: lanes).

    A program unit's result is what it sends.
    """
    block = func.regions[0].blocks[0]
    return _block(block, dict(zip(block.arguments, inputs, strict=True)))


def _block(block: Any, values: dict[Any, Any]) -> list[np.ndarray]:
    for inner in block.operations:
        op = inner.operation
        if op.name == "dataflow.program_unit":
            return _block(op.regions[0].blocks[0], values)
        if op.name in ("func.return", "dataflow.send"):
            return [values[v] for v in list(op.operands)[op.name == "dataflow.send" :]]
        results = _run(op, [values[v] for v in op.operands])
        values.update(zip(op.results, results, strict=True))
    raise AssertionError("no return")


def _run(op: Any, operands: list[Any]) -> list[Any]:
    attributes = {n: _plain(op.attributes[n]) for n in op.attributes.keys()}  # noqa: SIM118
    name = op.name
    for key in ("binary_op", "compare_op"):
        if key in attributes:
            name += "." + str(op.attributes[key]).split(" ")[1].rstrip(">")
            del attributes[key]
    attributes.pop("operandSegmentSizes", None)
    if "shuffle" in name:
        attributes["variables"] = attributes["pads"] = 0
    bound = semantics.lookup(name).bind(
        attributes,
        [dtype_of(v.type) for v in op.operands],
        [dtype_of(v.type) for v in op.results],
    )
    found = bound(*operands)
    return list(found) if isinstance(found, tuple) else [found]


def _plain(attribute: Any) -> Any:
    from mlir import ir as mlir

    if isinstance(attribute, mlir.BoolAttr):
        return int(attribute.value)
    if isinstance(attribute, mlir.IntegerAttr | mlir.FloatAttr | mlir.StringAttr):
        return attribute.value
    if isinstance(attribute, mlir.ArrayAttr):
        return tuple(_plain(a) for a in attribute)
    if isinstance(attribute, mlir.AffineMapAttr):
        from spyrelang.affine import Map

        return Map.parse(str(attribute))
    text = str(attribute)
    return re.split(r"[ <]", text)[-1].rstrip(">") if text.startswith("#") else text


def function(body: str, arguments: str, result: str, name: str = "f") -> ir.Module:
    """A module with one function that returns %r."""
    return ir.parse(
        f"func.func @{name}({arguments}) -> {result} {{\n{body}\n  return %r : {result}\n}}",
        "test.mlir",
        guard=False,
    )


def array(dtype: str, values: Any) -> np.ndarray:
    """A numpy array of a table type."""
    return np.asarray(values, np.float64).astype(dtypes.get(dtype).numpy)
