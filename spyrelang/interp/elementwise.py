"""arith, index, math and spyreop on scalars and on whole tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from spyrelang.errors import SpyreError
from spyrelang.errors import interp as errors
from spyrelang.interp.compiler import Compiler, Slot, attributes
from spyrelang.interp.constants import constant
from spyrelang.interp.frame import Frame, Step
from spyrelang.interp.index_dialect import WIDTH, arith_attributes, arith_name
from spyrelang.interp.registry import Op, builds
from spyrelang.interp.undefined import watch
from spyrelang.interp.values import Array, Undefined, lift, number
from spyrelang.semantics import known, lookup
from spyrelang.semantics.dtypes import DType

ADDRESS_OPS = frozenset(
    {"arith.addi", "arith.subi", "arith.index_cast", "arith.index_castui", "arith.select"}
)
"""Ops whose result may be an address when an operand is one."""

_ON_INTS: dict[str, Callable[[int, int], int]] = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
}
_LIMIT = 1 << 62


@builds("arith.*", "builtin.*", "index.*", "math.*", "spyreop.*")
def _build(c: Compiler, op: Op) -> None:
    sources = c.operands(op)
    kernel = bind(c, op)
    results = [c.define(value, op, *sources) for value in op.results]
    name = arith_name(op)
    if name in ADDRESS_OPS:
        results[0].roots = frozenset[int]().union(*(s.roots for s in sources))
        kind = results[0].dtype
        if results[0].roots and kind is not None and kind.bits < 64:
            c.uses.narrow_addresses = True
    if name in _ON_INTS and results[0].dtype is not None and results[0].dtype.name == "index":
        c.emit(_index_step(_ON_INTS[name], kernel, sources, results[0].index))
    else:
        c.emit(_step(c, op, kernel, sources, results))


def bind(c: Compiler, op: Op, extra: dict[str, object] | None = None) -> Callable[..., Any]:
    """The kernel of the semantics table for an op's element types. Raises SPY553, SPY58x."""
    name = arith_name(op)
    if not known(name):
        raise c.fail(op, "the semantics table does not have it")
    ins = [c.dtype(_element(v.type), op).name for v in op.operands]
    outs = [c.dtype(_element(v.type), op).name for v in op.results]
    try:
        given = arith_attributes(op) if name != op.name else attributes(op)
        return lookup(name).bind({**given, **(extra or {})}, ins, outs)
    except SpyreError as error:
        error.location = error.location or c.place(op)
        raise


def _element(kind: Any) -> Any:
    return getattr(kind, "element_type", kind)


def _index_step(
    on_ints: Callable[[int, int], int], kernel: Callable[..., Any], sources: list[Slot], out: int
) -> Step:
    """Integers in Python while they are uniform and small, else by the table."""
    a, b = sources[0].index, sources[1].index

    def step(f: Frame) -> None:
        x, y = f.regs[a], f.regs[b]
        if type(x) is int and type(y) is int:
            found = on_ints(x, y)
            if -_LIMIT < found < _LIMIT:
                f.regs[out] = found
                return
        f.regs[out] = number(kernel(lift(x, 0, 0), lift(y, 0, 0)))

    return step


def _step(
    c: Compiler, op: Op, kernel: Callable[..., Any], sources: list[Slot], results: list[Slot]
) -> Step:
    """Apply a kernel element by element. Scalars broadcast against tensors (arith.select)."""
    place, name = c.place(op), op.name
    rank = max((s.rank for s in (*sources, *results)), default=0)
    reads = [(s.index, s.rank) for s in sources]
    writes = [
        (r.index, r.dtype is not None and r.dtype.name == "index" and not r.rank) for r in results
    ]
    dynamic, look = any(None in s.shape for s in sources), watch(c, op)

    def step(f: Frame) -> None:
        values = [lift(defined(f.regs[i], name, place), r, rank) for i, r in reads]
        if dynamic:
            same_shape(values, rank, name, place)
        found = kernel(*values)
        if look is not None:
            look(values, found, rank, f)
        for (index, is_index), value in zip(
            writes, found if isinstance(found, tuple) else (found,), strict=True
        ):
            f.regs[index] = number(value) if is_index else value

    return step


def same_shape(values: list[Array], rank: int, name: str, place: Any) -> None:
    """Raise SPY577 where tensors of one op have different shapes at run time."""
    shapes = [v.shape[v.ndim - rank :] for v in values if v.ndim >= rank]
    for shape in shapes[1:]:
        if shape != shapes[0]:
            raise errors.SHAPES_DIFFER.error(place, op=name, got=list(shape), want=list(shapes[0]))


def defined(value: Any, name: str, place: Any) -> Any:
    """The value, if it has contents. Raises SPY564."""
    if isinstance(value, Undefined):
        raise errors.EMPTY_READ.error(place, op=name)
    return np.array(value, np.int64) if type(value) is int else value


def constant_of(c: Compiler, op: Op, slot_type: DType) -> Array:
    """The value of an op of `CONSTANTS`. Raises SPY553 for attributes of other kinds."""
    if op.name == "index.sizeof":
        return np.array(WIDTH, np.int64)
    value = constant(op.attributes["value"], slot_type)
    if value is None:
        raise c.fail(op, "its value is of an unknown kind")
    return value


CONSTANTS = (
    "arith.constant",
    "index.constant",
    "index.bool.constant",
    "index.sizeof",
    "spyreop.constant",
)


@builds(*CONSTANTS)
def _constant(c: Compiler, op: Op) -> None:
    slot = c.result(op)
    slot.tainted, slot.fixed = False, True
    assert slot.dtype is not None  # constants have scalar or tensor types
    value = constant_of(c, op, slot.dtype)
    value.flags.writeable = False
    held = number(value) if slot.dtype.name == "index" and not slot.rank else value
    index = slot.index

    def step(f: Frame) -> None:
        f.regs[index] = held

    c.emit(step)
