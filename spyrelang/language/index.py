"""`Index`: an integer that is known only when the kernel runs (tile ids, loop variables)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from spyrelang.affine import Add, Const, Dim, Expr, Mul
from spyrelang.errors import ErrorKind
from spyrelang.errors import trace as errors
from spyrelang.errors.signature import NO_ATTRIBUTE
from spyrelang.language import tracing
from spyrelang.language.domain import MOST, interval
from spyrelang.language.graph import IndexNode, IndexOp
from spyrelang.language.sizes import Size
from spyrelang.language.tracing import Trace, fail, kind_of

_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "min": min,
    "max": max,
}


ATTRIBUTE_HINTS = {
    "astype": "write spy.cast(value, dtype)",
    "ndim": "it is called rank",
    "size": "multiply the sizes in shape",
    "copy": "values never change; use the value itself",
    "item": "index with the value itself where a position is wanted",
    "clip": "write spy.minimum(spy.maximum(value, low), high)",
    "swapaxes": "write spy.transpose(value, axes)",
    "ravel": "write spy.reshape(value, (size,))",
    "flatten": "write spy.reshape(value, (size,))",
} | {
    name: f"write spy.{name}(value, …)"
    for name in ("sum", "max", "min", "mean", "prod", "reshape", "transpose", "squeeze", "dot")
}
"""What to write for what arrays have and traced values have not."""


class Traced:
    """Base of everything that stands for something of the running kernel."""

    __array_ufunc__: Any = None  # numpy scalars leave their operators to us

    def _refuse(self, kind: ErrorKind, **values: Any) -> NoReturn:
        fail(kind, what=self.describe(), **values)

    def describe(self) -> str:
        return "a traced value"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)  # protocols of Python and its tools, asked of any object
        self._refuse(NO_ATTRIBUTE, name=name, hint=ATTRIBUTE_HINTS.get(name))

    def __format__(self, spec: str) -> str:
        return repr(self)  # a width or a base is for numbers

    def __bool__(self) -> bool:
        construct, hint = _boolean_construct()
        self._refuse(errors.BOOL_ON_TRACED, construct=construct, hint=hint)

    def __index__(self) -> int:
        found = tracing.finder().current()
        callee = found[0].callee(found[1]) if found is not None else None
        if callee == "range":
            self._refuse(errors.RANGE_ON_TRACED)
        self._refuse(errors.INT_ON_TRACED, construct=f"{callee}()" if callee else "as an index")

    def __int__(self) -> int:
        self._refuse(errors.INT_ON_TRACED, construct="int()")

    def __float__(self) -> float:
        self._refuse(errors.FLOAT_ON_TRACED)

    def __complex__(self) -> complex:
        self._refuse(errors.FLOAT_ON_TRACED)

    def __iter__(self) -> NoReturn:
        self._refuse(errors.ITER_TRACED)

    def __contains__(self, item: object) -> bool:
        self._refuse(errors.ITER_TRACED)

    def __array__(self, *args: object, **kwargs: object) -> NoReturn:
        self._refuse(errors.NUMPY_ON_TRACED, function="numpy")


def _boolean_construct() -> tuple[str, str | None]:
    """What asked for a truth value, read from the author's bytecode."""
    found = tracing.finder().current()
    opname = found[0].opname(found[1]) if found is not None else ""
    if "OR_POP" in opname or opname in ("COPY", "TO_BOOL"):
        return "and, or", "write a & b, a | b for element-wise logic"
    if opname == "UNARY_NOT":
        return "not", "write ~a for element-wise negation"
    if opname.startswith("CALL"):
        return "bool(), min(), max() or any()", "use spy.minimum, spy.maximum or spy.where"
    if found is not None and found[0].after(found[1]) == "LOAD_ASSERTION_ERROR":
        return "assert", "write spy.assert_(condition, message), which is checked by the run"
    return "if, while or assert", None


