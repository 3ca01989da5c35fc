"""Matrix products. They are added up in a wide accumulator, which is what they give."""

from __future__ import annotations

import math
from typing import Any

from spyrelang.affine import Dim, Map
from spyrelang.errors import trace as errors
from spyrelang.language import bodies, elementwise, shapes, structured, tracing
from spyrelang.language.bodies import Body
from spyrelang.language.graph import Result, Structured, ValueNode
from spyrelang.language.tensor import Tensor
from spyrelang.language.tracing import Trace, fail
from spyrelang.language.types import element_type, f32, i32
from spyrelang.semantics.dtypes import DType


def dot(a: Any, b: Any, acc: Any = None, dtype: Any = None) -> Tensor:
    """acc + a · b of matrices [M, K] and [K, N] (or vectors, as in numpy) of one type.

    Floats are added up in f32, integers in i32 (i64 ones in i64). The result has that type, or
    `dtype`, to which it is rounded once. `acc` has the accumulator's type and the shape of the
    result; None starts from zero. Transposed operands are read as they lie.

    >>> evaluate(lambda a, b: spy.dot(a, b), [[1.0, 2.0]], [[3.0], [4.0]])
    array([[11.]], dtype=float32)
    """
    x, y = _operands("spy.dot", a, b)
    if not 1 <= x.rank <= 2 or not 1 <= y.rank <= 2:
        hint = "use spy.batch_dot for more axes" if max(x.rank, y.rank) > 2 else None
        _refuse("spy.dot", x, y, "operands have one or two axes", hint)
    left = shapes.expand_dims(x, 0) if x.rank == 1 else x
    right = shapes.expand_dims(y, 1) if y.rank == 1 else y
    start = None if acc is None else _accumulator("spy.dot", acc, x, y)
    shape = _product_shape(x, y)
    _check_start("spy.dot", start, shape)
    found = _product("spy.dot", left, right, _as_matrix(start, x, y), dtype)
    gone = [axis for axis, v in enumerate((x, y)) if v.rank == 1]
    return shapes.squeeze(found, gone) if gone else found


def batch_dot(a: Any, b: Any, acc: Any = None, dtype: Any = None) -> Tensor:
    """acc + a · b of stacks of matrices [B…, M, K] and [B…, K, N]; the axes B… broadcast. Types
    are those of `dot`.

    >>> evaluate(lambda a, b: spy.batch_dot(a, b), [[[1.0, 2.0]]], [[[3.0], [4.0]]])
    array([[[11.]]], dtype=float32)
    """
    x, y = _operands("spy.batch_dot", a, b)
    if x.rank < 3 or y.rank < 3:
        hint = "use spy.dot for matrices, or add an axis: v[None, :, :]"
        _refuse("spy.batch_dot", x, y, "operands have three axes or more", hint)
    lead = elementwise.broadcast([x.shape[:-2], y.shape[:-2]])
    x = shapes.broadcast_to(x, (*lead, *x.shape[-2:]))
    y = shapes.broadcast_to(y, (*lead, *y.shape[-2:]))
    start = None if acc is None else _accumulator("spy.batch_dot", acc, x, y)
    _check_start("spy.batch_dot", start, _product_shape(x, y))
    return _product("spy.batch_dot", x, y, start, dtype)


def matmul(a: Any, b: Any) -> Tensor:
    """`a @ b`."""
    ranks = [elementwise.tensor_operand(v, "@") for v in (a, b)]
    return (batch_dot if max(v.rank for v in ranks) > 2 else dot)(*ranks)


# --- operands -------------------------------------------------------------------------------------


def _operands(what: str, a: Any, b: Any) -> tuple[Tensor, Tensor]:
    x, y = elementwise.tensor_operand(a, what), elementwise.tensor_operand(b, what)
    if x.dtype != y.dtype:
        fail(errors.MIXED_DTYPES, op=what, first=x.dtype, second=y.dtype)
    if x.dtype.name in ("i1", "index"):
        fail(errors.OPERAND_DTYPE, op=what, dtype=x.dtype, hint="cast to i32 or f16 first")
    return x, y


def accumulator_type(dtype: DType) -> DType:
    """What products of a type are added up in."""
    if dtype.is_float:
        return f32
    return dtype if dtype.bits > 32 else i32


def _accumulator(what: str, acc: Any, x: Tensor, y: Tensor) -> Tensor:
    wide = accumulator_type(x.dtype)
    start = elementwise.operand(acc, what)
    if not isinstance(start, Tensor):
        return shapes.full(_product_shape(x, y), start, wide)
    if start.dtype != wide:
        hint = f"start it as {wide}: spy.zeros({_product_shape(x, y)}, spy.{wide})"
        fail(errors.ACCUMULATOR, op=what, want=wide, got=start.dtype, hint=hint)
    return start


