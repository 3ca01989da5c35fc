"""What ScheduleIR says by ktdf's own meaning of sizes, shares and indices, loop by loop.

A text is walked as a reader would who knows only the dialect: every element of the output is
written to device memory once, whatever tile sizes are chosen, and instances share the work.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import pytest

from spyrelang import ir
from spyrelang.affine import Map
from spyrelang.dialects import ktdf
from spyrelang.dialects.subscripts import DYNAMIC, read_i64_array
from spyrelang.driver.build import resume

from .test_split import add_text

ARITH = {
    "arith.addi": lambda a, b: a + b,
    "arith.muli": lambda a, b: a * b,
    "arith.minui": min,
    "arith.ceildivui": lambda a, b: -(-a // b),
}


def derived(ivs: Sequence[int], tiles: Sequence[int], total: int) -> int:
    """Trips of the innermost of nested tile loops, by listing what they cover."""
    left: Sequence[int] = range(total)
    for iv, size in zip(ivs, tiles, strict=True):
        left = left[iv * size : (iv + 1) * size]
    return len(left)


def shares(counts: Sequence[int], instances: int) -> list[list[tuple[int, ...]]]:
    """The points of a box that each instance takes: blocks of equal length, the last shorter."""
    points = list(itertools.product(*map(range, counts)))
    each = -(-len(points) // instances)
    return [points[i * each : (i + 1) * each] for i in range(instances)]


@dataclass
class Reading:
    """One compute tile's run of a program; `picks` are multiples for the sizes left open."""

    picks: list[int]
    values: dict[Any, Any] = field(default_factory=dict)
    written: Counter[tuple[int, ...]] = field(default_factory=Counter)
    instances: list[int] = field(default_factory=list)

    def block(self, block: Any) -> None:
        for inner in block.operations:
            self.op(inner.operation)

    def op(self, op: Any) -> None:
        handler = getattr(self, op.name.replace(".", "_"), None)
        operands = [self.values.get(v) for v in op.operands]
        if handler is not None:
            handler(op, operands)
        elif op.name in ARITH:
            self.values[op.result] = ARITH[op.name](*operands)
        elif op.name.startswith("ktdf."):
            for region in op.regions:
                self.block(region.blocks[0])

    def arith_constant(self, op: Any, _: Any) -> None:
        self.values[op.result] = op.attributes["value"].value

    def ktdf_tiling_reserve_size(self, op: Any, _: Any) -> None:
        step = op.attributes["divisibility"].value
        self.values[op.result] = max(step * self.picks.pop(0), op.attributes["min_value"].value)

    def ktdf_tiling_derive_size(self, op: Any, operands: list[int]) -> None:
        *pairs, total = operands
        half = len(pairs) // 2
        self.values[op.result] = derived(pairs[:half], pairs[half:], total)

    def ktdf_tiling_linearize_index(self, op: Any, operands: list[int]) -> None:
        half = len(operands) // 2
        pairs = zip(operands[:half], operands[half:], strict=True)
        self.values[op.result] = sum(iv * stride for iv, stride in pairs)

    def scf_for(self, op: Any, operands: list[int]) -> None:
        block = op.regions[0].blocks[0]
        for iv in range(*operands[:3]):
            self.values[block.arguments[0]] = iv
            self.block(block)

    def ktdf_parallel(self, op: Any, operands: list[int]) -> None:
        block, n = op.regions[0].blocks[0], len(operands) // 3
        bounds = zip(operands[:n], operands[n : 2 * n], operands[2 * n :], strict=True)
        ranges = [range(*bound) for bound in bounds]
        wanted = op.attributes["num_instances"].value
        for instance, points in enumerate(shares([len(r) for r in ranges], wanted)):
            self.instances += [instance] * len(points)
            for point in points:
                ivs = [r[i] for r, i in zip(ranges, point, strict=True)]
                self.values.update(zip(block.arguments, [*ivs, instance], strict=True))
                self.block(block)

    def memref_reinterpret_cast(self, op: Any, _: Any) -> None:
        self.values[op.result] = op.attributes["spyrelang.operand"].value

    def ktdf_data_transfer(self, op: Any, _: Any) -> None:
        target = ktdf.DATA_TRANSFER.operand(op, "destination")
        if self.values.get(target) != 2:  # the output
            return
        indices, sizes = (
            [self.values[v] for v in ktdf.DATA_TRANSFER.operands(op, f"dest_{part}")]
            for part in ("indices", "sizes")
        )
        start = Map.parse(str(op.attributes["dest_map"])).eval(indices)
        static = read_i64_array(str(op.attributes["static_dest_sizes"]))
        dynamic = iter(sizes)
        extents = [next(dynamic) if n == DYNAMIC else n for n in static]
        assert prod(extents) > 0
        self.written.update(
            tuple(s + i for s, i in zip(start, at, strict=True))
            for at in itertools.product(*map(range, extents))
        )


def read(stage: str, rows: int, columns: int, picks: Sequence[int] = ()) -> Reading:
    text = str(resume("ktir", add_text(rows, columns, 1)).ir(stage))
    module = ir.parse(text, "s.mlir", guard=False)
    reading = Reading(list(picks))
    program = next(
        f for f in module.funcs() if f.regions and f.regions[0].blocks and "vector" in str(f)
    )
    reading.block(program.regions[0].blocks[0])
    return reading


SHAPES = [(1, 64), (3, 70), (5, 100), (7, 321)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("stage", ["pipeline", "routed", "explored", "placed"])
def test_every_element_is_written_once(stage: str, shape: tuple[int, int]) -> None:
    found = read(stage, *shape)
    assert found.written == Counter(itertools.product(*map(range, shape)))


@pytest.mark.parametrize("picks", [(1, 1), (2, 1), (3, 2), (1, 4), (9, 9)])
def test_every_element_is_written_once_for_any_tile_size(picks: tuple[int, int]) -> None:
    found = read("nested", 7, 321, picks)
    assert found.written == Counter(itertools.product(range(7), range(321)))


def test_instances_take_blocks() -> None:
    assert shares([3, 3], 2) == [
        [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)],
        [(1, 2), (2, 0), (2, 1), (2, 2)],
    ]
    assert [len(points) for points in shares([3], 4)] == [1, 1, 1, 0]
    assert read("explored", 7, 321).instances


def test_sizes_of_two_and_three_levels() -> None:
    """What is left for the innermost loop: the clamped difference that ktdf states."""
    for total, a, b in itertools.product((0, 1, 7, 24, 25), (6, 8), (2, 3)):
        for i, j in itertools.product(range(5), range(5)):
            inner = min(a, total - i * a) - j * b
            assert derived([i, j], [a, b], total) == min(max(inner, 0), b)
    assert derived([1, 0, 1], [12, 6, 4], 20) == 2
    assert derived([1, 1, 1], [12, 6, 4], 20) == 0
