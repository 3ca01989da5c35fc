"""What can be said of a KTIR text without running it.

Errors are raised; what the public tools accept and has one meaning is returned as a warning.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

from mlir import ir
from mlir.ir import WalkResult

from spyrelang.affine import Const, Expr, Map, Set
from spyrelang.dialects.ktdp import tile_shape
from spyrelang.errors import Location, Note, SpyreError, SpyreWarning
from spyrelang.errors import checks as errors
from spyrelang.errors import interp as run_errors
from spyrelang.interp import partitions, text
from spyrelang.interp.groups import consumers, producers
from spyrelang.interp.indices import DYNAMIC
from spyrelang.interp.registry import Op
from spyrelang.interp.static_memory import (
    check_indirect,
    check_view,
    constant_of,
    lies,
    shape_of,
)
from spyrelang.ir import LOCK, Module, context, location_of
from spyrelang.ir.values import to_map, to_set
from spyrelang.semantics import dtypes
from spyrelang.spyrecode.layout import reach

VIEW = "ktdp.construct_memory_view"


def check(module: Module, name: str | None = None) -> list[SpyreWarning]:
    """Check all functions of a module, or one; gives the warnings.

    Raises SPY560 for constant tiles outside of their view, SPY574 for transfers that do not pair
    up, SPY590 for partitions that overlap, SPY592 for types that lie.
    """
    with LOCK, context():
        found: list[SpyreError] = []
        for function in module.funcs():
            if name in (None, text.string(function, "sym_name")):
                _Checker(module, function, found).run()
        return [SpyreWarning(error) for error in found]


@dataclass(frozen=True)
class Pad:
    """A view of a scratchpad at a constant address: its bytes, the last included."""

    space: str
    first: int
    last: int
    element: str
    location: Location | None


@dataclass(frozen=True)
class Demands:
    """What a kernel needs of a device. `grid` is None where it is missing or no grid."""

    grid: tuple[int, ...] | None
    location: Location | None
    pads: tuple[Pad, ...]

    def check_scratchpad(self, size: int) -> None:
        """Raise SPY578 where a view lies outside of a scratchpad of `size` bytes."""
        for pad in self.pads:
            if pad.first < 0 or pad.last >= size:
                raise run_errors.SCRATCHPAD.error(
                    pad.location,
                    first=pad.first,
                    last=pad.last,
                    size=size,
                    whose="each compute tile",
                )


def demands(module: Module, name: str) -> Demands:
    """What the kernel of that name needs of a device."""
    with LOCK, context():
        for function in module.funcs():
            if text.string(function, "sym_name") == name:
                checker = _Checker(module, function, [])
                checker.note_pads()
                return Demands(text.grid(function), checker.place(function), tuple(checker.pads))
    return Demands(None, None, ())


class _Checker:
    """The checks of one function."""

    def __init__(self, module: Module, function: Op, warnings: list[SpyreError]) -> None:
        self.module = module
        self.function = function
        self.warnings = warnings
        grid = text.grid(function)
        self.tiles = None if grid is None else math.prod(grid)
        self.pads: list[Pad] = []
        self.rules: dict[str, Callable[[Op], None]] = {
            VIEW: self._view,
            "ktdp.construct_access_tile": self._tile,
            "ktdp.construct_indirect_access_tile": self._indirect,
            "ktdp.construct_distributed_memory_view": self._distributed,
            "ktdp.inter_tile_produce": self._produce,
            "ktdp.inter_tile_consume": self._consume,
            "ktdp.inter_tile_reduce": self._consume,
        }

    def place(self, op: Op) -> Location | None:
        return location_of(op, self.module)

    def _found(self, *names: str) -> list[Op]:
        entries: list[Op] = []

        def visit(op: Any) -> Any:
            if op.name in names:
                entries.append(op.operation)
            return WalkResult.ADVANCE

        self.function.walk(visit)
        return entries

    def run(self) -> None:
        for op in self._found(*self.rules):
            self.rules[op.name](op)
        self._overlaps()

    def note_pads(self) -> None:
        """Find the views of scratchpads, and nothing else."""
        for op in self._found(VIEW):
            self._note_pad(op)

    # --- views

    def _lies(self, op: Op, what: str) -> SpyreError:
        return lies(op, self.place(op), what)

    def _view(self, op: Op) -> None:
        found = check_view(op, self.place(op), self.tiles)
        if found is not None:
            self.warnings.append(found)
        self._note_pad(op)

    def _note_pad(self, op: Op) -> None:
        sizes, kind = text.integers(op, "static_sizes"), ir.MemRefType(op.results[0].type)
        space = str(op.attributes["memory_space"])
        start = constant_of(op.operands[0])
        if "ct_local" not in space or start is None or DYNAMIC in sizes or 0 in sizes:
            return
        strides = text.integers(op, "static_strides")
        element = dtypes.REGISTRY.get(text.element(kind.element_type))
        if DYNAMIC in strides or element is None:
            return
        low, high = reach(sizes, strides)
        first, end = (start + low) * element.bytes, (start + high + 1) * element.bytes
        self.pads.append(Pad(space, first, end - 1, element.name, self.place(op)))

    def _overlaps(self) -> None:
        """Views of the same bytes are one buffer; those that share a part are likely a mistake."""
        for a, b in combinations(self.pads, 2):
            low, high = max(a.first, b.first), min(a.last, b.last)
            if a.space != b.space or low > high:
                continue
            if (a.first, a.last, a.element) != (b.first, b.last, b.element):
                other = Note("the other view is here", a.location)
                found = errors.PAD_OVERLAP.error(b.location, notes=[other], first=low, last=high)
                self.warnings.append(found)

    # --- tiles

    def _tile(self, op: Op) -> None:
        base = op.operands[0]
        map_, points = text.map_of(op, "base_map"), text.set_of(op, "access_tile_set")
        shape = shape_of(base.type)
        if map_.n_results != len(shape):
            raise run_errors.subscripts_of_another_rank(
                self.place(op), op.name, map_.n_results, len(shape)
            )
        count = map_.n_dims + map_.n_syms
        if count:
            sizes = text.integers(op, "operandSegmentSizes") or [1, count, 0]
            values = [constant_of(op.operands[1 + i]) for i in range(sizes[1])]
        else:
            values = []
        box = points.box() if not points.n_syms else None
        if box is None:
            return
        self._extents(op)
        for dim, (result, (low, high)) in enumerate(zip(map_.results, box, strict=True)):
            start, size = _known(result, map_, values), shape[dim]
            if start is None or size is None or isinstance(low, Expr) or isinstance(high, Expr):
                continue
            if high >= low and (start + low < 0 or start + high >= size):
                raise run_errors.TILE_BOUNDS.error(
                    self.place(op),
                    who="the access tile",
                    first=start + low,
                    last=start + high,
                    dim=dim,
                    size=size,
                )

    def _extents(self, op: Op) -> None:
        """The declared shape against the set, in the order of the traversal."""
        points, order = (op.attributes[n] for n in ("access_tile_set", "access_tile_order"))
        found = _other_extents(points, order, op.results[0].type)
        if found is not None:
            raise self._lies(op, f"a set of {'x'.join(map(str, found))} points")

    def _indirect(self, op: Op) -> None:
        check_indirect(op, self.place(op))

    # --- distributed views

    def _distributed(self, op: Op) -> None:
        sets = [_coordinates(value) for value in op.operands]
        parts = [s for s in sets if s is not None and not s.n_syms]
        if len(parts) != len(sets) or not parts:
            return
        both = partitions.overlap(parts)
        if both is not None:
            first, second, point = both
            raise errors.OVERLAP.error(
                self.place(op), first=first, second=second, coordinate=list(point)
            )
        shape = shape_of(op.results[0].type)
        sizes = [n for n in shape if n is not None]
        if len(sizes) != len(shape) or math.prod(sizes) == 0:
            return
        hole = partitions.hole(parts, sizes)
        if hole is not None:
            self.warnings.append(
                errors.UNCOVERED.error(
                    self.place(op), coordinate=list(hole), shape="x".join(map(str, sizes))
                )
            )

    # --- transfers

    def _produce(self, op: Op) -> None:
        if self.tiles is not None:
            producers(op, self.place(op), self.tiles)

    def _consume(self, op: Op) -> None:
        if self.tiles is not None and op.operands[0].owner.operation.name.endswith("produce"):
            consumers(op, self.place(op), self.tiles)


def _known(result: Expr, map_: Map, values: Sequence[int | None]) -> int | None:
    """Where a tile starts in one dimension, if constants say so."""
    if isinstance(result, Const):
        return result.value
    used = [values[i] for i in result.dims()] + [values[map_.n_dims + i] for i in result.syms()]
    if None in used:
        return None
    known = [0 if v is None else v for v in values]
    return result.eval(known[: map_.n_dims], known[map_.n_dims :])


@lru_cache(maxsize=4096)
def _other_extents(points: Any, order: Any, kind: Any) -> list[int] | None:
    """The extents of a set in the order of the traversal, where a tile's type says others. The
    attributes are keys that MLIR has made unique."""
    axes = to_map(order).as_permutation()
    extents = [hi - lo + 1 for lo, hi in _ints(to_set(points))]
    if axes is None or len(extents) != to_set(points).n_dims:
        return None
    found = [max(0, extents[a]) for a in axes]
    declared = tile_shape(str(kind))
    wrong = any(n is not None and n != m for n, m in zip(declared, found, strict=True))
    return found if wrong else None


def _ints(points: Set) -> list[tuple[int, int]]:
    box = points.box() or ()
    return [(lo, hi) for lo, hi in box if isinstance(lo, int) and isinstance(hi, int)]


def _coordinates(value: Any) -> Set | None:
    owner = value.owner
    made = None if isinstance(owner, ir.Block) else owner.operation
    return text.set_of(made, "coordinate_set") if made is not None and made.name == VIEW else None
