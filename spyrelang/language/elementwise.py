"""Element-wise computation: coercion of operands, broadcasting, and the node that results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from spyrelang.errors import trace as errors
from spyrelang.language import bodies, tracing
from spyrelang.language.bodies import Body, Build
from spyrelang.language.conditions import Condition, as_tensor
from spyrelang.language.graph import Access, Map, ValueNode
from spyrelang.language.index import Index
from spyrelang.language.scalars import Number, as_number, typed
from spyrelang.language.standing import stood_for
from spyrelang.language.tensor import Tensor
from spyrelang.language.tracing import Trace, fail, kind_of
from spyrelang.semantics.dtypes import DType

SYMBOLS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "and": "&",
    "or": "|",
    "xor": "^",
    "shl": "<<",
    "shr": ">>",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
}
"""How the author writes an operator."""

# --- operands -------------------------------------------------------------------------------------


def operand(value: Any, what: str) -> Tensor | Number:
    """A tensor (a tile is loaded) or a Python number; everything else is refused by name."""
    from spyrelang.language.memory import load
    from spyrelang.language.views import Tile, View, refuse_view

    if isinstance(value, Tensor):
        return value
    if isinstance(value, Tile):
        return load(value)
    if isinstance(value, View):
        refuse_view(value, what)
    if isinstance(value, Index | Condition):
        fail(errors.TRACED_INT_OPERAND, op=what, what=value.describe(), dtype="no tensor")
    number = as_number(value)
    if number is None:
        fail(errors.OPERAND, op=what, got=_described(value), hint=_operand_hint(value))
    return number


def _described(value: object) -> str:
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return f"an array of shape {shape}"
    return kind_of(value)


def _operand_hint(value: object) -> str | None:
    if hasattr(value, "shape"):
        return "pass the array as a parameter of the kernel and load it"
    return None


def tensor_operand(value: Any, what: str, pairs: bool = False) -> Tensor:
    """As `operand`, but a number is refused, and a pair where those are not meant."""
    found = operand(value, what)
    if not isinstance(found, Tensor):
        fail(
            errors.OPERAND, op=what, got=f"the number {found}", hint="use Python's math for numbers"
        )
    if found.dtype.is_pair and not pairs:
        _refuse_pair(what, found.dtype)
    return found


def _refuse_pair(what: str, dtype: DType) -> NoReturn:
    hint = "spy.layernorm_scale takes the pair; spy.exx2 gives two values instead"
    fail(errors.OPERAND_DTYPE, op=what, dtype=dtype, hint=hint)


def common(values: Sequence[Any], what: str) -> list[Tensor]:
    """Operands of one element type; numbers take the type of the tensors."""
    found = [v if isinstance(v, Index | Condition) else operand(v, what) for v in values]
    tensors = [v for v in found if isinstance(v, Tensor)]
    if not tensors:
        found = [operand(v, what) for v in found]
    if not tensors:
        fail(errors.NO_DTYPE, op=what)
    dtype = tensors[0].dtype
    if dtype.is_pair:
        _refuse_pair(what, dtype)
    for other in tensors[1:]:
        if other.dtype != dtype:
            fail(errors.MIXED_DTYPES, op=what, first=dtype, second=other.dtype)
    trace = tracing.current(what)
    return [_typed(trace, v, dtype, what) for v in found]


def _typed(trace: Trace, value: Any, dtype: DType, what: str) -> Tensor:
    """An operand with the type of the others; floats take no traced integers."""
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, Index | Condition):
        return scalar(trace, value, dtype)
    found = as_tensor(value)
    if found.dtype == dtype:
        return found
    if not dtype.is_int or bodies.I1 in (dtype, found.dtype):
        hint = f"convert it: spy.cast(i, spy.{dtype})"
        misuse = tracing.error(
            errors.TRACED_INT_OPERAND, op=what, what=value.describe(), dtype=dtype, hint=hint
        )
        number = stood_for(value, misuse) if isinstance(value, Index) else None
        if number is None:
            raise misuse
        return scalar(trace, number, dtype)
    return apply((found,), bodies.cast(found.dtype, dtype), dtype)


def scalar(trace: Trace, value: Number, dtype: DType) -> Tensor:
    """A number as a tensor without axes."""
    return Tensor(trace, typed(value, dtype), dtype, (), ())


# --- Python's operators and functions of one or two operands --------------------------------------


def operator(op: str, lhs: Any, rhs: Any) -> Tensor:
    """`lhs op rhs`, element by element."""
    return two(op, SYMBOLS[op], lhs, rhs)


def two(name: str, what: str, lhs: Any, rhs: Any) -> Tensor:
    """A function of two operands by its name in `bodies`; `what` is how the author wrote it."""
    a, b = common((lhs, rhs), what)
    build = bodies.binary(name, a.dtype)
    if build is None:
        fail(errors.OPERAND_DTYPE, op=what, dtype=a.dtype, hint=_dtype_hint(name, a.dtype))
    if name in ("div", "floordiv", "mod", "realdiv"):
        _check_zero(b)
    if name in ("shl", "shr"):
        _check_shift(what, b)
    if name in ("floordiv", "mod") and _power_of_two(b):
        return _by_bits(name, a, b)
    if name == "pow" and b.constant is not None:
        return _power(a, b, b.constant)
    comparison = name in ("eq", "ne", "lt", "le", "gt", "ge")
    return apply((a, b), build, bodies.I1 if comparison else a.dtype)


def _power_of_two(divisor: Tensor) -> bool:
    value = divisor.constant
    return isinstance(value, int) and value > 0 and value & (value - 1) == 0


def _by_bits(name: str, a: Tensor, divisor: Tensor) -> Tensor:
    """Rounding down by a power of two is a shift, and the remainder a mask, also below zero."""
    value = int(divisor.constant or 1)
    op, number = ("shrsi", value.bit_length() - 1) if name == "floordiv" else ("andi", value - 1)
    constant = Tensor(a.trace, number, a.dtype, (), ())
    return apply((a, constant), bodies.single(f"arith.{op}"), a.dtype)


_MOST_PRODUCTS = 16
"""Larger exponents of floats are left to math.powf, which rounds once."""


def _power(base: Tensor, other: Tensor, exponent: Number) -> Tensor:
    """`base ** exponent` by multiplication, roots or `powf`."""
    dtype = base.dtype
    if exponent == 2:
        product = "arith.mulf" if dtype.is_float else "arith.muli"
        return apply((base, base), bodies.single(product), dtype)
    if exponent in (0.5, -1) and dtype.is_float:
        return unary("sqrt" if exponent == 0.5 else "reciprocal", base)
    if exponent < 0 and dtype.is_int:
        hint = "cast to f32 first: integers have no reciprocal"
        fail(errors.SCALAR_RANGE, value=exponent, dtype="an exponent of integers", low=0,
             high="any", hint=hint)  # fmt: skip
    whole = exponent >= 0 and (isinstance(exponent, int) or exponent.is_integer())
    if whole and (dtype.is_int or exponent <= _MOST_PRODUCTS):
        return apply((base,), bodies.power(dtype, int(exponent)), dtype)
    build = bodies.binary("pow", dtype)
    assert build is not None
    return apply((base, other), build, dtype)


def _check_zero(divisor: Tensor) -> None:
    if divisor.constant == 0:
        fail(errors.DIVISION_BY_ZERO)


def _check_shift(what: str, amount: Tensor) -> None:
    bits, value = amount.dtype.bits, amount.constant
    if value is not None and not 0 <= value < bits:
        fail(
            errors.SCALAR_RANGE, value=value, dtype=f"shift of {amount.dtype}", low=0, high=bits - 1
        )


def _dtype_hint(name: str, dtype: DType) -> str | None:
    if dtype.name == "i1":
        return "use & | ^ ~ on booleans, or cast to i32 first"
    if name in ("div", "realdiv"):
        return "use //, or cast to f32 first"
    if name in ("floordiv", "mod"):
        return "these are for integers; use / for floats"
    return "cast the operands to a type that has it"


def unary(name: str, value: Any) -> Tensor:
    """A function of one operand by its name in `bodies`."""
    what = "-" if name == "neg" else f"spy.{name}"
    x = tensor_operand(value, what)
    build = bodies.unary(name, x.dtype)
    if build is None:
        fail(errors.OPERAND_DTYPE, op=what, dtype=x.dtype, hint="cast to f16 or f32 first")
    return apply((x,), build, x.dtype)


def invert(value: Any) -> Tensor:
    """`~value` of integers and booleans."""
    x = tensor_operand(value, "~")
    if not x.dtype.is_int:
        fail(errors.OPERAND_DTYPE, op="~", dtype=x.dtype, hint="~ is for integers and booleans")
    ones = Tensor(x.trace, True if x.dtype.name == "i1" else -1, x.dtype, (), ())
    return apply((x, ones), bodies.single("arith.xori"), x.dtype)


# --- the computation ------------------------------------------------------------------------------


def broadcast(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The common shape, as in numpy; refuses shapes that do not agree."""
    rank = max(map(len, shapes))
    result: list[int] = []
    for axis in range(-rank, 0):
        sizes = list(dict.fromkeys(s[axis] for s in shapes if len(s) >= -axis and s[axis] != 1))
        if len(sizes) > 1:
            texts = " and ".join(_shape_text(s) for s in dict.fromkeys(shapes) if s)
            fail(errors.SHAPES, shapes=texts, axis=axis, sizes=" and ".join(map(str, sizes)))
        result.append(sizes.pop() if sizes else 1)
    return tuple(result)


