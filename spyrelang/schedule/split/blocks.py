"""What a kernel does, in order: its stores, the loops round them, and what the stores compute.

Loops whose bounds are numbers and that run once are unrolled here, those that never run are left
out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mlir import ir

from spyrelang.affine import Const, Dim, Expr, Sym
from spyrelang.dialects.ktdp.views import ids_fit
from spyrelang.errors import Location, internal_error
from spyrelang.errors import schedule as errors
from spyrelang.errors.interp import ids_of_another_grid
from spyrelang.isa.program import Argument
from spyrelang.schedule.split import legality
from spyrelang.schedule.split.environment import Environment, Loop
from spyrelang.schedule.split.graph import Graph, Moment, Touch
from spyrelang.schedule.split.indices import Indices
from spyrelang.schedule.split.source import (
    Op,
    Value,
    element_type,
    is_tensor,
    place,
    shape,
    value_name,
)
from spyrelang.schedule.split.tensors import Tensors, touched
from spyrelang.schedule.split.views import Access, Views


@dataclass(frozen=True)
class Store:
    """One store: `root` is the node stored at each point of the box `touch.extents`."""

    touch: Touch
    root: int
    when: Moment
    location: Location | None = None


@dataclass
class Region:
    """The items of one block, in order. `loop` is None for the kernel's own block."""

    loop: Loop | None
    items: list[Store | Region] = field(default_factory=list["Store | Region"])

    def stores(self) -> list[Store]:
        """All stores inside, in the order of the text."""
        found: list[Store] = []
        for item in self.items:
            found += [item] if isinstance(item, Store) else item.stores()
        return found


class Walker:
    """Walks the blocks of a kernel once, in order."""

    def __init__(self, env: Environment, indices: Indices, views: Views) -> None:
        self.env = env
        self.indices = indices
        self.views = views
        self.graph = Graph()
        self.params: dict[int, Argument] = {}
        self._loads: dict[Value, tuple[Access, Moment]] = {}
        self._tensors = Tensors(self.graph, indices, self._loads)
        self._position = 0

    @property
    def loaded(self) -> list[Access]:
        """What the loads read, used or not."""
        return [access for access, _ in self._loads.values()]

    def walk(self, block: ir.Block) -> Region:
        """The items of the kernel's body."""
        region = Region(None)
        self._block(block, region, ())
        return region

    def _block(self, block: ir.Block, region: Region, loops: tuple[int, ...]) -> None:
        for inner in block.operations:
            self._position += 1
            self._op(inner.operation, region, Moment(self._position, loops))

    def _op(self, op: Op, region: Region, when: Moment) -> None:
        if op.name == "scf.for":
            self._for(op, region, when.loops)
        elif op.name == "ktdp.load":
            self._load(op, when)
        elif op.name == "ktdp.store":
            self._store(op, region, when)
        elif op.name == "ktdp.get_compute_tile_id":
            self._tile_id(op)
        else:
            if op.name == "ktdp.construct_memory_view":
                self._view(op)
            legality.check(op)
            self.indices.enter(op)

    def _view(self, op: Op) -> None:
        found = self.views.declared(op)
        if found is not None:
            self.params.setdefault(*found)

    def _tile_id(self, op: Op) -> None:
        if not ids_fit(self.env.grid, len(op.results)):
            raise ids_of_another_grid(place(op), self.env.kernel, self.env.grid, len(op.results))
        for axis, result in enumerate(op.results):
            alone = self.env.grid[axis] == 1
            self.indices.bind(result, Const(0) if alone else Sym(axis))

    # --- loops ----------------------------------------------------------------------------------

    def _for(self, op: Op, region: Region, loops: tuple[int, ...]) -> None:
        if len(op.results):
            raise errors.CARRIED.error(place(op), count=len(op.results))
        lower, upper = (self.indices.expr(op.operands[i], op) for i in (0, 1))
        step = self._step(op)
        body = op.regions[0].blocks[0]
        trips = self._trips(lower, upper, step)
        if trips == 0:
            return
        if trips == 1:
            self.indices.bind(body.arguments[0], lower)
            self._block(body, region, loops)
            return
        name = value_name(body.arguments[0]) or f"loop{len(self.env.loops)}"
        loop = self.env.add_loop(name, lower, upper, step, place(op))
        self.indices.bind(body.arguments[0], Sym(loop.symbol))
        inner = Region(loop)
        self._block(body, inner, (*loops, loop.symbol))
        if inner.items:
            region.items.append(inner)

    def _step(self, op: Op) -> int:
        step = self.indices.expr(op.operands[2], op).constant
        if step is None:
            raise errors.DYNAMIC.error(place(op), what="the step of this loop")
        if step < 1:
            raise errors.LOOP_STEP.error(place(op), step=step)
        return step

    def _trips(self, lower: Expr, upper: Expr, step: int) -> int | None:
        """Iterations, where every core and every outer iteration has the same number."""
        low, high = self.env.bounds(upper - lower)
        fewest, most = max(0, -(-low // step)), max(0, -(-high // step))
        return fewest if fewest == most else None

    # --- loads and stores -----------------------------------------------------------------------

    def _load(self, op: Op, when: Moment) -> None:
        access = self.views.access(op.operands[0])
        result = op.results[0]
        _check_element(op, result, access)
        self._loads[result] = (_at(access, place(op)), when)

    def _store(self, op: Op, region: Region, when: Moment) -> None:
        value, tile = op.operands
        access = _at(self.views.access(tile), place(op))
        _check_element(op, value, access)
        if 0 in access.shape:
            return
        extents, at = box(access.shape)
        root = self._tensors.element(value, at, extents)
        touch = touched(access, at, extents)
        region.items.append(Store(touch, root, when, place(op)))


def _at(access: Access, location: Location | None) -> Access:
    """The access, placed at the load or store that makes it."""
    return Access(access.view, access.origin, access.shape, location)


def _check_element(op: Op, value: Value, access: Access) -> None:
    """What the verifier of KTIR guarantees."""
    dtype = element_type(value.type)
    if dtype != access.view.dtype:
        detail = f"a tensor of {dtype} meets a view of {access.view.dtype}"
        raise internal_error("programs", detail, place(op))
    if not is_tensor(value) or shape(value.type) != access.shape:
        raise internal_error("programs", "a tensor and its tile differ in shape", place(op))


def box(extents: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[Expr, ...]]:
    """The iteration box of a tile, without its dims of length 1, and the coordinates of a point in
    the tile. A tile of one element has one dim of length 1."""
    long = [i for i, extent in enumerate(extents) if extent != 1] or list(range(len(extents))[-1:])
    at: list[Expr] = [Const(0)] * len(extents)
    for dim, position in enumerate(long):
        at[position] = Dim(dim)
    return tuple(extents[i] for i in long) or (1,), tuple(at)
