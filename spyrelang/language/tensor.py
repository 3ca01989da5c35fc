"""`Tensor`: a traced tensor value, its logical shape, and Python's operators on it.

The value in memory order ("physical") keeps unit axes that integer subscripts dropped, and is never
moved for `transpose`, `expand_dims`, `squeeze` or `broadcast_to`: `axes` says which logical axis
each physical axis is. Whoever computes with the value reads it through that.
"""

from __future__ import annotations

from typing import Any, NoReturn

from spyrelang.errors import trace as errors
from spyrelang.language.graph import ValueNode
from spyrelang.language.index import Traced
from spyrelang.language.scalars import Number, as_number
from spyrelang.language.tracing import Trace, fail
from spyrelang.semantics.dtypes import DType

_UFUNCS = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "true_divide": "div",
    "divide": "div",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "power": "pow",
    "equal": "eq",
    "not_equal": "ne",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
    "left_shift": "shl",
    "right_shift": "shr",
}


class Arithmetic(Traced):
    """Python's operators, for values and for tiles (which are loaded first)."""

    def _binary(self, op: str, lhs: Any, rhs: Any) -> Tensor:
        from spyrelang.language import elementwise

        return elementwise.operator(op, lhs, rhs)

    def __add__(self, other: Any) -> Tensor:
        return self._binary("add", self, other)

    def __radd__(self, other: Any) -> Tensor:
        return self._binary("add", other, self)

    def __sub__(self, other: Any) -> Tensor:
        return self._binary("sub", self, other)

    def __rsub__(self, other: Any) -> Tensor:
        return self._binary("sub", other, self)

    def __mul__(self, other: Any) -> Tensor:
        return self._binary("mul", self, other)

    def __rmul__(self, other: Any) -> Tensor:
        return self._binary("mul", other, self)

    def __setitem__(self, key: object, value: object) -> NoReturn:
        hint = "values never change: make another by spy.where or spy.concat, or store to memory"
        fail(errors.NOT_A_TILE, what="an assignment", got=f"a part of {self.describe()}", hint=hint)

    def __truediv__(self, other: Any) -> Tensor:
        return self._binary("div", self, other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return self._binary("div", other, self)

    def __floordiv__(self, other: Any) -> Tensor:
        return self._binary("floordiv", self, other)

    def __rfloordiv__(self, other: Any) -> Tensor:
        return self._binary("floordiv", other, self)

    def __mod__(self, other: Any) -> Tensor:
        return self._binary("mod", self, other)

    def __rmod__(self, other: Any) -> Tensor:
        return self._binary("mod", other, self)

    def __pow__(self, other: Any) -> Tensor:
        return self._binary("pow", self, other)

    def __rpow__(self, other: Any) -> Tensor:
        return self._binary("pow", other, self)

    def __and__(self, other: Any) -> Tensor:
        return self._binary("and", self, other)

    def __rand__(self, other: Any) -> Tensor:
        return self._binary("and", other, self)

    def __or__(self, other: Any) -> Tensor:
        return self._binary("or", self, other)

    def __ror__(self, other: Any) -> Tensor:
        return self._binary("or", other, self)

    def __xor__(self, other: Any) -> Tensor:
        return self._binary("xor", self, other)

    def __rxor__(self, other: Any) -> Tensor:
        return self._binary("xor", other, self)

    def __lshift__(self, other: Any) -> Tensor:
        return self._binary("shl", self, other)

    def __rlshift__(self, other: Any) -> Tensor:
        return self._binary("shl", other, self)

    def __rshift__(self, other: Any) -> Tensor:
        return self._binary("shr", self, other)

    def __rrshift__(self, other: Any) -> Tensor:
        return self._binary("shr", other, self)

    def __lt__(self, other: Any) -> Tensor:
        return self._binary("lt", self, other)

    def __le__(self, other: Any) -> Tensor:
        return self._binary("le", self, other)

    def __gt__(self, other: Any) -> Tensor:
        return self._binary("gt", self, other)

    def __ge__(self, other: Any) -> Tensor:
        return self._binary("ge", self, other)

    def __eq__(self, other: Any) -> Tensor:  # type: ignore[override]
        return self._binary("eq", self, other)

    def __ne__(self, other: Any) -> Tensor:  # type: ignore[override]
        return self._binary("ne", self, other)

    __hash__ = object.__hash__

    def __matmul__(self, other: Any) -> Tensor:
        from spyrelang.language import contraction

        return contraction.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Tensor:
        from spyrelang.language import contraction

        return contraction.matmul(other, self)

    def __neg__(self) -> Tensor:
        from spyrelang.language import elementwise

        return elementwise.unary("neg", self)

    def __pos__(self) -> Arithmetic:
        return self

    def __abs__(self) -> Tensor:
        from spyrelang.language import elementwise

        return elementwise.unary("abs", self)

    def __invert__(self) -> Tensor:
        from spyrelang.language import elementwise

        return elementwise.invert(self)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """numpy scalars left of an operator arrive here; arrays and functions are refused."""
        op = _UFUNCS.get(ufunc.__name__)
        plain = all(isinstance(i, Arithmetic) or as_number(i) is not None for i in inputs)
        if op is None or method != "__call__" or kwargs or not plain:
            fail(errors.NUMPY_ON_TRACED, what=self.describe(), function=f"numpy.{ufunc.__name__}")
        return self._binary(op, *inputs)


class Tensor(Arithmetic):
    """A traced tensor value.

    Attributes: `shape` (ints), `dtype`, `rank`. Operators are element-wise and broadcast as numpy
    does; Python numbers take the tensor's type.
    """

    def __init__(
        self,
        trace: Trace,
        node: ValueNode | Number,
        dtype: DType,
        shape: tuple[int, ...],
        axes: tuple[int | None, ...],
    ) -> None:
        self.trace = trace
        self.node = node
        self.axes = axes
        self.shape = shape
        self.dtype = dtype

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def constant(self) -> Number | None:
        """The number that every element is, for `full` and `zeros`."""
        return None if isinstance(self.node, ValueNode) else self.node

    def describe(self) -> str:
        name = self.node.name if isinstance(self.node, ValueNode) else None
        return f"the traced tensor '{name}'" if name else "a traced tensor"

    def __repr__(self) -> str:
        name = self.node.name if isinstance(self.node, ValueNode) else None
        shape = "x".join(map(str, (*self.shape, self.dtype)))
        return f"<traced tensor {name + ' ' if name else ''}{shape}>"

    def __len__(self) -> int:
        if not self.shape:
            fail(errors.ITER_TRACED, what=self.describe())
        return self.shape[0]

    @property
    def T(self) -> Tensor:
        """The value with its axes reversed."""
        from spyrelang.language import shapes

        return shapes.transpose(self)

    def __getitem__(self, key: object) -> Tensor:
        from spyrelang.language import parts

        return parts.subscript(self, key)
