"""Memory views and access tiles: which elements a load or store touches."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from mlir import ir

from spyrelang.affine import Const, Expr, Map, Set
from spyrelang.errors import Location
from spyrelang.errors import schedule as errors
from spyrelang.errors.checks import DECLARED_TYPE
from spyrelang.errors.interp import subscripts_of_another_rank
from spyrelang.isa.program import Argument
from spyrelang.schedule.model import Base
from spyrelang.schedule.split.indices import Indices, is_affine
from spyrelang.schedule.split.source import (
    DYNAMIC,
    Op,
    Value,
    element_type,
    integers,
    place,
    segments,
    tile_shape,
    value_name,
)


@dataclass(frozen=True)
class View:
    """A tensor in memory. `base.param` numbers the kernel's parameters."""

    name: str
    base: Base
    memory: str
    ct: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Access:
    """A box of elements of a view: view[origin + p] for p in the box `shape`."""

    view: View
    origin: tuple[Expr, ...]
    shape: tuple[int, ...]
    location: Location | None = field(default=None, compare=False)


class Views:
    """The views and access tiles of a kernel, read where they are used.

    `memory_of(space)` gives the device memory of a KTIR space, `params` numbers the arguments.
    """

    def __init__(
        self,
        indices: Indices,
        params: dict[Value, int],
        names: tuple[str, ...],
        memory_of: Callable[[str], str | None],
    ) -> None:
        self._indices = indices
        self._params = params
        self._names = names
        self._memory_of = memory_of
        self._views: dict[Value, View] = {}
        self._accesses: dict[Value, Access] = {}

    def declared(self, op: Op) -> tuple[int, Argument] | None:
        """What a view of a whole argument says of it, used or not; None for other views."""
        param = self._params.get(segments(op)[0][0])
        if param is None:
            return None
        shape, strides = integers(op, "static_sizes"), integers(op, "static_strides")
        known = DYNAMIC not in shape and DYNAMIC not in strides
        dtype = element_type(op.results[0].type)
        if known:
            _check_layout(op, shape, strides)
        sizes = (shape, strides) if known else ((), ())
        return param, Argument(self._names[param], "", dtype, *sizes)

    def access(self, tile: Value) -> Access:
        """What an access tile covers. Raises SPY405-410, SPY415, SPY420, SPY421, SPY558."""
        if tile not in self._accesses:
            self._accesses[tile] = self._read_access(tile)
        return self._accesses[tile]

    def _read_access(self, tile: Value) -> Access:
        op = _owner(tile, "an access tile")
        if op.name == "ktdp.construct_indirect_access_tile":
            raise errors.GATHER.error(place(op), op=op.name)
        if op.name != "ktdp.construct_access_tile":
            raise errors.OPERATION.error(place(op), op=op.name)
        base, subscripts, _ = segments(op)
        view = self._view(base[0], op)
        check_tile(op)
        extents = tile_shape(tile.type) or ()
        origin = self._origin(op, subscripts)
        if not len(origin) == len(view.shape) == len(extents):
            raise subscripts_of_another_rank(place(op), op.name, len(origin), len(view.shape))
        return Access(view, origin, extents, place(op))

    def _origin(self, op: Op, subscripts: list[Value]) -> tuple[Expr, ...]:
        map_ = Map.parse(str(op.attributes["base_map"]))
        operands = [self._indices.expr(value, op) for value in subscripts]
        if not is_affine(map_, operands):
            raise errors.NON_AFFINE.error(place(op), op=op.name)
        return map_.substitute(operands[: map_.n_dims], operands[map_.n_dims :])

    def _view(self, base: Value, user: Op) -> View:
        op = _owner(base, "a memory view", user)
        if op.name == "ktdp.construct_distributed_memory_view":
            raise errors.DISTRIBUTED.error(place(op), op=op.name)
        if op.name != "ktdp.construct_memory_view":
            raise errors.OPERATION.error(place(op), op=op.name)
        if base not in self._views:
            self._views[base] = self._read_view(op)
        return self._views[base]

    def _read_view(self, op: Op) -> View:
        shape, strides = integers(op, "static_sizes"), integers(op, "static_strides")
        if DYNAMIC in shape or DYNAMIC in strides:
            raise errors.DYNAMIC.error(place(op), what="a size or stride of this view")
        _check_layout(op, shape, strides)
        base = self._base(op)
        name = self._names[base.param] if base.param >= 0 else value_name(op.results[0])
        space, ct = memory_space(op)
        memory = self._memory_of(space)
        if memory is None:
            raise errors.MEMORY_SPACE.error(place(op), space=space)
        if space == "ct_local" and base.param >= 0:
            raise errors.LOCAL_ARGUMENT.error(place(op), name=name)
        dtype = element_type(op.results[0].type)
        return View(name or "view", base, memory, ct, dtype, shape, strides, place(op))

    def _base(self, op: Op) -> Base:
        start = segments(op)[0][0]
        if start in self._params:
            return Base(param=self._params[start])
        constant = self._indices.constant(start)
        if constant is None:
            owner = start.owner
            what = "a block argument" if isinstance(owner, ir.Block) else owner.name
            raise errors.VIEW_BASE.error(place(op), op=what)
        return Base(constant=constant)


