"""Bulk transfers as `agen.composite_load_and_store`: whole vectors in time steps, then the rest.

The DMA unit moves one vector a time step along the innermost dim of the staging buffer. Where the
tile is not a whole number of vectors, a second, narrower transfer moves what is left, so nothing
outside of the tensor is read or written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from spyrelang.affine import Const, Dim, Expr
from spyrelang.errors import internal_error
from spyrelang.ir.emit import Emitter, map_text
from spyrelang.ir.index import Index, Value, combine, subscripts
from spyrelang.lower.context import UnitContext
from spyrelang.lower.tiles import Tiles
from spyrelang.schedule.model import Operand
from spyrelang.schedule.structure import Buffer


@dataclass(frozen=True)
class Side:
    """One end of a transfer: a view, the start of the tile in it, and how each view coordinate
    moves with the program dims (`steps[k][d]`)."""

    view: Value
    memref: str
    start: tuple[Index, ...]
    steps: tuple[dict[int, int], ...]

    def moved(self, dim: int, elements: int) -> tuple[Index, ...]:
        """The start, `elements` further along a program dim."""
        return tuple(
            index + Index.const(step.get(dim, 0) * elements)
            for index, step in zip(self.start, self.steps, strict=True)
        )


def tensor_start(context: UnitContext, tiles: Tiles, operand: Operand) -> tuple[Index, ...]:
    """Coordinates of the current tile's first element in the operand's own view."""
    offsets = [dim.offset for dim in tiles.dims]
    return tuple(
        context.environment(origin) + combine(index, offsets)
        for origin, index in zip(operand.origin, operand.index, strict=True)
    )


def tensor_steps(operand: Operand, dims: int) -> tuple[dict[int, int], ...]:
    """How far each view coordinate moves for one step of each program dim."""
    steps: list[dict[int, int]] = []
    for expr in operand.index:
        linear = expr.linear()
        if linear is None:
            raise internal_error("lower", f"operand {operand.name} has the index {expr}")
        steps.append({d: factor for d, factor in linear.dims.items() if d < dims and factor})
    return tuple(steps)


def buffer_steps(buffer: Buffer, copies: bool) -> tuple[dict[int, int], ...]:
    """The same for a staging buffer, whose leading dim selects the copy when there are several."""
    own: list[dict[int, int]] = [{dim: 1} for dim in buffer.dims]
    if not own:
        own = [{}]
    return tuple([{}, *own] if copies else own)


@dataclass
class BulkWriter:
    """Writes the transfers of one tile of one operand at the emitter's point."""

    context: UnitContext
    tiles: Tiles
    emitter: Emitter
    width: int

    def write(self, dims: Sequence[int], source: Side, target: Side) -> None:
        """Move the tile; `dims` are the program dims it spans, innermost last."""
        if not dims:
            self._composite([], [], None, 1, source.start, target.start, source, target)
            return
        inner = dims[-1]
        state = self.tiles.dims[inner]
        width = min(self.width, state.full)
        steps = self.tiles.count(self.emitter, inner, lambda n: n // width)
        outer = [self.tiles.count(self.emitter, d, lambda n: n) for d in dims[:-1]]
        self._composite(
            list(dims), [*outer, steps], inner, width, source.start, target.start, source, target
        )
        self._rest(dims, outer, width, source, target)

    def _rest(
        self,
        dims: Sequence[int],
        outer: Sequence[Value | int],
        width: int,
        source: Side,
        target: Side,
    ) -> None:
        """What the whole vectors leave over; it may differ in the last tile."""
        inner = dims[-1]
        state = self.tiles.dims[inner]

        def narrow(elements: int, emitter: Emitter) -> None:
            rest = elements % width
            done = elements - rest
            writer = BulkWriter(self.context, self.tiles, emitter, self.width)
            writer._composite(
                list(dims[:-1]),
                list(outer),
                inner,
                rest,
                source.moved(inner, done),
                target.moved(inner, done),
                source,
                target,
            )

        full, tail = state.full % width, state.tail % width
        if state.last is None or state.full == state.tail:
            if full:
                narrow(state.full, self.emitter)
            return
        then = partial(narrow, state.tail) if tail else None
        other = partial(narrow, state.full) if full else None
        if then is not None or other is not None:
            self.context.branch(self.emitter, state.last, then, other)

    def _composite(
        self,
        dims: list[int],
        extents: list[Value | int],
        inner: int | None,
        width: int,
        source_start: Sequence[Index],
        target_start: Sequence[Index],
        source: Side,
        target: Side,
    ) -> None:
        kept = [(d, n) for d, n in zip(dims, extents, strict=True) if n != 1]
        symbols = [n for _, n in kept if not isinstance(n, int)]
        time_set, time_order = _time(kept)
        src_values, src_map = subscripts(source_start)
        dst_values, dst_map = subscripts(target_start)
        attributes = {
            "src_map": map_text(len(src_values), src_map),
            "dst_map": map_text(len(dst_values), dst_map),
            **_lanes("load", source.steps, inner, width),
            **_lanes("store", target.steps, inner, width),
            "load_time_addr_map": _time_map(kept, source.steps, inner, width),
            "store_time_addr_map": _time_map(kept, target.steps, inner, width),
            "time_set": time_set,
            "time_order": time_order,
            "operandSegmentSizes": "array<i32: 1, 1, "
            f"{len(src_values)}, {len(dst_values)}, {len(symbols)}, 0>",
        }
        operands = [source.view, target.view, *src_values, *dst_values, *symbols]
        op = self.emitter.op("agen.composite_load_and_store", operands, attributes, regions=1)
        element = source.memref.rsplit("x", 1)[-1].rstrip(">")
        block = self.emitter.block(op, [f"vector<{width}x{element}>"])
        self.emitter.inside(block).op("agen.yield")


def _lanes(
    end: str, steps: Sequence[dict[int, int]], inner: int | None, width: int
) -> dict[str, str]:
    """The set of one vector, relative to its start, and its lane order."""
    extents = [width if inner is not None and step.get(inner) else 1 for step in steps]
    rank = len(extents)
    return {f"{end}_set": box_text(extents), f"{end}_order": identity_text(rank)}


def _time_map(
    kept: Sequence[tuple[int, Value | int]],
    steps: Sequence[dict[int, int]],
    inner: int | None,
    width: int,
) -> str:
    """How the start coordinates move with time."""
    results: list[Expr] = []
    for step in steps:
        total: Expr = Const(0)
        for number, (dim, _) in enumerate(kept):
            stride = step.get(dim, 0) * (width if dim == inner else 1)
            total = total + Dim(number) * stride
        results.append(total)
    return map_text(max(1, len(kept)), results)


def _time(kept: Sequence[tuple[int, Value | int]]) -> tuple[str, str]:
    """Set and order of the time steps; extents known only at run time become symbols."""
    if not kept:
        return "affine_set<(d0) : (d0 == 0)>", identity_text(1)
    names = [f"d{i}" for i in range(len(kept))]
    constraints: list[str] = []
    symbols = 0
    for name, (_, extent) in zip(names, kept, strict=True):
        if isinstance(extent, int):
            constraints += [f"{name} >= 0", f"-{name} + {extent - 1} >= 0"]
        else:
            constraints += [f"{name} >= 0", f"-{name} + s{symbols} - 1 >= 0"]
            symbols += 1
    given = "[" + ", ".join(f"s{i}" for i in range(symbols)) + "]" if symbols else ""
    dims = ", ".join(names)
    return f"affine_set<({dims}){given} : ({', '.join(constraints)})>", identity_text(len(kept))


def box_text(extents: Sequence[int]) -> str:
    """The integer set of a box that starts at the origin."""
    constraints: list[str] = []
    for number, extent in enumerate(extents):
        if extent == 1:
            constraints.append(f"d{number} == 0")
        else:
            constraints += [f"d{number} >= 0", f"-d{number} + {extent - 1} >= 0"]
    dims = ", ".join(f"d{i}" for i in range(len(extents)))
    return f"affine_set<({dims}) : ({', '.join(constraints or ['0 == 0'])})>"


def identity_text(rank: int) -> str:
    return map_text(rank, [Dim(i) for i in range(rank)])
