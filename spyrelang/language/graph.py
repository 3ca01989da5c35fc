"""What a traced kernel is before it becomes MLIR: nodes in nested blocks.

A node is its own (single) result. `language` appends nodes, `frontend` analyses and emits them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from spyrelang import affine
from spyrelang.errors import SpyreError
from spyrelang.language.place import Place
from spyrelang.semantics.dtypes import DType


@dataclass(eq=False)
class Block:
    """A straight sequence of nodes; `owner` is the node whose body it is (None: the kernel)."""

    parent: Block | None = None
    owner: Node | None = None
    nodes: list[Node] = field(default_factory=list["Node"])

    @property
    def loop(self) -> Loop | None:
        """The loop whose body this is."""
        return self.owner if isinstance(self.owner, Loop) else None

    def chain(self) -> Iterator[Block]:
        """This block and those around it, innermost first."""
        block: Block | None = self
        while block is not None:
            yield block
            block = block.parent

    def owners(self) -> tuple[Node, ...]:
        """The loops and branches around this block, outermost first."""
        found = [b.owner for b in self.chain() if b.owner is not None]
        return tuple(reversed(found))

    def walk(self) -> Iterator[Node]:
        """All nodes in program order, loops before their bodies."""
        for node in self.nodes:
            yield node
            for block in node.blocks():
                yield from block.walk()


@dataclass(eq=False, kw_only=True)
class Node:
    """Base: where it was written, in which block, and the variable's name (None: unnamed)."""

    place: Place
    block: Block
    name: str | None = None

    def operands(self) -> tuple[Any, ...]:
        """The nodes it needs; ints among them are constants."""
        return ()

    def blocks(self) -> tuple[Block, ...]:
        """The blocks inside it."""
        return ()

    @property
    def effect(self) -> bool:
        """Whether it does something besides having a value."""
        return False


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

    def operands(self) -> tuple[Any, ...]:
        return self.lhs, self.rhs


@dataclass(eq=False, kw_only=True)
class LoopVar(IndexNode):
    """The induction variable of `loop`."""

    loop: Loop

    def operands(self) -> tuple[Any, ...]:
        return (self.loop,)


@dataclass(eq=False, kw_only=True)
class LaunchSize(IndexNode):
    """A size that is given at launch."""

    info: ParamInfo


@dataclass(eq=False, kw_only=True)
class Variable(IndexNode):
    """An axis of an indirect tile, from 0 to below `extent`."""

    extent: int


@dataclass(eq=False, kw_only=True)
class Slotted(Node):
    """A loop or a branch; `slots` are the values that it hands on."""

    slots: list[Slot] = field(default_factory=list["Slot"])


@dataclass(eq=False, kw_only=True)
class Repeating(Slotted):
    """A loop. What it carries has its arguments in `body`; `entered` are the slots that have."""

    body: Block = field(init=False)
    entered: list[Slot] = field(default_factory=list["Slot"])


@dataclass(eq=False, kw_only=True)
class Loop(Repeating):
    """`for var in range(start, stop, step)` with a positive constant step."""

    start: IndexNode | int
    stop: IndexNode | int
    step: int
    var: LoopVar = field(init=False)

    def operands(self) -> tuple[Any, ...]:
        return self.start, self.stop

    def blocks(self) -> tuple[Block, ...]:
        return (self.body,)


@dataclass(eq=False)
class Slot:
    """A value that a loop carries, or that a branch chooses. `before` enters the loop (of a branch:
    what holds otherwise), `arg` stands for it in the body, `after` is what the body leaves (None:
    nothing new), `result` what holds after it. `misuse`: what is wrong where an integer that stood
    for a number is carried as an integer."""

    before: Node | int
    arg: Node | None = None
    after: Node | int | None = None
    result: Node | None = None
    misuse: SpyreError | None = None

    def sources(self) -> tuple[Any, ...]:
        """Where its values come from."""
        return self.before, self.after


@dataclass(eq=False, kw_only=True)
class CarriedIndex(IndexNode):
    """An integer that `owner`, a loop or a branch, carries: the argument or the result."""

    owner: Node
    slot: Slot

    def operands(self) -> tuple[Any, ...]:
        return self.owner, *self.slot.sources()


@dataclass(eq=False, kw_only=True)
class Extracted(IndexNode):
    """The one element of a tensor, as an integer."""

    value: ValueNode

    def operands(self) -> tuple[Any, ...]:
        return (self.value,)


@dataclass(eq=False, kw_only=True)
class Chosen(IndexNode):
    """`lhs` where the condition holds, else `rhs`."""

    condition: BoolNode
    lhs: IndexNode | int
    rhs: IndexNode | int

    def operands(self) -> tuple[Any, ...]:
        return self.condition, self.lhs, self.rhs


