"""Truth values of traced integers: comparisons, and logic on them."""

from __future__ import annotations

from typing import Any, NoReturn

from spyrelang.errors import trace as errors
from spyrelang.language import tracing
from spyrelang.language.domain import Interval, interval
from spyrelang.language.graph import (
    BoolNode,
    Chosen,
    Compare,
    Extracted,
    ExtractedBool,
    Logic,
    Scalar,
)
from spyrelang.language.index import Index, Traced, as_integer, symbol_index, use
from spyrelang.language.tensor import Tensor
from spyrelang.language.tracing import Trace, fail, kind_of
from spyrelang.language.types import i1, index

MOST_ASKED = 10_000
"""How often Python may ask for the same truth at one place of a kernel."""

_OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


class Condition(Traced):
    """Whether something holds; `known` where that is one answer for all tiles and iterations."""

    def __init__(self, trace: Trace, node: BoolNode, known: bool | None = None) -> None:
        self.trace = trace
        self.node = node
        self.known = known

    def describe(self) -> str:
        return f"the condition '{self.node.name}'" if self.node.name else "a condition"

    def __repr__(self) -> str:
        known = "" if self.known is None else f", always {self.known}"
        return f"<condition{' ' + self.node.name if self.node.name else ''}{known}>"

    def __bool__(self) -> bool:
        again = self.known is True and _asked_often(self.trace)
        return super().__bool__() if self.known is None or again else self.known

    def __and__(self, other: Any) -> Any:
        return _logic("and", self, other)

    def __or__(self, other: Any) -> Any:
        return _logic("or", self, other)

    def __xor__(self, other: Any) -> Any:
        return _logic("xor", self, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __eq__(self, other: object) -> Any:  # type: ignore[override]
        return ~_logic("xor", self, other)

    def __ne__(self, other: object) -> Any:  # type: ignore[override]
        return _logic("xor", self, other)

    __hash__ = object.__hash__

    def __invert__(self) -> Condition:
        node = self.node
        known = None if self.known is None else not self.known
        if isinstance(node, Compare):
            return _compared(self.trace, _OPPOSITE[node.op], node.lhs, node.rhs, known)
        place = tracing.here()
        inverse = Logic(
            place=place, block=self.trace.block, name=place.name, op="xor",
            lhs=_usable(self), rhs=True,
        )  # fmt: skip
        return Condition(self.trace, self.trace.add(inverse), known)

    def _arithmetic(self, other: object) -> NoReturn:
        fail(errors.INDEX_OPERATION, op="arithmetic with conditions")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _arithmetic
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _arithmetic


def _asked_often(trace: Trace) -> bool:
    """Whether Python has got True here so often that this may be a `while` without an end."""
    found = tracing.finder().current()
    if found is None:
        return False
    key = ("asked", found[0], found[1])
    count = trace.cache.get(key, 0)
    assert isinstance(count, int)
    trace.cache[key] = count + 1
    return count >= MOST_ASKED


# --- comparing ------------------------------------------------------------------------------------


def compare(op: str, lhs: Index, other: object) -> Any:
    """`lhs op other`: a `Condition`; tensors are left to their own operators."""
    rhs = other if isinstance(other, Index) else as_integer(other)
    if rhs is None:
        if isinstance(other, Traced):
            return NotImplemented
        fail(errors.INDEX_OPERATION, op=f"comparison with {kind_of(other)}")
    trace = lhs.trace
    a, b = use(trace, lhs), use(trace, rhs)
    known = _known(op, interval(trace, a), interval(trace, b))
    return _compared(trace, op, a, b, known)


def _compared(trace: Trace, op: str, a: Any, b: Any, known: bool | None) -> Condition:
    place = tracing.here()
    node = Compare(place=place, block=trace.block, name=place.name, op=op, lhs=a, rhs=b)
    return Condition(trace, trace.add(node), known)


def _known(op: str, a: Interval, b: Interval) -> bool | None:
    """The answer where the intervals have it."""
    if a.unknown or b.unknown:
        return None
    if op in ("gt", "ge"):
        return _known("lt" if op == "gt" else "le", b, a)
    if op == "lt":
        return True if a.high < b.low else False if a.low >= b.high else None
    if op == "le":
        return True if a.high <= b.low else False if a.low > b.high else None
    apart = a.high < b.low or b.high < a.low
    same = a.low == a.high == b.low == b.high
    return (apart == (op == "ne")) if apart or same else None


def _logic(op: str, a: Condition, b: object) -> Any:
    if isinstance(b, bool):
        b = constant(a.trace, b)
    if not isinstance(b, Condition):
        if isinstance(b, Traced):
            return NotImplemented
        fail(errors.INDEX_OPERATION, op=f"logic of a condition and {kind_of(b)}")
    place = tracing.here()
    lhs, rhs = _usable(a), _usable(b)
    node = Logic(place=place, block=a.trace.block, name=place.name, op=op, lhs=lhs, rhs=rhs)
    return Condition(a.trace, a.trace.add(node), _combined(op, a.known, b.known))


def _combined(op: str, a: bool | None, b: bool | None) -> bool | None:
    if op == "xor":
        return None if a is None or b is None else a != b
    deciding = op == "or"
    if deciding in (a, b):
        return deciding
    return None if a is None or b is None else not deciding


def constant(trace: Trace, value: bool) -> Condition:
    """A condition that is one Python bool."""
    return _compared(trace, "eq", 0, 0 if value else 1, value)


def _usable(value: Condition) -> BoolNode:
    trace = tracing.current("conditions")
    tracing.check_usable(trace, value.trace, value.node, value.describe())
    return value.node


# --- to and from tensors --------------------------------------------------------------------------


def condition_of(value: Any, what: str) -> Condition:
    """A condition from a comparison, a bool, or a tensor of one boolean."""
    from spyrelang.language import elementwise
    from spyrelang.language.structured import node_of

    trace = tracing.current(what)
    if isinstance(value, bool):
        return constant(trace, value)
    if isinstance(value, Condition):
        _usable(value)
        return value
    tensor = elementwise.tensor_operand(value, what)
    if tensor.dtype != i1 or tensor.shape not in ((), (1,) * tensor.rank):
        got = f"a tensor of shape {tensor.shape} and type {tensor.dtype}"
        fail(errors.CONDITION, what=what, got=got)
    place = tracing.here()
    node = node_of(trace, tensor)
    found = ExtractedBool(place=place, block=trace.block, name=place.name, value=node)
    return Condition(trace, trace.add(found))


def integer_of(value: Any, what: str) -> Index:
    """A traced integer from an integer tensor of one element, or a tile of one."""
    from spyrelang.language import elementwise
    from spyrelang.language.structured import node_of

    trace = tracing.current(what)
    tensor = elementwise.tensor_operand(value, what)
    single = tensor.shape in ((), (1,) * tensor.rank)
    if not single or not tensor.dtype.is_int or tensor.dtype == i1:
        got = f"a tensor of shape {tensor.shape} and type {tensor.dtype}"
        fail(errors.INTEGER, what=what, got=got)
    place = tracing.here()
    source = node_of(trace, tensor)
    node = Extracted(place=place, block=trace.block, name=place.name, value=source)
    return symbol_index(trace, trace.add(node))


def as_tensor(value: Index | Condition) -> Tensor:
    """A traced integer or condition as a tensor without axes, of type index or i1."""
    trace = tracing.current("tensors")
    tracing.check_usable(trace, value.trace, value.node, value.describe())
    dtype = index if isinstance(value, Index) else i1
    place = tracing.here()
    node = Scalar(place=place, block=trace.block, shape=(), dtype=dtype, value=value.node)
    return Tensor(trace, trace.add(node), dtype, (), ())


def choose(condition: Condition, a: Index | int, b: Index | int) -> Any:
    """a where the condition holds, else b: of integers."""
    trace = condition.trace
    if condition.known is not None:
        return a if condition.known else b
    place = tracing.here()
    node = Chosen(
        place=place, block=trace.block, name=place.name, condition=_usable(condition),
        lhs=use(trace, a), rhs=use(trace, b),
    )  # fmt: skip
    return symbol_index(trace, trace.add(node))
