"""Walking a kernel's function once and turning it into steps: Python closures over registers.

Every SSA value gets a register (a slot). While a region is compiled, the slots it uses from outside
are collected, so that a part of the batch can run it with those alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from mlir import ir

from spyrelang.errors import Location, SpyreError
from spyrelang.errors import interp as errors
from spyrelang.interp import text
from spyrelang.interp.frame import Frame, Step
from spyrelang.interp.limits import room
from spyrelang.interp.registry import Op, builder
from spyrelang.interp.values import OBJECT
from spyrelang.ir import Module, location_of
from spyrelang.semantics import dtypes, numeric

SsaValue = Any  # mlir.ir.Value

FEW_TILES = 8
"""Up to so many tiles, each runs on its own if it has a loop whose trips can run together."""

BATCH_ELEMENTS = 1 << 19
"""Tiles (or trips) run together up to this many elements of the largest value, which keeps values
in cache."""

FACTOR_ELEMENTS = 1 << 21
"""The same for values that are only multiplied as matrices: a product goes through them once, and
one of several tiles takes less time than one for each."""

SMALL_BATCH = 1 << 16
"""The same where a quarter of the elements of all arrays is less than this; in between, that
quarter: so values take no more memory than arrays do."""


TERMINATORS = frozenset(
    {
        "func.return",
        "scf.yield",
        "scf.condition",
        "scf.reduce",
        "scf.reduce.return",
        "scf.forall.in_parallel",
        "linalg.yield",
        "tensor.yield",
        "affine.yield",
        "ktdp.region_terminator",
        "ktdp.yield_partial",
        "ktdp.yield_reduced",
    }
)
"""Ops that may end a block."""


@dataclass
class Slot:
    """What is known of a register. `rank` is OBJECT for what is not an array; `shape` has None for
    unknown sizes. `tainted`: it may differ between tiles. `roots`: arguments that it is an address
    near to. `direct`: it is that argument itself. `fixed`: it is a constant."""

    index: int
    rank: int
    shape: tuple[int | None, ...] = ()
    dtype: dtypes.DType | None = None
    tainted: bool = False
    roots: frozenset[int] = frozenset()
    direct: bool = False
    fixed: bool = False


@dataclass
class ViewUse:
    """How an argument is used as an address: the element type as the view declares it. `shape` is
    known for a static dense view, `place` is where the view is made."""

    dtype: dtypes.DType
    shape: tuple[int, ...] | None
    place: Location | None = None


@dataclass
class RegionCode:
    """A compiled region: its steps, block arguments, yielded slots, and slots from outside."""

    steps: list[Step]
    arguments: list[Slot]
    yields: list[Slot]
    captured: list[tuple[int, int]]
    terminator: str = ""


@dataclass
class Uses:
    """What the kernel does with its arguments."""

    views: dict[int, list[ViewUse]] = field(default_factory=dict[int, list[ViewUse]])
    read: set[int] = field(default_factory=set[int])
    written: set[int] = field(default_factory=set[int])
    writes_unknown: bool = False
    narrow_addresses: bool = False
    loads: list[frozenset[int]] = field(default_factory=list[frozenset[int]])
    stores: list[tuple[frozenset[int], int]] = field(
        default_factory=list[tuple[frozenset[int], int]]
    )

    def load(self, roots: frozenset[int]) -> None:
        """Note a load op from what lies near these arguments."""
        self.read |= roots
        self.loads.append(roots)

    def store(self, roots: frozenset[int], depth: int) -> None:
        """Note a store op inside `depth` loops."""
        self.written |= roots
        self.writes_unknown |= not roots
        self.stores.append((roots, depth))


class Compiler:
    """Compiles one function; `steps` is where builders append."""

    def __init__(
        self, module: Module, kernel: str, grid: tuple[int, ...], numerics: str = "ieee"
    ) -> None:
        self.module = module
        self.kernel = kernel
        self.grid = grid
        self.numerics = numerics
        self.slots: list[Slot] = []
        self.steps: list[Step] = []
        self.uses = Uses()
        self.per_tile: str | None = None
        self.communicates = False
        self.largest = 1
        self.room = room()
        self.origins: dict[int, Location | None] = {}
        self.depth = 0
        self.loops = 0
        self.trip_loops = 0
        self.prints = 0
        self.tainted_shapes = 0
        self.products = 0
        self.factors: set[int] = set()  # slots of the matrices that products multiply
        self.sized: list[int] = []
        self._values: dict[SsaValue, Slot] = {}
        self._open: list[tuple[int, dict[int, int]]] = []
        self._used: set[int] = set()
        self._taints: list[bool] = [False]

    # --- values

    def place(self, op: Op) -> Location | None:
        """Where the author wrote an op."""
        return location_of(op, self.module)

    def fail(self, op: Op, reason: str) -> SpyreError:
        """The error for an op that cannot be interpreted (to be raised by the caller)."""
        return errors.UNSUPPORTED.error(self.place(op), op=op.name, reason=reason)

    def define(self, value: SsaValue, op: Op, *sources: Slot) -> Slot:
        """A new slot for a value; it is tainted if one of its sources is."""
        slot = self._typed(value.type, op)
        slot.tainted = self._taints[-1] or any(s.tainted for s in sources)
        self._values[value] = slot
        return slot

    def temporary(self, dtype: dtypes.DType, *sources: Slot) -> Slot:
        """A slot for a scalar that is no value of the IR."""
        slot = Slot(len(self.slots), 0, (), dtype)
        slot.tainted = self._taints[-1] or any(s.tainted for s in sources)
        self.slots.append(slot)
        return slot

    def alias(self, value: SsaValue, slot: Slot) -> None:
        """Let a value be another's slot."""
        self._values[value] = slot

    def result(self, op: Op, *sources: Slot) -> Slot:
        return self.define(op.results[0], op, *sources)

    def use(self, value: SsaValue) -> Slot:
        """The slot of an operand."""
        slot = self._values[value]
        self._used.add(slot.index)
        for start, captured in self._open:
            if slot.index < start:
                captured[slot.index] = slot.rank
        return slot

    def operands(self, op: Op) -> list[Slot]:
        return [self.use(value) for value in op.operands]

    def segments(self, op: Op, count: int) -> list[list[Slot]]:
        return [[self.use(v) for v in part] for part in text.segments(op, count)]

    def _typed(self, kind: Any, op: Op) -> Slot:
        index = len(self.slots)
        element = kind.element_type if isinstance(kind, ir.RankedTensorType) else kind
        if isinstance(element, ir.FloatTF32Type):  # which stands for df16 in views, see `ir`
            raise errors.BAD_TYPE.error(
                self.place(op), op=op.name, type="tf32", reason="there is no arithmetic for it"
            )
        if isinstance(kind, ir.RankedTensorType):
            shape = tuple(
                None if kind.is_dynamic_dim(i) else int(kind.get_dim_size(i))
                for i in range(kind.rank)
            )
            slot = Slot(index, len(shape), shape, self.dtype(kind.element_type, op))
            least = [1 if n is None else n for n in shape]
            self.largest = max(self.largest, math.prod(least))
            width = slot.dtype.numpy.itemsize if slot.dtype is not None else 1
            if not self.room.fits(least, width):
                self.room.check(least, width, op.name, self.place(op))
        elif isinstance(kind, ir.IndexType | ir.IntegerType | ir.FloatType) or _is_pair(kind):
            slot = Slot(index, 0, (), self.dtype(kind, op))
        elif isinstance(kind, ir.MemRefType) or str(kind).startswith("!ktdp."):
            slot = Slot(index, OBJECT)
        else:
            raise errors.BAD_TYPE.error(
                self.place(op), op=op.name, type=kind, reason="it is no scalar, tensor or view"
            )
        self.slots.append(slot)
        return slot

    def dtype(self, kind: Any, op: Op) -> dtypes.DType:
        """What an element type is computed as; raises SPY557 for types without arithmetic."""
        return numeric(self.declared(kind, op), self.numerics)

    def declared(self, kind: Any, op: Op) -> dtypes.DType:
        """The element type as it is written."""
        name = text.element(kind)
        found = dtypes.REGISTRY.get(name.removeprefix("!spyreop."))
        if found is None:
            raise errors.BAD_TYPE.error(
                self.place(op), op=op.name, type=name, reason="there is no arithmetic for it"
            )
        return found

    def uniform(self, op: Op, what: str, *slots: Slot) -> None:
        """Note that these must be the same on all tiles that run together. `sized` lists them."""
        self.sized += [s.index for s in slots if not s.fixed]
        if not any(s.tainted for s in slots):
            return
        self.tainted_shapes += 1
        if self.communicates:
            raise errors.VARYING.error(self.place(op), what=what)
        self.per_tile = self.per_tile or what

    @property
    def largest_beside_factors(self) -> int:
        """The elements of the largest tensor that no matrix product takes."""
        others = [s.shape for s in self.slots if s.index not in self.factors]
        return max((math.prod(n or 1 for n in shape) for shape in others), default=1)

    @property
    def few_tiles(self) -> bool:
        """Whether tiles alone are too few for a batch: each runs on its own, with its trips."""
        return math.prod(self.grid) <= FEW_TILES and not self.communicates

    # --- ops and regions

    def emit(self, step: Step) -> None:
        self.steps.append(step)

    def ops(self, block: Any) -> None:
        """Compile all ops of a block but its terminator. What they make is dropped after its last
        use, unless the terminator passes it on. Raises SPY553 where there is no terminator."""
        *entries, last = (found.operation for found in block.operations)
        if last.name not in TERMINATORS:
            raise self.fail(last, "it ends a block, but is no terminator")
        first_step, first_slot = len(self.steps), len(self.slots)
        ends: dict[int, int] = {}
        for op in entries:
            outer, self._used = self._used, set[int]()
            start = len(self.slots)
            self.op(op)
            ends |= dict.fromkeys((*self._used, *range(start, len(self.slots))), len(self.steps))
            self._used |= outer
        kept = {self._values[v].index for v in _taken(last) if v in self._values}
        dead: dict[int, list[int]] = {}
        for index, end in ends.items():
            if index >= first_slot and index not in kept and self.slots[index].rank > 0:
                dead.setdefault(end, []).append(index)
        steps = self.steps[first_step:]
        self.steps[first_step:] = _with_drops(steps, dead, first_step)

    def op(self, op: Op) -> None:
        build = builder(op.name)
        if build is None:
            raise self.fail(op, "the interpreter does not know it")
        before = len(self.steps)
        try:
            build(self, op)
        except SpyreError as error:  # of something that does not know the op
            error.location = error.location or self.place(op)
            raise
        for step in self.steps[before:]:
            self.origins.setdefault(id(step), self.place(op))

    @contextmanager
    def diverging(self, *conditions: Slot, always: bool = False) -> Generator[None]:
        """What is defined inside may differ between tiles if a condition does."""
        tainted = always or any(c.tainted for c in conditions)
        self._taints.append(self._taints[-1] or tainted)
        try:
            yield
        finally:
            self._taints.pop()

    def region(
        self, op: Op, number: int, arguments: Callable[[Sequence[SsaValue]], list[Slot]]
    ) -> RegionCode:
        """Compile a region of one block into steps of its own. `arguments` defines the block
        arguments."""
        if number >= len(op.regions) or len(list(op.regions[number].blocks)) != 1:
            raise self.fail(op, "a region must have one block")
        block = op.regions[number].blocks[0]
        outer, self.steps = self.steps, []
        try:
            with self.capturing() as captured:
                slots = arguments(list(block.arguments))
                self.ops(block)
                last = list(block.operations)[-1].operation
                yields = self.operands(last)
        finally:
            steps, self.steps = self.steps, outer
        return RegionCode(steps, slots, yields, list(captured.items()), last.name)

    @contextmanager
    def capturing(self) -> Generator[dict[int, int]]:
        """The slots (with their ranks) that what is compiled inside takes from outside."""
        captured: dict[int, int] = {}
        self._open.append((len(self.slots), captured))
        try:
            yield captured
        finally:
            self._open.pop()


def _taken(op: Op) -> Generator[SsaValue]:
    """The operands of an op and of all ops inside it."""
    yield from op.operands
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from _taken(inner.operation)


def _with_drops(steps: list[Step], dead: dict[int, list[int]], first: int) -> list[Step]:
    """The steps, with more that drop values: `dead` says which after how many steps; `first` were
    there before."""
    found: list[Step] = []
    for number, step in enumerate(steps, first + 1):
        found.append(step)
        if number in dead:
            found.append(_drop(tuple(dead[number])))
    return found


def _drop(slots: tuple[int, ...]) -> Step:
    def step(f: Frame) -> None:
        for index in slots:
            f.regs[index] = None

    return step


def _is_pair(kind: Any) -> bool:
    found = dtypes.REGISTRY.get(text.element(kind).removeprefix("!spyreop."))
    return found is not None


def attributes(op: Op) -> dict[str, object]:
    """The attributes of an op as plain values, as the semantics table takes them."""
    skip = ("fastmath", "overflowFlags", "operandSegmentSizes", "indexing_maps")
    names = list(op.attributes)
    return {str(n): text.value_of(op.attributes[n]) for n in names if n not in skip}
