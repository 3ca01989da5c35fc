"""Loops with results as `linalg.reduce`, or `linalg.generic` where that cannot say them."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from spyrelang import affine
from spyrelang.frontend.emit_linalg import unnamed
from spyrelang.frontend.emit_scalars import Scalars
from spyrelang.ir import build
from spyrelang.ir.build import i32_array, i64_array
from spyrelang.language.graph import Structured


def structured(
    node: Structured, values: Sequence[ir.Value], loc: ir.Location, ip: ir.InsertionPoint
) -> Sequence[ir.Value]:
    """The results. `values` are the inputs, then the initial values."""
    types = [v.type for v in values[len(node.inputs) :]]
    name, attributes = _kind(node)
    op = build(name, values, attributes, types, regions=1, loc=loc, ip=ip)
    block, where = op.regions[0].blocks[0], unnamed(loc)
    for value in values:
        block.add_argument(ir.RankedTensorType(value.type).element_type, where)
    scalars = Scalars(list(block.arguments), where, ir.InsertionPoint(block))
    scalars.extend(node.body)
    yielded = [scalars.value(n) for n in node.yields]
    build("linalg.yield", yielded, loc=where, ip=ir.InsertionPoint(block))
    return op.results


def _kind(node: Structured) -> tuple[str, dict[str, object]]:
    if node.form and not any(n.dtype.is_df16 for n in (*node.inputs, *node.inits)):
        segments = i32_array([len(node.inputs), len(node.inits)])
        return f"linalg.{node.form}", {
            "operandSegmentSizes": segments,
            "indexing_maps": list(node.maps),
        }
    reduced = [d for d, gone in enumerate(node.reduced) if gone]
    if reduced and _is_reduction(node, reduced):
        return "linalg.reduce", {"dimensions": i64_array(reduced)}
    kinds = ["reduction" if gone else "parallel" for gone in node.reduced]
    return "linalg.generic", {
        "operandSegmentSizes": i32_array([len(node.inputs), len(node.inits)]),
        "indexing_maps": list(node.maps),
        "iterator_types": [f"#linalg.iterator_type<{kind}>" for kind in kinds],
    }


def _is_reduction(node: Structured, reduced: Sequence[int]) -> bool:
    """Whether inputs are read in order and results keep the other loops in order; the op has as
    many inputs as results."""
    loops = len(node.reduced)
    kept = tuple(affine.Dim(d) for d in range(loops) if d not in reduced)
    result = affine.Map(loops, 0, kept)
    count = len(node.inputs)
    whole = all(m == affine.Map.identity(loops) for m in node.maps[:count])
    return whole and count == len(node.inits) and all(m == result for m in node.maps[count:])