def _check_start(what: str, start: Tensor | None, shape: tuple[int, ...]) -> None:
    if start is not None and start.shape != shape:
        fail(errors.ACCUMULATOR, op=what, want=f"shape {shape}", got=f"shape {start.shape}")


def _product_shape(x: Tensor, y: Tensor) -> tuple[int, ...]:
    return (*x.shape[:-1], *y.shape[-1:]) if y.rank > 1 else x.shape[:-1]


def _as_matrix(start: Tensor | None, x: Tensor, y: Tensor) -> Tensor | None:
    """The accumulator with the unit axes that vectors got."""
    new = [axis for axis, v in enumerate((x, y)) if v.rank == 1]
    return shapes.expand_dims(start, new) if start is not None and new else start


def _refuse(what: str, x: Tensor, y: Tensor, rule: str, hint: str | None = None) -> None:
    fail(errors.CONTRACTION, op=what, first=x.shape, second=y.shape, rule=rule, hint=hint)


# --- the product ----------------------------------------------------------------------------------


def _product(what: str, x: Tensor, y: Tensor, start: Tensor | None, dtype: Any) -> Tensor:
    if x.shape[-1] != y.shape[-2]:
        rule = f"the inner axes have sizes {x.shape[-1]} and {y.shape[-2]}"
        _refuse(what, x, y, rule)
    trace = tracing.current(what)
    wide = accumulator_type(x.dtype)
    target = wide if dtype is None else element_type(dtype)
    if target.is_float != wide.is_float or target.name == "index":
        hint = "cast the result"
        fail(errors.MIXED_DTYPES, op=what, first=wide, second=f"dtype={target}", hint=hint)
    found = _contracted(trace, x, y, start, wide)
    if target == wide:
        return structured.named(found)
    return elementwise.apply((found,), bodies.cast(wide, target), target)


def _contracted(trace: Trace, x: Tensor, y: Tensor, start: Tensor | None, wide: DType) -> Tensor:
    shape = (*x.shape[:-1], y.shape[-1])
    stacked = len(shape) > 2
    left, right = _oriented(trace, x), _oriented(trace, y)
    lead = (math.prod(shape[:-2]),) if stacked else ()
    memory = (*lead, *shape[-2:])
    if start is None:
        init: ValueNode = structured.filled(trace, 0.0 if wide.is_float else 0, wide, memory)
    else:
        init = structured.reshaped(trace, structured.plain(trace, start), memory)
    node = _node(trace, left, right, init, stacked)
    result = Result(place=node.place, block=trace.block, shape=memory, dtype=wide, source=node)
    if memory == shape:
        return structured.wrap(trace, result)
    return structured.wrap(trace, structured.reshaped(trace, result, shape))


def _oriented(trace: Trace, value: Tensor) -> tuple[ValueNode, bool]:
    """A stack of at most one axis as it lies in memory, and whether that is transposed."""
    source = structured.spread(trace, value)
    order = structured.memory_order(source)
    swapped = [*range(value.rank - 2), value.rank - 1, value.rank - 2]
    turned = order != sorted(order) and order == [a for a in swapped if a in order]
    node = structured.plain(trace, shapes.transpose(source, swapped) if turned else source)
    if value.rank > 3:
        stack = math.prod(node.shape[:-2])
        node = structured.reshaped(trace, node, (stack, *node.shape[-2:]))
    return node, turned


def _node(
    trace: Trace,
    left: tuple[ValueNode, bool],
    right: tuple[ValueNode, bool],
    init: ValueNode,
    stacked: bool,
) -> Structured:
    batch = (0,) if stacked else ()
    m, n, k = (len(batch) + i for i in range(3))
    axes = ((k, m) if left[1] else (m, k), (n, k) if right[1] else (k, n), (m, n))
    loops = k + 1
    maps = tuple(Map(loops, 0, tuple(Dim(d) for d in (*batch, *pair))) for pair in axes)
    body = Body((left[0].dtype, right[0].dtype, init.dtype))
    number = _multiply_add(body, init.dtype)
    place = tracing.here()
    return trace.add(
        Structured(
            place=place, block=trace.block, inputs=(left[0], right[0]), inits=(init,), maps=maps,
            reduced=(*(False,) * k, True), body=tuple(body.ops), yields=(number,),
            form="batch_matmul" if stacked else "matmul",
        )
    )  # fmt: skip


def _multiply_add(body: Body, wide: DType) -> int:
    factors = [
        n if body.dtypes[n] == wide else bodies.cast(body.dtypes[n], wide)(body, n) for n in (0, 1)
    ]
    kind = "f" if wide.is_float else "i"
    return body.op(f"arith.add{kind}", 2, body.op(f"arith.mul{kind}", *factors))
