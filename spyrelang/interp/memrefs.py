"""memref: parts of views, and their sizes."""

from __future__ import annotations

from typing import Any

from mlir import ir

from spyrelang.errors import interp as errors
from spyrelang.interp import text
from spyrelang.interp.bases import View
from spyrelang.interp.body import check_range
from spyrelang.interp.compiler import Compiler
from spyrelang.interp.frame import Frame
from spyrelang.interp.indices import integers
from spyrelang.interp.registry import Op, builds


@builds("memref.subview")
def _subview(c: Compiler, op: Op) -> None:
    (base,), offsets, sizes, strides = c.segments(op, 4)
    c.uniform(op, "a size or stride of memref.subview", *sizes, *strides)
    starts, extents, steps = (
        integers(text.integers(op, f"static_{name}"), slots)
        for name, slots in (("offsets", offsets), ("sizes", sizes), ("strides", strides))
    )
    slot = c.result(op, base, *offsets, *sizes, *strides)
    slot.roots, place, name = base.roots, c.place(op), op.name
    kept = _kept(op, text.integers(op, "static_sizes"), c)
    index, out = base.index, slot.index

    def step(f: Frame) -> None:
        view: Any = f.regs[index]
        if not isinstance(view, View):
            raise errors.TILE_SHAPE.error(
                place, op=name, reason="a part of a distributed view cannot be taken"
            )
        at, counts, by = starts(f), [int(n) for n in extents(f)], [int(n) for n in steps(f)]
        view.check_box(f, at, counts, by, place)
        offset = view.offset
        for start, stride in zip(at, view.strides, strict=True):
            offset = offset + start * stride
        jumps = [n * stride for n, stride in zip(by, view.strides, strict=True)]
        f.regs[out] = View(
            offset,
            tuple(counts[d] for d in kept),
            tuple(jumps[d] for d in kept),
            view.dtype,
            view.tile,
            view.where,
        )

    c.emit(step)


def _kept(op: Op, sizes: list[int], c: Compiler) -> list[int]:
    """The dimensions that the result type keeps: dropped ones have size 1."""
    drop = len(sizes) - int(ir.MemRefType(op.results[0].type).rank)
    kept = list(range(len(sizes)))
    for dim, size in enumerate(sizes):
        if drop and size == 1 and len(kept) > 0:
            kept.remove(dim)
            drop -= 1
    if drop:
        raise c.fail(op, "the dimensions that its result drops cannot be told")
    return kept


@builds("memref.cast", "memref.memory_space_cast")
def _cast(c: Compiler, op: Op) -> None:
    """Another type for the same view."""
    (base,) = c.operands(op)
    c.alias(op.results[0], base)


@builds("memref.dim")
def _dim(c: Compiler, op: Op) -> None:
    base, dim = c.operands(op)
    c.uniform(op, "a dimension number", dim)
    slot = c.result(op, base)
    rank, place = int(ir.MemRefType(op.operands[0].type).rank), c.place(op)
    index, which, out = base.index, dim.index, slot.index

    def step(f: Frame) -> None:
        number = int(f.regs[which])
        check_range(number, 1, rank, 0, "memref.dim", "dimension", place, f)
        f.regs[out] = int(f.regs[index].shape[number])

    c.emit(step)
