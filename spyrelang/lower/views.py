"""Memory views: one `get_logical_memory_view` for each tensor or buffer a unit touches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from spyrelang.affine import Const, Dim, Expr
from spyrelang.ir.emit import map_text
from spyrelang.ir.index import Value
from spyrelang.lower.context import UnitContext
from spyrelang.schedule.model import Operand
from spyrelang.schedule.structure import Buffer, Structure


@dataclass
class Views:
    """The views of one program unit, made on demand at its top.

    `shared(memory)` tells whether all cores share that memory; `symbol(param, memory)` gives the
    start of an address parameter in words of this unit; `padded(buffer)` its shape in memory;
    `element_bytes(dtype)` the size of one element.
    """

    context: UnitContext
    structure: Structure
    shared: Callable[[str], bool]
    symbol: Callable[[int, str], int]
    padded: Callable[[Buffer], Sequence[int]]
    element_bytes: Callable[[str], int]
    _made: dict[tuple[str, int], tuple[Value, str]] = field(default_factory=dict)

    def tensor(self, number: int) -> tuple[Value, str]:
        """View and memref type of an operand's own tensor."""
        key = ("tensor", number)
        if key not in self._made:
            operand = self.context.program.operands[number]
            memory = self.context.memory(operand.memory, self.shared(operand.memory), operand.ct)
            start = self._start(operand)
            self._made[key] = self._view(
                memory, start, operand.shape, operand.strides, operand.dtype
            )
        return self._made[key]

    def buffer(self, number: int) -> tuple[Value, str]:
        """View and memref type of a staging buffer; several copies make a leading dim."""
        key = ("buffer", number)
        if key not in self._made:
            buffer = self.structure.buffers[number]
            dtype = self.context.program.operands[buffer.operand].dtype
            shape = list(self.padded(buffer)) or [1]
            if buffer.copies > 1:
                shape.insert(0, buffer.copies)
            assert buffer.address is not None
            start = self.context.const(buffer.address // self.element_bytes(dtype))
            memory = self.context.memory(buffer.memory, self.shared(buffer.memory), -1)
            self._made[key] = self._view(memory, start, shape, row_major(shape), dtype)
        return self._made[key]

    def _start(self, operand: Operand) -> Value:
        """A constant start counts elements; a symbol counts words of the accessing unit."""
        if operand.base.param < 0:
            return self.context.const(operand.base.constant)
        symbol = self.symbol(operand.base.param, operand.memory)
        return self.context.top.value(
            "symbol.create_symbol", attributes={"SymbolId": f"{symbol} : i64"}
        )

    def _view(
        self, memory: Value, start: Value, shape: Sequence[int], strides: Sequence[int], dtype: str
    ) -> tuple[Value, str]:
        linear: Expr = Const(0)
        for number, stride in enumerate(strides):
            linear = linear + Dim(number) * stride
        memref = f"memref<{''.join(f'{n}x' for n in shape)}{dtype}>"
        layout = map_text(len(shape), [linear])
        view = self.context.top.value(
            "dataflow.get_logical_memory_view", [memory, start], {"layout_map": layout}, memref
        )
        return view, memref


def row_major(shape: Sequence[int]) -> list[int]:
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return strides
