"""Checks that an executable is well formed, so that engines need not check at every step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spyrelang.errors import Location, SpyreError
from spyrelang.errors.engine import BAD_PROGRAM, BEYOND_ADDRESSES
from spyrelang.isa import program as p
from spyrelang.isa.arith import OPERATIONS
from spyrelang.isa.reach import FARTHEST, spans


def validate(executable: p.Executable) -> None:
    """Raise SPY524 for a reference to a register, unit, memory, symbol or program that is not
    there, a per-unit tuple of wrong length, or an unknown arithmetic op; SPY525 for an access that
    reaches past any address."""
    symbols = {s.id for s in (*executable.inputs, *executable.symbols)}
    _check_arguments(executable)
    _check_pairs(executable)
    cores = executable.machine.cores
    _Body(executable, symbols, cores).check(executable.orchestrator, set())
    for program in executable.programs:
        seen: set[int] = set()
        for unit in program.units:
            _check_units(executable, unit, seen)
            body = _Body(executable, symbols, len(unit.units))
            body.check(unit.body, set(range(program.params)))
            _check_reach(executable, unit.body)


def location(executable: p.Executable, loc: int) -> Location | None:
    """Place number `loc` as an error location; None where it is unknown."""
    if not 0 <= loc < len(executable.locs):
        return None
    place = executable.locs[loc]
    return Location(place.file, place.line, place.col, place.end_col, place.source)


def _check_arguments(executable: p.Executable) -> None:
    """Whoever binds arrays relies on the layouts: a wrong one would reach foreign memory."""
    for argument in executable.arguments:
        shape, strides = argument.shape, argument.strides
        if shape and strides and len(strides) != len(shape):
            reason = f"argument '{argument.name}' has {len(shape)} sizes and {len(strides)} strides"
            raise BAD_PROGRAM.error(reason=reason)
        if min(shape, default=0) < -1 or min(strides, default=0) < 0:
            reason = f"argument '{argument.name}' has sizes {shape} and strides {strides}"
            raise BAD_PROGRAM.error(reason=reason)


def _check_pairs(executable: p.Executable) -> None:
    arguments = len(executable.arguments)
    for first, second in executable.no_share:
        if not 0 <= first < second < arguments:
            reason = f"arguments {first} and {second} that must not share memory do not exist"
            raise BAD_PROGRAM.error(reason=reason)


def _check_reach(executable: p.Executable, body: tuple[p.Instr, ...]) -> None:
    """Engines count bytes in 64 bits."""
    for instr, what, span in spans(body):
        if span >= FARTHEST:
            raise BEYOND_ADDRESSES.error(location(executable, instr.loc), what=what, span=span)


def _check_units(executable: p.Executable, unit: p.ProgramUnit, seen: set[int]) -> None:
    known = range(len(executable.machine.units))
    for number in unit.units:
        if number not in known or number in seen:
            reason = f"unit {number} does not exist or has two bodies"
            raise BAD_PROGRAM.error(location(executable, unit.loc), reason=reason)
        seen.add(number)


class _Body:
    """One instruction list and the registers defined so far."""

    def __init__(self, executable: p.Executable, symbols: set[int], positions: int) -> None:
        self.exe = executable
        self.symbols = symbols
        self.positions = positions

    def check(self, body: Sequence[p.Instr], defined: set[int]) -> None:
        for instr in body:
            self._instr(instr, defined)

    def _fail(self, instr: p.Instr, reason: str) -> SpyreError:
        return BAD_PROGRAM.error(location(self.exe, instr.loc), reason=reason)

    def _need(self, instr: p.Instr, registers: Iterable[int], defined: set[int]) -> None:
        for register in registers:
            if register not in defined:
                raise self._fail(instr, f"register {register} is read before it is written")

    def _table(self, instr: p.Instr, values: Sequence[int], limit: int | None = None) -> None:
        if len(values) not in (1, self.positions):
            raise self._fail(instr, f"{len(values)} values for {self.positions} units")
        if limit is not None and not (min(values) >= 0 and max(values) < limit):
            raise self._fail(instr, "an index is out of range")

    def _instr(self, i: p.Instr, defined: set[int]) -> None:
        match i:
            case p.For():
                self._for(i, defined)
            case p.If():
                self._if(i, defined)
            case _:
                self._tables(i)
                self._need(i, reads(i), defined)
                defined.update(writes(i))

    def _tables(self, i: p.Instr) -> None:
        machine = self.exe.machine
        match i:
            case p.Table():
                self._table(i, i.values)
            case p.Symbol():
                self._table(i, i.ids)
                if not set(i.ids) <= self.symbols:
                    raise self._fail(i, "a symbol does not exist")
            case p.Arith():
                if i.op not in OPERATIONS or len(i.operands) != (3 if i.op == "select" else 2):
                    raise self._fail(i, f"arithmetic '{i.op}' of {len(i.operands)} operands")
            case p.View():
                self._table(i, i.memories, len(machine.memories))
                if len(i.shape) != len(i.strides):
                    raise self._fail(i, "a view needs one stride for each size")
            case p.Send() | p.Receive() | p.SyncSend() | p.SyncReceive():
                self._table(i, i.peers, len(machine.units))
            case p.Call():
                if not 0 <= i.program < len(self.exe.programs):
                    raise self._fail(i, f"program {i.program} does not exist")
                if len(i.args) != self.exe.programs[i.program].params:
                    raise self._fail(i, "a call has the wrong number of arguments")
            case _:
                pass

    def _for(self, i: p.For, defined: set[int]) -> None:
        self._need(i, (i.lower, i.upper, i.step, *i.inits), defined)
        if not len(i.inits) == len(i.args) == len(i.yields) == len(i.results):
            raise self._fail(i, "a loop's carried registers do not match")
        inside = defined | {i.iv, *i.args}
        self.check(i.body, inside)
        self._need(i, i.yields, inside)
        defined.update(i.results)

    def _if(self, i: p.If, defined: set[int]) -> None:
        self._need(i, (i.cond,), defined)
        for body, yields in ((i.then_body, i.then_yields), (i.else_body, i.else_yields)):
            inside = set(defined)
            self.check(body, inside)
            self._need(i, yields, inside)
            if len(yields) != len(i.results):
                raise self._fail(i, "a branch yields the wrong number of values")
        defined.update(i.results)


def reads(i: p.Instr) -> tuple[int, ...]:
    """The registers a plain instruction (no For, no If) reads."""
    match i:
        case p.Arith() | p.Affine() | p.Compute():
            return i.operands
        case p.View():
            return (i.start,)
        case p.Load():
            return (*_access(i.access), *_extents(i.axes))
        case p.Store():
            return (i.value, *_access(i.access), *_extents(i.axes))
        case p.Transfer():
            return (*_access(i.source), *_access(i.target), *_extents(i.axes))
        case p.Send():
            return (i.value,)
        case p.Call():
            return i.args
        case _:
            return ()


def writes(i: p.Instr) -> tuple[int, ...]:
    """The registers a plain instruction (no For, no If) writes."""
    match i:
        case (
            p.Const()
            | p.Table()
            | p.Symbol()
            | p.Arith()
            | p.Affine()
            | p.View()
            | p.Load()
            | p.Compute()
            | p.Receive()
        ):
            return (i.dst,)
        case _:
            return ()


def _access(access: p.Access) -> tuple[int, ...]:
    return (access.view, *access.operands)


def _extents(axes: Sequence[p.Axis]) -> tuple[int, ...]:
    return tuple(a.extent for a in axes if a.dynamic)
