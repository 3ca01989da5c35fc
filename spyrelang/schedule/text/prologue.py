"""The head of a program function: core coordinates, views, and the tiles cut out of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from spyrelang.affine import Dim, Expr, Map
from spyrelang.ir.emit import Emitter, IndexEmitter, map_text
from spyrelang.ir.index import Index, Value, combine, subscripts
from spyrelang.schedule.model import Operand, Program
from spyrelang.schedule.text.orchestrator import core_coordinates


class Spaces(Protocol):
    """What the text needs of a device: which kernel space a memory kind stands for."""

    def space_of_memory(self, kind: str) -> str:
        """ "global" or "ct_local"."""
        ...


@dataclass
class Prologue:
    """Values that the whole program function shares, made once at its top."""

    program: Program
    spaces: Spaces
    arguments: Sequence[Value]
    flat_grid: bool
    top: Emitter
    outer: list[Index] = field(default_factory=list)
    _constants: dict[int, Value] = field(default_factory=dict)
    _views: dict[int, Value] = field(default_factory=dict)
    _coords: list[Index] | None = None

    def const(self, number: int) -> Value:
        """An index constant. Raises OverflowError for one of more than 64 bits."""
        if not -(1 << 63) <= number < 1 << 63:
            raise OverflowError(f"{number} has more than 64 bits")
        if number not in self._constants:
            self._constants[number] = self.top.value(
                "arith.constant", attributes={"value": f"{number} : index"}
            )
        return self._constants[number]

    def emit(self, emitter: Emitter, index: Index) -> Value:
        return IndexEmitter(emitter, self.const).emit(index)

    # --- environment ----------------------------------------------------------------------------

    def coordinates(self) -> list[Index]:
        """Grid coordinates of this core; from a flat row-major id once the grid is 1-D."""
        if self._coords is None:
            self._coords = core_coordinates(self.top, self.const, self.program.grid, self.flat_grid)
        return self._coords

    def environment(self, expr: Expr) -> Index:
        """An expression over the program's environment, as an index."""
        needs_core = any(s < len(self.program.grid) for s in expr.syms())
        coords = self.coordinates() if needs_core else [Index.const(0)] * len(self.program.grid)
        scalars = [
            Index.of(self.arguments[number])
            for number, parameter in enumerate(self.program.parameters)
            if parameter.kind == "scalar"
        ]
        missing = len(self.program.outer) - len(self.outer)
        syms = [*coords, *scalars, *self.outer, *[Index.const(0)] * missing]
        return combine(expr, (), syms)

    def open_outer(self, emitter: Emitter) -> Emitter:
        """Open the next absorbed loop; returns its body, which the caller closes."""
        loop = self.program.outer[len(self.outer)]
        bounds = [self.emit(emitter, self.environment(bound)) for bound in (loop.lower, loop.upper)]
        attributes = {
            "loop_role": '"outer"',
            "loop_type": "#ktdf.loop_type<parallel_loop>",
            "spyrelang.name": f'"{loop.name}"',
            "spyrelang.bounds": str(Map(0, self.symbols, (loop.lower, loop.upper))),
        }
        operands = [*bounds, self.const(loop.step)]
        op = emitter.op("scf.for", operands, attributes, regions=1)
        block = emitter.block(op, ["index"])
        self.outer.append(Index.of(block.arguments[0]))
        return emitter.inside(block)

    def outer_loops(self, emitter: Emitter) -> tuple[Emitter, list[Emitter]]:
        """Open all absorbed loops; returns the innermost point and the bodies to close."""
        opened: list[Emitter] = []
        while len(self.outer) < len(self.program.outer):
            emitter = self.open_outer(emitter)
            opened.append(emitter)
        return emitter, opened

    # --- tensors --------------------------------------------------------------------------------

    def view(self, number: int) -> Value:
        """`construct_memory_view` of an operand's tensor."""
        if number not in self._views:
            operand = self.program.operands[number]
            at = self.top.located(operand.location)
            self._views[number] = at.value(
                "ktdp.construct_memory_view",
                [self._base(operand)],
                _view_attributes(operand, self._space(operand)),
                memref_text(operand.shape, operand.dtype),
            )
        return self._views[number]

    def _base(self, operand: Operand) -> Value:
        if operand.base.param < 0:
            return self.const(operand.base.constant)
        addresses = [
            number for number, p in enumerate(self.program.parameters) if p.kind == "address"
        ]
        return self.arguments[addresses[operand.base.param]]

    def _space(self, operand: Operand) -> str:
        space = self.spaces.space_of_memory(operand.memory)
        owner = f", ct_id = {operand.ct}" if operand.ct >= 0 else ""
        return f"#ktdp.memory_space<{space}{owner}>"

    def tile_shape(self, operand: Operand) -> tuple[int, ...]:
        """Extent of the operand's tile along each view dim."""
        return tuple(self._extent(expr) for expr in operand.index)

    def _extent(self, expr: Expr) -> int:
        return max((self.program.dims[d].extent for d in expr.dims()), default=1)

    def access_tile(self, emitter: Emitter, number: int) -> tuple[Value, tuple[int, ...]]:
        """`construct_access_tile` of the whole tile of an operand."""
        operand = self.program.operands[number]
        at = emitter.located(operand.location)
        shape = self.tile_shape(operand)
        values, exprs = subscripts([self.environment(origin) for origin in operand.origin])
        rank = len(shape)
        attributes = {
            "base_map": map_text(len(values), exprs),
            "access_tile_set": full_box(shape),
            "access_tile_order": identity(rank),
            "operandSegmentSizes": f"array<i32: 1, {len(values)}, 0>",
        }
        attributes |= self._anchor(number)
        extents = "".join(f"{n}x" for n in shape)
        kind = f"!ktdp.access_tile<{extents}index>"
        operands = [self.view(number), *values]
        return at.value("ktdp.construct_access_tile", operands, attributes, kind), shape

    def _anchor(self, number: int) -> dict[str, str]:
        """What the shape of the text does not say of an operand, for the reader."""
        operand = self.program.operands[number]
        origin = Map(0, self.symbols, operand.origin)
        index = Map(len(self.program.dims), 0, operand.index)
        return {
            "spyrelang.name": f'"{operand.name}"',
            "spyrelang.operand": f"{number} : i64",
            "spyrelang.origin": str(origin),
            "spyrelang.index": str(index),
        }

    @property
    def symbols(self) -> int:
        """How many symbols the program's environment has."""
        program = self.program
        return len(program.grid) + len(program.scalars) + len(program.outer)

    def tile_memref(self, emitter: Emitter, number: int) -> tuple[Value, str]:
        """The tile of an operand as a strided memref in its device memory, and its type."""
        operand = self.program.operands[number]
        at = emitter.located(operand.location)
        shape = self.tile_shape(operand)
        offset = Index.const(0)
        for origin, stride in zip(operand.origin, operand.strides, strict=True):
            offset = offset + self.environment(origin).scaled(stride)
        space = f'"{operand.memory}"'
        whole = f"{memref_text(operand.shape, operand.dtype)[:-1]}, {space}>"
        cast = at.value("memref.memory_space_cast", [self.view(number)], None, whole)
        strides = ", ".join(map(str, operand.strides))
        constant = offset.constant
        where = "?" if constant is None else str(constant)
        extents = "".join(f"{n}x" for n in shape)
        kind = f"memref<{extents}{operand.dtype}, strided<[{strides}], offset: {where}>, {space}>"
        dynamic = [] if constant is not None else [self.emit(at, offset)]
        attributes = {
            "static_offsets": f"array<i64: {DYNAMIC if constant is None else constant}>",
            "static_sizes": _i64(shape),
            "static_strides": _i64(operand.strides),
            "operandSegmentSizes": f"array<i32: 1, {len(dynamic)}, 0, 0>",
        }
        attributes |= self._anchor(number)
        return at.value("memref.reinterpret_cast", [cast, *dynamic], attributes, kind), kind


DYNAMIC = -(2**63)
"""MLIR's marker for a value known only at run time."""


def _i64(numbers: Sequence[int]) -> str:
    return f"array<i64: {', '.join(map(str, numbers))}>" if numbers else "array<i64>"


def memref_text(shape: Sequence[int], dtype: str) -> str:
    return f"memref<{''.join(f'{n}x' for n in shape)}{dtype}>"


def identity(rank: int) -> str:
    return map_text(rank, [Dim(i) for i in range(rank)])


def full_box(extents: Sequence[int]) -> str:
    """The set 0 <= d_i < extent_i."""
    parts: list[str] = []
    for number, extent in enumerate(extents):
        parts += [f"d{number} >= 0", f"-d{number} + {extent - 1} >= 0"]
    dims = ", ".join(f"d{i}" for i in range(len(extents)))
    return f"affine_set<({dims}) : ({', '.join(parts or ['0 == 0'])})>"


def _view_attributes(operand: Operand, space: str) -> dict[str, str]:
    return {
        "static_sizes": _i64(operand.shape),
        "static_strides": _i64(operand.strides),
        "coordinate_set": full_box(operand.shape),
        "memory_space": space,
        "operandSegmentSizes": "array<i32: 1, 0, 0>",
    }
