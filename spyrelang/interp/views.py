"""Tile identity, memory views and run-time arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mlir import ir

from spyrelang.dialects.ktdp.views import ids_fit
from spyrelang.errors import Location
from spyrelang.errors import interp as errors
from spyrelang.interp import text
from spyrelang.interp.bases import View
from spyrelang.interp.compiler import Compiler, Slot, ViewUse
from spyrelang.interp.frame import Frame
from spyrelang.interp.indices import DYNAMIC, integers
from spyrelang.interp.memory import SPACING
from spyrelang.interp.registry import Op, builds
from spyrelang.interp.values import Value
from spyrelang.spyrecode.layout import contiguous_strides


@builds("ktdp.get_compute_tile_id")
def _tile_id(c: Compiler, op: Op) -> None:
    results = [c.define(value, op) for value in op.results]
    if not ids_fit(c.grid, len(results)):
        raise errors.ids_of_another_grid(c.place(op), c.kernel, c.grid, len(results))
    for slot, extent in zip(results, c.grid, strict=False):
        slot.tainted = extent > 1
    outs = [r.index for r in results]

    def step(f: Frame) -> None:
        for out, ids in zip(outs, f.state.coordinates(f.tiles), strict=False):
            f.regs[out] = int(ids[0]) if bool((ids == ids[0]).all()) else ids

    c.emit(step)


_SPACE = re.compile(r"(?P<kind>global|ct_local)(?:\s*,\s*ct_id\s*=\s*(?P<tile>-?\d+))?")


def tile_of(op: Op) -> int | None:
    """The tile in whose scratchpad a view lies; -1 the executing one, None shared memory."""
    found = _SPACE.search(str(op.attributes["memory_space"]))
    if found is None or found["kind"] == "global":
        return None
    return int(found["tile"] or -1)


@builds("ktdp.construct_memory_view")
def _view(c: Compiler, op: Op) -> None:
    (offset,), sizes, strides = c.segments(op, 3)
    c.uniform(op, "a size or stride of a memory view", *sizes, *strides)
    static = [_fixed(op, name) for name in ("static_sizes", "static_strides")]
    size_of, stride_of = integers(static[0], sizes), integers(static[1], strides)
    element = ir.MemRefType(op.results[0].type).element_type
    declared, dtype = c.declared(element, op), c.dtype(element, op)
    tile, place, start = tile_of(op), c.place(op), offset.index
    if tile is None and len(offset.roots) != 1 and not c.communicates:
        c.uniform(op, "the array that a view lies in", offset)
    slot = c.result(op, offset, *sizes, *strides)
    slot.roots, out = offset.roots, slot.index
    shape = _dense_shape(static, offset)
    for root in offset.roots:
        c.uses.views.setdefault(root, []).append(ViewUse(declared, shape, place))

    dynamic = any(DYNAMIC in values for values in static)
    if not dynamic:
        _check_reach(static[0], static[1], place)

    def step(f: Frame) -> None:
        at, shape, steps = f.regs[start], tuple(size_of(f)), tuple(stride_of(f))
        if dynamic:
            _check_reach(shape, steps, place)
        f.regs[out] = View(at, shape, steps, dtype, tile, place)

    c.emit(step)


def _check_reach(sizes: Sequence[int], strides: Sequence[int], where: Location | None) -> None:
    """Raise SPY599 for views that no memory is large enough for: what addresses are computed with
    would overflow."""
    reach = sum(max(0, n - 1) * abs(stride) for n, stride in zip(sizes, strides, strict=True))
    if reach >= 1 << SPACING:
        raise errors.FAR.error(where, reach=reach, bits=SPACING)


def _fixed(op: Op, name: str) -> tuple[int, ...]:
    return tuple(int(n) for n in op.attributes[name])


def _dense_shape(static: list[tuple[int, ...]], offset: Slot) -> tuple[int, ...] | None:
    """The shape of an argument that a view covers as a row-major array, where that is static."""
    sizes, strides = static
    if not offset.direct or DYNAMIC in sizes or strides != contiguous_strides(sizes):
        return None
    return sizes


@builds("ktdp.runtime_arg_extract")
def _extract(c: Compiler, op: Op) -> None:
    (source,) = c.operands(op)
    slot = c.result(op, source)
    bounds = runtime_bounds(str(op.operands[0].type))
    kind = text.integer(op, "kind", 0)
    index, out = source.index, slot.index
    fixed: Value = None if kind == 0 else bounds[("value", "granularity", "upperbound")[kind]]

    def step(f: Frame) -> None:
        f.regs[out] = f.regs[index] if fixed is None else fixed

    c.emit(step)


def runtime_bounds(kind: str) -> dict[str, int]:
    """The bounds in the text of a run-time argument type."""
    return {name: int(n) for name, n in re.findall(r"(granularity|upperbound)=(\d+)", kind)}
