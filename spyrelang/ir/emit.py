"""Appending ops: text-typed building, index arithmetic, and what DataflowIR functions share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mlir import ir

from spyrelang.affine import Add, Binary, CeilDiv, Const, Dim, Expr, FloorDiv, Map, Mod, Mul
from spyrelang.errors import Location, internal_error
from spyrelang.ir.index import Index, Value


@lru_cache(maxsize=4096)
def attribute(text: str) -> Any:
    """The attribute spelled `text`. Ours to write, so never foreign."""
    return ir.Attribute.parse(text)


@lru_cache(maxsize=1024)
def type_of(text: str) -> Any:
    """The type spelled `text`."""
    return ir.Type.parse(text)


def op_location(place: Location | None) -> Any:
    """The MLIR location of a place in the author's text."""
    if place is None or not place.line:
        return ir.Location.unknown()
    return ir.Location.file(place.file, place.line, place.col)


@dataclass
class Emitter:
    """Appends to one insertion point. `at` moves it; `place` is the location given to new ops."""

    ip: Any
    place: Any

    def op(
        self,
        name: str,
        operands: Sequence[Value] = (),
        attributes: Mapping[str, str] | None = None,
        results: Sequence[str] = (),
        regions: int = 0,
    ) -> Any:
        """Append an op; attributes and result types as text."""
        parsed = {key: attribute(text) for key, text in attributes.items()} if attributes else None
        types = [type_of(text) for text in results]
        return ir.Operation.create(
            name,
            results=types,
            operands=list(operands),
            attributes=parsed,
            regions=regions,
            loc=self.place,
            ip=self.ip,
        )

    def value(
        self,
        name: str,
        operands: Sequence[Value] = (),
        attributes: Mapping[str, str] | None = None,
        result: str = "index",
    ) -> Value:
        """Append an op of one result and return that."""
        return self.op(name, operands, attributes, (result,)).results[0]

    def block(self, op: Any, types: Sequence[str] = ()) -> Any:
        """Give the first region of `op` its block."""
        kinds = [type_of(text) for text in types]
        return op.regions[0].blocks.append(*kinds, arg_locs=[self.place] * len(kinds))

    def inside(self, block: Any) -> Emitter:
        return Emitter(ir.InsertionPoint(block), self.place)

    def located(self, place: Location | None) -> Emitter:
        """The same point, with another location for what is appended."""
        return Emitter(self.ip, op_location(place)) if place is not None else self


class IndexEmitter:
    """Turns `Index` expressions into SSA values with `arith` ops."""

    def __init__(self, emitter: Emitter, const: Callable[[int], Value]) -> None:
        self._emitter = emitter
        self._const = const

    def emit(self, index: Index) -> Value:
        return self._expr(index.expr, index.values)

    def _expr(self, expr: Expr, values: Sequence[Value]) -> Value:
        if isinstance(expr, Const):
            return self._const(expr.value)
        if isinstance(expr, Dim):
            return values[expr.index]
        if isinstance(expr, Binary) and type(expr) in _BINARY:
            operands = [self._expr(expr.lhs, values), self._expr(expr.rhs, values)]
            return self._emitter.value(_BINARY[type(expr)], operands)
        raise internal_error("lower", f"index expression {expr} has no arith form")


# Counts and coordinates are never negative, so the remainder is the modulus.
_BINARY: dict[type[Any], str] = {
    Add: "arith.addi",
    Mul: "arith.muli",
    FloorDiv: "arith.floordivsi",
    CeilDiv: "arith.ceildivsi",
    Mod: "arith.remsi",
}


def map_text(n_dims: int, results: Sequence[Expr]) -> str:
    """The affine map attribute over `n_dims` dims."""
    return str(Map(n_dims, 0, tuple(results)))