# --- conditions -----------------------------------------------------------------------------------


@dataclass(eq=False, kw_only=True)
class BoolNode(Node):
    """A traced truth value."""


@dataclass(eq=False, kw_only=True)
class Compare(BoolNode):
    """`op` is one of eq ne lt le gt ge."""

    op: str
    lhs: IndexNode | int
    rhs: IndexNode | int

    def operands(self) -> tuple[Any, ...]:
        return self.lhs, self.rhs


@dataclass(eq=False, kw_only=True)
class Logic(BoolNode):
    """`op` is one of and or xor."""

    op: str
    lhs: BoolNode | bool
    rhs: BoolNode | bool

    def operands(self) -> tuple[Any, ...]:
        return self.lhs, self.rhs


@dataclass(eq=False, kw_only=True)
class ExtractedBool(BoolNode):
    """The one element of a tensor of booleans."""

    value: ValueNode

    def operands(self) -> tuple[Any, ...]:
        return (self.value,)


@dataclass(eq=False, kw_only=True)
class Branch(Slotted):
    """`if condition: then, else: other`; results are in `slots`."""

    condition: BoolNode
    then: Block = field(init=False)
    other: Block = field(init=False)

    def operands(self) -> tuple[Any, ...]:
        return (self.condition,)

    def blocks(self) -> tuple[Block, ...]:
        return self.then, self.other


# --- memory ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Space:
    """A memory space: global, or the scratchpad of tile `ct` (None: of the executing tile)."""

    local: bool = False
    ct: int | None = None


@dataclass(frozen=True)
class ParamInfo:
    """A kernel parameter that becomes an argument. `index` is its position among those; `bounds`
    are the granularity and the largest value of a size that is given at launch."""

    index: int
    name: str
    role: str
    bounds: tuple[int, int] = (1, 1)


@dataclass(eq=False, kw_only=True)
class ViewNode(Node):
    """A memory view at `base` + `offset`. Strides, a constant base and the offset count elements of
    `dtype`. `coords` are the coordinates of a larger tensor that it holds (None: its own)."""

    base: ParamInfo | IndexNode | int
    shape: tuple[int, ...]
    strides: tuple[IndexNode | int, ...]
    dtype: DType
    space: Space
    offset: IndexNode | int = 0
    coords: affine.Set | None = None

    def operands(self) -> tuple[Any, ...]:
        return self.base, self.offset, *self.strides

    def bases(self) -> tuple[ParamInfo | IndexNode | int, ...]:
        """Where it, or what it is made of, lies."""
        return (self.base,)


@dataclass(eq=False, kw_only=True)
class DistributedNode(ViewNode):
    """Several views that hold parts of one tensor."""

    parts: tuple[ViewNode, ...]

    def operands(self) -> tuple[Any, ...]:
        return self.parts

    def bases(self) -> tuple[ParamInfo | IndexNode | int, ...]:
        return tuple(base for part in self.parts for base in part.bases())


@dataclass(eq=False, kw_only=True)
class AnyTile(Node):
    """Elements of a view, as a tile of `extents`."""

    view: ViewNode
    extents: tuple[int, ...]


@dataclass(eq=False, kw_only=True)
class TileNode(AnyTile):
    """A box of a view at `origin`. `points` are those of it that are touched (None: all), `order`
    says which axis of the tile each axis of the box is counted along (None: its own)."""

    origin: tuple[IndexNode | int, ...]
    points: affine.Set | None = None
    order: tuple[int, ...] | None = None

    def operands(self) -> tuple[Any, ...]:
        return self.view, *self.origin


@dataclass(frozen=True)
class Subscript:
    """One coordinate of an indirect tile: an expression over the captured integers, then the
    tile's axes; or what `view` holds at such coordinates."""

    exprs: tuple[affine.Expr, ...]
    view: ViewNode | None = None


@dataclass(eq=False, kw_only=True)
class IndirectNode(AnyTile):
    """Elements whose coordinates are computed for each of the tile."""

    subscripts: tuple[Subscript, ...]
    captured: tuple[IndexNode, ...]
    points: affine.Set | None = None
    order: tuple[int, ...] | None = None

    def operands(self) -> tuple[Any, ...]:
        return self.view, *(s.view for s in self.subscripts if s.view), *self.captured


# --- values ---------------------------------------------------------------------------------------


@dataclass(eq=False, kw_only=True)
class ValueNode(Node):
    """A tensor value; `shape` is its physical shape."""

    shape: tuple[int, ...]
    dtype: DType


@dataclass(eq=False, kw_only=True)
class Carried(ValueNode):
    """A tensor that `owner`, a loop or a branch, carries: the argument or the result."""

    owner: Node
    slot: Slot

    def operands(self) -> tuple[Any, ...]:
        return self.owner, *self.slot.sources()


