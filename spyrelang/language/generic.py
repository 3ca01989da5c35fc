"""Loops with a body of the author's, and intrinsics of the device by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from spyrelang import semantics
from spyrelang.affine import Dim, Map
from spyrelang.errors import Note, SpyreError
from spyrelang.errors import trace as errors
from spyrelang.language import elementwise, shapes, structured, tracing
from spyrelang.language.bodies import Body
from spyrelang.language.graph import Block, BodyOp, Structured, ValueNode
from spyrelang.language.graph import Map as MapNode
from spyrelang.language.scalars import Number, as_number
from spyrelang.language.tensor import Tensor
from spyrelang.language.tracing import Trace, fail
from spyrelang.language.types import element_type
from spyrelang.semantics.dtypes import DType


def generic(body: Callable[..., Any], inputs: Sequence[Any], maps: Any, init: Any = None) -> Any:
    """Loops over `inputs` with a body of your own.

    `maps` says how each operand is read, in the notation of einsum ("mk,kn->mn"), or is a list of
    affine maps (or their texts): one per input, then one per result. A loop that a result does not
    have is a reduction. `body` gets one element of every input and, where there are reductions,
    the results so far; it returns the new results. `init` is what results start from: a tensor, or
    a list of them; without reductions it may be left out.

    `spy.generic(lambda x, y, acc: acc + abs(x - y), (a, b), "mk,nk->mn", spy.zeros((m, n), f32))`

    >>> rows = [[1.0, 2.0], [3.0, 4.0]]
    >>> start = lambda: spy.zeros((2,), spy.f32)
    >>> evaluate(lambda a: spy.generic(lambda x, s: s + x, a, "ij->i", start()), rows)
    array([3., 7.], dtype=float32)
    """
    trace = tracing.current("spy.generic")
    listed = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
    values = [elementwise.tensor_operand(v, "spy.generic") for v in listed]
    starts = _starts(init)
    read = _maps(maps, len(values), len(starts) if init is not None else None)
    reduced = _reduced(read, len(values))
    if any(reduced) and init is None:
        fail(errors.GENERIC, problem="it has a reduction and no init")
    nodes = tuple(structured.plain(trace, v) for v in values)
    sizes = _sizes(read[: len(values)], [n.shape for n in nodes], read[0].n_dims)
    shapes_of = [tuple(_extent(sizes, e) for e in m.results) for m in read[len(values) :]]
    found = _Body(trace, nodes, [s.dtype for s in starts] if any(reduced) else [])
    dtypes = found.run(body, [s.dtype for s in starts] or None, len(shapes_of))
    inits = _inits(trace, starts, dtypes, shapes_of)
    place = tracing.here()
    ops, yields, extra = found.finished(inits)
    loops = read[0].n_dims
    nothing = (Map(loops, 0, ()),) * len(extra)
    node = trace.add(
        Structured(
            place=place, block=trace.block, name=place.name, inputs=(*nodes, *extra),
            inits=inits, maps=(*read[: len(values)], *nothing, *read[len(values) :]),
            reduced=tuple(reduced), body=ops, yields=yields,
        )
    )  # fmt: skip
    results = [
        structured.wrap(trace, structured.results(trace, node, dtypes, i.shape)[n])
        for n, i in enumerate(inits)
    ]
    return results[0] if len(results) == 1 and not found.several else tuple(results)


# --- operands -------------------------------------------------------------------------------------


def _starts(init: Any) -> list[Tensor]:
    listed = list(init) if isinstance(init, (tuple, list)) else [] if init is None else [init]
    return [elementwise.tensor_operand(v, "init of spy.generic") for v in listed]


def _maps(maps: Any, inputs: int, results: int | None) -> list[Map]:
    """One map for each operand, over the same loops."""
    try:
        found = (
            _einsum(maps)
            if isinstance(maps, str) and "->" in maps and "(" not in maps
            else [Map.parse(m) if isinstance(m, str) else m for m in maps]
        )
    except SpyreError as bad:
        fail(errors.GENERIC, Note(bad.message), problem=f"maps={maps!r} are not all maps")
    except TypeError:
        found = []
    loops = {m.n_dims if isinstance(m, Map) else -1 for m in found}
    plain = all(isinstance(m, Map) and not m.n_syms for m in found)
    count = len(found) - inputs
    if len(loops) != 1 or not plain or count < 1 or results not in (None, count):
        wanted = f"{inputs} for the inputs and {results or 'one or more'} for the results"
        fail(errors.GENERIC, problem=f"maps={maps!r} are no maps of the same loops, {wanted}")
    return found


def _einsum(text: str) -> list[Map]:
    """ "mk,kn->mn": result axes are the outer loops, in their order."""
    left, right = text.replace(" ", "").split("->")
    operands, results = left.split(","), right.split(",")
    letters = list(dict.fromkeys("".join([*results, *operands])))
    return [
        Map(len(letters), 0, tuple(Dim(letters.index(c)) for c in part))
        for part in (*operands, *results)
    ]


def _reduced(maps: Sequence[Map], inputs: int) -> list[bool]:
    there = {d for m in maps[inputs:] for e in m.results for d in e.dims()}
    return [d not in there for d in range(maps[0].n_dims)]


def _sizes(maps: Sequence[Map], shapes_of: Sequence[tuple[int, ...]], loops: int) -> dict[int, int]:
    """The extent of every loop, from the inputs that are read along it alone."""
    sizes: dict[int, int] = {}
    for number, (map_, shape) in enumerate(zip(maps, shapes_of, strict=True)):
        if map_.n_results != len(shape):
            problem = f"input {number} has {len(shape)} axes and its map {map_.n_results}"
            fail(errors.GENERIC, problem=problem)
        for expr, size in zip(map_.results, shape, strict=True):
            if isinstance(expr, Dim) and sizes.setdefault(expr.index, size) != size:
                problem = f"loop {expr.index} has {sizes[expr.index]} and {size} iterations"
                fail(errors.GENERIC, problem=problem)
    missing = [d for d in range(loops) if d not in sizes]
    if missing:
        fail(errors.GENERIC, problem=f"no input says how long loop {missing[0]} is")
    return sizes


def _extent(sizes: dict[int, int], expr: Any) -> int:
    if not isinstance(expr, Dim):
        fail(errors.GENERIC, problem=f"the map of a result has the expression {expr}")
    return sizes[expr.index]


def _inits(
    trace: Trace,
    starts: Sequence[Tensor],
    dtypes: Sequence[DType],
    shapes_of: Sequence[tuple[int, ...]],
) -> tuple[ValueNode, ...]:
    if not starts:
        return tuple(
            structured.filled(trace, 0.0 if d.is_float else 0, d, s)
            for d, s in zip(dtypes, shapes_of, strict=True)
        )
    for start, shape in zip(starts, shapes_of, strict=True):
        if start.shape not in ((), shape):
            fail(errors.GENERIC, problem=f"init has shape {start.shape}, its result {shape}")
    spread = [shapes.broadcast_to(s, n) for s, n in zip(starts, shapes_of, strict=True)]
    return tuple(structured.plain(trace, s) for s in spread)


# --- bodies ---------------------------------------------------------------------------------------


@dataclass(eq=False, kw_only=True)
class _Element(ValueNode):
    """One element of an operand."""

    number: int


class _Body:
    """Calls the author's function with elements, and joins what it computes into one body."""

    def __init__(self, trace: Trace, inputs: Sequence[ValueNode], so_far: Sequence[DType]) -> None:
        self.trace = trace
        self.block = Block(parent=trace.block)
        self.inputs = list(inputs)
        self.so_far = list(so_far)
        self.extra: list[ValueNode] = []
        self.several = False
        self._outside: dict[ValueNode, int] = {}
        self._results: list[Tensor] = []

    def run(self, body: Any, wanted: Sequence[DType] | None, results: int) -> list[DType]:
        """The types of the results."""
        if not callable(body):
            fail(errors.GENERIC, problem=f"its body is {tracing.kind_of(body)}, not a function")
        trace, place = self.trace, tracing.here()
        types = [*(n.dtype for n in self.inputs), *self.so_far]
        elements = [
            _Element(place=place, block=self.block, shape=(), dtype=dtype, number=number)
            for number, dtype in enumerate(types)
        ]
        trace.block = self.block
        try:
            found = body(*(structured.wrap(trace, e) for e in elements))
        finally:
            assert self.block.parent is not None
            trace.block = self.block.parent
        self.several = isinstance(found, (tuple, list))
        listed: list[Any] = list(found) if isinstance(found, (tuple, list)) else [found]
        if len(listed) != results:
            fail(errors.GENERIC, problem=f"its body gives {len(listed)} results, not {results}")
        self._results = [
            self._result(value, wanted[n] if wanted else None) for n, value in enumerate(listed)
        ]
        return [r.dtype for r in self._results]

    def _result(self, value: Any, wanted: DType | None) -> Tensor:
        number = as_number(value)
        if number is not None and wanted is not None:
            return elementwise.scalar(self.trace, number, wanted)
        if not isinstance(value, Tensor) or value.shape != ():
            got = value.describe() if isinstance(value, Tensor) else tracing.kind_of(value)
            fail(errors.GENERIC, problem=f"its body gives {got} instead of one element")
        if wanted is not None and value.dtype != wanted:
            problem = f"its body gives {value.dtype} for a result that starts as {wanted}"
            fail(errors.GENERIC, problem=problem)
        return value

    def finished(
        self, inits: Sequence[ValueNode]
    ) -> tuple[tuple[BodyOp, ...], tuple[int, ...], tuple[ValueNode, ...]]:
        """The ops, the numbers of the results, and scalars of outside that became inputs."""
        self._collect()
        count = len(self.inputs)
        first = count + len(self.extra)
        body = Body((*(n.dtype for n in (*self.inputs, *self.extra)), *(i.dtype for i in inits)))
        numbers: dict[ValueNode, int] = {}
        yields = tuple(self._number(body, r, numbers, count, first) for r in self._results)
        return tuple(body.ops), yields, tuple(self.extra)

    def _collect(self) -> None:
        """The values of outside that the body reads."""
        pending: list[Any] = [r.node for r in self._results]
        seen: set[ValueNode] = set()
        while pending:
            node = pending.pop()
            if not isinstance(node, ValueNode) or node in seen or isinstance(node, _Element):
                continue
            seen.add(node)
            if node.block is self.block:
                if not isinstance(node, MapNode):
                    fail(errors.GENERIC, problem="its body does more than compute with elements")
                pending += node.inputs
            else:
                flat = structured.reshaped(self.trace, node, ()) if node.shape else node
                self.extra.append(flat)
                self._outside[node] = len(self.extra) - 1

    def _number(
        self, body: Body, value: Tensor, numbers: dict[ValueNode, int], count: int, first: int
    ) -> int:
        if not isinstance(value.node, ValueNode):
            return body.const(value.node, value.dtype)
        return self._of(body, value.node, numbers, count, first)

    def _of(
        self, body: Body, node: ValueNode, numbers: dict[ValueNode, int], count: int, first: int
    ) -> int:
        if isinstance(node, _Element):
            return node.number if node.number < count else first + node.number - count
        if node in self._outside:
            return count + self._outside[node]
        if node not in numbers:
            assert isinstance(node, MapNode)
            given = [self._of(body, i, numbers, count, first) for i in node.inputs]
            numbers[node] = joined(body, node.body, given)
        return numbers[node]


