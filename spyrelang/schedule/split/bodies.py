"""The bodies of element-wise operations: which scalar operations they may hold, and in what
order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlir import ir

from spyrelang.affine import Dim, Map
from spyrelang.errors import schedule as errors
from spyrelang.schedule.split.source import (
    Op,
    Value,
    attribute_texts,
    is_tensor,
    place,
    shape,
)

_DEFAULTS = {
    "fastmath": "#arith.fastmath<none>",
    "overflowFlags": "#arith.overflow<none>",
}
"""Attributes that say nothing with these values."""

_SCALAR_DIALECTS = {"arith", "math", "spyreop"}

_WHOLE_TENSOR = {
    "spyreop.exx2": "it averages over a dimension",
    "spyreop.exx2_fused": "it averages over a dimension",
    "spyreop.exx2_zeromean_fused": "it averages over a dimension",
    "spyreop.slice_reduction": "it reduces over lanes",
    "linalg.index": "it needs the position of the element",
}


def check_operation(op: Op) -> None:
    """Refuse what is not a scalar operation without side effects. Raises SPY412, SPY400."""
    if op.name in _WHOLE_TENSOR:
        raise errors.BODY.error(place(op), op=op.name, reason=_WHOLE_TENSOR[op.name])
    if op.name.split(".", 1)[0] not in _SCALAR_DIALECTS:
        raise errors.OPERATION.error(place(op), op=op.name)
    if len(op.results) != 1:
        reason = f"it has {len(op.results)} results"
        raise errors.BODY.error(place(op), op=op.name, reason=reason)
    if len(op.regions):
        raise errors.BODY.error(place(op), op=op.name, reason="it holds a region")
    if any(isinstance(operand.type, ir.IndexType) for operand in op.operands):
        raise errors.BODY.error(place(op), op=op.name, reason="it reads a run-time index")


def attributes(op: Op) -> tuple[tuple[str, str], ...]:
    """The attributes that change what a scalar operation computes, as (name, text)."""
    found = attribute_texts(op, ("operandSegmentSizes", "resultSegmentSizes"))
    return tuple((name, text) for name, text in found if _DEFAULTS.get(name) != text)


def check_generic(op: Op) -> None:
    """Refuse reductions. Raises SPY401."""
    kinds = [str(kind) for kind in op.attributes["iterator_types"]]
    if any("parallel" not in kind for kind in kinds):
        raise errors.REDUCTION.error(place(op), op=op.name)


def iteration_extent(op: Op, dim: int) -> int | None:
    """The extent of one iteration dim of a generic, from an operand that varies along it."""
    for operand, attribute in zip(op.operands, op.attributes["indexing_maps"], strict=True):
        if is_tensor(operand):
            for result, extent in zip(
                Map.parse(str(attribute)).results, shape(operand.type), strict=True
            ):
                if result == Dim(dim):
                    return extent
    return None


@dataclass(frozen=True)
class Body:
    """A generic's body. `used`: operand positions whose block arguments it reads; `captured`:
    values from outside."""

    arguments: tuple[Value, ...]
    ops: tuple[Op, ...]
    used: tuple[int, ...]
    captured: tuple[Value, ...]

    @staticmethod
    def read(op: Op) -> Body:
        """Raises SPY412 and SPY400 for operations that are not element-wise."""
        block = op.regions[0].blocks[0]
        arguments, ops = tuple(block.arguments), tuple(o.operation for o in block.operations)
        for inner in ops[:-1]:
            if inner.name not in ("arith.constant", "spyreop.constant"):
                check_operation(inner)
        read = [operand for inner in ops for operand in inner.operands]
        own = {result for inner in ops for result in inner.results}
        used = tuple(i for i, argument in enumerate(arguments) if argument in read)
        outside = (v for v in read if v not in own and v not in arguments)
        return Body(arguments, ops, used, tuple(dict.fromkeys(outside)))

    def evaluate(
        self,
        result: int,
        nodes: Sequence[int],
        operation: Callable[[Op, Sequence[int]], int],
        constant: Callable[[Op], int],
    ) -> int:
        """The node of result `result`, from the nodes of the used arguments and captured values."""
        outer = [*(self.arguments[i] for i in self.used), *self.captured]
        known: dict[Value, int] = dict(zip(outer, nodes, strict=True))
        for op in self.ops[:-1]:
            if op.name in ("arith.constant", "spyreop.constant"):
                known[op.results[0]] = constant(op)
            else:
                known[op.results[0]] = operation(op, [known[v] for v in op.operands])
        return known[self.ops[-1].operands[result]]
