"""The decoded form of DataflowIR: what engines run and binaries hold.

Every class is a frozen dataclass of ints, strings, tuples and other such classes, so that one codec
serialises them all. Registers are small ints, local to a program unit (or to the orchestrator);
scalars and vectors share the numbering and each register is written by exactly one instruction
(loop registers by their loop). A tuple "per unit" has one entry for each unit of the program unit,
in order; where all entries agree it may have length 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from spyrelang.affine import Expr

Reg = int


@dataclass(frozen=True)
class SourceLoc:
    """A place in the text that was decoded, or in the kernel it came from. 0 where unknown."""

    file: str
    line: int = 0
    col: int = 0
    end_col: int = 0
    source: str | None = None


# --- the machine -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Memory:
    """One memory instance. `scope` is "device" (shared), "core" (one per core, `core` set) or
    "unit" (a register memory: one private instance for every unit that names it)."""

    name: str
    kind: str
    scope: str
    core: int = -1
    size: int = 0  # bytes; 0 = unknown


@dataclass(frozen=True)
class Unit:
    """One execution unit instance; `core` / `corelet` are -1 where the text gives none."""

    name: str
    kind: str
    core: int = -1
    corelet: int = -1


@dataclass(frozen=True)
class Link:
    """Device facts about the path between two kinds: FIFO depth in vectors (0 = not a queue),
    bandwidth in bytes a cycle (0 = not stated), latency in cycles. Kinds compare ignoring case."""

    source: str
    target: str
    depth: int = 0
    bandwidth: int = 0
    latency: int = 0


@dataclass(frozen=True)
class Machine:
    """Everything an engine needs to know of the device."""

    name: str
    memories: tuple[Memory, ...]
    units: tuple[Unit, ...]
    links: tuple[Link, ...]
    cores: int


# --- values known at launch --------------------------------------------------------------------


@dataclass(frozen=True)
class SymbolInput:
    """Kernel argument `arg`: an address in bytes, or (later) a dimension. Symbol instructions may
    name an input directly."""

    id: int  # negative
    arg: int
    kind: str = "address"


@dataclass(frozen=True)
class SymbolValue:
    """A value computed on the host at launch. `expr` dims index into `inputs` (symbol ids of
    inputs or earlier values). `exact` demands that no division in it has a remainder. The
    result must fit `bits` unsigned bits (1 … 64): the width of its field in the symbol pool."""

    id: int
    expr: Expr
    inputs: tuple[int, ...]
    exact: bool = True
    bits: int = 32


@dataclass(frozen=True)
class Argument:
    """A kernel argument as the author declared it. `shape` is empty where unknown (foreign text);
    `strides` count elements. `role` is "in", "out", "inout", "scratch" or "index"."""

    name: str
    role: str
    dtype: str
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()


# --- instructions ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Instr:
    """Base; `loc` indexes `Executable.locs`."""

    loc: int


@dataclass(frozen=True)
class Const(Instr):
    dst: Reg
    value: int


@dataclass(frozen=True)
class Table(Instr):
    """dst = values[my position]: a per-unit constant (per core in the orchestrator)."""

    dst: Reg
    values: tuple[int, ...]


@dataclass(frozen=True)
class Symbol(Instr):
    """dst = launch-time value of the symbol ids[my position]."""

    dst: Reg
    ids: tuple[int, ...]


@dataclass(frozen=True)
class Arith(Instr):
    """Integer arithmetic. op: add sub mul divsi divui floordivsi ceildivsi ceildivui remsi remui
    minsi maxsi minui maxui andi ori xori, cmp_<eq ne slt sle sgt sge ult ule ugt uge> (gives 0/1),
    select (operands cond, a, b)."""

    dst: Reg
    op: str
    operands: tuple[Reg, ...]


@dataclass(frozen=True)
class Affine(Instr):
    """dst = expr over operands (dim i is operands[i])."""

    dst: Reg
    expr: Expr
    operands: tuple[Reg, ...]


@dataclass(frozen=True)
class View(Instr):
    """A strided window on a memory. Element (i…) lies at byte
    `start * scale + (base + sum(i_k * strides_k)) * bytes(dtype)` of memory
    `memories[my position]`. `scale` is the byte value of one unit of `start`: the word size for a
    symbol, the element size otherwise. A size of -1 in `shape` is unknown: no bound is checked."""

    dst: Reg
    memories: tuple[int, ...]
    start: Reg
    scale: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    base: int
    dtype: str


@dataclass(frozen=True)
class Access:
    """A start coordinate in a view: `index[k]` over `operands` gives coordinate k."""

    view: Reg
    index: tuple[Expr, ...]
    operands: tuple[Reg, ...]


@dataclass(frozen=True)
class Axis:
    """One loop of an access pattern: `extent` steps (an int, or the register holding it when
    `dynamic`), each moving the source and the target coordinate by the given amounts
    (one entry per view dim)."""

    extent: int
    source_step: tuple[int, ...]
    target_step: tuple[int, ...]
    dynamic: bool = False


@dataclass(frozen=True)
class Load(Instr):
    """dst vector: lanes enumerated by `axes` (slowest first; only `source_step` is used)."""

    dst: Reg
    access: Access
    axes: tuple[Axis, ...]
    dtype: str
    lanes: int


@dataclass(frozen=True)
class Store(Instr):
    """The inverse of Load; only `target_step` of the axes is used."""

    value: Reg
    access: Access
    axes: tuple[Axis, ...]
    dtype: str
    lanes: int


@dataclass(frozen=True)
class Transfer(Instr):
    """Asynchronous copy between two memories, element by element in the order of `axes`. It is
    complete at the latest when a later SyncSend with `wait` of the same unit is executed, or at the
    end of the program. Transfers of one unit complete in the order they were issued."""

    source: Access
    target: Access
    axes: tuple[Axis, ...]
    dtype: str


@dataclass(frozen=True)
class Compute(Instr):
    """dst = op(operands) lane-wise, or as `semantics` defines `op` (for example
    "vectorchain.binary.add"). `attrs` are sorted (name, value) pairs; values are ints, floats,
    strings or tuples of them."""

    dst: Reg
    op: str
    operands: tuple[Reg, ...]
    dtype: str
    lanes: int
    attrs: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True)
class Send(Instr):
    """Put a vector into the FIFO from me to unit peers[my position]; blocks while it is full."""

    peers: tuple[int, ...]
    value: Reg


@dataclass(frozen=True)
class Receive(Instr):
    dst: Reg
    peers: tuple[int, ...]
    dtype: str
    lanes: int


@dataclass(frozen=True)
class SyncSend(Instr):
    """Post one signal to the peer. `wait`: my pending transfers complete first."""

    peers: tuple[int, ...]
    wait: bool


@dataclass(frozen=True)
class SyncReceive(Instr):
    """Take one signal of the peer; blocks until there is one. Signals count."""

    peers: tuple[int, ...]


@dataclass(frozen=True)
class For(Instr):
    """for iv = lower; iv < upper; iv += step. `args` are the carried registers (first `inits`, then
    the `yields` of the previous trip), `results` get the last values."""

    iv: Reg
    lower: Reg
    upper: Reg
    step: Reg
    body: tuple[Instr, ...]
    inits: tuple[Reg, ...] = ()
    args: tuple[Reg, ...] = ()
    yields: tuple[Reg, ...] = ()
    results: tuple[Reg, ...] = ()


@dataclass(frozen=True)
class If(Instr):
    cond: Reg
    then_body: tuple[Instr, ...]
    else_body: tuple[Instr, ...] = ()
    then_yields: tuple[Reg, ...] = ()
    else_yields: tuple[Reg, ...] = ()
    results: tuple[Reg, ...] = ()


@dataclass(frozen=True)
class Call(Instr):
    """Orchestrator only: run a program to completion; `args` become its registers 0, 1, … It ends
    when the units and transfers of all cores that made this call have: a barrier."""

    program: int
    args: tuple[Reg, ...] = ()


# --- programs ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ProgramUnit:
    """The same body run by every unit of `units` (indices into Machine.units, one kind)."""

    kind: str
    units: tuple[int, ...]
    body: tuple[Instr, ...]
    loc: int


@dataclass(frozen=True)
class Program:
    """Units that run concurrently. Registers 0 … params-1 of every unit hold the arguments of the
    call."""

    name: str
    params: int
    units: tuple[ProgramUnit, ...]


@dataclass(frozen=True)
class Executable:
    """One kernel, ready to run. `orchestrator` is run by every core (Table is indexed by core); a
    Call ends when all units and transfers of the program have. Symbol addresses are bytes on the
    device; constant addresses in the text are already folded into the views. `no_share`: pairs of
    arguments (smaller first) that must not be given the same memory, because the program orders
    reads and writes through them in a way that holds for separate memory only."""

    name: str
    machine: Machine
    arguments: tuple[Argument, ...]
    inputs: tuple[SymbolInput, ...]
    symbols: tuple[SymbolValue, ...]
    programs: tuple[Program, ...]
    orchestrator: tuple[Instr, ...]
    locs: tuple[SourceLoc, ...]
    grid: tuple[int, ...] = (1,)
    no_share: tuple[tuple[int, int], ...] = ()
