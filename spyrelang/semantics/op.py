"""What one entry of the table is: `Op`, the `Site` it is bound at, and the registry."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from spyrelang.errors import SpyreError
from spyrelang.errors import semantics as errors
from spyrelang.errors.driver import unknown_numerics
from spyrelang.semantics.dtypes import DType, get

Array = np.ndarray[Any, np.dtype[Any]]
Kernel = Callable[..., Any]
"""Arrays in, one array (or a tuple of them) out."""


@dataclass(frozen=True)
class Site:
    """One use of an op: its attributes and the element types of operands and results."""

    op: str
    attrs: Mapping[str, object]
    ins: tuple[DType, ...]
    outs: tuple[DType, ...]

    @property
    def out(self) -> DType:
        return self.outs[0]

    def refuse(self, reason: str) -> SpyreError:
        """The error for element types that the op does not combine."""
        ins, outs = (", ".join(map(str, types)) for types in (self.ins, self.outs))
        return errors.OPERAND_TYPES.error(op=self.op, ins=ins, outs=outs, reason=reason)

    def bad(self, name: str, reason: str) -> SpyreError:
        """The error for an attribute."""
        return errors.ATTRIBUTE.error(op=self.op, name=name, reason=reason)

    def need_floats(self) -> None:
        if not all(d.is_float for d in (*self.ins, *self.outs)):
            raise self.refuse("it works on floats")

    def need_ints(self) -> None:
        if not all(d.is_int for d in (*self.ins, *self.outs)):
            raise self.refuse("it works on integers")

    def need_same(self) -> None:
        if len({*self.ins, *self.outs}) > 1:
            raise self.refuse("operands and result must have one element type")

    def integer(self, name: str, default: int | None = None) -> int:
        value = self.attrs.get(name, default)
        if not isinstance(value, (int, np.integer)):
            raise self.bad(name, "is required" if value is None else "must be an integer")
        return int(value)

    def count(self, name: str, default: int | None = None, least: int = 1) -> int:
        """A number of lanes, repetitions and the like: no vector has more than 2^24 lanes."""
        value = self.integer(name, default)
        if not least <= value <= 1 << 24:
            raise self.bad(name, f"must lie between {least} and {1 << 24}")
        return value

    def number(self, name: str, default: float | None = None) -> float:
        value = self.attrs.get(name, default)
        if not isinstance(value, (int, float, np.number)):
            raise self.bad(name, "is required" if value is None else "must be a number")
        return float(value)

    def integers(self, name: str) -> tuple[int, ...]:
        value = self.attrs.get(name)
        if value is None:
            raise self.bad(name, "is required")
        if not isinstance(value, (tuple, list)):
            raise self.bad(name, "must be a list of integers")
        if not all(isinstance(v, (int, np.integer)) for v in value):
            raise self.bad(name, "must be a list of integers")
        return tuple(int(v) for v in value)

    def indices(self, name: str) -> tuple[int, ...]:
        """Integers that fit numpy's."""
        values = self.integers(name)
        if any(abs(v) >= 1 << 62 for v in values):
            raise self.bad(name, "has an entry beyond any vector")
        return values

    def choice(self, name: str, choices: Sequence[str], default: str | None = None) -> str:
        """One of `choices`; an integer is an index into them (as MLIR's enums are stored)."""
        value = self.attrs.get(name, default)
        if isinstance(value, (int, np.integer)) and 0 <= int(value) < len(choices):
            return choices[int(value)]
        if not isinstance(value, str) or value not in choices:
            raise self.bad(name, f"must be one of {' '.join(choices)}")
        return value


