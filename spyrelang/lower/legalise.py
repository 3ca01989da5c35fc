"""The end of lowering: device patterns on vectors, then only DataflowIR may be left."""

from __future__ import annotations

from typing import Any

from spyrelang import ir
from spyrelang.device import Device
from spyrelang.errors.lower import NO_VECTOR_FORM

_DATAFLOW = {"dataflow", "agen", "vectorchain", "uniform", "symbol", "scf"}


def legalise(module: ir.Module, device: Device) -> ir.Module:
    """Run the device's `post_lowering` patterns on `module` in place and return it.

    Raises SPY450 for an op on vectors that the device has no pattern for.
    """
    if _remaining(module):
        from spyrelang.device import patterns

        patterns.apply(module, device, "post_lowering")
        left = _remaining(module)
        if left:
            op = left[0]
            raise NO_VECTOR_FORM.error(
                ir.location_of(op),
                op=op.name,
                dtype=_element(op),
                device=device.name,
            )
    return module


def _remaining(module: ir.Module) -> list[Any]:
    """Ops on vectors, inside program units, that are not of the DataflowIR dialects."""
    found: list[Any] = []
    for func in module.funcs():
        for op in func.regions[0].blocks[0].operations if len(func.regions[0].blocks) else ():
            if op.operation.name == "dataflow.program_unit":
                _scan(op.operation, found)
    return found


def _scan(op: Any, found: list[Any]) -> None:
    from mlir.ir import WalkOrder, WalkResult

    def visit(inner: Any) -> WalkResult:
        if inner.name.split(".")[0] not in _DATAFLOW and _on_vectors(inner):
            found.append(inner)
        return WalkResult.ADVANCE

    op.walk(visit, WalkOrder.PRE_ORDER)


def _on_vectors(op: Any) -> bool:
    return any(str(result.type).startswith("vector<") for result in op.results)


def _element(op: Any) -> str:
    """The element type an op works on, for the message."""
    values = list(op.operands) or list(op.results)
    return str(values[0].type).rsplit("x", 1)[-1].rstrip(">")