class Index(Traced):
    """A traced integer. Arithmetic with ints gives more of them; Python cannot branch on it."""

    def __init__(self, trace: Trace, node: IndexNode, expr: Expr) -> None:
        self.trace = trace
        self.node = node
        self.expr = expr

    def describe(self) -> str:
        return f"the traced integer '{self.node.name}'" if self.node.name else "a traced integer"

    def __repr__(self) -> str:
        low, high = self.bounds
        return f"<traced integer {self.node.name or ''} in {low}..{high}>".replace("  ", " ")

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the largest value it can have, both included."""
        found = interval(self.trace, self.node)
        return found.low, found.high

    def __add__(self, other: Any) -> Any:
        return arithmetic("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return arithmetic("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return arithmetic("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return arithmetic("sub", other, self)

    def __mul__(self, other: Any) -> Any:
        return arithmetic("mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return arithmetic("mul", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return arithmetic("floordiv", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return arithmetic("floordiv", other, self)

    def __mod__(self, other: Any) -> Any:
        return arithmetic("mod", self, other)

    def __rmod__(self, other: Any) -> Any:
        return arithmetic("mod", other, self)

    def __neg__(self) -> Any:
        return arithmetic("mul", self, -1)

    def __pos__(self) -> Index:
        return self

    def __truediv__(self, other: object) -> NoReturn:
        fail(errors.INDEX_OPERATION, op="/", hint="use //, which rounds down")

    __rtruediv__ = __truediv__

    def _compared(self, op: str, other: object) -> Any:
        from spyrelang.language import conditions

        return conditions.compare(op, self, other)

    def __lt__(self, other: Any) -> Any:
        return self._compared("lt", other)

    def __le__(self, other: Any) -> Any:
        return self._compared("le", other)

    def __gt__(self, other: Any) -> Any:
        return self._compared("gt", other)

    def __ge__(self, other: Any) -> Any:
        return self._compared("ge", other)

    def __eq__(self, other: object) -> Any:  # type: ignore[override]
        return self._compared("eq", other)

    def __ne__(self, other: object) -> Any:  # type: ignore[override]
        return self._compared("ne", other)

    __hash__ = object.__hash__

    def _bitwise(self, other: object = None) -> NoReturn:
        fail(errors.INDEX_OPERATION, op="bit operations and powers", hint="use + - * // %")

    __and__ = __or__ = __xor__ = __invert__ = __lshift__ = __rshift__ = __pow__ = _bitwise
    __rand__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = __rpow__ = _bitwise
    __abs__ = _bitwise


def as_integer(value: object) -> int | None:
    """The value of a Python or numpy integer, or of a size by name inside its kernel; None for
    everything else (bools too)."""
    if isinstance(value, (bool, Traced)):
        return None
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Size):
        return value.value() if tracing.active() is not None else None
    dtype = getattr(value, "dtype", None)
    if getattr(dtype, "kind", "") in ("i", "u") and getattr(value, "ndim", 1) == 0:
        return int(value)  # type: ignore[call-overload]
    return None


def arithmetic(op: str, lhs: Any, rhs: Any) -> Any:
    """`lhs op rhs` for traced integers and ints: an `Index`, or an int where all is known.

    Other operands are left to their own operators (a tensor) or refused.
    """
    a, b = _operand(lhs), _operand(rhs)
    if a is None or b is None:
        other = rhs if b is None else lhs
        if isinstance(other, Traced):
            return NotImplemented
        fail(errors.INDEX_OPERATION, op=f"arithmetic with {kind_of(other)}")
    for side in (a, b):
        if isinstance(side, int) and abs(side) > MOST:
            fail(errors.SCALAR_RANGE, value=side, dtype="index", low=-MOST, high=MOST)
    if op in ("floordiv", "mod"):
        _check_divisor(op, b)
    if isinstance(a, int) and isinstance(b, int):
        return _PYTHON[op](a, b)
    trace = a.trace if isinstance(a, Index) else b.trace  # type: ignore[union-attr]
    return _recorded(trace, op, a, b)


def _operand(value: object) -> Index | int | None:
    return value if isinstance(value, Index) else as_integer(value)


def axis_numbers(axes: Iterable[Any], rank: int, op: str) -> tuple[int, ...]:
    """Axes from 0, each once, in the order given; negative ones count from the end."""
    found: list[int] = []
    for axis in axes:
        number = as_integer(axis)
        if number is None or not -rank <= number < rank:
            fail(errors.AXIS, op=op, got=repr(axis), rank=rank)
        if number % rank in found:
            fail(errors.AXIS, op=op, got=f"{axis!r} twice", rank=rank, hint="name each axis once")
        found.append(number % rank)
    return tuple(found)


def _check_divisor(op: str, divisor: Index | int) -> None:
    if isinstance(divisor, Index):
        name = "//" if op == "floordiv" else "%"
        hint = "divide by a Python int"
        fail(errors.INDEX_OPERATION, op=f"{name} by a traced integer", hint=hint)
    if divisor == 0:
        fail(errors.DIVISION_BY_ZERO, hint="divide by a positive constant")
    if divisor < 0:
        fail(errors.INDEX_OPERATION, op="division by a negative constant")


def _recorded(trace: Trace, op: str, a: Index | int, b: Index | int) -> Any:
    expr = _expr(op, a, b)
    if isinstance(expr, Const):
        return expr.value
    for side in (a, b):
        if isinstance(side, Index) and expr is not None and expr == side.expr:
            return side
    lhs, rhs = use(trace, a), use(trace, b)
    lhs, rhs = _folded(op, lhs, rhs)
    place = tracing.here()
    node = IndexOp(place=place, block=trace.block, name=place.name, op=op, lhs=lhs, rhs=rhs)
    bounds = interval(trace, node)
    if max(-bounds.low, bounds.high) > MOST:
        value = f"{bounds.low} to {bounds.high}"
        fail(errors.SCALAR_RANGE, value=value, dtype="index", low=-MOST, high=MOST)
    return Index(trace, trace.add(node), expr if expr is not None else Dim(trace.symbol(node)))


def _folded(
    op: str, lhs: IndexNode | int, rhs: IndexNode | int
) -> tuple[IndexNode | int, IndexNode | int]:
    """`(x + 1) + 2` as `x + 3`: keeps long chains of additions flat."""
    inner = isinstance(lhs, IndexOp) and lhs.op == "add" and op == "add" and isinstance(rhs, int)
    if inner and isinstance(lhs, IndexOp) and isinstance(lhs.rhs, int) and isinstance(rhs, int):
        return lhs.lhs, lhs.rhs + rhs
    return lhs, rhs


def use(trace: Trace, value: Index | int) -> IndexNode | int:
    """The node of `value`, once it is known to be usable here."""
    if isinstance(value, int):
        return value
    tracing.check_usable(tracing.current("traced integers"), value.trace, value.node, "integer")
    return value.node


def _expr(op: str, a: Index | int, b: Index | int) -> Expr | None:
    """The affine expression of the result; None where it is not affine."""
    x, y = expression(a), expression(b)
    if op in ("min", "max"):
        return None
    if op == "mul" and x.constant is None and y.constant is None:
        return None
    return _PYTHON[op](x, y)


def expression(value: Index | int) -> Expr:
    """The affine expression over the trace's symbols."""
    return Const(value) if isinstance(value, int) else value.expr


def symbol_index(trace: Trace, node: IndexNode) -> Index:
    """The `Index` of a source of traced integers."""
    return Index(trace, node, Dim(trace.symbol(node)))


def difference(high: Index | int, low: Index | int) -> int | None:
    """`high - low` where it is one number for all tiles and iterations, else None."""
    terms: dict[Expr, int] = {}
    constant = _collect(expression(high), 1, terms) + _collect(expression(low), -1, terms)
    return None if any(terms.values()) else constant


def _collect(expr: Expr, factor: int, terms: dict[Expr, int]) -> int:
    """Add `factor * expr` to `terms`, products by constants opened; returns the constant part."""
    if isinstance(expr, Const):
        return factor * expr.value
    if isinstance(expr, Add):
        return _collect(expr.lhs, factor, terms) + _collect(expr.rhs, factor, terms)
    if isinstance(expr, Mul) and expr.rhs.constant is not None:
        return _collect(expr.lhs, factor * expr.rhs.constant, terms)
    terms[expr] = terms.get(expr, 0) + factor
    return 0
