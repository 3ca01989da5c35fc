"""The orchestrator of all cores at once: which programs they call, with what arguments.

It depends on nothing that programs compute, so all calls are known before the first one runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spyrelang.engines.checked.orchestrator import rounds
from spyrelang.engines.fast import scalars
from spyrelang.engines.fast.linear import tidy
from spyrelang.errors.engine import BAD_ARITHMETIC, BAD_PROGRAM
from spyrelang.isa import program as isa
from spyrelang.isa.validate import location


@dataclass(frozen=True)
class Call:
    """One run of a program by `cores` (None: all). An argument is an int, or an array that is
    indexed by core."""

    program: int
    args: tuple[Any, ...]
    cores: frozenset[int] | None = None

    @property
    def per_core(self) -> tuple[bool, ...]:
        """Which arguments differ between cores."""
        return tuple(isinstance(a, np.ndarray) for a in self.args)


class _Diverges(Exception):
    """Cores take different ways."""


def calls(executable: isa.Executable, symbols: Mapping[int, int]) -> list[Call]:
    """All calls in order. Raises SPY514, SPY524."""
    walk = _Walk(executable, symbols)
    try:
        walk.body(executable.orchestrator)
    except _Diverges:
        return _core_by_core(executable, symbols)
    return walk.calls


def _core_by_core(executable: isa.Executable, symbols: Mapping[int, int]) -> list[Call]:
    found: list[Call] = []
    for program, args in rounds(executable, symbols):
        first = next(iter(args.values()))
        rows = [args.get(core, first) for core in range(executable.machine.cores)]
        table = np.array(rows, np.int64).reshape(len(rows), len(first))
        found.append(Call(program, tuple(map(_tidy, table.T)), frozenset(args)))
    return found


def _tidy(value: Any) -> Any:
    return tidy(value) if isinstance(value, np.ndarray) else int(value)


@dataclass(eq=False)
class _Walk:
    """Numbers are ints, or arrays with one entry per core."""

    executable: isa.Executable
    symbols: Mapping[int, int]
    env: dict[int, Any] = field(default_factory=dict[int, Any])
    calls: list[Call] = field(default_factory=list[Call])

    def body(self, body: Sequence[isa.Instr]) -> None:
        for op in body:
            match op:
                case isa.For():
                    self._loop(op)
                case isa.If():
                    self._branch(op)
                case isa.Call():
                    self.calls.append(Call(op.program, tuple(self.env[r] for r in op.args)))
                case _:
                    self._number(op)

    def _number(self, op: isa.Instr) -> None:
        env, where = self.env, location(self.executable, op.loc)
        match op:
            case isa.Const():
                env[op.dst] = op.value
            case isa.Table():
                env[op.dst] = self._each(op.values)
            case isa.Symbol():
                env[op.dst] = self._each(tuple(self.symbols[i] for i in op.ids))
            case isa.Arith():
                operands = [env[r] for r in op.operands]
                env[op.dst] = _tidy(scalars.evaluate(op.op, operands, where))
            case isa.Affine():
                env[op.dst] = _tidy(op.expr.eval([env[r] for r in op.operands]))
            case _:
                reason = f"{type(op).__name__} cannot be in the orchestrator"
                raise BAD_PROGRAM.error(where, reason=reason)

    def _each(self, values: tuple[int, ...]) -> Any:
        return values[0] if len(values) == 1 else _tidy(np.array(values, np.int64))

    def _shared(self, reg: int) -> int:
        value = self.env[reg]
        if isinstance(value, np.ndarray):
            raise _Diverges
        return value

    def _loop(self, op: isa.For) -> None:
        lower, upper, step = (self._shared(r) for r in (op.lower, op.upper, op.step))
        if step < 1:
            where = location(self.executable, op.loc)
            raise BAD_ARITHMETIC.error(where, reason=f"a loop has step {step}")
        env = self.env
        carried = [env[r] for r in op.inits]
        for iv in range(lower, upper, step):
            env[op.iv] = iv
            env.update(zip(op.args, carried, strict=True))
            self.body(op.body)
            carried = [env[r] for r in op.yields]
        env.update(zip(op.results, carried, strict=True))

    def _branch(self, op: isa.If) -> None:
        taken = bool(self._shared(op.cond))
        self.body(op.then_body if taken else op.else_body)
        yields = op.then_yields if taken else op.else_yields
        self.env.update(zip(op.results, [self.env[r] for r in yields], strict=True))