def joined(body: Body, ops: Sequence[BodyOp], given: Sequence[int]) -> int:
    """Append the ops of another body whose inputs are `given`; the number of its last value."""
    numbers = list(given)
    for op in ops:
        if op.value is not None:
            numbers.append(body.const(op.value, op.dtype))
            continue
        placed = replace(op, operands=tuple(numbers[i] for i in op.operands))
        at = body.append(placed)
        numbers += range(at, at + op.results)
    return numbers[-1]


# --- intrinsics -----------------------------------------------------------------------------------

_SEVERAL = {"spyreop.exx2": "spy.exx2"}


def intrinsic(name: str, *operands: Any, dtype: Any = None, **attributes: Any) -> Tensor:
    """An intrinsic of the device by name, element by element: `spy.intrinsic("spyreop.exp", x)`.

    The result has the type of the first operand unless `dtype` says otherwise. Attributes are
    floats, ints, or the text of any other attribute.

    >>> evaluate(lambda x: spy.intrinsic("spyreop.sqrt", x), [4.0, 9.0])
    array([2., 3.], dtype=float32)
    """
    known = isinstance(name, str) and name.startswith("spyreop.") and semantics.known(name)  # type: ignore[reportUnnecessaryIsInstance]
    if not known or name in _SEVERAL or not operands:
        instead = _SEVERAL.get(name) if isinstance(name, str) else None  # type: ignore[reportUnnecessaryIsInstance]
        hint = f"use {instead}" if instead else None
        fail(errors.INTRINSIC, name=name, hint=hint)
    values = elementwise.common(operands, f"spy.intrinsic({name!r})")
    target = values[0].dtype if dtype is None else element_type(dtype)
    texts = {key: _attribute(key, value) for key, value in attributes.items()}
    build = _Op(name, target, texts)
    return elementwise.apply(values, build, target)


@dataclass(frozen=True)
class _Op:
    """The builder of one op with attributes of any name."""

    name: str
    dtype: DType
    attributes: dict[str, str]

    def __call__(self, body: Body, *operands: int) -> int:
        extra = tuple(sorted(self.attributes.items()))
        return body.append(BodyOp(self.name, operands, self.dtype, extra))


def _attribute(key: str, value: Any) -> str:
    number: Number | None = as_number(value)
    if isinstance(value, str):
        return value
    if number is None:
        fail(errors.OPERAND, op=f"attribute {key} of an intrinsic", got=tracing.kind_of(value))
    if isinstance(number, bool):
        return "true" if number else "false"
    return f"{number:.9e} : f32" if isinstance(number, float) else f"{number} : i32"
