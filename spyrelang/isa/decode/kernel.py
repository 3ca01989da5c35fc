"""The kernel function and the functions it calls -> symbols, orchestrator and programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from mlir import ir

from spyrelang.affine import Add, CeilDiv, Const, Dim, Expr, FloorDiv, Mod, Mul
from spyrelang.errors import Location
from spyrelang.errors.engine import STRUCTURE, SYMBOL_DEFINITION
from spyrelang.isa import program as p
from spyrelang.isa.decode import text
from spyrelang.isa.decode.common import Common
from spyrelang.isa.decode.facts import Hardware
from spyrelang.isa.decode.places import Places
from spyrelang.isa.decode.prune import prune
from spyrelang.isa.decode.scalars import ScalarDecoder
from spyrelang.isa.decode.unit import UnitDecoder
from spyrelang.isa.decode.values import Scalar, SymbolRef
from spyrelang.isa.visit import instructions

_DEEPEST_CALLS = 16
_EXPRESSIONS = {
    "arith.addi": Add,
    "arith.muli": Mul,
    "arith.divsi": FloorDiv,
    "arith.divui": FloorDiv,
    "arith.floordivsi": FloorDiv,
    "arith.ceildivsi": CeilDiv,
    "arith.ceildivui": CeilDiv,
    "arith.remsi": Mod,
    "arith.remui": Mod,
}
"""Nodes are built as they stand: simplifying would hide divisions whose exactness is checked."""


@dataclass
class Functions:
    """The functions of a module that have a body, by name, and those that hold program units."""

    by_name: dict[str, ir.Operation]
    programs: set[str]
    called: set[str]

    @staticmethod
    def of(functions: Iterator[ir.Operation]) -> Functions:
        """Look through all functions once."""
        found = Functions({}, set(), set())
        for op in functions:
            if not _has_body(op):
                continue
            name = text.string(op, "sym_name")
            found.by_name[name] = op
            for inner in _programs_and_calls(op):
                if inner.name == "dataflow.program_unit":
                    found.programs.add(name)
                else:
                    found.called.add(_callee(inner))
        return found


class KernelDecoder(ScalarDecoder):
    """Decodes the kernel function `root`; called wrappers are inlined into the orchestrator."""

    def __init__(
        self,
        places: Places,
        hardware: Hardware,
        functions: Functions,
        root: ir.Operation,
        grid: tuple[int, ...],
    ) -> None:
        super().__init__(places)
        self.grid = grid
        self.hardware = hardware
        self.functions = functions
        self.root = root
        self.inputs: list[p.SymbolInput] = []
        self.symbols: dict[int, p.SymbolValue] = {}
        self.programs: list[p.Program] = []
        self._numbers: dict[str, int] = {}
        self._exprs: dict[Any, Expr] = {}
        self._depth = 0

    def decode(self) -> tuple[p.Instr, ...]:
        """The orchestrator."""
        arguments = list(self.root.regions[0].blocks[0].arguments)
        for number, argument in enumerate(arguments):
            if not isinstance(argument.type, ir.IndexType):
                continue  # it still takes its number
            self.inputs.append(p.SymbolInput(-number - 1, number))
            self.env[argument] = SymbolRef(-number - 1)
            self._exprs[argument] = Dim(number)
        name = text.string(self.root, "sym_name")
        if name in self.functions.programs:
            self._own_symbols(self.root)
            self._run(self.root, name, [self.scalar(a, self.root).reg for a in arguments])
        else:
            self._body(self.root)
        self._check_symbols()
        return prune([*self.prelude, *self.code])

    # --- functions ------------------------------------------------------------------------------

    def _body(self, function: ir.Operation) -> None:
        self._depth += 1
        if self._depth > _DEEPEST_CALLS:
            raise self.refuse(function, "functions call each other too deeply")
        self.block(function.regions[0].blocks[0])
        self._depth -= 1

    def op(self, op: ir.Operation) -> None:
        if op.name == "func.call":
            self._call(op)
        elif op.name == "symbol.create_id":
            self._define(op)
        elif op.name == "ktdp.get_compute_tile_id":
            self._tile_id(op)
        elif not (self.number(op) or self.control(op)):
            raise self.refuse(op, "it has no meaning in an orchestrator")

    def _tile_id(self, op: ir.Operation) -> None:
        """Coordinates of the core in the grid, row-major."""
        grid = self.grid
        if len(op.results) not in (1, len(grid)):
            raise self.refuse(op, f"the grid has {len(grid)} dimensions")
        cores = range(prod(grid))
        inner = 1
        extents = grid if len(op.results) == len(grid) else (prod(grid),)
        for result, extent in reversed(list(zip(op.results, extents, strict=True))):
            values = tuple(c // inner % extent for c in cores)
            self.env[result] = Scalar(self.shared(op, p.Table, values))
            inner *= extent

    def _call(self, op: ir.Operation) -> None:
        name = _callee(op)
        function = self.functions.by_name.get(name)
        if function is None:
            raise STRUCTURE.error(
                self.places.place(op), reason=f"function @{name} has no body in this module"
            )
        parameters = list(function.regions[0].blocks[0].arguments)
        if name in self.functions.programs:
            self._bind(parameters, op)
            self._own_symbols(function)
            self._run(op, name, list(self.regs(list(op.operands), op)))
            return
        for parameter, value in zip(parameters, op.operands, strict=True):
            self.env[parameter] = self.meaning(value, op)
        self._bind(parameters, op)
        self._body(function)

    def _bind(self, parameters: Sequence[Any], call: ir.Operation) -> None:
        """Say what the parameters of a called function are over the kernel's arguments."""
        for parameter, value in zip(parameters, call.operands, strict=True):
            expr = self._expr(value)
            self._exprs.pop(parameter, None)
            if expr is not None:
                self._exprs[parameter] = expr

    def _own_symbols(self, function: ir.Operation) -> None:
        """A program that reads numbers of its caller is not wrapped: it defines its own symbols."""
        for op in function.regions[0].blocks[0].operations:
            if op.operation.name == "symbol.create_id":
                self._define(op.operation)

    def _run(self, op: ir.Operation, name: str, args: Sequence[int]) -> None:
        if name not in self._numbers:
            self._numbers[name] = len(self.programs)
            self.programs.append(self._program(self.functions.by_name[name], name))
        self.code.append(p.Call(self.places.number(op), self._numbers[name], tuple(args)))

    def _program(self, function: ir.Operation, name: str) -> p.Program:
        block = function.regions[0].blocks[0]
        common = Common()
        units: list[p.ProgramUnit] = []
        seen: set[int] = set()
        for op in (entry.operation for entry in block.operations):
            if op.name != "dataflow.program_unit":
                continue
            unit = UnitDecoder(self.places, self.hardware, function, op, common).decode()
            for again in sorted(seen & set(unit.units)):
                raise STRUCTURE.error(
                    self.places.place(op),
                    reason=f"{self.hardware.units[again].name} has two bodies in @{name}",
                    hint="join the two program units of it, or take one of them out",
                )
            seen.update(unit.units)
            units.append(unit)
        return p.Program(name, len(list(block.arguments)), tuple(units))

    # --- symbols --------------------------------------------------------------------------------

    def _define(self, op: ir.Operation) -> None:
        symbol = text.integer(op, "symbol_id", 0)
        expr = self._expr(op.operands[0])
        if expr is None or symbol >= 0:
            reason = "its id must be negative" if expr is not None else (
                "it depends on something that is not known at launch"
            )  # fmt: skip
            raise SYMBOL_DEFINITION.error(self.places.place(op), id=symbol, reason=reason)
        known = {i.id: Dim(i.arg) for i in self.inputs}
        if symbol in known:
            same = known[symbol] == expr
        else:
            value = self._value(symbol, expr)
            same = self.symbols.setdefault(symbol, value) == value
        if not same:
            raise SYMBOL_DEFINITION.error(
                self.places.place(op), id=symbol, reason="it is defined twice, differently"
            )

    @staticmethod
    def _value(symbol: int, expr: Expr) -> p.SymbolValue:
        """A symbol over kernel arguments, with the arguments it uses as its dims."""
        used = sorted(expr.dims())
        renumbered = _renumbered(expr, {old: new for new, old in enumerate(used)})
        bits = 32 if isinstance(expr, FloorDiv) and (expr.rhs.constant or 0) >= 64 else 64
        return p.SymbolValue(symbol, renumbered, tuple(-a - 1 for a in used), True, bits)

    def _expr(self, value: ir.Value) -> Expr | None:
        """A value as an expression over kernel arguments, or None."""
        if value in self._exprs:
            return self._exprs[value]
        owner = value.owner
        if isinstance(owner, ir.Block):
            return None
        op = owner.operation
        if op.name == "arith.constant":
            found = text.attribute(op, "value")
            return Const(found) if isinstance(found, int) else None
        parts = [self._expr(v) for v in op.operands]
        if any(part is None for part in parts):
            return None
        return _combined(op, [part for part in parts if part is not None])

    def used_symbols(self) -> tuple[p.SymbolValue, ...]:
        """The derived symbols that code reads, in the order of their definition."""
        bodies = [u.body for program in self.programs for u in program.units]
        bodies.append(tuple(self.prelude))
        used = {symbol for body in bodies for ids, _ in _used(body) for symbol in ids}
        return tuple(s for s in self.symbols.values() if s.id in used)

    def _check_symbols(self) -> None:
        """Every symbol that is used must be defined."""
        known = {i.id for i in self.inputs} | set(self.symbols)
        for program in self.programs:
            for unit in program.units:
                for ids, loc in _used(unit.body):
                    for symbol in ids:
                        if symbol not in known:
                            place = self.places.numbered(loc)
                            reason = "no create_id defines it"
                            raise SYMBOL_DEFINITION.error(place, id=symbol, reason=reason)


