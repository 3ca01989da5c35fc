"""Index arithmetic of a kernel as affine expressions over the environment.

Ops are entered in program order, so operands are always known. An op that is not affine is only
an error where its value is used, which is when `expr` raises.
"""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir

from spyrelang.affine import CeilDiv, Const, Expr, FloorDiv, Map, Mod, Mul
from spyrelang.errors import SpyreError
from spyrelang.errors import schedule as errors
from spyrelang.schedule.split.environment import Environment
from spyrelang.schedule.split.source import Op, Value, place

Rule = Callable[[Environment, Expr, Expr], Expr | None]


def _product(env: Environment, a: Expr, b: Expr) -> Expr | None:
    del env
    return a * b if a.constant is not None or b.constant is not None else None


def _divided(make: Callable[[Expr, Expr], Expr], truncates: bool) -> Rule:
    """Division by a positive number. Truncating ops agree with floor only for what is >= 0."""

    def rule(env: Environment, a: Expr, b: Expr) -> Expr | None:
        if b.constant is None or b.constant < 1:
            return None
        return None if truncates and env.bounds(a)[0] < 0 else make(a, b)

    return rule


def _smaller(env: Environment, a: Expr, b: Expr) -> Expr | None:
    """The minimum, where it is the same one for all values."""
    if env.bounds(a - b)[1] <= 0:
        return a
    return b if env.bounds(b - a)[1] <= 0 else None


def _larger(env: Environment, a: Expr, b: Expr) -> Expr | None:
    if env.bounds(a - b)[0] >= 0:
        return a
    return b if env.bounds(b - a)[0] >= 0 else None


def _shifted(env: Environment, a: Expr, b: Expr) -> Expr | None:
    del env
    return a * (1 << b.constant) if b.constant is not None and 0 <= b.constant < 63 else None


