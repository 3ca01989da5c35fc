"""What a traced kernel is before it becomes MLIR: nodes in nested blocks.

A node is its own (single) result. `language` appends nodes, `frontend` analyses and emits them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from spyrelang.language.place import Place
from spyrelang.semantics.dtypes import DType


@dataclass(eq=False)
class Block:
    """A straight sequence of nodes; `loop` is the loop whose body it is (None: the kernel)."""

    parent: Block | None = None
    loop: Loop | None = None
    nodes: list[Node] = field(default_factory=list["Node"])

    def chain(self) -> Iterator[Block]:
        """This block and those around it, innermost first."""
        block: Block | None = self
        while block is not None:
            yield block
            block = block.parent

    def loops(self) -> tuple[Loop, ...]:
        """The loops around this block, outermost first."""
        found = [b.loop for b in self.chain() if b.loop is not None]
        return tuple(reversed(found))

    def walk(self) -> Iterator[Node]:
        """All nodes in program order, loops before their bodies."""
        for node in self.nodes:
            yield node
            if isinstance(node, Loop):
                yield from node.body.walk()


@dataclass(eq=False, kw_only=True)
class Node:
    """Base: where it was written, in which block, and the variable's name (None: unnamed)."""

    place: Place
    block: Block
    name: str | None = None


# --- integers -------------------------------------------------------------------------------------


@dataclass(eq=False, kw_only=True)
class IndexNode(Node):
    """A traced integer of type index."""


@dataclass(eq=False, kw_only=True)
class TileId(IndexNode):
    """The coordinate of the compute tile along grid axis `axis`."""

    axis: int


@dataclass(eq=False, kw_only=True)
class IndexOp(IndexNode):
    """`op` is one of add sub mul floordiv mod min max, with Python's meaning."""

    op: str
    lhs: IndexNode | int
    rhs: IndexNode | int


@dataclass(eq=False, kw_only=True)
class LoopVar(IndexNode):
    """The induction variable of `loop`."""

    loop: Loop


@dataclass(eq=False, kw_only=True)
class Loop(Node):
    """`for var in range(start, stop, step)` with a positive constant step."""

    start: IndexNode | int
    stop: IndexNode | int
    step: int
    var: LoopVar = field(init=False)
    body: Block = field(init=False)


# --- memory ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Space:
    """A memory space: global, or the scratchpad of tile `ct` (None: of the executing tile)."""

    local: bool = False
    ct: int | None = None


@dataclass(frozen=True)
class ParamInfo:
    """A kernel parameter that becomes an argument. `index` is its position among those."""

    index: int
    name: str
    role: str


@dataclass(eq=False, kw_only=True)
class ViewNode(Node):
    """A memory view. Strides and a constant base count elements of `dtype`."""

    base: ParamInfo | int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DType
    space: Space


@dataclass(eq=False, kw_only=True)
class TileNode(Node):
    """A box of a view: `extents` at `origin`, both of the view's rank."""

    view: ViewNode
    origin: tuple[IndexNode | int, ...]
    extents: tuple[int, ...]


# --- values ---------------------------------------------------------------------------------------


@dataclass(eq=False, kw_only=True)
class ValueNode(Node):
    """A tensor value; `shape` is its physical shape."""

    shape: tuple[int, ...]
    dtype: DType


@dataclass(eq=False, kw_only=True)
class Load(ValueNode):
    """The elements of a tile."""

    tile: TileNode


@dataclass(eq=False, kw_only=True)
class Store(Node):
    """Write `value` to `tile`; shapes and types are equal."""

    value: ValueNode
    tile: TileNode


@dataclass(eq=False, kw_only=True)
class Fill(ValueNode):
    """One constant in every element."""

    value: bool | int | float


@dataclass(frozen=True)
class BodyOp:
    """One scalar op. `operands` number the inputs first, then earlier ops of the body. `value` is
    the number of an `arith.constant`; `attributes` are (name, MLIR text)."""

    name: str
    operands: tuple[int, ...]
    dtype: DType
    attributes: tuple[tuple[str, str], ...] = ()
    value: bool | int | float | None = None


@dataclass(frozen=True)
class Access:
    """How an input is read: per axis of its value, the iteration dim, or None for element 0."""

    dims: tuple[int | None, ...]


@dataclass(eq=False, kw_only=True)
class Map(ValueNode):
    """An element-wise computation over `shape`: the last value of `body` (the first input where
    it is empty) at every point."""

    inputs: tuple[ValueNode, ...]
    accesses: tuple[Access, ...]
    body: tuple[BodyOp, ...]

    @property
    def aligned(self) -> bool:
        """Whether every input is read at the point itself."""
        identity = Access(tuple(range(len(self.shape))))
        same = all(v.shape == self.shape for v in self.inputs)
        return same and all(a == identity for a in self.accesses)