@dataclass(eq=False, kw_only=True)
class Scalar(ValueNode):
    """An integer or a truth value as a tensor without axes, of type index or i1."""

    value: IndexNode | BoolNode

    def operands(self) -> tuple[Any, ...]:
        return (self.value,)


@dataclass(eq=False, kw_only=True)
class Load(ValueNode):
    """The elements of a tile."""

    tile: AnyTile

    def operands(self) -> tuple[Any, ...]:
        return (self.tile,)


@dataclass(eq=False, kw_only=True)
class Store(Node):
    """Write `value` to `tile`; shapes and types are equal."""

    value: ValueNode
    tile: AnyTile

    def operands(self) -> tuple[Any, ...]:
        return self.value, self.tile

    @property
    def effect(self) -> bool:
        return True


@dataclass(eq=False, kw_only=True)
class Fill(ValueNode):
    """One constant in every element."""

    value: bool | int | float


@dataclass(frozen=True)
class BodyOp:
    """One scalar op. `operands` number the inputs first, then earlier ops of the body. `value` is
    the number of an `arith.constant`; `attributes` are (name, MLIR text); an op of several
    `results`, all of type `dtype`, has as many numbers."""

    name: str
    operands: tuple[int, ...]
    dtype: DType
    attributes: tuple[tuple[str, str], ...] = ()
    value: bool | int | float | None = None
    results: int = 1


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

    def operands(self) -> tuple[Any, ...]:
        return self.inputs

    @property
    def aligned(self) -> bool:
        """Whether every input is read at the point itself."""
        identity = Access(tuple(range(len(self.shape))))
        same = all(v.shape == self.shape for v in self.inputs)
        return same and all(a == identity for a in self.accesses)


@dataclass(eq=False, kw_only=True)
class Structured(Node):
    """Loops over inputs and results. `maps` say how each input, then each initial value, is read
    at a point of the loops; `reduced` names the loops that results do not have. `body` computes
    from the inputs and the results so far; `yields` are the numbers of the new results. `form` is
    the op of linalg that has just this body and, but for transposed operands, these maps."""

    inputs: tuple[ValueNode, ...]
    inits: tuple[ValueNode, ...]
    maps: tuple[affine.Map, ...]
    reduced: tuple[bool, ...]
    body: tuple[BodyOp, ...]
    yields: tuple[int, ...]
    form: str = ""

    def operands(self) -> tuple[Any, ...]:
        return *self.inputs, *self.inits


@dataclass(eq=False, kw_only=True)
class Result(ValueNode):
    """Result `number` of a node that has several values, or of which the value is one."""

    source: Node
    number: int = 0

    def operands(self) -> tuple[Any, ...]:
        return (self.source,)


@dataclass(eq=False, kw_only=True)
class Reshape(ValueNode):
    """The elements of `input` in row-major order, under another shape."""

    input: ValueNode

    def operands(self) -> tuple[Any, ...]:
        return (self.input,)


@dataclass(eq=False, kw_only=True)
class Part(ValueNode):
    """The box of `input` of this shape at `origin`."""

    input: ValueNode
    origin: tuple[IndexNode | int, ...]

    def operands(self) -> tuple[Any, ...]:
        return self.input, *self.origin


@dataclass(eq=False, kw_only=True)
class Concat(ValueNode):
    """Values one after the other along `axis`."""

    inputs: tuple[ValueNode, ...]
    axis: int

    def operands(self) -> tuple[Any, ...]:
        return self.inputs


@dataclass(eq=False, kw_only=True)
class Empty(ValueNode):
    """A value whose elements nobody may read."""


@dataclass(eq=False, kw_only=True)
class Exchange(ValueNode):
    """`value` combined over the compute tiles of each group. The sets of tiles have a symbol, the
    group; `combiner` computes from two partial values, starting with `identity`."""

    value: ValueNode
    identity: ValueNode
    combiner: Map
    groups: affine.Set
    producers: affine.Set
    consumers: affine.Set

    def operands(self) -> tuple[Any, ...]:
        return self.value, self.identity

    @property
    def effect(self) -> bool:
        return True  # every tile waits for the others: what they stored before is there after it


@dataclass(eq=False, kw_only=True)
class Handed(ValueNode):
    """`value` of one other compute tile of the group. `sources` names the producer of each
    consumer, its symbol; None where each group has one producer."""

    value: ValueNode
    groups: affine.Set
    producers: affine.Set
    consumers: affine.Set
    sources: affine.Set | None = None

    def operands(self) -> tuple[Any, ...]:
        return (self.value,)

    @property
    def effect(self) -> bool:
        return True