@dataclass(frozen=True)
class Op:
    """One entry of the table.

    `arity` operands are required and `extra` more are allowed (None: any number). `bind` makes the
    function that computes it.
    """

    name: str
    arity: int
    build: Callable[[Site], Kernel] = field(repr=False)
    extra: int | None = 0
    results: int = 1

    def bind(
        self,
        attrs: Mapping[str, object],
        in_dtypes: Sequence[str],
        out_dtypes: Sequence[str],
        numerics: str = "ieee",
    ) -> Kernel:
        """The function from operand arrays to the result array (a tuple where there are several).

        Operands must have the numpy dtypes of `in_dtypes`; they broadcast against each other, and
        the result has the numpy dtype of `out_dtypes`. No numpy warning escapes. Raises SPY823
        for other modes, SPY582 to SPY585 for types, attributes and operand counts that the op does
        not take.

        `numerics`: with "df16" every f16 stands for df16, so that f16 operands and results are
        DLFloat16 codes (`np.uint16`), and attributes that hold bits hold bits of those.
        """
        ins, outs = (
            tuple(numeric(get(name), numerics) for name in names)
            for names in (in_dtypes, out_dtypes)
        )
        self._check_counts(len(ins), len(outs))
        # repr, because 0.0 == -0.0 == False
        key = tuple((name, value, repr(value)) for name, value in sorted(attrs.items()))
        try:
            hash(key)
        except TypeError:  # an attribute that cannot be hashed (a list): bind without the cache
            return _make(self, Site(self.name, dict(attrs), ins, outs))
        return _bind(self, key, ins, outs)

    def _check_counts(self, ins: int, outs: int) -> None:
        most = ins if self.extra is None else self.arity + self.extra
        if self.arity <= ins <= most and outs == self.results:
            return
        want = str(self.arity) if self.extra == 0 else f"{self.arity} or more"
        results = "1 result" if self.results == 1 else f"{self.results} results"
        raise errors.OPERAND_COUNT.error(
            op=self.name, want=want, results=results, got=ins, got_results=outs
        )


NUMERICS = ("ieee", "df16")
"""The numeric modes: what f16 stands for."""

_AS_DF16 = {"f16": "df16", "fp16_fused": "df16_fused"}


def numeric(dtype: DType, mode: str) -> DType:
    """The type that `dtype` stands for in a numeric mode: in "df16", f16 is computed as DLFloat16
    as the hardware does. Raises SPY823 for other modes than `NUMERICS`."""
    if mode == "df16":
        return get(_AS_DF16.get(dtype.name, dtype.name))
    if mode != "ieee":
        raise unknown_numerics(mode, NUMERICS)
    return dtype


def _make(op: Op, site: Site) -> Kernel:
    with np.errstate(all="ignore"):
        kernel = op.build(site)
    return kernel.kernel if isinstance(kernel, Silent) else hushed(kernel)


@lru_cache(maxsize=4096)
def _bind(
    op: Op,
    attrs: tuple[tuple[str, object, str], ...],
    ins: tuple[DType, ...],
    outs: tuple[DType, ...],
) -> Kernel:
    return _make(op, Site(op.name, {name: value for name, value, _ in attrs}, ins, outs))


@dataclass(frozen=True)
class Silent:
    """A kernel that never warns and always gives an array, so that it needs no wrapper."""

    kernel: Kernel

    def __call__(self, *operands: Array) -> Any:
        return self.kernel(*operands)


def hushed(kernel: Kernel) -> Kernel:
    """`kernel` without numpy's warnings, and with arrays where numpy would give scalars."""

    def quiet(*operands: Array) -> Any:
        with np.errstate(all="ignore"):
            result = kernel(*operands)
        return result if isinstance(result, (np.ndarray, tuple)) else np.asarray(result)

    return quiet


_TABLE: dict[str, Op] = {}


def register(
    name: str,
    arity: int,
    build: Callable[[Site], Kernel],
    *,
    extra: int | None = 0,
    results: int = 1,
) -> None:
    """Enter an op."""
    _TABLE[name] = Op(name, arity, build, extra, results)


def lookup(op: str) -> Op:
    """The entry of `op` ("arith.addf", "vectorchain.binary.add"). Raises SPY580."""
    found = _TABLE.get(op)
    if found is None:
        near = difflib.get_close_matches(op, _TABLE, 1)
        hint = f"did you mean '{near[0]}'?" if near else None
        raise errors.UNKNOWN_OP.error(op=op, hint=hint)
    return found


def known(op: str) -> bool:
    """Whether the table has `op`."""
    return op in _TABLE


def names() -> tuple[str, ...]:
    """Every op of the table, sorted."""
    return tuple(sorted(_TABLE))