def _combined(op: ir.Operation, parts: list[Expr]) -> Expr | None:
    if op.name == "arith.subi":
        return Add(parts[0], Mul(parts[1], Const(-1)))
    if op.name == "affine.apply":
        map_ = text.map_of(op, "map")
        return map_.substitute(parts[: map_.n_dims], parts[map_.n_dims :])[0]
    node = _EXPRESSIONS.get(op.name)
    return node(parts[0], parts[1]) if node is not None and len(parts) == 2 else None


def _renumbered(expr: Expr, new: dict[int, int]) -> Expr:
    """The expression with other dim numbers, its nodes as they are."""
    if isinstance(expr, Dim):
        return Dim(new[expr.index])
    if isinstance(expr, Add | Mul | FloorDiv | CeilDiv | Mod):
        return type(expr)(_renumbered(expr.lhs, new), _renumbered(expr.rhs, new))
    return expr


def _used(body: Sequence[p.Instr]) -> Iterator[tuple[tuple[int, ...], int]]:
    for i in instructions(tuple(body)):
        if isinstance(i, p.Symbol):
            yield i.ids, i.loc


MOST_CORES = 1 << 16
"""More than any device has; a grid that is larger is a mistake, and units would fill the memory."""


def grid_of(functions: Functions, root: ir.Operation, place: Location | None) -> tuple[int, ...]:
    """The grid of the kernel, or else of a program it calls."""
    for op in (root, *functions.by_name.values()):
        found = text.attribute(op, "grid")
        if isinstance(found, tuple) and all(isinstance(n, int) and n > 0 for n in found):
            grid = tuple(int(str(n)) for n in found)
            if prod(grid) > MOST_CORES:
                reason = (
                    f"it has a grid of {prod(grid)} cores, more than the {MOST_CORES} of any device"
                )
                raise STRUCTURE.error(place, reason=reason)
            return grid
    raise STRUCTURE.error(place, reason="no function has the attribute `grid`")


def _has_body(op: ir.Operation) -> bool:
    return any(True for _ in op.regions[0].blocks)


def _callee(op: ir.Operation) -> str:
    return str(op.attributes["callee"]).lstrip("@").strip('"')


def _programs_and_calls(op: ir.Operation) -> list[ir.Operation]:
    """The program units and calls below `op`; what is inside program units does not count."""
    found: list[ir.Operation] = []

    def visit(inner: ir.Operation) -> ir.WalkResult:
        name = inner.name
        if name == "func.call":
            found.append(inner)
        elif name == "dataflow.program_unit":
            found.append(inner)
            return ir.WalkResult.SKIP
        return ir.WalkResult.ADVANCE

    op.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found
