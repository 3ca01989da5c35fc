"""What an SSA value of DataflowIR stands for while it is decoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Scalar:
    """A number in a register. `symbolic`: it comes from a symbol, so as an address it counts
    words."""

    reg: int
    symbolic: bool = False


@dataclass(frozen=True)
class VectorValue:
    """A vector in a register."""

    reg: int
    lanes: int
    dtype: str


@dataclass(frozen=True)
class ViewReg:
    """A view in a register, with the facts that accesses need."""

    reg: int
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class UnitHandle:
    """For each unit of the program unit, the unit this handle names."""

    units: tuple[int, ...]


@dataclass(frozen=True)
class MemoryHandle:
    """For each unit of the program unit, the memory this handle names."""

    memories: tuple[int, ...]


@dataclass(frozen=True)
class Mapping:
    """An immutable mapping: its keys and values as SSA values."""

    keys: tuple[Any, ...]
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Number:
    """A number known while decoding; it becomes a Const where it is used."""

    value: int


@dataclass(frozen=True)
class SymbolRef:
    """A symbol by id; it becomes a Symbol instruction where it is used."""

    id: int


Meaning = Scalar | VectorValue | ViewReg | UnitHandle | MemoryHandle | Mapping | Number | SymbolRef