_FLOOR = _divided(lambda a, b: a // b, truncates=False)
_TRUNC = _divided(lambda a, b: a // b, truncates=True)
_CEIL = _divided(lambda a, b: a.ceildiv(b), truncates=False)
_CEIL_UNSIGNED = _divided(lambda a, b: a.ceildiv(b), truncates=True)
_REST = _divided(lambda a, b: a % b, truncates=True)

_BINARY: dict[str, Rule] = {
    "arith.addi": lambda _, a, b: a + b,
    "arith.subi": lambda _, a, b: a - b,
    "arith.muli": _product,
    "arith.shli": _shifted,
    "arith.divsi": _TRUNC,
    "arith.divui": _TRUNC,
    "arith.remsi": _REST,
    "arith.remui": _REST,
    "arith.floordivsi": _FLOOR,
    "arith.ceildivsi": _CEIL,
    "arith.ceildivui": _CEIL_UNSIGNED,
    "arith.minsi": _smaller,
    "arith.minui": _smaller,
    "arith.maxsi": _larger,
    "arith.maxui": _larger,
    "index.add": lambda _, a, b: a + b,
    "index.sub": lambda _, a, b: a - b,
    "index.mul": _product,
    "index.shl": _shifted,
    "index.divs": _TRUNC,
    "index.divu": _TRUNC,
    "index.rems": _REST,
    "index.remu": _REST,
    "index.floordivs": _FLOOR,
    "index.ceildivs": _CEIL,
    "index.ceildivu": _CEIL_UNSIGNED,
    "index.mins": _smaller,
    "index.minu": _smaller,
    "index.maxs": _larger,
    "index.maxu": _larger,
}

_CAST = {
    "arith.index_cast",
    "arith.index_castui",
    "arith.extsi",
    "arith.extui",
    "arith.trunci",
    "index.casts",
    "index.castu",
}


MAX_DEPTH = 100
"""Divisions and remainders of each other, at most; deeper ones are refused as not affine."""


class Indices:
    """The integer values met so far."""

    def __init__(self, env: Environment) -> None:
        self._env = env
        self._known: dict[Value, Expr] = {}
        self._depth: dict[Value, int] = {}
        self._refused: dict[Value, SpyreError] = {}
        self._arguments: dict[Value, str] = {}

    def bind(self, value: Value, expr: Expr) -> None:
        """Say what a value is."""
        self._known[value] = expr

    def refuse_argument(self, value: Value, name: str) -> None:
        """Say that a value is an argument of the kernel, which no index can be computed from."""
        self._arguments[value] = name

    def constant(self, value: Value) -> int | None:
        """The number a value is, when it is one."""
        known = self._known.get(value)
        return None if known is None else known.constant

    def expr(self, value: Value, user: Op) -> Expr:
        """The expression of a value that `user` reads. Raises SPY408, SPY416, or what kept the op
        that makes the value from having an expression."""
        if value in self._known:
            return self._known[value]
        if value in self._refused:
            raise self._refused[value]
        if value in self._arguments:
            raise errors.SCALAR_ARGUMENT.error(place(user), name=self._arguments[value])
        owner = value.owner
        if isinstance(owner, ir.Block):
            raise errors.NON_AFFINE.error(place(user), op="a block argument")
        raise errors.NON_AFFINE.error(place(owner), op=owner.name)

    def enter(self, op: Op) -> None:
        """Take note of an op; ops that make no integers are passed over."""
        if len(op.results) != 1 or not isinstance(
            op.results[0].type, ir.IndexType | ir.IntegerType
        ):
            return
        try:
            expr = self._evaluate(op)
        except SpyreError as error:
            self._refused[op.results[0]] = error
            return
        if expr is None:
            return
        flat = expr.linear() is not None
        depth = 0 if flat else 1 + max((self._depth.get(v, 0) for v in op.operands), default=0)
        if depth <= MAX_DEPTH:
            self._known[op.results[0]] = expr
            self._depth[op.results[0]] = depth

    def _evaluate(self, op: Op) -> Expr | None:
        if op.name in ("arith.constant", "index.constant"):
            return Const(int(ir.IntegerAttr(op.attributes["value"]).value))
        if op.name in _BINARY:
            first, second = (self.expr(operand, op) for operand in op.operands)
            return _BINARY[op.name](self._env, first, second)
        if op.name in _CAST:
            return self._cast(op)
        if op.name in ("affine.apply", "affine.min", "affine.max"):
            return self._mapped(op)
        return None

    def _cast(self, op: Op) -> Expr | None:
        """A cast keeps the value where it fits the new type."""
        expr, type_ = self.expr(op.operands[0], op), op.results[0].type
        bits = 64 if isinstance(type_, ir.IndexType) else type_.width
        low, high = self._env.bounds(expr)
        return expr if low >= -(1 << bits - 1) and high < (1 << bits - 1) else None

    def _mapped(self, op: Op) -> Expr | None:
        map_ = Map.parse(str(op.attributes["map"]))
        operands = [self.expr(operand, op) for operand in op.operands]
        if not is_affine(map_, operands):
            return None
        results = map_.substitute(operands[: map_.n_dims], operands[map_.n_dims :])
        choose = {"affine.apply": _smaller, "affine.min": _smaller, "affine.max": _larger}[op.name]
        best: Expr | None = results[0]
        for other in results[1:]:
            best = None if best is None else choose(self._env, best, other)
        return best


def is_affine(map_: Map, operands: list[Expr]) -> bool:
    """Whether a map stays affine with its symbols replaced: products and divisors that are
    symbols must be numbers (positive ones for divisors)."""
    numbers = [operand.constant for operand in operands[map_.n_dims :]]
    for result in map_.results:
        for node in result.walk():
            if not _well_formed(node, numbers):
                return False
    return True


def _well_formed(node: Expr, numbers: list[int | None]) -> bool:
    if isinstance(node, Mul):
        return any(_number(side, numbers) is not None for side in (node.lhs, node.rhs))
    if isinstance(node, FloorDiv | CeilDiv | Mod):
        divisor = _number(node.rhs, numbers)
        return divisor is not None and divisor > 0
    return True


def _number(expr: Expr, numbers: list[int | None]) -> int | None:
    """The value of an expression whose symbols are all numbers."""
    if expr.dims() or any(numbers[i] is None for i in expr.syms()):
        return None
    return int(expr.eval((), [0 if n is None else n for n in numbers]))
