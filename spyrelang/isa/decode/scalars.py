"""Index arithmetic and structured control flow, shared by units and the orchestrator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from mlir import ir

from spyrelang.affine import Dim, Expr, Map
from spyrelang.errors import SpyreError
from spyrelang.errors.engine import UNIT_USE, UNSUPPORTED_OP
from spyrelang.isa import program as p
from spyrelang.isa.decode import text
from spyrelang.isa.decode.places import Places
from spyrelang.isa.decode.values import Meaning, Number, Scalar, SymbolRef, VectorValue

ARITHMETIC = {"arith.addi": "add", "arith.subi": "sub", "arith.muli": "mul"} | {
    f"arith.{name}": name
    for name in (
        *("divsi", "divui", "floordivsi", "ceildivsi", "ceildivui", "remsi", "remui"),
        *("minsi", "maxsi", "minui", "maxui", "andi", "ori", "xori"),
    )
}
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_SAME_VALUE = ("arith.index_cast", "arith.index_castui", "arith.extui")
_LOST_SYMBOL = ("divsi", "divui", "floordivsi", "ceildivsi", "ceildivui", "remsi", "remui")


class ScalarDecoder:
    """Decodes ops into `code`. Constants, tables and symbols go to `prelude`, once each.

    `env` says what each SSA value stands for; a value that is not there is asked of `outside`.
    """

    def __init__(self, places: Places, first: int = 0) -> None:
        self.places = places
        self.env: dict[Any, Meaning] = {}
        self.prelude: list[p.Instr] = []
        self.code: list[p.Instr] = []
        self._next = first
        self._shared: dict[tuple[Any, ...], int] = {}

    # --- registers ------------------------------------------------------------------------------

    def reg(self) -> int:
        """A new register."""
        self._next += 1
        return self._next - 1

    def shared(self, op: ir.Operation, kind: Callable[..., p.Instr], value: Any) -> int:
        """The register of a prelude instruction `kind(loc, dst, value)`."""
        key = (kind, value)
        if key not in self._shared:
            dst = self._shared[key] = self.reg()
            self.prelude.append(kind(self.places.number(op), dst, value))
        return self._shared[key]

    def collect(self, write: Callable[[], None]) -> tuple[p.Instr, ...]:
        """What `write` decodes, as a body of its own."""
        outer, self.code = self.code, []
        try:
            write()
            return tuple(self.code)
        finally:
            self.code = outer

    # --- meanings -------------------------------------------------------------------------------

    def meaning(self, value: ir.Value, user: ir.Operation) -> Meaning:
        """What a value stands for."""
        if value not in self.env:
            self.outside(value, user)
        return self.env[value]

    def outside(self, value: ir.Value, user: ir.Operation) -> None:
        """Find out what a value from outside the decoded region stands for."""
        raise self.refuse(user, "it uses a value that is not available here")

    def scalar(self, value: ir.Value, user: ir.Operation) -> Scalar:
        """A number, in a register."""
        found = self.meaning(value, user)
        if isinstance(found, Number):
            return Scalar(self.shared(user, p.Const, found.value))
        if isinstance(found, SymbolRef):
            return Scalar(self.shared(user, p.Symbol, (found.id,)), True)
        if not isinstance(found, Scalar):
            raise self.misuse(user, "a number is needed, this is something else")
        return found

    def regs(self, values: Sequence[ir.Value], user: ir.Operation) -> tuple[int, ...]:
        """The registers of numbers."""
        return tuple(self.scalar(v, user).reg for v in values)

    # --- errors ---------------------------------------------------------------------------------

    def refuse(self, op: ir.Operation, reason: str) -> SpyreError:
        """The error for an op that cannot be decoded."""
        return UNSUPPORTED_OP.error(self.places.place(op), op=op.name, reason=reason)

    def misuse(self, op: ir.Operation, reason: str) -> SpyreError:
        """The error for an operand that is the wrong thing."""
        return UNIT_USE.error(self.places.place(op), reason=f"{op.name}: {reason}")

    # --- ops ------------------------------------------------------------------------------------

    def blocks(self, blocks: Sequence[ir.Block]) -> None:
        """Decode the blocks of a region."""
        for block in blocks:
            self.block(block)

    def block(self, block: ir.Block) -> None:
        """Decode all ops of a block but its terminator."""
        for op in list(block.operations)[:-1]:
            self.op(op.operation)

    def op(self, op: ir.Operation) -> None:
        """Decode one op."""
        if not (self.number(op) or self.control(op)):
            raise self.refuse(op, "it has no meaning here")

    def number(self, op: ir.Operation) -> bool:
        """Decode an op on numbers; False for other ops."""
        name = op.name
        if name == "arith.constant":
            return self._constant(op)
        if name in ARITHMETIC and _is_number(op):
            self._arith(op, ARITHMETIC[name])
        elif name == "arith.cmpi" and _is_number(op.operands[0]):
            self._arith(op, f"cmp_{PREDICATES[text.integer(op, 'predicate', 0)]}")
        elif name == "arith.select" and _is_number(op):
            self._arith(op, "select")
        elif name in _SAME_VALUE and _is_number(op):
            self.env[op.results[0]] = self.meaning(op.operands[0], op)
        elif name in ("affine.apply", "affine.min", "affine.max"):
            self._affine(op)
        else:
            return False
        return True

    def _constant(self, op: ir.Operation) -> bool:
        value = text.attribute(op, "value")
        if not isinstance(value, int):
            return False
        self.env[op.results[0]] = Number(value)
        return True

    def _arith(self, op: ir.Operation, name: str) -> None:
        operands = [self.scalar(v, op) for v in op.operands]
        symbolic = any(o.symbolic for o in operands) and not name.startswith("cmp_")
        dst = self.reg()
        self.code.append(p.Arith(self.places.number(op), dst, name, tuple(o.reg for o in operands)))
        self.env[op.results[0]] = Scalar(dst, symbolic and name not in _LOST_SYMBOL)

    def _affine(self, op: ir.Operation) -> None:
        map_ = text.map_of(op, "map")
        operands = [self.scalar(v, op) for v in op.operands]
        exprs = self.over_operands(map_)
        symbolic = any(o.symbolic for o in operands)
        regs = [self.affine(op, e, [o.reg for o in operands]) for e in exprs]
        while len(regs) > 1:
            name = "minsi" if op.name == "affine.min" else "maxsi"
            dst = self.reg()
            self.code.append(p.Arith(self.places.number(op), dst, name, tuple(regs[:2])))
            regs = [dst, *regs[2:]]
        self.env[op.results[0]] = Scalar(regs[0], symbolic)

    def affine(self, op: ir.Operation, expr: Expr, operands: Sequence[int]) -> int:
        """The register of an expression over registers."""
        if expr.constant is not None:
            return self.shared(op, p.Const, expr.constant)
        dst = self.reg()
        self.code.append(p.Affine(self.places.number(op), dst, expr, tuple(operands)))
        return dst

    @staticmethod
    def over_operands(map_: Map) -> tuple[Expr, ...]:
        """A map's results with its symbols as further dims: operands are dims, then symbols."""
        dims = [Dim(i) for i in range(map_.n_dims)]
        syms = [Dim(map_.n_dims + i) for i in range(map_.n_syms)]
        return map_.substitute(dims, syms)

    # --- control --------------------------------------------------------------------------------

    def control(self, op: ir.Operation) -> bool:
        """Decode scf.for and scf.if; False for other ops."""
        if op.name == "scf.for":
            self._for(op)
        elif op.name == "scf.if":
            self._if(op)
        else:
            return False
        return True

    def _for(self, op: ir.Operation) -> None:
        operands = list(op.operands)
        lower, upper, step = self.regs(operands[:3], op)
        block = op.regions[0].blocks[0]
        arguments = list(block.arguments)
        iv = self.reg()
        self.env[arguments[0]] = Scalar(iv)
        inits = [self.carried(v, op) for v in operands[3:]]
        args = [self.like(m) for m in inits]
        self.env.update(zip(arguments[1:], args, strict=True))
        body = self.collect(lambda: self.block(block))
        yields = self.yielded(block)
        results = [self.like(m) for m in inits]
        self.env.update(zip(op.results, results, strict=True))
        loop = p.For(
            self.places.number(op),
            iv,
            lower,
            upper,
            step,
            body,
            _numbers(inits),
            _numbers(args),
            _numbers(yields),
            _numbers(results),
        )
        self.code.append(loop)

    def _if(self, op: ir.Operation) -> None:
        cond = self.scalar(op.operands[0], op).reg
        bodies: list[tuple[p.Instr, ...]] = []
        yields: list[list[Scalar | VectorValue]] = []
        for region in op.regions:
            blocks = list(region.blocks)
            bodies.append(self.collect(partial(self.blocks, blocks)))
            yields.append(self.yielded(blocks[0]) if blocks else [])
        results = [self.like(m) for m in yields[0]]
        self.env.update(zip(op.results, results, strict=True))
        self.code.append(
            p.If(
                self.places.number(op),
                cond,
                bodies[0],
                bodies[1],
                _numbers(yields[0]),
                _numbers(yields[1]),
                _numbers(results),
            )
        )

    def yielded(self, block: ir.Block) -> list[Scalar | VectorValue]:
        """What the terminator of a block yields."""
        last = list(block.operations)[-1].operation
        return [self.carried(v, last) for v in last.operands]

    def carried(self, value: ir.Value, user: ir.Operation) -> Scalar | VectorValue:
        """A value that control flow passes on: a number or a vector."""
        found = self.meaning(value, user)
        if isinstance(found, VectorValue):
            return found
        if isinstance(found, Number | Scalar | SymbolRef):
            return self.scalar(value, user)
        raise self.refuse(user, "only numbers and vectors can be carried or yielded")

    def like(self, model: Scalar | VectorValue) -> Scalar | VectorValue:
        """A new register for a value of the same kind."""
        if isinstance(model, VectorValue):
            return VectorValue(self.reg(), model.lanes, model.dtype)
        return Scalar(self.reg(), model.symbolic)


def _numbers(values: Sequence[Scalar | VectorValue]) -> tuple[int, ...]:
    return tuple(v.reg for v in values)


def _is_number(of: ir.Operation | ir.Value) -> bool:
    """Whether a value (or an op's only result) is an index or integer."""
    value = of if isinstance(of, ir.Value) else of.results[0]
    return isinstance(value.type, ir.IndexType | ir.IntegerType)