def _shape_text(shape: tuple[int, ...]) -> str:
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def apply(inputs: Sequence[Tensor], build: Build, dtype: DType) -> Tensor:
    """Compute `build` at every element of the broadcast inputs."""
    shape = broadcast([t.shape for t in inputs])
    physical, axes = _layout(inputs, shape)
    return compute(inputs, build, dtype, shape, physical, axes)


def compute(
    inputs: Sequence[Tensor],
    build: Build,
    dtype: DType,
    shape: tuple[int, ...],
    physical: tuple[int, ...],
    axes: tuple[int | None, ...],
) -> Tensor:
    """As `apply`, with the result in memory order `physical` whose axes are `axes` of `shape`."""
    trace = tracing.current("element-wise operations")
    place = tracing.here()
    nodes: list[ValueNode] = []
    accesses: list[Access] = []
    slots: list[int] = []
    for tensor in inputs:
        slots.append(-1 if tensor.constant is not None else len(nodes))
        if isinstance(tensor.node, ValueNode):
            access = access_of(tensor, shape, physical, axes)
            slots[-1] = _entered(nodes, accesses, node_of(trace, tensor), access)
    body = Body(tuple(n.dtype for n in nodes))
    numbers = [
        slot if slot >= 0 else body.const(_constant(t), t.dtype)
        for slot, t in zip(slots, inputs, strict=True)
    ]
    build(body, *numbers)
    node = Map(
        place=place,
        block=trace.block,
        name=place.name,
        shape=physical,
        dtype=dtype,
        inputs=tuple(nodes),
        accesses=tuple(accesses),
        body=tuple(body.ops),
    )
    return Tensor(trace, trace.add(node), dtype, shape, axes)


