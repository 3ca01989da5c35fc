"""One program function -> `Program`, with the decisions of its stage."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from mlir import ir

from spyrelang.affine import Expr
from spyrelang.errors import Location
from spyrelang.schedule import structure as structures
from spyrelang.schedule.model import (
    Base,
    Body,
    Dim,
    Operand,
    OuterLoop,
    Parameter,
    Program,
    ScalarOp,
)
from spyrelang.schedule.split.bodies import attributes as scalar_attributes
from spyrelang.schedule.split.views import memory_space
from spyrelang.schedule.text import ops
from spyrelang.schedule.text.decisions import Decisions
from spyrelang.schedule.text.ops import Op, Value
from spyrelang.schedule.text.write import Device

_ANCHORS = ("ktdp.construct_access_tile", "memref.reinterpret_cast")


def read_program(function: Op, device: Device, stage: str) -> Program:
    """The program of a function at `stage`."""
    reader = _Reader(function, device, stage)
    program = reader.computation()
    if stage == "programs":
        return program
    decisions = Decisions(function, stage, reader.anchors, len(program.dims))
    program = replace(program, vector=decisions.vector())
    if stage == "pipeline":
        return program
    program = replace(program, routes=decisions.routes(program))
    if stage == "routed":
        return program
    program = replace(program, nest=decisions.nest(program))
    if stage == "nested":
        return program
    structures.levels(program)
    program = replace(program, sizes=decisions.sizes(program, device.corelets))
    if stage == "explored":
        return program
    return replace(program, placement=decisions.placement(program))


@dataclass
class _Reader:
    """What a program computes: parameters, loops, operands, body."""

    function: Op
    device: Device
    stage: str

    def __post_init__(self) -> None:
        self.body = self.function.regions[0].blocks[0]
        self.parameters = self._parameters()
        found = [op for op in ops.walk(self.function) if op.name in _ANCHORS]
        found = [op for op in found if "spyrelang.operand" in op.attributes]
        found.sort(key=lambda op: ops.integer(op, "spyrelang.operand", self.stage))
        numbers = [ops.integer(op, "spyrelang.operand", self.stage) for op in found]
        if numbers != list(range(len(found))) or not found:
            raise ops.fail(self.function, self.stage, "the operands are not numbered from 0 up")
        self.anchors: dict[Value, int] = {op.results[0]: n for n, op in enumerate(found)}
        self._found = found

    def computation(self) -> Program:
        generics = [op for op in ops.walk(self.function) if op.name == "linalg.generic"]
        if len(generics) != 1:
            what = f"the program has {len(generics)} linalg.generic, not one"
            raise ops.fail(self.function, self.stage, what)
        inputs = len(ops.segments(generics[0])[0])
        operands = tuple(self._operand(op, n < inputs) for n, op in enumerate(self._found))
        program = Program(
            name=ops.text(self.function, "sym_name") or "program",
            grid=ops.integers(self.function, "spyrelang.grid", self.stage),
            parameters=self.parameters,
            dims=self._dims(),
            operands=operands,
            body=self._body(generics[0], inputs),
            outer=tuple(self._outer()),
            location=ops.place(self.function),
            whole_tile="spyrelang.whole_tile" in self.function.attributes,
        )
        self._consistent(program)
        return program

    def _consistent(self, program: Program) -> None:
        """The facts beside the ops fit each other: nothing speaks of a dim, a coordinate or a loop
        that is not there."""
        symbols = len(program.grid) + len(program.scalars) + len(program.outer)
        if any(dim.extent < 1 for dim in program.dims):
            raise ops.fail(self.function, self.stage, "a dim in spyrelang.dims is not positive")
        bounds = [e for loop in program.outer for e in (loop.lower, loop.upper)]
        if any(not _within(e, 0, symbols) for e in bounds):
            raise ops.fail(self.function, self.stage, "spyrelang.bounds says too many symbols")
        for operand, anchor in zip(program.operands, self._found, strict=True):
            rank = len(operand.shape)
            if min((*operand.shape, *operand.strides), default=0) < 0:
                raise ops.fail(anchor, self.stage, "a size or stride of the view is negative")
            if len(operand.strides) != rank or len(operand.origin) != rank:
                raise ops.fail(anchor, self.stage, "spyrelang.origin does not fit the view's rank")
            if len(operand.index) != rank:
                raise ops.fail(anchor, self.stage, "spyrelang.index does not fit the view's rank")
            if any(not _within(e, 0, symbols) for e in operand.origin):
                raise ops.fail(anchor, self.stage, "spyrelang.origin says too many symbols")
            if any(not _within(e, len(program.dims), 0) for e in operand.index):
                raise ops.fail(anchor, self.stage, "spyrelang.index says a dim that is not there")

    def _body(self, generic: Op, inputs: int) -> Body:
        """The scalar ops of a generic; its destinations are not read."""
        block = generic.regions[0].blocks[0]
        numbers: dict[Value, int] = {}
        dtypes: list[str] = []
        for argument in list(block.arguments)[:inputs]:
            numbers[argument] = len(numbers)
            dtypes.append(str(argument.type))
        found: list[ScalarOp] = []
        for inner in block.operations:
            op = inner.operation
            if any(v not in numbers for v in op.operands):
                raise ops.fail(op, self.stage, f"{op.name} reads a value that no op here computes")
            operands = tuple(numbers[v] for v in op.operands)
            if op.name == "linalg.yield":
                return Body(tuple(dtypes), tuple(found), operands)
            if len(op.results) != 1:
                raise ops.fail(op, self.stage, f"{op.name} does not compute one number")
            dtype = str(op.results[0].type)
            found.append(ScalarOp(op.name, operands, dtype, scalar_attributes(op), ops.place(op)))
            numbers[op.results[0]] = len(numbers)
        return Body(tuple(dtypes), tuple(found), ())

    def _parameters(self) -> tuple[Parameter, ...]:
        attributes = self.function.attributes.get("arg_attrs")
        found: list[Parameter] = []
        for number in range(len(self.body.arguments)):
            own: Any = attributes[number] if attributes is not None else {}
            pair = [own[key] for key in _PARAMETER if key in own]
            if len(pair) != 2 or not all(isinstance(item, ir.StringAttr) for item in pair):
                what = f"argument {number} does not say its {' and '.join(_PARAMETER)}"
                raise ops.fail(self.function, self.stage, what)
            found.append(Parameter(*(item.value for item in pair)))
        return tuple(found)

    def _dims(self) -> tuple[Dim, ...]:
        extents = ops.integers(self.function, "spyrelang.dims", self.stage)
        names = ops.required(self.function, "spyrelang.dim_names", self.stage)
        texts = [str(name).strip('"') for name in names]
        if len(texts) != len(extents):
            what = f"spyrelang.dim_names has {len(texts)} names for {len(extents)} dims"
            raise ops.fail(self.function, self.stage, what)
        return tuple(Dim(e, name=n) for e, n in zip(extents, texts, strict=True))

    def _outer(self) -> list[OuterLoop]:
        loops: list[OuterLoop] = []
        for op in ops.walk(self.function):
            if op.name == "scf.for" and ops.text(op, "loop_role") == "outer":
                bounds = ops.exprs(op, "spyrelang.bounds", self.stage)
                if len(bounds) != 2:
                    what = "spyrelang.bounds is not the lower and the upper bound of the loop"
                    raise ops.fail(op, self.stage, what)
                lower, upper = bounds
                step = _constant(op.operands[2])
                if step is None:
                    raise ops.fail(op, self.stage, "the step of the loop is not a number")
                name = ops.text(op, "spyrelang.name") or f"loop{len(loops)}"
                loops.append(OuterLoop(name, lower, upper, step))
        return loops

    def _operand(self, anchor: Op, reads: bool) -> Operand:
        view = self._view(anchor)
        space, owner = memory_space(view)
        memory = self.device.memory_of_space(space)
        if memory is None:
            raise ops.fail(view, self.stage, f"the device has no memory for space {space}")
        kind = view.results[0].type
        if str(kind.element_type) == "index":
            raise ops.fail(view, self.stage, "arrays in memory hold no numbers of type index")
        return Operand(
            name=ops.text(anchor, "spyrelang.name") or "operand",
            role="in" if reads else "out",
            dtype=str(kind.element_type),
            memory=memory,
            base=self._base(view),
            shape=ops.integers(view, "static_sizes", self.stage),
            strides=ops.integers(view, "static_strides", self.stage),
            origin=ops.exprs(anchor, "spyrelang.origin", self.stage),
            index=ops.exprs(anchor, "spyrelang.index", self.stage),
            ct=owner,
            location=_author(anchor),
        )

    def _view(self, anchor: Op) -> Op:
        """The memory view behind an operand's tile, through the cast to a device memory."""
        op = ops.made_by(anchor.operands[0])
        if op is not None and op.name == "memref.memory_space_cast":
            op = ops.made_by(op.operands[0])
        if op is None or op.name != "ktdp.construct_memory_view":
            raise ops.fail(anchor, self.stage, "its tensor is no ktdp.construct_memory_view")
        return op

    def _base(self, view: Op) -> Base:
        address = view.operands[0]
        constant = _constant(address)
        if constant is not None:
            return Base(constant=constant)
        arguments = list(self.body.arguments)
        addresses = [n for n, p in enumerate(self.parameters) if p.kind == "address"]
        if address not in arguments or arguments.index(address) not in addresses:
            raise ops.fail(view, self.stage, "its base is neither an address argument nor a number")
        return Base(addresses.index(arguments.index(address)))


_PARAMETER = ("spyrelang.name", "spyrelang.kind")


def _constant(value: Value) -> int | None:
    op = ops.made_by(value)
    if op is None or op.name != "arith.constant":
        return None
    return int(ir.IntegerAttr(op.attributes["value"]).value)


def _author(op: Op) -> Location | None:
    return ops.place(op)


def _within(expr: Expr, dims: int, symbols: int) -> bool:
    """Whether an expression is over that many dims and symbols."""
    return all(d < dims for d in expr.dims()) and all(s < symbols for s in expr.syms())
