"""What a kernel expects of its arguments, worked out once per executable."""

from __future__ import annotations

import difflib
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spyrelang.errors import ErrorKind, Location, Note, SpyreError
from spyrelang.errors import launch as errors
from spyrelang.isa.program import Argument, Executable
from spyrelang.semantics import dtypes
from spyrelang.spyrecode.layout import contiguous_strides

GIVEN_ROLES = ("in", "out", "inout", "index")


@dataclass(frozen=True)
class Param:
    """One argument. `strides` count elements of the device buffer. `pointer`: a bare base address,
    bound to any array; `scalar`: an integer. `free_dims`: dimensions whose size is given at
    launch. `place`: where the kernel makes a view of it, if that is known."""

    index: int
    name: str
    role: str
    dtype: np.dtype[Any]
    type_name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    contiguous: bool
    scalar: bool
    pointer: bool
    free_dims: frozenset[int] = frozenset()
    place: Location | None = field(default=None, compare=False, repr=False)

    def error(self, kind: ErrorKind, *, hint: str | None = None, **values: object) -> SpyreError:
        """An error about this argument, with what the kernel makes of it (to be raised by the
        caller)."""
        notes = () if self.place is None else (Note("the kernel views it here", self.place),)
        return kind.error(None, notes=notes, hint=hint, index=self.index, name=self.name, **values)

    @property
    def writes(self) -> bool:
        return self.role in ("out", "inout") or self.pointer

    @property
    def reads(self) -> bool:
        return self.role != "out"

    @property
    def scratch(self) -> bool:
        return self.role == "scratch"

    def describe(self) -> str:
        sizes = "x".join("?" if n < 0 else str(n) for n in self.shape)
        return f"{sizes} {self.type_name}".lstrip()


@dataclass(frozen=True)
class Signature:
    """The arguments of a kernel. `given`: those the caller passes, in order; `no_share`: pairs that
    must not be given the same memory."""

    kernel: str
    params: tuple[Param, ...]
    no_share: tuple[tuple[int, int], ...] = ()
    given: tuple[Param, ...] = field(init=False)
    by_name: Mapping[str, Param] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        given = tuple(p for p in self.params if not p.scratch)
        object.__setattr__(self, "given", given)
        object.__setattr__(self, "by_name", {p.name: p for p in given})

    @property
    def names(self) -> str:
        return ", ".join(p.name for p in self.given) or "none"

    def match(self, args: Sequence[object], named: Mapping[str, object]) -> list[object]:
        """The value of each given parameter, in order. Raises SPY700 to SPY703, SPY716."""
        if len(args) > len(self.given):
            raise errors.TOO_MANY_ARGUMENTS.error(
                kernel=self.kernel, expected=len(self.given), known=self.names, given=len(args)
            )
        if not named and len(args) == len(self.given):
            return list(args)
        for name in named:
            self._check_name(name, len(args))
        values = list(args)
        for param in self.given[len(args) :]:
            if param.name not in named:
                raise param.error(
                    errors.MISSING_ARGUMENT,
                    kernel=self.kernel,
                    spec="an integer" if param.scalar else f"{param.role} {param.describe()}",
                )
            values.append(named[param.name])
        return values

    def by_names(self, args: Sequence[object], named: Mapping[str, object]) -> dict[str, object]:
        """`match`, with the parameters' names."""
        values = self.match(args, named)
        return {param.name: value for param, value in zip(self.given, values, strict=True)}

    def _check_name(self, name: str, positional: int) -> None:
        if name not in self.by_name:
            if any(p.name == name for p in self.params):
                raise errors.RESERVED_ARGUMENT.error(kernel=self.kernel, name=name)
            close = difflib.get_close_matches(name, list(self.by_name), 1)
            hint = f"did you mean '{close[0]}'?" if close else None
            raise errors.UNKNOWN_ARGUMENT.error(
                kernel=self.kernel, name=name, known=self.names, hint=hint
            )
        if any(p.name == name for p in self.given[:positional]):
            raise errors.ARGUMENT_TWICE.error(kernel=self.kernel, name=name)


def make(
    executable: Executable, free_dims: Mapping[int, frozenset[int]] | None = None
) -> Signature:
    """The signature of an executable. `free_dims`: dimensions of arguments whose size is
    symbolic."""
    free = free_dims or {}
    addresses = {s.arg for s in executable.inputs if s.kind == "address"}
    params = tuple(
        _param(index, argument, index in addresses, free.get(index, frozenset()))
        for index, argument in enumerate(executable.arguments)
    )
    return Signature(executable.name, params, executable.no_share)


def _param(index: int, argument: Argument, address: bool, free: frozenset[int]) -> Param:
    dtype = dtypes.get(argument.dtype)
    dense = contiguous_strides(argument.shape)
    strides = argument.strides or dense
    index_role = argument.role == "index"
    return Param(
        index=index,
        name=argument.name,
        role=argument.role,
        dtype=dtype.numpy,
        type_name=argument.dtype,
        shape=argument.shape,
        strides=strides,
        contiguous=strides == dense,
        scalar=index_role and not address,
        pointer=index_role and address,
        free_dims=free,
    )


_CACHE: dict[int, tuple[weakref.ref[Executable], Signature]] = {}


def signature_of(executable: Executable) -> Signature:
    """`make`, remembered for as long as the executable lives.

    Keyed by identity: comparing whole programs would cost more than the launch.
    """
    key = id(executable)
    entry = _CACHE.get(key)
    if entry is not None and entry[0]() is executable:
        return entry[1]
    signature = make(executable)
    _CACHE[key] = (weakref.ref(executable, lambda _: _CACHE.pop(key, None)), signature)
    return signature
