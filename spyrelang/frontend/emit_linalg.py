"""Element-wise nodes as `linalg` ops on fresh destinations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mlir import ir

from spyrelang import affine
from spyrelang.frontend.emit_scalars import Scalars, literal
from spyrelang.ir import build
from spyrelang.ir.build import i32_array, tensor
from spyrelang.language.graph import Access, Fill, Map
from spyrelang.semantics.dtypes import DType

_NAMED = {
    "arith.addf": "add",
    "arith.addi": "add",
    "arith.subf": "sub",
    "arith.subi": "sub",
    "arith.mulf": "mul",
    "arith.muli": "mul",
    "arith.divf": "div",
    "arith.maximumf": "max",
    "arith.maxsi": "max",
    "arith.minimumf": "min",
    "arith.minsi": "min",
    "arith.negf": "negf",
    "math.absf": "abs",
    "math.exp": "exp",
    "math.log": "log",
    "math.sqrt": "sqrt",
    "math.rsqrt": "rsqrt",
    "math.tanh": "tanh",
    "math.erf": "erf",
}
"""The named op of upstream's linalg whose body is just this op."""


def elementwise(
    node: Map, inputs: Sequence[ir.Value], loc: ir.Location, ip: ir.InsertionPoint
) -> ir.Value:
    """A named op where upstream has one for exactly this, else `linalg.generic`."""
    destination = empty(node.shape, node.dtype, loc, ip)
    name = _named(node)
    if name is not None:
        inputs = [inputs[i] for i in node.body[0].operands]
    op = _structured(name or "generic", node, inputs, destination, loc, ip)
    block, where = op.regions[0].blocks[0], unnamed(loc)
    for value in (*inputs, destination):
        block.add_argument(ir.RankedTensorType(value.type).element_type, where)
    body = node.body
    if name is not None:  # the block arguments are the operands in order
        body = (replace(body[0], operands=tuple(range(len(inputs)))),)
    arguments: list[ir.Value] = [block.arguments[i] for i in range(len(inputs))]
    scalars = Scalars(arguments, where, ir.InsertionPoint(block))
    scalars.extend(body)
    result = scalars.value(-1 if body else 0)
    build("linalg.yield", [result], loc=where, ip=ir.InsertionPoint(block))
    return op.results[0]


def _named(node: Map) -> str | None:
    single = len(node.body) == 1 and len({*node.body[0].operands}) == len(node.inputs)
    plain = not any(n.dtype.is_df16 for n in (node, *node.inputs))
    return _NAMED.get(node.body[0].name) if single and plain and node.aligned else None


def empty(shape: Sequence[int], dtype: DType, loc: ir.Location, ip: ir.InsertionPoint) -> ir.Value:
    """A destination; its elements are never read. It does not take the result's name."""
    types = [tensor(shape, dtype.mlir)]
    return build("tensor.empty", [], {}, types, loc=unnamed(loc), ip=ip).results[0]


def unnamed(loc: ir.Location) -> ir.Location:
    """A location without the variable's name, which belongs to the result alone."""
    return loc.child_loc if loc.is_a_name() else loc


def _structured(
    name: str,
    node: Map | Fill,
    inputs: Sequence[ir.Value],
    destination: ir.Value,
    loc: ir.Location,
    ip: ir.InsertionPoint,
) -> ir.Operation:
    attributes: dict[str, object] = {
        "operandSegmentSizes": i32_array([len(inputs), 1]),
    }
    if isinstance(node, Map) and name == "generic":
        attributes["indexing_maps"] = [_map(node, a) for a in node.accesses]
        attributes["indexing_maps"].append(affine.Map.identity(len(node.shape)))  # type: ignore[attr-defined]
        attributes["iterator_types"] = ["#linalg.iterator_type<parallel>"] * len(node.shape)
    return build(
        f"linalg.{name}", [*inputs, destination], attributes, [destination.type], 1, loc, ip
    )


def _map(node: Map, access: Access) -> affine.Map:
    results = (affine.Const(0) if d is None else affine.Dim(d) for d in access.dims)
    return affine.Map(len(node.shape), 0, tuple(results))


def fill(node: Fill, loc: ir.Location, ip: ir.InsertionPoint) -> ir.Value:
    """`linalg.fill` of a fresh destination."""
    where = unnamed(loc)
    number = literal(node.value, node.dtype, where, ip)
    destination = empty(node.shape, node.dtype, loc, ip)
    op = _structured("fill", node, [number], destination, loc, ip)
    block = op.regions[0].blocks[0]
    block.add_argument(number.type, where)
    block.add_argument(number.type, where)
    build("linalg.yield", [block.arguments[0]], loc=where, ip=ir.InsertionPoint(block))
    return op.results[0]
