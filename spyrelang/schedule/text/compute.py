"""A program's body as `linalg.generic` on tensors."""

from __future__ import annotations

from collections.abc import Sequence

from spyrelang.affine import Expr
from spyrelang.ir.emit import Emitter, map_text
from spyrelang.ir.index import Value
from spyrelang.schedule.model import Body, Program


def generic(
    emitter: Emitter,
    program: Program,
    inputs: Sequence[tuple[Value, Sequence[Expr]]],
    outputs: Sequence[tuple[str, Sequence[Expr]]],
) -> tuple[Value, ...]:
    """One `linalg.generic` of the whole body.

    `inputs` are (tensor, indexing map results), `outputs` (tensor type, indexing map results); the
    destinations are fresh `tensor.empty`.
    """
    rank = len(program.dims)
    destinations = [emitter.value("tensor.empty", (), None, kind) for kind, _ in outputs]
    maps = [map_text(rank, exprs) for _, exprs in (*inputs, *outputs)]
    iterators = [f"#linalg.iterator_type<{dim.kind}>" for dim in program.dims]
    attributes = {
        "indexing_maps": f"[{', '.join(maps)}]",
        "iterator_types": f"[{', '.join(iterators)}]",
        "operandSegmentSizes": f"array<i32: {len(inputs)}, {len(outputs)}>",
    }
    operands = [*(tensor for tensor, _ in inputs), *destinations]
    op = emitter.op("linalg.generic", operands, attributes, [kind for kind, _ in outputs], 1)
    dtypes = [*program.body.inputs, *_result_dtypes(program.body)]
    block = emitter.block(op, dtypes)
    _scalars(emitter.inside(block), program.body, list(block.arguments)[: len(inputs)])
    return tuple(op.results)


def _result_dtypes(body: Body) -> list[str]:
    dtypes = body.dtypes()
    return [dtypes[number] for number in body.results]


def _scalars(emitter: Emitter, body: Body, arguments: Sequence[Value]) -> None:
    values = list(arguments)
    for op in body.ops:
        operands = [values[number] for number in op.operands]
        at = emitter.located(op.location)
        values.append(at.value(op.name, operands, dict(op.attrs), op.dtype))
    emitter.op("linalg.yield", [values[number] for number in body.results])