def _check_layout(op: Op, sizes: tuple[int, ...], strides: tuple[int, ...]) -> None:
    """The verifier leaves sizes that are not those of the type, and negative strides, to us."""
    declared = tuple(ir.MemRefType(op.results[0].type).shape)
    fits = all(d in (s, _ANY) for s, d in zip(sizes, declared, strict=True))
    if not fits or min(sizes, default=0) < 0:
        what = f"its sizes {list(sizes)}"
        raise DECLARED_TYPE.error(place(op), op=op.name, type=op.results[0].type, what=what)
    if min(strides, default=0) < 0:
        raise errors.VIEW_LAYOUT.error(place(op), strides=list(strides))


def _owner(value: Value, what: str, user: Op | None = None) -> Op:
    """The op that makes a value; block arguments are refused."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        at = None if user is None else place(user)
        raise errors.OPERATION.error(at, op=f"{what} as a block argument")
    return owner


_ANY = ir.ShapedType.get_dynamic_size()
"""How MLIR writes an extent that is not known."""

_SPACE = re.compile(r"memory_space<\s*(?P<space>\w+)\s*(?:,\s*(?:ct_id|core)\s*=\s*(?P<ct>-?\d+))?")
_OLD_SPACES = {"HBM": "global", "LX": "ct_local"}


def memory_space(op: Op) -> tuple[str, int]:
    """The KTIR space of a view and the core it names (-1: the executing one)."""
    text = str(op.attributes["memory_space"]) if "memory_space" in op.attributes else ""
    match = _SPACE.search(text)
    if match is None:
        raise errors.MEMORY_SPACE.error(place(op), space=text or "(none)")
    space = _OLD_SPACES.get(match["space"], match["space"])
    return space, int(match["ct"] or -1)


def check_tile(op: Op) -> None:
    """Refuse access tiles that are no boxes. Raises SPY407, SPY409, SPY410."""
    extents = tile_shape(op.results[0].type) or ()
    if DYNAMIC in extents or segments(op)[2]:
        raise errors.DYNAMIC.error(place(op), what="an extent of this access tile")
    order = Map.parse(str(op.attributes["access_tile_order"]))
    if not order.is_identity:
        raise errors.TILE_ORDER.error(place(op), found=order)
    points = Set.parse(str(op.attributes["access_tile_set"]))
    if points.extents() != extents:
        raise errors.TILE_SET.error(place(op), found=points, expected=_box(extents))


def _box(extents: tuple[int, ...]) -> str:
    return "x".join(map(str, extents)) or "a single point"


def origin_of(rank: int) -> tuple[Expr, ...]:
    """All zeros."""
    return (Const(0),) * rank