def _constant(tensor: Tensor) -> Number:
    value = tensor.constant
    assert value is not None
    return value


def _entered(
    nodes: list[ValueNode], accesses: list[Access], node: ValueNode, access: Access
) -> int:
    """The slot of an input; the same value read in the same way is one input."""
    for slot, (known, how) in enumerate(zip(nodes, accesses, strict=True)):
        if known is node and how == access:
            return slot
    nodes.append(node)
    accesses.append(access)
    return len(nodes) - 1


def node_of(trace: Trace, tensor: Tensor) -> ValueNode:
    """The node of a tensor that may be used in the current block."""
    node = tensor.node
    assert isinstance(node, ValueNode)
    tracing.check_usable(trace, tensor.trace, node, tensor.describe())
    return node


def _layout(
    inputs: Sequence[Tensor], shape: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int | None, ...]]:
    """The memory order of the result: that of the first input that fills the whole shape."""
    for tensor in inputs:
        if isinstance(tensor.node, ValueNode) and _fills(tensor, shape):
            return tensor.node.shape, shifted(tensor, len(shape))
    return shape, tuple(range(len(shape)))


def _fills(tensor: Tensor, shape: tuple[int, ...]) -> bool:
    node = tensor.node
    assert isinstance(node, ValueNode)
    axes = shifted(tensor, len(shape))
    sizes = {axis: size for axis, size in zip(axes, node.shape, strict=True) if axis is not None}
    return all(sizes.get(axis, 1) == size for axis, size in enumerate(shape))


def shifted(tensor: Tensor, rank: int) -> tuple[int | None, ...]:
    """The tensor's axes in a shape of `rank` axes: shapes are aligned at the right."""
    offset = rank - tensor.rank
    return tuple(None if axis is None else axis + offset for axis in tensor.axes)


def access_of(
    tensor: Tensor,
    shape: tuple[int, ...],
    physical: tuple[int, ...],
    axes: tuple[int | None, ...],
) -> Access:
    """How `tensor` is read at the points of `physical`."""
    node = tensor.node
    assert isinstance(node, ValueNode)
    mine = shifted(tensor, len(shape))
    if node.shape == physical and _same_axes(mine, axes, physical):
        return Access(tuple(range(len(physical))))
    dims = {axis: dim for dim, axis in enumerate(axes) if axis is not None}
    return Access(
        tuple(
            dims[axis] if axis is not None and axis in dims and size == shape[axis] else None
            for axis, size in zip(mine, node.shape, strict=True)
        )
    )


def _same_axes(
    a: tuple[int | None, ...], b: tuple[int | None, ...], sizes: tuple[int, ...]
) -> bool:
    """Unit axes are the same element whichever axis they are called."""
    return all(size == 1 or x == y for x, y, size in zip(a, b, sizes, strict=True))
