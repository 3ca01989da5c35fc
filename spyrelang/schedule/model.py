"""The schedule model: what a program computes, and the decisions taken about it so far.

A `Program` is one fused computation over a box of iteration `dims`, fed by `operands`. Passes fill
its decisions one after the other (`vector`, `routes`, `nest`, `sizes`, `placement`) and change
nothing else, so a pass is a pure function `Program -> Program`. All addresses and strides count
elements of the operand's dtype; placement counts bytes.

Environment of expressions. `Operand.origin` and the bounds of `OuterLoop` are affine expressions
whose symbols (`affine.Sym(i)`) are, in order: the grid coordinates (one per grid axis), the scalar
parameters of the program (`Program.scalars`), the outer loops (`Program.outer`, outermost first).
`Operand.index` has one expression per view dim whose dims (`affine.Dim(i)`) are `Program.dims`.
The element of operand o at iteration point d is view[origin(env) + index(d)].
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spyrelang.affine import Expr
from spyrelang.errors import Location
from spyrelang.isa.program import Argument

# --- what is computed ---------------------------------------------------------------------------


@dataclass(frozen=True)
class ScalarOp:
    """One op of the body. `operands` are value numbers (body inputs first, then op results in
    order); `attrs` are (name, MLIR attribute text) pairs."""

    name: str
    operands: tuple[int, ...]
    dtype: str
    attrs: tuple[tuple[str, str], ...] = ()
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Body:
    """A scalar expression DAG: `inputs` are the dtypes of the values read at one iteration point
    (one per reading operand, in operand order), `results` the value number stored by each writing
    operand, in operand order."""

    inputs: tuple[str, ...]
    ops: tuple[ScalarOp, ...]
    results: tuple[int, ...]

    def dtypes(self) -> tuple[str, ...]:
        """The dtype of every value, by value number."""
        return self.inputs + tuple(op.dtype for op in self.ops)


@dataclass(frozen=True)
class Dim:
    """One iteration dim. `kind` is "parallel" or "reduction"; `name` is for people."""

    extent: int
    kind: str = "parallel"
    name: str = ""


@dataclass(frozen=True)
class OuterLoop:
    """A kernel loop absorbed into the program: runs lower, lower + step, … < upper on each core."""

    name: str
    lower: Expr
    upper: Expr
    step: int


@dataclass(frozen=True)
class Base:
    """Where a view starts: address parameter `param` of the program, or, when that is -1, the
    constant `constant` in elements."""

    param: int = -1
    constant: int = 0


@dataclass(frozen=True)
class Operand:
    """One tensor read ("in") or written ("out") by the program.

    `memory` is the device memory kind the tensor lives in; `ct` the owning core of a pinned
    scratchpad tensor (-1: the executing core's own).
    """

    name: str
    role: str
    dtype: str
    memory: str
    base: Base
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    origin: tuple[Expr, ...]
    index: tuple[Expr, ...]
    ct: int = -1
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Parameter:
    """A parameter of the program function: "address" (base of an operand) or "scalar"."""

    name: str
    kind: str


# --- decisions ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Vector:
    """`pipeline`: which dim runs along the lanes, how many lanes, on which compute unit kind."""

    dim: int
    lanes: int
    unit: str


@dataclass(frozen=True)
class Hop:
    """One step of a route: unit kind `unit` moves from `source` to `target`. Each end is a memory
    kind, or for FIFO ends the compute unit's kind."""

    unit: str
    source: str
    target: str


@dataclass(frozen=True)
class Route:
    """`route`: the hops of one operand, from its memory to the compute unit ("in") or back
    ("out"). Hops between two memories are bulk; the one that touches the compute unit is a FIFO
    hop. A pinned local operand has the FIFO hop only."""

    hops: tuple[Hop, ...]


@dataclass(frozen=True)
class NestOrder:
    """`nest`: tile loops outermost first, and point loops outermost first (dim numbers). The
    vector dim counts vectors, not elements."""

    tiles: tuple[int, ...]
    points: tuple[int, ...]


@dataclass(frozen=True)
class Sizes:
    """`explore`: tile size per dim in elements (the vector dim: a multiple of the lanes),
    instances of the compute group used and the dim whose points they share (-1: none), and the
    copies of each staging buffer (see `buffers.Buffer`, same order). `why` explains the choice."""

    tile: tuple[int, ...]
    instances: int
    split: int
    copies: tuple[int, ...]
    why: tuple[str, ...] = ()


@dataclass(frozen=True)
class Placement:
    """`place`: byte address of each staging buffer (same order), in its memory."""

    addresses: tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """One scheduled unit of work. `grid` is the kernel's grid; cores = its product, row-major.

    `whole_tile`: the program writes elements it also reads through another map, so everything must
    be read before anything is written: one tile covers the whole box (`explore` obeys).
    """

    name: str
    grid: tuple[int, ...]
    parameters: tuple[Parameter, ...]
    dims: tuple[Dim, ...]
    operands: tuple[Operand, ...]
    body: Body
    outer: tuple[OuterLoop, ...] = ()
    location: Location | None = field(default=None, compare=False)
    whole_tile: bool = False
    vector: Vector | None = None
    routes: tuple[Route, ...] | None = None
    nest: NestOrder | None = None
    sizes: Sizes | None = None
    placement: Placement | None = None

    @property
    def scalars(self) -> tuple[Parameter, ...]:
        """The parameters that are numbers, not addresses; in the environment after the grid."""
        return tuple(p for p in self.parameters if p.kind == "scalar")


# --- orchestrator -------------------------------------------------------------------------------


@dataclass(frozen=True)
class OrchestratorOp:
    """Base of what remains of the kernel around its programs; every core runs it."""


@dataclass(frozen=True)
class CallProgram(OrchestratorOp):
    """Call program `program`; `scalars` give its scalar parameters over the environment (grid
    coordinates, then the enclosing orchestrator loops, outermost first). `addresses` are the
    kernel parameters passed to its address parameters."""

    program: int
    addresses: tuple[int, ...]
    scalars: tuple[Expr, ...]


@dataclass(frozen=True)
class OrchestratorLoop(OrchestratorOp):
    name: str
    lower: Expr
    upper: Expr
    step: int
    body: tuple[OrchestratorOp, ...]


@dataclass(frozen=True)
class Kernel:
    """The whole kernel: orchestrator and programs.

    `no_share`: pairs of kernel parameters (numbers, smaller first) that must not be given the same
    memory, because the schedule orders what it reads and writes through them differently.
    """

    name: str
    grid: tuple[int, ...]
    params: tuple[Argument, ...]
    orchestrator: tuple[OrchestratorOp, ...]
    programs: tuple[Program, ...]
    no_share: tuple[tuple[int, int], ...] = ()
