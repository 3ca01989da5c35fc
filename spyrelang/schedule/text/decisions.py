"""The decisions that the structure of a program's text shows."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mlir import ir

from spyrelang.affine import Expr, Map
from spyrelang.schedule import structure as structures
from spyrelang.schedule.model import (
    Hop,
    NestOrder,
    Placement,
    Program,
    Route,
    Sizes,
    Vector,
)
from spyrelang.schedule.sizes import element_bytes
from spyrelang.schedule.text import ops
from spyrelang.schedule.text.ops import Op, Value

_SLOT = re.compile(r'fifo\.slot<"([^"]*)" -> "([^"]*)", (\d+)x')
_MEMORY = re.compile(r'memref<.*, "([^"]*)">$')


class Decisions:
    """Reads one program function with `rank` dims. `anchors` number the operands by the value of
    their tile."""

    def __init__(self, function: Op, stage: str, anchors: Mapping[Value, int], rank: int) -> None:
        self.function = function
        self.stage = stage
        self.anchors = anchors
        self.rank = rank
        self.ops = list(ops.walk(function))
        self._private = self._private_values()

    def _named(self, name: str) -> list[Op]:
        return [op for op in self.ops if op.name == name]

    # --- values ---------------------------------------------------------------------------------

    def _private_values(self) -> dict[Value, Value]:
        """What stands behind each result of a `ktdf.private`."""
        behind: dict[Value, Value] = {}
        for op in self._named("ktdf.private"):
            inner = ops.children(op)
            if inner and inner[-1].name == "ktdf.private_yield":
                behind.update(zip(op.results, inner[-1].operands, strict=False))
        return behind

    def _origin(self, value: Value) -> Value:
        """The value behind private results."""
        while value in self._private:
            value = self._private[value]
        return value

    # --- pipeline -------------------------------------------------------------------------------

    def vector(self) -> Vector:
        """Vector dim, lanes and compute unit: from the stage that reads FIFOs."""
        stages = [
            op
            for op in self._named("ktdf.stage")
            if any(inner.name == "linalg.generic" for inner in ops.children(op))
        ]
        if len(stages) != 1:
            raise ops.fail(self.function, self.stage, "there is not exactly one compute stage")
        slots = [str(t) for op in self._named("ktdf.fifo.allocate") for t in _types(op)]
        lanes = {int(m[3]) for text in slots if (m := _SLOT.search(text))}
        if len(lanes) != 1:
            raise ops.fail(self.function, self.stage, "its FIFO slots differ in length")
        dim = self._checked_dim(self.function, "spyrelang.vector")
        return Vector(dim, lanes.pop(), self._units(stages[0])[0])

    def _units(self, stage: Op) -> list[str]:
        units = ops.required(stage, "applicable_units", self.stage)
        names = [u.value for u in units if isinstance(u, ir.StringAttr)]
        if not names:
            raise ops.fail(stage, self.stage, "applicable_units names no unit")
        return names

    # --- routes ---------------------------------------------------------------------------------

    def routes(self, program: Program) -> tuple[Route, ...]:
        """Follow each operand's data from transfer to transfer."""
        assert program.vector is not None
        moves = self._moves()
        return tuple(
            Route(tuple(self._hops(program, number, moves)))
            for number in range(len(program.operands))
        )

    def _moves(self) -> list[tuple[str, Value, Value, Op]]:
        """Every transfer: unit, source, target (behind private results), op."""
        found: list[tuple[str, Value, Value, Op]] = []
        for op in self._named("ktdf.data_transfer"):
            stage = op.parent
            while stage is not None and stage.name != "ktdf.stage":
                stage = stage.parent
            if stage is None:
                raise ops.fail(op, self.stage, "a transfer stands outside of all stages")
            parts = ops.segments(op)
            unit = self._units(stage.operation)[0]
            found.append((unit, self._origin(parts[0][0]), self._origin(parts[3][0]), op))
        return found

    def _hops(
        self, program: Program, number: int, moves: list[tuple[str, Value, Value, Op]]
    ) -> list[Hop]:
        own = next(v for v, n in self.anchors.items() if n == number)
        reads = program.operands[number].role == "in"
        hops: list[Hop] = []
        at: Value = own
        for _ in range(len(moves) + 1):
            near, far = (1, 2) if reads else (2, 1)
            step = next((m for m in moves if m[near] == at), None)
            if step is None:
                break
            unit, source, target, _ = step
            hops.append(Hop(unit, self._place(program, source), self._place(program, target)))
            at = step[far]
        if not hops:
            raise ops.fail(self.function, self.stage, f"operand {number} is never moved")
        return hops if reads else hops[::-1]

    def _place(self, program: Program, value: Value) -> str:
        """The memory kind of a tensor or buffer; the compute unit for a FIFO slot."""
        assert program.vector is not None
        if value in self.anchors:
            return program.operands[self.anchors[value]].memory
        text = str(value.type)
        if _SLOT.search(text):
            return program.vector.unit
        match = _MEMORY.search(text)
        if match is None:
            raise ops.fail(self.function, self.stage, f"{text} is in no device memory")
        return match[1]

    # --- nest -----------------------------------------------------------------------------------

    def nest(self, program: Program) -> NestOrder:
        """Loop orders; dims whose loops run once have none, and follow at the end."""
        tiles = [self._dim(op) for op in self._loops("tile")]
        points = [
            self._dim(op)
            for op in self.ops
            if op.name == "ktdf.parallel"
            or (op.name == "scf.for" and ops.text(op, "loop_role") == "point")
        ]
        every = range(len(program.dims))
        return NestOrder(
            (*tiles, *(d for d in every if d not in tiles)),
            (*points, *(d for d in every if d not in points)),
        )

    def _loops(self, role: str) -> list[Op]:
        return [op for op in self._named("scf.for") if ops.text(op, "loop_role") == role]

    def _dim(self, op: Op) -> int:
        return self._checked_dim(op, "spyrelang.dim")

    def _checked_dim(self, op: Op, name: str) -> int:
        dim = ops.integer(op, name, self.stage)
        if not 0 <= dim < self.rank:
            raise ops.fail(op, self.stage, f"there is no dim {dim}")
        return dim

    # --- sizes ----------------------------------------------------------------------------------

    def sizes(self, program: Program, corelets: int) -> Sizes:
        """Tile sizes from the steps of the tile loops, instances (at most `corelets`), copies."""
        steps = self._steps(program)
        tile = tuple(steps.get(d, self._whole(program, d)) for d in range(len(program.dims)))
        if min(steps.values(), default=1) < 1:
            raise ops.fail(self.function, self.stage, "a tile loop moves no tile forward")
        parallel = self._named("ktdf.parallel")
        instances = ops.integer(parallel[0], "num_instances", self.stage) if parallel else 1
        if not 1 <= instances <= max(1, corelets):
            what = f"num_instances is {instances}, the device has {corelets} of them in a core"
            raise ops.fail(parallel[0], self.stage, what)
        split = self._dim(parallel[0]) if parallel else -1
        return Sizes(tile, instances, split, self._copies(program))

    def _whole(self, program: Program, dim: int) -> int:
        """One tile covers the dim; along the vector dim in whole vectors."""
        assert program.vector is not None
        extent = program.dims[dim].extent
        lanes = program.vector.lanes if dim == program.vector.dim else 1
        return -(-extent // lanes) * lanes

    def _steps(self, program: Program) -> dict[int, int]:
        """Elements per trip of each tile loop, from how an output's tile moves with it."""
        variables = {_variable(op): self._dim(op) for op in self._loops("tile")}
        steps: dict[int, int] = {}
        for _, source, target, op in self._moves():
            for end, value in (("source", source), ("dest", target)):
                if value not in self.anchors:
                    continue
                operand = program.operands[self.anchors[value]]
                steps.update(self._tile_steps(op, end, operand.index, variables))
        missing = [d for d in variables.values() if d not in steps]
        if missing:
            raise ops.fail(self.function, self.stage, f"no transfer moves with dim {missing[0]}")
        return steps

    def _tile_steps(
        self, op: Op, end: str, index: tuple[Expr, ...], variables: Mapping[Value, int]
    ) -> list[tuple[int, int]]:
        parts = ops.segments(op)
        operands = parts[1] if end == "source" else parts[4]
        map_ = Map.parse(str(ops.required(op, f"{end}_map", self.stage)))
        found: list[tuple[int, int]] = []
        for result, expr in zip(map_.results, index, strict=False):
            moved, own = result.linear(), expr.linear()
            if moved is None or own is None:
                continue
            for position, value in enumerate(operands):
                dim = variables.get(value)
                factor = own.dims.get(dim, 0) if dim is not None else 0
                if dim is not None and factor and moved.dims.get(position, 0):
                    found.append((dim, moved.dims[position] // factor))
        return found

    # --- buffers --------------------------------------------------------------------------------

    def _buffers(self, program: Program) -> list[Value]:
        """The value of each staging buffer, in the order of `structure.levels`."""
        moves = self._moves()
        values: list[Value] = []
        for number, operand in enumerate(program.operands):
            at = next(v for v, n in self.anchors.items() if n == number)
            near, far = (1, 2) if operand.role == "in" else (2, 1)
            chain: list[Value] = []
            for _ in moves:
                step = next((m for m in moves if m[near] == at), None)
                far_end: Value = None if step is None else step[far]
                if far_end is None or _SLOT.search(str(far_end.type)):
                    break
                at = far_end
                chain.append(at)
            if len(chain) != len(structures.staging(program, number)):
                raise ops.fail(self.function, self.stage, "the buffers do not match the routes")
            values += chain if operand.role == "in" else chain[::-1]
        return values

    def _copies(self, program: Program) -> tuple[int, ...]:
        counts: list[int] = []
        for value in self._buffers(program):
            op = ops.made_by(value)
            select = op is not None and op.name == "ktdf.select_memref"
            counts.append(len(op.operands) - 1 if select and op is not None else 1)
        return tuple(counts)

    def placement(self, program: Program) -> Placement:
        """Byte addresses, from the casts that stand for allocations."""
        found = structures.levels(program)
        addresses = [self._address(value) for value in self._buffers(program)]
        for address, buffer in zip(addresses, found.buffers, strict=True):
            size = element_bytes(program.operands[buffer.operand].dtype)
            if address % size:
                what = f"address {address} is not a multiple of an element's {size} bytes"
                raise ops.fail(self.function, self.stage, what)
        return Placement(tuple(addresses))

    def _address(self, value: Value) -> int:
        op = ops.made_by(value)
        if op is not None and op.name == "ktdf.select_memref":
            op = ops.made_by(op.operands[1])
        if op is None or op.name != "builtin.unrealized_conversion_cast":
            raise ops.fail(self.function, self.stage, "a staging buffer has no address")
        start = ops.made_by(op.operands[0])
        if start is None or start.name != "arith.constant":
            raise ops.fail(op, self.stage, "an address is not a number")
        return int(ir.IntegerAttr(start.attributes["value"]).value)


def _variable(loop: Op) -> Value:
    return loop.regions[0].blocks[0].arguments[0]


def _types(op: Op) -> list[object]:
    return [result.type for result in op.results]
