"""A program written for f16, computed in DLFloat16.

In every instruction df16 takes the place of f16, so that lanes and memory hold DLFloat16 codes. The
arguments stay as the author declared them: who binds arrays converts them.
"""

from __future__ import annotations

import weakref
from dataclasses import replace

import numpy as np

from spyrelang.isa.program import (
    Compute,
    Executable,
    For,
    If,
    Instr,
    Load,
    Program,
    Receive,
    Store,
    Transfer,
    View,
)
from spyrelang.semantics import dtypes, numeric
from spyrelang.semantics.df16 import literals

_CACHE: dict[int, tuple[weakref.ref[Executable], Executable]] = {}
_CONSTANT = "vectorchain.constant_bitstream"
_MASKS = (0x7FFF, 0xFFFF)
"""NaNs of f16 that no one writes as numbers, but as the bits to keep of another value."""


def as_df16(executable: Executable) -> Executable:
    """The program with DLFloat16 for f16, remembered for as long as `executable` lives."""
    key = id(executable)
    entry = _CACHE.get(key)
    if entry is not None and entry[0]() is executable:
        return entry[1]
    made = replace(executable, programs=tuple(map(_program, executable.programs)))
    _CACHE[key] = (weakref.ref(executable, lambda _: _CACHE.pop(key, None)), made)
    return made


def _program(program: Program) -> Program:
    return replace(program, units=tuple(replace(u, body=_body(u.body)) for u in program.units))


def _body(body: tuple[Instr, ...]) -> tuple[Instr, ...]:
    return tuple(map(_instruction, body))


def _instruction(instr: Instr) -> Instr:
    if isinstance(instr, For):
        return replace(instr, body=_body(instr.body))
    if isinstance(instr, If):
        return replace(instr, then_body=_body(instr.then_body), else_body=_body(instr.else_body))
    if isinstance(instr, Compute) and instr.op == _CONSTANT and instr.dtype == "f16":
        return replace(instr, dtype="df16", attrs=tuple(map(_attribute, instr.attrs)))
    if isinstance(instr, View | Load | Store | Transfer | Compute | Receive):
        return replace(instr, dtype=numeric(dtypes.get(instr.dtype), "df16").name)
    return instr


def _attribute(attribute: tuple[str, object]) -> tuple[str, object]:
    name, value = attribute
    if name != "value" or not isinstance(value, tuple):
        return attribute
    return name, tuple(_code(int(bits)) for bits in value)


def _code(bits: int) -> int:
    """The code of the f16 literal with these bits."""
    if bits in _MASKS:
        return bits
    literal = np.array(bits, np.uint16).view(np.float16).astype(np.float64)
    return int(literals(literal))
