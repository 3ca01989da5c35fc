"""From tensors to the scalar DAG: what one element of a tensor is computed from.

A request is a value and the coordinates of one element, each an affine expression over the dims of
the stored box and the environment. Each op answers by naming the elements it needs (`needs`) and
making a node of their nodes (`make`). Requests wait on a list, not on the Python stack, so chains
of any length work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlir import ir

from spyrelang.affine import Const, Dim, Expr, Map
from spyrelang.errors import Location
from spyrelang.errors import schedule as errors
from spyrelang.schedule.split import bodies, reshapes
from spyrelang.schedule.split.graph import Graph, Leaf, Moment, Operation, Touch
from spyrelang.schedule.split.indices import Indices
from spyrelang.schedule.split.source import (
    Op,
    Value,
    element_type,
    is_tensor,
    place,
    shape,
)
from spyrelang.schedule.split.views import Access

Coordinates = tuple[Expr, ...]
Request = tuple[Value, Coordinates]


@dataclass(frozen=True)
class Answer:
    """The elements a value needs, and its node from theirs."""

    needs: tuple[Request, ...]
    make: Callable[[Sequence[int]], int]


class Tensors:
    """Elements of a kernel's tensors as nodes of one graph, for boxes of one shape.

    `loads` says what each `ktdp.load` reads and when.
    """

    def __init__(
        self, graph: Graph, indices: Indices, loads: dict[Value, tuple[Access, Moment]]
    ) -> None:
        self.graph = graph
        self._indices = indices
        self._loads = loads
        self._nodes: dict[tuple[Request, tuple[int, ...]], int] = {}
        self._extents: tuple[int, ...] = ()

    def element(self, value: Value, at: Coordinates, extents: tuple[int, ...]) -> int:
        """The node of value[at], where dim i of `at` runs over extents[i]."""
        self._extents = extents
        pending: list[tuple[Request, Answer | None]] = [((value, at), None)]
        while pending:
            request, answer = pending.pop()
            if (request, extents) in self._nodes:
                continue
            if answer is None:
                answer = self._answer(*request)
                pending.append((request, answer))
                missing = [n for n in answer.needs if (n, extents) not in self._nodes]
                pending += [(need, None) for need in reversed(missing)]
                continue
            nodes = [self._nodes[need, extents] for need in answer.needs]
            self._nodes[request, extents] = answer.make(nodes)
        return self._nodes[(value, at), extents]

    def _answer(self, value: Value, at: Coordinates) -> Answer:
        op = value.owner
        if isinstance(op, ir.Block):
            reason = "its value differs from run to run"
            raise errors.BODY.error(place(op.owner), op="block argument", reason=reason)
        if value in self._loads:
            return self._load(value, at)
        if op.name == "linalg.generic":
            return self._generic(op, value, at)
        if op.name in ("arith.constant", "tensor.empty", "tensor.splat"):
            return self._made(op, value)
        moved = reshapes.source(op, at, self._indices)
        if moved is not None:
            return Answer((moved,), lambda nodes: nodes[0])
        bodies.check_operation(op)
        needs = tuple((operand, at if is_tensor(operand) else ()) for operand in op.operands)
        return Answer(needs, lambda nodes: self._operation(op, nodes))

    # --- where values come from -----------------------------------------------------------------

    def _load(self, value: Value, at: Coordinates) -> Answer:
        """view[origin + at], the part of `at` that does not vary in the box moved to the origin."""
        access, when = self._loads[value]
        touch = touched(access, at, self._extents)
        leaf = Leaf(touch, when)
        return Answer((), lambda _: self.graph.add(leaf))

    def _made(self, op: Op, value: Value) -> Answer:
        if op.name == "tensor.empty":
            raise errors.UNINITIALISED.error(place(op), op=op.name)
        if op.name == "tensor.splat":
            return Answer(((op.operands[0], ()),), lambda nodes: nodes[0])
        text = self._constant_text(op, value)
        node = Operation(
            "arith.constant", (), element_type(value.type), (("value", text),), place(op)
        )
        return Answer((), lambda _: self.graph.add(node))

    def _constant_text(self, op: Op, value: Value) -> str:
        attribute = op.attributes["value"]
        if not is_tensor(value):
            return str(attribute)
        if not (isinstance(attribute, ir.DenseElementsAttr) and attribute.is_splat):
            raise errors.DENSE.error(place(op))
        return str(attribute.get_splat_value())

    # --- computation ----------------------------------------------------------------------------

    def _operation(self, op: Op, operands: Sequence[int], fallback: Location | None = None) -> int:
        dtype = element_type(op.results[0].type)
        attrs = bodies.attributes(op)
        at = place(op) or fallback
        return self.graph.add(Operation(op.name, tuple(operands), dtype, attrs, at))

    def _generic(self, op: Op, value: Value, at: Coordinates) -> Answer:
        """An element of a generic: its body on the elements that its indexing maps select."""
        maps = [Map.parse(str(attribute)) for attribute in op.attributes["indexing_maps"]]
        number = list(op.results).index(value)
        inputs = len(op.operands) - len(op.results)
        bodies.check_generic(op)
        point = _inverse(op, maps[inputs + number], at, shape(value.type))
        body = bodies.Body.read(op)
        needs: list[Request] = []
        for position in body.used:
            operand = op.operands[position]
            selected = _selected(op, maps[position], point) if is_tensor(operand) else ()
            needs.append((operand, selected))
        needs += [(captured, ()) for captured in body.captured]
        # Bodies made by generalising a named op have no places of their own.
        at_op = place(op)
        return Answer(
            tuple(needs),
            lambda nodes: body.evaluate(
                number,
                nodes,
                lambda inner, operands: self._operation(inner, operands, at_op),
                lambda inner: self._operation(inner, (), at_op),
            ),
        )


def touched(access: Access, at: Coordinates, extents: tuple[int, ...]) -> Touch:
    """The elements `access` + `at` over a box. A view without dims counts as one of length 1."""
    zeros = [Const(0)] * len(extents)
    symbols = [Const(0)] * (1 + max((s for e in at for s in e.syms()), default=-1))
    fixed = [coordinate.substitute(zeros) for coordinate in at]
    index = tuple(
        e.substitute((), symbols) - _constant(f, symbols) for e, f in zip(at, fixed, strict=True)
    )
    origin = tuple(o + f for o, f in zip(access.origin, fixed, strict=True))
    return Touch(Access(access.view, origin, access.shape), index, extents, access.location)


def _constant(expr: Expr, symbols: Sequence[Expr]) -> int:
    value = expr.substitute((), symbols).constant
    return 0 if value is None else value


def _inverse(op: Op, map_: Map, at: Coordinates, extents: tuple[int, ...]) -> list[Expr]:
    """The iteration point that writes the element `at`: the map's results must be distinct dims
    (or 0 where the extent is 1), and all dims of the iteration must be among them."""
    point: list[Expr | None] = [None] * map_.n_dims
    for result, coordinate, extent in zip(map_.results, at, extents, strict=True):
        if isinstance(result, Dim) and point[result.index] is None:
            point[result.index] = coordinate
        elif not (result.constant == 0 and extent == 1):
            raise errors.INDEXING.error(place(op), map=map_, op=op.name)
    free = [d for d, expr in enumerate(point) if expr is None]
    if any(bodies.iteration_extent(op, d) != 1 for d in free):
        raise errors.INDEXING.error(place(op), map=map_, op=op.name)
    return [Const(0) if expr is None else expr for expr in point]


def _selected(op: Op, map_: Map, point: Sequence[Expr]) -> Coordinates:
    """The element an operand's map selects at a point."""
    dims = [result.index for result in map_.results if isinstance(result, Dim)]
    simple = all(isinstance(r, Dim) or r.constant is not None for r in map_.results)
    if not simple or len(set(dims)) != len(dims):
        raise errors.INDEXING.error(place(op), map=map_, op=op.name)
    return map_.substitute(point)
